/** Writes the report of a fleet run: a self-contained page with the replay of the shown day inside. */

import { readFileSync, writeFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { replayInside } from "../../pages/bundling/replay-document.ts"
import { replayRequest } from "../../simulation/fleet/replay/replay-request.ts"
import { reportHtml } from "../../simulation/fleet/report/report.ts"
import type { FleetResult } from "../../simulation/fleet/results/fleet-result.ts"
import { recommendedOf } from "../../simulation/fleet/results/recommend.ts"
import { textOfBeside } from "./fleet-files.ts"
import { replayProgram } from "./replay-file.ts"
import type { ReplayProgram } from "./replay-file.ts"

export async function writeReport(file: string, result: FleetResult, command: string): Promise<void> {
  writeFileSync(file, reportOf(result, command, await replayProgram()))
}

/** The page; `command` makes the same one again. */
export function reportOf(result: FleetResult, command: string, program: ReplayProgram): string {
  const pageScript = readFileSync(new URL("report-page.js", import.meta.url), "utf8")
  const { model } = result
  const { file, text } = model
  const { shown } = recommendedOf(result)
  const [day] = shown?.replications ?? []
  const run = replayRequest({ file, text, seed: day?.seed ?? null }, (name, streets) =>
    textOfBeside(resolve(dirname(file), name), streets),
  )
  const asked = {
    ...run,
    expectedDigest: day?.digest ?? null,
    ...(shown === null ? {} : { settings: shown.settings }),
  }
  return reportHtml(result, { pageScript, command, replay: replayInside({ ...program, run: asked }) })
}
