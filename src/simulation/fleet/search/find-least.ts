/**
 * The least count, or pair of counts, that keeps the promises. More of a count is taken to keep what less keeps, so
 * halving finds the least; all cases meet the same seeds. Then the answer is confirmed on seeds that the search has not
 * seen, because a count that was chosen for its figures looks better on the seeds that chose it.
 */

import { FIND_CASES_MAX } from "../../../model/values/limits.ts"
import { caseName } from "../language/cases.ts"
import type { FleetCase } from "../language/cases.ts"
import { countNamed, countsAt, sitesOf } from "../language/counts.ts"
import type { CountName } from "../language/counts.ts"
import type { FleetModel } from "../language/model.ts"
import { KNOB_MAX } from "../language/questions.ts"
import type { FindLeast } from "../language/questions.ts"
import type { SearchResult, SearchStep, WhyNot } from "../results/questions.ts"
import type { CaseResult } from "../results/summary.ts"
import { Confirmation, isEnough, keptOf } from "./confirm.ts"
import type { Settled } from "./confirm.ts"
import { Cases } from "./evaluate.ts"
import type { Evaluator } from "./evaluate.ts"

/** One count for each knob of the search. */
type Counts = readonly number[]

/** Candidates that new seeds refuse, one after the other, before the search gives up. */
export const MOVES_MAX = 8

/** A model needs one of each, so the search does not go lower. */
export const LEAST = 1

export interface Found {
  readonly search: SearchResult
  /** The answer and its neighbours on the same seeds, or the greatest case that was tried. */
  readonly cases: readonly CaseResult[]
}

export function findLeast(model: FleetModel, find: FindLeast, evaluator: Evaluator): Promise<Found> {
  return new LeastSearch(model, find, evaluator).run()
}

class LeastSearch {
  readonly #model: FleetModel
  readonly #find: FindLeast
  /** On the seeds of the search. */
  readonly #tried: Cases
  /** On the seeds after them. */
  readonly #confirmed: Confirmation
  readonly #steps: SearchStep[] = []

  constructor(model: FleetModel, find: FindLeast, evaluator: Evaluator) {
    this.#model = model
    this.#find = find
    this.#tried = new Cases(model, { evaluator, firstSeed: model.seed, hasCourse: false })
    this.#confirmed = new Confirmation(model, find, evaluator)
  }

  async run(): Promise<Found> {
    const enough = await this.#enough()
    if (enough.why !== null) return this.#notMet(enough.counts, enough.why)
    const candidate = this.#find.least.length === 1 ? await this.#one(enough) : await this.#two(enough.counts)
    return this.#confirm(candidate)
  }

  /** Doubles the counts that the model has until they keep the promises, or until that does not help any more. */
  async #enough(): Promise<{ counts: Counts; tooFew: Counts | null; why: WhyNot | null }> {
    let counts: Counts = this.#find.least.map((knob, at) =>
      Math.min(this.#most(at), written(this.#model, knob)),
    )
    let before: { readonly counts: Counts; readonly step: SearchStep } | null = null
    for (;;) {
      const step = await this.#try(counts)
      const tooFew = before?.counts ?? null
      if (step.isKept) return { counts, tooFew, why: null }
      if (before !== null && !helps(before.step, step)) return { counts, tooFew, why: "no help" }
      const next: Counts = counts.map((count, at) => Math.min(this.#most(at), count * 2))
      if (next.every((count, at) => count === counts[at])) return { counts, tooFew, why: "at most" }
      before = { counts, step }
      counts = next
    }
  }

  #one({ counts, tooFew }: { readonly counts: Counts; readonly tooFew: Counts | null }): Promise<Counts> {
    return this.#halve(0, counts, { low: tooFew?.[0] ?? LEAST - 1 })
  }

  /**
   * For each count of the first knob the least one of the second, which falls as the first rises. Of these pairs the
   * cheapest is the answer; without prices, the one with the least sum.
   */
  async #two(enough: Counts): Promise<Counts> {
    const [firstLeast = LEAST] = await this.#halve(0, enough, { low: LEAST - 1 })
    const [, secondLeast = LEAST] = await this.#halve(1, enough, { low: LEAST - 1 })
    const [most = LEAST] = enough
    const pairs: Counts[] = []
    let second = enough[1] ?? LEAST
    for (let first = firstLeast; first <= most && this.#steps.length < FIND_CASES_MAX; first += 1) {
      const pair = await this.#halve(1, [first, second], { low: secondLeast - 1 })
      pairs.push(pair)
      second = pair[1] ?? second
      if (second === secondLeast) break
    }
    return this.#cheapest(pairs)
  }

  /** Lowers one count, which is known to be enough, until one less is not. */
  async #halve(at: number, enough: Counts, { low }: { readonly low: number }): Promise<Counts> {
    let [tooFew, high] = [low, enough[at] ?? LEAST]
    while (high - tooFew > 1) {
      const middle = Math.floor((tooFew + high) / 2)
      const { isKept } = await this.#try(enough.with(at, middle))
      if (isKept) high = middle
      else tooFew = middle
    }
    return enough.with(at, high)
  }

  async #cheapest(all: readonly Counts[]): Promise<Counts> {
    const priced = await Promise.all(
      all.map(async (counts) => ({ counts, price: await this.#price(counts) })),
    )
    const [first, ...rest] = priced
    if (first === undefined) return []
    return rest.reduce((best, one) => (one.price < best.price ? one : best), first).counts
  }

  async #price(counts: Counts): Promise<number> {
    const sum = counts.reduce((part, count) => part + count, 0)
    if (this.#model.costs === null) return sum
    const { estimates } = await this.#tried.of(this.#settings(counts), this.#model.replications)
    return estimates.of("cost.total").value ?? sum
  }

  async #try(counts: Counts): Promise<SearchStep> {
    const settings = this.#settings(counts)
    const before = this.#steps.find((step) => caseName(step.settings) === caseName(settings))
    if (before !== undefined) return before
    const { replications } = this.#model
    const { promises } = await this.#tried.of(settings, replications)
    const step = {
      settings,
      replications,
      isKept: keptOf({ promises }, this.#find.keeps).every(isEnough),
      promises,
      brokenAt: [],
    }
    this.#steps.push(step)
    return step
  }

  /** Moves from the candidate to a neighbour as long as the new seeds say otherwise. */
  async #confirm(candidate: Counts): Promise<Found> {
    let counts = candidate
    const tooFew = new Set<string>()
    for (;;) {
      const lower = this.#neighbours(counts, -1)
      const [least, ...below] = await this.#settled([counts, ...lower])
      if (least?.isKept !== true) {
        tooFew.add(counts.join())
        const up = this.#neighbours(counts, 1)
        if (up.length === 0 || tooFew.size > MOVES_MAX) return this.#notMet(counts, "not sure")
        counts = await this.#cheapest(up)
        continue
      }
      const isBetter = (one: Counts, at: number): boolean => {
        return below[at]?.isKept === true && !tooFew.has(one.join())
      }
      const better = lower.find((one, at) => isBetter(one, at))
      if (better === undefined)
        return this.#found(counts, { least: least.result, below: below.map(({ result }) => result) })
      counts = better
    }
  }

  async #found(
    counts: Counts,
    { least, below }: { readonly least: CaseResult; readonly below: readonly CaseResult[] },
  ): Promise<Found> {
    const above = await Promise.all(
      this.#neighbours(counts, 1).map((one) =>
        this.#confirmed.atLeast(this.#settings(one), least.replications.length),
      ),
    )
    return {
      search: {
        find: this.#find,
        steps: this.#steps,
        outcome: { is: "found", best: least, below },
        bySite: [],
      },
      cases: [...below, least, ...above],
    }
  }

  #settled(all: readonly Counts[]): Promise<readonly Settled[]> {
    return Promise.all(all.map((counts) => this.#confirmed.settled(this.#settings(counts))))
  }

  /** One more, or one less, of each count; without those beyond the bounds. */
  #neighbours(counts: Counts, by: -1 | 1): readonly Counts[] {
    return counts
      .map((count, at) => counts.with(at, count + by))
      .filter((one) => one.every((count, at) => count >= LEAST && count <= this.#most(at)))
  }

  async #notMet(counts: Counts, why: WhyNot): Promise<Found> {
    const nearest = await this.#confirmed.atLeast(this.#settings(counts), this.#confirmed.first)
    return {
      search: { find: this.#find, steps: this.#steps, outcome: { is: "not met", nearest, why }, bySite: [] },
      cases: [nearest],
    }
  }

  #most(at: number): number {
    const knob = this.#find.least[at]
    return this.#find.atMost ?? mostOf(knob)
  }

  #settings(counts: Counts): FleetCase {
    return this.#find.least.map((knob, at) => [knob, counts[at] ?? LEAST] as const)
  }
}

/** The greatest count of the sites that it is about, where the search begins. */
export function written(model: FleetModel, knob: CountName): number {
  const count = countNamed(knob)
  if (count === null) return LEAST
  return Math.max(LEAST, ...sitesOf(model, count).flatMap((site) => countsAt(site, count.resource)))
}

/** The most that a model takes of a count. */
export function mostOf(knob: CountName | undefined): number {
  const count = knob === undefined ? null : countNamed(knob)
  return count === null ? LEAST : KNOB_MAX[count.resource]
}

/** Less of the distance to a limit than this is no help. */
const HELP = 0.01

/** True when a broken promise came nearer to its limit. */
export function helps(before: Pick<SearchStep, "promises">, now: Pick<SearchStep, "promises">): boolean {
  return now.promises.some(({ promise, estimate, isKept }, at) => {
    if (isKept) return false
    const was = before.promises[at]?.estimate.value ?? null
    if (was === null || estimate.value === null) return was !== estimate.value
    const gap = Math.abs(was - promise.limit)
    return gap - Math.abs(estimate.value - promise.limit) > HELP * gap
  })
}
