/** One site: its terms, its area, its zones with stalls and retailers, its vehicles, and what its organization asks for. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button, ButtonLink, ShortId } from "../../design/button.tsx"
import { toast } from "../../design/feedback.tsx"
import { Facts } from "../../design/table.tsx"
import { Fields } from "../../portal/pages/form.tsx"
import { Opening } from "../../portal/pages/problem.tsx"
import { useCommand, useResource } from "../../resource.ts"
import { api, dataOf } from "../api.ts"
import { Head } from "../frame.tsx"
import { mayCall, opsData } from "../session.ts"
import type { Site } from "../sites.ts"
import { Confirm } from "./confirm.tsx"
import { FormProblem } from "./form-problem.tsx"
import { PolicyForecast } from "./policy-forecast.tsx"
import { OrganizationName, useOrganizations } from "./organizations/organization-names.tsx"
import type { Organization } from "./organizations/organization-names.tsx"
import { ServiceArea } from "./service-area.tsx"
import { changeIn, draftOf } from "./site-draft.ts"
import type { SiteChangeBody, SiteDraft, SiteOverlap } from "./site-draft.ts"
import { DISPATCH_WORDS, DeliveryFields, PlaceFields, SITE_FIELDS } from "./site-fields.tsx"
import { SiteFleet } from "./site-fleet.tsx"
import { OpenSiteRequests } from "./site-requests.tsx"
import { SiteState } from "./sites.tsx"
import { Zones } from "./zones.tsx"

export function SitePage({ siteId }: { readonly siteId: string }): JSX.Element {
  const one = useResource(
    () => dataOf(api.GET("/internal/v1/sites/{id}", { params: { path: { id: siteId } } })),
    [siteId],
  )
  const organizations = useOrganizations()
  const { data, reload } = one
  if (data === null)
    return <Opening resource={one} noun="site" id={siteId} list={["Sites", "/ops/settings"]} />
  // The client's types make a list of every pair, such as a position.
  const site = data.site as Site
  return (
    <>
      <SiteHead site={site} onChanged={reload} />
      {mayCall("changeSite") ? (
        <Terms
          key={JSON.stringify(draftOf(site))}
          site={site}
          organizations={organizations}
          onChanged={reload}
        />
      ) : (
        <TermsAsFacts site={site} organizations={organizations} />
      )}
      <ServiceArea
        site={site}
        areaKm2={data.site.area_km2}
        overlaps={data.site.overlaps as readonly SiteOverlap[]}
        onChanged={reload}
      />
      <Zones site={site} />
      {site.organization_id === null ? null : <SiteFleet site={site} />}
      {mayCall("listSiteRequests") && opsData().environment === "production" ? (
        <OpenSiteRequests siteId={site.site_id} />
      ) : null}
    </>
  )
}

interface OneSiteProps {
  readonly site: Site
  readonly onChanged: () => Promise<void>
}

async function change(site: Site, body: SiteChangeBody): Promise<void> {
  await dataOf(api.PATCH("/internal/v1/sites/{id}", { params: { path: { id: site.site_id } }, body }))
}

function SiteHead({ site, onChanged }: OneSiteProps): JSX.Element {
  const [isAsking, setAsking] = useState(false)
  const { site_id: id, name, is_active: isActive } = site
  const toggle = async (): Promise<void> => {
    await change(site, { is_active: !isActive })
    setAsking(false)
    toast(isActive ? "Closed" : "Open again")
    await onChanged()
  }
  return (
    <>
      <p class="crumbs">
        <a href="/ops/settings">Sites</a>
      </p>
      <Head
        title={name}
        lead={
          <>
            <SiteState site={site} /> <ShortId id={id} label="Copy the site's id" />
          </>
        }
      >
        <ButtonLink href={`/ops/sites/${encodeURIComponent(id)}`}>Open the board</ButtonLink>
        {mayCall("changeSite") ? (
          <Button look={isActive ? "danger quiet" : "secondary"} onPress={() => setAsking(true)}>
            {isActive ? "Close the site…" : "Open the site…"}
          </Button>
        ) : null}
      </Head>
      {isAsking ? (
        <Confirm
          title={isActive ? `Close ${name}?` : `Open ${name} again?`}
          happens={isActive ? CLOSING : OPENING}
          action={isActive ? "Close the site" : "Open the site"}
          busy={isActive ? "Closing…" : "Opening…"}
          isSafe={!isActive}
          onConfirm={toggle}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </>
  )
}

const CLOSING = [
  "No delivery starts here from now on: calls for this site get RETAILER_INACTIVE, also those that read or cancel.",
  "Deliveries on their way go on.",
  "Its stalls can still be booked: take stalls out of use to end that.",
]
const OPENING = ["Deliveries may start here again, if the site has a place, an area and a price."]

interface TermsProps extends OneSiteProps {
  readonly organizations: readonly Organization[]
}

function Terms({ site, organizations, onChanged }: TermsProps): JSX.Element {
  const [draft, setDraft] = useState(() => draftOf(site))
  const changed = changeIn(site, draft)
  const { fault, isBusy, send } = useCommand(async () => {
    await change(site, changed)
    toast("Saved")
    await onChanged()
  })
  const set = (part: Partial<SiteDraft>): void => setDraft((known) => ({ ...known, ...part }))
  const parts = { draft, set, fault }
  return (
    <section>
      <Fields
        onSend={send}
        actions={
          <Button look="primary" type="submit" isBusy={isBusy} isDisabled={Object.keys(changed).length === 0}>
            {isBusy ? "Saving…" : "Save the site"}
          </Button>
        }
      >
        <FormProblem fault={fault} fields={SITE_FIELDS} />
        <PlaceFields {...parts} />
        <DeliveryFields
          {...parts}
          organizations={organizations}
          isOwned={site.organization_id !== null}
          noOrganization="none: reservations only"
        />
        {draft.dispatchPolicy === site.dispatch_policy || !mayCall("readForecast") ? null : (
          <PolicyForecast siteId={site.site_id} other={draft.dispatchPolicy} />
        )}
      </Fields>
    </section>
  )
}

function TermsAsFacts({ site, organizations }: Omit<TermsProps, "onChanged">): JSX.Element {
  const { address, organization_id: organizationId, delivery_price_cents: cents } = site
  return (
    <section>
      <Facts
        facts={[
          ["Time zone", site.timezone ?? "not set"],
          [
            "Address",
            address === null
              ? "not set"
              : `${address.street}, ${address.city} ${address.state} ${address.zip}`,
          ],
          [
            "Deliveries of",
            organizationId === null ? (
              "no organization: reservations only"
            ) : (
              <OrganizationName id={organizationId} organizations={organizations} />
            ),
          ],
          ["Price of a delivery", cents === null ? "not set" : `$${(cents / 100).toFixed(2)}`],
          ["Ready ahead", `${site.ready_ahead_minutes} min`],
          ["Fleet", site.fleet_id],
          ["Choice of a vehicle", new Map(DISPATCH_WORDS).get(site.dispatch_policy)],
        ]}
      />
    </section>
  )
}
