/** A vehicle beside the board: its run with the live estimate, and what can be done with both. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button, ShortId } from "../../design/button.tsx"
import { toast } from "../../design/feedback.tsx"
import { Drawer } from "../../design/overlay.tsx"
import { Pill } from "../../design/pill.tsx"
import { Facts } from "../../design/table.tsx"
import { useCommand } from "../../resource.ts"
import { may } from "../session.ts"
import { openCompartment, setOnline } from "./calls.ts"
import { DrawerPart, InspectorLink } from "./drawer-parts.tsx"
import type { DrawerProps } from "./drawer-parts.tsx"
import { Confirmed } from "./move-dialog.tsx"
import { MoveRun, takersIn } from "./move-run.tsx"
import type { SendingProps } from "./move-run.tsx"
import type { RunRecord, VehicleRecord } from "./records.ts"
import { clockTime, exactLength, lengthOf } from "./times.ts"
import { VEHICLE_WORDS, arrivalWords, compartmentTrouble, stepWords } from "./words.ts"

export function VehicleDrawer({
  vehicle,
  board,
  nowMs,
  onClose,
  onChanged,
}: DrawerProps & { readonly vehicle: VehicleRecord }): JSX.Element {
  const { vehicle_id: id, label, state, run } = vehicle
  const [asked, setAsked] = useState<"door" | "line" | "run" | null>(null)
  const { tone, icon, text } = VEHICLE_WORDS[state]
  const others = takersIn(board, id)
  const close = (): void => setAsked(null)
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
      <DrawerPart>
        <Standing vehicle={vehicle} nowMs={nowMs} timezone={board.timezone} />
      </DrawerPart>
      {may("dispatcher") ? (
        <DrawerPart>
          <div class="moves" role="group" aria-label="Actions">
            {run === null ? null : <RunMoves run={run} hasOthers={others.length > 0} onAsk={setAsked} />}
            <div class="beside">
              <Button look={state === "offline" ? "secondary" : "danger"} onPress={() => setAsked("line")}>
                {state === "offline" ? "Take on line…" : "Take off line…"}
              </Button>
            </div>
          </div>
        </DrawerPart>
      ) : null}
      <InspectorLink group={run === null ? `vehicle/${id}` : `delivery/${run.delivery_id}`} />
      {asked === "run" && run !== null ? (
        <MoveRun run={run} others={others} onClose={close} onSent={onChanged} />
      ) : null}
      {asked === "door" && run !== null ? <DoorDialog run={run} onClose={close} onSent={onChanged} /> : null}
      {asked === "line" ? <LineDialog vehicle={vehicle} onClose={close} onSent={onChanged} /> : null}
    </Drawer>
  )
}

interface RunMovesProps {
  readonly run: RunRecord
  readonly hasOthers: boolean
  readonly onAsk: (what: "door" | "run") => void
}

function RunMoves({ run, hasOthers, onAsk }: RunMovesProps): JSX.Element {
  const isAtDoor = run.compartment !== null
  return (
    <>
      {isAtDoor ? (
        <>
          <Button look="primary" isDisabled={run.compartment === "opening"} onPress={() => onAsk("door")}>
            Open the compartment…
          </Button>
          <p class="consequence">
            The fleet is asked to open it for the customer, without the digits of the phone number.
          </p>
        </>
      ) : null}
      <Button look={isAtDoor ? "secondary" : "primary"} isDisabled={!hasOthers} onPress={() => onAsk("run")}>
        Move the run…
      </Button>
      <p class="consequence">
        {hasOthers
          ? "Another vehicle of the fleet takes it. The estimates move, the promised times stay."
          : "No other vehicle of the fleet is on line."}
      </p>
    </>
  )
}

interface StandingProps {
  readonly vehicle: VehicleRecord
  readonly nowMs: number
  readonly timezone: string | null
}

function Standing({ vehicle, nowMs, timezone }: StandingProps): JSX.Element {
  const { run, queued, last_fix_at: fixAt } = vehicle
  const pickupAt = run?.estimated_pickup_at ?? null
  return (
    <Facts
      facts={[
        ["Run", run === null ? "none" : stepWords(run)],
        ["Compartment", run?.compartment ?? null],
        ["Since", run === null ? null : `${exactLength(nowMs - Date.parse(run.since))} ago`],
        ["At the store", pickupAt === null ? null : clockTime(pickupAt, timezone)],
        ["At the customer", run === null ? null : arrivalWords(run, timezone)],
        ["Runs behind it", String(queued)],
        ["Last fix", fixAt === null ? "none" : `${lengthOf(nowMs - Date.parse(fixAt))} ago`],
      ]}
    />
  )
}

function DoorDialog({ run, onClose, onSent }: SendingProps & { readonly run: RunRecord }): JSX.Element {
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
        {`${compartmentTrouble(run) ?? "The vehicle is at the customer's door"}. Make sure that the customer stands beside the vehicle: it opens within some seconds.`}
      </p>
    </Confirmed>
  )
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
