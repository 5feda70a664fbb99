/** Changes of a form are made one after the other: a later one fits the text that the one before has left. */

import type { FileForm, FormEdit, FormPart, FormValue } from "./form-contract.ts"

/** A change, with the form in which it was made. */
export interface FormChange {
  /** Of the form's file. */
  readonly path: string
  readonly edit: FormEdit
  readonly seen: FileForm
}

/** The change for the form as it is now; null when the file has other parts than the form that was seen. */
export function changeFor(now: FileForm, { edit, seen }: Pick<FormChange, "edit" | "seen">): FormEdit | null {
  if (outlineOf(seen) !== outlineOf(now)) return null
  if (edit.is !== "set") return edit
  const at = valuesOf(seen).findIndex(({ line, column }) => line === edit.line && column === edit.column)
  const value = valuesOf(now)[at]
  if (value === undefined) return null
  const { line, column, length } = value
  return { ...edit, line, column, length }
}

function partsOf({ more, rest, given, steps }: FileForm): readonly FormPart[] {
  return [more, ...rest, ...given, ...steps]
}

function valuesOf(form: FileForm): readonly FormValue[] {
  return [...form.head, ...partsOf(form).flatMap(({ values }) => values)]
}

/** Which fields there are, without their values. */
function outlineOf(form: FileForm): string {
  const labels = ({ values, missing, others }: FormPart): unknown => [
    values.map(({ label }) => label),
    missing.map(({ label }) => label),
    others,
  ]
  return JSON.stringify([form.head.map(({ label }) => label), form.others, ...partsOf(form).map(labels)])
}

/** Which forms differ by values alone: a path of one is then the same place in the other. */
export class FormShapes {
  readonly #shapes = new WeakMap<FileForm, symbol>()

  /** A form that was read from a text. */
  read(form: FileForm): void {
    this.#shapes.set(form, Symbol("shape"))
  }

  /** The form that a change has left. */
  left(form: FileForm, { edit, before }: { readonly edit: FormEdit; readonly before: FileForm }): void {
    const shape = edit.is === "set" ? this.#shapes.get(before) : undefined
    this.#shapes.set(form, shape ?? Symbol("shape"))
  }

  isSame(one: FileForm, other: FileForm): boolean {
    return one === other || this.#shapes.get(one) === this.#shapes.get(other)
  }
}
