/** Each invariant of the swarm finds the bug that is planted for it within its seeds, and has one. */

import { describe, expect, test } from "vitest"
import { CATALOGUE } from "../../../src/simulation/swarm/catalogue.ts"
import { drawPlan } from "../../../src/simulation/swarm/draw.ts"
import { EVERYTHING_ENDS, NO_ENGINE_FAULT, runPlan } from "../../../src/simulation/swarm/run.ts"
import { KeptSearch } from "../kept-search.ts"
import { SWARM_BUGS } from "./planted.ts"
import type { SwarmBug } from "./planted.ts"

/** Most seeds until a planted bug shows. */
const SEEDS_MAX = 2_000

const SENTENCES = [...CATALOGUE.map(({ sentence }) => sentence), EVERYTHING_ENDS, NO_ENGINE_FAULT]

const nameOf = ({ says, breaks }: SwarmBug): string => `${says}: ${breaks}`

const search = new KeptSearch<number>(new URL("planted-seeds.json", import.meta.url))

test("there are at least sixty invariants, each named once", () => {
  expect(new Set(SENTENCES).size).toBe(SENTENCES.length)
  expect(SENTENCES.length).toBeGreaterThanOrEqual(60)
})

test("every invariant has a planted bug", () => {
  const planted = new Set(SWARM_BUGS.map(({ breaks }) => breaks))
  expect(SENTENCES.filter((sentence) => !planted.has(sentence))).toEqual([])
})

test("every seed that is kept is that of a planted bug", () => {
  const names = new Set(SWARM_BUGS.map(nameOf))
  expect(Object.keys(search.kept).filter((name) => !names.has(name))).toEqual([])
})

describe("a planted bug is found within the seeds", () => {
  const seeds = Array.from({ length: SEEDS_MAX }, (_, at) => at + 1)

  test.each(SWARM_BUGS.map((bug) => [nameOf(bug), bug] as const))("%s", (name, bug) => {
    expect(search.find(name, seeds, (seed) => (shows(bug, seed) ? seed : null))).not.toBe(null)
  })
})

function shows({ breaks, options }: SwarmBug, seed: number): boolean {
  const invariants = CATALOGUE.filter(({ sentence }) => sentence === breaks)
  return runPlan(drawPlan(seed), { ...options, invariants }).broken.some(
    ({ sentence }) => sentence === breaks,
  )
}
