/** The code of a worker thread: one seed at a time. */

import { tryingSeed } from "./explore.ts"
import type { SeedResult } from "./explore.ts"

// The pool calls the default export of its file.
// oxlint-disable-next-line import/no-default-export
export default function work(seed: number): SeedResult {
  return tryingSeed(seed)
}
