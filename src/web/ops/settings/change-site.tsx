/** A change of one site: name, time zone, price, how far ahead orders are ready, whether deliveries start there, and its area. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import type { MapPoint } from "../../../html/map/projection.ts"
import { AreaEditor } from "../../components/area-editor.tsx"
import { Button } from "../../design/button.tsx"
import { SelectField, TextField } from "../../design/field.tsx"
import { Fields } from "../../portal/pages/form.tsx"
import { CommandProblem } from "../../portal/pages/problem.tsx"
import { useCommand } from "../../resource.ts"
import { send } from "../api.ts"
import type { Site } from "../sites.ts"

/** What stands in the fields. */
interface Draft {
  readonly name: string
  readonly timezone: string
  /** Dollars. */
  readonly price: string
  /** km; empty: the area stays. */
  readonly reach: string
  /** min */
  readonly ready: string
  readonly open: "closed" | "open"
  readonly corners: readonly MapPoint[]
}

function draftOf(site: Site): Draft {
  const { name, timezone, delivery_price_cents: cents, ready_ahead_minutes: minutes } = site
  return {
    name,
    timezone: timezone ?? "",
    price: cents === null ? "" : (cents / 100).toFixed(2),
    reach: "",
    ready: String(minutes),
    open: site.is_active ? "open" : "closed",
    corners: cornersOf(site),
  }
}

/** Only what differs: two operators may change different fields. */
function changeIn(site: Site, draft: Draft): object {
  const { name, timezone, price, reach, ready, open, corners } = draft
  const cents = price === "" ? null : Math.round(Number(price) * 100)
  const isDrawn = JSON.stringify(corners) !== JSON.stringify(cornersOf(site))
  return {
    ...(name === site.name ? {} : { name }),
    ...(timezone === (site.timezone ?? "") ? {} : { timezone: timezone === "" ? null : timezone }),
    ...(cents === site.delivery_price_cents ? {} : { delivery_price_cents: cents }),
    ...(Number(ready) === site.ready_ahead_minutes ? {} : { ready_ahead_minutes: Number(ready) }),
    ...((open === "open") === site.is_active ? {} : { is_active: open === "open" }),
    ...(reach === "" ? {} : { reach_km: Number(reach) }),
    ...(isDrawn ? { area: corners.length === 0 ? null : ringOf(corners) } : {}),
  }
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

interface ChangeProps {
  readonly site: Site
  readonly onChanged: () => Promise<void>
}

export function ChangeSite({ site, onChanged }: ChangeProps): JSX.Element {
  const [draft, setDraft] = useState(() => draftOf(site))
  const {
    fault,
    isBusy,
    send: save,
  } = useCommand(async () => {
    await send("PATCH", `/internal/v1/sites/${encodeURIComponent(site.site_id)}`, changeIn(site, draft))
    await onChanged()
  })
  const set = (change: Partial<Draft>): void => setDraft((known) => ({ ...known, ...change }))
  const errorOf = (field: string): string | null => fault?.fields[field] ?? null
  const parts = { draft, set, errorOf }
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
      <TextField label="Name" value={draft.name} onChange={(name) => set({ name })} error={errorOf("name")} />
      <Terms {...parts} />
      <Area
        site={site}
        corners={draft.corners}
        onChange={(corners) => set({ corners })}
        error={errorOf("area")}
      />
    </Fields>
  )
}

interface TermsProps {
  readonly draft: Draft
  readonly set: (change: Partial<Draft>) => void
  readonly errorOf: (field: string) => string | null
}

function Terms({ draft, set, errorOf }: TermsProps): JSX.Element {
  return (
    <div class="fields two">
      <TextField
        label="Price of a delivery, $"
        type="number"
        hint="Live quotes keep theirs."
        value={draft.price}
        onChange={(price) => set({ price })}
        error={errorOf("delivery_price_cents")}
      />
      <TextField
        label="Ready ahead, min"
        type="number"
        hint="How far from now an order may be ready."
        value={draft.ready}
        onChange={(ready) => set({ ready })}
        error={errorOf("ready_ahead_minutes")}
      />
      <TextField
        label="Time zone"
        hint="Such as America/Chicago."
        value={draft.timezone}
        onChange={(timezone) => set({ timezone })}
        error={errorOf("timezone")}
      />
      <SelectField
        label="Deliveries"
        value={draft.open}
        options={[
          ["open", "may start here"],
          ["closed", "none starts here"],
        ]}
        onChange={(open) => set({ open })}
      />
      <TextField
        label="Reach, km"
        type="number"
        hint="A square around the place. Empty: the area stays."
        value={draft.reach}
        onChange={(reach) => set({ reach })}
        error={errorOf("reach_km")}
      />
    </div>
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
