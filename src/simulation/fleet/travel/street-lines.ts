/**
 * Lines of streets with their speeds and directions, from the GeoJSON file of a model. Two lines meet where they share a
 * position, as in exports of OpenStreetMap; lines that only cross do not meet, because one may be a bridge.
 */

import { ONEWAY_EXPECTED, directionOf, whyNoStreet } from "./street-kinds.ts"
import type { Direction, StreetNotes, Tags } from "./street-kinds.ts"

export interface StreetLine {
  /** `[longitude, latitude]`. */
  readonly positions: readonly (readonly [number, number])[]
  /** Null: as fast as the vehicle drives. */
  readonly kmh: number | null
  /** In which direction of the line vehicles may drive. */
  readonly direction: Direction
}

const KMH_MIN = 1
const KMH_MAX = 130
const KMH_PER_MILE = 1.609344

interface Feature {
  readonly id?: unknown
  readonly geometry?: { readonly type?: string; readonly coordinates?: unknown } | null
  readonly properties?: Tags | null
}

export interface StreetLines {
  readonly lines: readonly StreetLine[]
  readonly notes: StreetNotes
}

/** The streets of a file that `streetsOf` took, or what is wrong with one in a sentence. */
export function streetLinesOf(file: unknown): StreetLines | string {
  const { features } = file as { readonly features: readonly Feature[] }
  const lines: StreetLine[] = []
  const leftOut = new Map<string, number>()
  let [read, changing] = [0, 0]
  for (const [at, feature] of features.entries()) {
    const positions = positionsOf(feature)
    if (positions.length === 0) continue
    read += 1
    const tags = feature.properties ?? {}
    const why = whyNoStreet(tags)
    if (why !== null) {
      leftOut.set(why, (leftOut.get(why) ?? 0) + 1)
      continue
    }
    const kmh = speedOf(tags)
    if (typeof kmh === "string") return `${nameOf(feature, at)}: ${kmh}`
    const direction = directionOf(tags)
    if (direction === null) {
      return `${nameOf(feature, at)}: oneway is ${JSON.stringify(tags["oneway"])}, expected ${ONEWAY_EXPECTED}`
    }
    if (direction === "changing") changing += 1
    const driven = direction === "changing" ? "both" : direction
    lines.push(...positions.map((line) => ({ positions: line, kmh, direction: driven })))
  }
  return { lines, notes: { lines: read, leftOut: Object.fromEntries(leftOut), changing } }
}

/** The lines of a feature; none for one of another kind. */
function positionsOf({ geometry }: Feature): readonly StreetLine["positions"][] {
  const isLine = geometry?.type === "LineString"
  if (!isLine && geometry?.type !== "MultiLineString") return []
  const found = (
    isLine ? [geometry.coordinates] : geometry.coordinates
  ) as readonly (readonly (readonly number[])[])[]
  return found
    .filter(({ length }) => length > 1)
    .map((line) => line.map(([longitude = 0, latitude = 0]) => [longitude, latitude] as const))
}

/** `speed_kmh`, or OpenStreetMap's `maxspeed`, whose words such as `signals` say nothing. */
function speedOf(properties: Tags): number | string | null {
  const written = properties["speed_kmh"]
  if (written !== undefined && written !== null) {
    if (typeof written === "number" && written >= KMH_MIN && written <= KMH_MAX) return written
    return `speed_kmh is ${JSON.stringify(written)}, expected a number from ${KMH_MIN} to ${KMH_MAX}`
  }
  const limit = properties["maxspeed"]
  const said = typeof limit === "number" || typeof limit === "string" ? String(limit).trim() : ""
  const match = /^(\d+(?:\.\d+)?)\s*(mph)?$/.exec(said)
  if (match === null) return null
  const kmh = Number(match[1]) * (match[2] === undefined ? 1 : KMH_PER_MILE)
  return kmh >= KMH_MIN && kmh <= KMH_MAX ? kmh : null
}

/** `feature 12 ("Main Street", id way/4711)`, by its place in the file. */
function nameOf({ id, properties }: Feature, at: number): string {
  const tags = properties ?? {}
  const known = [id, tags["@id"], tags["id"]].find(
    (one) => typeof one === "string" || typeof one === "number",
  )
  const name = tags["name"]
  const about = [
    ...(typeof name === "string" ? [JSON.stringify(name)] : []),
    ...(known === undefined ? [] : [`id ${known}`]),
  ]
  return about.length === 0 ? `feature ${at + 1}` : `feature ${at + 1} (${about.join(", ")})`
}
