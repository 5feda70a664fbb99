/**
 * The streets of a model as a graph, and the fastest routes in it. A vehicle drives at the lower of the street's speed and its
 * own, times the traffic's factor. Most routes begin or end at a site or a store: the ways from and to each of them are found all at once and
 * kept. A route between two other places is found by itself.
 *
 * Differs from the street: a turn takes no time, and between a door and the nearest point of a street a vehicle drives straight.
 */

import { isInside, metresBetween } from "../../../areas/dispatch/geography.ts"
import {
  STREET_REACH_M,
  STREET_ROUTES_KEPT_MAX,
  STREET_TREES_KEPT_MAX,
} from "../../../model/values/limits.ts"
import type { Place } from "../../../model/place.ts"
import { HOUR_MS } from "../../../model/values/time.ts"
import { looseParts, strongParts } from "./connected-points.ts"
import { NearestPoints } from "./nearest-points.ts"
import type { Spot } from "./nearest-points.ts"
import type { Corner, Route } from "./route.ts"
import { networkOf } from "./street-network.ts"
import type { Network } from "./street-network.ts"
import type { StreetChoice } from "./street-choice.ts"
import type { StreetLine, StreetNet } from "./street-lines.ts"
import type { UnconnectedStreets } from "./street-notes.ts"
import { NO_WAY_MS, StreetSearch } from "./street-search.ts"
import type { Tree } from "./street-search.ts"

/** How fast vehicles drive at an hour. */
export interface Pace {
  /** Of the vehicle. */
  readonly kmh: number
  /** Times the speed on every street. */
  readonly factor: number
  /** Times that on streets of a kind. */
  readonly byKind: Readonly<Record<string, number>>
  /** Streets that are out. */
  readonly out: readonly StreetChoice[]
}

/** How much shorter than the driven route the straight route may seem, because distances are whole metres. */
const ROUNDING = 0.98
/** Along a meridian. */
const METRES_PER_DEGREE = 111_195
/** No door is at these. */
const PASSED = new Set(["motorway", "motorway_link"])

export class StreetGraph {
  readonly unconnected: UnconnectedStreets
  readonly #network: Network
  readonly #search: StreetSearch
  readonly #spots: readonly Spot[]
  readonly #all: NearestPoints
  /** Points that vehicles of the base reach and come back from. */
  readonly #connected: NearestPoints
  readonly #connectedCount: number
  readonly #metresPerLongitude: number
  /** Points of the sites and stores. */
  readonly #stops: ReadonlySet<number>
  /** By point: those that stand for it, itself among them. */
  readonly #standIns = new Map<number, number[]>()
  readonly #timesByPace = new Map<string, Int32Array>()
  readonly #trees = new Map<string, Tree>()
  readonly #routes = new Map<string, readonly number[] | null>()
  readonly #lines: readonly StreetLine[]
  readonly #chosen = new Map<string, readonly number[]>()

  /** The base is the first of the stops, which are the sites and stores. Throws `TooManyStreets`. */
  constructor(net: StreetNet, stops: readonly [Place, ...Place[]]) {
    const [base] = stops
    this.#lines = net.lines
    this.#metresPerLongitude = Math.round(METRES_PER_DEGREE * Math.cos((base.latitude * Math.PI) / 180))
    this.#network = networkOf(net)
    const { places, standsFor } = this.#network
    this.#search = new StreetSearch(this.#network)
    this.#spots = places.map((place) => this.#spotOf(place))
    for (const [point, other] of standsFor.entries())
      this.#standIns.set(other, [...(this.#standIns.get(other) ?? []), point])
    const own = places.flatMap((_, point) => (standsFor[point] === point ? [point] : []))
    this.#all = new NearestPoints(this.#spots, own)
    const part = this.#partOf(base)
    const parts = strongParts(this.#network)
    const used = part(parts)
    // A point counts with those that stand for it: all ways to it may have a restriction.
    const usedPoints = new Set(standsFor.filter((_, point) => parts[point] === used))
    const isUsed = (point: number): boolean => usedPoints.has(standsFor[point] ?? point)
    const among = own.filter(isUsed)
    const open = this.#withDoors(among)
    this.#connected = new NearestPoints(this.#spots, open.length === 0 ? among : open)
    this.#connectedCount = among.length
    this.#stops = new Set(stops.map((place) => this.#connected.nearest(this.#spotOf(place))))
    this.unconnected = this.#unconnectedBy(isUsed)
  }

  /** Metres from a place to the nearest point of any street, and to the nearest one that vehicles can use. */
  metresFrom(place: Place): { readonly toAny: number; readonly toConnected: number } {
    const spot = this.#spotOf(place)
    const [toAny, toConnected] = [this.#all, this.#connected].map((among) =>
      metresBetween(place, this.#placeOf(among.nearest(spot))),
    )
    return { toAny: toAny ?? 0, toConnected: toConnected ?? 0 }
  }

  /** True when the base is on streets that lead somewhere and back. */
  get leadsSomewhere(): boolean {
    return this.#connectedCount > 1
  }

  /** The pieces of these streets, in each direction that has one. */
  edgesOf(choice: StreetChoice): readonly number[] {
    return kept(this.#chosen, { name: JSON.stringify(choice), max: STREET_ROUTES_KEPT_MAX }, () => {
      const isChosen = this.#isChosen(choice)
      return [...this.#network.edges.line.keys()].filter(isChosen)
    })
  }

  #isChosen(choice: StreetChoice): (edge: number) => boolean {
    const { line, from, to } = this.#network.edges
    const lineOf = (edge: number): StreetLine | undefined => this.#lines[line[edge] ?? -1]
    switch (choice.is) {
      case "name":
        return (edge) => lineOf(edge)?.name === choice.name
      case "way":
        return (edge) => lineOf(edge)?.way === choice.id
      case "area": {
        const ring = choice.corners.map(({ latitude, longitude }) => [longitude, latitude] as const)
        const area = [[...ring, ring[0] ?? [0, 0]]] as const
        return (edge) => [from, to].some((ends) => isInside(this.#placeOf(ends[edge] ?? 0), area))
      }
    }
  }

  /** False when each way is out. */
  leads(from: Place, to: Place, pace: Pace): boolean {
    const [first, last] = [from, to].map((place) => this.#connected.nearest(this.#spotOf(place)))
    return (
      first === undefined || last === undefined || first === last || this.#way(first, last, pace) !== null
    )
  }

  /** The fastest route, of places that a way leads between. */
  route(from: Place, to: Place, pace: Pace): Route {
    const [first, last] = [from, to].map((place) => this.#connected.nearest(this.#spotOf(place)))
    const corners: Corner[] = []
    let [atMs, metres] = [0, 0]
    const drive = (place: Place, pieceMetres: number, pieceMs: number): Corner => {
      atMs += pieceMs
      metres += pieceMetres
      return { place, atMs, metres }
    }
    const driveOff = (one: Place, other: Place): Corner => {
      const between = metresBetween(one, other)
      return drive(other, between, driveMs(between, pace.kmh))
    }
    const departure: Corner = { place: from, atMs, metres }
    if (first === undefined || last === undefined || first === last)
      return { corners: [departure, driveOff(from, to)] }
    const { edges, isCorner } = this.#network
    const times = this.#timesAt(pace)
    corners.push(driveOff(from, this.#placeOf(first)))
    const way = this.#way(first, last, pace)
    if (way === null) throw new Error(`no way leads from street point ${first} to ${last}`)
    for (const [at, edge] of way.entries()) {
      const point = edges.to[edge] ?? last
      const corner = drive(this.#placeOf(point), edges.metres[edge] ?? 0, times[edge] ?? 0)
      if (isCorner[point] === true || at === way.length - 1) corners.push(corner)
    }
    const arrival = driveOff(this.#placeOf(last), to)
    return { corners: [departure, ...corners, arrival] }
  }

  /** Which of the ways is used depends on the two points alone, so that all runs use the same. Null without one. */
  #way(from: number, to: number, pace: Pace): readonly number[] | null {
    const { edges } = this.#network
    if (this.#stops.has(to)) {
      const tree = this.#tree(to, "to", pace)
      return orNull(walked(from, tree, edges.to))
    }
    if (this.#stops.has(from)) {
      const tree = this.#tree(from, "from", pace)
      return orNull(walked(this.#reached(to, tree, pace), tree, edges.from).toReversed())
    }
    return this.#found(from, to, pace)
  }

  #tree(stop: number, way: "from" | "to", pace: Pace): Tree {
    const name = `${way} ${stop} ${nameOf(pace)}`
    const roots = way === "to" ? (this.#standIns.get(stop) ?? [stop]) : [stop]
    return kept(this.#trees, { name, max: STREET_TREES_KEPT_MAX }, () =>
      this.#search.tree(roots, way, this.#timesAt(pace)),
    )
  }

  /** Of the points that stand for one, the first that the tree reaches soonest. */
  #reached(to: number, tree: Tree, pace: Pace): number {
    const standIns = (this.#standIns.get(to) ?? [to]).filter((point) => tree[point] !== -1)
    const [only = to] = standIns
    if (standIns.length < 2) return only
    const times = this.#timesAt(pace)
    const msTo = (point: number): number =>
      walked(point, tree, this.#network.edges.from).reduce((sum, edge) => sum + (times[edge] ?? 0), 0)
    return standIns.reduce((best, point) => (msTo(point) < msTo(best) ? point : best), only)
  }

  #found(from: number, to: number, pace: Pace): readonly number[] | null {
    const name = `${from} ${to} ${nameOf(pace)}`
    return kept(this.#routes, { name, max: STREET_ROUTES_KEPT_MAX }, () => {
      const { edges, standsFor } = this.#network
      const [goal, fastest] = [this.#spots[to], pace.kmh * fastestOf(pace) * 1000]
      const found = this.#search.find(from, {
        ms: this.#timesAt(pace),
        isEnd: (point) => standsFor[point] === to,
        aheadMs: (point) => {
          const spot = this.#spots[point]
          if (spot === undefined || goal === undefined) return 0
          const metres = Math.sqrt((spot.x - goal.x) ** 2 + (spot.y - goal.y) ** 2)
          return Math.floor((metres * ROUNDING * HOUR_MS) / fastest)
        },
      })
      return found === null ? null : walked(found.end, found.tree, edges.from).toReversed()
    })
  }

  /** The time of each edge. */
  #timesAt(pace: Pace): Int32Array {
    const name = nameOf(pace)
    return kept(this.#timesByPace, { name, max: STREET_TREES_KEPT_MAX }, () => {
      const { kinds, edges } = this.#network
      const { metres, kmh, kind } = edges
      const factors = kinds.map((one) => pace.factor * (pace.byKind[one] ?? 1))
      const times = Int32Array.from(metres, (length, edge) => {
        const limit = kmh[edge] ?? 0
        return driveMs(
          length,
          (limit === 0 ? pace.kmh : Math.min(limit, pace.kmh)) * (factors[kind[edge] ?? 0] ?? 1),
        )
      })
      for (const choice of pace.out) for (const edge of this.edgesOf(choice)) times[edge] = NO_WAY_MS
      return times
    })
  }

  /** Chooses the part of the streets: of those near the base the one with the most points. */
  #partOf(base: Place): (parts: Int32Array) => number {
    return (parts) => {
      const sizes = new Map<number, number>()
      for (const part of parts) sizes.set(part, (sizes.get(part) ?? 0) + 1)
      const spot = this.#spotOf(base)
      let [best, most] = [parts[this.#all.nearest(spot)] ?? 0, 0]
      for (const [point, { x, y }] of this.#spots.entries()) {
        if ((x - spot.x) ** 2 + (y - spot.y) ** 2 > STREET_REACH_M ** 2) continue
        const part = parts[point] ?? 0
        const size = sizes.get(part) ?? 0
        if (size > most) [best, most] = [part, size]
      }
      return best
    }
  }

  /** Those of the points at which a street is that one may stop at. */
  #withDoors(among: readonly number[]): readonly number[] {
    const { edges, leaving, entering, kinds } = this.#network
    const isPassed = kinds.map((kind) => PASSED.has(kind))
    if (!isPassed.includes(true)) return among
    return among.filter((point) =>
      [leaving, entering].some((side) =>
        side.edges
          .subarray(side.first[point], side.first[point + 1])
          .some((edge) => isPassed[edges.kind[edge] ?? 0] === false),
      ),
    )
  }

  /** Both directions of a piece are one, and used when one of them is. */
  #unconnectedBy(isUsed: (point: number) => boolean): UnconnectedStreets {
    const { edges, standsFor, places } = this.#network
    const endsOf = (edge: number): readonly [number, number] => {
      const [from, to] = [edges.from, edges.to].map((ends) => standsFor[ends[edge] ?? 0] ?? 0)
      return [from ?? 0, to ?? 0]
    }
    const pieces = new Map<number, { readonly edge: number; isUsed: boolean }>()
    for (const [edge, from] of edges.from.entries()) {
      const [one, other] = endsOf(edge)
      const key = Math.min(one, other) * places.length + Math.max(one, other)
      const piece = pieces.get(key) ?? { edge, isUsed: false }
      piece.isUsed ||= isUsed(from) && isUsed(edges.to[edge] ?? 0)
      pieces.set(key, piece)
    }
    const loose = [...pieces.values()].filter((piece) => !piece.isUsed).map(({ edge }) => edge)
    const metresOf = (some: readonly number[]): number =>
      some.reduce((sum, edge) => sum + (edges.metres[edge] ?? 0), 0)
    const all = metresOf([...pieces.values()].map(({ edge }) => edge))
    const metres = metresOf(loose)
    return {
      parts: looseParts(this.#network, isUsed),
      share: all === 0 ? 0 : Math.round((metres / all) * 1e4) / 1e4,
      metres: Math.round(metres),
      lines: this.#joined(loose.map(endsOf)),
    }
  }

  /** Pieces that follow each other as one line of corners. */
  #joined(pieces: readonly (readonly [number, number])[]): readonly (readonly Place[])[] {
    const lines: number[][] = []
    for (const [from, to] of pieces) {
      const last = lines.at(-1)
      if (last?.at(-1) === from) last.push(to)
      else if (last?.at(-1) === to) last.push(from)
      else lines.push([from, to])
    }
    return lines.map((line) =>
      line
        .filter((point, at) => at === 0 || at === line.length - 1 || this.#network.isCorner[point] === true)
        .map((point) => this.#placeOf(point)),
    )
  }

  #spotOf({ latitude, longitude }: Place): Spot {
    return {
      x: Math.round(longitude * this.#metresPerLongitude),
      y: Math.round(latitude * METRES_PER_DEGREE),
    }
  }

  #placeOf(point: number): Place {
    const place = this.#network.places[point]
    if (place === undefined) throw new Error(`there is no street point ${point}`)
    return place
  }
}

/** Edges from the point along the tree to its root; `ends` has the next point of each. */
function walked(from: number, tree: Tree, ends: Int32Array): readonly number[] {
  const way: number[] = []
  let point = from
  for (let edge = tree[point] ?? -1; edge !== -1; edge = tree[point] ?? -1) {
    way.push(edge)
    point = ends[edge] ?? point
  }
  return way
}

/** Of two points that are not one, a way without edges is none. */
function orNull(way: readonly number[]): readonly number[] | null {
  return way.length === 0 ? null : way
}

/** The value of this name; a new one takes the place of all when they are too many. */
function kept<T>(
  known: Map<string, T>,
  { name, max }: { readonly name: string; readonly max: number },
  make: () => T,
): T {
  const found = known.get(name)
  if (found !== undefined) return found
  const made = make()
  if (known.size >= max) known.clear()
  known.set(name, made)
  return made
}

function fastestOf({ factor, byKind }: Pace): number {
  return factor * Math.max(1, ...Object.values(byKind))
}

function nameOf({ kmh, factor, byKind, out }: Pace): string {
  const closed = out.map((choice) => JSON.stringify(choice)).toSorted()
  return [kmh, factor, ...Object.values(byKind), ...closed].join(" ")
}

function driveMs(metres: number, kmh: number): number {
  return Math.round((metres * HOUR_MS) / (kmh * 1000))
}
