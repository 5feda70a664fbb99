/** A new zone of a site, or a change of one. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { toast } from "../../design/feedback.tsx"
import { SelectField, TextField } from "../../design/field.tsx"
import { useCommand } from "../../resource.ts"
import { api, dataOf } from "../api.ts"
import type { Schemas } from "../api.ts"
import type { Site } from "../sites.ts"
import { changedFields } from "./changed-fields.ts"
import { draftFields } from "./draft-field.ts"
import { FormDialog } from "./form-dialog.tsx"

export type Zone = Schemas["CatalogZone"]

interface ZoneDraft {
  readonly id: string
  readonly name: string
  readonly runner: "no" | "yes"
  /** Degrees; empty: not set. */
  readonly latitude: string
  readonly longitude: string
}

const FIELDS = ["name", "zone_id", "latitude", "longitude"]

interface ZoneFormProps {
  readonly site: Site
  /** Null: a new zone. */
  readonly known: Zone | null
  readonly onClose: () => void
  readonly onSaved: () => Promise<void>
}

export function ZoneForm({ site, known, onClose, onSaved }: ZoneFormProps): JSX.Element {
  const [draft, setDraft] = useState<ZoneDraft>({
    id: "",
    name: known?.name ?? "",
    runner: known?.has_runner === false ? "no" : "yes",
    latitude: degreesOf(known?.latitude),
    longitude: degreesOf(known?.longitude),
  })
  const command = useCommand(async () => {
    await save(site, known, draft)
    toast(known === null ? "Added" : "Saved")
    await onSaved()
  })
  const field = draftFields(draft, setDraft, command)
  return (
    <FormDialog
      title={known === null ? `Add a zone to ${site.name}` : `Change ${known.name}`}
      command={command}
      fields={FIELDS}
      action={known === null ? "Add the zone" : "Save the zone"}
      busy="Saving…"
      onClose={onClose}
    >
      <TextField label="Name" {...field("name", "name")} isFirst />
      {known === null ? (
        <TextField
          label="Id"
          hint="Partners book by it. Empty: one is made. It cannot be changed later."
          {...field("id", "zone_id")}
        />
      ) : null}
      <SelectField
        label="Runner"
        hint="Bookings that were made before a change keep their terms."
        value={draft.runner}
        options={[
          ["yes", "bookings open a runner's task"],
          ["no", "bookings open no task"],
        ]}
        onChange={(runner) => setDraft({ ...draft, runner })}
      />
      <div class="fields two">
        <TextField label="Latitude" type="number" {...field("latitude", "latitude")} />
        <TextField label="Longitude" type="number" {...field("longitude", "longitude")} />
      </div>
    </FormDialog>
  )
}

/** Adds the zone, or changes the known one. */
async function save(site: Site, known: Zone | null, draft: ZoneDraft): Promise<void> {
  const named = { name: draft.name, has_runner: draft.runner === "yes" }
  const place = {
    latitude: draft.latitude === "" ? null : Number(draft.latitude),
    longitude: draft.longitude === "" ? null : Number(draft.longitude),
  }
  if (known === null) {
    const more = { site_id: site.site_id, ...(draft.id === "" ? {} : { zone_id: draft.id }) }
    await dataOf(api.POST("/internal/v1/zones", { body: { ...named, ...place, ...more } }))
    return
  }
  // A place is sent whole.
  const isMoved = place.latitude !== known.latitude || place.longitude !== known.longitude
  const body = { ...changedFields(named, known), ...(isMoved ? place : {}) }
  await dataOf(api.PATCH("/internal/v1/zones/{id}", { params: { path: { id: known.zone_id } }, body }))
}

function degreesOf(value: number | null | undefined): string {
  return value === null || value === undefined ? "" : String(value)
}
