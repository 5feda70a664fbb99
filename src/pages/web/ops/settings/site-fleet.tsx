/** The vehicles of a site's fleet, as its board knows them, a new one that reports for itself, and how they open. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../design/button.tsx"
import { Skeleton, toast } from "../../design/feedback.tsx"
import { TextField } from "../../design/field.tsx"
import { Pill } from "../../design/pill.tsx"
import { ReadProblem } from "../../portal/pages/problem.tsx"
import { useCommand, useResource } from "../../resource.ts"
import { api, dataOf } from "../api.ts"
import { mayCall } from "../session.ts"
import type { Site } from "../sites.ts"
import { FleetDoors } from "./fleet-doors.tsx"
import { draftFields } from "./draft-field.ts"
import { FormDialog } from "./form-dialog.tsx"

export function SiteFleet({ site }: { readonly site: Site }): JSX.Element {
  const { site_id: id, fleet_id: fleetId } = site
  const [isAdding, setAdding] = useState(false)
  const { data, fault, reload } = useResource(
    () => dataOf(api.GET("/internal/v1/sites/{id}/board", { params: { path: { id } } })),
    [id],
  )
  return (
    <>
      <section aria-labelledby="fleet">
        <div class="section-head">
          <div>
            <h2 id="fleet">Vehicles</h2>
            <p class="small quiet">
              Of the fleet <code>{fleetId}</code>. The board takes them on and off line.
            </p>
          </div>
          {mayCall("addVehicle") ? (
            <Button icon="plus" onPress={() => setAdding(true)}>
              Add a vehicle
            </Button>
          ) : null}
        </div>
        {data === null ? (
          fault === null ? (
            <Skeleton />
          ) : (
            <ReadProblem what="The vehicles" fault={fault} onAgain={reload} />
          )
        ) : data.board.vehicles.length === 0 ? (
          <p class="small quiet">The fleet has no vehicle: quotes say that none is on line.</p>
        ) : (
          <ul class="plain-list">
            {data.board.vehicles.map((vehicle) => (
              <li key={vehicle.vehicle_id}>
                <span>
                  <strong>{vehicle.label}</strong>
                  <span class="under mono">{vehicle.vehicle_id}</span>
                </span>
                {vehicle.state === "offline" ? (
                  <Pill tone="idle" icon="ban">
                    Off line
                  </Pill>
                ) : (
                  <Pill tone="ok" icon="circle-check">
                    On line
                  </Pill>
                )}
              </li>
            ))}
          </ul>
        )}
        {isAdding ? (
          <AddVehicle
            fleetId={fleetId ?? ""}
            onClose={() => setAdding(false)}
            onAdded={async () => {
              setAdding(false)
              await reload()
            }}
          />
        ) : null}
      </section>
      {/* A fleet is known by its vehicles. */}
      {fleetId === null || data === null || data.board.vehicles.length === 0 ? null : (
        <FleetDoors fleetId={fleetId} />
      )}
    </>
  )
}

interface AddVehicleProps {
  /** Filled in; it can be changed. */
  readonly fleetId: string
  readonly onClose: () => void
  readonly onAdded: () => Promise<void> | void
}

export function AddVehicle({ fleetId, onClose, onAdded }: AddVehicleProps): JSX.Element {
  const [draft, setDraft] = useState({ vehicle_id: "", label: "", fleet_id: fleetId })
  const command = useCommand(async () => {
    const label = draft.label === "" ? draft.vehicle_id : draft.label
    await dataOf(api.POST("/internal/v1/vehicles", { body: { ...draft, label } }))
    toast("Added, on line")
    await onAdded()
  })
  const field = draftFields(draft, setDraft, command)
  return (
    <FormDialog
      title="Add a vehicle"
      about="It reports for itself, with its id. It is on line at once and may get runs."
      command={command}
      fields={["vehicle_id", "label", "fleet_id"]}
      action="Add the vehicle"
      busy="Adding…"
      onClose={onClose}
    >
      <TextField
        label="Id"
        hint="As it reports under. An id that is known stays as it is."
        {...field("vehicle_id")}
        isFirst
      />
      <TextField label="Label" hint="For people. Empty: the id." {...field("label")} />
      <TextField label="Fleet" {...field("fleet_id")} />
    </FormDialog>
  )
}
