/** A delivery beside the board: who carries it, when it arrives, and what can be done. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button, ShortId } from "../../design/button.tsx"
import { Banner, Failure, Skeleton } from "../../design/feedback.tsx"
import { Drawer } from "../../design/overlay.tsx"
import { Facts } from "../../design/table.tsx"
import { DeliveryPill } from "../../portal/words.tsx"
import { useCommand } from "../../resource.ts"
import { may } from "../session.ts"
import { showDeliveryContact } from "./calls.ts"
import { cardNowMs } from "./card-clock.ts"
import { DeliveryActions } from "./delivery-actions.tsx"
import { standingFacts, useDelivery } from "./delivery-standing.tsx"
import { CustomerContact, DrawerPart, InspectorLink, clockFact } from "./drawer-parts.tsx"
import type { DrawerProps } from "./drawer-parts.tsx"
import { MomentPart } from "./moment/moment-part.tsx"
import type { ContactRecord, DeliveryRecord } from "./records.ts"
import { Timeline } from "./timeline.tsx"
import { dayClock } from "./times.ts"

export function DeliveryDrawer({
  id,
  board,
  nowMs: serviceMs,
  onOpen,
  onClose,
  onChanged,
}: Omit<DrawerProps, "opened"> & { readonly id: string }): JSX.Element {
  const { delivery, timeline, reload } = useDelivery(id)
  const { data, fault } = delivery
  const nowMs = data === null ? serviceMs : cardNowMs(data, data, serviceMs)
  const sent = (): void => {
    reload()
    onChanged()
  }
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
            action={<Button onPress={reload}>Try again</Button>}
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
              timezone={board.timezone}
              nowMs={nowMs}
              onVehicle={() => onOpen({ kind: "vehicle", id: data.vehicle_id })}
            />
          </DrawerPart>
          {may("dispatcher") ? (
            <DrawerPart>
              <DeliveryActions delivery={data} board={board} onSent={sent} />
            </DrawerPart>
          ) : null}
          <DrawerPart title="What happened" action={<InspectorLink group={`delivery/${id}`} />}>
            <Timeline read={timeline} timezone={board.timezone} nowMs={nowMs} />
          </DrawerPart>
          {isLate(data, nowMs) ? (
            <MomentPart of={{ kind: "delivery", id }} timezone={board.timezone} nowMs={nowMs} />
          ) : null}
          {may("dispatcher") ? (
            <DrawerPart>
              <Contact id={id} />
            </DrawerPart>
          ) : null}
        </>
      )}
    </Drawer>
  )
}

/** It was not at its door by the quoted time. */
function isLate({ delivery_eta: promised, completed_at: completed }: DeliveryRecord, nowMs: number): boolean {
  return Date.parse(promised) < (completed === null ? nowMs : Date.parse(completed))
}

interface StandingProps {
  readonly delivery: DeliveryRecord
  readonly timezone: string | null
  readonly nowMs: number
  readonly onVehicle: () => void
}

function Standing({ delivery, timezone, nowMs, onVehicle }: StandingProps): JSX.Element {
  const { vehicle_id: vehicleId, vehicle_label: label, delivery_eta: promised } = delivery
  const { completed_at: completed, cancelled_at: cancelled } = delivery
  const at = (instant: string | null): string | null =>
    instant === null ? null : dayClock(instant, timezone, nowMs)
  return (
    <Facts
      facts={[
        ...standingFacts(delivery, { timezone, nowMs }),
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
        clockFact(delivery, delivery, { timezone, nowMs }),
      ]}
    />
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
