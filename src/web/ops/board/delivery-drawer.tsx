/** A delivery beside the board: who carries it, when it arrives, and what can be done. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { isFinal } from "../../../model/delivery.ts"
import { CANCEL_REASON_LENGTH_MAX } from "../../../model/limits.ts"
import { Button, ShortId } from "../../design/button.tsx"
import { Banner, Failure, Skeleton, toast } from "../../design/feedback.tsx"
import { TextField } from "../../design/field.tsx"
import { Drawer } from "../../design/overlay.tsx"
import { Facts } from "../../design/table.tsx"
import { DeliveryPill } from "../../portal/words.tsx"
import { useCommand, useRefresh, useResource } from "../../resource.ts"
import { may } from "../session.ts"
import { cancelDelivery, readDelivery, showDeliveryContact } from "./calls.ts"
import { CustomerContact, DrawerPart, InspectorLink } from "./drawer-parts.tsx"
import type { DrawerProps } from "./drawer-parts.tsx"
import { Confirmed } from "./move-dialog.tsx"
import { MoveRun, takersIn } from "./move-run.tsx"
import type { SendingProps } from "./move-run.tsx"
import type { ContactRecord, DeliveryRecord } from "./records.ts"
import { clockTime } from "./times.ts"

/** ms; the board's stream tells of the runs that vehicles do now, not of those behind them */
const REFRESH_MS = 5_000

export function DeliveryDrawer({
  id,
  board,
  onOpen,
  onClose,
  onChanged,
}: Omit<DrawerProps, "nowMs" | "opened"> & { readonly id: string }): JSX.Element {
  const { data, fault, reload } = useResource(() => readDelivery(id), [id])
  useRefresh(reload, REFRESH_MS)
  const group = `delivery/${id}`
  return (
    <Drawer title={data === null ? "Delivery" : `Delivery ${data.external_delivery_id}`} onClose={onClose}>
      <p class="drawer-id">
        Delivery <ShortId id={id} label="Copy the delivery id" />
      </p>
      {data === null ? (
        fault === null ? (
          <Skeleton lines={6} />
        ) : (
          <Failure
            title="The delivery could not be read"
            failure={fault}
            action={<Button onPress={() => void reload()}>Try again</Button>}
          />
        )
      ) : (
        <>
          <p class="pills">
            <DeliveryPill status={data.status} />
          </p>
          <DrawerPart>
            <Standing
              delivery={data}
              zone={board.timezone}
              onVehicle={() => onOpen({ kind: "vehicle", id: data.vehicle_id })}
            />
          </DrawerPart>
          {may("dispatcher") ? (
            <Actions
              delivery={data}
              board={board}
              onSent={() => {
                void reload()
                onChanged()
              }}
            />
          ) : null}
          {may("dispatcher") ? (
            <DrawerPart>
              <Contact id={id} />
            </DrawerPart>
          ) : null}
        </>
      )}
      <InspectorLink group={group} />
    </Drawer>
  )
}

interface StandingProps {
  readonly delivery: DeliveryRecord
  readonly zone: string | null
  readonly onVehicle: () => void
}

function Standing({ delivery, zone, onVehicle }: StandingProps): JSX.Element {
  const { vehicle_id: vehicleId, vehicle_label: label, delivery_eta: promised } = delivery
  const { completed_at: completed, cancelled_at: cancelled } = delivery
  const at = (instant: string | null): string | null => (instant === null ? null : clockTime(instant, zone))
  return (
    <Facts
      facts={[
        [
          "Vehicle",
          <button type="button" class="link-button" onClick={onVehicle}>
            {label ?? vehicleId}
          </button>,
        ],
        ["Order ready by", at(delivery.ready_by)],
        ["At the store", at(delivery.estimated_pickup_at)],
        ["At the customer", at(delivery.estimated_delivery_at)],
        ["Promised", at(promised)],
        ["Completed", at(completed)],
        ["Cancelled", at(cancelled)],
      ]}
    />
  )
}

interface ActionsProps extends Pick<DrawerProps, "board"> {
  readonly delivery: DeliveryRecord
  readonly onSent: () => void
}

function Actions({ delivery, board, onSent }: ActionsProps): JSX.Element {
  const [asked, setAsked] = useState<"cancel" | "move" | null>(null)
  const others = takersIn(board, delivery.vehicle_id)
  const close = (): void => setAsked(null)
  if (isFinal(delivery.status)) {
    return (
      <DrawerPart>
        <p class="faint">Nothing can be done in this state.</p>
      </DrawerPart>
    )
  }
  return (
    <DrawerPart>
      <div class="moves" role="group" aria-label="Actions">
        <Button look="primary" isDisabled={others.length === 0} onPress={() => setAsked("move")}>
          Move the run…
        </Button>
        <p class="consequence">
          {others.length === 0
            ? "No other vehicle of the fleet is on line."
            : "Another vehicle of the fleet takes it. The estimates move, the promised times stay."}
        </p>
        {delivery.is_errand ? null : (
          <div class="beside">
            <Button look="danger" onPress={() => setAsked("cancel")}>
              Cancel…
            </Button>
          </div>
        )}
      </div>
      {asked === "move" ? <MoveRun run={delivery} others={others} onClose={close} onSent={onSent} /> : null}
      {asked === "cancel" ? <CancelDialog delivery={delivery} onClose={close} onSent={onSent} /> : null}
    </DrawerPart>
  )
}

function CancelDialog({
  delivery,
  onClose,
  onSent,
}: SendingProps & { readonly delivery: DeliveryRecord }): JSX.Element {
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

function Contact({ id }: { readonly id: string }): JSX.Element {
  const [contact, setContact] = useState<ContactRecord | null>(null)
  const show = useCommand(async () => setContact(await showDeliveryContact(id)))
  return (
    <>
      <Facts facts={[["Customer", <CustomerContact contact={contact} show={show} />]]} />
      {contact === null ? <p class="tiny faint">The audit log keeps who looked.</p> : null}
      {show.fault === null ? null : <Banner tone="bad">{show.fault.message}</Banner>}
    </>
  )
}
