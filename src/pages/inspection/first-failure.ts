/** Where a page opens a record in which an expectation failed. */

import type { RunIndex } from "./run-index.ts"

/** The row of the first failed expectation of the first run that has one; null where none failed. */
export function firstFailureIn(
  indexes: readonly Pick<RunIndex, "marks">[],
): { readonly run: number; readonly row: number } | null {
  for (const [run, { marks }] of indexes.entries()) {
    const failed = marks.find(({ level }) => level === "fail")
    if (failed !== undefined) return { run, row: failed.row }
  }
  return null
}
