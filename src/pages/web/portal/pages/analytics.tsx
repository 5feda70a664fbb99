/** How full a site's stalls are: figures with their change, and occupancy by the hour, day or week. */

import type { JSX } from "preact"
import { useEffect, useState } from "preact/hooks"
import { ButtonLink } from "../../design/button.tsx"
import { Empty, Skeleton } from "../../design/feedback.tsx"
import { SelectField } from "../../design/field.tsx"
import { Table } from "../../design/table.tsx"
import { api, dataOf } from "../api.ts"
import type { Schemas } from "../api.ts"
import { Head } from "../frame.tsx"
import { useResource } from "../../resource.ts"
import type { PageProps } from "../session.ts"
import { bucketTime } from "../times.ts"
import { OccupancyChart } from "./occupancy-chart.tsx"
import { ReadProblem } from "./problem.tsx"

const PERIODS = ["today", "week", "month"] as const
type Period = (typeof PERIODS)[number]
type Granularity = Schemas["Trends"]["granularity"]
type Point = Schemas["TrendPoint"]

interface PeriodText {
  readonly name: string
  /** What a change is compared with. */
  readonly before: string
  /** The first is shown unless another is chosen. */
  readonly granularities: readonly Granularity[]
}

const PERIOD_TEXTS: Readonly<Record<Period, PeriodText>> = {
  today: { name: "Today", before: "the same hours before", granularities: ["hour"] },
  week: { name: "7 days", before: "the 7 days before", granularities: ["hour", "day"] },
  month: { name: "30 days", before: "the 30 days before", granularities: ["day", "hour", "week"] },
}

const GRANULARITY_NAMES: Readonly<Record<Granularity, string>> = {
  hour: "By hour",
  day: "By day",
  week: "By week",
}

interface Chosen {
  /** Empty for the first site. */
  readonly site: string
  readonly period: Period
  readonly granularity: Granularity
}

function chosenInAddress(): Chosen {
  const query = new URLSearchParams(window.location.search)
  const period = PERIODS.find((one) => one === query.get("period")) ?? "today"
  const { granularities } = PERIOD_TEXTS[period]
  const granularity = granularities.find((one) => one === query.get("by")) ?? granularities[0] ?? "hour"
  return { site: query.get("site") ?? "", period, granularity }
}

export function AnalyticsPage({ environment }: PageProps): JSX.Element {
  const [chosen, setChosen] = useState(chosenInAddress)
  const { data, fault, reload } = useResource(() =>
    dataOf(api.GET("/portal/api/sites", { params: { query: { environment } } })),
  )
  useEffect(() => {
    const { site, period, granularity } = chosen
    const query = new URLSearchParams({ ...(site === "" ? {} : { site }), period, by: granularity })
    window.history.replaceState(null, "", `${window.location.pathname}?${query}`)
  }, [chosen])
  const sites = data?.sites ?? []
  const site = sites.find(({ site_id: id }) => id === chosen.site) ?? sites[0]
  return (
    <div class="content">
      <Head
        title="Analytics"
        lead="Visits to the stalls of a site: how many, how long, and how full it was."
      />
      {fault !== null && data === null ? (
        <ReadProblem what="Sites" fault={fault} onAgain={reload} />
      ) : data === null ? (
        <Skeleton lines={6} />
      ) : site === undefined ? (
        <Empty title="No sites yet" action={<ButtonLink href="/portal/sites">Sites</ButtonLink>}>
          Figures are of one site: make one first.
        </Empty>
      ) : (
        <>
          <Choices sites={sites} site={site} chosen={chosen} onChoose={setChosen} />
          <Figures environment={environment} site={site} chosen={chosen} />
        </>
      )}
    </div>
  )
}

interface ChoicesProps {
  readonly sites: readonly Schemas["Site"][]
  readonly site: Schemas["Site"]
  readonly chosen: Chosen
  readonly onChoose: (chosen: Chosen) => void
}

function Choices({ sites, site, chosen, onChoose }: ChoicesProps): JSX.Element {
  const { period, granularity } = chosen
  const { granularities } = PERIOD_TEXTS[period]
  return (
    <div class="filters figures-of">
      <SelectField
        label="Site"
        value={site.site_id}
        onChange={(id) => onChoose({ ...chosen, site: id })}
        options={sites.map(({ site_id: id, name }) => [id, name] as const)}
      />
      <div class="chips" role="group" aria-label="Period">
        {PERIODS.map((one) => (
          <button
            key={one}
            type="button"
            class="chip"
            aria-pressed={one === period}
            onClick={() =>
              onChoose({
                ...chosen,
                period: one,
                granularity: PERIOD_TEXTS[one].granularities[0] ?? "hour",
              })
            }
          >
            {PERIOD_TEXTS[one].name}
          </button>
        ))}
      </div>
      {granularities.length < 2 ? null : (
        <div class="chips" role="group" aria-label="Bars">
          {granularities.map((one) => (
            <button
              key={one}
              type="button"
              class="chip"
              aria-pressed={one === granularity}
              onClick={() => onChoose({ ...chosen, granularity: one })}
            >
              {GRANULARITY_NAMES[one]}
            </button>
          ))}
        </div>
      )}
    </div>
  )
}

interface FiguresProps {
  readonly environment: PageProps["environment"]
  readonly site: Schemas["Site"]
  readonly chosen: Chosen
}

function Figures({ environment, site, chosen: { period, granularity } }: FiguresProps): JSX.Element {
  const { site_id: siteId, name } = site
  const query = { environment, siteId, period }
  const metrics = useResource(
    () => dataOf(api.GET("/portal/api/analytics/metrics", { params: { query } })),
    [siteId, period],
  )
  const trends = useResource(
    () =>
      dataOf(
        api.GET("/portal/api/analytics/occupancy-trends", { params: { query: { ...query, granularity } } }),
      ),
    [siteId, period, granularity],
  )
  const fault = metrics.fault ?? trends.fault
  if (fault !== null && (metrics.data === null || trends.data === null)) {
    const again = async (): Promise<void> => {
      await Promise.all([metrics.reload(), trends.reload()])
    }
    return <ReadProblem what="The figures" fault={fault} onAgain={again} />
  }
  return (
    <div class="stack">
      {metrics.data === null ? <Skeleton lines={3} /> : <Tiles metrics={metrics.data} period={period} />}
      {trends.data === null ? <Skeleton lines={8} /> : <Occupancy name={name} trends={trends.data} />}
    </div>
  )
}

function Tiles({
  metrics: { autolane_sessions: visits, average_occupancy: occupancy, average_dwell_time: dwell },
  period,
}: {
  readonly metrics: Schemas["Metrics"]
  readonly period: Period
}): JSX.Element {
  const { before } = PERIOD_TEXTS[period]
  // Without a visit there is nothing to average or to compare.
  if (visits.total === 0 && occupancy.percentage === 0) {
    return (
      <dl class="tiles">
        <Tile name="Visits" figure="0" about="No visits yet" />
        <Tile name="Occupancy" figure="–" about="" />
        <Tile name="Average stay" figure="–" about="" />
      </dl>
    )
  }
  return (
    <dl class="tiles">
      <Tile name="Visits" figure={String(visits.total)} about={changeText(visits, before)} />
      <Tile name="Occupancy" figure={`${occupancy.percentage} %`} about={changeText(occupancy, before)} />
      <Tile
        name="Average stay"
        figure={`${dwell.minutes}:${String(dwell.seconds).padStart(2, "0")} min`}
        about={changeText(dwell, before)}
      />
    </dl>
  )
}

interface TileProps {
  readonly name: string
  readonly figure: string
  readonly about: string
}

function changeText(
  change: Pick<Schemas["Metrics"]["average_occupancy"], "change_percentage" | "change_type">,
  before: string,
): string {
  const { change_percentage: percentage, change_type: type } = change
  if (percentage === 0) return `As in ${before}`
  return `${percentage} % ${type === "increase" ? "more" : "less"} than in ${before}`
}

function Tile({ name, figure, about }: TileProps): JSX.Element {
  return (
    <div class="tile">
      <dt class="small quiet">{name}</dt>
      <dd class="figure">{figure}</dd>
      {about === "" ? null : <dd class="tiny quiet">{about}</dd>}
    </div>
  )
}

function Occupancy({
  name,
  trends: { points, granularity, timezone },
}: {
  readonly name: string
  readonly trends: Schemas["Trends"]
}): JSX.Element {
  const labelOf = (point: Point): string => bucketTime(point.bucket_start, granularity, timezone)
  const isQuiet = points.every(({ occupancy_percentage: percentage }) => percentage === 0)
  return (
    <section class="occupancy">
      <div class="section-head">
        <h2>Occupancy {GRANULARITY_NAMES[granularity].toLowerCase()}</h2>
        <span class="small quiet">Times of the site, {timezone}</span>
      </div>
      {isQuiet ? (
        <p class="small quiet">No vehicle stood at {name} in this time.</p>
      ) : (
        <OccupancyChart points={points} labelOf={labelOf} />
      )}
      <details>
        <summary>The same as a table</summary>
        <Table
          label="Occupancy"
          rows={points}
          keyOf={({ bucket_start: start }) => start}
          columns={[
            { name: "From", cell: (point) => labelOf(point) },
            {
              name: "Occupancy",
              isEnd: true,
              sortBy: ({ occupancy_percentage: percentage }) => percentage,
              cell: ({ occupancy_percentage: percentage }) => `${percentage} %`,
            },
            {
              name: "Visits",
              isEnd: true,
              sortBy: ({ session_count: count }) => count,
              cell: ({ session_count: count }) => String(count),
            },
          ]}
        />
      </details>
    </section>
  )
}
