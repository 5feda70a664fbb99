/**
 * An editor's problems from the schema of a fleet model and the reader's problems agree, as far as a schema can express
 * them.
 */

import { readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { Ajv2020 } from "ajv/dist/2020.js"
import { describe, expect, test } from "vitest"
import { parse } from "yaml"
import { fleetJsonSchema, fleetSchemaText } from "../../../src/simulation/fleet/language/json-schema.ts"
import { readFleet } from "../../../src/simulation/fleet/language/read.ts"
import { CLOCK } from "./models.ts"

const ajv = new Ajv2020({ allErrors: true, strictTypes: false, strictRequired: false })
const validate = ajv.compile(fleetJsonSchema())

function model(
  part: { readonly site?: string; readonly demand?: string; readonly more?: string } = {},
): string {
  return `fleet: A model
because: It is right.
clock: ${CLOCK}
horizon: 2h
sites:
  - { as: curb, at: [30.4, -97.7], stalls: 2, vehicles: 2, ${part.site ?? "runners: 1"} }
demand:
  - { site: curb, ${part.demand ?? "product: reservation, per_hour: 5"} }
${part.more ?? ""}
`
}

/** Whether reader and schema take the text. */
function verdicts(text: string): { readonly reader: boolean; readonly schema: boolean } {
  const { problems } = readFleet({ file: "m.yaml", text, beside: () => "2026-03-02T11:30:00-06:00\n" })
  return { reader: problems.length === 0, schema: validate(parse(text)) }
}

const RUNNERS = "runners: 1"
const MATRIX =
  "travel: { matrix: { places: [{ as: curb, at: [30.4, -97.7] }, { as: east, at: [30.4, -97.6] }], times: { curb: "
const DELIVERY = "product: delivery, per_hour: 5"

describe("reader and schema agree that it is right", () => {
  test.each([
    ["a count of runners", { site: "runners: 4" }],
    ["shifts of runners", { site: "runners: [{ count: 2, from: 11:00, to: 14:00 }]" }],
    [
      "breaks of a shift",
      { site: "runners: [{ count: 2, breaks: [{ from: 13:00, to: 14:00, lasts: 30m }] }]" },
    ],
    ["a priority", { demand: "product: reservation, per_hour: 5, priority: 9" }],
    ["every distribution", { more: everyDistribution() }],
    [
      "rates by the hour",
      { demand: 'product: delivery, per_hour: { by_hour: { "07:00": 5, "11:30": 20 } }' },
    ],
    ["orders that come at once", { demand: "product: delivery, per_hour: 5, batch: 3" }],
    [
      "a random number at once",
      { demand: "product: delivery, every: 5m, batch: { geometric: { mean: 2.5 } }" },
    ],
    [
      "customers who come again",
      {
        demand:
          "product: delivery, population: { size: 20, thinks: { exponential: { mean: 30m } } }, pace: 2",
      },
    ],
    ["a replayed file", { demand: "product: delivery, replay: asked.csv, pace: 2" }],
    ["an errand", { demand: "product: courier, every: 5m, errand: { gives_up: 5%, pays_after: 20s }" }],
    ["agents", { demand: "product: courier, every: 5m, by: agents" }],
    ["bots that come early", { more: "bot: { punctuality: -2m, no_show: 0.5% }" }],
    ["a share as a number", { more: "bot: { no_show: 0.05, abort: 100% }" }],
    [
      "a sweep of everything",
      {
        demand: "product: reservation, per_hour: 5 }\n  - { site: curb, product: delivery, per_hour: 5",
        more: "sweep: { vehicles: [1], runners: [1], stalls: [1], cooks: [1], demand: [1.5, 2], staging_lead: [1m], send_ahead: [0s, 2h], dispatch: [first_booked] }",
      },
    ],
    [
      "a sweep over values at paths",
      { more: "sweep: { vehicle.speed_kmh: [15, 20], vehicle.load: [2m], vehicle.returns: [true, false] }" },
    ],
    [
      "a sweep over the choice of vehicles",
      {
        demand: "product: delivery, per_hour: 5",
        more: "policy: { vehicle_dispatch: least_loaded }\nsweep: { vehicle_dispatch: [nearest, least_loaded, earliest_free, batching] }",
      },
    ],
    [
      "promises and a stop rule",
      {
        more: 'promises: { wait_p95: "< 8m", orders.late_share: "<=5%", orders.asked: "> 3" }\nuntil: { wait_p95: ±5%, wait_mean: +-10s, orders.late_share: ± 2% }',
      },
    ],
    [
      "travel by a matrix",
      { more: `${MATRIX}{ curb: 3m, east: { by_hour: { "12:00": 9m } } }, east: { east: 4m } } } }` },
    ],
    ["batching", { demand: DELIVERY, more: "vehicle: { batching: { within_km: 1.5, waits: 2m } }" }],
    ["travel as the crow flies", { more: "travel: straight" }],
    [
      "a search, prices and a study of inputs",
      {
        more: 'promises: { wait_p95: "< 8m", cost.per_order: "< 9.50", runners.hours: "<= 8" }\nfind: { least: [runners, stalls], that_keeps: [wait_p95], at_most: 12 }\ncosts: { currency: USD, runner_hour: 24, waiting_minute: 0.5 }\nsensitivity: 12.5%',
      },
    ],
    [
      "changes of every kind",
      {
        demand: `${DELIVERY} }\n  - { as: others, site: curb, product: reservation, per_hour: 5`,
        more: 'vehicle: { breakdown: { every: 8h, repair: 10m } }\nchanges: [{ at: 10:40, runners: +1, vehicles at curb: -1, demand: 1.5, dispatch: first_booked, open_link_fails: 5% }, { at: "2026-03-02T11:00", demand of others: 0, vehicle_dispatch: nearest, payload_too_heavy: 0.1, breakdowns: 3, breakdown of veh_0_0002: 20m }]',
      },
    ],
    [
      "a search for one count",
      { more: 'promises: { wait_p95: "< 8m" }\nfind: { least: runners }\nsensitivity: 0.2' },
    ],
    [
      "a store's listing",
      {
        site: `${RUNNERS}, stores: [{ as: soup, at: [30.4, -97.7], hours: "Mon-Fri 07:00-22:00", cooks: 2 }]`,
      },
    ],
  ])("%s", (_, part) => {
    const { reader, schema } = verdicts(model(part))
    expect({ reader, schema, errors: schema ? [] : validate.errors }).toEqual({
      reader: true,
      schema: true,
      errors: [],
    })
  })
})

function everyDistribution(): string {
  return `runner: { walk: { exponential: { mean: 1m } }, pick_up: { uniform: [10s, 1m] }, load: { normal: { mean: 1m, sd: 10s } } }
vehicle:
  load: { lognormal: { mean: 1m, sd: 10s } }
  drop_off: { gamma: { mean: 2m, sd: 1m } }
  breakdown: { every: { weibull: { shape: 1.5, scale: 8h } }, repair: { drawn_from: [10m, 1h30m] } }
`
}

describe("reader and schema agree that it is wrong", () => {
  test.each([
    ["a misspelled key of a site", { site: `${RUNNERS}, stals: 2` }],
    ["half a runner", { site: "runners: 1.5" }],
    ["runners in words", { site: "runners: four" }],
    ["shifts that are counts", { site: "runners: [4, 5]" }],
    ["a break without its length", { site: "runners: [{ count: 1, breaks: [{ from: 13:00, to: 14:00 }] }]" }],
    ["a priority above nine", { demand: "product: reservation, per_hour: 5, priority: 10" }],
    ["a shift without its count", { site: "runners: [{ from: 11:00 }]" }],
    ["a shift at no time", { site: "runners: [{ count: 1, from: 11am }]" }],
    ["a place at the pole", { site: `${RUNNERS}, stores: [{ as: soup, at: [89, 0] }]` }],
    ["a place of three numbers", { site: `${RUNNERS}, area: [[30, -97, 1], [31, -97], [31, -98]]` }],
    ["an area of two corners", { site: `${RUNNERS}, area: [[30, -97], [31, -97]]` }],
    ["no cook", { site: `${RUNNERS}, stores: [{ as: soup, cooks: 0 }]` }],
    ["an unknown category", { site: `${RUNNERS}, stores: [{ as: soup, category: pharmcy }]` }],
    ["no demand's way", { demand: "product: delivery" }],
    ["two ways of one demand", { demand: `${DELIVERY}, every: 3m` }],
    ["an unknown product", { demand: "product: parcel, per_hour: 5" }],
    ["an errand of a delivery", { demand: `${DELIVERY}, errand: { gives_up: 5% }` }],
    ["agents of a delivery", { demand: `${DELIVERY}, by: agents` }],
    ["another kind of agent", { demand: "product: courier, every: 5m, by: people" }],
    ["a rate in words", { demand: "product: delivery, per_hour: five" }],
    ["hours that are none", { demand: 'product: delivery, per_hour: { by_hour: { "7am": 5 } }' }],
    ["no hour at all", { demand: "product: delivery, per_hour: { by_hour: {} }" }],
    ["an unknown distribution", { demand: "product: delivery, every: { exponental: { mean: 3m } }" }],
    [
      "two distributions at once",
      { demand: "product: delivery, every: { uniform: [1m, 2m], gamma: { mean: 1m, sd: 1m } }" },
    ],
    ["a mean of nothing", { demand: "product: delivery, every: { exponential: { mean: 0s } }" }],
    ["a bare number of minutes", { more: "runner: { walk: 2 }" }],
    ["an empty duration", { more: 'runner: { walk: "" }' }],
    ["a negative duration", { more: "runner: { walk: -2m }" }],
    ["more than everything", { more: "bot: { no_show: 120% }" }],
    ["a share without its sign", { more: "bot: { no_show: 5 }" }],
    ["a speed of nothing", { more: "vehicle: { speed_kmh: 0 }" }],
    ["a promise of an unknown figure", { more: 'promises: { wait_p59: "< 3m" }' }],
    ["a promise in the wrong unit", { more: 'promises: { wait_p95: "< 3" }' }],
    ["a promise without its sign", { more: "promises: { wait_p95: 3m }" }],
    ["a share that is promised as a duration", { more: 'promises: { orders.late_share: "< 3m" }' }],
    ["a stop rule without its sign", { more: "until: { wait_p95: 5% }" }],
    ["a stop rule of nothing", { more: "until: { wait_p95: ±0% }" }],
    [
      "customers without a time between two orders",
      { demand: "product: delivery, population: { size: 20 }" },
    ],
    ["an order of nothing", { demand: "product: delivery, per_hour: 5, items: 0" }],
    ["no order at once", { demand: "product: delivery, per_hour: 5, batch: 0" }],
    ["half an order", { demand: "product: delivery, per_hour: 5, batch: { drawn_from: [1, 1.5] }" }],
    [
      "two distributions of one number",
      { demand: "product: delivery, per_hour: 5, batch: { drawn_from: [1], geometric: { mean: 2 } }" },
    ],
    ["a sweep over nothing", { more: "sweep: { vehicles: [] }" }],
    ["a sweep of one number", { more: "sweep: { vehicles: 3 }" }],
    ["a sweep over half a vehicle", { more: "sweep: { vehicles: [1.5] }" }],
    ["a sweep over more vehicles than a site takes", { more: "sweep: { vehicles: [20000] }" }],
    ["a sweep over bare minutes", { more: "sweep: { staging_lead: [5] }" }],
    ["a sweep over unknown words", { more: "sweep: { dispatch: [nearest] }" }],
    ["an unknown choice of vehicles", { demand: DELIVERY, more: "policy: { vehicle_dispatch: closest }" }],
    ["a sweep over a path of an unknown part", { more: "sweep: { vans.speed_kmh: [15] }" }],
    ["a sweep over maps", { more: "sweep: { vehicle.load: [{ exponential: { mean: 2m } }] }" }],
    ["a sweep over an unknown setting", { more: "sweep: { vans: [1] }" }],
    [
      "a search without what to minimize",
      { more: 'promises: { wait_p95: "< 8m" }\nfind: { that_keeps: [wait_p95] }' },
    ],
    ["a search for a setting", { more: 'promises: { wait_p95: "< 8m" }\nfind: { least: staging_lead }' }],
    ["a search for no count", { more: 'promises: { wait_p95: "< 8m" }\nfind: { least: [] }' }],
    ["a negative price", { more: "costs: { runner_hour: -3 }" }],
    ["a price in words", { more: "costs: { lost_order: dear }" }],
    ["an unknown price", { more: "costs: { rent: 3 }" }],
    ["inputs that do not change", { more: 'promises: { wait_p95: "< 8m" }\nsensitivity: 0%' }],
    ["inputs that vanish", { more: 'promises: { wait_p95: "< 8m" }\nsensitivity: 100%' }],
    ["a way of travel that is none", { more: "travel: fast" }],
    [
      "two ways of travel",
      { more: `${MATRIX}{ curb: 3m, east: 9m }, east: { east: 4m } } }, streets: town.geojson }` },
    ],
    ["batching of doors at any distance", { demand: DELIVERY, more: "vehicle: { batching: { waits: 2m } }" }],
    ["no way of travel", { more: "travel: {}" }],
    [
      "a time between places in words",
      { more: `${MATRIX}{ curb: 3m, east: soon }, east: { east: 4m } } } }` },
    ],
    ["a negative seed", { more: "seed: -1" }],
    ["no replication", { more: "replications: 0" }],
    ["webhooks in words", { more: "webhooks: all" }],
    ["no change", { more: "changes: []" }],
    ["a change at no time", { more: "changes: [{ demand: 2 }]" }],
    ["a change at a time in words", { more: "changes: [{ at: noon, demand: 2 }]" }],
    ["a change of nothing", { more: "changes: [{ at: 10:40 }]" }],
    ["no runner more", { more: "changes: [{ at: 10:40, runners: +0 }]" }],
    ["half a runner more", { more: "changes: [{ at: 10:40, runners at curb: +0.5 }]" }],
    ["more stalls", { more: "changes: [{ at: 10:40, stalls: +1 }]" }],
    ["a negative demand", { more: "changes: [{ at: 10:40, demand: -1 }]" }],
    ["a change of an unknown policy", { more: "changes: [{ at: 10:40, dispatch: nearest }]" }],
    ["a breakdown of no length", { more: "changes: [{ at: 10:40, breakdown of veh_0_0001: 20 }]" }],
  ])("%s", (_, part) => {
    expect(verdicts(model(part))).toEqual({ reader: false, schema: false })
  })

  test.each([
    ["a horizon without its unit", "horizon: 2h", "horizon: 2"],
    ["a horizon of nothing", "horizon: 2h", "horizon: 0h"],
    ["a clock without its zone", CLOCK, "2026-03-02T10:00"],
    ["an empty title", "fleet: A model", 'fleet: " "'],
    ["no question", "because: It is right.\n", ""],
    ["no site", /sites:\n.*\n/, "sites: []\n"],
  ])("%s", (_, right, wrong) => {
    const text = model().replace(right, wrong)
    expect(text).not.toBe(model())
    expect(verdicts(text)).toEqual({ reader: false, schema: false })
  })
})

const FOLDER = join(import.meta.dirname, "../../../scenarios/fleets")

test("the schema's file is what the language generates", () => {
  expect(readFileSync(join(FOLDER, "fleet.schema.json"), "utf8")).toBe(fleetSchemaText())
})

test.each(readdirSync(FOLDER).filter((file) => file.endsWith(".yaml")))(
  "the shipped model %s fits the schema that it names",
  (file) => {
    const text = readFileSync(join(FOLDER, file), "utf8")
    expect(text.split("\n")[0]).toBe("# yaml-language-server: $schema=fleet.schema.json")
    expect(validate(parse(text)) ? [] : validate.errors).toEqual([])
  },
)
