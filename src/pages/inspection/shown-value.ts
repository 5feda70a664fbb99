/**
 * Formats a value of a context for people: instants in the site's local time, durations with units. The kind of a
 * number follows from its key, which ends with its unit.
 */

import type { Json } from "../../model/values/json.ts"
import { durationText } from "./durations.ts"
import { jsonText } from "./difference.ts"

/** Larger numbers are instants in milliseconds, smaller ones durations: the bound is about three years. */
const INSTANT_MS_MIN = 100_000_000_000

/** `2026-03-02 11:45:00`, `15m`, `[5s, 15s]`, `{"windowGraceMs":15m}`; everything else as JSON. */
export function shownValue(key: string, value: Json | undefined, zone: string): string {
  if (typeof value === "number" && isTimed(key)) {
    return Math.abs(value) >= INSTANT_MS_MIN ? siteTime(value, zone) : durationText(value)
  }
  if (Array.isArray(value)) return `[${value.map((item) => shownValue(key, item as Json, zone)).join(", ")}]`
  if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value).map(([name, part]) => {
      return `${JSON.stringify(name)}: ${shownValue(name, part, zone)}`
    })
    return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`
  }
  return jsonText(value)
}

/** JSON with indents, in which instants and durations are texts for people. */
export function shownJson(value: Json, zone: string): string {
  const shown = (key: string, part: Json): Json => {
    if (!isTimed(key)) return part
    if (Array.isArray(part)) return part.map((item) => shown(key, item as Json))
    return typeof part === "number" ? shownValue(key, part, zone) : part
  }
  return JSON.stringify(value, shown, 2)
}

/** `graceMs`, `assertedAtMs`, `occurred_at_ms`. */
function isTimed(key: string): boolean {
  return /(?:Ms|_ms)(?:Max|Min|Peak)?$/.test(key)
}

/** `11:58:25.050`, or `11:58:25` where the milliseconds are zero: the time of day at the site. */
export function timeOfDay(instantMs: number, zone: string): string {
  return siteTime(instantMs, zone).slice("2026-03-02 ".length)
}

/** The time of day, after its date where that is another one than at `nearMs`: `2026-03-02 11:58:25`. */
export function timeNear(instantMs: number, nearMs: number, zone: string): string {
  const isSameDay = siteDate(instantMs, zone) === siteDate(nearMs, zone)
  return isSameDay ? timeOfDay(instantMs, zone) : siteTime(instantMs, zone)
}

/** `2026-03-02` */
export function siteDate(instantMs: number, zone: string): string {
  return siteTime(Math.round(instantMs), zone).slice(0, "2026-03-02".length)
}

/** `11:58:25.000`: the time of day at the site, always with milliseconds. */
export function preciseTimeOfDay(instantMs: number, zone: string): string {
  const text = timeOfDay(Math.round(instantMs), zone)
  return text.includes(".") ? text : `${text}.000`
}

/** `2026-03-02 11:45:00`, with milliseconds if they are not zero. UTC if the machine does not know the time zone. */
export function siteTime(instantMs: number, zone: string): string {
  const parts = formatOf(zone).formatToParts(instantMs)
  const of = (type: Intl.DateTimeFormatPartTypes): string =>
    parts.find((part) => part.type === type)?.value ?? ""
  const thousandths = ((instantMs % 1000) + 1000) % 1000
  const fraction = thousandths === 0 ? "" : `.${String(thousandths).padStart(3, "0")}`
  return `${of("year")}-${of("month")}-${of("day")} ${of("hour")}:${of("minute")}:${of("second")}${fraction}`
}

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known !== undefined) return known
  const made = formatFor(zone)
  formats.set(zone, made)
  return made
}

function formatFor(zone: string): Intl.DateTimeFormat {
  const options = {
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  } as const
  try {
    return new Intl.DateTimeFormat("en-GB", { ...options, timeZone: zone })
  } catch {
    return new Intl.DateTimeFormat("en-GB", { ...options, timeZone: "UTC" })
  }
}
