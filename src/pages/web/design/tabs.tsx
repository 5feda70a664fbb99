/** Tabs: one view of several. The arrow keys move between them. */

import type { ComponentChildren, JSX } from "preact"
import { useId, useRef, useState } from "preact/hooks"

interface Tab {
  readonly name: string
  readonly content: () => ComponentChildren
}

export function Tabs({
  label,
  tabs,
}: {
  readonly label: string
  readonly tabs: readonly Tab[]
}): JSX.Element {
  const [at, setAt] = useState(0)
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const go = (to: number): void => {
    const next = (to + tabs.length) % tabs.length
    setAt(next)
    list.current?.querySelectorAll<HTMLElement>('[role="tab"]')[next]?.focus()
  }
  return (
    <div>
      <div class="tabs" role="tablist" aria-label={label} ref={list}>
        {tabs.map(({ name }, place) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${place}`}
            aria-selected={place === at}
            aria-controls={`${id}-panel`}
            tabIndex={place === at ? 0 : -1}
            onClick={() => setAt(place)}
            onKeyDown={({ key }) => {
              if (key === "ArrowRight") go(at + 1)
              if (key === "ArrowLeft") go(at - 1)
            }}
          >
            {name}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${at}`}>
        {tabs[at]?.content()}
      </div>
    </div>
  )
}
