/**
 * Distributions of durations by maximum likelihood, and how well they fit. Gamma: T. Minka, "Estimating a Gamma distribution" (2002).
 * Weibull: the profile likelihood of the shape, by Newton's method (N. Johnson, S. Kotz, N. Balakrishnan, "Continuous Univariate Distributions", volume 1,
 * 21.5.1). Kolmogorov-Smirnov: M. Stephens, "EDF statistics for goodness of fit", JASA 69 (1974) 730-737.
 */

import { WEIBULL_SHAPE } from "../language/spread.ts"
import type { Spread } from "../language/spread.ts"
import { logGamma } from "../../../model/values/student.ts"
import { digamma, gammaShare, normalShare, trigamma } from "./special-functions.ts"

/** What a family is fitted to; every value above 0 unless the family takes any. */
export type FittedSpread = Exclude<Spread, { readonly is: "drawn" | "quantiles" | "triangular" }>

/** What a fitted model draws a duration from: a family, or quantiles of what was seen. */
export type ModelledSpread = FittedSpread | Extract<Spread, { readonly is: "drawn" }>

export const FAMILIES = ["exponential", "normal", "lognormal", "gamma", "weibull", "uniform"] as const

export type Family = (typeof FAMILIES)[number]

/** Parameters, for Akaike's criterion. */
export const PARAMETERS: Readonly<Record<Family, number>> = {
  exponential: 1,
  normal: 2,
  lognormal: 2,
  gamma: 2,
  weibull: 2,
  uniform: 2,
}

/** The most likely distribution of a family; null when the values cannot be of it. */
export function fitted(family: Family, values: readonly number[]): FittedSpread | null {
  const mean = meanOf(values)
  const least = leastOf(values)
  const takesAny = family === "normal" || family === "uniform"
  if (values.length < 2 || (!takesAny && least <= 0) || least === mostOf(values)) return null
  switch (family) {
    case "exponential":
      return { is: family, meanMs: mean }
    case "normal":
      return { is: family, meanMs: mean, sdMs: sdOf(values, mean) }
    case "uniform":
      return { is: family, fromMs: least, toMs: mostOf(values) }
    case "lognormal": {
      const logs = values.map(Math.log)
      return lognormalOf(meanOf(logs), sdOf(logs, meanOf(logs)))
    }
    case "gamma": {
      const shape = gammaShape(Math.log(mean) - meanOf(values.map(Math.log)))
      return { is: family, meanMs: mean, sdMs: mean / Math.sqrt(shape) }
    }
    case "weibull":
      return weibullOf(values)
  }
}

/** By the mean and the standard deviation of the logarithms. */
export function lognormalOf(
  mu: number,
  sigma: number,
): { readonly is: "lognormal"; readonly meanMs: number; readonly sdMs: number } {
  const meanMs = Math.exp(mu + sigma ** 2 / 2)
  return { is: "lognormal", meanMs, sdMs: meanMs * Math.sqrt(Math.expm1(sigma ** 2)) }
}

function muAndSigma({ meanMs, sdMs }: { readonly meanMs: number; readonly sdMs: number }) {
  const sigma = Math.sqrt(Math.log1p((sdMs / meanMs) ** 2))
  return { mu: Math.log(meanMs) - sigma ** 2 / 2, sigma }
}

/** Minka's generalized Newton step, from his approximation. `gap`: the log of the mean less the mean of the logs. */
function gammaShape(gap: number): number {
  let shape = (3 - gap + Math.sqrt((gap - 3) ** 2 + 24 * gap)) / (12 * gap)
  for (let step = 0; step < 100; step += 1) {
    const slope = (Math.log(shape) - digamma(shape) - gap) / (shape ** 2 * (1 / shape - trigamma(shape)))
    const next = 1 / (1 / shape + slope)
    const isClose = Math.abs(next - shape) < 1e-12 * shape
    shape = next
    if (isClose) break
  }
  return shape
}

/**
 * Null beyond the bounds of the model language: nearly constant values have a shape without limit. Of values that are not `exact`,
 * only a lower bound is known.
 */
export function weibullOf(
  values: readonly number[],
  exact: readonly number[] = values,
): Extract<FittedSpread, { readonly is: "weibull" }> | null {
  // Logs of values near 1, so that powers stay finite.
  const most = mostOf(values)
  const logs = values.map((value) => Math.log(value / most))
  const meanLog = meanOf(exact.map((value) => Math.log(value / most)))
  const sums = (shape: number) => {
    let [a, b, c] = [0, 0, 0]
    for (const log of logs) {
      const power = Math.exp(shape * log)
      a += power
      b += power * log
      c += power * log * log
    }
    return { a, b, c }
  }
  const { min, max } = WEIBULL_SHAPE
  let shape = Math.max(min, Math.min(max, 1.2 / Math.max(1e-9, sdOf(logs))))
  for (let step = 0; step < 100; step += 1) {
    const { a, b, c } = sums(shape)
    const value = b / a - 1 / shape - meanLog
    const slope = (c * a - b * b) / a ** 2 + 1 / shape ** 2
    const next = Math.max(shape / 2, shape - value / slope)
    const isClose = Math.abs(next - shape) < 1e-12 * shape
    shape = next
    if (isClose) break
  }
  if (!(shape >= min && shape <= max)) return null
  return { is: "weibull", shape, scaleMs: most * (sums(shape).a / exact.length) ** (1 / shape) }
}

/** The share of a distribution below a value. */
export function shareBelow(of: FittedSpread, value: number): number {
  switch (of.is) {
    case "constant":
      return value >= of.ms ? 1 : 0
    case "exponential":
      return value <= 0 ? 0 : -Math.expm1(-value / of.meanMs)
    case "uniform":
      return Math.min(1, Math.max(0, (value - of.fromMs) / (of.toMs - of.fromMs)))
    case "normal":
      return normalShare((value - of.meanMs) / of.sdMs)
    case "lognormal": {
      const { mu, sigma } = muAndSigma(of)
      return value <= 0 ? 0 : normalShare((Math.log(value) - mu) / sigma)
    }
    case "gamma":
      return gammaShare((of.meanMs / of.sdMs) ** 2, (value * of.meanMs) / of.sdMs ** 2)
    case "weibull":
      return value <= 0 ? 0 : -Math.expm1(-((value / of.scaleMs) ** of.shape))
  }
}

export function logDensity(of: FittedSpread, value: number): number {
  switch (of.is) {
    case "constant":
      return value === of.ms ? 0 : -Infinity
    case "exponential":
      return -value / of.meanMs - Math.log(of.meanMs)
    case "uniform":
      return -Math.log(of.toMs - of.fromMs)
    case "normal":
      return -(((value - of.meanMs) / of.sdMs) ** 2) / 2 - Math.log(of.sdMs * Math.sqrt(2 * Math.PI))
    case "lognormal": {
      const { mu, sigma } = muAndSigma(of)
      const z = (Math.log(value) - mu) / sigma
      return -(z ** 2) / 2 - Math.log(value * sigma * Math.sqrt(2 * Math.PI))
    }
    case "gamma": {
      const shape = (of.meanMs / of.sdMs) ** 2
      const rate = of.meanMs / of.sdMs ** 2
      return shape * Math.log(rate) + (shape - 1) * Math.log(value) - rate * value - logGamma(shape)
    }
    case "weibull": {
      const scaled = value / of.scaleMs
      return Math.log(of.shape / of.scaleMs) + (of.shape - 1) * Math.log(scaled) - scaled ** of.shape
    }
  }
}

/** Akaike's criterion: of two families, the one with the lower value loses less of the data. */
export function criterion(of: FittedSpread, family: Family, values: readonly number[]): number {
  return 2 * PARAMETERS[family] - 2 * values.reduce((sum, value) => sum + logDensity(of, value), 0)
}

/** The largest distance between the distribution and the values. */
export function distanceOf(of: FittedSpread, sorted: readonly number[]): number {
  const n = sorted.length
  return sorted.reduce((most, value, at) => {
    const share = shareBelow(of, value)
    return Math.max(most, share - at / n, (at + 1) / n - share)
  }, 0)
}

/**
 * The probability of a distance at least as large if the values were drawn from the distribution (Stephens). It is too large when the
 * distribution was fitted to the same values, so a small one speaks against a family, and a large one proves nothing.
 */
export function distanceProbability(distance: number, n: number): number {
  const root = Math.sqrt(n)
  const scaled = distance * (root + 0.12 + 0.11 / root)
  if (scaled < 0.2) return 1
  let sum = 0
  for (let k = 1; k <= 100; k += 1) sum += (k % 2 === 1 ? 2 : -2) * Math.exp(-2 * (k * scaled) ** 2)
  return Math.min(1, Math.max(0, sum))
}

export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
}

/** The maximum of the likelihood, so without Bessel's correction. */
export function sdOf(values: readonly number[], mean = meanOf(values)): number {
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, values.length))
}

function leastOf(values: readonly number[]): number {
  return values.reduce((least, value) => Math.min(least, value), Infinity)
}

function mostOf(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), -Infinity)
}
