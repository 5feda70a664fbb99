/**
 * Streets of a GeoJSON file: its lines, with their names, and the credit that its makers ask for. A box gives the streets
 * in it, however large the file is.
 */

import type { Box, MapPoint } from "./projection.ts"

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

/** The streets, or what is wrong with the file in a sentence. */
export function streetsOf(file: unknown): Streets | string {
  if (!isObject(file) || file["type"] !== "FeatureCollection" || !Array.isArray(file["features"]))
    return "it is no GeoJSON FeatureCollection"
  const credit = file["attribution"]
  if (typeof credit !== "string" || credit.trim() === "")
    return 'it has no credit: add "attribution" beside "features", with the text that its makers ask for'
  const streets: Street[] = []
  for (const [at, feature] of (file["features"] as readonly unknown[]).entries()) {
    const found = isObject(feature) ? streetsIn(feature) : "it is no object"
    if (typeof found === "string") return `feature ${at + 1}: ${found}`
    streets.push(...found)
  }
  if (streets.length === 0) return "it has no LineString"
  return { credit: credit.trim(), within: withinOf(streets) }
}

function streetsIn(feature: Readonly<Record<string, unknown>>): readonly Street[] | string {
  const { geometry, properties } = feature
  if (!isObject(geometry)) return []
  const lines =
    geometry["type"] === "LineString"
      ? [geometry["coordinates"]]
      : geometry["type"] === "MultiLineString"
        ? geometry["coordinates"]
        : []
  if (!Array.isArray(lines)) return "the line has no coordinates"
  const said = isObject(properties) ? properties : {}
  const name = typeof said["name"] === "string" ? said["name"] : null
  const isMain = [said["highway"], said["kind"]].some((kind) => typeof kind === "string" && MAIN.has(kind))
  const streets: Street[] = []
  for (const line of lines as readonly unknown[]) {
    const points = pointsOf(line)
    if (points === null) return "the line's coordinates are not pairs of longitude and latitude"
    if (points.length > 1) streets.push({ name, isMain, points })
  }
  return streets
}

function pointsOf(line: unknown): readonly MapPoint[] | null {
  if (!Array.isArray(line)) return null
  const points: MapPoint[] = []
  for (const position of line as readonly unknown[]) {
    const [longitude, latitude] = Array.isArray(position) ? (position as readonly unknown[]) : []
    if (typeof longitude !== "number" || typeof latitude !== "number") return null
    if (!(Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90)) return null
    points.push({ latitude, longitude })
  }
  return points
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

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
