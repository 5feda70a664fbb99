/** `/portal/api/deliveries/{id}` and what belongs to one delivery: messages, events, timeline; test deliveries of the sandbox. */

import { Effect, Schema } from "effect"
import { DELIVERY_STATUSES } from "../../../model/delivery.ts"
import { MESSAGE_STATUSES } from "../../../model/message.ts"
import { MakeTestDeliveryRequest } from "../../../model/requests/portal.ts"
import { isoMs } from "../../../model/values/time.ts"
import { PICKUP_EVENT_TYPES } from "../../../model/webhook.ts"
import { Delivery } from "../../../areas/direct-delivery/http/schemas.ts"
import type { Message } from "../../../areas/messages/rows.ts"
import { partnerOf } from "../caller.ts"
import type { PortalDelivery } from "../deliveries.ts"
import { DeliveryDetails } from "../delivery-details.ts"
import type { CourseStep, DeliveryDetail } from "../delivery-details.ts"
import { TestDeliveries } from "../../../areas/courses/test-deliveries.ts"
import { DateTime } from "../../../http/records/date-time.ts"
import { READS, partnerIn } from "./endpoint.ts"
import { memberEndpoint } from "./endpoint.ts"
import { history } from "./followed.ts"

const PATH = "/portal/api/deliveries/{id}"

const Count = Schema.Number.annotations({ jsonSchema: { type: "integer", minimum: 0 } })
const DateTimeOrNull = Schema.NullOr(DateTime)
const Status = Schema.Literal(...DELIVERY_STATUSES)
const Location = Schema.Struct({ latitude: Schema.Number, longitude: Schema.Number })

const shown = {
  id: Schema.String.annotations({ description: "Names it among all of the organization's." }),
  site_id: Schema.String,
  delivery: Delivery,
}

export const ShownDelivery = Schema.Struct(shown).annotations({ identifier: "PortalDelivery" })

const Detail = Schema.Struct({
  ...shown,
  status_label: Schema.String.annotations({ description: "The status in words." }),
  site: Schema.NullOr(
    Schema.Struct({
      name: Schema.String,
      timezone: Schema.NullOr(Schema.String),
      location: Schema.NullOr(Location),
    }),
  ),
  steps: Schema.Array(
    Schema.Struct({
      status: Status,
      label: Schema.String,
      reached_at: DateTimeOrNull.annotations({ description: "Null: the status lies ahead." }),
      estimated_at: DateTimeOrNull.annotations({ description: "The current estimate of an arrival ahead." }),
    }),
  ).annotations({ description: "In order. A cancelled delivery has those that it reached." }),
  next_steps: Schema.Array(
    Schema.Struct({
      status: Status,
      label: Schema.String,
      advances: Count.annotations({ description: "How many times to advance." }),
      sends: Schema.Struct({
        events: Schema.Array(Schema.Literal(...PICKUP_EVENT_TYPES)).annotations({
          description: "Types that at least one endpoint gets, at each advance.",
        }),
        endpoints: Count,
        deliveries: Count.annotations({
          description: "How many events all endpoints together get, over all of the advances.",
        }),
        texts: Count.annotations({ description: "Messages to the customer; the sandbox suppresses them." }),
      }),
    }),
  ).annotations({ description: "What advancing would reach, nearest first. Empty in production." }),
  vehicle_location: Schema.NullOr(Schema.Struct({ ...Location.fields, recorded_at: DateTime })).annotations({
    description: "The position in the last `pickup.vehicle_location.changed`.",
  }),
}).annotations({ identifier: "PortalDeliveryDetail" })

const OneDetail = Schema.Struct({ delivery: Detail })

const Text = Schema.Struct({
  message_id: Schema.String,
  status: Schema.Literal(...MESSAGE_STATUSES),
  reason: Schema.NullOr(Schema.String).annotations({
    description: "Why it was suppressed or failed, as a word: `sandbox`, `opted-out`.",
  }),
  text: Schema.NullOr(Schema.String).annotations({
    description: "Null once it was sent or has failed: the text is blanked then.",
  }),
  attempts: Count,
  created_at: DateTime,
  ended_at: DateTimeOrNull,
}).annotations({ identifier: "CustomerMessage" })

const read = memberEndpoint({
  ...READS,
  path: PATH,
  operationId: "readDelivery",
  summary: "One delivery with its course, and in the sandbox what the next advances would do",
  answers: { 200: OneDetail },
  *handle(ask) {
    const found = yield* (yield* DeliveryDetails).read(yield* partnerIn(ask), ask.id)
    return { delivery: detailRecord(found) }
  },
})

const messages = memberEndpoint({
  ...READS,
  path: `${PATH}/messages`,
  operationId: "listDeliveryMessages",
  summary: "Messages to the customer, oldest first, for 90 days",
  answers: { 200: Schema.Struct({ messages: Schema.Array(Text) }) },
  *handle(ask) {
    const found = yield* (yield* DeliveryDetails).messages(yield* partnerIn(ask), ask.id)
    return { messages: found.map(messageRecord) }
  },
})

const past = history<DeliveryDetails>({
  path: PATH,
  name: "Delivery",
  events: (caller, id) => Effect.flatMap(DeliveryDetails, (details) => details.events(caller, id)),
  timeline: (caller, id) => Effect.flatMap(DeliveryDetails, (details) => details.timeline(caller, id)),
})

const make = memberEndpoint({
  method: "POST",
  path: "/portal/api/sandbox/deliveries",
  operationId: "makeTestDelivery",
  summary: "Quote and create a test delivery in the sandbox; absent fields get values that work",
  body: MakeTestDeliveryRequest,
  isBodyOptional: true,
  answers: { 201: OneDetail },
  errors: [
    "NOT_FOUND",
    "RETAILER_NOT_FOUND",
    "RETAILER_INACTIVE",
    "RETAILER_NOT_CONFIGURED",
    "INVALID_READY_BY",
    "DELIVERY_ALREADY_EXISTS",
    "GEOCODE_FAILED",
    "GEOCODING_UNAVAILABLE",
    "QUOTE_UNAVAILABLE",
  ],
  *handle({ caller }, sent) {
    const request = yield* sent
    const partner = yield* partnerOf(caller, "sandbox")
    const id = yield* (yield* TestDeliveries).make(partner, request)
    const made = yield* (yield* DeliveryDetails).read(partner, id)
    return { delivery: detailRecord(made) }
  },
})

export function deliveryRecord({ id, siteId, record }: PortalDelivery): object {
  return { id, site_id: siteId, delivery: record }
}

function detailRecord(detail: DeliveryDetail): object {
  const { site, course, nextSteps, vehicleLocation, statusLabel } = detail
  return {
    ...deliveryRecord(detail),
    status_label: statusLabel,
    site: site === null ? null : { name: site.name, timezone: site.timezone, location: site.place },
    steps: course.map(stepRecord),
    next_steps: nextSteps.map(({ status, label, advances, events: types, endpoints, sendings, texts }) => ({
      status,
      label,
      advances,
      sends: { events: types, endpoints, deliveries: sendings, texts },
    })),
    vehicle_location: vehicleLocation,
  }
}

function stepRecord({ status, label, reachedAtMs, estimatedAt }: CourseStep): object {
  return { status, label, reached_at: isoMs(reachedAtMs), estimated_at: estimatedAt }
}

function messageRecord(message: Message): object {
  return {
    message_id: message.messageId,
    status: message.status,
    reason: message.reason,
    text: message.text === "" ? null : message.text,
    attempts: message.attempts,
    created_at: isoMs(message.createdAtMs),
    ended_at: isoMs(message.endedAtMs),
  }
}

export const deliveryDetails = [read, messages, ...past, make]
