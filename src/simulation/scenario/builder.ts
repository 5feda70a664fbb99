/**
 * Scenarios from TypeScript, for loops, conditions and computed values, which YAML does not have. A built scenario is
 * converted to text and read like a file, so that only scenarios that could be written can be built. The place of a
 * problem is the call that built the step.
 *
 * ```ts
 * export const lunch = scenario("The bot never shows up", { because: "…", clock: "2026-03-02T11:30 America/Chicago" })
 *   .at("11:30").do("reservation.create", { as: "lunch", with: { window: ["11:45", "12:15"] } })
 *   .expect({ reservation: "lunch", status: "requested" })
 *   .build()
 * ```
 */

import type { Environment, Permission } from "../../model/caller.ts"
import type { PickupEventType, ReservationEventType } from "../../model/webhook.ts"
import type {
  BUILT_IN_SITES,
  COMMANDS,
  EXPECTATIONS,
  FAULTS,
  POLICY_FIELDS,
  CommandName,
  ExpectationName,
  FaultName,
  Place,
  PromisedName,
  Scenario,
  ScriptedCode,
} from "./language/language.ts"
import { formatProblem } from "./language/problems.ts"
import type { Problem } from "./language/problems.ts"
import { readSource } from "./language/read.ts"
import type { ScenarioNames } from "./language/read.ts"
import type { DELIVERY_FIELDS, VEHICLE_FIELDS } from "./language/delivery-world.ts"
import type { KEY_FIELDS, PARTNER_FIELDS } from "./language/key-words.ts"
import type { OPERATOR_FIELDS, RUNNER_FIELDS } from "./language/people-words.ts"
import type { FURTHER_SITE_FIELDS, SITE_FIELDS } from "./language/given-site.ts"

/** One answer as it is written: a status, `timeout`, `refused`, or a status that comes late. */
export type WrittenAnswer =
  number | "timeout" | "refused" | { readonly status: number; readonly after?: string }

/** The written form of each kind of field. */
interface WrittenByKind {
  readonly answers: WrittenAnswer | readonly WrittenAnswer[]
  readonly boolean: boolean
  readonly breaks: readonly { readonly from: string; readonly to: string }[]
  readonly dimensions: readonly [length: number, width: number, height: number]
  readonly duration: string
  readonly integer: number
  readonly name: string
  readonly number: number
  readonly text: string
  readonly time: string
  readonly window: readonly [from: string, to: string]
}

type WrittenField<F> = F extends { readonly is: "enum"; readonly of: readonly (infer Word)[] }
  ? Word
  : F extends { readonly is: "enums"; readonly of: readonly (infer Word)[] }
    ? readonly Word[] | Word | (ReservationEventType extends Word ? "all" : never)
    : F extends { readonly is: keyof WrittenByKind }
      ? WrittenByKind[F["is"]]
      : never

type Written<F> = WrittenField<F> | (F extends { readonly nullable: true } ? null : never)

type RequiredNames<T> = {
  [Name in keyof T]: T[Name] extends { readonly required: true } ? Name : never
}[keyof T]

/** The written values of a table of fields. */
export type WrittenFields<T> = Flat<
  { readonly [Name in RequiredNames<T>]: Written<T[Name]> } & {
    readonly [Name in Exclude<keyof T, RequiredNames<T>>]?: Written<T[Name]>
  }
>

/** One object type instead of an intersection: an intersection with an empty part accepts unknown keys. */
type Flat<T> = { [Name in keyof T]: T[Name] }

type WithPart<T> = [RequiredNames<T>] extends [never]
  ? { readonly with?: WrittenFields<T> }
  : { readonly with: WrittenFields<T> }

type ForPart<Word> = Word extends { readonly for: string } ? { readonly for: string } : object

/** The partner or key that calls, or the person who acts. */
interface ByPart {
  readonly by?: string
}

interface RepeatPart {
  readonly repeat?: number
  readonly every?: string
}

type AsPart<Word> = Word extends { readonly as: string } ? { readonly as?: string } : object

type CommandPart<C extends CommandName> = ForPart<(typeof COMMANDS)[C]> &
  ByPart &
  WithPart<(typeof COMMANDS)[C]["with"]>

type FaultPart<F extends FaultName> = ForPart<(typeof FAULTS)[F]> & WithPart<(typeof FAULTS)[F]["with"]>

/** An argument that may be left out when none of its fields is required. */
type Optionally<T> = object extends T ? [T?] : [T]

/** A fact to expect, of any kind. */
export type WrittenFact = {
  [E in ExpectationName]: WrittenFields<(typeof EXPECTATIONS)[E]["fields"]>
}[ExpectationName]

export type WrittenRefusal = {
  [C in CommandName]: Flat<
    { readonly do: C; readonly code: ScriptedCode; readonly retry_after?: string } & CommandPart<C> &
      AsPart<(typeof COMMANDS)[C]>
  >
}[CommandName]

/** The part before the steps. */
export interface WrittenHead {
  readonly because: string
  readonly clock: string
  readonly tags?: readonly string[]
  readonly seed?: number
  readonly environment?: Environment
  readonly permissions?: readonly Permission[]
  readonly given?: {
    readonly site?: (typeof BUILT_IN_SITES)[number] | WrittenFields<typeof SITE_FIELDS>
    readonly sites?: readonly Flat<{ readonly as: string } & WrittenFields<typeof FURTHER_SITE_FIELDS>>[]
    readonly partners?: readonly Flat<{ readonly as: string } & WrittenFields<typeof PARTNER_FIELDS>>[]
    readonly keys?: readonly Flat<{ readonly as: string } & WrittenFields<typeof KEY_FIELDS>>[]
    readonly runners?: readonly Flat<{ readonly as: string } & WrittenFields<typeof RUNNER_FIELDS>>[]
    readonly operators?: readonly Flat<{ readonly as: string } & WrittenFields<typeof OPERATOR_FIELDS>>[]
    readonly webhooks?: readonly {
      readonly as: string
      readonly of?: string
      readonly events?: "all" | ReservationEventType | readonly ReservationEventType[]
      readonly answers?: WrittenAnswer | readonly WrittenAnswer[]
    }[]
    readonly policy?: WrittenFields<typeof POLICY_FIELDS>
    readonly delivery_site?: WrittenFields<typeof DELIVERY_FIELDS>
    readonly vehicles?: readonly Flat<{ readonly as: string } & WrittenFields<typeof VEHICLE_FIELDS>>[]
    readonly pickup_webhooks?: readonly {
      readonly as: string
      readonly of?: string
      readonly events?: "all" | PickupEventType | readonly PickupEventType[]
      readonly answers?: WrittenAnswer | readonly WrittenAnswer[]
    }[]
  }
  readonly always?: readonly string[]
  readonly promises?: { readonly [name in PromisedName]?: string }
}

/** Every call adds a step and returns a builder with it; a builder that was passed on does not change. */
export interface ScenarioBuilder {
  /** Sets the time of the next step. */
  readonly at: (time: string) => ScenarioBuilder
  readonly do: <C extends CommandName>(
    command: C,
    ...rest: Optionally<Flat<CommandPart<C> & AsPart<(typeof COMMANDS)[C]> & RepeatPart>>
  ) => ScenarioBuilder
  readonly refuse: (refusal: WrittenRefusal) => ScenarioBuilder
  readonly expect: (fact: WrittenFact) => ScenarioBuilder
  readonly inject: <F extends FaultName>(fault: F, ...rest: Optionally<Flat<FaultPart<F>>>) => ScenarioBuilder
  readonly wait: (time: string) => ScenarioBuilder
  /** The scenario; throws `ScenarioMistakes`. Without `names`, names of invariants and states are not checked. */
  readonly build: (names?: ScenarioNames) => Scenario
}

/** A built scenario has problems; the message lists them all. */
export class ScenarioMistakes extends Error {
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    super(problems.map((problem) => formatProblem(problem)).join("\n\n"))
    this.name = "ScenarioMistakes"
    this.problems = problems
  }
}

/** Begins a scenario. */
export function scenario(title: string, head: WrittenHead): ScenarioBuilder {
  const { because, clock, given, ...rest } = head
  const place = placeOfCall()
  const lines = Object.entries({ scenario: title, because, clock, ...rest, given })
    .filter(([, value]) => value !== undefined)
    .map(([key, value]): Line => ({ text: `${key}: ${written(value)}`, place }))
  return continued({ lines: [...lines, { text: "steps:", place }], at: null })
}

interface Line {
  readonly text: string
  readonly place: Place
}

interface Draft {
  readonly lines: readonly Line[]
  /** The time for the next step. */
  readonly at: string | null
}

function continued(draft: Draft): ScenarioBuilder {
  const add = (step: object): ScenarioBuilder => {
    const whole = draft.at === null ? step : { at: draft.at, ...step }
    return continued({
      lines: [...draft.lines, { text: `  - ${written(whole)}`, place: placeOfCall() }],
      at: null,
    })
  }
  return {
    at: (time) => continued({ ...draft, at: time }),
    do: (command, ...[rest]) => add({ do: command, ...rest }),
    refuse: (refusal) => add({ refuse: refusal }),
    expect: (fact) => add({ expect: fact }),
    inject: (fault, ...[rest]) => add({ inject: fault, ...rest }),
    wait: (time) => add({ wait: time }),
    build: (names) => built(draft.lines, names ?? null),
  }
}

function built(lines: readonly Line[], names: ScenarioNames | null): Scenario {
  const [first] = lines
  const place = first?.place ?? NOWHERE
  const text = lines.map((line) => line.text).join("\n")
  const { scenarios, problems } = readSource(
    { file: place.file, text, placeOf: (line) => lines[line - 1]?.place ?? place },
    names,
  )
  const [scenarioRead] = scenarios
  if (scenarioRead === undefined) throw new ScenarioMistakes(problems)
  return scenarioRead
}

/** A value as one line of flow YAML; words are unquoted, so that problems look as they would in a file. */
function written(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(written).join(", ")}]`
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).filter(([, inner]) => inner !== undefined)
    return `{ ${entries.map(([key, inner]) => `${written(key)}: ${written(inner)}`).join(", ")} }`
  }
  if (typeof value === "string" && /^[a-z][a-z0-9_.]*$/i.test(value) && !/^(?:true|false|null)$/i.test(value))
    return value
  return JSON.stringify(value)
}

const NOWHERE: Place = { file: "scenario", line: 1, column: 1 }

/** The place in the program that builds the scenario: the innermost stack frame outside this file. */
function placeOfCall(): Place {
  for (const frame of (new Error().stack ?? "").split("\n")) {
    const match = /(?:\(|at )(?:file:\/\/)?(\/?[^()]+?):(\d+):(\d+)\)?$/.exec(frame)
    const [, file, line, column] = match ?? []
    if (file !== undefined && !OWN_FILE.test(file))
      return { file, line: Number(line), column: Number(column) }
  }
  return NOWHERE
}

const OWN_FILE = /\/simulation\/scenario\/builder\.ts$/
