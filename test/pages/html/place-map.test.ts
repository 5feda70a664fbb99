import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { madeUpTown } from "../../../src/pages/html/map/made-up-town.ts"
import { overlap } from "../../../src/pages/html/map/labels.ts"
import { boxOfMap, drawnMap, placeMap } from "../../../src/pages/html/map/place-map.ts"
import type { MapParts, MapPlace } from "../../../src/pages/html/map/place-map.ts"
import { streetsOf } from "../../../src/pages/html/map/streets.ts"
import type { Streets } from "../../../src/pages/html/map/streets.ts"

const STORE: MapPlace = { kind: "store", name: "Lunchbox & <Sons>", latitude: 30.4021, longitude: -97.7253 }
const DOOR: MapPlace = { kind: "door", name: "Your door", latitude: 30.389, longitude: -97.711 }
const VEHICLE: MapPlace = { kind: "vehicle", name: "CB-07", latitude: 30.396, longitude: -97.72 }
const WAY: MapParts = { label: "The way", places: [STORE, DOOR, VEHICLE] }

function town(): Streets {
  const streets = streetsOf(madeUpTown(STORE))
  if (typeof streets === "string") throw new Error(streets)
  return streets
}

describe("the map", () => {
  test("shows every place inside of its frame, with a scale, and the same as a table", () => {
    const html = placeMap(WAY)
    expect(html.match(/<g class="marker /g)).toHaveLength(3)
    expect(html).toMatch(/<text x="[\d.]+" y="248">500 m<\/text>/)
    expect(html).toContain('<th scope="row">Your door</th><td class="end mono">30.3890, -97.7110</td>')
    expect(html).toContain("Lunchbox &#38; &#60;Sons&#62;")
    expect(html).not.toMatch(/<Sons>|style=/)
    for (const {
      at: [x, y],
    } of drawnMap(WAY)?.markers ?? []) {
      expect(x).toBeGreaterThanOrEqual(47)
      expect(x).toBeLessThanOrEqual(329)
      expect(y).toBeGreaterThanOrEqual(47)
      expect(y).toBeLessThanOrEqual(213)
    }
  })

  test("draws no way between the places of a fleet", () => {
    const fleet = { ...WAY, isWay: false }
    expect(drawnMap(WAY)).toMatchObject({ ahead: [expect.anything(), expect.anything()] })
    expect(drawnMap(fleet)).toMatchObject({ ahead: [], driven: [] })
    expect(placeMap(fleet)).not.toContain("<polyline")
  })

  test("is empty without a place, and shows one place with its neighbourhood", () => {
    expect([placeMap({ label: "Nothing", places: [] }), boxOfMap({ label: "Nothing", places: [] })]).toEqual([
      "",
      null,
    ])
    expect(drawnMap({ label: "One", places: [STORE] })?.projection.metresPerPx).toBe(2)
  })

  test("no label lies on another, on a marker or on the scale, wherever the places are", () => {
    const near = fc.record({
      latitude: fc.double({ min: 30.2, max: 30.3, noNaN: true }),
      longitude: fc.double({ min: -97.8, max: -97.6, noNaN: true }),
    })
    const kinds = ["store", "door", "vehicle"] as const
    const map = fc.tuple(near, near, near).map((points) =>
      kinds.map((kind, at): MapPlace => ({
        kind,
        name: `The ${kind} of the way`,
        ...(points[at] ?? STORE),
      })),
    )
    let shown = 0
    const streets = town().within(BOX)
    fc.assert(
      fc.property(map, (places) => {
        const drawn = drawnMap({ label: "", places, streets, credit: "" })
        const labels = drawn?.labels ?? []
        shown += labels.filter(({ kind }) => kind !== "street").length
        for (const [at, one] of labels.entries()) {
          expect(one.box.x).toBeGreaterThanOrEqual(0)
          expect(one.box.x + one.box.width).toBeLessThanOrEqual(376)
          for (const other of labels.slice(at + 1)) expect(overlap(one.box, other.box)).toBe(false)
          for (const {
            at: [x, y],
          } of drawn?.markers ?? [])
            expect(overlap(one.box, { x: x - 8, y: y - 8, width: 16, height: 16 })).toBe(false)
        }
      }),
      { numRuns: 60, seed: 20 },
    )
    // Nearly every place of the 60 maps has its name in the picture; all have it in the table.
    expect(shown).toBeGreaterThan(170)
  })

  test("the trail is drawn to the vehicle, the rest of the way dotted to the door", () => {
    const trail = [STORE, { latitude: 30.4, longitude: -97.721 }]
    const drawn = drawnMap({ ...WAY, trail })
    expect([drawn?.driven.length, drawn?.ahead.length]).toEqual([3, 2])
    // It drives to the right and down.
    const heading = drawn?.markers.find(({ kind }) => kind === "vehicle")?.heading ?? 0
    expect(heading).toBeGreaterThan(0)
    expect(heading).toBeLessThan(90)
  })

  test("streets are drawn near the way alone, some with their names, and with their credit", () => {
    const streets = town()
    const box = boxOfMap(WAY)
    const within = box === null ? [] : streets.within(box)
    const html = placeMap({ ...WAY, streets: within, credit: streets.credit })
    expect(html).toContain('<p class="credit">Made-up streets of the demo</p>')
    expect(html).toMatch(/<text class="street"[^>]*>[A-Z][\w ]+<\/text>/)
    const drawn = drawnMap({ ...WAY, streets: within })?.streets ?? []
    expect(drawn.length).toBeGreaterThan(3)
    const length = (points: readonly (readonly [number, number])[]): number =>
      points.reduce(
        (sum, [x, y], at) => sum + Math.hypot(x - (points[at - 1]?.[0] ?? x), y - (points[at - 1]?.[1] ?? y)),
        0,
      )
    // A piece near the way is far shorter than its street.
    for (const { points } of drawn) expect(length(points)).toBeLessThan(500)
    expect(placeMap(WAY)).not.toContain("credit")
  })
})

const BOX = { west: -97.85, south: 30.2, east: -97.55, north: 30.45 }

describe("streets of a file", () => {
  test("a box gives those that reach into it, and another place none", () => {
    const around = { west: -97.73, south: 30.4, east: -97.72, north: 30.405 }
    const found = town().within(around)
    expect(found.length).toBeGreaterThan(2)
    expect(found.length).toBeLessThan(16)
    expect(town().within({ west: 10, south: 50, east: 10.1, north: 50.1 })).toEqual([])
    expect(town().within({ west: -180, south: -90, east: 180, north: 90 })).toEqual([])
  })

  const line = {
    type: "LineString",
    coordinates: [
      [0, 0],
      [1, 1],
    ],
  }
  const file = (features: readonly unknown[], attribution?: string): unknown => ({
    type: "FeatureCollection",
    attribution,
    features,
  })
  test.each<[string, unknown]>([
    ["it is no GeoJSON FeatureCollection", []],
    ["it has no credit", file([{ geometry: line }])],
    ["it has no LineString", file([{ geometry: { type: "Point", coordinates: [0, 0] } }], "ours")],
    ["feature 1: it is no object", file([7], "ours")],
    ["feature 1: the line has no coordinates", file([{ geometry: { type: "MultiLineString" } }], "ours")],
    [
      "feature 1: the line's coordinates are",
      file(
        [
          {
            geometry: {
              type: "LineString",
              coordinates: [
                [0, 91],
                [1, 1],
              ],
            },
          },
        ],
        "ours",
      ),
    ],
  ])("%s", (problem, given) => {
    expect(streetsOf(given)).toContain(problem)
  })

  test("lines of several parts, with the kinds of larger streets", () => {
    const parts = { type: "MultiLineString", coordinates: [line.coordinates, line.coordinates] }
    const found = streetsOf(
      file([{ geometry: parts, properties: { name: "Long Road", highway: "primary" } }], "ours"),
    )
    const within =
      typeof found === "string" ? [] : found.within({ west: 0.2, south: 0.2, east: 0.3, north: 0.3 })
    expect(within.map(({ name, isMain }) => [name, isMain])).toEqual([
      ["Long Road", true],
      ["Long Road", true],
    ])
  })
})
