/** Code to read and to copy; JSON and commands have their keys and texts in colour. */

import type { JSX } from "preact"
import { Copy } from "./button.tsx"

interface CodeProps {
  readonly text: string
  readonly label: string
  /** What the button copies; by default the text itself. */
  readonly copies?: string
}

export function Code({ text, label, copies = text }: CodeProps): JSX.Element {
  return (
    <div class="code">
      <pre tabIndex={0} aria-label={label}>
        {coloured(text)}
      </pre>
      <Copy text={copies} label={`Copy: ${label}`} />
    </div>
  )
}

const PARTS = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(GET|POST|PATCH|PUT|DELETE)\b/g

function coloured(text: string): readonly (JSX.Element | string)[] {
  const parts: (JSX.Element | string)[] = []
  let from = 0
  for (const found of text.matchAll(PARTS)) {
    const [whole, quoted, colon, method] = found
    parts.push(text.slice(from, found.index))
    from = found.index + whole.length
    if (method !== undefined) parts.push(<span class="method">{method}</span>)
    else parts.push(<span class={colon === undefined ? "text" : "key"}>{quoted}</span>, colon ?? "")
  }
  return [...parts, text.slice(from)]
}

/** JSON as a person reads it. */
export function prettyJson(value: unknown): string {
  return JSON.stringify(value, null, 2)
}
