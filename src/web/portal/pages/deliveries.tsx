/** The organization's deliveries of one environment: search, states, pages. */

import type { JSX } from "preact"
import { useEffect, useState } from "preact/hooks"
import { ButtonLink } from "../../design/button.tsx"
import { Empty } from "../../design/feedback.tsx"
import { Icon } from "../../design/icon.tsx"
import { Paging, Table } from "../../design/table.tsx"
import { api, dataOf } from "../api.ts"
import type { Schemas } from "../api.ts"
import { Head } from "../frame.tsx"
import { useRefresh, useResource } from "../resource.ts"
import type { PageProps } from "../session.ts"
import { clockTime, fromNow } from "../times.ts"
import { DeliveryPill, money } from "../words.tsx"
import { NewDelivery } from "./new-delivery.tsx"
import { ReadProblem } from "./problem.tsx"

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
const PAGE = 50

/** Waits until typing has paused. */
export function useTyped(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(text), 250)
    return () => window.clearTimeout(timer)
  }, [text])
  return settled
}

export function Deliveries(props: PageProps): JSX.Element {
  const { environment } = props
  const [search, setSearch] = useState("")
  const [group, setGroup] = useState(0)
  const [cursors, setCursors] = useState<readonly string[]>([])
  const q = useTyped(search.trim())
  const cursor = cursors.at(-1)
  const statuses = GROUPS[group]?.[1] ?? []
  const { data, fault, reload } = useResource(
    () =>
      dataOf(
        api.GET("/portal/api/deliveries", {
          params: {
            query: {
              environment,
              limit: PAGE,
              ...(q === "" ? {} : { q }),
              ...(statuses.length === 0 ? {} : { status: [...statuses] }),
              ...(cursor === undefined ? {} : { cursor }),
            },
          },
        }),
      ),
    [environment, q, group, cursor],
  )
  useRefresh(reload, cursor === undefined ? REFRESH_MS : null)
  const choose = (at: number): void => {
    setGroup(at)
    setCursors([])
  }
  const next = data?.next_cursor ?? null
  const isFiltered = q !== "" || group !== 0
  return (
    <div class="content">
      <Head
        title="Deliveries"
        lead={
          environment === "sandbox" ? "Test deliveries; they move when you advance them." : "Newest first."
        }
      >
        {environment === "sandbox" ? <NewDelivery page={props} /> : null}
      </Head>
      <div class="filters">
        <label class="search">
          <span class="visually-hidden">Search by id</span>
          <Icon name="search" />
          <input
            type="search"
            placeholder="External id"
            value={search}
            onInput={({ currentTarget }) => {
              setSearch(currentTarget.value)
              setCursors([])
            }}
          />
        </label>
        <div class="chips" role="group" aria-label="State">
          {GROUPS.map(([name], at) => (
            <button
              key={name}
              type="button"
              class="chip"
              aria-pressed={at === group}
              onClick={() => choose(at)}
            >
              {name}
            </button>
          ))}
        </div>
      </div>
      {fault !== null && data === null ? (
        <ReadProblem what="Deliveries" fault={fault} onAgain={reload} />
      ) : data !== null && data.deliveries.length === 0 ? (
        <NoDeliveries props={props} isFiltered={isFiltered} />
      ) : (
        <>
          <DeliveryTable rows={data?.deliveries ?? null} />
          <Paging
            text={
              data === null
                ? ""
                : `${cursors.length * PAGE + 1}–${cursors.length * PAGE + data.deliveries.length}`
            }
            onNewer={cursors.length === 0 ? null : () => setCursors(cursors.slice(0, -1))}
            onOlder={next === null ? null : () => setCursors([...cursors, next])}
          />
        </>
      )}
    </div>
  )
}

function NoDeliveries({
  props,
  isFiltered,
}: {
  readonly props: PageProps
  readonly isFiltered: boolean
}): JSX.Element {
  if (isFiltered)
    return <Empty title="No delivery is like that">Search for another id, or choose another state.</Empty>
  return props.environment === "sandbox" ? (
    <Empty title="No deliveries yet" action={<NewDelivery page={props} />}>
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
          name: "Updated",
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
