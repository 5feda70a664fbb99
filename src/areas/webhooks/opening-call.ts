/**
 * The call that opens a door: a partner's open link, or the compartment of a fleet's vehicle. The URL is checked again,
 * the connection goes to the checked addresses, and the body is signed like an event.
 */

import type { Address } from "../../model/address.ts"
import { OPEN_LINK_TIMEOUT_MS } from "../../model/values/limits.ts"
import { failed, succeeded } from "../../engine/services/outbound/call-results.ts"
import { OutboundHttp, failureOf, isAccepted } from "../../engine/services/outbound/outbound-http.ts"
import { UrlPolicy } from "../../engine/services/outbound/url-policy.ts"
import type { Owner } from "../../engine/services/owner-turns.ts"
import { Routine } from "../../engine/services/routine.ts"
import { signWebhook } from "./signature.ts"

export interface OpeningCall {
  readonly actor: Address
  /** Of the machine. */
  readonly attempt: number
  readonly url: string
  readonly owner: Owner
  /** The idempotency key of the receiver. */
  readonly attemptId: string
  readonly body: string
  /** Null: the call is not signed. */
  readonly secret: string | null
}

export const postOpening = Routine.fn(function* (call: OpeningCall) {
  const { actor, attempt, url, owner, attemptId, body, secret } = call
  const urls = yield* UrlPolicy
  const http = yield* OutboundHttp
  const verdict = yield* Routine.from(urls.checkToSend(url, owner))
  if (verdict.type !== "public") {
    return failed(attempt, verdict.type === "refused" ? verdict.detail.toLowerCase() : "lookup_unavailable")
  }
  const atMs = yield* Routine.nowMs
  const request = {
    url,
    headers: {
      "Content-Type": "application/json",
      "User-Agent": "Curbline/1",
      "X-Service-Attempt-Id": attemptId,
      ...(secret === null ? {} : { "X-Service-Signature": signWebhook({ secret, body, atMs }) }),
    },
    body,
    timeoutMs: OPEN_LINK_TIMEOUT_MS,
    of: { actor, attempt },
    addresses: verdict.addresses,
  }
  const answer = yield* Routine.from(http.post(request))
  return isAccepted(answer) ? succeeded(attempt, answer.status) : failed(attempt, failureOf(answer))
})
