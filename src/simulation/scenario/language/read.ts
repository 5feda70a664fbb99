/**
 * Reads scenario files: from text to scenarios and problems, without opening files, running or printing. A file with
 * any problem gives no scenario, but all problems are reported at once.
 */

import { SEED_MAX, STEPS_MAX } from "../../../model/values/limits.ts"
import { ENVIRONMENTS, PERMISSIONS } from "../../../model/caller.ts"
import type { Environment } from "../../../model/caller.ts"
import { COURIER_COMMANDS } from "./courier-words.ts"
import { DELIVERY_COMMANDS } from "./delivery-words.ts"
import { readCourse } from "../course.ts"
import { withFragments } from "./fragments.ts"
import type { OpenFragments } from "./fragments.ts"
import { readGiven } from "./given.ts"
import { readClock, startOf } from "./clock.ts"
import type { Clock } from "./clock.ts"
import { asList, asMap, asText, found, readKeys } from "./keys.ts"
import type { Entries } from "./keys.ts"
import { PROMISED } from "./language.ts"
import type { Promise as PromisedBound, PromisedName, Scenario, Step } from "./language.ts"
import { columnsOf, readMatrix, refuseUnused, withRow } from "./matrix.ts"
import type { Filling, MatrixRow } from "./matrix.ts"
import { machineFaults } from "./machine-faults-shape.ts"
import { openNameBook } from "./name-book.ts"
import { adviceFor, inFileOrder, listedBy } from "./problems.ts"
import type { Problem, Report, Span } from "./problems.ts"
import { parseSource, reporter } from "./source.ts"
import type { Source, Written, WrittenEntry, WrittenList, WrittenMap } from "./source.ts"
import { withRepeats } from "./repeat.ts"
import { readStep } from "./step.ts"
import type { StepContext } from "./step.ts"
import { startTimeline } from "./timeline.ts"
import { listOf, mapped, oneOf, optional, readValues, required, saying, sentence, whole } from "./shapes.ts"
import type { Shape } from "./shapes.ts"

/** Names that a scenario may use beyond the language's own tables. */
export interface ScenarioNames {
  readonly invariants: readonly string[]
  /** Names that older scenarios use, which are accepted and not proposed. */
  readonly formerInvariants?: readonly string[]
  /** State paths with dots, by actor. */
  readonly statePaths: { readonly [actor: string]: readonly string[] }
}

export interface ScenarioReading {
  /** One for each row of the matrix, in its order; none when there is a problem. */
  readonly scenarios: readonly Scenario[]
  /** In file order. */
  readonly problems: readonly Problem[]
  /** Of the first row of the matrix: those without a mistake, also where the file has some. */
  readonly steps: readonly Step[]
}

export const SCENARIO_KEYS = [
  "scenario",
  "because",
  "tags",
  "seed",
  "clock",
  "environment",
  "permissions",
  "given",
  "machine_faults",
  "course",
  "uses",
  "matrix",
  "steps",
  "always",
  "promises",
] as const

export const REQUIRED_KEYS = ["scenario", "because", "clock", "steps"] as const

const MEANINGS = {
  scenario: "scenario: the title",
  because: "because: why it matters, in a sentence",
  clock: "clock: the local time of the start and its time zone, such as 2026-03-02T11:30 America/Chicago",
  steps: "steps: a list of steps",
} as const satisfies { readonly [key in (typeof REQUIRED_KEYS)[number]]: string }

const PROMISED_NAMES = Object.keys(PROMISED) as PromisedName[]

const BOUND_PATTERN = /^(<=|>=|<|>|=)\s*(\d+(?:\.\d+)?)$/

const BOUND_WORDS = '"< 60", "<= 60", "= 60", ">= 60" or "> 60", in quotes'

const promises: Shape<readonly PromisedBound[]> = {
  words: `bounds such as events: "< 60"`,
  schema: {
    type: "object",
    properties: Object.fromEntries(
      Object.entries(PROMISED).map(([name, says]) => [name, { $ref: "#/$defs/bound", description: says }]),
    ),
    additionalProperties: false,
  },
  read: (value, report) => {
    const map = asMap(value, promises.words, report)
    if (map === null) return undefined
    const keys = readKeys(map, { of: "what can be promised", known: PROMISED_NAMES }, report)
    return PROMISED_NAMES.flatMap((of) => {
      const entry = keys.get(of)
      if (entry === undefined) return []
      const text = entry.value.type === "scalar" ? entry.value.text.trim() : ""
      const match = BOUND_PATTERN.exec(text)
      if (match === null) {
        const isNumber = entry.value.type === "scalar" && typeof entry.value.value === "number"
        report(entry.value.span, `${found(entry.value)} is not a bound`, {
          expected: BOUND_WORDS,
          ...(isNumber ? { suggestion: `< ${text}` } : {}),
        })
        return []
      }
      const comparison = match[1] as PromisedBound["comparison"]
      return [{ of, comparison, bound: Number(match[2]), place: entry.keySpan.place }]
    })
  },
}

const environment: Shape<Environment> = saying(oneOf(ENVIRONMENTS), { default: "production" })

/** Without duplicates, in the order of the table. */
const permissions = mapped(listOf(PERMISSIONS.join(", "), oneOf(PERMISSIONS)), (words) =>
  PERMISSIONS.filter((permission) => words.includes(permission)),
)

/** The top-level keys whose values need no other key. */
export const HEAD = {
  scenario: required("the scenario's title", sentence("the scenario's title")),
  because: required("why it matters, in a sentence", sentence("why it matters, in a sentence")),
  tags: optional(
    "words to choose scenarios by: curbline run --tag",
    listOf("tags, such as [reservation]", sentence("a tag")),
    [],
  ),
  seed: optional(
    "where chance begins",
    saying(whole("a seed", { min: 0, max: SEED_MAX }), { default: 1 }),
    1,
  ),
  environment: optional("which of the service's two worlds", environment, "production" as const),
  permissions: optional("of the partner's key; all by default", permissions, PERMISSIONS),
  machine_faults: optional(
    "faults of the machines that run the service; the swarm's invariants decide, and a refused command is no failure",
    machineFaults,
    null,
  ),
  promises: optional("bounds of what the run counts", promises, []),
}

/** Reads one file's text. */
export function readScenarios(
  file: string,
  text: string,
  names: ScenarioNames,
  open: OpenFragments | null = null,
): ScenarioReading {
  return readSource({ file, text }, names, open)
}

/** Reads any source; without `names`, names of invariants and states are not checked; without `open`, it has no fragments. */
export function readSource(
  source: Source,
  names: ScenarioNames | null,
  open: OpenFragments | null = null,
): ScenarioReading {
  const problems: Problem[] = []
  const report = reporter(problems)
  const root = parseSource(source, report)
  const variants = root === null ? [] : readRoot(root, { file: source.file, names, open, report })
  const scenarios = problems.length === 0 ? variants.flatMap(({ scenario }) => scenario ?? []) : []
  return { scenarios, problems: inFileOrder(problems), steps: variants[0]?.steps ?? [] }
}

interface Reading {
  readonly file: string
  readonly names: ScenarioNames | null
  readonly open: OpenFragments | null
  readonly report: Report
}

type Head = Omit<
  Scenario,
  "course" | "variant" | "site" | "webhooks" | "pickupWebhooks" | "delivery" | "policy" | "steps"
>

function readRoot(root: WrittenMap, reading: Reading): readonly ReadVariant[] {
  const { report } = reading
  const keys = readKeys(
    root,
    { of: "keys of a scenario", word: "", known: SCENARIO_KEYS, required: REQUIRED_KEYS, meanings: MEANINGS },
    report,
  )
  const clock = readClock(keys.get("clock")?.value, report)
  const head = readHead(keys, clock, reading)
  const list = readStepList(keys.get("steps")?.value, report)
  const steps = list === null ? null : withFragments(list.items, keys.get("uses")?.value, reading)
  const rows = readMatrix(keys.get("matrix")?.value, report)
  const filling: Filling = { report, used: new Set(), unresolved: new Set(), columns: columnsOf(rows) }
  const parts = { head, clock, steps, given: keys.get("given")?.value, course: keys.get("course") }
  const variants = rows.map((row) => readVariant({ ...parts, row }, filling, reading))
  refuseUnused(rows, filling.used, report)
  return variants
}

interface Variant {
  /** Null when it has a problem. */
  readonly head: Head | null
  readonly clock: Clock | null
  readonly steps: readonly Written[] | null
  readonly given: Written | undefined
  readonly course: WrittenEntry | undefined
  readonly row: MatrixRow
}

interface ReadVariant {
  /** Null when its head has a problem. */
  readonly scenario: Scenario | null
  /** Those without a mistake. */
  readonly steps: readonly Step[]
}

/** The scenario of one row. */
function readVariant(
  { head, clock, steps, given, course, row }: Variant,
  filling: Filling,
  reading: Reading,
): ReadVariant {
  let mistakes = 0
  const report: Report = (span, message, advice) => {
    mistakes += 1
    if (!filling.unresolved.has(span)) reading.report(span, message, advice)
  }
  const filled = (steps ?? []).map((item) => withRow(item, row, filling))
  const items = withRepeats(filled, report)
  const context: StepContext = {
    report,
    nameBook: openNameBook(namesLater(items), report),
    timeline: clock === null ? null : startTimeline(clock, report),
    statePaths: reading.names?.statePaths ?? null,
  }
  const { delivery, ...world } = readGiven(
    given === undefined ? undefined : withRow(given, row, filling),
    context,
  )
  const read: Step[] = []
  const correct: Step[] = []
  const spans: Span[] = []
  for (const item of items) {
    const before = mistakes
    const step = readStep(item, context)
    if (step === undefined) continue
    if (mistakes === before) correct.push(step)
    read.push(step)
    spans.push(item.span)
  }
  const offered =
    course === undefined ? null : readCourse(course, { steps: read, spans, variant: row.name, report })
  if (head === null) return { scenario: null, steps: correct }
  checkMachineFaults(head, { steps: read, spans, course }, report)
  const isDelivering = delivery !== null || world.pickupWebhooks.length > 0 || read.some(isAboutDelivery)
  const usual = isDelivering ? NO_DELIVERY_GIVEN : null
  const scenario: Scenario = {
    ...head,
    variant: row.name,
    ...world,
    delivery: delivery ?? usual,
    steps: read,
    course: offered ?? null,
  }
  return { scenario, steps: correct }
}

interface ReadSteps {
  readonly steps: readonly Step[]
  readonly spans: readonly Span[]
  readonly course: WrittenEntry | undefined
}

/** With faults of the machines there are commands, faults and pauses alone, and only there a step has an actor. */
function checkMachineFaults({ machineFaults: given }: Head, read: ReadSteps, report: Report): void {
  const isFaulty = given !== null && given !== undefined
  for (const [at, step] of read.steps.entries()) {
    const span = read.spans[at]
    if (span === undefined) continue
    if (!isFaulty && "actor" in step)
      report(span, '"actor" goes with machine_faults alone', {
        help: "without them steps wait for each other",
      })
    if (isFaulty && !["do", "inject", "wait"].includes(step.verb))
      report(span, `"${step.verb}" does not go with machine_faults`, {
        expected: "do, inject or wait: the invariants decide",
      })
  }
  if (isFaulty && read.course !== undefined)
    report(read.course.keySpan, "a scenario with machine_faults cannot be a course", { help: "remove one" })
}

/** The default store with one vehicle. */
const NO_DELIVERY_GIVEN: Scenario["delivery"] = { fields: {}, vehicles: [] }

function isAboutDelivery(step: Step): boolean {
  if (step.verb !== "do" && step.verb !== "refuse") return false
  return [DELIVERY_COMMANDS, COURIER_COMMANDS].some((words) => Object.hasOwn(words, step.command))
}

/** Every name that a step gives, with its line. */
function namesLater(items: readonly Written[]): ReadonlyMap<string, number> {
  const lines = new Map<string, number>()
  const note = (item: Written): void => {
    for (const { key, value } of item.type === "map" ? item.entries : []) {
      if (key === "refuse") note(value)
      else if (key === "as" && value.type === "scalar" && !lines.has(value.text))
        lines.set(value.text, value.span.place.line)
    }
  }
  for (const item of items) note(item)
  return lines
}

function readStepList(value: Written | undefined, report: Report): WrittenList | null {
  const list = value === undefined ? null : asList(value, "a list of steps", report)
  if (list === null) return null
  const count = list.items.length
  if (count > 0 && count <= STEPS_MAX) return list
  report(list.span, count === 0 ? "a scenario without steps" : `${count} steps`, {
    expected: `1 to ${STEPS_MAX} steps`,
  })
  return null
}

function readHead(keys: Entries, clock: Clock | null, { file, names, report }: Reading): Head | null {
  const always = readAlways(keys.get("always")?.value, names, report)
  const read = readValues(HEAD, keys, report)
  if (read === undefined || clock === null) return null
  const { scenario: title, machine_faults: machineFaultsGiven, ...rest } = read
  const faults = machineFaultsGiven === null ? {} : { machineFaults: machineFaultsGiven }
  return { ...rest, ...faults, title, clock: startOf(clock), always, file }
}

function readAlways(
  value: Written | undefined,
  names: ScenarioNames | null,
  report: Report,
): Scenario["always"] {
  const list = value === undefined ? null : asList(value, "a list of invariants by name", report)
  return (list?.items ?? []).flatMap((item) => {
    const name = asText(item, "the name of an invariant", report)
    if (name === null) return []
    const isKnown = names?.invariants.includes(name) === true || names?.formerInvariants?.includes(name)
    if (names !== null && isKnown !== true) {
      report(item.span, `there is no invariant ${JSON.stringify(name)}`, {
        ...adviceFor(name, names.invariants),
        help: listedBy("always"),
      })
    }
    return [{ name, place: item.span.place }]
  })
}
