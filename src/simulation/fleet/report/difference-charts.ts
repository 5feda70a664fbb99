/** Paired differences: between cases that follow each other, and what a change of one input does. */

import { html } from "../../../pages/html/markup.ts"
import type { Html } from "../../../pages/html/markup.ts"
import { showFigure, unitOf } from "../language/metrics.ts"
import { isClear } from "../results/compare.ts"
import type { Difference } from "../results/compare.ts"
import { figureWords } from "../results/promise-words.ts"
import type { Effect } from "../results/questions.ts"
import { halfWidthOf } from "../results/statistics.ts"
import { axisOf, forBothWidths, picture, roundPx, signed, valueColumns } from "./axis.ts"
import type { Axis, Frame } from "./axis.ts"

export interface NamedDifference {
  /** What changes, a line for each setting. */
  readonly lines: readonly string[]
  readonly pair: Difference
}

/** One row for each pair: every seed as a dot, the mean with its interval, and what they say in words. */
export function pairsChart(
  metric: string,
  { pairs, isLowerBetter }: { readonly pairs: readonly NamedDifference[]; readonly isLowerBetter: boolean },
): Html {
  const wide = longestOf(pairs) > SHORT_LINE ? 680 : 560
  return forBothWidths((frame) => pairRows(metric, { pairs, isLowerBetter, frame }), wide)
}

/** A line of so many letters fits beside a chart that is not made wider for it. */
const SHORT_LINE = 11

const LETTER_PX = 7

/** px from one line of a label to the next. */
const LINE_PX = 16

function longestOf(pairs: readonly NamedDifference[]): number {
  return Math.max(0, ...pairs.flatMap(({ lines }) => lines.map(({ length }) => length)))
}

function pairRows(
  metric: string,
  {
    pairs,
    isLowerBetter,
    frame: { width, isNarrow },
  }: {
    readonly pairs: readonly NamedDifference[]
    readonly isLowerBetter: boolean
    readonly frame: Frame
  },
): Html {
  const unit = unitOf(metric)
  const seen = pairs.flatMap(({ pair }) => [
    pair.value,
    pair.low ?? 0,
    pair.high ?? 0,
    ...seedsOf(metric, pair),
  ])
  const beside = Math.max(96, longestOf(pairs) * LETTER_PX + 20)
  const [left, right] = isNarrow ? [24, width - 24] : [beside, width - 190]
  const more = (Math.max(1, ...pairs.map(({ lines }) => lines.length)) - 1) * LINE_PX
  const rowHeight = isNarrow ? 64 + more : Math.max(52, 36 + more)
  const bottom = 8 + pairs.length * rowHeight
  const x = axisOf({
    unit,
    values: [Math.min(0, ...seen), Math.max(0, ...seen)],
    px: [left, right],
    ticks: 4,
  })
  const says = pairs
    .map(({ lines, pair }) => `${lines.join(", ")}: ${differenceText(metric, pair)}`)
    .join("; ")
  return picture(
    { width, height: bottom + 24, says: `paired differences of the ${figureWords(metric)}: ${says}` },
    [
      ...valueColumns(x, { from: 8, to: bottom }),
      html`<line class="zero" x1="${x.px(0)}" x2="${x.px(0)}" y1="8" y2="${bottom}" />`,
      ...pairs.flatMap(({ lines, pair }, row) => {
        const middle = 8 + row * rowHeight + (isNarrow ? 44 + more : rowHeight / 2)
        const first = isNarrow ? middle - 24 - more : middle + 4 - ((lines.length - 1) * LINE_PX) / 2
        return [
          ...lines.map(
            (line, at) =>
              html`<text
                class="case"
                x="${isNarrow ? left : left - 12}"
                y="${first + at * LINE_PX}"
                text-anchor="${isNarrow ? "start" : "end"}"
                >${line}</text
              >`,
          ),
          ...seedsOf(metric, pair).map((value, at) => seedDot(value, { at, middle, x })),
          pairMark(pair, { middle, x, isLowerBetter }),
          ...pairWords(metric, { pair, middle, first, right, isNarrow, isLowerBetter }),
        ]
      }),
    ],
  )
}

function seedDot(
  value: number,
  { at, middle, x }: { readonly at: number; readonly middle: number; readonly x: Axis },
): Html {
  const aside = ((at * 7) % 11) * 1.6 - 8
  return html`<circle class="dot" cx="${x.px(value)}" cy="${roundPx(middle + aside)}" r="3" />`
}

function pairMark(
  pair: Difference,
  {
    middle,
    x,
    isLowerBetter,
  }: { readonly middle: number; readonly x: Axis; readonly isLowerBetter: boolean },
): Html {
  const { value, low, high } = pair
  const isBetter = value < 0 === isLowerBetter
  const kind = isClear(pair) ? (isBetter ? "ok" : "bad") : "wait"
  const line =
    low === null || high === null
      ? html``
      : html`<line x1="${x.px(low)}" x2="${x.px(high)}" y1="${middle}" y2="${middle}" />`
  return html`<g class="${kind}">
    ${line}<circle class="mark-shape" cx="${x.px(value)}" cy="${middle}" r="6" />
  </g>`
}

interface PairWords {
  readonly pair: Difference
  readonly middle: number
  /** Where the first line of the label is. */
  readonly first: number
  readonly right: number
  readonly isNarrow: boolean
  readonly isLowerBetter: boolean
}

function pairWords(
  metric: string,
  { pair, middle, first, right, isNarrow, isLowerBetter }: PairWords,
): readonly Html[] {
  const seeds = seedsOf(metric, pair)
  const better = seeds.filter((value) => value < 0 === isLowerBetter && value !== 0).length
  const [x, y] = isNarrow ? [right, first] : [right + 24, middle - 2]
  const difference = html`<text class="value" x="${x}" y="${y}" text-anchor="${isNarrow ? "end" : "start"}"
    >${differenceText(metric, pair)}</text
  >`
  if (isNarrow) return [difference]
  return [
    difference,
    html`<text class="tick" x="${x}" y="${middle + 16}">better on ${better} of ${seeds.length} seeds</text>`,
  ]
}

/** `−12m 29s ± 2m 7s`; of shares `−3.5 ± 2.2 points`, because less of a share may mean a part of it. */
export function differenceText(metric: string, pair: Difference): string {
  const unit = unitOf(metric)
  const half = halfWidthOf(pair)
  if (unit === "share") {
    const about = half === null ? "" : ` ± ${(half * 100).toFixed(1)}`
    return `${signed(pair.value, unit).replace(/ points$/, "")}${about} points`
  }
  return `${signed(pair.value, unit)}${half === null ? "" : ` ± ${showFigure(half, unit)}`}`
}

/** The difference on each seed, by the replications' own figures; what each contributes where one has none. */
function seedsOf(metric: string, { from, to, parts }: Difference): readonly number[] {
  const [ofFrom, ofTo] = [from.estimates.own(metric), to.estimates.own(metric)]
  const bySeed = new Map(to.replications.map(({ seed }, at) => [seed, ofTo[at] ?? null]))
  const own = from.replications.flatMap(({ seed }, at) => {
    const [one, other] = [ofFrom[at] ?? null, bySeed.get(seed) ?? null]
    return one === null || other === null ? [] : [other - one]
  })
  return own.length === parts.length ? own : parts
}

const EFFECTS_SHOWN = 10

/** Bars from the recommended case to both sides, the longest first. */
export function effectsChart(metric: string, effects: readonly Effect[]): Html {
  const shown = effects.slice(0, EFFECTS_SHOWN)
  return forBothWidths((frame) => effectRows(metric, shown, frame))
}

function effectRows(metric: string, effects: readonly Effect[], { width, isNarrow }: Frame): Html {
  const unit = unitOf(metric)
  const changes = effects.flatMap(({ down, up }) => [down, up]).filter((one) => one !== null)
  const seen = changes.flatMap(({ value, low, high }) => [value, low ?? value, high ?? value])
  const [left, right] = isNarrow ? [24, width - 24] : [180, width - 24]
  const rowHeight = isNarrow ? 64 : 48
  const bottom = 8 + effects.length * rowHeight
  const x = axisOf({ unit, values: [Math.min(0, ...seen), Math.max(0, ...seen)], px: [left, right] })
  const says = effects
    .map(({ input, down, up }) => {
      const said = (one: Difference | null): string => (one === null ? "none" : signed(one.value, unit))
      return `${input} less ${said(down)}, more ${said(up)}`
    })
    .join("; ")
  const bar = (
    change: Difference | null,
    { y, kind }: { readonly y: number; readonly kind: string },
  ): Html => {
    if (change === null) return html``
    const [from, to] = [Math.min(x.px(0), x.px(change.value)), Math.max(x.px(0), x.px(change.value))]
    const { low, high } = change
    return html`<rect
        class="${kind}"
        x="${from}"
        y="${y}"
        width="${Math.max(1, roundPx(to - from))}"
        height="12"
      />${
        low === null || high === null
          ? html``
          : html`<line class="whisker" x1="${x.px(low)}" x2="${x.px(high)}" y1="${y + 6}" y2="${y + 6}" />`
      }`
  }
  return picture({ width, height: bottom + 24, says: `what moves the ${figureWords(metric)}: ${says}` }, [
    ...valueColumns(x, { from: 8, to: bottom }),
    ...effects.map(({ input, less, more, down, up }, row) => {
      const top = 8 + row * rowHeight + (isNarrow ? 28 : 10)
      return html`<text
          class="case"
          x="${isNarrow ? left : left - 12}"
          y="${isNarrow ? top - 8 : top + 10}"
          text-anchor="${isNarrow ? "start" : "end"}"
          >${input}</text
        >
        <text
          class="tick"
          x="${isNarrow ? right : left - 12}"
          y="${isNarrow ? top - 8 : top + 25}"
          text-anchor="end"
          >${[less, more].filter((one) => one !== "").join(", ")}</text
        >
        ${bar(down, { y: top, kind: "less" })} ${bar(up, { y: top + 14, kind: "more" })}`
    }),
    html`<line class="zero" x1="${x.px(0)}" x2="${x.px(0)}" y1="8" y2="${bottom}" />`,
  ])
}
