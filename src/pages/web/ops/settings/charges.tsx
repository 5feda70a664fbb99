/** Fees of completed deliveries of production, and the file of them for invoices. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { ButtonLink, ShortId } from "../../design/button.tsx"
import { Empty } from "../../design/feedback.tsx"
import { SelectField, TextField } from "../../design/field.tsx"
import { Paging, Table } from "../../design/table.tsx"
import { dayTime } from "../../portal/times.ts"
import { money } from "../../portal/words.tsx"
import { useResource } from "../../resource.ts"
import { api, dataOf } from "../api.ts"
import type { Schemas } from "../api.ts"
import { Head } from "../frame.tsx"
import { mayCall } from "../session.ts"
import { readSites } from "../sites.ts"
import type { Site } from "../sites.ts"
import { Listed } from "./listed.tsx"
import { OrganizationName, useOrganizations } from "./organizations/organization-names.tsx"

interface Span {
  readonly site_id: string
  /** Days of this browser, such as 2026-03-02. */
  readonly from: string
  readonly until: string
}

const ALL: Span = { site_id: "", from: "", until: "" }
const PAGE = 50

/** The filled parts, as the query of a request. The last day is part of the span. */
function queryOf({ site_id, from, until }: Span) {
  return {
    ...(site_id === "" ? {} : { site_id }),
    ...(from === "" ? {} : { from: startOf(from, 0) }),
    ...(until === "" ? {} : { until: startOf(until, 1) }),
  }
}

/** Where a day begins, or one so many days later; clocks may change on it. */
function startOf(day: string, later: number): string {
  const start = new Date(`${day}T00:00`)
  start.setDate(start.getDate() + later)
  return start.toISOString()
}

export function Charges(): JSX.Element {
  const [span, setSpan] = useState(ALL)
  /** Cursors of the pages so far; the last one is shown. */
  const [cursors, setCursors] = useState<readonly string[]>([])
  const cursor = cursors.at(-1)
  const { data: sites } = useResource(readSites)
  const query = { ...queryOf(span), limit: PAGE, ...(cursor === undefined ? {} : { cursor }) }
  const { data, fault, reload } = useResource(
    () => dataOf(api.GET("/internal/v1/charges", { params: { query } })),
    [JSON.stringify(query)],
  )
  const next = data?.next_cursor ?? null
  const set = (change: Partial<Span>): void => {
    setSpan({ ...span, ...change })
    setCursors([])
  }
  return (
    <>
      <Head title="Charges" lead="One for each completed delivery, with the fee of its quote. Newest first.">
        {mayCall("exportCharges") ? (
          <ButtonLink
            icon="receipt"
            href={`/internal/v1/charges.csv?${new URLSearchParams(queryOf(span)).toString()}`}
          >
            Download as CSV
          </ButtonLink>
        ) : null}
      </Head>
      <Filters span={span} set={set} sites={sites ?? []} />
      <Listed
        resource={{ data: data?.charges ?? null, fault, reload }}
        what="The charges"
        empty={
          <Empty title="There are no charges here">
            {span === ALL
              ? "The first delivery of production that is completed makes one."
              : "None was completed at this site in this time."}
          </Empty>
        }
        table={(rows) => (
          <>
            <ChargeTable rows={rows} sites={sites ?? []} />
            <Paging
              text={`Page ${cursors.length + 1}`}
              onNewer={cursors.length === 0 ? null : () => setCursors(cursors.slice(0, -1))}
              onOlder={next === null ? null : () => setCursors([...cursors, next])}
            />
          </>
        )}
      />
    </>
  )
}

interface ChargeTableProps {
  readonly rows: readonly Schemas["Charge"][] | null
  readonly sites: readonly Site[]
}

function ChargeTable({ rows, sites }: ChargeTableProps): JSX.Element {
  const organizations = useOrganizations()
  const siteOf = new Map(sites.map(({ site_id: id, name }) => [id, name]))
  return (
    <Table
      label="Charges"
      hasTwoLines
      rows={rows}
      keyOf={({ delivery_id: id }) => id}
      columns={[
        {
          name: "Delivery",
          cell: ({ delivery_id: id, external_delivery_id: external }) => (
            <>
              <span class="main">{external}</span>
              <span class="under">
                <ShortId id={id} label="Copy the delivery's id" />
              </span>
            </>
          ),
        },
        {
          name: "Organization",
          cell: ({ organization_id: id }) => <OrganizationName id={id} organizations={organizations} />,
        },
        { name: "Site", cell: ({ site_id: id }) => siteOf.get(id) ?? id },
        { name: "Completed", cell: ({ completed_at: at }) => dayTime(at, null, Date.now()) },
        { name: "Fee", isEnd: true, cell: ({ fee_cents: cents, currency }) => money(cents, currency) },
      ]}
    />
  )
}

interface FiltersProps {
  readonly span: Span
  readonly set: (change: Partial<Span>) => void
  readonly sites: readonly Site[]
}

function Filters({ span, set, sites }: FiltersProps): JSX.Element {
  return (
    <div class="inline-form filters">
      <SelectField
        label="Site"
        value={span.site_id}
        options={[["", "all sites"], ...sites.map(({ site_id: id, name }) => [id, name] as const)]}
        onChange={(site_id) => set({ site_id })}
      />
      <TextField label="From" type="date" value={span.from} onChange={(from) => set({ from })} />
      <TextField label="Until" type="date" value={span.until} onChange={(until) => set({ until })} />
    </div>
  )
}
