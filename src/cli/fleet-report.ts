/** Writes the report of a fleet run: a self-contained page. */

import { readFileSync, writeFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { readStreets } from "../fleet/language/street-file.ts"
import { reportHtml } from "../fleet/report/report.ts"
import type { FleetResult } from "../fleet/results/fleet-result.ts"
import { textAt } from "./text-files.ts"

export function writeReport(file: string, result: FleetResult, command: string): void {
  const { model } = result
  const pageScript = readFileSync(new URL("../fleet/report/page.js", import.meta.url), "utf8")
  const read =
    model.streets === null
      ? null
      : readStreets(model.streets, (name) => textAt(resolve(dirname(model.file), name)))
  // The file was read with the model; one that vanished meanwhile only leaves the map out.
  const streets = typeof read === "string" ? null : read
  writeFileSync(file, reportHtml(result, { pageScript, command, streets }))
}
