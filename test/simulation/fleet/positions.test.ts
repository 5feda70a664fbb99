/** What the course of a run says of vehicles: none jumps, and one that is broken down stands and is offline in the service until it is repaired. */

import fc from "fast-check"
import { expect, test } from "vitest"
import { MINUTE_MS } from "../../../src/model/values/time.ts"
import { rootOf } from "../../../src/engine/services/actors.ts"
import { DeliveryOperations } from "../../../src/areas/direct-delivery/delivery-operations.ts"
import { vehicleName } from "../../../src/simulation/fleet/language/checks/check-changes.ts"
import { callsOf } from "../../../src/simulation/fleet/world/calls.ts"
import type { FleetModel } from "../../../src/simulation/fleet/language/model.ts"
import { FleetWorld, OPERATIONS } from "../../../src/simulation/fleet/world/fleet-world.ts"
import { runToItsEnd } from "../../../src/simulation/fleet/world/replication.ts"
import { actorsOf, courseFrom, metresApart } from "./recorded.ts"
import { CLOCK, fleetModel } from "./models.ts"

function fleet({ vehicles, cancel, breakdown, repair, named, batching, seed }: Drawn): {
  model: FleetModel
  seed: number
} {
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
  breakdown: { every: { exponential: { mean: ${breakdown}m } }, repair: ${repair}m }${batching ? "\n  batching: { within_km: 2, waits: 2m }" : ""}
demand: [{ product: delivery, site: store, per_hour: 14, ready_in: { uniform: [5m, 25m] }, cancel: ${cancel}% }]
changes: [${named.map(({ minute, minutes }) => `{ at: ${10 + Math.floor(minute / 60)}:${String(minute % 60).padStart(2, "0")}, breakdown of veh_0_0001: ${minutes}m }`).join(", ")}]
`)
  return { model, seed }
}

interface Drawn {
  readonly vehicles: number
  readonly cancel: number
  /** Minutes of driving between two breakdowns, on average. */
  readonly breakdown: number
  /** Unit: min. */
  readonly repair: number
  /** The first vehicle breaks down in a minute of the run, for so many minutes. */
  readonly named: readonly { readonly minute: number; readonly minutes: number }[]
  readonly batching: boolean
  readonly seed: number
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  vehicles: fc.integer({ min: 1, max: 6 }),
  cancel: fc.constantFrom(0, 20, 50),
  breakdown: fc.integer({ min: 8, max: 90 }),
  repair: fc.integer({ min: 2, max: 25 }),
  named: fc
    .uniqueArray(
      fc.record({ minute: fc.integer({ min: 1, max: 170 }), minutes: fc.integer({ min: 1, max: 40 }) }),
      { selector: ({ minute }) => minute, minLength: 1, maxLength: 5 },
    )
    .map((ones) => ones.toSorted((one, other) => one.minute - other.minute)),
  batching: fc.boolean(),
  seed: fc.integer({ min: 1, max: 1_000_000 }),
})

/** What each vehicle did, and when it went offline and online in the service. Operations reassign each run of a vehicle that goes offline. */
function coursesOf({ model, seed }: { readonly model: FleetModel; readonly seed: number }) {
  const world = new FleetWorld(model, { seed, hasCourse: true })
  const [offline, online] = [new Map<string, number[]>(), new Map<string, number[]>()]
  const operations = callsOf(world, DeliveryOperations)
  world.service.host.onTurn(({ outcome, group }, { event, instantMs }) => {
    if (outcome.type === "refused" || !/^vehicle[.]went_/.test(event?.type ?? "")) return
    const [times, { address }] = [event?.type === "vehicle.went_online" ? online : offline, group]
    times.set(address, [...(times.get(address) ?? []), instantMs - world.startMs])
    const { activeId } = rootOf("vehicle", group).context
    if (times === online || activeId === null) return
    const next = vehicleName(0, 1 + (Number(address.slice(-4)) % (model.sites[0]?.vehicles ?? 1)))
    world.after(MINUTE_MS, () => operations.reassign([OPERATIONS, activeId, next]))
  })
  const course = courseFrom(runToItsEnd(world, { seed, onProgress: undefined }))
  return { course, offline, online }
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

test("a vehicle that breaks down stands there and is offline until it is repaired, whatever becomes of its runs", () => {
  const ends = { another: 0, "another fault": 0, none: 0 }
  fc.assert(
    fc.property(drawn, (one) => {
      const { course, online } = coursesOf(fleet(one))
      const faults = course
        .breaksIn(0, course.untilMs)
        .flatMap(({ kind, actor, atMs }) => (kind === "fault" && actor !== null ? [{ actor, atMs }] : []))
      for (const { actor, atMs } of faults) {
        const known = course.actors[actor]
        const named =
          known?.name === "veh_0_0001" && one.named.find(({ minute }) => minute * MINUTE_MS === atMs)
        const endMs = Math.min(course.untilMs, atMs + (named ? named.minutes : one.repair) * MINUTE_MS)
        const stands = course.placeAt(actor, atMs)
        for (let ms = atMs; ms < endMs; ms += MINUTE_MS / 2) {
          expect(metresApart(stands, course.placeAt(actor, ms))).toBeLessThan(1)
          expect(STANDING).toContain(course.stateAt(actor, ms))
        }
        expect(metresApart(stands, course.placeAt(actor, endMs - 1))).toBeLessThan(1)
        const early = online.get(known?.address ?? "")?.filter((ms) => ms >= atMs && ms < endMs)
        expect(early ?? []).toEqual([])
        if (faults.some((other) => other.actor === actor && other.atMs > atMs && other.atMs < endMs))
          ends["another fault"] += 1
        const [before, after] = [atMs - 1, endMs - 1].map((ms) => course.orderAt(actor, ms))
        if (before !== null && after !== before) ends[after === null ? "none" : "another"] += 1
      }
    }),
    { numRuns: 40 },
  )
  for (const count of Object.values(ends)) expect(count, JSON.stringify(ends)).toBeGreaterThan(5)
})

/** Loading and unloading go on. */
const STANDING = ["broken down", "at the store", "loading", "waits for a second order", "at the customer"]

test("a vehicle goes offline in the service when it breaks down or charges, and at no other time", () => {
  fc.assert(
    fc.property(drawn, (one) => {
      const { course, offline } = coursesOf(fleet(one))
      const faults = course.breaksIn(0, course.untilMs + 1).filter(({ kind }) => kind === "fault")
      for (const actor of actorsOf(course, "vehicle")) {
        const changes = course.changesOf(actor)
        // One that charges and loses its run goes on without it.
        const charges = changes.filter(
          ({ state }, at) => state === "charging" && changes[at - 1]?.state !== state,
        )
        const away = [...faults.filter((fault) => fault.actor === actor), ...charges].map(({ atMs }) => atMs)
        expect(offline.get(course.actors[actor]?.address ?? "") ?? []).toEqual(away.toSorted((a, b) => a - b))
      }
    }),
    { numRuns: 10 },
  )
})
