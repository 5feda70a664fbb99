/** Why something happened: the rows that led to a row, the nearest first. */

import { at } from "./run-index.ts"
import type { RunIndex } from "./run-index.ts"

/** A record that names a cause twice over would loop; no honest chain is nearly as long. */
const CHAIN_MAX = 1_000

/** The row itself, what caused it, what caused that, and so on to a command from outside. */
export function causesOf(index: RunIndex, row: number): readonly number[] {
  const chain: number[] = []
  for (let next = row; next >= 0 && chain.length < CHAIN_MAX; next = at(index.cause, next)) chain.push(next)
  return chain
}
