/**
 * The layout of a folded chart in a picture of a given width, made in the page: what is folded changes with every moment,
 * and a panel is narrower than the pictures of ELK. Texts have one size, and every label a place of its own.
 */

import type { ChartEdge } from "./chart-document.ts"
import { Router } from "./compact-routes.ts"
import type { End, Route } from "./compact-routes.ts"
import { BARE, packed } from "./compact-packing.ts"
import { LINE, boxAt, itemsOf, widthOfText } from "./compact-rows.ts"
import type { Frame, Item, RowBox, Span } from "./compact-rows.ts"
import type { FoldedArrow, FoldedChart, FoldedNode } from "./folding.ts"
import type { Box, Point } from "./box.ts"

export interface CompactLabel {
  readonly box: Box
  readonly text: string
}

/** A state without states inside it, or a folded one. */
export interface CompactBox {
  readonly of: FoldedNode
  readonly box: Box
  /** Its name, in lines. */
  readonly name: readonly string[]
  /** A transition that stays in the state and has just fired: an arrow back to it; null for none. */
  readonly loop: Drawn | null
}

/** A state with the states inside it. */
export interface CompactFrame {
  readonly of: FoldedNode
  readonly box: Box
}

export interface Drawn {
  readonly points: readonly Point[]
  readonly label: CompactLabel | null
}

export interface CompactArrow extends Drawn {
  readonly arrow: FoldedArrow
}

/** Unit: px, from the upper left corner. */
export interface CompactLayout {
  readonly width: number
  readonly height: number
  readonly boxes: readonly CompactBox[]
  readonly frames: readonly CompactFrame[]
  readonly arrows: readonly CompactArrow[]
}

export interface CompactOptions {
  /** Unit: px. */
  readonly width: number
  /** Transitions that have just fired: their labels come first. */
  readonly fired: readonly Pick<ChartEdge, "id" | "label">[]
}

/** More labels than fit in so many characters are counted; the first is always whole. */
const LABEL_COLUMNS = 22
/** px */
const LABEL_LINE = 15
const TRACK = 7
const ARROWHEAD = 12
const START = 15
/** From the line of an arrow to its label. */
const BESIDE = 4
/** A way back between neighbours runs under the way on. */
const BACK = 9
const MARGIN = 2

/** Cost: about a millisecond. */
export function compactLayout(chart: FoldedChart, { width, fired }: CompactOptions): CompactLayout {
  const items = itemsOf(chart, width)
  const router = new Router(items)
  const routes = router.routes(chart)
  const loops = loopsOf(items, router, fired)
  const entries = [
    ...routes.flatMap((route) => labelEntry(route, router, fired)),
    ...loops.map((loop) => loopEntry(loop, router)),
  ]
  const gutters = Array.from({ length: items.length + 1 }, (_, gutter) =>
    gutterOf(gutter, { entries, routes, items }),
  )
  const { tops, starts, height } = placesOf(items, gutters)
  const yOf = ({ item, side }: End): number => {
    const top = tops[item] ?? 0
    return side === "bottom" ? top + (items[item]?.height ?? 0) : top
  }
  const labelOf = (entry: LabelEntry | undefined): CompactLabel | null => {
    if (entry === undefined) return null
    const y = (starts[entry.gutter] ?? 0) + (gutters[entry.gutter]?.lineOf.get(entry) ?? 0)
    return { text: entry.text, box: { x: entry.left, y: y + 1, width: entry.width, height: LINE - 1 } }
  }
  const trackOf = (route: Route, gutter: number): number =>
    (starts[gutter] ?? 0) + (gutters[gutter]?.trackOf(route) ?? 0)
  const drawnLoop = (box: RowBox): Drawn | null => {
    const loop = loops.find((one) => one.box === box)
    const label = labelOf(entries.find(({ of }) => of === loop && loop !== undefined))
    return loop === undefined ? null : { points: loopPoints(loop, yOf, label), label }
  }
  return {
    width,
    height,
    boxes: items.flatMap((item, place) =>
      item.kind !== "row"
        ? []
        : item.boxes.map((box) => ({
            of: box.of,
            name: box.name,
            box: boxAt(box, tops[place] ?? 0),
            loop: drawnLoop(box),
          })),
    ),
    frames: framesOf(items, tops),
    arrows: routes.map((route) => ({
      arrow: route.arrow,
      points: pointsOf(route, yOf, trackOf, items),
      label: labelOf(entries.find(({ of }) => of === route)),
    })),
  }
}

interface Loop {
  readonly box: RowBox
  readonly item: number
  readonly out: number
  readonly back: number
  readonly text: string
}

/** Only those that have just fired: the others are a number in their box. */
function loopsOf(items: readonly Item[], router: Router, fired: CompactOptions["fired"]): readonly Loop[] {
  return items.flatMap((item, place) => {
    if (item.kind !== "row") return []
    return item.boxes.flatMap((box): readonly Loop[] => {
      const labels = new Set(fired.filter(({ id }) => box.of.stays.includes(id)).map(({ label }) => label))
      if (labels.size === 0) return []
      const [out, back] = router.loopAt(box)
      return [{ box, item: place, out, back, text: labelText([...labels]) }]
    })
  })
}

/** A label, and the part of its gutter that it takes with its line. */
interface LabelEntry {
  readonly of: Loop | Route
  readonly gutter: number
  /** `upper` lines are at the top of their gutter, near to what is above it. */
  readonly zone: "lower" | "upper"
  readonly text: string
  readonly left: number
  readonly width: number
  /** With its line. */
  readonly span: Span
  /** Arrows of one net end in one point: they may share a line. */
  readonly net: string
  /** In the line that is nearest to its box. */
  readonly isNearest: boolean
}

function labelEntry(route: Route, router: Router, fired: CompactOptions["fired"]): readonly LabelEntry[] {
  const { arrow, from, gutters, xs } = route
  if (arrow.isInitial) return []
  const own = fired.filter(({ id }) => arrow.ids.includes(id)).map(({ label }) => label)
  const text = labelText([...new Set([...own, ...arrow.labels])])
  const [start = 0, next = start] = xs
  const [gutter] = gutters
  if (gutter === undefined) {
    const isOn = from.side === "right"
    const place = { gutter: isOn ? from.item : from.item + 1, zone: isOn ? "lower" : "upper" } as const
    const range = router.rangeOf(place.gutter)
    const wide = wideIn(range, text)
    const left = clamped((start + next - wide) / 2, wide, range)
    const span = { left, right: left + wide }
    return [{ of: route, ...place, text, left, width: wide, span, net: text, isNearest: false }]
  }
  const zone = from.side === "bottom" ? "upper" : "lower"
  const net = nameOfNet(route)
  return [entryAt({ of: route, gutter, zone, text, net }, { start, next, range: router.rangeOf(gutter) })]
}

function loopEntry(loop: Loop, router: Router): LabelEntry {
  const gutter = loop.item + 1
  const { out, back, text } = loop
  const range = router.rangeOf(gutter)
  const fits = Math.max(out, back) + BESIDE + widthOfText(text) <= range.right
  const [start, next] = fits
    ? [Math.max(out, back), Math.max(out, back)]
    : [Math.min(out, back), Math.min(out, back) - 1]
  const net = `${loop.box.of.node.id} loop`
  const entry = entryAt({ of: loop, gutter, zone: "upper", text, net }, { start, next, range })
  const { span } = entry
  return {
    ...entry,
    isNearest: true,
    span: { left: Math.min(span.left, out, back), right: Math.max(span.right, out, back) },
  }
}

interface Way {
  readonly start: number
  readonly next: number
  readonly range: Span
}

/** The label begins where the arrow leaves, on the side to which it goes; of a straight arrow, where there is room. */
function entryAt(
  entry: Pick<LabelEntry, "gutter" | "net" | "of" | "text" | "zone">,
  { start, next, range }: Way,
): LabelEntry {
  const wide = wideIn(range, entry.text)
  const isRight = next > start || (next === start && start + BESIDE + wide <= range.right)
  const left = clamped(isRight ? start + BESIDE : start - BESIDE - wide, wide, range)
  const span = { left: Math.min(start, next, left), right: Math.max(start, next, left + wide) }
  return { isNearest: false, ...entry, left, width: wide, span }
}

function wideIn({ left, right }: Span, text: string): number {
  return Math.min(widthOfText(text), right - left - 2 * MARGIN)
}

/** A label stays inside the frame of its gutter. */
function clamped(place: number, wide: number, { left, right }: Span): number {
  return Math.max(left + MARGIN, Math.min(place, right - MARGIN - wide))
}

/** `call.failed, call.lost, +2`. */
export function labelText(labels: readonly string[]): string {
  const [first = "", ...others] = labels
  let text = first
  let shown = 1
  for (const label of others) {
    const longer = `${text}, ${label}`
    if (longer.length > LABEL_COLUMNS) break
    text = longer
    shown += 1
  }
  return shown === labels.length ? text : `${text}, +${labels.length - shown}`
}

interface Gutter {
  readonly height: number
  /** The upper side of each label's line, from the gutter's upper side. */
  readonly lineOf: ReadonlyMap<LabelEntry, number>
  /** Where a route runs sideways. */
  readonly trackOf: (route: Route) => number
}

interface GutterParts {
  readonly entries: readonly LabelEntry[]
  readonly routes: readonly Route[]
  readonly items: readonly Item[]
}

/** From top to bottom: labels of arrows from above, arrows that come from elsewhere, labels of arrows from below. */
function gutterOf(gutter: number, { entries, routes, items }: GutterParts): Gutter {
  const own = entries.filter((entry) => entry.gutter === gutter)
  const upper = packed(own.filter(({ zone }) => zone === "upper"))
  const lower = packed(own.filter(({ zone }) => zone === "lower"))
  const nets = netsIn(gutter, routes)
  const tracks = packed(nets)
  const { above, below } = roomOf(gutter, routes, items)
  const trackTop = above + upper.count * LABEL_LINE
  const lowerTop = trackTop + tracks.count * TRACK
  const lineOf = new Map<LabelEntry, number>()
  for (const [entry, line] of upper.lineOf) lineOf.set(entry, above + line * LABEL_LINE)
  // The first line is the nearest to the boxes below.
  for (const [entry, line] of lower.lineOf)
    lineOf.set(entry, lowerTop + (lower.count - 1 - line) * LABEL_LINE)
  const trackOf = (route: Route): number => {
    const entry = own.find(({ of }) => of === route)
    if (entry !== undefined) return (lineOf.get(entry) ?? 0) + LABEL_LINE - 1
    const net = nets.find((one) => one.net === nameOfNet(route))
    return trackTop + ((net === undefined ? 0 : tracks.lineOf.get(net)) ?? 0) * TRACK + TRACK / 2
  }
  return { height: lowerTop + lower.count * LABEL_LINE + below, lineOf, trackOf }
}

interface Net {
  readonly net: string
  readonly span: Span
}

function nameOfNet({ arrow, to }: Route): string {
  return `${arrow.target} ${to.side}`
}

/** The ways sideways in a gutter that is not an arrow's first one; those to one state are one line. */
function netsIn(gutter: number, routes: readonly Route[]): readonly Net[] {
  const nets = new Map<string, Net>()
  for (const route of routes) {
    const place = route.gutters.indexOf(gutter)
    const [from, to] = [route.xs[place] ?? 0, route.xs[place + 1] ?? 0]
    if (place < 1 || from === to) continue
    const net = nameOfNet(route)
    const known = nets.get(net)?.span ?? { left: from, right: from }
    const span = { left: Math.min(known.left, from, to), right: Math.max(known.right, from, to) }
    nets.set(net, { net, span })
  }
  return [...nets.values()]
}

/** Arrowheads and dots need more room than lines. */
function roomOf(
  gutter: number,
  routes: readonly Route[],
  items: readonly Item[],
): { readonly above: number; readonly below: number } {
  const isEdge = gutter === 0 || gutter === items.length
  const isMet = (side: End["side"], item: number): boolean =>
    routes.some(({ arrow, to, gutters }) => {
      const enters = arrow.isInitial || gutters.length > 0
      return enters && to.item === item && to.side === side
    })
  const hasStart = routes.some(({ arrow, to }) => arrow.isInitial && to.item === gutter)
  const bare = isEdge ? MARGIN : BARE
  return {
    above: isMet("bottom", gutter - 1) ? ARROWHEAD : bare,
    below: hasStart ? START : isMet("top", gutter) ? ARROWHEAD : bare,
  }
}

interface Places {
  /** Of items and of gutters. */
  readonly tops: readonly number[]
  readonly starts: readonly number[]
  readonly height: number
}

function placesOf(items: readonly Item[], gutters: readonly Gutter[]): Places {
  const tops: number[] = []
  const starts: number[] = []
  let y = 0
  for (const [place, gutter] of gutters.entries()) {
    starts.push(y)
    y += gutter.height
    tops.push(y)
    y += items[place]?.height ?? 0
  }
  return { tops, starts, height: Math.ceil(y) }
}

function framesOf(items: readonly Item[], tops: readonly number[]): readonly CompactFrame[] {
  return items.flatMap((item, place) => {
    if (item.kind !== "top") return []
    const bottom = items.findIndex((one) => one.kind === "bottom" && one.frame.of === item.frame.of)
    return [{ of: item.frame.of, box: frameBox(item.frame, tops[place] ?? 0, tops[bottom] ?? 0) }]
  })
}

function frameBox({ left, right }: Frame, top: number, bottom: number): Box {
  return { x: left + 0.5, y: top, width: right - left - 1, height: bottom - top }
}

function pointsOf(
  route: Route,
  yOf: (end: End) => number,
  trackOf: (route: Route, gutter: number) => number,
  items: readonly Item[],
): readonly Point[] {
  const { arrow, from, to, gutters, xs } = route
  const [first = 0, second = first] = xs
  if (arrow.isInitial) return [-ARROWHEAD, 0].map((up) => ({ x: first, y: yOf(to) + up }))
  if (gutters.length === 0) {
    const y = yOf(from) + (items[from.item]?.height ?? 0) / 2 + (from.side === "left" ? BACK : 0)
    return [first, second].map((x) => ({ x, y }))
  }
  const points: Point[] = [{ x: first, y: yOf(from) }]
  for (const [place, gutter] of gutters.entries()) {
    const [x = 0, next = x] = xs.slice(place)
    if (x === next) continue
    const y = trackOf(route, gutter)
    points.push({ x, y }, { x: next, y })
  }
  return [...points, { x: xs.at(-1) ?? first, y: yOf(to) }]
}

function loopPoints(
  { item, out, back }: Loop,
  yOf: (end: End) => number,
  label: CompactLabel | null,
): readonly Point[] {
  const top = yOf({ item, side: "bottom", box: null })
  const y = (label?.box.y ?? top) + (label?.box.height ?? ARROWHEAD)
  return [
    { x: out, y: top },
    { x: out, y },
    { x: back, y },
    { x: back, y: top },
  ]
}
