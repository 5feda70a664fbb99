/** What the page shows, as its address: the instant, the actor and the site. A copied address opens the same moment. */

interface Moment {
  /** Whole ms since the start of the run. */
  readonly ms: number | null
  /** An actor's name. */
  readonly pick: string | null
  /** A site's name. */
  readonly site: string | null
}

/** `1:34:54` after the start, with a fraction where there is one. */
export function writtenSpan(ms: number): string {
  const whole = Math.max(0, Math.floor(ms))
  const [hours, minutes, seconds] = [whole / 3_600_000, (whole / 60_000) % 60, (whole / 1000) % 60].map(
    Math.floor,
  )
  const rest = whole % 1000
  const fraction = rest === 0 ? "" : `.${String(rest).padStart(3, "0")}`
  return `${hours}:${two(minutes)}:${two(seconds)}${fraction}`
}

function two(value: number | undefined): string {
  return String(value ?? 0).padStart(2, "0")
}

/** Null for a text that is no span. */
export function readSpan(text: string): number | null {
  const found = /^(\d{1,4}):([0-5]\d):([0-5]\d)(?:\.(\d{3}))?$/.exec(text)
  if (found === null) return null
  const [, hours, minutes, seconds, rest = "0"] = found
  return Number(hours) * 3_600_000 + Number(minutes) * 60_000 + Number(seconds) * 1000 + Number(rest)
}

/** From the fragment of an address; fields that belong to others are left alone. */
export function readMoment(fragment: string): Moment {
  const fields = new URLSearchParams(fragment.replace(/^#/, ""))
  const t = fields.get("t")
  return { ms: t === null ? null : readSpan(t), pick: fields.get("pick"), site: fields.get("site") }
}

/** The fragment with the moment in place of the one that it has. */
export function withMoment(fragment: string, { ms, pick, site }: Moment): string {
  const fields = new URLSearchParams(fragment.replace(/^#/, ""))
  for (const [name, value] of [
    ["t", ms === null ? null : writtenSpan(ms)],
    ["pick", pick],
    ["site", site],
  ] as const) {
    if (value === null) fields.delete(name)
    else fields.set(name, value)
  }
  // A name of an actor and a time are read more easily so, and mean the same.
  return `#${fields.toString().replaceAll("%3A", ":").replaceAll("%2F", "/")}`
}
