/** Sites of the environment; each has a page of its own. */

import type { JSX } from "preact"
import { ButtonLink } from "../../design/button.tsx"
import { Empty } from "../../design/feedback.tsx"
import { Pill } from "../../design/pill.tsx"
import { ReadProblem } from "../../portal/pages/problem.tsx"
import { useResource } from "../../resource.ts"
import { Head } from "../frame.tsx"
import { mayCall, opsData } from "../session.ts"
import { readSites } from "../sites.ts"
import type { Site } from "../sites.ts"
import { useOrganizations } from "./organizations/organization-names.tsx"
import type { Organization } from "./organizations/organization-names.tsx"
import { SearchedTable } from "./searched-table.tsx"

export function SiteSettings(): JSX.Element {
  const { data, fault, reload } = useResource(readSites)
  const organizations = useOrganizations()
  return (
    <>
      <Head
        title="Sites"
        lead={`Places of the ${opsData().environment} environment. What changes in settings is in the audit log.`}
      >
        {mayCall("addSite") ? (
          <ButtonLink look="primary" icon="plus" href="/ops/settings/sites/new">
            New site
          </ButtonLink>
        ) : null}
      </Head>
      {data === null && fault !== null ? (
        <ReadProblem what="The sites" fault={fault} onAgain={reload} />
      ) : data?.length === 0 ? (
        <Empty title="There are no sites yet">
          A site is a place with stalls that are booked, or from which deliveries start. An approved request
          for production makes sites, too.
        </Empty>
      ) : (
        <SiteTable sites={data} organizations={organizations} />
      )}
    </>
  )
}

interface SiteTableProps {
  readonly sites: readonly Site[] | null
  readonly organizations: readonly Organization[]
}

function SiteTable({ sites, organizations }: SiteTableProps): JSX.Element {
  const nameOf = (id: string | null): string =>
    organizations.find(({ organization_id: one }) => one === id)?.name ?? ""
  return (
    <SearchedTable
      label="Sites"
      rows={sites}
      keyOf={({ site_id: id }) => id}
      textOf={({ name, site_id: id, organization_id: organization }) =>
        `${name} ${id} ${organization ?? ""} ${nameOf(organization)}`
      }
      onPress={({ site_id: id }) => window.location.assign(pathOf(id))}
      hasTwoLines
      columns={[
        {
          name: "Site",
          sortBy: ({ name }) => name,
          cell: ({ site_id: id, name, address }) => (
            <>
              <a class="main" href={pathOf(id)}>
                {name}
              </a>
              <span class="under">
                {address === null ? "no address" : `${address.street}, ${address.city} ${address.state}`}
              </span>
            </>
          ),
        },
        {
          name: "Used for",
          cell: ({ organization_id: organization }) => (
            <>
              {organization === null ? "reservations" : "reservations and deliveries"}
              <span class="under">{nameOf(organization)}</span>
            </>
          ),
        },
        {
          name: "Time zone",
          cell: ({ timezone }) => (timezone === null ? "no time zone" : <Zone name={timezone} />),
        },
        { name: "Service area", cell: ({ area }) => (area === null ? "no area" : "area set") },
        {
          name: "Price",
          isEnd: true,
          cell: ({ delivery_price_cents: cents }) =>
            cents === null ? "no price" : `$${(cents / 100).toFixed(2)}`,
        },
        { name: "State", isEnd: true, cell: (site) => <SiteState site={site} /> },
      ]}
    />
  )
}

/** Its name is one long word, which may be broken after a slash. */
function Zone({ name }: { readonly name: string }): JSX.Element {
  return <>{name.split("/").flatMap((part, at) => (at === 0 ? [part] : ["/", <wbr key={at} />, part]))}</>
}

function pathOf(siteId: string): string {
  return `/ops/settings/sites/${encodeURIComponent(siteId)}`
}

export function SiteState({ site }: { readonly site: Site }): JSX.Element {
  if (!site.is_active) {
    return (
      <Pill tone="idle" icon="ban">
        Closed
      </Pill>
    )
  }
  if (site.organization_id === null || (site.is_configured && site.has_vehicle)) {
    return (
      <Pill tone="ok" icon="circle-check">
        Open
      </Pill>
    )
  }
  return (
    <Pill tone="wait" icon="circle-alert">
      {site.is_configured ? "No vehicle" : "No area or price"}
    </Pill>
  )
}
