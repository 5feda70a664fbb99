/** A form in a dialog: its fields, why it was refused, and its two buttons. */

import type { ComponentChildren, JSX } from "preact"
import { Button } from "../../design/button.tsx"
import { Dialog } from "../../design/overlay.tsx"
import { Fields } from "../../portal/pages/form.tsx"
import type { Command } from "../../resource.ts"
import { FormProblem } from "./form-problem.tsx"

interface FormDialogProps {
  readonly title: string
  /** What comes of it, in a sentence. */
  readonly about?: ComponentChildren
  readonly command: Command
  /** Names of fields that show their own problem. */
  readonly fields: readonly string[]
  /** The button: "Save the zone". */
  readonly action: string
  /** The same while it runs: "Saving…". */
  readonly busy: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}

export function FormDialog(props: FormDialogProps): JSX.Element {
  const { title, about, command, fields, action, busy, onClose, children } = props
  return (
    <Dialog title={title} onClose={onClose}>
      {about === undefined ? null : <p class="quiet small">{about}</p>}
      <Fields
        onSend={() => command.send()}
        actions={
          <>
            <Button onPress={onClose}>Not now</Button>
            <Button look="primary" type="submit" isBusy={command.isBusy}>
              {command.isBusy ? busy : action}
            </Button>
          </>
        }
      >
        <FormProblem fault={command.fault} fields={fields} />
        {children}
      </Fields>
    </Dialog>
  )
}
