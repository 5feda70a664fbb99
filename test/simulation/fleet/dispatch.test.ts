/** Policies of dispatch change which vehicle takes a run, and nothing else: demand and rules stay the same. */

import { expect, test } from "vitest"
import { bestVehicle } from "../../../src/areas/dispatch/assignment.ts"
import { casesOf, inCase } from "../../../src/simulation/fleet/language/cases.ts"
import type { FleetModel } from "../../../src/simulation/fleet/language/model.ts"
import { FleetWorld } from "../../../src/simulation/fleet/world/fleet-world.ts"
import { replicate, runToItsEnd } from "../../../src/simulation/fleet/world/replication.ts"
import type { Pool } from "../../../src/model/vehicle-pool.ts"
import { CLOCK, fleetModel } from "./models.ts"

function town(more = ""): FleetModel {
  return fleetModel(`
fleet: Deliveries of one store
because: Which vehicle should take the next run?
clock: ${CLOCK}
horizon: 3h
sites: [{ as: store, at: [30.4, -97.7], reach_km: 4, vehicles: 6 }]
demand: [{ product: delivery, site: store, per_hour: 14, ready_in: 10m }]
${more}`)
}

/** How many runs were given to vehicles that had one already. */
function queuedRuns(model: FleetModel): number {
  const world = new FleetWorld(model, { seed: 5 })
  let queued = 0
  world.service.host.onTurn((_, { decision, facts }) => {
    if (decision === "promote@3" && (bestVehicle(facts as unknown as Pool)?.runs ?? 0) > 0) queued += 1
  })
  runToItsEnd(world, { seed: 5, onProgress: undefined })
  return queued
}

test("the word for today's policy leaves every journal as it was", () => {
  const made = replicate(town(), { seed: 5 })
  expect(replicate(town("policy: { vehicle_dispatch: earliest_free }"), { seed: 5 })).toEqual(made)
  expect(replicate(town("policy: { vehicle_dispatch: least_loaded }"), { seed: 5 }).digest).not.toBe(
    made.digest,
  )
})

test("the nearest policy gives runs to busy vehicles that the least loaded policy gives to idle ones", () => {
  const nearest = queuedRuns(town("policy: { vehicle_dispatch: nearest }"))
  expect(queuedRuns(town("policy: { vehicle_dispatch: least_loaded }"))).toBeLessThan(nearest)
})

test("a sweep compares the policies on the same demand, and each of them repeats exactly", () => {
  const swept = town("sweep: { vehicle_dispatch: [nearest, least_loaded, earliest_free, batching] }")
  const made = casesOf(swept).map((one) => replicate(inCase(swept, one), { seed: 5 }))
  expect(new Set(made.map(({ figures }) => figures["deliveries.asked"])).size).toBe(1)
  expect(new Set(made.map(({ digest }) => digest)).size).toBe(4)
  const again = casesOf(swept).map((one) => replicate(inCase(swept, one), { seed: 5 }).digest)
  expect(again).toEqual(made.map(({ digest }) => digest))
  const waits = made.map(({ figures }) => figures["vehicles.wait_mean"] ?? Number.NaN)
  // By least_loaded a run waits behind another one only where no vehicle is idle; by earliest_free where that is sooner.
  expect(waits[1]).toBeLessThan(waits[0] ?? 0)
  expect(waits[2]).toBeLessThan(waits[0] ?? 0)
  const trips = made.map(({ counts }) => counts["vehicles.batched"] ?? 0)
  expect(trips.slice(0, 3)).toEqual([0, 0, 0])
  expect(trips[3]).toBeGreaterThan(0)
})
