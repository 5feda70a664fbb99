/** Fleet models as files: reading one with the files beside it. */

import { readFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { readFleet } from "../fleet/language/read.ts"
import type { FleetReading } from "../fleet/language/read.ts"
import { UsageError } from "./scenario-files.ts"

export function readFleetFile(file: string): FleetReading {
  const text = textOf(file)
  if (text === null) throw new UsageError(`there is no file ${file}`)
  return readFleet({ file, text, beside: (name) => textOf(resolve(dirname(file), name)) })
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return null
  }
}
