/** Seeds one after the other or on several threads, what each found, and the failing ones made small. */

import { CATALOGUE } from "./catalogue.ts"
import { Coverage } from "./coverage.ts"
import type { Covered } from "./coverage.ts"
import { drawPlan } from "./draw.ts"
import type { Broken } from "./invariant.ts"
import type { Plan } from "./plan.ts"
import { runPlan } from "./run.ts"
import type { PlanOptions } from "./run.ts"
import { shrink } from "./shrink.ts"
import type { Shrunk } from "./shrink.ts"
import { faultWords } from "../scenario/machine-faults.ts"
import { written } from "./written.ts"
import type { Written } from "./written.ts"

/** What a seed showed; plain data, so that a thread can send it. */
export interface SeedResult {
  readonly seed: number
  readonly hash: string
  readonly events: number
  readonly virtualMs: number
  readonly broken: readonly (Broken & { readonly afterMs: number })[]
  readonly covered: readonly (readonly [Covered, readonly (readonly [string, number])[]])[]
}

export function tryingSeed(seed: number, options: PlanOptions = { invariants: CATALOGUE }): SeedResult {
  const { hash, events, virtualMs, startMs, broken, coverage } = runPlan(drawPlan(seed), options)
  return {
    seed,
    hash,
    events,
    virtualMs,
    broken: broken.map((one) => ({ ...one, afterMs: one.atMs - startMs })),
    covered: [...coverage.counts].map(([kind, names]) => [kind, [...names]]),
  }
}

/** A failing seed, made small. */
export interface Finding {
  readonly seed: number
  readonly sentence: string
  readonly found: string
  readonly moves: { readonly before: number; readonly after: number }
  readonly faults: readonly string[]
  readonly runs: number
  readonly written: Written
}

/** Shrinks the first sentence that the seed breaks; null when it breaks none. */
export function findingOf(
  seed: number,
  options: PlanOptions = { invariants: CATALOGUE },
  runsMax?: number,
): Finding | null {
  const plan = drawPlan(seed)
  const [first] = runPlan(plan, options).broken
  if (first === undefined) return null
  const { sentence } = first
  // Only the broken sentence is watched, which makes the many runs faster.
  const alone = { ...options, invariants: options.invariants.filter((one) => one.sentence === sentence) }
  const shrunk = shrink(plan, (smaller) => breaks(smaller, sentence, alone), {
    ...(runsMax === undefined ? {} : { runsMax }),
    crashesOf: (smaller) => runPlan(smaller, alone).crashes,
  })
  const found = runPlan(shrunk.plan, alone).broken.find((one) => one.sentence === sentence) ?? first
  return findingFrom({ plan, shrunk, sentence, found: found.found }, alone)
}

interface Shown {
  readonly plan: Plan
  readonly shrunk: Shrunk
  readonly sentence: string
  readonly found: string
}

/** With the scenario file, if a run in memory shows it. */
export function findingFrom({ plan, shrunk, sentence, found }: Shown, options: PlanOptions): Finding {
  return {
    seed: plan.seed,
    sentence,
    found,
    moves: { before: plan.moves.length, after: shrunk.plan.moves.length },
    faults: faultWords(shrunk.plan.faults),
    runs: shrunk.runs,
    written: written(shrunk.plan, sentence, options),
  }
}

function breaks(plan: ReturnType<typeof drawPlan>, sentence: string, options: PlanOptions): boolean {
  return runPlan(plan, options).broken.some((one) => one.sentence === sentence)
}

/** The sum of what seeds showed. */
export class Tally {
  seeds = 0
  events = 0
  virtualMs = 0
  readonly coverage = new Coverage()
  /** Failing seeds by the first sentence that they break. */
  readonly seedsBySentence = new Map<string, number[]>()

  add({ seed, events, virtualMs, broken, covered }: SeedResult): void {
    this.seeds += 1
    this.events += events
    this.virtualMs += virtualMs
    this.coverage.join(covered)
    const [first] = broken
    if (first === undefined) return
    const seeds = this.seedsBySentence.get(first.sentence)
    if (seeds === undefined) this.seedsBySentence.set(first.sentence, [seed])
    else seeds.push(seed)
  }
}
