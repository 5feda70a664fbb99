/** The open file as text, with notes under its lines. */

import type { JSX } from "preact"
import { useMemo } from "preact/hooks"
import type { FileProblem } from "../contract.ts"
import type { OpenedRun } from "../opened-run.ts"
import type { StudioActions, StudioState } from "../studio-state.ts"
import type { KnownNames } from "./completion.ts"
import { Editor, mendedText } from "./editor.tsx"
import { marksOf } from "./line-marks.ts"

export interface TextViewProps {
  readonly state: StudioState
  readonly actions: StudioActions
  /** The row of a matrix that is shown; null when the text has not run. */
  readonly run: OpenedRun | null
  readonly nonce: string
  /** A line to go to: a new object each time. */
  readonly shownLine: { readonly line: number } | null
  readonly onGoTo: (t: number) => void
}

export function TextView({
  state,
  actions,
  run,
  nonce,
  shownLine,
  onGoTo,
}: TextViewProps): JSX.Element | null {
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
