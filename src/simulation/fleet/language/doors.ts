/**
 * The word `doors` of a model: where customers live. Points with weights, or areas with a density or a population, of a GeoJSON
 * file beside the model; without it, anywhere in the service area.
 */

import { isInside } from "../../../areas/dispatch/geography.ts"
import { toDecimetre } from "../../../areas/dispatch/driving.ts"
import { DOORS_MAX } from "../../../model/values/limits.ts"
import type { Place, Polygon } from "../../../model/place.ts"
import { isObject } from "../../../pages/html/map/file-parts.ts"
import { optional, record, text } from "../../scenario/language/shapes.ts"
import type { Read } from "../../scenario/language/shapes.ts"
import type { Report } from "../../scenario/language/problems.ts"
import type { WrittenMap } from "../../scenario/language/source.ts"
import { textBeside } from "./beside.ts"
import type { Beside } from "./beside.ts"
import { areaOf } from "./site-area.ts"
import type { ServedSite } from "./site-area.ts"
import { spanAt } from "./written-part.ts"

export const doorsShape = record("keys of doors", {
  points: optional("a GeoJSON file of points beside the model: doors are there", text, null),
  weight: optional("the property of a point that says how often it is drawn; else all are alike", text, null),
  areas: optional("a GeoJSON file of polygons beside the model: doors are anywhere in them", text, null),
  density: optional("the property of a polygon with orders or people for its size", text, null),
  population: optional("the property of a polygon with all its people", text, null),
})

/** Choices with their weights added up: the choice of a number is the first whose sum is above it. */
export interface Weighted<T> {
  readonly of: readonly T[]
  readonly sums: readonly number[]
}

/** Plain JSON. */
export type Doors =
  | { readonly is: "anywhere" }
  /** By site, in the order of the model; a place is in the site's area. */
  | { readonly is: "points"; readonly bySite: readonly Weighted<Place>[] }
  /** By site; a polygon may reach out of the site's area. */
  | { readonly is: "areas"; readonly bySite: readonly Weighted<Polygon>[] }

interface DoorsSource {
  readonly root: WrittenMap
  readonly report: Report
  readonly beside: Beside
  readonly sites: readonly (ServedSite & { readonly as: string; readonly vehicles: number })[]
}

/** Null after a reported problem. */
export function readDoors(
  written: Read<typeof doorsShape> | null,
  { root, report, beside, sites }: DoorsSource,
): Doors | null {
  if (written === null) return { is: "anywhere" }
  const reject = (key: string, message: string, help?: string): null => {
    report(spanAt(root, ["doors", ...(key === "" ? [] : [key])]), message, help === undefined ? {} : { help })
    return null
  }
  const { points, weight, areas, density, population } = written
  if ((points === null) === (areas === null))
    return reject("", "doors come from one file", "write points, or areas with density or population")
  if (points !== null && (density !== null || population !== null))
    return reject("", "points have a weight, no density or population")
  if (areas !== null && (weight !== null || (density === null) === (population === null)))
    return reject("", "areas have either a density or a population")
  const [key, file] = points === null ? (["areas", areas ?? ""] as const) : (["points", points] as const)
  const found = textBeside(file, beside)
  if ("fault" in found) return reject(key, found.fault)
  const features = featuresOf(found.text)
  if (features === null) return reject(key, `${file} is no GeoJSON FeatureCollection`)
  const all =
    points === null
      ? areaChoices(features, { name: density ?? population ?? "", isForSize: density !== null })
      : pointChoices(features, weight)
  if (typeof all === "string") return reject(key, `${file}: ${all}`)
  const { length } = all.choices
  if (length > DOORS_MAX) return reject(key, `${file} has ${length} doors, at most ${DOORS_MAX}`)
  const doors = doorsBySite(all, sites.map(areaOf))
  const without = sites.find(({ vehicles }, at) => vehicles > 0 && doors.bySite[at]?.of.length === 0)
  if (without !== undefined)
    return reject(key, `${file} has no door in the service area of ${JSON.stringify(without.as)}`)
  return doors
}

function doorsBySite(all: Choices, areas: readonly Polygon[]): Exclude<Doors, { readonly is: "anywhere" }> {
  if (all.is === "points") {
    const bySite = areas.map((area) => weighted(all.choices.filter(({ of }) => isInside(of, area))))
    return { is: "points", bySite }
  }
  return {
    is: "areas",
    bySite: areas.map((area) => weighted(all.choices.filter(({ of }) => isNear(of, area)))),
  }
}

type Choices =
  | { readonly is: "points"; readonly choices: readonly Choice<Place>[] }
  | { readonly is: "areas"; readonly choices: readonly Choice<Polygon>[] }

interface Choice<T> {
  readonly of: T
  readonly weight: number
}
type Feature = Readonly<Record<string, unknown>>

function featuresOf(written: string): readonly Feature[] | null {
  try {
    const read: unknown = JSON.parse(written)
    const features = isObject(read) && read["type"] === "FeatureCollection" ? read["features"] : null
    return Array.isArray(features) ? (features as readonly unknown[]).filter(isObject) : null
  } catch {
    return null
  }
}

function pointChoices(features: readonly Feature[], name: string | null): Choices | string {
  const choices: Choice<Place>[] = []
  for (const [at, feature] of features.entries()) {
    const geometry = geometryOf(feature)
    if (geometry["type"] !== "Point") continue
    const place = placeOf(geometry["coordinates"])
    if (place === null) return `feature ${at + 1}: the point is no pair of longitude and latitude`
    const weight = name === null ? 1 : weightOf(feature, name)
    if (weight === null) return noWeight(at, name)
    if (weight > 0) choices.push({ of: place, weight })
  }
  return choices.length === 0 ? "it has no Point" : { is: "points", choices }
}

function areaChoices(
  features: readonly Feature[],
  { name, isForSize }: { readonly name: string; readonly isForSize: boolean },
): Choices | string {
  const choices: Choice<Polygon>[] = []
  for (const [at, feature] of features.entries()) {
    const { type, coordinates } = geometryOf(feature)
    if (type !== "Polygon" && type !== "MultiPolygon") continue
    const polygons = (type === "Polygon" ? [coordinates] : coordinates) as readonly unknown[]
    const weight = weightOf(feature, name)
    if (weight === null) return noWeight(at, name)
    const read = Array.isArray(polygons) ? polygons.map(polygonOf) : [null]
    if (read.includes(null)) return `feature ${at + 1}: the polygon is no list of rings of positions`
    const parts = read.filter((one) => one !== null)
    const sizes = parts.map(sizeOf)
    const whole = sizes.reduce((sum, size) => sum + size, 0)
    for (const [part, of] of parts.entries()) {
      const share = isForSize ? (sizes[part] ?? 0) : (sizes[part] ?? 0) / (whole || 1)
      if (weight * share > 0) choices.push({ of, weight: weight * share })
    }
  }
  return choices.length === 0 ? "it has no Polygon with people" : { is: "areas", choices }
}

function noWeight(at: number, name: string | null): string {
  return `feature ${at + 1}: ${JSON.stringify(name)} is no number from 0`
}

function weightOf({ properties }: Feature, name: string): number | null {
  const written = isObject(properties) ? properties[name] : undefined
  const isWritten = typeof written === "number" || (typeof written === "string" && written.trim() !== "")
  const weight = isWritten ? Number(written) : Number.NaN
  return Number.isFinite(weight) && weight >= 0 ? weight : null
}

function geometryOf({ geometry }: Feature): Feature {
  return isObject(geometry) ? geometry : {}
}

/** To the decimetre, as all doors are. */
function placeOf(written: unknown): Place | null {
  const [longitude, latitude] = Array.isArray(written) ? (written as readonly unknown[]) : []
  if (typeof longitude !== "number" || typeof latitude !== "number") return null
  if (!(Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90)) return null
  return { latitude: toDecimetre(latitude), longitude: toDecimetre(longitude) }
}

function polygonOf(written: unknown): Polygon | null {
  if (!Array.isArray(written) || written.length === 0) return null
  const rings: (readonly [number, number])[][] = []
  for (const ring of written as readonly unknown[]) {
    const places = Array.isArray(ring) ? (ring as readonly unknown[]).map(placeOf) : []
    if (places.length < 4 || places.includes(null)) return null
    rings.push(
      places.flatMap((place) => (place === null ? [] : [[place.longitude, place.latitude] as const])),
    )
  }
  return rings
}

/** Square metres, more or less: the outer ring without its holes. Rounded, because the last bits of a cosine differ between machines. */
function sizeOf(polygon: Polygon): number {
  const [[, south] = [0, 0]] = polygon[0] ?? []
  const [up, across] = [111_195, Math.round(111_195 * Math.cos((south * Math.PI) / 180))]
  const sizes = polygon.map((ring) => {
    const twice = ring.reduce((sum, [x, y], at) => {
      const [nextX, nextY] = ring[(at + 1) % ring.length] ?? [x, y]
      return sum + (x * nextY - nextX * y)
    }, 0)
    return (Math.abs(twice) / 2) * up * across
  })
  const [outer = 0, ...holes] = sizes
  return Math.max(0, Math.round(outer - holes.reduce((sum, size) => sum + size, 0)))
}

/** True when the boxes of the two meet. */
function isNear(one: Polygon, area: Polygon): boolean {
  const [mine, other] = [boxOf(one), boxOf(area)]
  return mine.every(([least, most], axis) => {
    const [from, to] = other[axis] ?? [0, 0]
    return least <= to && most >= from
  })
}

function boxOf(polygon: Polygon): readonly (readonly [number, number])[] {
  const corners = polygon[0] ?? []
  return [0, 1].map((axis) => {
    const values = corners.map((corner) => corner[axis] ?? 0)
    return [Math.min(...values), Math.max(...values)] as const
  })
}

function weighted<T>(choices: readonly Choice<T>[]): Weighted<T> {
  const sums: number[] = []
  for (const { weight } of choices) sums.push((sums.at(-1) ?? 0) + weight)
  return { of: choices.map(({ of }) => of), sums }
}
