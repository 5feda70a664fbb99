/** Cancelling a delivery or a reservation: a button, and a dialog that says what happens then. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../design/button.tsx"
import { toast } from "../../design/feedback.tsx"
import { TextField } from "../../design/field.tsx"
import { Dialog } from "../../design/overlay.tsx"
import { api } from "../api.ts"
import { useCommand } from "../../resource.ts"
import type { Environment } from "../session.ts"
import type { Noun } from "./noun.ts"
import { CommandProblem } from "./problem.tsx"

interface CancelProps {
  readonly noun: Noun
  readonly id: string
  /** "order 1001", as in "Cancel order 1001?" */
  readonly title: string
  /** In production the member types it. */
  readonly typed: string
  readonly happens: string
  /** At the field of the reason. */
  readonly hint: string
  readonly environment: Environment
  readonly onDone: () => Promise<void>
}

export function Cancel(props: CancelProps): JSX.Element {
  const { noun, id, title, happens, hint, environment, onDone } = props
  const [isOpen, setOpen] = useState(false)
  const [reason, setReason] = useState("")
  const [typed, setTyped] = useState("")
  const { fault, isBusy, send } = useCommand(async () => {
    const params = { path: { id }, query: { environment } }
    const body = reason === "" ? {} : { reason }
    await api.POST(`/portal/api/${noun.many}/{id}/cancel`, { params, body })
    setOpen(false)
    toast({ text: "Cancelled", icon: "ban" })
    await onDone()
  })
  const isReal = environment === "production"
  const action = `Cancel ${noun.one}`
  return (
    <>
      <Button look="danger quiet" icon="ban" onPress={() => setOpen(true)}>
        {action}
      </Button>
      {isOpen ? (
        <Dialog title={`Cancel ${title}?`} onClose={() => setOpen(false)}>
          <p class="quiet small">{happens}</p>
          <div class="fields">
            <CommandProblem fault={fault} />
            <TextField label="Reason" hint={hint} value={reason} onChange={setReason} isFirst />
            {isReal ? (
              <TextField label={`Type ${props.typed} to cancel it`} value={typed} onChange={setTyped} />
            ) : null}
          </div>
          <div class="actions">
            <Button onPress={() => setOpen(false)}>Keep it</Button>
            <Button look="danger" isBusy={isBusy} isDisabled={isReal && typed !== props.typed} onPress={send}>
              {isBusy ? "Cancelling…" : action}
            </Button>
          </div>
        </Dialog>
      ) : null}
    </>
  )
}
