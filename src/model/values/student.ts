/**
 * Student's t distribution: its probabilities and its quantiles for any level, which corrections for many comparisons
 * need. Source: DLMF 8.17 (incomplete beta function by its continued fraction) and 5.11 (gamma function by Lanczos).
 */

/** The probability that an interval misses the true value, in both directions together. */
export const MISS = 0.05

/**
 * The interval of a mean by Student's t alone; null for fewer than two values. For few values, and for paired differences: these are
 * little skewed. `miss` is both tails together.
 */
export function plainBoundsOf(
  values: readonly number[],
  miss = MISS,
): readonly [number | null, number | null] {
  const n = values.length
  if (n < 2) return [null, null]
  const mean = values.reduce((sum, value) => sum + value, 0) / n
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  const half = studentQuantile(1 - miss / 2, n - 1) * Math.sqrt(squares / (n * (n - 1)))
  return [mean - half, mean + half]
}

/** P(T <= t) for Student's t with so many degrees of freedom. */
export function studentProbability(t: number, degrees: number): number {
  const tail = betaShare(degrees / (degrees + t * t), degrees / 2, 0.5) / 2
  return t > 0 ? 1 - tail : tail
}

const known = new Map<string, number>()

/** The value below which Student's t lies with this probability; accurate to ten digits. */
export function studentQuantile(probability: number, degrees: number): number {
  if (probability < 0.5) return -studentQuantile(1 - probability, degrees)
  if (probability === 0.5) return 0
  const key = `${probability}/${degrees}`
  const before = known.get(key)
  if (before !== undefined) return before
  let [low, high] = [0, 1]
  while (studentProbability(high, degrees) < probability) [low, high] = [high, high * 2]
  // Halving is slow and cannot fail; every level is computed once.
  while (high - low > 1e-11 * high) {
    const middle = (low + high) / 2
    if (studentProbability(middle, degrees) < probability) low = middle
    else high = middle
  }
  known.set(key, high)
  return high
}

/** The regularized incomplete beta function I_x(a, b). */
function betaShare(x: number, a: number, b: number): number {
  if (x <= 0) return 0
  if (x >= 1) return 1
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x))
  // The fraction converges fast only on this side of the mean.
  return x < (a + 1) / (a + b + 2)
    ? (front * betaFraction(x, a, b)) / a
    : 1 - (front * betaFraction(1 - x, b, a)) / b
}

const STEPS_MAX = 300
const TINY = 1e-300

/** Lentz's method. */
function betaFraction(x: number, a: number, b: number): number {
  let c = 1
  let d = 1 / nonZero(1 - ((a + b) * x) / (a + 1))
  let found = d
  for (let m = 1; m <= STEPS_MAX; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / nonZero(1 + even * d)
    c = nonZero(1 + even / c)
    found *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / nonZero(1 + odd * d)
    c = nonZero(1 + odd / c)
    found *= d * c
    if (Math.abs(d * c - 1) < 1e-15) break
  }
  return found
}

function nonZero(value: number): number {
  return Math.abs(value) < TINY ? TINY : value
}

const LANCZOS = [
  676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
  -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
]

/** The logarithm of the gamma function, for x > 0. */
export function logGamma(x: number): number {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x)
  const shifted = x - 1
  const base = shifted + LANCZOS.length - 0.5
  const sum = LANCZOS.reduce((part, value, at) => part + value / (shifted + at + 1), 0.99999999999980993)
  return 0.5 * Math.log(2 * Math.PI) + (shifted + 0.5) * Math.log(base) - base + Math.log(sum)
}
