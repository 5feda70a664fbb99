/** Changes of a form, made in the text itself: everything that a change is not about stays as it is written. */

import { parseDocument } from "yaml"
import { SCENARIO_KEYS } from "../../simulation/scenario/language/read.ts"
import { parseSource, reporter } from "../../simulation/scenario/language/source.ts"
import { REFUSE_KEYS, VERBS } from "../../simulation/scenario/language/step.ts"
import type { AddStep, FormEdit, FormPath, ValueKind } from "../../pages/web/studio/form/form-contract.ts"
import { entryIn } from "./form-fields.ts"
import { withGiven } from "./form-given.ts"
import { withRest } from "./form-head.ts"
import { namesOf } from "./form-names.ts"
import { formOf, stepsOf } from "./form.ts"
import { newStep } from "./new-step.ts"
import { withItem, withKey, withSwapped, without } from "./yaml-edit.ts"

/** Null when the text does not allow the change; a `FormProblem` says what has to be there first. */
export function edited(file: string, text: string, edit: FormEdit): string | null {
  switch (edit.is) {
    case "set":
      return withValue(text, edit)
    case "remove":
      return removed(text, edit.path)
    case "add":
      return added({ file, text }, edit)
    case "give":
      return given({ file, text }, edit.key)
    case "move":
      return Math.abs(edit.at - edit.to) === 1
        ? withSwapped(text, ["steps"], Math.min(edit.at, edit.to))
        : null
    case "put":
      return withKey(text, { ...edit, order: orderAt(edit.path) })
  }
}

function withValue(
  text: string,
  { line, column, length, value, kind }: Extract<FormEdit, { is: "set" }>,
): string | null {
  const lines = text.split("\n")
  const before = lines[line - 1]
  if (before === undefined || column - 1 + length > before.length) return null
  lines[line - 1] = before.slice(0, column - 1) + written(value, kind) + before.slice(column - 1 + length)
  const changed = lines.join("\n")
  const isList = kind === "list" || kind === "items"
  return !isList || parseDocument(changed, { logLevel: "error" }).errors.length === 0 ? changed : null
}

function written(value: string, kind: ValueKind): string {
  if (kind !== "list" && kind !== "items") return scalar(value, kind === "text")
  return kind === "items" || /[,{]/.test(value)
    ? `[${value.replace(/^\[(.*)\]$/, "$1")}]`
    : scalar(value, false)
}

/** Words that YAML does not read as a text. */
const NO_TEXT = /^(?:true|false|null|yes|no|on|off|~)$/i

/** Plain where YAML reads it back as it is, else in double quotes, which take any text. */
function scalar(value: string, isText: boolean): string {
  const isPlain = isText
    ? /^[A-Za-z](?:[\w '.-]*\w)?$/.test(value) && !NO_TEXT.test(value)
    : /^[\w$+-](?:[\w .:/+-]*\w)?$/.test(value) && !value.includes(": ")
  return isPlain ? value : JSON.stringify(value)
}

/** A file keeps its last step. */
function removed(text: string, path: FormPath): string | null {
  const isStep = path.length === 2 && path[0] === "steps"
  const steps = (parseDocument(text, { logLevel: "error" }).toJS() as { steps?: unknown } | null)?.steps
  if (isStep && Array.isArray(steps) && steps.length === 1) return null
  return without(text, path)
}

interface Source {
  readonly file: string
  readonly text: string
}

function added({ file, text }: Source, step: AddStep): string | null {
  const form = formOf(file, text)
  return form === null ? null : withItem(text, ["steps"], { at: step.at, value: newStep(step, form) })
}

function given({ file, text }: Source, key: string): string | null {
  const root = parseSource({ file, text }, reporter([]))
  const steps = stepsOf(root)
  if (root === null || steps === null) return null
  if (key === "matrix" || key === "promises") return withRest(text, key, root)
  const names = namesOf(file, root, steps)
  return withGiven(text, { key, given: entryIn(root, "given"), names, order: SCENARIO_KEYS })
}

const STEP_ORDER = ["at", ...VERBS, "use", "as", "for", "by", "with", "repeat", "every"]

/** In which order the keys of a map are written. */
function orderAt(path: FormPath): readonly string[] {
  if (path.length === 1) return SCENARIO_KEYS
  if (path[0] !== "steps") return []
  if (path.length === 4 && path[2] === "refuse") return REFUSE_KEYS
  return path.length === 3 || path[2] === "with" ? STEP_ORDER : []
}
