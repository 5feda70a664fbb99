/** The size of a machine, counted as in the header of its file. */

import type { ChartDocument } from "./chart-document.ts"

export interface ChartCounts {
  /** Resting states: those without inner states. */
  readonly states: number
  /** Event types that some state handles, without timers and ends of inner states. */
  readonly events: number
  /** Pairs of a state and a delay that it arms. */
  readonly timers: number
}

export function countsOf(chart: ChartDocument): ChartCounts {
  const timers = chart.edges.filter((edge) => edge.kind === "after").map((edge) => edge.event)
  return {
    states: chart.nodes.filter((node) => node.type === "atomic" || node.type === "final").length,
    events: eventsOf(chart).length,
    timers: new Set(timers).size,
  }
}

/** The event types that some state handles, in alphabetical order, without wildcards. */
function eventsOf(chart: ChartDocument): readonly string[] {
  const types = chart.edges.flatMap((edge) =>
    edge.kind === "event" && edge.event !== null ? [edge.event] : [],
  )
  return [...new Set(types)].toSorted()
}

/** `4 states, 5 events, 1 timer`. */
export function countsSentence({ states, events, timers }: ChartCounts): string {
  return [amount(states, "state"), amount(events, "event"), amount(timers, "timer")].join(", ")
}

function amount(count: number, noun: string): string {
  return `${count === 0 ? "no" : count} ${noun}${count === 1 ? "" : "s"}`
}
