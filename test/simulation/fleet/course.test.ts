/** The course of a run: recording it changes nothing, it can be taken in parts, and its states are those of the service and the world. */

import fc from "fast-check"
import { expect, test } from "vitest"
import { handoffStatus, botStatus, reservationStatus } from "../../../src/areas/reservations/record.ts"
import { deliveryStatus } from "../../../src/areas/direct-delivery/record.ts"
import { rootOf } from "../../../src/engine/services/actors.ts"
import { kindOf } from "../../../src/model/address.ts"
import { Course } from "../../../src/model/replay/course-reader.ts"
import type { CourseChunk } from "../../../src/model/replay/course.ts"
import { MINUTE_MS } from "../../../src/model/values/time.ts"
import type { FleetModel } from "../../../src/simulation/fleet/language/model.ts"
import { courseHeadOf } from "../../../src/simulation/fleet/world/course-head.ts"
import { FleetWorld } from "../../../src/simulation/fleet/world/fleet-world.ts"
import { replicate, runToItsEnd, startFleet } from "../../../src/simulation/fleet/world/replication.ts"
import { CLOCK, fleetModel } from "./models.ts"
import { actorsOf, courseFrom, recorded } from "./recorded.ts"

interface Drawn {
  readonly runners: number
  readonly stalls: number
  readonly vehicles: number
  readonly trouble: boolean
  readonly seed: number
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  runners: fc.integer({ min: 1, max: 3 }),
  stalls: fc.integer({ min: 2, max: 4 }),
  vehicles: fc.integer({ min: 1, max: 3 }),
  trouble: fc.boolean(),
  seed: fc.integer({ min: 1, max: 1_000_000 }),
})

function town({ runners, stalls, vehicles, trouble }: Drawn): FleetModel {
  return fleetModel(`
fleet: Robots and vehicles
because: Everything moves.
clock: ${CLOCK}
horizon: 2h
sites: [{ as: north, at: [30.4, -97.7], reach_km: 3, stalls: ${stalls}, runners: ${runners}, vehicles: ${vehicles}, stores: [{ as: kitchen, preparation: { uniform: [4m, 12m] }, starts_before: 8m, cooks: 2 }] }]
runner: { walk: { uniform: [30s, 2m] } }
bot: { punctuality: ${trouble ? "{ normal: { mean: 0m, sd: 6m } }" : "0m"}${trouble ? ", no_show: 10%, abort: 10%, patience: 12m" : ", patience: 1d"} }
faults: { open_link_fails: ${trouble ? 8 : 0}%, payload_too_heavy: ${trouble ? 5 : 0}% }
${trouble ? "vehicle: { breakdown: { every: { exponential: { mean: 50m } }, repair: 10m } }" : ""}
demand:
  - { product: reservation, site: north, per_hour: 12, ahead: 20m, width: 10m, cancel: ${trouble ? 10 : 0}% }
  - { product: delivery, site: north, per_hour: 8, ready_in: 12m, cancel: ${trouble ? 10 : 0}% }
`)
}

test("a recorded run has the digest and the figures of one that is not", () => {
  fc.assert(
    fc.property(drawn, (one) => {
      const { made } = recorded(town(one), one.seed)
      expect({ ...made, course: null }).toEqual(replicate(town(one), { seed: one.seed }))
    }),
    { numRuns: 3 },
  )
})

test("a course that is taken in parts is the one that is taken at the end", () => {
  fc.assert(
    fc.property(drawn, fc.integer({ min: 1, max: 40 }), (one, partMin) => {
      const model = town(one)
      const { made, course: whole } = recorded(model, one.seed)
      const world = new FleetWorld(model, { seed: one.seed, hasCourse: true })
      const parts = new Course()
      startFleet(world)
      for (let untilMs = 0; untilMs < made.virtualMs;) {
        untilMs = Math.min(made.virtualMs, untilMs + partMin * MINUTE_MS)
        world.service.host.time.run(world.startMs + untilMs)
        parts.append(world.course?.take(world.startMs + untilMs) as CourseChunk)
        expect(parts.untilMs).toBe(untilMs)
      }
      expect(parts.actors).toEqual(whole.actors)
      const end = made.virtualMs + 1
      expect(parts.breaksIn(0, end)).toEqual(whole.breaksIn(0, end))
      for (const actor of whole.actors.keys()) {
        expect(parts.changesOf(actor)).toEqual(whole.changesOf(actor))
        expect(parts.legsOf(actor)).toEqual(whole.legsOf(actor))
      }
      for (const [number, name] of whole.levels.entries()) {
        const same = parts.levelNumber(name) ?? Number.NaN
        for (let ms = 0; ms < end; ms += 7 * MINUTE_MS)
          expect(parts.levelAt(same, ms)).toBe(whole.levelAt(number, ms))
      }
    }),
    { numRuns: 3 },
  )
})

/** What the service says of each group: `LOADED at 1000`, each once. */
function watched(world: FleetWorld): {
  readonly said: Map<string, string[]>
  readonly active: Map<string, Map<number, string | null>>
} {
  const said = new Map<string, string[]>()
  const active = new Map<string, Map<number, string | null>>()
  const last = new Map<string, string | null>()
  const tell = (address: string, what: string, status: string | null, atMs: number): void => {
    if (last.get(`${address} ${what}`) === status) return
    last.set(`${address} ${what}`, status)
    if (status !== null)
      said.set(address, [...(said.get(address) ?? []), `${status} ${atMs - world.startMs}`])
  }
  world.service.host.onTurn(({ outcome, group, emissions, instantMs }) => {
    const { address } = group
    if (outcome.type === "refused") return
    for (const { actors } of [...emissions, group]) {
      if (kindOf(address) === "delivery")
        tell(address, "delivery", deliveryStatus(actors, address), instantMs)
      if (kindOf(address) !== "reservation") continue
      tell(address, "reservation", reservationStatus(actors, address), instantMs)
      tell(address, "bot", botStatus(actors, address), instantMs)
      tell(address, "handoff", handoffStatus(actors, address), instantMs)
    }
    if (kindOf(address) !== "vehicle") return
    const { activeId } = rootOf("vehicle", group).context
    const known = active.get(address) ?? new Map()
    active.set(
      address,
      known.set(instantMs - world.startMs, activeId === null ? null : `delivery/${activeId}`),
    )
  })
  return { said, active }
}

/** States of the course for what the service says at the same instant. */
const ORDER = {
  LOADED: "on board",
  COMPLETED: "delivered",
  completed: "delivered",
  CANCELLED: "canceled",
  canceled: "canceled",
}
const ROBOT = { ARRIVED: "settling", READY_FOR_HANDOFF: "ready", LOADED: "leaving" }
const RUNNER = { HELD: "waiting for order", RETRIEVED: "carrying" }

test("orders, robots, runners and vehicles have the states of their machines at the same instants", () => {
  const seen = new Set<string>()
  fc.assert(
    fc.property(drawn, (one) => {
      const world = new FleetWorld(town(one), { seed: one.seed, hasCourse: true })
      const { said, active } = watched(world)
      const course = courseFrom(runToItsEnd(world, { seed: one.seed, onProgress: undefined }))
      // A state that ended at once was never there for the service: the step was refused.
      const runners = actorsOf(course, "runner").flatMap((actor) =>
        course.changesOf(actor).filter(({ atMs }, at, all) => all[at + 1]?.atMs !== atMs),
      )
      const check = (
        address: string,
        words: Readonly<Record<string, string>>,
        changes: readonly { readonly state: string; readonly atMs: number }[],
      ): void => {
        const states = new Set(Object.values(words))
        const found = changes
          .filter(({ state }) => states.has(state))
          .map(({ state, atMs }) => `${state} ${atMs}`)
        const lines = said.get(address) ?? []
        const expected = lines.flatMap((line) => {
          const [status = "", atMs = ""] = line.split(" ")
          const hasFailed = lines.includes(`FAILED ${atMs}`) || lines.includes(`CANCELED ${atMs}`)
          const state = words === RUNNER && hasFailed ? undefined : words[status]
          return state === undefined ? [] : [`${state} ${atMs}`]
        })
        for (const { state } of changes) seen.add(state)
        expect(found.toSorted()).toEqual(expected.toSorted())
      }
      for (const [actor, { kind, address }] of course.actors.entries()) {
        if (kind === "order") {
          check(address ?? "", ORDER, course.changesOf(actor))
          check(
            address ?? "",
            RUNNER,
            runners.filter(({ order }) => order === actor),
          )
        }
        if (kind === "robot") check(address ?? "", ROBOT, course.changesOf(actor))
        if (kind !== "vehicle") continue
        for (const [ms, delivery] of active.get(address ?? "") ?? []) {
          // A vehicle that is away goes on with its order when it is back.
          if (/broken|charging/.test(course.stateAt(actor, ms) ?? "")) continue
          const order = course.orderAt(actor, ms)
          expect(order === null ? null : course.actors[order]?.address).toBe(delivery)
        }
      }
    }),
    { numRuns: 10 },
  )
  expect([...seen]).toEqual(
    expect.arrayContaining([
      "cooking",
      "on board",
      "delivered",
      "canceled",
      "gave up",
      "leaving",
      "carrying",
    ]),
  )
})

test("a promise is broken at its instant if the order is not there by then, and as often as orders are late", () => {
  let broken = 0
  fc.assert(
    fc.property(drawn, (one) => {
      const { made, course } = recorded(town(one), one.seed)
      const breaks = course.breaksIn(0, made.virtualMs + 1).filter(({ kind }) => kind === "broken promise")
      broken += breaks.length
      const late = breaks.filter(({ actor }) => course.changesOf(actor ?? -1).at(-1)?.state === "delivered")
      expect(late.length).toBe(made.counts["orders.late"] ?? 0)
      expect(new Set(breaks.map(({ actor }) => actor)).size).toBe(breaks.length)
      for (const { atMs, actor } of breaks) {
        const { order } = course.actors[actor ?? -1] ?? {}
        if (order === null || order === undefined) throw new Error("an order has a promise")
        // A robot that waited too long leaves before.
        expect(atMs).toBeLessThanOrEqual(order.promisedMs)
        const met = order.product === "reservation" ? ["on board", "delivered"] : ["delivered"]
        expect(met).not.toContain(course.stateAt(actor ?? -1, atMs))
      }
    }),
    { numRuns: 6 },
  )
  expect(broken).toBeGreaterThan(5)
})

test("the head tells the sites as the model has them", () => {
  const one = { runners: 2, stalls: 3, vehicles: 1, trouble: false, seed: 4 }
  const model = town(one)
  const head = courseHeadOf(model, 4, new FleetWorld(model, { seed: 4 }))
  expect(head).toMatchObject({ seed: 4, horizonMs: 120 * MINUTE_MS, isOnStreets: false })
  const [site] = head.sites
  expect(site).toMatchObject({ name: "north", at: [30.4, -97.7], stalls: ["A001", "A002", "A003"] })
  expect(site?.stores).toEqual([{ name: "kitchen", at: null, cooks: 2 }])
  expect(site?.area.map(([latitude]) => Math.round(latitude))).toEqual([30, 30, 30, 30, 30])
})
