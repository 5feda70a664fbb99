/** The search over moments finds the largest step with few evaluations, and samples no more than the interval needs. */

import { expect, test } from "vitest"
import { curveOf } from "../../../../src/simulation/fleet/moment/curve.ts"
import { Sampled, sample } from "../../../../src/simulation/fleet/moment/odds.ts"
import { shareOf } from "../../../../src/simulation/fleet/fit/rates.ts"
import type { Share } from "../../../../src/simulation/fleet/fit/rates.ts"

function curve(
  probability: (at: number) => number,
  { pointsMax = 32, smallest = 0.1, isOver = (): boolean => false } = {},
) {
  const evaluate = (at: number): Share => shareOf(Math.round(probability(at) * 200), 200) as Share
  return curveOf({ from: 0, to: 999, evaluate, smallest, pointsMax, isOver })
}

function largestStep(points: ReturnType<typeof curve>): readonly [number, number] {
  const pairs = points.slice(1).map((point, at) => [points[at], point] as const)
  const [best] = pairs.toSorted(
    ([a, b], [c, d]) =>
      (d?.odds.value ?? 0) - (c?.odds.value ?? 0) - ((b?.odds.value ?? 0) - (a?.odds.value ?? 0)),
  )
  return [best?.[0]?.at ?? -1, best?.[1]?.at ?? -1]
}

test.each([1, 2, 166, 167, 500, 731, 998, 999])(
  "the step before moment %i of 1,000 is between two neighbours",
  (step) => {
    const points = curve((at) => (at < step ? 0.1 : 0.9))
    expect(largestStep(points)).toEqual([step - 1, step])
    expect(points.length).toBeLessThanOrEqual(18)
  },
)

test("the larger one of two steps is found, also after a fall", () => {
  const points = curve((at) => (at < 300 ? 0.2 : at < 600 ? 0.5 : at < 800 ? 0.1 : 0.9))
  expect(largestStep(points)).toEqual([799, 800])
})

test("a curve that is flat within the noise is looked at in a few places alone", () => {
  expect(curve((at) => 0.1 + (at % 7) / 100).map(({ at }) => at)).toEqual([0, 167, 333, 500, 666, 833, 999])
})

test("points are in order, and no more than wanted", () => {
  const points = curve((at) => at / 999, { pointsMax: 20, smallest: 0.01 })
  expect(points).toHaveLength(20)
  expect(points.map(({ at }) => at)).toEqual(points.map(({ at }) => at).toSorted((a, b) => a - b))
})

test("a search that is stopped has both ends", () => {
  expect(curve((at) => at / 999, { isOver: () => true }).map(({ at }) => at)).toEqual([0, 999])
})

const ENOUGH = { width: 0.2, atLeast: 24, atMost: 200 }

test("futures that all end the same need few", () => {
  expect(sample(new Sampled(() => true), ENOUGH, () => false)).toMatchObject({ value: 1, of: 24 })
})

test("futures of an even chance are doubled until the interval is narrow", () => {
  const share = sample(new Sampled((number) => number % 2 === 0), ENOUGH, () => false)
  expect(share).toMatchObject({ value: 0.5, of: 96 })
  expect(share.interval.high - share.interval.low).toBeLessThanOrEqual(0.2)
})

test("at most so many are made, each once, also when more are asked for later", () => {
  const made: number[] = []
  const sampled = new Sampled((number) => {
    made.push(number)
    return number % 2 === 0
  })
  sample(sampled, { width: 0.01, atLeast: 24, atMost: 50 }, () => false)
  sample(sampled, { width: 0.01, atLeast: 24, atMost: 60 }, () => false)
  expect(made).toEqual(Array.from({ length: 60 }, (_, number) => number))
})

test("a search that is stopped keeps what it has", () => {
  expect(sample(new Sampled((number) => number % 2 === 0), ENOUGH, () => true)).toMatchObject({ of: 24 })
})
