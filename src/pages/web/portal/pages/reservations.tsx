/** The organization's reservations of one environment. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button, ButtonLink } from "../../design/button.tsx"
import { Empty } from "../../design/feedback.tsx"
import { PhoneField, TextField } from "../../design/field.tsx"
import { Dialog } from "../../design/overlay.tsx"
import { Table } from "../../design/table.tsx"
import { api, dataOf } from "../api.ts"
import type { Schemas } from "../api.ts"
import { Head } from "../frame.tsx"
import { groupsOf, useLive } from "../live.ts"
import { useCommand, useResource } from "../../resource.ts"
import type { PageProps } from "../session.ts"
import { clockTime, dayTime, fromNow } from "../times.ts"
import { ReservationPill } from "../words.tsx"
import { FilterBar, FilteredList, instantsOf, queryOf, useFilters } from "./filters.tsx"
import { Fields, FormButtons } from "./form.tsx"
import { CommandProblem, problemAt } from "./problem.tsx"

type Row = Schemas["Reservation"]
type Status = Row["status"]

const GROUPS: readonly (readonly [name: string, statuses: readonly Status[]])[] = [
  ["All", []],
  ["Ahead", ["requested", "confirmed"]],
  ["Arrived", ["arrived"]],
  ["Completed", ["completed"]],
  ["Cancelled", ["canceled"]],
]

const REFRESH_MS = 5000

export function Reservations(props: PageProps): JSX.Element {
  const { environment } = props
  const filters = useFilters()
  const { choice, cursor } = filters
  const { from, to } = instantsOf(filters.days)
  const statuses = GROUPS[choice]?.[1] ?? []
  const query = {
    environment,
    ...queryOf(filters, statuses),
    ...(from === undefined ? {} : { arrival_from: from }),
    ...(to === undefined ? {} : { arrival_to: to }),
  }
  const list = useResource(
    () => dataOf(api.GET("/portal/api/reservations", { params: { query } })),
    [environment, ...filters.keys],
  )
  useLive(list.reload, { concerns: groupsOf("reservation"), ms: cursor === undefined ? REFRESH_MS : null })
  const rows = list.data?.reservations ?? null
  // The form is the page's own: the first row replaces what stands in the empty list.
  const [isMaking, setMaking] = useState(false)
  const make =
    environment === "sandbox" ? (
      <Button look="primary" icon="plus" onPress={() => setMaking(true)}>
        Book in the sandbox
      </Button>
    ) : null
  return (
    <div class="content">
      <Head
        title="Reservations"
        lead="Arrival windows at stalls, for robots of your own. Times are in your time zone."
      >
        {rows?.length === 0 && !filters.isFiltered ? null : make}
      </Head>
      <FilterBar
        filters={filters}
        searches="Id or order number"
        choices={GROUPS.map(([name]) => name)}
        dated="Arriving"
      />
      <FilteredList
        filters={filters}
        what="Reservations"
        resource={list}
        count={rows?.length ?? 0}
        empty={<NoReservations props={props} isFiltered={filters.isFiltered} make={make} />}
      >
        <ReservationTable rows={rows} />
      </FilteredList>
      {isMaking ? <NewReservation onClose={() => setMaking(false)} /> : null}
    </div>
  )
}

function NoReservations({
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
      <Empty title="No reservation matches">
        Search for another id, or choose another state or other days.
      </Empty>
    )
  return props.environment === "sandbox" ? (
    <Empty title="No reservations yet" action={make}>
      A reservation books an arrival window at a stall for your own robot.
    </Empty>
  ) : (
    <Empty
      title="No reservations yet"
      action={<ButtonLink href={`${props.urls.production}/docs`}>Read the API</ButtonLink>}
    >
      Your program makes them with a production key.
    </Empty>
  )
}

function ReservationTable({ rows }: { readonly rows: readonly Row[] | null }): JSX.Element {
  return (
    <Table
      label="Reservations"
      hasTwoLines
      rows={rows}
      keyOf={({ reservation_id: id }) => id}
      onPress={({ reservation_id: id }) => window.location.assign(pathOf(id))}
      columns={[
        {
          name: "Reservation",
          cell: ({ reservation_id: id, order_number: order }) => (
            <>
              <a class="main" href={pathOf(id)}>
                Order {order}
              </a>
              <span class="under mono">{id}</span>
            </>
          ),
        },
        { name: "Status", cell: ({ status }) => <ReservationPill status={status} /> },
        {
          name: "Window",
          cell: ({ arrival_window_start: from, arrival_window_end: to }) =>
            `${dayTime(from)} to ${clockTime(to).slice(0, 5)}`,
        },
        { name: "Stall", cell: ({ stall_label: stall }) => stall ?? "" },
        { name: "Updated", isEnd: true, cell: ({ updated_at: at }) => fromNow(at) },
      ]}
    />
  )
}

function pathOf(id: string): string {
  return `/portal/reservations/${encodeURIComponent(id)}`
}

/** The service fills fields that are empty. */
function NewReservation({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [order, setOrder] = useState("")
  const [name, setName] = useState("")
  const [phone, setPhone] = useState("")
  const [link, setLink] = useState("")
  const { fault, isBusy, send } = useCommand(async () => {
    const body = {
      ...(order === "" ? {} : { order_number: order }),
      ...(name === "" ? {} : { end_user_name: name }),
      ...(phone === "" ? {} : { end_user_phone: phone }),
      ...(link === "" ? {} : { open_link_url: link }),
    }
    const { reservation } = await dataOf(api.POST("/portal/api/sandbox/reservations", { body }))
    window.location.assign(pathOf(reservation.reservation_id))
  })
  return (
    <Dialog title="Book in the sandbox" onClose={onClose}>
      <p class="quiet small">An arrival window at a stall of the sandbox. Empty fields are filled.</p>
      <Fields
        onSend={send}
        actions={<FormButtons isBusy={isBusy} action="Book it" busy="Booking…" onClose={onClose} />}
      >
        <CommandProblem
          fault={fault}
          fields={["order_number", "end_user_name", "end_user_phone", "open_link_url"]}
        />
        {fault?.code === "NOT_FLEET_PARTNER" ? (
          <p class="small">
            Reservations are for enrolled fleet partners: write to Curbline's operations to be enrolled.
          </p>
        ) : null}
        <TextField
          label="Order number"
          placeholder="1001"
          value={order}
          onChange={setOrder}
          isFirst
          error={problemAt(fault, "order_number")}
        />
        <div class="fields two">
          <TextField
            label="Customer"
            placeholder="Ada"
            value={name}
            onChange={setName}
            error={problemAt(fault, "end_user_name")}
          />
          <PhoneField
            label="Phone"
            value={phone}
            onChange={setPhone}
            error={problemAt(fault, "end_user_phone")}
          />
        </div>
        <TextField
          label="Open link"
          type="url"
          hint="The URL that opens your robot's compartment."
          value={link}
          onChange={setLink}
          error={problemAt(fault, "open_link_url")}
        />
      </Fields>
    </Dialog>
  )
}
