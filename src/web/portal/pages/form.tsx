/** A form in a dialog: fields, then its actions. */

import type { ComponentChildren, JSX } from "preact"

interface FieldsProps {
  readonly onSend: () => void
  readonly actions: ComponentChildren
  readonly children: ComponentChildren
}

export function Fields({ onSend, actions, children }: FieldsProps): JSX.Element {
  return (
    <form
      class="fields"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        onSend()
      }}
    >
      {children}
      <div class="actions">{actions}</div>
    </form>
  )
}
