/**
 * Time as the kernel and the machines know it: whole milliseconds since the Unix epoch, on whichever clock the run has.
 * One scale serves live and simulated runs (see src/DECISIONS.md §1).
 */

/** Milliseconds since the Unix epoch, on the run's clock. */
export type EpochMs = number

/** Microseconds since the Unix epoch: instant × 1000 plus a counter, strictly increasing inside a group. */
export type EpochUs = number

/** What the kernel adds to every event and start input. A late timer carries its due time here. */
export interface Stamp {
  readonly atMs: EpochMs
  /** How long after `atMs` a late timer really fires; absent when it is on time. */
  readonly lateMs?: number
}

/** An event type as a machine sees it: with the kernel's stamp. */
export type Stamped<Event> = Event & Stamp

export const SECOND_MS = 1_000
export const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000
export const DAY_MINUTES = DAY_MS / MINUTE_MS

/** `YYYY-MM-DDTHH:mm:ss.SSSZ`. Null stays null. */
export function isoMs(instant: EpochMs): string
export function isoMs(instant: EpochMs | null): string | null
export function isoMs(instant: EpochMs | null): string | null {
  return instant === null ? null : new Date(instant).toISOString()
}

/** `YYYY-MM-DDTHH:mm:ss.SSSSSSZ`: exactly six fractional digits, as event envelopes carry. */
export function isoUs(instant: EpochUs): string {
  const ms = Math.floor(instant / 1000)
  const us = instant - ms * 1000
  return `${new Date(ms).toISOString().slice(0, -1)}${String(us).padStart(3, "0")}Z`
}

/** The stamp of an event; XState wraps a start input into its own init event, whose stamp lies one level deeper. */
function stampOf(event: object): EpochMs {
  const stamped = event as { readonly atMs?: EpochMs; readonly input?: Stamp }
  return stamped.atMs ?? stamped.input?.atMs ?? Number.NaN
}

/** Milliseconds from the event to a deadline; negative when it has passed. */
export function msUntil(deadlineMs: EpochMs, event: object): number {
  return deadlineMs - stampOf(event)
}

/** Milliseconds by which a timer fires late; 0 for everything else. A lease counts from when its call really leaves. */
export function lateMs(event: object): number {
  return (event as Partial<Stamp>).lateMs ?? 0
}
