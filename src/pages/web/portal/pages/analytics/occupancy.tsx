/** Occupancy as bars, and with the deliveries as a table. */

import type { ComponentChildren, JSX } from "preact"
import { Table } from "../../../design/table.tsx"
import type { Schemas } from "../../api.ts"
import { bucketTime } from "../../times.ts"
import { money } from "../../words.tsx"
import { pointOf } from "./figures.ts"
import { OccupancyChart } from "./occupancy-chart.tsx"
import type { Granularity } from "./spans.ts"

type Point = Schemas["TrendPoint"]

export const GRANULARITY_NAMES: Readonly<Record<Granularity, string>> = {
  hour: "By hour",
  day: "By day",
  week: "By week",
}

interface OccupancyProps {
  readonly name: string
  readonly trends: Schemas["Trends"]
  readonly deliveries: Schemas["DeliveryFigures"]
  /** Beside the title. */
  readonly children: ComponentChildren
}

export function Occupancy({ name, trends, deliveries, children }: OccupancyProps): JSX.Element {
  const { points, granularity, timezone } = trends
  const labelOf = (point: Point): string => bucketTime(point.bucket_start, granularity, timezone)
  const isQuiet = points.every(({ occupancy_percentage: percentage }) => percentage === 0)
  const completedIn = (point: Point): number => pointOf(deliveries, point)?.completed ?? 0
  return (
    <section class="occupancy">
      <div class="section-head">
        <h2>Occupancy {GRANULARITY_NAMES[granularity].toLowerCase()}</h2>
        <span class="small quiet">Times of the site, {timezone}</span>
        {children}
      </div>
      {isQuiet ? (
        <p class="small quiet">No vehicle stood at {name} in this time.</p>
      ) : (
        <OccupancyChart points={points} labelOf={labelOf} />
      )}
      <details>
        <summary>The same as a table, with deliveries</summary>
        <Table
          label="Occupancy"
          rows={points}
          keyOf={({ bucket_start: start }) => start}
          columns={[
            { name: "From", cell: (point) => labelOf(point) },
            {
              name: "Occupancy",
              isEnd: true,
              isNamed: true,
              sortBy: ({ occupancy_percentage: percentage }) => percentage,
              cell: ({ occupancy_percentage: percentage }) => `${percentage} %`,
            },
            {
              name: "Visits",
              isEnd: true,
              isNamed: true,
              sortBy: ({ session_count: count }) => count,
              cell: ({ session_count: count }) => String(count),
            },
            {
              name: "Deliveries",
              isEnd: true,
              isNamed: true,
              sortBy: completedIn,
              cell: (point) => String(completedIn(point)),
            },
            {
              name: "In time",
              isEnd: true,
              isNamed: true,
              cell: (point) =>
                completedIn(point) === 0 ? "–" : String(pointOf(deliveries, point)?.kept ?? 0),
            },
            {
              name: "Fees",
              isEnd: true,
              isNamed: true,
              cell: (point) => money(pointOf(deliveries, point)?.fee_cents ?? 0, "USD"),
            },
          ]}
        />
      </details>
    </section>
  )
}
