/** A site over time: visits to its stalls, how full they were, and its deliveries, by the hour, day or week. */

import type { JSX } from "preact"
import { useEffect, useState } from "preact/hooks"
import { ButtonLink } from "../../../design/button.tsx"
import { Empty, Skeleton } from "../../../design/feedback.tsx"
import { SelectField } from "../../../design/field.tsx"
import { api, dataOf } from "../../api.ts"
import type { Schemas } from "../../api.ts"
import { Head } from "../../frame.tsx"
import { useResource } from "../../../resource.ts"
import type { PageProps } from "../../session.ts"
import { presentMs } from "../../times.ts"
import { DayRange, daysInAddress } from "../filters.tsx"
import type { Days } from "../filters.tsx"
import { ReadProblem } from "../problem.tsx"
import { deliveryFigures, figuresCsv, visitFigures } from "./figures.ts"
import type { Figure } from "./figures.ts"
import { GRANULARITY_NAMES, Occupancy } from "./occupancy.tsx"
import { PERIODS, PERIOD_TEXTS, lastDays, spanOf } from "./spans.ts"
import type { Granularity, Period, Span } from "./spans.ts"

interface Chosen {
  /** Empty for the first site. */
  readonly site: string
  readonly period: Period
  readonly granularity: Granularity
  /** Of the period `days`. */
  readonly days: Days
}

function chosenInAddress(): Chosen {
  const query = new URLSearchParams(window.location.search)
  const period = PERIODS.find((one) => one === query.get("period")) ?? "today"
  const { granularities } = PERIOD_TEXTS[period]
  const granularity = granularities.find((one) => one === query.get("by")) ?? granularities[0]
  return { site: query.get("site") ?? "", period, granularity, days: daysInAddress() }
}

export function AnalyticsPage({ environment }: PageProps): JSX.Element {
  const [chosen, setChosen] = useState(chosenInAddress)
  const { data, fault, reload } = useResource(() =>
    dataOf(api.GET("/portal/api/sites", { params: { query: { environment } } })),
  )
  useEffect(() => {
    const { site, period, granularity, days } = chosen
    const dated = period === "days" ? days : {}
    const query = new URLSearchParams({ ...(site === "" ? {} : { site }), period, by: granularity, ...dated })
    window.history.replaceState(null, "", `${window.location.pathname}?${query}`)
  }, [chosen])
  const sites = data?.sites ?? []
  const site = sites.find(({ site_id: id }) => id === chosen.site) ?? sites[0]
  return (
    <div class="content">
      <Head
        title="Analytics"
        lead="A site over time: visits to its stalls, how full they were, and its deliveries."
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
            onClick={() => {
              const [first] = PERIOD_TEXTS[one].granularities
              const hasDays = one !== "days" || chosen.days.from !== ""
              const days = hasDays ? chosen.days : lastDays(clockOf(site))
              onChoose({ ...chosen, period: one, granularity: first, days })
            }}
          >
            {PERIOD_TEXTS[one].name}
          </button>
        ))}
      </div>
      {period === "days" ? (
        <DayRange
          filters={{ days: chosen.days, setDays: (days) => onChoose({ ...chosen, days }) }}
          dated="Days"
          zone={clockOf(site).zone}
        />
      ) : null}
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

function Figures({ environment, site, chosen }: FiguresProps): JSX.Element {
  const span = spanOf(chosen.period, chosen.days, clockOf(site))
  if (span === null) return <p class="small quiet">Choose the first and the last day.</p>
  return (
    <FiguresOf
      key={JSON.stringify([site.site_id, span, chosen.granularity])}
      environment={environment}
      site={site}
      granularity={chosen.granularity}
      span={span}
    />
  )
}

interface FiguresOfProps {
  readonly environment: PageProps["environment"]
  readonly site: Schemas["Site"]
  readonly granularity: Granularity
  readonly span: Span
}

function FiguresOf({ environment, site, granularity, span }: FiguresOfProps): JSX.Element {
  const query = { environment, siteId: site.site_id, ...span.query }
  const byBucket = { ...query, granularity }
  const { data, fault, reload } = useResource(async () => {
    const [metrics, trends, deliveries] = await Promise.all([
      dataOf(api.GET("/portal/api/analytics/metrics", { params: { query } })),
      dataOf(api.GET("/portal/api/analytics/occupancy-trends", { params: { query: byBucket } })),
      dataOf(api.GET("/portal/api/analytics/deliveries", { params: { query: byBucket } })),
    ])
    return { metrics, trends, deliveries }
  }, [])
  if (data === null)
    return fault === null ? (
      <Skeleton lines={11} />
    ) : (
      <ReadProblem what="The figures" fault={fault} onAgain={reload} />
    )
  const { metrics, trends, deliveries } = data
  const words = { span: span.before, isFree: environment === "sandbox" }
  return (
    <div class="stack">
      <Tiles figures={[...visitFigures(metrics, span.before), ...deliveryFigures(deliveries, words)]} />
      <Occupancy name={site.name} trends={trends} deliveries={deliveries}>
        <a
          class="button"
          download="analytics.csv"
          href={`data:text/csv;charset=utf-8,${encodeURIComponent(figuresCsv(trends, deliveries))}`}
        >
          Download as CSV
        </a>
      </Occupancy>
    </div>
  )
}

function Tiles({ figures }: { readonly figures: readonly Figure[] }): JSX.Element {
  return (
    <dl class="tiles">
      {figures.map(({ name, figure, about }) => (
        <div key={name} class="tile">
          <dt class="small quiet">{name}</dt>
          <dd class="figure">{figure}</dd>
          {about === "" ? null : <dd class="tiny quiet">{about}</dd>}
        </div>
      ))}
    </dl>
  )
}

/** As the service reads the days of a site without a time zone. */
function clockOf({ timezone }: Schemas["Site"]): { readonly zone: string; readonly nowMs: number } {
  return { zone: timezone ?? "UTC", nowMs: presentMs() }
}
