/** A part of a page with a heading. `s` is the line of the record that it shows; all parts show the same line. */

import type { ComponentChildren, JSX } from "preact"

interface PanelProps {
  readonly id: string
  readonly title: string
  readonly s: number
  /** Before the title. */
  readonly mark?: ComponentChildren
  readonly tools?: ComponentChildren
  readonly children: ComponentChildren
}

export function Panel({ id, title, s, mark, tools, children }: PanelProps): JSX.Element {
  return (
    <section id={id} class="panel" aria-labelledby={`${id}-title`} data-s={s}>
      <header class="bar">
        {mark}
        <h2 id={`${id}-title`}>{title}</h2>
        {tools}
      </header>
      {children}
    </section>
  )
}
