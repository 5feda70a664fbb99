/** "Try seeds 1 to 50": one run of a file after the other, each result as a line as soon as it is there. */

import { STUDIO_SEEDS } from "../../model/values/limits.ts"
import type { SeedsProgress } from "../../pages/web/studio/contract.ts"
import type { StudioThreads } from "./threads.ts"
import type { GivenFile } from "./worker.ts"

/** A file that cannot be read is reported once, with its first seed. */
export async function* trySeeds(
  threads: Pick<StudioThreads, "withSeed">,
  file: GivenFile,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const tally = { passed: 0, failed: 0 }
  for (let seed = 1; seed <= STUDIO_SEEDS; seed += 1) {
    if (signal.aborted) return
    const result = await threads.withSeed(file, seed, signal)
    tally[result.verdict === "passed" ? "passed" : "failed"] += 1
    yield line({ is: "seed", result })
    if (result.verdict === "unreadable") break
  }
  yield line({ is: "end", ...tally })
}

function line(progress: SeedsProgress): string {
  return `${JSON.stringify(progress)}\n`
}
