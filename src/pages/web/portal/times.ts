/** Times in words: clock times of a site, and distances from now. */

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** ms; differences of a request's duration are no move of the clock. */
const MOVED_MS = 2 * SECOND_MS

let aheadMs = 0
const moveListeners = new Set<(ms: number) => void>()

/** The organization's clock of the sandbox may be ahead of the browser's; times of the page are compared with it. */
export function followClock(ms: number): void {
  const next = Math.abs(ms) < MOVED_MS ? 0 : ms
  if (next === aheadMs || (next !== 0 && Math.abs(next - aheadMs) < MOVED_MS)) return
  aheadMs = next
  for (const listener of moveListeners) listener(next)
}

/** Calls the listener with each difference, the present one first. Returns what ends it. */
export function listenToMoves(listener: (ms: number) => void): () => void {
  moveListeners.add(listener)
  listener(aheadMs)
  return () => void moveListeners.delete(listener)
}

/** The present instant of the organization. */
export function presentMs(): number {
  return Date.now() + aheadMs
}

function formatted(iso: string, zone: string | null, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat("en-GB", {
    ...options,
    ...(zone === null ? {} : { timeZone: zone }),
  }).format(new Date(iso))
}

/** `12:04:12`, in the site's time zone or the reader's. */
export function clockTime(iso: string, zone: string | null = null): string {
  return formatted(iso, zone, { hour: "2-digit", minute: "2-digit", second: "2-digit" })
}

/** `12:04 CST`. */
export function zonedTime(iso: string, zone: string | null = null): string {
  return new Intl.DateTimeFormat("en-US", {
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZoneName: "short",
    ...(zone === null ? {} : { timeZone: zone }),
  }).format(new Date(iso))
}

/** A heading with the zone of the times below it: `Sent (CST)`. */
export function inZone(heading: string, zone: string | null = null): string {
  return `${heading} (${zoneName(zone)})`
}

/** `CST`: of now, since a table may have rows of both halves of a year. */
function zoneName(zone: string | null): string {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZoneName: "short",
    ...(zone === null ? {} : { timeZone: zone }),
  }).formatToParts(new Date(presentMs()))
  return parts.find(({ type }) => type === "timeZoneName")?.value ?? "UTC"
}

/** `12:04:12 CST`, in a sentence. */
export function clockTimeIn(iso: string, zone: string | null = null): string {
  return `${clockTime(iso, zone)} ${zoneName(zone)}`
}

/** `20 Nov 16:04`, of another year `20 Nov 2025 16:04`; a time of today has no date. */
export function dayTime(iso: string, zone: string | null = null, nowMs = presentMs()): string {
  const now = new Date(nowMs).toISOString()
  const time = formatted(iso, zone, { hour: "2-digit", minute: "2-digit" })
  const day = formatted(iso, zone, { day: "numeric", month: "short" })
  const [year, thisYear] = [iso, now].map((at) => formatted(at, zone, { year: "numeric" }))
  if (year !== thisYear) return `${day} ${year} ${time}`
  const today = formatted(now, zone, { day: "numeric", month: "short" })
  return day === today ? `today ${time}` : `${day} ${time}`
}

/** The start of a span: `Mon 16:00` of an hour, `Mon 23 Nov` of a day or week. */
export function bucketTime(iso: string, granularity: "day" | "hour" | "week", zone: string): string {
  if (granularity === "hour")
    return formatted(iso, zone, { weekday: "short", hour: "2-digit", minute: "2-digit" })
  return formatted(iso, zone, { weekday: "short", day: "numeric", month: "short" })
}

/** `19 s ago`, `in 4 h`. */
export function fromNow(iso: string, nowMs = presentMs()): string {
  const ms = nowMs - Date.parse(iso)
  const text = span(Math.abs(ms))
  if (Math.abs(ms) < SECOND_MS) return "now"
  return ms > 0 ? `${text} ago` : `in ${text}`
}

/** The same for what has real time also in the sandbox: keys, sessions, calls, reviews. */
export function fromRealNow(iso: string): string {
  return fromNow(iso, Date.now())
}

/** In the largest unit of which there is one when it is rounded: `4 min`, `2 h`, `3 d`. */
export function span(ms: number): string {
  const seconds = Math.round(ms / SECOND_MS)
  const minutes = Math.round(ms / MINUTE_MS)
  const hours = Math.round(ms / HOUR_MS)
  if (seconds < 60) return `${seconds} s`
  if (minutes < 60) return `${minutes} min`
  if (hours < 24) return `${hours} h`
  return `${Math.round(ms / DAY_MS)} d`
}
