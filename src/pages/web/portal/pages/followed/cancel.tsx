/** Cancelling a delivery or a reservation: a button, and a dialog that says what happens then. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../../design/button.tsx"
import { toast } from "../../../design/feedback.tsx"
import { TextField } from "../../../design/field.tsx"
import { api } from "../../api.ts"
import type { Environment } from "../../session.ts"
import { Danger } from "../danger.tsx"
import type { Noun } from "./noun.ts"

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
  const { noun, id, title, typed, happens, hint, environment, onDone } = props
  const [isOpen, setOpen] = useState(false)
  const [reason, setReason] = useState("")
  const cancel = async (): Promise<void> => {
    const params = { path: { id }, query: { environment } }
    const body = reason === "" ? {} : { reason }
    await api.POST(`/portal/api/${noun.many}/{id}/cancel`, { params, body })
    setOpen(false)
    toast({ text: "Cancelled", icon: "ban" })
    await onDone()
  }
  const action = `Cancel ${noun.one}`
  return (
    <>
      <Button look="danger quiet" icon="ban" onPress={() => setOpen(true)}>
        {action}
      </Button>
      {isOpen ? (
        <Danger
          title={`Cancel ${title}?`}
          happens={happens}
          typed={environment === "production" ? { text: typed, to: "cancel it" } : null}
          action={action}
          busy="Cancelling…"
          onConfirm={cancel}
          onClose={() => setOpen(false)}
        >
          <TextField label="Reason" hint={hint} value={reason} onChange={setReason} isFirst />
        </Danger>
      ) : null}
    </>
  )
}
