/** A form in a dialog: fields, then its actions. */

import type { ComponentChildren, JSX } from "preact"
import { Button } from "../../design/button.tsx"
import { Form } from "../../design/form.tsx"

interface FieldsProps {
  readonly onSend: () => void
  readonly actions: ComponentChildren
  readonly children: ComponentChildren
}

export function Fields({ onSend, actions, children }: FieldsProps): JSX.Element {
  return (
    <Form look="fields" onSend={onSend}>
      {children}
      <div class="actions">{actions}</div>
    </Form>
  )
}

interface FormButtonsProps {
  readonly isBusy: boolean
  /** "Book it" */
  readonly action: string
  /** The same while it runs: "Booking…". */
  readonly busy: string
  readonly onClose: () => void
}

/** The two buttons of a form in a dialog. */
export function FormButtons({ isBusy, action, busy, onClose }: FormButtonsProps): JSX.Element {
  return (
    <>
      <Button onPress={onClose}>Not now</Button>
      <Button look="primary" type="submit" isBusy={isBusy}>
        {isBusy ? busy : action}
      </Button>
    </>
  )
}
