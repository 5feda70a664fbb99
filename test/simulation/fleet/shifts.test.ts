/** Shifts of vehicles and cooks: hours on duty, who works when, and what a search and a sweep make of them. */

import { describe, expect, test } from "vitest"
import { casesOf, inCase } from "../../../src/simulation/fleet/language/cases.ts"
import { readFleet } from "../../../src/simulation/fleet/language/read.ts"
import { replicate } from "../../../src/simulation/fleet/world/replication.ts"
import { CLOCK, fleetModel } from "./models.ts"

function text({ vehicles = "3", cooks = "2", more = "" }): string {
  return `
fleet: A shop
because: Who works when?
clock: ${CLOCK}
horizon: 4h
sites:
  - as: shop
    at: [30.4, -97.7]
    vehicles: ${vehicles}
    stores: [{ as: kitchen, preparation: 4m, cooks: ${cooks} }]
demand: [{ product: delivery, site: shop, per_hour: 8, ready_in: 10m }]
${more}
`
}

function figuresOf(parts: Parameters<typeof text>[0]): Readonly<Record<string, number | null>> {
  return replicate(fleetModel(text(parts)), { seed: 3 }).figures
}

describe("a run from 10:00 to 14:00", () => {
  test("counts vehicles on duty by their shifts, and those of a shift over its end as their run lasts", () => {
    expect(figuresOf({ vehicles: "[{ count: 3 }]" })["vehicles.hours"]).toBe(12)
    const hours = figuresOf({ vehicles: "[{ count: 1 }, { count: 2, from: 11:00, to: 12:30 }]" })[
      "vehicles.hours"
    ]
    expect(hours).toBeGreaterThanOrEqual(7)
    // A run that is under way at 12:30 goes on for half an hour at most.
    expect(hours).toBeLessThan(8)
  })

  test("counts cooks on duty by their shifts", () => {
    expect(
      figuresOf({ cooks: "[{ count: 1 }, { count: 2, from: 10:30, to: 11:30 }]" })["cooks.hours"],
    ).toBeCloseTo(6, 0)
  })

  test("does what the same model does with the others out", () => {
    const shifts = replicate(
      fleetModel(text({ vehicles: "[{ count: 1 }, { count: 2, from: 11:00, to: 12:30 }]" })),
      {
        seed: 3,
      },
    )
    const out = "out: [{ vehicles: 2, from: 12:30, to: 11:00 }]"
    expect(shifts.digest).toBe(replicate(fleetModel(text({ more: out })), { seed: 3 }).digest)
  })

  test("has no more vehicles at noon than its shifts", () => {
    const few = figuresOf({ vehicles: "[{ count: 1, to: 12:00 }, { count: 1, from: 12:00 }]" })
    const one = figuresOf({ vehicles: "1" })
    expect(few["vehicles.hours"]).toBeCloseTo(4, 0)
    expect(few["deliveries.asked"]).toBe(one["deliveries.asked"])
  })
})

test("a sweep sets the count of every shift", () => {
  const model = fleetModel(
    text({
      vehicles: "[{ count: 3, to: 12:00 }, { count: 1, from: 12:00 }]",
      more: "sweep: { vehicles: [2] }",
    }),
  )
  const [one = []] = casesOf(model)
  const [site] = inCase(model, one).sites
  expect(site).toMatchObject({ vehicles: 4, vehicleShifts: [{ count: 2 }, { count: 2 }] })
})

test.each([
  ["vehicles", "[{ count: 2, from: 14:00, to: 12:00 }]", "9:16 the shift ends before it begins"],
  ["vehicles", "[{ count: 2, from: 15:00 }]", "9:16 the shift is outside of the run"],
  ["cooks", "[{ count: 2, from: 14:00, to: 12:00 }]", "10:54 the shift ends before it begins"],
])("%s: %s is a mistake", (key, written, says) => {
  const { problems } = readFleet({ file: "m.yaml", text: text({ [key]: written }), beside: () => null })
  expect(problems.map(({ place, message }) => `${place.line}:${place.column} ${message}`)).toEqual([says])
})
