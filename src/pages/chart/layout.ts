/**
 * The layout of a chart: boxes for states, paths and labels for arrows. ELK computes it once for each machine, outside
 * the page; the result is plain numbers, which are stored with a record.
 */

import type { ElkExtendedEdge, ElkNode, ElkPoint } from "elkjs/lib/elk.bundled.js"
import elk from "elkjs/lib/elk.bundled.js"
import { conditionOf } from "./condition.ts"
import type { Box, Point } from "./box.ts"
import type { ChartDocument, ChartEdge, ChartNode } from "./chart-document.ts"
import { FACE, heightOf, widthOf, wrapped } from "./text-size.ts"

/** One state. `lines` are the texts under its name: its entry and exit actions, and its internal transitions. */
export interface PlacedNode {
  readonly id: string
  readonly box: Box
  readonly lines: readonly PlacedLine[]
}

/** A line inside a state; `edge` is its transition, if it has one. */
export interface PlacedLine {
  readonly text: string
  readonly edge: string | null
}

/** One arrow: a path for each target, and its label. An arrow into parallel regions has several paths. */
export interface PlacedEdge {
  readonly id: string
  readonly paths: readonly (readonly Point[])[]
  readonly label: PlacedLabel | null
}

export interface PlacedLabel {
  readonly box: Box
  readonly lines: readonly string[]
}

/** `starts` are the dots of initial arrows, by the id of the state that they lead to. */
export interface ChartLayout {
  readonly id: string
  readonly width: number
  readonly height: number
  readonly nodes: readonly PlacedNode[]
  readonly starts: readonly (Point & { readonly id: string })[]
  readonly edges: readonly PlacedEdge[]
}

/** ELK could not lay out the chart; its outline can still be shown. */
export class LayoutFailed extends Error {
  override readonly name = "LayoutFailed"
}

const LABEL_COLUMNS = 34
const LINE_COLUMNS = 44
/** px */
const PADDING = 14
const DOT = 10
const HISTORY = 22

const OPTIONS = {
  "elk.algorithm": "layered",
  "elk.direction": "RIGHT",
  "elk.hierarchyHandling": "INCLUDE_CHILDREN",
  "elk.edgeRouting": "ORTHOGONAL",
  "elk.layered.considerModelOrder.strategy": "NODES_AND_EDGES",
  "elk.layered.nodePlacement.favorStraightEdges": "true",
  "elk.layered.edgeLabels.sideSelection": "SMART_UP",
  "elk.layered.spacing.nodeNodeBetweenLayers": "36",
  "elk.layered.spacing.edgeNodeBetweenLayers": "14",
  "elk.spacing.nodeNode": "22",
  "elk.spacing.edgeNode": "14",
  "elk.spacing.edgeEdge": "10",
  "elk.json.edgeCoords": "ROOT",
  "elk.json.shapeCoords": "ROOT",
} as const

/** Lays a chart out. The same chart gives the same numbers. Cost: 0.1 to 0.5 s for each machine. */
export async function layoutOf(chart: ChartDocument): Promise<ChartLayout> {
  const root = chart.nodes[0]
  if (root === undefined) throw new LayoutFailed(`chart ${chart.id} has no states`)
  const graph = elkNodeOf(root, chart)
  const edges = chart.edges.filter((edge) => !edge.internal).flatMap((edge) => elkEdgesOf(edge))
  try {
    const placed = await new elk.default().layout({
      id: "picture",
      layoutOptions: OPTIONS,
      children: [graph],
      edges,
    })
    return gather(chart, placed)
  } catch (cause) {
    throw new LayoutFailed(`chart ${chart.id} could not be laid out: ${String(cause)}`, { cause })
  }
}

function elkNodeOf(node: ChartNode, chart: ChartDocument): ElkNode {
  const children = chart.nodes.filter((each) => each.parent === node.id)
  const lines = linesIn(node, chart)
  const header = headerOf(node, lines)
  if (node.type === "history") return { id: node.id, width: HISTORY, height: HISTORY }
  if (children.length === 0) return { id: node.id, width: header.width, height: header.height }
  const start: ElkNode[] =
    node.initial === null
      ? []
      : [
          {
            id: startOf(node.id),
            width: DOT,
            height: DOT,
            layoutOptions: { "elk.layered.layering.layerConstraint": "FIRST" },
          },
        ]
  return {
    id: node.id,
    layoutOptions: {
      "elk.padding": `[top=${header.height + PADDING},left=${PADDING},bottom=${PADDING},right=${PADDING}]`,
      "elk.nodeSize.constraints": "MINIMUM_SIZE",
      "elk.nodeSize.minimum": `(${header.width},${header.height})`,
    },
    children: [...start, ...children.map((child) => elkNodeOf(child, chart))],
  }
}

function headerOf(node: ChartNode, lines: readonly PlacedLine[]): { width: number; height: number } {
  const widths = [widthOf(titleOf(node), FACE.state), ...lines.map(({ text }) => widthOf(text, FACE.label))]
  const height = heightOf(1, FACE.state) + heightOf(lines.length, FACE.label)
  return { width: Math.max(...widths) + 2 * PADDING, height: height + PADDING }
}

/** The name in the box, with room before it for the mark of an active state. */
export function titleOf(node: ChartNode): string {
  return node.type === "final" ? `${node.key} (final)` : node.key
}

function linesIn(node: ChartNode, chart: ChartDocument): readonly PlacedLine[] {
  const facts = [
    ...node.invoke.map((source) => `while here: ${source}`),
    ...node.entry.map((action) => `entry / ${action}`),
    ...node.exit.map((action) => `exit / ${action}`),
  ].flatMap((text) => wrapped(text, LINE_COLUMNS).map((line) => ({ text: line, edge: null })))
  const answers = chart.edges
    .filter((edge) => edge.source === node.id && edge.internal)
    .flatMap((edge) =>
      wrapped(wordsOf(edge).join(" "), LINE_COLUMNS).map((text) => ({ text, edge: edge.id })),
    )
  return [...facts, ...answers]
}

/** The label of an arrow: the trigger, its condition in brackets, its actions after a slash. */
function wordsOf(edge: ChartEdge): readonly string[] {
  const condition = conditionOf(edge)
  return [
    edge.label,
    ...(condition === null ? [] : [`[${condition}]`]),
    ...(edge.actions.length === 0 ? [] : [`/ ${edge.actions.join(", ")}`]),
  ]
}

function elkEdgesOf(edge: ChartEdge): readonly ElkExtendedEdge[] {
  const lines = labelLinesOf(edge)
  const source = edge.kind === "initial" ? startOf(edge.source) : edge.source
  return edge.targets.map((target, index) => ({
    id: `${edge.id}#${index}`,
    sources: [source],
    targets: [target],
    labels:
      index > 0 || lines.length === 0
        ? []
        : [
            {
              text: lines.join("\n"),
              width: Math.max(...lines.map((line) => widthOf(line, FACE.label))) + 6,
              height: heightOf(lines.length, FACE.label),
            },
          ],
  }))
}

function labelLinesOf(edge: ChartEdge): readonly string[] {
  if (edge.kind === "initial") return edge.actions.flatMap((action) => wrapped(`/ ${action}`, LABEL_COLUMNS))
  return wordsOf(edge).flatMap((words) => wrapped(words, LABEL_COLUMNS))
}

function startOf(id: string): string {
  return `${id}#start`
}

function gather(chart: ChartDocument, placed: ElkNode): ChartLayout {
  const boxes = new Map<string, Box>()
  const paths = new Map<string, readonly Point[]>()
  const labels = new Map<string, Box>()
  const visit = (node: ElkNode): void => {
    boxes.set(node.id, boxOf(node))
    for (const edge of node.edges ?? []) {
      for (const { startPoint, bendPoints, endPoint } of edge.sections ?? [])
        paths.set(edge.id, [startPoint, ...(bendPoints ?? []), endPoint].map(roundedPoint))
      for (const label of edge.labels ?? []) labels.set(edge.id, boxOf(label))
    }
    for (const child of node.children ?? []) visit(child)
  }
  visit(placed)
  const boxNamed = (id: string): Box => required(boxes.get(id), `${chart.id}: ${id} has no place`)
  return {
    id: chart.id,
    width: rounded(placed.width ?? 0),
    height: rounded(placed.height ?? 0),
    nodes: chart.nodes.map((node) => ({ id: node.id, box: boxNamed(node.id), lines: linesIn(node, chart) })),
    starts: chart.nodes
      .filter((node) => node.initial !== null)
      .map((node) => ({ id: node.id, ...centerOf(boxNamed(startOf(node.id))) })),
    edges: chart.edges.filter((edge) => !edge.internal).map((edge) => placedEdgeOf(edge, paths, labels)),
  }
}

function placedEdgeOf(
  edge: ChartEdge,
  paths: ReadonlyMap<string, readonly Point[]>,
  labels: ReadonlyMap<string, Box>,
): PlacedEdge {
  const box = labels.get(`${edge.id}#0`)
  return {
    id: edge.id,
    paths: edge.targets.map((_, index) =>
      required(paths.get(`${edge.id}#${index}`), `${edge.id} has no path`),
    ),
    label: box === undefined ? null : { box, lines: labelLinesOf(edge) },
  }
}

function boxOf({ x = 0, y = 0, width = 0, height = 0 }: Partial<Box>): Box {
  return { x: rounded(x), y: rounded(y), width: rounded(width), height: rounded(height) }
}

function centerOf({ x, y, width, height }: Box): Point {
  return { x: rounded(x + width / 2), y: rounded(y + height / 2) }
}

function roundedPoint({ x, y }: ElkPoint): Point {
  return { x: rounded(x), y: rounded(y) }
}

/** Rounds to a tenth of a pixel: smaller differences are invisible. */
function rounded(px: number): number {
  return Math.round(px * 10) / 10
}

function required<T>(value: T | undefined, message: string): T {
  if (value === undefined) throw new LayoutFailed(message)
  return value
}
