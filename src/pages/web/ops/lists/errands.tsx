/** Courier errands, which agents order for their users. They belong to no site. */

import type { JSX } from "preact"
import type { CourierState, FailureReason } from "../../../../model/courier.ts"
import type { IconName } from "../../design/icon.tsx"
import { CheckList, SelectField } from "../../design/field.tsx"
import { Pill } from "../../design/pill.tsx"
import type { Tone } from "../../design/pill.tsx"
import { fromRealNow } from "../../portal/times.ts"
import { send } from "../api.ts"
import { mayCall } from "../session.ts"
import { NameCell, Time } from "./cells.tsx"
import type { BulkAction, ListKind } from "./list-kind.ts"
import type { ErrandRow } from "./records.ts"

const LOOKS: Readonly<Record<CourierState, readonly [Tone, IconName]>> = {
  quoted: ["idle", "receipt"],
  declined: ["idle", "ban"],
  expired: ["idle", "clock"],
  held: ["wait", "clock"],
  confirmed: ["move", "check"],
  assigned: ["move", "check"],
  en_route_to_store: ["move", "truck"],
  arrived_at_store: ["move", "store"],
  waiting_for_load: ["wait", "box"],
  loaded: ["move", "box"],
  en_route_to_customer: ["move", "truck"],
  arrived_at_customer: ["move", "map-pin"],
  completed: ["ok", "circle-check"],
  cancelled: ["idle", "ban"],
  failed: ["bad", "circle-x"],
}

const REASON_WORDS: Readonly<Record<FailureReason, string>> = {
  store_no_handover: "The store did not hand it over",
  items_not_carriable: "The vehicle cannot carry it",
  customer_unavailable: "The customer was not there",
  vehicle_fault: "The vehicle failed",
}

interface FailureSaid {
  readonly reason: FailureReason
  readonly refund: boolean
}

const fail: BulkAction<ErrandRow, FailureSaid> = {
  name: "Report as failed…",
  isDanger: true,
  role: "dispatcher",
  titleOf: (count) => `Report ${count} as failed`,
  happens: [
    ["send", "The agents read that the errands failed, and why."],
    ["truck", "The vehicles go on with their next runs."],
    ["receipt", "The fee is kept unless you give it back."],
  ],
  asks: { first: null, field: (said, onSaid) => <FailureFields said={said} onSaid={onSaid} /> },
  send: async ({ delivery_id: id }, said) => {
    await send("POST", `/internal/v1/connector/errands/${encodeURIComponent(id)}/failure`, said)
  },
  done: "reported",
}

const refund: BulkAction<ErrandRow> = {
  name: "Give the fee back…",
  icon: "undo",
  role: "manager",
  titleOf: (count) => `Give the fee of ${count} back`,
  happens: [["receipt", "The payment processor returns the fee of each failed errand, once."]],
  send: async ({ delivery_id: id }) => {
    await send("POST", `/internal/v1/connector/errands/${encodeURIComponent(id)}/refund`)
  },
  done: "refunded",
}

interface FailureFieldsProps {
  readonly said: FailureSaid | null
  readonly onSaid: (said: FailureSaid | null) => void
}

function FailureFields({ said, onSaid }: FailureFieldsProps): JSX.Element {
  return (
    <>
      <SelectField<FailureReason | "">
        label="What went wrong"
        value={said?.reason ?? ""}
        options={[
          ["", "Choose"],
          // Not a value of the model: its module brings the whole library of schemas along.
          ...(Object.entries(REASON_WORDS) as [FailureReason, string][]),
        ]}
        onChange={(reason) => onSaid(reason === "" ? null : { reason, refund: said?.refund ?? false })}
      />
      {said === null ? null : (
        <CheckList<"refund">
          label="The fee"
          options={[{ value: "refund", name: "Give it back" }]}
          chosen={said.refund ? ["refund"] : []}
          onChange={(chosen) => onSaid({ ...said, refund: chosen.includes("refund") })}
        />
      )}
    </>
  )
}

export const ERRANDS: ListKind<ErrandRow> = {
  path: "errands",
  name: "Errands",
  one: "errand",
  many: "errands",
  lead: "What agents order for their users over the courier connector, newest first; also what was only quoted.",
  readsFrom: "/internal/v1/connector/errands",
  field: "errands",
  searches: "Order number, last four or id",
  states: {
    parameter: "state",
    choices: [
      ["All", []],
      ["Quoted", ["quoted"]],
      ["Held", ["held"]],
      [
        "Booked",
        [
          "confirmed",
          "assigned",
          "en_route_to_store",
          "arrived_at_store",
          "waiting_for_load",
          "loaded",
          "en_route_to_customer",
          "arrived_at_customer",
        ],
      ],
      ["Completed", ["completed"]],
      ["Failed", ["failed"]],
      ["Ended early", ["cancelled", "declined", "expired"]],
    ],
  },
  dated: "Created",
  hasSites: false,
  hasOrganizations: false,
  keyOf: ({ delivery_id: id }) => id,
  nameOf: ({ order_number: order, delivery_id: id }) => (order === null ? id : `Order ${order}`),
  columnsOf: () => [
    {
      name: "Errand",
      cell: (row) => (
        <NameCell
          name={row.order_number === null ? row.store_name : ERRANDS.nameOf(row)}
          id={row.delivery_id}
          noun="errand"
          href={mayCall("readErrand") ? `/ops/errands/${encodeURIComponent(row.delivery_id)}` : null}
        />
      ),
    },
    { name: "State", cell: ({ state }) => <StatePill state={state} /> },
    { name: "Store", cell: ({ store_name: store }) => store },
    { name: "Payment", cell: ({ payment_status: status }) => status },
    { name: "Vehicle", cell: ({ vehicle_label: label }) => label ?? "" },
    {
      name: "Created",
      isEnd: true,
      cell: ({ created_at: created, updated_at: updated }) => (
        <>
          <Time at={created} />
          <span class="under">changed {fromRealNow(updated)}</span>
        </>
      ),
    },
  ],
  actions: [fail as BulkAction<ErrandRow>, refund],
  nothing: "Agents order errands over the courier connector.",
}

function StatePill({ state }: { readonly state: CourierState }): JSX.Element {
  const [tone, icon] = LOOKS[state]
  const words = state.replaceAll("_", " ")
  return (
    <Pill tone={tone} icon={icon}>
      {`${words.charAt(0).toUpperCase()}${words.slice(1)}`}
    </Pill>
  )
}
