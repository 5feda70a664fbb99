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
import { setOnline } from "./calls.ts"
import { DrawerPart, InspectorLink } from "./drawer-parts.tsx"
import type { DrawerProps } from "./drawer-parts.tsx"
import { Confirmed } from "./move-dialog.tsx"
import { MoveRun, takersIn } from "./move-run.tsx"
import type { SendingProps } from "./move-run.tsx"
import type { VehicleRecord } from "./records.ts"
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
      ) : null}
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
