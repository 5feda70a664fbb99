/**
 * A promised figure in every case: the estimate with its interval, each replication as a dot, and the limit. Shape and
 * colour say how the promise stands: circle kept, diamond not sure, square broken.
 */

import { caseLabel, shortLabel } from "../results/phrases.ts"
import { scalePoint } from "d3-scale"
import { html } from "../../../pages/html/markup.ts"
import type { Html } from "../../../pages/html/markup.ts"
import type { FleetCase } from "../language/cases.ts"
import { countNamed } from "../language/counts.ts"
import { showFigure, unitOf } from "../language/metrics.ts"
import type { FleetPromise } from "../language/promises.ts"
import { rosterNamed } from "../language/roster.ts"
import { figureWords } from "../results/promise-words.ts"
import { standingOfPromise } from "../results/recommend.ts"
import type { Standing } from "../results/recommend.ts"
import type { CaseResult, KeptPromise } from "../results/summary.ts"
import { axisOf, forBothWidths, picture, roundPx, valueColumns, valueLines } from "./axis.ts"
import type { Axis, Frame } from "./axis.ts"

const COLUMNS_MAX = 12

/** Columns for the values of one setting, rows for everything else. */
export function promiseChart(promise: FleetPromise, cases: readonly CaseResult[]): Html {
  const points = cases.flatMap((one) => {
    const kept = one.promises.find((other) => other.promise === promise)
    return kept === undefined || kept.estimate.value === null ? [] : [{ one, kept }]
  })
  if (points.length === 0) return html`<p class="quiet">There is no data for it.</p>`
  const settings = new Set(cases.flatMap((one) => one.settings.map(([setting]) => setting)))
  // The name of a roster is too long for a column.
  const isShort = ![...settings].some((setting) => rosterNamed(setting) !== null)
  const isColumns = settings.size === 1 && isShort && cases.length > 1 && cases.length <= COLUMNS_MAX
  return forBothWidths((frame) => (isColumns ? columns : rows)(promise, points, frame))
}

interface Point {
  readonly one: CaseResult
  readonly kept: KeptPromise
}

/** The values that must be seen: intervals, and the own values of replications. */
function extentOf(promise: FleetPromise, points: readonly Point[]): number {
  const seen = points.flatMap(({ one, kept }) => [
    kept.estimate.value ?? 0,
    kept.estimate.low ?? 0,
    kept.estimate.high ?? 0,
    ...ownValues(one, promise.metric),
  ])
  return Math.max(promise.limit, ...seen)
}

function ownValues({ estimates }: CaseResult, metric: string): readonly number[] {
  return estimates.own(metric).filter((value) => value !== null)
}

function columns(promise: FleetPromise, points: readonly Point[], { width, isNarrow }: Frame): Html {
  const unit = unitOf(promise.metric)
  const [left, right, top, bottom] = [56, 8, 24, isNarrow ? 236 : 300]
  const y = axisOf({ unit, values: [0, extentOf(promise, points)], px: [bottom, top] })
  const names = points.map(({ one }) => caseLabel(one.settings))
  const x = scalePoint(names, [left, width - right]).padding(0.5)
  const at = (index: number): number => roundPx(x(names[index] ?? "") ?? left)
  const line = points.map(({ kept }, index) => `${at(index)},${y.px(kept.estimate.value ?? 0)}`).join(" ")
  return picture({ width, height: bottom + (isNarrow ? 48 : 32), says: saying(promise, points) }, [
    keepZone(promise, y, { x: left, y: top, width: width - right - left, height: bottom - top }),
    ...valueLines(y, { from: left, to: width - right }),
    html`<polyline class="between" points="${line}" />`,
    ...points.flatMap(({ one, kept }, index) => [
      ...ownValues(one, promise.metric).map((value, dot) => {
        const aside = ((dot * 7) % 11) * 3 - 15
        return html`<circle class="dot" cx="${roundPx(at(index) + aside)}" cy="${y.px(value)}" r="3" />`
      }),
      html`<g class="${classOf(standingOfPromise(kept))}">
        ${interval(kept, (value) => [at(index), y.px(value)])}
        ${mark(standingOfPromise(kept), [at(index), y.px(kept.estimate.value ?? 0)])}
        <text
          class="value"
          x="${isNarrow ? at(index) : at(index) + 24}"
          y="${isNarrow ? bottom + 36 : y.px(kept.estimate.value ?? 0) - 8}"
          text-anchor="${isNarrow ? "middle" : "start"}"
          >${showFigure(kept.estimate.value, unit)}</text
        >
      </g>`,
      html`<text class="case" x="${at(index)}" y="${bottom + 20}" text-anchor="middle"
        >${isNarrow ? String(one.settings[0]?.[1]) : columnName(one.settings)}</text
      >`,
    ]),
    html`<line
        class="limit"
        x1="${left}"
        x2="${width - right}"
        y1="${y.px(promise.limit)}"
        y2="${y.px(promise.limit)}"
      />
      <text class="limit-name" x="${width - right}" y="${y.px(promise.limit) - 6}" text-anchor="end"
        >limit ${showFigure(promise.limit, unit)}</text
      >`,
  ])
}

/** `3 runners`; other settings have their value alone. */
function columnName([first]: FleetCase): string {
  if (first === undefined) return ""
  const [setting, value] = first
  if (setting === "demand") return `${value} times`
  const count = countNamed(setting)
  return count === null ? String(value) : `${value} ${count.resource}`
}

/** Letters of a name that fit beside a row. */
const NAME_BESIDE_MAX = 26

function rows(promise: FleetPromise, points: readonly Point[], { width, isNarrow }: Frame): Html {
  const unit = unitOf(promise.metric)
  const isSingle = points.length === 1 && points[0]?.one.settings.length === 0
  // A name that is too long for the place beside its row stands above it.
  const isAbove = isNarrow || points.some(({ one }) => shortLabel(one.settings).length > NAME_BESIDE_MAX)
  const [left, right] = [isAbove || isSingle ? 12 : 190, isNarrow ? 12 : 96]
  const rowHeight = isAbove && !isSingle ? 52 : 44
  const bottom = 26 + points.length * rowHeight
  const x = axisOf({
    unit,
    values: [0, extentOf(promise, points)],
    px: [left, width - right],
    ticks: isNarrow ? 4 : 6,
  })
  return picture({ width, height: bottom + 26, says: saying(promise, points) }, [
    keepColumn(promise, x, { left, right: width - right, bottom }),
    ...valueColumns(x, { from: 20, to: bottom }),
    ...points.flatMap(({ one, kept }, index) => {
      const middle = 26 + index * rowHeight + (isAbove && !isSingle ? 34 : 22)
      const standing = standingOfPromise(kept)
      const name = isSingle ? "" : shortLabel(one.settings)
      return [
        html`<text
          class="case"
          x="${isAbove ? left : left - 12}"
          y="${isAbove ? middle - 18 : middle + 4}"
          text-anchor="${isAbove ? "start" : "end"}"
          >${name}</text
        >`,
        ...ownValues(one, promise.metric).map((value, dot) => {
          const aside = ((dot * 7) % 11) * 1.6 - 8
          return html`<circle class="dot" cx="${x.px(value)}" cy="${roundPx(middle + aside)}" r="3" />`
        }),
        html`<g class="${classOf(standing)}">
          ${interval(kept, (value) => [x.px(value), middle])}
          ${mark(standing, [x.px(kept.estimate.value ?? 0), middle])}
          <text
            class="value"
            x="${width - (isNarrow ? 12 : 4)}"
            y="${isNarrow ? middle - 18 : middle + 4}"
            text-anchor="end"
            >${showFigure(kept.estimate.value, unit)}</text
          >
        </g>`,
      ]
    }),
    html`<line class="limit" x1="${x.px(promise.limit)}" x2="${x.px(promise.limit)}" y1="16" y2="${bottom}" />
      <text
        class="limit-name"
        x="${x.px(promise.limit)}"
        y="12"
        text-anchor="${anchorAt(x.px(promise.limit), width)}"
        >limit ${showFigure(promise.limit, unit)}</text
      >`,
  ])
}

function anchorAt(x: number, width: number): "end" | "middle" | "start" {
  if (x < 60) return "start"
  return x > width - 60 ? "end" : "middle"
}

function saying(promise: FleetPromise, points: readonly Point[]): string {
  const unit = unitOf(promise.metric)
  const values = points.map(
    ({ one, kept }) =>
      `${caseLabel(one.settings)} ${showFigure(kept.estimate.value, unit)}, ${standingOfPromise(kept)}`,
  )
  return `${figureWords(promise.metric)}, limit ${showFigure(promise.limit, unit)}: ${values.join("; ")}`
}

export function classOf(standing: Standing): "bad" | "ok" | "wait" {
  if (standing === "kept") return "ok"
  return standing === "broken" ? "bad" : "wait"
}

type PxOf = (value: number) => readonly [x: number, y: number]

/** A line with ends; without an upper bound it has none on that side. */
function interval({ estimate }: KeptPromise, at: PxOf): Html {
  const { value, low, high } = estimate
  if (value === null || low === null) return html``
  const [x1, y1] = at(low)
  const [x2, y2] = at(high ?? value)
  const end = (x: number, y: number): Html => {
    const [dx, dy] = y1 === y2 ? [0, 6] : [8, 0]
    return html`<line x1="${x - dx}" x2="${x + dx}" y1="${y - dy}" y2="${y + dy}" />`
  }
  return html`<line
      x1="${x1}"
      x2="${x2}"
      y1="${y1}"
      y2="${y2}"
    />${end(x1, y1)}${high === null ? html`` : end(x2, y2)}`
}

function mark(standing: Standing, [x, y]: readonly [number, number]): Html {
  if (standing === "kept") return html`<circle class="mark-shape" cx="${x}" cy="${y}" r="6.5" />`
  if (standing === "broken")
    return html`<rect class="mark-shape" x="${x - 6}" y="${y - 6}" width="12" height="12" />`
  return html`<path class="mark-shape" d="M${x} ${y - 8}l8 8-8 8-8-8z" />`
}

interface Area {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** The ground on which the promise is kept. */
function keepZone(promise: FleetPromise, y: Axis, { x, y: top, width, height }: Area): Html {
  const limit = y.px(promise.limit)
  const [from, to] = promise.sign.startsWith("<") ? [limit, top + height] : [top, limit]
  return html`<rect
    class="keeps"
    x="${x}"
    y="${from}"
    width="${width}"
    height="${Math.max(0, roundPx(to - from))}"
  />`
}

function keepColumn(
  promise: FleetPromise,
  x: Axis,
  { left, right, bottom }: { readonly left: number; readonly right: number; readonly bottom: number },
): Html {
  const limit = x.px(promise.limit)
  const [from, to] = promise.sign.startsWith("<") ? [left, limit] : [limit, right]
  return html`<rect
    class="keeps"
    x="${from}"
    y="20"
    width="${Math.max(0, roundPx(to - from))}"
    height="${bottom - 20}"
  />`
}
