/**
 * A chart as one SVG picture: self-contained, readable in light and dark, the same text for the same machine. Parts
 * have `data-node` and `data-edge`, with which a page marks active states and fired transitions.
 */

import { colorsFor } from "../html/tokens.ts"
import type { Point } from "./box.ts"
import type { ChartDocument, ChartEdge, ChartNode } from "./chart-document.ts"
import { titleOf } from "./layout.ts"
import type { ChartLayout, PlacedEdge, PlacedNode } from "./layout.ts"
import { FACE, heightOf, widthOf } from "./text-size.ts"

/** px */
const MARGIN = 16
const CORNER = 8
const INDENT = 14

/** The style of a picture in a page, which defines the colours. */
export const CHART_STYLE = `
.chart text { font-family: ${FACE.family}; fill: var(--ink); }
.chart .name { font-size: ${FACE.state}px; font-weight: 600; }
.chart .line, .chart .label text { font-size: ${FACE.label}px; fill: var(--ink-2); }
.chart .box { fill: var(--sunken); stroke: var(--edge); stroke-width: 1; }
.chart .region { stroke-dasharray: 5 4; }
.chart .inner { fill: none; stroke: var(--edge); }
.chart .path { fill: none; stroke: var(--edge); stroke-width: 1.2; }
.chart .tip, .chart .start { fill: var(--edge); stroke: none; }
.chart .halo { fill: var(--sunken); opacity: 0.9; }
`

/** A picture outside a page defines the colours itself. */
const OWN_STYLE = `\n${colorsFor(".chart", ["surface", "sunken", "ink", "ink-2", "edge"])}${CHART_STYLE.trimStart()}`

/** Contains every state and every transition once. Without a style, for a page that has its own. Ends in a newline. */
export function svgOf(chart: ChartDocument, layout: ChartLayout, { hasStyle = true } = {}): string {
  const places = new Map(layout.nodes.map((place) => [place.id, place]))
  const edges = new Map(chart.edges.map((edge) => [edge.id, edge]))
  const box = `${-MARGIN} ${-MARGIN} ${layout.width + 2 * MARGIN} ${layout.height + 2 * MARGIN}`
  const title = `${chart.id}${chart.description === null ? "" : `: ${chart.description}`}`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="${box}" width="${layout.width + 2 * MARGIN}" height="${layout.height + 2 * MARGIN}" role="img" aria-label="${escaped(title)}">`,
    `<title>${escaped(title)}</title>`,
    ...(hasStyle ? [`<style>${OWN_STYLE}</style>`] : []),
    `<rect class="paper" x="${-MARGIN}" y="${-MARGIN}" width="100%" height="100%" fill="var(--surface)"/>`,
    ...chart.nodes.flatMap((node) => drawnNode(node, required(places.get(node.id), node.id), chart)),
    ...layout.starts.map(({ x, y }) => `<circle class="start" cx="${x}" cy="${y}" r="5"/>`),
    ...layout.edges.flatMap((place) => drawnEdge(required(edges.get(place.id), place.id), place)),
    "</svg>",
    "",
  ].join("\n")
}

function drawnNode(node: ChartNode, place: PlacedNode, chart: ChartDocument): readonly string[] {
  const { x, y, width, height } = place.box
  const title = node.description === null ? [] : [`<title>${escaped(node.description)}</title>`]
  const open = `<g data-node="${escaped(node.id)}" data-path="${escaped(node.path)}">`
  if (node.type === "history") return [open, ...title, ...historyMark(node, place), "</g>"]
  const isRegion = chart.nodes.some(({ id, type }) => id === node.parent && type === "parallel")
  const inner = `<rect class="inner" x="${x + 3}" y="${y + 3}" width="${width - 6}" height="${height - 6}" rx="${CORNER - 3}"/>`
  return [
    open,
    ...title,
    `<rect class="${isRegion ? "box region" : "box"}" x="${x}" y="${y}" width="${width}" height="${height}" rx="${CORNER}"/>`,
    ...(node.type === "final" ? [inner] : []),
    text("name", titleOf(node), { x: x + INDENT, y: y + heightOf(1, FACE.state) }, FACE.state),
    ...drawnLines(place),
    "</g>",
  ]
}

/** Lines of one transition are grouped, so that each transition is one element. */
function drawnLines({ box, lines }: PlacedNode): readonly string[] {
  const drawn: string[] = []
  let open: string | null = null
  for (const [index, line] of lines.entries()) {
    if (line.edge !== open) {
      if (open !== null) drawn.push("</g>")
      if (line.edge !== null) drawn.push(`<g data-edge="${escaped(line.edge)}">`)
      open = line.edge
    }
    const at = { x: box.x + INDENT, y: box.y + heightOf(1, FACE.state) + heightOf(index + 1, FACE.label) }
    drawn.push(text("line", line.text, at, FACE.label))
  }
  return open === null ? drawn : [...drawn, "</g>"]
}

function historyMark(node: ChartNode, { box }: PlacedNode): readonly string[] {
  const center = { x: box.x + box.width / 2, y: box.y + box.height / 2 }
  const mark = node.history === "deep" ? "H*" : "H"
  const at = { x: center.x - widthOf(mark, FACE.label) / 2, y: center.y + FACE.label / 3 }
  return [
    `<circle class="box" cx="${center.x}" cy="${center.y}" r="${box.width / 2}"/>`,
    text("line", mark, at, FACE.label),
  ]
}

function drawnEdge(edge: ChartEdge, { paths, label }: PlacedEdge): readonly string[] {
  const attributes = `data-edge="${escaped(edge.id)}" data-source="${escaped(edge.source)}"`
  const drawnLabel =
    label === null
      ? []
      : [
          `<g class="label">`,
          `<rect class="halo" x="${label.box.x}" y="${label.box.y}" width="${label.box.width}" height="${label.box.height}"/>`,
          ...label.lines.map((line, index) =>
            text(
              null,
              line,
              { x: label.box.x + 3, y: label.box.y + heightOf(index + 1, FACE.label) - 4 },
              FACE.label,
            ),
          ),
          "</g>",
        ]
  const title = edge.description === null ? [] : [`<title>${escaped(edge.description)}</title>`]
  return [
    `<g ${attributes}>`,
    ...title,
    ...paths.flatMap((points) => [
      `<path class="path" d="${points.map(({ x, y }, index) => `${index === 0 ? "M" : "L"}${x} ${y}`).join("")}"/>`,
      tipOf(points),
    ]),
    ...drawnLabel,
    "</g>",
  ]
}

/**
 * The arrow's head, drawn at the end of its last segment: SVG markers would need ids, which two pictures on one page
 * would share.
 */
function tipOf(points: readonly Point[]): string {
  const end = points.at(-1) ?? { x: 0, y: 0 }
  const before = points.at(-2) ?? end
  const angle = Math.atan2(end.y - before.y, end.x - before.x)
  const corner = (turn: number): string => {
    const x = end.x - 8 * Math.cos(angle + turn)
    const y = end.y - 8 * Math.sin(angle + turn)
    return `${Math.round(x * 10) / 10} ${Math.round(y * 10) / 10}`
  }
  return `<path class="tip" d="M${end.x} ${end.y}L${corner(0.4)}L${corner(-0.4)}Z"/>`
}

/** Sets `textLength`, so that another font does not exceed the computed box. */
function text(name: string | null, words: string, { x, y }: Point, size: number): string {
  const attribute = name === null ? "" : ` class="${name}"`
  const length = Math.round([...words].length * 6 * size) / 10
  return `<text${attribute} x="${x}" y="${y}" textLength="${length}" lengthAdjust="spacingAndGlyphs">${escaped(words)}</text>`
}

function escaped(words: string): string {
  return words
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
}

function required<T>(value: T | undefined, id: string): T {
  if (value === undefined) throw new Error(`${id} stands in the layout or in the chart alone`)
  return value
}
