/** The retailers that a zone supports: organizations with a grant may book these there. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../design/button.tsx"
import { toast } from "../../design/feedback.tsx"
import { SelectField } from "../../design/field.tsx"
import { useCommand, useResource } from "../../resource.ts"
import { api, dataOf, everyRow } from "../api.ts"
import type { Schemas } from "../api.ts"
import { mayCall } from "../session.ts"
import { Confirm } from "./confirm.tsx"
import { Form } from "../../design/form.tsx"

type Retailer = Schemas["CatalogRetailer"]
type Zone = Schemas["CatalogZone"]

interface SupportedRetailersProps {
  readonly zone: Zone
  readonly retailerIds: readonly string[]
  /** Of the environment. */
  readonly retailers: readonly Retailer[]
  readonly onChanged: () => Promise<void>
}

const PATH = "/internal/v1/zones/{id}/retailers/{retailer_id}"

export function SupportedRetailers(props: SupportedRetailersProps): JSX.Element {
  const { zone, retailerIds, retailers, onChanged } = props
  const [ending, setEnding] = useState<Retailer | null>(null)
  const supported = retailers.filter(({ retailer_id: id }) => retailerIds.includes(id))
  return (
    <div>
      <h4>Retailers</h4>
      {supported.length === 0 ? (
        <p class="small quiet">None yet: nothing can be booked in this zone.</p>
      ) : (
        <ul class="plain-list">
          {supported.map((retailer) => (
            <li key={retailer.retailer_id}>
              <span>{retailer.name}</span>
              {mayCall("takeOffer") ? (
                <Button
                  isSmall
                  look="danger quiet"
                  label={`End the support of ${retailer.name} in ${zone.name}`}
                  onPress={() => setEnding(retailer)}
                >
                  End
                </Button>
              ) : null}
            </li>
          ))}
        </ul>
      )}
      {mayCall("giveOffer") ? <SupportRetailer {...props} /> : null}
      {ending === null ? null : (
        <EndSupport
          zone={zone}
          retailer={ending}
          onClose={() => setEnding(null)}
          onEnded={async () => {
            setEnding(null)
            toast("The support is ended")
            await onChanged()
          }}
        />
      )}
    </div>
  )
}

function SupportRetailer({ zone, retailerIds, retailers, onChanged }: SupportedRetailersProps): JSX.Element {
  const others = retailers.filter(({ retailer_id: id }) => !retailerIds.includes(id))
  const [chosen, setChosen] = useState("")
  const { fault, isBusy, send } = useCommand(async () => {
    const params = { path: { id: zone.zone_id, retailer_id: chosen } }
    await dataOf(api.PUT(PATH, { params }))
    setChosen("")
    toast("Supported")
    await onChanged()
  })
  if (others.length === 0) return <p class="small quiet">Every retailer is supported here.</p>
  return (
    <Form look="inline-form" onSend={send}>
      <SelectField
        label={`One more retailer in ${zone.name}`}
        value={chosen}
        options={[["", "Choose"], ...others.map(({ retailer_id: id, name }) => [id, name] as const)]}
        onChange={setChosen}
        error={fault?.message ?? null}
      />
      <Button icon="plus" type="submit" isBusy={isBusy} isDisabled={chosen === ""}>
        Support
      </Button>
    </Form>
  )
}

interface EndSupportProps {
  readonly zone: Zone
  readonly retailer: Retailer
  readonly onClose: () => void
  readonly onEnded: () => Promise<void>
}

function EndSupport({ zone, retailer, onClose, onEnded }: EndSupportProps): JSX.Element {
  const { data: grants } = useResource(async () =>
    mayCall("listGrants") ? countGrants(zone, retailer) : null,
  )
  const params = { path: { id: zone.zone_id, retailer_id: retailer.retailer_id } }
  return (
    <Confirm
      title={`End the support of ${retailer.name} in ${zone.name}?`}
      happens={[
        "Bookings of it in this zone are refused from now on. Bookings that were made stay.",
        grants === null
          ? "Grants for it stop until the zone supports it again."
          : grants === 0
            ? "No organization has a grant for it here."
            : `${grants === 1 ? "One grant stops" : `${grants} grants stop`} until the zone supports it again.`,
      ]}
      action="End the support"
      busy="Ending…"
      onConfirm={async () => {
        await dataOf(api.DELETE(PATH, { params }))
        await onEnded()
      }}
      onClose={onClose}
    />
  )
}

async function countGrants(zone: Zone, retailer: Retailer): Promise<number> {
  const grants = await everyRow(
    (query) => api.GET("/internal/v1/grants", { params: { query } }),
    (page) => page.grants,
  )
  return grants.filter(
    ({ zone_id: zoneId, retailer_id: retailerId }) =>
      zoneId === zone.zone_id && retailerId === retailer.retailer_id,
  ).length
}
