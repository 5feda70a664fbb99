/** The sites of this environment. */

import type { JSX } from "preact"
import { ButtonLink } from "../../design/button.tsx"
import { Empty, Skeleton } from "../../design/feedback.tsx"
import { Table } from "../../design/table.tsx"
import { ReadProblem } from "../../portal/pages/problem.tsx"
import { useResource } from "../../resource.ts"
import { Head } from "../frame.tsx"
import { mayCall, opsData } from "../session.ts"
import { readSites } from "../sites.ts"
import type { Site } from "../sites.ts"

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
        <Empty
          title="There are no sites yet"
          action={
            mayCall("addSite") ? <ButtonLink href="/ops/settings/sites/new">New site</ButtonLink> : undefined
          }
        >
          An approved request for production makes sites as well.
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

function usedFor({
  organization_id: organization,
  is_configured: isConfigured,
  has_vehicle: hasVehicle,
}: Site): string {
  if (organization === null) return "reservations"
  if (!isConfigured) return "reservations; deliveries need a place, an area and a price"
  return hasVehicle ? "reservations, deliveries" : "reservations; deliveries need a vehicle"
}
