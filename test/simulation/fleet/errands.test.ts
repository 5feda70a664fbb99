/** Courier orders of a fleet: the calls of an agent from the first question to the door, and what becomes of those that fail. */

import { describe, expect, test } from "vitest"
import { Deliveries } from "../../../src/simulation/fleet/world/deliveries.ts"
import { Errands } from "../../../src/simulation/fleet/world/errands.ts"
import { FleetWorld } from "../../../src/simulation/fleet/world/fleet-world.ts"
import { Kitchens } from "../../../src/simulation/fleet/world/kitchens.ts"
import { startDemand } from "../../../src/simulation/fleet/world/orders.ts"
import { replicate } from "../../../src/simulation/fleet/world/replication.ts"
import type { FleetModel } from "../../../src/simulation/fleet/language/model.ts"
import { readSource } from "../../../src/simulation/scenario/language/read.ts"
import { CLOCK, fleetModel } from "./models.ts"
import { turnText, turnsOf } from "./turns.ts"
import type { Turn } from "./turns.ts"

const DAY = "2026-03-02"

function worldOf(model: FleetModel): FleetWorld {
  const world = new FleetWorld(model, { seed: 1 })
  const kitchens = new Kitchens(world)
  startDemand(world, { courier: new Errands(world, kitchens, new Deliveries(world, kitchens)) })
  return world
}

/** What a driver reports, as steps at the instants at which it did. */
function reports(
  turns: readonly Turn[],
  fromMs: number,
  said: readonly (readonly [string, string])[],
): string {
  let beforeMs = fromMs
  return said
    .map(([event, fields]) => {
      const atMs = turns.find(({ by, event: of }) => by === "command" && of?.type === event)?.instantMs ?? 0
      const step = `  - { at: +${atMs - beforeMs}ms, do: vehicle.report, for: van, with: { ${fields} } }`
      beforeMs = atMs
      return step
    })
    .join("\n")
}

test("an errand of a fleet of one takes the turns of the scripted scenario of the same calls", () => {
  const model = fleetModel(
    `
fleet: One errand
because: A fleet's agent calls the tools, and nothing beside them.
clock: 2026-03-02T11:30 America/Chicago
horizon: 1h
sites:
  - as: north
    at: [30.4111, -97.7253]
    reach_km: 2
    vehicles: 1
    stores: [{ as: kitchen, at: [30.4021, -97.7253], preparation: 6m }]
vehicle: { load: 1m, drop_off: 2m, returns: false }
demand:
  - product: courier
    site: north
    replay: one.csv
    ready_in: 15m
    errand: { reserves_after: 1m, pays_after: 1m, confirms_after: 3m }
`,
    { "one.csv": "2026-03-02T11:30:00-06:00\n" },
  )
  const world = new FleetWorld(model, { seed: 1 })
  const turns: Turn[] = []
  world.service.host.onTurn(({ instantMs }, { to, by, event, start }) => {
    turns.push({ instantMs, to, by, event, start })
  })
  const kitchens = new Kitchens(world)
  startDemand(world, { courier: new Errands(world, kitchens, new Deliveries(world, kitchens)) })
  world.service.host.time.run(world.horizonEndMs)

  const driven = reports(turns, Date.parse("2026-03-02T11:35:00-06:00"), [
    ["store.approached", "north_m: 1000, recorded_at: 11:35:01"],
    ["store.approached", "north_m: 890"],
    ["store.reached", "north_m: 0"],
    ["load.reported", "north_m: 0, load: loaded"],
    ["store.left", "north_m: 150"],
    ["customer.reached", "north_m: 2000"],
    ["unload.reported", "north_m: 2000, load: unloaded"],
  ])
  const { scenarios, problems } = readSource(
    {
      file: "one.yaml",
      text: `
scenario: One errand
because: The same errand, written out.
clock: 2026-03-02T11:30 America/Chicago
given: { vehicles: [{ as: van, north_m: 1000 }] }
steps:
  - { at: 11:30, do: errand.check, as: lunch }
  - { at: 11:31, do: errand.reserve, for: lunch }
  - { at: 11:32, do: errand.pay, for: lunch }
  - { at: +3m, do: errand.confirm, for: lunch }
${driven}
  - expect: { errand: lunch, state: completed, payment: captured, within: 1s }
`,
    },
    null,
  )
  expect(problems).toEqual([])
  expect(turns.map((turn) => turnText(turn))).toEqual(turnsOf(scenarios[0]))
  expect(turns.length).toBeGreaterThan(20)
})

const TROUBLE = `errand: {
        confirms_after: { exponential: { mean: 6m } }, declined_cards: 25%, uncaptured: 30%,
        gives_up: 15%, restricted: 10%, nobody_home: 15%,
      }`

/** With the nearest vehicle, so that orders wait for one that is busy. */
function shared({ errand = "", vehicles = 8, perHour = 30 } = {}): FleetModel {
  return fleetModel(`
fleet: Shared vehicles
because: Errands and direct deliveries take the same vehicles.
clock: ${CLOCK}
horizon: 2h
policy: { vehicle_dispatch: nearest }
sites:
  - { as: curb, at: [30.4, -97.7], reach_km: 2, vehicles: ${vehicles}, stores: [{ as: kitchen, preparation: 6m, cooks: 6 }] }
demand:
  - { product: delivery, site: curb, per_hour: 12 }
  - { product: courier, site: curb, per_hour: ${perHour}, cancel: 10%${errand === "" ? "" : `, ${errand}`} }
`)
}

describe("agents that do what each answer says", () => {
  const one = (words: string) =>
    replicate(
      fleetModel(
        `
fleet: One errand
because: What an agent does about a clock that has run out.
clock: ${CLOCK}
horizon: 1h
sites: [{ as: curb, at: [30.4, -97.7], reach_km: 2, vehicles: 2, stores: [{ as: kitchen, preparation: 6m }] }]
demand: [{ product: courier, site: curb, replay: one.csv, ${words} }]
`,
        { "one.csv": `${DAY}T10:00:00-06:00\n` },
      ),
      { seed: 1 },
    )
  const AGENTS = "by: agents"

  test("poll a booked errand as the answers say, and count their calls", () => {
    const { counts, figures } = one(AGENTS)
    expect(figures["errands.completed"]).toBe(1)
    expect(counts).toMatchObject({
      "errands.calls.check_delivery": 1,
      "errands.calls.reserve_delivery": 1,
      "errands.calls.update_delivery": 1,
      "errands.calls.confirm_delivery": 1,
    })
    const polls = counts["errands.calls.get_delivery_status"] ?? 0
    // Every two minutes while it waits, every half a minute while it drives.
    expect(polls).toBeGreaterThan(8)
    expect(polls).toBeLessThan(60)
    expect(Object.keys(one("cancel: 0%").counts).filter((name) => name.startsWith("errands.calls"))).toEqual(
      [],
    )
  })

  test("check again when the quote has run out, where a script is declined", () => {
    const late = "errand: { reserves_after: 31m }"
    const agents = one(`${AGENTS}, ${late}`)
    expect(agents.figures["errands.completed"]).toBe(1)
    expect(agents.counts["errands.calls.check_delivery"]).toBe(2)
    expect(one(late).counts["errands.declined.quote_expired"]).toBe(1)
  })

  test("reserve again when the hold has run out before the store order", () => {
    const { counts, figures } = one(`${AGENTS}, errand: { pays_after: 16m }`)
    expect(figures["errands.completed"]).toBe(1)
    expect(counts["errands.calls.reserve_delivery"]).toBe(2)
  })

  test("cancel when the store has the order ready too late for a pickup", () => {
    const { counts } = one(`${AGENTS}, ready_in: 2h`)
    expect(counts["errands.canceled.by agent, no pickup in time"]).toBe(1)
  })
})

describe("a site whose agents have trouble", () => {
  const model = shared({ errand: TROUBLE })
  const made = replicate(model, { seed: 3 })

  test("ends every errand exactly once", () => {
    const of = (count: string): number => made.figures[`errands.${count}`] ?? 0
    expect(of("asked")).toBeGreaterThan(40)
    expect(of("declined") + of("completed") + of("canceled") + of("failed")).toBe(of("asked"))
    expect(of("completed")).toBeGreaterThan(10)
  })

  test("tells declines by the connector's reason, unpaid fees, cancellations and failures", () => {
    expect(Object.keys(made.counts)).toEqual(
      expect.arrayContaining([
        "errands.declined.disqualifying_requirement",
        "errands.unpaid.card declined",
        "errands.unpaid.not paid out",
        "errands.canceled.agent gave up",
        "errands.canceled.by agent, unpaid",
        "errands.canceled.by customer",
        "errands.failed.customer_unavailable",
      ]),
    )
    expect(made.figures["errands.unpaid"]).toBeGreaterThan(
      made.counts["errands.canceled.by agent, unpaid"] ?? 0,
    )
  })

  test("measures what the other products measure", () => {
    for (const name of ["wait_mean", "stay_mean", "booking_mean", "total_p50"]) {
      expect(made.figures[`errands.${name}`]).toBeGreaterThan(0)
    }
    expect(made.durations["state.errand.held"]?.n).toBeGreaterThan(40)
  })

  test("has the same figures and the same digest on the same seed", () => {
    expect(replicate(model, { seed: 3 })).toEqual(made)
  })

  test("takes no place of the direct deliveries' chance, but of their vehicles", () => {
    const of = (perHour: number) => replicate(shared({ vehicles: 3, perHour }), { seed: 3 }).figures
    const [few, many] = [of(1), of(40)]
    expect(many["deliveries.asked"]).toBe(few["deliveries.asked"])
    expect(many["deliveries.declined"]).toBeGreaterThan(few["deliveries.declined"] ?? 0)
    expect(many["errands.declined"]).toBeGreaterThan(0)
  })
})

test.each([
  ["category: bar", "store_not_supported"],
  ["hours: Tue-Sun 07:00-22:00", "outside_service_hours"],
  ["at: [30.5, -97.7]", "out_of_zone"],
])("a store with %s has every errand declined as %s", (listing, reason) => {
  const { counts, figures } = replicate(
    fleetModel(`
fleet: Declined
because: The screening is the connector's own.
clock: ${CLOCK}
horizon: 1h
sites: [{ as: curb, at: [30.4, -97.7], reach_km: 2, vehicles: 2, stores: [{ as: kitchen, ${listing} }] }]
demand: [{ product: courier, site: curb, per_hour: 6 }]
`),
    { seed: 1 },
  )
  expect(figures["errands.asked"]).toBeGreaterThan(0)
  expect(counts[`errands.declined.${reason}`]).toBe(figures["errands.asked"])
})

test("a run keeps nothing of errands that are over", () => {
  const instants = Array.from(
    { length: 40 },
    (_, minute) => Date.parse(`${DAY}T10:00:00-06:00`) + minute * 60_000,
  )
  const last = Date.parse(`${DAY}T18:30:00-06:00`)
  const world = worldOf(
    fleetModel(
      `
fleet: Forty errands and one
because: What is kept must not grow with the orders.
clock: ${CLOCK}
horizon: 9h
sites: [{ as: curb, at: [30.4, -97.7], reach_km: 2, vehicles: 20 }]
demand:
  - { product: courier, site: curb, replay: many.csv, cancel: 10%, ${TROUBLE} }
`,
      { "many.csv": [...instants, last].map((ms) => new Date(ms).toISOString()).join("\n") },
    ),
  )
  const { host } = world.service
  const kept = (): readonly number[] => [
    ...["courier-orders", "courier-payments", "courier-claims", "deliveries"].map(
      (table) => host.store.table(table).size,
    ),
    host.groups.all().filter(({ address }) => !address.startsWith("vehicle/")).length,
  ]
  host.time.run(Date.parse(`${DAY}T10:40:00-06:00`))
  expect(Math.min(...kept())).toBeGreaterThan(10)
  host.time.run(last + 3_600_000)
  const [orders = 0, payments = 0, claims = 0, deliveries = 0, groups = 0] = kept()
  expect(Math.max(orders, payments, deliveries)).toBeLessThanOrEqual(1)
  expect(claims).toBeLessThanOrEqual(8)
  expect(groups).toBeLessThanOrEqual(2)
  expect(host.store.table("linked-users").size).toBe(40)
})
