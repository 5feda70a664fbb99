/**
 * The words of the scenario language, described one by one for `curbline words` and the page of words: meaning, fields and an
 * example that can be read. Everything comes from the tables that the reader and the JSON Schema use.
 */

import { DELIVERY_FIELDS, VEHICLE_FIELDS } from "../language/delivery-world.ts"
import { EVENT_TYPES, PICKUP_EVENT_TYPES } from "../../../model/webhook.ts"
import { EXCEPTION_MEANINGS } from "../language/exception-words.ts"
import { requiredOf } from "../language/fields.ts"
import { FRAGMENT_KEYS, FRAGMENT_PARTS, USE_MEANING } from "../language/fragments.ts"
import { CALLER_LISTS } from "../callers.ts"
import { webhookFields } from "../language/given.ts"
import { SITE_FIELDS, SITE_LIST } from "../language/given-site.ts"
import { alwaysExample, alwaysMeaning, swarmExample, swarmMeaning } from "../language/invariant-words.ts"
import type { InvariantSubject, SwarmSentence } from "../language/invariant-words.ts"
import { plainly, topLevelSchemas } from "./json-schema.ts"
import {
  BUILT_IN_SITES,
  COMMANDS,
  EXPECTATIONS,
  FAULTS,
  POLICY_FIELDS,
  PROMISED,
  SCRIPTED_CODES,
} from "../language/language.ts"
import type { CommandWord, Field, Fields, NamedKind } from "../language/language.ts"
import { MACHINE_FAULT_KEYS } from "../language/machine-faults-shape.ts"
import { PEOPLE_LISTS } from "../people.ts"
import { REQUIRED_KEYS, SCENARIO_KEYS } from "../language/read.ts"
import type { ScenarioNames } from "../language/read.ts"
import { EVERY, REPEAT } from "../language/repeat.ts"
import { BY_MEANINGS, KEYS_BY_VERB, STEP_KEYS, VERBS, VERB_MEANINGS, byKindOf } from "../language/step.ts"
import type { StepKey, Verb } from "../language/step.ts"
import { kindWords } from "../language/name-book.ts"
import { EXAMPLE_NAMES, exampleOf, shapeOf } from "../language/value.ts"
import { writtenExample } from "./word-examples.ts"
import type { Example } from "./word-examples.ts"

/** Where a word stands in a scenario. */
export const WORD_GROUPS = {
  key: "Keys of a scenario",
  given: "Keys of given",
  verb: "Verbs of a step",
  step: "Keys of a step, beside its verb",
  do: "Commands, for do and refuse",
  expect: "Facts, for expect",
  inject: "Faults, for inject",
  refuse: "Codes, for refuse",
  exception: "Reason codes, for exception",
  always: "Invariants, for always",
  swarm: "Invariants that only the swarm checks",
  promises: "Figures, for promises",
} as const

export type WordGroup = keyof typeof WORD_GROUPS

/** One field of a word. */
export interface WordField {
  readonly name: string
  /** The accepted values, in words. */
  readonly type: string
  /** Null where the value has no unit, or is written with its unit. */
  readonly unit: string | null
  readonly isRequired: boolean
  /** What is taken when the field is left out; null when there is no default. */
  readonly usual: string | null
  readonly says: string
}

export interface Word {
  readonly word: string
  readonly group: WordGroup
  readonly says: string
  readonly fields: readonly WordField[]
  /** A whole scenario file that uses the word. */
  readonly example: string
}

/** What is known of the invariants beyond their names. */
export interface Sentences {
  readonly subjectOf?: (invariant: string) => InvariantSubject
  readonly swarm?: readonly SwarmSentence[]
}

/** Every word, by group in the order of the tables. Those of the swarm come from its catalogue, which loads more code. */
export function wordsOf(
  names: ScenarioNames,
  { subjectOf = () => "reservations", swarm = [] }: Sentences = {},
): readonly Word[] {
  return [
    ...keyWords(names),
    ...givenWords(),
    ...VERBS.map((verb) => verbWord(verb)),
    useWord(),
    ...(Object.keys(STEP_KEYS) as StepKey[]).map((word) => stepKeyWord(word)),
    ...Object.entries(COMMANDS).map(([word, entry]) => commandWord(word, entry)),
    ...Object.entries(EXPECTATIONS).map(([word, { says, fields }]) =>
      factWord(word, { says, fields }, names),
    ),
    ...Object.entries(FAULTS).map(([word, entry]) => faultWord(word, entry)),
    ...Object.entries(SCRIPTED_CODES).map(([word, says]) =>
      wordOf(
        { word, group: "refuse", says },
        {
          steps: [
            stepThatMakes("reservation"),
            `refuse: { do: reservation.read, for: lunch, code: ${word} }`,
          ],
        },
      ),
    ),
    ...Object.entries(EXCEPTION_MEANINGS).map(([word, says]) =>
      wordOf(
        { word, group: "exception", says },
        {
          steps: [
            stepThatMakes("reservation"),
            `do: exception.raise, for: lunch, with: { code: ${word} }`,
            `expect: { exception: ${word}, for: lunch }`,
          ],
        },
      ),
    ),
    ...names.invariants.map((word) => {
      const subject = subjectOf(word)
      return wordOf({ word, group: "always", says: alwaysMeaning(subject) }, alwaysExample(word, subject))
    }),
    ...swarm.map((one) =>
      wordOf({ word: one.sentence, group: "swarm", says: swarmMeaning(one) }, swarmExample(one)),
    ),
    ...Object.entries(PROMISED).map(([word, says]) =>
      wordOf(
        { word, group: "promises", says },
        { steps: [stepThatMakes("reservation")], after: ["promises:", `  ${word}: "< 60"`] },
      ),
    ),
  ]
}

/** The words with this name, and the other words that a verb or a key takes. */
export function wordsNamed(
  name: string,
  words: readonly Word[],
): { readonly named: readonly Word[]; readonly taken: readonly Word[] } {
  const takenBy = (group: WordGroup): boolean => group === name || MORE_GROUPS[name]?.includes(group) === true
  const exact = words.filter(({ word }) => word === name)
  const alike = words.filter(({ word }) => joined(word) === joined(name))
  return {
    named: exact.length > 0 || words.some(({ group }) => takenBy(group)) ? exact : alike,
    taken: words.filter(({ group }) => takenBy(group)),
  }
}

/** Without what is easily written differently: `Reservation Create`. */
function joined(word: string): string {
  return word.toLowerCase().replaceAll(/[\s._-]+/g, ".")
}

const MORE_GROUPS: { readonly [name: string]: readonly WordGroup[] | undefined } = {
  invariants: ["always", "swarm"],
  machine_faults: ["swarm"],
  refuse: ["do"],
}

interface Described {
  readonly word: string
  readonly group: WordGroup
  readonly says: string
  readonly fields?: readonly WordField[]
}

/** `made` is the example that its fields give; a written one goes before it. */
function wordOf({ word, group, says, fields = [] }: Described, made: Example): Word {
  return { word, group, says, fields, example: scenarioText(word, writtenExample(group, word) ?? made) }
}

function scenarioText(word: string, { head = [], given = [], steps, after = [] }: Example): string {
  return [
    `scenario: "An example of ${word}"`,
    "because: It shows how the word is written.",
    "clock: 2026-03-02T11:30 America/Chicago",
    ...head,
    ...(given.length === 0 ? [] : ["given:", ...given.map((line) => `  ${line}`)]),
    "steps:",
    ...steps.map((step) => `  - { ${step} }`.replace(/\{ (refuse|expect|never|at_most): (.*) \}$/, "$1: $2")),
    ...after,
    "",
  ].join("\n")
}

const VERB_EXAMPLES: Readonly<Record<(typeof VERBS)[number], Example>> = {
  do: { steps: ["at: 11:30, do: reservation.create, as: lunch, with: { window: [11:45, 12:15] }"] },
  refuse: {
    steps: ["refuse: { do: reservation.create, with: { window: [11:00, 11:20] }, code: WINDOW_IN_PAST }"],
  },
  expect: {
    steps: [stepThatMakes("reservation"), "expect: { reservation: lunch, status: confirmed, within: 5m }"],
  },
  never: {
    steps: [stepThatMakes("reservation"), "never: { reservation: lunch, status: arrived, within: 10m }"],
  },
  at_most: {
    given: ["webhooks: [{ as: partner, events: all }]"],
    steps: [
      "at_most: { webhook: reservation.status_changed, to: partner, times: 2 }",
      stepThatMakes("reservation"),
    ],
  },
  inject: {
    given: ["webhooks: [{ as: partner, events: all }]"],
    steps: ["inject: webhook.answers, for: partner, with: { answers: [500, 200] }"],
  },
  wait: { steps: ["wait: 5m"] },
}

/** A verb with the keys beside it. */
function verbWord(verb: Verb): Word {
  const fields = KEYS_BY_VERB[verb].map((name): WordField => {
    const type = KEY_TYPES[name]
    return { name, type, unit: null, isRequired: false, usual: null, says: STEP_KEYS[name] }
  })
  return wordOf({ word: verb, group: "verb", says: VERB_MEANINGS[verb], fields }, VERB_EXAMPLES[verb])
}

function stepKeyWord(word: StepKey): Word {
  const verbs = VERBS.filter((verb) => KEYS_BY_VERB[verb].includes(word))
  const plain = { unit: null, isRequired: false, usual: null }
  const field = { ...plain, name: word, type: KEY_TYPES[word], says: `beside ${verbs.join(", ")}` }
  return wordOf({ word, group: "step", says: STEP_KEYS[word], fields: [field] }, STEP_KEY_EXAMPLES[word])
}

const VISIT = "at: 11:30, do: reservation.create, as: visit, with: { window: [11:45, 12:15] }"

const STEP_KEY_EXAMPLES: Readonly<Record<StepKey, Example>> = {
  at: { steps: [VISIT] },
  as: { steps: [VISIT] },
  for: { steps: [VISIT, "do: runner.assign, for: visit"] },
  by: {
    given: ["runners: [{ as: ana, from: 11:00, to: 14:00 }]"],
    steps: [VISIT, "at: 11:35, do: runner.assign, for: visit, by: ana"],
  },
  with: { steps: [VISIT] },
  repeat: { steps: [`${VISIT}, repeat: 3`] },
  every: { steps: [`${VISIT}, repeat: 3, every: 1m`] },
  actor: {
    head: ["machine_faults: { last: 1h, lost_answers: 100 }"],
    steps: [`${VISIT}, actor: partner`, "do: runner.assign, for: visit, actor: runner"],
  },
}

/** Not a verb of its own: it stands for the steps of a fragment. */
function useWord(): Word {
  const plain = { unit: null, isRequired: false, usual: null }
  const fields = [
    { ...plain, name: "at", type: KEY_TYPES.at, says: "when the first of its steps is done" },
    { ...plain, name: "with", type: "a map", says: "a value for each parameter of the fragment" },
  ]
  return wordOf({ word: "use", group: "verb", says: USE_MEANING, fields }, USE_EXAMPLE)
}

const USE_EXAMPLE: Example = {
  head: ["uses: [fragments/runner.yaml]"],
  steps: [stepThatMakes("reservation"), "at: 11:35, use: to_the_bot, with: { order: lunch }"],
}

const KEY_TYPES: Readonly<Record<StepKey, string>> = {
  at: shapeOf({ is: "time", says: "" }).words,
  as: "a name such as lunch",
  for: "a name given before with as; the word says of what kind, and needs it then",
  by: "a name of given: partners, keys, runners or operators, or of a key that a step made",
  with: "a map; each word has its own",
  repeat: REPEAT.words,
  every: EVERY.words,
  actor: "a name, or with a slash one of several that belong together: visit-1/bot",
}

/** What has to be there before something of the kind can be named. */
function exampleWith(kinds: readonly NamedKind[], word: string, step: string): Example {
  const needs = (kind: NamedKind): boolean => kinds.includes(kind)
  const isPickup = word.startsWith("pickup_webhook")
  const given = [
    ...(needs("webhook")
      ? [`${isPickup ? "pickup_webhooks" : "webhooks"}: [{ as: partner, events: all }]`]
      : []),
    ...(needs("vehicle") || needs("delivery") ? ["vehicles: [{ as: van }]"] : []),
  ]
  const made = (["reservation", "delivery", "errand"] as const).filter((kind) => needs(kind))
  return { given, steps: [...made.map((kind) => stepThatMakes(kind)), step] }
}

/** A step of a command that makes something of the kind. */
function stepThatMakes(kind: NamedKind): string {
  const [name = "", word] = Object.entries<CommandWord>(COMMANDS).find(([, { as }]) => as === kind) ?? []
  return word === undefined ? "" : commandStep(name, word)
}

function commandStep(name: string, word: CommandWord): string {
  const values = exampleFields(word.with)
  const parts = [
    `do: ${name}`,
    ...(word.as === null ? [] : [`as: ${EXAMPLE_NAMES[word.as]}`]),
    ...(word.for === null ? [] : [`for: ${EXAMPLE_NAMES[word.for]}`]),
    ...(values.length === 0 ? [] : [`with: { ${values.join(", ")} }`]),
  ]
  return parts.join(", ")
}

/** The required fields, or the first one where none is. */
function exampleFields(fields: Fields): readonly string[] {
  const needed = requiredOf(fields)
  const [first] = Object.keys(fields)
  const names = needed.length > 0 || first === undefined ? needed : [first]
  return names.flatMap((name) => exampleField(name, fields[name]) ?? [])
}

function exampleField(name: string, field: Field | undefined): string | null {
  return field === undefined ? null : `${name}: ${exampleOf(field, name)}`
}

function kindsOf(fields: Fields): readonly NamedKind[] {
  return Object.values(fields).flatMap((field) =>
    field.is === "name" && field.required === true ? [field.of] : [],
  )
}

function commandWord(word: string, entry: CommandWord): Word {
  const { as, with: fields } = entry
  const kinds = [...(entry.for === null ? [] : [entry.for]), ...kindsOf(fields)]
  const named: readonly WordField[] = as === null ? [] : [namingField(as)]
  const example = exampleWith(kinds, word, commandStep(word, entry))
  return wordOf(
    {
      word,
      group: "do",
      says: plainly(entry.says),
      fields: [...named, ...targetFields(entry.for), ...byFields(word), ...fieldsOf(fields)],
    },
    example,
  )
}

function faultWord(word: string, entry: Omit<CommandWord, "as">): Word {
  const kinds = [...(entry.for === null ? [] : [entry.for]), ...kindsOf(entry.with)]
  const step = commandStep(word, { ...entry, as: null }).replace(/^do:/, "inject:")
  return wordOf(
    {
      word,
      group: "inject",
      says: plainly(entry.says),
      fields: [...targetFields(entry.for), ...fieldsOf(entry.with)],
    },
    exampleWith(kinds, word, step),
  )
}

function namingField(kind: NamedKind): WordField {
  const says = `a name for the new ${kind}, beside with`
  return { name: "as", type: "a name such as lunch", unit: null, isRequired: false, usual: null, says }
}

function targetFields(kind: NamedKind | null): readonly WordField[] {
  if (kind === null) return []
  const says = `the ${kind} that it is about, beside with`
  return [
    {
      name: "for",
      type: `the name of ${kindWords([kind])}`,
      unit: null,
      isRequired: true,
      usual: null,
      says,
    },
  ]
}

const BY_TYPES = {
  caller: "a name of given: partners, of given: keys, or of a key that a step made",
  person: "a name of given: runners or of given: operators",
} as const

const BY_USUAL = {
  caller: "the scenario's own partner",
  person: "someone who may do everything at every time",
} as const

function byFields(word: string): readonly WordField[] {
  const kind = byKindOf(word)
  if (kind === null) return []
  return [
    {
      name: "by",
      type: BY_TYPES[kind],
      unit: null,
      isRequired: false,
      usual: BY_USUAL[kind],
      says: `${BY_MEANINGS[kind]}, beside with`,
    },
  ]
}

function factWord(
  word: string,
  { says, fields }: { readonly says: string; readonly fields: Fields },
  names: ScenarioNames,
): Word {
  const needed = requiredOf(fields)
  const more = Object.entries(fields).find(
    ([name, field]) => !needed.includes(name) && !["at", "within"].includes(name) && field.is !== "name",
  )
  const values = [
    ...needed.map((name) => stateExample({ name, fields, names }) ?? exampleField(name, fields[name])),
    ...(more === undefined ? [] : [exampleField(...more)]),
  ]
  return wordOf(
    { word, group: "expect", says: plainly(says), fields: fieldsOf(fields) },
    exampleWith(kindsOf(fields), word, `expect: { ${values.join(", ")} }`),
  )
}

/** A state depends on the actor, whose example is the first of its words. */
function stateExample(one: {
  readonly name: string
  readonly fields: Fields
  readonly names: ScenarioNames
}): string | null {
  const actor = one.fields["actor"]
  if (one.name !== "state" || actor?.is !== "enum") return null
  const [path] = one.names.statePaths[actor.of[0] ?? ""] ?? []
  return path === undefined ? null : `state: ${path}`
}

function fieldsOf(fields: Fields): readonly WordField[] {
  return Object.entries(fields).map(([name, field]) => ({
    name,
    type: `${shapeOf(field).words}${field.nullable === true ? ", or null" : ""}`,
    unit: unitOf(name, field),
    isRequired: field.required === true,
    usual: field.usual ?? null,
    says: field.says,
  }))
}

/** Units end the names of numbers. */
const UNITS: Readonly<Record<string, string>> = {
  cents: "cents",
  cm: "centimetres",
  kg: "kilograms",
  km: "kilometres",
  m: "metres",
  seconds: "seconds",
  occupancy: "percent",
}

const WITH_UNITS: readonly Field["is"][] = ["dimensions", "integer", "number"]

function unitOf(name: string, field: Field): string | null {
  return WITH_UNITS.includes(field.is) ? (UNITS[name.split("_").at(-1) ?? ""] ?? null) : null
}

function givenWords(): readonly Word[] {
  const lists = { webhooks: EVENT_TYPES, pickup_webhooks: PICKUP_EVENT_TYPES }
  const steps = [stepThatMakes("reservation")]
  const mapped = (word: string, says: string, fields: Fields): Word => {
    const [name = "", field] = Object.entries(fields)[0] ?? []
    const example = { given: [`${word}: { ${exampleField(name, field)} }`], steps }
    return wordOf({ word, group: "given", says, fields: fieldsOf(fields) }, example)
  }
  const as: WordField = {
    ...namingField("webhook"),
    isRequired: true,
    says: "the endpoint's name in the steps",
  }
  return [
    ...Object.entries({ ...SITE_LIST, ...CALLER_LISTS, ...PEOPLE_LISTS }).map(([word, { fields, says }]) =>
      wordOf(
        {
          word,
          group: "given",
          says,
          fields: [{ ...as, says: "its name in the steps" }, ...fieldsOf(fields)],
        },
        { steps },
      ),
    ),
    mapped("site", `the site: one of ${BUILT_IN_SITES.join(", ")}, or one written out`, SITE_FIELDS),
    mapped("policy", "values of the policy of arrival windows", POLICY_FIELDS),
    mapped("delivery_site", "the site from which deliveries start", DELIVERY_FIELDS),
    ...Object.entries(lists).map(([word, types]) =>
      wordOf(
        {
          word,
          group: "given",
          says: `endpoints that are registered from the start: a list; they receive ${types.join(", ")}`,
          fields: [as, ...fieldsOf(webhookFields(types))],
        },
        { given: [`${word}: [{ as: partner, events: all }]`], steps },
      ),
    ),
    wordOf(
      {
        word: "vehicles",
        group: "given",
        says: "vehicles of the delivery site: a list",
        fields: [{ ...as, says: "the vehicle's name in the steps" }, ...fieldsOf(VEHICLE_FIELDS)],
      },
      { given: ["vehicles: [{ as: van }]"], steps: [stepThatMakes("delivery")] },
    ),
  ]
}

const KEY_LINES: { readonly [key: string]: readonly string[] | undefined } = {
  tags: ["tags: [reservation]"],
  seed: ["seed: 42"],
  environment: ["environment: sandbox"],
  permissions: ["permissions: [reservations:read, reservations:write]"],
  machine_faults: ["machine_faults: { last: 1h, lost_results: 20, late_timers: 30, late_timer_max: 1m }"],
  course: ["course: { name: early, for: lunch, from: [confirmed] }"],
  matrix: ["matrix: [{ name: short, pause: 5m }, { name: long, pause: 1h }]"],
}

function keyWords(names: ScenarioNames): readonly Word[] {
  const schemas = topLevelSchemas(names)
  return SCENARIO_KEYS.map((word) => {
    const schema = schemas[word]
    const { description, default: usual } = typeof schema === "object" ? schema : {}
    const isRequired = (REQUIRED_KEYS as readonly string[]).includes(word)
    const says = typeof description === "string" ? description : word
    const hasDefault = typeof usual === "string" || typeof usual === "number"
    const needed = isRequired ? "; required" : hasDefault ? `; ${usual} by default` : ""
    const fields = word === "uses" ? fragmentFields() : word === "machine_faults" ? faultFields() : []
    return wordOf({ word, group: "key", says: `${says}${needed}`, fields }, keyExample(word, names))
  })
}

function faultFields(): readonly WordField[] {
  return Object.entries(MACHINE_FAULT_KEYS).map(([name, { says, shape, isRequired }]) => ({
    name,
    type: shape.words,
    unit: null,
    isRequired,
    usual: null,
    says,
  }))
}

/** The keys of a file of fragments, and of a fragment in it. */
function fragmentFields(): readonly WordField[] {
  const plain = { unit: null, usual: null }
  const all = [
    ...Object.entries(FRAGMENT_KEYS).map(([name, says]) => ({
      name,
      says,
      isRequired: name === "fragments",
    })),
    ...Object.entries(FRAGMENT_PARTS).map(([name, says]) => ({
      name: `fragments.NAME.${name}`,
      says,
      isRequired: name === "steps",
    })),
  ]
  return all.map((one) => ({ ...plain, ...one, type: "a key of the file of fragments" }))
}

function keyExample(word: string, { invariants }: ScenarioNames): Example {
  if (word === "uses") return USE_EXAMPLE
  const steps = [stepThatMakes("reservation"), ...(word === "matrix" ? ["wait: $pause"] : [])]
  const given = word === "given" ? ["webhooks: [{ as: partner, events: all }]"] : []
  const always = word === "always" ? ["always:", `  - ${invariants[0] ?? ""}`] : []
  const promises = word === "promises" ? ["promises:", '  events: "< 60"'] : []
  return { given, steps, after: [...(KEY_LINES[word] ?? []), ...always, ...promises] }
}
