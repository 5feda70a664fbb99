/** Results of calls, in the words that machines take. */

import type { CallResult } from "../../model/call-result.ts"

/** `status` is what an HTTP endpoint answered; other calls have none. */
export function succeeded(attempt: number, status?: number): CallResult {
  return { type: "call.succeeded", attempt, ...(status === undefined ? {} : { status }) }
}

export function failed(attempt: number, reason: string): CallResult {
  return { type: "call.failed", attempt, reason }
}

export function discarded(attempt: number, reason: string): CallResult {
  return { type: "call.discarded", attempt, reason }
}
