/**
 * A scenario file as a form: single values that can be changed where they stand, fields and steps that can be added, moved and
 * removed. What the form cannot show is named, and stays as it is.
 */

import { openFragmentFile } from "../scenarios/fragment-files.ts"
import { stepWords as inWords } from "../../simulation/scenario/words/explain.ts"
import { usableFragments } from "../../simulation/scenario/language/fragments.ts"
import {
  COMMANDS,
  EXPECTATIONS,
  FAULTS,
  SCRIPTED_CODES,
} from "../../simulation/scenario/language/language.ts"
import type { CommandWord, Field, Fields, NamedKind } from "../../simulation/scenario/language/language.ts"
import { REPEATS_MAX } from "../../model/values/limits.ts"
import { parseSource, reporter } from "../../simulation/scenario/language/source.ts"
import type { Written, WrittenEntry, WrittenMap } from "../../simulation/scenario/language/source.ts"
import { STEP_KEYS, VERBS, byKindOf } from "../../simulation/scenario/language/step.ts"
import type {
  FileForm,
  FormName,
  FormPart,
  FormPath,
  FormStep,
  FormValue,
} from "../../pages/web/studio/form/form-contract.ts"
import { readText } from "./check.ts"
import { NO_PART, entriesOf, entryIn, formValue, isOneLine, joined, partOf } from "./form-fields.ts"
import { givenForm } from "./form-given.ts"
import { headForm } from "./form-head.ts"
import { freshName } from "./new-step.ts"
import { knownBefore, namesOf } from "./form-names.ts"
import type { Known } from "./form-names.ts"

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
  const words = new Map(readText(file, text).steps.map((step) => [step.place.line, inWords(step)]))
  const head = root.entries.flatMap(({ key, value }): readonly FormValue[] => {
    const label = HEAD_LABELS[key]
    return label === undefined || !isOneLine(value)
      ? []
      : [formValue({ label, value, kind: key === "clock" ? "word" : "text" })]
  })
  const names = namesOf(file, root, steps)
  const { shown: inHead, ...headParts } = headForm(root)
  const { others, ...given } = givenForm(entryIn(root, "given"), names)
  const shown = [...Object.keys(HEAD_LABELS), "given", "steps", ...inHead]
  return {
    head,
    ...headParts,
    ...given,
    others: [...others, ...root.entries.map(({ key }) => key).filter((key) => !shown.includes(key))],
    steps: steps.map((step, at) => formStep(step, { at, words, names })),
    names,
    fragments: usableFragments(entryIn(root, "uses"), { file, open: openFragmentFile, report: reporter([]) }),
  }
}

export function stepsOf(root: WrittenMap | null): readonly Written[] | null {
  const steps = root === null ? undefined : entryIn(root, "steps")
  return steps?.type === "list" ? steps.items : null
}

interface Around {
  readonly at: number
  readonly words: ReadonlyMap<number, string>
  readonly names: readonly FormName[]
}

function formStep(step: Written, { at, words, names }: Around): FormStep {
  const { line } = step.span.place
  const entries = entriesOf(step)
  const verb = entries.find(({ key }) => (VERBS as readonly string[]).includes(key) || key === "use")
  const known = knownBefore(names, at)
  return {
    line,
    words: words.get(line) ?? `${verb?.key ?? "a step"} ${wordOf(verb, entries)}`.trim(),
    ...(verb === undefined ? NO_PART : stepPart(verb, { entries, path: ["steps", at], known, names })),
  }
}

/** The command, fact, fault or fragment of a step. */
function wordOf(verb: WrittenEntry | undefined, entries: readonly WrittenEntry[]): string {
  if (verb === undefined) return ""
  if (verb.value.type === "scalar") return verb.key === "wait" ? "" : verb.value.text
  if (verb.value.type === "list") return ""
  const command = entryIn(verb.value, "do")
  if (command?.type === "scalar") return command.text
  return verb.value.entries.map(({ key }) => key).find((key) => key in EXPECTATIONS) ?? entries[0]?.key ?? ""
}

interface Step {
  readonly entries: readonly WrittenEntry[]
  readonly path: FormPath
  readonly known: Known
  readonly names: readonly FormName[]
}

function stepPart(verb: WrittenEntry, step: Step): FormPart {
  const { entries, path, known } = step
  const { key, value } = verb
  const beside = entries.filter((entry) => entry !== verb)
  const word = wordOf(verb, entries)
  switch (key) {
    case "do":
    case "inject":
      return actPart({ word, entries: beside, path, isInject: key === "inject" }, step)
    case "refuse": {
      const inside = entriesOf(value).filter((entry) => entry.key !== "do")
      const act = actPart({ word, entries: inside, path: [...path, key], more: REFUSE_FIELDS }, step)
      return joined(partOf(beside, { fields: timing(beside, true), path, known, starts: STARTS }), act)
    }
    case "wait": {
      const shown = isOneLine(value) ? [formValue({ label: "wait", value, kind: "word" })] : []
      return joined(
        { ...NO_PART, values: shown },
        partOf(beside, { fields: AT, path, known, starts: STARTS }),
      )
    }
    case "use":
      return joined(
        partOf(
          beside.filter((entry) => entry.key !== "with"),
          { fields: AT, path, known, starts: STARTS },
        ),
        argumentsOf(beside),
      )
    default: {
      const { at, ...fields } = fieldsOf(word)
      const own = at === undefined || key !== "expect" ? fields : { ...fields, at }
      return joined(
        partOf(beside, { fields: AT, path, known, starts: STARTS }),
        partOf(entriesOf(value), { fields: own, path: [...path, key], known, starts: STARTS }),
      )
    }
  }
}

/** The values of a fragment's parameters, of which the form knows the names alone. */
function argumentsOf(beside: readonly WrittenEntry[]): FormPart {
  const all = entriesOf(beside.find(({ key }) => key === "with")?.value)
  const isShown = ({ value }: WrittenEntry): boolean => isOneLine(value)
  return {
    values: all.filter(isShown).map(({ key, value }) => formValue({ label: key, value, kind: "word" })),
    missing: [],
    others: all.filter((entry) => !isShown(entry)).map(({ key }) => key),
  }
}

interface Act {
  readonly word: string
  readonly entries: readonly WrittenEntry[]
  readonly path: FormPath
  readonly isInject?: boolean
  /** Fields beside the arguments. */
  readonly more?: Fields
}

/** A command or a fault: what it is about, and its arguments. */
function actPart({ word, entries, path, isInject = false, more }: Act, { known, names }: Step): FormPart {
  const table: Readonly<Record<string, (Omit<CommandWord, "as"> & Partial<CommandWord>) | undefined>> =
    isInject ? FAULTS : COMMANDS
  const entry = Object.hasOwn(table, word) ? table[word] : undefined
  const by = isInject ? null : byKindOf(word)
  const makes = entry?.as ?? null
  const fields: Fields = {
    ...(more === undefined ? timing(entries, !isInject) : {}),
    ...(makes === null ? {} : { as: { is: "text", says: STEP_KEYS.as } }),
    ...named("for", entry?.for ?? null, { required: true }),
    ...named("by", by, {}),
    ...more,
  }
  const starts = { ...STARTS, ...(makes === null ? {} : { as: freshName(makes, names) }) }
  const own = entries.filter(({ key }) => key !== "with")
  const args = entries.find(({ key }) => key === "with")
  const isMap = args === undefined || args.value.type === "map"
  const withFields = { fields: entry?.with ?? {}, path: [...path, "with"], known, starts }
  return joined(
    partOf(own, { fields, path, known, starts }),
    isMap ? partOf(entriesOf(args?.value), withFields) : { ...NO_PART, others: ["with"] },
  )
}

function named(key: "by" | "for", kind: NamedKind | null, required: { readonly required?: true }): Fields {
  return kind === null ? {} : { [key]: { is: "name", of: kind, says: STEP_KEYS[key], ...required } }
}

/** What fields of steps begin with. */
const STARTS = { at: "+1m", within: "5m", every: "1m", repeat: "2" }

const AT: Fields = { at: { is: "time", says: STEP_KEYS.at } }

const REPEAT: Field = { is: "integer", min: 2, max: REPEATS_MAX, says: STEP_KEYS.repeat }

const EVERY: Field = { is: "duration", says: STEP_KEYS.every }

/** Only what is repeated has a time between. */
function timing(entries: readonly WrittenEntry[], isRepeatable: boolean): Fields {
  const isRepeated = entries.some(({ key }) => key === "repeat" || key === "every")
  return { ...AT, ...(isRepeatable ? { repeat: REPEAT } : {}), ...(isRepeated ? { every: EVERY } : {}) }
}

const REFUSE_FIELDS: Fields = {
  code: { is: "enum", of: Object.keys(SCRIPTED_CODES), says: "the code of the refusal", required: true },
  retry_after: { is: "duration", says: "the wait that the refusal asks for" },
}

function fieldsOf(word: string): Fields {
  return Object.hasOwn(EXPECTATIONS, word) ? EXPECTATIONS[word as keyof typeof EXPECTATIONS].fields : {}
}
