/** The open file: its text with notes under lines, and what a save that was refused asks. */

import type { JSX } from "preact"
import { useEffect, useState } from "preact/hooks"
import { Button } from "../design/button.tsx"
import { Empty, Skeleton } from "../design/feedback.tsx"
import type { Client } from "./client.ts"
import { Conflict } from "./conflict.tsx"
import { FileDialog, FileMenu } from "./file-menu.tsx"
import type { FileQuestion } from "./file-menu.tsx"
import type { TextViewProps } from "./editor/text-view.tsx"
import { MOD } from "./editor/line-marks.ts"
import { FormView } from "./form/form-view.tsx"
import { RunsOnChoice } from "./runs-on.tsx"

interface FilePaneProps extends TextViewProps {
  readonly client: Client
  /** Writes, opens and runs a new file; the refusal's message, or null. */
  readonly onCreate: (path: string, text: string) => Promise<string | null>
}

export function FilePane(props: FilePaneProps): JSX.Element | null {
  const { client, state, actions, run, onCreate } = props
  const [isForm, setForm] = useState(false)
  const [question, setQuestion] = useState<FileQuestion | null>(null)
  const { file, text, conflict, listing } = state
  // The editor has the lines.
  useEffect(() => {
    if (props.shownLine !== null) setForm(false)
  }, [props.shownLine])
  if (file === null && state.isOpening) return <Opening />
  if (file === null) return <NoFile isEmpty={listing?.files.length === 0} />
  const title = listing?.files.find(({ path }) => path === file.path)?.title ?? file.path
  const canBeForm = !file.isTypeScript
  return (
    <>
      <div class="pane-head">
        <h2 class="mono">{file.path.split("/").at(-1)}</h2>
        <Standing state={state} />
        {isForm && canBeForm && (
          <Button isSmall isDisabled={state.undoable.length === 0} onPress={() => void actions.undo()}>
            Undo
          </Button>
        )}
        {canBeForm && (
          <span class="switch-view" role="group" aria-label="Show the file as">
            <button
              type="button"
              aria-pressed={!isForm}
              onClick={() => {
                // The editor begins with the text as the form left it.
                actions.replaceText(text)
                setForm(false)
              }}
            >
              YAML
            </button>
            <button type="button" aria-pressed={isForm} onClick={() => setForm(true)}>
              Form
            </button>
          </span>
        )}
        {/\.ya?ml$/.test(file.path) && <FileMenu onAsk={setQuestion} />}
      </div>
      {question !== null && (
        <FileDialog
          {...{ client, actions, file, text, title, onCreate, question }}
          onClose={() => setQuestion(null)}
        />
      )}
      {conflict !== null && (
        <Conflict
          message={conflict.message}
          onLoadAgain={conflict.current === null ? null : () => void actions.loadAgain()}
          onSaveOver={() => void actions.saveOver()}
        />
      )}
      {isForm && canBeForm ? (
        <FormView key={file.path} state={state} actions={actions} outcomes={run?.shown.steps ?? []} />
      ) : (
        <TextPane key={file.path} {...props} />
      )}
      <Foot state={state} actions={actions} />
    </>
  )
}

function Opening(): JSX.Element {
  return (
    <div class="opening">
      <Skeleton lines={10} />
    </div>
  )
}

function NoFile({ isEmpty }: { readonly isEmpty: boolean }): JSX.Element {
  return isEmpty ? (
    <Empty title="The folder has no scenario yet">Press + in the list, and choose what happens.</Empty>
  ) : (
    <Empty title="No file is open">Choose a scenario in the list.</Empty>
  )
}

function Standing({ state: { file, text, problems } }: Pick<FilePaneProps, "state">): JSX.Element {
  const count = problems.length
  if (count > 0)
    return (
      <span class="bad">
        {count} {count === 1 ? "mistake" : "mistakes"}
      </span>
    )
  return <span class="quiet">{text === file?.text ? "" : "not saved"}</span>
}

/** Loaded with the first file that is opened: its library is most of the studio's script. */
function TextPane(props: FilePaneProps): JSX.Element {
  const [{ TextView, isMissing }, setLoaded] = useState(loaded)
  const load = async (): Promise<void> => {
    try {
      loaded = { ...(await import("./editor/text-view.tsx")), isMissing: false }
    } catch {
      loaded = { TextView: null, isMissing: true }
    }
    setLoaded(loaded)
  }
  useEffect(() => {
    if (TextView === null) void load()
  }, [])
  if (TextView !== null) return <TextView {...props} />
  if (!isMissing) return <Skeleton lines={8} />
  return (
    <Empty title="The editor did not load" action={<Button onPress={() => void load()}>Try again</Button>}>
      The studio's command was stopped, or another version of it was started.
    </Empty>
  )
}

interface Loaded {
  readonly TextView: ((props: FilePaneProps) => JSX.Element | null) | null
  readonly isMissing: boolean
}

let loaded: Loaded = { TextView: null, isMissing: false }

function Foot({ state, actions }: Pick<FilePaneProps, "actions" | "state">): JSX.Element {
  const { file, text, isRunning } = state
  const isProgram = file?.isTypeScript === true
  const name = isProgram ? "Run this program" : text === file?.text ? "Run" : "Save and run"
  return (
    <div class="pane-foot">
      <span class="quiet">
        {isProgram ? "A program: it runs when you press the button" : "Runs when saved"}{" "}
        {!isProgram && <kbd>{MOD}S</kbd>}
      </span>
      <span class="grow" />
      <RunsOnChoice state={state} actions={actions} />
      {isRunning ? (
        <Button isSmall onPress={actions.stop}>
          Stop
        </Button>
      ) : (
        <Button isSmall icon="play" isDisabled={file === null} onPress={() => void actions.saveAndRun()}>
          {name}
        </Button>
      )}
    </div>
  )
}
