/** A run that `curbline fork` wrote beside the run that it goes on from: where they part, and what is different. */

import type { Divergence } from "./divergence.ts"
import { NONE, at, rowCount } from "./run-index.ts"
import type { RunHead, RunIndex } from "./run-index.ts"

export interface ForkedAt {
  /** What is different, as the what-if file says it. */
  readonly title: string
  /** Entries that both have. */
  readonly entries: number
  /** The row of the last of them, in each run. */
  readonly first: number
  readonly second: number
}

interface Run {
  readonly head: RunHead
  readonly index: RunIndex
}

/** How the mark begins with which a fork leaves the recorded course. */
const BEGINS = "what if: "

/** Null if the second run is not a fork of the first. */
export function forkedAt(first: Run, second: Run, divergence: Divergence | null): ForkedAt | null {
  if (second.head.variant !== "what if") return null
  const mark = second.index.marks.find(({ text, src }) => src === null && text.startsWith(BEGINS))
  if (mark === undefined) return null
  const kept = entryRows(second.index).filter((row) => row < mark.row)
  const last = entryRows(first.index)[kept.length - 1]
  const isSame = divergence === null || divergence.shared >= kept.length
  if (last === undefined || !isSame) return null
  return {
    title: mark.text.slice(BEGINS.length),
    entries: kept.length,
    first: last,
    second: kept.at(-1) ?? 0,
  }
}

/** The number of the line with the last of that many entries; 0 before the first. */
export function lineAfter(index: RunIndex, entries: number): number {
  const row = entryRows(index)[entries - 1]
  return row === undefined ? 0 : at(index.s, row)
}

function entryRows(index: RunIndex): readonly number[] {
  return Array.from({ length: rowCount(index) }, (_, row) => row).filter(
    (row) => at(index.group, row) !== NONE,
  )
}
