/** What can be done with a delivery. The service says what its machines take now; nothing here decides that. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../design/button.tsx"
import { Menu } from "../../design/overlay.tsx"
import { CancelDialog, DoorDialog, StatusDialog } from "./delivery-dialogs.tsx"
import { MoveRun, takersIn } from "./move-run.tsx"
import type { BoardRecord, DeliveryRecord } from "./records.ts"

interface DeliveryActionsProps {
  readonly delivery: DeliveryRecord
  readonly board: BoardRecord
  readonly onSent: () => void
}

type Asked = "cancel" | "door" | "status" | "vehicle"

export function DeliveryActions({ delivery, board, onSent }: DeliveryActionsProps): JSX.Element {
  const [asked, setAsked] = useState<Asked | null>(null)
  const { moves, reportable_statuses: statuses } = delivery
  const close = (): void => setAsked(null)
  const sending = { onClose: close, onSent }
  const others = takersIn(board, delivery.vehicle_id)
  const opens = moves.includes("compartment")
  const canCancel = moves.includes("cancel")
  if (moves.length === 0 && statuses.length === 0)
    return <p class="faint">Nothing can be done in this state.</p>
  return (
    <>
      <div class="moves" role="group" aria-label="Actions">
        {opens ? (
          <>
            <Button look="primary" onPress={() => setAsked("door")}>
              Open the compartment…
            </Button>
            <p class="consequence">
              The fleet is asked to open it for the customer, without the digits of the phone number.
            </p>
          </>
        ) : null}
        {moves.includes("vehicle") ? (
          <>
            <Button
              look={opens ? "secondary" : "primary"}
              isDisabled={others.length === 0}
              onPress={() => setAsked("vehicle")}
            >
              Move the run…
            </Button>
            <p class="consequence">
              {others.length === 0
                ? "No other vehicle of the fleet is on line."
                : "Another vehicle of the fleet takes it. The estimates move, the promised times stay."}
            </p>
          </>
        ) : null}
        {canCancel || statuses.length > 0 ? (
          <div class="beside">
            {canCancel ? (
              <Button look="danger" onPress={() => setAsked("cancel")}>
                Cancel…
              </Button>
            ) : null}
            {statuses.length === 0 ? null : (
              <Menu
                name="More"
                items={[
                  {
                    name: "Report the status…",
                    about: "A later status, as people at the site see it.",
                    onChoose: () => setAsked("status"),
                  },
                ]}
              />
            )}
          </div>
        ) : null}
      </div>
      {asked === "vehicle" ? <MoveRun run={delivery} others={others} {...sending} /> : null}
      {asked === "cancel" ? <CancelDialog delivery={delivery} {...sending} /> : null}
      {asked === "status" ? <StatusDialog delivery={delivery} {...sending} /> : null}
      {asked === "door" ? <DoorDialog run={delivery} shown={runIn(board, delivery)} {...sending} /> : null}
    </>
  )
}

function runIn({ vehicles }: BoardRecord, { delivery_id: id }: DeliveryRecord) {
  return vehicles.find(({ run }) => run?.delivery_id === id)?.run ?? null
}
