/** Copies a text, and says so. If the page may not use the clipboard, it shows the text to copy by hand. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"

interface CopyButtonProps {
  readonly text: string
  readonly children: string
  readonly isPrimary?: boolean
}

export function CopyButton({ text, children, isPrimary = false }: CopyButtonProps): JSX.Element {
  const [said, setSaid] = useState("")
  const copy = async (): Promise<void> => {
    setSaid(await copied(text))
  }
  return (
    <span class="copying">
      <button
        type="button"
        class={isPrimary ? "button primary" : undefined}
        data-copy={text}
        onClick={() => void copy()}
      >
        {children}
      </button>
      <span role="status" class="copy-said">
        {said}
      </span>
    </span>
  )
}

/** The message for the user. */
export async function copied(text: string): Promise<string> {
  try {
    await navigator.clipboard.writeText(text)
    return `copied ${text}`
  } catch {
    return `copy this: ${text}`
  }
}
