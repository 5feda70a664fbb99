/** A test delivery of the sandbox: a button, and a form whose empty fields the service fills. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../design/button.tsx"
import { SelectField, TextField } from "../../design/field.tsx"
import { Dialog } from "../../design/overlay.tsx"
import { api, dataOf } from "../api.ts"
import { useCommand, useResource } from "../../resource.ts"
import { Fields } from "./form.tsx"
import { CommandProblem, problemAt } from "./problem.tsx"

export function NewDelivery(): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button look="primary" icon="plus" onPress={() => setOpen(true)}>
        New test delivery
      </Button>
      {isOpen ? <Form onClose={() => setOpen(false)} /> : null}
    </>
  )
}

function Form({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [site, setSite] = useState("")
  const [order, setOrder] = useState("")
  const [street, setStreet] = useState("")
  const [item, setItem] = useState("")
  const [phone, setPhone] = useState("")
  const sites = useResource(() =>
    dataOf(api.GET("/portal/api/sites", { params: { query: { environment: "sandbox" } } })),
  )
  const { fault, isBusy, send } = useCommand(async () => {
    const body = {
      ...(site === "" ? {} : { site_id: site }),
      ...(order === "" ? {} : { external_delivery_id: order }),
      ...(street === "" ? {} : { delivery_address: { street, city: "Austin", state: "TX", zip: "78758" } }),
      ...(item === "" ? {} : { order_items: [{ name: item, quantity: 1 }] }),
      ...(phone === "" ? {} : { customer: { phone } }),
    }
    const { delivery } = await dataOf(api.POST("/portal/api/sandbox/deliveries", { body }))
    window.location.assign(`/portal/deliveries/${encodeURIComponent(delivery.id)}`)
  })
  return (
    <Dialog title="New test delivery" onClose={onClose}>
      <p class="quiet small">
        A quote and a delivery with your sandbox's synthetic vehicle. Empty fields are filled.
      </p>
      <Fields
        onSend={send}
        actions={
          <>
            <Button onPress={onClose}>Not now</Button>
            <Button look="primary" type="submit" isBusy={isBusy}>
              {isBusy ? "Ordering…" : "Order it"}
            </Button>
          </>
        }
      >
        <CommandProblem
          fault={fault}
          fields={["external_delivery_id", "delivery_address.street", "order_items.0.name", "customer.phone"]}
        />
        <SelectField
          label="Site"
          value={site}
          onChange={setSite}
          options={[
            ["", "The first that is ready"],
            ...(sites.data?.sites ?? []).map(({ site_id: id, name }) => [id, name] as const),
          ]}
        />
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
          <TextField
            label="Customer's phone"
            type="tel"
            placeholder="+1 512 555 0142"
            value={phone}
            onChange={setPhone}
            error={problemAt(fault, "customer.phone")}
          />
        </div>
      </Fields>
    </Dialog>
  )
}
