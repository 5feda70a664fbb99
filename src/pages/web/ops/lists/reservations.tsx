/** Reservations of the operator's sites. */

import { RESERVATION_CHOICES, ReservationPill } from "../../portal/words.tsx"
import { clockTime } from "../board/times.ts"
import { send } from "../api.ts"
import { NameCell, PlaceCell, Time, Updated } from "./cells.tsx"
import type { BulkAction, ListKind } from "./list-kind.ts"
import { reasonOf } from "./reason-field.tsx"
import type { Reason } from "./reason-field.tsx"
import type { ReservationRow } from "./records.ts"

const cancel: BulkAction<ReservationRow, Reason> = {
  name: "Cancel…",
  isDanger: true,
  role: "dispatcher",
  titleOf: (count) => `Cancel ${count}`,
  happens: [
    ["send", "The endpoints of each partner get the cancellation, with the reason."],
    ["undo", "A runner who has an order already brings it back to the store."],
    ["parking", "The stalls are free at once."],
  ],
  asks: reasonOf("The partner"),
  send: async ({ reservation_id: id }, said) => {
    await send("POST", `/internal/v1/reservations/${encodeURIComponent(id)}/cancel`, { by: "ops", ...said })
  },
  done: "cancelled",
}

export const RESERVATIONS: ListKind<ReservationRow> = {
  path: "reservations",
  name: "Reservations",
  one: "reservation",
  many: "reservations",
  lead: "Arrival windows at stalls, the latest first. Times are on the clock of each site.",
  readsFrom: "/internal/v1/reservations",
  field: "reservations",
  searches: "Order number, last four or id",
  states: { parameter: "status", choices: RESERVATION_CHOICES },
  dated: "Arriving",
  hasSites: true,
  hasOrganizations: true,
  keyOf: ({ reservation_id: id }) => id,
  nameOf: ({ order_number: order }) => (/^order\b/i.test(order) ? order : `Order ${order}`),
  columnsOf: ({ boardOf }) => [
    {
      name: "Reservation",
      cell: (row) => (
        <NameCell
          name={RESERVATIONS.nameOf(row)}
          id={row.reservation_id}
          noun="reservation"
          href={boardOf(row.site_id, { reservation: row.reservation_id })}
        />
      ),
    },
    { name: "State", cell: ({ status }) => <ReservationPill status={status} /> },
    {
      name: "Window",
      cell: ({ arrival_window_start: from, arrival_window_end: to, timezone }) => (
        <>
          <Time at={from} zone={timezone} />
          <span class="under">to {clockTime(to, timezone)}</span>
        </>
      ),
    },
    { name: "Site", cell: (row) => <PlaceCell {...row} /> },
    {
      name: "Stall and store",
      cell: ({ stall_label: stall, retailer_name: store, bot_label: bot }) => (
        <>
          {[stall, bot].filter((part) => part !== null).join(" · ")}
          <span class="under">{store ?? ""}</span>
        </>
      ),
    },
    {
      name: "Updated",
      isEnd: true,
      isNamed: true,
      cell: ({ updated_at: at, timezone }) => <Updated at={at} zone={timezone} />,
    },
  ],
  actions: [cancel as BulkAction<ReservationRow>],
  nothing: "A partner books an arrival window at a stall with the Reservations API.",
}
