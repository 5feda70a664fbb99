/** A test delivery of the sandbox: a button, and a form whose empty fields the service fills. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { PhoneField, SelectField, TextField } from "../../design/field.tsx"
import { Dialog } from "../../design/overlay.tsx"
import { api, dataOf } from "../api.ts"
import { useCommand, useResource } from "../../resource.ts"
import { Fields, FormButtons } from "./form.tsx"
import { MakeButton } from "./followed/list.tsx"
import { DELIVERY, pathOf } from "./followed/noun.ts"
import { CommandProblem, problemAt } from "./problem.tsx"

export const NEW_DELIVERY = "New test delivery"

export function NewDelivery(): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <MakeButton name={NEW_DELIVERY} onPress={() => setOpen(true)} />
      {isOpen ? <NewDeliveryForm onClose={() => setOpen(false)} /> : null}
    </>
  )
}

export function NewDeliveryForm({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [site, setSite] = useState("")
  const [order, setOrder] = useState("")
  const [street, setStreet] = useState("")
  const [item, setItem] = useState("")
  const [phone, setPhone] = useState("")
  const { fault, isBusy, send } = useCommand(async () => {
    const body = {
      ...(site === "" ? {} : { site_id: site }),
      ...(order === "" ? {} : { external_delivery_id: order }),
      ...(street === "" ? {} : { delivery_address: { street, city: "Austin", state: "TX", zip: "78758" } }),
      ...(item === "" ? {} : { order_items: [{ name: item, quantity: 1 }] }),
      ...(phone === "" ? {} : { customer: { phone } }),
    }
    const { delivery } = await dataOf(api.POST("/portal/api/sandbox/deliveries", { body }))
    window.location.assign(pathOf(DELIVERY, delivery.id))
  })
  return (
    <Dialog title={NEW_DELIVERY} onClose={onClose}>
      <p class="quiet small">
        A quote and a delivery with your sandbox's synthetic vehicle. Empty fields are filled.
      </p>
      <Fields
        onSend={send}
        actions={<FormButtons isBusy={isBusy} action="Order it" busy="Ordering…" onClose={onClose} />}
      >
        <CommandProblem
          fault={fault}
          fields={["external_delivery_id", "delivery_address.street", "order_items.0.name", "customer.phone"]}
        />
        <SiteChoice value={site} onChange={setSite} />
        <TextField
          label="External id"
          placeholder="order-8842"
          value={order}
          onChange={setOrder}
          error={problemAt(fault, "external_delivery_id")}
        />
        <TextField
          label="Street"
          placeholder="Inside of the site's area"
          value={street}
          onChange={setStreet}
          error={problemAt(fault, "delivery_address.street")}
        />
        <div class="fields two">
          <TextField
            label="Item"
            placeholder="Milk"
            value={item}
            onChange={setItem}
            error={problemAt(fault, "order_items.0.name")}
          />
          <PhoneField
            label="Customer's phone"
            value={phone}
            onChange={setPhone}
            error={problemAt(fault, "customer.phone")}
          />
        </div>
      </Fields>
    </Dialog>
  )
}

interface SiteChoiceProps {
  readonly value: string
  readonly onChange: (id: string) => void
}

function SiteChoice({ value, onChange }: SiteChoiceProps): JSX.Element {
  const sites = useResource(() =>
    dataOf(api.GET("/portal/api/sites", { params: { query: { environment: "sandbox" } } })),
  )
  return (
    <SelectField
      label="Site"
      value={value}
      onChange={onChange}
      options={[
        ["", "The first that is ready"],
        ...(sites.data?.sites ?? []).map(({ site_id: id, name }) => [id, name] as const),
      ]}
    />
  )
}
