/** "Run all": one file after the other, each result as a line as soon as it is there. */

import type { Progress } from "../../web/studio/contract.ts"
import { faultMessage } from "../terminal.ts"
import type { ScenarioFolder } from "./folder.ts"
import { givenFile } from "./given-file.ts"
import type { StudioThreads } from "./threads.ts"

interface Opened {
  readonly folder: ScenarioFolder
  readonly threads: StudioThreads
}

/** TypeScript scenarios are programs: each runs when its own button is pressed, so they are left out and named. */
export async function* runAll({ folder, threads }: Opened, signal: AbortSignal): AsyncGenerator<string> {
  const paths = folder.paths()
  const files = paths.filter((path) => !path.endsWith(".ts"))
  yield line({ is: "start", files: files.length, leftOut: paths.filter((path) => path.endsWith(".ts")) })
  const tally = { passed: 0, failed: 0 }
  for (const path of files) {
    if (signal.aborted) return
    const result = await threads.verdict(givenFile(folder, path), signal).catch((cause: unknown) => ({
      path,
      verdict: "fault" as const,
      wallMs: 0,
      message: faultMessage(cause),
    }))
    tally[result.verdict === "passed" ? "passed" : "failed"] += 1
    yield line({ is: "file", result })
  }
  yield line({ is: "end", ...tally })
}

function line(progress: Progress): string {
  return `${JSON.stringify(progress)}\n`
}
