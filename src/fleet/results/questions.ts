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
}

export interface SearchResult {
  readonly find: Find
  /** In the order in which they were tried. */
  readonly steps: readonly SearchStep[]
  readonly outcome:
    | {
        readonly is: "found"
        /** Keeps the promises with certainty, on seeds that the search has not seen. */
        readonly least: CaseResult
        /** One less of each count, on the same seeds; empty when the least count is one. */
        readonly below: readonly CaseResult[]
      }
    | {
        readonly is: "not met"
        /** The case with the greatest counts that were tried. */
        readonly most: CaseResult
        readonly why: "at most" | "cases" | "no help" | "not sure"
      }
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
