/** The curve's geometry in px: where each entry stands, the line of steps, its band, and the ticks of the time axis. Pure. */

import { HOUR_MS, MINUTE_MS } from "../../../model/values/time.ts"
import type { Entry } from "./figures.ts"

export type Scale = "rank" | "time"

/** px */
export interface Plot {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

export interface CurveShape {
  /** Of each entry. */
  readonly xs: readonly number[]
  /** Where the outcome was a fact. */
  readonly factX: number
  readonly y: (share: number) => number
  /** Steps: between entries nothing changes. The last one goes up to the fact. */
  readonly line: string
  readonly band: string
}

interface ShapeOptions {
  readonly entries: readonly Entry[]
  readonly factMs: number
  readonly scale: Scale
  readonly plot: Plot
}

/** The share of the width after the fact. */
const AFTER = 0.06

export function curveShape({ entries, factMs, scale, plot }: ShapeOptions): CurveShape {
  const { left, right, top, bottom } = plot
  const wide = (right - left) * (1 - AFTER)
  const first = entries[0]?.ms ?? factMs
  const span = Math.max(1, factMs - first)
  const xs = entries.map(({ ms }, index) =>
    scale === "rank"
      ? left + (index / entries.length) * wide
      : left + Math.min(1, Math.max(0, (ms - first) / span)) * wide,
  )
  const factX = left + wide
  const y = (share: number): number => bottom - share * (bottom - top)
  const ends = entries.map((_, index) => xs[index + 1] ?? factX)
  const steps = entries.map(({ odds }, index) => ({
    from: xs[index] ?? left,
    to: ends[index] ?? right,
    odds,
  }))
  const line = steps.map(
    ({ from, to, odds }, index) =>
      `${index === 0 ? `M ${px(from)}` : `H ${px(from)} V`} ${px(y(odds.value))} H ${px(to)}`,
  )
  const along = (of: (one: (typeof steps)[number]) => number, isBack: boolean): string =>
    (isBack ? steps.toReversed() : steps)
      .map((one) => {
        const [a, b] = isBack ? [one.to, one.from] : [one.from, one.to]
        return `${px(a)} ${px(y(of(one)))} L ${px(b)} ${px(y(of(one)))}`
      })
      .join(" L ")
  return {
    xs,
    factX,
    y,
    line: steps.length === 0 ? "" : `${line.join(" ")} V ${px(y(1))} H ${px(right)}`,
    band:
      steps.length === 0
        ? ""
        : `M ${along(({ odds }) => odds.high, false)} L ${along(({ odds }) => odds.low, true)} Z`,
  }
}

function px(value: number): string {
  return value.toFixed(1)
}

const STEPS_MS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440].map((minutes) => minutes * MINUTE_MS)

/** Whole minutes of the hour, at most `most` of them, from the earliest to the latest. */
export function timeTicks(fromMs: number, toMs: number, most: number): readonly number[] {
  const stepMs = STEPS_MS.find((one) => (toMs - fromMs) / one <= most) ?? 24 * HOUR_MS
  const first = Math.ceil(fromMs / stepMs) * stepMs
  return Array.from(
    { length: Math.max(0, Math.floor((toMs - first) / stepMs) + 1) },
    (_, at) => first + at * stepMs,
  )
}

/** The entry at or before a place on the axis. */
export function entryAt(xs: readonly number[], x: number): number {
  return Math.max(
    0,
    xs.findLastIndex((one) => one <= x),
  )
}
