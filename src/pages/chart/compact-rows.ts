/**
 * The boxes of a folded chart in rows of a given width: states from left to right in the order of the source, a state with
 * its states inside as a frame of the whole width, and states without a way out in a row below.
 */

import type { Box } from "./box.ts"
import type { FoldedChart, FoldedNode } from "./folding.ts"
import { widthOf } from "./text-size.ts"

/** The size of every text. Unit: px. */
export const TEXT = 11
export const LINE = 14
/** px */
const FRAME = 8
const SIDE = 12
const PADDING = 8
/** For the tick of an active state, before its name. */
const TICK = 13
const GAP = 22
const GAP_MAX = 64
/** Room for a time and for a count of transitions under the name. */
const BOX_MIN = 92
export const HEADER = 24
/** Longer names are broken at an underscore or a blank. */
const NAME_COLUMNS = 12

export interface Span {
  readonly left: number
  readonly right: number
}

/** A state that is drawn as one box. `x` is final, `y` follows with the heights of the gutters. */
export interface RowBox {
  readonly of: FoldedNode
  readonly name: readonly string[]
  readonly x: number
  readonly width: number
  readonly height: number
}

/** A state that is drawn as a frame around the states inside it. */
export interface Frame extends Span {
  readonly of: FoldedNode
}

/** From top to bottom. Between two of them, above the first and under the last is a gutter for arrows. */
export type Item =
  | {
      readonly kind: "row"
      readonly boxes: readonly RowBox[]
      readonly inside: Span
      readonly height: number
    }
  | { readonly kind: "top" | "bottom"; readonly frame: Frame; readonly inside: Span; readonly height: number }

export function widthOfText(text: string): number {
  return widthOf(text, TEXT)
}

/** `width` is that of the picture. Unit: px. */
export function itemsOf(chart: FoldedChart, width: number): readonly Item[] {
  const [root] = chart.nodes
  if (root === undefined) return []
  const whole = { left: 0, right: width }
  const isDrawn = root.stays.length > 0 || chart.arrows.some((arrow) => touches(arrow, root.node.id))
  return isDrawn ? framed(chart, root, whole) : contentOf(chart, root, whole)
}

/** The machine itself has a frame only where a transition begins or ends at it. */
function touches({ source, target, isInitial }: FoldedChart["arrows"][number], id: string): boolean {
  return !isInitial && (source === id || target === id)
}

function framed(chart: FoldedChart, of: FoldedNode, { left, right }: Span): readonly Item[] {
  const frame = { of, left, right }
  const inside = { left: left + FRAME, right: right - FRAME }
  return [
    { kind: "top", frame, inside, height: HEADER },
    ...contentOf(chart, of, inside),
    { kind: "bottom", frame, inside: { left, right }, height: 0 },
  ]
}

function contentOf(chart: FoldedChart, { node: parent }: FoldedNode, inside: Span): readonly Item[] {
  const children = chart.nodes.filter(({ node }) => node.parent === parent.id)
  const isFrame = ({ node, isFolded }: FoldedNode): boolean =>
    !isFolded && chart.nodes.some((other) => other.node.parent === node.id)
  const isEnd = (one: FoldedNode): boolean =>
    !isFrame(one) && !chart.arrows.some(({ source }) => source === one.node.id)
  const ordered = [...children.filter((one) => !isEnd(one)), ...children.filter(isEnd)]
  const items: Item[] = []
  let row: FoldedNode[] = []
  const close = (): void => {
    items.push(...rowsOf(row, inside))
    row = []
  }
  for (const one of ordered) {
    const last = row.at(-1)
    const isFirstEnd = last !== undefined && isEnd(one) && !isEnd(last)
    if (isFrame(one) || (isFirstEnd && parent.parent === null)) close()
    if (isFrame(one)) items.push(...framed(chart, one, inside))
    else row.push(one)
  }
  close()
  return items
}

/** Boxes of one width in columns, in as few rows as fit, each as full as the others. */
function rowsOf(nodes: readonly FoldedNode[], inside: Span): readonly Item[] {
  if (nodes.length === 0) return []
  const room = inside.right - inside.left - 2 * SIDE
  const names = nodes.map(({ node }) => nameLines(node.key))
  const widest = Math.max(...names.flat().map((line) => widthOfText(line) + TICK + 2 * PADDING))
  const width = Math.min(room, Math.max(BOX_MIN, widest))
  const most = Math.max(1, Math.floor((room + GAP) / (width + GAP)))
  const columns = Math.ceil(nodes.length / Math.ceil(nodes.length / most))
  const spare = (room - columns * width) / Math.max(1, columns - 1)
  const gap = Math.min(GAP_MAX, Math.floor(spare))
  const boxes = nodes.map((of, place): RowBox => {
    const name = names[place] ?? []
    const x = inside.left + SIDE + (place % columns) * (width + gap)
    // A line for the time in the state, and in a fold one for the number of its states.
    const lines = name.length + (of.isFolded ? 2 : 1)
    return { of, name, x, width, height: PADDING + lines * LINE }
  })
  return Array.from({ length: Math.ceil(boxes.length / columns) }, (_, row): Item => {
    const own = boxes.slice(row * columns, (row + 1) * columns)
    const height = Math.max(...own.map((box) => box.height))
    return { kind: "row", boxes: own.map((box) => ({ ...box, height })), inside, height }
  })
}

/** `en_route_`, `to_customer`: broken after an underscore, a hyphen or a blank where the name is long. */
export function nameLines(name: string): readonly string[] {
  const lines: string[] = []
  for (const part of name.split(/(?<=[_\- ])/)) {
    const last = lines.at(-1)
    if (last !== undefined && `${last}${part}`.trimEnd().length <= NAME_COLUMNS)
      lines[lines.length - 1] = last + part
    else lines.push(part)
  }
  return lines.map((line) => line.trimEnd())
}

/** The columns between the boxes of a row, and on both sides of them, through which arrows pass. */
export function passagesOf({ boxes, inside }: Extract<Item, { kind: "row" }>): readonly Span[] {
  const edges = [inside.left, ...boxes.flatMap(({ x, width }) => [x, x + width]), inside.right]
  return Array.from({ length: edges.length / 2 }, (_, place) => ({
    left: edges[2 * place] ?? 0,
    right: edges[2 * place + 1] ?? 0,
  }))
}

export function boxAt({ x, width, height }: RowBox, y: number): Box {
  return { x, y, width, height }
}
