/** Which two orders go on one trip, and what a second order costs the first. */

import { describe, expect, test } from "vitest"
import { LOADING_MS } from "../../../src/model/values/limits.ts"
import { MINUTE_MS } from "../../../src/model/values/time.ts"
import {
  TRIP_ALLOWANCE_MS,
  areOneTrip,
  byFirstDoorMs,
  takesOnTrip,
} from "../../../src/areas/dispatch/trips.ts"
import type { FirstOfTrip, TripOrder } from "../../../src/areas/dispatch/trips.ts"
import { driveMs } from "../../../src/areas/dispatch/geography.ts"
import { STORE, north } from "../../conformance/delivery-world.ts"

const READY_MS = 40 * MINUTE_MS
const first: FirstOfTrip = {
  store: STORE,
  customer: north(2_000),
  status: "ASSIGNED",
  readyByMs: READY_MS,
  pickupEtaMs: READY_MS,
  deliveryEtaMs: READY_MS + LOADING_MS + TRIP_ALLOWANCE_MS + driveMs(2_000),
}
const second: TripOrder = { store: STORE, customer: north(3_500), readyByMs: READY_MS + 3 * MINUTE_MS }
const LOADED_MS = READY_MS + LOADING_MS

describe("two orders", () => {
  test("go on one trip up to 1.5 km and three minutes apart", () => {
    expect(areOneTrip(first, second)).toBe(true)
    expect(areOneTrip(first, { ...second, customer: north(3_502) })).toBe(false)
    expect(areOneTrip(first, { ...second, readyByMs: second.readyByMs + 1 })).toBe(false)
    expect(areOneTrip(first, { ...second, readyByMs: READY_MS - 3 * MINUTE_MS })).toBe(true)
    expect(areOneTrip(first, { ...second, readyByMs: READY_MS - 3 * MINUTE_MS - 1 })).toBe(false)
  })

  test("of different stores, or of one that is not known, do not", () => {
    expect(areOneTrip(first, { ...second, store: north(10) })).toBe(false)
    expect(areOneTrip(first, { ...second, store: null })).toBe(false)
    expect(areOneTrip({ ...first, store: null }, second)).toBe(false)
  })

  test("do not once the first has left the store", () => {
    expect(areOneTrip({ ...first, status: "LOADED" }, second)).toBe(true)
    expect(areOneTrip({ ...first, status: "EN_ROUTE_TO_CUSTOMER" }, second)).toBe(false)
  })

  test("do not when the first was promised without a second", () => {
    expect(areOneTrip({ ...first, deliveryEtaMs: first.deliveryEtaMs - 1 }, second)).toBe(false)
  })
})

describe("a vehicle is given an order for the trip of its run", () => {
  const roomy = { ...first, deliveryEtaMs: first.deliveryEtaMs + MINUTE_MS }

  test("before that is on board, and not after", () => {
    expect(takesOnTrip(roomy, second, LOADED_MS)).toBe(true)
    expect(takesOnTrip({ ...roomy, status: "LOADED" }, second, LOADED_MS)).toBe(false)
  })

  test("while the first still arrives as promised", () => {
    const lateMs = roomy.deliveryEtaMs - LOADING_MS - driveMs(2_000)
    expect(takesOnTrip(roomy, second, lateMs - MINUTE_MS)).toBe(true)
    expect(takesOnTrip(roomy, second, lateMs + 1)).toBe(false)
  })

  test("if it does not wait longer than three minutes for it", () => {
    const soonMs = second.readyByMs - 3 * MINUTE_MS
    expect(takesOnTrip(roomy, second, soonMs)).toBe(true)
    expect(takesOnTrip(roomy, second, soonMs - 1)).toBe(false)
  })
})

test("the stop at the first door takes two minutes", () => {
  expect(byFirstDoorMs(STORE, north(2_000))).toBe(driveMs(2_000) + 2 * MINUTE_MS)
})
