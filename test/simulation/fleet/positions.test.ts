/** What a traced run says of vehicles: no vehicle jumps, and one that stands broken down is offline in the service. */

import fc from "fast-check"
import { expect, test } from "vitest"
import { metresBetween } from "../../../src/areas/dispatch/geography.ts"
import type { FleetModel } from "../../../src/simulation/fleet/language/model.ts"
import { FleetWorld } from "../../../src/simulation/fleet/world/fleet-world.ts"
import { runToItsEnd } from "../../../src/simulation/fleet/world/replication.ts"
import type { Traced } from "../../../src/simulation/fleet/world/tally.ts"
import type { Place } from "../../../src/model/place.ts"
import { CLOCK, fleetModel } from "./models.ts"

function fleet({ vehicles, cancel, breakdown, batching, seed }: Drawn): { model: FleetModel; seed: number } {
  const model = fleetModel(`
fleet: Vehicles that break down
because: They stand where they broke down.
clock: ${CLOCK}
horizon: 3h
sites: [{ as: store, at: [30.4, -97.7], reach_km: 4, vehicles: ${vehicles}, stores: [{ as: kitchen, preparation: 8m, starts_before: 10m }] }]
vehicle:
  speed_kmh: 15
  load: 40s
  drop_off: 1m
  charging: { after_km: 9, takes: 10m }
  breakdown: { every: { exponential: { mean: ${breakdown}m } }, repair: { uniform: [2m, 25m] } }${batching ? "\n  batching: { within_km: 2, waits: 2m }" : ""}
demand: [{ product: delivery, site: store, per_hour: 14, ready_in: { uniform: [5m, 25m] }, cancel: ${cancel}% }]
`)
  return { model, seed }
}

interface Drawn {
  readonly vehicles: number
  readonly cancel: number
  readonly breakdown: number
  readonly batching: boolean
  readonly seed: number
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  vehicles: fc.integer({ min: 1, max: 6 }),
  cancel: fc.constantFrom(0, 20, 50),
  breakdown: fc.integer({ min: 8, max: 90 }),
  batching: fc.boolean(),
  seed: fc.integer({ min: 1, max: 1_000_000 }),
})

/** The states of each vehicle, and when the service had it offline. */
function coursesOf({ model, seed }: { readonly model: FleetModel; readonly seed: number }) {
  const world = new FleetWorld(model, { seed, isTraced: true })
  const offline = new Map<string, number[]>()
  world.service.host.onTurn(({ outcome, group: { address } }, { event, instantMs }) => {
    if (outcome.type === "refused" || event?.type !== "vehicle.went_offline") return
    const id = address.slice("vehicle/".length)
    offline.set(id, [...(offline.get(id) ?? []), instantMs])
  })
  runToItsEnd(world, { seed, onProgress: undefined })
  const states = Map.groupBy(
    world.tally.traced.filter(({ place }) => place !== null),
    ({ who }) => who,
  )
  return { states, offline }
}

/** Where a state leaves the vehicle at an instant. */
function placeAfter({ place, to, atMs, untilMs, along = [] }: Traced, nowMs: number): Place {
  if (place === null) throw new Error("a vehicle has a place")
  if (to === null || untilMs === null) return place
  const corners = [{ place, atMs }, ...along, { place: to, atMs: untilMs }]
  const next = corners.findIndex((corner) => corner.atMs >= nowMs)
  const [before, after] = [corners[Math.max(0, next - 1)], corners[next] ?? corners.at(-1)]
  if (before === undefined || after === undefined || after.atMs === before.atMs) return to
  const share = (nowMs - before.atMs) / (after.atMs - before.atMs)
  const between = (one: number, other: number): number => one + (other - one) * share
  return {
    latitude: between(before.place.latitude, after.place.latitude),
    longitude: between(before.place.longitude, after.place.longitude),
  }
}

test("no vehicle jumps by more than a metre, also when it breaks down and gets another run meanwhile", () => {
  let breakdowns = 0
  fc.assert(
    fc.property(drawn, (one) => {
      for (const states of coursesOf(fleet(one)).states.values()) {
        for (const [at, now] of states.slice(1).entries()) {
          const before = states[at]
          if (before === undefined || now.place === null) throw new Error("a state has one before it")
          if (now.state === "broken down") breakdowns += 1
          expect(metresBetween(placeAfter(before, now.atMs), now.place)).toBeLessThan(1)
        }
      }
    }),
    { numRuns: 25 },
  )
  expect(breakdowns).toBeGreaterThan(50)
})

test("a vehicle goes offline in the service when it breaks down or charges, and at no other time", () => {
  fc.assert(
    fc.property(drawn, (one) => {
      const { states, offline } = coursesOf(fleet(one))
      for (const [who, its] of states) {
        const away = its.filter(({ state }) => state === "broken down" || state === "charging")
        expect(offline.get(who) ?? []).toEqual(away.map(({ atMs }) => atMs))
      }
    }),
    { numRuns: 10 },
  )
})
