/** How a vehicle is played that does not exist: its way, its stops, and what the people around it do. */

import { describe, expect, test } from "vitest"
import { MINUTE_MS, SECOND_MS } from "../../../src/model/values/time.ts"
import type { ActiveRun } from "../../../src/areas/dispatch/active-runs.ts"
import { metresBetween } from "../../../src/areas/dispatch/geography.ts"
import { along, everyMsAt, metresAlong, nextMove } from "../../../src/areas/dispatch/driving.ts"
import { STORE, north } from "../../conformance/delivery-world.ts"

const NOW = Date.parse("2026-06-01T15:00:00Z")
const CUSTOMER = { latitude: STORE.latitude + 0.01, longitude: STORE.longitude + 0.02 }

function seen(place: { latitude: number; longitude: number }, agoMs: number): ActiveRun["lastFix"] {
  const recordedAtMs = NOW - agoMs
  const base = {
    vehicleId: "veh_1",
    deliveryId: "dlv_1",
    speedMps: null,
    load: null,
    batteryPercent: null,
    sequence: null,
  }
  return { ...base, ...place, recordedAtMs, receivedAtMs: recordedAtMs }
}

const run: ActiveRun = {
  vehicleId: "veh_1",
  deliveryId: "dlv_1",
  phase: "assigned",
  status: "ASSIGNED",
  store: STORE,
  customer: CUSTOMER,
  createdAtMs: NOW - MINUTE_MS,
  readyByMs: NOW - MINUTE_MS,
  atStoreSinceMs: null,
  movedAtMs: NOW - MINUTE_MS,
  hasSupervisor: true,
  lastFix: seen(north(1_000), SECOND_MS),
  second: null,
}

function fixOf(more: Partial<ActiveRun>, speed = 1) {
  const move = nextMove({ ...run, ...more }, { nowMs: NOW, speed })
  return move?.type === "fix" ? move.fix : null
}

describe("a way through the grid", () => {
  test("goes east or west first, then north or south, and ends at the goal itself", () => {
    const eastM = metresAlong(STORE, { ...STORE, longitude: CUSTOMER.longitude })
    const corner = along(STORE, CUSTOMER, eastM)
    expect(corner.longitude).toBeCloseTo(CUSTOMER.longitude, 6)
    expect(corner.latitude).toBeCloseTo(STORE.latitude, 5)
    expect(along(STORE, CUSTOMER, 1e9)).toEqual(CUSTOMER)
  })

  test("is as long as its steps together, and longer than the crow's", () => {
    const wayM = metresAlong(STORE, CUSTOMER)
    expect(wayM).toBeGreaterThan(metresBetween(STORE, CUSTOMER) * 1.2)
    let here = STORE
    let steps = 0
    for (; metresBetween(here, CUSTOMER) > 0 && steps < 1_000; steps += 1) here = along(here, CUSTOMER, 10)
    expect(steps).toBeGreaterThanOrEqual(Math.floor(wayM / 10))
    expect(steps).toBeLessThanOrEqual(Math.ceil(wayM / 10) + 1)
  })
})

describe("a vehicle on its way", () => {
  test("drives at the pace of the street, and so many times as fast", () => {
    const drivenM = (speed: number) =>
      1_000 - metresBetween(fixOf({ phase: "approaching" }, speed) ?? STORE, STORE)
    expect(drivenM(1)).toBe(9)
    expect(drivenM(10)).toBe(89)
    expect(drivenM(600)).toBe(1_000)
  })

  test("without a fix stands at the depot; one without a recent fix stands where it was", () => {
    expect(fixOf({ lastFix: null })).toMatchObject({ ...north(1_000), speed_mps: 0 })
    const lastFix = seen(north(700), 11 * SECOND_MS)
    expect(fixOf({ phase: "approaching", lastFix }, 600)).toMatchObject({ ...north(700), speed_mps: 0 })
  })

  test("drives half of a way at most before it has left, at any speed", () => {
    const toStoreM = metresBetween(fixOf({}, 600) ?? STORE, STORE)
    expect(toStoreM).toBe(500)
    const left = fixOf({ phase: "loaded", status: "LOADED", lastFix: seen(STORE, SECOND_MS) }, 600) ?? STORE
    expect(metresAlong(left, CUSTOMER)).toBeCloseTo(metresAlong(STORE, CUSTOMER) / 2, -1)
  })

  test("says nothing twice for one instant: a second driver comes to the same", () => {
    expect(fixOf({ lastFix: seen(north(900), 0) })).toBeNull()
    expect(fixOf({})).toEqual(fixOf({}))
  })

  test("reports every two seconds on real streets, and up to four times a second when it flies", () => {
    expect([1, 5, 10, 20, 600].map(everyMsAt)).toEqual([2_000, 2_000, 1_000, 500, 250])
  })
})

describe("at the store", () => {
  const standing = (sinceMs: number, more: Partial<ActiveRun> = {}) => ({
    phase: "waiting" as const,
    status: "WAITING_FOR_LOAD" as const,
    atStoreSinceMs: NOW - sinceMs,
    lastFix: seen(STORE, 2 * SECOND_MS),
    ...more,
  })

  test("it is loaded after five minutes, or in a tenth of them at ten times the speed", () => {
    expect(fixOf(standing(5 * MINUTE_MS - 1))).toBeNull()
    expect(fixOf(standing(5 * MINUTE_MS))).toMatchObject({ ...STORE, load: "loaded" })
    expect(fixOf(standing(30 * SECOND_MS - 1), 10)).toBeNull()
    expect(fixOf(standing(30 * SECOND_MS), 10)).toMatchObject({ load: "loaded" })
  })

  test("it waits for an order that is not ready; the kitchen is as fast as the streets", () => {
    const late = standing(5 * MINUTE_MS, { readyByMs: NOW + 10 * MINUTE_MS })
    expect(fixOf(late)).toBeNull()
    expect(fixOf(late, 10)).toBeNull()
    expect(fixOf(late, 11)).toMatchObject({ load: "loaded" })
  })

  test("a supervisor says that it waits, where there is one; who said that it is loaded has loaded it", () => {
    const arrived = standing(3 * SECOND_MS, { phase: "at_store", status: "ARRIVED_AT_STORE" })
    const supervised = nextMove({ ...run, ...arrived }, { nowMs: NOW, speed: 10 })
    expect(supervised).toEqual({ type: "supervise", status: "WAITING_FOR_LOAD" })
    expect(nextMove({ ...run, ...arrived }, { nowMs: NOW, speed: 9 })).toBeNull()
    expect(nextMove({ ...run, ...arrived, hasSupervisor: false }, { nowMs: NOW, speed: 10 })).toBeNull()
    expect(fixOf(standing(0, { status: "LOADED" }))).toMatchObject({ load: "loaded" })
  })

  test("it tells once a minute that it is still there", () => {
    expect(fixOf(standing(0, { lastFix: seen(STORE, MINUTE_MS - 1) }))).toBeNull()
    expect(fixOf(standing(0, { lastFix: seen(STORE, MINUTE_MS) }))).toMatchObject({
      load: null,
      speed_mps: 0,
    })
  })
})

describe("with a second order for the same trip", () => {
  const second = {
    deliveryId: "dlv_2",
    status: "ASSIGNED" as const,
    createdAtMs: NOW - 10 * MINUTE_MS,
    readyByMs: NOW - 6 * MINUTE_MS,
  }
  const loadedFor = (agoMs: number, more: Partial<ActiveRun> = {}): Partial<ActiveRun> => ({
    phase: "loaded",
    status: "LOADED",
    movedAtMs: NOW - agoMs,
    lastFix: seen(STORE, 2 * SECOND_MS),
    second,
    ...more,
  })

  test("it loads that after the first, for five minutes", () => {
    expect(fixOf(loadedFor(5 * MINUTE_MS - 1))).toBeNull()
    expect(fixOf(loadedFor(5 * MINUTE_MS))).toMatchObject({
      ...STORE,
      load: "loaded",
      also_on_board: "dlv_2",
    })
  })

  test("it waits for it up to three minutes, and leaves without one that is later", () => {
    const ready = (readyByMs: number): Partial<ActiveRun> => ({ second: { ...second, readyByMs } })
    const waiting = loadedFor(3 * MINUTE_MS, { ...ready(NOW), createdAtMs: NOW })
    expect(fixOf(waiting)).toBeNull()
    expect(fixOf(loadedFor(8 * MINUTE_MS, ready(NOW - 5 * MINUTE_MS)))).toMatchObject({
      also_on_board: "dlv_2",
    })
    expect(fixOf(loadedFor(3 * MINUTE_MS - 1, ready(NOW + 1)))).toBeNull()
    const leaving = fixOf(loadedFor(3 * MINUTE_MS, ready(NOW + 1)))
    expect(metresAlong(leaving ?? STORE, CUSTOMER)).toBeLessThan(metresAlong(STORE, CUSTOMER))
    expect(leaving?.also_on_board).toBeUndefined()
  })

  test("it tells that both are on board, and drives to the second door without a way back", () => {
    const onBoard = { ...second, status: "LOADED" as const }
    expect(fixOf(loadedFor(0, { second: onBoard }))?.also_on_board).toBe("dlv_2")
    const next = fixOf(
      { phase: "assigned", status: "EN_ROUTE_TO_CUSTOMER", lastFix: seen(STORE, SECOND_MS) },
      600,
    )
    expect(metresBetween(next ?? STORE, CUSTOMER)).toBeLessThan(metresBetween(STORE, CUSTOMER))
  })
})

test("at the customer the order is handed over within two minutes of the arrival", () => {
  const there = {
    phase: "at_customer" as const,
    status: "ARRIVED_AT_CUSTOMER" as const,
    lastFix: seen(CUSTOMER, SECOND_MS),
  }
  expect(fixOf({ ...there, movedAtMs: NOW - 2 * MINUTE_MS + 1 })).toBeNull()
  expect(fixOf({ ...there, movedAtMs: NOW - 2 * MINUTE_MS })).toMatchObject({ ...CUSTOMER, load: "unloaded" })
})

test("without a run there is nothing to drive", () => {
  expect(fixOf({ phase: "idle" })).toBeNull()
})
