/** A value that the service shows once: Esc and the backdrop do not close it. */

import type { ComponentChildren, JSX } from "preact"
import { useState } from "preact/hooks"
import { Button, hasCopied } from "../../design/button.tsx"
import { Dialog } from "../../design/overlay.tsx"
import { Facts } from "../../design/table.tsx"

interface ShownOnceProps {
  /** "Copy the key now". */
  readonly title: string
  /** What it is called on the button: "key", as in "Copy key". */
  readonly noun: string
  readonly value: string
  /** What the service keeps of it. */
  readonly kept?: string
  readonly facts: readonly (readonly [term: string, value: ComponentChildren])[]
  readonly onClose: () => void
}

export function ShownOnce(props: ShownOnceProps): JSX.Element {
  const { title, noun, value, kept = "The service keeps only a hash of it.", facts, onClose } = props
  const [isCopied, setCopied] = useState(false)
  const copy = async (): Promise<void> => setCopied(await hasCopied(value))
  return (
    <Dialog title={title} onClose={onClose} isKept>
      <p class="quiet">It is shown this once. {kept}</p>
      <div class="fields">
        <div class="row">
          <code class="code grow secret" data-secret="true">
            {value}
          </code>
          <Button look="primary" icon={isCopied ? "check" : "copy"} onPress={() => void copy()}>
            {isCopied ? "Copied" : `Copy ${noun}`}
          </Button>
        </div>
        <Facts facts={facts} />
      </div>
      <div class="actions">
        <Button onPress={onClose}>I have saved it</Button>
      </div>
    </Dialog>
  )
}
