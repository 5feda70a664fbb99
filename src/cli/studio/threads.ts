/** The threads in which the studio reads and runs scenarios: "Run all" takes one, so that a single run finds another. */

import type { Finding } from "../../simulation/swarm/explore.ts"
import { madeOnce } from "../../engine/services/made-once.ts"
import { areAllDrawn } from "../../pages/bundling/chart-pictures.ts"
import { threadPool } from "../../engine/threads/thread-pool.ts"
import type { Charts, FileResult, ListedFile, SeedResult } from "../../pages/web/studio/contract.ts"
import type { GivenFile, Ran, ReadFile, Task } from "./worker.ts"

const THREADS = 2

export interface StudioThreads {
  readonly charts: () => Promise<Charts>
  /** A failing seed of the swarm, made small; null when it breaks nothing. Takes seconds to minutes. */
  readonly finding: (seed: number, signal: AbortSignal) => Promise<Finding | null>
  readonly list: (files: readonly GivenFile[]) => Promise<readonly ListedFile[]>
  readonly read: (file: GivenFile, signal: AbortSignal) => Promise<ReadFile>
  /** Rejects when the signal aborts; the thread is ended then, also inside of an endless run. */
  readonly run: (
    asked: { readonly file: GivenFile; readonly seed: number | null },
    signal: AbortSignal,
  ) => Promise<Ran>
  readonly verdict: (file: GivenFile, signal: AbortSignal) => Promise<FileResult>
  /** Of all rows of the file with this seed; a TypeScript file runs, too. */
  readonly withSeed: (file: GivenFile, seed: number, signal: AbortSignal) => Promise<SeedResult>
  readonly close: () => Promise<void>
}

export function startThreads(): StudioThreads {
  const pool = threadPool(new URL("worker.ts", import.meta.url), { min: 1, max: THREADS })
  const done = <Result>(task: Task, signal?: AbortSignal): Promise<Result> =>
    pool.run(task, signal === undefined ? {} : { signal }) as Promise<Result>
  return {
    charts: madeOnce(() => done<Charts>({ do: "charts" }), areAllDrawn),
    finding: (seed, signal) => done({ do: "finding", seed }, signal),
    list: (files) => done({ do: "list", files }),
    read: (file, signal) => done({ do: "read", file }, signal),
    run: (asked, signal) => done({ do: "run", ...asked }, signal),
    withSeed: (file, seed, signal) => done({ do: "seed", file, seed }, signal),
    verdict: (file, signal) => done({ do: "verdict", file }, signal),
    close: () => pool.destroy(),
  }
}
