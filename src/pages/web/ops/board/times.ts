/** Times on a site's clock. */

/** `12:01`. */
export function clockTime(instant: number | string, zone: string | null): string {
  return formatted(instant, zone, { hour: "2-digit", minute: "2-digit" })
}

/** `12:01:48`. */
export function clockSeconds(instant: number | string, zone: string | null): string {
  return formatted(instant, zone, { hour: "2-digit", minute: "2-digit", second: "2-digit" })
}

/**
 * `12:01` of today; of the days around it `Mon 12:01`, else `2 Mar 12:01`. The zone's name follows where it is not the present
 * one: in the night of a change of the clocks an hour comes twice.
 */
export function dayClock(instant: number | string, zone: string | null, nowMs: number): string {
  return withDay(clockTime(instant, zone), instant, zone, nowMs)
}

/** The same with seconds: `Mon 12:01:48`. */
export function daySeconds(instant: number | string, zone: string | null, nowMs: number): string {
  return withDay(clockSeconds(instant, zone), instant, zone, nowMs)
}

function withDay(time: string, instant: number | string, zone: string | null, nowMs: number): string {
  const [name, nameNow] = [zoneName(instant, zone), zoneName(nowMs, zone)]
  const inZone = name === nameNow ? time : `${time} ${name}`
  const numbered = { day: "numeric", month: "short" } as const
  const [day, today] = [formatted(instant, zone, numbered), formatted(nowMs, zone, numbered)]
  const distanceMs = Math.abs(new Date(instant).getTime() - nowMs)
  if (day === today && distanceMs < 2 * DAY_MS) return inZone
  return `${distanceMs < 6 * DAY_MS ? formatted(instant, zone, { weekday: "short" }) : day} ${inZone}`
}

/** `Monday 2 March`. */
export function dayOf(instant: number | string, zone: string | null): string {
  return new Intl.DateTimeFormat("en-GB", {
    weekday: "long",
    day: "numeric",
    month: "long",
    ...zoned(zone),
  }).format(new Date(instant))
}

/** `CST`. */
export function zoneName(instant: number | string, zone: string | null): string {
  const parts = new Intl.DateTimeFormat("en-US", { timeZoneName: "short", ...zoned(zone) }).formatToParts(
    new Date(instant),
  )
  return parts.find(({ type }) => type === "timeZoneName")?.value ?? "UTC"
}

function formatted(
  instant: number | string,
  zone: string | null,
  options: Intl.DateTimeFormatOptions,
): string {
  return new Intl.DateTimeFormat("en-GB", { ...options, hourCycle: "h23", ...zoned(zone) }).format(
    new Date(instant),
  )
}

function zoned(zone: string | null): Intl.DateTimeFormatOptions {
  return zone === null ? {} : { timeZone: zone }
}

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** `3 s`, `2 min`, `1 h 5 min`: how long ago, or how long still. */
export function lengthOf(ms: number): string {
  const size = Math.max(0, Math.abs(ms))
  if (size < MINUTE_MS) return `${Math.floor(size / SECOND_MS)} s`
  if (size < HOUR_MS) return `${Math.floor(size / MINUTE_MS)} min`
  const minutes = Math.floor((size % HOUR_MS) / MINUTE_MS)
  return `${Math.floor(size / HOUR_MS)} h${minutes === 0 ? "" : ` ${minutes} min`}`
}

/** `3 min 23 s`: exact to the second for less than ten minutes. */
export function exactLength(ms: number): string {
  const size = Math.abs(ms)
  const minutes = Math.floor(size / MINUTE_MS)
  if (minutes === 0 || minutes >= 10) return lengthOf(ms)
  return `${minutes} min ${Math.floor((size % MINUTE_MS) / SECOND_MS)} s`
}
