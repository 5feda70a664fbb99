/** How states of people and vehicles look in the chart of what everybody did: a colour, and a pattern beside it. */

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
