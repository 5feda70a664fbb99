/** "Fork from here": how this run goes on from the playhead with other steps, as files and commands to copy. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { momentText } from "../../inspection/moment.ts"
import { NONE } from "../../inspection/run-index.ts"
import { timeOfDay } from "../../inspection/shown-value.ts"
import { groupOf, kindOf } from "../../model/address.ts"
import { CopyButton } from "../components/copy-button.tsx"
import { Dialog } from "../components/dialog.tsx"
import type { Scene } from "./scene.ts"

const WHAT_IF = "what-if.yaml"
const FORKED = "what-if.ndjson"

export function ForkFromHere({ run, view, s, t }: Scene): JSX.Element {
  const [isOpen, setIsOpen] = useState(false)
  const { file, number, head } = run.packed
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
        </p>
        <ol class="fork-steps">
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
