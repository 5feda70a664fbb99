/** A form in one line, such as a field and its button. */

import type { ComponentChildren, JSX } from "preact"
import { useFirstProblem } from "../../design/first-problem.ts"

interface InlineFormProps {
  readonly onSend: () => void
  readonly children: ComponentChildren
}

export function InlineForm({ onSend, children }: InlineFormProps): JSX.Element {
  const { form, sent } = useFirstProblem()
  return (
    <form
      ref={form}
      class="inline-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        sent()
        onSend()
      }}
    >
      {children}
    </form>
  )
}
