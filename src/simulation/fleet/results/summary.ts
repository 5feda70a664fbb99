/** The replications of a case together: intervals, promises, and whether there are enough replications. */

import { MINUTE_MS } from "../../../model/values/time.ts"
import type { FleetCase } from "../language/cases.ts"
import { showChange, showFigure, unitOf } from "../language/metrics.ts"
import type { Unit } from "../language/metrics.ts"
import type { FleetModel } from "../language/model.ts"
import { isSteady } from "../language/steady.ts"
import { partsOf } from "../language/parts.ts"
import type { Part } from "../language/parts.ts"
import type { FleetPromise, StopRule } from "../language/promises.ts"
import { isTimePart } from "../language/time-parts.ts"
import type { TimePart } from "../language/time-parts.ts"
import { STRETCH_MS } from "../world/tally.ts"
import type { Replication } from "../world/replication.ts"
import { batchesOf } from "./batches.ts"
import { withCosts } from "./costs.ts"
import { Estimates } from "./estimates.ts"
import type { OfPart, Sample } from "./estimates.ts"
import { partSample } from "./part-sample.ts"
import { isInPart, quarterNames, timeSample } from "./time-sample.ts"
import { NOTHING_OBSERVED, msOfBin } from "./observed.ts"
import { halfWidthOf } from "./statistics.ts"
import type { Estimate } from "./statistics.ts"

export interface KeptPromise {
  readonly promise: FleetPromise
  readonly estimate: Estimate
  readonly isKept: boolean
  /** True when the whole interval is on the same side of the limit as the estimate; without an interval false. */
  readonly isCertain: boolean
}

export interface CaseResult {
  readonly settings: FleetCase
  /** In the order of their seeds. */
  readonly replications: readonly Replication[]
  readonly estimates: Estimates
  readonly promises: readonly KeptPromise[]
  /** Stop rules that the intervals do not meet although the maximum number of replications was made. */
  readonly wide: readonly StopRule[]
}

export function caseResult(model: FleetModel, settings: FleetCase, made: readonly Replication[]): CaseResult {
  const replications = made.map((one) => withCosts(one, model.costs))
  const batchesIn = (samples: readonly Sample[]): readonly Sample[] | null => {
    const [only] = samples
    if (samples.length !== 1 || only === undefined || !isSteady(model)) return null
    return batchesOf(only, stretchesOf(model))?.samples ?? null
  }
  const estimates = estimatesWith(model, replications, batchesIn)
  return {
    settings,
    replications,
    estimates,
    promises: model.promises.map((promise) => keptPromise(promise, estimates.of(promise.metric))),
    wide: wideRules(model, replications),
  }
}

type Parted = Pick<FleetModel, "clock" | "costs" | "demand" | "horizon" | "sites" | "warm_up">

/** Estimates of the whole model, and by name those of its sites, demands and days, each made when it is first read. */
function estimatesWith(
  model: Parted,
  samples: readonly Sample[],
  batchesIn: (samples: readonly Sample[]) => readonly Sample[] | null = () => null,
): Estimates {
  const made = new Map<Part, Estimates>()
  const parts = partsOf(model)
  const ofTime = timeEstimates(model, samples)
  const ofPart: OfPart = (named) => {
    if (isTimePart(named)) return ofTime(named)
    const part = parts.find((one) => one.kind === named.kind && one.name === named.name)
    if (part === undefined) return null
    const known = made.get(part)
    if (known !== undefined) return known
    const own = samples.map((one) => withCosts(partSample(one, part), siteCosts(model, part)))
    const estimates = new Estimates(own, { batches: batchesIn(own) })
    made.set(part, estimates)
    return estimates
  }
  return new Estimates(samples, { batches: batchesIn(samples), ofPart })
}

/** Estimates of days, weekdays and hours; null for one that the measured time does not have. */
function timeEstimates(model: Parted, samples: readonly Sample[]): (part: TimePart) => Estimates | null {
  const made = new Map<string, Estimates | null>()
  let names: ReturnType<typeof quarterNames> | null = null
  return (part) => {
    const key = `${part.kind} ${part.name}`
    const known = made.get(key)
    if (known !== undefined) return known
    names ??= quarterNames(model)
    const isIn = isInPart(names, part)
    const estimates = names.some((_, stretch) => isIn(stretch)) ? estimatesWithin(model, samples, isIn) : null
    made.set(key, estimates)
    return estimates
  }
}

/** Estimates of some of the quarters of an hour. */
export function estimatesWithin(
  { horizon, warm_up: warmUp }: Pick<FleetModel, "horizon" | "warm_up">,
  samples: readonly Sample[],
  isIn: (stretch: number) => boolean,
): Estimates {
  return new Estimates(samples.map((one) => timeSample(one, isIn, horizon - warmUp)))
}

/** People and vehicles belong to a site, so a demand has no costs of its own. */
function siteCosts({ costs }: Parted, { kind }: Part): Parted["costs"] {
  return kind === "site" ? costs : null
}

/** Quarters of an hour that are measured. */
export function stretchesOf({ horizon, warm_up: warmUp }: Pick<FleetModel, "horizon" | "warm_up">): number {
  return Math.ceil((horizon - warmUp) / STRETCH_MS)
}

export function keptPromise(promise: FleetPromise, estimate: Estimate): KeptPromise {
  const { value, low, high } = estimate
  // Without a measurement the promise is not kept.
  if (value === null) return { promise, estimate, isKept: false, isCertain: false }
  const isKept = keeps(promise, value)
  // The bound towards the limit decides, so the other one may be unknown.
  const nearest = isKept === promise.sign.startsWith("<") ? high : low
  const isCertain = nearest !== null && keeps(promise, nearest) === isKept
  return { promise, estimate, isKept, isCertain }
}

/** True when a figure is within the limit. */
export function keeps({ sign, limit }: FleetPromise, value: number): boolean {
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
  model: Parted & Pick<FleetModel, "until">,
  samples: readonly Sample[],
): readonly StopRule[] {
  const { until, costs } = model
  if (until.length === 0) return []
  const estimates = estimatesWith(
    model,
    samples.map((one) => withCosts(one, costs)),
  )
  return until.filter(({ metric, halfWidth: wanted, isShare }) => {
    const estimate = estimates.of(metric)
    const half = halfWidthOf(estimate)
    if (estimate.value === null || half === null) return true
    return half > (isShare ? Math.abs(estimate.value) * wanted : wanted)
  })
}

/** `wait_p95 < 8m`. */
export function promiseText({ metric, sign, limit }: FleetPromise): string {
  return `${metric} ${sign} ${showFigure(limit, unitOf(metric))}`
}

/** How far a figure is inside of its limit; negative when the promise is broken, null without a figure. */
export function marginOf({ promise, estimate }: KeptPromise): number | null {
  if (estimate.value === null) return null
  return promise.sign.startsWith("<") ? promise.limit - estimate.value : estimate.value - promise.limit
}

/** `6m 42s (6m 20s to 7m 1s)`: the estimate and its 95 % interval. */
export function figureText(metric: string, { value, low, high }: Estimate): string {
  const unit = unitOf(metric)
  const interval = intervalText({ low, high }, unit)
  return interval === null ? showFigure(value, unit) : `${showFigure(value, unit)} (${interval})`
}

/** `2m 6s (1m 12s to 4m 3s)`: how far a broken promise and its interval are beyond the limit. */
export function brokenByText(kept: KeptPromise): string {
  const { sign, limit, metric } = kept.promise
  const unit = unitOf(metric)
  const { low, high } = kept.estimate
  const beyond = (bound: number | null): number | null => (bound === null ? null : Math.abs(bound - limit))
  // Intervals of waits reach farther to the long side.
  const [near, far] = sign.startsWith("<") ? [low, high] : [high, low]
  const bounds = { low: beyond(near), high: beyond(far) }
  const interval = intervalText(bounds, (bound) => showChange(bound, unit))
  const by = showChange(Math.abs(marginOf(kept) ?? 0), unit)
  return interval === null ? by : `${by} (${interval})`
}

/** `6m 20s to 7m 1s`; null without an interval. Bounds of a figure have its unit, others their own text. */
export function intervalText(
  { low, high }: Pick<Estimate, "high" | "low">,
  unit: Unit | ((bound: number) => string),
): string | null {
  const show = typeof unit === "function" ? unit : (bound: number): string => showFigure(bound, unit)
  if (low === null) return null
  return high === null ? `${show(low)} or more` : `${show(low)} to ${show(high)}`
}

/** `6m 42s (6m 20s to 7m 1s; 412 waits)`: the same, and what it is computed from. */
export function estimateText(metric: string, estimate: Estimate, replications: number): string {
  const unit = unitOf(metric)
  const { value, waits, n } = estimate
  const from = waits === null ? [] : [`${waits} ${nounOf(metric, waits)}`]
  if (value === null)
    return waits === null ? "no data" : `no figure: ${from.join("")} ${waits === 1 ? "is" : "are"} too few`
  const interval = intervalText(estimate, unit)
  const only = n < replications ? [`in ${n} of ${replications} replications`] : []
  const about = [...(interval === null ? [] : [interval]), ...from, ...only]
  return about.length === 0 ? showFigure(value, unit) : `${showFigure(value, unit)} (${about.join("; ")})`
}

/** What a pooled figure counts. */
export function nounOf(metric: string, count: number): string {
  const noun = /[.]stay_/.test(metric) ? "stay" : /(^|[.])wait_/.test(metric) ? "wait" : "order"
  return count === 1 ? noun : `${noun}s`
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

const MINUTES_MAX = 60

/** Durations of all replications by the minute; the last one holds all longer ones. */
export function waitsByMinute(measure: string, replications: readonly Replication[]): readonly number[] {
  const counts = Array.from({ length: MINUTES_MAX + 1 }, () => 0)
  for (const { observed } of replications) {
    const { bin, count } = observed[measure] ?? NOTHING_OBSERVED
    for (const [at, one] of bin.entries()) {
      const minute = Math.min(MINUTES_MAX, Math.floor(msOfBin(one) / MINUTE_MS))
      counts[minute] = (counts[minute] ?? 0) + (count[at] ?? 0)
    }
  }
  return counts
}
