/** One site: its id, its area on a map, its price and stalls; changed in the sandbox, asked for in production. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button, ShortId } from "../../design/button.tsx"
import { toast } from "../../design/feedback.tsx"
import { AreaField, TextField } from "../../design/field.tsx"
import { Dialog } from "../../design/overlay.tsx"
import { Pill } from "../../design/pill.tsx"
import { Facts } from "../../design/table.tsx"
import { api, dataOf } from "../api.ts"
import type { Schemas } from "../api.ts"
import { Head } from "../frame.tsx"
import { useCommand, useResource } from "../../resource.ts"
import type { PageProps } from "../session.ts"
import { money } from "../words.tsx"
import { Fields, FormButtons } from "./form.tsx"
import { PlaceMap } from "../../components/place-map.tsx"
import { PriceField } from "../../price-field.tsx"
import { CommandProblem, Opening, numberIn, problemAt } from "./problem.tsx"

type Site = Omit<Schemas["SiteDetail"], "area"> & {
  /** GeoJSON rings of [longitude, latitude], the outer one first. */
  readonly area: readonly (readonly (readonly number[])[])[] | null
}

export function SitePage({ id, environment }: PageProps): JSX.Element {
  const params = { path: { id }, query: { environment } }
  const read = useResource(() => dataOf(api.GET("/portal/api/sites/{id}", { params })), [id])
  if (read.data === null)
    return <Opening resource={read} noun="site" id={id} list={["Sites", "/portal/sites"]} />
  const { reload } = read
  const { site } = read.data
  return (
    <div class="content">
      <Head
        crumbs={[["Sites", "/portal/sites"]]}
        here={site.name}
        title={
          <>
            {site.name} <SitePill site={site} />
          </>
        }
        lead={
          site.is_configured
            ? "Deliveries start here."
            : "It has no area or no price yet, so it cannot deliver."
        }
      >
        {environment === "sandbox" ? (
          <SandboxChanges site={site} onChanged={reload} />
        ) : (
          <AskForChange site={site} />
        )}
      </Head>
      <div class="split-page">
        <SiteMap site={site} />
        <aside aria-label="The site">
          <SiteFacts site={site} />
        </aside>
      </div>
    </div>
  )
}

export function SitePill({
  site,
}: {
  readonly site: Pick<Site, "is_active" | "is_configured">
}): JSX.Element {
  if (!site.is_active) {
    return (
      <Pill tone="idle" icon="ban">
        Inactive
      </Pill>
    )
  }
  return site.is_configured ? (
    <Pill tone="ok" icon="circle-check">
      Ready
    </Pill>
  ) : (
    <Pill tone="wait" icon="circle-alert">
      No area or price
    </Pill>
  )
}

function SiteMap({ site: { name, location, area } }: { readonly site: Site }): JSX.Element {
  if (location === null) return <p class="small quiet">The site has no place on a map yet.</p>
  const [outline = []] = area ?? []
  return (
    <PlaceMap
      label={`${name} and its service area`}
      places={[{ kind: "store", name, ...location }]}
      area={outline.map(([longitude = 0, latitude = 0]) => ({ latitude, longitude }))}
    />
  )
}

function SiteFacts({ site }: { readonly site: Site }): JSX.Element {
  const { address, zones } = site
  return (
    <Facts
      facts={[
        ["x-retailer-id", <ShortId id={site.site_id} label={`Copy the id of ${site.name}`} />],
        ["Price", site.delivery_price_cents === null ? "not set" : money(site.delivery_price_cents, "usd")],
        ["Time zone", site.timezone ?? "not set"],
        [
          "Address",
          address === null ? null : `${address.street}, ${address.city} ${address.state} ${address.zip}`,
        ],
        ["Ready ahead", `${site.ready_ahead_minutes} min`],
        ...zones.map(
          ({ zone_id: zone, name, stalls }) =>
            [
              "Zone",
              <span key={zone}>
                {name}: {stalls.map(({ stall_id: stall, label }) => label || stall).join(", ")}
              </span>,
            ] as const,
        ),
      ]}
    />
  )
}

interface ChangesProps {
  readonly site: Site
  readonly onChanged: () => Promise<void>
}

function SandboxChanges({ site, onChanged }: ChangesProps): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  const params = { path: { id: site.site_id } }
  const turn = useCommand(async () => {
    await dataOf(
      api.PATCH("/portal/api/sandbox/sites/{id}", { params, body: { is_active: !site.is_active } }),
    )
    toast(site.is_active ? "Deactivated" : "Activated")
    await onChanged()
  })
  return (
    <>
      <CommandProblem fault={turn.fault} />
      <Button onPress={() => setOpen(true)}>Change</Button>
      <Button look={site.is_active ? "danger quiet" : "secondary"} isBusy={turn.isBusy} onPress={turn.send}>
        {site.is_active ? "Deactivate" : "Activate"}
      </Button>
      {isOpen ? (
        <ChangeSite
          site={site}
          onClose={() => setOpen(false)}
          onChanged={async () => {
            setOpen(false)
            toast("Changed")
            await onChanged()
          }}
        />
      ) : null}
    </>
  )
}

function ChangeSite({
  site,
  onClose,
  onChanged,
}: ChangesProps & { readonly onClose: () => void }): JSX.Element {
  const [name, setName] = useState(site.name)
  const [price, setPrice] = useState(String((site.delivery_price_cents ?? 0) / 100))
  const [reach, setReach] = useState("")
  const { fault, isBusy, send } = useCommand(async () => {
    const body = {
      name,
      delivery_price_cents: Math.round(numberIn(price) * 100),
      ...(reach === "" ? {} : { reach_km: numberIn(reach) }),
    }
    const params = { path: { id: site.site_id } }
    await dataOf(api.PATCH("/portal/api/sandbox/sites/{id}", { params, body }))
    await onChanged()
  })
  return (
    <Dialog title={`Change ${site.name}`} onClose={onClose}>
      <Fields
        onSend={send}
        actions={<FormButtons isBusy={isBusy} action="Change the site" busy="Changing…" onClose={onClose} />}
      >
        <CommandProblem fault={fault} fields={["name", "delivery_price_cents", "reach_km"]} />
        <TextField label="Name" value={name} onChange={setName} isFirst error={problemAt(fault, "name")} />
        <div class="fields two">
          <PriceField value={price} onChange={setPrice} fault={fault} />
          <TextField
            label="Reach, km"
            type="number"
            hint="Empty: the area stays."
            value={reach}
            onChange={setReach}
            error={problemAt(fault, "reach_km")}
          />
        </div>
      </Fields>
    </Dialog>
  )
}

/** Sites of production are changed by operations. */
function AskForChange({ site }: { readonly site: Site }): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  const [text, setText] = useState("")
  const { fault, isBusy, send } = useCommand(async () => {
    const params = { path: { id: site.site_id } }
    await dataOf(api.POST("/portal/api/sites/{id}/change-requests", { params, body: { text } }))
    setOpen(false)
    toast({ text: "Operations have your request", icon: "send" })
  })
  return (
    <>
      <Button onPress={() => setOpen(true)}>Ask for a change</Button>
      {isOpen ? (
        <Dialog title={`Ask for a change of ${site.name}`} onClose={() => setOpen(false)}>
          <Fields
            onSend={send}
            actions={
              <>
                <Button onPress={() => setOpen(false)}>Not now</Button>
                <Button look="primary" type="submit" isBusy={isBusy} isDisabled={text.trim() === ""}>
                  {isBusy ? "Sending…" : "Send it"}
                </Button>
              </>
            }
          >
            <CommandProblem fault={fault} />
            <AreaField label="What should change" value={text} onChange={setText} />
          </Fields>
        </Dialog>
      ) : null}
    </>
  )
}
