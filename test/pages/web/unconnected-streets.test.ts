/** Streets that do not lead to the sites and back are drawn apart on the map of a run, and its signs say how many and how long. */

import { expect, test } from "vitest"
import { groundAround } from "../../../src/pages/web/replay/seen/ground.ts"
import { paletteFrom } from "../../../src/pages/web/replay/seen/palette.ts"
import { drawStreets, streetMap, unconnectedWords } from "../../../src/pages/web/replay/map/streets-layer.ts"
import { madeUpHead } from "./made-up-course.ts"

const HEAD = madeUpHead()
const [latitude, longitude] = HEAD.sites[0]?.at ?? [0, 0]
const LOOSE = [
  [latitude, longitude],
  [latitude + 0.001, longitude],
] as const

/** What is drawn with dashes, in the order of the calls. */
function dashedCalls(head: typeof HEAD): readonly string[] {
  const calls: string[] = []
  let isDashed = false
  const own: Record<string, unknown> = {
    measureText: () => ({ width: 10 }),
    setLineDash: (dashes: readonly number[]) => (isDashed = dashes.length > 0),
  }
  const canvas = new Proxy(own, {
    get: (_, name) =>
      own[String(name)] ??
      ((...values: readonly unknown[]) => {
        if (isDashed) calls.push([String(name), ...values].join(" "))
      }),
  }) as unknown as CanvasRenderingContext2D
  const view = { width: 400, height: 400, middle: { east: 0, north: 0 }, metresPerPx: 1 }
  const streets = streetMap(head, {}, groundAround([latitude, longitude]))
  drawStreets(canvas, { streets, view, palette: paletteFrom((name) => name) })
  return calls
}

test("their lines are dashed, and no others", () => {
  expect(dashedCalls(HEAD)).toEqual([])
  expect(dashedCalls({ ...HEAD, unconnected: { parts: 1, metres: 111, lines: [LOOSE] } })).toEqual([
    "beginPath",
    expect.stringMatching(/^moveTo /),
    expect.stringMatching(/^lineTo /),
    "stroke",
  ])
})

test.each([
  [{ parts: 1, metres: 640 }, "1 part not connected, 640 m"],
  [{ parts: 3, metres: 1_240 }, "3 parts not connected, 1.2 km"],
])("the sign of %j says their number and length", (some, words) => {
  expect(unconnectedWords({ ...some, lines: [] })).toBe(words)
})
