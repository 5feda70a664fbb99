/**
 * Every word of the model language does something. Each has a pair of models that differ in this word alone, and their runs differ.
 * The schema says which words there are, so a new word fails here until it has its pair.
 */

import { Struct } from "effect"
import { describe, expect, test } from "vitest"
import { casesOf, inCase } from "../../../src/simulation/fleet/language/cases.ts"
import { fleetJsonSchema } from "../../../src/simulation/fleet/language/json-schema.ts"
import { METRICS } from "../../../src/simulation/fleet/language/metrics.ts"
import type { FleetModel } from "../../../src/simulation/fleet/language/model.ts"
import type { JsonObject } from "../../../src/model/values/json.ts"
import { replicate } from "../../../src/simulation/fleet/world/replication.ts"
import type { Replication } from "../../../src/simulation/fleet/world/replication.ts"
import { withCosts } from "../../../src/simulation/fleet/results/costs.ts"
import { CLOCK, fleetModel } from "./models.ts"

/** Parts of the model that a word may need or change. */
interface Parts {
  readonly clock?: string
  readonly horizon?: string
  readonly site?: string
  readonly at?: string
  readonly stalls?: number
  readonly runners?: string
  readonly vehicles?: number | string
  readonly store?: string
  readonly more?: string
  readonly reservation?: string
  readonly delivery?: string
  readonly courier?: string
  /** Another demand, or another site. */
  readonly demand?: string
  readonly sites?: string
}

/** A curb with reservations, direct deliveries and courier orders. */
function written(parts: Parts): string {
  const more = (words: string | undefined): string => (words === undefined ? "" : `, ${words}`)
  return `
fleet: Every word
because: What does it change?
clock: ${parts.clock ?? CLOCK}
horizon: ${parts.horizon ?? "2h"}
sites:
  - as: curb
    at: ${parts.at ?? "[30.4, -97.7]"}
    stalls: ${parts.stalls ?? 3}
    runners: ${parts.runners ?? 2}
    vehicles: ${parts.vehicles ?? 3}
    stores: [{ as: store, preparation: { uniform: [2m, 9m] }${more(parts.store)} }, { as: other }]
    ${parts.site ?? ""}
  ${parts.sites ?? ""}
demand:
  - { product: reservation, site: curb, ${parts.reservation ?? "per_hour: 20"} }
  - { product: delivery, site: curb, ${parts.delivery ?? "per_hour: 10"} }
  - { product: courier, site: curb, ${parts.courier ?? "per_hour: 6"} }
  ${parts.demand ?? ""}
${parts.more ?? ""}
`
}

const BESIDE = {
  "asked.csv": "at\n2026-03-02T11:00:00-06:00\n",
  "doors.geojson": placesFile("Point"),
  "areas.geojson": placesFile("Polygon"),
  "roads.geojson": roadsFile(),
  "streets.geojson": JSON.stringify({
    type: "FeatureCollection",
    attribution: "invented",
    features: [-0.03, -0.02, -0.01, 0, 0.01, 0.02, 0.03].flatMap((offset) => [
      street([-97.74, 30.4 + offset], [-97.66, 30.4 + offset]),
      street([-97.7 + offset, 30.36], [-97.7 + offset, 30.44]),
    ]),
  }),
}

/** A grid of roads on which cars may drive, and people walk. */
function roadsFile(): string {
  const features = [-0.03, -0.02, -0.01, 0, 0.01, 0.02, 0.03].flatMap((offset) => [
    street([-97.74, 30.4 + offset], [-97.66, 30.4 + offset]),
    street([-97.7 + offset, 30.36], [-97.7 + offset, 30.44]),
  ])
  const tagged = features.map((one) => ({ ...one, properties: { highway: "residential", maxspeed: "30" } }))
  return JSON.stringify({ type: "FeatureCollection", attribution: "invented", features: tagged })
}

/** Two squares of unlike size, and the middle of each as a point. */
function placesFile(kind: "Point" | "Polygon"): string {
  const places = [
    { west: -97.71, size: 0.004, homes: 1, people: 9 },
    { west: -97.695, size: 0.008, homes: 9, people: 1 },
  ]
  const features = places.map(({ west, size, homes, people }) => {
    const [east, south, north] = [west + size, 30.4, 30.4 + size]
    const ring = [
      [west, south],
      [east, south],
      [east, north],
      [west, north],
      [west, south],
    ]
    const coordinates = kind === "Point" ? [west + size / 2, south + size / 2] : [ring]
    return { type: "Feature", properties: { homes, people }, geometry: { type: kind, coordinates } }
  })
  return JSON.stringify({ type: "FeatureCollection", features })
}

/** Along the streets of a profile, with more words of travel. */
function onStreets(words: string): string {
  return `travel: { streets: roads.geojson, profile: ${words} }`
}

/** A straight street with a corner at every hundredth of a degree, where others cross it. */
function street(from: readonly [number, number], to: readonly [number, number]): object {
  const corners = Array.from({ length: 9 }, (_, at) =>
    [0, 1].map((axis) => {
      const [begin = 0, end = 0] = [from[axis], to[axis]]
      return Number((begin + ((end - begin) * at) / 8).toFixed(4))
    }),
  )
  return { type: "Feature", properties: {}, geometry: { type: "LineString", coordinates: corners } }
}

function model(parts: Parts): FleetModel {
  return fleetModel(written(parts), BESIDE)
}

/** Many reservations for one runner, so that orders wait. */
const BUSY: Parts = { runners: "1", reservation: "per_hour: 30, ahead: { uniform: [10m, 70m] }" }
/** Bots, vehicles and agents wait, are late, and are lost. */
const LATE: Parts = { ...BUSY, stalls: 1, vehicles: 1, delivery: "per_hour: 20", store: "cooks: 1" }
const FAR = "- { as: far, at: [30.5, -97.7], stalls: 2, runners: 1 }"
const KITCHEN =
  '- { as: far, at: [30.5, -97.7], stalls: 2, runners: 1, stores: [{ as: kitchen, preparation: { by_hour: { "10:00": 5m, "11:00": 12m } } }] }'
const atKitchen = "- { product: reservation, site: far, per_hour: 10 }"
const FEE = "declined_cards: 60%"
const SMALL = "vehicle: { batching: { within_km: 6, capacity: 4 } }"
const BATCHING = "vehicle: { batching: { within_km: 6 } }"
const COSTS = "costs: { currency: USD"
const matrix = (time: string): string =>
  `travel: { matrix: { places: [{ as: here, at: [30.4, -97.7] }, { as: there, at: [30.42, -97.7] }], times: { here: { here: 4m, there: ${time} }, there: { there: 5m } } } }`
const placesAt = (latitude: number): string => matrix("15m").replace("30.42", String(latitude))

function extra(product: string, words: string): string {
  return `- { product: ${product}, site: curb, ${words} }`
}

function courierAt(store: string): string {
  return extra("courier", `per_hour: 10, store: ${store}`)
}

function errand(words: string): string {
  return `per_hour: 10, errand: { ${words} }`
}

function breaks(from: string, to: string, lasts: string): string {
  return `[{ count: 2, breaks: [{ from: ${from}, to: ${to}, lasts: ${lasts} }] }]`
}

function breakdown(every: string, repair: string): string {
  return `vehicle: { breakdown: { every: ${every}, repair: ${repair} } }`
}

function out(words: string, when = "from: 10:40, to: 12:00"): string {
  return `out: [{ ${when}, ${words} }]`
}

function changes(words: string, at = "10:40"): string {
  return `changes: [{ at: ${at}, ${words} }]`
}

function charging(afterKm: number, takes: string): string {
  return `vehicle: { charging: { after_km: ${afterKm}, takes: ${takes} } }`
}

/** Two models that differ in one price. */
function priced([price, amount]: readonly [string, number]): readonly [Parts, Parts] {
  const at = (one: number): Parts => ({ ...LATE, more: `${COSTS}, ${price}: ${one} }` })
  return [at(amount), at(amount * 2)]
}

const PRICES = {
  runner_hour: 24,
  cook_hour: 20,
  vehicle_hour: 6,
  stall_hour: 1,
  late_order: 2,
  waiting_minute: 0.5,
  lost_order: 9,
}

/** Words that change a run, each with two models that differ in it alone. */
const WORDS: Readonly<Record<string, readonly [without: Parts, with_: Parts]>> = {
  clock: [{}, { clock: "2026-03-02T10:30 America/Chicago" }],
  horizon: [{}, { horizon: "3h" }],
  warm_up: [{}, { more: "warm_up: 1h" }],
  sites: [
    {},
    {
      sites: FAR,
      demand: "- { product: reservation, site: far, per_hour: 5 }",
    },
  ],
  "sites.at": [{ more: matrix("15m") }, { at: "[30.41, -97.7]", more: matrix("15m") }],
  "sites.reach_km": [{}, { site: "reach_km: 1.5" }],
  "sites.area": [{}, { site: "area: [[30.39, -97.71], [30.41, -97.71], [30.41, -97.69]]" }],
  "sites.stalls": [{}, { stalls: 1 }],
  "sites.stores": [{}, { store: "cooks: 2" }],
  "sites.stores.as": [{ demand: courierAt("other") }, { demand: courierAt("store") }],
  "sites.stores.preparation": [{}, { demand: courierAt("store") }],
  "sites.stores.preparation.by_hour": [
    { sites: KITCHEN, demand: atKitchen },
    { sites: KITCHEN.replace("12m", "3m"), demand: atKitchen },
  ],
  "sites.stores.cooks": [{}, { store: "cooks: 1" }],
  "sites.stores.cooks.count": [{}, { store: "cooks: [{ count: 1 }]" }],
  "sites.stores.cooks.from": [
    { store: "cooks: 2" },
    { store: "cooks: [{ count: 1 }, { count: 1, from: 11:00 }]" },
  ],
  "sites.stores.cooks.to": [
    { store: "cooks: 2" },
    { store: "cooks: [{ count: 1 }, { count: 1, to: 11:00 }]" },
  ],
  "sites.stores.starts_before": [{ store: "cooks: 1" }, { store: "cooks: 1, starts_before: 0s" }],
  "sites.stores.at": [{}, { store: "at: [30.41, -97.7]" }],
  "sites.stores.hours": [{}, { store: 'hours: "Mon-Sun 11:00-12:00"' }],
  "sites.stores.category": [{}, { store: "category: grocery_store" }],
  "sites.stores.lead_time": [{}, { store: "lead_time: 50m" }],
  "sites.runners": [{}, { runners: "1" }],
  "sites.runners.count": [{}, { runners: "[{ count: 1 }]" }],
  "sites.runners.from": [{}, { runners: "[{ count: 2, from: 11:00 }]" }],
  "sites.runners.to": [{}, { runners: "[{ count: 2, to: 11:30 }, { count: 1 }]" }],
  "sites.runners.breaks": [{}, { runners: breaks("10:30", "12:00", "40m") }],
  "sites.runners.breaks.from": [
    { runners: breaks("10:30", "12:00", "40m") },
    { runners: breaks("10:40", "12:00", "40m") },
  ],
  // The last one is back at that time, so it decides when each goes.
  "sites.runners.breaks.to": [
    { runners: breaks("10:30", "12:00", "40m") },
    { runners: breaks("10:30", "11:30", "40m") },
  ],
  "sites.runners.breaks.lasts": [
    { runners: breaks("10:30", "12:00", "40m") },
    { runners: breaks("10:30", "12:00", "20m") },
  ],
  "sites.vehicles": [{}, { vehicles: 1 }],
  "sites.vehicles.count": [{}, { vehicles: "[{ count: 1 }]" }],
  "sites.vehicles.from": [{}, { vehicles: "[{ count: 3, from: 11:30 }]" }],
  "sites.vehicles.to": [{}, { vehicles: "[{ count: 3, to: 10:30 }, { count: 1, from: 10:30 }]" }],
  runner: [{}, { more: "runner: { walk: 3m }" }],
  "runner.walk": [{}, { more: "runner: { walk: 2m }" }],
  "runner.pick_up": [{}, { more: "runner: { pick_up: 2m }" }],
  "runner.load": [{}, { more: "runner: { load: 2m }" }],
  vehicle: [{}, { more: "vehicle: { speed_kmh: 40 }" }],
  "vehicle.speed_kmh": [{}, { more: "vehicle: { speed_kmh: 15 }" }],
  "vehicle.speed_kmh.by_hour": [
    { more: 'vehicle: { speed_kmh: { by_hour: { "10:00": 25 } } }' },
    { more: 'vehicle: { speed_kmh: { by_hour: { "10:00": 25, "11:00": 12 } } }' },
  ],
  "vehicle.detour": [{}, { more: "vehicle: { detour: 2 }" }],
  "vehicle.load": [{}, { more: "vehicle: { load: 4m }" }],
  "vehicle.drop_off": [{}, { more: "vehicle: { drop_off: 5m }" }],
  "vehicle.batching": [{ delivery: "per_hour: 30" }, { delivery: "per_hour: 30", more: BATCHING }],
  "vehicle.batching.within_km": [
    { delivery: "per_hour: 30", more: BATCHING },
    { delivery: "per_hour: 30", more: "vehicle: { batching: { within_km: 0 } }" },
  ],
  "vehicle.batching.capacity": [
    { delivery: "per_hour: 30, items: 2", more: SMALL },
    { delivery: "per_hour: 30, items: 2", more: "vehicle: { batching: { within_km: 6, capacity: 3 } }" },
  ],
  "vehicle.batching.waits": [
    { delivery: "per_hour: 30", more: BATCHING },
    { delivery: "per_hour: 30", more: "vehicle: { batching: { within_km: 6, waits: 9m } }" },
  ],
  "vehicle.returns": [{}, { more: "vehicle: { returns: false }" }],
  "vehicle.breakdown": [{}, { more: breakdown("20m", "15m") }],
  "vehicle.breakdown.every": [{ more: breakdown("20m", "15m") }, { more: breakdown("12m", "15m") }],
  "vehicle.breakdown.repair": [{ more: breakdown("20m", "15m") }, { more: breakdown("20m", "3m") }],
  "vehicle.charging": [{}, { more: charging(8, "15m") }],
  "vehicle.charging.after_km": [{ more: charging(8, "15m") }, { more: charging(80, "15m") }],
  "vehicle.charging.takes": [{ more: charging(8, "15m") }, { more: charging(8, "30m") }],
  bot: [{}, { more: "bot: { settle: 1m }" }],
  "bot.punctuality": [{}, { more: "bot: { punctuality: -4m }" }],
  "bot.no_show": [{}, { more: "bot: { no_show: 30% }" }],
  "bot.abort": [{}, { more: "bot: { abort: 30% }" }],
  "bot.patience": [{ runners: "1" }, { runners: "1", more: "bot: { patience: 2m }" }],
  "bot.patience_until": [
    { runners: "1", more: "bot: { patience: 2m }" },
    { runners: "1", more: "bot: { patience: 2m, patience_until: runner }" },
  ],
  "bot.settle": [{}, { more: "bot: { settle: 2m }" }],
  "bot.leave": [{}, { more: "bot: { leave: 2m }" }],
  "bot.tells_eta": [{}, { more: "bot: { tells_eta: 5m }" }],
  travel: [{}, { more: "travel: { streets: streets.geojson }" }],
  "travel.streets": [{}, { more: "travel: { streets: streets.geojson }" }],
  "travel.profile": [{ more: onStreets("car") }, { more: onStreets("on_foot") }],
  "travel.speeds": [{ more: onStreets("car") }, { more: onStreets("car, speeds: 0.5") }],
  "travel.speeds.by_hour": [
    { more: onStreets('car, speeds: { by_hour: { "10:00": 0.5 } }') },
    { more: onStreets('car, speeds: { by_hour: { "10:00": 0.5, "11:00": 0.2 } }') },
  ],
  doors: [{}, { more: "doors: { points: doors.geojson }" }],
  "doors.points": [{}, { more: "doors: { points: doors.geojson }" }],
  "doors.weight": [
    { more: "doors: { points: doors.geojson }" },
    { more: "doors: { points: doors.geojson, weight: homes }" },
  ],
  "doors.areas": [{}, { more: "doors: { areas: areas.geojson, density: homes }" }],
  "doors.density": [
    { more: "doors: { areas: areas.geojson, density: homes }" },
    { more: "doors: { areas: areas.geojson, density: people }" },
  ],
  "doors.population": [
    { more: "doors: { areas: areas.geojson, density: homes }" },
    { more: "doors: { areas: areas.geojson, population: homes }" },
  ],
  "travel.matrix": [{}, { more: matrix("15m") }],
  "travel.matrix.places": [{ more: matrix("15m") }, { more: placesAt(30.44) }],
  "travel.matrix.places.as": [
    { more: matrix("15m") },
    {
      more: matrix("15m")
        .replace("{ as: here", "{ as: swap")
        .replace("as: there", "as: here")
        .replace("as: swap", "as: there"),
    },
  ],
  "travel.matrix.places.at": [{ more: matrix("15m") }, { more: placesAt(30.41) }],
  "travel.matrix.times": [{ more: matrix("15m") }, { more: matrix("30m") }],
  demand: [{}, { demand: "- { product: delivery, site: curb, per_hour: 4 }" }],
  "demand.product": [
    { demand: extra("delivery", "per_hour: 6") },
    { demand: extra("reservation", "per_hour: 6") },
  ],
  "demand.site": [
    { sites: FAR, demand: "- { product: reservation, site: curb, per_hour: 5 }" },
    { sites: FAR, demand: "- { product: reservation, site: far, per_hour: 5 }" },
  ],
  "demand.store": [{ demand: courierAt("other") }, { demand: courierAt("store") }],
  "demand.per_hour": [{}, { delivery: "per_hour: 20" }],
  "demand.per_hour.by_hour": [
    { delivery: 'per_hour: { by_hour: { "10:00": 10 } }' },
    { delivery: 'per_hour: { by_hour: { "10:00": 10, "11:00": 25 } }' },
  ],
  "demand.every": [{ delivery: "every: 6m" }, { delivery: "every: 9m" }],
  "demand.replay": [{}, { demand: extra("delivery", "replay: asked.csv") }],
  "demand.population": [{ delivery: "per_hour: 10" }, { delivery: "population: { size: 5, thinks: 20m }" }],
  "demand.population.size": [
    { delivery: "population: { size: 5, thinks: 20m }" },
    { delivery: "population: { size: 8, thinks: 20m }" },
  ],
  "demand.population.thinks": [
    { delivery: "population: { size: 5, thinks: 20m }" },
    { delivery: "population: { size: 5, thinks: 9m }" },
  ],
  "demand.pace": [{ delivery: "every: 6m" }, { delivery: "every: 6m, pace: 2" }],
  "demand.batch": [{}, { delivery: "per_hour: 10, batch: 2" }],
  "demand.batch.drawn_from": [
    { delivery: "per_hour: 10, batch: { drawn_from: [2] } " },
    { delivery: "per_hour: 10, batch: { drawn_from: [1, 3] } " },
  ],
  "demand.batch.geometric": [{}, { delivery: "per_hour: 10, batch: { geometric: { mean: 2 } }" }],
  "demand.batch.geometric.mean": [
    { delivery: "per_hour: 10, batch: { geometric: { mean: 2 } }" },
    { delivery: "per_hour: 10, batch: { geometric: { mean: 3 } }" },
  ],
  "demand.items": [
    { delivery: "per_hour: 30, items: 2", more: SMALL },
    { delivery: "per_hour: 30, items: 3", more: SMALL },
  ],
  "demand.items.drawn_from": [
    { delivery: "per_hour: 30, items: { drawn_from: [2] }", more: SMALL },
    { delivery: "per_hour: 30, items: { drawn_from: [3] }", more: SMALL },
  ],
  "demand.items.geometric": [
    { delivery: "per_hour: 30, items: 2", more: SMALL },
    { delivery: "per_hour: 30, items: { geometric: { mean: 9 } }", more: SMALL },
  ],
  "demand.items.geometric.mean": [
    { delivery: "per_hour: 30, items: { geometric: { mean: 2 } }", more: SMALL },
    { delivery: "per_hour: 30, items: { geometric: { mean: 9 } }", more: SMALL },
  ],
  "demand.on": [
    { demand: extra("delivery", "per_hour: 6, on: [Mon]") },
    { demand: extra("delivery", "per_hour: 6, on: [Tue]") },
  ],
  "demand.ahead": [{}, { reservation: "per_hour: 20, ahead: 50m" }],
  "demand.width": [{}, { reservation: "per_hour: 20, width: 15m" }],
  "demand.ready_in": [{}, { delivery: "per_hour: 10, ready_in: 45m" }],
  "demand.priority": [
    { runners: "1", demand: extra("reservation", "per_hour: 10") },
    { runners: "1", demand: extra("reservation", "per_hour: 10, priority: 5") },
  ],
  "demand.cancel": [{}, { delivery: "per_hour: 10, cancel: 50%" }],
  "demand.cancel_after": [
    { delivery: "per_hour: 10, cancel: 50%" },
    { delivery: "per_hour: 10, cancel: 50%, cancel_after: 1m" },
  ],
  "demand.by": [
    { courier: errand("reserves_after: 31m") },
    { courier: `by: agents, ${errand("reserves_after: 31m")}` },
  ],
  "demand.errand": [{}, { courier: errand("restricted: 50%") }],
  "demand.errand.reserves_after": [{}, { courier: errand("reserves_after: 2m") }],
  "demand.errand.pays_after": [{}, { courier: errand("pays_after: 2m") }],
  "demand.errand.confirms_after": [{}, { courier: errand("confirms_after: 4m") }],
  "demand.errand.gives_up": [{}, { courier: errand("gives_up: 50%") }],
  "demand.errand.declined_cards": [{}, { courier: errand(FEE) }],
  "demand.errand.second_cards": [{ courier: errand(FEE) }, { courier: errand(`${FEE}, second_cards: 0%`) }],
  "demand.errand.uncaptured": [{}, { courier: errand("uncaptured: 60%") }],
  "demand.errand.restricted": [{}, { courier: errand("restricted: 60%") }],
  "demand.errand.nobody_home": [{}, { courier: errand("nobody_home: 60%") }],
  policy: [{}, { more: "policy: { staging_lead: 1m }" }],
  "policy.dispatch": [BUSY, { ...BUSY, more: "policy: { dispatch: first_booked }" }],
  "policy.vehicle_dispatch": [{}, { more: "policy: { vehicle_dispatch: least_loaded }" }],
  "policy.staging_lead": [{}, { more: "policy: { staging_lead: 12m }" }],
  "policy.send_ahead": [{}, { more: "policy: { send_ahead: 10m }" }],
  "policy.window_grace": [
    { more: "bot: { punctuality: 40m }" },
    { more: "bot: { punctuality: 40m }\npolicy: { window_grace: 5m }" },
  ],
  "policy.bot_wait": [
    { more: "bot: { punctuality: 20m }" },
    { more: "bot: { punctuality: 20m }\npolicy: { bot_wait: 2m }" },
  ],
  faults: [{}, { more: "faults: { open_link_fails: 40% }" }],
  "faults.open_link_fails": [{}, { more: "faults: { open_link_fails: 40% }" }],
  "faults.payload_too_heavy": [{}, { more: "faults: { payload_too_heavy: 40% }" }],
  changes: [{}, { more: changes("demand: 2") }],
  "changes.at": [{ more: changes("demand: 2") }, { more: changes("demand: 2", "11:40") }],
  "changes.runners": [BUSY, { ...BUSY, more: changes("runners: +1") }],
  "changes.vehicles": [{}, { more: changes("vehicles: -2") }],
  "changes.cooks": [{ store: "cooks: 2" }, { store: "cooks: 2", more: changes("cooks: -1") }],
  "changes.demand": [{ more: changes("demand: 2") }, { more: changes("demand: 3") }],
  "changes.dispatch": [BUSY, { ...BUSY, more: changes("dispatch: first_booked") }],
  "changes.vehicle_dispatch": [{}, { more: changes("vehicle_dispatch: least_loaded") }],
  "changes.open_link_fails": [{}, { more: changes("open_link_fails: 60%") }],
  "changes.payload_too_heavy": [{}, { more: changes("payload_too_heavy: 60%") }],
  "changes.breakdowns": [
    { more: breakdown("20m", "15m") },
    { more: `${breakdown("20m", "15m")}\n${changes("breakdowns: 4")}` },
  ],
  "vehicle.breakdown.crew": [
    { more: breakdown("5m", "40m") },
    { more: "vehicle: { breakdown: { every: 5m, repair: 40m, crew: 1 } }" },
  ],
  out: [{}, { more: out("vehicles: 2") }],
  "out.from": [{ more: out("vehicles: 2") }, { more: out("vehicles: 2", "from: 11:30, to: 12:00") }],
  "out.to": [{ more: out("vehicles: 2") }, { more: out("vehicles: 2", "from: 10:40, to: 11:00") }],
  "out.vehicles": [{ more: out("vehicles: 1") }, { more: out("vehicles: 2") }],
  "out.runners": [BUSY, { ...BUSY, more: out("runners: 1") }],
  "out.cooks": [{ store: "cooks: 2" }, { store: "cooks: 2", more: out("cooks: 1") }],
  "out.stalls": [{}, { more: out("stalls: 2") }],
  "out.street": [
    { more: onStreets("car") },
    { more: `${onStreets("car")}\n${out("street: [[30.38, -97.71], [30.42, -97.69]]")}` },
  ],
  "out.service": [{}, { more: out("service: true") }],
  "out.every": [
    { more: out("vehicles: 2", "every: 20m, lasts: 15m") },
    { more: out("vehicles: 2", "every: 9m, lasts: 15m") },
  ],
  "out.lasts": [
    { more: out("vehicles: 2", "every: 20m, lasts: 15m") },
    { more: out("vehicles: 2", "every: 20m, lasts: 5m") },
  ],
  "out.crew": [
    { more: out("vehicles: 2", "every: 10m, lasts: 40m") },
    { more: out("vehicles: 2", "every: 10m, lasts: 40m, crew: 1") },
  ],
  webhooks: [{}, { more: "webhooks: true" }],
  ...Object.fromEntries(Object.entries(PRICES).map((price) => [`costs.${price[0]}`, priced(price)])),
  costs: [{}, { more: `${COSTS}, runner_hour: 24 }` }],
}

/** Settings that a sweep changes, with a value that the base does not have. */
const SWEPT = {
  vehicles: 1,
  runners: 2,
  stalls: 1,
  cooks: 1,
  demand: 2,
  staging_lead: "12m",
  send_ahead: "10m",
  dispatch: "first_booked",
  vehicle_dispatch: "least_loaded",
} as const

/** Words that ask about runs or name something; what they answer is tested where the answers are made. */
const NO_RUN = [
  "fleet",
  "because",
  "seed",
  "replications",
  "sites.as",
  "demand.as",
  "sweep",
  "sweep.out",
  "until",
  "promises",
  "find",
  "find.least",
  "find.most",
  "find.roster",
  "find.shifts",
  "find.shifts.lengths",
  "find.shifts.starts",
  "find.shifts.from",
  "find.shifts.to",
  "find.shifts.price",
  "find.shifts.breaks",
  "find.shifts.breaks.from",
  "find.shifts.breaks.to",
  "find.shifts.breaks.lasts",
  "find.that_keeps",
  "find.at_most",
  "streets",
  "costs.currency",
  "sensitivity",
  "worst",
] as const

/** A model without what is out, beside one with it. */
test("sweep.out: none leaves out what is out", () => {
  const parts = { ...BUSY, more: `${out("runners: 1")}\nsweep: { out: [none, all] }` }
  const swept = model(parts)
  const [none, all] = casesOf(swept).map((one) => replicate(inCase(swept, one), { seed: 1 }).digest)
  expect(none).toBe(replicate(model(BUSY), { seed: 1 }).digest)
  expect(all).not.toBe(none)
})

describe("a word changes the run", () => {
  test.each(Object.entries(WORDS))("%s", (_, [without, withIt]) => {
    expect(outcomeOf(withIt)).not.toEqual(outcomeOf(without))
  })

  test.each(Object.entries(SWEPT))("sweep.%s", (setting, value) => {
    const swept = model({ ...BUSY, more: `sweep: { ${setting}: [${value}] }` })
    const [one = []] = casesOf(swept)
    const { digest, figures } = replicate(inCase(swept, one), { seed: 1 })
    expect({ digest, figures }).not.toEqual(outcomeOf(BUSY))
  })
})

test("every word of the schema is known here", () => {
  const known = [...Object.keys(WORDS), ...Object.keys(SWEPT).map((setting) => `sweep.${setting}`), ...NO_RUN]
  // The words of a table of orders have tests of their own, beside those of tables.
  const words = wordsIn(fleetJsonSchema()).filter((word) => !/^demand\.(replay|product|site)\./.test(word))
  expect(words.toSorted()).toEqual(known.toSorted())
})

test("every figure that a promise may name is measured", () => {
  const repaired = out("vehicles: 1", "every: 10m, lasts: 20m, crew: 1")
  const busy = model({ ...LATE, courier: errand(FEE), more: `${COSTS}, runner_hour: 24 }\n${repaired}` })
  const { figures, durations } = withCosts(replicate(busy, { seed: 1 }), busy.costs)
  const unknown = [...METRICS].filter(([name, { from }]) =>
    from.is === "durations" ? (durations[from.measure]?.n ?? 0) === 0 : figures[name] === null,
  )
  expect(unknown.map(([name]) => name)).toEqual([])
})

/** What is compared: everything that the service did, and every figure. */
function outcomeOf(parts: Parts): object {
  const { digest, figures } = withCosts(replicated(parts), model(parts).costs)
  return { digest, figures }
}

const replications = new Map<string, Replication>()

/** The replication of a model, which many words are compared with, made once. Prices are multiplied with its figures afterwards. */
function replicated(parts: Parts): Replication {
  const free = parts.more?.startsWith(COSTS) === true ? Struct.omit(parts, "more") : parts
  const text = written(free)
  const known = replications.get(text) ?? replicate(model(free), { seed: 1 })
  replications.set(text, known)
  return known
}

/** Paths of the schema's words. Distributions are definitions that are referred to, and have tests of their own. */
function wordsIn(schema: JsonObject, path: readonly string[] = []): readonly string[] {
  const [top] = path
  if (top === "promises" || top === "until") return []
  const own = Object.entries((schema["properties"] ?? {}) as Record<string, JsonObject | false>)
  const named = own.flatMap(([name, below]) =>
    below === false ? [] : [[...path, name].join("."), ...wordsIn(below, [...path, name])],
  )
  const nested = [schema["items"], ...((schema["anyOf"] ?? schema["oneOf"] ?? []) as JsonObject[])]
  const below = nested.flatMap((one) =>
    typeof one === "object" && one !== null && !Array.isArray(one) ? wordsIn(one as JsonObject, path) : [],
  )
  return [...new Set([...named, ...below])]
}
