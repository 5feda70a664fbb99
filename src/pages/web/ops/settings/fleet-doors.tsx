/** How the compartments of a fleet's vehicles are opened at a customer's door: URL, signing secret, and what customers read. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { FLEET_INSTRUCTION_LENGTH_MAX, URL_LENGTH_MAX } from "../../../../model/values/limits.ts"
import { Button } from "../../design/button.tsx"
import { Skeleton, toast } from "../../design/feedback.tsx"
import { TextField } from "../../design/field.tsx"
import { Facts } from "../../design/table.tsx"
import { ReadProblem } from "../../portal/pages/problem.tsx"
import { useCommand, useResource } from "../../resource.ts"
import { api, dataOf } from "../api.ts"
import type { Schemas } from "../api.ts"
import { mayCall } from "../session.ts"
import { changedFields } from "./changed-fields.ts"
import { Confirm } from "./confirm.tsx"
import { draftFields } from "./draft-field.ts"
import { FormDialog } from "./form-dialog.tsx"
import { ShownOnce } from "./shown-once.tsx"

type Fleet = Schemas["Fleet"]

/** Nothing for operators who may not read it, such as those of some sites: a fleet may serve others. */
export function FleetDoors({ fleetId }: { readonly fleetId: string }): JSX.Element | null {
  return mayCall("readFleet") ? <Doors fleetId={fleetId} /> : null
}

function Doors({ fleetId }: { readonly fleetId: string }): JSX.Element {
  const [open, setOpen] = useState<"change" | "rotate" | null>(null)
  const path = { id: fleetId }
  const { data, fault, reload } = useResource(
    () => dataOf(api.GET("/internal/v1/fleets/{id}", { params: { path } })),
    [fleetId],
  )
  return (
    <section aria-labelledby="doors">
      <div class="section-head">
        <div>
          <h2 id="doors">Compartments</h2>
          <p class="small quiet">
            How a customer gets the order out of a vehicle of the fleet <code>{fleetId}</code>, at every site
            that it serves.
          </p>
        </div>
        {data !== null && mayCall("changeFleet") ? (
          <Button onPress={() => setOpen("change")}>Change…</Button>
        ) : null}
      </div>
      {data === null ? (
        fault === null ? (
          <Skeleton />
        ) : (
          <ReadProblem what="How compartments are opened" fault={fault} onAgain={reload} />
        )
      ) : (
        <DoorFacts fleet={data.fleet} onRotate={() => setOpen("rotate")} />
      )}
      {data === null ? null : (
        <DoorDialogs fleet={data.fleet} open={open} onClose={() => setOpen(null)} onChanged={reload} />
      )}
    </section>
  )
}

interface DoorDialogsProps {
  readonly fleet: Fleet
  readonly open: "change" | "rotate" | null
  readonly onClose: () => void
  readonly onChanged: () => Promise<void>
}

function DoorDialogs({ fleet, open, onClose, onChanged }: DoorDialogsProps): JSX.Element {
  const [secret, setSecret] = useState<string | null>(null)
  const { fleet_id: id } = fleet
  const rotate = async (): Promise<void> => {
    const path = { id }
    const made = await dataOf(api.POST("/internal/v1/fleets/{id}/open-secret", { params: { path } }))
    onClose()
    setSecret(made.fleet.open_secret)
    await onChanged()
  }
  const saved = async (after: Fleet): Promise<void> => {
    onClose()
    toast("Saved")
    if (fleet.open_secret === null) setSecret(after.open_secret)
    await onChanged()
  }
  return (
    <>
      {open === "change" ? <ChangeDoors fleet={fleet} onClose={onClose} onChanged={saved} /> : null}
      {open === "rotate" ? (
        <Confirm
          title="Make a new signing secret?"
          happens={[
            "Calls to the URL are signed with the new secret from now on.",
            "Vehicles do not open until the fleet checks with it.",
          ]}
          action="Make a new secret"
          busy="Making…"
          onConfirm={rotate}
          onClose={onClose}
        />
      ) : null}
      {secret === null ? null : (
        <ShownOnce
          title="Copy the signing secret now"
          noun="secret"
          value={secret}
          kept="The service keeps it encrypted, and shows its last four characters."
          facts={[
            ["Fleet", id],
            ["Signs", "the calls that open compartments, as webhooks are signed"],
          ]}
          onClose={() => setSecret(null)}
        />
      )}
    </>
  )
}

interface DoorFactsProps {
  readonly fleet: Fleet
  readonly onRotate: () => void
}

function DoorFacts({ fleet, onRotate }: DoorFactsProps): JSX.Element {
  const { open_url: url, open_secret: secret, instruction } = fleet
  return (
    <Facts
      facts={[
        [
          "URL that opens",
          url === null ? "None: the tracking page has no button, only the instruction" : <code>{url}</code>,
        ],
        [
          "Signing secret",
          secret === null ? null : (
            <span class="row">
              <code>{secret}</code>
              {mayCall("rotateFleetSecret") ? <Button onPress={onRotate}>New secret…</Button> : null}
            </span>
          ),
        ],
        ["Instruction", instruction || "The usual words"],
      ]}
    />
  )
}

interface ChangeDoorsProps {
  readonly fleet: Fleet
  readonly onClose: () => void
  readonly onChanged: (after: Fleet) => Promise<void>
}

function ChangeDoors({ fleet, onClose, onChanged }: ChangeDoorsProps): JSX.Element {
  const { fleet_id: id, open_url: url, instruction } = fleet
  const [draft, setDraft] = useState({ open_url: url ?? "", instruction: instruction ?? "" })
  const command = useCommand(async () => {
    const body = changedFields(
      { open_url: textOrNull(draft.open_url), instruction: textOrNull(draft.instruction) },
      fleet,
    )
    const after = await dataOf(api.PATCH("/internal/v1/fleets/{id}", { params: { path: { id } }, body }))
    await onChanged(after.fleet)
  })
  const field = draftFields(draft, setDraft, command)
  return (
    <FormDialog
      title="How compartments are opened"
      about="At the door the customer types the last four digits of the phone number; then the service calls the URL."
      command={command}
      fields={["open_url", "instruction"]}
      action="Save"
      busy="Saving…"
      onClose={onClose}
    >
      <TextField
        label="URL that opens"
        hint="Empty: customers get the instruction alone."
        lengthMax={URL_LENGTH_MAX}
        {...field("open_url")}
        isFirst
      />
      <TextField
        label="Instruction"
        hint="For customers, in one or two sentences. Empty: the usual words."
        lengthMax={FLEET_INSTRUCTION_LENGTH_MAX}
        {...field("instruction")}
      />
    </FormDialog>
  )
}

function textOrNull(text: string): string | null {
  return text.trim() === "" ? null : text.trim()
}
