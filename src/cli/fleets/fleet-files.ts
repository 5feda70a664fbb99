/** Reads fleet models from files, with the files beside them. */

import { dirname, resolve } from "node:path"
import { TABLE_BYTES_MAX } from "../../model/values/limits.ts"
import type { Beside, BesideFault, StreetsNeeded } from "../../simulation/fleet/language/beside.ts"
import { readFleet } from "../../simulation/fleet/language/read.ts"
import type { FleetReading, FleetSource } from "../../simulation/fleet/language/read.ts"
import type { TableFault } from "../../simulation/fleet/tables/table.ts"
import { isPbf, pbfStreets } from "./pbf-streets.ts"
import { refuseKind } from "../kit/file-kinds.ts"
import { SAVE_AS_UTF8, bytesAt, readWritten, utf8Of } from "../kit/text-files.ts"

export async function readFleetFile(file: string): Promise<FleetReading> {
  const text = readWritten(file)
  if (typeof text !== "string") return { model: null, problems: [text], advice: [] }
  refuseKind(file, text, "fleet model")
  return readWithTables({ file, text, beside: besideAt((name) => resolve(dirname(file), name)) }, (name) =>
    tableBytesAt(resolve(dirname(file), name)),
  )
}

/** Texts of files beside a model, by their paths. */
export function besideAt(pathOf: (name: string) => string): Beside {
  return (name, streets) => textOfBeside(pathOf(name), streets)
}

/** A file beside a model, by its path; of an extract of OpenStreetMap the streets in the box. */
export function textOfBeside(path: string, streets?: StreetsNeeded): BesideFault | string | null {
  if (isPbf(path) && streets !== undefined) return pbfStreets(path, streets.near)
  const bytes = bytesAt(path)
  if (bytes === null || "fault" in bytes) return bytes
  return utf8Of(bytes) ?? { fault: `is not UTF-8 text; ${SAVE_AS_UTF8}` }
}

/** The bytes of a table; null when there is no file. */
export function tableBytesAt(path: string): Uint8Array | TableFault | null {
  return bytesAt(path, TABLE_BYTES_MAX)
}

/** Reads a model and the tables of orders that it names. `bytesOf` gives a file beside it; null when there is none. */
export async function readWithTables(
  source: FleetSource,
  bytesOf: (name: string) => Uint8Array | TableFault | null,
): Promise<FleetReading> {
  const names = new Set<string>()
  const first = readFleet({
    ...source,
    logs: ({ table: { file, door } }) => {
      names.add(file)
      if (door !== null && door.addresses !== null) names.add(door.addresses)
      return { at: [], message: `${file} is not read yet` }
    },
  })
  if (names.size === 0) return first
  const { tableReader } = await import("../../simulation/fleet/tables/table-reader.ts")
  return readFleet({ ...source, logs: await tableReader(names, bytesOf) })
}
