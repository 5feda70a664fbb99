/**
 * Telemetry: the position reports of vehicles. Each fix is stored as a row. A fix that crosses a geofence of the active run runs
 * a turn of the vehicle. Subscribers get a location event when enough distance or time lies between this fix and the last event.
 */

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
import type { Group } from "../../kernel/group.ts"
import { ask, rootOf } from "../../services/actors.ts"
import { ActorHost, Transaction, batch } from "../../services/host.ts"
import { Routine } from "../../services/routine.ts"
import { metresBetween } from "./geography.ts"
import { crossingOf } from "./geofence.ts"
import type { FixRow, ReportedFix, VehicleRow } from "./rows.ts"
import { VehicleRows, isBefore, isRepeatOf } from "./rows.ts"
import { Runs } from "./runs.ts"
import type { Run } from "./runs.ts"

/** The result for a fix: a repeat, older than the latest one, or new. */
export type TakenFix = "news" | "older" | "repeated"

interface VehicleRun {
  readonly phase: VehiclePhase
  readonly activeId: string | null
  readonly atStoreSinceMs: EpochMs | null
}

/** Maximum number of fences that one fix can cross: from the store to the customer and unloaded. */
const CROSSINGS_MAX = 8

/** The fixes of a report in order, with what was stored before it. */
export interface ReportedFixes {
  readonly vehicle: VehicleRow | null
  readonly last: FixRow | null
  readonly sent: readonly Fix[]
  /** For each sent fix. */
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
  const [vehicle, last, firstsOfMinute] = yield* batch([
    vehicles.byId(vehicleId),
    vehicles.lastFix({ vehicleId }),
    batch(inOrder.map((sent) => vehicles.firstFixSince(vehicleId, minuteBefore(sent.recorded_at)))),
    runs.prefetch(vehicleId),
  ])
  const isAfterLast = (sent: Fix): boolean => last === null || sent.recorded_at > last.recordedAtMs
  const areStored = yield* batch(
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
  let { last } = report
  const stored: FixRow[] = []
  const taken: TakenFix[] = []
  for (const [at, sent] of report.sent.entries()) {
    const key = keyOf(vehicleId, sent)
    if (report.areStored[at] === true || stored.some((known) => isRepeatOf(key, known))) {
      taken.push("repeated")
      continue
    }
    const sinceMs = minuteBefore(key.recordedAtMs)
    const ofReport = stored.filter(({ recordedAtMs }) => recordedAtMs >= sinceMs)
    const first = earliest([report.firstsOfMinute[at] ?? null, ...ofReport])
    const fix = yield* takeFix(key, sent, { last, first })
    stored.push(fix)
    taken.push(last !== null && isBefore(fix, last) ? "older" : "news")
    if (last === null || !isBefore(fix, last)) last = fix
  }
  return taken
})

function earliest(fixes: readonly (FixRow | null)[]): FixRow | null {
  let first: FixRow | null = null
  for (const fix of fixes) {
    if (fix !== null && (first === null || fix.recordedAtMs < first.recordedAtMs)) first = fix
  }
  return first
}

interface EarlierFixes {
  readonly last: FixRow | null
  /** The first fix of the minute before. */
  readonly first: FixRow | null
}

const takeFix = Routine.fn(function* (key: ReportedFix, sent: Fix, { last, first }: EarlierFixes) {
  const runs = yield* Runs
  const vehicles = yield* VehicleRows
  const { nowMs, group } = yield* Transaction
  const { vehicleId } = key
  const isOlder = last !== null && isBefore(key, last)
  const activeId = runOf(yield* group(`vehicle/${vehicleId}`)).activeId
  const fix: FixRow = {
    ...key,
    deliveryId: isOlder ? null : activeId,
    latitude: sent.latitude,
    longitude: sent.longitude,
    receivedAtMs: nowMs,
    speedMps: sent.speed_mps ?? null,
    load: sent.load ?? null,
    batteryPercent: sent.battery_percent ?? null,
  }
  yield* vehicles.insertFix(fix)
  if (isOlder) return fix
  const row = activeId === null ? null : yield* runs.byId(activeId)
  if (row !== null) {
    const wasAt = runOf(yield* group(`vehicle/${vehicleId}`)).phase
    yield* cross(row, fix, first)
    const isAt = runOf(yield* group(`vehicle/${vehicleId}`))
    const phase = isAt.activeId === activeId ? isAt.phase : phaseAtEnd(row, fix)
    yield* tellLocation(row, fix, { wasAt, isAt: phase })
  }
  return fix
})

/**
 * The phase after the fix that unloads and so ends the run: at the customer it may also be the arrival, elsewhere it is
 * not.
 */
function phaseAtEnd({ place }: Run, fix: FixRow): VehiclePhase {
  return metresBetween(fix, place) <= ARRIVAL_RADIUS_M ? "at_customer" : "idle"
}

/** Runs turns of the vehicle for as long as the fix crosses a further geofence. */
const cross = Routine.fn(function* (row: Run, fix: FixRow, first: FixRow | null) {
  const host = yield* ActorHost
  const runs = yield* Runs
  const transaction = yield* Transaction
  const to = `vehicle/${fix.vehicleId}`
  const pickup = runs.pickup(row)
  // When this fix makes a location event, its subscribers are read together with the site.
  const [{ store }] = isLocationDue(row, fix)
    ? yield* batch([pickup, runs.prepareLocation(row)])
    : [yield* pickup]
  if (store === null) return
  const sighting = {
    status: row.status,
    storeM: metresBetween(fix, store),
    customerM: metresBetween(fix, row.place),
    approachedM: approachedM(fix, store, first),
    load: fix.load,
  }
  for (let count = 0; count < CROSSINGS_MAX; count += 1) {
    const { phase, activeId } = runOf(yield* transaction.group(to))
    // The unloaded run is over: the next one begins with the next fix.
    const type = activeId === row.deliveryId ? crossingOf({ ...sighting, phase }) : null
    if (type === null) return
    const event = { type, recordedAtMs: fix.recordedAtMs }
    const answer = yield* ask("vehicle", { to, event, nonce: yield* host.nonce })
    if (answer.type === "refused") return
  }
})

/** Compared with the first fix of the last minute; 0 without an earlier one. */
function approachedM(fix: FixRow, store: Place, first: FixRow | null): number {
  if (first === null || first.recordedAtMs >= fix.recordedAtMs) return 0
  return metresBetween(first, store) - metresBetween(fix, store)
}

/**
 * Location events are sent from EN_ROUTE_TO_STORE, whether a fix or a supervisor set it, until the fix at the customer. The row
 * has the status before the fix; `wasAt` and `isAt` are the phases before and after it.
 */
const tellLocation = Routine.fn(function* (
  row: Run,
  fix: FixRow,
  { wasAt, isAt }: { readonly wasAt: VehiclePhase; readonly isAt: VehiclePhase },
) {
  const host = yield* ActorHost
  const runs = yield* Runs
  const rank = rankOf(row.status)
  const hasSetOff = isAt !== "assigned" || rank >= rankOf("EN_ROUTE_TO_STORE")
  const wasThere = wasAt === "at_customer" || rank >= rankOf("ARRIVED_AT_CUSTOMER")
  if (isAt === "idle" || !hasSetOff || wasThere) return
  if (isLocationDue(row, fix)) yield* runs.announceLocation(row, fix, yield* host.nonce)
})

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
  if (group === null) return { phase: "idle", activeId: null, atStoreSinceMs: null }
  const { state: phase, context } = rootOf("vehicle", group)
  return { phase, activeId: context.activeId, atStoreSinceMs: context.atStoreSinceMs }
}
