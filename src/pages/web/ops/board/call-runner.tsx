/** Calls a runner about a reservation: every paired phone of the site rings. Shows who answered. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { RUNNER_CALL_MESSAGE_LENGTH_MAX } from "../../../../model/values/limits.ts"
import { Button } from "../../design/button.tsx"
import { toast } from "../../design/feedback.tsx"
import { TextField } from "../../design/field.tsx"
import { useCommand } from "../../resource.ts"
import { may } from "../session.ts"
import { callRunners, withdrawCall } from "./calls.ts"
import { Confirmed } from "./move-dialog.tsx"
import type { BoardRecord, RunnerCallRecord } from "./records.ts"
import { clockTime } from "./times.ts"

interface CallRunnerProps {
  readonly board: BoardRecord
  readonly reservationId: string
  /** Something was sent: the board is read again. */
  readonly onSent: () => void
}

export function CallRunner({ board, reservationId, onSent }: CallRunnerProps): JSX.Element {
  const [isAsked, setAsked] = useState(false)
  const last = board.runner_calls.find((call) => call.reservation_id === reservationId) ?? null
  const isRinging = last?.state === "ringing"
  const withdrawing = useCommand(async () => {
    try {
      if (last !== null) await withdrawCall(last.call_id)
    } finally {
      onSent()
    }
  })
  return (
    <>
      <div class="moves">
        {!may("dispatcher") ? null : isRinging ? (
          <Button isBusy={withdrawing.isBusy} onPress={() => withdrawing.send()}>
            Stop the call
          </Button>
        ) : (
          <Button isDisabled={board.runners_count === 0} onPress={() => setAsked(true)}>
            Call a runner…
          </Button>
        )}
        <p class="consequence" role="status">
          {last === null
            ? board.runners_count === 0
              ? "No phone is paired with the site."
              : "Every phone that is paired with the site rings."
            : callWords(last, board.timezone)}
        </p>
      </div>
      {isAsked ? (
        <CallDialog
          siteId={board.site_id}
          reservationId={reservationId}
          onClose={() => setAsked(false)}
          onSent={onSent}
        />
      ) : null}
    </>
  )
}

function callWords(call: RunnerCallRecord, zone: string | null): string {
  const called = `${call.called_by} called at ${clockTime(call.called_at, zone)}`
  const ended = call.ended_at === null ? "" : ` at ${clockTime(call.ended_at, zone)}`
  switch (call.state) {
    case "ringing":
      return `${called}; the phones ring.`
    case "answered":
      return `${called}; ${call.runner_name ?? call.runner_id ?? "a runner"} answered${ended}.`
    case "missed":
      return `${called}; no runner answered.`
    case "withdrawn":
      return `${called}; the call was stopped${ended}.`
  }
}

interface CallDialogProps {
  readonly siteId: string
  readonly reservationId: string
  readonly onClose: () => void
  readonly onSent: () => void
}

function CallDialog({ siteId, reservationId, onClose, onSent }: CallDialogProps): JSX.Element {
  const [message, setMessage] = useState("")
  const command = useCommand(async () => {
    try {
      await callRunners(siteId, { reservation_id: reservationId, message })
      toast("The phones of the site ring")
      onClose()
    } finally {
      onSent()
    }
  })
  return (
    <Confirmed title="Call a runner" confirm="Call" command={command} onClose={onClose}>
      <p>
        Every phone that is paired with the site rings for three minutes, with the order and the stall. The
        first runner who answers is shown here.
      </p>
      <TextField
        label="Message (optional)"
        value={message}
        lengthMax={RUNNER_CALL_MESSAGE_LENGTH_MAX}
        onChange={setMessage}
        isFirst
      />
    </Confirmed>
  )
}
