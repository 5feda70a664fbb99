/** New steps of a form: which verbs a word goes with, which names it needs, and the step as YAML. */

import { boundsOf, isCounted } from "../../simulation/scenario/counting.ts"
import { USE_MEANING } from "../../simulation/scenario/language/fragments.ts"
import { plainly } from "../../simulation/scenario/words/json-schema.ts"
import {
  COMMANDS,
  EXPECTATIONS,
  FAULTS,
  SCRIPTED_CODES,
} from "../../simulation/scenario/language/language.ts"
import type {
  CommandWord,
  ExpectationName,
  Field,
  Fields,
  NamedKind,
} from "../../simulation/scenario/language/language.ts"
import { parseDuration } from "../../simulation/scenario/language/shapes.ts"
import { VERB_MEANINGS } from "../../simulation/scenario/language/step.ts"
import { EXAMPLE_NAMES, exampleOf } from "../../simulation/scenario/language/value.ts"
import type {
  AddStep,
  FormFragment,
  FormName,
  StepNeed,
  StepWord,
  StepWords,
} from "../../pages/web/studio/form/form-contract.ts"
import { knownNames } from "./check.ts"
import { GIVEN_KINDS, knownBefore } from "./form-names.ts"

/** A change that the form cannot make, with what to do first. */
export class FormProblem extends Error {
  override readonly name = "FormProblem"
}

export function stepWords(): StepWords {
  return {
    verbs: Object.entries({ ...VERB_MEANINGS, use: USE_MEANING }).map(([key, label]) => ({ key, label })),
    words: [
      ...Object.entries<CommandWord>(COMMANDS).map(([word, entry]) =>
        ofCommand(word, entry, ["do", "refuse"]),
      ),
      ...Object.entries<Omit<CommandWord, "as">>(FAULTS).map(([word, entry]) =>
        ofCommand(word, entry, ["inject"]),
      ),
      ...FACTS.map(ofFact),
    ],
    makers: Object.fromEntries(Object.keys(EXAMPLE_NAMES).map((kind) => [kind, makersOf(kind as NamedKind)])),
  }
}

const FACTS = Object.keys(EXPECTATIONS) as ExpectationName[]

function ofCommand(word: string, entry: Omit<CommandWord, "as">, verbs: readonly string[]): StepWord {
  const target: readonly StepNeed[] = entry.for === null ? [] : [{ key: "for", kind: entry.for }]
  return { word, says: plainly(entry.says), verbs, needs: [...target, ...needsOf(entry.with)] }
}

function ofFact(word: ExpectationName): StepWord {
  const { says, fields } = EXPECTATIONS[word]
  const verbs = ["expect", "never", "at_most"].filter((verb) => fieldsFor(word, verb) !== null)
  return { word, says: plainly(says), verbs, needs: needsOf(fields) }
}

function needsOf(fields: Fields): readonly StepNeed[] {
  return Object.entries(fields).flatMap(([key, field]) =>
    field.is === "name" && field.required === true ? [{ key, kind: field.of }] : [],
  )
}

/** Which steps or keys of `given` give a name of the kind. */
function makersOf(kind: NamedKind): string {
  const lists = Object.entries(GIVEN_KINDS).flatMap(([list, its]) => (its === kind ? [list] : []))
  const steps = Object.entries<CommandWord>(COMMANDS).flatMap(([word, { as }]) => (as === kind ? [word] : []))
  const parts = [
    ...(lists.length === 0 ? [] : [`${lists.join(" or ")} under "What is there before"`]),
    ...(steps.length === 0 ? [] : [`a step before this place with ${steps.join(" or ")}`]),
  ]
  return parts.join(", or ")
}

/** The fields of a new fact: those that it needs, and one to say something of it. Null when it does not go with the verb. */
function fieldsFor(word: ExpectationName, verb: string): readonly string[] | null {
  const fields: Fields = EXPECTATIONS[word].fields
  const needed = Object.keys(fields).filter((name) => fields[name]?.required === true)
  const bounds = boundsOf(word)
  if (verb === "at_most") {
    const [bound] = bounds
    const isThere = bounds.some((name) => needed.includes(name))
    return bound === undefined ? null : isThere ? needed : [...needed, bound]
  }
  const isAboutName = needed.every((name) => fields[name]?.is === "name")
  const counts = (names: readonly string[]): boolean =>
    isCounted(word, Object.fromEntries(names.map((name) => [name, 1])))
  const more = isAboutName
    ? Object.keys(fields).find(
        (name) =>
          !needed.includes(name) &&
          !["at", "within"].includes(name) &&
          fields[name]?.is !== "name" &&
          (verb === "expect" || !counts([...needed, name])),
      )
    : undefined
  const all = more === undefined ? needed : [...needed, more]
  return verb === "never" && counts(all) ? null : all
}

interface Around {
  readonly names: readonly FormName[]
  readonly fragments: readonly FormFragment[]
}

/** The step as YAML in one line. Throws a `FormProblem` when something that it needs is not there. */
export function newStep(step: AddStep, { names, fragments }: Around): string {
  const { verb, word, value } = step
  if (verb === "wait") return `wait: ${waitOf(value)}`
  if (verb === "use") return useOf(step, fragments)
  const known = stepWords().words.find((one) => one.word === word && one.verbs.includes(verb))
  if (known === undefined) throw new FormProblem(`there is no step ${verb} with "${word}"`)
  const before = knownBefore(names, step.at)
  for (const { key, kind } of known.needs) {
    const name = step.names[key] ?? ""
    if (!before(kind as NamedKind).includes(name))
      throw new FormProblem(
        `${word} needs the name of ${kind === "errand" ? "an" : "a"} ${kind}, and ${name === "" ? "none was chosen" : `"${name}" is none before this step`}; there must be ${makersOf(kind as NamedKind)}`,
      )
  }
  if (verb === "do" || verb === "refuse" || verb === "inject") return actOf(step, names)
  const fact = word as ExpectationName
  return `${verb}: { ${valuesOf(EXPECTATIONS[fact].fields, fieldsFor(fact, verb) ?? [], step).join(", ")} }`
}

function waitOf(value: string): string {
  if (parseDuration(value) === null && !/^\d\d:\d\d(:\d\d)?$/.test(value))
    throw new FormProblem(`"${value}" is no time to wait; write 5m, or until when: 12:30`)
  return value
}

function useOf({ word, names }: AddStep, fragments: readonly FormFragment[]): string {
  const fragment = fragments.find(({ name }) => name === word)
  if (fragment === undefined)
    throw new FormProblem(`the file uses no fragment "${word}"; name its file under uses first`)
  const values = fragment.parameters.map((name) => {
    const value = names[name]?.trim() ?? ""
    if (value === "") throw new FormProblem(`the fragment ${word} needs a value for ${name}`)
    return `${name}: ${/^[\w.:+$-]+$/.test(value) ? value : JSON.stringify(value)}`
  })
  return `{ use: ${word}${values.length === 0 ? "" : `, with: { ${values.join(", ")} }`} }`
}

function actOf(step: AddStep, names: readonly FormName[]): string {
  const { verb, word, value } = step
  const entry: Omit<CommandWord, "as"> & { readonly as?: NamedKind | null } =
    verb === "inject" ? FAULTS[word as keyof typeof FAULTS] : COMMANDS[word as keyof typeof COMMANDS]
  const fields = Object.keys(entry.with).filter((name) => entry.with[name]?.required === true)
  const values = valuesOf(entry.with, fields, step)
  const makes = entry.as ?? null
  const parts = [
    verb === "inject" ? `inject: ${word}` : `do: ${word}`,
    ...(makes === null || verb === "refuse" ? [] : [`as: ${freshName(makes, names)}`]),
    ...(entry.for === null ? [] : [`for: ${step.names["for"]}`]),
    ...(values.length === 0 ? [] : [`with: { ${values.join(", ")} }`]),
  ]
  if (verb !== "refuse") return `{ ${parts.join(", ")} }`
  if (!Object.hasOwn(SCRIPTED_CODES, value)) throw new FormProblem(`"${value}" is no code of a refusal`)
  return `refuse: { ${parts.join(", ")}, code: ${value} }`
}

/** A name that the file does not have yet. */
export function freshName(kind: NamedKind, names: readonly FormName[]): string {
  const usual = EXAMPLE_NAMES[kind]
  const taken = new Set(names.map(({ name }) => name))
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? usual : `${usual}-${number}`
    if (!taken.has(name)) return name
  }
}

function valuesOf(fields: Fields, chosen: readonly string[], { names }: AddStep): readonly string[] {
  return chosen.map((name) => {
    const field = fields[name]
    if (field === undefined) throw new Error(`there is no field ${name}`)
    const value = field.is === "name" ? names[name] : startValue(field, { name, fields })
    return `${name}: ${value}`
  })
}

/** What a field begins with, as YAML; a window is after the step before. */
export function startValue(
  field: Field,
  { name, fields }: { readonly name: string; readonly fields: Fields },
): string {
  if (field.is === "window") return "[+15m, +45m]"
  const actor = fields["actor"]
  if (name === "state" && actor?.is === "enum")
    return knownNames().statePaths[actor.of[0] ?? ""]?.[0] ?? exampleOf(field, name)
  return exampleOf(field, name)
}
