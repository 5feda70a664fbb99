/** The open file: its text with notes under lines, and what a save that was refused asks. */

import type { JSX } from "preact"
import { useMemo } from "preact/hooks"
import { Button } from "../design/button.tsx"
import { Banner } from "../design/feedback.tsx"
import type { KnownNames } from "./completion.ts"
import { Editor, mendedText } from "./editor.tsx"
import type { LineMarks, LineNote } from "./editor-marks.ts"
import type { FileProblem, RunFailure, StepOutcome } from "./contract.ts"
import type { OpenedRun } from "./opened-run.ts"
import type { StudioActions, StudioState } from "./studio-state.ts"
import { largeFirst } from "./verdict.ts"

interface FilePaneProps {
  readonly state: StudioState
  readonly actions: StudioActions
  /** The row of a matrix that is shown; null when the text has not run. */
  readonly run: OpenedRun | null
  readonly nonce: string
  readonly onGoTo: (t: number) => void
}

const isMac = /mac/i.test(navigator.userAgent)
export const MOD = isMac ? "⌘" : "Ctrl+"

export function FilePane({ state, actions, run, nonce, onGoTo }: FilePaneProps): JSX.Element | null {
  const { file, text, start, problems, words, listing, conflict, isRunning } = state
  const names = useMemo<KnownNames | null>(
    () =>
      words === null ? null : { words, tags: [...new Set((listing?.files ?? []).flatMap(({ tags }) => tags))].toSorted() },
    [words, listing],
  )
  const marks = useMemo(
    () => marksOf({ problems, run, onGoTo, mend: (problem) => actions.replaceText(mendedText(text, problem)) }),
    [problems, run, text],
  )
  if (file === null) return null
  const isUnsaved = text !== file.text
  return (
    <>
      <div class="pane-head">
        <h2 class="mono">{file.path.split("/").at(-1)}</h2>
        <span class={problems.length > 0 ? "bad" : "quiet"}>
          {problems.length > 0 ? `${problems.length} ${problems.length === 1 ? "mistake" : "mistakes"}` : isUnsaved ? "not saved" : ""}
        </span>
      </div>
      {conflict !== null && (
        <Banner tone="bad">
          <p>{conflict.message}.</p>
          <div class="row">
            <Button isSmall onPress={() => void actions.loadAgain()}>
              Load it again
            </Button>
            {conflict.current !== null && (
              <Button isSmall look="danger" onPress={() => void actions.saveOver()}>
                Save over it
              </Button>
            )}
          </div>
        </Banner>
      )}
      <Editor
        key={file.path}
        file={{ ...file, text: start }}
        nonce={nonce}
        names={names}
        marks={marks}
        goTo={null}
        check={actions.check}
        onText={actions.type}
        onSave={() => void actions.saveAndRun()}
      />
      <div class="pane-foot">
        <span class="quiet">
          {file.isTypeScript ? "A program: it runs when you press the button" : "Runs when saved"}{" "}
          {!file.isTypeScript && <kbd>{MOD}S</kbd>}
        </span>
        <span class="grow" />
        {isRunning ? (
          <Button isSmall onPress={actions.stop}>
            Stop
          </Button>
        ) : (
          <Button isSmall icon="play" onPress={() => void actions.saveAndRun()}>
            {file.isTypeScript ? "Run this program" : isUnsaved ? "Save and run" : "Run"}
          </Button>
        )}
      </div>
    </>
  )
}

interface Marking {
  readonly problems: readonly FileProblem[]
  readonly run: OpenedRun | null
  readonly onGoTo: (t: number) => void
  readonly mend: (problem: FileProblem) => void
}

function marksOf({ problems, run, onGoTo, mend }: Marking): LineMarks {
  const wrong = problems.map(({ line, message }) => ({ line, sign: "wrong" as const, words: message }))
  const lines = new Set(wrong.map(({ line }) => line))
  const steps = run?.shown.steps ?? []
  const signs = steps
    .filter(({ line }) => !lines.has(line))
    .map(({ line, outcome, words }: StepOutcome) => ({ line, sign: outcome, words }))
  const failures = (run?.shown.failures ?? []).flatMap((failure) => failureNote(failure, run, onGoTo) ?? [])
  return { signs: [...wrong, ...signs], notes: [...problems.map((problem) => problemNote(problem, mend)), ...failures] }
}

function problemNote(problem: FileProblem, mend: (problem: FileProblem) => void): LineNote {
  const { line, column, message, suggestion, expected, help } = problem
  const meant = suggestion === null ? "" : ` Did you mean ${suggestion}?`
  const more = suggestion === null ? [expected === null ? "" : ` Expected: ${expected}.`, help === null ? "" : ` ${largeFirst(help)}.`] : []
  return {
    line,
    title: `${line}:${column} ${largeFirst(message)}.`,
    text: `${meant}${more.join("")}`.trim(),
    action: suggestion === null ? null : { name: "Change it", key: `${MOD}.`, does: () => mend(problem) },
  }
}

/** Null for a failure that is about no line of the file. */
function failureNote(
  { line, expected, actual }: RunFailure,
  run: OpenedRun | null,
  onGoTo: (t: number) => void,
): LineNote | null {
  if (line === null) return null
  const { expectations = [], commands = [] } = run?.shown ?? {}
  const t =
    expectations.find((one) => one.line === line && !one.isHeld)?.t ??
    commands.find((one) => one.line === line && one.isFailed)?.t
  return {
    line,
    title: `${largeFirst(actual)}.`,
    text: `Expected ${expected}.`,
    action: t === undefined ? null : { name: "Go there", does: () => onGoTo(t) },
  }
}
