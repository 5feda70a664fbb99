/** The text of a file: CodeMirror with the words of the language, and notes under lines. */

import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  startCompletion,
} from "@codemirror/autocomplete"
import type { CompletionContext, CompletionResult } from "@codemirror/autocomplete"
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands"
import { yaml } from "@codemirror/lang-yaml"
import { bracketMatching, indentUnit, syntaxHighlighting } from "@codemirror/language"
import { linter } from "@codemirror/lint"
import type { Diagnostic } from "@codemirror/lint"
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search"
import { Compartment, EditorState } from "@codemirror/state"
import type { Extension } from "@codemirror/state"
import { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view"
import { classHighlighter } from "@lezer/highlight"
import type { JSX } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { offerAt } from "./completion.ts"
import type { KnownNames } from "./completion.ts"
import type { FileCheck, FileProblem, FileRead } from "../contract.ts"
import { lineMarks, mended, setMarks } from "./editor-marks.ts"
import type { LineMarks } from "./editor-marks.ts"
import { hangingIndent } from "./hanging-indent.ts"

/** Of typing; then the text is checked. */
const CHECK_AFTER_MS = 300

interface EditorProps {
  readonly file: FileRead
  /** The text to begin with, or to put in place of the present one: a new object each time. */
  readonly start: { readonly text: string }
  readonly nonce: string
  readonly names: KnownNames | null
  readonly marks: LineMarks
  /** A line to go to, with the cursor and the focus: a new object each time. */
  readonly shownLine: { readonly line: number } | null
  readonly check: (text: string) => Promise<FileCheck | null>
  readonly onText: (text: string) => void
  readonly onSave: () => void
}

/** For one file: another one needs an editor of its own, with its own undo. */
export function Editor(props: EditorProps): JSX.Element {
  const { start, marks, shownLine } = props
  const box = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | null>(null)
  const latest = useRef(props)
  latest.current = props
  useEffect(() => {
    if (box.current === null) return undefined
    const made = new EditorView({ parent: box.current, state: stateOf(() => latest.current) })
    view.current = made
    return () => made.destroy()
  }, [])
  useEffect(() => {
    const change = view.current === null ? null : changeTo(view.current.state, start.text)
    if (change !== null) view.current?.dispatch({ changes: change })
  }, [start])
  useEffect(() => {
    view.current?.dispatch({ effects: setMarks.of(marks) })
  }, [marks])
  useEffect(() => {
    if (view.current !== null && shownLine !== null) goToLine(view.current, shownLine.line)
  }, [shownLine])
  return <div class="editor" ref={box} />
}

function goToLine(view: EditorView, line: number): void {
  const { from } = view.state.doc.line(Math.min(line, view.state.doc.lines))
  view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) })
  view.focus()
}

/** The part that differs, so that undo and the cursor stay; null when nothing does. */
function changeTo(state: EditorState, text: string): { from: number; to: number; insert: string } | null {
  const before = state.doc.toString()
  const after = text.replaceAll("\r\n", "\n")
  if (before === after) return null
  const shortest = Math.min(before.length, after.length)
  let from = 0
  while (from < shortest && before[from] === after[from]) from += 1
  let end = 0
  while (end < shortest - from && before.at(-1 - end) === after.at(-1 - end)) end += 1
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) }
}

/** With the file's own line ends. */
function textOf(state: EditorState): string {
  return state.sliceDoc()
}

/** The editor's text with one mistake mended. */
export function mendedText(text: string, problem: FileProblem): string {
  const state = EditorState.create({ doc: text, extensions: lineEnds(text) })
  const change = mended(state, problem)
  return change === null ? text : textOf(state.update({ changes: change }).state)
}

function lineEnds(text: string): Extension {
  return text.includes("\r\n") ? EditorState.lineSeparator.of("\r\n") : []
}

function stateOf(latest: () => EditorProps): EditorState {
  const { file, start, nonce, marks } = latest()
  const completing = new Compartment()
  const state = EditorState.create({
    doc: start.text,
    extensions: [
      EditorView.cspNonce.of(nonce),
      lineEnds(start.text),
      lineNumbers(),
      lineMarks(() => mendsNearest(latest())),
      history(),
      drawSelection(),
      highlightActiveLine(),
      bracketMatching(),
      closeBrackets(),
      highlightSelectionMatches(),
      indentUnit.of("  "),
      yaml(),
      syntaxHighlighting(classHighlighter),
      completing.of(autocompletion({ override: [(context) => completed(context, latest().names)] })),
      checking(latest),
      EditorState.readOnly.of(file.isTypeScript),
      EditorView.lineWrapping,
      hangingIndent(),
      EditorView.scrollMargins.of((view) => ({ bottom: footOver(view) })),
      EditorView.contentAttributes.of({ tabindex: "0", "aria-label": `Text of ${file.path}` }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) latest().onText(textOf(update.state))
      }),
      keymap.of([
        { key: "Mod-s", preventDefault: true, run: () => (latest().onSave(), true) },
        ...closeBracketsKeymap,
        ...defaultKeymap,
        ...historyKeymap,
        ...searchKeymap,
        ...completionKeymap,
      ]),
    ],
  })
  return state.update({ effects: setMarks.of(marks) }).state
}

/** What the foot of the pane covers at the bottom of a narrow window, in pixels; 0 where it stands below the editor. */
function footOver({ dom }: EditorView): number {
  const foot = dom.closest(".pane")?.querySelector(":scope > .pane-foot")
  if (!(foot instanceof HTMLElement) || getComputedStyle(foot).position !== "sticky") return 0
  return foot.offsetHeight
}

function mendsNearest({ marks }: EditorProps): boolean {
  const note = marks.notes.find(({ action }) => action?.key !== undefined)
  note?.action?.does()
  return note !== undefined
}

function completed(
  { state, pos, explicit }: CompletionContext,
  names: KnownNames | null,
): CompletionResult | null {
  const offer = names === null ? null : offerAt(state.doc.toString(), pos, names)
  if (offer === null || (offer.from === pos && !explicit)) return null
  return {
    from: offer.from,
    options: offer.options.map(({ label, detail }) => ({
      label,
      info: detail,
      ...(offer.isKey ? { apply: putKey } : {}),
    })),
    validFor: /^[\w.-]*$/,
  }
}

/** A key with its colon, and the values that fit, if there are any. Where the colon is there already, the key alone. */
function putKey(view: EditorView, { label }: { readonly label: string }, from: number, to: number): void {
  const isWritten = /^ *:/.test(view.state.sliceDoc(to, to + 20))
  const insert = isWritten ? label : `${label}: `
  view.dispatch({
    changes: { from, to, insert },
    selection: { anchor: from + insert.length },
    userEvent: "input.complete",
  })
  if (!isWritten) startCompletion(view)
}

/** Underlines what the language's own reader finds; the notes under lines say it in words. */
function checking(latest: () => EditorProps): Extension {
  return linter(
    async ({ state }) => {
      const { file, check } = latest()
      if (file.isTypeScript) return []
      const found = await check(textOf(state))
      return (found?.problems ?? []).flatMap((problem) => diagnosticOf(state, problem))
    },
    { delay: CHECK_AFTER_MS },
  )
}

function diagnosticOf(
  state: EditorState,
  { line, column, length, message }: FileProblem,
): readonly Diagnostic[] {
  if (line > state.doc.lines) return []
  const { from, to } = state.doc.line(line)
  const start = Math.min(to, from + column - 1)
  return [{ from: start, to: Math.min(to, start + length), severity: "error", message }]
}
