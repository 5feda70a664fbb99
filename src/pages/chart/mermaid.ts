/**
 * A chart as Mermaid's `stateDiagram-v2`. Arrows have event and guard; internal transitions are listed in the box of
 * the state, or in a note if the state has inner states.
 */

import { conditionOf } from "./condition.ts"
import type { ChartDocument, ChartEdge, ChartNode } from "./chart-document.ts"

/** The whole diagram, ending in a newline. Every transition occurs once. */
export function mermaidOf(chart: ChartDocument): string {
  const sheet = sheetOf(chart)
  const root = chart.nodes[0]
  if (root === undefined) throw new Error(`chart ${chart.id} has no nodes`)
  const lines = [
    "stateDiagram-v2",
    ...indented([...inside(root, sheet), ...everywhere(root, sheet), ...crossing(sheet)]),
  ]
  return `${lines.join("\n")}\n`
}

interface Sheet {
  readonly chart: ChartDocument
  readonly nodeById: ReadonlyMap<string, ChartNode>
  readonly nameById: ReadonlyMap<string, string>
}

function sheetOf(chart: ChartDocument): Sheet {
  const nameById = new Map<string, string>()
  const taken = new Set<string>()
  for (const node of chart.nodes) {
    // The prefix prevents that Mermaid reads a state named `end`, `note` or `state` as a keyword.
    const safe = `s_${(node.parent === null ? "machine" : node.path).replace(/[^A-Za-z0-9]+/g, "_")}`
    let unique = safe
    for (let copy = 2; taken.has(unique); copy += 1) unique = `${safe}_${copy}`
    taken.add(unique)
    nameById.set(node.id, unique)
  }
  return { chart, nameById, nodeById: new Map(chart.nodes.map((node) => [node.id, node])) }
}

/** The text between the braces of a state: its initial state, its states, and the arrows between them. */
function inside(node: ChartNode, sheet: Sheet): readonly string[] {
  const children = sheet.chart.nodes.filter((child) => child.parent === node.id)
  const blocks = children.map((child) => box(child, sheet))
  const states =
    node.type === "parallel"
      ? blocks.flatMap((block, i) => (i === 0 ? block : ["--", ...block]))
      : blocks.flat()
  const arrows = sheet.chart.edges.filter((edge) => scopeOf(edge, sheet) === node.id)
  const ends = children
    .filter((child) => child.type === "final")
    .map((child) => `${name(child.id, sheet)} --> [*]`)
  return [...states, ...arrows.flatMap((edge) => arrow(edge, sheet)), ...ends]
}

/** One state: a line, a line with its internal transitions, or a block with inner states. */
function box(node: ChartNode, sheet: Sheet): readonly string[] {
  const id = name(node.id, sheet)
  const head = `state "${escaped(titleOf(node))}" as ${id}`
  if (isBlock(node)) return [`${head} {`, ...indented(inside(node, sheet)), "}", ...notes(node, sheet)]
  return [head, ...staying(node, sheet).map((text) => `${id} : ${text}`)]
}

function titleOf(node: ChartNode): string {
  if (node.type !== "history") return node.key
  return node.history === "deep" ? `${node.key} (deep history)` : `${node.key} (history)`
}

function notes(node: ChartNode, sheet: Sheet): readonly string[] {
  const lines = staying(node, sheet)
  return lines.length === 0 ? [] : [`note right of ${name(node.id, sheet)}`, ...indented(lines), "end note"]
}

/** Transitions of the machine itself get a box of their own, because Mermaid draws no frame around the whole chart. */
function everywhere(root: ChartNode, sheet: Sheet): readonly string[] {
  const edges = sheet.chart.edges.filter((edge) => edge.source === root.id && edge.kind !== "initial")
  if (edges.length === 0) return []
  const id = name(root.id, sheet)
  return [`state "in every state" as ${id}`, ...staying(root, sheet).map((text) => `${id} : ${text}`)]
}

function staying(node: ChartNode, sheet: Sheet): readonly string[] {
  const edges = sheet.chart.edges.filter((edge) => edge.source === node.id && edge.internal)
  return edges.map((edge) => `${labelOf(edge)} / ${edge.actions.map(escaped).join(", ") || "nothing"}`)
}

/**
 * The block in which an arrow is written: a state's block only if the arrow joins two of its own children, else the
 * root. Mermaid takes the first block other than the root that names a state as its parent.
 */
function scopeOf(edge: ChartEdge, { nodeById, chart }: Sheet): string | null {
  if (edge.internal) return null
  if (edge.kind === "initial") return edge.source
  const root = chart.nodes[0]?.id ?? null
  const parents = new Set([edge.source, ...edge.targets].map((id) => nodeById.get(id)?.parent))
  const [parent] = parents
  return parents.size === 1 && parent !== root ? (parent ?? null) : null
}

/** The arrows between different blocks, and those at the root. */
function crossing(sheet: Sheet): readonly string[] {
  const edges = sheet.chart.edges.filter((edge) => !edge.internal && scopeOf(edge, sheet) === null)
  return edges.flatMap((edge) => arrow(edge, sheet))
}

function arrow(edge: ChartEdge, sheet: Sheet): readonly string[] {
  const [target, ...others] = edge.targets.map((id) => name(id, sheet))
  if (target === undefined) return []
  if (edge.kind === "initial") return [`[*] --> ${target}`]
  const source = name(edge.source, sheet)
  if (others.length === 0) return [`${source} --> ${target} : ${labelOf(edge)}`]
  const fork = `f_${sheet.chart.edges.indexOf(edge)}`
  return [
    `state ${fork} <<fork>>`,
    `${source} --> ${fork} : ${labelOf(edge)}`,
    ...[target, ...others].map((each) => `${fork} --> ${each}`),
  ]
}

function labelOf(edge: ChartEdge): string {
  const condition = conditionOf(edge)
  const words = [edge.label, condition === null ? "" : `[${condition}]`, edge.reenter ? "(entered anew)" : ""]
  return escaped(words.filter((word) => word !== "").join(" "))
}

function isBlock(node: ChartNode): boolean {
  return node.type === "compound" || node.type === "parallel"
}

function name(id: string, { nameById }: Sheet): string {
  const found = nameById.get(id)
  if (found === undefined) throw new Error(`an edge names ${id}, which is no node of the chart`)
  return found
}

/** Mermaid's own entities for characters that would end or change a label. */
function escaped(text: string): string {
  return text.replace(/\s+/g, " ").replace(/[#:;"<>{}%`*\\]/g, (character) => `#${character.codePointAt(0)};`)
}

function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`)
}
