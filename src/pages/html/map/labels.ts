/** Labels of a map: each beside its place, inside of the picture, and none on another. */

import type { Px } from "./projection.ts"

export interface Label {
  readonly text: string
  readonly at: Px
  readonly kind: "door" | "store" | "street" | "vehicle"
}

export interface Rectangle {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface Placed {
  readonly text: string
  readonly kind: Label["kind"]
  /** Where its text begins, is centred or ends, at the line of its letters. */
  readonly x: number
  readonly y: number
  readonly anchor: "end" | "middle" | "start"
  readonly box: Rectangle
}

interface Placing {
  readonly size: { readonly width: number; readonly height: number }
  /** What no label may cover. */
  readonly taken: readonly Rectangle[]
  /** The first ones choose first. */
  readonly labels: readonly Label[]
  /** px between a place and its label. */
  readonly away: number
}

/** px of a wide letter at the size of the text, so that a box is never too small. */
const LETTER_PX = { place: 7.2, street: 6 }
const LINE_PX = 16
const EDGE_PX = 4
const LETTERS_MAX = 28

/** A label without a free place moves further away; a street's name is then left out. */
export function placeLabels({ size, taken, labels, away }: Placing): readonly Placed[] {
  const boxes = [...taken]
  return labels.flatMap((label) => {
    const found = candidatesOf(label, away).find(
      ({ box }) => isInside(box, size) && boxes.every((other) => !overlap(box, other)),
    )
    if (found === undefined) return []
    boxes.push(found.box)
    return [found]
  })
}

/** Beside the place first, then above and below, then further away in rings. */
function candidatesOf({ text, at: [x, y], kind }: Label, away: number): readonly Placed[] {
  const isStreet = kind === "street"
  const shown = text.length > LETTERS_MAX ? `${text.slice(0, LETTERS_MAX - 1)}…` : text
  const width = shown.length * (isStreet ? LETTER_PX.street : LETTER_PX.place)
  const rings = isStreet ? [4] : [away, away + LINE_PX, away + 2 * LINE_PX, away + 4 * LINE_PX]
  return rings.flatMap((out) =>
    SIDES[kind].map(({ across, down }): Placed => {
      const anchor = across > 0 ? "start" : across < 0 ? "end" : "middle"
      const left = x + across * out - (across > 0 ? 0 : across < 0 ? width : width / 2)
      const top = y + down * (out + LINE_PX / 2) - LINE_PX / 2
      return {
        text: shown,
        kind,
        x: x + across * out,
        y: top + 12,
        anchor,
        box: { x: left, y: top, width, height: LINE_PX },
      }
    }),
  )
}

const BESIDE = [
  { across: 1, down: 0 },
  { across: -1, down: 0 },
]
const ABOVE = [
  { across: 0, down: -1 },
  { across: 0, down: 1 },
]
const ASKEW = [
  { across: 1, down: -1 },
  { across: -1, down: -1 },
  { across: 1, down: 1 },
  { across: -1, down: 1 },
]

/** A vehicle often stands at a store or a door: its name goes above, theirs beside. */
const SIDES = {
  store: [...BESIDE, ...ABOVE, ...ASKEW],
  door: [...BESIDE, ...ABOVE, ...ASKEW],
  vehicle: [...ABOVE, ...BESIDE, ...ASKEW],
  street: [...ABOVE, ...BESIDE],
} as const

function isInside({ x, y, width, height }: Rectangle, size: Placing["size"]): boolean {
  return (
    x >= EDGE_PX && y >= EDGE_PX && x + width <= size.width - EDGE_PX && y + height <= size.height - EDGE_PX
  )
}

export function overlap(one: Rectangle, other: Rectangle): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  )
}
