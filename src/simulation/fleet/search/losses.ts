/**
 * Orders that are lost never wait, so a promise about waits alone says that a case is better the more it loses. A search refuses a case
 * that loses more of all orders than the first one that it tries: the demand as written, or a roster with enough people.
 */

import type { CaseResult } from "../results/summary.ts"

/** So much more of all orders. */
const LOST_MORE = 0.02

export class Losses {
  #completed: number | null = null

  /** The case that others are held against. */
  begin(first: Pick<CaseResult, "estimates">): void {
    this.#completed = completedIn(first)
  }

  isMore(one: Pick<CaseResult, "estimates">): boolean {
    const completed = completedIn(one)
    return completed !== null && this.#completed !== null && completed < this.#completed - LOST_MORE
  }
}

function completedIn({ estimates }: Pick<CaseResult, "estimates">): number | null {
  return estimates.of("orders.completed_share").value
}
