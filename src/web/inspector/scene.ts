/** What every view of the page is given: the run, where the playhead stands, and how to move on from there. */

import { at } from "../../inspection/run-index.ts"
import type { OpenRun } from "./record-source.ts"
import type { View } from "./view.ts"

export interface Scene {
  readonly run: OpenRun
  readonly view: View
  /** The line at the playhead, and its time in ms since `clock0`. */
  readonly s: number
  readonly t: number
  readonly go: (change: Partial<View>) => void
}

export function sceneOf(run: OpenRun, view: View, go: Scene["go"]): Scene {
  return { run, view, s: at(run.index.s, view.row), t: at(run.index.t, view.row), go }
}
