/** The chart that fits a panel: whatever is folded, nothing is lost, nothing covers another part, and nothing leaves the picture. */

import { describe, expect, test } from "vitest"
import type { AnyStateMachine } from "xstate"
import type { Box, Point } from "../../../src/pages/chart/box.ts"
import { chartOf } from "../../../src/pages/chart/chart-document.ts"
import { compactLayout, labelText } from "../../../src/pages/chart/compact-layout.ts"
import type { CompactLayout } from "../../../src/pages/chart/compact-layout.ts"
import { HEADER, nameLines } from "../../../src/pages/chart/compact-rows.ts"
import { foldableIds, foldedChart } from "../../../src/pages/chart/folding.ts"
import { registeredMachines } from "../../../src/pages/chart/registered-machine.ts"
import { tollGate } from "./toll-gate.ts"

const drawn = [{ id: "toll-gate@1", machine: tollGate as AnyStateMachine }, ...registeredMachines()]

/** The widths of a panel on a desk and on a phone. */
const WIDTHS = [524, 330]

/** Nothing is folded, all is, all but one state, and one state alone. */
function foldsOf(ids: readonly string[]): readonly ReadonlySet<string>[] {
  return [
    new Set<string>(),
    new Set(ids),
    ...ids.map((open) => new Set(ids.filter((id) => !open.startsWith(id)))),
    ...ids.map((id) => new Set([id])),
  ]
}

function overlap(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
}

function isWithin(inner: Box, outer: Box): boolean {
  return (
    inner.x >= outer.x &&
    inner.y >= outer.y &&
    inner.x + inner.width <= outer.x + outer.width &&
    inner.y + inner.height <= outer.y + outer.height
  )
}

function pairs<T>(items: readonly T[]): readonly (readonly [T, T])[] {
  return items.flatMap((a, index) => items.slice(index + 1).map((b) => [a, b] as const))
}

/** The straight pieces of an arrow, as thin boxes. */
function piecesOf(points: readonly Point[]): readonly Box[] {
  return points.slice(1).map((to, place) => {
    const from = points[place] ?? to
    return {
      x: Math.min(from.x, to.x),
      y: Math.min(from.y, to.y),
      width: Math.abs(from.x - to.x),
      height: Math.abs(from.y - to.y),
    }
  })
}

/** Within the box, without its line: an arrow may touch the line. */
function insideOf({ x, y, width, height }: Box): Box {
  return { x: x + 1, y: y + 1, width: width - 2, height: height - 2 }
}

function labelsOf({ arrows, boxes }: CompactLayout): readonly Box[] {
  return [...arrows, ...boxes.flatMap(({ loop }) => loop ?? [])].flatMap(({ label }) => label?.box ?? [])
}

describe.each(drawn)("the folded chart of $id", ({ id, machine }) => {
  const chart = chartOf(id, machine)
  const cases = foldsOf(foldableIds(chart)).flatMap((folds) => WIDTHS.map((width) => ({ folds, width })))
  const made = cases.map(({ folds, width }) => {
    const folded = foldedChart(chart, folds)
    const fired = chart.edges.filter(({ kind }) => kind !== "initial").slice(0, 3)
    return { folds, folded, layout: compactLayout(folded, { width, fired }) }
  })

  test("has every transition as an arrow, in its state, or inside one fold", () => {
    for (const { folds, folded } of made) {
      const kept = folded.nodes.flatMap(({ stays, inside }) => [...stays, ...inside])
      const arrows = new Set(folded.arrows.flatMap(({ ids }) => ids))
      expect(kept.filter((edge) => arrows.has(edge))).toEqual([])
      expect([...kept, ...arrows].toSorted(), [...folds].join()).toEqual(
        chart.edges.map((edge) => edge.id).toSorted(),
      )
      const hidden = folded.nodes.filter(({ isFolded }) => isFolded).flatMap(({ inside }) => inside)
      const within = chart.edges.filter(({ source, targets }) =>
        [...folds].some((fold) =>
          [source, ...targets].every((end) => end === fold || end.startsWith(`${fold}.`)),
        ),
      )
      expect(hidden.toSorted()).toEqual(within.map((edge) => edge.id).toSorted())
    }
  })

  test("draws every state that is not inside a fold, once, and the frames around them", () => {
    for (const { folded, layout } of made) {
      const [root] = chart.nodes
      const shown = [...layout.boxes, ...layout.frames].map(({ of }) => of.node.id)
      expect(new Set(shown).size).toBe(shown.length)
      const wanted = folded.nodes.map(({ node }) => node.id)
      expect(wanted.filter((one) => !shown.includes(one) && one !== root?.id)).toEqual([])
      for (const { of, box } of [...layout.boxes, ...layout.frames]) {
        const frame = layout.frames.find((one) => one.of.node.id === of.node.parent)
        if (frame !== undefined) expect([of.node.id, isWithin(box, frame.box)]).toEqual([of.node.id, true])
      }
    }
  })

  test("keeps boxes and labels apart and inside the picture", () => {
    for (const { layout } of made) {
      const boxes = layout.boxes.map(({ box }) => box)
      const labels = labelsOf(layout)
      const picture = { x: 0, y: 0, width: layout.width, height: layout.height }
      expect([...boxes, ...labels].filter((box) => !isWithin(box, picture))).toEqual([])
      expect(pairs([...boxes, ...labels]).filter(([a, b]) => overlap(a, b))).toEqual([])
      // No label lies over the side of a frame.
      const sides = layout.frames.flatMap(({ box }) => [
        { ...box, width: 1 },
        { ...box, x: box.x + box.width, width: 1 },
      ])
      expect(labels.filter((label) => sides.some((side) => overlap(side, label)))).toEqual([])
      const headers = layout.frames.map(({ box }) => ({ ...box, height: HEADER }))
      expect(labels.filter((label) => headers.some((header) => overlap(header, label)))).toEqual([])
    }
  })

  test("leads each arrow from the line of its state to that of the other, around the boxes", () => {
    for (const { layout } of made) {
      const places = new Map([...layout.boxes, ...layout.frames].map(({ of, box }) => [of.node.id, box]))
      for (const { arrow, points } of layout.arrows) {
        const [from, to] = [places.get(arrow.source), places.get(arrow.target)]
        const [first, last] = [points[0], points.at(-1)]
        if (to === undefined || first === undefined || last === undefined) throw new Error(arrow.ids.join())
        expect([arrow.ids, isOnLine(last, to)]).toEqual([arrow.ids, true])
        if (!arrow.isInitial && from !== undefined)
          expect([arrow.ids, isOnLine(first, from)]).toEqual([arrow.ids, true])
        const crossed = layout.boxes.filter(({ box }) =>
          piecesOf(points).some((piece) => overlap(insideOf(box), thick(piece))),
        )
        expect([arrow.ids, crossed.map(({ of }) => of.node.id)]).toEqual([arrow.ids, []])
      }
    }
  })
})

/** A frame is met at its line, or under its name from inside. */
function isOnLine({ x, y }: Point, box: Box): boolean {
  const isBeside = x >= box.x && x <= box.x + box.width
  const sides = [box.y, box.y + box.height, box.y + HEADER]
  const isLevel = y >= box.y && y <= box.y + box.height
  return (isBeside && sides.includes(y)) || (isLevel && (x === box.x || x === box.x + box.width))
}

function thick({ x, y, width, height }: Box): Box {
  return { x, y, width: Math.max(0.1, width), height: Math.max(0.1, height) }
}

describe("texts of a folded chart", () => {
  test("labels that do not fit are counted, and the first is whole", () => {
    expect(labelText(["bot.aborted"])).toBe("bot.aborted")
    expect(labelText(["ended", "aborted", "left"])).toBe("ended, aborted, left")
    expect(labelText(["call.failed", "after the lease", "call.lost"])).toBe("call.failed, +2")
    expect(labelText(["after pause before the next attempt", "b"])).toBe(
      "after pause before the next attempt, +1",
    )
  })

  test("long names are broken after an underscore", () => {
    expect(nameLines("at_store")).toEqual(["at_store"])
    expect(nameLines("en_route_to_customer")).toEqual(["en_route_to_", "customer"])
    expect(nameLines("out of order for long")).toEqual(["out of order", "for long"])
  })
})
