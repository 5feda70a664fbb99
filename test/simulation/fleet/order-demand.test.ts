/** An order that was there before a forecast belongs to one of the demands that ask for such orders. */

import { describe, expect, test } from "vitest"
import { demandOf } from "../../../src/simulation/fleet/forecast/order-demand.ts"
import type { Requested } from "../../../src/simulation/fleet/forecast/order-demand.ts"
import { modelWith, presentOf, worldFrom } from "../../../src/simulation/fleet/forecast/present.ts"
import type { FleetModel } from "../../../src/simulation/fleet/language/model.ts"
import { FleetWorld } from "../../../src/simulation/fleet/world/fleet-world.ts"
import { runToItsEnd } from "../../../src/simulation/fleet/world/replication.ts"
import { HOUR_MS } from "../../../src/model/values/time.ts"
import { modelWith as modelWithTables } from "./tables/tables.ts"
import { fleetModel } from "./models.ts"
import { groupsOf } from "./present.ts"

const text = (demand: string): string => `
fleet: Several demands
because: An order is of one of them.
clock: 2026-03-02T10:00 UTC
horizon: 4h
replications: 1
sites:
  - { as: north, at: [30.4, -97.7], reach_km: 2, stalls: 20, runners: 6, vehicles: 16, stores: [{ as: grill }, { as: bowls }] }
  - { as: south, at: [30.5, -97.7], stalls: 4, runners: 2 }
demand:
  - { as: elsewhere, product: reservation, site: south, per_hour: 3 }
${demand}
`
// A Monday.
const startMs = Date.parse("2026-03-02T10:00:00Z")

/** How many of 400 orders each demand gets. */
function drawn(model: FleetModel, of: Partial<Requested> = {}): Readonly<Record<string, number>> {
  const world = new FleetWorld(model, { seed: 3 })
  const counts: Record<string, number> = {}
  for (let number = 0; number < 400; number += 1) {
    const place = { product: "reservation", siteNumber: 0, storeNumber: 0, atMs: startMs } as const
    const as = demandOf(world, { ...place, ...of, id: `ord_${number}` })?.as ?? "none"
    counts[as] = (counts[as] ?? 0) + 1
  }
  return counts
}

describe("an order is of a demand", () => {
  const model = fleetModel(
    text(`
  - { as: many, product: reservation, site: north, per_hour: { by_hour: { "00:00": 30, "12:00": 0 } } }
  - { as: few, product: reservation, site: north, every: 6m }
  - { as: on Friday, product: reservation, site: north, on: [Fri], per_hour: 500 }
  - { as: bowls, product: reservation, site: north, store: bowls, per_hour: 60 }
  - { as: delivered, product: delivery, site: north, store: bowls, per_hour: 6 }`),
  )

  test("of its site and its store, as often as each brought orders at that hour", () => {
    const { many = 0, few = 0, ...others } = drawn(model)
    expect(others).toEqual({})
    // 30 of 40; three standard errors of the share are 26.
    expect(Math.abs(many - 300)).toBeLessThan(26)
    expect(few).toBe(400 - many)
    expect(drawn(model, { atMs: startMs + 3 * HOUR_MS })).toEqual({ few: 400 })
    expect(drawn(model, { storeNumber: 1 })).toEqual({ bowls: 400 })
    const onFriday = drawn(model, { atMs: startMs + 4 * 24 * HOUR_MS })["on Friday"] ?? 0
    expect(onFriday).toBeGreaterThan(350)
  })

  test("of its product at another site only where its own has none", () => {
    expect(drawn(model, { siteNumber: 1 })).toEqual({ elsewhere: 400 })
    expect(drawn(model, { siteNumber: 1, product: "delivery", storeNumber: null })).toEqual({
      delivered: 400,
    })
    expect(drawn(model, { product: "courier" })).toEqual({ none: 400 })
  })

  test("of each alike when none of them brings any", () => {
    const still = model.demand.map((one) => ({ ...one, on: [] }))
    const { many = 0, few = 0 } = drawn({ ...model, demand: still })
    expect(many).toBeGreaterThan(100)
    expect(few).toBeGreaterThan(100)
  })

  test("of a table as often as the table has orders, and of the stores that its column says", async () => {
    const rows = Array.from(
      { length: 12 },
      (_, at) => `2026-03-02T10:${10 + at},${at < 9 ? "a" : "b"},bowls\n`,
    )
    const replay = (kind: string): string => `{ file: t.csv, time: at, only: { kind: ${kind} }, store: shop }`
    const logged = await modelWithTables(
      text(`
  - { as: a, product: reservation, site: north, replay: ${replay("a")} }
  - { as: b, product: reservation, site: north, replay: ${replay("b")} }`),
      { "t.csv": `at,kind,shop\n${rows.join("")}` },
    )
    const { a = 0, b = 0, ...others } = drawn(logged, { storeNumber: 1 })
    expect(others).toEqual({})
    expect(Math.abs(a - 300)).toBeLessThan(26)
    expect(b).toBe(400 - a)
  })
})

test("what goes on from the present has orders of each of its demands", () => {
  const model = fleetModel(
    text(`
  - { as: one, product: delivery, site: north, per_hour: 16 }
  - { as: two, product: delivery, site: north, store: bowls, per_hour: 16 }
  - { as: three, product: reservation, site: north, per_hour: 20 }
  - { as: four, product: reservation, site: north, per_hour: 20 }`),
  )
  const { atMs, groups } = groupsOf(model, { seed: 5, atMs: startMs + 2 * HOUR_MS })
  const present = presentOf(groups, model)
  const still = { ...modelWith(model, present), horizon: 1_000 }
  const { world, begin } = worldFrom(still, present, { seed: 77, atMs })
  runToItsEnd(world, { seed: 77, onProgress: undefined, begin })
  const asked = world.tally.demands.map(({ counts }) =>
    ["deliveries.asked", "reservations.asked"].reduce((sum, name) => sum + (counts.get(name) ?? 0), 0),
  )
  expect(Math.min(...asked.slice(1))).toBeGreaterThan(0)
})
