/** Where two runs part: the first entry that is not the same in both, wherever marks stand between them. */

import type { ReadRun } from "./run-reader.ts"

/** Rows in each run; null in the one that ended first. */
export interface Divergence {
  readonly first: number | null
  readonly second: number | null
  /** How many entries both share. */
  readonly shared: number
}

/** Null when every entry is the same. An entry's hash covers its group's whole chain, so hashes are what is compared. */
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
