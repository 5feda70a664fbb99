/** Plays the run: its own time at a multiple of its speed, skipping folded waits. */

import { useEffect, useRef } from "preact/hooks"
import { at, rowCount } from "../../inspection/run-index.ts"
import type { Scene } from "./scene.ts"

const TICK_MS = 50
/** A longer wait for the next entry is skipped while quiet time is folded. Unit: ms of the page. */
const WAIT_MS_MAX = 2_000

export function usePlaying(scene: Scene): void {
  const latest = useRef(scene)
  latest.current = scene
  const { isPlaying } = scene.view
  useEffect(() => {
    if (!isPlaying) return
    let t = latest.current.t
    let row = latest.current.view.row
    const ticking = setInterval(() => {
      const { run, view, go } = latest.current
      if (view.row !== row) {
        t = latest.current.t
        row = view.row
      }
      const last = rowCount(run.index) - 1
      if (row >= last) return go({ isPlaying: false })
      t += TICK_MS * view.speed
      const next = at(run.index.t, row + 1)
      if (view.isFolding && next - t > WAIT_MS_MAX * view.speed) t = next
      const reached = run.positions.rowAtTime(t)
      if (reached > row) {
        row = reached
        go({ row })
      }
    }, TICK_MS)
    return () => clearInterval(ticking)
  }, [isPlaying])
}
