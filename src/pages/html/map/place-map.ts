/**
 * The map of every page: a picture to scale of stores, doors, vehicles, ways and areas, over streets when there are any, and
 * a table of the same. It fits what it shows, and no label lies on another. Text only, so that the service writes it into a
 * page and the pages' scripts use the same.
 */

import { escaped } from "../markup.ts"
import { boxOf, projectionOf, roundPx } from "./projection.ts"
import type { Box, MapPoint, Projection, Px } from "./projection.ts"
import { placeLabels } from "./labels.ts"
import type { Label, Placed } from "./labels.ts"
import type { Street } from "./streets.ts"

export interface MapPlace extends MapPoint {
  readonly kind: "door" | "store" | "vehicle"
  readonly name: string
}

export interface MapParts {
  /** What it shows, for people who do not see it. */
  readonly label: string
  readonly places: readonly MapPlace[]
  /** Corners of an area, drawn behind the places. */
  readonly area?: readonly MapPoint[]
  /** Where the vehicle has driven, oldest first. */
  readonly trail?: readonly MapPoint[]
  /** More points that the picture must contain, which are not drawn. */
  readonly around?: readonly MapPoint[]
  /** False for places that one vehicle does not join, such as those of a fleet: no way is drawn. Default: true. */
  readonly isWay?: boolean
  readonly streets?: readonly Street[]
  /** Who made the streets; shown with them. */
  readonly credit?: string
  /** px; the picture scales with its page. Default: 376 by 260. */
  readonly size?: Size
}

export interface Size {
  readonly width: number
  readonly height: number
}

const SIZE: Size = { width: 376, height: 260 }
const MARGIN = 48
/** px between a street and the way up to which the street is drawn. */
const NEAR_PX = 56
/** A map of a larger part of a city shows main streets alone. */
const SIDE_STREETS_M_PER_PX_MAX = 15
const SCALES_M = [20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000]
const MARKER_PX = 12

/** HTML of the figure; empty when there is nothing to show. */
export function placeMap(parts: MapParts): string {
  const picture = mapPicture(parts)
  if (picture === "") return ""
  return `<figure class="place-map">${picture}<details class="positions" id="positions"><summary>${TABLE_TITLE}</summary>${mapTable(parts)}</details></figure>`
}

export const TABLE_TITLE = "Positions as a table"

/** The picture with its credit, and without the table. */
export function mapPicture(parts: MapParts): string {
  const drawn = drawnMap(parts)
  if (drawn === null) return ""
  const { width, height } = parts.size ?? SIZE
  return [
    `<svg class="map" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(parts.label)}">`,
    ...drawn.streets.map(
      ({ points, isMain }) => `<polyline class="street${isMain ? " main" : ""}" points="${listed(points)}"/>`,
    ),
    ...(drawn.area.length === 0 ? [] : [`<polygon class="area" points="${listed(drawn.area)}"/>`]),
    ...lines(drawn),
    ...drawn.markers.map(({ kind, at, heading }) => marker(kind, at, heading)),
    ...drawn.labels.map(written),
    scaleBar(drawn, height),
    "</svg>",
    ...(drawn.streets.length === 0 || parts.credit === undefined
      ? []
      : [`<p class="credit">${escaped(parts.credit)}</p>`]),
  ].join("\n")
}

/** What the picture must contain, with room around it: the box of which streets are needed. Null: nothing to show. */
export function boxOfMap(parts: MapParts): Box | null {
  const size = parts.size ?? SIZE
  const all = shownPoints(parts)
  return all.length === 0 ? null : boxOf(projectionOf(all, { ...size, margin: MARGIN }), size)
}

function shownPoints({ places, area = [], trail = [], around = [] }: MapParts): readonly MapPoint[] {
  return [...places, ...area, ...trail, ...around]
}

export interface DrawnStreet {
  readonly name: string | null
  readonly isMain: boolean
  readonly points: readonly Px[]
}

interface DrawnMarker {
  readonly kind: MapPlace["kind"]
  readonly at: Px
  /** Degrees clockwise from the right; null when unknown. */
  readonly heading: number | null
}

export interface DrawnMap {
  readonly projection: Projection
  readonly area: readonly Px[]
  readonly driven: readonly Px[]
  readonly ahead: readonly Px[]
  readonly streets: readonly DrawnStreet[]
  readonly markers: readonly DrawnMarker[]
  readonly labels: readonly Placed[]
  readonly scale: { readonly metres: number; readonly px: number }
}

/** Everything in px, with its labels placed; null when there is nothing to show. */
export function drawnMap(parts: MapParts): DrawnMap | null {
  const { places, area = [], trail = [], isWay = true, streets = [], size = SIZE } = parts
  const all = shownPoints(parts)
  if (all.length === 0) return null
  const projection = projectionOf(all, { ...size, margin: MARGIN })
  const { pointOf, metresPerPx } = projection
  const of = (kind: MapPlace["kind"]): MapPlace | undefined =>
    isWay ? places.find((place) => place.kind === kind) : undefined
  const [store, vehicle, door] = [of("store"), of("vehicle"), of("door")]
  const driven = (
    vehicle === undefined ? [] : trail.length > 0 ? [...trail, vehicle] : known(store, vehicle)
  ).map(pointOf)
  const ahead = known(vehicle ?? store, door).map(pointOf)
  const metres = SCALES_M.findLast((one) => one / metresPerPx <= size.width / 4) ?? 20
  const scale = { metres, px: roundPx(metres / metresPerPx) }
  const markers = places.map((place) => ({
    kind: place.kind,
    at: pointOf(place),
    heading: place.kind === "vehicle" ? headingOf(driven, ahead) : null,
  }))
  const near = nearWay(
    (metresPerPx > SIDE_STREETS_M_PER_PX_MAX ? streets.filter(({ isMain }) => isMain) : streets).map(
      ({ name, isMain, points }) => ({ name, isMain, points: points.map(pointOf) }),
    ),
    [...driven, ...ahead],
  )
  const labels = placeLabels({
    size,
    // The scale has the lower left corner.
    taken: [
      { x: 8, y: size.height - 30, width: scale.px + 60, height: 30 },
      ...markers.map(({ at: [x, y] }) => ({
        x: x - MARKER_PX,
        y: y - MARKER_PX,
        width: 2 * MARKER_PX,
        height: 2 * MARKER_PX,
      })),
    ],
    labels: [
      ...places.map((place): Label => ({ text: place.name, at: pointOf(place), kind: place.kind })),
      ...namesOf(near),
    ],
    away: MARKER_PX + 4,
  })
  return { projection, area: area.map(pointOf), driven, ahead, streets: near, markers, labels, scale }
}

function known(...places: readonly (MapPoint | undefined)[]): readonly MapPoint[] {
  const found = places.filter((place) => place !== undefined)
  return found.length < 2 ? [] : found
}

function headingOf(driven: readonly Px[], ahead: readonly Px[]): number | null {
  const steps = [driven.slice(-2), ahead.slice(0, 2)]
  for (const [from, to] of steps) {
    if (from === undefined || to === undefined) continue
    const [across, down] = [to[0] - from[0], to[1] - from[1]]
    if (Math.hypot(across, down) >= 1) return Math.round((Math.atan2(down, across) * 180) / Math.PI)
  }
  return null
}

/** The pieces of streets that lie near the way; all of them when there is no way. */
function nearWay(streets: readonly DrawnStreet[], way: readonly Px[]): readonly DrawnStreet[] {
  if (way.length < 2) return streets
  return streets.flatMap((street) => {
    const pieces: Px[][] = [[]]
    for (const point of finely(street.points)) {
      const isNear = way.slice(1).some((to, at) => distancePx(point, way[at] ?? to, to) <= NEAR_PX)
      if (isNear) pieces.at(-1)?.push(point)
      else if (pieces.at(-1)?.length !== 0) pieces.push([])
    }
    return pieces.filter(({ length }) => length > 1).map((points) => ({ ...street, points }))
  })
}

const PIECE_PX = 12

/** With further points, so that no step is longer than a few px. */
function finely(points: readonly Px[]): readonly Px[] {
  return points.flatMap((to, at) => {
    const from = points[at - 1]
    if (from === undefined) return [to]
    const steps = Math.min(
      200,
      Math.max(1, Math.ceil(Math.hypot(to[0] - from[0], to[1] - from[1]) / PIECE_PX)),
    )
    return Array.from({ length: steps }, (_, step): Px => {
      const share = (step + 1) / steps
      return [from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1])]
    })
  })
}

/** From a point to a line between two others. */
function distancePx(point: Px, from: Px, to: Px): number {
  const [across, down] = [to[0] - from[0], to[1] - from[1]]
  const length = across ** 2 + down ** 2
  const along = length === 0 ? 0 : ((point[0] - from[0]) * across + (point[1] - from[1]) * down) / length
  const share = Math.min(1, Math.max(0, along))
  return Math.hypot(point[0] - from[0] - share * across, point[1] - from[1] - share * down)
}

const STREET_NAMES_MAX = 6
const STREET_NAME_PX_MIN = 48

/** One label for each named street, beside the middle of its longest piece; the longest first. */
function namesOf(streets: readonly DrawnStreet[]): readonly Label[] {
  const longest = new Map<string, { readonly lengthPx: number; readonly at: Px }>()
  for (const { name, points } of streets) {
    const middle = points[Math.floor(points.length / 2)]
    if (name === null || middle === undefined) continue
    const lengthPx = points.reduce((sum, [x, y], at) => {
      const before = points[at - 1] ?? [x, y]
      return sum + Math.hypot(x - before[0], y - before[1])
    }, 0)
    if (lengthPx >= STREET_NAME_PX_MIN && lengthPx > (longest.get(name)?.lengthPx ?? 0))
      longest.set(name, { lengthPx, at: middle })
  }
  return [...longest]
    .toSorted(([, one], [, other]) => other.lengthPx - one.lengthPx)
    .slice(0, STREET_NAMES_MAX)
    .map(([text, { at }]) => ({ text, at, kind: "street" as const }))
}

function lines({ driven, ahead }: DrawnMap): readonly string[] {
  return [
    ...(ahead.length === 0 ? [] : [`<polyline class="casing" points="${listed(ahead)}"/>`]),
    ...(driven.length === 0 ? [] : [`<polyline class="casing" points="${listed(driven)}"/>`]),
    ...(ahead.length === 0 ? [] : [`<polyline class="ahead" points="${listed(ahead)}"/>`]),
    ...(driven.length === 0 ? [] : [`<polyline class="driven" points="${listed(driven)}"/>`]),
  ]
}

/** A ring for a store, a house for a door, an arrow for a vehicle: shapes, not colours alone. */
function marker(kind: MapPlace["kind"], [x, y]: Px, heading: number | null): string {
  const inner = {
    store: "",
    door: '<path d="M-5 1 0-4 5 1V5H-5Z"/>',
    vehicle:
      heading === null
        ? '<circle class="dot" r="3"/>'
        : `<path transform="rotate(${heading})" d="M-4-5 6 0-4 5-2 0Z"/>`,
  }[kind]
  const radius = { store: 7, door: 11, vehicle: 11 }[kind]
  return `<g class="marker ${kind}" transform="translate(${roundPx(x)} ${roundPx(y)})"><circle r="${radius}"/>${inner}</g>`
}

function written({ text, kind, x, y, anchor }: Placed): string {
  return `<text class="${kind}" x="${roundPx(x)}" y="${roundPx(y)}" text-anchor="${anchor}">${escaped(text)}</text>`
}

function scaleBar({ scale: { metres, px } }: DrawnMap, height: number): string {
  const said = metres < 1000 ? `${metres} m` : `${metres / 1000} km`
  const y = height - 14
  return `<g class="scale"><path d="M16 ${y - 4}v4h${px}v-4"/><text x="${roundPx(22 + px)}" y="${y + 2}">${said}</text></g>`
}

/** The places of the picture as a table. */
export function mapTable({ label, places }: MapParts): string {
  const rows = places.map(
    ({ name, latitude, longitude }) =>
      `<tr><th scope="row">${escaped(name)}</th><td class="end mono">${latitude.toFixed(4)}, ${longitude.toFixed(4)}</td></tr>`,
  )
  const head =
    '<thead><tr><th scope="col">Place</th><th scope="col" class="end">Latitude, longitude</th></tr></thead>'
  return `<table class="table" aria-label="${escaped(label)}: positions">${head}<tbody>${rows.join("")}</tbody></table>`
}

function listed(points: readonly Px[]): string {
  return points.map(([x, y]) => `${roundPx(x)},${roundPx(y)}`).join(" ")
}
