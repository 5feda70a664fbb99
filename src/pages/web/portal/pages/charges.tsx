/** What deliveries of production cost, newest first, and the same as a file. */

import type { JSX } from "preact"
import { ButtonLink } from "../../design/button.tsx"
import { Empty } from "../../design/feedback.tsx"
import { Table } from "../../design/table.tsx"
import { api, dataOf } from "../api.ts"
import { Head } from "../frame.tsx"
import { useResource } from "../../resource.ts"
import type { PageProps } from "../session.ts"
import { dayTime, inZone } from "../times.ts"
import { money } from "../words.tsx"
import { DayRange, FilterPaging, PAGE, instantsOf, useFilters } from "./filters.tsx"
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
  return (
    <div class="content">
      <Head title="Charges" lead="One charge for each completed delivery of production.">
        <ButtonLink href={`/portal/api/charges.csv${file === "" ? "" : `?${file}`}`}>
          Download as CSV
        </ButtonLink>
      </Head>
      <div class="filters">
        <DayRange filters={filters} dated="Completed" />
      </div>
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
              { name: "Site", cell: ({ site_id: id }) => <span class="mono tiny">{id}</span> },
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
