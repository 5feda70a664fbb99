/** The open file as text, with notes under its lines. */

import type { JSX } from "preact"
import { useMemo } from "preact/hooks"
import type { FileProblem } from "../contract.ts"
import type { FilePaneProps } from "../file-pane.tsx"
import type { KnownNames } from "./completion.ts"
import { Editor, mendedText } from "./editor.tsx"
import { marksOf } from "./line-marks.ts"

type TextViewProps = Pick<FilePaneProps, "actions" | "nonce" | "onGoTo" | "run" | "shownLine" | "state">

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
