/** Sends the events of an endpoint again that were not delivered since an instant, for example after its receiver was down. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../design/button.tsx"
import { toast } from "../../design/feedback.tsx"
import { TextField } from "../../design/field.tsx"
import { Dialog } from "../../design/overlay.tsx"
import { api, dataOf } from "../api.ts"
import { useCommand } from "../../resource.ts"
import type { Environment } from "../session.ts"
import { presentMs } from "../times.ts"
import { Fields } from "./form.tsx"
import { CommandProblem } from "./problem.tsx"

interface ResendSinceProps {
  readonly id: string
  readonly host: string
  readonly environment: Environment
  readonly onClose: () => void
  readonly onSent: () => Promise<void>
}

const HOUR_MS = 3_600_000

/** `2026-11-23T16:04` of the reader's time zone, as the field takes it. */
function fieldTime(ms: number): string {
  const offsetMs = new Date(ms).getTimezoneOffset() * 60_000
  return new Date(ms - offsetMs).toISOString().slice(0, 16)
}

export function ResendSince({ id, host, environment, onClose, onSent }: ResendSinceProps): JSX.Element {
  const [since, setSince] = useState(() => fieldTime(presentMs() - HOUR_MS))
  const { fault, isBusy, send } = useCommand(async () => {
    const params = { path: { id }, query: { environment } }
    const body = { since: new Date(since).toISOString() }
    const { resent, has_more: hasMore } = await dataOf(
      api.POST("/portal/api/delivery-webhooks/{id}/resend-since", { params, body }),
    )
    toast({
      text:
        resent === 0
          ? "Every event since then was delivered"
          : `${resent} ${resent === 1 ? "event" : "events"} on the way again${hasMore ? "; there are more" : ""}`,
      icon: "send",
    })
    await onSent()
    if (!hasMore) onClose()
  })
  return (
    <Dialog title="Resend since" onClose={onClose}>
      <p class="quiet small">
        {host} gets each event again that it did not answer with 2xx, oldest first, at most 100 at a time.
      </p>
      <Fields
        onSend={send}
        actions={
          <>
            <Button onPress={onClose}>Not now</Button>
            <Button look="primary" type="submit" icon="send" isBusy={isBusy} isDisabled={since === ""}>
              {isBusy ? "Sending…" : "Resend"}
            </Button>
          </>
        }
      >
        <CommandProblem fault={fault} />
        <TextField
          label="Since"
          type="datetime-local"
          hint="In your time zone."
          value={since}
          onChange={setSince}
          isFirst
        />
      </Fields>
    </Dialog>
  )
}
