/** The open file: its text with notes under lines, and what a save that was refused asks. */

import type { JSX } from "preact"
import { useMemo } from "preact/hooks"
import { Button } from "../design/button.tsx"
import { Banner } from "../design/feedback.tsx"
import type { KnownNames } from "./completion.ts"
import { Editor, mendedText } from "./editor.tsx"
import { MOD, marksOf } from "./line-marks.ts"
import type { OpenedRun } from "./opened-run.ts"
import type { StudioActions, StudioState } from "./studio-state.ts"

interface FilePaneProps {
  readonly state: StudioState
  readonly actions: StudioActions
  /** The row of a matrix that is shown; null when the text has not run. */
  readonly run: OpenedRun | null
  readonly nonce: string
  readonly onGoTo: (t: number) => void
}

export function FilePane({ state, actions, run, nonce, onGoTo }: FilePaneProps): JSX.Element | null {
  const { file, text, start, problems, words, listing, conflict, isRunning } = state
  const names = useMemo<KnownNames | null>(
    () =>
      words === null
        ? null
        : { words, tags: [...new Set((listing?.files ?? []).flatMap(({ tags }) => tags))].toSorted() },
    [words, listing],
  )
  const marks = useMemo(
    () =>
      marksOf({ problems, run, onGoTo, mend: (problem) => actions.replaceText(mendedText(text, problem)) }),
    [problems, run, text],
  )
  if (file === null) return null
  const isUnsaved = text !== file.text
  return (
    <>
      <div class="pane-head">
        <h2 class="mono">{file.path.split("/").at(-1)}</h2>
        <span class={problems.length > 0 ? "bad" : "quiet"}>
          {problems.length > 0
            ? `${problems.length} ${problems.length === 1 ? "mistake" : "mistakes"}`
            : isUnsaved
              ? "not saved"
              : ""}
        </span>
      </div>
      {conflict !== null && <Conflict conflict={conflict} actions={actions} />}
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

/** The file changed on disk since it was read: which of the two texts stays is the person's choice. */
function Conflict({
  conflict,
  actions,
}: {
  readonly conflict: NonNullable<StudioState["conflict"]>
  readonly actions: StudioActions
}): JSX.Element {
  return (
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
  )
}
