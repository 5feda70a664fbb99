/**
 * How states of people and vehicles look in the chart of what everybody did: a colour, and a pattern beside it; and what a runner's
 * state means, in the words of the machines of the world.
 */

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
  "to store": { color: "series-1", pattern: "full" },
  carrying: { color: "series-4", pattern: "full" },
  "to bot": { color: "series-1", pattern: "full" },
  "walking back": { color: "series-1", pattern: "striped" },
  "at counter": { color: "series-2", pattern: "full" },
  "waiting for order": { color: "series-2", pattern: "striped" },
  "at stall": { color: "series-4", pattern: "striped" },
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
  "on break": { color: "edge", pattern: "striped" },
}

const OTHER: StateLook = { color: "series-3", pattern: "striped" }

export function lookOf(state: string): StateLook {
  return LOOKS[state] ?? OTHER
}

/** Why a runner is in this state, in the words of its machine; null for a vehicle, and for a state that says it. */
export function meaningOf({ isVehicle }: { readonly isVehicle: boolean }, state: string): string | null {
  if (isVehicle) return null
  const name = state.replaceAll(" ", "_")
  const found = [runnerRound, runnerShift].find(({ root }) => name in root.states)
  return found?.root.states[name]?.description ?? null
}
