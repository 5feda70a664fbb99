/** Results of calls, in the words that machines take. */

import type { CallResult } from "../../model/verbs.ts"

export function succeeded(attempt: number): CallResult {
  return { type: "call.succeeded", attempt }
}

export function failed(attempt: number, reason: string): CallResult {
  return { type: "call.failed", attempt, reason }
}

export function discarded(attempt: number, reason: string): CallResult {
  return { type: "call.discarded", attempt, reason }
}
