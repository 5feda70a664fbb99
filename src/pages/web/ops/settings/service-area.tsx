/** The service area of a site: drawn on the map, with the areas of other sites that share ground with it. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import type { MapPoint } from "../../../html/map/projection.ts"
import { AreaEditor } from "../../components/area-editor.tsx"
import { PlaceMap } from "../../components/place-map.tsx"
import { Button } from "../../design/button.tsx"
import { toast } from "../../design/feedback.tsx"
import { TextField } from "../../design/field.tsx"
import { Fields } from "../../portal/pages/form.tsx"
import { useCommand } from "../../resource.ts"
import { api, dataOf } from "../api.ts"
import { mayCall } from "../session.ts"
import type { Site } from "../sites.ts"
import { FormProblem } from "./form-problem.tsx"
import type { SiteOverlap } from "./site-draft.ts"

interface ServiceAreaProps {
  readonly site: Site
  readonly areaKm2: number | null
  readonly overlaps: readonly SiteOverlap[]
  readonly onChanged: () => Promise<void>
}

export function ServiceArea(props: ServiceAreaProps): JSX.Element {
  const { site, areaKm2, overlaps } = props
  return (
    <section aria-labelledby="service-area">
      <div class="section-head">
        <h2 id="service-area">Service area</h2>
        <span class="small quiet">{areaKm2 === null ? "not set" : `${areaKm2} km²`}</span>
      </div>
      <div class="area-and-overlaps">
        {site.latitude === null || site.longitude === null ? (
          <p class="small quiet">The site has no place on the map. Give it an address or degrees first.</p>
        ) : mayCall("changeSite") ? (
          <AreaForm key={JSON.stringify(site.area)} {...props} />
        ) : (
          <PlaceMap
            label={`The service area of ${site.name}`}
            places={[{ kind: "store", name: site.name, latitude: site.latitude, longitude: site.longitude }]}
            area={outlineOf(site.area)}
          />
        )}
        <Overlaps overlaps={overlaps} hasArea={areaKm2 !== null} organizationId={site.organization_id} />
      </div>
    </section>
  )
}

function AreaForm({ site, overlaps, onChanged }: ServiceAreaProps): JSX.Element {
  const { site_id: id, name, latitude, longitude, area } = site
  const [corners, setCorners] = useState(() => outlineOf(area))
  const [reach, setReach] = useState("")
  const isDrawn = JSON.stringify(corners) !== JSON.stringify(outlineOf(area))
  const { fault, isBusy, send } = useCommand(async () => {
    const drawn = corners.length === 0 ? null : ringOf(corners)
    const body = reach === "" ? { area: drawn } : { reach_km: Number(reach) }
    await dataOf(api.PATCH("/internal/v1/sites/{id}", { params: { path: { id } }, body }))
    toast("The area holds for quotes from now on")
    await onChanged()
  })
  return (
    <Fields
      onSend={send}
      actions={
        <Button
          look="primary"
          type="submit"
          isBusy={isBusy}
          isDisabled={(!isDrawn && reach === "") || (isDrawn && reach !== "")}
        >
          {isBusy ? "Saving…" : "Save the area"}
        </Button>
      }
    >
      <FormProblem fault={fault} fields={["reach_km"]} />
      <p class="small quiet">
        Press on the map to add a corner, drag one to move it.
        {(area?.length ?? 0) > 1 ? " The area has a hole, which a new outline removes." : ""}
      </p>
      <AreaEditor
        place={{ kind: "store", name, latitude: latitude ?? 0, longitude: longitude ?? 0 }}
        corners={corners}
        onChange={setCorners}
        others={overlaps.map((one, at) => ({ letter: letterOf(at), corners: outlineOf(one.area) }))}
      />
      <TextField
        label="Reach, km"
        type="number"
        hint="Instead of a drawn area: a square around the place."
        value={reach}
        onChange={setReach}
        error={fault?.fields["reach_km"] ?? null}
      />
    </Fields>
  )
}

interface OverlapsProps {
  readonly overlaps: readonly SiteOverlap[]
  readonly hasArea: boolean
  readonly organizationId: string | null
}

function Overlaps({ overlaps, hasArea, organizationId }: OverlapsProps): JSX.Element {
  return (
    <div>
      <h3>Overlaps</h3>
      {overlaps.length === 0 ? (
        <p class="small quiet">
          {hasArea
            ? "No other site serves a part of this area."
            : "Without an area there is nothing to share."}
        </p>
      ) : (
        <ul class="plain-list">
          {overlaps.map((one, at) => (
            <li key={one.site_id}>
              <span>
                <strong>{letterOf(at)}</strong>{" "}
                <a href={`/ops/settings/sites/${encodeURIComponent(one.site_id)}`}>{one.name}</a>
                <span class="under">
                  {one.is_active ? "" : "closed, "}
                  {whose(one.organization_id, organizationId)}
                </span>
              </span>
              <span class="number">
                {one.area_km2} km²
                <span class="under">{percent(one.share)} of this area</span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function whose(other: string | null, own: string | null): string {
  if (other === null) return "reservations only"
  return other === own ? "of the same organization" : "of another organization"
}

function letterOf(at: number): string {
  return String.fromCodePoint(65 + at)
}

function percent(share: number): string {
  const whole = Math.round(share * 100)
  return whole === 0 ? "less than 1 %" : `${whole} %`
}

/** The corners of the outline, without the last one, which repeats the first. */
function outlineOf(area: Site["area"]): readonly MapPoint[] {
  const [outline = []] = area ?? []
  return outline.slice(0, -1).map(([longitude, latitude]) => ({ latitude, longitude }))
}

/** A GeoJSON polygon of one ring, which ends where it begins. */
function ringOf(corners: readonly MapPoint[]): [number, number][][] {
  const ring = corners.map(({ latitude, longitude }): [number, number] => [longitude, latitude])
  return [[...ring, ...ring.slice(0, 1)]]
}
