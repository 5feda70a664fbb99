/**
 * What operations and people at a site may do with a delivery now. Each move is tried on the machine, so that pages do not
 * repeat its rules; what only the commands know is here, once for both.
 */

import type { DeliveryMove } from "../../model/requests/board.ts"
import { DELIVERY_EVENT_BY_STATUS } from "../../model/delivery.ts"
import type { ReportedStatus } from "../../model/delivery.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Turn } from "../../../machines/contracts.ts"
import type { Group } from "../../engine/kernel/group.ts"
import { DryRun, isTaken } from "../../engine/services/dry-run.ts"
import { Routine } from "../../engine/services/routine.ts"
import { DeliverySites, isForRetailer } from "./rows.ts"
import type { DeliveryRow } from "./rows.ts"

export interface OperatorMoves {
  readonly moves: readonly DeliveryMove[]
  /** Later statuses that people at the site may report. */
  readonly reportableStatuses: readonly ReportedStatus[]
}

/** A vehicle of a trial; it reaches no row. */
const OTHER_VEHICLE = "another vehicle"

/** In the open view. Cost: ten turns in memory, each of some ten microseconds. */
export const allowedMoves = Routine.fn(function* (row: DeliveryRow, delivery: Group, atMs: EpochMs) {
  const dry = yield* DryRun
  const isAllowed = (event: Turn<"delivery">["event"]): boolean =>
    isTaken(dry.take(delivery, { to: delivery.address, event, atMs }))
  const moves: DeliveryMove[] = []
  if (isAllowed({ type: "vehicle.changed", vehicleId: OTHER_VEHICLE })) moves.push("vehicle")
  if (isCancelledByOperations(row) && isAllowed({ type: "cancel.requested" })) moves.push("cancel")
  const statuses = (yield* hasSupervisor(row))
    ? (Object.keys(DELIVERY_EVENT_BY_STATUS) as ReportedStatus[])
    : []
  const reportableStatuses = statuses.filter((status) =>
    isAllowed({ type: DELIVERY_EVENT_BY_STATUS[status] }),
  )
  return { moves, reportableStatuses } satisfies OperatorMoves
})

/** The courier connector ends an errand, because it owes the fee for it. */
export function isCancelledByOperations(row: DeliveryRow): boolean {
  return isForRetailer(row)
}

/** Only a site with supervisors reports statuses by people. */
export const hasSupervisor = Routine.fn(function* ({ siteId }: DeliveryRow) {
  const site = yield* (yield* DeliverySites).byId(siteId)
  return site?.hasSupervisor === true
})
