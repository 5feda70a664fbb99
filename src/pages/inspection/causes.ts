/** Why something happened: the chain of rows that led to a row, nearest first. */

import { at } from "./run-index.ts"
import type { RunIndex } from "./run-index.ts"

/** A malformed record could contain a cycle of causes; valid chains are much shorter. */
const CHAIN_MAX = 1_000

/** The row itself, its cause, the cause of that, and so on up to a command from outside. */
export function causesOf(index: RunIndex, row: number): readonly number[] {
  const chain: number[] = []
  for (let next = row; next >= 0 && chain.length < CHAIN_MAX; next = at(index.cause, next)) chain.push(next)
  return chain
}
