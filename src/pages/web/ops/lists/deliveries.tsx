/** Direct deliveries of the operator's sites. */

import { DeliveryPill } from "../../portal/words.tsx"
import { send } from "../api.ts"
import { NameCell, PlaceCell, Time, Updated } from "./cells.tsx"
import type { BulkAction, ListKind } from "./list-kind.ts"
import { reasonOf } from "./reason-field.tsx"
import type { Reason } from "./reason-field.tsx"
import type { DeliveryRow } from "./records.ts"

const cancel: BulkAction<DeliveryRow, Reason> = {
  name: "Cancel…",
  isDanger: true,
  role: "dispatcher",
  titleOf: (count) => `Cancel ${count}`,
  happens: [
    ["send", "The endpoints of each retailer get the cancellation."],
    ["truck", "The vehicles go on with their next runs."],
    ["receipt", "A cancelled delivery is not charged."],
  ],
  asks: reasonOf("The retailer"),
  send: async ({ delivery_id: id }, said) => {
    await send("POST", `/internal/v1/deliveries/${encodeURIComponent(id)}/cancel`, said ?? {})
  },
  done: "cancelled",
}

export const DELIVERIES: ListKind<DeliveryRow> = {
  path: "deliveries",
  name: "Deliveries",
  one: "delivery",
  many: "deliveries",
  lead: "Direct deliveries of retailers, newest first. Times are on the clock of each site.",
  readsFrom: "/internal/v1/deliveries",
  field: "deliveries",
  searches: "Delivery number, last four or id",
  states: {
    parameter: "status",
    choices: [
      ["All", []],
      ["Waiting", ["SCHEDULED", "ASSIGNED"]],
      ["At the store", ["EN_ROUTE_TO_STORE", "ARRIVED_AT_STORE", "WAITING_FOR_LOAD"]],
      ["On the way", ["LOADED", "EN_ROUTE_TO_CUSTOMER", "ARRIVED_AT_CUSTOMER"]],
      ["Completed", ["COMPLETED"]],
      ["Cancelled", ["CANCELLED"]],
    ],
  },
  dated: "Created",
  hasSites: true,
  hasOrganizations: true,
  keyOf: ({ delivery_id: id }) => id,
  nameOf: ({ external_delivery_id: id }) => id,
  columnsOf: ({ boardOf }) => [
    {
      name: "Delivery",
      cell: (row) => (
        <NameCell
          name={row.external_delivery_id}
          id={row.delivery_id}
          noun="delivery"
          href={boardOf(row.site_id, { delivery: row.delivery_id })}
        />
      ),
    },
    { name: "State", cell: ({ status }) => <DeliveryPill status={status} /> },
    { name: "Promised", cell: ({ delivery_eta: at, timezone }) => <Time at={at} zone={timezone} /> },
    { name: "Site", cell: (row) => <PlaceCell {...row} /> },
    { name: "Vehicle", cell: ({ vehicle_label: label, vehicle_id: id }) => label ?? id },
    {
      name: "Updated",
      isEnd: true,
      isNamed: true,
      cell: ({ updated_at: at, timezone }) => <Updated at={at} zone={timezone} />,
    },
  ],
  actions: [cancel as BulkAction<DeliveryRow>],
  nothing: "A retailer orders a delivery with the Direct Delivery API.",
}
