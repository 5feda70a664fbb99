/** The streets of maps: those of the configured file, or a made-up town around the demo's sites. */

import { readFileSync } from "node:fs"
import { madeUpTown } from "../../pages/html/map/made-up-town.ts"
import { streetsOf } from "../../pages/html/map/streets.ts"
import type { Streets } from "../../pages/html/map/streets.ts"
import { DEMO_PLACE } from "../demo/demo-deliveries.ts"
import { StartFault, sentenceOf } from "../start/start-fault.ts"

/** Null for plain ground. Throws a StartFault for a file that cannot be read or shown. */
export function streetsFor(
  { streetsFile }: { readonly streetsFile: string | null },
  hasDemo: boolean,
): Streets | null {
  const streets = streetsFile !== null ? read(streetsFile) : hasDemo ? townOfDemo() : null
  if (typeof streets === "string") throw faultOf(String(streetsFile), streets)
  return streets
}

/** Made when a map first shows it: thousands of lines, and most starts show no map. */
function townOfDemo(): Streets {
  let town: Streets | null = null
  const made = (): Streets => {
    const streets = streetsOf(madeUpTown(DEMO_PLACE))
    if (typeof streets === "string") throw new Error(`the demo's town cannot be shown: ${streets}`)
    return (town ??= streets)
  }
  return {
    get credit() {
      return (town ?? made()).credit
    },
    within: (box) => (town ?? made()).within(box),
  }
}

function read(file: string): Streets | string {
  try {
    // Some editors begin a file with a byte order mark.
    return streetsOf(JSON.parse(readFileSync(file, "utf8").replace(/^\uFEFF/, "")))
  } catch (cause) {
    throw faultOf(file, sentenceOf(cause))
  }
}

function faultOf(file: string, problem: string): StartFault {
  return new StartFault({
    problem: `CURBLINE_STREETS_FILE: ${file} cannot be shown: ${problem}`,
    isOfSettings: true,
  })
}
