/**
 * The largest factor of every demand with which the promises hold. More demand is taken never to help, so the factor is
 * doubled until a promise breaks, and then the distance is halved, on the same seeds. On further seeds it is moved until
 * one factor surely keeps the promises and a larger one surely breaks them: the true limit is between the two.
 */

import { FIND_DEMAND_MAX } from "../../../model/values/limits.ts"
import type { FleetCase } from "../language/cases.ts"
import type { FleetModel } from "../language/model.ts"
import type { FindMost } from "../language/questions.ts"
import type { SearchStep, WhyNot } from "../results/questions.ts"
import type { CaseResult } from "../results/summary.ts"
import { Confirmation, isEnough, keptOf } from "./confirm.ts"
import type { Settled } from "./confirm.ts"
import { Cases } from "./evaluate.ts"
import type { Evaluator } from "./evaluate.ts"
import { MOVES_MAX, helps } from "./find-least.ts"
import type { Found } from "./find-least.ts"
import { Losses } from "./losses.ts"

/** The search stops when the larger factor is at most this many times the smaller one. */
const RATIO = 1.03
/** The first step from a factor that further seeds do not settle; each next one is its square. */
const STEP = 1.05

export function findMost(model: FleetModel, find: FindMost, evaluator: Evaluator): Promise<Found> {
  return new MostSearch(model, find, evaluator).run()
}

/** Null: no factor was found on this side. */
interface Bracket {
  readonly kept: number | null
  readonly broken: number | null
}

class MostSearch {
  readonly #model: FleetModel
  readonly #find: FindMost
  readonly #tried: Cases
  readonly #confirmed: Confirmation
  readonly #steps: SearchStep[] = []
  readonly #most: number
  readonly #losses = new Losses()

  constructor(model: FleetModel, find: FindMost, evaluator: Evaluator) {
    this.#model = model
    this.#find = find
    this.#most = find.atMost ?? FIND_DEMAND_MAX
    this.#tried = new Cases(model, { evaluator, firstSeed: model.seed, hasCourse: false })
    this.#confirmed = new Confirmation(model, find, evaluator)
  }

  async run(): Promise<Found> {
    const { kept, broken } = await this.#bracket()
    if (kept === null) return this.#notMet(broken ?? 1, "no help")
    return broken === null ? this.#confirm(kept, null) : this.#confirm(...(await this.#narrow(kept, broken)))
  }

  async #bracket(): Promise<Bracket> {
    let factor = Math.min(1, this.#most)
    let step = await this.#try(factor)
    if (step.isKept) {
      let kept = factor
      while (step.isKept) {
        kept = factor
        if (kept === this.#most) return { kept, broken: null }
        factor = Math.min(this.#most, kept * 2)
        step = await this.#try(factor)
      }
      return { kept, broken: factor }
    }
    for (;;) {
      const before = step
      const broken = factor
      factor = rounded(factor / 2)
      step = await this.#try(factor)
      if (step.isKept) return { kept: factor, broken }
      if (factor < 1 / FIND_DEMAND_MAX || !helps(before, step)) return { kept: null, broken: factor }
    }
  }

  async #narrow(kept: number, broken: number): Promise<[kept: number, broken: number]> {
    let [low, high] = [kept, broken]
    while (high / low > RATIO) {
      const middle = rounded(Math.sqrt(low * high))
      if (middle === low || middle === high) break
      const { isKept } = await this.#try(middle)
      if (isKept) low = middle
      else high = middle
    }
    return [low, high]
  }

  async #try(factor: number): Promise<SearchStep> {
    const { replications } = this.#model
    const settings = settingsOf(factor)
    const result = await this.#tried.of(settings, replications)
    if (this.#steps.length === 0) this.#losses.begin(result)
    const { promises } = result
    const isKept = keptOf(result, this.#find.keeps).every(isEnough) && !this.#losses.isMore(result)
    const step = { settings, replications, isKept, promises, brokenAt: [] }
    this.#steps.push(step)
    return step
  }

  async #confirm(candidate: number, broken: number | null): Promise<Found> {
    const found = await this.#surely(candidate)
    if (found === null) return this.#notMet(candidate, "not sure")
    const [best, factor] = found
    const beyond = broken === null ? null : await this.#surelyBroken(Math.max(broken, factor * RATIO))
    const below = beyond === null ? [] : [beyond]
    return {
      search: { find: this.#find, steps: this.#steps, outcome: { is: "found", best, below }, bySite: [] },
      cases: [best, ...below],
    }
  }

  async #settled(factor: number): Promise<Settled> {
    const { result, isKept } = await this.#confirmed.settled(settingsOf(factor))
    return { result, isKept: this.#losses.isMore(result) ? false : isKept }
  }

  /** The first factor from the candidate down that surely keeps the promises. */
  async #surely(candidate: number): Promise<[CaseResult, number] | null> {
    let [factor, gap] = [candidate, STEP]
    let { result, isKept } = await this.#settled(factor)
    if (isKept === true) return [result, factor]
    for (let moves = 0; moves < MOVES_MAX; moves += 1) {
      factor = rounded(candidate / gap)
      ;({ result, isKept } = await this.#settled(factor))
      if (isKept === true) return [result, factor]
      gap *= gap
    }
    return null
  }

  /** The least factor from here on that surely breaks a promise; null when none near does. */
  async #surelyBroken(from: number): Promise<CaseResult | null> {
    let gap = 1
    for (let moves = 0; moves < MOVES_MAX; moves += 1) {
      const { result, isKept } = await this.#settled(rounded(from * gap))
      if (isKept === false) return result
      gap = gap === 1 ? STEP : gap * gap
    }
    return null
  }

  async #notMet(factor: number, why: WhyNot): Promise<Found> {
    const nearest = await this.#confirmed.atLeast(settingsOf(factor), this.#confirmed.first)
    return {
      search: { find: this.#find, steps: this.#steps, outcome: { is: "not met", nearest, why }, bySite: [] },
      cases: [nearest],
    }
  }
}

function settingsOf(factor: number): FleetCase {
  return [["demand", factor]]
}

/** Three digits: people read no more, and all machines compare equal numbers. */
function rounded(factor: number): number {
  return Number(factor.toPrecision(3))
}
