/**
 * Lines of streets with their speeds and directions, from the GeoJSON file of a model. Two lines meet where they share a
 * position, as in exports of OpenStreetMap; lines that only cross do not meet, because one may be a bridge.
 */

export interface StreetLine {
  /** `[longitude, latitude]`. */
  readonly positions: readonly (readonly [number, number])[]
  /** Null: as fast as the vehicle drives. */
  readonly kmh: number | null
  /** In which direction of the line vehicles may drive. */
  readonly direction: "backward" | "both" | "forward"
}

const KMH_MIN = 1
const KMH_MAX = 130
const KMH_PER_MILE = 1.609344

interface Feature {
  readonly geometry?: { readonly type?: string; readonly coordinates?: unknown } | null
  readonly properties?: Readonly<Record<string, unknown>> | null
}

/** The lines of a file that `streetsOf` took, or what is wrong with one in a sentence. */
export function streetLinesOf(file: unknown): readonly StreetLine[] | string {
  const { features } = file as { readonly features: readonly Feature[] }
  const lines: StreetLine[] = []
  for (const { geometry, properties } of features) {
    if (geometry?.type !== "LineString" && geometry?.type !== "MultiLineString") continue
    const kmh = speedOf(properties ?? {})
    if (typeof kmh === "string") return kmh
    const direction = directionOf(properties ?? {})
    if (direction === null) return `oneway of ${nameOf(properties ?? {})} is none of true, false and -1`
    const found = (
      geometry.type === "LineString" ? [geometry.coordinates] : geometry.coordinates
    ) as readonly (readonly (readonly number[])[])[]
    for (const line of found) {
      const positions = line.map(([longitude = 0, latitude = 0]) => [longitude, latitude] as const)
      if (positions.length > 1) lines.push({ positions, kmh, direction })
    }
  }
  return lines
}

/** `speed_kmh`, or OpenStreetMap's `maxspeed`, whose words such as `signals` say nothing. */
function speedOf(properties: Readonly<Record<string, unknown>>): number | string | null {
  const written = properties["speed_kmh"]
  if (written !== undefined && written !== null) {
    if (typeof written === "number" && written >= KMH_MIN && written <= KMH_MAX) return written
    return `speed_kmh of ${nameOf(properties)} is no number from ${KMH_MIN} to ${KMH_MAX}`
  }
  const limit = properties["maxspeed"]
  const said = typeof limit === "number" || typeof limit === "string" ? String(limit).trim() : ""
  const match = /^(\d+(?:\.\d+)?)\s*(mph)?$/.exec(said)
  if (match === null) return null
  const kmh = Number(match[1]) * (match[2] === undefined ? 1 : KMH_PER_MILE)
  return kmh >= KMH_MIN && kmh <= KMH_MAX ? kmh : null
}

function directionOf({ oneway }: Readonly<Record<string, unknown>>): StreetLine["direction"] | null {
  switch (oneway) {
    case undefined:
    case null:
    case false:
    case "no":
    case 0:
    case "0":
    case "false":
      return "both"
    case true:
    case "yes":
    case 1:
    case "1":
    case "true":
      return "forward"
    case -1:
    case "-1":
    case "reverse":
      return "backward"
    default:
      return null
  }
}

function nameOf({ name }: Readonly<Record<string, unknown>>): string {
  return typeof name === "string" ? JSON.stringify(name) : "a street without a name"
}
