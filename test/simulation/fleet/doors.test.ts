/** Doors are where the model says, in the service area, and near a street that leads there. */

import { describe, expect, test } from "vitest"
import { isInside } from "../../../src/areas/dispatch/geography.ts"
import { Chance } from "../../../src/simulation/fleet/chance.ts"
import { readFleet } from "../../../src/simulation/fleet/language/read.ts"
import type { FleetModel } from "../../../src/simulation/fleet/language/model.ts"
import { inputRows } from "../../../src/simulation/fleet/report/input-summary.ts"
import { FleetWorld } from "../../../src/simulation/fleet/world/fleet-world.ts"
import { placeIn } from "../../../src/simulation/fleet/world/places.ts"
import { replicate } from "../../../src/simulation/fleet/world/replication.ts"
import type { Place } from "../../../src/model/place.ts"
import { CLOCK, fleetModel } from "./models.ts"

const STORE: Place = { latitude: 30.4, longitude: -97.7 }
const METRE = 1 / 111_195

/** `[longitude, latitude]` that many hundreds of metres north and east of the store. */
function at(north: number, east: number): readonly [number, number] {
  const round = (degrees: number): number => Math.round(degrees * 1e6) / 1e6
  return [
    round(STORE.longitude + (100 * east * METRE) / Math.cos((30.4 * Math.PI) / 180)),
    round(STORE.latitude + 100 * north * METRE),
  ]
}

function collection(...features: readonly object[]): string {
  return JSON.stringify({ type: "FeatureCollection", attribution: "Made up", features })
}

function feature(type: string, coordinates: unknown, properties: object = {}): object {
  return { type: "Feature", properties, geometry: { type, coordinates } }
}

function square(north: number, east: number, half: number): readonly (readonly [number, number])[] {
  return [
    [-half, -half],
    [-half, half],
    [half, half],
    [half, -half],
    [-half, -half],
  ].map(([up = 0, across = 0]) => at(north + up, east + across))
}

function text(more: string): string {
  return `fleet: A town
because: Its doors are known.
clock: ${CLOCK}
horizon: 2h
sites: [{ as: store, at: [30.4, -97.7], reach_km: 1, vehicles: 3 }]
${more}
demand: [{ product: delivery, site: store, ready_in: 10m, per_hour: 10 }]
`
}

/** Places of so many customers, in hundreds of metres north and east of the store. */
function doors(model: FleetModel, count = 400): readonly (readonly [north: number, east: number])[] {
  const world = new FleetWorld(model, { seed: 1 })
  return Array.from({ length: count }, (_, customer) => {
    const place = placeIn(world, 0, new Chance(1, `customer ${customer}`))
    expect(isInside(place, world.areas[0] ?? [])).toBe(true)
    return [
      (place.latitude - STORE.latitude) / METRE / 100,
      ((place.longitude - STORE.longitude) * Math.cos((30.4 * Math.PI) / 180)) / METRE / 100,
    ] as const
  })
}

describe("with streets", () => {
  // The east of the area is a lake.
  const beside = { "town.geojson": collection(feature("LineString", [at(0, -9), at(0, 0), at(0, 2)])) }
  const model = fleetModel(text("travel: { streets: town.geojson }"), beside)

  test("no door is further from a street than vehicles come, and a lake is no mistake", () => {
    const all = doors(model)
    expect(Math.max(...all.map(([north]) => Math.abs(north)))).toBeLessThanOrEqual(2.02)
    expect(Math.max(...all.map(([, east]) => east))).toBeLessThanOrEqual(4.02)
    expect(Math.min(...all.map(([, east]) => east))).toBeLessThan(-8)
    expect(replicate(model, { seed: 1 }).figures["deliveries.completed"]).toBeGreaterThan(5)
  })

  test("a door is in the service area, when no place of it is near a street", () => {
    const far = { "town.geojson": collection(feature("LineString", [at(0, 4.2), at(0, 4.8)])) }
    const small = text("travel: { streets: town.geojson }").replace("reach_km: 1", "reach_km: 0.1")
    expect(Math.max(...doors(fleetModel(small, far), 3).map(([, east]) => east))).toBeLessThan(1.01)
  })
})

describe("at points of a file", () => {
  const points = collection(
    feature("Point", at(2, 2), { people: 1 }),
    feature("Point", at(4, 4), { people: "3" }),
    feature("Point", at(6, 6), { people: 0 }),
    feature("Point", at(50, 50), { people: 1_000 }),
    feature("LineString", [at(0, 0), at(1, 1)]),
  )
  const beside = { "doors.geojson": points }

  test("customers are drawn by weight, in the service area alone", () => {
    const model = fleetModel(text("doors: { points: doors.geojson, weight: people }"), beside)
    const all = doors(model).map(([north]) => Math.round(north))
    expect(new Set(all)).toEqual(new Set([2, 4]))
    const share = all.filter((north) => north === 4).length / all.length
    expect(share).toBeGreaterThan(0.68)
    expect(share).toBeLessThan(0.82)
    expect(Object.fromEntries(inputRows(model, []))["Doors"]).toBe("at one of 2 places, by weight")
    expect(replicate(model, { seed: 1 })).toEqual(replicate(model, { seed: 1 }))
  })

  test("all points are alike without a weight", () => {
    const all = doors(fleetModel(text("doors: { points: doors.geojson }"), beside))
    expect(new Set(all.map(([north]) => Math.round(north)))).toEqual(new Set([2, 4, 6]))
  })
})

describe("in areas of a file", () => {
  const areas = (property: string): string =>
    collection(
      // Four times the size of the other, with a hole that is as large as that.
      feature("Polygon", [square(-4, -4, 2), square(-4, -4, 1)], { [property]: 1 }),
      feature("MultiPolygon", [[square(4, 4, 1)]], { [property]: 3 }),
      // Half of it is out of the service area.
      feature("Polygon", [square(-4, 10, 1)], { [property]: 0 }),
    )

  test.each([
    // Three quarters of the large square, and the small one three times as dense.
    ["density", 0.5],
    ["population", 0.75],
  ])("customers are drawn by %s", (property, small) => {
    const model = fleetModel(text(`doors: { areas: doors.geojson, ${property}: people }`), {
      "doors.geojson": areas("people"),
    })
    const all = doors(model)
    const inSmall = all.filter(([north, east]) => Math.max(Math.abs(north - 4), Math.abs(east - 4)) <= 1.01)
    const inLarge = all.filter(([north, east]) => {
      const off = Math.max(Math.abs(north + 4), Math.abs(east + 4))
      return off <= 2.01 && off >= 0.99
    })
    expect(inSmall.length + inLarge.length).toBe(all.length)
    expect(Math.abs(inSmall.length / all.length - small)).toBeLessThan(0.08)
  })
})

test.each<[string, string, string | null]>([
  ["{}", "6:8 doors come from one file", null],
  ["{ points: a.geojson, areas: a.geojson }", "6:8 doors come from one file", null],
  ["{ points: a.geojson, density: people }", "6:8 points have a weight, no density or population", null],
  ["{ areas: a.geojson }", "6:8 areas have either a density or a population", null],
  ["{ points: a.geojson }", '6:18 there is no file "a.geojson" beside the model', null],
  ["{ points: a.geojson }", "6:18 a.geojson is no GeoJSON FeatureCollection", "no JSON"],
  ["{ points: a.geojson }", "6:18 a.geojson: it has no Point", collection()],
  [
    "{ points: a.geojson, weight: people }",
    '6:18 a.geojson: feature 1: "people" is no number from 0',
    collection(feature("Point", at(0, 0), { people: "many" })),
  ],
  [
    "{ points: a.geojson }",
    '6:18 a.geojson has no door in the service area of "store"',
    collection(feature("Point", at(20, 0))),
  ],
  [
    "{ areas: a.geojson, density: people }",
    "6:17 a.geojson: feature 1: the polygon is no list of rings of positions",
    collection(feature("Polygon", [[at(0, 0)]], { people: 1 })),
  ],
])("a mistake in %s is reported: %s", (written, problem, file) => {
  const { problems } = readFleet({ file: "m.yaml", text: text(`doors: ${written}`), beside: () => file })
  expect(problems.map(({ place, message }) => `${place.line}:${place.column} ${message}`)).toEqual([problem])
})
