/** One step: its verb, what the verb refers to, and its values. */

import { readFields } from "./fields.ts"
import type { FieldTable } from "./fields.ts"
import { asMap, asText, found, readKeys, reportUnknownKey } from "./keys.ts"
import type { Entries, KnownKeys } from "./keys.ts"
import { isCalledWithKey } from "../callers.ts"
import { isDoneByPeople } from "./people-words.ts"
import { boundsOf, isCounted } from "../counting.ts"
import { COMMANDS, EXPECTATIONS, FAULTS, SCRIPTED_CODES } from "./language.ts"
import type {
  CommandName,
  CommandWord,
  ExpectationName,
  FaultName,
  Fields,
  FieldValues,
  NamedKind,
  ScriptedCode,
  Step,
  TimeRef,
} from "./language.ts"
import { inTheirPlaces } from "./misplaced-keys.ts"
import { kindWords } from "./name-book.ts"
import { listedBy, nearest } from "./problems.ts"
import type { Report, Span } from "./problems.ts"
import { EXAMPLE_NAMES, exampleOf, readName, readTime } from "./value.ts"
import type { ValueContext } from "./value.ts"
import { DURATION_WORDS, duration, oneOf, parseDuration } from "./shapes.ts"
import type { Written, WrittenEntry, WrittenMap } from "./source.ts"

export interface StepContext extends ValueContext {
  /** State paths by actor; null when they are not known here. */
  readonly statePaths: { readonly [actor: string]: readonly string[] } | null
}

export const VERBS = ["do", "refuse", "expect", "never", "at_most", "inject", "wait"] as const

export type Verb = (typeof VERBS)[number]

export const VERB_MEANINGS: Readonly<Record<Verb, string>> = {
  do: "a command or report that is accepted",
  refuse: "a command that is refused with a code",
  expect: "a fact that holds",
  never: "a fact that does not hold at any moment from here on; with within, for that long",
  at_most: "a count that nothing may pass from here on; with within, for that long",
  inject: "a fault of the outside world",
  wait: "time that passes: 5m, or up to a time: 12:30",
}

export type StepKey = keyof typeof STEP_KEYS

/** The keys of a step besides its verb. */
export const KEYS_BY_VERB: { readonly [verb in Verb]: readonly StepKey[] } = {
  do: ["at", "as", "for", "by", "with", "repeat", "every", "actor"],
  refuse: ["at", "repeat", "every"],
  expect: ["at"],
  never: ["at"],
  at_most: ["at"],
  inject: ["at", "for", "with", "actor"],
  wait: ["at"],
}

/** The meaning of each key beside a verb. */
export const STEP_KEYS = {
  at: "when; at once without it",
  as: "a name for what the command makes",
  for: "the name of what it is about",
  by: "the partner or key that calls, or the runner or operator who acts",
  with: "its arguments",
  repeat: "how many times; the names that it gives end with -1, -2 and so on",
  every: "the time between two repetitions; none without it",
  actor:
    "who takes the step, beside machine_faults alone: steps of one actor wait for each other, those of others do not",
} as const

export const REFUSE_KEYS = ["do", "as", "for", "by", "with", "code", "retry_after"] as const

const CODE = oneOf(Object.keys(SCRIPTED_CODES) as ScriptedCode[], "code", "refuse")
const COMMAND = oneOf(Object.keys(COMMANDS) as CommandName[], "command", "do")
const FAULT = oneOf(Object.keys(FAULTS) as FaultName[], "fault", "inject")
/** The wait that a refusal asks for. */
export const RETRY_AFTER = duration()
const STEP_WORDS = "a step such as { at: 11:30, do: reservation.create, as: lunch }"

/** The step; undefined when it is not valid, which was then reported. */
export function readStep(value: Written, context: StepContext): Step | undefined {
  const map = asMap(value, STEP_WORDS, context.report)
  if (map === null) return undefined
  const verbEntry = verbOf(map, context)
  if (verbEntry === null) return undefined
  const verb = verbEntry.key as Verb
  const keys = stepKeys(map, verbEntry, context)
  const at = readAt(keys.get("at"), context)
  const place = map.span.place
  const act = readAct(verb, { entry: verbEntry, keys }, context)
  return act === undefined ? undefined : { ...act, at, place }
}

/** The part of a step that `verb` defines: without time and place. */
type Act = { readonly [verb in Verb]: Omit<Extract<Step, { readonly verb: verb }>, "at" | "place"> }[Verb]

interface StepParts {
  readonly entry: WrittenEntry
  readonly keys: Entries
}

function readAct(verb: Verb, parts: StepParts, context: StepContext): Act | undefined {
  switch (verb) {
    case "do":
      return readDo(parts, context)
    case "refuse":
      return readRefuse(parts.entry.value, context)
    case "expect":
      return readFact(parts.entry.value, context)
    case "never":
    case "at_most":
      return readStanding(verb, parts.entry.value, context)
    case "inject":
      return readInject(parts, context)
    case "wait":
      return readWait(parts.entry.value, context)
  }
}

/** The only verb of a step; null when there is none, or more than one: nothing else of the step is read then. */
function verbOf(map: WrittenMap, context: StepContext): WrittenEntry | null {
  const { report } = context
  const verbs = map.entries.filter((entry) => isVerb(entry.key))
  const [first, second] = verbs
  if (first !== undefined && second !== undefined) {
    const names = verbs.map(({ key }) => `"${key}"`)
    const message = `a step has one verb, this one has ${names.slice(0, -1).join(", ")} and ${names.at(-1)}`
    report(second.keySpan, message, {
      help: verbs.length === 2 ? "make two steps of it" : "make a step of each",
    })
    const as = map.entries.find(({ key }) => key === "as")
    if (as !== undefined) {
      const command = verbs.find(({ key }) => key === "do") ?? first
      giveAnyway(as.value, command.value, context)
    }
    return null
  }
  if (first !== undefined) return first
  const others: readonly string[] = Object.values(KEYS_BY_VERB).flat()
  const misspelled = map.entries.filter((entry) => !others.includes(entry.key))
  for (const entry of misspelled) {
    reportUnknownKey(entry, { of: "one verb a step", known: [...VERBS, "use"] }, report)
  }
  if (misspelled.length === 0) {
    report(map.span, "this step has no verb", { expected: `one of ${[...VERBS, "use"].join(", ")}` })
  }
  return null
}

function isVerb(key: string): key is Verb {
  return (VERBS as readonly string[]).includes(key)
}

/** The keys that belong to the verb. */
function stepKeys(map: WrittenMap, verb: WrittenEntry, { report }: StepContext): Entries {
  const own: readonly string[] = KEYS_BY_VERB[verb.key as Verb]
  const rest = map.entries.filter((entry) => !isVerb(entry.key))
  const misplaced = rest.filter((entry) => !own.includes(entry.key) && isStepKey(entry.key))
  for (const entry of misplaced) {
    const inside = verb.value.type === "map"
    report(entry.keySpan, `"${entry.key}" does not go with "${verb.key}"`, {
      expected: `${verb.key}, ${own.join(", ")}`,
      ...(inside ? { help: `write it inside the braces of "${verb.key}"` } : {}),
    })
  }
  const entries = rest.filter((entry) => !misplaced.includes(entry))
  const sorted = inTheirPlaces(
    { ...map, entries },
    { beside: own, inside: argumentsOf(verb.key as Verb, verb.value) },
    report,
  )
  return readKeys(sorted, { of: `keys beside "${verb.key}"`, known: own }, report)
}

/** The arguments of the command or fault that a step names; none when there is no such word. */
function argumentsOf(verb: Verb, value: Written): readonly string[] {
  const words: { readonly [word: string]: { readonly with: Fields } | undefined } =
    verb === "inject" ? FAULTS : verb === "do" || verb === "refuse" ? COMMANDS : {}
  return Object.keys((value.type === "scalar" ? words[value.text]?.with : undefined) ?? {})
}

function isStepKey(key: string): boolean {
  return Object.values(KEYS_BY_VERB)
    .flat()
    .some((own) => own === key)
}

function readAt(entry: WrittenEntry | undefined, context: StepContext): TimeRef | null {
  const time = entry === undefined ? undefined : readTime(entry.value, context)
  if (entry === undefined || time === undefined) return null
  context.timeline?.move(time, entry.value.span)
  return time
}

function readDo({ entry, keys }: StepParts, context: StepContext): Act | undefined {
  const command = readCommand(entry.value, context)
  const word: CommandWord | undefined = command === undefined ? undefined : COMMANDS[command]
  const asEntry = keys.get("as")
  if (command === undefined || word === undefined) {
    if (asEntry !== undefined) giveAnyway(asEntry.value, entry.value, context)
    return undefined
  }
  const values = readNamed({ name: command, word, missingAt: entry.value.span, keys }, context)
  const actor = readActor(keys.get("actor"), context)
  const by = readBy(keys.get("by"), command, context)
  // The name is added last: a step cannot refer to what it makes.
  const as = readAs(asEntry, word.as, context)
  return { verb: "do", command, as, ...by, ...actor, ...values }
}

interface Naming {
  readonly name: CommandName | FaultName
  readonly word: Omit<CommandWord, "as">
  readonly missingAt: Span
  readonly keys: Entries
}

/** The values of a command or a fault, and what it refers to. */
function readNamed({ name, word, missingAt, keys }: Naming, context: StepContext) {
  const table: FieldTable = { of: `arguments of ${name}`, word: name, fields: word.with, missingAt }
  const withValues = readWith(keys.get("with"), table, context)
  const target = readFor(keys.get("for"), { what: name, kind: word.for, missingAt }, context)
  return { for: target, with: withValues }
}

function readCommand(value: Written, { report }: StepContext): CommandName | undefined {
  if (value.type === "map") {
    reportWordAsMap(value, { verb: "do", noun: "command", words: COMMANDS }, report)
    return undefined
  }
  return COMMAND.read(value, report)
}

interface WordTable {
  readonly verb: "do" | "inject"
  readonly noun: string
  readonly words: { readonly [word: string]: Omit<CommandWord, "as"> & { readonly as?: NamedKind | null } }
}

/** Reports `inject: { open_link: […] }`: the word and its values must be keys side by side. */
function reportWordAsMap(map: WrittenMap, { verb, noun, words }: WordTable, report: Report): void {
  const names = Object.keys(words)
  const written = map.entries[0]?.key ?? ""
  const meant =
    names.find((name) => name === written || name.startsWith(`${written}.`)) ?? nearest(written, names)
  const word = meant ?? names[0] ?? ""
  const table = words[word]
  if (table === undefined) return
  const given = Object.entries(table.with).filter(([, field]) => field.required === true)
  const parts = [
    `${verb}: ${word}`,
    ...(table.as === undefined || table.as === null ? [] : [`as: ${EXAMPLE_NAMES[table.as]}`]),
    ...(table.for === null ? [] : [`for: ${EXAMPLE_NAMES[table.for]}`]),
    ...(given.length === 0
      ? []
      : [`with: { ${given.map(([name, field]) => `${name}: ${exampleOf(field)}`).join(", ")} }`]),
  ]
  report(map.span, `a map where the name of a ${noun} should be`, {
    expected: meant === undefined ? `one of ${names.join(", ")}` : `{ ${parts.join(", ")} }`,
    ...(meant === undefined ? { help: `a step is written { ${parts.join(", ")} }` } : {}),
  })
}

function readAs(
  entry: WrittenEntry | undefined,
  kind: NamedKind | null,
  context: StepContext,
): string | null {
  if (entry === undefined) return null
  if (kind === null) {
    context.report(entry.keySpan, '"as" has nothing to name: this command makes nothing new', {
      help: 'name the one it is about with "for"',
    })
    return null
  }
  return context.nameBook?.give(kind, entry.value) ?? null
}

function readBy(
  entry: WrittenEntry | undefined,
  command: CommandName,
  context: StepContext,
): { readonly by?: string } {
  if (entry === undefined) return {}
  const kind = byKindOf(command)
  if (kind !== null) {
    const by = readName([kind], entry.value, context)
    return by === undefined ? {} : { by }
  }
  context.report(entry.keySpan, `"by" does not go with ${command}`, {
    help: "a partner's calls have a key, and steps of a runner task and actions of operations have a person",
  })
  return {}
}

function readActor(entry: WrittenEntry | undefined, { report }: StepContext): { readonly actor?: string } {
  const actor = entry === undefined ? null : asText(entry.value, "the actor's name", report)
  return actor === null ? {} : { actor }
}

/** What `by` means beside a command, by the kind of name that it takes. */
export const BY_MEANINGS = {
  caller: "the partner or key that calls",
  person: "the runner or operator who acts",
} as const

/** The kind of name that `by` takes beside a command; null when it takes none. */
export function byKindOf(command: string): keyof typeof BY_MEANINGS | null {
  if (isCalledWithKey(command)) return "caller"
  return isDoneByPeople(command) ? "person" : null
}

/** A step with an unknown command still adds its name, so that later steps are not reported too. */
function giveAnyway(as: Written, command: Written, { nameBook }: StepContext): void {
  const text = command.type === "scalar" ? command.text : ""
  const kinds = {
    webhook: "webhook",
    pickup_webhook: "webhook",
    delivery: "delivery",
    errand: "errand",
  } as const
  const [, kind] = Object.entries(kinds).find(([start]) => text.startsWith(start)) ?? []
  nameBook?.give(kind ?? "reservation", as)
}

interface Target {
  readonly what: string
  readonly kind: NamedKind | null
  readonly missingAt: Span
}

function readFor(entry: WrittenEntry | undefined, target: Target, context: StepContext): string | null {
  const { what, kind, missingAt } = target
  if (kind === null) {
    if (entry !== undefined)
      context.report(entry.keySpan, `"for" does not go with ${what}`, { help: "remove it" })
    return null
  }
  if (entry === undefined) {
    context.report(missingAt, `${what} needs "for"`, { expected: `for: the name of ${kindWords([kind])}` })
    return null
  }
  return readName([kind], entry.value, context) ?? null
}

function readWith(entry: WrittenEntry | undefined, table: FieldTable, context: StepContext): FieldValues {
  const { missingAt } = table
  if (entry === undefined) {
    if (missingAt !== undefined) readFields({ type: "map", entries: [], span: missingAt }, table, context)
    return {}
  }
  const map = asMap(entry.value, `${table.of}: ${Object.keys(table.fields).join(", ")}`, context.report)
  return map === null ? {} : readFields(map, { ...table, missingAt: entry.keySpan }, context)
}

function readRefuse(value: Written, context: StepContext): Act | undefined {
  const map = asMap(value, "{ do: command, for: name, with: {…}, code: CODE }", context.report)
  if (map === null) return undefined
  const known: KnownKeys = { of: 'keys of "refuse"', known: REFUSE_KEYS, required: ["do", "code"] }
  const named = map.entries.find(({ key }) => key === "do")?.value
  const inside = named === undefined ? [] : argumentsOf("refuse", named)
  const sorted = inTheirPlaces(map, { beside: REFUSE_KEYS, inside }, context.report)
  const keys = readKeys(sorted, known, context.report)
  const entry = keys.get("do")
  const codeEntry = keys.get("code")
  const code = codeEntry === undefined ? undefined : CODE.read(codeEntry.value, context.report)
  const command = entry === undefined ? undefined : readCommand(entry.value, context)
  if (entry === undefined || command === undefined) return undefined
  const word: CommandWord = COMMANDS[command]
  const values = readNamed({ name: command, word, missingAt: entry.value.span, keys }, context)
  const by = readBy(keys.get("by"), command, context)
  const as = readAs(keys.get("as"), word.as, context)
  const retryAfter = keys.get("retry_after")
  const retryAfterMs =
    retryAfter === undefined ? undefined : RETRY_AFTER.read(retryAfter.value, context.report)
  if (code === undefined) return undefined
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs }
  return { verb: "refuse", command, as, ...by, ...values, code, ...wait }
}

function readInject({ entry, keys }: StepParts, context: StepContext): Act | undefined {
  if (entry.value.type === "map") {
    reportWordAsMap(entry.value, { verb: "inject", noun: "fault", words: FAULTS }, context.report)
    return undefined
  }
  const fault = FAULT.read(entry.value, context.report)
  if (fault === undefined) return undefined
  const word: Omit<CommandWord, "as"> = FAULTS[fault]
  return {
    verb: "inject",
    fault,
    ...readNamed({ name: fault, word, missingAt: entry.value.span, keys }, context),
    ...readActor(keys.get("actor"), context),
  }
}

const BOUNDED = (Object.keys(EXPECTATIONS) as ExpectationName[]).filter((fact) => boundsOf(fact).length > 0)

const FACTS = Object.keys(EXPECTATIONS) as ExpectationName[]

/** The facts that have this fact's key as a plain field: if both keys are present, the other fact is meant. */
export function factsOver(fact: ExpectationName): readonly ExpectationName[] {
  return FACTS.filter((other) => other !== fact && Object.hasOwn(EXPECTATIONS[other].fields, fact))
}

/** A fact that must not hold, or a count that must not be passed, from the step on. */
function readStanding(verb: "at_most" | "never", value: Written, context: StepContext): Act | undefined {
  const read = readFact(value, context)
  if (read === undefined || value.type !== "map") return undefined
  const { fact, fields } = read
  const at = value.entries.find(({ key }) => key === "at")
  if (at !== undefined && "at" in fields) {
    const help = "it holds from its step on; put the time beside it, or say for how long with within"
    context.report(at.keySpan, `"at" does not go with "${verb}"`, { help })
    return undefined
  }
  const bounds = boundsOf(fact)
  const written = bounds.filter((name) => fields[name] !== undefined)
  if (verb === "at_most" && written.length !== 1) {
    const expected =
      bounds.length === 0 ? `a fact that is counted: ${BOUNDED.join(", ")}` : `one of ${bounds.join(", ")}`
    context.report(value.span, `"at_most" needs one count`, { expected })
    return undefined
  }
  if (verb === "at_most" && fields["attempted_at"] !== undefined) {
    context.report(value.span, `"attempted_at" does not go with "at_most"`, { help: "expect it instead" })
    return undefined
  }
  if (verb === "never" && isCounted(fact, fields)) {
    context.report(value.span, `"never" takes no count`, {
      help: bounds.length === 0 ? "expect it instead" : `write at_most with ${bounds[0]}: 0`,
    })
    return undefined
  }
  return { ...read, verb }
}

/** The fact of `expect`, and of the verbs that are about facts too. */
function readFact(
  value: Written,
  context: StepContext,
): Extract<Act, { readonly verb: "expect" }> | undefined {
  const { report } = context
  const map = asMap(value, "a fact such as { reservation: lunch, status: confirmed }", report)
  if (map === null) return undefined
  const fact = factOf(map)
  if (fact === undefined) {
    reportNoFact(map, context)
    return undefined
  }
  const fields: Fields = EXPECTATIONS[fact].fields
  const isOther = (key: string) => !Object.hasOwn(fields, key) && Object.hasOwn(EXPECTATIONS, key)
  for (const { key, keySpan } of map.entries.filter((entry) => isOther(entry.key))) {
    report(keySpan, `"${key}" does not go with "${fact}"`, {
      help: "each is a fact of its own: make two steps of it",
    })
  }
  const own = { ...map, entries: map.entries.filter((entry) => !isOther(entry.key)) }
  const values = readFields(own, { of: `fields of ${fact}`, word: fact, fields }, context)
  const both = map.entries.filter((entry) => entry.key === "at" || entry.key === "within")
  if (both.length === 2 && both.every((entry) => Object.hasOwn(fields, entry.key))) {
    const span = (both[1] as WrittenEntry).keySpan
    report(span, '"at" and "within" exclude each other', { expected: "one of them" })
  }
  const at = map.entries.find((entry) => entry.key === "at")
  if (at !== undefined && values["at"] !== undefined) {
    const time = values["at"] as TimeRef
    if (time.type === "offset" && time.ms === 0) {
      report(at.value.span, "a fact cannot become so at +0s: what was before is over", {
        help: 'without "at" the fact must hold now',
      })
    }
    context.timeline?.move(time, at.value.span)
  }
  if (fact === "state") refuseUnknownState(map, values, context)
  return { verb: "expect", fact, fields: values }
}

function factOf(map: WrittenMap): ExpectationName | undefined {
  const there = map.entries.flatMap(({ key }) => FACTS.filter((fact) => fact === key))
  const over = there.find((fact) => there.every((other) => other === fact || factsOver(other).includes(fact)))
  return over ?? there[0]
}

function reportNoFact(map: WrittenMap, { report }: StepContext): void {
  const expected = `one of ${FACTS.join(", ")}`
  const fields = FACTS.flatMap((fact) => Object.keys(EXPECTATIONS[fact].fields))
  const misspelled = map.entries.find(({ key }) => !fields.includes(key) && nearest(key, FACTS) !== undefined)
  if (misspelled === undefined) {
    report(map.span, "this says nothing that can be expected", { expected, help: listedBy("expect") })
    return
  }
  const suggestion = nearest(misspelled.key, FACTS) ?? ""
  report(misspelled.keySpan, `unknown key ${JSON.stringify(misspelled.key)}`, { expected, suggestion })
}

function refuseUnknownState(map: WrittenMap, values: FieldValues, { report, statePaths }: StepContext): void {
  const { state, actor } = values
  const entry = map.entries.find(({ key }) => key === "state")
  if (statePaths === null || entry === undefined || typeof state !== "string" || typeof actor !== "string")
    return
  const paths = statePaths[actor] ?? []
  if (paths.includes(state)) return
  const suggestion = nearest(state, paths)
  report(entry.value.span, `the ${actor} has no state ${JSON.stringify(state)}`, {
    expected: `one of ${paths.join(", ")}`,
    ...(suggestion === undefined ? {} : { suggestion }),
  })
}

const WAIT_WORDS = `${DURATION_WORDS}, or a time such as 12:30`

function readWait(value: Written, context: StepContext): Act | undefined {
  const { report } = context
  const expected = WAIT_WORDS
  const ms = value.type === "scalar" && typeof value.value === "string" ? parseDuration(value.text) : null
  if (ms !== null) return waitUntil({ type: "offset", ms }, value, context)
  if (value.type === "scalar" && typeof value.value === "number") {
    report(value.span, `the bare number ${value.text} is not a time`, {
      expected,
      help: `write the unit: ${value.text}s or ${value.text}m`,
    })
    return undefined
  }
  if (value.type !== "scalar" || value.value === null) {
    report(value.span, `${found(value)} where a time should be`, { expected })
    return undefined
  }
  const until = readTime(value, context, WAIT_WORDS)
  return until === undefined ? undefined : waitUntil(until, value, context)
}

function waitUntil(until: TimeRef, value: Written, { timeline }: StepContext): Act {
  timeline?.move(until, value.span)
  return { verb: "wait", until }
}
