/**
 * What follows a turn of a delivery, in the same transaction: its projected columns, its events to webhooks, its stay for
 * analytics, and its charge. The code that records a position sends location events, because a fix is no turn.
 */

import { idOf } from "../../model/address.ts"
import type { GroupAddress } from "../../model/address.ts"
import { newUuid } from "../../model/ids.ts"
import { FIX_AGE_MS_MAX, LOADS_KEPT_MAX } from "../../model/values/limits.ts"
import { isoMs } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Emission, TurnResult } from "../../engine/kernel/turn.ts"
import { rootOf } from "../../engine/services/actors.ts"
import { keptFromMs } from "../../engine/services/organization-clock.ts"
import { Routine } from "../../engine/services/routine.ts"
import { areEventsMade, fanOutTo } from "../webhooks/fan-out.ts"
import { WebhookStore } from "../webhooks/store.ts"
import type { WebhookEndpoint } from "../webhooks/store.ts"
import { noteCharge } from "./charges.ts"
import { isTextedAt, textCustomer } from "./customer-notices.ts"
import { lookNow } from "./commands.ts"
import { announcedBy, composeLocation, deliveryStatus } from "./record.ts"
import type { FixRow } from "../dispatch/rows.ts"
import { VehicleRows } from "../dispatch/rows.ts"
import { DeliveryRows, isForRetailer } from "./rows.ts"
import type { DeliveryRow } from "./rows.ts"
import { movesStay, noteStay } from "./stays.ts"

/** Projects the snapshot to the row. What else follows needs the row, and only where the turn announced something. */
export const observeDelivery = Routine.fn(function* (result: TurnResult) {
  if (result.outcome.type === "refused") return
  const rows = yield* DeliveryRows
  const id = idOf(result.group.address)
  const projected = projection(result)
  const hasEnded = (projected.completedAtMs ?? projected.cancelledAtMs ?? null) !== null
  const keptMs = hasEnded && result.hasMoved ? yield* keptFromMs : null
  yield* rows.change(id, keptMs === null ? projected : { ...projected, keptFromMs: keptMs })
  if (result.emissions.length === 0) return
  const row = yield* rows.byId(id)
  if (row === null) return
  if (result.hasMoved && row.status === "LOADED") yield* noteLoad(row, result.instantMs)
  if (!isForRetailer(row)) return
  const webhooks = yield* WebhookStore
  const endpoints = yield* webhooks.endpoints(scopeOf(row))
  if (areEventsMade(row.environment, endpoints)) {
    for (const emission of result.emissions)
      yield* announce(row, emission, { endpoints, nonce: result.nonce })
  }
  // One turn may pass through several statuses: the customer gets a message only about the last one.
  if (isTextedAt(row.status)) yield* textCustomer(row, lookNow(row), result.nonce)
  const told = announcedBy(result)
  if (told.some(movesStay)) yield* noteStay(row, told, result.instantMs)
  if (told.includes("COMPLETED")) yield* noteCharge(row)
})

/** The columns that are projected from the machine. */
function projection({ group, instantMs, hasMoved }: TurnResult): Partial<DeliveryRow> {
  const { context } = rootOf("delivery", group)
  const status = deliveryStatus(group.actors, group.address)
  return {
    status,
    vehicleId: context.vehicleId,
    completedAtMs: context.completedAtMs,
    cancelledAtMs: context.cancelledAtMs,
    ...(hasMoved ? { updatedAtMs: instantMs } : {}),
    ...(hasMoved && status === "ARRIVED_AT_STORE" ? { atStoreAtMs: instantMs } : {}),
  }
}

/**
 * Measures a load from when the vehicle and the order were there. Two loads of one store at one instant may lose one of the
 * measures, which the median does not need.
 */
const noteLoad = Routine.fn(function* ({ siteId, atStoreAtMs, readyByMs }: DeliveryRow, atMs: EpochMs) {
  if (atStoreAtMs === null) return
  const rows = yield* DeliveryRows
  const tookMs = Math.max(0, atMs - Math.max(atStoreAtMs, readyByMs))
  const known = yield* rows.loads(siteId)
  yield* rows.putLoads(siteId, [tookMs, ...known].slice(0, LOADS_KEPT_MAX))
})

interface Receiving {
  readonly endpoints: readonly WebhookEndpoint[]
  readonly nonce: string
}

const announce = Routine.fn(function* (
  row: DeliveryRow,
  emission: Emission,
  { endpoints, nonce }: Receiving,
) {
  const vehicles = yield* VehicleRows
  yield* fanOutTo(
    endpoints,
    {
      eventId: () => newUuid(nonce, `pickup_status.changed ${emission.ordinal}`),
      eventType: "pickup_status.changed",
      ...scopeOf(row),
      siteId: row.siteId,
      subjectId: row.deliveryId,
      cause: emission.cause,
      body: () =>
        Routine.map(vehicles.lastFix({ deliveryId: row.deliveryId }), (fix) => bodyOf(row, emission, fix)),
    },
    nonce,
  )
})

function bodyOf(row: DeliveryRow, emission: Emission, fix: FixRow | null): string {
  const atMs = Math.floor(emission.occurredUs / 1000)
  return JSON.stringify({
    event: "pickup_status.changed",
    timestamp: isoMs(atMs),
    data: {
      retailer_id: row.siteId,
      external_delivery_id: row.externalDeliveryId,
      status: deliveryStatus(emission.actors, `delivery/${row.deliveryId}`),
      previous_status: emission.extras["previous_status"],
      vehicle_location: isFresh(fix, atMs) ? composeLocation(fix) : null,
    },
  })
}

function isFresh(fix: FixRow | null, atMs: EpochMs): fix is FixRow {
  return fix !== null && atMs - fix.recordedAtMs <= FIX_AGE_MS_MAX
}

/** Publishes the position of the delivery's vehicle. Runs inside the transaction that recorded the fix. */
export const announceLocation = Routine.fn(function* (row: Announced, fix: FixRow, nonce: string) {
  const rows = yield* DeliveryRows
  const { latitude, longitude, recordedAtMs: atMs } = fix
  yield* rows.change(row.deliveryId, { toldFix: { latitude, longitude, atMs } })
  const webhooks = yield* WebhookStore
  const endpoints = yield* webhooks.endpoints(scopeOf(row))
  if (!areEventsMade(row.environment, endpoints)) return
  yield* fanOutTo(
    endpoints,
    {
      eventId: () => newUuid(nonce, "pickup.vehicle_location.changed"),
      eventType: "pickup.vehicle_location.changed",
      ...scopeOf(row),
      siteId: row.siteId,
      subjectId: row.deliveryId,
      cause: null,
      body: () => Routine.sync(() => locationBodyOf(row, fix)),
    },
    nonce,
  )
})

/** What events say of a delivery beside its status; it never changes. */
export type Announced = Pick<
  DeliveryRow,
  "deliveryId" | "environment" | "externalDeliveryId" | "organizationId" | "siteId"
>

function locationBodyOf(row: Announced, fix: FixRow): string {
  return JSON.stringify({
    event: "pickup.vehicle_location.changed",
    timestamp: isoMs(fix.receivedAtMs),
    data: {
      retailer_id: row.siteId,
      external_delivery_id: row.externalDeliveryId,
      vehicle_location: composeLocation(fix),
    },
  })
}

/** Reads the endpoints for a delivery's events. The transaction caches them for the fan-out. */
export const readEndpoints = Routine.fn(function* (row: Announced) {
  const webhooks = yield* WebhookStore
  return yield* webhooks.endpoints(scopeOf(row))
})

function scopeOf({ organizationId, environment }: Announced) {
  return { organizationId, environment, area: "direct_delivery" } as const
}

/** Deletes the row of a delivery whose group an unrecorded run folds. */
export const forgetDeliveryRow = Routine.fn(function* (group: GroupAddress) {
  const rows = yield* DeliveryRows
  yield* rows.forget(idOf(group))
})
