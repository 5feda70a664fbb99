/** Charts of one case over the day: waits by the hour and by length, use and queues of each resource. */

import { scaleBand } from "d3-scale"
import { html } from "../../../pages/html/markup.ts"
import type { Html } from "../../../pages/html/markup.ts"
import { MINUTE_MS } from "../../../model/values/time.ts"
import { SiteClock } from "../../scenario/language/site-clock.ts"
import { showFigure } from "../language/metrics.ts"
import type { PooledStatistic, Resource } from "../language/metrics.ts"
import type { FleetModel } from "../language/model.ts"
import type { HourOfWaits, ShownMeasure } from "../results/by-hour.ts"
import { measureWords } from "../results/promise-words.ts"
import { FULL } from "../results/full-first.ts"
import { STRETCH_MS } from "../world/tally.ts"
import { axisOf, forBothWidths, picture, roundPx, valueLines } from "./axis.ts"
import type { Frame } from "./axis.ts"
import { hourTicks } from "./hour-ticks.ts"

/** For each hour the median and p95, with the number of waits below; a limit if the promise is about one of them. */
export function hoursChart(hours: readonly HourOfWaits[], shown: ShownMeasure): Html {
  return forBothWidths((frame) => hourColumns(hours, shown, frame))
}

function hourColumns(
  hours: readonly HourOfWaits[],
  { high, limit, measure }: ShownMeasure,
  { width, isNarrow }: Frame,
): Html {
  const limitMs = limit?.ms ?? null
  const [left, right, top, bottom] = [56, 8, 20, 220]
  const seen = hours.flatMap(({ median, upper }) => [median.value ?? 0, upper.value ?? 0, upper.low ?? 0])
  const y = axisOf({ unit: "ms", values: [0, Math.max(1, limitMs ?? 0, ...seen)], px: [bottom, top] })
  const x = scaleBand(
    hours.map(({ hour }) => hour),
    [left, width - right],
  ).padding(0.25)
  const every = Math.ceil(hours.length / (isNarrow ? 6 : 14))
  // Its label is always there, and no other one is so near that they overlap.
  const afterAt = hours.at(-1)?.isAfterHorizon === true ? hours.length - 1 : Number.POSITIVE_INFINITY
  const says = hours
    .map(({ hour, median, upper, waits }) => {
      const more = upper.value === null ? "" : `, ${high} ${showFigure(upper.value, "ms")}`
      return `${hour}: median ${showFigure(median.value, "ms")}${more}, ${waits} orders`
    })
    .join("; ")
  return picture({ width, height: bottom + 44, says: `${measureWords(measure)} by the hour: ${says}` }, [
    ...valueLines(y, { from: left, to: width - right }),
    ...hours.flatMap(({ hour, isAfterHorizon, median, upper, waits }, at) => {
      const from = roundPx(x(hour) ?? 0)
      const each = roundPx(x.bandwidth())
      const column = (ms: number | null, kind: string): Html =>
        ms === null
          ? html``
          : html`<rect
              class="${kind}"
              x="${from}"
              y="${y.px(ms)}"
              width="${each}"
              height="${roundPx(bottom - y.px(ms))}"
            />`
      const label =
        isAfterHorizon || (at % every === 0 && afterAt - at >= every)
          ? html`<text class="tick" x="${roundPx(from + each / 2)}" y="${bottom + 16}" text-anchor="middle"
                >${isAfterHorizon ? "after" : hour}</text
              ><text class="tick" x="${roundPx(from + each / 2)}" y="${bottom + 34}" text-anchor="middle"
                >${waits}</text
              >`
          : html``
      return [column(upper.value, "p95"), column(median.value, "p50"), label]
    }),
    html`<text class="tick" x="0" y="${bottom + 34}">orders</text>`,
    limit === null || limitMs === null
      ? html``
      : html`<line
            class="limit"
            x1="${left}"
            x2="${width - right}"
            y1="${y.px(limitMs)}"
            y2="${y.px(limitMs)}"
          />
          <text class="limit-name" x="${width - right}" y="${y.px(limitMs) - 6}" text-anchor="end"
            >limit ${showFigure(limitMs, "ms")} for the ${statisticText(limit.of)}</text
          >`,
  ])
}

/** `median`, `mean`, `p90`: a limit holds for one of them. */
function statisticText(statistic: PooledStatistic): string {
  return statistic === "p50" ? "median" : statistic
}

/** Orders by the minute that they waited. */
export function lengthsChart(counts: readonly number[], { limit }: ShownMeasure): Html {
  return forBothWidths((frame) => lengthColumns(counts, limit, frame))
}

function lengthColumns(
  counts: readonly number[],
  promised: ShownMeasure["limit"],
  { width, isNarrow }: Frame,
): Html {
  const [left, right, top, bottom] = [56, 8, 20, 200]
  const y = axisOf({ unit: "count", values: [0, Math.max(1, ...counts)], px: [bottom, top] })
  const each = (width - left - right) / counts.length
  const every = [1, 2, 5, 10, 15, 30].find((one) => counts.length / one <= (isNarrow ? 6 : 14)) ?? 60
  const at = (minute: number): number => roundPx(left + minute * each)
  const limit = promised === null ? null : promised.ms / MINUTE_MS
  return picture(
    { width, height: bottom + 40, says: "orders by the minutes that it took; the table has the numbers" },
    [
      ...valueLines(y, { from: left, to: width - right }),
      ...counts.map(
        (count, minute) =>
          html`<rect
            class="p50"
            x="${at(minute)}"
            y="${y.px(count)}"
            width="${roundPx(Math.max(1, each - 2))}"
            height="${roundPx(bottom - y.px(count))}"
          />`,
      ),
      ...counts.flatMap((_, minute) =>
        minute % every === 0
          ? [
              html`<text class="tick" x="${at(minute)}" y="${bottom + 16}" text-anchor="middle"
                >${minute}</text
              >`,
            ]
          : [],
      ),
      html`<text class="tick" x="${width - right}" y="${bottom + 34}" text-anchor="end">minutes</text>`,
      promised === null || limit === null || limit > counts.length
        ? html``
        : html`<line class="limit" x1="${at(limit)}" x2="${at(limit)}" y1="${top}" y2="${bottom}" /><text
              class="limit-name"
              x="${at(limit) + (limit > counts.length / 2 ? -6 : 6)}"
              y="${top + 10}"
              text-anchor="${limit > counts.length / 2 ? "end" : "start"}"
              >limit ${showFigure(promised.ms, "ms")} for the ${statisticText(promised.of)}</text
            >`,
    ],
  )
}

export interface Over {
  readonly resource: Resource
  readonly utilisation: readonly number[]
  readonly queue: readonly number[]
}

/** Use of one resource over the run, and who waits for it below. */
export function useChart({ resource, utilisation, queue }: Over, model: FleetModel): Html {
  const peak = Math.max(0, ...utilisation)
  const most = Math.max(0, ...queue)
  const fromMs = new SiteClock(model.clock).startMs + model.warm_up
  const untilMs = fromMs + utilisation.length * STRETCH_MS
  const says = `${resource}: used to ${showFigure(peak, "share")} at most, ${showFigure(Math.round(most * 10) / 10, "count")} waiting at most, on average over the replications`
  return forBothWidths(({ width, isNarrow }) => {
    const [left, right] = [56, 8]
    const x = (at: number): number =>
      roundPx(left + ((width - left - right) * at) / Math.max(1, utilisation.length))
    const xAt = (atMs: number): number => x((atMs - fromMs) / STRETCH_MS)
    const use = axisOf({ unit: "share", values: [0, 1], px: [96, 12], ticks: 2 })
    const waiting = axisOf({ unit: "count", values: [0, Math.max(1, most)], px: [164, 116], ticks: 2 })
    const area = (values: readonly number[], y: typeof use, floor: number): string =>
      `M${x(0)} ${floor}${values.map((value, at) => `V${y.px(value)}H${x(at + 1)}`).join("")}V${floor}Z`
    return picture({ width, height: 184, says }, [
      ...valueLines(use, { from: left, to: width - right }),
      ...valueLines(waiting, { from: left, to: width - right }),
      html`<path class="use" d="${area(utilisation, use, 96)}" />`,
      html`<path class="queue" d="${area(queue, waiting, 164)}" />`,
      html`<line
        class="full"
        x1="${left}"
        x2="${width - right}"
        y1="${use.px(FULL)}"
        y2="${use.px(FULL)}"
      />`,
      ...hourTicks(model, { fromMs, untilMs, wanted: isNarrow ? 4 : 9 }).map(
        ({ atMs, text }) =>
          html`<line class="grid" x1="${xAt(atMs)}" x2="${xAt(atMs)}" y1="12" y2="164" /><text
              class="tick"
              x="${xAt(atMs)}"
              y="180"
              text-anchor="middle"
              >${text}</text
            >`,
      ),
    ])
  }, 560)
}
