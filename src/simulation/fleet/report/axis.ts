/** Axes of the report's charts: scales by d3, ticks that people read, and a chart for wide pages and one for phones. */

import { scaleLinear } from "d3-scale"
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../model/values/time.ts"
import { html } from "../../../pages/html/markup.ts"
import type { Html } from "../../../pages/html/markup.ts"
import { showChange, showFigure } from "../language/metrics.ts"
import type { Unit } from "../language/metrics.ts"

export interface Tick {
  readonly at: number
  readonly text: string
}

export interface Axis {
  /** From a value to px. */
  readonly px: (value: number) => number
  readonly ticks: readonly Tick[]
}

interface Span {
  readonly unit: Unit
  readonly values: readonly [least: number, most: number]
  /** px of the least and of the greatest value. */
  readonly px: readonly [from: number, to: number]
  /** About so many ticks. */
  readonly ticks?: number
}

/** An axis that ends at whole ticks on both sides. */
export function axisOf({ unit, values: [least, most], px, ticks: wanted = 5 }: Span): Axis {
  const range = most > least ? most - least : Math.abs(most) || 1
  const step = unit === "ms" ? durationStep(range / wanted) : plainStep(range / wanted, unit)
  const first = Math.floor(least / step + 1e-9)
  const last = Math.max(first + 1, Math.ceil(most / step - 1e-9))
  const scale = scaleLinear([first * step, last * step], [...px])
  return {
    px: (value) => roundPx(scale(value)),
    ticks: Array.from({ length: last - first + 1 }, (_, at) => {
      const value = (first + at) * step
      return { at: roundPx(scale(value)), text: tickText(value, unit) }
    }),
  }
}

const DURATION_STEPS = [
  1,
  2,
  5,
  10,
  50,
  100,
  200,
  500,
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND_MS),
  ...[1, 2, 4, 5, 10, 15, 20, 30].map((count) => count * MINUTE_MS),
  ...[1, 2, 4, 6, 12, 24, 48, 96, 240, 720].map((count) => count * HOUR_MS),
]

function durationStep(least: number): number {
  return DURATION_STEPS.find((step) => step >= least) ?? 720 * HOUR_MS
}

/** 1, 2 or 5 times a power of ten; whole numbers for counts. */
function plainStep(least: number, unit: Unit): number {
  const power = 10 ** Math.floor(Math.log10(least))
  const step = ([1, 2, 5, 10].find((times) => times * power >= least - 1e-12) ?? 10) * power
  return unit === "count" ? Math.max(1, step) : step
}

function tickText(value: number, unit: Unit): string {
  if (unit === "share") return `${Math.round(value * 1000) / 10}%`
  if (unit === "ms" || unit === "hours") return withMinus(showFigure(Math.round(value * 100) / 100, unit))
  return withMinus((Math.round(value * 100) / 100).toLocaleString("en-US"))
}

/** A figure with the sign that people read. */
function withMinus(text: string): string {
  return text.replace(/^-/, "−")
}

/** `+3m 35s`, `−1m 49s`; of shares `+3.5 points`. */
export function signed(value: number, unit: Unit): string {
  return `${value < 0 ? "−" : "+"}${showChange(Math.abs(value), unit)}`
}

/** Rounds to a tenth of a pixel: further digits cannot be seen. */
export function roundPx(px: number): number {
  return Math.round(px * 10) / 10
}

/** px of a chart on a wide page, and on a phone of 390 px. */
const WIDTHS = { wide: 680, narrow: 358 } as const

export interface Frame {
  readonly width: number
  readonly isNarrow: boolean
}

/** The same chart for both widths: text of a chart that only shrinks cannot be read on a phone. */
export function forBothWidths(draw: (frame: Frame) => Html, wide: number = WIDTHS.wide): Html {
  return html`<div class="wide">${draw({ width: wide, isNarrow: false })}</div>
    <div class="narrow">${draw({ width: WIDTHS.narrow, isNarrow: true })}</div>`
}

interface Picture {
  readonly width: number
  readonly height: number
  /** What it shows, for people who do not see it. */
  readonly says: string
}

export function picture({ width, height, says }: Picture, content: readonly Html[]): Html {
  return html`<svg
    viewBox="0 0 ${width} ${height}"
    width="${width}"
    height="${height}"
    role="img"
    aria-label="${says}"
  >
    ${content}
  </svg>`
}

/** Horizontal lines at the ticks, with their values on the left. */
export function valueLines(
  axis: Axis,
  { from, to }: { readonly from: number; readonly to: number },
): readonly Html[] {
  return axis.ticks.map(
    ({ at, text }) =>
      html`<line class="grid" x1="${from}" x2="${to}" y1="${at}" y2="${at}" /><text
          class="tick"
          x="${from - 8}"
          y="${at + 4}"
          text-anchor="end"
          >${text}</text
        >`,
  )
}

/** Vertical lines at the ticks, with their values below. */
export function valueColumns(
  axis: Axis,
  { from, to }: { readonly from: number; readonly to: number },
): readonly Html[] {
  return axis.ticks.map(
    ({ at, text }) =>
      html`<line class="grid" x1="${at}" x2="${at}" y1="${from}" y2="${to}" /><text
          class="tick"
          x="${at}"
          y="${to + 16}"
          text-anchor="middle"
          >${text}</text
        >`,
  )
}
