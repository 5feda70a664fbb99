/** The zones of a site: each with its stalls, and with the retailers that may be booked there. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../design/button.tsx"
import { Empty, Skeleton } from "../../design/feedback.tsx"
import { ReadProblem } from "../../portal/pages/problem.tsx"
import { useResource } from "../../resource.ts"
import { RETAILER, STALL, ZONE } from "../../../../model/nouns/catalog-nouns.ts"
import { everyPage } from "../api.ts"
import type { Schemas } from "../api.ts"
import { NounForm } from "../nouns/noun-form.tsx"
import { readNoun } from "../nouns/noun-row.ts"
import { mayCall } from "../session.ts"
import type { Site } from "../sites.ts"
import { Stalls } from "./stalls.tsx"
import type { Stall } from "./stalls.tsx"
import { SupportedRetailers } from "./supported-retailers.tsx"

type Offer = Schemas["Offer"]
type Retailer = Schemas["CatalogRetailer"]
type Zone = Schemas["CatalogZone"]

interface ZoneContent {
  readonly zone: Zone
  readonly stalls: readonly Stall[]
  readonly retailerIds: readonly string[]
}

interface ZonesContent {
  readonly zones: readonly ZoneContent[]
  /** Of the environment. */
  readonly retailers: readonly Retailer[]
}

async function readZones(siteId: string): Promise<ZonesContent> {
  const zones = readNoun<Zone>(ZONE, { site_id: siteId })
  const contents = (await zones).map(async (zone): Promise<ZoneContent> => {
    const of = { zone_id: zone.zone_id }
    const [stalls, offers] = await Promise.all([
      readNoun<Stall>(STALL, of),
      everyPage<Offer>("/internal/v1/offers", "offers", of),
    ])
    return { zone, stalls, retailerIds: offers.map(({ retailer_id: id }) => id) }
  })
  const [found, retailers] = await Promise.all([Promise.all(contents), readNoun<Retailer>(RETAILER)])
  return { zones: found, retailers }
}

export function Zones({ site }: { readonly site: Site }): JSX.Element {
  const { data, fault, reload } = useResource(() => readZones(site.site_id), [site.site_id])
  const [changed, setChanged] = useState<Zone | "new" | null>(null)
  return (
    <section aria-labelledby="zones">
      <div class="section-head">
        <div>
          <h2 id="zones">Zones and stalls</h2>
          <p class="small quiet">
            A zone says which retailers are booked there; a booking gets one of its stalls.
          </p>
        </div>
        {mayCall("addZone") ? (
          <Button icon="plus" onPress={() => setChanged("new")}>
            Add a zone
          </Button>
        ) : null}
      </div>
      {data === null ? (
        fault === null ? (
          <Skeleton lines={5} />
        ) : (
          <ReadProblem what="The zones" fault={fault} onAgain={reload} />
        )
      ) : data.zones.length === 0 ? (
        <Empty title="The site has no zone">Nothing can be booked here until it has one with a stall.</Empty>
      ) : (
        data.zones.map(({ zone, stalls, retailerIds }) => (
          <article key={zone.zone_id} class="zone" aria-label={`Zone ${zone.name}`}>
            <ZoneHead zone={zone} onChange={() => setChanged(zone)} />
            <div class="two-lists">
              <Stalls zone={zone} stalls={stalls} onChanged={reload} />
              <SupportedRetailers
                zone={zone}
                retailerIds={retailerIds}
                retailers={data.retailers}
                onChanged={reload}
              />
            </div>
          </article>
        ))
      )}
      {changed === null ? null : (
        <NounForm
          noun={ZONE}
          fixed={{ site_id: site.site_id }}
          title={`Add a zone to ${site.name}`}
          known={changed === "new" ? null : changed}
          onClose={() => setChanged(null)}
          onSaved={async () => {
            setChanged(null)
            await reload()
          }}
        />
      )}
    </section>
  )
}

function ZoneHead({ zone, onChange }: { readonly zone: Zone; readonly onChange: () => void }): JSX.Element {
  return (
    <div class="section-head">
      <div>
        <h3>{zone.name}</h3>
        <p class="small quiet">
          <code>{zone.zone_id}</code>,{" "}
          {zone.has_runner ? "a runner carries orders out" : "no runner: bookings open no task"}
        </p>
      </div>
      {mayCall("changeZone") ? (
        <Button isSmall label={`Change the zone ${zone.name}`} onPress={onChange}>
          Change
        </Button>
      ) : null}
    </div>
  )
}
