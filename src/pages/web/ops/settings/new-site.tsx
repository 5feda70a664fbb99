/** A new site of either kind: one that is only booked, or one from which deliveries of an organization start. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button, ButtonLink } from "../../design/button.tsx"
import { TextField } from "../../design/field.tsx"
import { Fields } from "../../portal/pages/form.tsx"
import { useCommand } from "../../resource.ts"
import { api, dataOf } from "../api.ts"
import { Head } from "../frame.tsx"
import { FormProblem } from "./form-problem.tsx"
import { useOrganizations } from "./organizations/organization-names.tsx"
import { EMPTY_SITE, newSiteOf } from "./site-draft.ts"
import type { SiteDraft } from "./site-draft.ts"
import { DeliveryFields, PlaceFields, SITE_FIELDS } from "./site-fields.tsx"

type Kind = "deliveries" | "reservations"

const KINDS: readonly (readonly [kind: Kind, name: string, about: string])[] = [
  ["reservations", "Reservations only", "Its stalls are booked. It needs a name, and stalls."],
  [
    "deliveries",
    "Deliveries start here, too",
    "Orders of one organization leave from here. It needs a place, an area, a price and a vehicle to quote.",
  ],
]

export function NewSite(): JSX.Element {
  const [kind, setKind] = useState<Kind>("reservations")
  const [draft, setDraft] = useState(EMPTY_SITE)
  const [stalls, setStalls] = useState("")
  const [reach, setReach] = useState("")
  const organizations = useOrganizations()
  const { fault, isBusy, send } = useCommand(async () => {
    const labels = stalls.split(",").flatMap((label) => (label.trim() === "" ? [] : [label.trim()]))
    const more = {
      ...(labels.length === 0 ? {} : { stalls: labels }),
      ...(reach === "" ? {} : { reach_km: Number(reach) }),
    }
    window.location.assign(`/ops/settings/sites/${await make(kind, draft, more)}`)
  })
  const parts = { draft, set: (change: Partial<SiteDraft>) => setDraft({ ...draft, ...change }), fault }
  const isOfDeliveries = kind === "deliveries"
  return (
    <>
      <p class="crumbs">
        <a href="/ops/settings">Sites</a>
      </p>
      <Head title="New site" lead="Everything but its organization can be changed later." />
      <Fields
        onSend={send}
        actions={
          <>
            <Button look="primary" type="submit" isBusy={isBusy}>
              {isBusy ? "Making…" : "Make the site"}
            </Button>{" "}
            <ButtonLink href="/ops/settings">Not now</ButtonLink>
          </>
        }
      >
        <FormProblem fault={fault} fields={[...SITE_FIELDS, "stalls", "reach_km"]} />
        <KindChoice kind={kind} onChange={setKind} />
        <PlaceFields
          {...parts}
          more={
            <TextField
              label="Stalls"
              hint="Labels, separated by commas, such as A1, A2. They lie in a zone of the site's name."
              value={stalls}
              onChange={setStalls}
              error={fault?.fields["stalls"] ?? null}
            />
          }
        />
        {isOfDeliveries ? (
          <DeliveryFields
            {...parts}
            organizations={organizations}
            isOwned={false}
            noOrganization="Choose"
            more={
              <TextField
                label="Reach, km"
                type="number"
                hint="A square around the place as the first service area. An area can be drawn afterwards."
                value={reach}
                onChange={setReach}
                error={fault?.fields["reach_km"] ?? null}
              />
            }
          />
        ) : null}
      </Fields>
    </>
  )
}

/** The id of the site. Each kind has a path of its own, with fields of its own that are needed. */
async function make(
  kind: Kind,
  draft: SiteDraft,
  more: { readonly stalls?: string[]; readonly reach_km?: number },
): Promise<string> {
  if (kind === "reservations") {
    const { name, timezone, street, city, state, zip, latitude, longitude } = draft
    const kept = { ...EMPTY_SITE, name, timezone, street, city, state, zip, latitude, longitude }
    const { stalls } = more
    const body = { ...newSiteOf(kept), ...(stalls === undefined ? {} : { stalls }) }
    return (await dataOf(api.POST("/internal/v1/sites", { body }))).site.site_id
  }
  const { timezone, ...filled } = newSiteOf(draft)
  const zone = typeof timezone === "string" ? { timezone } : {}
  const body = { ...filled, ...more, ...zone, organization_id: draft.organizationId }
  return (await dataOf(api.POST("/internal/v1/delivery-sites", { body }))).delivery_site.site_id
}

interface KindChoiceProps {
  readonly kind: Kind
  readonly onChange: (kind: Kind) => void
}

function KindChoice({ kind, onChange }: KindChoiceProps): JSX.Element {
  return (
    <fieldset class="choice-cards">
      <legend>What it is used for</legend>
      {KINDS.map(([one, name, about]) => (
        <label key={one}>
          <input type="radio" name="kind" checked={one === kind} onChange={() => onChange(one)} />
          <span class="strong">{name}</span>
          <span class="about">{about}</span>
        </label>
      ))}
    </fieldset>
  )
}
