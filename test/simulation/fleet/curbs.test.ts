/** The curb of a site: stalls that bots and vehicles share, and who waits for whom. */

import { describe, expect, test } from "vitest"
import { Curb } from "../../../src/simulation/fleet/world/curbs.ts"
import { replicate } from "../../../src/simulation/fleet/world/replication.ts"
import { Tally } from "../../../src/simulation/fleet/world/tally.ts"
import { CLOCK, fleetModel } from "./models.ts"

const COUNTED = { isMeasured: true, demandNumber: 0 }

/** A curb, and what began on it in the order in which it did. */
function curbOf(stalls: number) {
  const began: string[] = []
  let nowMs = 0
  const tally = new Tally({ fromMs: 0, untilMs: 60_000, nowMs: () => nowMs })
  const curb = new Curb(stalls, { siteNumber: 0, tally, nowMs: () => nowMs })
  return {
    curb,
    began,
    tally,
    at: (ms: number) => {
      nowMs = ms
    },
    bot: (place: number, name: string) => curb.take(place, () => began.push(name), COUNTED),
    vehicle: (name: string) => curb.stop(() => began.push(name), COUNTED),
  }
}

describe("a curb", () => {
  test("gives a vehicle any free stall, and the next one the first that is free again", () => {
    const { at, bot, vehicle, began, tally } = curbOf(2)
    bot(0, "bot")
    const leave = vehicle("first")
    vehicle("second")
    expect(began).toEqual(["bot", "first"])
    expect(tally.levels.get("stalls.queue")?.value).toBe(1)
    at(30_000)
    leave()
    expect(began).toEqual(["bot", "first", "second"])
    expect(tally.durations.get("stalls.wait")).toEqual([0, 0, 30_000])
    expect(tally.levels.get("stalls.queue")?.value).toBe(0)
    expect(tally.levels.get("stalls.busy")?.value).toBe(2)
  })

  test("gives a vehicle the stall whose next window begins last", () => {
    const { curb, bot, vehicle, began } = curbOf(3)
    curb.book(0, 20_000)
    const forget = curb.book(1, 10_000)
    curb.book(1, 50_000)
    curb.book(2, 30_000)
    vehicle("on the third")
    bot(2, "its bot")
    forget()
    vehicle("on the second")
    bot(0, "the first's bot")
    expect(began).toEqual(["on the third", "on the second", "the first's bot"])
  })

  test("lets a bot that waits for its own stall go before vehicles that waited longer", () => {
    const { curb, bot, vehicle, began } = curbOf(1)
    const leave = vehicle("first")
    vehicle("second")
    bot(0, "bot")
    leave()
    expect(began).toEqual(["first", "bot"])
    curb.release(0)
    expect(began).toEqual(["first", "bot", "second"])
  })

  test("forgets a vehicle that stops waiting", () => {
    const { vehicle, began, tally } = curbOf(1)
    const leave = vehicle("first")
    const giveUp = vehicle("second")
    vehicle("third")
    giveUp()
    leave()
    expect(began).toEqual(["first", "third"])
    expect(tally.levels.get("stalls.queue")?.value).toBe(0)
  })

  test("has room for every vehicle where it has no stalls", () => {
    const { vehicle, began, tally } = curbOf(0)
    vehicle("first")
    vehicle("second")()
    expect(began).toEqual(["first", "second"])
    expect(tally.levels.size).toBe(0)
  })
})

function deliveriesWith(site: string, load = "5m"): ReturnType<typeof replicate> {
  return replicate(
    fleetModel(`
fleet: Vans at the curb
because: A van that loads takes a stall.
clock: ${CLOCK}
horizon: 4h
sites: [{ as: curb, at: [30.4, -97.7], reach_km: 1, vehicles: 12, ${site} }]
vehicle: { load: ${load} }
demand: [{ product: delivery, site: curb, per_hour: 20 }]
`),
    { seed: 3 },
  )
}

test("vans wait for the stalls of the site where they load, and their orders with them", () => {
  const [one, many, none] = ["stalls: 1", "stalls: 12", "stalls: 0"].map(
    (site) => deliveriesWith(site).figures,
  )
  // Twenty loads of five minutes an hour are more than one stall has time for.
  expect(one?.["stalls.utilisation"]).toBeGreaterThan(0.9)
  expect(one?.["stalls.wait_mean"]).toBeGreaterThan(many?.["stalls.wait_mean"] ?? 0)
  expect(one?.["stalls.queue_max"]).toBeGreaterThan(1)
  expect(one?.["deliveries.stay_mean"]).toBeGreaterThan(many?.["deliveries.stay_mean"] ?? 0)
  expect(one?.["orders.canceled"]).toBe(0)
  expect(many?.["stalls.wait_max"]).toBe(0)
  // With enough stalls the result equals that of an unlimited curb.
  expect(many?.["deliveries.total_mean"]).toBe(none?.["deliveries.total_mean"])
  expect(none?.["stalls.utilisation"]).toBeNull()
})

test("vans that load at a store away from the site take none of its stalls", () => {
  const { figures } = replicate(
    fleetModel(`
fleet: Errands elsewhere
because: The store has no curb of the site's.
clock: ${CLOCK}
horizon: 2h
sites:
  - as: curb
    at: [30.4, -97.7]
    vehicles: 4
    stalls: 1
    stores: [{ as: kitchen, at: [30.41, -97.7] }]
demand: [{ product: courier, site: curb, per_hour: 10 }]
`),
    { seed: 3 },
  )
  expect(figures["errands.completed"]).toBeGreaterThan(3)
  expect(figures["stalls.utilisation"]).toBe(0)
})
