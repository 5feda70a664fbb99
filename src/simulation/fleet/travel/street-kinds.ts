/**
 * Which lines of a file are streets that a profile uses, in which directions and how fast, by the tags of OpenStreetMap. A
 * line without any of these tags, as in files that are made by hand, is a street.
 */

import { OTHER_THINGS } from "../../../pages/html/map/streets.ts"
import type { Tags } from "../../../pages/html/map/file-parts.ts"
import { LIMIT_KMH, limitOf } from "./speed-limit.ts"
import type { StreetProfile } from "./profiles.ts"
import { textOf } from "./tag-text.ts"

/** Values of the most specific access key that open a class which a profile does not use. */
const OPENED: ReadonlySet<string> = new Set(["yes", "designated", "permissive", "destination"])

/** Why the profile does not use the line, such as `highway=steps`; null for a street. */
export function whyNoStreet(tags: Tags, profile: StreetProfile): string | null {
  const highway = textOf(tags, "highway")
  if (highway === null) {
    const other = OTHER_THINGS.find((key) => !["", "no"].includes(textOf(tags, key) ?? ""))
    if (other !== undefined) return other
  }
  if (textOf(tags, "area") === "yes") return "area"
  const key = profile.access.findLast((one) => textOf(tags, one) !== null)
  const access = key === undefined ? null : textOf(tags, key)
  if (access !== null && profile.closed.includes(access)) return `${key}=${access}`
  if (highway === null) return null
  const isOpened = access !== null && key !== profile.access[0] && OPENED.has(access)
  return isOpened || (classKmhOf(tags, profile) !== null && !isWithoutPavement(tags, profile))
    ? null
    : `highway=${highway}`
}

/** Speed of its class without a limit; null for a class that is not used. */
function classKmhOf(tags: Tags, { kmhByClass }: StreetProfile): number | null {
  const [highway, service] = [textOf(tags, "highway") ?? "", textOf(tags, "service") ?? ""]
  const name = [`${highway}/${service}`, highway].find((one) => Object.hasOwn(kmhByClass, one))
  return name === undefined ? null : (kmhByClass[name] ?? null)
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

/** `speed_kmh`, else the limit, else the speed of the class; not faster than the surface allows. A sentence for a wrong `speed_kmh`. */
export function speedsOf(tags: Tags, profile: StreetProfile): StreetSpeeds | string {
  const written = tags["speed_kmh"]
  if (written !== undefined && written !== null) {
    const { min, max } = LIMIT_KMH
    if (typeof written === "number" && written >= min && written <= max)
      return { forward: written, backward: written }
    return `speed_kmh is ${JSON.stringify(written)}, expected a number from ${min} to ${max}`
  }
  const usual = classKmhOf(tags, profile)
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
export function isClosedPoint(tags: Tags, { access, closed, barriers }: StreetProfile): boolean {
  const barrier = textOf(tags, "barrier")
  const said = access.map((key) => textOf(tags, key)).findLast((one) => one !== null) ?? null
  // Access of a point without a barrier, such as a crossing, is about the crossing.
  if (barrier === null) return false
  return said === null ? barriers.includes(barrier) : closed.includes(said)
}
