/** Writes the report of a fleet run: a self-contained page. */

import { readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { reportHtml } from "../fleet/report/report.ts"
import type { FleetResult } from "../fleet/results/fleet-result.ts"

export function writeReport(file: string, result: FleetResult, command: string): void {
  const { resolve } = createRequire(import.meta.url)
  const assets = {
    uplotScript: readFileSync(resolve("uplot/dist/uPlot.iife.min.js"), "utf8"),
    uplotStyle: readFileSync(resolve("uplot/dist/uPlot.min.css"), "utf8"),
    pageScript: readFileSync(new URL("../fleet/report/page.js", import.meta.url), "utf8"),
  }
  writeFileSync(file, reportHtml(result, { assets, command }))
}
