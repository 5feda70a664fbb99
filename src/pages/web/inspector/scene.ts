/** The props of every view: the run, the playhead, and how to move it. */

import { at } from "../../inspection/run-index.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import type { OpenRun } from "./sources/record-source.ts"
import type { View } from "./view.ts"

export interface Scene {
  readonly run: OpenRun
  readonly view: View
  /** The line at the playhead, and its time in ms since `clock0`. */
  readonly s: number
  readonly t: number
  /**
   * The time up to which timers and dwell are computed: the playhead's, or at the end of a followed group the
   * service's.
   */
  readonly now: number
  readonly go: (change: Partial<View>) => void
}

interface Shown extends Pick<Scene, "go" | "run" | "view"> {
  /** The service's time; null for a run that is over. */
  readonly nowMs: EpochMs | null
}

export function sceneOf({ run, view, nowMs, go }: Shown): Scene {
  const t = at(run.index.t, view.row)
  const isAtEnd = view.row === run.packed.rows - 1
  const now = isAtEnd && nowMs !== null ? Math.max(t, nowMs - run.packed.head.clock0Ms) : t
  return { run, view, s: at(run.index.s, view.row), t, now, go }
}
