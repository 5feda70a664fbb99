/** "When was it lost?" in the inspector: the command that answers it for the chosen reservation, delivery or errand of a record. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { NONE } from "../../inspection/run-index.ts"
import { LOST_PATH } from "../../inspection/moment-data.ts"
import { whyLateCommand } from "../../inspection/why-late-command.ts"
import { groupOf, kindOf } from "../../../model/address.ts"
import { isKept } from "../../../model/live-group.ts"
import { CopyButton } from "../components/copy-button.tsx"
import { Dialog } from "../components/dialog.tsx"
import type { Scene } from "../inspector/scene.ts"

/** How long after its request a delivery may come, to begin with. */
const LIMIT = "45m"

interface WhenLostProps extends Pick<Scene, "run" | "view"> {
  /** True when the page's host counts it. */
  readonly isCounted: boolean
}

/** Shown for a group that can be late. */
export function WhenLost({ run, view, isCounted }: WhenLostProps): JSX.Element | null {
  const [isOpen, setIsOpen] = useState(false)
  const [limit, setLimit] = useState(LIMIT)
  const group = groupOf(view.actor === NONE ? "" : (run.index.actors[view.actor]?.address ?? ""))
  if (!isKept(group)) return null
  const needsLimit = kindOf(group) !== "reservation"
  const fields = new URLSearchParams({ group, ...(needsLimit ? { limit } : {}) })
  const text = whyLateCommand({ file: run.packed.file, group, limit: needsLimit ? limit : null })
  return (
    <>
      <button type="button" onClick={() => setIsOpen(true)}>
        When was it lost?
      </button>
      <Dialog title="When was it lost?" isOpen={isOpen} onClose={() => setIsOpen(false)}>
        <div class="keep-scenario">
          <p>
            For an order that was late or lost: after which entry it could no longer be saved, and what would
            have saved it. It runs futures from the record's own entries, in the simulator alone.
          </p>
          {needsLimit && (
            <>
              <label for="limit">How long after its request it may come</label>
              <input
                id="limit"
                value={limit}
                onInput={({ currentTarget }) => setLimit(currentTarget.value)}
              />
            </>
          )}
          {isCounted && (
            <p class="bar">
              <a
                class="button primary"
                href={`${LOST_PATH}?${fields.toString()}`}
                target="_blank"
                rel="noopener"
              >
                Count it here
              </a>
            </p>
          )}
          <p>
            {isCounted ? "Or paste" : "Paste"} this into a terminal, in the folder of the record. It writes
            the answer as a page.
          </p>
          <pre class="mono wrapped">{text}</pre>
          <CopyButton text={text}>Copy</CopyButton>
          <p class="fork-note">
            Futures are drawn from what the record shows before the order. Where that is too little, name a
            fleet model with <code class="mono">--model</code>.
          </p>
        </div>
      </Dialog>
    </>
  )
}
