/** A vehicle beside the board: its run with the live estimate, and what can be done with both. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button, ShortId } from "../../design/button.tsx"
import { Failure, Skeleton, toast } from "../../design/feedback.tsx"
import { Drawer } from "../../design/overlay.tsx"
import { Pill } from "../../design/pill.tsx"
import { Facts } from "../../design/table.tsx"
import { useCommand } from "../../resource.ts"
import { may } from "../session.ts"
import { setOnline } from "./calls.ts"
import { cardNowMs } from "./card-clock.ts"
import { DeliveryActions } from "./delivery-actions.tsx"
import { standingFacts, useDelivery } from "./delivery-standing.tsx"
import { DrawerPart, InspectorLink } from "./drawer-parts.tsx"
import type { DrawerProps, Fact } from "./drawer-parts.tsx"
import { Confirmed } from "./move-dialog.tsx"
import type { SendingProps } from "./move-run.tsx"
import type { RunRecord, VehicleRecord } from "./records.ts"
import { Timeline } from "./timeline.tsx"
import { dayClock, lengthOf } from "./times.ts"
import { VEHICLE_WORDS, arrivalWords, batteryWords, stepWords } from "./words.ts"

export function VehicleDrawer(props: DrawerProps & { readonly vehicle: VehicleRecord }): JSX.Element {
  const { vehicle, nowMs, onClose, onChanged } = props
  const { vehicle_id: id, label, state, run } = vehicle
  const [asksLine, setAsksLine] = useState(false)
  const { tone, icon, text } = VEHICLE_WORDS[state]
  return (
    <Drawer title={run === null ? label : `${label}, ${run.external_delivery_id}`} onClose={onClose}>
      <p class="drawer-id">
        Vehicle <ShortId id={id} label="Copy the vehicle id" />
      </p>
      <p class="pills">
        <Pill tone={tone} icon={icon}>
          {text}
        </Pill>
      </p>
      {run === null ? (
        <DrawerPart>
          <Facts facts={vehicleFacts(vehicle, nowMs)} />
        </DrawerPart>
      ) : (
        <Run run={run} {...props} />
      )}
      {may("dispatcher") ? (
        <DrawerPart>
          <div class="beside">
            <Button look={state === "offline" ? "secondary" : "danger"} onPress={() => setAsksLine(true)}>
              {state === "offline" ? "Take on line…" : "Take off line…"}
            </Button>
          </div>
        </DrawerPart>
      ) : null}
      {run === null ? <InspectorLink group={`vehicle/${id}`} /> : null}
      {asksLine ? (
        <LineDialog vehicle={vehicle} onClose={() => setAsksLine(false)} onSent={onChanged} />
      ) : null}
    </Drawer>
  )
}

interface RunProps extends DrawerProps {
  readonly vehicle: VehicleRecord
  readonly run: RunRecord
}

/** The run that the vehicle does now. */
function Run({ vehicle, run, board, nowMs: serviceMs, onOpen, onChanged }: RunProps): JSX.Element {
  const { delivery_id: id, external_delivery_id: order, estimated_pickup_at: pickupAt } = run
  const { timezone } = board
  const nowMs = cardNowMs(run, board, serviceMs)
  const { delivery, timeline, reload } = useDelivery(id)
  const { data, fault } = delivery
  return (
    <>
      <DrawerPart>
        <Facts
          facts={[
            ...(data === null ? [] : standingFacts(data, { timezone, nowMs })),
            [
              "Run",
              <>
                <button type="button" class="link-button" onClick={() => onOpen({ kind: "delivery", id })}>
                  {order}
                </button>
                , {stepWords(run)}
              </>,
            ],
            ["Compartment", run.compartment],
            ["At the store", pickupAt === null ? null : dayClock(pickupAt, timezone, nowMs)],
            ["At the customer", arrivalWords(run, timezone)],
            ...vehicleFacts(vehicle, serviceMs),
          ]}
        />
      </DrawerPart>
      {data === null ? (
        fault === null ? (
          <Skeleton lines={4} />
        ) : (
          <Failure
            title="The run could not be read"
            failure={fault}
            action={<Button onPress={reload}>Try again</Button>}
          />
        )
      ) : may("dispatcher") ? (
        <DrawerPart>
          <DeliveryActions
            delivery={data}
            board={board}
            onSent={() => {
              reload()
              onChanged()
            }}
          />
        </DrawerPart>
      ) : null}
      <DrawerPart title="What happened to its run" action={<InspectorLink group={`delivery/${id}`} />}>
        <Timeline read={timeline} timezone={timezone} nowMs={nowMs} />
      </DrawerPart>
    </>
  )
}

function vehicleFacts(vehicle: VehicleRecord, nowMs: number): readonly Fact[] {
  const { queued, last_fix_at: fixAt, battery_percent: percent } = vehicle
  return [
    ["Runs behind it", String(queued)],
    ["Last fix", fixAt === null ? "none" : `${lengthOf(nowMs - Date.parse(fixAt))} ago`],
    ...(percent === null ? [] : [["Battery", batteryWords(percent)] as const]),
  ]
}

function LineDialog({
  vehicle,
  onClose,
  onSent,
}: SendingProps & { readonly vehicle: VehicleRecord }): JSX.Element {
  const { vehicle_id: id, label, state } = vehicle
  const isOnline = state !== "offline"
  const command = useCommand(async () => {
    try {
      await setOnline(id, !isOnline)
      toast(isOnline ? `${label} is off line` : `${label} is on line`)
      onClose()
    } finally {
      onSent()
    }
  })
  return (
    <Confirmed
      title={isOnline ? `Take ${label} off line` : `Take ${label} on line`}
      confirm={isOnline ? "Take off line" : "Take on line"}
      isDanger={isOnline}
      command={command}
      onClose={onClose}
    >
      <p>
        {isOnline
          ? "It gets no new runs. The runs that it has stay with it until you move them."
          : "It gets new runs again."}
      </p>
    </Confirmed>
  )
}
