/** What operations look at when one delivery needs help: what it waits for, what can be done, and what happened. */

import type { DeliveryMove, DeliveryWaitsFor } from "../../model/requests/board.ts"
import type { Operator } from "../../model/caller.ts"
import type { DeliveryStatus, ReportedStatus } from "../../model/delivery.ts"
import { TIMELINE_ENTRIES_MAX } from "../../model/values/limits.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { compartmentGroup, wouldGrant } from "../../areas/compartments/compartments.ts"
import { reachedStatuses } from "../../areas/direct-delivery/course.ts"
import { allowedMoves } from "../../areas/direct-delivery/operator-moves.ts"
import { currentDelivery, deliveryFor, deliveryGroup } from "../../areas/direct-delivery/commands.ts"
import type { DeliveryRecord } from "../../areas/direct-delivery/record.ts"
import type { DeliveryRow } from "../../areas/direct-delivery/rows.ts"
import { VehicleRows } from "../../areas/dispatch/rows.ts"
import { linesOf } from "../portal/timeline.ts"
import type { TimelineLine } from "../portal/timeline.ts"
import { rootOf } from "../../engine/services/actors.ts"
import { GroupJournals } from "../../engine/services/group-journals.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { realNowMs } from "../../engine/services/organization-clock.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { NO_CLOCK_MOVED, clockOf, movedClocks } from "./board-clock.ts"
import type { BoardClock } from "./board-clock.ts"
import { nextTimerOf } from "./next-timer.ts"
import type { NextTimer } from "./next-timer.ts"

/** A delivery with what its retailer does not see. */
export interface OperatedDelivery {
  readonly record: DeliveryRecord
  readonly row: DeliveryRow
  readonly vehicleLabel: string | null
  /** Null after the end. */
  readonly waitsFor: DeliveryWaitsFor | null
  /** When it reached its status. */
  readonly sinceMs: EpochMs
  readonly clock: BoardClock
  readonly realMs: EpochMs
  /** Of the delivery, of its vehicle while that carries it out, or of the compartment. */
  readonly nextTimer: NextTimer | null
  /** What the machines would take now. */
  readonly moves: readonly DeliveryMove[]
  /** The later statuses that people at the site may report; empty at a site without supervisors. */
  readonly reportableStatuses: readonly ReportedStatus[]
}

export class DeliveryCase extends service<DeliveryCase>()("DeliveryCase", () => ({
  read,
  timeline,
})) {}

const read = Routine.fn(function* (caller: Operator, deliveryId: string) {
  const found = yield* deliveryFor(caller, deliveryId)
  const host = yield* ActorHost
  const vehicles = yield* VehicleRows
  const groups = [deliveryGroup(deliveryId), vehicleGroup(found.vehicleId), compartmentGroup(deliveryId)]
  const standing = yield* host.view(groups, standingOf(caller, deliveryId))
  const vehicle = yield* vehicles.byId(standing.row.vehicleId)
  return { ...standing, vehicleLabel: vehicle?.label ?? null } satisfies OperatedDelivery
})

function vehicleGroup(vehicleId: string): string {
  return `vehicle/${vehicleId}`
}

const standingOf = Routine.fn(function* (caller: Operator, deliveryId: string) {
  // Read in the view, which may have taken what was due.
  const row = yield* deliveryFor(caller, deliveryId)
  const record = yield* currentDelivery(deliveryId)
  const { group, nowMs } = yield* Transaction
  const journals = yield* GroupJournals
  const delivery = yield* group(deliveryGroup(deliveryId))
  const compartment = yield* group(compartmentGroup(deliveryId))
  const vehicle = yield* group(vehicleGroup(row.vehicleId))
  const carries = vehicle !== null && rootOf("vehicle", vehicle).context.activeId === deliveryId
  const known = [delivery, compartment, carries ? vehicle : null].filter((one) => one !== null)
  const reached = reachedStatuses(
    yield* journals.first(deliveryGroup(deliveryId), TIMELINE_ENTRIES_MAX),
    deliveryGroup(deliveryId),
  )
  const allowed = delivery === null ? NOTHING : yield* allowedMoves(row, delivery, nowMs)
  const opens = delivery !== null && (yield* wouldGrant({ row, delivery, compartment, nowMs }))
  const realMs = yield* realNowMs
  const clocks = row.environment === "sandbox" ? yield* movedClocks([row.organizationId]) : NO_CLOCK_MOVED
  return {
    row,
    record,
    clock: clockOf(row.organizationId, clocks, realMs),
    realMs,
    waitsFor: WAITS_FOR[record.status],
    sinceMs: reached.at(-1)?.atMs ?? row.updatedAtMs,
    nextTimer: nextTimerOf(known),
    moves: opens ? [...allowed.moves, "compartment" as const] : allowed.moves,
    reportableStatuses: allowed.reportableStatuses,
  }
})

const NOTHING = { moves: [], reportableStatuses: [] } as const

/** Who or what moves a delivery on from each status. */
const WAITS_FOR: Readonly<Record<DeliveryStatus, DeliveryWaitsFor | null>> = {
  SCHEDULED: "vehicle",
  ASSIGNED: "vehicle_at_store",
  EN_ROUTE_TO_STORE: "vehicle_at_store",
  ARRIVED_AT_STORE: "load",
  WAITING_FOR_LOAD: "load",
  LOADED: "departure",
  EN_ROUTE_TO_CUSTOMER: "vehicle_at_customer",
  ARRIVED_AT_CUSTOMER: "customer",
  COMPLETED: null,
  CANCELLED: null,
}

/** Of the delivery and its compartment, in order of time. */
const timeline = Routine.fn(function* (caller: Operator, deliveryId: string) {
  yield* deliveryFor(caller, deliveryId)
  const journals = yield* GroupJournals
  const groups = [deliveryGroup(deliveryId), compartmentGroup(deliveryId)]
  const lines: TimelineLine[] = []
  for (const group of groups) lines.push(...linesOf(yield* journals.first(group, TIMELINE_ENTRIES_MAX)))
  return lines.toSorted((one, other) => one.atMs - other.atMs)
})
