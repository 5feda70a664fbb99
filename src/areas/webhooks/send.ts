/** Sending: one attempt of one delivery. */

import { idOf } from "../../model/address.ts"
import { WEBHOOK_TIMEOUT_MS } from "../../model/values/limits.ts"
import type { Call } from "../../engine/kernel/turn.ts"
import { rootOf } from "../../engine/services/actors.ts"
import { ActorHost } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { discarded, failed, lost, succeeded } from "../../engine/services/outbound/call-results.ts"
import { OutboundHttp, failureOf, isAccepted } from "../../engine/services/outbound/outbound-http.ts"
import { UrlPolicy, originOf } from "../../engine/services/outbound/url-policy.ts"
import { WebhookStore } from "./store.ts"
import type { OutgoingWebhook } from "./store.ts"
import { POLICIES } from "./webhook-policy.ts"

/** The name server did not answer us. */
const LOOKUP_UNAVAILABLE = "lookup_unavailable"

/** One attempt: URL, secret and status of the endpoint are read now; the body is the frozen one. */
export const sendWebhook = Routine.fn(function* (call: Call) {
  const host = yield* ActorHost
  const store = yield* WebhookStore
  const { attempt } = call
  const outgoing = yield* store.outgoing(idOf(call.actor))
  const group = yield* host.read(call.actor)
  if (outgoing === null || group === null) return discarded(attempt, "forgotten")
  const { context, isActive } = rootOf("webhook-delivery", group)
  if (!isActive || context.attempt !== attempt) return discarded(attempt, "moved_on")
  return yield* sendNow(call, outgoing)
})

/** The attempt with the rows that were read for it, and its receiver, null when there is none. */
export const prepareWebhook = Routine.fn(function* (call: Call) {
  const store = yield* WebhookStore
  const outgoing = yield* store.outgoing(idOf(call.actor))
  if (outgoing === null) return { receiver: null, perform: sendWebhook(call) }
  const { environment, isActive, organizationId, url, webhookId } = outgoing.endpoint
  const origin = isActive ? originOf(url) : null
  const receiver =
    origin === null ? null : { environment, organizationId, origin, endpoint: webhookId, hasBreaker: true }
  return { receiver, perform: sendNow(call, outgoing) }
})

/**
 * A failure that counts towards disabling the endpoint has to be the endpoint's own, and of the endpoint as it is now. Any other one
 * is a lost attempt, which leaves again under its ids and is not counted (src/DECISIONS.md §330).
 */
const sendNow = Routine.fn(function* (call: Call, outgoing: OutgoingWebhook) {
  const result = yield* attemptNow(call, outgoing)
  const { area, updatedAtMs, webhookId } = outgoing.endpoint
  if (result.type !== "call.failed" || POLICIES[area].attempts.isCounted !== true) return result
  if (result.reason !== LOOKUP_UNAVAILABLE) {
    const now = yield* (yield* WebhookStore).endpoint(webhookId)
    if (now?.isActive !== true || now.updatedAtMs === updatedAtMs) return result
  }
  const group = yield* (yield* ActorHost).read(call.actor)
  // A delivery of version 1 does not know lost attempts.
  const knowsLoss = group !== null && "resendsMax" in rootOf("webhook-delivery", group).context
  return knowsLoss ? lost(call.attempt) : result
})

const attemptNow = Routine.fn(function* (
  { actor, attempt }: Call,
  { deliveryId, endpoint, body: event }: OutgoingWebhook,
) {
  const urls = yield* UrlPolicy
  const http = yield* OutboundHttp
  if (!endpoint.isActive) return discarded(attempt, "endpoint_inactive")
  if (endpoint.environment === "sandbox") {
    const status = yield* (yield* WebhookStore).answerFor(event.subjectId)
    if (status !== null) return failed(attempt, `status_${status}`)
  }
  const verdict = yield* Routine.from(urls.checkToSend(endpoint.url, endpoint))
  if (verdict.type !== "public") {
    return failed(attempt, verdict.type === "refused" ? verdict.detail.toLowerCase() : LOOKUP_UNAVAILABLE)
  }
  const atMs = yield* Routine.nowMs
  const request = {
    url: endpoint.url,
    headers: {
      "Content-Type": "application/json",
      "User-Agent": "Curbline/1",
      "X-Service-Delivery-Id": deliveryId,
      ...POLICIES[endpoint.area].headers(endpoint.secret, event, atMs),
    },
    body: event.body,
    timeoutMs: WEBHOOK_TIMEOUT_MS,
    of: { actor, attempt },
    addresses: verdict.addresses,
  }
  const answer = yield* Routine.from(http.post(request))
  return isAccepted(answer) ? succeeded(attempt, answer.status) : failed(attempt, failureOf(answer))
})
