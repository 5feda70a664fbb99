/**
 * The fleet in decisions: a few vehicles and two counts. They choose as if they had every vehicle, like the earlier
 * versions whose facts contained them all.
 */

import { readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { CANDIDATES_MAX, COMPARED_VEHICLES_MAX, RUNS_PER_VEHICLE } from "../../../src/model/values/limits.ts"
import { program } from "../../../src/apps/composition/program.ts"
import { bestVehicle, poolBy, poolOf } from "../../../src/areas/dispatch/assignment.ts"
import { metresToStore } from "../../../src/areas/dispatch/fleet.ts"
import { comparedTimes } from "../../../src/areas/dispatch/queue.ts"
import type { Candidate } from "../../../src/model/vehicle-pool.ts"

const NOW_MS = Date.UTC(2026, 2, 2, 12)

/** Each version of today with those whose facts held the whole fleet. */
const WHOLE: Readonly<Record<string, readonly string[]>> = {
  "check-errand@3": ["check-errand@1", "check-errand@2"],
  "confirm-errand@2": ["confirm-errand@1"],
  "promote@3": ["promote@1", "promote@2"],
  "reserve-errand@2": ["reserve-errand@1"],
}

interface WholeFacts {
  readonly candidates: readonly Candidate[]
  readonly holds: number
}

function decide(decision: string, facts: object): object {
  const found = program.decisions[decision]?.(facts as never, {} as never, NOW_MS)
  if (found === undefined) throw new Error(`there is no ${decision}`)
  return found
}

/** The same facts with the fleet in its present form. */
function pooled<Facts extends WholeFacts>({ candidates, holds, ...facts }: Facts): object {
  return { ...facts, ...poolOf(candidates, holds) }
}

const vehicle = fc.record({
  vehicleId: fc.string({ minLength: 1, maxLength: 3 }),
  isOnline: fc.boolean(),
  runs: fc.oneof({ weight: 3, arbitrary: fc.nat({ max: 2 }) }, { weight: 1, arbitrary: fc.nat({ max: 5 }) }),
  // Few distances, so that ids have to decide.
  metres: fc.oneof(fc.nat({ max: 3 }), fc.nat({ max: 20_000 })),
})
const fleet = fc.record({
  candidates: fc.uniqueArray(vehicle, { selector: ({ vehicleId }) => vehicleId, maxLength: 30 }),
  holds: fc.nat({ max: 12 }),
})
const screened = fc.record({
  isTimely: fc.boolean(),
  isRestricted: fc.boolean(),
  offersCurbside: fc.constant(true),
  isServedStore: fc.constant(true),
  isInZone: fc.constant(true),
  isOutOfReach: fc.constant(false),
  windows: fc.nat({ max: 1 }),
  quote: fc.option(
    fc.record({ isAvailable: fc.boolean(), expiresAtMs: fc.constantFrom(NOW_MS, NOW_MS + 1) }),
  ),
})

describe("a decision over a pool", () => {
  test.each(["check-errand@3", "confirm-errand@2", "promote@3", "reserve-errand@2"])(
    "%s decides over random fleets as the version before it, which saw every vehicle",
    (decision) => {
      const before = WHOLE[decision]?.at(-1) ?? ""
      fc.assert(
        fc.property(fleet, screened, (vehicles, others) => {
          const facts = { ...others, ...vehicles }
          expect(decide(decision, pooled(facts))).toEqual(decide(before, facts))
        }),
        { numRuns: 500 },
      )
    },
  )

  test("every decision in the kept journals that saw a whole fleet chooses the same from the pool", () => {
    const folder = join(import.meta.dirname, "../../simulation/replay")
    const files = readdirSync(folder).filter((name) => name.endsWith(".ndjson"))
    const lines = files.flatMap((name) => readFileSync(join(folder, name), "utf8").trim().split("\n"))
    const entries = lines.flatMap((line) => (JSON.parse(line) as { e?: KeptEntry }).e ?? [])
    let compared = 0
    for (const [today, versions] of Object.entries(WHOLE)) {
      for (const { decision, facts, decided, atMs } of entries) {
        if (decision === null || !versions.includes(decision)) continue
        const { candidates, holds = 0, ...others } = facts
        // What version 1 of a check had not yet.
        const told = { isRestricted: false, ...others, ...poolOf(candidates, holds) }
        expect(program.decisions[today]?.(told as never, {} as never, atMs), decision).toEqual(decided)
        compared += 1
      }
    }
    expect(compared).toBeGreaterThanOrEqual(5)
  })

  test("its size does not grow with the fleet", () => {
    const sizeAt = (vehicles: number): number => {
      const candidates = Array.from({ length: vehicles }, (_, at): Candidate => ({
        vehicleId: `veh_${10_000 + at}`,
        isOnline: true,
        runs: 0,
        metres: 10_000 + at,
      }))
      return JSON.stringify(poolOf(candidates, 0)).length
    }
    expect(sizeAt(10_000)).toBe(sizeAt(CANDIDATES_MAX + 1))
  })

  test("a list that hides a nearer vehicle decides nothing", () => {
    const far: Candidate = { vehicleId: "veh_far", isOnline: true, runs: 0, metres: 900 }
    expect(() => bestVehicle({ candidates: [far], nextM: 899 })).toThrow("veh_far is 900 m away")
    expect(bestVehicle({ candidates: [far], nextM: 900 })).toEqual(far)
  })
})

describe("another policy of dispatch", () => {
  const timed = fc.tuple(vehicle, fc.nat({ max: 5 })).map(([one, freeAtMs]) => ({ ...one, freeAtMs }))
  const fleetOf = fc.uniqueArray(timed, {
    selector: ({ vehicleId }) => vehicleId,
    minLength: 1,
    maxLength: 30,
  })

  test.each([
    ["least_loaded", (one: Candidate) => one.runs],
    ["earliest_free", (one: Candidate) => one.freeAtMs ?? 0],
  ] as const)(
    "%s takes the vehicle with the least of its measure, then the nearest one",
    (policy, measure) => {
      fc.assert(
        fc.property(fleetOf, (vehicles) => {
          const chosen = bestVehicle(poolBy(policy, { free: 1, owed: 0 }, vehicles))
          const free = vehicles.filter(({ isOnline, runs }) => isOnline && runs < RUNS_PER_VEHICLE)
          if (chosen === null) throw new Error("a fleet of vehicles has a first one")
          if (free.length === 0) return
          expect(free.map(({ vehicleId }) => vehicleId)).toContain(chosen.vehicleId)
          const least = Math.min(...free.map(measure))
          expect(measure(chosen)).toBe(least)
          const alike = free.filter((one) => measure(one) === least)
          expect(chosen.metres).toBe(Math.min(...alike.map(({ metres }) => metres)))
        }),
        { numRuns: 500 },
      )
    },
  )

  test("earliest_free takes the vehicle that is at the store first of the whole fleet, while few busy ones are nearer than all idle ones", () => {
    const spot = fc
      .tuple(fc.integer({ min: -60, max: 60 }), fc.integer({ min: -60, max: 60 }))
      .map(([up, aside]) => ({ latitude: 30.4 + up / 1_000, longitude: -97.72 + aside / 1_000 }))
    const run = fc.record({
      status: fc.constantFrom("SCHEDULED" as const, "EN_ROUTE_TO_STORE" as const, "LOADED" as const),
      store: spot,
      customer: spot,
      readyByMs: fc.integer({ min: 0, max: 3_600_000 }),
      pickupEtaMs: fc.constant(0),
      deliveryEtaMs: fc.constant(0),
      number: fc.nat(),
    })
    const store = { latitude: 30.4, longitude: -97.72 }
    const asked = { store, policy: "earliest_free", order: null, nowMs: 0, loadingMs: 0 } as const
    const standing = fc.record({ from: spot, open: fc.array(run, { maxLength: 1 }) })
    fc.assert(
      fc.property(fc.array(standing, { minLength: 1, maxLength: 12 }), (all) => {
        const vehicles = all.map(({ from, open }, at): Candidate => ({
          vehicleId: `veh_${at}`,
          isOnline: true,
          runs: open.length,
          metres: metresToStore(from, store),
          ...comparedTimes({ ...asked, open, from }),
        }))
        fc.pre(vehicles.filter(({ runs }) => runs > 0).length <= COMPARED_VEHICLES_MAX)
        const chosen = bestVehicle(poolOf(vehicles, 0, "earliest_free"))
        expect(chosen?.freeAtMs).toBe(Math.min(...vehicles.map(({ freeAtMs = 0 }) => freeAtMs)))
      }),
      { numRuns: 1_000 },
    )
  })

  test("batching takes a vehicle that shares its trip, the first that can load, and without one it chooses as earliest_free", () => {
    const sharing = fc.tuple(timed, fc.boolean()).map(([one, shares]): Candidate => {
      return shares && one.isOnline && one.runs === 1 ? { ...one, sharesTrip: true } : one
    })
    const fleets = fc.uniqueArray(sharing, {
      selector: ({ vehicleId }) => vehicleId,
      minLength: 1,
      maxLength: 30,
    })
    const places = { free: 1, owed: 0 }
    fc.assert(
      fc.property(fleets, (vehicles) => {
        const chosen = bestVehicle(poolBy("batching", places, vehicles))
        const shared = vehicles.filter(({ sharesTrip }) => sharesTrip)
        const among = shared.length === 0 ? vehicles : shared
        expect(chosen).toEqual(bestVehicle(poolBy("earliest_free", places, among)))
      }),
      { numRuns: 500 },
    )
  })

  test("a trip is shared with one of the nearest busy vehicles, however near an idle one is", () => {
    const idle: Candidate = { vehicleId: "veh_idle", isOnline: true, runs: 0, metres: 10, freeAtMs: 1 }
    const busy: Candidate = {
      vehicleId: "veh_busy",
      isOnline: true,
      runs: 1,
      metres: 9_000,
      freeAtMs: 9,
      sharesTrip: true,
    }
    expect(bestVehicle(poolOf([idle, busy], 0, "batching"))).toEqual(busy)
    expect(bestVehicle(poolOf([idle, busy], 0, "earliest_free"))).toEqual(idle)
  })

  test("promoting a quote follows the policy of its facts", () => {
    const near: Candidate = { vehicleId: "veh_near", isOnline: true, runs: 1, metres: 100, freeAtMs: 9 }
    const idle: Candidate = { vehicleId: "veh_idle", isOnline: true, runs: 0, metres: 5_000, freeAtMs: 20 }
    const quoted = { quote: { isAvailable: true, expiresAtMs: NOW_MS + 1 } }
    const places = { free: 3, owed: 0 }
    const by = (policy: "batching" | "earliest_free" | "least_loaded", busy: Candidate = near): object =>
      decide("promote@3", { ...quoted, ...poolBy(policy, places, [busy, idle]) })
    expect(decide("promote@3", { ...quoted, ...poolOf([near, idle], 0) })).toEqual({ vehicleId: "veh_near" })
    expect(by("least_loaded")).toEqual({ vehicleId: "veh_idle" })
    expect(by("earliest_free")).toEqual({ vehicleId: "veh_near" })
    const late = { ...near, freeAtMs: 30 }
    expect(by("batching", late)).toEqual({ vehicleId: "veh_idle" })
    expect(by("batching", { ...late, sharesTrip: true })).toEqual({ vehicleId: "veh_near" })
  })
})

interface KeptEntry {
  readonly decision: string | null
  readonly facts: Omit<WholeFacts, "holds"> & { readonly holds?: number }
  readonly decided: object
  readonly atMs: number
}
