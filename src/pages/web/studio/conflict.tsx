/** A file changed on disk since it was read: which of the two texts stays is the person's choice. */

import type { JSX } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { Button } from "../design/button.tsx"
import { Banner } from "../design/feedback.tsx"

interface ConflictProps {
  /** A sentence without its full stop. */
  readonly message: string
  /** Null: the file was deleted. */
  readonly onLoadAgain: (() => void) | null
  /** Over the file on disk, or as a new one when it was deleted. */
  readonly onSaveOver: () => void
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
          {onLoadAgain !== null && (
            <Button isSmall onPress={onLoadAgain}>
              Load it again
            </Button>
          )}
          {onLoadAgain === null ? (
            <Button isSmall onPress={onSaveOver}>
              Save it as a new file
            </Button>
          ) : (
            <Button isSmall look="danger" onPress={onSaveOver}>
              Save over it
            </Button>
          )}
        </div>
      </Banner>
    </div>
  )
}
