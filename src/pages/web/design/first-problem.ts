/** After a form was refused, the focus goes to its first field that is wrong: keyboards and screen readers go on there. */

import { useEffect, useRef } from "preact/hooks"
import type { RefObject } from "preact"

interface FirstProblem {
  readonly form: RefObject<HTMLFormElement | null>
  /** Called when the form is sent. */
  readonly sent: () => void
}

export function useFirstProblem(): FirstProblem {
  const form = useRef<HTMLFormElement>(null)
  const isAwaited = useRef(false)
  useEffect(() => {
    const wrong = isAwaited.current ? form.current?.querySelector<HTMLElement>("[aria-invalid=true]") : null
    if (wrong === null || wrong === undefined) return
    isAwaited.current = false
    wrong.focus()
  })
  return {
    form,
    sent: () => {
      isAwaited.current = true
    },
  }
}
