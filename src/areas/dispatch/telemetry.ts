/**
 * Telemetry: the position reports of vehicles. Each fix is stored as a row. A fix that crosses a geofence of the active run runs
 * a turn of the vehicle. Subscribers get a location event when enough distance or time lies between this fix and the last event.
 */

import type { Fix } from "../../model/requests/delivery-requests.ts"
import { rankOf } from "../../model/delivery.ts"
import {
  APPROACH_WITHIN_MS,
  ARRIVAL_RADIUS_M,
  DEPARTURE_RADIUS_M,
  LOCATION_TOLD_M,
  LOCATION_TOLD_MS,
} from "../../model/values/limits.ts"
import type { Place } from "../../model/place.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { VehiclePhase } from "../../model/vehicle.ts"
import type { Group } from "../../engine/kernel/group.ts"
import { ask, rootOf } from "../../engine/services/actors.ts"
import { ActorHost, Transaction, batch, readingAhead } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { metresBetween } from "./geography.ts"
import { crossingOf } from "./geofence.ts"
import type { Sighting } from "./geofence.ts"
import type { FixRow, ReportedFix, VehicleRow } from "./rows.ts"
import { VehicleRows, isBefore, isRepeatOf } from "./rows.ts"
import { Runs } from "./runs.ts"
import type { Run } from "./runs.ts"

/** What became of the fixes of a report. */
export interface TakenFixes {
  readonly stored: number
  readonly repeated: number
  /** Of those stored, how many were older than the latest one, so that they had no effect. */
  readonly older: number
}

interface VehicleRun {
  readonly phase: VehiclePhase
  readonly activeId: string | null
  readonly queuedIds: readonly string[]
  readonly atStoreSinceMs: EpochMs | null
}

/** Maximum number of fences that one fix can cross: from the store to the customer and unloaded. */
const CROSSINGS_MAX = 8

/** The fixes of a report in order, with what was stored before it. */
export interface ReportedFixes {
  readonly vehicle: VehicleRow | null
  readonly last: FixRow | null
  readonly sent: readonly Fix[]
  /** For each sent fix; empty when all are after the last one, so that none can be stored. */
  readonly areStored: readonly boolean[]
  /** For each sent fix, the first stored one of the minute before it. */
  readonly firstsOfMinute: readonly (FixRow | null)[]
}

/**
 * Reads the vehicle, its runs and what is stored about the fixes of a report, all at once. A fix that is older than the last one
 * takes another read, because only such a fix may be stored already.
 */
export const readFixes = Routine.fn(function* (vehicleId: string, inOrder: readonly Fix[]) {
  const vehicles = yield* VehicleRows
  const runs = yield* Runs
  const [vehicle, last, , ...firstsOfMinute] = yield* batch([
    vehicles.byId(vehicleId),
    vehicles.lastFix({ vehicleId }),
    runs.prefetch(vehicleId),
    ...inOrder.map((sent) => vehicles.firstFixSince(vehicleId, minuteBefore(sent.recorded_at))),
  ])
  const isAfterLast = (sent: Fix): boolean => last === null || sent.recorded_at > last.recordedAtMs
  const areStored = inOrder.every(isAfterLast)
    ? []
    : yield* batch(
        inOrder.map((sent) =>
          isAfterLast(sent) ? Routine.succeed(false) : vehicles.hasFix(keyOf(vehicleId, sent)),
        ),
      )
  return { vehicle, last, sent: inOrder, areStored, firstsOfMinute } satisfies ReportedFixes
})

function minuteBefore(atMs: EpochMs): EpochMs {
  return atMs - APPROACH_WITHIN_MS
}

function keyOf(vehicleId: string, { recorded_at: recordedAtMs, sequence }: Fix): ReportedFix {
  return { vehicleId, recordedAtMs, sequence: sequence ?? null }
}

/** Takes the fixes of a report, inside a transaction that has locked the vehicle. */
export const takeFixes = Routine.fn(function* (vehicleId: string, report: ReportedFixes) {
  const vehicles = yield* VehicleRows
  const { nowMs, group } = yield* Transaction
  const { sent: all, areStored, firstsOfMinute } = report
  let { last } = report
  let isAt = runOf(yield* group(`vehicle/${vehicleId}`))
  const stored: FixRow[] = []
  const count = { stored: 0, repeated: 0, older: 0 }
  for (const [at, sent] of all.entries()) {
    const key = keyOf(vehicleId, sent)
    if (areStored[at] === true || stored.some((known) => isRepeatOf(key, known))) {
      count.repeated += 1
      continue
    }
    const isOlder = last !== null && isBefore(key, last)
    const fix = fixOf(key, sent, { deliveryId: isOlder ? null : isAt.activeId, receivedAtMs: nowMs })
    yield* vehicles.insertFix(fix)
    count.stored += 1
    if (isOlder) count.older += 1
    else {
      const first = earliest(firstsOfMinute[at] ?? null, stored, minuteBefore(key.recordedAtMs))
      if (isAt.activeId !== null) isAt = yield* follow(isAt, isAt.activeId, { fix, first })
      const second = sent.also_on_board ?? null
      if (second !== null) yield* followSecond(isAt, second, fix)
      last = fix
    }
    stored.push(fix)
  }
  return count satisfies TakenFixes
})

function fixOf(
  { vehicleId, recordedAtMs, sequence }: ReportedFix,
  sent: Fix,
  { deliveryId, receivedAtMs }: Pick<FixRow, "deliveryId" | "receivedAtMs">,
): FixRow {
  return {
    vehicleId,
    recordedAtMs,
    sequence,
    deliveryId,
    latitude: sent.latitude,
    longitude: sent.longitude,
    receivedAtMs,
    speedMps: sent.speed_mps ?? null,
    load: sent.load ?? null,
    batteryPercent: sent.battery_percent ?? null,
  }
}

/** The earliest of a stored fix and those of the report that were recorded since an instant. */
function earliest(known: FixRow | null, ofReport: readonly FixRow[], sinceMs: EpochMs): FixRow | null {
  let first = known
  for (const fix of ofReport) {
    if (fix.recordedAtMs >= sinceMs && (first === null || fix.recordedAtMs < first.recordedAtMs)) first = fix
  }
  return first
}

/** A new fix, and the first one of the minute before it. */
interface NewFix {
  readonly fix: FixRow
  readonly first: FixRow | null
}

/**
 * What a new fix means for the active run: turns of the vehicle for as long as the fix crosses a further geofence, and a location
 * event. Returns where the vehicle is in its runs then.
 */
const follow = Routine.fn(function* (was: VehicleRun, activeId: string, { fix, first }: NewFix) {
  const runs = yield* Runs
  const row = yield* runs.byId(activeId)
  if (row === null) return was
  const host = yield* ActorHost
  const { group } = yield* Transaction
  const to = `vehicle/${fix.vehicleId}`
  const isDue = isLocationDue(row, fix)
  const pickup = runs.pickup(row)
  // When this fix makes a location event, its subscribers are read together with the site.
  const { store } = yield* isDue ? readingAhead(pickup, () => runs.prepareLocation(row)) : pickup
  const sighting = store === null ? null : sightingOf(row, { fix, first, store })
  let isAt = was
  for (let count = 0; count < CROSSINGS_MAX; count += 1) {
    // The unloaded run is over: the next one begins with the next fix.
    if (sighting === null || isAt.activeId !== activeId) break
    const type = crossingOf({ ...sighting, phase: isAt.phase })
    if (type === null) break
    const event = { type, recordedAtMs: fix.recordedAtMs }
    const answer = yield* ask("vehicle", { to, event, nonce: yield* host.nonce })
    if (answer.type === "refused") break
    isAt = runOf(yield* group(to))
  }
  const phase = isAt.activeId === activeId ? isAt.phase : phaseAtEnd(row, fix)
  if (isDue && isLocationTold(row, { wasAt: was.phase, isAt: phase })) {
    yield* runs.announceLocation(row, fix, yield* host.nonce)
  }
  return isAt
})

/**
 * What a fix means for the next run of a vehicle whose order is on board, too: it is loaded after the active one, and leaves the store
 * with it. Anything else that a report says of it is ignored.
 */
const followSecond = Routine.fn(function* (isAt: VehicleRun, deliveryId: string, fix: FixRow) {
  const runs = yield* Runs
  const row = yield* runs.byId(deliveryId)
  if (row === null || isAt.queuedIds[0] !== deliveryId || !isCarrying(isAt.phase)) return
  const { store } = yield* runs.pickup(row)
  const hasLeft = store !== null && metresBetween(fix, store) > DEPARTURE_RADIUS_M
  if (rankOf(row.status) >= rankOf(hasLeft ? "EN_ROUTE_TO_CUSTOMER" : "LOADED")) return
  const event = { type: hasLeft ? "store.left" : "order.loaded" } as const
  const { nonce } = yield* ActorHost
  yield* ask("delivery", { to: `delivery/${deliveryId}`, event, nonce: yield* nonce })
})

/** The active order is on board. */
export function isCarrying(phase: VehiclePhase): boolean {
  return phase === "loaded" || phase === "leaving" || phase === "at_customer"
}

function sightingOf(
  { status, place }: Run,
  { fix, first, store }: NewFix & { readonly store: Place },
): Omit<Sighting, "phase"> {
  return {
    status,
    storeM: metresBetween(fix, store),
    customerM: metresBetween(fix, place),
    approachedM: approachedM(fix, store, first),
    load: fix.load,
  }
}

/**
 * The phase after the fix that unloads and so ends the run: at the customer it may also be the arrival, elsewhere it is
 * not.
 */
function phaseAtEnd({ place }: Run, fix: FixRow): VehiclePhase {
  return metresBetween(fix, place) <= ARRIVAL_RADIUS_M ? "at_customer" : "idle"
}

/** Compared with the first fix of the last minute; 0 without an earlier one. */
function approachedM(fix: FixRow, store: Place, first: FixRow | null): number {
  if (first === null || first.recordedAtMs >= fix.recordedAtMs) return 0
  return metresBetween(first, store) - metresBetween(fix, store)
}

/**
 * Location events are sent from EN_ROUTE_TO_STORE, whether a fix or a supervisor set it, until the fix at the customer. The row
 * has the status before the fix; `wasAt` and `isAt` are the phases before and after it.
 */
function isLocationTold(
  { status }: Run,
  { wasAt, isAt }: { readonly wasAt: VehiclePhase; readonly isAt: VehiclePhase },
): boolean {
  const rank = rankOf(status)
  const hasSetOff = isAt !== "assigned" || rank >= rankOf("EN_ROUTE_TO_STORE")
  const wasThere = wasAt === "at_customer" || rank >= rankOf("ARRIVED_AT_CUSTOMER")
  return isAt !== "idle" && hasSetOff && !wasThere
}

/** Whether enough distance or time lies between this fix and the last location event. */
function isLocationDue({ toldFix }: Run, fix: FixRow): boolean {
  return (
    toldFix === null ||
    fix.recordedAtMs - toldFix.atMs >= LOCATION_TOLD_MS ||
    metresBetween(fix, toldFix) >= LOCATION_TOLD_M
  )
}

/** The vehicle's active run and its progress. */
export function runOf(group: Group | null): VehicleRun {
  if (group === null) return { phase: "idle", activeId: null, queuedIds: [], atStoreSinceMs: null }
  const { state: phase, context } = rootOf("vehicle", group)
  const { activeId, queuedIds, atStoreSinceMs } = context
  return { phase, activeId, queuedIds, atStoreSinceMs }
}
