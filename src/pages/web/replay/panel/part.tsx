/** A part of the panel, under a heading. */

import type { ComponentChildren, JSX } from "preact"

export function Part({
  title,
  aside,
  children,
}: {
  readonly title: string
  readonly aside?: ComponentChildren
  readonly children: ComponentChildren
}): JSX.Element {
  return (
    <section class="actor-part">
      <header>
        <h3>{title}</h3>
        {aside}
      </header>
      {children}
    </section>
  )
}
