/** `/portal/api/reservations`: list, detail, cancel, events and timeline; test reservations and the walk of the sandbox. */

import { Effect, Schema } from "effect"
import { EXCEPTION_CODES } from "../../../model/handoff.ts"
import { ListPortalReservationsRequest, MakeTestReservationRequest } from "../../../model/requests/portal.ts"
import { AdvanceRequest } from "../../../model/requests/requests.ts"
import { isoMs } from "../../../model/values/time.ts"
import { BOOKING_ERRORS, reservationFilters } from "../../../areas/reservations/http/reservations.ts"
import { Reservation } from "../../../areas/reservations/http/schemas.ts"
import { WALK_STEPS } from "../../../areas/reservations/sandbox-walk.ts"
import { partnerOf, requireEnrolment } from "../caller.ts"
import { PortalReservations } from "../reservations.ts"
import type { ReservationDetail } from "../reservations.ts"
import { TestReservations } from "../../../areas/courses/test-reservations.ts"
import { listParameters } from "../../../http/pages.ts"
import { DateTime } from "../../../http/records/date-time.ts"
import { READS, partnerIn } from "./endpoint.ts"
import { memberEndpoint } from "./endpoint.ts"
import { cancellation, history, list } from "./followed.ts"

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

const listReservations = list({
  path: PATH,
  operationId: "listReservations",
  summary: "Reservations of one environment, newest first",
  noun: "reservations",
  row: Reservation,
  request: ListPortalReservationsRequest,
  parameters: listParameters(ListPortalReservationsRequest.fields, {
    ...reservationFilters,
    q: "A part of the order number, in any case of letters.",
  }),
  errors: ["VALIDATION_ERROR"],
  read: (caller, { q, ...request }) =>
    Effect.flatMap(PortalReservations, (reservations) => reservations.list(caller, request, q)),
})

const read = memberEndpoint({
  ...READS,
  path: `${PATH}/{id}`,
  operationId: "readReservation",
  summary: "One reservation with its exceptions, and in the sandbox the steps ahead",
  answers: { 200: Detail },
  *handle(ask) {
    const detail = yield* (yield* PortalReservations).read(yield* partnerIn(ask), ask.id)
    return detailRecord(detail)
  },
})

const past = history<PortalReservations>({
  path: `${PATH}/{id}`,
  name: "Reservation",
  events: (caller, id) =>
    Effect.flatMap(PortalReservations, (reservations) => reservations.events(caller, id)),
  timeline: (caller, id) =>
    Effect.flatMap(PortalReservations, (reservations) => reservations.timeline(caller, id)),
})

const make = memberEndpoint({
  method: "POST",
  path: "/portal/api/sandbox/reservations",
  operationId: "makeTestReservation",
  summary: "Make a test reservation in the sandbox; absent fields get values that work",
  body: MakeTestReservationRequest,
  isBodyOptional: true,
  answers: { 201: Detail },
  errors: ["NOT_FLEET_PARTNER", ...BOOKING_ERRORS],
  *handle({ caller }, sent) {
    const request = yield* sent
    const partner = yield* partnerOf(caller, "sandbox")
    yield* requireEnrolment(caller, "sandbox")
    const id = yield* (yield* TestReservations).make(partner, request)
    return detailRecord(yield* (yield* PortalReservations).read(partner, id))
  },
})

const advance = memberEndpoint({
  method: "POST",
  path: `${PATH}/{id}/advance`,
  operationId: "advanceReservation",
  summary: "Take the next step of the sandbox's walk, or raise an exception, for any position of the switch",
  body: AdvanceRequest,
  isBodyOptional: true,
  answers: { 200: Detail },
  errors: ["NOT_FOUND", "INVALID_STATE"],
  *handle({ caller, id }, sent) {
    const request = yield* sent
    const partner = yield* partnerOf(caller, "sandbox")
    const detail = yield* (yield* PortalReservations).advance(partner, id, request)
    return detailRecord(detail)
  },
})

const cancel = cancellation({
  path: `${PATH}/{id}/cancel`,
  operationId: "cancelReservation",
  summary: "Cancel a reservation, as the API's DELETE does",
  answer: Detail,
  errors: ["VALIDATION_ERROR", "NOT_FOUND", "INVALID_STATE"],
  cancel: (caller, id, reason) =>
    Effect.gen(function* () {
      const reservations = yield* PortalReservations
      return detailRecord(yield* reservations.cancel(caller, id, reason ?? undefined))
    }),
})

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

export const portalReservations = [listReservations, read, ...past, make, advance, cancel]
