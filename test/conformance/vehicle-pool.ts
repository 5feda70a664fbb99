/**
 * The contract of `VehicleRows.pool`: every store finds in its index what a look at all vehicles finds (`poolOf`), after any
 * change of vehicles, runs and positions.
 */

import { Effect } from "effect"
import fc from "fast-check"
import { expect, test } from "vitest"
import { sha256Hex } from "#digest"
import { DELIVERY_STATUSES, isFinal } from "../../src/model/delivery.ts"
import { CANDIDATES_MAX, COMPARED_VEHICLES_MAX, LOADING_MS } from "../../src/model/values/limits.ts"
import type { Place } from "../../src/model/place.ts"
import { MINUTE_MS } from "../../src/model/values/time.ts"
import { poolOf } from "../../src/areas/dispatch/assignment.ts"
import { DISPATCH_POLICIES } from "../../src/model/vehicle-pool.ts"
import type { Candidate, DispatchPolicy, Pool } from "../../src/model/vehicle-pool.ts"
import { metresToStore, startsAtDepot } from "../../src/areas/dispatch/fleet.ts"
import { comparedTimes } from "../../src/areas/dispatch/queue.ts"
import type { FixRow, VehicleRow } from "../../src/areas/dispatch/rows.ts"
import { VehicleRows } from "../../src/areas/dispatch/rows.ts"
import { DeliveryRows } from "../../src/areas/direct-delivery/rows.ts"
import type { DeliveryRow } from "../../src/areas/direct-delivery/rows.ts"
import { ActorHost } from "../../src/engine/services/host.ts"
import type { Transaction } from "../../src/engine/services/host.ts"
import { Routine } from "../../src/engine/services/routine.ts"
import { FLEET, STORE, north } from "./delivery-world.ts"
import type { RowsHarness } from "./reservation-rows.ts"

type Harness = RowsHarness<DeliveryRows | VehicleRows>
type Write = Effect.Effect<unknown, never, Transaction | DeliveryRows | VehicleRows>

/** Rows of which a test changes what it is about. */
export interface PoolRows {
  readonly vehicle: VehicleRow
  readonly delivery: Omit<DeliveryRow, "number">
  readonly fix: FixRow
}

/** A vehicle as a test wants it. Its places are reported in order; the last one counts. */
interface Given {
  readonly vehicleId: string
  readonly isOnline: boolean
  readonly isSandboxes: boolean
  readonly runs: number
  readonly places: readonly Place[]
}

const rows = Effect.serviceFunctions(DeliveryRows)
const vehicles = Effect.serviceFunctions(VehicleRows)

/** Half a degree each way is more than 50 km; the small steps stay within what an index may leave out. */
const far = fc.double({ min: -0.5, max: 0.5, noNaN: true })
const near = fc.double({ min: -0.004, max: 0.004, noNaN: true })
const step = fc.double({ min: -0.0004, max: 0.0004, noNaN: true })

const given = fc.record({
  isOnline: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.boolean() }),
  isSandboxes: fc.oneof(
    { weight: 5, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
  runs: fc.nat({ max: 3 }),
  offset: fc.option(fc.oneof(fc.tuple(far, far), fc.tuple(near, near)), { freq: 6 }),
  steps: fc.array(fc.tuple(step, step), { maxLength: 2 }),
})

const fleet = fc.record({
  vehicles: fc.array(given, { maxLength: 40 }),
  /** In some fleets all vehicles are full, and in some all are offline. */
  kind: fc.constantFrom("mixed", "mixed", "full", "offline"),
  holds: fc.nat({ max: 9 }),
})

export function vehiclePoolTests(make: () => Harness, base: PoolRows): void {
  test("the pool of random fleets is what a look at all their vehicles finds", async () => {
    const h = make()
    const fleets = fc.sample(fleet, { numRuns: 30, seed: 205 }).map((one, at) => ({
      fleetId: `fleet_${at}`,
      holds: one.holds,
      given: one.vehicles.map((vehicle, number): Given => {
        const [latitude = 0, longitude = 0] = vehicle.offset ?? []
        const start = moved(STORE, latitude, longitude)
        const steps = vehicle.steps.map(([up, aside]) => moved(start, up, aside))
        return {
          vehicleId: `veh_${at}_${number}`,
          isOnline: one.kind !== "offline" && vehicle.isOnline,
          isSandboxes: vehicle.isSandboxes,
          runs: one.kind === "full" ? Math.max(2, vehicle.runs) : vehicle.runs,
          places: vehicle.offset === null ? [] : [start, ...steps],
        }
      }),
    }))
    for (const one of fleets) await put(h, base, one.fleetId, one.given)
    let shared = 0
    for (const { fleetId, holds, given: all } of fleets) {
      for (const policy of DISPATCH_POLICIES) {
        const found = await poolAt(h, fleetId, { store: STORE, policy, holds })
        expect(found, `${fleetId} ${policy}`).toEqual(
          poolOf(all.map(candidate(STORE, policy)), holds, policy),
        )
        shared += found.candidates.filter(({ sharesTrip }) => sharesTrip).length
      }
    }
    expect(shared).toBeGreaterThan(3)
    expect(await poolAt(h, "fleet_without_vehicles", { store: STORE, holds: 3 })).toEqual(poolOf([], 3))
  })

  test("of vehicles that stand in a crowd, the nearest by whole metres and then by id are listed", async () => {
    const h = make()
    const crowd = Array.from({ length: 260 }, (_, at): Given => {
      const vehicleId = `veh_${String((at * 37) % 260).padStart(3, "0")}`
      return parked(vehicleId, [moved(STORE, 0.03 + (at % 4) * 1e-6, (at % 7) * 1e-6)])
    })
    await put(h, base, FLEET, crowd)
    const pool = await poolAt(h, FLEET, { store: STORE })
    expect(pool).toEqual(poolOf(crowd.map(candidate(STORE)), 0))
    expect(pool.candidates.map(({ vehicleId }) => vehicleId)).toEqual([
      "veh_000",
      "veh_001",
      "veh_002",
      "veh_003",
    ])
  })

  test("of a large fleet, the earliest free is looked for among the nearest idle vehicles and the nearest busy ones", async () => {
    const h = make()
    const idle = Array.from({ length: 40 }, (_, at) => parked(`veh_idle_${at}`, [north(20_000 + at * 100)]))
    const busy = Array.from({ length: 40 }, (_, at): Given => ({
      ...parked(`veh_busy_${at}`, [north(100 + at)]),
      runs: 1,
    }))
    await put(h, base, FLEET, [...idle, ...busy])
    const pool = await poolAt(h, FLEET, { store: STORE, policy: "earliest_free" })
    const all = [...idle, ...busy].map(candidate(STORE, "earliest_free"))
    expect(pool).toEqual(poolOf(all, 0, "earliest_free"))
    const looked = [idle, busy].flatMap((some) =>
      some.slice(0, COMPARED_VEHICLES_MAX).map(({ vehicleId }) => vehicleId),
    )
    const best = all
      .filter(({ vehicleId }) => looked.includes(vehicleId))
      .toSorted((one, other) => (one.freeAtMs ?? 0) - (other.freeAtMs ?? 0))
    expect(pool.candidates[0]).toEqual(best[0])
    const light = await poolAt(h, FLEET, { store: STORE, policy: "least_loaded" })
    expect(light.candidates.map(({ vehicleId }) => vehicleId)).toEqual(
      idle.slice(0, CANDIDATES_MAX).map(({ vehicleId }) => vehicleId),
    )
    expect((await poolAt(h, FLEET, { store: STORE })).candidates[0]?.vehicleId).toBe("veh_busy_0")
  })

  test.each<[string, Place]>([
    ["at the antimeridian", { latitude: 10, longitude: 179.99 }],
    ["near a pole", { latitude: 89.9, longitude: 20 }],
    ["with no vehicle within a thousand kilometres", { latitude: -40, longitude: 60 }],
  ])("a store %s has the nearest vehicles, too", async (_, store) => {
    const h = make()
    const all = Array.from({ length: 60 }, (_unused, at) =>
      parked(`veh_${at}`, [
        at < 40
          ? { latitude: 10 + at / 1000, longitude: at % 2 === 0 ? 179.9 : -179.9 - at / 1000 }
          : { latitude: 89.9 - at / 10_000, longitude: at * 6 - 240 },
      ]),
    )
    await put(h, base, FLEET, all)
    expect(await poolAt(h, FLEET, { store })).toEqual(poolOf(all.map(candidate(store)), 0))
  })

  test("the pool follows runs that begin, change their vehicle, end and are forgotten", async () => {
    const h = make()
    const all = [parked("veh_1", [north(100)]), parked("veh_2", [north(200)]), parked("veh_3", [north(300)])]
    await put(h, base, FLEET, all)
    const runs = async (): Promise<readonly (readonly [string, number])[]> =>
      (await poolAt(h, FLEET, { store: STORE })).candidates.map((one) => [one.vehicleId, one.runs] as const)
    const run = (deliveryId: string, vehicleId: string, more: Partial<DeliveryRow> = {}) =>
      rows.insert({ ...base.delivery, deliveryId, externalDeliveryId: deliveryId, vehicleId, ...more })
    await write(
      h,
      run("dlv_1", "veh_1"),
      run("dlv_2", "veh_1"),
      run("dlv_3", "veh_2"),
      run("dlv_4", "veh_3", { status: "COMPLETED" }),
      run("dlv_5", "veh_3", { fleetId: "fleet_other" }),
    )
    expect(await runs()).toEqual([
      ["veh_2", 1],
      ["veh_3", 0],
    ])
    await write(h, rows.change("dlv_2", { vehicleId: "veh_3", status: "ASSIGNED" }))
    expect(await runs()).toEqual([
      ["veh_1", 1],
      ["veh_2", 1],
      ["veh_3", 1],
    ])
    await write(
      h,
      rows.change("dlv_1", { status: "CANCELLED" }),
      rows.change("dlv_1", { status: "CANCELLED" }),
    )
    await write(h, rows.forget("dlv_3"), rows.forget("dlv_1"))
    expect(await runs()).toEqual([
      ["veh_1", 0],
      ["veh_2", 0],
      ["veh_3", 1],
    ])
  })

  test("the pool follows vehicles that go offline and come back, and forgets a failed transaction", async () => {
    const h = make()
    await put(h, base, FLEET, [parked("veh_1", [north(100)]), parked("veh_2", [north(200)])])
    const ids = async (): Promise<readonly string[]> =>
      (await poolAt(h, FLEET, { store: STORE })).candidates.map(({ vehicleId }) => vehicleId)
    await write(h, vehicles.change("veh_1", { isOnline: false }))
    expect(await ids()).toEqual(["veh_2"])
    await write(h, vehicles.change("veh_2", { isOnline: false }))
    expect(await ids()).toEqual(["veh_1", "veh_2"])
    await write(h, vehicles.change("veh_2", { isOnline: true }), vehicles.change("veh_2", { label: "Two" }))
    expect(await ids()).toEqual(["veh_2"])
    const failing = Effect.gen(function* () {
      const host = yield* ActorHost
      const body = Effect.gen(function* () {
        yield* vehicles.change("veh_1", { isOnline: true })
        yield* rows.insert({ ...base.delivery, vehicleId: "veh_2" })
        yield* vehicles.insertFix(fixAt(base.fix, "veh_2", north(9_000), 9))
        return yield* Effect.fail("no" as const)
      })
      return yield* Effect.flip(host.run({ name: "a test", locks: {}, body: () => Routine.from(body) }))
    })
    expect(await h.run(failing)).toBe("no")
    expect(await poolAt(h, FLEET, { store: STORE })).toEqual(
      poolOf([{ vehicleId: "veh_2", isOnline: true, runs: 0, metres: 200 }], 0),
    )
  })

  test("a vehicle is where it was last by its own clock, and at the depot when its positions are purged", async () => {
    const h = make()
    await put(h, base, FLEET, [parked("veh_1", [north(100)]), parked("veh_2", [north(1_200)])])
    const found = async (): Promise<readonly (readonly [string, number])[]> =>
      (await poolAt(h, FLEET, { store: STORE })).candidates.map((one) => [one.vehicleId, one.metres] as const)
    await write(h, vehicles.insertFix(fixAt(base.fix, "veh_1", north(3_000), 7)))
    // Received last, recorded before.
    await write(h, vehicles.insertFix({ ...fixAt(base.fix, "veh_1", north(50), 3), receivedAtMs: 1_000 }))
    expect(await found()).toEqual([
      ["veh_2", 1_200],
      ["veh_1", 3_000],
    ])
    const purge = (beforeMs: number): Write => vehicles.purgeFixes({ beforeMs, limit: 100 })
    await write(h, purge(base.fix.receivedAtMs + 7))
    expect(await found()).toEqual([
      ["veh_1", 1_000],
      ["veh_2", 1_000],
    ])
    await write(h, vehicles.insertFix(fixAt(base.fix, "veh_2", north(40), 9)))
    expect(await found()).toEqual([
      ["veh_2", 40],
      ["veh_1", 1_000],
    ])
  })
}

function moved({ latitude, longitude }: Place, up: number, aside: number): Place {
  return { latitude: latitude + up, longitude: longitude + aside }
}

function parked(vehicleId: string, places: readonly Place[]): Given {
  return { vehicleId, isOnline: true, isSandboxes: false, runs: 0, places }
}

/** The vehicle that a test wants, as a row. */
function rowOf(
  { vehicle }: PoolRows,
  fleetId: string,
  { vehicleId, isOnline, isSandboxes }: Given,
): VehicleRow {
  const environment = isSandboxes ? "sandbox" : "production"
  return { ...vehicle, vehicleId, fleetId, environment, isSynthetic: isSandboxes, isOnline }
}

/** What the look at all vehicles sees of it. */
function candidate(store: Place, policy: DispatchPolicy = "nearest"): (given: Given) => Candidate {
  return ({ vehicleId, isOnline, isSandboxes, runs, places }) => {
    const isAtDepot = startsAtDepot({
      vehicleId,
      fleetId: FLEET,
      label: "",
      isOnline,
      isSynthetic: isSandboxes,
      environment: isSandboxes ? "sandbox" : "production",
    })
    const last = isAtDepot ? null : (places.at(-1) ?? null)
    const seen: Candidate = { vehicleId, isOnline, runs, metres: metresToStore(last, store) }
    const open = queueOf(vehicleId, runs).map(({ place: customer, storePlace, ...run }, number) => {
      return { ...run, customer, store: storePlace, number }
    })
    const asked = { store, policy, order: ORDER, nowMs: 0, loadingMs: LOADING_MS }
    return { ...seen, ...comparedTimes({ ...asked, open, from: last }) }
  }
}

/** What vehicles are asked for. */
const ORDER = { customer: moved(STORE, 0.004, 0.004), readyByMs: 20 * MINUTE_MS }

type QueuedRow = Pick<
  DeliveryRow,
  "deliveryEtaMs" | "pickupEtaMs" | "place" | "readyByMs" | "status" | "storePlace"
>

/** The runs of a vehicle, oldest first: of all kinds, and the same for the same vehicle. */
function queueOf(vehicleId: string, runs: number): readonly QueuedRow[] {
  const open = DELIVERY_STATUSES.filter((status) => !isFinal(status))
  return Array.from({ length: runs }, (_, at) => {
    const mixed = Number.parseInt(sha256Hex(`${vehicleId} ${at}`).slice(0, 8), 16)
    const part = (of: number, from: number): number => Math.floor(mixed / from) % of
    // Half of them are of the kind that shares a trip.
    const isNear = part(2, 10_598_280) === 0
    const readyByMs = (isNear ? 16 + part(9, 264_957) : part(40, 264_957)) * MINUTE_MS
    const apart = isNear ? 4_000 : 1_000
    const nearStatus = part(4, 21_196_560) === 0 ? "LOADED" : "ASSIGNED"
    const otherStore = moved(STORE, 0.01, part(11, 24_087) / 1_000)
    return {
      status: isNear ? nearStatus : (open[part(open.length, 1)] ?? "SCHEDULED"),
      place: moved(STORE, part(31, 7) / apart, part(37, 217) / apart),
      storePlace: part(isNear ? 9 : 3, 8_029) === 1 ? otherStore : null,
      readyByMs,
      pickupEtaMs: readyByMs,
      deliveryEtaMs: readyByMs + (14 + part(20, 2_384_613)) * MINUTE_MS,
    }
  })
}

function fixAt(fix: FixRow, vehicleId: string, place: Place, atMs: number): FixRow {
  const recordedAtMs = fix.recordedAtMs + atMs
  return { ...fix, ...place, vehicleId, recordedAtMs, receivedAtMs: fix.receivedAtMs + atMs, sequence: atMs }
}

/** Some runs are there before their vehicle, as after a restore; some positions come before it and some after. */
function put(h: Harness, base: PoolRows, fleetId: string, all: readonly Given[]): Promise<void> {
  const writes = all.flatMap((one, at) => {
    const { vehicleId, runs, places } = one
    const began = queueOf(vehicleId, runs).map((run, number) => {
      const deliveryId = `dlv_${vehicleId}_${number}`
      return rows.insert({
        ...base.delivery,
        ...run,
        deliveryId,
        externalDeliveryId: deliveryId,
        vehicleId,
        fleetId,
      })
    })
    const reported = places.map((place, number) =>
      vehicles.insertFix(fixAt(base.fix, vehicleId, place, number)),
    )
    const vehicle = vehicles.insert(rowOf(base, fleetId, one))
    return at % 3 === 0 ? [...began, ...reported, vehicle] : [vehicle, ...reported, ...began]
  })
  return h.run(
    Effect.flatMap(ActorHost, (host) =>
      host.run({
        name: "a test",
        locks: {},
        body: () => Routine.from(Effect.all(writes, { discard: true })),
      }),
    ),
  )
}

function write(h: Harness, ...writes: readonly Write[]): Promise<void> {
  return h.run(
    Effect.gen(function* () {
      const host = yield* ActorHost
      for (const one of writes) yield* host.run({ name: "a test", locks: {}, body: () => Routine.from(one) })
    }),
  )
}

function poolAt(
  h: Harness,
  fleetId: string,
  { store, policy = "nearest", holds = 0 }: { store: Place; policy?: DispatchPolicy; holds?: number },
): Promise<Pool> {
  // No errand is held here: a negative number of released holds counts as that many holds.
  return h.run(
    vehicles.pool(fleetId, { store, policy, order: ORDER, atMs: 0, without: null, released: -holds }),
  )
}
