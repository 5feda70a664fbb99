/**
 * How states of people and vehicles look in the chart of what everybody did: a colour, and a pattern beside it; and what a runner's
 * state means, in the words of the machines of the world.
 */

import type { Machine } from "../../../engine/kernel/step.ts"
import { runnerRound } from "../world/machines/runner-round.ts"
import { runnerShift } from "../world/machines/runner-shift.ts"

export interface StateLook {
  /** A design token. */
  readonly color: string
  /** Work is a full bar; `thin` is rest; the others tell two states of one colour apart. */
  readonly pattern: "full" | "striped" | "thin"
}

const LOOKS: Readonly<Record<string, StateLook>> = {
  // Runners.
  walking: { color: "series-1", pattern: "full" },
  "walking back": { color: "series-1", pattern: "striped" },
  "at the counter": { color: "series-2", pattern: "full" },
  "waiting for the order": { color: "series-2", pattern: "striped" },
  "at the stall": { color: "series-4", pattern: "striped" },
  loading: { color: "series-3", pattern: "full" },
  // Vehicles.
  "to the store": { color: "series-1", pattern: "full" },
  back: { color: "series-1", pattern: "striped" },
  "at the store": { color: "series-2", pattern: "striped" },
  "to the customer": { color: "series-4", pattern: "full" },
  "at the customer": { color: "series-4", pattern: "striped" },
  charging: { color: "k-bot", pattern: "thin" },
  "broken down": { color: "bad", pattern: "full" },
  // Everybody.
  idle: { color: "edge", pattern: "thin" },
  "off duty": { color: "line", pattern: "thin" },
  "on a break": { color: "edge", pattern: "striped" },
}

const OTHER: StateLook = { color: "series-3", pattern: "striped" }

export function lookOf(state: string): StateLook {
  return LOOKS[state] ?? OTHER
}

/** The machine's state behind each state of a runner. */
const RUNNER_STATES: Readonly<Record<string, readonly [machine: Machine, state: string]>> = {
  idle: [runnerShift, "idle"],
  "off duty": [runnerShift, "off_duty"],
  "on a break": [runnerShift, "on_break"],
  "waiting for the order": [runnerRound, "waiting_for_order"],
  "at the counter": [runnerRound, "at_counter"],
  "at the stall": [runnerRound, "at_stall"],
  loading: [runnerRound, "loading"],
}

/** Why a runner is in this state; null for a state that says it. */
export function meaningOf(who: string, state: string): string | null {
  const found = who.includes("/runner-") ? RUNNER_STATES[state] : undefined
  if (found === undefined) return null
  const [machine, path] = found
  return machine.root.states[path]?.description ?? null
}
