/** One curve of a fleet model over the day, with the run before behind it, a limit, and a table twin. */

import type { JSX } from "preact"
import type { FleetCurve } from "./fleet-contract.ts"

const [WIDTH, HEIGHT, TOP, BOTTOM] = [480, 150, 14, 128] as const

export function FleetCurveChart({
  curve,
  before,
}: {
  readonly curve: FleetCurve
  readonly before: FleetCurve | null
}): JSX.Element {
  const { title, points, limit, limitText } = curve
  const values = [...points, ...(before?.points ?? [])].map(({ value }) => value ?? 0)
  const top = Math.max(limit ?? 0, ...values, Number.MIN_VALUE) * 1.08
  const y = (value: number): number => BOTTOM - (value / top) * (BOTTOM - TOP)
  const most = points.reduce(
    (found, one) => ((one.value ?? -1) > (found?.value ?? -1) ? one : found),
    points[0],
  )
  const says = most === undefined ? "no values" : `at most ${most.text} at ${most.at}`
  return (
    <figure class="curve">
      <figcaption>
        {title} <span class="quiet">{says}</span>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${title}: ${says}`}>
        <line class="base" x1="0" x2={WIDTH} y1={BOTTOM} y2={BOTTOM} />
        {limit !== null && <line class="limit" x1="0" x2={WIDTH} y1={y(limit)} y2={y(limit)} />}
        {before !== null && <path class="before" d={lineOf(before.points, y)} />}
        <path class="now" d={lineOf(points, y)} />
        {limit !== null && (
          <text class="limit-name" {...clearEnd(points, limit)} y={y(limit) - 4}>
            limit {limitText}
          </text>
        )}
        <text class="tick" x="0" y={HEIGHT - 6}>
          {points[0]?.at}
        </text>
        <text class="tick" x={WIDTH} y={HEIGHT - 6} text-anchor="end">
          {points.at(-1)?.at}
        </text>
      </svg>
      <details>
        <summary>As a table</summary>
        <div class="scroll" tabIndex={0} role="region" aria-label={`${title}, as a table`}>
          <table>
            <thead>
              <tr>
                <th scope="col">From</th>
                <th scope="col">Now</th>
                {before !== null && <th scope="col">Before</th>}
              </tr>
            </thead>
            <tbody>
              {points.map(({ at, text }) => (
                <tr key={at}>
                  <th scope="row">{at}</th>
                  <td>{text}</td>
                  {before !== null && <td>{before.points.find((one) => one.at === at)?.text ?? "–"}</td>}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  )
}

/** The end of the limit's line from which the curve is farther away: its name stands there. */
function clearEnd(
  points: FleetCurve["points"],
  limit: number,
): { readonly x: number; readonly "text-anchor": "end" | "start" } {
  const known = points.flatMap(({ value }) => value ?? [])
  const distance = (value: number | undefined): number => Math.abs((value ?? 0) - limit)
  return distance(known[0]) > distance(known.at(-1))
    ? { x: 0, "text-anchor": "start" }
    : { x: WIDTH, "text-anchor": "end" }
}

/** Points without a value interrupt the line. */
function lineOf(points: FleetCurve["points"], y: (value: number) => number): string {
  const each = WIDTH / Math.max(1, points.length - 1)
  let isDown = false
  return points
    .map(({ value }, at) => {
      if (value === null) {
        isDown = false
        return ""
      }
      const command = isDown ? "L" : "M"
      isDown = true
      return `${command}${(at * each).toFixed(1)} ${y(value).toFixed(1)}`
    })
    .join("")
}
