/** The clock of a reservation or a delivery: in the sandbox its organization may have moved it, or let it stand. */

import type { BoardRecord, Clocked } from "./records.ts"

/** The present on its clock. `board`: the answer that it came in; `nowMs` is the present on the service's. */
export function cardNowMs(
  { clock_at: at, clock_stands: stands }: Clocked,
  board: Pick<BoardRecord, "at">,
  nowMs: number,
): number {
  return Date.parse(at) + (stands ? 0 : nowMs - Date.parse(board.at))
}

/** ms; the two instants of one answer differ by rounding alone. */
const MOVED_MS = 2_000

/** How far the clock was ahead of the service's when the board was read, in ms; null when it was not moved. */
export function aheadOf({ clock_at: at }: Clocked, board: Pick<BoardRecord, "at">): number | null {
  const aheadMs = Date.parse(at) - Date.parse(board.at)
  return Math.abs(aheadMs) < MOVED_MS ? null : aheadMs
}
