/** The stalls of a zone: added by their labels, renamed, and given to bookings or not. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../design/button.tsx"
import { toast } from "../../design/feedback.tsx"
import { TextField } from "../../design/field.tsx"
import { Menu } from "../../design/overlay.tsx"
import { Pill } from "../../design/pill.tsx"
import { Table } from "../../design/table.tsx"
import { useCommand } from "../../resource.ts"
import { api, dataOf } from "../api.ts"
import type { Schemas } from "../api.ts"
import { mayCall } from "../session.ts"
import { Confirm } from "./confirm.tsx"
import { FormDialog } from "./form-dialog.tsx"
import { Form } from "../../design/form.tsx"

export type Stall = Schemas["CatalogStall"]
type Zone = Schemas["CatalogZone"]

interface StallsProps {
  readonly zone: Zone
  readonly stalls: readonly Stall[]
  readonly onChanged: () => Promise<void>
}

async function change(stall: Stall, body: { label?: string | null; is_active?: boolean }): Promise<void> {
  const params = { path: { id: stall.stall_id } }
  await dataOf(api.PATCH("/internal/v1/stalls/{id}", { params, body }))
}

function nameOf({ label, stall_id: id }: Stall): string {
  return label || id
}

export function Stalls({ zone, stalls, onChanged }: StallsProps): JSX.Element {
  const [renamed, setRenamed] = useState<Stall | null>(null)
  const [toggled, setToggled] = useState<Stall | null>(null)
  const done = async (text: string): Promise<void> => {
    setRenamed(null)
    setToggled(null)
    toast(text)
    await onChanged()
  }
  return (
    <div>
      <h4>Stalls</h4>
      {stalls.length === 0 ? (
        <p class="small quiet">None yet. A booking needs one.</p>
      ) : (
        <StallTable zone={zone} stalls={stalls} onRename={setRenamed} onToggle={setToggled} />
      )}
      {mayCall("addStall") ? <AddStalls zone={zone} onChanged={onChanged} /> : null}
      {renamed === null ? null : (
        <RenameStall
          stall={renamed}
          onClose={() => setRenamed(null)}
          onSaved={() => done("The label is changed")}
        />
      )}
      {toggled === null ? null : (
        <ToggleStall
          stall={toggled}
          onClose={() => setToggled(null)}
          onToggled={() => done(toggled.is_active ? "Out of use" : "In use")}
        />
      )}
    </div>
  )
}

interface StallTableProps extends Omit<StallsProps, "onChanged"> {
  readonly onRename: (stall: Stall) => void
  readonly onToggle: (stall: Stall) => void
}

function StallTable({ zone, stalls, onRename, onToggle }: StallTableProps): JSX.Element {
  return (
    <Table
      label={`Stalls of ${zone.name}`}
      rows={stalls}
      keyOf={({ stall_id: id }) => id}
      columns={[
        {
          name: "Label",
          sortBy: nameOf,
          cell: ({ label }) => <span class="main">{label || "no label"}</span>,
        },
        { name: "Id", cell: ({ stall_id: id }) => <span class="mono tiny">{id}</span> },
        { name: "State", cell: (stall) => <StallState stall={stall} /> },
        {
          name: "",
          isEnd: true,
          cell: (stall) =>
            mayCall("changeStall") ? (
              <Menu
                label={`Actions for stall ${nameOf(stall)}`}
                icon="ellipsis"
                look="quiet"
                isSmall
                items={[
                  { name: "Change its label", onChoose: () => onRename(stall) },
                  {
                    name: stall.is_active ? "Take it out of use" : "Put it into use again",
                    onChoose: () => onToggle(stall),
                  },
                ]}
              />
            ) : null,
        },
      ]}
    />
  )
}

interface ToggleStallProps {
  readonly stall: Stall
  readonly onClose: () => void
  readonly onToggled: () => Promise<void>
}

function ToggleStall({ stall, onClose, onToggled }: ToggleStallProps): JSX.Element {
  const name = nameOf(stall)
  const isEnding = stall.is_active
  return (
    <Confirm
      title={isEnding ? `Take stall ${name} out of use?` : `Put stall ${name} into use again?`}
      happens={
        isEnding
          ? ["No booking gets it from now on.", "Bookings that have it keep it."]
          : ["Bookings may get it from now on."]
      }
      action={isEnding ? "Take it out of use" : "Put it into use"}
      busy="Changing…"
      isSafe={!isEnding}
      onConfirm={async () => {
        await change(stall, { is_active: !isEnding })
        await onToggled()
      }}
      onClose={onClose}
    />
  )
}

function StallState({ stall }: { readonly stall: Stall }): JSX.Element {
  return stall.is_active ? (
    <Pill tone="ok" icon="circle-check">
      In use
    </Pill>
  ) : (
    <Pill tone="idle" icon="ban">
      Out of use
    </Pill>
  )
}

/** One request for each label. What is refused stays in the field, with what follows it. */
function AddStalls({ zone, onChanged }: Omit<StallsProps, "stalls">): JSX.Element {
  const [labels, setLabels] = useState("")
  const { fault, isBusy, send } = useCommand(async () => {
    const wanted = labels.split(",").flatMap((label) => (label.trim() === "" ? [] : [label.trim()]))
    try {
      while (wanted[0] !== undefined) {
        await dataOf(api.POST("/internal/v1/stalls", { body: { zone_id: zone.zone_id, label: wanted[0] } }))
        wanted.shift()
      }
    } finally {
      setLabels(wanted.join(", "))
      await onChanged()
    }
  })
  return (
    <Form look="inline-form" onSend={send}>
      <TextField
        label={`New stalls in ${zone.name}`}
        hint="Labels, separated by commas."
        value={labels}
        onChange={setLabels}
        error={fault === null ? null : (fault.fields["label"] ?? fault.message)}
      />
      <Button icon="plus" type="submit" isBusy={isBusy} isDisabled={labels.trim() === ""}>
        Add
      </Button>
    </Form>
  )
}

interface RenameStallProps {
  readonly stall: Stall
  readonly onClose: () => void
  readonly onSaved: () => Promise<void>
}

function RenameStall({ stall, onClose, onSaved }: RenameStallProps): JSX.Element {
  const [label, setLabel] = useState(stall.label ?? "")
  const command = useCommand(async () => {
    await change(stall, { label: label === "" ? null : label })
    await onSaved()
  })
  return (
    <FormDialog
      title={`The label of stall ${nameOf(stall)}`}
      command={command}
      fields={["label"]}
      action="Save the label"
      busy="Saving…"
      onClose={onClose}
    >
      <TextField
        label="Label"
        hint="As it stands at the curb. Empty: none."
        value={label}
        onChange={setLabel}
        error={command.fault?.fields["label"] ?? null}
        isFirst
      />
    </FormDialog>
  )
}
