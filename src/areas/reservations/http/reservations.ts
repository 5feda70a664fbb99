/** `/rs/v1/reservations`: create, list, read, move the arrival window, cancel. */

import { CANCEL_REASON_LENGTH_MAX, IDEMPOTENCY_KEY_LENGTH_MAX } from "../../../model/values/limits.ts"
import {
  CreateReservationRequest,
  ListReservationsRequest,
  MoveWindowRequest,
} from "../../../model/requests/requests.ts"
import { text } from "../../../model/values/schema.ts"
import { Reservations } from "../reservations.ts"
import { decodeBody, decodeQuery, once } from "../../../http/endpoint.ts"
import type { Endpoint } from "../../../http/endpoint.ts"
import { ANY_OF, listParameters, pageSchema } from "../../../http/pages.ts"
import { openLinkCallback } from "./open-link-document.ts"
import { OneReservation, Reservation } from "./schemas.ts"
import { Routine } from "../../../engine/services/routine.ts"

/** Why a booking may be refused, also a test booking. */
export const BOOKING_ERRORS = [
  "ZONE_NOT_FOUND",
  "RETAILER_NOT_SUPPORTED_IN_ZONE",
  "WINDOW_IN_PAST",
  "WINDOW_TOO_FAR_OUT",
  "WINDOW_TOO_SHORT",
  "WINDOW_TOO_LONG",
  "INVALID_OPEN_LINK",
  "ZONE_HAS_NO_STALLS",
  "URL_VALIDATION_UNAVAILABLE",
] as const

const create: Endpoint<Reservations> = {
  method: "POST",
  path: "/rs/v1/reservations",
  operationId: "createReservation",
  summary: "Reserve an arrival window; confirmed at once",
  details:
    "`open_link_url` is an https address with a public host name, which the service calls to open the bot. A repeat under one " +
    "`Idempotency-Key` is compared with the first call in every field but the window: with another window it is answered as the " +
    "first was, with any other difference `IDEMPOTENCY_KEY_REUSED`.",
  callbacks: [openLinkCallback],
  permissions: ["reservations:write"],
  budget: "requests",
  parameters: [
    {
      in: "header",
      name: "Idempotency-Key",
      description:
        "One key per reservation intended. A repeat answers 200 with the reservation as it stands.",
      schema: text({ max: IDEMPOTENCY_KEY_LENGTH_MAX }),
    },
  ],
  body: CreateReservationRequest,
  answers: { 201: OneReservation, 200: OneReservation },
  errors: ["VALIDATION_ERROR", "IDEMPOTENCY_IN_PROGRESS", "IDEMPOTENCY_KEY_REUSED", ...BOOKING_ERRORS],
  handle: ({ caller, body, header }) =>
    Routine.gen(function* () {
      const request = yield* decodeBody(CreateReservationRequest, body)
      const reservations = yield* Reservations
      const created = yield* reservations.create(caller, request, header("idempotency-key"))
      return { status: created.isReplay ? 200 : 201, data: { reservation: created.reservation } }
    }),
}

const bounds = "Bound of the arrival window's start: the first is included, the last is not."

/** Also of the portal's list. */
export const reservationFilters = {
  status: ANY_OF,
  zone_id: "Only of this zone.",
  retailer_id: "Only of this retailer.",
  order_number: "Only with this number.",
  arrival_from: bounds,
  arrival_to: bounds,
} as const

const filters = listParameters(ListReservationsRequest.fields, reservationFilters)

const list: Endpoint<Reservations> = {
  method: "GET",
  path: "/rs/v1/reservations",
  operationId: "listReservations",
  summary: "The organization's reservations, newest first",
  permissions: ["reservations:read"],
  budget: "requests",
  parameters: filters,
  body: null,
  answers: { 200: pageSchema("reservations", Reservation) },
  errors: ["VALIDATION_ERROR"],
  handle: ({ caller, query }) =>
    Routine.gen(function* () {
      const request = yield* decodeQuery(ListReservationsRequest, query, filters)
      const reservations = yield* Reservations
      const page = yield* reservations.list(caller, request)
      return { status: 200, data: page }
    }),
}

const read: Endpoint<Reservations> = {
  method: "GET",
  path: "/rs/v1/reservations/{id}",
  operationId: "readReservation",
  summary: "One reservation; the link to its load photo is signed afresh",
  permissions: ["reservations:read"],
  budget: "requests",
  parameters: [],
  body: null,
  answers: { 200: OneReservation },
  errors: ["NOT_FOUND"],
  handle: ({ caller, id }) =>
    Routine.gen(function* () {
      const reservations = yield* Reservations
      return { status: 200, data: { reservation: yield* reservations.read(caller, id) } }
    }),
}

const moveWindow: Endpoint<Reservations> = {
  method: "PATCH",
  path: "/rs/v1/reservations/{id}",
  operationId: "moveArrivalWindow",
  summary: "Move the arrival window; the bound that is not sent keeps its value",
  permissions: ["reservations:write"],
  budget: "requests",
  parameters: [],
  body: MoveWindowRequest,
  answers: { 200: OneReservation },
  errors: [
    "VALIDATION_ERROR",
    "NOT_FOUND",
    "INVALID_STATE",
    "WINDOW_IN_PAST",
    "WINDOW_TOO_FAR_OUT",
    "WINDOW_TOO_SHORT",
    "WINDOW_TOO_LONG",
  ],
  handle: ({ caller, id, body }) =>
    Routine.gen(function* () {
      const request = yield* decodeBody(MoveWindowRequest, body)
      const reservations = yield* Reservations
      return { status: 200, data: { reservation: yield* reservations.moveWindow(caller, id, request) } }
    }),
}

const cancel: Endpoint<Reservations> = {
  method: "DELETE",
  path: "/rs/v1/reservations/{id}",
  operationId: "cancelReservation",
  summary: "Cancel; a repeat answers 200 and changes nothing",
  details:
    "It takes no body, because proxies drop the body of a DELETE: fields of one are ignored and named in `warnings`.",
  permissions: ["reservations:write"],
  budget: "requests",
  parameters: [
    {
      in: "query",
      name: "reason",
      description: "Kept as `cancel_reason`; an empty one counts as none.",
      schema: text({ min: 0, max: CANCEL_REASON_LENGTH_MAX }),
    },
  ],
  body: null,
  answers: { 200: OneReservation },
  errors: ["VALIDATION_ERROR", "NOT_FOUND", "INVALID_STATE"],
  handle: ({ caller, id, query }) =>
    Routine.gen(function* () {
      const reason = yield* once(query, "reason")
      const reservations = yield* Reservations
      return { status: 200, data: { reservation: yield* reservations.cancel(caller, id, reason) } }
    }),
}

export const reservations = [create, list, read, moveWindow, cancel]
