/**
 * Rates of arrivals by hour and weekday, and shares. Intervals: F. Garwood, Biometrika 28 (1936) 437-442, for counts; E. Wilson,
 * JASA 22 (1927) 209-212, for shares. Hours of one rate are found by optimal partitioning: B. Jackson and others, IEEE Signal Processing
 * Letters 12 (2005) 105-108. Weekdays are compared by a chi-squared test.
 */

import { HOUR_MS } from "../../../model/values/time.ts"
import { midnightOf, wallClockAt } from "../../../model/values/local-time.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import type { Weekday } from "../language/weekday.ts"
import { WEEKDAYS, weekdayAt } from "../language/weekday.ts"
import type { Interval } from "./duration-fit.ts"
import { chiSquaredQuantile, gammaShare } from "./special-functions.ts"

const HOURS = 24
/** Significance level: below it, weekdays get rates of their own. */
const TOLD_APART = 0.01

export interface Rate {
  readonly fromHour: number
  /** Arrivals an hour. */
  readonly perHour: number
  readonly interval: Interval
  readonly count: number
}

export interface Rates {
  /** Null: every weekday. */
  readonly on: readonly Weekday[] | null
  /** By time of day; the first is that of midnight or of the first hour that was observed. */
  readonly steps: readonly Rate[]
  readonly count: number
}

export interface ArrivalFit {
  readonly rates: readonly Rates[]
  /** Hours of the day that the observed span does not contain. */
  readonly unobserved: readonly number[]
  /** The probability of such differences between weekdays if there were none; null with one weekday. */
  readonly weekdayProbability: number | null
}

export interface ObservedSpan {
  readonly fromMs: EpochMs
  readonly toMs: EpochMs
  readonly timeZone: string
}

/** A place in the week: weekday (0 is Monday) and hour. */
function placeOf(atMs: EpochMs, timeZone: string): { readonly day: number; readonly hour: number } {
  const wall = wallClockAt(atMs, timeZone)
  return { day: weekdayAt(wall), hour: Math.floor((wall - midnightOf(wall)) / HOUR_MS) }
}

type Table = readonly (readonly number[])[]

export function fitArrivals(instants: readonly EpochMs[], span: ObservedSpan): ArrivalFit {
  const counts = tableOf(() => 0)
  const exposure = exposureOf(span)
  for (const atMs of instants) {
    if (atMs < span.fromMs || atMs > span.toMs) continue
    const { day, hour } = placeOf(atMs, span.timeZone)
    const row = counts[day] as number[]
    row[hour] = (row[hour] ?? 0) + 1
  }
  const unobserved = Array.from({ length: HOURS }, (_, hour) => hour).filter(
    (hour) => sumOver(exposure, [0, 1, 2, 3, 4, 5, 6], hour) === 0,
  )
  const probability = weekdayProbability(counts, exposure)
  const groups = probability !== null && probability < TOLD_APART ? groupsOf(counts, exposure) : [null]
  const rates = groups.map((on) => ratesOf(counts, exposure, on))
  return { rates: rates.filter(({ count }) => count > 0), unobserved, weekdayProbability: probability }
}

function tableOf(value: (day: number, hour: number) => number): number[][] {
  const hours = Array.from({ length: HOURS }, (_, hour) => hour)
  return WEEKDAYS.map((_, day) => hours.map((hour) => value(day, hour)))
}

/** Hours observed at each place of the week. */
function exposureOf({ fromMs, toMs, timeZone }: ObservedSpan): Table {
  const exposure = tableOf(() => 0)
  // Quarters of an hour: the offset of every time zone is a multiple of one.
  const step = HOUR_MS / 4
  for (let atMs = fromMs; atMs < toMs;) {
    const untilMs = Math.min(toMs, (Math.floor(atMs / step) + 1) * step)
    const { day, hour } = placeOf(atMs, timeZone)
    const row = exposure[day] as number[]
    row[hour] = (row[hour] ?? 0) + (untilMs - atMs) / HOUR_MS
    atMs = untilMs
  }
  return exposure
}

function cell(table: Table, day: number, hour: number): number {
  return table[day]?.[hour] ?? 0
}

function sumOver(table: Table, days: readonly number[], hour: number): number {
  return days.reduce((sum, day) => sum + cell(table, day, hour), 0)
}

function sumOfDay(table: Table, day: number): number {
  return (table[day] ?? []).reduce((sum, value) => sum + value, 0)
}

/** Counts of weekdays against what the common profile of the day would give. */
function weekdayProbability(counts: Table, exposure: Table): number | null {
  const days = [0, 1, 2, 3, 4, 5, 6].filter((day) => sumOfDay(exposure, day) > 0)
  const expected = expectedOf(counts, exposure, days)
  const used = days.filter((day) => (expected.get(day) ?? 0) >= 5)
  if (used.length < 2) return null
  const statistic = used.reduce((sum, day) => {
    const wanted = expected.get(day) ?? 1
    return sum + (sumOfDay(counts, day) - wanted) ** 2 / wanted
  }, 0)
  return 1 - gammaShare((used.length - 1) / 2, statistic / 2)
}

function expectedOf(counts: Table, exposure: Table, days: readonly number[]): ReadonlyMap<number, number> {
  const profile = Array.from({ length: HOURS }, (_, hour) => {
    const hours = sumOver(exposure, days, hour)
    return hours === 0 ? 0 : sumOver(counts, days, hour) / hours
  })
  return new Map(
    days.map((day) => [day, profile.reduce((sum, rate, hour) => sum + rate * cell(exposure, day, hour), 0)]),
  )
}

/** Groups weekdays in the order of their rates; a group grows as long as a test finds no difference in it. */
function groupsOf(counts: Table, exposure: Table): readonly (readonly number[])[] {
  const days = [0, 1, 2, 3, 4, 5, 6].filter((day) => sumOfDay(exposure, day) > 0)
  const expected = expectedOf(counts, exposure, days)
  const factor = (day: number): number => sumOfDay(counts, day) / Math.max(1e-9, expected.get(day) ?? 0)
  const groups: number[][] = []
  for (const day of days.toSorted((a, b) => factor(a) - factor(b))) {
    const last = groups.at(-1)
    const isAlike =
      last !== undefined &&
      alike([...last, day].map((one) => ({ count: sumOfDay(counts, one), hours: expected.get(one) ?? 0 })))
    if (isAlike) last.push(day)
    else groups.push([day])
  }
  return groups.map((group) => group.toSorted((a, b) => a - b))
}

interface Counted {
  readonly count: number
  readonly hours: number
}

/** True unless a chi-squared test finds a difference between the rates. */
function alike(parts: readonly Counted[]): boolean {
  const seen = parts.filter(({ hours }) => hours > 0)
  const hours = seen.reduce((sum, part) => sum + part.hours, 0)
  const count = seen.reduce((sum, part) => sum + part.count, 0)
  if (seen.length < 2 || count === 0) return true
  const statistic = seen.reduce((sum, part) => {
    const wanted = (count * part.hours) / hours
    return sum + (part.count - wanted) ** 2 / wanted
  }, 0)
  return 1 - gammaShare((seen.length - 1) / 2, statistic / 2) >= TOLD_APART
}

function ratesOf(counts: Table, exposure: Table, on: readonly number[] | null): Rates {
  const days = on ?? [0, 1, 2, 3, 4, 5, 6]
  const hours = Array.from({ length: HOURS }, (_, hour) => ({
    hour,
    count: sumOver(counts, days, hour),
    hours: sumOver(exposure, days, hour),
  })).filter((one) => one.hours > 0)
  const segments = runsOf(hours).flatMap((run) => segmentsOf(run))
  const steps = segments.flatMap((segment, at): Rate[] => {
    const count = segment.reduce((sum, one) => sum + one.count, 0)
    const observed = segment.reduce((sum, one) => sum + one.hours, 0)
    const rate = {
      fromHour: segment[0]?.hour ?? 0,
      perHour: count / observed,
      interval: countInterval(count, observed),
      count,
    }
    const end = (segment.at(-1)?.hour ?? 0) + 1
    const isGap = end < HOURS && segments[at + 1]?.[0]?.hour !== end
    return isGap ? [rate, { fromHour: end, perHour: 0, interval: { low: 0, high: 0 }, count: 0 }] : [rate]
  })
  const first = steps[0]
  // A value holds past midnight until the first step.
  const whole =
    first !== undefined && first.fromHour > 0
      ? [{ fromHour: 0, perHour: 0, interval: { low: 0, high: 0 }, count: 0 }, ...steps]
      : steps
  return {
    on: on === null ? null : on.map((day) => WEEKDAYS[day] as Weekday),
    steps: whole,
    count: whole.reduce((sum, { count }) => sum + count, 0),
  }
}

interface Hour extends Counted {
  readonly hour: number
}

/** Hours that follow each other. An hour that was not observed ends a run: its rate is not known. */
function runsOf(hours: readonly Hour[]): readonly (readonly Hour[])[] {
  const runs: Hour[][] = []
  for (const one of hours) {
    const last = runs.at(-1)
    if (last?.at(-1)?.hour === one.hour - 1) last.push(one)
    else runs.push([one])
  }
  return runs
}

/** The likelihood that one more rate must win: Schwarz's criterion for a rate and the hour at which it begins. */
const RATE_COST = 2 * Math.log(HOURS)

/** The division into hours of one rate that is most likely, less the cost of each rate. */
function segmentsOf(run: readonly Hour[]): readonly (readonly Hour[])[] {
  const best: { readonly cost: number; readonly from: number }[] = [{ cost: 0, from: 0 }]
  for (let end = 1; end <= run.length; end += 1) {
    let [cost, at] = [Infinity, 0]
    for (let from = 0; from < end; from += 1) {
      const whole = (best[from]?.cost ?? 0) + lossOf(run.slice(from, end)) + RATE_COST
      if (whole < cost) [cost, at] = [whole, from]
    }
    best.push({ cost, from: at })
  }
  const segments: (readonly Hour[])[] = []
  for (let end = run.length; end > 0; end = best[end]?.from ?? 0)
    segments.unshift(run.slice(best[end]?.from ?? 0, end))
  return segments
}

/** Minus twice the logarithm of the likelihood of Poisson counts at one rate, but for a constant. */
function lossOf(part: readonly Counted[]): number {
  const count = part.reduce((sum, one) => sum + one.count, 0)
  const hours = part.reduce((sum, one) => sum + one.hours, 0)
  return count === 0 ? 0 : -2 * count * Math.log(count / hours)
}

/** The exact 95 % interval of a Poisson rate. */
export function countInterval(count: number, hours: number): Interval {
  return {
    low: chiSquaredQuantile(0.025, 2 * count) / 2 / hours,
    high: chiSquaredQuantile(0.975, 2 * count + 2) / 2 / hours,
  }
}

export interface Share {
  readonly value: number
  readonly interval: Interval
  readonly count: number
  readonly of: number
}

/** Null when there was nothing to count among. */
export function shareOf(count: number, of: number): Share | null {
  if (of === 0) return null
  const z = 1.96
  const value = count / of
  const middle = (value + z ** 2 / (2 * of)) / (1 + z ** 2 / of)
  const half = (z / (1 + z ** 2 / of)) * Math.sqrt((value * (1 - value)) / of + z ** 2 / (4 * of ** 2))
  return { value, count, of, interval: { low: Math.max(0, middle - half), high: Math.min(1, middle + half) } }
}
