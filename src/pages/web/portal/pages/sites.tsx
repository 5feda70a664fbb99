/** Sites of one environment: their ids to copy, and in the sandbox a form that makes one. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button, ShortId } from "../../design/button.tsx"
import { Empty, Skeleton, toast } from "../../design/feedback.tsx"
import { TextField } from "../../design/field.tsx"
import { Dialog } from "../../design/overlay.tsx"
import { Facts } from "../../design/table.tsx"
import { api, dataOf } from "../api.ts"
import type { Schemas } from "../api.ts"
import { Head } from "../frame.tsx"
import { useCommand, useResource } from "../../resource.ts"
import type { PageProps } from "../session.ts"
import { reasonText } from "../reason-text.ts"
import { fromRealNow } from "../times.ts"
import { AskForSite } from "./ask-production.tsx"
import { OnlyOwners } from "./onboarding/enrolment.tsx"
import { Fields, FormButtons } from "./form.tsx"
import { TimeZoneField } from "../../time-zone-field.tsx"
import { PriceField } from "../../price-field.tsx"
import { CommandProblem, ReadProblem, numberIn, problemAt } from "./problem.tsx"
import { SitePill } from "./site.tsx"

export function Sites({ environment, me }: PageProps): JSX.Element {
  const [isMaking, setMaking] = useState(false)
  const { data, fault, reload } = useResource(() =>
    dataOf(api.GET("/portal/api/sites", { params: { query: { environment } } })),
  )
  const isSandbox = environment === "sandbox"
  const make = isSandbox ? (
    <Button look="primary" icon="plus" onPress={() => setMaking(true)}>
      New sandbox site
    </Button>
  ) : (
    <AskForSiteButton me={me} />
  )
  return (
    <div class="content">
      <Head
        title="Sites"
        lead={
          <>
            Where vehicles take orders on board. Send a site's id as <code>x-retailer-id</code>.
          </>
        }
      >
        {data?.sites.length === 0 ? null : make}
      </Head>
      {fault !== null && data === null ? (
        <ReadProblem what="Sites" fault={fault} onAgain={reload} />
      ) : data === null ? (
        <Skeleton lines={4} />
      ) : data.sites.length === 0 ? (
        <Empty title="No sites yet" action={make}>
          {isSandbox
            ? "A sandbox site has an area, a price and up to five synthetic vehicles."
            : "Operations make the sites that you ask for."}
        </Empty>
      ) : (
        <ul class="cards">
          {data.sites.map((site) => (
            <SiteCard key={site.site_id} site={site} />
          ))}
        </ul>
      )}
      {isMaking ? (
        <NewSite
          onClose={() => setMaking(false)}
          onMade={() => {
            setMaking(false)
            toast("The site is ready")
            void reload()
          }}
        />
      ) : null}
    </div>
  )
}

/** More sites of production, and where the last request stands. */
function AskForSiteButton({ me }: Pick<PageProps, "me">): JSX.Element | null {
  const [isOpen, setOpen] = useState(false)
  const { data, reload } = useResource(() => dataOf(api.GET("/portal/api/partner-requests")))
  if (data === null) return null
  const latest = data.partner_requests.find(({ kind }) => kind === "production_sites")
  if (latest?.status === "pending") {
    return (
      <p class="small quiet">
        You asked for {latest.sites[0]?.name ?? "a site"}: operations decide, due {fromRealNow(latest.due_at)}
        .
      </p>
    )
  }
  if (me.account.role !== "owner") return <OnlyOwners what="ask for sites" />
  return (
    <>
      {latest?.status === "declined" ? (
        <p class="small quiet">
          {latest.sites[0]?.name ?? "Your last request"} was declined: {reasonText(latest.reason)}
        </p>
      ) : null}
      <Button look="primary" icon="plus" onPress={() => setOpen(true)}>
        Ask for a site
      </Button>
      {isOpen ? (
        <AskForSite
          onClose={() => setOpen(false)}
          onAsked={async () => {
            setOpen(false)
            toast({ text: "Operations have your request", icon: "send" })
            await reload()
          }}
        />
      ) : null}
    </>
  )
}

function SiteCard({ site }: { readonly site: Schemas["Site"] }): JSX.Element {
  return (
    <li class="card">
      <div class="row apart">
        <h2>
          <a href={`/portal/sites/${site.site_id}`}>{site.name}</a>
        </h2>
        <SitePill site={site} />
      </div>
      <Facts
        facts={[
          ["x-retailer-id", <ShortId id={site.site_id} label={`Copy the id of ${site.name}`} />],
          ["Time zone", site.timezone ?? "not set"],
        ]}
      />
    </li>
  )
}

const SITE_FIELDS = [
  "name",
  "location.latitude",
  "location.longitude",
  "reach_km",
  "delivery_price_cents",
  "timezone",
  "vehicles",
]

interface NewSiteProps {
  readonly onClose: () => void
  readonly onMade: () => void
}

function NewSite({ onClose, onMade }: NewSiteProps): JSX.Element {
  const [name, setName] = useState("")
  const [latitude, setLatitude] = useState("30.4021")
  const [longitude, setLongitude] = useState("-97.7253")
  const [reach, setReach] = useState("5")
  const [price, setPrice] = useState("7.99")
  const [zone, setZone] = useState("")
  const [vehicles, setVehicles] = useState("1")
  const { fault, isBusy, send } = useCommand(async () => {
    const body = {
      name,
      location: { latitude: numberIn(latitude), longitude: numberIn(longitude) },
      reach_km: numberIn(reach),
      delivery_price_cents: Math.round(numberIn(price) * 100),
      ...(zone === "" ? {} : { timezone: zone }),
      vehicles: numberIn(vehicles),
    }
    await dataOf(api.POST("/portal/api/sites", { body }))
    onMade()
  })
  return (
    <Dialog title="New sandbox site" onClose={onClose}>
      <Fields
        onSend={send}
        actions={<FormButtons isBusy={isBusy} action="Make the site" busy="Making…" onClose={onClose} />}
      >
        <CommandProblem fault={fault} fields={SITE_FIELDS} />
        <TextField label="Name" value={name} onChange={setName} isFirst error={problemAt(fault, "name")} />
        <div class="fields two">
          <TextField
            label="Latitude"
            type="number"
            value={latitude}
            onChange={setLatitude}
            error={problemAt(fault, "location.latitude")}
          />
          <TextField
            label="Longitude"
            type="number"
            value={longitude}
            onChange={setLongitude}
            error={problemAt(fault, "location.longitude")}
          />
          <TextField
            label="Reach, km"
            type="number"
            hint="At most 50."
            value={reach}
            onChange={setReach}
            error={problemAt(fault, "reach_km")}
          />
          <PriceField value={price} onChange={setPrice} fault={fault} />
          <VehiclesField value={vehicles} onChange={setVehicles} error={problemAt(fault, "vehicles")} />
        </div>
        <TimeZoneField
          hint="Empty: that of the location."
          value={zone}
          onChange={setZone}
          error={problemAt(fault, "timezone")}
        />
      </Fields>
    </Dialog>
  )
}

interface VehiclesFieldProps {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error: string | null
}

function VehiclesField(props: VehiclesFieldProps): JSX.Element {
  return (
    <TextField label="Vehicles" type="number" hint="Synthetic vehicles of its own, at most 5." {...props} />
  )
}
