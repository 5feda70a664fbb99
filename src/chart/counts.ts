/** The size of a machine, counted as the header of its file states it. */

import type { ChartDocument } from "./document.ts"

export interface ChartCounts {
  /** States to rest in: those without states inside. */
  readonly states: number
  /** Event types that some state answers; timers and ends are not among them. */
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

/** The event types that some state answers, in alphabetical order; a wildcard is not a type. */
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
