/**
 * The streets of a model as a graph, and the fastest routes in it (A*). A vehicle drives at the lower of the street's speed
 * and its own.
 *
 * Differs from the street: a turn takes no time, and between a door and the nearest point of a street a vehicle drives straight.
 */

import createGraph from "ngraph.graph"
import type { Graph } from "ngraph.graph"
import { aStar } from "ngraph.path"
import { metresBetween } from "../../../areas/dispatch/geography.ts"
import { STREET_PIECE_M, STREET_POINTS_MAX, STREET_ROUTES_KEPT_MAX } from "../../../model/values/limits.ts"
import type { Place } from "../../../model/place.ts"
import { HOUR_MS } from "../../../model/values/time.ts"
import type { StreetLine } from "./street-lines.ts"
import type { Corner, Route } from "./route.ts"

/** A point of a street. Whole metres from the first point, so that all machines compare equal numbers. */
interface Point {
  readonly place: Place
  readonly x: number
  readonly y: number
  /** False for a point between two positions of a line. */
  readonly isCorner: boolean
}

interface Piece {
  readonly metres: number
  readonly kmh: number | null
}

/** How much shorter than the driven route the straight route may seem, because distances are whole metres. */
const ROUNDING = 0.98
/** Along a meridian. */
const METRES_PER_DEGREE = 111_195

export class StreetGraph {
  readonly #graph: Graph<Point, Piece> = createGraph()
  readonly #points: Point[] = []
  readonly #idByPosition = new Map<string, number>()
  /** The points that vehicles of the base can reach and come back from. */
  readonly #connected: readonly number[]
  readonly #metresPerLongitude: number
  readonly #routes = new Map<string, readonly number[]>()

  /** Throws `TooManyStreets`. */
  constructor(lines: readonly StreetLine[], base: Place) {
    this.#metresPerLongitude = Math.round(METRES_PER_DEGREE * Math.cos((base.latitude * Math.PI) / 180))
    for (const line of lines) this.#addLine(line)
    this.#connected = this.#connectedTo(this.#nearest(base, this.#points.keys()))
  }

  /** Metres from a place to the nearest point of any street, and to the nearest one that vehicles can use. */
  metresFrom(place: Place): { readonly toAny: number; readonly toConnected: number } {
    const [any, connected] = [this.#points.keys(), this.#connected].map((among) =>
      metresBetween(place, this.#pointOf(this.#nearest(place, among)).place),
    )
    return { toAny: any ?? 0, toConnected: connected ?? 0 }
  }

  /** True when the base is on streets that lead somewhere and back. */
  get leadsSomewhere(): boolean {
    return this.#connected.length > 1
  }

  /** The fastest route for a vehicle of this speed. */
  route(from: Place, to: Place, kmh: number): Route {
    const [first, last] = [this.#nearest(from, this.#connected), this.#nearest(to, this.#connected)]
    const corners: Corner[] = []
    let [atMs, metres] = [0, 0]
    const drive = (place: Place, piece: Piece): Corner => {
      atMs += driveMs(piece, kmh)
      metres += piece.metres
      return { place, atMs, metres }
    }
    const departure: Corner = { place: from, atMs, metres }
    const off = (one: Place, other: Place): Piece => ({ metres: metresBetween(one, other), kmh: null })
    if (first === last) return { corners: [departure, drive(to, off(from, to))] }
    const ids = this.#idsOfRoute(first, last, kmh)
    corners.push(drive(this.#pointOf(first).place, off(from, this.#pointOf(first).place)))
    for (const [at, id] of ids.entries()) {
      if (at === 0) continue
      const { place, isCorner } = this.#pointOf(id)
      const corner = drive(place, this.#pieceOf(ids[at - 1] ?? id, id))
      if (isCorner || id === last) corners.push(corner)
    }
    const arrival = drive(to, off(this.#pointOf(last).place, to))
    return { corners: [departure, ...corners, arrival] }
  }

  /** Points from one to the other. Routes of one store are asked for again and again, so some are kept. */
  #idsOfRoute(from: number, to: number, kmh: number): readonly number[] {
    const name = `${from} ${to} ${kmh}`
    const known = this.#routes.get(name)
    if (known !== undefined) return known
    const finder = aStar(this.#graph, {
      oriented: true,
      distance: (_one, _other, { data }) => driveMs(data, kmh),
      heuristic: (one, other) =>
        Math.floor(
          (Math.hypot(one.data.x - other.data.x, one.data.y - other.data.y) * ROUNDING * HOUR_MS) /
            (kmh * 1000),
        ),
    })
    const ids = finder
      .find(from, to)
      .map(({ id }) => Number(id))
      .toReversed()
    if (ids.length === 0)
      throw new Error(`no way leads from street point ${from} to ${to}, which are connected`)
    if (this.#routes.size >= STREET_ROUTES_KEPT_MAX) this.#routes.clear()
    this.#routes.set(name, ids)
    return ids
  }

  #addLine({ positions, kmh, direction }: StreetLine): void {
    for (const [at, position] of positions.entries()) {
      const before = positions[at - 1]
      if (before === undefined) continue
      const [from, to] = [placeOf(before), placeOf(position)]
      const metres = metresBetween(from, to)
      const pieces = Math.max(1, Math.ceil(metres / STREET_PIECE_M))
      let last = this.#corner(from)
      for (let piece = 1; piece <= pieces; piece += 1) {
        const next = piece === pieces ? this.#corner(to) : this.#add(partOf(from, to, piece / pieces), false)
        const data: Piece = { metres: metres / pieces, kmh }
        if (next !== last) {
          if (direction !== "backward") this.#link(last, next, data)
          if (direction !== "forward") this.#link(next, last, data)
        }
        last = next
      }
    }
  }

  /** Of two streets between the same points the faster one counts. */
  #link(from: number, to: number, data: Piece): void {
    const known = this.#graph.getLink(from, to)
    if (known !== null && known !== undefined && (known.data.kmh ?? Infinity) >= (data.kmh ?? Infinity))
      return
    this.#graph.addLink(from, to, data)
  }

  #corner(place: Place): number {
    const key = `${place.longitude.toFixed(6)} ${place.latitude.toFixed(6)}`
    const known = this.#idByPosition.get(key)
    if (known !== undefined) return known
    const id = this.#add(place, true)
    this.#idByPosition.set(key, id)
    return id
  }

  #add(place: Place, isCorner: boolean): number {
    const id = this.#points.length
    if (id >= STREET_POINTS_MAX) throw new TooManyStreets()
    const point = { place, isCorner, ...this.#metresOf(place) }
    this.#points.push(point)
    this.#graph.addNode(id, point)
    return id
  }

  #metresOf({ latitude, longitude }: Place): { readonly x: number; readonly y: number } {
    return {
      x: Math.round(longitude * this.#metresPerLongitude),
      y: Math.round(latitude * METRES_PER_DEGREE),
    }
  }

  #nearest(place: Place, among: Iterable<number>): number {
    const { x, y } = this.#metresOf(place)
    let [best, least] = [0, Number.POSITIVE_INFINITY]
    for (const id of among) {
      const point = this.#pointOf(id)
      const squared = (point.x - x) ** 2 + (point.y - y) ** 2
      if (squared < least) [best, least] = [id, squared]
    }
    return best
  }

  #connectedTo(base: number): readonly number[] {
    const reached = this.#reached(base, "out")
    const returning = this.#reached(base, "in")
    return [...reached].filter((id) => returning.has(id)).toSorted((one, other) => one - other)
  }

  #reached(base: number, direction: "in" | "out"): ReadonlySet<number> {
    const seen = new Set([base])
    for (const id of seen) {
      for (const { fromId, toId } of this.#graph.getLinks(id) ?? []) {
        if (direction === "out" && fromId === id) seen.add(Number(toId))
        if (direction === "in" && toId === id) seen.add(Number(fromId))
      }
    }
    return seen
  }

  #pieceOf(from: number, to: number): Piece {
    const link = this.#graph.getLink(from, to)
    if (link === null || link === undefined) throw new Error(`no street leads from point ${from} to ${to}`)
    return link.data
  }

  #pointOf(id: number): Point {
    const point = this.#points[id]
    if (point === undefined) throw new Error(`there is no street point ${id}`)
    return point
  }
}

/** A file of more streets than a run can search. */
export class TooManyStreets extends Error {
  constructor() {
    super(`more than ${STREET_POINTS_MAX} points of streets`)
  }
}

function driveMs({ metres, kmh }: Piece, vehicleKmh: number): number {
  return Math.round((metres * HOUR_MS) / (Math.min(kmh ?? vehicleKmh, vehicleKmh) * 1000))
}

function placeOf([longitude, latitude]: readonly [number, number]): Place {
  return { latitude, longitude }
}

function partOf(from: Place, to: Place, share: number): Place {
  return {
    latitude: from.latitude + (to.latitude - from.latitude) * share,
    longitude: from.longitude + (to.longitude - from.longitude) * share,
  }
}
