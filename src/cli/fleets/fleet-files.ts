/** Reads fleet models from files, with the files beside them. */

import { dirname, resolve } from "node:path"
import type { BesideFault, StreetsNeeded } from "../../simulation/fleet/language/beside.ts"
import { readFleet } from "../../simulation/fleet/language/read.ts"
import type { FleetReading } from "../../simulation/fleet/language/read.ts"
import { isPbf, pbfStreets } from "./pbf-streets.ts"
import { refuseKind } from "../kit/file-kinds.ts"
import { SAVE_AS_UTF8, bytesAt, readWritten, utf8Of } from "../kit/text-files.ts"

export function readFleetFile(file: string): FleetReading {
  const text = readWritten(file)
  if (typeof text !== "string") return { model: null, problems: [text], advice: [] }
  refuseKind(file, text, "fleet model")
  return readFleet({
    file,
    text,
    beside: (name, streets) => textOfBeside(resolve(dirname(file), name), streets),
  })
}

/** A file beside a model, by its path; of an extract of OpenStreetMap the streets in the box. */
export function textOfBeside(path: string, streets?: StreetsNeeded): BesideFault | string | null {
  if (isPbf(path) && streets !== undefined) return pbfStreets(path, streets.near)
  const bytes = bytesAt(path)
  if (bytes === null) return null
  return utf8Of(bytes) ?? { fault: `is not UTF-8 text; ${SAVE_AS_UTF8}` }
}
