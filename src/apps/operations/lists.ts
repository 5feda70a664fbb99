/**
 * The lists of operations: what there is at the sites of an operator, page by page. An operator of some sites gets rows of those
 * sites, and a filter by another site finds nothing.
 */

import type { VehicleState } from "../../model/requests/board.ts"
import { listedSites } from "../../model/caller.ts"
import type { Operator } from "../../model/caller.ts"
import type { CourierState } from "../../model/courier.ts"
import type { DeliveryStatus } from "../../model/delivery.ts"
import { DELIVERY_STATUSES } from "../../model/delivery.ts"
import { PAGE_SIZE } from "../../model/values/limits.ts"
import type {
  ListEndpointsRequest,
  ListErrandsRequest,
  ListOperatedDeliveriesRequest,
  ListOperatedReservationsRequest,
  ListVehiclesRequest,
} from "../../model/requests/operations-lists.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { COURIER_PHASES, courierStateOf } from "../../areas/courier/errand.ts"
import { DeliveryRows } from "../../areas/direct-delivery/rows.ts"
import { VehicleRows } from "../../areas/dispatch/rows.ts"
import type { VehicleRow } from "../../areas/dispatch/rows.ts"
import { ActorHost, batch } from "../../engine/services/host.ts"
import { placeCursors } from "../../engine/services/cursors.ts"
import { runsOf, vehicleState } from "./board-vehicles.ts"
import { ListRows } from "./list-rows.ts"
import type { ListPlace, ListQuery, ListedErrand } from "./list-rows.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"

export interface ListPage<Row> {
  readonly rows: readonly Row[]
  readonly nextCursor: string | null
}

/** An errand with its state as agents know it. */
export type ErrandInList = ListedErrand & { readonly state: CourierState }

export interface VehicleInList {
  readonly vehicle: VehicleRow
  readonly state: VehicleState
  /** The run that it does now. */
  readonly run: {
    readonly deliveryId: string
    readonly externalDeliveryId: string
    readonly status: DeliveryStatus
    readonly siteId: string
  } | null
  /** Runs behind it. */
  readonly queued: number
  readonly lastFixAtMs: EpochMs | null
  readonly batteryPercent: number | null
}

export class OperationsLists extends service<OperationsLists>()("OperationsLists", () => ({
  reservations,
  deliveries,
  errands,
  endpoints,
  vehicles,
})) {}

const reservations = Routine.fn(function* (caller: Operator, request: ListOperatedReservationsRequest) {
  const query = { ...(yield* queryOf(caller, request)), statuses: request.status ?? null }
  const found = yield* (yield* ListRows).reservations(query)
  return pageOf(found, query, ({ startsAtMs: atMs, reservationId: id }) => cursorAt({ atMs, id }))
})

const deliveries = Routine.fn(function* (caller: Operator, request: ListOperatedDeliveriesRequest) {
  const query = { ...(yield* queryOf(caller, request)), statuses: request.status ?? null }
  const found = yield* (yield* ListRows).deliveries(query)
  return pageOf(found, query, ({ createdAtMs: atMs, deliveryId: id }) => cursorAt({ atMs, id }))
})

const errands = Routine.fn(function* (caller: Operator, request: ListErrandsRequest) {
  const query = { ...(yield* queryOf(caller, request)), states: inPhases(request.state) }
  const found = yield* (yield* ListRows).errands(query)
  const rows = found.map((one) => ({ ...one, state: courierStateOf(one.phase, one.deliveryStatus) }))
  return pageOf(rows, query, ({ createdAtMs: atMs, deliveryId: id }) => cursorAt({ atMs, id }))
})

/** The phases of an errand, and the statuses of its delivery, that agents know as these states. */
function inPhases(states: readonly CourierState[] | undefined) {
  if (states === undefined) return null
  return {
    phases: COURIER_PHASES.filter(
      (phase) => phase !== "booked" && states.includes(courierStateOf(phase, null)),
    ),
    statuses: DELIVERY_STATUSES.filter((status) => states.includes(courierStateOf("booked", status))),
  }
}

const endpoints = Routine.fn(function* (caller: Operator, request: ListEndpointsRequest) {
  const query = { ...(yield* queryOf(caller, request)), states: request.state ?? null }
  const found = yield* (yield* ListRows).endpoints(query)
  return pageOf(found, query, ({ createdAtMs: atMs, webhookId: id }) => cursorAt({ atMs, id }))
})

const vehicles = Routine.fn(function* (caller: Operator, request: ListVehiclesRequest) {
  const { limit = PAGE_SIZE, cursor, state, q } = request
  const query = {
    environment: caller.environment,
    siteIds: listedSites(caller, request.site_id),
    text: q?.trim() ?? null,
    states: state ?? null,
    after: cursor === undefined ? null : yield* vehicleAt(cursor),
    limit: limit + 1,
  }
  const found = yield* (yield* ListRows).vehicles(query)
  const page = pageOf(found, query, vehicleCursor)
  const host = yield* ActorHost
  const rows = yield* host.view([], batch(page.rows.map((vehicle) => standing(vehicle))))
  return { ...page, rows }
})

const standing = Routine.fn(function* (vehicle: VehicleRow) {
  const { fleetId, vehicleId } = vehicle
  const [open, last] = yield* batch([
    Routine.flatMap(DeliveryRows, (rows) => rows.runsOf(fleetId, vehicleId)),
    Routine.flatMap(VehicleRows, (rows) => rows.lastFix({ vehicleId })),
  ])
  const [run, ...queued] = yield* runsOf(vehicle, open)
  return {
    vehicle,
    state: vehicleState(vehicle.isOnline, run?.status ?? null),
    run: run ?? null,
    queued: queued.length,
    lastFixAtMs: last?.recordedAtMs ?? null,
    batteryPercent: last?.batteryPercent ?? null,
  } satisfies VehicleInList
})

interface AnyRequest {
  readonly q?: string | undefined
  readonly site_id?: string | undefined
  readonly organization_id?: string | undefined
  readonly from?: EpochMs | undefined
  readonly until?: EpochMs | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** One row more than the page, which says whether another page follows. */
const queryOf = Routine.fn(function* (caller: Operator, request: AnyRequest) {
  const { limit = PAGE_SIZE, cursor } = request
  return {
    environment: caller.environment,
    siteIds: listedSites(caller, request.site_id),
    organizationId: request.organization_id ?? null,
    text: request.q?.trim() ?? null,
    fromMs: request.from ?? null,
    untilMs: request.until ?? null,
    after: cursor === undefined ? null : yield* placeIn(cursor),
    limit: limit + 1,
  } satisfies ListQuery
})

function pageOf<Row>(
  found: readonly Row[],
  { limit }: Pick<ListQuery, "limit">,
  cursorOf: (row: Row) => string,
): ListPage<Row> {
  const rows = found.slice(0, limit - 1)
  const last = rows.at(-1)
  return { rows, nextCursor: found.length === limit && last !== undefined ? cursorOf(last) : null }
}

const { cursorOf: cursorAt, placeOf: placeIn } = placeCursors<ListPlace>(
  ({ atMs, id }) => `l${atMs}.${id}`,
  (text) => {
    const [, atMs, id] = /^l(\d{1,15})\.([\w-]{1,100})$/.exec(text) ?? []
    return atMs === undefined || id === undefined ? null : { atMs: Number(atMs), id }
  },
)

const { cursorOf: vehicleCursor, placeOf: vehicleAt } = placeCursors<Pick<VehicleRow, "label" | "vehicleId">>(
  ({ vehicleId, label }) => `v${vehicleId}.${label}`,
  (text) => {
    const [, vehicleId, label] = /^v([\w-]{1,100})\.([^\0]{1,200})$/s.exec(text) ?? []
    return vehicleId === undefined || label === undefined ? null : { vehicleId, label }
  },
)
