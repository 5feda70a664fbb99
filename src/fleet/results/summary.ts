/** The replications of a case together: intervals, promises, and whether there are enough replications. */

import type { FleetCase } from "../language/cases.ts"
import { METRICS, showFigure } from "../language/metrics.ts"
import type { FleetModel } from "../language/model.ts"
import type { FleetPromise, StopRule } from "../language/promises.ts"
import type { Replication } from "../world/replication.ts"
import { estimateOf } from "./statistics.ts"
import type { Estimate } from "./statistics.ts"

export interface KeptPromise {
  readonly promise: FleetPromise
  readonly estimate: Estimate
  readonly isKept: boolean
  /** True when the whole interval is on the same side of the limit as the mean. */
  readonly isCertain: boolean
}

export interface CaseResult {
  readonly settings: FleetCase
  /** In the order of their seeds. */
  readonly replications: readonly Replication[]
  readonly estimates: ReadonlyMap<string, Estimate>
  readonly promises: readonly KeptPromise[]
  /** Stop rules that the intervals do not meet although the maximum number of replications was made. */
  readonly wide: readonly StopRule[]
}

export interface FleetResult {
  readonly model: FleetModel
  readonly cases: readonly CaseResult[]
  /** With a sweep, `passed` means that at least one case keeps every promise. */
  readonly verdict: "failed" | "passed"
}

export function fleetResult(model: FleetModel, cases: readonly CaseResult[]): FleetResult {
  const isPassed = cases.some(({ promises }) => promises.every(({ isKept }) => isKept))
  return { model, cases, verdict: isPassed ? "passed" : "failed" }
}

export function caseResult(
  model: FleetModel,
  settings: FleetCase,
  replications: readonly Replication[],
): CaseResult {
  const estimates = new Map<string, Estimate>()
  for (const name of METRICS.keys()) {
    estimates.set(name, estimateOf(replications.map(({ figures }) => figures[name] ?? null)))
  }
  return {
    settings,
    replications,
    estimates,
    promises: model.promises.map((promise) => keptPromise(promise, estimateIn(estimates, promise.metric))),
    wide: wideRules(model.until, replications),
  }
}

function estimateIn(estimates: ReadonlyMap<string, Estimate>, metric: string): Estimate {
  return estimates.get(metric) ?? estimateOf([])
}

function keptPromise(promise: FleetPromise, estimate: Estimate): KeptPromise {
  const { mean, halfWidth } = estimate
  // Without a measurement the promise is not kept.
  if (mean === null) return { promise, estimate, isKept: false, isCertain: false }
  const isKept = keeps(promise, mean)
  const half = halfWidth ?? Number.POSITIVE_INFINITY
  const isCertain = keeps(promise, mean - half) === isKept && keeps(promise, mean + half) === isKept
  return { promise, estimate, isKept, isCertain }
}

function keeps({ sign, limit }: FleetPromise, value: number): boolean {
  switch (sign) {
    case "<":
      return value < limit
    case "<=":
      return value <= limit
    case ">":
      return value > limit
    case ">=":
      return value >= limit
  }
}

/** The stop rules whose interval is still too wide. */
export function wideRules(
  rules: readonly StopRule[],
  replications: readonly Pick<Replication, "figures">[],
): readonly StopRule[] {
  return rules.filter(({ metric, halfWidth: wanted, isShare }) => {
    const { mean, halfWidth } = estimateOf(replications.map(({ figures }) => figures[metric] ?? null))
    if (mean === null || halfWidth === null) return true
    return halfWidth > (isShare ? Math.abs(mean) * wanted : wanted)
  })
}

/** `wait_p95 < 8m`. */
export function promiseText({ metric, sign, limit }: FleetPromise): string {
  return `${metric} ${sign} ${showFigure(limit, METRICS.get(metric)?.unit ?? "count")}`
}

/** `6m 42s ± 12s (n 10)`. */
export function estimateText(metric: string, { mean, halfWidth, n }: Estimate): string {
  const unit = METRICS.get(metric)?.unit ?? "count"
  const half = halfWidth === null ? "" : ` ± ${showFigure(halfWidth, unit)}`
  return mean === null ? "no data" : `${showFigure(mean, unit)}${half} (n ${n})`
}

/** Means over the replications of each count; a reason that a replication does not have counts as 0. */
export function meanCounts(replications: readonly Replication[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>()
  for (const { counts } of replications) {
    for (const [name, count] of Object.entries(counts)) sums.set(name, (sums.get(name) ?? 0) + count)
  }
  const names = [...sums.keys()].toSorted()
  return new Map(names.map((name) => [name, (sums.get(name) ?? 0) / replications.length]))
}

/** Means over the replications, interval by interval. */
export function meanSeries(replications: readonly Replication[]): ReadonlyMap<string, readonly number[]> {
  const names = Object.keys(replications[0]?.series ?? {})
  return new Map(
    names.map((name) => {
      const all = replications.map(({ series }) => series[name] ?? [])
      return [
        name,
        (all[0] ?? []).map((_, at) => all.reduce((sum, one) => sum + (one[at] ?? 0), 0) / all.length),
      ]
    }),
  )
}
