/** Dialogs about a delivery: cancel it, open its compartment, report its status. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import type { ReportedStatus } from "../../../../model/delivery.ts"
import { CANCEL_REASON_LENGTH_MAX } from "../../../../model/values/limits.ts"
import { toast } from "../../design/feedback.tsx"
import { SelectField, TextField } from "../../design/field.tsx"
import { useCommand } from "../../resource.ts"
import { cancelDelivery, openCompartment, reportStatus } from "./calls.ts"
import { Confirmed } from "./move-dialog.tsx"
import type { SendingProps } from "./move-run.tsx"
import type { DeliveryRecord, RunRecord } from "./records.ts"
import { compartmentTrouble, reportWords } from "./words.ts"

interface DeliveryProps extends SendingProps {
  readonly delivery: DeliveryRecord
}

export function CancelDialog({ delivery, onClose, onSent }: DeliveryProps): JSX.Element {
  const [reason, setReason] = useState("")
  const command = useCommand(async () => {
    try {
      await cancelDelivery(delivery.delivery_id, reason.trim())
      toast("The delivery is cancelled")
      onClose()
    } finally {
      onSent()
    }
  })
  return (
    <Confirmed
      title={`Cancel delivery ${delivery.external_delivery_id}`}
      confirm="Cancel the delivery"
      isDanger
      command={command}
      onClose={onClose}
    >
      <p>
        The endpoints of the retailer get the cancellation, and the vehicle goes on with its next run. A
        cancelled delivery is not charged.
      </p>
      <TextField
        label="Reason (optional)"
        hint="The retailer reads it."
        value={reason}
        lengthMax={CANCEL_REASON_LENGTH_MAX}
        onChange={setReason}
      />
    </Confirmed>
  )
}

interface DoorProps extends SendingProps {
  readonly run: Pick<RunRecord, "delivery_id" | "external_delivery_id">
  /** As the board shows it; null where the board does not know the run. */
  readonly shown: RunRecord | null
}

export function DoorDialog({ run, shown, onClose, onSent }: DoorProps): JSX.Element {
  const command = useCommand(async () => {
    try {
      await openCompartment(run.delivery_id)
      toast("The vehicle is asked to open")
      onClose()
    } finally {
      onSent()
    }
  })
  return (
    <Confirmed
      title={`Open the compartment: ${run.external_delivery_id}`}
      confirm="Open the compartment"
      command={command}
      onClose={onClose}
    >
      <p>
        {`${compartmentTrouble(shown) ?? "The vehicle is at the customer's door"}. Make sure that the customer stands beside the vehicle: it opens within some seconds.`}
      </p>
    </Confirmed>
  )
}

/** The delivery passes through the statuses between, and the retailer gets an event for each. */
export function StatusDialog({ delivery, onClose, onSent }: DeliveryProps): JSX.Element {
  const [chosen, setChosen] = useState<ReportedStatus | "">("")
  const command = useCommand(async () => {
    if (chosen === "") return
    try {
      await reportStatus(delivery.delivery_id, chosen)
      toast("The status is reported")
      onClose()
    } finally {
      onSent()
    }
  })
  return (
    <Confirmed
      title={`Report the status of ${delivery.external_delivery_id}`}
      confirm="Report the status"
      isReady={chosen !== ""}
      command={command}
      onClose={onClose}
    >
      <p>
        For what people at the site see and the vehicle does not report. The endpoints of the retailer get
        every status up to this one. A status never goes back.
      </p>
      <SelectField<ReportedStatus | "">
        label="Status"
        value={chosen}
        options={[
          ["", "Choose a status"],
          ...delivery.reportable_statuses.map((status) => [status, reportWords(status)] as const),
        ]}
        onChange={setChosen}
      />
    </Confirmed>
  )
}
