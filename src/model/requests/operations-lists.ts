/** Requests of the lists of operations, as schemas. Bounds of time are half-open. */

import { Schema } from "effect"
import { COURIER_STATES } from "../courier.ts"
import { DELIVERY_STATUSES } from "../delivery.ts"
import { CATALOG_ID_LENGTH_MAX, SEARCH_LENGTH_MAX } from "../values/limits.ts"
import { PageRequest } from "./operations-requests.ts"
import { RESERVATION_STATUSES } from "../reservation.ts"
import { Instant, text } from "../values/schema.ts"

const Id = Schema.optional(text({ max: CATALOG_ID_LENGTH_MAX }))

const filters = {
  q: Schema.optional(text({ max: SEARCH_LENGTH_MAX })),
  site_id: Id,
  organization_id: Id,
  from: Schema.optional(Instant),
  until: Schema.optional(Instant),
  ...PageRequest.fields,
}

/** The bounds apply to the start of the arrival window. */
export const ListOperatedReservationsRequest = Schema.Struct({
  status: Schema.optional(Schema.Array(Schema.Literal(...RESERVATION_STATUSES))),
  ...filters,
})

export type ListOperatedReservationsRequest = typeof ListOperatedReservationsRequest.Type

/** The bounds apply to the creation. */
export const ListOperatedDeliveriesRequest = Schema.Struct({
  status: Schema.optional(Schema.Array(Schema.Literal(...DELIVERY_STATUSES))),
  ...filters,
})

export type ListOperatedDeliveriesRequest = typeof ListOperatedDeliveriesRequest.Type

/** The bounds apply to the creation. An errand has no site: its store is not one. */
export const ListErrandsRequest = Schema.Struct({
  state: Schema.optional(Schema.Array(Schema.Literal(...COURIER_STATES))),
  q: filters.q,
  from: filters.from,
  until: filters.until,
  ...PageRequest.fields,
})

export type ListErrandsRequest = typeof ListErrandsRequest.Type

/** `free`: on line without a run. */
export const VEHICLE_FILTERS = ["free", "offline", "on_a_run"] as const

export type VehicleFilter = (typeof VEHICLE_FILTERS)[number]

export const ListVehiclesRequest = Schema.Struct({
  state: Schema.optional(Schema.Array(Schema.Literal(...VEHICLE_FILTERS))),
  q: filters.q,
  site_id: Id,
  ...PageRequest.fields,
})

export type ListVehiclesRequest = typeof ListVehiclesRequest.Type

/** `disabled`: switched off by its failures; `off`: by its owner. */
export const ENDPOINT_STATES = ["disabled", "off", "on"] as const

export type EndpointState = (typeof ENDPOINT_STATES)[number]

export const ListEndpointsRequest = Schema.Struct({
  state: Schema.optional(Schema.Array(Schema.Literal(...ENDPOINT_STATES))),
  q: filters.q,
  site_id: Id,
  organization_id: Id,
  ...PageRequest.fields,
})

export type ListEndpointsRequest = typeof ListEndpointsRequest.Type

/** Operations can only switch an endpoint on: its owner decides when it is off. */
export const SwitchEndpointOnRequest = Schema.Struct({ is_active: Schema.Literal(true) })
