/** Bars of occupancy over time; a pointer on a bar shows its figures, and the page has them as a table. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import type { Schemas } from "../../api.ts"

type Point = Schemas["TrendPoint"]

interface OccupancyChartProps {
  readonly points: readonly Point[]
  readonly labelOf: (point: Point) => string
}

/** Units of the drawing for a bar, and for the gap behind it; a browser stretches them to the width. */
const BAR = 8
const GAP = 2
const HEIGHT = 100
/** Percent at the top of the axis; the first that holds the highest bar. */
const TOPS = [10, 20, 40, 60, 80, 100]
const LABELS_MAX = 8

export function OccupancyChart({ points, labelOf }: OccupancyChartProps): JSX.Element {
  const [shown, setShown] = useState<number | null>(null)
  const most = Math.max(...points.map(({ occupancy_percentage: percentage }) => percentage))
  const top = TOPS.find((one) => one >= most) ?? 100
  const width = points.length * (BAR + GAP)
  const highest = points.find(({ occupancy_percentage: percentage }) => percentage === most)
  const step = Math.ceil(points.length / LABELS_MAX)
  const point = shown === null ? undefined : points[shown]
  return (
    <figure class="bars">
      <figcaption class="small">
        {point === undefined ? (
          <span class="quiet">
            Highest: {most} %{highest === undefined ? "" : `, ${labelOf(highest)}`}
          </span>
        ) : (
          <>
            <strong>{labelOf(point)}</strong>: {point.occupancy_percentage} %, {point.session_count}{" "}
            {point.session_count === 1 ? "visit" : "visits"}
          </>
        )}
      </figcaption>
      <div class="plot">
        <ol class="axis" aria-hidden="true">
          {[top, top / 2, 0].map((percent) => (
            <li key={percent}>{percent} %</li>
          ))}
        </ol>
        <svg
          role="img"
          aria-label={`Occupancy of ${points.length} spans; the highest is ${most} %${highest === undefined ? "" : `, ${labelOf(highest)}`}`}
          viewBox={`0 0 ${width} ${HEIGHT}`}
          preserveAspectRatio="none"
          onPointerLeave={() => setShown(null)}
        >
          {points.map(({ bucket_start: start, occupancy_percentage: percentage }, at) => {
            const height = (percentage / top) * HEIGHT
            const x = at * (BAR + GAP)
            return (
              <g key={start} class={at === shown ? "shown" : ""} onPointerEnter={() => setShown(at)}>
                <rect class="touch" x={x} y={0} width={BAR + GAP} height={HEIGHT} />
                <rect class="bar" x={x + GAP / 2} y={HEIGHT - height} width={BAR} height={height} />
              </g>
            )
          })}
        </svg>
        <ol class="labels" aria-hidden="true">
          {points
            .filter((_, at) => at % step === 0)
            .map((labelled) => (
              <li key={labelled.bucket_start}>{labelOf(labelled)}</li>
            ))}
        </ol>
      </div>
    </figure>
  )
}
