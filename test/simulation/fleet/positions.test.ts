/** What the course of a run says of vehicles: no vehicle jumps, and one that stands broken down is offline in the service. */

import fc from "fast-check"
import { expect, test } from "vitest"
import type { FleetModel } from "../../../src/simulation/fleet/language/model.ts"
import { FleetWorld } from "../../../src/simulation/fleet/world/fleet-world.ts"
import { runToItsEnd } from "../../../src/simulation/fleet/world/replication.ts"
import { actorsOf, courseFrom, metresApart } from "./recorded.ts"
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

/** What each vehicle did, and when the service had it offline. */
function coursesOf({ model, seed }: { readonly model: FleetModel; readonly seed: number }) {
  const world = new FleetWorld(model, { seed, hasCourse: true })
  const offline = new Map<string, number[]>()
  world.service.host.onTurn(({ outcome, group: { address } }, { event, instantMs }) => {
    if (outcome.type === "refused" || event?.type !== "vehicle.went_offline") return
    offline.set(address, [...(offline.get(address) ?? []), instantMs - world.startMs])
  })
  const course = courseFrom(runToItsEnd(world, { seed, onProgress: undefined }))
  return { course, offline }
}

test("no vehicle jumps by more than a metre, also when it breaks down and gets another run meanwhile", () => {
  let breakdowns = 0
  fc.assert(
    fc.property(drawn, (one) => {
      const { course } = coursesOf(fleet(one))
      for (const actor of actorsOf(course, "vehicle")) {
        breakdowns += course.changesOf(actor).filter(({ state }) => state === "broken down").length
        const legs = course.legsOf(actor)
        for (const [at, { from }] of legs.entries()) {
          const before = legs[at - 1]
          if (before === undefined) continue
          // Where a way was left, the vehicle stands, and there the next one begins.
          expect(metresApart(before.to, from)).toBeLessThan(1)
          expect(metresApart(course.placeAt(actor, before.untilMs), from)).toBeLessThan(1)
        }
        for (const { atMs } of course.changesOf(actor).slice(1))
          expect(metresApart(course.placeAt(actor, atMs - 1), course.placeAt(actor, atMs))).toBeLessThan(1)
      }
    }),
    { numRuns: 25 },
  )
  expect(breakdowns).toBeGreaterThan(50)
})

test("a vehicle goes offline in the service when it breaks down or charges, and at no other time", () => {
  fc.assert(
    fc.property(drawn, (one) => {
      const { course, offline } = coursesOf(fleet(one))
      for (const actor of actorsOf(course, "vehicle")) {
        const away = course
          .changesOf(actor)
          .filter(({ state }) => state === "broken down" || state === "charging")
        expect(offline.get(course.actors[actor]?.address ?? "") ?? []).toEqual(away.map(({ atMs }) => atMs))
      }
    }),
    { numRuns: 10 },
  )
})
