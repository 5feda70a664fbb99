/** Each invariant of the swarm finds the bug that is planted for it within its seeds, and has one. */

import { describe, expect, test } from "vitest"
import { CATALOGUE } from "../../../src/simulation/swarm/catalogue.ts"
import { drawPlan } from "../../../src/simulation/swarm/draw.ts"
import { EVERYTHING_ENDS, NO_ENGINE_FAULT, runPlan } from "../../../src/simulation/swarm/run.ts"
import { SWARM_BUGS } from "./planted.ts"
import type { SwarmBug } from "./planted.ts"

/** Most seeds until a planted bug shows. */
const SEEDS_MAX = 2_000

const SENTENCES = [...CATALOGUE.map(({ sentence }) => sentence), EVERYTHING_ENDS, NO_ENGINE_FAULT]

test("there are at least sixty invariants, each named once", () => {
  expect(new Set(SENTENCES).size).toBe(SENTENCES.length)
  expect(SENTENCES.length).toBeGreaterThanOrEqual(60)
})

test("every invariant has a planted bug", () => {
  const planted = new Set(SWARM_BUGS.map(({ breaks }) => breaks))
  expect(SENTENCES.filter((sentence) => !planted.has(sentence))).toEqual([])
})

describe("a planted bug is found within the seeds", () => {
  test.each(SWARM_BUGS.map((bug) => [`${bug.says}: ${bug.breaks}`, bug] as const))("%s", (_, bug) => {
    expect(seedThatShows(bug)).not.toBe(null)
  })
})

/** A seed in which the bug breaks its sentence; null for none of the seeds. */
function seedThatShows({ breaks, options, firstSeed = 1 }: SwarmBug): number | null {
  const invariants = CATALOGUE.filter(({ sentence }) => sentence === breaks)
  for (let tried = 0; tried < SEEDS_MAX; tried += 1) {
    const seed = ((firstSeed - 1 + tried) % SEEDS_MAX) + 1
    const { broken } = runPlan(drawPlan(seed), { ...options, invariants })
    if (broken.some(({ sentence }) => sentence === breaks)) return seed
  }
  return null
}
