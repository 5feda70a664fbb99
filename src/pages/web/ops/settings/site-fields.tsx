/** The fields of a site: what it is called, where it is, and on which terms deliveries start there. */

import type { JSX } from "preact"
import { SelectField, TextField } from "../../design/field.tsx"
import type { ApiFault } from "../../faults.ts"
import { PriceField } from "../../price-field.tsx"
import { TimeZoneField } from "../../time-zone-field.tsx"
import { OrganizationName, isProvisionedHere } from "./organizations/organization-names.tsx"
import type { Organization } from "./organizations/organization-names.tsx"
import type { Site } from "../sites.ts"
import type { SiteDraft } from "./site-draft.ts"

/** Of the request, for `FormProblem`. */
export const SITE_FIELDS = [
  "name",
  "timezone",
  "organization_id",
  "address",
  "address.",
  "latitude",
  "longitude",
  "delivery_price_cents",
  "ready_ahead_minutes",
  "fleet_id",
  "dispatch_policy",
] as const

/** The policies of dispatch, in words. */
export const DISPATCH_WORDS: readonly (readonly [Site["dispatch_policy"], string])[] = [
  ["earliest_free", "the one at the store first"],
  ["least_loaded", "the one with the fewest runs"],
  ["nearest", "the nearest, though it has a run"],
  ["batching", "one that can take two near orders on a trip"],
]

export interface SiteFieldsProps {
  readonly draft: SiteDraft
  readonly set: (change: Partial<SiteDraft>) => void
  readonly fault: ApiFault | null
}

/** `more`: fields that only a new site has. */
export function PlaceFields({
  more,
  ...props
}: SiteFieldsProps & { readonly more?: JSX.Element }): JSX.Element {
  return (
    <section aria-labelledby="site-place">
      <h2 id="site-place">Name and place</h2>
      <NameFields {...props} zoneHint={more === undefined ? "Empty: none." : "Empty: that of the place."} />
      {more}
      <AddressFields {...props} />
    </section>
  )
}

function errorIn({ fault }: SiteFieldsProps, field: string): string | null {
  return fault?.fields[field] ?? null
}

function NameFields(props: SiteFieldsProps & { readonly zoneHint: string }): JSX.Element {
  const { draft, set, zoneHint } = props
  return (
    <div class="fields two">
      <TextField
        label="Name"
        value={draft.name}
        onChange={(name) => set({ name })}
        error={errorIn(props, "name")}
      />
      <TimeZoneField
        hint={zoneHint}
        value={draft.timezone}
        onChange={(timezone) => set({ timezone })}
        error={errorIn(props, "timezone")}
      />
    </div>
  )
}

function AddressFields(props: SiteFieldsProps): JSX.Element {
  const { draft, set } = props
  const ofAddress = (part: string): string | null => errorIn(props, `address.${part}`)
  return (
    <>
      <TextField
        label="Street"
        hint="The address is looked up on the map, unless degrees are given."
        value={draft.street}
        onChange={(street) => set({ street })}
        error={ofAddress("street") ?? errorIn(props, "address")}
      />
      <div class="fields two">
        <TextField
          label="City"
          value={draft.city}
          onChange={(city) => set({ city })}
          error={ofAddress("city")}
        />
        <div class="fields two">
          <TextField
            label="State"
            value={draft.state}
            onChange={(state) => set({ state })}
            error={ofAddress("state")}
          />
          <TextField
            label="ZIP code"
            value={draft.zip}
            onChange={(zip) => set({ zip })}
            error={ofAddress("zip")}
          />
        </div>
        <TextField
          label="Latitude"
          type="number"
          value={draft.latitude}
          onChange={(latitude) => set({ latitude })}
          error={errorIn(props, "latitude")}
        />
        <TextField
          label="Longitude"
          type="number"
          value={draft.longitude}
          onChange={(longitude) => set({ longitude })}
          error={errorIn(props, "longitude")}
        />
      </div>
    </>
  )
}

interface DeliveryFieldsProps extends SiteFieldsProps {
  readonly organizations: readonly Organization[]
  /** True once the site has an organization: it stays. */
  readonly isOwned: boolean
  /** What an empty choice of an organization says. */
  readonly noOrganization: string
  /** Fields that only a new site has. */
  readonly more?: JSX.Element
}

export function DeliveryFields(props: DeliveryFieldsProps): JSX.Element {
  const { draft, set, organizations, isOwned, noOrganization, more } = props
  return (
    <section aria-labelledby="site-deliveries">
      <h2 id="site-deliveries">Deliveries</h2>
      {isOwned ? (
        <p class="small">
          Those of <OrganizationName id={draft.organizationId} organizations={organizations} /> start here.
          This stays so.
        </p>
      ) : (
        <SelectField
          label="Organization"
          hint="Whose deliveries start here. It cannot be changed later."
          value={draft.organizationId}
          options={[
            ["", noOrganization],
            ...organizations
              .filter(isProvisionedHere)
              .map(({ organization_id: id, name }) => [id, name] as const),
          ]}
          onChange={(organizationId) => set({ organizationId })}
          error={errorIn(props, "organization_id")}
        />
      )}
      <TermFields {...props} />
      {more}
    </section>
  )
}

function TermFields(props: SiteFieldsProps): JSX.Element {
  const { draft, set } = props
  return (
    <div class="fields two">
      <PriceField
        hint="Live quotes keep theirs."
        value={draft.price}
        onChange={(price) => set({ price })}
        fault={props.fault}
      />
      <TextField
        label="Ready ahead, min"
        type="number"
        hint="How far from now an order may be ready."
        value={draft.ready}
        onChange={(ready) => set({ ready })}
        error={errorIn(props, "ready_ahead_minutes")}
      />
      <TextField
        label="Fleet"
        hint="Whose vehicles come. Empty: the site gets its own."
        value={draft.fleetId}
        onChange={(fleetId) => set({ fleetId })}
        error={errorIn(props, "fleet_id")}
      />
      <SelectField
        label="People at the site"
        value={draft.supervisor}
        options={[
          ["no", "may not move a delivery's status"],
          ["yes", "may move a delivery's status"],
        ]}
        onChange={(supervisor) => set({ supervisor })}
      />
      <SelectField
        label="Choice of a vehicle"
        hint="Of vehicles with a free place; among equal ones the nearest."
        value={draft.dispatchPolicy}
        options={DISPATCH_WORDS}
        onChange={(dispatchPolicy) => set({ dispatchPolicy })}
        error={errorIn(props, "dispatch_policy")}
      />
    </div>
  )
}
