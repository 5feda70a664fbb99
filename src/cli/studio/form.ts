/**
 * A scenario file as a form: single values that can be changed where they stand, steps that can be added and removed. Everything
 * else of the text, comments and blanks too, stays as it is, and what the form cannot show is named.
 */

import { COMMANDS, EXPECTATIONS, FAULTS } from "../../simulation/scenario/language.ts"
import type { Field, Fields } from "../../simulation/scenario/language.ts"
import { plainly } from "../../simulation/scenario/json-schema.ts"
import { parseSource, reporter } from "../../simulation/scenario/source.ts"
import type { Written, WrittenEntry, WrittenMap, WrittenScalar } from "../../simulation/scenario/source.ts"
import { STEP_KEYS, VERBS } from "../../simulation/scenario/step.ts"
import { shapeOf } from "../../simulation/scenario/value.ts"
import type { FileForm, FormStep, FormValue } from "../../web/studio/contract.ts"
import { readText } from "./check.ts"
import { stepWords } from "../../simulation/scenario/explain.ts"

const HEAD_LABELS: Readonly<Record<string, string>> = {
  scenario: "What happens, in a sentence",
  because: "Why it matters",
  clock: "Start: date, time and time zone",
}

/** Null when the text is no YAML map with a list of steps. */
export function formOf(file: string, text: string): FileForm | null {
  const root = parseSource({ file, text }, reporter([]))
  const steps = stepsOf(root)
  if (root === null || steps === null) return null
  const words = new Map(
    (readText(file, text).scenarios[0]?.steps ?? []).map((step) => [step.place.line, stepWords(step)]),
  )
  const head = root.entries.flatMap(({ key, value }): readonly FormValue[] => {
    const label = HEAD_LABELS[key]
    return label === undefined || !isOneLine(value)
      ? []
      : [valueOf({ label, value, isText: key !== "clock" })]
  })
  const others = root.entries.map(({ key }) => key).filter((key) => !(key in HEAD_LABELS) && key !== "steps")
  return { head, others, steps: steps.map((step) => formStep(step, words)) }
}

export function stepsOf(root: WrittenMap | null): readonly Written[] | null {
  const steps = root?.entries.find(({ key }) => key === "steps")?.value
  return steps?.type === "list" ? steps.items : null
}

/** A value that stands in one line: the place of another one is its first line alone. */
function isOneLine(value: Written | undefined): value is WrittenScalar {
  if (value?.type !== "scalar") return false
  const { line, start, length } = value.span
  const written = line.slice(start, start + length)
  return written === value.text || /^"[^]*"$|^'[^]*'$/.test(written)
}

interface ShownValue {
  readonly label: string
  readonly value: WrittenScalar
  readonly isText: boolean
  readonly hint?: string
  readonly options?: readonly string[]
}

function valueOf({ label, value, isText, hint = "", options = [] }: ShownValue): FormValue {
  const { place, length } = value.span
  return { label, hint, text: value.text, isText, options, line: place.line, column: place.column, length }
}

function formStep(step: Written, words: ReadonlyMap<number, string>): FormStep {
  const { line } = step.span.place
  const entries = step.type === "map" ? step.entries : []
  const verb = entries.find(({ key }) => (VERBS as readonly string[]).includes(key))
  const shown = entries.map((entry) => shownEntry(entry, { verb, entries }))
  return {
    line,
    words: words.get(line) ?? `${verb?.key ?? "a step"} ${wordOf(verb, entries)}`.trim(),
    values: shown.flatMap(({ values }) => values),
    others: shown.flatMap(({ others }) => others),
  }
}

/** The command, fact or fault of a step. */
function wordOf(verb: WrittenEntry | undefined, entries: readonly WrittenEntry[]): string {
  if (verb === undefined) return ""
  if (verb.value.type === "scalar") return verb.key === "wait" ? "" : verb.value.text
  if (verb.value.type === "list") return ""
  const command = verb.value.entries.find(({ key }) => key === "do")?.value
  if (command?.type === "scalar") return command.text
  return verb.value.entries.map(({ key }) => key).find((key) => key in EXPECTATIONS) ?? entries[0]?.key ?? ""
}

interface Shown {
  readonly values: readonly FormValue[]
  /** Keys whose values stay as YAML. */
  readonly others: readonly string[]
}

const NOTHING: Shown = { values: [], others: [] }

interface Step {
  readonly verb: WrittenEntry | undefined
  readonly entries: readonly WrittenEntry[]
}

function shownEntry(entry: WrittenEntry, step: Step): Shown {
  const { key, value } = entry
  const word = wordOf(step.verb, step.entries)
  const says = (STEP_KEYS as Readonly<Record<string, string | undefined>>)[key]
  if (entry === step.verb) {
    if (key === "wait" && isOneLine(value)) return one({ label: "wait", value, isText: false })
    return value.type === "map" ? inside(value, { word, step }) : NOTHING
  }
  if (key === "with" && value.type === "map") return inside(value, { word, step })
  if (says !== undefined && isOneLine(value)) return one({ label: key, hint: says, value, isText: false })
  return { values: [], others: [key] }
}

function one(value: ShownValue): Shown {
  return { values: [valueOf(value)], others: [] }
}

/** The values of a fact, of a refused command, or of arguments. */
function inside(map: WrittenMap, { word, step }: { readonly word: string; readonly step: Step }): Shown {
  const fields = fieldsOf(word)
  const all = map.entries.map(({ key, value }): Shown => {
    if (key === "do") return NOTHING
    if (key === "with" && value.type === "map") return inside(value, { word, step })
    return shownField(key, value, fields[key])
  })
  return { values: all.flatMap(({ values }) => values), others: all.flatMap(({ others }) => others) }
}

function shownField(key: string, value: Written, field: Field | undefined): Shown {
  const label = key.replaceAll("_", " ")
  const hint = field === undefined ? "" : `${plainly(field.says)}: ${shapeOf(field).words}`
  const options = field?.is === "enum" ? field.of : []
  const isText = field?.is === "text" && !(value.type === "scalar" && value.value === null)
  if (isOneLine(value)) return one({ label, hint, value, isText, options })
  const [from, to, ...more] = value.type === "list" ? value.items : []
  if (field?.is !== "window" || !isOneLine(from) || !isOneLine(to) || more.length > 0)
    return { values: [], others: [key] }
  return {
    values: [
      valueOf({ label: `${label} from`, hint, value: from, isText: false }),
      valueOf({ label: `${label} to`, hint, value: to, isText: false }),
    ],
    others: [],
  }
}

function fieldsOf(word: string): Fields {
  if (word in COMMANDS) return COMMANDS[word as keyof typeof COMMANDS].with
  if (word in FAULTS) return FAULTS[word as keyof typeof FAULTS].with
  return word in EXPECTATIONS ? EXPECTATIONS[word as keyof typeof EXPECTATIONS].fields : {}
}
