/** Asks before something that stops something or cannot be taken back, and says what will happen. */

import type { ComponentChildren, JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../design/button.tsx"
import { TextField } from "../../design/field.tsx"
import { Dialog } from "../../design/overlay.tsx"
import { CommandProblem } from "../../portal/pages/problem.tsx"
import { useCommand } from "../../resource.ts"

interface ConfirmProps {
  /** A question: "Revoke the key …4f2a?" */
  readonly title: string
  /** One sentence for each thing that happens. */
  readonly happens: readonly ComponentChildren[]
  /** The button: "Revoke the key". */
  readonly action: string
  /** The same while it runs: "Revoking…". */
  readonly busy: string
  /** True for what only opens or restores something. */
  readonly isSafe?: boolean
  /** Of what cannot be taken back: the text that must be typed first. */
  readonly typed?: string
  readonly onConfirm: () => Promise<void>
  readonly onClose: () => void
}

export function Confirm(props: ConfirmProps): JSX.Element {
  const { title, happens, action, busy, isSafe = false, typed, onConfirm, onClose } = props
  const [text, setText] = useState("")
  const { fault, isBusy, send } = useCommand(onConfirm)
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="fields confirm"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (typed === undefined || text === typed) send()
        }}
      >
        <ul class="happens">
          {happens.map((sentence, at) => (
            <li key={at}>{sentence}</li>
          ))}
        </ul>
        <CommandProblem fault={fault} />
        {typed === undefined ? null : (
          <TextField label={`Type ${typed} to go on`} value={text} onChange={setText} isFirst />
        )}
        <div class="actions">
          <Button onPress={onClose}>Keep it as it is</Button>
          <Button
            look={isSafe ? "primary" : "danger"}
            type="submit"
            isBusy={isBusy}
            isDisabled={typed !== undefined && text !== typed}
          >
            {isBusy ? busy : action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
