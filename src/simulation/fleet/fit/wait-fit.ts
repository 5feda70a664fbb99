/**
 * Patience from waits: of those who left it is known, of those who were served it was longer than their wait. By maximum likelihood
 * with right censoring (J. Lawless, "Statistical Models and Methods for Lifetime Data", 2003, chapters 4 and 5).
 */

import { logGamma } from "../../../model/values/student.ts"
import { FEW, boundedLogs, fitDuration, resampled } from "./duration-fit.ts"
import type { DurationFit } from "./duration-fit.ts"
import {
  PARAMETERS,
  distanceProbability,
  logDensity,
  lognormalOf,
  sdOf,
  shareBelow,
  weibullOf,
} from "./families.ts"
import type { FittedSpread } from "./families.ts"
import { histogramOf } from "./histogram.ts"

/** A patience, or a lower bound of one. */
export interface Wait {
  readonly ms: number
  readonly isAtLeast: boolean
}

const WAITED_FAMILIES = ["exponential", "weibull", "lognormal"] as const

/** Null unless two left or more. */
export function fitWaits(waits: readonly Wait[]): DurationFit | null {
  const usable = waits.filter(({ ms }) => ms > 0)
  const exact = exactOf(usable)
  if (exact.length < 2) return null
  if (exact.length === usable.length) return fitDuration(exact)
  const known = {
    n: usable.length,
    bounds: { count: usable.length - exact.length, are: "lower" },
    histogram: histogramOf(exact),
    distance: null,
    probability: null,
  } as const
  const [first = 0] = exact
  // Journals have whole milliseconds.
  if (sdOf(exact) < 1 && usable.every(({ ms }) => ms <= first + 1))
    return {
      ...known,
      spread: { is: "constant", ms: Math.round(first) },
      meanMs: first,
      sdMs: 0,
      intervals: {},
    }
  // A shape needs more values than a mean.
  const families = exact.length < FEW ? (["exponential"] as const) : WAITED_FAMILIES
  const found = families.flatMap((family) => {
    const of = fitted(family, usable)
    return of === null ? [] : [{ family, of, loss: criterion(of, family, usable) }]
  })
  const [best] = found.toSorted((one, other) => one.loss - other.loss)
  if (best === undefined) return null
  const { family, of } = best
  const distance = exact.length < FEW ? null : distanceOf(of, usable)
  return {
    ...known,
    spread: of,
    ...momentsOf(of),
    intervals: resampled(usable, (sample) => fitted(family, sample)),
    distance,
    probability: distance === null ? null : distanceProbability(distance, exact.length),
  }
}

type WaitedSpread =
  Extract<FittedSpread, { readonly is: "exponential" | "weibull" }> | ReturnType<typeof lognormalOf>
type WaitedFamily = (typeof WAITED_FAMILIES)[number]

function momentsOf(of: WaitedSpread): { readonly meanMs: number; readonly sdMs: number } {
  if (of.is === "lognormal") return { meanMs: of.meanMs, sdMs: of.sdMs }
  const { shape, scaleMs } = of.is === "weibull" ? of : { shape: 1, scaleMs: of.meanMs }
  const moment = (power: number): number => Math.exp(logGamma(1 + power / shape))
  return { meanMs: scaleMs * moment(1), sdMs: scaleMs * Math.sqrt(moment(2) - moment(1) ** 2) }
}

function exactOf(waits: readonly Wait[]): readonly number[] {
  return waits.flatMap(({ ms, isAtLeast }) => (isAtLeast ? [] : [ms]))
}

function fitted(family: WaitedFamily, waits: readonly Wait[]): WaitedSpread | null {
  const exact = exactOf(waits)
  if (exact.length === 0) return null
  switch (family) {
    case "exponential":
      return { is: family, meanMs: waits.reduce((sum, { ms }) => sum + ms, 0) / exact.length }
    case "weibull":
      return weibullOf(
        waits.map(({ ms }) => ms),
        exact,
      )
    case "lognormal": {
      // A lower bound of a value is an upper bound of its reciprocal, which is lognormal, too.
      const [mu, sigma] = boundedLogs(waits.map(({ ms, isAtLeast }) => ({ ms: 1 / ms, isAtMost: isAtLeast })))
      return lognormalOf(-mu, sigma)
    }
  }
}

/** The logarithm of the share that waits longer. */
function logStays(of: FittedSpread, ms: number): number {
  return Math.log(Math.max(Number.EPSILON, 1 - shareBelow(of, ms)))
}

/** Akaike's. */
function criterion(of: FittedSpread, family: WaitedFamily, waits: readonly Wait[]): number {
  const likelihood = waits.reduce(
    (sum, { ms, isAtLeast }) => sum + (isAtLeast ? logStays(of, ms) : logDensity(of, ms)),
    0,
  )
  return 2 * PARAMETERS[family] - 2 * likelihood
}

/**
 * The largest difference, by the length of the wait, between those who had left and those whom the fit expects to have left of all who
 * still waited; as a share of all who left. Of exact values alone it is near to the distance of Kolmogorov and Smirnov, and it has the
 * same distribution (O. Aalen, Annals of Statistics 6 (1978) 701-726).
 */
function distanceOf(of: FittedSpread, waits: readonly Wait[]): number {
  const sorted = waits.toSorted((one, other) => one.ms - other.ms)
  let [left, over, most] = [0, 0, 0]
  for (const [at, { ms, isAtLeast }] of sorted.entries()) {
    const hazard = -logStays(of, ms)
    const expected = over + (sorted.length - at) * hazard
    over += hazard
    most = Math.max(most, Math.abs(expected - left))
    if (!isAtLeast) left += 1
    most = Math.max(most, Math.abs(expected - left))
  }
  return most / Math.max(1, left)
}
