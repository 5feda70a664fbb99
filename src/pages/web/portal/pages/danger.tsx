/**
 * Ends something. Asks before what cannot be taken back: what happens then, and a text that is typed first. A small thing ends at
 * the press of a button in its row.
 */

import type { ComponentChildren, JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../design/button.tsx"
import { TextField } from "../../design/field.tsx"
import { Dialog } from "../../design/overlay.tsx"
import { useCommand } from "../../resource.ts"
import { CommandProblem } from "./problem.tsx"

interface DangerProps {
  /** A question: "Revoke Orders service?" */
  readonly title: string
  readonly happens: ComponentChildren
  /** What is typed, and the end of its label: "revoke it"; null: nothing is typed. */
  readonly typed: { readonly text: string; readonly to: string } | null
  /** The button: "Revoke key". */
  readonly action: string
  /** The same while it runs: "Revoking…". */
  readonly busy: string
  /** The other button. */
  readonly keep?: string
  readonly onConfirm: () => Promise<void>
  readonly onClose: () => void
  /** A field before the typed text. */
  readonly children?: JSX.Element
}

export function Danger(props: DangerProps): JSX.Element {
  const { title, happens, typed, action, busy, keep = "Keep it", onConfirm, onClose, children } = props
  const [text, setText] = useState("")
  const { fault, isBusy, send } = useCommand(onConfirm)
  return (
    <Dialog title={title} onClose={onClose}>
      <p class="quiet small">{happens}</p>
      {typed === null && children === undefined ? (
        <CommandProblem fault={fault} />
      ) : (
        <div class="fields">
          <CommandProblem fault={fault} />
          {children}
          {typed === null ? null : (
            <TextField
              label={`Type ${typed.text} to ${typed.to}`}
              value={text}
              onChange={setText}
              isFirst={children === undefined}
            />
          )}
        </div>
      )}
      <div class="actions">
        <Button onPress={onClose}>{keep}</Button>
        <Button
          look="danger"
          isBusy={isBusy}
          isDisabled={typed !== null && text !== typed.text}
          onPress={send}
        >
          {isBusy ? busy : action}
        </Button>
      </div>
    </Dialog>
  )
}

interface RowCommandProps {
  readonly name: string
  readonly run: () => Promise<unknown>
  /** Reads the table anew. */
  readonly onDone: () => Promise<void>
}

/** The button of a row that ends or takes back what the row shows. */
export function RowCommand({ name, run, onDone }: RowCommandProps): JSX.Element {
  const { isBusy, send } = useCommand(async () => {
    await run()
    await onDone()
  })
  return (
    <Button isSmall look="danger quiet" isBusy={isBusy} onPress={send}>
      {name}
    </Button>
  )
}
