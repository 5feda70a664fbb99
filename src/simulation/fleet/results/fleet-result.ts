/** The result of a fleet run: its cases, and what the searches of the model found. */

import type { FleetModel } from "../language/model.ts"
import type { Effect, SearchResult } from "./questions.ts"
import type { CaseResult } from "./summary.ts"

export interface FleetResult {
  readonly model: FleetModel
  /** The cases of the sweep, or the answer of a search and its neighbours. */
  readonly cases: readonly CaseResult[]
  /** With a sweep, `passed` means that at least one case keeps every promise; with a search, that it found one. */
  readonly verdict: "failed" | "passed"
  readonly search: SearchResult | null
  /** What each input does to the promised figures; empty unless the model asks. */
  readonly effects: readonly Effect[]
}

export function fleetResult(
  model: FleetModel,
  cases: readonly CaseResult[],
  { search = null }: { readonly search?: SearchResult | null } = {},
): FleetResult {
  const isPassed =
    search === null
      ? cases.some(({ promises }) => promises.every(({ isKept }) => isKept))
      : search.outcome.is === "found"
  return { model, cases, verdict: isPassed ? "passed" : "failed", search, effects: [] }
}
