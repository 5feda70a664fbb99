/** Instants of a run in the time zone of its model, and spans in words. */

export interface RunClock {
  /** `12:34:54` */
  readonly second: (ms: number) => string
  /** `12:34` */
  readonly minute: (ms: number) => string
  /** `2026-03-06T12:34` */
  readonly local: (ms: number) => string
  /** `Friday 6 March, Chicago` */
  readonly day: (ms: number) => string
  /** Hour of the day, 0 to 23. */
  readonly hour: (ms: number) => number
}

export function runClock(startMs: number, timeZone: string): RunClock {
  const written = (options: Intl.DateTimeFormatOptions): ((ms: number) => string) => {
    const format = new Intl.DateTimeFormat("en-GB", { ...options, timeZone, hourCycle: "h23" })
    return (ms) => format.format(startMs + ms)
  }
  const parts = new Intl.DateTimeFormat("en-GB", {
    weekday: "long",
    day: "numeric",
    month: "long",
    timeZone,
  })
  const second = written({ hour: "2-digit", minute: "2-digit", second: "2-digit" })
  const minute = written({ hour: "2-digit", minute: "2-digit" })
  // Writes a date as ISO 8601 does.
  const date = new Intl.DateTimeFormat("en-CA", {
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    timeZone,
  })
  const place = (timeZone.split("/").at(-1) ?? timeZone).replaceAll("_", " ")
  return {
    second,
    local: (ms) => `${date.format(startMs + ms)}T${minute(ms)}`,
    minute,
    day: (ms) => `${parts.format(startMs + ms).replace(",", "")}, ${place}`,
    hour: (ms) => Number(second(ms).slice(0, 2)),
  }
}

/** `6:43`, `1:06:43`. */
export function dwell(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  const rest = String(seconds % 60).padStart(2, "0")
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`
}

/** `25 s`, `4 min`, `1 h 34 min`. */
export function inWords(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds < 60) return `${seconds} s`
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  if (hours === 0) return `${minutes} min`
  return minutes === 0 ? `${hours} h` : `${hours} h ${minutes} min`
}
