/** Results of calls, as events of machines. */

import type { CallResult } from "../../../model/call-result.ts"

/** `status` is the HTTP status of an endpoint's answer; other calls have none. */
export function succeeded(attempt: number, status?: number): CallResult {
  return { type: "call.succeeded", attempt, ...(status === undefined ? {} : { status }) }
}

export function failed(attempt: number, reason: string): CallResult {
  return { type: "call.failed", attempt, reason }
}

export function discarded(attempt: number, reason: string): CallResult {
  return { type: "call.discarded", attempt, reason }
}

/** Only for actors that know `call.lost`: the same attempt may be sent again. */
export function lost(attempt: number): CallResult {
  return { type: "call.lost", attempt }
}
