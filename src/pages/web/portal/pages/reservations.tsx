/** The organization's reservations of one environment. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { PhoneField, TextField } from "../../design/field.tsx"
import { Dialog } from "../../design/overlay.tsx"
import { api, dataOf } from "../api.ts"
import type { Schemas } from "../api.ts"
import { useCommand } from "../../resource.ts"
import type { PageProps } from "../session.ts"
import { clockTime, dayTime, fromNow } from "../times.ts"
import { RESERVATION_CHOICES, ReservationPill } from "../words.tsx"
import { instantsOf } from "./filters.tsx"
import { Fields, FormButtons } from "./form.tsx"
import { Enrolment, isEnrolledHere } from "./onboarding/enrolment.tsx"
import { MemberList } from "./followed/list.tsx"
import type { ListKind } from "./followed/list.tsx"
import { RESERVATION, pathOf } from "./followed/noun.ts"
import { CommandProblem, problemAt } from "./problem.tsx"

type Row = Schemas["Reservation"]

const LEAD = "Arrival windows at stalls, for robots of your own. Times are in your time zone."
const BOOK = "Book in the sandbox"

const RESERVATIONS: ListKind<Row, Row["status"]> = {
  noun: RESERVATION,
  leadIn: { sandbox: LEAD, production: LEAD },
  read: async (query, days) => {
    const { from, to } = instantsOf(days)
    const within = {
      ...(from === undefined ? {} : { arrival_from: from }),
      ...(to === undefined ? {} : { arrival_to: to }),
    }
    const params = { query: { ...query, ...within } }
    const { reservations, ...page } = await dataOf(api.GET("/portal/api/reservations", { params }))
    return { rows: reservations, ...page }
  },
  searches: "Id or order number",
  states: RESERVATION_CHOICES,
  dated: "Arriving",
  keyOf: ({ reservation_id: id }) => id,
  hasTwoLines: true,
  columnsOf: () => [
    {
      name: "Reservation",
      cell: ({ reservation_id: id, order_number: order }) => (
        <>
          <a class="main" href={pathOf(RESERVATION, id)}>
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
  ],
  about: "A reservation books an arrival window at a stall for your own robot.",
  makes: BOOK,
  form: (onClose) => <NewReservation onClose={onClose} />,
}

export function Reservations(props: PageProps): JSX.Element {
  return (
    <MemberList
      kind={RESERVATIONS}
      page={props}
      notice={<Enrolment {...props} />}
      canMake={isEnrolledHere(props)}
    />
  )
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
    window.location.assign(pathOf(RESERVATION, reservation.reservation_id))
  })
  return (
    <Dialog title={BOOK} onClose={onClose}>
      <p class="quiet small">An arrival window at a stall of the sandbox. Empty fields are filled.</p>
      <Fields
        onSend={send}
        actions={<FormButtons isBusy={isBusy} action="Book it" busy="Booking…" onClose={onClose} />}
      >
        <CommandProblem
          fault={fault}
          fields={["order_number", "end_user_name", "end_user_phone", "open_link_url"]}
        />
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
