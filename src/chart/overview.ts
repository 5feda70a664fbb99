/**
 * A chart reduced to its states and the ways between them, small enough to be read at a glance: without actions, conditions and
 * transitions that stay in their state, and with one arrow for all transitions from a state to another.
 */

import type { ChartDocument, ChartEdge } from "./chart-document.ts"

/** Labels on one arrow; more are counted. */
const LABELS_MAX = 2

/** The id of a merged arrow has the ids of all its transitions, each on a line. */
export function overviewOf(chart: ChartDocument): ChartDocument {
  const leaving = chart.edges.filter((edge) => !edge.internal && !isLoop(edge))
  const groups = Map.groupBy(
    leaving,
    (edge) => `${edge.kind === "initial"} ${edge.source} ${edge.targets.join(" ")}`,
  )
  return {
    ...chart,
    nodes: chart.nodes.map((node) => ({ ...node, entry: [], exit: [], invoke: [] })),
    edges: [...groups.values()].map(merged),
  }
}

/** The ids of the transitions that an arrow of an overview stands for. */
export function mergedIds(id: string): readonly string[] {
  return id.split("\n")
}

function isLoop({ source, targets }: ChartEdge): boolean {
  return targets.length === 1 && targets[0] === source
}

function merged(edges: readonly ChartEdge[]): ChartEdge {
  const [first] = edges
  if (first === undefined) throw new Error("an arrow without a transition")
  const labels = [...new Set(edges.map(({ label }) => label))]
  const more = labels.length - LABELS_MAX
  const shown = more > 0 ? [...labels.slice(0, LABELS_MAX), `${more} more`] : labels
  return {
    ...first,
    id: edges.map(({ id }) => id).join("\n"),
    label: shown.join(", "),
    guard: null,
    order: 0,
    actions: [],
    description: labels.join(", "),
  }
}
