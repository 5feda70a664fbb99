/** "Fork from here": how this run goes on from the playhead with other steps, as one command to copy. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { forkCommand } from "../../inspection/fork-command.ts"
import { momentText } from "../../inspection/moment.ts"
import { shortAddress } from "../../inspection/row-text.ts"
import { NONE } from "../../inspection/run-index.ts"
import { timeOfDay } from "../../inspection/shown-value.ts"
import { groupOf, kindOf } from "../../../model/address.ts"
import { CopyButton } from "../components/copy-button.tsx"
import { recordFileOf } from "../../../model/live-group.ts"
import type { LiveGroup } from "../../../model/live-group.ts"
import { Dialog } from "../components/dialog.tsx"
import type { Scene } from "./scene.ts"

const WHAT_IF = "what-if.yaml"

interface ForkProps extends Scene {
  /** Set on the page of a group of the running service. */
  readonly live: LiveGroup | undefined
  /** Inside of a run report: the command that writes the record's file; null elsewhere. */
  readonly recordedBy: string | null
}

export function ForkFromHere({ run, view, s, t, live, recordedBy }: ForkProps): JSX.Element {
  const [isOpen, setIsOpen] = useState(false)
  /** What the reader wrote about a group of a run. */
  const [written, setWritten] = useState<{ readonly about: string; readonly text: string } | null>(null)
  const { number, head } = run.packed
  const file = live === undefined ? run.packed.file : recordFileOf(live.address)
  // As the command decides: a fork needs every group that exchanged messages with those of the record.
  const [other] = run.index.outside
  const time = timeOfDay(head.clock0Ms + t, head.zone)
  const at = momentText({ run: number, s })
  const group = groupInView({ run, view })
  const about = `${number} ${group}`
  const steps = written?.about === about ? written.text : whatIfOf(group)
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
        {other !== undefined && <NeedsOthers other={other} isLive={live !== undefined} />}
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
            <li>
              <label for="what-if">What is different, with steps as in scenarios.</label>
              <textarea
                id="what-if"
                class="mono"
                spellcheck={false}
                rows={steps.split("\n").length + 1}
                value={steps}
                onInput={({ currentTarget }) => setWritten({ about, text: currentTarget.value })}
              />
            </li>
            <Step
              says={pasteText({ file, forkOf: head.forkOf, isReport: recordedBy !== null })}
              text={[...(recordedBy === null ? [] : [recordedBy]), forkCommand({ file, at, steps })].join(
                "\n",
              )}
            />
          </ol>
        )}
        {other === undefined && (
          <p class="fork-note">
            Where the terminal has no POSIX shell, save the steps as {WHAT_IF}, and end the first line with{" "}
            <code class="mono">--with {WHAT_IF}</code>.
          </p>
        )}
      </Dialog>
    </>
  )
}

interface Pasting {
  readonly file: string
  readonly forkOf: number | null
  readonly isReport: boolean
}

function pasteText({ file, forkOf, isReport }: Pasting): string {
  const does = "runs the new course, prints what differs, and opens both courses side by side"
  if (isReport)
    return `Paste this into a terminal, in the folder from which the report was made. It writes ${file}, ${does}.`
  const kept = forkOf === null ? "" : ` (the command of that fork writes it with --out ${file})`
  return `Paste this into a terminal, in the folder of ${file}${kept}. It ${does}.`
}

/** A group that exchanged messages with others cannot go on without their journals. */
function NeedsOthers({ other, isLive }: { readonly other: string; readonly isLive: boolean }): JSX.Element {
  return (
    <p id="fork-other">
      {isLive ? "This group" : "This record"} exchanged messages with{" "}
      <span class="mono" title={other}>
        {shortAddress(other)}
      </span>
      , so a fork needs that group's journal too, and those of the groups behind it. Export the whole journal
      with <code class="mono">npx curbline journal export</code>, open it with{" "}
      <code class="mono">npx curbline inspect</code>, and fork there.
    </p>
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

/** The chosen actor's group if it has begun by then; empty for none. */
function groupInView({ run, view }: Pick<Scene, "run" | "view">): string {
  const hasBegun = view.actor !== NONE && run.positions.stepAt(view.actor, view.row) !== NONE
  return hasBegun ? groupOf(run.index.actors[view.actor]?.address ?? "") : ""
}

/** A file to begin with, about that group. */
function whatIfOf(group: string): string {
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
