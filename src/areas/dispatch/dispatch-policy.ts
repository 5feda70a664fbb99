/**
 * The policy by which vehicles are chosen: a setting of the site, and the same for the live service, scenarios and fleet
 * models (src/DECISIONS.md §308).
 */

import type { Candidate, Pool } from "../../model/vehicle-pool.ts"
import { LOADING_MS } from "../../model/values/limits.ts"
import { batch } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { poolBy } from "./assignment.ts"
import { wayAfterQueue } from "./queue.ts"
import { VehicleRows } from "./rows.ts"
import type { PoolQuery } from "./rows.ts"

/**
 * The fleet as decisions see it by the policy. Cost: one statement; `earliest_free` also reads the runs of at most
 * `COMPARED_VEHICLES_MAX` vehicles when no vehicle is idle.
 */
export const poolFor = Routine.fn(function* (fleetId: string, asked: PoolQuery) {
  const { policy } = asked
  const vehicles = yield* VehicleRows
  const pool: Pool = yield* vehicles.pool(fleetId, asked)
  if (policy === "nearest" || pool.candidates.length === 0) return pool
  if (policy === "least_loaded") return poolBy(policy, pool, pool.candidates)
  const timed = yield* batch(pool.candidates.map((one) => withTime(one, asked)))
  return poolBy(policy, pool, timed)
})

const withTime = Routine.fn(function* (one: Candidate, { store, atMs }: PoolQuery) {
  if (one.runs === 0) return { ...one, freeAtMs: atMs }
  const vehicles = yield* VehicleRows
  const vehicle = yield* vehicles.byId(one.vehicleId)
  if (vehicle === null) return { ...one, freeAtMs: atMs }
  const way = yield* wayAfterQueue({ vehicle, store, nowMs: atMs, loadingMs: LOADING_MS })
  return { ...one, freeAtMs: way.setsOutAtMs }
})
