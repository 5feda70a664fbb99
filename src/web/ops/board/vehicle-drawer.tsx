/** A vehicle beside the board: its run with the live estimate, and what can be done with both. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button, ShortId } from "../../design/button.tsx"
import { toast } from "../../design/feedback.tsx"
import { SelectField } from "../../design/field.tsx"
import { Drawer } from "../../design/overlay.tsx"
import { Pill } from "../../design/pill.tsx"
import { Facts } from "../../design/table.tsx"
import { useCommand } from "../../resource.ts"
import { moveRun, setOnline } from "./calls.ts"
import { DrawerPart, InspectorLink } from "./drawer-parts.tsx"
import type { DrawerProps } from "./drawer-parts.tsx"
import { Confirmed } from "./move-dialog.tsx"
import type { RunRecord, VehicleRecord } from "./records.ts"
import { clockTime, exactLength, lengthOf } from "./times.ts"
import { VEHICLE_WORDS, arrivalWords, stepWords } from "./words.ts"

export function VehicleDrawer({
  vehicle,
  board,
  nowMs,
  onClose,
  onChanged,
}: DrawerProps & { readonly vehicle: VehicleRecord }): JSX.Element {
  const { vehicle_id: id, label, state, run } = vehicle
  const [asked, setAsked] = useState<"line" | "run" | null>(null)
  const { tone, icon, text } = VEHICLE_WORDS[state]
  const others = board.vehicles.filter((one) => one.vehicle_id !== id && one.state !== "offline")
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
      <DrawerPart>
        <div class="moves" role="group" aria-label="Actions">
          {run === null ? null : (
            <>
              <Button look="primary" isDisabled={others.length === 0} onPress={() => setAsked("run")}>
                Move the run…
              </Button>
              <p class="consequence">
                {others.length === 0
                  ? "No other vehicle of the fleet is on line."
                  : "Another vehicle of the fleet takes it. The estimates move, the promised times stay."}
              </p>
            </>
          )}
          <div class="beside">
            <Button look={state === "offline" ? "secondary" : "danger"} onPress={() => setAsked("line")}>
              {state === "offline" ? "Take on line…" : "Take off line…"}
            </Button>
          </div>
        </div>
      </DrawerPart>
      <InspectorLink group={run === null ? `vehicle/${id}` : `delivery/${run.delivery_id}`} />
      {asked === "run" && run !== null ? (
        <MoveRun run={run} others={others} onClose={close} onSent={onChanged} />
      ) : null}
      {asked === "line" ? <LineDialog vehicle={vehicle} onClose={close} onSent={onChanged} /> : null}
    </Drawer>
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
        ["Since", run === null ? null : `${exactLength(nowMs - Date.parse(run.since))} ago`],
        ["At the store", pickupAt === null ? null : clockTime(pickupAt, timezone)],
        ["At the customer", run === null ? null : arrivalWords(run, timezone)],
        ["Runs behind it", String(queued)],
        ["Last fix", fixAt === null ? "none" : `${lengthOf(nowMs - Date.parse(fixAt))} ago`],
      ]}
    />
  )
}

interface SendingProps {
  readonly onClose: () => void
  readonly onSent: () => void
}

function MoveRun({
  run,
  others,
  onClose,
  onSent,
}: SendingProps & { readonly run: RunRecord; readonly others: readonly VehicleRecord[] }): JSX.Element {
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
        The vehicle that you choose takes the run behind its own. The service refuses if it has no place, or
        if the order is already on board.
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
