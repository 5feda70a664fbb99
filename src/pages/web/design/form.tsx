/**
 * A form. After it was refused, the focus goes to its first field that is wrong: keyboards and screen readers go on
 * there.
 */

import type { ComponentChildren, JSX } from "preact"
import { useEffect, useRef } from "preact/hooks"

interface FormProps {
  /** How its parts are set out; absent: as they are. */
  readonly look?: "fields" | "inline-form"
  readonly onSend: () => void
  readonly children: ComponentChildren
}

export function Form({ look, onSend, children }: FormProps): JSX.Element {
  const form = useRef<HTMLFormElement>(null)
  const isAwaited = useRef(false)
  useEffect(() => {
    const wrong = isAwaited.current ? form.current?.querySelector<HTMLElement>("[aria-invalid=true]") : null
    if (wrong === null || wrong === undefined) return
    isAwaited.current = false
    wrong.focus()
  })
  return (
    <form
      ref={form}
      class={look}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        isAwaited.current = true
        onSend()
      }}
    >
      {children}
    </form>
  )
}
