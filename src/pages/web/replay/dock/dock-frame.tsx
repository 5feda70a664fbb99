/** The lower part of the page: the transport, and the charts and lanes, which a phone shows after a press. */

import type { ComponentChildren, JSX } from "preact"
import { useState } from "preact/hooks"

interface DockFrameProps {
  readonly hasTwoDays?: boolean
  readonly children: ComponentChildren
}

export function DockFrame({ hasTwoDays = false, children }: DockFrameProps): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  return (
    <div class={`dock${isOpen ? " is-open" : ""}${hasTwoDays ? " two-days" : ""}`}>
      <button type="button" class="dock-more" aria-expanded={isOpen} onClick={() => setOpen((is) => !is)}>
        {isOpen ? "Less" : "Waits and people"}
      </button>
      {children}
    </div>
  )
}
