/**
 * Streets of a file for a map: its lines, with their names, and the credit that its makers ask for. A box gives the streets
 * in it, however large the file is.
 */

import type { FileLine } from "./file-parts.ts"
import type { Box, MapPoint } from "./projection.ts"
import { streetFileOf } from "./street-file.ts"

export interface Street {
  readonly name: string | null
  /** True for a street that leads further than its neighbourhood. */
  readonly isMain: boolean
  readonly points: readonly MapPoint[]
}

export interface Streets {
  readonly credit: string
  /** The parts of streets in the box and a little around it, the main ones first; 20,000 points at most. */
  readonly within: (box: Box) => readonly Street[]
}

/** The part of a map that a page asks for; without a file there are no streets and no credit. */
export interface StreetsInBox {
  readonly streets: readonly Street[]
  readonly credit?: string
}

/** Names of OpenStreetMap's kinds of larger streets. */
const MAIN = new Set(["motorway", "trunk", "primary", "secondary", "main"])
const POINTS_MAX = 20_000
/** Degrees; a cell of the index. */
const CELL = 0.01
/** A box of more cells than these is larger than any city: it shows no streets. */
const CELLS_MAX = 10_000

/** The streets, or what is wrong with the file in a sentence. Their index is made when a box is first asked for. */
export function streetsOf(file: unknown): Streets | string {
  const read = streetFileOf(file)
  if (typeof read === "string") return read
  const { credit, lines } = read
  let within: Streets["within"] | null = null
  return { credit, within: (box) => (within ??= withinOf(lines.flatMap(shownOf)))(box) }
}

/** Tags of other things than streets. A line that also has a `highway`, such as a street with tram rails, is a street. */
export const OTHER_THINGS = [
  "waterway",
  "railway",
  "power",
  "boundary",
  "aeroway",
  "aerialway",
  "barrier",
  "building",
  "landuse",
  "leisure",
  "man_made",
  "natural",
  "pipeline",
  "route",
  "telecom",
  "amenity",
  "indoor",
] as const

/** Its parts with the name; none of a river or a building. */
function shownOf({ tags, parts }: FileLine): readonly Street[] {
  const isOther = OTHER_THINGS.some((key) => typeof tags[key] === "string" && tags[key] !== "no")
  if (isOther && typeof tags["highway"] !== "string") return []
  const name = typeof tags["name"] === "string" ? tags["name"] : null
  const isMain = [tags["highway"], tags["kind"]].some((kind) => typeof kind === "string" && MAIN.has(kind))
  return parts.map((part) => ({
    name,
    isMain,
    points: part.map(([longitude, latitude]) => ({ latitude, longitude })),
  }))
}

/** Finds pieces of streets by cell: a long street is given only where it meets the box. */
function withinOf(streets: readonly Street[]): Streets["within"] {
  /** By cell, then by street: its pieces there, each by the number of its first point. */
  const cells = new Map<string, Map<number, Set<number>>>()
  for (const [street, { points }] of streets.entries()) {
    for (const [piece, to] of points.slice(1).entries()) {
      for (const cell of cellsBetween(points[piece] ?? to, to)) {
        const known = cells.get(cell) ?? new Map<number, Set<number>>()
        cells.set(cell, known.set(street, (known.get(street) ?? new Set()).add(piece)))
      }
    }
  }
  return (box) => {
    const pieces = new Map<number, Set<number>>()
    for (const cell of cellsOf(box)) {
      for (const [street, found] of cells.get(cell) ?? [])
        pieces.set(street, (pieces.get(street) ?? new Set()).union(found))
    }
    const inside = [...pieces]
      .toSorted(([one], [other]) => one - other)
      .flatMap(([street, found]) => {
        const whole = streets[street]
        return whole === undefined ? [] : runsOf(whole, [...found])
      })
      .toSorted((one, other) => Number(other.isMain) - Number(one.isMain))
    let points = 0
    return inside.filter((street) => {
      points += street.points.length
      return points <= POINTS_MAX
    })
  }
}

/** Pieces that follow each other as one street. */
function runsOf(street: Street, pieces: readonly number[]): readonly Street[] {
  const runs: MapPoint[][] = []
  let last: number | null = null
  for (const piece of pieces.toSorted((one, other) => one - other)) {
    const [from, to] = [street.points[piece], street.points[piece + 1]]
    if (from === undefined || to === undefined) continue
    if (last === piece - 1) runs.at(-1)?.push(to)
    else runs.push([from, to])
    last = piece
  }
  return runs.map((points) => ({ ...street, points }))
}

/** The cells that a piece passes; one that is longer than any city is in none. */
function cellsBetween(from: MapPoint, to: MapPoint): ReadonlySet<string> {
  const [across, up] = [to.longitude - from.longitude, to.latitude - from.latitude]
  const steps = Math.ceil((4 * Math.max(Math.abs(across), Math.abs(up))) / CELL) + 1
  if (steps > CELLS_MAX) return new Set()
  return new Set(
    Array.from({ length: steps + 1 }, (_, step) =>
      cellAt(from.longitude + (across * step) / steps, from.latitude + (up * step) / steps),
    ),
  )
}

/** None for a box that is larger than any city. */
function cellsOf({ west, south, east, north }: Box): readonly string[] {
  const [columns, rows] = [Math.floor(east / CELL), Math.floor(north / CELL)]
  const [left, low] = [Math.floor(west / CELL), Math.floor(south / CELL)]
  if ((columns - left + 1) * (rows - low + 1) > CELLS_MAX) return []
  const cells: string[] = []
  for (let x = left; x <= columns; x += 1) for (let y = low; y <= rows; y += 1) cells.push(`${x},${y}`)
  return cells
}

function cellAt(longitude: number, latitude: number): string {
  return `${Math.floor(longitude / CELL)},${Math.floor(latitude / CELL)}`
}
