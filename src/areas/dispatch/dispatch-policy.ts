/**
 * The policy by which vehicles are chosen: a setting of the whole service. The live service takes the nearest vehicle; fleet
 * models compare it with others (src/DECISIONS.md §308).
 */

import { Context } from "effect"
import type { Candidate, DispatchPolicy, Pool } from "../../model/vehicle-pool.ts"
import { LOADING_MS } from "../../model/values/limits.ts"
import { batch } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { poolBy } from "./assignment.ts"
import { lastPlace, metresToStore } from "./fleet.ts"
import { wayAfterQueue } from "./queue.ts"
import { VehicleRows } from "./rows.ts"
import type { PoolQuery, VehicleRow } from "./rows.ts"
import { Runs } from "./runs.ts"

export class Dispatch extends Context.Tag("Dispatch")<Dispatch, { readonly policy: DispatchPolicy }>() {}

/** The fleet as decisions see it by the policy. Only `nearest` has a cost that does not grow with the fleet. */
export const poolFor = Routine.fn(function* (fleetId: string, asked: PoolQuery) {
  const { policy } = yield* Dispatch
  const vehicles = yield* VehicleRows
  const pool: Pool = yield* vehicles.pool(fleetId, asked)
  if (policy === "nearest" || pool.candidates.length === 0) return pool
  const fleet = yield* vehicles.ofFleet(fleetId)
  const candidates = yield* Routine.forEach(fleet, (vehicle) => candidateOf(vehicle, policy, asked))
  return poolBy(policy, pool, candidates)
})

const candidateOf = Routine.fn(function* (
  vehicle: VehicleRow,
  policy: DispatchPolicy,
  { store, atMs }: PoolQuery,
) {
  const { fleetId, vehicleId, isOnline } = vehicle
  const runs = yield* Runs
  const [open, last] = yield* batch([runs.ofVehicle(fleetId, vehicleId), lastPlace(vehicle)])
  const found: Candidate = { vehicleId, isOnline, runs: open.length, metres: metresToStore(last, store) }
  if (policy !== "earliest_free") return found
  if (open.length === 0) return { ...found, freeAtMs: atMs }
  const way = yield* wayAfterQueue({ vehicle, store, nowMs: atMs, loadingMs: LOADING_MS })
  return { ...found, freeAtMs: way.setsOutAtMs }
})
