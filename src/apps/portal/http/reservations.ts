/** `/portal/api/reservations`: list, detail, cancel, events and timeline; test reservations and the walk of the sandbox. */

import { Effect, Schema } from "effect"
import { EXCEPTION_CODES } from "../../../model/handoff.ts"
import {
  CancelDeliveryRequest,
  ListPortalReservationsRequest,
  MakeTestReservationRequest,
} from "../../../model/requests/portal.ts"
import { AdvanceRequest } from "../../../model/requests/requests.ts"
import { decodeRequest } from "../../../model/values/schema.ts"
import { isoMs } from "../../../model/values/time.ts"
import { Reservation } from "../../../areas/reservations/http/schemas.ts"
import { WALK_STEPS } from "../../../areas/reservations/sandbox-walk.ts"
import { partnerOf } from "../caller.ts"
import { PortalReservations } from "../reservations.ts"
import type { ReservationDetail } from "../reservations.ts"
import { TestReservations } from "../../../areas/courses/test-reservations.ts"
import { decodeOptionalBody, filtersIn } from "../../../http/endpoint.ts"
import type { Parameter } from "../../../http/endpoint.ts"
import { DateTime } from "../../../http/date-time.ts"
import { ENVIRONMENT_PARAMETER, partnerIn } from "./endpoint.ts"
import type { MemberEndpoint } from "./endpoint.ts"
import { EventsAnswer, TimelineAnswer, eventRecord, timelineRecord } from "./portal-events.ts"

const PATH = "/portal/api/reservations"

const Detail = Schema.Struct({
  reservation: Reservation,
  status_label: Schema.String.annotations({ description: "The status in words." }),
  place: Schema.NullOr(
    Schema.Struct({
      site_id: Schema.String,
      site_name: Schema.String,
      timezone: Schema.NullOr(Schema.String),
      zone_name: Schema.String,
      retailer_name: Schema.NullOr(Schema.String),
    }),
  ).annotations({ description: "Null when the organization may no longer book there." }),
  exceptions: Schema.Array(
    Schema.Struct({ code: Schema.Literal(...EXCEPTION_CODES), message: Schema.String, at: DateTime }),
  ).annotations({ description: "Every exception so far, oldest first." }),
  next_steps: Schema.Array(
    Schema.Struct({ step: Schema.Literal(...WALK_STEPS), label: Schema.String }),
  ).annotations({
    description: "What advancing would do, nearest first; each takes one advance. Empty in production.",
  }),
}).annotations({ identifier: "PortalReservation" })

const { fields } = ListPortalReservationsRequest
const within = "The arrival window starts at or after `arrival_from` and before `arrival_to`."

const filters: readonly Parameter[] = [
  {
    in: "query",
    name: "status",
    description: "One of these; may be repeated.",
    schema: fields.status.from,
    isRepeatable: true,
  },
  { in: "query", name: "zone_id", description: "Only of this zone.", schema: fields.zone_id.from },
  {
    in: "query",
    name: "retailer_id",
    description: "Only of this retailer.",
    schema: fields.retailer_id.from,
  },
  {
    in: "query",
    name: "order_number",
    description: "Only with this number.",
    schema: fields.order_number.from,
  },
  {
    in: "query",
    name: "q",
    description: "A part of the order number, in any case of letters.",
    schema: fields.q.from,
  },
  { in: "query", name: "arrival_from", description: within, schema: fields.arrival_from.from },
  { in: "query", name: "arrival_to", description: within, schema: fields.arrival_to.from },
  { in: "query", name: "limit", description: "Rows of a page; 50 if absent.", schema: fields.limit.from },
  { in: "query", name: "cursor", description: "The last page's `next_cursor`.", schema: fields.cursor.from },
]

const list: MemberEndpoint<PortalReservations> = {
  method: "GET",
  path: PATH,
  operationId: "listReservations",
  summary: "Reservations of one environment, newest first",
  asks: "member",
  parameters: [ENVIRONMENT_PARAMETER, ...filters],
  body: null,
  answers: {
    200: Schema.Struct({
      reservations: Schema.Array(Reservation),
      next_cursor: Schema.NullOr(Schema.String),
    }),
  },
  errors: ["VALIDATION_ERROR"],
  handle: (ask) =>
    Effect.gen(function* () {
      const caller = yield* partnerIn(ask)
      const sent = yield* filtersIn(ask.query, filters)
      const { q, ...request } = yield* decodeRequest(ListPortalReservationsRequest, sent)
      return { status: 200, data: yield* (yield* PortalReservations).list(caller, request, q) }
    }),
}

const reading = {
  asks: "member",
  method: "GET",
  parameters: [ENVIRONMENT_PARAMETER],
  body: null,
  errors: ["VALIDATION_ERROR", "NOT_FOUND"],
} as const

const read: MemberEndpoint<PortalReservations> = {
  ...reading,
  path: `${PATH}/{id}`,
  operationId: "readReservation",
  summary: "One reservation with its exceptions, and in the sandbox the steps ahead",
  answers: { 200: Detail },
  handle: (ask) =>
    Effect.gen(function* () {
      const detail = yield* (yield* PortalReservations).read(yield* partnerIn(ask), ask.id)
      return { status: 200, data: detailRecord(detail) }
    }),
}

const events: MemberEndpoint<PortalReservations> = {
  ...reading,
  path: `${PATH}/{id}/events`,
  operationId: "listReservationEvents",
  summary: "The newest 100 events that were sent for it, with every attempt, newest first, for 30 days",
  answers: { 200: EventsAnswer },
  handle: (ask) =>
    Effect.gen(function* () {
      const found = yield* (yield* PortalReservations).events(yield* partnerIn(ask), ask.id)
      return { status: 200, data: { events: found.map(eventRecord) } }
    }),
}

const timeline: MemberEndpoint<PortalReservations> = {
  ...reading,
  path: `${PATH}/{id}/timeline`,
  operationId: "readReservationTimeline",
  summary: "What happened to it, from its journal: instants, events, and states in words",
  answers: { 200: TimelineAnswer },
  handle: (ask) =>
    Effect.gen(function* () {
      const found = yield* (yield* PortalReservations).timeline(yield* partnerIn(ask), ask.id)
      return { status: 200, data: { timeline: found.map(timelineRecord) } }
    }),
}

const make: MemberEndpoint<PortalReservations | TestReservations> = {
  method: "POST",
  path: "/portal/api/sandbox/reservations",
  operationId: "makeTestReservation",
  summary: "Make a test reservation in the sandbox; absent fields get values that work",
  asks: "member",
  parameters: [],
  body: MakeTestReservationRequest,
  isBodyOptional: true,
  answers: { 201: Detail },
  errors: [
    "VALIDATION_ERROR",
    "NOT_FLEET_PARTNER",
    "ZONE_NOT_FOUND",
    "RETAILER_NOT_SUPPORTED_IN_ZONE",
    "WINDOW_IN_PAST",
    "WINDOW_TOO_FAR_OUT",
    "WINDOW_TOO_SHORT",
    "WINDOW_TOO_LONG",
    "INVALID_OPEN_LINK",
    "ZONE_HAS_NO_STALLS",
    "URL_VALIDATION_UNAVAILABLE",
  ],
  handle: ({ caller, body }) =>
    Effect.gen(function* () {
      const request = yield* decodeOptionalBody(MakeTestReservationRequest, body)
      const partner = yield* partnerOf(caller, "sandbox")
      const id = yield* (yield* TestReservations).make(partner, request)
      return { status: 201, data: detailRecord(yield* (yield* PortalReservations).read(partner, id)) }
    }),
}

const advance: MemberEndpoint<PortalReservations> = {
  method: "POST",
  path: `${PATH}/{id}/advance`,
  operationId: "advanceReservation",
  summary: "Take the next step of the sandbox's walk, or raise an exception, for any position of the switch",
  asks: "member",
  parameters: [],
  body: AdvanceRequest,
  isBodyOptional: true,
  answers: { 200: Detail },
  errors: ["VALIDATION_ERROR", "NOT_FOUND", "INVALID_STATE"],
  handle: ({ caller, id, body }) =>
    Effect.gen(function* () {
      const request = yield* decodeOptionalBody(AdvanceRequest, body)
      const partner = yield* partnerOf(caller, "sandbox")
      const detail = yield* (yield* PortalReservations).advance(partner, id, request)
      return { status: 200, data: detailRecord(detail) }
    }),
}

const cancel: MemberEndpoint<PortalReservations> = {
  method: "POST",
  path: `${PATH}/{id}/cancel`,
  operationId: "cancelReservation",
  summary: "Cancel a reservation, as the API's DELETE does",
  asks: "member",
  parameters: [ENVIRONMENT_PARAMETER],
  body: CancelDeliveryRequest,
  isBodyOptional: true,
  answers: { 200: Detail },
  errors: ["VALIDATION_ERROR", "NOT_FOUND", "INVALID_STATE"],
  handle: (ask) =>
    Effect.gen(function* () {
      const caller = yield* partnerIn(ask)
      const request = yield* decodeOptionalBody(CancelDeliveryRequest, ask.body)
      const reason = request.cancellation_reason ?? request.reason ?? undefined
      const detail = yield* (yield* PortalReservations).cancel(caller, ask.id, reason)
      return { status: 200, data: detailRecord(detail) }
    }),
}

function detailRecord({ record, statusLabel, place, exceptions, nextSteps }: ReservationDetail): object {
  return {
    reservation: record,
    status_label: statusLabel,
    place:
      place === null
        ? null
        : {
            site_id: place.siteId,
            site_name: place.siteName,
            timezone: place.timezone,
            zone_name: place.zoneName,
            retailer_name: place.retailerName,
          },
    exceptions: exceptions.map(({ code, message, atMs }) => ({ code, message, at: isoMs(atMs) })),
    next_steps: nextSteps,
  }
}

export const portalReservations = [list, read, events, timeline, make, advance, cancel]
