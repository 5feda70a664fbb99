/**
 * Which lines of a file are streets that a profile uses, in which directions and how fast, by the tags of OpenStreetMap. A
 * line without any of these tags, as in files that are made by hand, is a street.
 */

import { OTHER_THINGS } from "../../../pages/html/map/streets.ts"
import type { Tags } from "../../../pages/html/map/file-parts.ts"
import { LIMIT_KMH, limitOf } from "./speed-limit.ts"
import type { StreetProfile } from "./profiles.ts"
import { listOf, textOf } from "./tag-text.ts"

/** Values of the most specific access key that open a class which a profile does not use. */
const OPENED: ReadonlySet<string> = new Set(["yes", "designated", "permissive", "destination"])

/** Classes that access does not open: vehicles cannot climb the first ones, and the others are not there. */
const NEVER_OPENED: ReadonlySet<string> = new Set([
  "steps",
  "ladder",
  "via_ferrata",
  "proposed",
  "planned",
  "construction",
  "disused",
  "abandoned",
  "razed",
])
/** Of a class that access opens, in a profile without the class `service`. */
const OPENED_KMH = 5

/** Why the profile does not use the line, such as `highway=steps`; null for a street. */
export function whyNoStreet(tags: Tags, profile: StreetProfile): string | null {
  const highway = textOf(tags, "highway")
  if (highway === null) {
    const other = OTHER_THINGS.find((key) => !["", "no"].includes(textOf(tags, key) ?? ""))
    if (other !== undefined) return other
  }
  if (textOf(tags, "area") === "yes") return "area"
  const key = profile.access.findLast((one) => listOf(tags, one).length > 0)
  const access = key === undefined ? [] : listOf(tags, key)
  if (isClosing(access, profile)) return `${key}=${access.join(";")}`
  if (highway === null) return null
  const kmh = classKmhOf(tags, profile)
  const isOpened = key !== profile.access[0] && access.some((one) => OPENED.has(one))
  const isUsed =
    kmh === undefined
      ? isOpened && !NEVER_OPENED.has(highway)
      : kmh !== null && (isOpened || !isWithoutPavement(tags, profile))
  return isUsed ? null : `highway=${highway}`
}

/** True when each of the values closes. */
function isClosing(access: readonly string[], { closed }: StreetProfile): boolean {
  return access.length > 0 && access.every((one) => closed.includes(one))
}

/** Speed of its class without a limit; null for a class that is closed, undefined for one that the profile does not name. */
function classKmhOf(tags: Tags, { kmhByClass }: StreetProfile): number | null | undefined {
  const [highway, service] = [textOf(tags, "highway") ?? "", textOf(tags, "service") ?? ""]
  const name = [`${highway}/${service}`, highway].find((one) => Object.hasOwn(kmhByClass, one))
  return name === undefined ? undefined : kmhByClass[name]
}

const PAVEMENTS = ["sidewalk", "sidewalk:both", "sidewalk:left", "sidewalk:right"] as const
const NO_PAVEMENT: ReadonlySet<string> = new Set(["no", "none", "separate"])

function isWithoutPavement(tags: Tags, { onPavement }: StreetProfile): boolean {
  if (!onPavement.includes(textOf(tags, "highway") ?? "")) return false
  return PAVEMENTS.every((key) => NO_PAVEMENT.has(textOf(tags, key) ?? "no"))
}

/** Km/h by direction; null: as fast as the vehicle drives. */
export interface StreetSpeeds {
  readonly forward: number | null
  readonly backward: number | null
}

/**
 * Of a street that the profile uses: `speed_kmh`, else the limit, else the speed of the class; not faster than the surface
 * allows. A class that access opens is as fast as `service`. A sentence for a wrong `speed_kmh`.
 */
export function speedsOf(tags: Tags, profile: StreetProfile): StreetSpeeds | string {
  const written = tags["speed_kmh"]
  if (written !== undefined && written !== null) {
    const { min, max } = LIMIT_KMH
    if (typeof written === "number" && written >= min && written <= max)
      return { forward: written, backward: written }
    return `speed_kmh is ${JSON.stringify(written)}, expected a number from ${min} to ${max}`
  }
  const opened = textOf(tags, "highway") === null ? null : (profile.kmhByClass["service"] ?? OPENED_KMH)
  const usual = classKmhOf(tags, profile) ?? opened
  const surface = textOf(tags, "surface") ?? ""
  const onSurface = Object.hasOwn(profile.kmhBySurface, surface)
    ? (profile.kmhBySurface[surface] ?? null)
    : null
  const speed = (direction: "backward" | "forward"): number | null =>
    lower((profile.isDriving ? limitOf(tags, direction) : null) ?? usual, onSurface)
  return { forward: speed("forward"), backward: speed("backward") }
}

function lower(one: number | null, other: number | null): number | null {
  return one === null ? other : other === null ? one : Math.min(one, other)
}

export type Direction = "backward" | "both" | "forward"

/** Every spelling of `oneway`. The direction of `reversible` and `alternating` streets changes with the time. */
const DIRECTION_BY_ONEWAY: ReadonlyMap<string, Direction | "changing"> = new Map([
  ["yes", "forward"],
  ["true", "forward"],
  ["1", "forward"],
  ["-1", "backward"],
  ["reverse", "backward"],
  ["no", "both"],
  ["false", "both"],
  ["0", "both"],
  ["reversible", "changing"],
  ["alternating", "changing"],
])

/** Roundabouts and motorways are one-way without the tag. Source: OpenStreetMap wiki, "Key:oneway", implied. */
export function directionOf(tags: Tags, { oneway: keys }: StreetProfile): Direction | "changing" | "unknown" {
  const key = keys.findLast((one) => textOf(tags, one) !== null)
  if (key !== undefined) return DIRECTION_BY_ONEWAY.get(textOf(tags, key) ?? "") ?? "unknown"
  if (keys.length === 0) return "both"
  const isRound = ["roundabout", "circular"].includes(textOf(tags, "junction") ?? "")
  const isMotorway = ["motorway", "motorway_link"].includes(textOf(tags, "highway") ?? "")
  return isRound || isMotorway ? "forward" : "both"
}

/** True for a point that no one of the profile passes. */
export function isClosedPoint(tags: Tags, profile: StreetProfile): boolean {
  const barrier = textOf(tags, "barrier")
  const said = profile.access.map((key) => listOf(tags, key)).findLast((one) => one.length > 0)
  // Access of a point without a barrier, such as a crossing, is about the crossing.
  if (barrier === null) return false
  return said === undefined ? profile.barriers.includes(barrier) : isClosing(said, profile)
}
