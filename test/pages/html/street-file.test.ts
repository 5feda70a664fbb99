/** A file of streets is read as programs of OpenStreetMap write it: its lines, points, turns and credit. */

import { describe, expect, test } from "vitest"
import { streetFileOf } from "../../../src/pages/html/map/street-file.ts"
import type { StreetFile } from "../../../src/pages/html/map/street-file.ts"
import { streetsOf } from "../../../src/pages/html/map/streets.ts"

function read(file: unknown): StreetFile {
  const found = streetFileOf(file)
  if (typeof found === "string") throw new Error(found)
  return found
}

const PLACES = [
  [25.1, 60.1],
  [25.2, 60.1],
  [25.2, 60.2],
] as const
const [first, middle, last] = PLACES
const TAGS = { highway: "residential", name: "Kotikatu", oneway: "yes" }
const RESTRICTION = { type: "restriction", restriction: "no_left_turn" }
const latLon = ([lon, lat]: readonly [number, number]) => ({ lat, lon })
const feature = (id: string, coordinates: unknown, properties: object) => ({
  type: "Feature",
  id,
  properties: { "@id": id, ...properties },
  geometry: { type: "LineString", coordinates },
})
const at = (role: string) => ({ "@relations": [{ role, rel: 9, reltags: RESTRICTION }] })

/** Two ways with a barrier between them, where a turn is forbidden. */
const FILES: Readonly<Record<string, unknown>> = {
  "Overpass turbo": {
    type: "FeatureCollection",
    generator: "overpass-turbo",
    copyright:
      "The data included in this document is from www.openstreetmap.org. The data is made available under ODbL.",
    features: [
      feature("way/1", [first, middle], { ...TAGS, ...at("from") }),
      feature("way/2", [middle, last], { highway: "service", ...at("to") }),
      {
        type: "Feature",
        id: "node/12",
        properties: { "@id": "node/12", barrier: "gate", ...at("via") },
        geometry: { type: "Point", coordinates: middle },
      },
    ],
  },
  "Overpass, out geom": {
    version: 0.6,
    generator: "Overpass API 0.7.62",
    osm3s: { copyright: "The data included in this document is from www.openstreetmap.org." },
    elements: [
      { type: "node", id: 12, ...latLon(middle), tags: { barrier: "gate" } },
      { type: "way", id: 1, nodes: [11, 12], geometry: [first, middle].map(latLon), tags: TAGS },
      {
        type: "way",
        id: 2,
        nodes: [12, 13],
        geometry: [middle, last].map(latLon),
        tags: { highway: "service" },
      },
      relation({ type: "node", ref: 12, role: "via", ...latLon(middle) }),
    ],
  },
  "Overpass, out body and nodes": {
    version: 0.6,
    elements: [
      { type: "way", id: 1, nodes: [11, 12], tags: TAGS },
      { type: "way", id: 2, nodes: [12, 13], tags: { highway: "service" } },
      relation({ type: "node", ref: 12, role: "via" }),
      { type: "node", id: 11, ...latLon(first) },
      { type: "node", id: 12, ...latLon(middle), tags: { barrier: "gate" } },
      { type: "node", id: 13, ...latLon(last) },
    ],
  },
}

function relation(via: object) {
  const members = [{ type: "way", ref: 1, role: "from" }, via, { type: "way", ref: 2, role: "to" }]
  return { type: "relation", id: 9, tags: RESTRICTION, members }
}

describe("the same streets", () => {
  test.each(Object.keys(FILES))("by %s", (name) => {
    const { credit, lines, points, turns } = read(FILES[name])
    expect(credit).toBe("© OpenStreetMap contributors")
    expect(lines.map(({ id, parts }) => [id, parts])).toEqual([
      ["way/1", [[first, middle]]],
      ["way/2", [[middle, last]]],
    ])
    expect(lines[0]?.tags).toMatchObject(TAGS)
    expect(points).toMatchObject([{ id: "node/12", tags: { barrier: "gate" }, position: middle }])
    expect(turns).toEqual([{ tags: RESTRICTION, from: ["way/1"], to: ["way/2"], via: middle, over: [] }])
  })

  test("by osmium, which writes neither a credit nor a collection's name", () => {
    const properties = { "@type": "way", "@id": 1, ...TAGS }
    const { credit, lines } = read({
      type: "FeatureCollection",
      features: [{ type: "Feature", properties, geometry: { type: "LineString", coordinates: PLACES } }],
    })
    expect(credit).toBe("© OpenStreetMap contributors")
    expect(lines).toMatchObject([{ id: "way/1", label: 'feature 1 ("Kotikatu", id way/1)', parts: [PLACES] }])
  })
})

test("a way that was cut at a box is two lines, and a node without a place makes a gap", () => {
  const cut = {
    type: "way",
    id: 1,
    geometry: [first, middle, null, middle, last].map((one) => one && latLon(one)),
  }
  expect(read({ elements: [cut] }).lines[0]?.parts).toEqual([
    [first, middle],
    [middle, last],
  ])
})

test("a credit is the makers' own where the file is not of OpenStreetMap", () => {
  const file = (more: object) => ({
    type: "FeatureCollection",
    features: [{ type: "Feature", geometry: { type: "LineString", coordinates: PLACES } }],
    ...more,
  })
  expect(read(file({ attribution: " City of Oulu " })).credit).toBe("City of Oulu")
  expect(read(file({ copyright: "City of Oulu" })).credit).toBe("City of Oulu")
  expect(streetFileOf(file({ generator: "our own program" }))).toContain("it has no credit")
})

test("a map shows ways, and no rivers or buildings", () => {
  const line = (tags: object) => feature("way/1", PLACES, tags)
  const streets = streetsOf({
    type: "FeatureCollection",
    features: [TAGS, { waterway: "river" }, { building: "yes" }, { highway: "primary", railway: "tram" }].map(
      line,
    ),
  })
  if (typeof streets === "string") throw new Error(streets)
  const within = streets.within({ west: 25, south: 60, east: 25.3, north: 60.3 })
  expect(within.map(({ name, isMain }) => [name, isMain])).toEqual([
    [null, true],
    ["Kotikatu", false],
  ])
})
