/** Writes the report of a fleet run: a self-contained page. */

import { readFileSync, writeFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { readStreets } from "../../simulation/fleet/language/street-file.ts"
import { reportHtml } from "../../simulation/fleet/report/report.ts"
import type { FleetResult } from "../../simulation/fleet/results/fleet-result.ts"
import { textOfBeside } from "./fleet-files.ts"

export function writeReport(file: string, result: FleetResult, command: string): void {
  writeFileSync(file, reportOf(result, command))
}

/** The page; `command` makes the same one again. */
export function reportOf(result: FleetResult, command: string): string {
  const { model } = result
  const pageScript = readFileSync(new URL("../../simulation/fleet/report/page.js", import.meta.url), "utf8")
  // Vehicles that drive along streets are shown on them.
  const name = model.streets ?? (model.travel.is === "streets" ? model.travel.file : null)
  const read =
    name === null ? null : readStreets(name, (one) => textOfBeside(resolve(dirname(model.file), one)))
  // The file was read with the model; one that vanished meanwhile only leaves the map out.
  const streets = typeof read === "string" ? null : read
  return reportHtml(result, { pageScript, command, streets })
}
