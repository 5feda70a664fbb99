/**
 * Advice about a run: durations whose mean is not as written, lines that are no streets, names of demands that move, a warm-up that is too short, too few replications for an
 * interval, figures that more replications would settle, how much neighbouring waits depend on each other, and orders that
 * have no wait because they were lost.
 */

import { counted } from "../../scenario/language/counted.ts"
import { showDuration } from "../../scenario/language/shown-duration.ts"
import { FLEET_REPLICATIONS_MAX, UNTIL_REPLICATIONS_MIN } from "../../../model/values/limits.ts"
import { MINUTE_MS } from "../../../model/values/time.ts"
import { cutNormals, cutNormalText } from "../language/cut-normals.ts"
import { PERCENTILES, figureNamed, figureOfPart, metricOf, showFigure } from "../language/metrics.ts"
import type { FleetModel } from "../language/model.ts"
import { movingNames } from "../language/parts.ts"
import { isSteady } from "../language/steady.ts"
import type { Spread } from "../language/spread.ts"
import { travelNotes } from "../language/travel.ts"
import { STRETCH_MS } from "../world/tally.ts"
import { batchesOf } from "./batches.ts"
import { shownMeasure } from "./by-hour.ts"
import { NOTHING_OBSERVED, msOfBin, within } from "./observed.ts"
import type { Observed } from "./observed.ts"
import { figureWords } from "./promise-words.ts"
import { recommendedOf } from "./recommend.ts"
import { boundsOf, halfWidthOf } from "./statistics.ts"
import type { Estimate } from "./statistics.ts"
import { marginOf, stretchesOf } from "./summary.ts"
import type { FleetResult } from "./fleet-result.ts"
import type { CaseResult, KeptPromise } from "./summary.ts"

/** Sentences about the recommended case; empty when the run is long enough. */
export function adviceOf(result: FleetResult): readonly string[] {
  const one = recommendedOf(result).shown
  if (one === null) return []
  const { model } = result
  const isOne = one.replications.length === 1
  return [
    ...cutNormals(model).map((cut) => cutNormalText(cut)),
    ...travelNotes(model.travel),
    ...model.logs.flatMap(({ notes }) => notes),
    ...movingNames(
      model,
      [...model.promises, ...model.until].map(({ metric }) => metric),
    ).map(({ message }) => message),
    ...(isSteady(model) ? warmUpAdvice(model, one) : []),
    ...emptyAdvice(model),
    ...(isOne ? batchAdvice(model, one) : fewAdvice(one)),
    ...lossAdvice(one),
    ...one.promises.flatMap((kept) => {
      const advice = kept.isCertain ? null : lengthAdvice(kept, one)
      return advice === null ? [] : [advice]
    }),
  ]
}

/* Warm-up. */

/** A difference between the beginning and the rest must be this unlikely by chance. */
const TRANSIENT_MISS = 0.01

function warmUpAdvice(model: FleetModel, one: CaseResult): readonly string[] {
  const { measure } = shownMeasure(model)
  const found = transientOf(measure, one, stretchesOf(model))
  if (found === null) return []
  const { stretches, isWhole, differenceMs } = found
  const side = differenceMs < 0 ? "shorter" : "longer"
  const about = `the first ${showDuration(stretches * STRETCH_MS)} after it have a mean ${measure} that is ${showDuration(Math.round(Math.abs(differenceMs) / 1000) * 1000)} ${side} than the rest`
  const warmUp = model.warm_up + stretches * STRETCH_MS
  return [
    isWhole
      ? `The warm-up of ${showDuration(model.warm_up)} is too short: ${about}, and the waits do not settle before half of the run is over; make the horizon longer.`
      : `The warm-up of ${showDuration(model.warm_up)} is too short: ${about}. Write warm_up: ${showDuration(warmUp).replaceAll(" ", "")} or more.`,
  ]
}

export interface Transient {
  /** How many quarters of an hour at the beginning differ from the rest. */
  readonly stretches: number
  /** True when half of the run would have to be left out, or more. */
  readonly isWhole: boolean
  /** The mean of the beginning minus that of the rest. */
  readonly differenceMs: number
}

/**
 * The beginning that should be left out, by MSER over means of a quarter of an hour, averaged over replications, if its
 * mean differs clearly from that of the rest. Source: K. P. White, "An effective truncation heuristic for bias reduction
 * in simulation output", Simulation 69 (1997) 323-334; averaging over replications is Welch's. What began after the
 * horizon, in stretch `stretchesMax` or later, is left out: no new orders come then, so the waits fall in any model.
 */
export function transientOf(
  measure: string,
  { replications }: Pick<CaseResult, "replications">,
  stretchesMax: number,
): Transient | null {
  const sums = replications.map(({ observed }) =>
    sumsByStretch(within(observed[measure] ?? NOTHING_OBSERVED, (stretch) => stretch < stretchesMax)),
  )
  const length = Math.max(0, ...sums.map(({ counts }) => counts.length))
  const means: number[] = []
  for (let at = 0; at < length; at += 1) {
    const count = sums.reduce((part, { counts }) => part + (counts[at] ?? 0), 0)
    const sum = sums.reduce((part, { totals }) => part + (totals[at] ?? 0), 0)
    means.push(count === 0 ? (means.at(-1) ?? 0) : sum / count)
  }
  const stretches = truncation(means)
  if (stretches === 0) return null
  const differences = sums.flatMap(({ counts, totals }) => {
    const early = ratio(totals.slice(0, stretches), counts.slice(0, stretches))
    const late = ratio(totals.slice(stretches), counts.slice(stretches))
    return early === null || late === null ? [] : [early - late]
  })
  const [low, high] = boundsOf(differences, TRANSIENT_MISS)
  if (low === null || high === null || (low <= 0 && high >= 0)) return null
  const differenceMs = differences.reduce((sum, one) => sum + one, 0) / differences.length
  return { stretches, isWhole: stretches >= Math.floor(means.length / 2), differenceMs }
}

function sumsByStretch({ stretch, bin, count }: Observed): {
  readonly totals: readonly number[]
  readonly counts: readonly number[]
} {
  const length = (stretch.at(-1) ?? -1) + 1
  const totals = Array.from({ length }, () => 0)
  const counts = Array.from({ length }, () => 0)
  for (const [at, of] of stretch.entries()) {
    totals[of] = (totals[of] ?? 0) + msOfBin(bin[at] ?? 0) * (count[at] ?? 0)
    counts[of] = (counts[of] ?? 0) + (count[at] ?? 0)
  }
  return { totals, counts }
}

function ratio(totals: readonly number[], counts: readonly number[]): number | null {
  const count = counts.reduce((sum, one) => sum + one, 0)
  return count === 0 ? null : totals.reduce((sum, one) => sum + one, 0) / count
}

/** MSER: the truncation after which the squared standard error of the mean is least. Never more than half. */
function truncation(means: readonly number[]): number {
  let [best, least] = [0, Number.POSITIVE_INFINITY]
  for (let from = 0; from <= means.length / 2; from += 1) {
    const rest = means.slice(from)
    const mean = rest.reduce((sum, value) => sum + value, 0) / rest.length
    const error = rest.reduce((sum, value) => sum + (value - mean) ** 2, 0) / rest.length ** 2
    if (error < least) [best, least] = [from, error]
  }
  return best
}

/** Figures over time, which the empty time before the first visit makes lower. */
const OVER_TIME = /^(runners|stalls)\.(utilisation|queue_mean)( at .*)?$/

/** Says that the use of runners and stalls counts a beginning that has no visits, because these are booked ahead. */
function emptyAdvice({ demand, promises, warm_up: warmUp }: FleetModel): readonly string[] {
  const promised = promises.find(({ metric }) => OVER_TIME.test(metric))
  if (promised === undefined || demand.some(({ product }) => product !== "reservation")) return []
  const firstMs = Math.min(...demand.map(({ ahead }) => leastOf(ahead)))
  if (firstMs - warmUp < STRETCH_MS) return []
  const lead = showDuration(Math.round(firstMs / MINUTE_MS) * MINUTE_MS)
  return [
    `The ${figureWords(promised.metric)} counts a beginning without visits: reservations are requested ${lead} or more before their window. If the site has visits at that time, write warm_up: ${lead.replaceAll(" ", "")}.`,
  ]
}

/** A duration that most of a distribution's are longer than. */
function leastOf(of: Spread): number {
  switch (of.is) {
    case "constant":
      return of.ms
    case "uniform":
    case "triangular":
      return of.fromMs
    case "quantiles":
      return of.points[0]?.ms ?? 0
    case "drawn":
      return Math.min(...of.valuesMs)
    case "exponential":
    case "weibull":
      return 0
    case "normal":
    case "lognormal":
    case "gamma":
      return Math.max(0, of.meanMs - of.sdMs)
  }
}

/* Losses. */

/** From this share of requests on, waits of those that came on board alone may look better than the day was. */
const LOST_SHARE_TOLD = 0.05

/** Measures of orders that came on board, and so say nothing of those that were lost before. */
const OF_ORDERS_ON_BOARD = /^(?:(reservations|deliveries|errands)\.)?(?:wait|total)$/

/** Says how many orders a promised wait is not of; empty when another promise is about the lost ones. */
function lossAdvice({ promises, estimates }: CaseResult): readonly string[] {
  const isOfLosses = ({ promise }: KeptPromise): boolean =>
    /\.(canceled|completed|declined|failed)(_share)?$/.test(figureNamed(promise.metric).base)
  if (promises.some((kept) => isOfLosses(kept))) return []
  const told = new Set<string>()
  return promises.flatMap(({ promise: { metric } }) => {
    const from = metricOf(metric)?.from
    const match = from?.is === "durations" ? OF_ORDERS_ON_BOARD.exec(from.measure) : null
    const group = match?.[1] ?? "orders"
    const { part } = figureNamed(metric)
    const name = `${group}.completed_share`
    const share = part === null ? name : figureOfPart(name, part)
    const completed = estimates.of(share).value
    if (match === null || completed === null || told.has(share) || 1 - completed < LOST_SHARE_TOLD) return []
    told.add(share)
    const lost = showFigure(1 - completed, "share")
    return [
      `The ${figureWords(metric)} leaves out what did not come on board: ${lost} of those requested were declined or canceled. Write a promise of ${share} too.`,
    ]
  })
}

/* Length. */

function batchAdvice(model: FleetModel, one: CaseResult): readonly string[] {
  const [sample] = one.replications
  const batches = sample === undefined || !isSteady(model) ? null : batchesOf(sample, stretchesOf(model))
  if (batches === null) return ["One replication has no intervals: make ten or more."]
  const { samples, eachMs, correlation, isIndependent } = batches
  const says = `Intervals of waits come from ${samples.length} batches of ${showDuration(eachMs)} of the one replication, which correlate by ${correlation.toFixed(2)}`
  return [
    isIndependent
      ? `${says}.`
      : `${says}: that is too much, so make the horizon longer, or ten replications.`,
  ]
}

/** Intervals of so few hold the true figure in 70 to 92 of 100 runs, and not in 95 (src/DECISIONS.md §359). */
function fewAdvice({ replications: { length } }: CaseResult): readonly string[] {
  return length < UNTIL_REPLICATIONS_MIN
    ? [
        `Intervals of ${length} replications are of little worth: they miss the true figure more often than 95 % says. Make ${UNTIL_REPLICATIONS_MIN} or more.`,
      ]
    : []
}

/** What would settle on which side of its limit a figure lies; null when nothing can be said. */
function lengthAdvice(kept: KeptPromise, one: CaseResult): string | null {
  const { estimate } = kept
  const { metric } = kept.promise
  const made = one.replications.length
  const tooFew = fewWaits(metric, estimate, made)
  if (tooFew !== null) return tooFew
  if (made === 1 || estimate.value === null) return null
  const wanted = replicationsToSettle(kept, made)
  if (wanted === null)
    return `The ${figureWords(metric)}: the interval has no upper bound yet; make twice as many replications.`
  return wanted > FLEET_REPLICATIONS_MAX
    ? `The ${figureWords(metric)} lies so near to its limit that ${FLEET_REPLICATIONS_MAX} replications would not say on which side.`
    : `The ${figureWords(metric)}: about ${counted(wanted, "replication")} would say on which side of its limit it lies.`
}

/**
 * How many replications would settle on which side of its limit a figure lies, by the width of the interval of those
 * that were made; null without an interval that has both bounds.
 */
export function replicationsToSettle(kept: KeptPromise, made: number): number | null {
  const half = halfWidthOf(kept.estimate)
  const margin = marginOf(kept)
  if (half === null || margin === null) return null
  if (margin === 0) return Number.POSITIVE_INFINITY
  return Math.max(made + 1, Math.ceil(made * (half / Math.abs(margin)) ** 2))
}

function fewWaits(metric: string, { value, waits }: Estimate, made: number): string | null {
  const from = metricOf(metric)?.from
  if (
    value !== null ||
    waits === null ||
    waits === 0 ||
    from?.is !== "durations" ||
    from.statistic === "mean"
  )
    return null
  const needed = Math.round(1 / (1 - PERCENTILES[from.statistic]))
  const wanted = Math.ceil((made * needed) / waits)
  return `The ${figureWords(metric)} needs ${needed} waits and has ${waits}: make ${counted(wanted, "replication")} or more.`
}
