/** Text of a document: paragraphs, with code between backticks. */

import type { JSX } from "preact"

export function Prose({ text }: { readonly text: string }): JSX.Element {
  return (
    <div class="prose">
      {text.split(/\n\n+/).map((paragraph) => (
        <p key={paragraph}>
          <Line text={paragraph} />
        </p>
      ))}
    </div>
  )
}

export function Line({ text }: { readonly text: string }): JSX.Element {
  return (
    <>{text.split(/`([^`]+)`/).map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>
  )
}
