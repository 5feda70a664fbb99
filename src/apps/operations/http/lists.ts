/** `/internal/v1`: the lists of operations, with filters and pages. None has anything personal. */

import { Effect, Schema } from "effect"
import { VEHICLE_STATES } from "../../../model/requests/board.ts"
import type { Operator } from "../../../model/caller.ts"
import { COURIER_STATES, PAYMENT_STATUSES } from "../../../model/courier.ts"
import { DELIVERY_STATUSES } from "../../../model/delivery.ts"
import type { Refused } from "../../../model/values/errors.ts"
import {
  ENDPOINT_STATES,
  ListEndpointsRequest,
  ListErrandsRequest,
  ListOperatedDeliveriesRequest,
  ListOperatedReservationsRequest,
  ListVehiclesRequest,
} from "../../../model/requests/operations-lists.ts"
import { RESERVATION_STATUSES } from "../../../model/reservation.ts"
import type { AnySchema } from "../../../model/values/schema.ts"
import { DateTime } from "../../../http/records/date-time.ts"
import { decodeQuery } from "../../../http/endpoint.ts"
import type { OperatorEndpoint } from "../../../http/operator-endpoint.ts"
import type { Parameter } from "../../../http/endpoint.ts"
import { ANY_OF, listParameters, pageSchema } from "../../../http/pages.ts"
import { recordsOf } from "../../../http/records/records.ts"
import { OperationsLists } from "../lists.ts"
import type { ErrandInList, ListPage, VehicleInList } from "../lists.ts"
import type { ListedDelivery, ListedEndpoint, ListedReservation } from "../list-rows.ts"

const Text = Schema.String
const TextOrNull = Schema.NullOr(Schema.String)
const TimeOrNull = Schema.NullOr(DateTime)
const BatteryOrNull = Schema.NullOr(Schema.Number).annotations({
  description: "Percent, by the last fix; null when that does not report it.",
})

const placed = {
  site_id: Text,
  site_name: Text,
  timezone: TextOrNull,
  organization_id: Text,
  organization_name: TextOrNull,
}

const times = { created_at: DateTime, updated_at: DateTime }

const ListedReservationRecord = Schema.Struct({
  reservation_id: Text,
  order_number: Text,
  status: Schema.Literal(...RESERVATION_STATUSES),
  ...placed,
  retailer_name: TextOrNull,
  stall_label: TextOrNull,
  bot_label: TextOrNull,
  arrival_window_start: DateTime,
  arrival_window_end: DateTime,
  ...times,
}).annotations({ identifier: "ListedReservation" })

const ListedDeliveryRecord = Schema.Struct({
  delivery_id: Text,
  external_delivery_id: Text,
  status: Schema.Literal(...DELIVERY_STATUSES),
  ...placed,
  vehicle_id: Text,
  vehicle_label: TextOrNull,
  delivery_eta: DateTime.annotations({ description: "As quoted." }),
  ...times,
}).annotations({ identifier: "ListedDelivery" })

const ListedErrandRecord = Schema.Struct({
  delivery_id: Text,
  order_number: TextOrNull.annotations({ description: "Null before the booking." }),
  state: Schema.Literal(...COURIER_STATES),
  payment_status: Schema.Literal(...PAYMENT_STATUSES),
  store_name: Text,
  vehicle_label: TextOrNull,
  ...times,
}).annotations({ identifier: "ListedErrand" })

const ListedVehicleRecord = Schema.Struct({
  vehicle_id: Text,
  label: Text,
  fleet_id: Text,
  state: Schema.Literal(...VEHICLE_STATES),
  run: Schema.NullOr(
    Schema.Struct({
      delivery_id: Text,
      external_delivery_id: Text,
      status: Schema.Literal(...DELIVERY_STATUSES),
      site_id: Text,
    }),
  ).annotations({ description: "The run that it does now." }),
  queued: Schema.Number.annotations({ description: "Runs behind it." }),
  last_fix_at: TimeOrNull,
  battery_percent: BatteryOrNull,
}).annotations({ identifier: "ListedVehicle" })

const ListedEndpointRecord = Schema.Struct({
  webhook_id: Text,
  area: Schema.Literal("direct_delivery", "reservations"),
  state: Schema.Literal(...ENDPOINT_STATES).annotations({
    description: "`disabled`: switched off by its failures. `off`: by its owner.",
  }),
  organization_id: Text,
  organization_name: TextOrNull,
  site_id: TextOrNull.annotations({ description: "Null: it gets events of every site of its organization." }),
  site_name: TextOrNull,
  url: Text.annotations({ description: "Without its query, which may hold a secret." }),
  subscribed_events: Schema.Array(Text),
  consecutive_failures: Schema.Number,
  disabled_at: TimeOrNull,
  ...times,
}).annotations({ identifier: "ListedEndpoint" })

const reservationOf = recordsOf(ListedReservationRecord)
const deliveryOf = recordsOf(ListedDeliveryRecord)
const errandOf = recordsOf(ListedErrandRecord)
const vehicleOf = recordsOf(ListedVehicleRecord)
const endpointOf = recordsOf(ListedEndpointRecord)

const SEARCHED = "A whole order number or id, or the last four digits of the customer's phone number."
const OF_SITE = "Of this site alone."
const OF_ORGANIZATION = "Of this organization alone."

interface List<Request, Wire, Row> extends Pick<OperatorEndpoint<never>, "operationId" | "path" | "summary"> {
  /** The field of the answer. */
  readonly noun: string
  readonly request: Schema.Schema<Request, Wire>
  readonly parameters: readonly Parameter[]
  readonly record: AnySchema
  readonly read: (
    lists: OperationsLists["Type"],
  ) => (caller: Operator, request: Request) => Effect.Effect<ListPage<Row>, Refused>
  readonly written: (row: Row) => object
}

function list<Request, Wire, Row>({
  noun,
  request,
  record,
  read,
  written,
  ...offer
}: List<Request, Wire, Row>): OperatorEndpoint<OperationsLists> {
  return {
    ...offer,
    method: "GET",
    body: null,
    answers: { 200: pageSchema(noun, record) },
    errors: ["VALIDATION_ERROR"],
    handle: ({ caller, query }) =>
      Effect.gen(function* () {
        const wanted = yield* decodeQuery(request, query, offer.parameters)
        const { rows, nextCursor } = yield* read(yield* OperationsLists)(caller, wanted)
        return { status: 200, data: { [noun]: rows.map(written), next_cursor: nextCursor } }
      }),
  }
}

const reservations = list({
  path: "/internal/v1/reservations",
  operationId: "listReservations",
  summary: "Reservations by the start of their arrival windows, the latest first",
  noun: "reservations",
  request: ListOperatedReservationsRequest,
  parameters: listParameters(ListOperatedReservationsRequest.fields, {
    status: ANY_OF,
    q: SEARCHED,
    site_id: OF_SITE,
    organization_id: OF_ORGANIZATION,
    from: "Windows that start at or after this instant.",
    until: "Windows that start before this instant.",
  }),
  record: ListedReservationRecord,
  read: (lists) => lists.reservations,
  written: ({ startsAtMs, endsAtMs, ...row }: ListedReservation) =>
    reservationOf({ ...row, arrivalWindowStartMs: startsAtMs, arrivalWindowEndMs: endsAtMs }),
})

const deliveries = list({
  path: "/internal/v1/deliveries",
  operationId: "listDeliveries",
  summary: "Direct deliveries, newest first; runs of errands are in their own list",
  noun: "deliveries",
  request: ListOperatedDeliveriesRequest,
  parameters: listParameters(ListOperatedDeliveriesRequest.fields, {
    status: ANY_OF,
    q: SEARCHED,
    site_id: OF_SITE,
    organization_id: OF_ORGANIZATION,
    from: "Created at or after this instant.",
    until: "Created before this instant.",
  }),
  record: ListedDeliveryRecord,
  read: (lists) => lists.deliveries,
  written: (row: ListedDelivery) => deliveryOf(row),
})

const vehicles = list({
  path: "/internal/v1/vehicles",
  operationId: "listVehicles",
  summary: "Vehicles of the fleets that serve the operator's sites, by label, with the runs that they do now",
  noun: "vehicles",
  request: ListVehiclesRequest,
  parameters: listParameters(ListVehiclesRequest.fields, {
    state: "One of these; may be repeated. `free`: on line without a run.",
    q: "A part of the label, or a whole id.",
    site_id: "Of the fleet that serves this site.",
  }),
  record: ListedVehicleRecord,
  read: (lists) => lists.vehicles,
  written: ({ vehicle: { vehicleId, label, fleetId }, ...row }: VehicleInList) =>
    vehicleOf({ ...row, vehicleId, label, fleetId }),
})

const endpoints = list({
  path: "/internal/v1/webhook-endpoints",
  operationId: "listEndpoints",
  summary: "Endpoints that get events of the operator's sites, newest first",
  noun: "webhook_endpoints",
  request: ListEndpointsRequest,
  parameters: listParameters(ListEndpointsRequest.fields, {
    state: ANY_OF,
    q: "A part of the URL, or a whole id.",
    site_id: "Of those that get events of this site.",
    organization_id: OF_ORGANIZATION,
  }),
  record: ListedEndpointRecord,
  read: (lists) => lists.endpoints,
  written: (row: ListedEndpoint) => endpointOf({ ...row, url: withoutQuery(row.url) }),
})

const errands = list({
  path: "/internal/v1/connector/errands",
  operationId: "listErrands",
  summary: "Courier errands, newest first, also those that were only quoted",
  noun: "errands",
  request: ListErrandsRequest,
  parameters: listParameters(ListErrandsRequest.fields, {
    state: ANY_OF,
    q: SEARCHED,
    from: "Created at or after this instant.",
    until: "Created before this instant.",
  }),
  record: ListedErrandRecord,
  read: (lists) => lists.errands,
  written: (row: ErrandInList) => errandOf(row),
})

function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}

export const lists = [reservations, deliveries, vehicles, endpoints]

/** Errands exist on the production host alone. */
export const errandLists = [errands]
