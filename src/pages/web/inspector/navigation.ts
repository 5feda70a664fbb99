/** Navigation through a run: next entry, the same actor's next entry, next mark, first failure; each a row, or none. */

import { hasFailed } from "../../inspection/attempts.ts"
import { NONE, at, rowCount } from "../../inspection/run-index.ts"
import type { RunIndex } from "../../inspection/run-index.ts"
import type { OpenRun } from "./sources/record-source.ts"

/** What a key or a button does to the playhead. */
export type Move =
  | "first"
  | "last"
  | "next"
  | "before"
  | "actor-next"
  | "actor-before"
  | "mark-next"
  | "mark-before"
  | "failure"

export interface Place {
  readonly row: number
  readonly actor: number
}

/** The row that a move leads to; the same row if there is no other. */
function moved(run: OpenRun, { row, actor }: Place, move: Move): number {
  const last = Math.max(0, rowCount(run.index) - 1)
  const orHere = (found: number): number => (found === NONE ? row : found)
  switch (move) {
    case "first":
      return 0
    case "last":
      return last
    case "next":
      return Math.min(last, row + 1)
    case "before":
      return Math.max(0, row - 1)
    case "actor-next":
      return orHere(run.positions.rowOfActor(actor, row, 1))
    case "actor-before":
      return orHere(run.positions.rowOfActor(actor, row, -1))
    case "mark-next":
      return run.index.marks.find((mark) => mark.row > row)?.row ?? row
    case "mark-before":
      return run.index.marks.findLast((mark) => mark.row < row)?.row ?? row
    case "failure":
      return firstFailure(run) ?? row
  }
}

/** What a move changes: to a failure it takes the actor along, so that the page explains what failed. */
export function changeBy(run: OpenRun, place: Place, move: Move): Partial<Place> & { readonly row: number } {
  const row = moved(run, place, move)
  return move === "failure" ? { row, actor: actorOfRow(run, row) } : { row }
}

/** What Play and Pause change: at the end it plays from the beginning. */
export function playedOrPaused(
  run: OpenRun,
  { row, isPlaying }: { readonly row: number; readonly isPlaying: boolean },
): { readonly isPlaying: boolean; readonly row: number } {
  const isAtEnd = row >= rowCount(run.index) - 1
  return { isPlaying: !isPlaying, row: !isPlaying && isAtEnd ? 0 : row }
}

/**
 * A failed expectation; else a failed call or a refused command; else the last entry of a group that a fault has stopped. Null for
 * a run without any.
 */
export function firstFailure(run: OpenRun): number | null {
  return firstFailedRow(run.index) ?? (run.isStuck() ? Math.max(0, rowCount(run.index) - 1) : null)
}

const failedRows = new WeakMap<RunIndex, number | null>()

/** Cost: one pass over the rows, once for each index. */
function firstFailedRow(index: RunIndex): number | null {
  const known = failedRows.get(index)
  if (known !== undefined) return known
  const failed = index.marks.find(({ level }) => isFailure(level))?.row
  const row = failed ?? index.s.findIndex((_, place) => hasFailed(index, place))
  const found = row === -1 ? null : row
  failedRows.set(index, found)
  return found
}

export function isFailure(level: string): boolean {
  return level === "fail"
}

/** The actor of a row: the addressee of its input; for a mark, the actor of the row before it. */
export function actorOfRow(run: OpenRun, row: number): number {
  for (let before = row; before >= 0; before -= 1) {
    const actor = at(run.index.to, before)
    if (actor !== NONE) return actor
  }
  return run.index.actors.length > 0 ? 0 : NONE
}

/** The effect of each key; also shown by the help. */
export const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ["← →", "one entry back or on; in a chart or diagram wider than its panel: sideways"],
  ["Shift with ← →", "the same actor's entry before or after"],
  ["[ ]", "the mark before or after"],
  ["Home, End", "the first or the last entry"],
  ["Page Up, Page Down", "on the strip: a tenth of the run on or back"],
  ["+ −", "more or less of the strip's zoom"],
  ["Space", "play or pause"],
  ["f", "the first failure: a failed expectation, else a failed call or a refusal"],
  ["a, b", "pin this moment as A or B"],
  ["c", "copy the moment"],
  ["/", "to the log's filter"],
  ["Esc", "the last entry"],
  ["?", "these keys"],
]

/** Null for a key without a move. */
export function moveOfKey(key: string, isShifted: boolean): Move | null {
  switch (key) {
    case "ArrowRight":
      return isShifted ? "actor-next" : "next"
    case "ArrowLeft":
      return isShifted ? "actor-before" : "before"
    case "Home":
      return "first"
    case "End":
    case "Escape":
      return "last"
    case "]":
      return "mark-next"
    case "[":
      return "mark-before"
    case "f":
      return "failure"
    default:
      return null
  }
}
