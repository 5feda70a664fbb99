/** A file changed on disk since it was read: which of the two texts stays is the person's choice. */

import type { JSX } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { Button } from "../design/button.tsx"
import { Banner } from "../design/feedback.tsx"

interface ConflictProps {
  /** A sentence without its full stop. */
  readonly message: string
  readonly onLoadAgain: () => void
  /** Null: there is no file any more that this text could be written over. */
  readonly onSaveOver: (() => void) | null
}

export function Conflict({ message, onLoadAgain, onSaveOver }: ConflictProps): JSX.Element {
  const choice = useRef<HTMLDivElement>(null)
  // On a phone the pane is longer than the window, and the button that was pressed is at its end.
  useEffect(() => choice.current?.scrollIntoView({ block: "nearest" }), [])
  return (
    <div ref={choice}>
      <Banner tone="bad">
        <p>{message}.</p>
        <div class="row">
          <Button isSmall onPress={onLoadAgain}>
            Load it again
          </Button>
          {onSaveOver !== null && (
            <Button isSmall look="danger" onPress={onSaveOver}>
              Save over it
            </Button>
          )}
        </div>
      </Banner>
    </div>
  )
}
