/** A fleet is the service itself: the same turns as a scripted scenario, the same demand whatever the policy, and no order lost. */

import { describe, expect, test } from "vitest"
import { casesOf, inCase } from "../../../src/simulation/fleet/language/cases.ts"
import { FleetWorld } from "../../../src/simulation/fleet/world/fleet-world.ts"
import { Kitchens } from "../../../src/simulation/fleet/world/kitchens.ts"
import { startDemand } from "../../../src/simulation/fleet/world/orders.ts"
import { replicate } from "../../../src/simulation/fleet/world/replication.ts"
import { Visits } from "../../../src/simulation/fleet/world/visits.ts"
import { readSource } from "../../../src/simulation/scenario/language/read.ts"
import { CLOCK, fleetModel } from "./models.ts"
import { turnText, turnsOf } from "./turns.ts"

const SITE = `{ as: curb, at: [30.4, -97.7], reach_km: 2, stalls: 3, runners: 2, vehicles: 4 }`

function busy(more = ""): ReturnType<typeof fleetModel> {
  return fleetModel(`
fleet: Busy
because: Everything happens.
clock: ${CLOCK}
horizon: 2h
sites: [${SITE}]
runner: { walk: { uniform: [30s, 90s] } }
bot: { punctuality: { normal: { mean: 0s, sd: 4m } }, no_show: 10%, abort: 5%, tells_eta: 10m }
vehicle:
  breakdown: { every: { exponential: { mean: 1h } }, repair: 10m }
  charging: { after_km: 5, takes: 20m }
faults: { open_link_fails: 5%, payload_too_heavy: 5% }
demand:
  - { product: reservation, site: curb, per_hour: 25, cancel: 5%, ahead: { uniform: [10m, 40m] } }
  - { product: delivery, site: curb, per_hour: 12, cancel: 10% }
${more}`)
}

test("a fleet of one takes the turns of the scripted scenario of the same events", () => {
  const model = fleetModel(
    `
fleet: One visit
because: A fleet is the service, and no model beside it.
clock: 2026-03-02T11:30 America/Chicago
horizon: 1h
sites: [{ as: curb, at: [30.4, -97.7], stalls: 1, runners: 1 }]
runner: { walk: 1m, pick_up: 20s, load: 40s }
bot: { settle: 10s, leave: 20s }
demand: [{ product: reservation, site: curb, replay: one.csv, ahead: 15m, width: 30m }]
`,
    { "one.csv": "2026-03-02T11:30:00-06:00\n" },
  )
  const world = new FleetWorld(model, { seed: 1 })
  const turns: string[] = []
  world.service.host.onTurn(({ instantMs }, { to, by, event, start }) => {
    turns.push(turnText({ instantMs, to, by, event, start }))
  })
  startDemand(world, { reservation: new Visits(world, new Kitchens(world)) })
  world.service.host.time.run(world.horizonEndMs)

  const { scenarios, problems } = readSource(
    {
      file: "one.yaml",
      text: `
scenario: One visit
because: The same visit, written out.
clock: 2026-03-02T11:30 America/Chicago
given: { site: one-stall }
steps:
  - { at: 11:30, do: reservation.create, as: lunch, with: { window: [11:45, 12:15] } }
  - { at: 11:40, do: runner.assign, for: lunch }
  - { at: 11:41, do: runner.at_store, for: lunch }
  - { at: "11:41:20", do: runner.order_in_hand, for: lunch }
  - { at: "11:42:20", do: runner.at_unit, for: lunch }
  - { at: 11:45, do: bot.report, for: lunch, with: { status: ARRIVED } }
  - { at: "11:45:10", do: bot.report, for: lunch, with: { status: READY_FOR_HANDOFF } }
  - { at: +40s50ms, do: runner.load, for: lunch }
  - { at: +10s, do: bot.report, for: lunch, with: { status: SECURED } }
  - { at: +10s, do: bot.report, for: lunch, with: { status: DEPARTED } }
  - expect: { reservation: lunch, status: completed, handoff: LOADED }
`,
    },
    null,
  )
  expect(problems).toEqual([])
  expect(turns).toEqual(turnsOf(scenarios[0]))
  expect(turns.length).toBeGreaterThan(10)
})

describe("a busy site", () => {
  const made = replicate(busy(), { seed: 2 })

  test("ends every order exactly once", () => {
    const { figures } = made
    for (const group of ["reservations", "deliveries"]) {
      const of = (count: string): number => figures[`${group}.${count}`] ?? 0
      expect(of("asked")).toBeGreaterThan(10)
      expect(of("declined") + of("completed") + of("canceled")).toBe(of("asked"))
    }
  })

  test("measures how late a delivery is after its quoted time, 0 of one in time", () => {
    const { figures, durations } = made
    const late = figures["deliveries.late"] ?? 0
    expect(late).toBeGreaterThan(0)
    expect(durations["deliveries.delay"]?.n).toBe(durations["deliveries.total"]?.n)
    expect(figures["deliveries.delay_max"]).toBeGreaterThan(0)
    const delivered = durations["deliveries.total"]?.n ?? 0
    expect(late).toBeLessThan(delivered)
    expect((figures["deliveries.delay_p50"] ?? 0) > 0).toBe(late * 2 > delivered)
  })

  test("tells exceptions by code and cancellations by whom", () => {
    const names = Object.keys(made.counts)
    expect(names).toEqual(
      expect.arrayContaining(["exceptions.bot_no_show", "canceled.by partner", "canceled.by system"]),
    )
    expect(names.some((name) => name.startsWith("canceled.by customer"))).toBe(true)
  })

  test("has the same figures and the same digest on the same seed, and others on another", () => {
    expect(replicate(busy(), { seed: 2 })).toEqual(made)
    expect(replicate(busy(), { seed: 4 }).digest).not.toBe(made.digest)
  })

  test("meets the same demand whatever is changed, and what holds stalls up holds up vehicles too", () => {
    const swept = busy("sweep: { runners: [1, 6] }")
    const [few, many] = casesOf(swept).map((one) => replicate(inCase(swept, one), { seed: 2 }))
    for (const name of ["reservations.asked", "deliveries.asked"]) {
      expect(few?.figures[name]).toBe(many?.figures[name])
      expect(few?.figures[name]).toBe(made.figures[name])
    }
    expect(few?.figures["runners.wait_mean"]).toBeGreaterThan(many?.figures["runners.wait_mean"] ?? 0)
    expect(few?.figures["stalls.wait_mean"]).toBeGreaterThan(many?.figures["stalls.wait_mean"] ?? 0)
    expect(few?.figures["deliveries.total_mean"]).toBeGreaterThan(many?.figures["deliveries.total_mean"] ?? 0)
  })

  test("delivers its webhooks when asked, and decides nothing otherwise", () => {
    const told = replicate(busy("webhooks: true"), { seed: 2 })
    expect(told.turns).toBeGreaterThan(made.turns * 1.5)
    expect(told.figures).toEqual(made.figures)
  })
})

test("what is asked for during the warm-up is carried out and not counted", () => {
  const all = replicate(busy(), { seed: 2 })
  const later = replicate(busy("warm_up: 1h"), { seed: 2 })
  expect(later.digest).toBe(all.digest)
  expect(later.figures["orders.asked"]).toBeLessThan((all.figures["orders.asked"] ?? 0) * 0.75)
  expect(later.series["runners.utilisation"]).toHaveLength(4)
})

test("the service's refusals are declines by their code", () => {
  const { counts, figures } = replicate(
    fleetModel(`
fleet: Far ahead
because: A window more than a day ahead is refused.
clock: ${CLOCK}
horizon: 1h
sites: [${SITE}]
demand: [{ product: reservation, site: curb, per_hour: 10, ahead: 30h }]
`),
    { seed: 1 },
  )
  expect(figures["reservations.declined"]).toBe(figures["reservations.asked"])
  expect(counts["declined.WINDOW_TOO_FAR_OUT"]).toBe(figures["reservations.asked"])
})

test("a fleet without room declines by the quote's own reason", () => {
  const { counts } = replicate(
    fleetModel(`
fleet: One van
because: Two runs a vehicle, and no more.
clock: ${CLOCK}
horizon: 1h
sites: [{ as: curb, at: [30.4, -97.7], reach_km: 2, vehicles: 1 }]
demand: [{ product: delivery, site: curb, per_hour: 30 }]
`),
    { seed: 1 },
  )
  expect(counts["declined.NO_CAPACITY"]).toBeGreaterThan(3)
})
