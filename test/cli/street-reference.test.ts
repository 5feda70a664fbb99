/**
 * Routes in a real town against a reference of its own: Dijkstra over the nodes of the extract, with the ways that OSMnx's filter "drive_service" keeps,
 * distances that are not rounded, and the speeds of OSRM's car profile where a way has no limit.
 *
 * Sources: OSMnx 2, `_overpass._get_network_filter` and `graph._is_path_one_way`; OSRM `profiles/car.lua`.
 */

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { distance } from "@turf/distance"
import { expect, test } from "vitest"
import { readOsmPbf } from "../../src/cli/fleets/osm-pbf.ts"
import type { OsmWay } from "../../src/cli/fleets/osm-pbf.ts"
import { pbfStreets } from "../../src/cli/fleets/pbf-streets.ts"
import { streetFileOf } from "../../src/pages/html/map/street-file.ts"
import { PROFILES } from "../../src/simulation/fleet/travel/profiles.ts"
import { endOf } from "../../src/simulation/fleet/travel/route.ts"
import { StreetGraph } from "../../src/simulation/fleet/travel/street-graph.ts"
import { streetLinesOf } from "../../src/simulation/fleet/travel/street-lines.ts"
import { Streams } from "../../src/engine/kernel/random.ts"
import type { Place } from "../../src/model/place.ts"
import { HOUR_MS } from "../../src/model/values/time.ts"

const EXTRACT = join(import.meta.dirname, "../../scenarios/fleets/karhula.osm.pbf")
const STORE: Place = { latitude: 60.5268, longitude: 26.9462 }
const PAIRS = 200

const NOT_DRIVEN =
  /abandoned|bridleway|bus_guideway|construction|corridor|cycleway|elevator|escalator|footway|no|path|pedestrian|planned|platform|proposed|raceway|razed|rest_area|services|steps|track/
const CLASS_KMH: Readonly<Record<string, number>> = {
  motorway: 90,
  motorway_link: 45,
  secondary: 55,
  tertiary: 40,
  unclassified: 25,
  residential: 25,
  living_street: 10,
  service: 15,
}

interface Reference {
  readonly places: ReadonlyMap<number, Place>
  /** By node: where edges lead, and how long they take. */
  readonly edges: ReadonlyMap<number, readonly { readonly to: number; readonly ms: number }[]>
  /** Nodes at which a street begins, ends or passes that is no motorway: places for doors. */
  readonly doors: ReadonlySet<number>
}

function isDriven({ tags }: OsmWay): boolean {
  const { highway = "no", area, access, motor_vehicle: motorVehicle, motorcar, service = "" } = tags
  return (
    !NOT_DRIVEN.test(highway) &&
    area !== "yes" &&
    access !== "private" &&
    motorVehicle !== "no" &&
    motorcar !== "no" &&
    !/emergency_access|parking|private/.test(service)
  )
}

function reference(): Reference {
  const places = new Map<number, Place>()
  const edges = new Map<number, { to: number; ms: number }[]>()
  const doors = new Set<number>()
  const link = (from: number, to: number, kmh: number): void => {
    const [one, other] = [places.get(from), places.get(to)]
    if (one === undefined || other === undefined) return
    const km = distance([one.longitude, one.latitude], [other.longitude, other.latitude])
    edges.set(from, [...(edges.get(from) ?? []), { to, ms: (km / kmh) * HOUR_MS }])
  }
  readOsmPbf(readFileSync(EXTRACT), {
    node: ({ id, latitude, longitude }) => places.set(id, { latitude, longitude }),
    way: (way) => {
      if (!isDriven(way)) return
      const { maxspeed = "", highway = "", oneway = "", junction } = way.tags
      const kmh = Number.parseFloat(maxspeed) || (CLASS_KMH[highway] ?? Number.NaN)
      const isOneWay = ["yes", "true", "1", "-1"].includes(oneway) || junction === "roundabout"
      for (const [at, to] of way.refs.entries()) {
        if (!highway.startsWith("motorway")) doors.add(to)
        const from = way.refs[at - 1]
        if (from === undefined) continue
        if (oneway !== "-1") link(from, to, kmh)
        if (!isOneWay || oneway === "-1") link(to, from, kmh)
      }
    },
    relation: () => {},
  })
  return { places, edges, doors }
}

/** Milliseconds to every node that is reached. */
function timesFrom(from: number, { edges }: Reference): ReadonlyMap<number, number> {
  const done = new Map<number, number>()
  const open = new Map([[from, 0]])
  while (open.size > 0) {
    let [best, least] = [from, Infinity]
    for (const [node, ms] of open) if (ms < least) [best, least] = [node, ms]
    open.delete(best)
    done.set(best, least)
    for (const { to, ms } of edges.get(best) ?? [])
      if (!done.has(to) && least + ms < (open.get(to) ?? Infinity)) open.set(to, least + ms)
  }
  return done
}

test(`the times of ${PAIRS} pairs of places are within 5 % of the reference`, () => {
  const town = reference()
  const base = nearestNode(town)
  const back = timesFrom(base, { ...town, edges: reversed(town) })
  const nodes = [...timesFrom(base, town).keys()].filter((node) => back.has(node) && town.doors.has(node))
  expect(nodes.length).toBeGreaterThan(600)

  const text = pbfStreets(EXTRACT, { west: 26, south: 60, east: 28, north: 61 })
  if (typeof text !== "string") throw new Error("the extract is read")
  const file = streetFileOf(JSON.parse(text))
  const streets = typeof file === "string" ? file : streetLinesOf(file, PROFILES.car)
  if (typeof streets === "string") throw new Error(streets)
  const graph = new StreetGraph(streets.net, [STORE])

  const chance = new Streams(7)
  const drawn = (): number => nodes[Math.floor(chance.fraction("node") * nodes.length)] ?? base
  const apart: number[] = []
  while (apart.length < PAIRS) {
    // Every second pair begins at the store, whose ways are found at once.
    const [from, to] = [apart.length % 2 === 0 ? base : drawn(), drawn()]
    const [one, other] = [town.places.get(from), town.places.get(to)]
    if (one === undefined || other === undefined || from === to) continue
    const ms = timesFrom(from, town).get(to) ?? Number.NaN
    // Below ten seconds the rounding to whole metres and milliseconds counts.
    if (ms < 10_000) continue
    const way = endOf(graph.route(one, other, { kmh: 130, factor: 1, byKind: {}, out: [] }))
    apart.push(Math.abs(way.atMs - ms) / ms)
  }
  expect(Math.max(...apart)).toBeLessThan(0.05)
  expect(apart.reduce((sum, share) => sum + share, 0) / PAIRS).toBeLessThan(0.01)
})

function nearestNode({ places, edges }: Reference): number {
  const far = (node: number): number => {
    const { longitude, latitude } = places.get(node) ?? STORE
    return distance([longitude, latitude], [STORE.longitude, STORE.latitude])
  }
  return [...edges.keys()].reduce((best, node) => (far(node) < far(best) ? node : best))
}

function reversed({ edges }: Reference): Reference["edges"] {
  const back = new Map<number, { to: number; ms: number }[]>()
  for (const [from, ways] of edges)
    for (const { to, ms } of ways) back.set(to, [...(back.get(to) ?? []), { to: from, ms }])
  return back
}
