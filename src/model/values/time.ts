/**
 * Time as the kernel and the machines use it: whole milliseconds since the Unix epoch, on the clock of the run. Live
 * and simulated runs use the same scale (see src/DECISIONS.md §1).
 */

/** Milliseconds since the Unix epoch, on the run's clock. */
export type EpochMs = number

/** Microseconds since the Unix epoch: instant × 1000 plus a counter, strictly increasing inside a group. */
export type EpochUs = number

/** The fields that the kernel adds to every event and start input. For a late timer, `atMs` is its due time. */
export interface Stamp {
  readonly atMs: EpochMs
  /** How many milliseconds after `atMs` a late timer really fires; absent when it is on time. */
  readonly lateMs?: number
}

/** An event as a machine receives it: with the kernel's stamp. */
export type Stamped<Event> = Event & Stamp

export const SECOND_MS = 1_000
export const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000
export const DAY_MINUTES = DAY_MS / MINUTE_MS
export const HOUR_MINUTES = HOUR_MS / MINUTE_MS

/** `YYYY-MM-DDTHH:mm:ss.SSSZ`. Null stays null. */
export function isoMs(instant: EpochMs): string
export function isoMs(instant: EpochMs | null): string | null
export function isoMs(instant: EpochMs | null): string | null {
  return instant === null ? null : new Date(instant).toISOString()
}

/** `YYYY-MM-DDTHH:mm:ss.SSSSSSZ`: exactly six fractional digits, as in event envelopes. */
export function isoUs(instant: EpochUs): string {
  const ms = Math.floor(instant / 1000)
  const us = instant - ms * 1000
  return `${new Date(ms).toISOString().slice(0, -1)}${String(us).padStart(3, "0")}Z`
}

/** The stamp of an event. XState wraps a start input into its own init event, whose stamp lies one level deeper. */
function stampOf(event: object): EpochMs {
  const stamped = event as { readonly atMs?: EpochMs; readonly input?: Stamp }
  return stamped.atMs ?? stamped.input?.atMs ?? Number.NaN
}

/** Milliseconds from the event to a deadline; negative when it has passed. */
export function msUntil(deadlineMs: EpochMs, event: object): number {
  return deadlineMs - stampOf(event)
}

/** Milliseconds by which a timer fires late; 0 for all other events. A lease begins when its call is really sent. */
export function lateMs(event: object): number {
  return (event as Partial<Stamp>).lateMs ?? 0
}
