/** How visits ended, counted per course of events and end states: what two contestants must have in common. */

import type { JsonObject } from "../../src/model/values/json.ts"

export type Outcomes = ReadonlyMap<string, number>

/** Counts one visit by its actors' states, in the order of their starts. */
export function noteOutcome(
  outcomes: Map<string, number>,
  course: string,
  states: Iterable<readonly [part: string, value: JsonObject | string]>,
): void {
  const ends = [...states].map(([part, value]) => `${part}: ${dotted(value)}`)
  const key = `${course} → ${ends.join(", ")}`
  outcomes.set(key, (outcomes.get(key) ?? 0) + 1)
}

/** One line per outcome, sorted. */
export function outcomeLines(outcomes: Outcomes): readonly string[] {
  return [...outcomes].map(([key, count]) => `${key} × ${count}`).toSorted()
}

/** Visits that ended with the reservation in that state. */
export function countEnded(outcomes: Outcomes, state: string): number {
  let count = 0
  for (const [key, some] of outcomes) if (key.includes(` → reservation: ${state},`)) count += some
  return count
}

/** `{open: "queued"}` → `open.queued`. */
function dotted(value: JsonObject | string): string {
  if (typeof value === "string") return value
  const [parent, child] = Object.entries(value)[0] ?? ["", ""]
  return `${parent}.${dotted(child as JsonObject | string)}`
}
