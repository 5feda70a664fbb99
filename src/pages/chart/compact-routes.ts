/**
 * The ways of a compact chart's arrows: through which gutters between the rows each arrow goes, and at which x. An arrow
 * leaves a box at its lower or upper side, and passes the rows between in the columns beside their boxes.
 */

import type { FoldedArrow, FoldedChart } from "./folding.ts"
import { passagesOf } from "./compact-rows.ts"
import type { Frame, Item, RowBox, Span } from "./compact-rows.ts"

export type Side = "bottom" | "left" | "right" | "top"

/** Where an arrow begins or ends: at a side of a box or of a frame's line. */
export interface End {
  /** Index of its row, or of its frame's line. */
  readonly item: number
  readonly side: Side
  /** Null for a frame. */
  readonly box: RowBox | null
}

export interface Route {
  readonly arrow: FoldedArrow
  readonly from: End
  readonly to: End
  /** The gutters that it goes through, in its direction; empty for neighbours in a row, and at a start. */
  readonly gutters: readonly number[]
  /** Where it begins, and where it is after each of its gutters. */
  readonly xs: readonly number[]
}

/** px */
const PORT = 8
const TRACK = 7
/** A frame's ports are this far apart. */
const FRAME_PORT = 12
/** A dot is this far from the left side of the state in which a state begins. */
const START = 8

/** Ports of one kind are on every third place, so that arrows in and out of stacked boxes do not cover each other. */
const KINDS = { exit: 0, top: 1, bottom: 2 } as const

export class Router {
  readonly #items: readonly Item[]
  readonly #boxes = new Map<string, { readonly item: number; readonly box: RowBox }>()
  readonly #frames = new Map<string, { readonly top: number; bottom: number; readonly frame: Frame }>()
  readonly #taken = new Map<string, Set<number>>()
  readonly #entries = new Map<string, number>()
  readonly #passing = new Map<string, number>()
  readonly #passed = new Map<string, number>()
  #frameEnds = 0

  constructor(items: readonly Item[]) {
    this.#items = items
    for (const [place, item] of items.entries()) {
      if (item.kind === "row")
        for (const box of item.boxes) this.#boxes.set(box.of.node.id, { item: place, box })
      else if (item.kind === "top")
        this.#frames.set(item.frame.of.node.id, { top: place, bottom: place, frame: item.frame })
      else {
        const open = this.#frames.get(item.frame.of.node.id)
        if (open !== undefined) open.bottom = place
      }
    }
  }

  /** Starts first and straight arrows next, so that the others make room for them. */
  routes({ arrows }: Pick<FoldedChart, "arrows">): readonly Route[] {
    const starts = arrows.filter(({ isInitial }) => isInitial).map((arrow) => this.#startOf(arrow))
    const others = arrows
      .filter(({ isInitial }) => !isInitial)
      .map((arrow) => ({ arrow, ...this.#endsOf(arrow) }))
    const straight = new Map(
      others.filter((one) => this.#isStraight(one)).map((one) => [one.arrow, this.#straight(one)]),
    )
    return [...starts, ...others.map((one) => straight.get(one.arrow) ?? this.#routed(one))]
  }

  /** Two free places at the right of a box's lower side, for an arrow that returns. */
  loopAt(box: RowBox): readonly [out: number, back: number] {
    const right = box.x + box.width
    const out = this.#port({ item: 0, side: "bottom", box }, right, null)
    return [out, this.#port({ item: 0, side: "bottom", box }, out - 2 * PORT, null)]
  }

  /** Between which x a gutter's arrows stay. */
  rangeOf(gutter: number): Span {
    const above = this.#items[gutter - 1] ?? this.#items[0]
    return above?.inside ?? { left: 0, right: 0 }
  }

  #startOf(arrow: FoldedArrow): Route {
    const { top = 0, frame } = this.#frames.get(arrow.target) ?? {}
    const { item = top, box = null } = this.#boxes.get(arrow.target) ?? {}
    const x = (box?.x ?? frame?.left ?? 0) + START
    if (box !== null) this.#take(box, "top", x)
    const end = { item, side: "top", box } as const
    return { arrow, from: end, to: end, gutters: [], xs: [x, x] }
  }

  #endsOf({ source, target }: FoldedArrow): Pick<Route, "from" | "gutters" | "to"> {
    const [from, to] = [this.#place(source), this.#place(target)]
    const end = (place: typeof from, item: number, side: Side): End => ({ item, side, box: place.box })
    const down = (a: number, b: number): Pick<Route, "from" | "gutters" | "to"> => ({
      from: end(from, a, "bottom"),
      to: end(to, b, "top"),
      gutters: range(a + 1, b),
    })
    const up = (a: number, b: number): Pick<Route, "from" | "gutters" | "to"> => ({
      from: end(from, a, "top"),
      to: end(to, b, "bottom"),
      gutters: range(b + 1, a).toReversed(),
    })
    // A frame's own line is its upper one for arrows inside it.
    if (from.top < to.top && to.top < from.bottom) return down(from.top, to.top)
    if (to.top < from.top && from.top < to.bottom) return up(from.top, to.top)
    if (from.bottom < to.top) return down(from.bottom, to.top)
    if (to.bottom < from.top) return up(from.top, to.bottom)
    return this.#inRow(from, to)
  }

  #inRow(from: Placed, to: Placed): Pick<Route, "from" | "gutters" | "to"> {
    const item = from.top
    const row = this.#items[item]
    const boxes = row?.kind === "row" ? row.boxes : []
    const steps = boxes.findIndex((box) => box === to.box) - boxes.findIndex((box) => box === from.box)
    const end = (place: Placed, side: Side): End => ({ item, side, box: place.box })
    if (Math.abs(steps) === 1) {
      const [out, into] = steps === 1 ? (["right", "left"] as const) : (["left", "right"] as const)
      return { from: end(from, out), to: end(to, into), gutters: [] }
    }
    const side = steps > 0 ? "top" : "bottom"
    return { from: end(from, side), to: end(to, side), gutters: [steps > 0 ? item : item + 1] }
  }

  #place(id: string): Placed {
    const box = this.#boxes.get(id)
    if (box !== undefined) return { top: box.item, bottom: box.item, box: box.box }
    const { top = 0, bottom = 0 } = this.#frames.get(id) ?? {}
    return { top, bottom, box: null }
  }

  /** From a box to the one above or under it, without a row between. */
  #isStraight({ from, to, gutters }: Omit<Route, "xs">): boolean {
    if (from.box === null || to.box === null || from.side === to.side || gutters.length === 0) return false
    const crossed = this.#items.slice(Math.min(from.item, to.item) + 1, Math.max(from.item, to.item))
    return from.box.x === to.box.x && crossed.every(({ kind }) => kind !== "row")
  }

  #straight(one: Omit<Route, "xs">): Route {
    const { box } = one.from
    const middle = (box?.x ?? 0) + (box?.width ?? 0) * (one.from.side === "bottom" ? 0.35 : 0.65)
    const x = this.#port(one.from, middle, "exit")
    if (one.to.box !== null) this.#take(one.to.box, one.to.side, x)
    return { ...one, xs: [x, ...one.gutters.map(() => x)] }
  }

  #routed({ arrow, from, to, gutters }: Omit<Route, "xs">): Route {
    const route = { arrow, from, to, gutters }
    if (gutters.length === 0) {
      const [a, b] = [from.box, to.box]
      const x = ({ x: left = 0, width = 0 }: Partial<RowBox>, side: Side): number =>
        side === "left" ? left : left + width
      return { ...route, xs: [x(a ?? {}, from.side), x(b ?? {}, to.side)] }
    }
    const end = to.box === null ? null : this.#entry(to)
    const start = from.box === null ? null : this.#port(from, end ?? middleOf(from.box), "exit")
    const net = `${arrow.target} ${to.side}`
    const aims = this.#aims({ gutters, start, end, net })
    const first = start ?? aims[0] ?? this.#frameEnd(from)
    const xs = [first]
    for (const [place, gutter] of gutters.entries()) {
      const x = xs.at(-1) ?? first
      const aim = aims.slice(place).find((one) => one !== null) ?? x
      const { left, right } = this.rangeOf(gutter)
      const isHere = aims[place] !== null || (aim > left && aim < right)
      xs.push(isHere ? aim : x)
    }
    return { ...route, xs }
  }

  /** For each gutter the x at which the arrow must leave it, if anything demands one. */
  #aims({ gutters, start, end, net }: Wanted): readonly (number | null)[] {
    let now = start ?? end
    return gutters.map((gutter, place) => {
      const next = gutters[place + 1]
      if (next === undefined) return end
      const crossed = Math.min(gutter, next)
      const item = this.#items[crossed]
      if (item?.kind !== "row") return null
      now = this.#passage(item, crossed, { near: [now ?? end, end ?? now], net })
      return now
    })
  }

  /** The passage of a row with the shortest way. Arrows to one state share a place in it. */
  #passage(
    row: Extract<Item, { kind: "row" }>,
    item: number,
    { near, net }: { readonly near: readonly (number | null)[]; readonly net: string },
  ): number {
    const cost = ({ left, right }: Span): number => {
      const middle = (left + right) / 2
      return (
        near.reduce<number>((sum, x) => sum + (x === null ? 0 : distance(x, { left, right })), 0) +
        middle / 1e6
      )
    }
    const passages = passagesOf(row).filter(({ left, right }) => right - left >= TRACK)
    const [best = { left: row.inside.left, right: row.inside.right }] = passages.toSorted(
      (a, b) => cost(a) - cost(b),
    )
    const key = `${item} ${best.left}`
    const known = this.#passed.get(`${key} ${net}`)
    if (known !== undefined) return known
    const used = this.#passing.get(key) ?? 0
    this.#passing.set(key, used + 1)
    const x = trackIn(best, used)
    this.#passed.set(`${key} ${net}`, x)
    return x
  }

  /** Arrows into one side of a box end in one point. */
  #entry(to: End): number {
    const key = `${to.box?.of.node.id ?? ""} ${to.side}`
    const known = this.#entries.get(key)
    if (known !== undefined) return known
    const x = this.#port(to, to.box === null ? 0 : middleOf(to.box), to.side === "top" ? "top" : "bottom")
    this.#entries.set(key, x)
    return x
  }

  #frameEnd({ item }: End): number {
    const { left, right } = this.#items[item]?.inside ?? { left: 0, right: 0 }
    this.#frameEnds += 1
    const x = (left + right) / 2 + this.#frameEnds * FRAME_PORT
    return x < right ? x : (left + right) / 2
  }

  /** The free port of a side that is nearest to an x. */
  #port({ side, box }: End, near: number, kind: keyof typeof KINDS | null): number {
    if (box === null) return near
    const count = Math.floor((box.width - 2 * PORT) / PORT) + 1
    const places = Array.from({ length: count }, (_, place) => place)
    const xOf = (place: number): number => box.x + PORT + place * PORT
    const taken = this.#takenOf(box, side)
    const free = places.filter((place) => !taken.has(xOf(place)))
    const own = free.filter((place) => kind === null || place % 3 === KINDS[kind])
    const [best = 0] = (own.length > 0 ? own : free.length > 0 ? free : places).toSorted(
      (a, b) => Math.abs(xOf(a) - near) - Math.abs(xOf(b) - near),
    )
    taken.add(xOf(best))
    return xOf(best)
  }

  #take(box: RowBox, side: Side, x: number): void {
    this.#takenOf(box, side).add(x)
  }

  #takenOf(box: RowBox, side: Side): Set<number> {
    const key = `${box.of.node.id} ${side}`
    const taken = this.#taken.get(key) ?? new Set()
    this.#taken.set(key, taken)
    return taken
  }
}

interface Placed {
  readonly top: number
  readonly bottom: number
  readonly box: RowBox | null
}

interface Wanted {
  readonly gutters: readonly number[]
  readonly start: number | null
  readonly end: number | null
  readonly net: string
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, step) => from + step)
}

function middleOf({ x, width }: RowBox): number {
  return x + width / 2
}

function distance(x: number, { left, right }: Span): number {
  return x < left ? left - x : x > right ? x - right : 0
}

/** From the middle of a passage to both sides; when it is full, places are used again. */
function trackIn({ left, right }: Span, used: number): number {
  const middle = (left + right) / 2
  const each = Math.max(1, Math.floor((right - left) / 2 / TRACK))
  const place = used % (2 * each - 1)
  const step = Math.ceil(place / 2) * TRACK
  return middle + (place % 2 === 1 ? step : -step)
}
