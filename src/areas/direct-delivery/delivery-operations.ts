/**
 * Deliveries as operations and people at a site see and change them: a later status, another vehicle, the end.
 * The contract leaves production moves open; these are ours (src/DECISIONS.md §30).
 */

import type { Operator } from "../../model/caller.ts"
import type { SupervisorRequest } from "../../model/requests/delivery-requests.ts"
import { DELIVERY_EVENT_BY_STATUS, DELIVERY_STATUSES, isFinal } from "../../model/delivery.ts"
import { Refused } from "../../model/values/errors.ts"
import { PAGE_SIZE_MAX } from "../../model/values/limits.ts"
import { takesAnother } from "../dispatch/assignment.ts"
import { vehicleFor } from "../dispatch/vehicles.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { cancelDelivery, commandDelivery, deliveryFor } from "./commands.ts"
import { hasSupervisor, isCancelledByOperations } from "./operator-moves.ts"
import { DeliveryRows, DeliverySites } from "./rows.ts"

export class DeliveryOperations extends service<DeliveryOperations>()("DeliveryOperations", () => ({
  runs,
  /** The customer, whom operations may have to call. */
  contact: (caller: Operator, deliveryId: string) =>
    Routine.map(deliveryFor(caller, deliveryId), ({ customer }) => customer),
  cancel,
  supervise,
  reassign,
})) {}

/** A later status, as people at the site see it; the delivery passes through the statuses between. */
const supervise = Routine.fn(function* (caller: Operator, deliveryId: string, { status }: SupervisorRequest) {
  const row = yield* deliveryFor(caller, deliveryId)
  if (!(yield* hasSupervisor(row)))
    return yield* new Refused({ code: "INVALID_STATE", detail: "the site has no supervisors" })
  return yield* commandDelivery({ row, event: { type: DELIVERY_EVENT_BY_STATUS[status] } })
})

/** A site's deliveries that have not ended, newest first. */
const runs = Routine.fn(function* (caller: Operator, siteId: string) {
  const sites = yield* DeliverySites
  const site = yield* sites.byId(siteId)
  if (site === null || site.environment !== caller.environment)
    return yield* new Refused({ code: "NOT_FOUND" })
  const rows = yield* DeliveryRows
  return yield* rows.list({
    of: { siteId },
    statuses: DELIVERY_STATUSES.filter((status) => status !== "COMPLETED" && status !== "CANCELLED"),
    createdAfterMs: null,
    createdBeforeMs: null,
    search: null,
    beforeNumber: null,
    limit: PAGE_SIZE_MAX,
  })
})

/**
 * The same as the retailer's cancellation: a repeat keeps the first reason. An errand is ended by the courier connector, which
 * also owes its fee.
 */
const cancel = Routine.fn(function* (caller: Operator, deliveryId: string, reason: string | null) {
  const row = yield* deliveryFor(caller, deliveryId)
  if (!isCancelledByOperations(row)) {
    const detail = "it carries a courier errand: report the errand as failed instead"
    return yield* new Refused({ code: "INVALID_STATE", detail })
  }
  return yield* cancelDelivery(row, reason)
})

/** The vehicle takes it when it has a free place. The quoted times stay (choice P6). */
const reassign = Routine.fn(function* (caller: Operator, deliveryId: string, vehicleId: string) {
  const row = yield* deliveryFor(caller, deliveryId)
  const vehicle = yield* vehicleFor(caller, vehicleId)
  if (vehicle.fleetId !== row.fleetId) return yield* new Refused({ code: "NOT_FOUND" })
  const rows = yield* DeliveryRows
  const check = Routine.gen(function* () {
    const open = yield* rows.runsOf(row.fleetId, vehicleId)
    const others = open.filter((run) => run.deliveryId !== deliveryId)
    // An ended delivery is refused for that reason, however many runs the vehicle has.
    if (!isFinal(row.status) && !takesAnother(others.length))
      return yield* new Refused({ code: "NO_CAPACITY", detail: "the chosen vehicle has no free place" })
  })
  return yield* commandDelivery({
    row,
    event: { type: "vehicle.changed", vehicleId },
    check,
    locks: { pool: row.fleetId },
  })
})
