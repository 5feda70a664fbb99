/** Outbound HTTP: POSTs to partners' endpoints. Only the gateway measures the time limit of an attempt. */

import { Context } from "effect"
import type { Effect } from "effect"
import type { Address } from "../../../model/address.ts"

export interface OutboundRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly timeoutMs: number
  /** The attempt of an actor that it is; absent: its bodies are kept nowhere. */
  readonly of?: { readonly actor: Address; readonly attempt: number }
  /** The checked addresses: connections are only made to these. */
  readonly addresses: readonly string[]
}

/** The result: a status, or why there was no answer. Redirects are not followed: they count as statuses. */
export type OutboundAnswer =
  | {
      readonly type: "answered"
      readonly status: number
      /** The beginning of the answer; absent where none is read. No rule may depend on it. */
      readonly body?: { readonly text: string; readonly isWhole: boolean }
    }
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
