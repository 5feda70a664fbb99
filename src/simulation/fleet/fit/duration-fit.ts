/** One duration of a model, from what was observed: the family that loses least, its goodness, and intervals. */

import { DRAWN_VALUES_MAX } from "../../../model/values/limits.ts"
import { Streams } from "../../../engine/kernel/random.ts"
import {
  FAMILIES,
  criterion,
  distanceOf,
  distanceProbability,
  fitted,
  lognormalOf,
  meanOf,
  sdOf,
} from "./families.ts"
import type { Family, FittedSpread, ModelledSpread } from "./families.ts"
import { histogramOf } from "./histogram.ts"
import type { Histogram } from "./histogram.ts"
import { normalDensity, normalShare } from "./special-functions.ts"

export interface Interval {
  readonly low: number
  readonly high: number
}

export interface DurationFit {
  readonly spread: ModelledSpread
  /** How many values were observed. */
  readonly n: number
  /** How many of them are only known to be at most so long, or at least; null: all are exact. */
  readonly bounds: { readonly count: number; readonly are: "lower" | "upper" } | null
  readonly meanMs: number
  readonly sdMs: number
  /** 95 % intervals of the parameters of `spread`, by their names; none for constants and for drawn values. */
  readonly intervals: Readonly<Record<string, Interval>>
  /** The distance of Kolmogorov and Smirnov, and the probability of one as large; null where it says nothing. */
  readonly distance: number | null
  readonly probability: number | null
  /** Of the exact values; null when they are all the same. */
  readonly histogram: Histogram | null
}

const SIGNED: readonly Family[] = ["normal", "uniform"]
const RESAMPLES = 200
/** Larger samples are resampled at this size, and the intervals narrowed by the square root of the ratio. */
const RESAMPLED_MAX = 2_000
/** Below this probability no family is trusted, and the values themselves are drawn from. */
const PROBABILITY_MIN = 0.001
export const FEW = 20

/** The fit of exact values; `isSigned`: they may be below 0. Null without a value. */
export function fitDuration(
  values: readonly number[],
  { isSigned = false }: { readonly isSigned?: boolean } = {},
): DurationFit | null {
  const n = values.length
  if (n === 0) return null
  const [meanMs, sdMs] = [meanOf(values), sdOf(values)]
  const unfitted = { intervals: {}, distance: null, probability: null }
  const plain = { n, bounds: null, meanMs, sdMs, ...unfitted, histogram: histogramOf(values) }
  // Journals have whole milliseconds.
  if (sdMs < 1) return { ...plain, spread: { is: "constant", ms: Math.round(meanMs) } }
  const sorted = values.toSorted((a, b) => a - b)
  const best = bestOf(values, isSigned ? SIGNED : FAMILIES)
  if (n < FEW || best === null) return { ...plain, spread: drawnOf(sorted) }
  const distance = distanceOf(best.of, sorted)
  const probability = distanceProbability(distance, n)
  if (probability < PROBABILITY_MIN) return { ...plain, spread: drawnOf(sorted), distance, probability }
  const intervals =
    best.of.is === "uniform" ? endsOf(best.of, n) : resampled(values, (sample) => fitted(best.family, sample))
  return { ...plain, spread: best.of, intervals, distance, probability }
}

/** The true ends of a uniform distribution lie outside of its values: 95 % for both, by the distribution of its range. */
function endsOf({ fromMs, toMs }: Extract<FittedSpread, { readonly is: "uniform" }>, n: number) {
  const beyond = (toMs - fromMs) * (0.0125 ** (-1 / (n - 1)) - 1)
  return { fromMs: { low: fromMs - beyond, high: fromMs }, toMs: { low: toMs, high: toMs + beyond } }
}

function bestOf(
  values: readonly number[],
  families: readonly Family[],
): { readonly family: Family; readonly of: FittedSpread } | null {
  const found = families.flatMap((family) => {
    const of = fitted(family, values)
    return of === null ? [] : [{ family, of, loss: criterion(of, family, values) }]
  })
  return found.toSorted((a, b) => a.loss - b.loss)[0] ?? null
}

/** The values themselves, or so many of their quantiles. */
function drawnOf(sorted: readonly number[]): ModelledSpread {
  const count = Math.min(sorted.length, DRAWN_VALUES_MAX / 10)
  const at = (place: number): number => sorted[Math.floor(((place + 0.5) * sorted.length) / count)] ?? 0
  return { is: "drawn", valuesMs: Array.from({ length: count }, (_, place) => Math.round(at(place))) }
}

/** A value, or an upper bound of one. */
export interface Bounded {
  readonly ms: number
  readonly isAtMost: boolean
}

/**
 * A lognormal from values of which some are only known to be at most so long, by expectation and maximization (A. Dempster, N. Laird,
 * D. Rubin, JRSS B 39 (1977) 1-38; the moments of a truncated normal). Null without enough exact values.
 */
export function fitBounded(values: readonly Bounded[]): DurationFit | null {
  const usable = values.filter(({ ms }) => ms > 0)
  const exact = usable.filter(({ isAtMost }) => !isAtMost)
  if (exact.length < FEW) return null
  const fit = (sample: readonly Bounded[]): FittedSpread => lognormalOf(...boundedLogs(sample))
  const of = fit(usable)
  if (of.is !== "lognormal") return null
  return {
    spread: of,
    n: usable.length,
    bounds: { count: usable.length - exact.length, are: "upper" },
    meanMs: of.meanMs,
    sdMs: of.sdMs,
    intervals: resampled(usable, fit),
    distance: null,
    probability: null,
    histogram: histogramOf(exact.map(({ ms }) => ms)),
  }
}

/** The mean and the standard deviation of the logarithms. */
export function boundedLogs(values: readonly Bounded[]): [mu: number, sigma: number] {
  const logs = values.map(({ ms, isAtMost }) => ({ log: Math.log(ms), isAtMost }))
  let mu = meanOf(logs.map(({ log }) => log))
  let sigma = Math.max(0.05, sdOf(logs.map(({ log }) => log)))
  for (let step = 0; step < 500; step += 1) {
    let [first, second] = [0, 0]
    for (const { log, isAtMost } of logs) {
      if (!isAtMost) {
        first += log
        second += log * log
        continue
      }
      const z = (log - mu) / sigma
      const ratio = normalDensity(z) / Math.max(1e-12, normalShare(z))
      const mean = mu - sigma * ratio
      first += mean
      second += mean * mean + sigma * sigma * Math.max(0, 1 - z * ratio - ratio * ratio)
    }
    const nextMu = first / logs.length
    const nextSigma = Math.sqrt(Math.max(1e-6, second / logs.length - nextMu ** 2))
    const isClose = Math.abs(nextMu - mu) + Math.abs(nextSigma - sigma) < 1e-7
    mu = nextMu
    sigma = nextSigma
    if (isClose) break
  }
  return [mu, sigma]
}

/** 95 % intervals by resampling with replacement (B. Efron, Annals of Statistics 7 (1979) 1-26), around the parameters of the whole sample. */
export function resampled<Value>(
  values: readonly Value[],
  fit: (sample: readonly Value[]) => FittedSpread | null,
): Readonly<Record<string, Interval>> {
  const whole = fit(values)
  if (whole === null) return {}
  const chance = new Streams(1)
  const size = Math.min(values.length, RESAMPLED_MAX)
  const found: Record<string, number[]> = {}
  for (let number = 0; number < RESAMPLES; number += 1) {
    const sample = Array.from(
      { length: size },
      () => values[Math.floor(chance.fraction("resample") * values.length)] as Value,
    )
    for (const [name, value] of parametersOf(fit(sample))) (found[name] ??= []).push(value)
  }
  const narrowing = Math.sqrt(size / values.length)
  return Object.fromEntries(
    parametersOf(whole).map(([name, value]) => {
      const sd = sdOf(found[name] ?? [])
      const half = 1.96 * sd * narrowing
      return [name, { low: value - half, high: value + half }]
    }),
  )
}

function parametersOf(of: FittedSpread | null): readonly (readonly [string, number])[] {
  if (of === null) return []
  return Object.entries(of).filter((entry): entry is [string, number] => typeof entry[1] === "number")
}
