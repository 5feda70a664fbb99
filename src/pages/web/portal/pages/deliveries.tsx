/** The organization's deliveries of one environment: search, states, pages. */

import type { JSX } from "preact"
import { DELIVERY_STATUSES, isFinal } from "../../../../model/delivery.ts"
import { api, dataOf } from "../api.ts"
import type { Schemas } from "../api.ts"
import type { PageProps } from "../session.ts"
import { clockTime, fromNow, inZone } from "../times.ts"
import { DeliveryPill, money } from "../words.tsx"
import { instantsOf } from "./filters.tsx"
import { MemberList } from "./followed/list.tsx"
import type { ListKind } from "./followed/list.tsx"
import { NEW_DELIVERY, NewDeliveryForm } from "./new-delivery.tsx"
import { DELIVERY, pathOf } from "./followed/noun.ts"

type Row = Schemas["PortalDelivery"]
type Status = Schemas["Delivery"]["status"]

const DELIVERIES: ListKind<Row, Status> = {
  noun: DELIVERY,
  leadIn: {
    sandbox: "Test deliveries; they move when you advance them.",
    production: "Newest first.",
  },
  read: async (query, days) => {
    const params = { query: { ...query, ...instantsOf(days) } }
    const { deliveries, ...page } = await dataOf(api.GET("/portal/api/deliveries", { params }))
    return { rows: deliveries, ...page }
  },
  searches: "External id",
  states: [
    ["All", []],
    ["Scheduled", ["SCHEDULED"]],
    ["Under way", DELIVERY_STATUSES.filter((status) => status !== "SCHEDULED" && !isFinal(status))],
    ["Completed", ["COMPLETED"]],
    ["Cancelled", ["CANCELLED"]],
  ],
  dated: "Created",
  keyOf: ({ id }) => id,
  columnsOf: () => [
    {
      name: "Delivery",
      cell: ({ id, delivery }) => (
        <a class="main mono" href={pathOf(DELIVERY, id)}>
          {delivery.external_delivery_id}
        </a>
      ),
    },
    { name: "Status", cell: ({ delivery }) => <DeliveryPill status={delivery.status} /> },
    { name: "Drop-off", cell: ({ delivery: { delivery_address: to } }) => `${to.street}, ${to.city}` },
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
  ],
  about: "A delivery carries an order from one of your sites to a customer's door.",
  makes: NEW_DELIVERY,
  form: (onClose) => <NewDeliveryForm onClose={onClose} />,
}

export function Deliveries(props: PageProps): JSX.Element {
  return <MemberList kind={DELIVERIES} page={props} />
}
