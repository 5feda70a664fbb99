/** The open file: its text with notes under lines, and what a save that was refused asks. */

import type { JSX } from "preact"
import { useEffect, useMemo, useState } from "preact/hooks"
import { Button } from "../design/button.tsx"
import { Empty, Skeleton } from "../design/feedback.tsx"
import type { KnownNames } from "./editor/completion.ts"
import type { Client } from "./client.ts"
import { Conflict } from "./conflict.tsx"
import { Editor, mendedText } from "./editor/editor.tsx"
import type { FileProblem } from "./contract.ts"
import { FileDialog, FileMenu } from "./file-menu.tsx"
import type { FileQuestion } from "./file-menu.tsx"
import { MOD, marksOf } from "./editor/line-marks.ts"
import { FormView } from "./form/form-view.tsx"
import type { OpenedRun } from "./opened-run.ts"
import { RunsOnChoice } from "./runs-on.tsx"
import type { StudioActions, StudioState } from "./studio-state.ts"

interface FilePaneProps {
  readonly client: Client
  readonly state: StudioState
  readonly actions: StudioActions
  /** The row of a matrix that is shown; null when the text has not run. */
  readonly run: OpenedRun | null
  readonly nonce: string
  /** A line to go to: a new object each time. */
  readonly shownLine: { readonly line: number } | null
  readonly onGoTo: (t: number) => void
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
        <TextView key={file.path} {...props} />
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

function TextView({ state, actions, run, nonce, shownLine, onGoTo }: FilePaneProps): JSX.Element | null {
  const { file, text, start, problems, words, listing } = state
  const names = useMemo<KnownNames | null>(() => {
    const tags = new Set((listing?.files ?? []).flatMap((one) => one.tags))
    return words === null ? null : { words, tags: [...tags].toSorted() }
  }, [words, listing])
  const marks = useMemo(() => {
    const mend = (problem: FileProblem): void => actions.replaceText(mendedText(text, problem))
    return marksOf({ problems, run, onGoTo, mend })
  }, [problems, run, text])
  if (file === null) return null
  return (
    <Editor
      file={file}
      start={start}
      nonce={nonce}
      names={names}
      marks={marks}
      shownLine={shownLine}
      check={actions.check}
      onText={actions.type}
      onSave={() => void actions.saveAndRun()}
    />
  )
}

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
