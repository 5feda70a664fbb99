/** Sites of the environment, and a change of one: name, time zone, price, service area, whether deliveries start there. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { AreaEditor } from "../../components/area-editor.tsx"
import type { MapPoint } from "../../../html/map/projection.ts"
import { Button } from "../../design/button.tsx"
import { Empty, toast } from "../../design/feedback.tsx"
import { SelectField, TextField } from "../../design/field.tsx"
import { Drawer } from "../../design/overlay.tsx"
import { Pill } from "../../design/pill.tsx"
import { Table } from "../../design/table.tsx"
import { Fields } from "../../portal/pages/form.tsx"
import { CommandProblem, ReadProblem } from "../../portal/pages/problem.tsx"
import { useCommand, useResource } from "../../resource.ts"
import { send } from "../api.ts"
import { readSites } from "../sites.ts"
import type { Site } from "../sites.ts"

export function SiteSettings(): JSX.Element {
  const { data, fault, reload } = useResource(readSites)
  const [shownId, setShown] = useState<string | null>(null)
  const shown = data?.find(({ site_id: id }) => id === shownId) ?? null
  if (data === null && fault !== null) return <ReadProblem what="The sites" fault={fault} onAgain={reload} />
  if (data?.length === 0) {
    return (
      <Empty title="There are no sites">
        An approved request for production makes sites, and <code>npx curbline sites create</code> does.
      </Empty>
    )
  }
  return (
    <section class={shown === null ? "settings-part wide" : "settings-part wide with-drawer"}>
      <Table
        label="Sites"
        rows={data}
        keyOf={({ site_id: id }) => id}
        selected={shownId}
        onPress={({ site_id: id }) => setShown(id)}
        hasTwoLines
        columns={[
          {
            name: "Site",
            sortBy: ({ name }) => name,
            cell: ({ site_id: id, name, address }) => (
              <>
                <button type="button" class="link-button main" onClick={() => setShown(id)}>
                  {name}
                </button>
                <span class="under">
                  {address === null ? "no address" : `${address.street}, ${address.city} ${address.state}`}
                </span>
              </>
            ),
          },
          { name: "Time zone", cell: ({ timezone }) => timezone ?? "not set" },
          { name: "Service area", cell: ({ area }) => (area === null ? "not set" : "set") },
          {
            name: "Price",
            isEnd: true,
            cell: ({ delivery_price_cents: cents }) =>
              cents === null ? "not set" : `$${(cents / 100).toFixed(2)}`,
          },
          { name: "State", isEnd: true, cell: (site) => <State site={site} /> },
        ]}
      />
      {shown === null ? null : (
        <Drawer title={shown.name} onClose={() => setShown(null)}>
          <ChangeSite
            key={JSON.stringify(shown)}
            site={shown}
            onChanged={async () => {
              toast("Changed")
              await reload()
            }}
          />
        </Drawer>
      )}
    </section>
  )
}

function State({ site }: { readonly site: Site }): JSX.Element {
  if (!site.is_active) {
    return (
      <Pill tone="idle" icon="ban">
        Closed
      </Pill>
    )
  }
  if (site.organization_id === null || site.is_configured) {
    return (
      <Pill tone="ok" icon="circle-check">
        Open
      </Pill>
    )
  }
  return (
    <Pill tone="wait" icon="circle-alert">
      No area or price
    </Pill>
  )
}

interface ChangeProps {
  readonly site: Site
  readonly onChanged: () => Promise<void>
}

/** The corners of the outline, without the last one, which repeats the first. */
function cornersOf({ area }: Site): readonly MapPoint[] {
  const [outline = []] = area ?? []
  return outline.slice(0, -1).map(([longitude, latitude]) => ({ latitude, longitude }))
}

/** A GeoJSON polygon of one ring, which ends where it begins. */
function ringOf(corners: readonly MapPoint[]): readonly (readonly (readonly [number, number])[])[] {
  const ring = corners.map(({ latitude, longitude }) => [longitude, latitude] as const)
  return [[...ring, ...ring.slice(0, 1)]]
}

function ChangeSite({ site, onChanged }: ChangeProps): JSX.Element {
  const [name, setName] = useState(site.name)
  const [timezone, setTimezone] = useState(site.timezone ?? "")
  const [price, setPrice] = useState(
    site.delivery_price_cents === null ? "" : (site.delivery_price_cents / 100).toFixed(2),
  )
  const [reach, setReach] = useState("")
  const known = cornersOf(site)
  const [corners, setCorners] = useState(known)
  const isDrawn = JSON.stringify(corners) !== JSON.stringify(known)
  const [ready, setReady] = useState(String(site.ready_ahead_minutes))
  const [open, setOpen] = useState<"closed" | "open">(site.is_active ? "open" : "closed")
  /** Only what differs: two operators may change different fields. */
  const changed = (): object => {
    const priceCents = price === "" ? null : Math.round(Number(price) * 100)
    return {
      ...(name === site.name ? {} : { name }),
      ...(timezone === (site.timezone ?? "") ? {} : { timezone: timezone === "" ? null : timezone }),
      ...(priceCents === site.delivery_price_cents ? {} : { delivery_price_cents: priceCents }),
      ...(Number(ready) === site.ready_ahead_minutes ? {} : { ready_ahead_minutes: Number(ready) }),
      ...((open === "open") === site.is_active ? {} : { is_active: open === "open" }),
      ...(reach === "" ? {} : { reach_km: Number(reach) }),
      ...(isDrawn ? { area: corners.length === 0 ? null : ringOf(corners) } : {}),
    }
  }
  const {
    fault,
    isBusy,
    send: save,
  } = useCommand(async () => {
    await send("PATCH", `/internal/v1/sites/${encodeURIComponent(site.site_id)}`, changed())
    setReach("")
    await onChanged()
  })
  const errorOf = (field: string): string | null => fault?.fields[field] ?? null
  return (
    <Fields
      onSend={save}
      actions={
        <Button look="primary" type="submit" isBusy={isBusy}>
          Save the site
        </Button>
      }
    >
      <CommandProblem fault={fault} />
      <TextField label="Name" value={name} onChange={setName} error={errorOf("name")} />
      <div class="fields two">
        <TextField
          label="Price of a delivery, $"
          type="number"
          hint="Live quotes keep theirs."
          value={price}
          onChange={setPrice}
          error={errorOf("delivery_price_cents")}
        />
        <TextField
          label="Ready ahead, min"
          type="number"
          hint="How far from now an order may be ready."
          value={ready}
          onChange={setReady}
          error={errorOf("ready_ahead_minutes")}
        />
        <TextField
          label="Time zone"
          hint="Such as America/Chicago."
          value={timezone}
          onChange={setTimezone}
          error={errorOf("timezone")}
        />
        <SelectField
          label="Deliveries"
          value={open}
          options={[
            ["open", "may start here"],
            ["closed", "none starts here"],
          ]}
          onChange={setOpen}
        />
        <TextField
          label="Reach, km"
          type="number"
          hint="A square around the place. Empty: the area stays."
          value={reach}
          onChange={setReach}
          error={errorOf("reach_km")}
        />
      </div>
      <Area site={site} corners={corners} onChange={setCorners} error={errorOf("area")} />
    </Fields>
  )
}

interface AreaProps {
  readonly site: Site
  readonly corners: readonly MapPoint[]
  readonly onChange: (corners: readonly MapPoint[]) => void
  readonly error: string | null
}

function Area({ site: { name, latitude, longitude }, corners, onChange, error }: AreaProps): JSX.Element {
  if (latitude === null || longitude === null) {
    return <p class="small quiet">The site has no place on a map, so no area can be drawn around it.</p>
  }
  return (
    <section>
      <h3>Service area</h3>
      <p class="small quiet">Press on the map to add a corner, drag one to move it.</p>
      {error === null ? null : (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      <AreaEditor
        place={{ kind: "store", name, latitude, longitude }}
        corners={corners}
        onChange={onChange}
      />
    </section>
  )
}
