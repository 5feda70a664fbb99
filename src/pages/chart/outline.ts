/** A chart as an indented outline in plain words, as the text alternative of the picture. */

import { conditionOf } from "./condition.ts"
import { countsOf, countsSentence } from "./counts.ts"
import type { ChartDocument, ChartEdge, ChartNode } from "./chart-document.ts"

/** Every state with its transitions and its inner states below it. Two spaces for each level; ends in a newline. */
export function outlineOf(chart: ChartDocument): string {
  const root = chart.nodes[0]
  if (root === undefined) throw new Error(`chart ${chart.id} has no nodes`)
  const head = `${chart.id}: ${countsSentence(countsOf(chart))}`
  return `${[head, ...linesOf(root, chart, 0)].join("\n")}\n`
}

function linesOf(node: ChartNode, chart: ChartDocument, depth: number): readonly string[] {
  const edges = chart.edges.filter((edge) => edge.source === node.id)
  const facts = [
    ...node.invoke.map((source) => `while here: ${source}`),
    ...node.entry.map((action) => `on entry: ${action}`),
    ...node.exit.map((action) => `on exit: ${action}`),
    ...edges.map((edge) => sentenceOf(edge, chart)),
  ]
  const children = chart.nodes.filter((child) => child.parent === node.id)
  return [
    `${"  ".repeat(depth)}${titleOf(node)}`,
    ...facts.map((fact) => `${"  ".repeat(depth + 1)}- ${fact}`),
    ...children.flatMap((child) => linesOf(child, chart, depth + 1)),
  ]
}

function titleOf(node: ChartNode): string {
  const marks = [...kindsOf(node), ...node.tags]
  const name = marks.length === 0 ? node.key : `${node.key} (${marks.join(", ")})`
  return node.description === null ? name : `${name}: ${node.description}`
}

function kindsOf(node: ChartNode): readonly string[] {
  if (node.parent === null) return node.type === "parallel" ? ["machine", "parallel"] : ["machine"]
  if (node.type === "history") return [`${node.history ?? "shallow"} history`]
  return node.type === "final" || node.type === "parallel" ? [node.type] : []
}

/** One transition in words: `bot.arrived, only if it is loaded: goes to open.arrived`. */
export function sentenceOf(edge: ChartEdge, chart: ChartDocument): string {
  const places = edge.targets.map((id) => pathOf(id, chart)).join(" and ")
  if (edge.kind === "initial") return [`starts in ${places}`, ...edge.actions].join("; ")
  const condition = conditionOf(edge)
  const when =
    condition === null
      ? edge.label
      : `${edge.label}, ${condition === "otherwise" ? "" : "only if "}${condition}`
  const where = edge.internal ? "stays" : `${edge.reenter ? "enters anew" : "goes to"} ${places}`
  const sentence = [`${when}: ${where}`, ...edge.actions].join("; ")
  return edge.description === null ? sentence : `${sentence}. ${edge.description}`
}

function pathOf(id: string, chart: ChartDocument): string {
  const node = chart.nodes.find((each) => each.id === id)
  if (node === undefined) throw new Error(`an edge names ${id}, which is no node of the chart`)
  return node.path === "" ? `${node.key} itself` : node.path
}
