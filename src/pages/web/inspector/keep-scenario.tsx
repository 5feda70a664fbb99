/** "Keep as a scenario": the course of a reservation, a delivery or an errand as a file that repeats it. */

import type { JSX } from "preact"
import { useEffect, useState } from "preact/hooks"
import { KEPT_FILE, keepCommand } from "../../inspection/keep-command.ts"
import { NONE } from "../../inspection/run-index.ts"
import { groupOf, idOf, kindOf } from "../../../model/address.ts"
import { isKept } from "../../../model/live-group.ts"
import type { KeptScenario, LiveGroup } from "../../../model/live-group.ts"
import { BECAUSE_LENGTH_MAX } from "../../../model/values/limits.ts"
import { CopyButton } from "../components/copy-button.tsx"
import { Dialog } from "../components/dialog.tsx"
import type { Scene } from "./scene.ts"

interface KeepProps extends Scene {
  /** Set on the page of a group of the running service. */
  readonly live: LiveGroup | undefined
  /** Inside of a run report: the command that writes the record's file; null elsewhere. */
  readonly recordedBy: string | null
}

/** Shown for a group that can be kept. */
export function KeepScenario({ run, view, live, recordedBy }: KeepProps): JSX.Element | null {
  const [isOpen, setIsOpen] = useState(false)
  const [because, setBecause] = useState("")
  const group =
    live?.address ?? groupOf(view.actor === NONE ? "" : (run.index.actors[view.actor]?.address ?? ""))
  if (!isKept(group)) return null
  return (
    <>
      <button type="button" onClick={() => setIsOpen(true)}>
        Keep as a scenario
      </button>
      <Dialog title="Keep as a scenario" isOpen={isOpen} onClose={() => setIsOpen(false)}>
        <div class="keep-scenario">
          <p>
            A file that repeats this course: the same commands at the same times, and what became of them.
            Ids, people, places and URLs are invented.
          </p>
          <label for="because">Why it is kept</label>
          <input
            id="because"
            maxLength={BECAUSE_LENGTH_MAX}
            placeholder="what went wrong, or what must stay so"
            value={because}
            onChange={({ currentTarget }) => setBecause(currentTarget.value.trim())}
          />
          {live === undefined ? (
            <Command
              lines={[
                ...(recordedBy === null ? [] : [recordedBy]),
                keepCommand({ file: run.packed.file, group, because }),
              ]}
            />
          ) : (
            isOpen && <Written path={live.paths.scenario ?? ""} group={group} because={because} />
          )}
        </div>
      </Dialog>
    </>
  )
}

function Command({ lines }: { readonly lines: readonly string[] }): JSX.Element {
  const text = lines.join("\n")
  return (
    <>
      <p>
        Paste this into a terminal, in the folder of the record. It writes {KEPT_FILE}, which the studio opens
        like any other scenario.
      </p>
      <pre class="mono wrapped">{text}</pre>
      <CopyButton text={text}>Copy</CopyButton>
    </>
  )
}

interface WrittenProps {
  readonly path: string
  readonly group: string
  readonly because: string
}

/** What the running service writes. */
function Written({ path, group, because }: WrittenProps): JSX.Element {
  const [kept, setKept] = useState<KeptScenario | null>(null)
  useEffect(() => {
    const stop = new AbortController()
    const read = async (): Promise<void> => {
      const why = new URLSearchParams(because === "" ? {} : { because })
      const found = await keptBy(`${path}?${why.toString()}`, stop.signal)
      if (!stop.signal.aborted) setKept(found)
    }
    setKept(null)
    void read()
    return () => stop.abort()
  }, [path, because])
  if (kept === null) return <p role="status">The scenario is written and tried.</p>
  if (kept.text === null)
    return (
      <p role="alert" class="bad">
        Nothing was written: {kept.refusal}
      </p>
    )
  return (
    <>
      <pre class="mono" tabIndex={0} aria-label="The scenario">
        {kept.text}
      </pre>
      <p class="bar">
        <a
          class="button primary"
          download={`${kindOf(group)}-${idOf(group).slice(-6)}.yaml`}
          href={`data:application/yaml;charset=utf-8,${encodeURIComponent(kept.text)}`}
        >
          Download
        </a>
        <CopyButton text={kept.text}>Copy</CopyButton>
        <span>
          Put it into a folder of scenarios; <code class="mono">npx curbline studio</code> opens it there.
        </span>
      </p>
    </>
  )
}

async function keptBy(path: string, signal: AbortSignal): Promise<KeptScenario> {
  const refused = (refusal: string): KeptScenario => ({ text: null, notes: [], refusal })
  try {
    const response = await fetch(path, { signal, headers: { accept: "application/json" } })
    const answer = (await response.json()) as {
      readonly data?: KeptScenario
      readonly error?: string
      readonly details?: readonly { readonly message: string }[]
    }
    return (
      answer.data ??
      refused(answer.details?.[0]?.message ?? answer.error ?? `the service answered ${response.status}.`)
    )
  } catch {
    return refused("the service does not answer.")
  }
}
