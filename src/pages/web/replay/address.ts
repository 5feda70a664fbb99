/** What the page shows, as its address: the instant, the actor and the site, and the two days. A copied address opens the same moment. */

import type { WrittenChange } from "../../../model/replay/change-text.ts"

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

/** A change of the day from an instant on, whole minutes of the clock. */
export interface MadeChange extends WrittenChange {
  /** From the start of the run. */
  readonly atMs: number
}

/** The days that the page shows, and what is changed in the second one. */
export interface WrittenDays {
  /** Null: the day as it is written. */
  readonly mode: string | null
  /** Numbers of the model by their labels, as they are written: `Runners at north` and `3`. */
  readonly numbers: readonly WrittenChange[]
  readonly changes: readonly MadeChange[]
}

/** Fields that are not written as they should be are in `unread`. */
export function readDays(fragment: string): WrittenDays & { readonly unread: readonly string[] } {
  const fields = new URLSearchParams(fragment.replace(/^#/, ""))
  const unread: string[] = []
  const numbers = fields.getAll("set").flatMap((text) => {
    const [, name, value] = /^(.+),([^,]+)$/.exec(text) ?? []
    if (name !== undefined && value !== undefined) return [{ name, value }]
    unread.push(text)
    return []
  })
  const changes = fields.getAll("from").flatMap((text) => {
    const [, at = "", name, value] = /^([^,]+),(.+),([^,]+)$/.exec(text) ?? []
    const atMs = readSpan(at)
    if (atMs !== null && name !== undefined && value !== undefined) return [{ atMs, name, value }]
    unread.push(text)
    return []
  })
  return { mode: fields.get("mode"), numbers, changes, unread }
}

/** The fragment with these days in place of those that it has. */
export function withDays(fragment: string, { mode, numbers, changes }: WrittenDays): string {
  return withFields(fragment, {
    mode: mode === null ? [] : [mode],
    set: numbers.map(({ name, value }) => `${name},${value}`),
    from: changes.map(({ atMs, name, value }) => `${writtenSpan(atMs)},${name},${value}`),
  })
}

/** The fragment with the moment in place of the one that it has. */
export function withMoment(fragment: string, { ms, pick, site }: Moment): string {
  return withFields(fragment, {
    t: ms === null ? [] : [writtenSpan(ms)],
    pick: pick === null ? [] : [pick],
    site: site === null ? [] : [site],
  })
}

/** With these values of each field; other fields stay. */
function withFields(fragment: string, values: { readonly [field: string]: readonly string[] }): string {
  const fields = new URLSearchParams(fragment.replace(/^#/, ""))
  for (const [name, all] of Object.entries(values)) {
    const [first, ...more] = all
    if (first === undefined) fields.delete(name)
    else fields.set(name, first)
    for (const one of more) fields.append(name, one)
  }
  // Names and times are read more easily so, and mean the same.
  return `#${fields.toString().replaceAll("%3A", ":").replaceAll("%2F", "/").replaceAll("%2C", ",")}`
}
