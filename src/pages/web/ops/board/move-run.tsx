/** Moves a run to another vehicle of the site's fleet. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { toast } from "../../design/feedback.tsx"
import { SelectField } from "../../design/field.tsx"
import { useCommand } from "../../resource.ts"
import { moveRun } from "./calls.ts"
import { Confirmed } from "./move-dialog.tsx"
import type { BoardRecord, RunRecord, VehicleRecord } from "./records.ts"
import { VEHICLE_WORDS } from "./words.ts"

/** The vehicles that are on line, without the one that has the run. */
export function takersIn({ vehicles }: BoardRecord, carrierId: string): readonly VehicleRecord[] {
  return vehicles.filter((one) => one.vehicle_id !== carrierId && one.state !== "offline")
}

export interface SendingProps {
  readonly onClose: () => void
  readonly onSent: () => void
}

/** The service refuses a vehicle without a free place. */
export function MoveRun({
  run,
  others,
  onClose,
  onSent,
}: SendingProps & {
  readonly run: Pick<RunRecord, "delivery_id" | "external_delivery_id">
  readonly others: readonly VehicleRecord[]
}): JSX.Element {
  const [to, setTo] = useState("")
  const command = useCommand(async () => {
    try {
      await moveRun(run.delivery_id, to)
      toast("The run is moved")
      onClose()
    } finally {
      onSent()
    }
  })
  return (
    <Confirmed
      title={`Move ${run.external_delivery_id}`}
      confirm="Move the run"
      isReady={to !== ""}
      command={command}
      onClose={onClose}
    >
      <p>
        The vehicle that you choose takes the run behind its own. The service refuses if it has no free place.
        An order that is on board has to be put into it.
      </p>
      <SelectField
        label="Vehicle"
        value={to}
        options={[
          ["", "Choose a vehicle"],
          ...others.map(
            ({ vehicle_id, label, state, queued, run: own }) =>
              [
                vehicle_id,
                `${label}: ${VEHICLE_WORDS[state].text.toLowerCase()}, ${queued + (own === null ? 0 : 1)} runs`,
              ] as const,
          ),
        ]}
        onChange={setTo}
      />
    </Confirmed>
  )
}
