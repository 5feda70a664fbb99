/** The state that a receiver shows: a JSON object from each reservation's id, or delivery's external id, to what it believes of it. */

import type { AppliedEvent } from "./requests.ts"

/** What a receiver did wrong. */
export interface Failure {
  /** The same for two failures of one cause. */
  readonly kind: string
  readonly wanted: string
  readonly found: string
}

/** What a receiver believes of a subject. */
interface Belief {
  readonly status: string | null
  /** Events that it has applied; null if it does not say. */
  readonly applied: number | null
}

/** The state is no such object; the message says why. */
export class StateUnreadable extends Error {}

/** The first thing that is wrong after these events, in the order in which they were sent; null if nothing is. */
export function brokenState(
  read: unknown,
  events: readonly AppliedEvent[],
  subjects: Iterable<string>,
): Failure | null {
  if (typeof read !== "object" || read === null || Array.isArray(read))
    throw new StateUnreadable('the state must be a JSON object such as { "res_…": "confirmed" }')
  for (const subject of subjects) {
    const belief = beliefOf((read as Readonly<Record<string, unknown>>)[subject], subject)
    const about = events.filter((event) => event.subject === subject)
    const newest = about
      .filter(({ status }) => status !== null)
      .toSorted(byPlace)
      .at(-1)
    const status = newest?.status ?? null
    if (belief.status !== status)
      return {
        kind: "state: status",
        wanted: `${subject} is ${shown(status)}, as the newest event says`,
        found: `the state says ${shown(belief.status)}`,
      }
    const distinct = new Set(about.map(({ eventId }) => eventId)).size
    if (belief.applied !== null && belief.applied > distinct)
      return {
        kind: "state: applied",
        wanted: `${subject} has at most ${distinct} applied events, because the others are repeats`,
        found: `the state says ${belief.applied}`,
      }
  }
  return null
}

function byPlace(one: AppliedEvent, other: AppliedEvent): number {
  return one.place < other.place ? -1 : one.place > other.place ? 1 : 0
}

function shown(status: string | null): string {
  return status ?? "unknown to it"
}

function beliefOf(value: unknown, subject: string): Belief {
  if (value === undefined || value === null) return { status: null, applied: null }
  if (typeof value === "string") return { status: value, applied: null }
  const { status, applied = null } = value as { readonly status?: unknown; readonly applied?: unknown }
  const isCount = applied === null || typeof applied === "number"
  if (typeof status !== "string" || !isCount)
    throw new StateUnreadable(
      `the state of ${subject} must be a status, or { "status": …, "applied": number of events }`,
    )
  return { status, applied }
}
