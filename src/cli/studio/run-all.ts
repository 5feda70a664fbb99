/** "Run all": one file after the other, each result as a line as soon as it is there. */

import type { FileResult, Progress } from "../../pages/web/studio/contract.ts"
import { faultMessage } from "../kit/terminal.ts"
import type { ScenarioFolder } from "./folder.ts"
import { givenFile } from "./given-file.ts"
import type { GivenFile } from "./worker.ts"

interface Opened {
  readonly folder: ScenarioFolder
  /** Of all rows of a file. */
  readonly verdict: (file: GivenFile, signal: AbortSignal) => Promise<FileResult>
}

/** A fault after which no other file can be run. */
export class NoMoreRuns extends Error {
  override readonly name = "NoMoreRuns"
}

/** TypeScript scenarios are programs: each runs when its own button is pressed, so they are left out and named. */
export async function* runAll({ folder, verdict }: Opened, signal: AbortSignal): AsyncGenerator<string> {
  const paths = folder.paths()
  const files = paths.filter((path) => !path.endsWith(".ts"))
  yield line({ is: "start", files: files.length, leftOut: paths.filter((path) => path.endsWith(".ts")) })
  const tally = { passed: 0, failed: 0 }
  for (const path of files) {
    if (signal.aborted) return
    let result: FileResult
    try {
      result = await verdict(givenFile(folder, path), signal)
    } catch (cause) {
      if (cause instanceof NoMoreRuns) return yield line({ is: "end", ...tally, stopped: cause.message })
      result = { path, verdict: "fault", wallMs: 0, message: faultMessage(cause) }
    }
    if (result.verdict !== "not run") tally[result.verdict === "passed" ? "passed" : "failed"] += 1
    yield line({ is: "file", result })
  }
  yield line({ is: "end", ...tally })
}

function line(progress: Progress): string {
  return `${JSON.stringify(progress)}\n`
}
