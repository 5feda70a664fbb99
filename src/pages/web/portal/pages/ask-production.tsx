/** The request for production, with the site that the organization wants there. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { TextField } from "../../design/field.tsx"
import { Dialog } from "../../design/overlay.tsx"
import type { ApiFault } from "../../faults.ts"
import { useCommand } from "../../resource.ts"
import { api, dataOf } from "../api.ts"
import { TimeZoneField } from "../../time-zone-field.tsx"
import { Fields, FormButtons } from "./form.tsx"
import { CommandProblem, numberIn, problemAt } from "./problem.tsx"

/** All fields are of the one site. */
const SITE = "sites.0"
const FIELDS = [
  "name",
  "address.street",
  "address.city",
  "address.state",
  "address.zip",
  "expected_deliveries_per_day",
  "timezone",
].map((field) => `${SITE}.${field}`)

interface AskProps {
  readonly onClose: () => void
  readonly onAsked: () => Promise<void>
}

export function AskForProduction({ onClose, onAsked }: AskProps): JSX.Element {
  const [name, setName] = useState("")
  const [address, setAddress] = useState<Address>({ street: "", city: "", state: "", zip: "" })
  const [zone, setZone] = useState("")
  const [volume, setVolume] = useState("")
  const { fault, isBusy, send } = useCommand(async () => {
    const timezone = zone === "" ? {} : { timezone: zone }
    const site = { name, address, ...timezone, expected_deliveries_per_day: numberIn(volume) }
    await dataOf(api.POST("/portal/api/production-access", { body: { sites: [site] } }))
    await onAsked()
  })
  return (
    <Dialog title="Request production" onClose={onClose}>
      <p class="quiet small">Operations make this site when they approve.</p>
      <Fields
        onSend={send}
        actions={<FormButtons isBusy={isBusy} action="Request production" busy="Asking…" onClose={onClose} />}
      >
        <CommandProblem fault={fault} fields={FIELDS} />
        <TextField
          label="Site"
          hint="As your staff calls it."
          value={name}
          onChange={setName}
          isFirst
          error={problemAt(fault, `${SITE}.name`)}
        />
        <AddressFields address={address} fault={fault} onChange={setAddress} />
        <TextField
          label="Deliveries a day"
          type="number"
          placeholder="20"
          isRequired
          value={volume}
          onChange={setVolume}
          error={problemAt(fault, `${SITE}.expected_deliveries_per_day`)}
        />
        <TimeZoneField
          hint="Empty: that of the address."
          value={zone}
          onChange={setZone}
          error={problemAt(fault, `${SITE}.timezone`)}
        />
      </Fields>
    </Dialog>
  )
}

type Address = Readonly<Record<"city" | "state" | "street" | "zip", string>>

const ADDRESS = [
  ["street", "Street", "street-address"],
  ["city", "City", "address-level2"],
  ["state", "State", "address-level1"],
  ["zip", "ZIP", "postal-code"],
] as const

interface AddressFieldsProps {
  readonly address: Address
  readonly fault: ApiFault | null
  readonly onChange: (address: Address) => void
}

function AddressFields({ address, fault, onChange }: AddressFieldsProps): JSX.Element {
  return (
    <div class="fields two">
      {ADDRESS.map(([part, label, autocomplete]) => (
        <TextField
          key={part}
          label={label}
          autocomplete={autocomplete}
          value={address[part]}
          onChange={(text) => onChange({ ...address, [part]: text })}
          error={problemAt(fault, `${SITE}.address.${part}`)}
        />
      ))}
    </div>
  )
}
