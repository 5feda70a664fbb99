/**
 * Which lines of a GeoJSON file are streets that vehicles may drive, by the tags of OpenStreetMap. A line without any of
 * these tags, as in files that are made by hand, is a street.
 */

import { listed } from "../../../model/values/listed.ts"
import { counted } from "../../scenario/language/counted.ts"

/** Values of `highway` for streets of cars. Others, such as `steps` and `footway`, are no streets. */
const DRIVEN_HIGHWAYS: ReadonlySet<string> = new Set(
  ["motorway", "trunk", "primary", "secondary", "tertiary"]
    .flatMap((kind) => [kind, `${kind}_link`])
    .concat("unclassified", "residential", "living_street", "service", "road"),
)

/** Tags of other things. A line that also has a driven `highway`, such as a street with tram rails, is a street. */
const OTHER_THINGS = [
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

/** Of these the first that a line has decides, because it is the most specific one. */
const ACCESS_KEYS = ["motorcar", "motor_vehicle", "vehicle", "access"] as const
const CLOSED: ReadonlySet<string> = new Set([
  "no",
  "private",
  "agricultural",
  "forestry",
  "emergency",
  "military",
])

export type Tags = Readonly<Record<string, unknown>>

/** Why vehicles do not drive along the line, such as `highway=steps`; null for a street. */
export function whyNoStreet(tags: Tags): string | null {
  const highway = textOf(tags, "highway")
  if (highway === null) {
    const other = OTHER_THINGS.find((key) => !["", "no"].includes(textOf(tags, key) ?? ""))
    if (other !== undefined) return other
  } else if (!DRIVEN_HIGHWAYS.has(highway)) return `highway=${highway}`
  const key = ACCESS_KEYS.find((one) => textOf(tags, one) !== null)
  const access = key === undefined ? null : textOf(tags, key)
  return access !== null && CLOSED.has(access) ? `${key}=${access}` : null
}

export type Direction = "backward" | "both" | "forward"

/** Every spelling of `oneway`. The direction of `reversible` and `alternating` streets changes with the time. */
const DIRECTION_BY_ONEWAY: Readonly<Record<string, Direction | "changing">> = {
  yes: "forward",
  true: "forward",
  "1": "forward",
  "-1": "backward",
  reverse: "backward",
  no: "both",
  false: "both",
  "0": "both",
  reversible: "changing",
  alternating: "changing",
}

export const ONEWAY_EXPECTED = "yes, true or 1; -1 or reverse; no, false or 0; reversible or alternating"

/** Null for a value that is none. */
export function directionOf(tags: Tags): Direction | "changing" | null {
  const oneway = textOf(tags, "oneway")
  if (oneway === null) return "both"
  return Object.hasOwn(DIRECTION_BY_ONEWAY, oneway) ? (DIRECTION_BY_ONEWAY[oneway] ?? null) : null
}

/** Letters of one case without blanks around them; null for a tag that is not there. */
function textOf(tags: Tags, key: string): string | null {
  const value = tags[key]
  if (value === undefined || value === null) return null
  return (typeof value === "string" ? value : (JSON.stringify(value) ?? "")).trim().toLowerCase()
}

/** What a reading of streets did not take as written. */
export interface StreetNotes {
  readonly lines: number
  /** Lines that are no streets, by reason. */
  readonly leftOut: Readonly<Record<string, number>>
  /** Streets whose direction changes with the time. */
  readonly changing: number
}

const REASONS_NAMED_MAX = 6

/** Sentences about lines that are not driven as the file may mean it. */
export function streetNoteTexts(file: string, { lines, leftOut, changing }: StreetNotes): readonly string[] {
  const reasons = Object.entries(leftOut).toSorted(
    ([one, many], [other, more]) => more - many || (one < other ? -1 : 1),
  )
  const left = reasons.reduce((sum, [, count]) => sum + count, 0)
  const named = reasons.slice(0, REASONS_NAMED_MAX).map(([reason, count]) => `${count} ${reason}`)
  const rest = reasons.slice(REASONS_NAMED_MAX).reduce((sum, [, count]) => sum + count, 0)
  const parts = [...named, ...(rest === 0 ? [] : [`${rest} for other reasons`])]
  return [
    ...(left === 0
      ? []
      : [
          `${file}: ${left} of ${counted(lines, "line")} ${left === 1 ? "is no street" : "are no streets"} for vehicles and ${left === 1 ? "is" : "are"} left out: ${listed(parts)}.`,
        ]),
    ...(changing === 0
      ? []
      : [
          `${file}: ${counted(changing, "street")} with oneway=reversible or oneway=alternating ${changing === 1 ? "is" : "are"} driven in both directions.`,
        ]),
  ]
}
