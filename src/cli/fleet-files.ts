/** Reads fleet models from files, with the files beside them. */

import { dirname, resolve } from "node:path"
import { readFleet } from "../fleet/language/read.ts"
import type { FleetReading } from "../fleet/language/read.ts"
import { readText, textAt } from "./text-files.ts"

export function readFleetFile(file: string): FleetReading {
  return readFleet({ file, text: readText(file), beside: (name) => textAt(resolve(dirname(file), name)) })
}
