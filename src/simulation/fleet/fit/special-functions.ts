/**
 * Special functions of the fitted distributions. Sources: NIST Digital Library of Mathematical Functions, 8.7 and 8.9 (incomplete
 * gamma function), 5.11 and 5.15 (digamma and trigamma), 7.1 (error function by the incomplete gamma function).
 */

import { logGamma } from "../../../model/values/student.ts"

const STEPS_MAX = 500
const PRECISION = 1e-14

/** The regularized lower incomplete gamma function P(a, x): the share of a gamma distribution of this shape below x. */
export function gammaShare(a: number, x: number): number {
  if (x <= 0) return 0
  const front = Math.exp(a * Math.log(x) - x - logGamma(a))
  if (x < a + 1) {
    let term = 1 / a
    let sum = term
    for (let n = 1; n < STEPS_MAX && Math.abs(term) > PRECISION * sum; n += 1) {
      term *= x / (a + n)
      sum += term
    }
    return Math.min(1, front * sum)
  }
  // Lentz's method for the continued fraction of the upper function.
  let b = x + 1 - a
  let c = 1e300
  let d = 1 / b
  let fraction = d
  for (let n = 1; n < STEPS_MAX; n += 1) {
    const step = -n * (n - a)
    b += 2
    d = 1 / (step * d + b)
    c = b + step / c
    fraction *= d * c
    if (Math.abs(d * c - 1) < PRECISION) break
  }
  return Math.max(0, 1 - front * fraction)
}

/** The share of the standard normal distribution below z. */
export function normalShare(z: number): number {
  const half = gammaShare(0.5, (z * z) / 2) / 2
  return z < 0 ? 0.5 - half : 0.5 + half
}

/** The density of the standard normal distribution. */
export function normalDensity(z: number): number {
  return Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)
}

/** By the recurrence up to 6, then the asymptotic series. */
export function digamma(x: number): number {
  let shift = 0
  let at = x
  for (; at < 6; at += 1) shift -= 1 / at
  const y = 1 / (at * at)
  return shift + Math.log(at) - 1 / (2 * at) - y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y / 240)))
}

export function trigamma(x: number): number {
  let shift = 0
  let at = x
  for (; at < 6; at += 1) shift += 1 / (at * at)
  const y = 1 / (at * at)
  return shift + 1 / at + y / 2 + (y / at) * (1 / 6 - y * (1 / 30 - y * (1 / 42 - y / 30)))
}

/** The value below which a chi-squared distribution lies with this probability, by halving. */
export function chiSquaredQuantile(probability: number, degrees: number): number {
  if (probability <= 0 || degrees <= 0) return 0
  let [low, high] = [0, degrees + 1]
  while (gammaShare(degrees / 2, high / 2) < probability) [low, high] = [high, high * 2]
  while (high - low > 1e-10 * high) {
    const middle = (low + high) / 2
    if (gammaShare(degrees / 2, middle / 2) < probability) low = middle
    else high = middle
  }
  return high
}
