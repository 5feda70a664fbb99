/** Waits of the hours ahead as a line with its limit. A picture: the words and the table beside it say the same. */

import type { JSX } from "preact"
import type { ForecastFigures } from "./records.ts"
import { clockTime, lengthOf } from "./times.ts"

const [WIDTH, HEIGHT] = [460, 112]
/** Room for labels: at the right for the limit, below for times. */
const PLOT = { left: 4, right: 408, top: 14, bottom: 86 } as const
const TICKS = 4

interface Point {
  readonly x: number
  readonly y: number
}

export function ForecastChart({
  figures,
  zone,
}: {
  readonly figures: ForecastFigures
  readonly zone: string | null
}): JSX.Element | null {
  const { waits, late_after_ms: limitMs, pickups, pickups_with_one_more: counted } = figures
  const [fromMs, untilMs] = [Date.parse(figures.made_at), Date.parse(figures.until)]
  const highest = Math.max(
    limitMs * 1.5,
    ...waits.flatMap((one) => [one.wait_p95_ms ?? 0, one.wait_p95_ms_with_one_more ?? 0]),
  )
  const x = (ms: number): number =>
    PLOT.left + ((ms - fromMs) / (untilMs - fromMs)) * (PLOT.right - PLOT.left)
  const y = (ms: number): number => PLOT.bottom - (ms / highest) * (PLOT.bottom - PLOT.top)
  const quarterMs = (untilMs - fromMs) / Math.max(1, waits.length)
  const pointsOf = (of: (one: ForecastFigures["waits"][number]) => number | null): readonly Point[] =>
    waits.flatMap((one) => {
      const ms = of(one)
      return ms === null ? [] : [{ x: x(Date.parse(one.at) + quarterMs / 2), y: y(ms) }]
    })
  const high = pointsOf((one) => one.wait_p95_ms)
  const middle = pointsOf((one) => one.wait_ms)
  // A line beside the other one says nothing that the words do not.
  const isChanged = counted !== null && Math.round(counted.late) < Math.round(pickups.late)
  const more = isChanged ? pointsOf((one) => one.wait_p95_ms_with_one_more) : []
  const lastOfMore = more.at(-1)
  if (high.length < 2) return null
  return (
    <svg class="forecast-chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={spoken(limitMs)}>
      <path class="band" d={`${lineOf(high)} ${lineOf(middle.toReversed()).replace("M", "L")} Z`} />
      <path class="limit" d={`M ${PLOT.left} ${y(limitMs)} H ${PLOT.right}`} />
      <text class="limit-text" x={PLOT.right + 6} y={y(limitMs) + 4}>
        {lengthOf(limitMs)}
      </text>
      <path class="more" d={lineOf(more)} />
      <path class="high" d={lineOf(high)} />
      {lastOfMore === undefined ? null : (
        <text class="more-text" x={PLOT.right} y={Math.min(PLOT.bottom - 2, lastOfMore.y + 14)}>
          one more runner
        </text>
      )}
      <path class="axis" d={`M ${PLOT.left} ${PLOT.bottom} H ${PLOT.right}`} />
      {Array.from({ length: TICKS + 1 }, (_, at) => {
        const ms = fromMs + (at / TICKS) * (untilMs - fromMs)
        return (
          <text key={at} class={at === 0 ? "first" : at === TICKS ? "last" : ""} x={x(ms)} y={HEIGHT - 8}>
            {clockTime(ms, zone)}
          </text>
        )
      })}
    </svg>
  )
}

function spoken(limitMs: number): string {
  return `Waits of the hours ahead: of 20 pickups 19 wait less than the line; the limit is ${lengthOf(limitMs)}. The table under “How it was counted” has the figures.`
}

function lineOf(points: readonly Point[]): string {
  return points.map(({ x, y }, at) => `${at === 0 ? "M" : "L"} ${x.toFixed(1)} ${y.toFixed(1)}`).join(" ")
}
