/**
 * The endpoints of both APIs and the log of their events, for one page. Sending again is the Direct Delivery API's: the contract of
 * reservations has no replay. Objects of another organization or environment are `NOT_FOUND`.
 */

import type { Partner } from "../../model/caller.ts"
import { Refused } from "../../model/values/errors.ts"
import {
  LOGGED_EVENTS_LOOKED_MAX,
  PAGE_SIZE,
  RESENT_EVENTS_MAX,
  SIGNATURE_AGE_MS_MAX,
} from "../../model/values/limits.ts"
import type { CheckSignatureRequest, ListWebhookEventsRequest } from "../../model/requests/portal.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { WebhookArea } from "../../model/webhook.ts"
import { judgeSignature } from "../../areas/webhooks/signature.ts"
import { withAttempts } from "../../areas/webhooks/sent-events.ts"
import type { SentEvent } from "../../areas/webhooks/sent-events.ts"
import { WebhookStore } from "../../areas/webhooks/store.ts"
import type { WebhookEndpoint } from "../../areas/webhooks/store.ts"
import { WebhookLog, WebhookLogRows } from "../../areas/webhooks/webhook-log.ts"
import type { LoggedEvent } from "../../areas/webhooks/webhook-log.ts"
import { ownEndpoint } from "../../areas/webhooks/webhooks.ts"
import { sealedCursors } from "../../engine/services/cursors.ts"
import { DigestKey } from "../../engine/services/digest-key.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { withEndpoints } from "./portal-events.ts"
import type { PortalEvent } from "./portal-events.ts"
import { notFound } from "./refusals.ts"

export interface EventsPage {
  readonly events: readonly PortalEvent[]
  readonly nextCursor: string | null
}

export interface Resent {
  /** Events that are sent again. */
  readonly resent: number
  /** True when more events wait to be sent again. */
  readonly hasMore: boolean
}

export class PortalWebhooks extends service<PortalWebhooks>()("PortalWebhooks", () => ({
  endpoints,
  events,
  event,
  resend,
  resendSince,
  check,
})) {}

const AREAS: readonly WebhookArea[] = ["reservations", "direct_delivery"]

/** Of both APIs, those of reservations first, each oldest first. */
const endpoints = Routine.fn(function* ({ organizationId, environment }: Partner) {
  const store = yield* WebhookStore
  const found = yield* Routine.forEach(AREAS, (area) =>
    store.endpoints({ organizationId, environment, area }),
  )
  return found.flat()
})

/** Newest first. A page may have fewer events than asked for without being the last. */
const events = Routine.fn(function* (caller: Partner, request: ListWebhookEventsRequest) {
  const own = yield* endpoints(caller)
  const { webhook_id: only, limit = PAGE_SIZE } = request
  if (only !== undefined && !own.some(({ webhookId }) => webhookId === only)) return yield* notFound()
  const webhookIds = only === undefined ? own.map(({ webhookId }) => webhookId) : [only]
  const { cursorOf, placeOf } = yield* cursorsOf(caller)
  const pageOf = Routine.fn(function* (shown: readonly SentEvent[], before: number | null) {
    const nextCursor = before === null ? null : cursorOf(before)
    return { events: yield* withEndpoints(shown), nextCursor } satisfies EventsPage
  })
  const found: SentEvent[] = []
  let beforeNumber = request.cursor === undefined ? null : yield* placeOf(request.cursor)
  for (let looked = 0; looked < LOGGED_EVENTS_LOOKED_MAX;) {
    const size = request.outcome === undefined ? limit + 1 : Math.max(limit + 1, 200)
    const batch = yield* newest(webhookIds, { ...request, beforeNumber, limit: size })
    looked += size
    for (const one of yield* withAttempts(batch)) {
      if (request.outcome !== undefined && !request.outcome.some((outcome) => outcome === one.state)) continue
      if (found.length === limit) return yield* pageOf(found, found.at(-1)?.number ?? null)
      found.push(one)
    }
    if (batch.length < size) return yield* pageOf(found, null)
    beforeNumber = batch.at(-1)?.number ?? null
  }
  return yield* pageOf(found, beforeNumber)
})

const cursorsOf = Routine.fn(function* ({ environment, organizationId }: Partner) {
  const { key } = yield* DigestKey
  return sealedCursors({ key, list: "sent events", owner: `${environment}/${organizationId}` })
})

interface Narrowing extends Pick<ListWebhookEventsRequest, "event" | "subject_id"> {
  readonly beforeNumber: number | null
  readonly limit: number
}

/** The newest lines of several endpoints, each of which has its log in order. */
const newest = Routine.fn(function* (
  webhookIds: readonly string[],
  { subject_id: subjectId, event: only, beforeNumber, limit }: Narrowing,
) {
  const rows = yield* WebhookLogRows
  const query = { eventType: only ?? null, beforeNumber, limit }
  const logs: readonly (readonly LoggedEvent[])[] =
    subjectId === undefined
      ? yield* Routine.forEach(webhookIds, (webhookId) => rows.events({ ...query, of: { webhookId } }))
      : [yield* rows.events({ ...query, of: { subjectId } })]
  return logs
    .flat()
    .filter(({ webhookId }) => webhookIds.includes(webhookId))
    .toSorted((one, other) => other.number - one.number)
    .slice(0, limit)
})

/** A line of the caller's endpoints. */
const ownLine = Routine.fn(function* (caller: Partner, sendingId: string) {
  const line = yield* (yield* WebhookLogRows).byId(sendingId)
  const own = yield* endpoints(caller)
  const endpoint = own.find(({ webhookId }) => webhookId === line?.webhookId)
  if (line === null || endpoint === undefined) return yield* notFound()
  return { line, endpoint }
})

const event = Routine.fn(function* (caller: Partner, sendingId: string) {
  const { line } = yield* ownLine(caller, sendingId)
  const body = yield* (yield* WebhookStore).body(line.eventId)
  if (body === null) return yield* notFound()
  const [shown] = yield* withEndpoints(yield* withAttempts([{ ...line, body: body.body }]))
  return shown ?? (yield* notFound())
})

const resend = Routine.fn(function* (caller: Partner, sendingId: string) {
  const { line, endpoint } = yield* ownLine(caller, sendingId)
  yield* requireResends(endpoint)
  const made = yield* (yield* WebhookLog).redeliver(caller, endpoint.webhookId, line.deliveryId)
  return yield* event(caller, made.sendingId)
})

function requireResends({ area }: WebhookEndpoint): Routine<void, Refused> {
  const detail = "events of reservations are not sent again; read the reservation"
  return area === "direct_delivery"
    ? Routine.void
    : Routine.fail(new Refused({ code: "INVALID_STATE", detail }))
}

/** Sends the events again that were not delivered since an instant, oldest first. */
const resendSince = Routine.fn(function* (caller: Partner, webhookId: string, sinceMs: EpochMs) {
  const endpoint = yield* ownEndpoint(caller, webhookId)
  yield* requireResends(endpoint)
  if (!endpoint.isActive)
    return yield* new Refused({ code: "INVALID_STATE", detail: "the endpoint is switched off" })
  const limit = LOGGED_EVENTS_LOOKED_MAX
  const lines = yield* newest([webhookId], { beforeNumber: null, limit })
  const since = yield* withAttempts(lines.filter(({ createdAtMs }) => createdAtMs >= sinceMs))
  const last = new Map<string, SentEvent>()
  for (const one of since.toReversed()) last.set(one.deliveryId, one)
  const failed = [...last.values()].filter(({ state }) => state === "dropped" || state === "discarded")
  const log = yield* WebhookLog
  const taken = failed.slice(0, RESENT_EVENTS_MAX)
  for (const { deliveryId } of taken) yield* log.redeliver(caller, webhookId, deliveryId)
  const isCut = lines.length === limit && since.length === lines.length
  return { resent: taken.length, hasMore: failed.length > taken.length || isCut } satisfies Resent
})

const check = Routine.fn(function* (
  caller: Partner,
  webhookId: string,
  { headers, body }: CheckSignatureRequest,
) {
  const { area, secret } = yield* ownEndpoint(caller, webhookId)
  const received = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  const deliveryId = received.get("x-service-delivery-id") ?? ""
  const rows = yield* WebhookLogRows
  const [line] = yield* rows.sendings(deliveryId)
  const sent = line?.webhookId === webhookId ? yield* (yield* WebhookStore).body(line.eventId) : null
  return judgeSignature({
    area,
    secret,
    header: received.get("x-service-signature") ?? null,
    body,
    sentBody: sent?.body ?? null,
    nowMs: yield* Routine.nowMs,
    toleranceMs: SIGNATURE_AGE_MS_MAX,
  })
})
