/** Speed limits as OpenStreetMap writes them. Source: its wiki, "Key:maxspeed" and "Speed limits". */

import { textOf } from "./tag-text.ts"
import type { Tags } from "../../../pages/html/map/file-parts.ts"

/** Slower and faster limits say nothing about a street. */
export const LIMIT_KMH = { min: 1, max: 130 } as const
const KMH_PER_MILE = 1.609344
/** Countries whose zones of a number, such as `GB:zone:20`, are in miles per hour. */
const IN_MILES: ReadonlySet<string> = new Set(["gb", "us"])
const KMH_PER_KNOT = 1.852
const WALK_KMH = 6

/** Of zones by country, such as `RU:urban`; the row of "" holds for all others. Km/h; null: no limit. */
const ZONES: Readonly<Record<string, Readonly<Record<string, number | null>>>> = {
  "": {
    living_street: 10,
    urban: 50,
    rural: 90,
    trunk: 110,
    motorway: 120,
    walk: WALK_KMH,
    bicycle_road: 30,
  },
  AT: { rural: 100, trunk: 100, motorway: 130 },
  BE: { living_street: 20, "bxl:urban": 30, "vlg:rural": 70 },
  BY: { living_street: 20, urban: 60, motorway: 110 },
  CH: { rural: 80, trunk: 100 },
  CZ: { trunk: 110, motorway: 130 },
  DE: { living_street: 7, rural: 100, motorway: null },
  DK: { rural: 80, motorway: 130 },
  ES: { living_street: 20 },
  FI: { rural: 80, motorway: 120 },
  FR: { living_street: 20, rural: 80, motorway: 130 },
  GB: { nsl_restricted: 48, nsl_single: 97, nsl_dual: 113, motorway: 113, urban: 48, rural: 97 },
  HU: { trunk: 110, motorway: 130 },
  IT: { motorway: 130 },
  JP: { urban: 60, rural: 60, nsl: 60, express: 100 },
  NL: { living_street: 15, rural: 80, trunk: 100 },
  NO: { rural: 80, motorway: 110 },
  PL: { living_street: 20, motorway: 130 },
  RO: { motorway: 130 },
  RU: { living_street: 20, urban: 60, motorway: 110 },
  SE: { rural: 70, motorway: 110 },
  UA: { living_street: 20, motorway: 130 },
  US: { urban: 40, rural: 88 },
}

/** Km/h in one direction; null when the line says nothing that is understood. */
export function limitOf(tags: Tags, direction: "backward" | "forward"): number | null {
  for (const key of [
    `maxspeed:${direction}`,
    "maxspeed",
    "zone:maxspeed",
    "maxspeed:type",
    "source:maxspeed",
  ]) {
    const text = textOf(tags, key)
    const kmh = text === null ? null : kmhOf(text)
    if (kmh !== null) return kmh >= LIMIT_KMH.min && kmh <= LIMIT_KMH.max ? kmh : null
  }
  return null
}

/** The lowest of several, which hold for parts of the way. */
function kmhOf(text: string): number | null {
  const all = text.split(";").map((part) => oneKmhOf(part.trim()))
  return all.reduce((least, kmh) => (least === null || (kmh !== null && kmh < least) ? kmh : least), null)
}

function oneKmhOf(text: string): number | null {
  const number = /^(\d+(?:\.\d+)?)\s*(km\/h|kmh|kph|mph|knots)?$/.exec(text)
  if (number !== null) {
    const factor = number[2] === "mph" ? KMH_PER_MILE : number[2] === "knots" ? KMH_PER_KNOT : 1
    return Number(number[1]) * factor
  }
  if (text === "walk") return WALK_KMH
  if (text === "none") return LIMIT_KMH.max
  const [, country = "", zone = ""] = /^([a-z]{2})(?:-[a-z0-9]+)?:(.+)$/.exec(text) ?? []
  if (zone === "") return null
  const numbered = /^(?:zone:?)?(\d+)$/.exec(zone)
  if (numbered !== null) return Number(numbered[1]) * (IN_MILES.has(country) ? KMH_PER_MILE : 1)
  const own = ZONES[country.toUpperCase()] ?? {}
  const limit = Object.hasOwn(own, zone) ? own[zone] : ZONES[""]?.[zone]
  return limit === undefined ? null : (limit ?? LIMIT_KMH.max)
}
