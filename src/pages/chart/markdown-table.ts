/**
 * A chart as Markdown tables: its states, transitions, timers, and ignored events. Columns are padded like prettier's,
 * so that a generated file is also formatted.
 */

import type { Ignores } from "../../../machines/ignores.ts"
import { conditionOf } from "./condition.ts"
import { countsOf, countsSentence } from "./counts.ts"
import type { ChartDocument, ChartEdge, ChartNode } from "./chart-document.ts"

/** All tables of one machine, each under a bold line, with the counts first. Ends in a newline. */
export function tablesOf(chart: ChartDocument, ignores: Ignores): string {
  const parts = [
    `Counts: ${countsSentence(countsOf(chart))}.`,
    "**States**",
    stateTable(chart),
    "**Transitions**",
    transitionTable(chart),
    "**Timers**",
    timerTable(chart),
    "**Ignored on purpose**",
    ignoredTable(ignores),
  ]
  return `${parts.join("\n\n")}\n`
}

/** One row for each state, parents before children. */
export function stateTable(chart: ChartDocument): string {
  const rows = chart.nodes.map((node) => [
    nameOf(node),
    node.description ?? "",
    kindOf(node),
    node.entry.join("; "),
    node.exit.join("; "),
    node.tags.join(", "),
  ])
  return table(["State", "Means", "Kind", "On entry", "On exit", "Tags"], rows)
}

/** One row for each transition, in the order in which the machine checks them. */
export function transitionTable(chart: ChartDocument): string {
  const rows = chart.edges.map((edge) => [
    placeOf(edge.source, chart),
    edge.kind === "event" ? code(edge.label) : edge.label,
    conditionOf(edge) ?? "",
    destinationOf(edge, chart),
    effectOf(edge),
  ])
  return table(["From", "Event", "Only if", "To", "Then"], rows)
}

/** One row for each possible transition of a timer; "None." without timers. */
export function timerTable(chart: ChartDocument): string {
  const timers = chart.edges.filter((edge) => edge.kind === "after")
  if (timers.length === 0) return "None."
  const rows = timers.map((edge) => [
    placeOf(edge.source, chart),
    edge.delay ?? "",
    conditionOf(edge) ?? "",
    destinationOf(edge, chart),
  ])
  return table(["State", "Delay", "Only if", "To"], rows)
}

/** One row for each state and reason; "None." for a machine that ignores no event. */
export function ignoredTable(ignores: Ignores): string {
  const rows = Object.entries(ignores).flatMap(([state, reasonByEvent]) => {
    const eventsByReason = Map.groupBy(Object.keys(reasonByEvent), (event) => reasonByEvent[event] ?? "")
    return [...eventsByReason].map(([reason, events]) => [code(state), events.map(code).join(", "), reason])
  })
  return rows.length === 0 ? "None." : table(["State", "Event", "Why"], rows)
}

function kindOf(node: ChartNode): string {
  if (node.parent === null) return node.type === "parallel" ? "the machine, parallel" : "the machine"
  if (node.type === "history") return `${node.history ?? "shallow"} history`
  return node.type === "atomic" ? "" : node.type
}

function nameOf(node: ChartNode): string {
  return node.parent === null ? `${code(node.key)} itself` : code(node.path)
}

function placeOf(id: string, chart: ChartDocument): string {
  const node = chart.nodes.find((each) => each.id === id)
  if (node === undefined) throw new Error(`an edge names ${id}, which is no node of the chart`)
  return nameOf(node)
}

function destinationOf(edge: ChartEdge, chart: ChartDocument): string {
  if (edge.internal) return "stays"
  const places = edge.targets.map((id) => placeOf(id, chart)).join(" and ")
  return edge.reenter ? `${places}, entered anew` : places
}

function effectOf(edge: ChartEdge): string {
  const actions = edge.actions.join("; ") || (edge.internal ? "nothing" : "")
  if (edge.description === null) return actions
  return actions === "" ? edge.description : `${actions}. ${edge.description}`
}

export function code(text: string): string {
  return `\`${text}\``
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows].map((cells) => cells.map(cellOf))
  const widths = head.map((_, column) => Math.max(3, ...lines.map((cells) => cells[column]?.length ?? 0)))
  const drawn = lines.map((cells) => `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(" | ")} |`)
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`
  return [drawn[0], rule, ...drawn.slice(1)].join("\n")
}

function cellOf(text: string): string {
  return text.replace(/\s+/g, " ").replaceAll("|", "\\|")
}
