/** A form in a dialog: fields, then its actions. */

import type { ComponentChildren, JSX } from "preact"
import { useFirstProblem } from "../../design/first-problem.ts"

interface FieldsProps {
  readonly onSend: () => void
  readonly actions: ComponentChildren
  readonly children: ComponentChildren
}

export function Fields({ onSend, actions, children }: FieldsProps): JSX.Element {
  const { form, sent } = useFirstProblem()
  return (
    <form
      ref={form}
      class="fields"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        sent()
        onSend()
      }}
    >
      {children}
      <div class="actions">{actions}</div>
    </form>
  )
}
