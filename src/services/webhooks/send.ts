/** Sending: one attempt of one delivery. */

import { Clock, Effect } from "effect"
import { idOf } from "../../model/address.ts"
import { WEBHOOK_TIMEOUT_MS } from "../../model/limits.ts"
import type { EpochMs } from "../../model/time.ts"
import type { WebhookDeliveryContext } from "../../../machines/webhook-delivery.ts"
import type { Call } from "../../kernel/turn.ts"
import { ActorHost } from "../host.ts"
import { discarded, failed, succeeded } from "../outbound/call-results.ts"
import { OutboundHttp, failureOf, isAccepted } from "../outbound/outbound-http.ts"
import { UrlPolicy, hostOf } from "../outbound/url-policy.ts"
import { signBody, signWebhook } from "./signature.ts"
import { WebhookStore } from "./store.ts"
import type { WebhookBody, WebhookEndpoint } from "./store.ts"

/** One attempt: URL, secret and switch are read now; the body is the frozen one. */
export const sendWebhook = Effect.fnUntraced(function* (call: Call) {
  const host = yield* ActorHost
  const store = yield* WebhookStore
  const urls = yield* UrlPolicy
  const http = yield* OutboundHttp
  const { attempt } = call
  const deliveryId = idOf(call.actor)
  const delivery = yield* store.delivery(deliveryId)
  const endpoint = delivery === null ? null : yield* store.endpoint(delivery.webhookId)
  const event = delivery === null ? null : yield* store.body(delivery.eventId)
  const group = yield* host.read(call.actor)
  const snapshot = group?.actors.get(call.actor)?.snapshot
  if (endpoint === null || event === null || snapshot === undefined) return discarded(attempt, "forgotten")
  const { attempt: current } = snapshot.context as WebhookDeliveryContext
  if (snapshot.status !== "active" || current !== attempt) return discarded(attempt, "moved_on")
  if (!endpoint.isActive) return discarded(attempt, "endpoint_inactive")
  const verdict = yield* urls.checkToSend(endpoint.url)
  if (verdict.type !== "public") {
    return failed(attempt, verdict.type === "refused" ? verdict.detail.toLowerCase() : "lookup_unavailable")
  }
  const atMs = yield* Clock.currentTimeMillis
  const answer = yield* http.post({
    url: endpoint.url,
    headers: {
      "Content-Type": "application/json",
      "User-Agent": "Curbline/1",
      "X-Service-Delivery-Id": deliveryId,
      ...headersOf(endpoint, event, atMs),
    },
    body: event.body,
    timeoutMs: WEBHOOK_TIMEOUT_MS,
    addresses: verdict.addresses,
  })
  return isAccepted(answer) ? succeeded(attempt) : failed(attempt, failureOf(answer))
})

/** The host that an attempt will reach, as far as one can say now; null when its rows are gone. */
export const webhookReceiver = Effect.fnUntraced(function* (call: Call) {
  const store = yield* WebhookStore
  const delivery = yield* store.delivery(idOf(call.actor))
  const endpoint = delivery === null ? null : yield* store.endpoint(delivery.webhookId)
  return endpoint === null ? null : hostOf(endpoint.url)
})
/** The two contracts sign and name events differently. */
function headersOf(
  { area, secret }: WebhookEndpoint,
  { body, eventId, eventType }: WebhookBody,
  atMs: EpochMs,
): Readonly<Record<string, string>> {
  switch (area) {
    case "reservations":
      return {
        "X-Service-Signature": signWebhook({ secret, body, atMs }),
        "X-Service-Event-Id": eventId,
        "X-Service-Event-Type": eventType,
      }
    case "direct_delivery":
      return { "X-Service-Signature": signBody({ secret, body }), "X-Service-Event": eventType }
  }
}
