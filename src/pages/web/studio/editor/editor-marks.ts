/** What the editor shows beside the text: a sign for each step, and under a line what is wrong with it. */

import { RangeSet, StateEffect, StateField } from "@codemirror/state"
import type { EditorState, Extension, Range } from "@codemirror/state"
import { Decoration, EditorView, GutterMarker, WidgetType, gutter, keymap } from "@codemirror/view"
import type { DecorationSet } from "@codemirror/view"
import type { FileProblem, StepOutcome } from "../contract.ts"

export type LineSign = StepOutcome["outcome"] | "wrong"

/** A note under a line; `offset` follows the line while the text changes. */
export interface LineNote {
  readonly line: number
  readonly title: string
  readonly text: string
  /** A button of the note. */
  readonly action: { readonly name: string; readonly key?: string; readonly does: () => void } | null
  /** True when nothing is wrong. */
  readonly isQuiet?: boolean
}

export interface LineMarks {
  readonly signs: readonly { readonly line: number; readonly sign: LineSign; readonly words: string }[]
  readonly notes: readonly LineNote[]
}

const SIGNS: Readonly<Record<LineSign, readonly [sign: string, words: string]>> = {
  done: ["✓", "done"],
  held: ["✓", "held"],
  failed: ["✕", "failed"],
  left: ["–", "not run"],
  wrong: ["!", "cannot be read"],
}

class SignMarker extends GutterMarker {
  readonly #sign: LineSign
  readonly #words: string

  constructor(sign: LineSign, words: string) {
    super()
    this.#sign = sign
    this.#words = words
  }

  override eq(other: SignMarker): boolean {
    return other.#sign === this.#sign && other.#words === this.#words
  }

  override toDOM(): HTMLElement {
    const [sign, words] = SIGNS[this.#sign]
    const mark = document.createElement("span")
    mark.className = `step-sign ${this.#sign}`
    mark.textContent = sign
    mark.title = `${words}: ${this.#words}`
    return mark
  }
}

class NoteWidget extends WidgetType {
  readonly #note: LineNote

  constructor(note: LineNote) {
    super()
    this.#note = note
  }

  override eq(other: NoteWidget): boolean {
    const [one, two] = [this.#note, other.#note]
    return one.title === two.title && one.text === two.text && one.action === two.action
  }

  override toDOM(): HTMLElement {
    // The editor measures the outer element, which therefore has no margin.
    const outer = document.createElement("div")
    outer.className = "line-note-holder"
    outer.contentEditable = "false"
    const box = document.createElement("div")
    box.className = this.#note.isQuiet === true ? "line-note quiet-note" : "line-note"
    outer.append(box)
    const words = document.createElement("p")
    const title = document.createElement("strong")
    title.textContent = this.#note.title
    words.append(title, ` ${this.#note.text}`)
    box.append(words)
    const { action } = this.#note
    if (action !== null) {
      const button = document.createElement("button")
      button.type = "button"
      button.className = "button small"
      button.textContent = action.name
      if (action.key !== undefined) {
        const key = document.createElement("kbd")
        key.textContent = action.key
        button.append(key)
      }
      button.addEventListener("click", () => action.does())
      box.append(button)
    }
    return outer
  }

  /** Clicks and keys on the button are the page's, not the editor's. */
  override ignoreEvent(): boolean {
    return true
  }
}

export const setMarks = StateEffect.define<LineMarks>()

interface Shown {
  readonly signs: RangeSet<GutterMarker>
  readonly notes: DecorationSet
}

const shown = StateField.define<Shown>({
  create: () => ({ signs: RangeSet.empty, notes: Decoration.none }),
  update: (value, transaction) => {
    const set = transaction.effects.find((effect) => effect.is(setMarks))
    if (set !== undefined) return shownOf(transaction.state, set.value)
    if (!transaction.docChanged) return value
    return { signs: value.signs.map(transaction.changes), notes: value.notes.map(transaction.changes) }
  },
  provide: (field) => EditorView.decorations.from(field, ({ notes }) => notes),
})

function shownOf(state: EditorState, { signs, notes }: LineMarks): Shown {
  const lines = state.doc.lines
  const markers = signs
    .filter(({ line }, at) => line <= lines && signs.findIndex((other) => other.line === line) === at)
    .map(({ line, sign, words }) => new SignMarker(sign, words).range(state.doc.line(line).from))
  const widgets = notes.filter(({ line }) => line <= lines).flatMap((note) => decorationsOf(state, note))
  return { signs: RangeSet.of(markers, true), notes: Decoration.set(widgets, true) }
}

function decorationsOf(state: EditorState, note: LineNote): readonly Range<Decoration>[] {
  const { from, to } = state.doc.line(note.line)
  return [
    ...(note.isQuiet === true ? [] : [Decoration.line({ class: "line-wrong" }).range(from)]),
    Decoration.widget({ widget: new NoteWidget(note), block: true, side: 1 }).range(to),
  ]
}

/** `Ctrl-.` or `Cmd-.` takes the first button of the notes, nearest to the cursor's line. */
export function lineMarks(fix: () => boolean): Extension {
  return [
    shown,
    gutter({
      class: "step-gutter",
      markers: (view) => view.state.field(shown).signs,
      initialSpacer: () => new SignMarker("done", ""),
    }),
    keymap.of([{ key: "Mod-.", run: fix, preventDefault: true }]),
  ]
}

/** The text with the word that was probably meant in place of the one that was written. */
export function mended(
  state: EditorState,
  problem: FileProblem,
): { from: number; to: number; insert: string } | null {
  const { suggestion } = problem
  if (suggestion === null || problem.line > state.doc.lines) return null
  const line = state.doc.line(problem.line)
  const from = Math.min(line.to, line.from + problem.column - 1)
  const to = Math.min(line.to, from + problem.length)
  return { from, to, insert: /^[\w.][\w .-]*$/.test(suggestion) ? suggestion : JSON.stringify(suggestion) }
}
