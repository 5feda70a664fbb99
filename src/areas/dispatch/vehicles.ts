/** Vehicles: what they are, where they are, and what they report. The contract leaves this open (src/DECISIONS.md §30). */

import { idOf } from "../../model/address.ts"
import type { Operator } from "../../model/caller.ts"
import type { Fix, TelemetryRequest } from "../../model/requests/delivery-requests.ts"
import { Refused } from "../../model/values/errors.ts"
import type { FieldProblem } from "../../model/values/errors.ts"
import { LOAD_WAIT_MS, OCCURRED_AHEAD_MS_MAX } from "../../model/values/limits.ts"
import type { TurnResult } from "../../engine/kernel/turn.ts"
import { ask, rootOf, start } from "../../engine/services/actors.ts"
import { ActorHost } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { activeRuns, secondOrder } from "./active-runs.ts"
import type { VehicleRow } from "./rows.ts"
import { VehicleRows } from "./rows.ts"
import { readFixes, takeFixes } from "./telemetry.ts"

export class Vehicles extends service<Vehicles>()("Vehicles", () => ({
  register,
  report,
  goOnline: (caller: Operator, vehicleId: string) => goLine(caller, vehicleId, "vehicle.went_online"),
  /** Its runs stay with it; operations may reassign them. */
  goOffline: (caller: Operator, vehicleId: string) => goLine(caller, vehicleId, "vehicle.went_offline"),
  /** Only of synthetic vehicles, for the code that drives them. */
  activeRuns: ({ environment }: Operator) => activeRuns(environment),
  /** The next order of a vehicle that is loaded, if it goes on the same trip: the vehicle waits for it. */
  secondOrder: (caller: Operator, vehicleId: string) =>
    Routine.zipRight(vehicleFor(caller, vehicleId), secondOrder(vehicleId)),
})) {}

function groupOfVehicle(vehicleId: string): string {
  return `vehicle/${vehicleId}`
}

const register = Routine.fn(function* (vehicle: VehicleRow) {
  const host = yield* ActorHost
  const vehicles = yield* VehicleRows
  const { vehicleId, fleetId, isOnline } = vehicle
  // A simulated vehicle of production reports like a real one; only the sandbox's are advanced by hand.
  const isSynthetic = vehicle.isSynthetic && vehicle.environment === "sandbox"
  const to = groupOfVehicle(vehicleId)
  const input = { fleetId, isSynthetic, isOnline, policy: { loadWaitMs: LOAD_WAIT_MS } }
  yield* host.run({
    name: "register a vehicle",
    locks: { groups: [to] },
    body: Routine.fn(function* () {
      if ((yield* vehicles.byId(vehicleId)) !== null) return
      yield* vehicles.insert(vehicle)
      yield* start("vehicle@1", {
        to,
        input,
        environment: vehicle.environment,
        // The sites of several organizations may share a fleet.
        organizationId: null,
        nonce: yield* host.nonce,
      })
    }),
  })
})

/** A vehicle of the operator's environment, or `NOT_FOUND`. */
export const vehicleFor = Routine.fn(function* (caller: Operator, vehicleId: string) {
  const vehicles = yield* VehicleRows
  const vehicle = yield* vehicles.byId(vehicleId)
  return vehicle !== null && isTheirs(caller, vehicle) ? vehicle : yield* new Refused({ code: "NOT_FOUND" })
})

/** A vehicle of the operator's environment. */
function isTheirs(caller: Operator, vehicle: VehicleRow | null): boolean {
  return vehicle?.environment === caller.environment
}

/** A batch is one transaction: its fixes are taken in the order in which they were recorded. */
const report = Routine.fn(function* (caller: Operator, vehicleId: string, fixes: TelemetryRequest) {
  const problems = problemsOf(fixes, yield* Routine.nowMs)
  if (problems.length > 0) return yield* new Refused({ code: "VALIDATION_ERROR", problems })
  const host = yield* ActorHost
  const inOrder = fixes.toSorted(
    (one, other) => one.recorded_at - other.recorded_at || (one.sequence ?? 0) - (other.sequence ?? 0),
  )
  return yield* host.run({
    name: "report a vehicle's fixes",
    locks: { groups: [groupOfVehicle(vehicleId), ...secondsOf(fixes)] },
    reads: readFixes(vehicleId, inOrder),
    body: (stored) =>
      isTheirs(caller, stored.vehicle)
        ? takeFixes(vehicleId, stored)
        : Routine.fail(new Refused({ code: "NOT_FOUND" })),
  })
})

/** The deliveries that are on board behind the active one, which the report may change. */
function secondsOf(fixes: readonly Fix[]): readonly string[] {
  const named = new Set(fixes.map(({ also_on_board: id }) => id ?? null))
  return [...named].filter((id) => id !== null).map((id) => `delivery/${id}`)
}

function problemsOf(fixes: readonly Fix[], nowMs: number): readonly FieldProblem[] {
  return fixes.flatMap(({ recorded_at }, at) =>
    recorded_at > nowMs + OCCURRED_AHEAD_MS_MAX
      ? [{ field: `${at}.recorded_at`, message: "must not be more than 5 minutes in the future" }]
      : [],
  )
}

const goLine = Routine.fn(function* (
  caller: Operator,
  vehicleId: string,
  type: "vehicle.went_offline" | "vehicle.went_online",
) {
  yield* vehicleFor(caller, vehicleId)
  const host = yield* ActorHost
  const to = groupOfVehicle(vehicleId)
  yield* host.run({
    name: "change a vehicle's connection",
    locks: { groups: [to] },
    body: () => Routine.flatMap(host.nonce, (nonce) => ask("vehicle", { to, event: { type }, nonce })),
  })
})

/** Updates the column by which vehicles are chosen. Few turns of a vehicle change it. */
export function observeVehicle(result: TurnResult) {
  return isConnectionTaken(result) ? projectConnection(result) : Routine.void
}

/** True for a turn that may have changed the connection; a group is also projected as it is, without a step. */
function isConnectionTaken({ outcome, steps }: TurnResult): boolean {
  if (outcome.type === "refused") return false
  for (const { stepped } of steps)
    for (const fields of stepped.assigned) if ("isOnline" in fields) return true
  return steps.length === 0
}

const projectConnection = Routine.fn(function* ({ group }: TurnResult) {
  const vehicles = yield* VehicleRows
  const { isOnline } = rootOf("vehicle", group).context
  yield* vehicles.change(idOf(group.address), { isOnline })
})
