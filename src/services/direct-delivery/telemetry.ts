/**
 * Telemetry: one fix of one vehicle. It is kept as a row; when it crosses a geofence of the active run, it is a turn of the
 * vehicle, and when the vehicle has moved on far or long enough, subscribers are told.
 */

import { Effect } from "effect"
import type { Fix } from "../../model/delivery-requests.ts"
import { rankOf } from "../../model/delivery.ts"
import {
  APPROACH_WITHIN_MS,
  ARRIVAL_RADIUS_M,
  LOCATION_TOLD_M,
  LOCATION_TOLD_MS,
} from "../../model/limits.ts"
import type { Place } from "../../model/place.ts"
import type { EpochMs } from "../../model/time.ts"
import type { VehiclePhase } from "../../model/vehicle.ts"
import type { VehicleContext } from "../../../machines/vehicle.ts"
import type { Group } from "../../kernel/group.ts"
import { ActorHost, Transaction } from "../host.ts"
import { announceLocation } from "./announcements.ts"
import { metresBetween } from "./geography.ts"
import { crossingOf } from "./geofence.ts"
import { DeliveryRows, DeliverySites, VehicleRows, isBefore } from "./rows.ts"
import type { DeliveryRow, FixRow, VehicleRow } from "./rows.ts"

/** What became of it: the same fix again, one that is older than what is known, or news. */
export type TakenFix = "news" | "older" | "repeated"

interface VehicleRun {
  readonly phase: VehiclePhase
  readonly activeId: string | null
  readonly atStoreSinceMs: EpochMs | null
}

/** One fix may cross this many fences: from the store to the customer and unloaded. */
const CROSSINGS_MAX = 8

/** Inside a transaction that has locked the vehicle. */
export const takeFix = Effect.fnUntraced(function* (vehicle: VehicleRow, sent: Fix) {
  const rows = yield* DeliveryRows
  const vehicles = yield* VehicleRows
  const { nowMs, group } = yield* Transaction
  const { vehicleId } = vehicle
  const last = yield* vehicles.lastFix({ vehicleId })
  const told = { vehicleId, recordedAtMs: sent.recorded_at, sequence: sent.sequence ?? null }
  if (yield* vehicles.hasFix(told)) return "repeated" satisfies TakenFix
  const isOlder = last !== null && isBefore(told, last)
  const activeId = runOf(yield* group(`vehicle/${vehicleId}`)).activeId
  const fix: FixRow = {
    ...told,
    deliveryId: isOlder ? null : activeId,
    latitude: sent.latitude,
    longitude: sent.longitude,
    receivedAtMs: nowMs,
    speedMps: sent.speed_mps ?? null,
    load: sent.load ?? null,
  }
  yield* vehicles.insertFix(fix)
  if (isOlder) return "older" satisfies TakenFix
  const row = activeId === null ? null : yield* rows.byId(activeId)
  if (row !== null) {
    const wasAt = runOf(yield* group(`vehicle/${vehicleId}`)).phase
    yield* cross(row, fix)
    const isAt = runOf(yield* group(`vehicle/${vehicleId}`))
    const phase = isAt.activeId === activeId ? isAt.phase : phaseAtEnd(row, fix)
    yield* tellLocation(row, fix, { wasAt, isAt: phase })
  }
  return "news" satisfies TakenFix
})

/** The fix that unloads ends the run: at the customer it may be the one that arrived there, elsewhere it is none. */
function phaseAtEnd({ place }: DeliveryRow, fix: FixRow): VehiclePhase {
  return metresBetween(fix, place) <= ARRIVAL_RADIUS_M ? "at_customer" : "idle"
}

/** Turns of the vehicle, as long as the fix tells one. */
const cross = Effect.fnUntraced(function* (row: DeliveryRow, fix: FixRow) {
  const host = yield* ActorHost
  const sites = yield* DeliverySites
  const transaction = yield* Transaction
  const to = `vehicle/${fix.vehicleId}`
  const store = row.storePlace ?? (yield* sites.byId(row.siteId))?.place ?? null
  if (store === null) return
  const sighting = {
    status: row.status,
    storeM: metresBetween(fix, store),
    customerM: metresBetween(fix, row.place),
    approachedM: yield* approachedM(fix, store),
    load: fix.load,
  }
  for (let count = 0; count < CROSSINGS_MAX; count += 1) {
    const { phase, activeId } = runOf(yield* transaction.group(to))
    // The run that was unloaded is over: the next one begins with the next fix.
    const type = activeId === row.deliveryId ? crossingOf({ ...sighting, phase }) : null
    if (type === null) return
    const event = { type, recordedAtMs: fix.recordedAtMs }
    const answer = yield* transaction.turn({ to, event, nonce: yield* host.nonce })
    if (answer.type === "refused") return
  }
})

/** Against the first fix of the last minute; 0 without an earlier one. */
const approachedM = Effect.fnUntraced(function* (fix: FixRow, store: Place) {
  const vehicles = yield* VehicleRows
  const first = yield* vehicles.firstFixSince(fix.vehicleId, fix.recordedAtMs - APPROACH_WITHIN_MS)
  if (first === null || first.recordedAtMs >= fix.recordedAtMs) return 0
  return metresBetween(first, store) - metresBetween(fix, store)
})

/**
 * From EN_ROUTE_TO_STORE, whether the vehicle or a supervisor said so, to the fix at the customer: again after a way or a
 * time. The row has the status before the fix, the phases are those before and after it.
 */
const tellLocation = Effect.fnUntraced(function* (
  row: DeliveryRow,
  fix: FixRow,
  { wasAt, isAt }: { readonly wasAt: VehiclePhase; readonly isAt: VehiclePhase },
) {
  const host = yield* ActorHost
  const rank = rankOf(row.status)
  const hasSetOff = isAt !== "assigned" || rank >= rankOf("EN_ROUTE_TO_STORE")
  const wasThere = wasAt === "at_customer" || rank >= rankOf("ARRIVED_AT_CUSTOMER")
  if (isAt === "idle" || !hasSetOff || wasThere) return
  const { toldFix } = row
  const isDue =
    toldFix === null ||
    fix.recordedAtMs - toldFix.atMs >= LOCATION_TOLD_MS ||
    metresBetween(fix, toldFix) >= LOCATION_TOLD_M
  if (isDue) yield* announceLocation(row, fix, yield* host.nonce)
})

/** How far along which run a vehicle is. */
export function runOf(group: Group | null): VehicleRun {
  const snapshot = group?.actors.get(group.address)?.snapshot
  if (snapshot === undefined) return { phase: "idle", activeId: null, atStoreSinceMs: null }
  const value: unknown = snapshot.value
  const leaf = typeof value === "object" && value !== null ? Object.values(value)[0] : value
  const { activeId, atStoreSinceMs } = snapshot.context as VehicleContext
  return { phase: String(leaf) as VehiclePhase, activeId, atStoreSinceMs }
}
