/**
 * The log of webhook deliveries: the result of each delivery of an event to an endpoint, without bodies. An owner may
 * have a delivery sent again, or a test event; both are normal deliveries and appear in the log. Source: direct
 * delivery contract, events; management beyond registration is ours (src/DECISIONS.md §32).
 */

import { Context } from "effect"
import type { Partner } from "../../model/caller.ts"
import type { ListWebhookDeliveriesRequest } from "../../model/requests/delivery-requests.ts"
import { Refused } from "../../model/values/errors.ts"
import { newUuid } from "../../model/ids.ts"
import { PAGE_SIZE } from "../../model/values/limits.ts"
import { isoMs } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { TEST_EVENT_TYPE } from "../../model/webhook.ts"
import type { EventType } from "../../model/webhook.ts"
import type { State } from "../../../machines/contracts.ts"
import { rootOf } from "../../engine/services/actors.ts"
import { keptFromMs } from "../../engine/services/organization-clock.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { startSending } from "./fan-out.ts"
import { WebhookStore } from "./store.ts"
import { ownEndpoint } from "./webhooks.ts"
import { wrongCursor } from "../../engine/services/cursors.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"

/** One delivery or redelivery, from its rows. */
export interface LoggedDelivery {
  /** Id of this line: a delivery's own id, and for a redelivery another one. */
  readonly sendingId: string
  /** The id for the receiver: a redelivery has that of the first. */
  readonly deliveryId: string
  readonly webhookId: string
  readonly eventId: string
  readonly eventType: EventType
  /** The reservation, delivery or endpoint that the event is about. */
  readonly subjectId: string
  /** For a direct delivery's event; else null. */
  readonly externalDeliveryId: string | null
  readonly isRedelivery: boolean
  readonly createdAtMs: EpochMs
  /** Grows in the order of creation. */
  readonly number: number
}

/** The same, with the text that was sent. */
export interface LoggedEvent extends LoggedDelivery {
  readonly body: string
}

export interface LoggedEventQuery {
  readonly of: { readonly subjectId: string } | { readonly webhookId: string }
  readonly eventType: EventType | null
  readonly beforeNumber: number | null
  readonly limit: number
}

/** Reads the rows that fan-out has written. A delivery without its body, which was purged, is left out. */
export class WebhookLogRows extends Context.Tag("WebhookLogRows")<
  WebhookLogRows,
  {
    /** Of one endpoint, newest first; with `beforeNumber` only earlier ones. */
    readonly newest: (query: {
      readonly webhookId: string
      readonly beforeNumber: number | null
      readonly limit: number
    }) => Routine<readonly LoggedDelivery[]>
    readonly byId: (sendingId: string) => Routine<LoggedDelivery | null>
    /** About one subject, or to one endpoint, newest first. */
    readonly events: (query: LoggedEventQuery) => Routine<readonly LoggedEvent[]>
    /** A delivery and its redeliveries, newest first. */
    readonly sendings: (deliveryId: string) => Routine<readonly LoggedDelivery[]>
  }
>() {}

/** A delivery with the state of its machine; `state` is null if its group has been folded. */
export interface DeliveryLine extends LoggedDelivery {
  readonly state: State<"webhook-delivery"> | null
  readonly attempts: number
}

export interface LogPage {
  readonly lines: readonly DeliveryLine[]
  readonly nextCursor: string | null
}

export class WebhookLog extends service<WebhookLog>()("WebhookLog", () => ({
  of: newest,
  page,
  redeliver,
  test,
})) {}

/** The newest of one of the caller's endpoints, of either API. */
const newest = Routine.fn(function* (caller: Partner, webhookId: string) {
  yield* ownEndpoint(caller, webhookId)
  const { lines } = yield* linesOf(webhookId, {})
  return lines
})

/** A page of one endpoint of the Direct Delivery API, newest first. */
const page = Routine.fn(function* (
  caller: Partner,
  webhookId: string,
  request: ListWebhookDeliveriesRequest,
) {
  yield* ownEndpoint(caller, webhookId, "direct_delivery")
  return yield* linesOf(webhookId, request)
})

const linesOf = Routine.fn(function* (
  webhookId: string,
  { limit = PAGE_SIZE, cursor }: ListWebhookDeliveriesRequest,
) {
  const rows = yield* WebhookLogRows
  const beforeNumber = cursor === undefined ? null : yield* placeOf(webhookId, cursor)
  const found = yield* rows.newest({ webhookId, beforeNumber, limit: limit + 1 })
  const shown = found.slice(0, limit)
  const lines = yield* Routine.forEach(shown, lineOf)
  const nextCursor = found.length > limit ? (shown.at(-1)?.sendingId ?? null) : null
  return { lines, nextCursor } satisfies LogPage
})

/** A cursor is the id of a line of the same log (src/DECISIONS.md §25). */
const placeOf = Routine.fn(function* (webhookId: string, cursor: string) {
  const rows = yield* WebhookLogRows
  const line = yield* rows.byId(cursor)
  if (line?.webhookId === webhookId) return line.number
  return yield* wrongCursor
})

const lineOf = Routine.fn(function* (delivery: LoggedDelivery) {
  const host = yield* ActorHost
  const address = addressOf(delivery.sendingId)
  const group = yield* host.read(address)
  const sending = group === null ? null : rootOf("webhook-delivery", group)
  const attempts = sending?.context.attempt ?? 0
  return { ...delivery, state: sending?.state ?? null, attempts } satisfies DeliveryLine
})

/**
 * Sends an event of the Direct Delivery API again: the same bytes under the same delivery id, with attempts counted from the
 * start. One at a time for one delivery; refused while an earlier sending of it is in flight.
 */
const redeliver = Routine.fn(function* (caller: Partner, webhookId: string, deliveryId: string) {
  const rows = yield* WebhookLogRows
  const host = yield* ActorHost
  const nonce = yield* host.nonce
  const sendingId = newUuid(nonce, "redelivery")
  yield* host.run({
    name: "redeliver an event",
    locks: { key: `redelivery/${deliveryId}` },
    body: Routine.fn(function* () {
      const { nowMs, group } = yield* Transaction
      const { area, environment, organizationId } = yield* openEndpoint(caller, webhookId)
      const [last] = yield* rows.sendings(deliveryId)
      if (last?.webhookId !== webhookId) return yield* new Refused({ code: "NOT_FOUND" })
      const address = addressOf(last.sendingId)
      const before = yield* group(address)
      if (before !== null && rootOf("webhook-delivery", before).isActive) {
        return yield* new Refused({ code: "INVALID_STATE", detail: "it is still being sent" })
      }
      const { eventId, subjectId } = last
      const again = { redeliveryOf: deliveryId, redeliveredAtMs: nowMs }
      const row = { deliveryId: sendingId, webhookId, eventId, subjectId, ...again }
      yield* startSending(row, { area, environment, organizationId, nonce, cause: null })
    }),
  })
  return yield* madeLine(sendingId)
})

/** Sends a test event, whatever the endpoint subscribes to. */
const test = Routine.fn(function* (caller: Partner, webhookId: string) {
  const store = yield* WebhookStore
  const host = yield* ActorHost
  const nonce = yield* host.nonce
  const eventId = newUuid(nonce, TEST_EVENT_TYPE)
  const deliveryId = newUuid(nonce, `${eventId} ${webhookId}`)
  yield* host.run({
    name: "send a test event",
    locks: {},
    body: Routine.fn(function* () {
      const { nowMs } = yield* Transaction
      const { area, environment, organizationId } = yield* openEndpoint(caller, webhookId)
      const event = { eventId, eventType: TEST_EVENT_TYPE, subjectId: webhookId } as const
      const data = { webhook_id: webhookId }
      const body = JSON.stringify({ event: TEST_EVENT_TYPE, timestamp: isoMs(nowMs), data })
      yield* store.insertBody({ ...event, body, createdAtMs: nowMs, keptFromMs: yield* keptFromMs })
      const once = { redeliveryOf: null, redeliveredAtMs: null }
      const row = { deliveryId, webhookId, eventId, subjectId: webhookId, ...once }
      yield* startSending(row, { area, environment, organizationId, nonce, cause: null })
    }),
  })
  return yield* madeLine(deliveryId)
})

/** A disabled endpoint gets nothing, so the command is refused. */
const openEndpoint = Routine.fn(function* (caller: Partner, webhookId: string) {
  const endpoint = yield* ownEndpoint(caller, webhookId, "direct_delivery")
  return endpoint.isActive
    ? endpoint
    : yield* new Refused({ code: "INVALID_STATE", detail: "the endpoint is switched off" })
})

const madeLine = Routine.fn(function* (sendingId: string) {
  const rows = yield* WebhookLogRows
  const made = yield* rows.byId(sendingId)
  return made === null
    ? yield* Routine.dieMessage("a delivery that was just made is gone")
    : yield* lineOf(made)
})

function addressOf(sendingId: string): `webhook-delivery/${string}` {
  return `webhook-delivery/${sendingId}`
}
