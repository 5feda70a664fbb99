/** What a position means for the active run: one row a case, as literals. */

import { describe, expect, test } from "vitest"
import { crossingOf } from "../../../src/areas/dispatch/geofence.ts"
import type { Sighting } from "../../../src/areas/dispatch/geofence.ts"
import { bestVehicle, hasPlace, poolOf, timesOf } from "../../../src/areas/dispatch/assignment.ts"
import type { Candidate } from "../../../src/model/vehicle-pool.ts"
import { isInside, metresBetween, northOf } from "../../../src/areas/dispatch/geography.ts"
import { afterRun } from "../../../src/areas/dispatch/queue.ts"
import type { EarlierRun } from "../../../src/areas/dispatch/queue.ts"
import type { DeliveryStatus } from "../../../src/model/delivery.ts"
import { MINUTE_MS } from "../../../src/model/values/time.ts"

const far: Sighting = {
  phase: "assigned",
  status: "ASSIGNED",
  storeM: 2_000,
  customerM: 3_000,
  approachedM: 0,
  load: null,
}

describe("a fix crosses", () => {
  test.each<[string, Partial<Sighting>, string | null]>([
    ["nothing without a run", { phase: "idle", storeM: 0 }, null],
    ["nothing far from everything", {}, null],
    ["nothing by 19 m of approach", { approachedM: 19 }, null],
    ["into an approach at 20 m", { approachedM: 20 }, "store.approached"],
    ["no second approach", { phase: "approaching", approachedM: 500 }, null],
    ["into the store at 50 m", { storeM: 50 }, "store.reached"],
    ["nothing at 51 m", { storeM: 51 }, null],
    ["into the store rather than an approach", { storeM: 10, approachedM: 500 }, "store.reached"],
    ["into a load wherever it is told", { load: "loaded" }, "load.reported"],
    ["nothing at the customer before the order can be on board", { customerM: 10 }, null],
    [
      "into the customer when a supervisor said that it waits",
      { customerM: 10, status: "WAITING_FOR_LOAD" },
      "customer.reached",
    ],
    ["nothing at 100 m from the store", { phase: "waiting", storeM: 100 }, null],
    ["out of the store at 101 m", { phase: "waiting", storeM: 101 }, "store.left"],
    ["out of the store before it waited", { phase: "at_store", storeM: 101 }, "store.left"],
    ["out of the store with the order", { phase: "loaded", storeM: 101 }, "store.left"],
    ["nothing by an unload report at the store", { phase: "loaded", storeM: 10, load: "unloaded" }, null],
    ["nothing back at the store", { phase: "leaving", storeM: 0 }, null],
    ["into the customer at 50 m", { phase: "leaving", customerM: 50 }, "customer.reached"],
    [
      "into the customer before the unload report of the same fix",
      { phase: "leaving", customerM: 50, load: "unloaded" },
      "customer.reached",
    ],
    [
      "into the end by an unload report on the way",
      { phase: "leaving", load: "unloaded" },
      "unload.reported",
    ],
    ["into the end at the customer", { phase: "at_customer", load: "unloaded" }, "unload.reported"],
    ["nothing while it waits at the door", { phase: "at_customer", customerM: 0, load: "loaded" }, null],
  ])("PM3: %s", (_, more, crossing) => {
    expect(crossingOf({ ...far, ...more })).toBe(crossing)
  })
})

describe("the run goes", () => {
  const one = (vehicleId: string, more: Partial<Candidate> = {}): Candidate => ({
    vehicleId,
    isOnline: true,
    runs: 0,
    metres: 1_000,
    ...more,
  })
  test.each<[string, readonly Candidate[], string | null]>([
    ["nowhere without vehicles", [], null],
    ["to the nearest", [one("a"), one("b", { metres: 999 })], "b"],
    ["to the lowest id of two at one distance", [one("b"), one("a")], "a"],
    [
      "to a near vehicle with one run before a far one with none",
      [one("a", { runs: 1 }), one("b", { metres: 2_000 })],
      "a",
    ],
    ["past a full vehicle", [one("a", { runs: 2, metres: 1 }), one("b", { runs: 1 })], "b"],
    ["past an offline vehicle", [one("a", { isOnline: false, metres: 1 }), one("b")], "b"],
    ["to the least full when all are full", [one("a", { runs: 3, metres: 1 }), one("b", { runs: 2 })], "b"],
    ["to an offline one when all are offline", [one("a", { isOnline: false })], "a"],
  ])("PM5: %s", (_, candidates, vehicleId) => {
    expect(bestVehicle(poolOf(candidates, 0))?.vehicleId ?? null).toBe(vehicleId)
  })
})

describe("there is a place", () => {
  const runs = (...counts: readonly number[]): readonly Candidate[] =>
    counts.map((count, at) => ({ vehicleId: `v${at}`, isOnline: true, runs: count, metres: 0 }))
  const offline = (count: number): Candidate => ({
    vehicleId: "off",
    isOnline: false,
    runs: count,
    metres: 0,
  })
  test.each<[string, readonly Candidate[], number, boolean]>([
    ["on a vehicle with one run", runs(1), 0, true],
    ["on no vehicle with two", runs(2), 0, false],
    ["on another vehicle of the fleet", runs(2, 1), 0, true],
    ["on neither of two full ones", runs(2, 2), 0, false],
    ["beside one live hold of an errand", runs(0), 1, true],
    ["not beside a run and a hold", runs(1), 1, false],
    ["not beside two holds", runs(0), 2, false],
    ["not where the fleet has more runs than places", runs(3, 1), 0, false],
    ["not on a vehicle that is off line", [offline(0)], 0, false],
    ["not where a vehicle off line has the runs of one on line", [...runs(0), offline(2)], 0, false],
    ["not without vehicles", [], 0, false],
  ])("Q17: %s", (_, candidates, holds, expected) => {
    expect(hasPlace(poolOf(candidates, holds))).toBe(expected)
  })
})

describe("an estimate", () => {
  const nowMs = Date.UTC(2026, 2, 2, 12)
  test("Q15: waits for the order, or for the vehicle's way at 25 km/h, and is rounded up to a minute", () => {
    const way = { setsOutAtMs: nowMs, readyByMs: nowMs + 1, toStoreM: 2_500, toCustomerM: 5_000 }
    expect(timesOf(way)).toEqual({
      pickupEtaMs: nowMs + 6 * MINUTE_MS,
      deliveryEtaMs: nowMs + 23 * MINUTE_MS,
    })
    const late = { ...way, readyByMs: nowMs + 29 * MINUTE_MS + 1 }
    expect(timesOf(late)).toEqual({
      pickupEtaMs: nowMs + 30 * MINUTE_MS,
      deliveryEtaMs: nowMs + 47 * MINUTE_MS,
    })
  })
})

describe("a vehicle with runs", () => {
  const nowMs = Date.UTC(2026, 2, 2, 12)
  const at = (northM: number) => northOf({ latitude: 30, longitude: -97 }, northM)
  const store = at(0)
  const from = { atMs: nowMs, place: at(2_500) }
  const run = (status: DeliveryStatus) => ({ status, store, customer: at(5_000), readyByMs: nowMs })
  test.each<[string, EarlierRun, number]>([
    ["drives to the store, loads and brings the order", run("SCHEDULED"), 6 + 5 + 12],
    [
      "waits for an order that is not ready",
      { ...run("ASSIGNED"), readyByMs: nowMs + 30 * MINUTE_MS },
      30 + 5 + 12,
    ],
    ["with the order on board only drives to the customer", run("EN_ROUTE_TO_CUSTOMER"), 6],
    ["at the customer is free", run("ARRIVED_AT_CUSTOMER"), 0],
  ])("Q15: %s, and is at the customer then", (_, earlier, minutes) => {
    const { atMs, place } = afterRun(from, earlier, 5 * MINUTE_MS)
    expect(place).toEqual(at(5_000))
    expect((atMs - nowMs) / MINUTE_MS).toBeCloseTo(minutes, 1)
  })
})

describe("on the map", () => {
  const area = [
    [
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 1],
      [0, 0],
    ],
    [
      [0.4, 0.4],
      [0.6, 0.4],
      [0.6, 0.6],
      [0.4, 0.6],
      [0.4, 0.4],
    ],
  ] as const
  test.each([
    ["inside", { latitude: 0.2, longitude: 0.2 }, true],
    ["on the edge", { latitude: 0, longitude: 0.5 }, true],
    ["in the hole", { latitude: 0.5, longitude: 0.5 }, false],
    ["outside", { latitude: 1.1, longitude: 0.5 }, false],
  ])("a place %s", (_, place, expected) => {
    expect(isInside(place, area)).toBe(expected)
  })

  test("a degree along a meridian is 111 195 m", () => {
    const [one, other] = [
      { latitude: 30, longitude: -97 },
      { latitude: 31, longitude: -97 },
    ]
    expect(metresBetween(one, other)).toBe(111_195)
  })
})
