/**
 * Cases of a sweep compared in pairs. Cases meet the same orders, kitchens and walks on the same seed, so the difference
 * of two cases varies less than either of them. Intervals of all pairs and figures that are compared hold together with
 * 95 % confidence, by Bonferroni's inequality. Source: A. M. Law, Simulation Modeling and Analysis (2015) §10.2.1 (paired t) and §10.3.2.
 */

import { caseName } from "../language/cases.ts"
import { unitOf, showFigure } from "../language/metrics.ts"
import type { FleetModel } from "../language/model.ts"
import type { Estimates } from "./estimates.ts"
import { caseLabel } from "./phrases.ts"
import { MISS, plainBoundsOf, studentProbability } from "../../../model/values/student.ts"
import type { CaseResult } from "./summary.ts"

/** The second case minus the first, on the seeds that both have. */
export interface Difference {
  readonly from: CaseResult
  readonly to: CaseResult
  readonly value: number
  readonly low: number | null
  readonly high: number | null
  /** For each shared seed, what it contributes; their mean is `value`. */
  readonly parts: readonly number[]
}

export interface Comparison {
  readonly metric: string
  readonly isLowerBetter: boolean
  /** Every pair, in the order of the cases. */
  readonly pairs: readonly Difference[]
  /** Best first; cases without the figure are left out. */
  readonly ranked: readonly CaseResult[]
  /** How sure it is that the first of `ranked` is the best, at least. Null for a single case. */
  readonly confidence: number | null
}

/** The promised figures, and the cost if the model has prices. */
export function comparisonsOf(model: FleetModel, cases: readonly CaseResult[]): readonly Comparison[] {
  if (cases.length < 2) return []
  const signs = new Map(model.promises.map(({ metric, sign }) => [metric, sign]))
  const metrics = comparedMetrics(model)
  return metrics.map((metric) =>
    comparisonOf(metric, {
      cases,
      isLowerBetter: !(signs.get(metric) ?? "<").startsWith(">"),
      metrics: metrics.length,
    }),
  )
}

function comparedMetrics({ promises, costs }: FleetModel): readonly string[] {
  return [...new Set([...promises.map(({ metric }) => metric), ...(costs === null ? [] : ["cost.total"])])]
}

/** What one difference may miss so that all pairs of the cases hold together, in every figure that is compared. */
export function pairMiss(model: FleetModel, cases: readonly CaseResult[]): number {
  return MISS / Math.max(1, pairsOf(cases) * comparedMetrics(model).length)
}

function pairsOf({ length }: readonly CaseResult[]): number {
  return (length * (length - 1)) / 2
}

/** `metrics`: how many metrics of these cases are compared, this one among them. */
export function comparisonOf(
  metric: string,
  {
    cases,
    isLowerBetter,
    metrics = 1,
  }: { readonly cases: readonly CaseResult[]; readonly isLowerBetter: boolean; readonly metrics?: number },
): Comparison {
  const known = cases.filter(({ estimates }) => estimates.of(metric).value !== null)
  const pairs = known.flatMap((from, at) =>
    known.slice(at + 1).flatMap((to) => {
      const found = differenceOf(metric, { from, to, miss: MISS / (pairsOf(known) * metrics) })
      return found === null ? [] : [found]
    }),
  )
  const sign = isLowerBetter ? 1 : -1
  const valueOf = ({ estimates }: CaseResult): number => sign * (estimates.of(metric).value ?? 0)
  const ranked = known.toSorted((one, other) => valueOf(one) - valueOf(other))
  return { metric, isLowerBetter, pairs, ranked, confidence: confidenceOf(ranked[0], pairs, sign) }
}

/** The paired difference of two cases; null when they share no figure. `miss` is both tails together. */
export function differenceOf(
  metric: string,
  { from, to, miss }: { readonly from: CaseResult; readonly to: CaseResult; readonly miss: number },
): Difference | null {
  const [one, other] = sharedEstimates(from, to).map((estimates) => estimates.of(metric))
  if (one === undefined || other === undefined || one.value === null || other.value === null) return null
  const parts = one.parts.flatMap((part, at) => {
    const with_ = other.parts[at] ?? null
    return part === null || with_ === null ? [] : [with_ - part]
  })
  const [low, high] = plainBoundsOf(parts, miss)
  return { from, to, value: other.value - one.value, low, high, parts }
}

/** Stop rules may have made more replications of one case; only seeds of both can be paired. */
function sharedEstimates(from: CaseResult, to: CaseResult): readonly Estimates[] {
  if (from.replications.length === to.replications.length) return [from.estimates, to.estimates]
  const seeds = [from, to].map(({ replications }) => new Set(replications.map(({ seed }) => seed)))
  const isShared = (seed: number | undefined): boolean =>
    seed !== undefined && seeds.every((one) => one.has(seed))
  return [from, to].map(({ estimates, replications }) =>
    estimates.only((at) => isShared(replications[at]?.seed)),
  )
}

/**
 * The best case is chosen from the data, so each of the others might be the true best: the least sure of the paired
 * tests against them is corrected for their number. It holds whatever the correlation between cases.
 */
function confidenceOf(
  best: CaseResult | undefined,
  pairs: readonly Difference[],
  sign: -1 | 1,
): number | null {
  const others = pairs.filter(({ from, to }) => from === best || to === best)
  if (others.length === 0) return null
  const doubts = others.map(({ from, parts }) => {
    // How much worse the other one is.
    const worse = parts.map((part) => (from === best ? sign * part : -sign * part))
    return doubtOf(worse)
  })
  return Math.max(0, 1 - others.length * Math.max(...doubts))
}

/** The p-value of a mean that is not above 0. */
function doubtOf(values: readonly number[]): number {
  const n = values.length
  if (n < 2) return 1
  const mean = values.reduce((sum, value) => sum + value, 0) / n
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  if (squares === 0) return mean > 0 ? 0 : 1
  return 1 - studentProbability(mean / Math.sqrt(squares / (n * (n - 1))), n - 1)
}

/** True when the whole interval is on one side of 0. */
export function isClear({ low, high }: Pick<Difference, "high" | "low">): boolean {
  return low !== null && high !== null && (low > 0 || high < 0)
}

/** `runners 6 (2m 30s), runners 5 (4m 25s)`: the cases by a metric, best first. */
export function rankText({ metric, ranked }: Comparison): string {
  const unit = unitOf(metric)
  return ranked
    .map(
      ({ settings, estimates }) => `${caseLabel(settings)} (${showFigure(estimates.of(metric).value, unit)})`,
    )
    .join(", ")
}

/** For programs. */
export function comparisonJson({ metric, pairs, ranked, confidence }: Comparison): object {
  return {
    metric,
    unit: unitOf(metric),
    ranked: ranked.map(({ settings }) => caseName(settings)),
    best_with_confidence: confidence,
    pairs: pairs.map((pair) => ({
      from: caseName(pair.from.settings),
      to: caseName(pair.to.settings),
      n: pair.parts.length,
      difference: pair.value,
      low: pair.low,
      high: pair.high,
      clear: isClear(pair),
    })),
  }
}
