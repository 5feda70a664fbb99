/** The organization's deliveries of one environment: search, states, pages. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { ButtonLink } from "../../design/button.tsx"
import { Empty } from "../../design/feedback.tsx"
import { Table } from "../../design/table.tsx"
import { api, dataOf } from "../api.ts"
import type { Schemas } from "../api.ts"
import { Head } from "../frame.tsx"
import { groupsOf, useLive } from "../live.ts"
import { useResource } from "../../resource.ts"
import type { PageProps } from "../session.ts"
import { clockTime, fromNow, inZone } from "../times.ts"
import { DeliveryPill, money } from "../words.tsx"
import { FilterBar, FilteredList, instantsOf, queryOf, useFilters } from "./filters.tsx"
import { NewDeliveryButton, NewDeliveryForm } from "./new-delivery.tsx"

type Row = Schemas["PortalDelivery"]
type Status = Schemas["Delivery"]["status"]

const UNDER_WAY: readonly Status[] = [
  "ASSIGNED",
  "EN_ROUTE_TO_STORE",
  "ARRIVED_AT_STORE",
  "WAITING_FOR_LOAD",
  "LOADED",
  "EN_ROUTE_TO_CUSTOMER",
  "ARRIVED_AT_CUSTOMER",
]

const GROUPS: readonly (readonly [name: string, statuses: readonly Status[]])[] = [
  ["All", []],
  ["Scheduled", ["SCHEDULED"]],
  ["Under way", UNDER_WAY],
  ["Completed", ["COMPLETED"]],
  ["Cancelled", ["CANCELLED"]],
]

const REFRESH_MS = 5000

export function Deliveries(props: PageProps): JSX.Element {
  const { environment } = props
  const filters = useFilters()
  const { choice, cursor, days } = filters
  const statuses = GROUPS[choice]?.[1] ?? []
  const query = { environment, ...queryOf(filters, statuses), ...instantsOf(days) }
  const list = useResource(
    () => dataOf(api.GET("/portal/api/deliveries", { params: { query } })),
    [environment, ...filters.keys],
  )
  useLive(list.reload, { concerns: groupsOf("delivery"), ms: cursor === undefined ? REFRESH_MS : null })
  const rows = list.data?.deliveries ?? null
  // The form is the page's own: the first row replaces what stands in the empty list.
  const [isMaking, setMaking] = useState(false)
  const make = environment === "sandbox" ? <NewDeliveryButton onPress={() => setMaking(true)} /> : null
  return (
    <div class="content">
      <Head
        title="Deliveries"
        lead={
          environment === "sandbox" ? "Test deliveries; they move when you advance them." : "Newest first."
        }
      >
        {rows?.length === 0 && !filters.isFiltered ? null : make}
      </Head>
      <FilterBar
        filters={filters}
        searches="External id"
        choices={GROUPS.map(([name]) => name)}
        dated="Created"
      />
      <FilteredList
        filters={filters}
        what="Deliveries"
        resource={list}
        count={rows?.length ?? 0}
        empty={<NoDeliveries props={props} isFiltered={filters.isFiltered} make={make} />}
      >
        <DeliveryTable rows={rows} />
      </FilteredList>
      {isMaking ? <NewDeliveryForm onClose={() => setMaking(false)} /> : null}
    </div>
  )
}

function NoDeliveries({
  props,
  isFiltered,
  make,
}: {
  readonly props: PageProps
  readonly isFiltered: boolean
  readonly make: JSX.Element | null
}): JSX.Element {
  if (isFiltered)
    return (
      <Empty title="No delivery matches">Search for another id, or choose another state or other days.</Empty>
    )
  return props.environment === "sandbox" ? (
    <Empty title="No deliveries yet" action={make}>
      A delivery carries an order from one of your sites to a customer's door.
    </Empty>
  ) : (
    <Empty
      title="No deliveries yet"
      action={<ButtonLink href={`${props.urls.production}/docs`}>Read the API</ButtonLink>}
    >
      Your program makes them with a production key.
    </Empty>
  )
}

function DeliveryTable({ rows }: { readonly rows: readonly Row[] | null }): JSX.Element {
  return (
    <Table
      label="Deliveries"
      rows={rows}
      keyOf={({ id }) => id}
      onPress={({ id }) => window.location.assign(pathOf(id))}
      columns={[
        {
          name: "Delivery",
          cell: ({ id, delivery }) => (
            <a class="main mono" href={pathOf(id)}>
              {delivery.external_delivery_id}
            </a>
          ),
        },
        { name: "Status", cell: ({ delivery }) => <DeliveryPill status={delivery.status} /> },
        {
          name: "Drop-off",
          cell: ({ delivery: { delivery_address: to } }) => `${to.street}, ${to.city}`,
        },
        {
          name: "Fee",
          isEnd: true,
          sortBy: ({ delivery }) => delivery.delivery_fee_cents,
          cell: ({ delivery }) => money(delivery.delivery_fee_cents, delivery.currency),
        },
        {
          name: inZone("Updated"),
          isEnd: true,
          cell: ({ delivery }) => (
            <>
              {clockTime(delivery.updated_at)} <span class="quiet">{fromNow(delivery.updated_at)}</span>
            </>
          ),
        },
      ]}
    />
  )
}

function pathOf(id: string): string {
  return `/portal/deliveries/${encodeURIComponent(id)}`
}
