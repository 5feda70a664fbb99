/** "Fork from here": how this run goes on from the playhead with other steps, as files and commands to copy. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { momentText } from "../../inspection/moment.ts"
import { shortAddress } from "../../inspection/row-text.ts"
import { NONE } from "../../inspection/run-index.ts"
import { timeOfDay } from "../../inspection/shown-value.ts"
import { groupOf, kindOf } from "../../model/address.ts"
import { CopyButton } from "../components/copy-button.tsx"
import { recordFileOf } from "../../model/live-group.ts"
import type { LiveGroup } from "../../model/live-group.ts"
import { Dialog } from "../components/dialog.tsx"
import type { Scene } from "./scene.ts"

const WHAT_IF = "what-if.yaml"
const FORKED = "what-if.ndjson"

interface ForkProps extends Scene {
  /** Set on the page of a group of the running service. */
  readonly live: LiveGroup | undefined
  /** Inside of a run report: the command that writes the record's file; null elsewhere. */
  readonly recordedBy: string | null
}

export function ForkFromHere({ run, view, s, t, live, recordedBy }: ForkProps): JSX.Element {
  const [isOpen, setIsOpen] = useState(false)
  const { number, head } = run.packed
  const file = live === undefined ? run.packed.file : recordFileOf(live.address)
  // As the command decides: a fork needs every group that exchanged messages with those of the record.
  const [other] = run.index.outside
  const time = timeOfDay(head.clock0Ms + t, head.zone)
  const at = momentText({ run: number, s })
  return (
    <>
      <button type="button" onClick={() => setIsOpen(true)}>
        Fork from here
      </button>
      <Dialog title="Fork from here" isOpen={isOpen} onClose={() => setIsOpen(false)}>
        <p>
          The run goes on from entry {s} at {time} with other steps. The new course is a record of its own;
          this one stays.
          {live !== undefined && " It runs in the simulator alone: nothing is written to the service."}
        </p>
        {other !== undefined && (
          <p id="fork-other">
            {live === undefined ? "This record" : "This group"} exchanged messages with{" "}
            <span class="mono" title={other}>
              {shortAddress(other)}
            </span>
            , so a fork needs that group's journal too, and those of the groups behind it. Export the whole
            journal with <code class="mono">npx curbline journal export</code>, open it with{" "}
            <code class="mono">npx curbline inspect</code>, and fork there.
          </p>
        )}
        {other === undefined && (
          <ol class="fork-steps">
            {live !== undefined && (
              <li>
                <p>
                  <a href={live.paths.record} download>
                    Download the record as it is now
                  </a>{" "}
                  as {file}.
                </p>
              </li>
            )}
            {recordedBy !== null && (
              <Step says={`Make the record of this run as a file, ${file}.`} text={recordedBy} />
            )}
            <Step
              says={`Write what is different into ${WHAT_IF}. Steps are those of scenarios.`}
              text={whatIfOf({ run, view })}
            />
            <Step
              says="Run the new course. The terminal shows what differs."
              text={`npx curbline fork ${file} --at ${at} --with ${WHAT_IF} --out ${FORKED}`}
            />
            <Step
              says="Open both courses side by side, from this moment on."
              text={`npx curbline inspect ${file} ${FORKED}`}
            />
          </ol>
        )}
      </Dialog>
    </>
  )
}

function Step({ says, text }: { readonly says: string; readonly text: string }): JSX.Element {
  return (
    <li>
      <p>{says}</p>
      <pre class="mono">{text}</pre>
      <CopyButton text={text}>Copy</CopyButton>
    </li>
  )
}

/** Kinds of groups that a what-if file may name. */
const NAMED = new Set(["courier-order", "delivery", "reservation", "webhook-endpoint"])

/** A file to begin with, about the chosen actor's group if it has begun by then. */
function whatIfOf({ run, view }: Pick<Scene, "run" | "view">): string {
  const hasBegun = view.actor !== NONE && run.positions.stepAt(view.actor, view.row) !== NONE
  const group = hasBegun ? groupOf(run.index.actors[view.actor]?.address ?? "") : ""
  const step =
    kindOf(group) === "reservation"
      ? "{ inject: open_link.answers, for: it, with: { answers: [200] } }"
      : "wait: 10m"
  return [
    "what_if: something else had happened",
    ...(NAMED.has(kindOf(group)) ? [`names: { it: ${group} }`] : []),
    "steps:",
    `  - ${step}`,
  ].join("\n")
}
