/** How likely the bad end was after each entry, as a line of steps. A picture: the table beside it says the same. */

import type { JSX } from "preact"
import type { MomentFigures } from "../records.ts"
import { clockTime } from "../times.ts"
import { percent } from "./moment-words.ts"

const [WIDTH, HEIGHT] = [360, 116]
/** Room for labels: at the left for shares, below for times. */
const PLOT = { left: 40, right: 354, top: 8, bottom: 92 } as const
const SHARES = [0, 0.5, 1]

interface MomentCurveProps {
  readonly figures: MomentFigures
  /** When the bad end was a fact. */
  readonly factAt: string
  readonly zone: string | null
}

export function MomentCurve({ figures, factAt, zone }: MomentCurveProps): JSX.Element | null {
  const { curve, step } = figures
  const [first] = curve
  if (first === undefined) return null
  const [fromMs, untilMs] = [Date.parse(first.at), Date.parse(factAt)]
  const spanMs = Math.max(1, untilMs - fromMs)
  const x = (instant: string): number =>
    PLOT.left + ((Date.parse(instant) - fromMs) / spanMs) * (PLOT.right - PLOT.left)
  const y = (share: number): number => PLOT.bottom - share * (PLOT.bottom - PLOT.top)
  const line = curve.map(({ at, odds }) => `H ${x(at).toFixed(1)} V ${y(odds.value).toFixed(1)}`)
  const moment = step?.is_the_moment === true ? curve.find(({ entry }) => entry === step.entry) : undefined
  return (
    <svg class="moment-curve" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={spoken(figures)}>
      {SHARES.map((share) => (
        <g key={share}>
          <path class={share === 0.5 ? "half" : "axis"} d={`M ${PLOT.left} ${y(share)} H ${PLOT.right}`} />
          <text class="share" x={PLOT.left - 6} y={y(share) + 4}>
            {percent(share)}
          </text>
        </g>
      ))}
      <path
        class="odds"
        d={`M ${PLOT.left} ${y(first.odds.value).toFixed(1)} ${line.join(" ")} H ${PLOT.right} V ${y(1)}`}
      />
      {moment === undefined ? null : (
        <circle class="moment" cx={x(moment.at)} cy={y(moment.odds.value)} r="4" />
      )}
      <text class="first" x={PLOT.left} y={HEIGHT - 6}>
        {clockTime(fromMs, zone)}
      </text>
      <text class="last" x={PLOT.right} y={HEIGHT - 6}>
        {clockTime(untilMs, zone)}
      </text>
    </svg>
  )
}

function spoken({ curve }: MomentFigures): string {
  const [first, last] = [curve[0], curve.at(-1)].map((entry) => percent(entry?.odds.value ?? 0))
  return `How likely the bad end was: ${first} at first, ${last} after the last entry before it. The table under “After each entry” has the figures.`
}
