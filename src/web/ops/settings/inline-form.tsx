/** A form in one line, such as a field and its button. */

import type { ComponentChildren, JSX } from "preact"

interface InlineFormProps {
  readonly onSend: () => void
  readonly children: ComponentChildren
}

export function InlineForm({ onSend, children }: InlineFormProps): JSX.Element {
  return (
    <form
      class="inline-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        onSend()
      }}
    >
      {children}
    </form>
  )
}
