/** Answers to what a model asks beyond its promises, as the search found them. */

import type { FleetCase } from "../language/cases.ts"
import type { Find } from "../language/questions.ts"
import type { Difference } from "./compare.ts"
import type { CaseResult, KeptPromise } from "./summary.ts"

/** A case that the search tried on the seeds of the search. */
export interface SearchStep {
  readonly settings: FleetCase
  readonly replications: number
  readonly isKept: boolean
  readonly promises: readonly KeptPromise[]
  /** Sites at which a promise breaks, of a search of each site. */
  readonly brokenAt: readonly string[]
}

/** Why no count was found. */
export type WhyNot = "at most" | "no help" | "not sure"

/** What a search of each site found at one of them. */
export interface FoundAtSite {
  readonly site: string
  /** The least count that keeps the promises, or the greatest that was tried. */
  readonly count: number
  /** Null when it keeps them with certainty. */
  readonly why: WhyNot | null
  /** With this count, on seeds that the search has not seen. */
  readonly promises: readonly KeptPromise[]
  /** With one less, on the same seeds; null when the count is one. */
  readonly below: readonly KeptPromise[] | null
}

export interface SearchResult {
  readonly find: Find
  /** In the order in which they were tried. */
  readonly steps: readonly SearchStep[]
  readonly outcome:
    | {
        readonly is: "found"
        /** Keeps the promises with certainty, on seeds that the search has not seen. */
        readonly best: CaseResult
        /**
         * Its neighbours that keep less, on the same seeds: one less of each count, the next larger demand, cheaper rosters. Empty when
         * there are none.
         */
        readonly below: readonly CaseResult[]
      }
    | {
        readonly is: "not met"
        /** The case that came nearest: with the greatest counts or the least demand that were tried. */
        readonly nearest: CaseResult
        readonly why: WhyNot | "each site" | "together"
      }
  /** Of a search of each site, in the order of the model; empty for others. */
  readonly bySite: readonly FoundAtSite[]
}

/** What a change of one input does to a promised figure, at the recommended case. */
export interface Effect {
  readonly input: string
  readonly metric: string
  /** `5 to 4`, `-20 %`. */
  readonly less: string
  readonly more: string
  /** Null when the input cannot go there. */
  readonly down: Difference | null
  readonly up: Difference | null
}
