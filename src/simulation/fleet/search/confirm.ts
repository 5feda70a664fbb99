/** The confirmation of what a search found, on seeds that the search has not seen. */

import { FIND_CONFIRMATIONS_MAX, UNTIL_REPLICATIONS_MIN } from "../../../model/values/limits.ts"
import type { FleetCase } from "../language/cases.ts"
import type { FleetModel } from "../language/model.ts"
import type { Find } from "../language/questions.ts"
import type { CaseResult, KeptPromise } from "../results/summary.ts"
import { Cases } from "./evaluate.ts"
import type { Evaluator } from "./evaluate.ts"

/** A case, and whether it keeps the promises of the search; null when its intervals do not say. */
export interface Settled {
  readonly result: CaseResult
  readonly isKept: boolean | null
}

/** Cases on further seeds. */
export class Confirmation {
  readonly #cases: Cases
  readonly #keeps: Find["keeps"]
  /** Replications of each case at the first look. */
  readonly first: number

  constructor(model: FleetModel, { keeps }: Find, evaluator: Evaluator) {
    const { seed, replications } = model
    this.#cases = new Cases(model, { evaluator, firstSeed: seed + replications, hasCourse: true })
    this.#keeps = keeps
    this.first = Math.max(replications, UNTIL_REPLICATIONS_MIN)
  }

  /** The case with so many replications at least. */
  atLeast(settings: FleetCase, count: number): Promise<CaseResult> {
    return this.#cases.atLeast(settings, count)
  }

  /**
   * Makes replications of a case until it is clear at two looks in a row whether it keeps the promises, or as many as are allowed.
   * What was found with many is never judged by fewer.
   */
  async settled(settings: FleetCase): Promise<Settled> {
    let before: boolean | null = null
    for (let wanted = this.first; ; wanted *= 2) {
      const bounded = Math.min(wanted, FIND_CONFIRMATIONS_MAX)
      const result = await this.#cases.atLeast(settings, bounded)
      const isKept = surelyKept(keptOf(result, this.#keeps))
      if ((isKept !== null && isKept === before) || bounded === FIND_CONFIRMATIONS_MAX)
        return { result, isKept }
      before = isKept
    }
  }
}

/** The promises of a case that a search must keep. */
export function keptOf(
  { promises }: Pick<CaseResult, "promises">,
  keeps: Find["keeps"],
): readonly KeptPromise[] {
  return promises.filter(({ promise }) => keeps.includes(promise.metric))
}

/**
 * True for a promise that a case of the search keeps, and for one that has too few waits for a figure there: the confirmation
 * makes more replications and judges it.
 */
export function isEnough({ isKept, estimate: { value, waits } }: KeptPromise): boolean {
  return isKept || (value === null && waits !== null && waits > 0)
}

/** Whether all of these are kept; null when the intervals do not say. */
export function surelyKept(promises: readonly KeptPromise[]): boolean | null {
  if (promises.some(({ isKept, isCertain }) => !isKept && isCertain)) return false
  return promises.every(({ isKept, isCertain }) => isKept && isCertain) ? true : null
}
