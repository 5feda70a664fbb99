/** The case that a run recommends: of those that surely keep the promises the cheapest, or the one with the least counts. */

import type { FleetCase } from "../language/cases.ts"
import { countNamed, isCountPath } from "../language/counts.ts"
import { isDemandPath } from "../language/paths/value-paths.ts"
import type { FleetResult } from "./fleet-result.ts"
import type { CaseResult, KeptPromise } from "./summary.ts"

export interface Recommended {
  /** Null when no case keeps the promises. */
  readonly best: CaseResult | null
  /** The recommended case; without one, that which comes nearest to the promises. Null without cases. */
  readonly shown: CaseResult | null
}

/** How a case keeps the promises of its model. */
export type Standing = "broken" | "broken, not sure" | "kept" | "kept, not sure"

/** The worst standing of its promises. */
export function standingOf(promises: readonly KeptPromise[]): Standing {
  const standings = promises.map((one) => standingOfPromise(one))
  return ORDER.find((one) => standings.includes(one)) ?? "kept"
}

export function standingOfPromise({ isKept, isCertain }: KeptPromise): Standing {
  const word = isKept ? "kept" : "broken"
  return isCertain ? word : `${word}, not sure`
}

const ORDER: readonly Standing[] = ["broken", "broken, not sure", "kept, not sure", "kept"]

export function recommendedOf({
  model,
  cases,
  search,
}: Pick<FleetResult, "cases" | "model" | "search">): Recommended {
  if (search !== null) {
    const { outcome } = search
    return outcome.is === "found"
      ? { best: outcome.best, shown: outcome.best }
      : { best: null, shown: outcome.nearest }
  }
  const standing = (one: CaseResult): Standing => standingOf(one.promises)
  const sure = cases.filter((one) => standing(one) === "kept")
  const keeping = sure.length > 0 ? sure : cases.filter((one) => standing(one) === "kept, not sure")
  const [best = null] = keeping.toSorted((one, other) => preference(model, one, other))
  const [nearest = null] = nearestFirst(model, cases)
  return { best, shown: best ?? nearest }
}

/** Of cases that are as near, the one to be preferred comes first. */
function nearestFirst(model: FleetResult["model"], cases: readonly CaseResult[]): readonly CaseResult[] {
  return cases.toSorted((one, other) => {
    const [mine, theirs] = [worstGap(one), worstGap(other)]
    return (mine === theirs ? 0 : mine - theirs) || preference(model, one, other)
  })
}

/** Other cases that come as near to the promises as this one. */
export function asNear(one: CaseResult, cases: readonly CaseResult[]): readonly CaseResult[] {
  return cases.filter((other) => other !== one && worstGap(other) === worstGap(one))
}

/** The standing of the whole run: of the case that its headline is about. */
export function standingOfResult(result: Pick<FleetResult, "cases" | "model" | "search">): Standing {
  const { best } = recommendedOf(result)
  const { search, cases } = result
  if (search !== null) {
    if (best !== null) return "kept"
    return search.outcome.is === "not met" && search.outcome.why === "not sure"
      ? "broken, not sure"
      : "broken"
  }
  if (best !== null) return standingOf(best.promises)
  const isUnsure = cases.some(({ promises }) => standingOf(promises) === "broken, not sure")
  return isUnsure ? "broken, not sure" : "broken"
}

/** A case that costs less than the recommended one, and is not sure to break the promises. */
export interface Cheaper {
  readonly one: CaseResult
  /** How much less it costs. */
  readonly saves: number
}

/**
 * Beside a case that surely keeps the promises: the cheapest one that keeps them on average, else the cheapest one that
 * may. Null without prices, and where the recommended case is not sure itself. Cases of less demand are not meant.
 */
export function cheaperOf(
  model: FleetResult["model"],
  best: CaseResult,
  cases: readonly CaseResult[],
): Cheaper | null {
  if (model.costs === null || standingOf(best.promises) !== "kept") return null
  const costOf = ({ estimates }: CaseResult): number | null => estimates.of("cost.total").value
  const cost = costOf(best)
  if (cost === null) return null
  const found = cases.flatMap((one) => {
    const saves = cost - (costOf(one) ?? cost)
    const isMeant = saves > 0 && demandOf(one.settings) === demandOf(best.settings)
    return isMeant && standingOf(one.promises) !== "broken" ? [{ one, saves }] : []
  })
  const keeping = found.filter(({ one }) => standingOf(one.promises) === "kept, not sure")
  const [cheapest = null] = (keeping.length > 0 ? keeping : found).toSorted((a, b) => b.saves - a.saves)
  return cheapest
}

/** Negative when the first is to be preferred: lower cost, lower counts, more demand, then the better first promise. */
function preference(model: FleetResult["model"], one: CaseResult, other: CaseResult): number {
  const cost = ({ estimates }: CaseResult): number =>
    model.costs === null ? 0 : (estimates.of("cost.total").value ?? 0)
  return (
    // With more demand everything costs more.
    demandOf(other.settings) - demandOf(one.settings) ||
    cost(one) - cost(other) ||
    countsOf(one.settings) - countsOf(other.settings) ||
    (one.promises[0] === undefined ? 0 : gapOf(one.promises[0]) - gapOf(other.promises[0]))
  )
}

/** Also of counts that are swept by their paths. */
function countsOf(settings: FleetCase): number {
  return sumOf(settings, (setting) => countNamed(setting) !== null || isCountPath(setting))
}

/** Of one sweep, where more of any rate is more demand. */
function demandOf(settings: FleetCase): number {
  return sumOf(settings, (setting) => setting === "demand" || isDemandPath(setting))
}

function sumOf(settings: FleetCase, isMeant: (setting: string) => boolean): number {
  return settings.reduce((sum, [setting, value]) => sum + (isMeant(setting) ? Number(value) : 0), 0)
}

function worstGap({ promises }: CaseResult): number {
  return Math.max(Number.NEGATIVE_INFINITY, ...promises.map((one) => gapOf(one)))
}

/** How far a promise is from its limit in parts of it; negative when it is kept. */
export function gapOf(one: KeptPromise | undefined): number {
  if (one === undefined) return 0
  const { promise, estimate } = one
  if (estimate.value === null) return Number.POSITIVE_INFINITY
  const beyond = promise.sign.startsWith("<")
    ? estimate.value - promise.limit
    : promise.limit - estimate.value
  return beyond / (promise.limit === 0 ? 1 : promise.limit)
}
