/** The streets of maps: those of the configured file, or a made-up town around the demo's sites. */

import { readFileSync } from "node:fs"
import { madeUpTown } from "../html/map/made-up-town.ts"
import { streetsOf } from "../html/map/streets.ts"
import type { Streets } from "../html/map/streets.ts"
import { DEMO_PLACE } from "./demo-deliveries.ts"
import { StartFault, sentenceOf } from "./start-fault.ts"

/** Null for plain ground. Throws a StartFault for a file that cannot be read or shown. */
export function streetsFor(
  { streetsFile }: { readonly streetsFile: string | null },
  hasDemo: boolean,
): Streets | null {
  const streets =
    streetsFile !== null ? read(streetsFile) : hasDemo ? streetsOf(madeUpTown(DEMO_PLACE)) : null
  if (typeof streets === "string") throw faultOf(String(streetsFile), streets)
  return streets
}

function read(file: string): Streets | string {
  try {
    return streetsOf(JSON.parse(readFileSync(file, "utf8")))
  } catch (cause) {
    throw faultOf(file, sentenceOf(cause))
  }
}

function faultOf(file: string, problem: string): StartFault {
  return new StartFault({ problem: `CURBLINE_STREETS_FILE: ${file} cannot be shown: ${problem}` })
}
