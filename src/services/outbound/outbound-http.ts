/** Outbound HTTP: POSTs to partners' endpoints. The gateway alone measures the time limit of an attempt. */

import { Context } from "effect"
import type { Effect } from "effect"

export interface OutboundRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly timeoutMs: number
  /** The checked addresses; a connection goes to one of these and nowhere else. */
  readonly addresses: readonly string[]
}

/** What came back: a status, or why nothing did. Redirects are not followed: they are statuses. */
export type OutboundAnswer =
  | { readonly type: "answered"; readonly status: number }
  | { readonly type: "unanswered"; readonly reason: "timeout" | "connection_failed" }

export class OutboundHttp extends Context.Tag("OutboundHttp")<
  OutboundHttp,
  { readonly post: (request: OutboundRequest) => Effect.Effect<OutboundAnswer> }
>() {}

/** True for any 2xx. */
export function isAccepted(
  answer: OutboundAnswer,
): answer is Extract<OutboundAnswer, { readonly type: "answered" }> {
  return answer.type === "answered" && answer.status >= 200 && answer.status < 300
}

/** `status_500`, `timeout` or `connection_failed`: a word for journals and logs. */
export function failureOf(answer: OutboundAnswer): string {
  return answer.type === "answered" ? `status_${answer.status}` : answer.reason
}
