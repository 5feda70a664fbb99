/**
 * Streets as points and edges in arrays, so that a city fits and a search allocates nothing. A turn restriction gives the
 * edge before it a point of its own, with the edges that may follow alone. One over further streets gives it copies of these: at
 * the end of the copies, the edges that may follow.
 */

import { metresBetween } from "../../../areas/dispatch/geography.ts"
import { STREET_PIECE_M, STREET_POINTS_MAX } from "../../../model/values/limits.ts"
import type { Place } from "../../../model/place.ts"
import type { Position } from "../../../pages/html/map/file-parts.ts"
import type { StreetLine, StreetNet, StreetTurn } from "./street-lines.ts"

/** Edges by their number. */
export interface Edges {
  readonly from: Int32Array
  readonly to: Int32Array
  readonly metres: Float64Array
  /** 0: as fast as the vehicle drives. */
  readonly kmh: Float64Array
  /** Number of the class in `kinds`. */
  readonly kind: Uint8Array
  /** Number of the line. */
  readonly line: Int32Array
}

/** Numbers of edges by point: those of point `p` are `edges[first[p]]` until before `edges[first[p + 1]]`. */
export interface Adjacency {
  readonly first: Int32Array
  readonly edges: Int32Array
}

export interface Network {
  /** Of each point; a point of a turn restriction has the place of the point that it stands for. */
  readonly places: readonly Place[]
  /** False for a point between two positions of a line. */
  readonly isCorner: readonly boolean[]
  /** The point that each stands for: itself, unless it is one of a turn restriction. */
  readonly standsFor: Int32Array
  readonly edges: Edges
  readonly leaving: Adjacency
  readonly entering: Adjacency
  /** Classes of streets. */
  readonly kinds: readonly string[]
}

/** Numbers of edges by the point that they leave, and by their line. */
interface EdgeIndex {
  readonly leaving: Map<number, number[]>
  readonly byLine: Map<number, number[]>
}

/** A file of more streets than a run can search. */
export class TooManyStreets extends Error {
  constructor() {
    super(`more than ${STREET_POINTS_MAX} points of streets`)
  }
}

/** Throws `TooManyStreets`. */
export function networkOf({ lines, turns, closed }: StreetNet): Network {
  const building = new Building(closed)
  for (const [number, line] of lines.entries()) building.addLine(line, number)
  building.restrict(turns)
  building.restrictOver(turns.filter(({ via }) => via === null))
  return building.network()
}

class Building {
  readonly #places: Place[] = []
  readonly #isCorner: boolean[] = []
  readonly #standsFor: number[] = []
  readonly #from: number[] = []
  readonly #to: number[] = []
  readonly #metres: number[] = []
  readonly #kmh: number[] = []
  readonly #kind: number[] = []
  /** Number of the line of each edge. */
  readonly #line: number[] = []
  readonly #kinds: string[] = []
  readonly #pointByPosition = new Map<string, number>()
  readonly #closed: ReadonlySet<string>

  constructor(closed: readonly Position[]) {
    this.#closed = new Set(closed.map(([longitude, latitude]) => keyOf({ latitude, longitude })))
  }

  addLine({ positions, kmh, direction, kind }: StreetLine, line: number): void {
    if (!this.#kinds.includes(kind)) this.#kinds.push(kind)
    const kindNumber = this.#kinds.indexOf(kind)
    for (const [at, position] of positions.entries()) {
      const before = positions[at - 1]
      if (before === undefined) continue
      const [from, to] = [placeOf(before), placeOf(position)]
      const metres = metresBetween(from, to)
      const pieces = Math.max(1, Math.ceil(metres / STREET_PIECE_M))
      let last = this.#corner(from)
      for (let piece = 1; piece <= pieces; piece += 1) {
        const next = piece === pieces ? this.#corner(to) : this.#add(partOf(from, to, piece / pieces), false)
        const link = { metres: metres / pieces, kind: kindNumber, line }
        if (next !== last) {
          if (direction !== "backward") this.#link(last, next, { ...link, kmh: kmh.forward })
          if (direction !== "forward") this.#link(next, last, { ...link, kmh: kmh.backward })
        }
        last = next
      }
    }
  }

  restrict(turns: readonly StreetTurn[]): void {
    if (turns.length === 0) return
    const [leaving, entering] = [
      adjacencyOf(this.#from, this.#places.length),
      adjacencyOf(this.#to, this.#places.length),
    ]
    /** By edge: the edges that may follow it. */
    const followers = new Map<number, readonly number[]>()
    for (const { from, to, via, isOnly } of turns) {
      const point = via === null ? undefined : this.#pointByPosition.get(keyOf(placeOf(via)))
      if (point === undefined) continue
      for (const edge of edgesAt(entering, point)) {
        const line = this.#line[edge] ?? -1
        if (!from.includes(line)) continue
        // From a line that goes on behind the point, no turn to itself means none back.
        const isBackAlone = !isOnly && to.includes(line)
        const known = followers.get(edge) ?? edgesAt(leaving, point)
        followers.set(
          edge,
          known.filter((next) => {
            const isNamed = to.includes(this.#line[next] ?? -1)
            return isBackAlone ? !isNamed || this.#to[next] !== this.#from[edge] : isNamed === isOnly
          }),
        )
      }
    }
    const edges = [...followers.keys()].toSorted((one, other) => one - other)
    // The edges end at their own points first: an edge that follows may be one of these, too.
    for (const edge of edges) {
      const point = this.#to[edge] ?? 0
      this.#to[edge] = this.#add(this.#places[point] ?? NOWHERE, true, point)
    }
    for (const edge of edges) {
      for (const next of followers.get(edge) ?? []) {
        this.#link(this.#to[edge] ?? 0, this.#to[next] ?? 0, {
          metres: this.#metres[next] ?? 0,
          kmh: this.#kmh[next] ?? null,
          kind: this.#kind[next] ?? 0,
          line: this.#line[next] ?? 0,
        })
      }
    }
  }

  /** After `restrict`, whose points are kept. */
  restrictOver(turns: readonly StreetTurn[]): void {
    if (turns.length === 0) return
    const [leaving, byLine] = [new Map<number, number[]>(), new Map<number, number[]>()]
    const index: EdgeIndex = { leaving, byLine }
    for (const edge of this.#from.keys()) this.#enter(edge, index)
    for (const turn of turns)
      for (const edge of turn.from.flatMap((line) => byLine.get(line) ?? [])) this.#divert(edge, turn, index)
  }

  #enter(edge: number, { leaving, byLine }: EdgeIndex): void {
    for (const [edges, of] of [
      [leaving, this.#from[edge] ?? 0],
      [byLine, this.#line[edge] ?? 0],
    ] as const) {
      const known = edges.get(of)
      if (known === undefined) edges.set(of, [edge])
      else known.push(edge)
    }
  }

  /** The edge leads to copies of the streets of the turn, if it comes to them. */
  #divert(edge: number, turn: StreetTurn, index: EdgeIndex): void {
    const way = this.#wayOver(edge, turn, index)
    if (way === null) return
    let [at, copy] = [this.#to[edge] ?? 0, this.#copyOf(this.#to[edge] ?? 0)]
    this.#to[edge] = copy
    for (let number = 0; number <= way.length; number += 1) {
      const [before, ahead] = [way[number - 1], way[number]]
      const all = index.leaving.get(at) ?? []
      const allowed = all.filter((next) =>
        ahead === undefined
          ? turn.to.includes(this.#line[next] ?? -1) === turn.isOnly
          : next === ahead || !turn.isOnly,
      )
      // A turn back on the streets between would be a way around the restriction.
      const onward = allowed.filter((next) => before === undefined || !this.#isBack(next, before))
      const end = ahead === undefined ? copy : this.#copyOf(this.#to[ahead] ?? 0)
      for (const next of onward.length === 0 ? allowed : onward) {
        this.#link(copy, next === ahead ? end : (this.#to[next] ?? 0), {
          metres: this.#metres[next] ?? 0,
          kmh: this.#kmh[next] ?? null,
          kind: this.#kind[next] ?? 0,
          line: this.#line[next] ?? 0,
        })
        this.#enter(this.#from.length - 1, index)
      }
      at = ahead === undefined ? at : (this.#to[ahead] ?? 0)
      copy = end
    }
  }

  /** The shortest way in edges over the streets of a turn to where its last street begins; null without one. */
  #wayOver(edge: number, { over, to }: StreetTurn, { leaving }: EdgeIndex): readonly number[] | null {
    const start = this.#to[edge] ?? 0
    const seen = new Set([this.#from[edge] ?? 0, start].map((point) => this.#standsFor[point]))
    let ways: (readonly number[])[] = [[]]
    while (ways.length > 0) {
      const longer: (readonly number[])[] = []
      for (const way of ways) {
        const last = way.at(-1)
        const point = last === undefined ? start : (this.#to[last] ?? 0)
        const isEnd = (next: number): boolean =>
          to.includes(this.#line[next] ?? -1) && last !== undefined && !this.#isBack(next, last)
        const all = leaving.get(point) ?? []
        if (all.some(isEnd)) return way
        for (const next of all) {
          const end = this.#standsFor[this.#to[next] ?? 0]
          if (!over.includes(this.#line[next] ?? -1) || seen.has(end)) continue
          seen.add(end)
          longer.push([...way, next])
        }
      }
      ways = longer
    }
    return null
  }

  #isBack(next: number, before: number): boolean {
    return this.#standsFor[this.#to[next] ?? 0] === this.#standsFor[this.#from[before] ?? 0]
  }

  #copyOf(point: number): number {
    return this.#add(this.#places[point] ?? NOWHERE, this.#isCorner[point] === true, this.#standsFor[point])
  }

  network(): Network {
    const points = this.#places.length
    return {
      places: this.#places,
      isCorner: this.#isCorner,
      standsFor: Int32Array.from(this.#standsFor),
      edges: {
        from: Int32Array.from(this.#from),
        to: Int32Array.from(this.#to),
        metres: Float64Array.from(this.#metres),
        kmh: Float64Array.from(this.#kmh),
        kind: Uint8Array.from(this.#kind),
        line: Int32Array.from(this.#line),
      },
      leaving: adjacencyOf(this.#from, points),
      entering: adjacencyOf(this.#to, points),
      kinds: this.#kinds,
    }
  }

  #link(
    from: number,
    to: number,
    piece: {
      readonly metres: number
      readonly kmh: number | null
      readonly kind: number
      readonly line: number
    },
  ): void {
    this.#from.push(from)
    this.#to.push(to)
    this.#metres.push(piece.metres)
    this.#kmh.push(piece.kmh ?? 0)
    this.#kind.push(piece.kind)
    this.#line.push(piece.line)
  }

  /** The point of a position that lines share. At a closed one each line has its own, so that none goes on. */
  #corner(place: Place): number {
    const key = keyOf(place)
    if (this.#closed.has(key)) return this.#add(place, true)
    const known = this.#pointByPosition.get(key)
    if (known !== undefined) return known
    const point = this.#add(place, true)
    this.#pointByPosition.set(key, point)
    return point
  }

  #add(place: Place, isCorner: boolean, standsFor = this.#places.length): number {
    const point = this.#places.length
    if (point >= STREET_POINTS_MAX) throw new TooManyStreets()
    this.#places.push(place)
    this.#isCorner.push(isCorner)
    this.#standsFor.push(standsFor)
    return point
  }
}

const NOWHERE: Place = { latitude: 0, longitude: 0 }

/** OpenStreetMap has seven digits. */
function keyOf({ latitude, longitude }: Place): string {
  return `${Math.round(longitude * 1e7)} ${Math.round(latitude * 1e7)}`
}

/** In the order of the edges. */
function adjacencyOf(ends: readonly number[], points: number): Adjacency {
  const first = new Int32Array(points + 1)
  for (const point of ends) first[point + 1] = (first[point + 1] ?? 0) + 1
  for (let point = 0; point < points; point += 1)
    first[point + 1] = (first[point + 1] ?? 0) + (first[point] ?? 0)
  const free = first.slice()
  const edges = new Int32Array(ends.length)
  for (const [edge, point] of ends.entries()) {
    const at = free[point] ?? 0
    edges[at] = edge
    free[point] = at + 1
  }
  return { first, edges }
}

function edgesAt({ first, edges }: Adjacency, point: number): readonly number[] {
  return [...edges.subarray(first[point], first[point + 1])]
}

function placeOf([longitude, latitude]: Position): Place {
  return { latitude, longitude }
}

function partOf(from: Place, to: Place, share: number): Place {
  return {
    latitude: from.latitude + (to.latitude - from.latitude) * share,
    longitude: from.longitude + (to.longitude - from.longitude) * share,
  }
}
