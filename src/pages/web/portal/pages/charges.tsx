/** What deliveries of production cost: sums by month and site, each charge, and the same as a file. */

import type { JSX } from "preact"
import { ButtonLink } from "../../design/button.tsx"
import { Empty } from "../../design/feedback.tsx"
import { SelectField } from "../../design/field.tsx"
import { Table } from "../../design/table.tsx"
import { api, dataOf } from "../api.ts"
import { Head } from "../frame.tsx"
import { useResource } from "../../resource.ts"
import type { PageProps } from "../session.ts"
import { dayTime, inZone, presentMs } from "../times.ts"
import { money } from "../words.tsx"
import { daysOf, lastMonths, monthName, sameDays, totalText } from "./charge-months.ts"
import { DayRange, FilterPaging, PAGE, instantsOf, useFilters } from "./filters.tsx"
import type { Filters } from "./filters.tsx"
import { ReadProblem } from "./problem.tsx"

export function Charges({ me }: PageProps): JSX.Element {
  if (me.organization.environments.includes("production")) return <ChargeList />
  return (
    <div class="content">
      <Head title="Charges" lead="One charge for each completed delivery of production." />
      <Empty title="No charges yet" action={<ButtonLink href="/portal">The steps to production</ButtonLink>}>
        Your organization has the sandbox alone, which charges nothing.
      </Empty>
    </div>
  )
}

function ChargeList(): JSX.Element {
  const filters = useFilters()
  const { cursor, days } = filters
  const { from, to } = instantsOf(days)
  const span = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { until: to }) }
  const query = { limit: PAGE, ...span, ...(cursor === undefined ? {} : { cursor }) }
  const file = new URLSearchParams(span).toString()
  const { data, fault, reload } = useResource(
    () => dataOf(api.GET("/portal/api/charges", { params: { query } })),
    filters.keys,
  )
  const sites = useResource(() =>
    dataOf(api.GET("/portal/api/sites", { params: { query: { environment: "production" } } })),
  )
  const nameOf = (id: string): string => sites.data?.sites.find(({ site_id: one }) => one === id)?.name ?? id
  const hasAny = data !== null && (data.charges.length > 0 || filters.pagesBefore > 0)
  return (
    <div class="content">
      <Head title="Charges" lead="One charge for each completed delivery of production.">
        <ButtonLink href={`/portal/api/charges.csv${file === "" ? "" : `?${file}`}`}>
          Download as CSV
        </ButtonLink>
      </Head>
      <div class="filters figures-of">
        <Months filters={filters} />
        <DayRange filters={filters} dated="Completed" />
      </div>
      {hasAny ? <Sums span={span} nameOf={nameOf} /> : null}
      {fault !== null && data === null ? (
        <ReadProblem what="Charges" fault={fault} onAgain={reload} />
      ) : data?.charges.length === 0 ? (
        <Empty title={filters.isFiltered ? "No charges on these days" : "No charges yet"}>
          A delivery is charged when it is completed; the sandbox charges nothing.
        </Empty>
      ) : (
        <>
          <Table
            label="Charges"
            rows={data?.charges ?? null}
            keyOf={({ delivery_id: id }) => id}
            columns={[
              {
                name: "Delivery",
                cell: ({ external_delivery_id: id }) => <span class="main mono">{id}</span>,
              },
              { name: "Site", cell: ({ site_id: id }) => nameOf(id) },
              { name: inZone("Completed"), isEnd: true, cell: ({ completed_at: at }) => dayTime(at) },
              {
                name: "Fee",
                isEnd: true,
                sortBy: ({ fee_cents: cents }) => cents,
                cell: ({ fee_cents: cents, currency }) => money(cents, currency),
              },
            ]}
          />
          <FilterPaging
            filters={filters}
            count={data?.charges.length ?? 0}
            next={data?.next_cursor ?? null}
          />
        </>
      )}
    </div>
  )
}

/** Chooses the days of one month. */
function Months({ filters: { days, setDays } }: { readonly filters: Filters }): JSX.Element {
  const months = lastMonths(presentMs())
  const chosen = months.find((month) => sameDays(daysOf(month), days))
  return (
    <SelectField
      label="Month"
      value={chosen ?? ""}
      onChange={(month) => setDays(month === "" ? { from: "", to: "" } : daysOf(month))}
      options={[
        ["", days.from === "" && days.to === "" ? "All months" : "These days"],
        ...months.map((month) => [month, monthName(month)] as const),
      ]}
    />
  )
}

interface SumsProps {
  readonly span: { readonly from?: string; readonly until?: string }
  readonly nameOf: (siteId: string) => string
}

/** Sums of the chosen days, by month and site. */
function Sums({ span, nameOf }: SumsProps): JSX.Element {
  const { timeZone: timezone } = new Intl.DateTimeFormat().resolvedOptions()
  const { data, fault, reload } = useResource(
    () => dataOf(api.GET("/portal/api/charges/sums", { params: { query: { ...span, timezone } } })),
    [span.from, span.until],
  )
  if (fault !== null && data === null) return <ReadProblem what="Sums" fault={fault} onAgain={reload} />
  return (
    <section>
      <div class="section-head">
        <h2>Sums</h2>
        {data === null ? null : <span class="small quiet">{totalText(data.sums)}</span>}
      </div>
      <Table
        label="Sums"
        rows={data?.sums ?? null}
        keyOf={({ month, site_id: id, currency }) => `${month} ${id} ${currency}`}
        columns={[
          { name: "Month", cell: ({ month }) => <span class="main">{monthName(month)}</span> },
          { name: "Site", cell: ({ site_id: id }) => nameOf(id) },
          {
            name: "Deliveries",
            isEnd: true,
            isNamed: true,
            sortBy: ({ count }) => count,
            cell: ({ count }) => String(count),
          },
          {
            name: "Sum",
            isEnd: true,
            sortBy: ({ fee_cents: cents }) => cents,
            cell: ({ fee_cents: cents, currency }) => money(cents, currency),
          },
        ]}
      />
      <h2>Each charge</h2>
    </section>
  )
}
