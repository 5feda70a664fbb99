/** Where two runs diverge: the first entry that differs; marks between entries are ignored. */

import type { ReadRun } from "./run-reader.ts"

/** Rows in each run; null in the run that ended first. */
export interface Divergence {
  readonly first: number | null
  readonly second: number | null
  /** How many entries both have in common. */
  readonly shared: number
}

/** Null when every entry is the same. Compares hashes: an entry's hash covers the chain of its group. */
export function divergenceOf(one: ReadRun, other: ReadRun): Divergence | null {
  const rowsOf = (run: ReadRun): readonly number[] =>
    [...run.hashes.keys()].filter((row) => run.hashes[row] !== "")
  const [first, second] = [rowsOf(one), rowsOf(other)]
  const longest = Math.max(first.length, second.length)
  for (let at = 0; at < longest; at += 1) {
    const [a, b] = [first[at], second[at]]
    if (a !== undefined && b !== undefined && one.hashes[a] === other.hashes[b]) continue
    return { first: a ?? null, second: b ?? null, shared: at }
  }
  return null
}
