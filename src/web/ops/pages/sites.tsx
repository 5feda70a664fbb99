/** The sites of this environment. */

import type { JSX } from "preact"
import { Empty, Skeleton } from "../../design/feedback.tsx"
import { Table } from "../../design/table.tsx"
import { ReadProblem } from "../../portal/pages/problem.tsx"
import { useResource } from "../../resource.ts"
import { read } from "../api.ts"
import { Head } from "../frame.tsx"
import { opsData } from "../session.ts"

interface Site {
  readonly site_id: string
  readonly name: string
  readonly timezone: string | null
  readonly organization_id: string | null
  readonly is_active: boolean
  /** True when it can quote deliveries. */
  readonly is_configured: boolean
}

interface SitesPage {
  readonly sites: readonly Site[]
  readonly next_cursor: string | null
}

/** Every page of the list. */
async function readSites(): Promise<readonly Site[]> {
  const found: Site[] = []
  let cursor: string | null = null
  do {
    const after: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`
    const page: SitesPage = await read<SitesPage>(`/internal/v1/sites?limit=100${after}`)
    found.push(...page.sites)
    cursor = page.next_cursor
  } while (cursor !== null)
  return found
}

export function Sites(): JSX.Element {
  const { data, fault, reload } = useResource(readSites)
  if (data === null) {
    return fault === null ? (
      <Skeleton lines={6} />
    ) : (
      <ReadProblem what="The sites" fault={fault} onAgain={reload} />
    )
  }
  const open = data.filter(({ is_active: isActive }) => isActive).length
  return (
    <>
      <Head
        title={data.length === 0 ? "There are no sites." : sentenceOf(data.length, open)}
        lead={`In the ${opsData().environment} environment.`}
      />
      {data.length === 0 ? (
        <Empty title="Add the first site">
          Run <code>npx curbline sites create</code>; an approved request for production makes sites as well.
        </Empty>
      ) : (
        <Table
          label="Sites"
          rows={data}
          keyOf={({ site_id: id }) => id}
          columns={[
            {
              name: "Site",
              cell: ({ site_id: id, name }) => <a href={`/ops/sites/${encodeURIComponent(id)}`}>{name}</a>,
              sortBy: ({ name }) => name,
            },
            { name: "Time zone", cell: ({ timezone }) => timezone ?? "none" },
            { name: "Used for", cell: usedFor },
            { name: "State", cell: ({ is_active: isActive }) => (isActive ? "open" : "closed") },
          ]}
        />
      )}
    </>
  )
}

function sentenceOf(all: number, open: number): string {
  const sites = all === 1 ? "One site" : `${all} sites`
  return open === all ? `${sites}, all open.` : `${sites}, ${open} open.`
}

function usedFor({ organization_id: organization, is_configured: isConfigured }: Site): string {
  if (organization === null) return "reservations"
  return isConfigured
    ? "reservations, deliveries"
    : "reservations; deliveries need a place, an area and a price"
}
