/** The page "When was it lost?": entries, decisions and sentences of an answer, and the shape of its curve. */

import { describe, expect, test } from "vitest"
import { curveShape, entryAt, timeTicks } from "../../../src/pages/web/moment/curve-shape.ts"
import {
  bestOf,
  changeText,
  decisionsOf,
  entriesOf,
  footWords,
  opensAt,
  reportText,
} from "../../../src/pages/web/moment/figures.ts"
import type { Figures } from "../../../src/pages/web/moment/figures.ts"
import { COARSE, IN_TIME, LATE, lateWith } from "./made-up-moment.ts"

function figuresOf({ figures }: typeof LATE): Figures {
  if (figures === null) throw new Error("the answer has no figures")
  return figures
}

const late = figuresOf(LATE)
const entries = entriesOf(late, "UTC")

describe("entries", () => {
  test("have numbers for changes of five points and more alone", () => {
    expect(entries.map(({ change }) => change)).toEqual([null, null, 8, null, 6, 57, null])
    expect([changeText(57), changeText(-8)]).toEqual(["+57", "−8"])
  })

  test("name the moment and its cause, and those after it are later", () => {
    expect(entries.filter(({ isMoment }) => isMoment)).toMatchObject([
      { number: 23, time: "12:41:08", cause: "the task was given to a runner (…3007)" },
    ])
    expect(entries.filter(({ isLater }) => isLater).map(({ number }) => number)).toEqual([24])
    expect(opensAt(entries, late)).toBe(5)
  })

  test("without a moment none is marked, and the page opens at the largest step", () => {
    const coarse = figuresOf(COARSE)
    const without = entriesOf(coarse, "UTC")
    expect(without.some(({ isMoment, isLater }) => isMoment || isLater)).toBe(false)
    expect(opensAt(without, coarse)).toBe(5)
    expect(opensAt(without, { ...coarse, step: null })).toBe(6)
  })
})

describe("decisions", () => {
  const shown = decisionsOf(late, "UTC")

  test("are green below half, amber where the interval spans it, and grey without a difference", () => {
    expect(shown.map(({ tone, said, when }) => [tone, when, said])).toEqual([
      ["ok", "by 12:41:08", "Saves 142 of 200 futures"],
      ["wait", "by 12:41:08", "Saves 82 of 200 futures; from a half it cannot be told"],
      ["idle", "at 12:41:08", "No difference beyond chance"],
    ])
    expect(bestOf(shown)?.id).toBe("runner")
  })

  test("that help before the largest step alone are shown there", () => {
    const decisions = late.decisions.map((one) => ({ ...one, last: null }))
    expect(decisionsOf({ ...late, decisions }, "UTC")[0]).toMatchObject({ when: "by 12:38:20" })
  })

  test("none is the best when none makes a difference", () => {
    expect(bestOf(decisionsOf(figuresOf(COARSE), "UTC"))).toBeNull()
  })
})

describe("sentences", () => {
  test("say where the chances come from, and that they are not calibrated yet", () => {
    expect(footWords(late)).toBe(
      "8,200 futures from 7 moments, the same chance at each, seed 1; people and things are drawn from stadium.yaml; not calibrated yet.",
    )
    const calibrated = figuresOf(lateWith({ calibration: { moments: 2100, expected: 0.7, happened: 0.68 } }))
    expect(footWords(calibrated)).toMatch(/of 2,100 moments with 70 % on average, 68 % happened\.$/)
  })

  test("of a report are those of the answer, also of one without a moment", () => {
    expect(reportText(LATE).split("\n")).toEqual([LATE.outcome, LATE.headline, LATE.best, footWords(late)])
    expect(reportText(IN_TIME)).toBe(IN_TIME.outcome)
  })
})

describe("the curve", () => {
  const plot = { left: 100, right: 1100, top: 0, bottom: 200 }
  const factMs = Date.parse(LATE.at ?? "")

  test("holds its value between two entries and goes up to the fact at its time", () => {
    const { xs, line, factX, y } = curveShape({ entries, factMs, scale: "time", plot })
    expect(xs[0]).toBe(100)
    expect(factX).toBe(1040)
    expect(xs.every((x, index) => index === 0 || x > (xs[index - 1] ?? 0))).toBe(true)
    expect(line.startsWith(`M 100.0 ${y(0.12).toFixed(1)} H ${xs[1]?.toFixed(1)}`)).toBe(true)
    expect(line.endsWith(`H 1040.0 V ${y(1).toFixed(1)} H 1100.0`)).toBe(true)
  })

  test("by rank gives each entry the same width", () => {
    const { xs } = curveShape({ entries, factMs, scale: "rank", plot })
    const widths = new Set(xs.slice(1).map((x, index) => Math.round(x - (xs[index] ?? 0))))
    expect([...widths]).toEqual([134])
  })

  test("a press chooses the entry that holds there, and the first one before all", () => {
    expect([entryAt([10, 20, 30], 25), entryAt([10, 20, 30], 30), entryAt([10, 20, 30], 2)]).toEqual([
      1, 2, 0,
    ])
  })

  test("has ticks at whole minutes, at most as many as fit", () => {
    const from = Date.parse("2026-03-02T12:01:20Z")
    const ticks = timeTicks(from, from + 42 * 60_000, 9).map((ms) => new Date(ms).toISOString().slice(11, 16))
    expect(ticks).toEqual(["12:05", "12:10", "12:15", "12:20", "12:25", "12:30", "12:35", "12:40"])
  })
})
