/** Requests for production and for its sites. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { TextField } from "../../design/field.tsx"
import { Dialog } from "../../design/overlay.tsx"
import type { ApiFault } from "../../faults.ts"
import { useCommand } from "../../resource.ts"
import { api, dataOf } from "../api.ts"
import { TimeZoneField } from "../../time-zone-field.tsx"
import { Fields, FormButtons } from "./form.tsx"
import type { Course } from "./onboarding/course-steps.tsx"
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

export function AskForProduction({
  course,
  onClose,
  onAsked,
}: AskProps & { readonly course: Course }): JSX.Element {
  const ask = async (sites: readonly Site[]): Promise<void> => {
    await dataOf(api.POST("/portal/api/production-access", { body: { sites: [...sites], course } }))
    await onAsked()
  }
  if (course === "deliveries")
    return <AskForm title="Request production" action="Request production" onAsk={ask} onClose={onClose} />
  return <AskWithoutSites onAsk={() => ask([])} onClose={onClose} />
}

/** Another site, for an organization that has production. */
export function AskForSite({ onClose, onAsked }: AskProps): JSX.Element {
  return (
    <AskForm
      title="Ask for a site"
      action="Ask for it"
      onAsk={async (sites) => {
        await dataOf(api.POST("/portal/api/production-sites", { body: { sites: [...sites] } }))
        await onAsked()
      }}
      onClose={onClose}
    />
  )
}

/** Robots stop at sites of others, which operations grant. */
function AskWithoutSites({
  onAsk,
  onClose,
}: {
  readonly onAsk: () => Promise<void>
  readonly onClose: () => void
}): JSX.Element {
  const { fault, isBusy, send } = useCommand(onAsk)
  return (
    <Dialog title="Request production" onClose={onClose}>
      <p class="quiet small">
        Operations open production, and grant your organization the places where its robots may stop.
      </p>
      <Fields
        onSend={send}
        actions={<FormButtons isBusy={isBusy} action="Request production" busy="Asking…" onClose={onClose} />}
      >
        <CommandProblem fault={fault} />
      </Fields>
    </Dialog>
  )
}

interface Site {
  readonly name: string
  readonly address: Address
  /** Absent: that of the place. */
  readonly timezone?: string
  readonly expected_deliveries_per_day: number
}

interface AskFormProps {
  readonly title: string
  readonly action: string
  readonly onAsk: (sites: readonly Site[]) => Promise<void>
  readonly onClose: () => void
}

function AskForm({ title, action, onAsk, onClose }: AskFormProps): JSX.Element {
  const [name, setName] = useState("")
  const [address, setAddress] = useState<Address>({ street: "", city: "", state: "", zip: "" })
  const [zone, setZone] = useState("")
  const [volume, setVolume] = useState("")
  const { fault, isBusy, send } = useCommand(() => {
    const timezone = zone === "" ? {} : { timezone: zone }
    return onAsk([{ name, address, ...timezone, expected_deliveries_per_day: numberIn(volume) }])
  })
  return (
    <Dialog title={title} onClose={onClose}>
      <p class="quiet small">Operations make this site when they approve.</p>
      <Fields
        onSend={send}
        actions={<FormButtons isBusy={isBusy} action={action} busy="Asking…" onClose={onClose} />}
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
