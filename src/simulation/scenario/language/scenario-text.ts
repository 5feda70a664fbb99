/** A scenario as the text of a scenario file; reading that text gives an equal scenario, apart from its places. */

import { Document, isScalar, visit } from "yaml"
import { PERMISSIONS } from "../../../model/caller.ts"
import { DELIVERY_FIELDS, VEHICLE_FIELDS } from "./delivery-world.ts"
import { FURTHER_SITE_FIELDS } from "./given-site.ts"
import { KEY_FIELDS, PARTNER_FIELDS } from "./key-words.ts"
import { OPERATOR_FIELDS, RUNNER_FIELDS } from "./people-words.ts"
import { COMMANDS, EXPECTATIONS, FAULTS, POLICY_FIELDS } from "./language.ts"
import type {
  AnswerRef,
  FieldKind,
  FieldValue,
  FieldValues,
  Fields,
  GivenSite,
  Pause,
  Scenario,
  ScenarioCourse,
  Step,
  TimeRef,
} from "./language.ts"
import { writtenFaults } from "./machine-faults-shape.ts"
import type { RunRefusal } from "../run-context.ts"
import type { ScriptedCode } from "./language.ts"
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../model/values/time.ts"

type Refusals = readonly { readonly step: Step; readonly code: RunRefusal }[]

/** Writes a scenario. A row of a matrix becomes a matrix of that one row. */
export function scenarioText(scenario: Scenario): string {
  const { title, variant, because, tags, seed, clock, environment, permissions, site, webhooks, policy } =
    scenario
  const { course, delivery, machineFaults = null, pickupWebhooks } = scenario
  const writtenHooks = (given: Scenario["webhooks"]) =>
    given.map(({ as, of = null, events, answers }) => ({
      as,
      ...named({ of }),
      events,
      answers: writtenAnswers(answers),
    }))
  const given = filled({
    site: writtenSite(site),
    sites: writtenList(scenario.sites, FURTHER_SITE_FIELDS),
    partners: writtenList(scenario.partners, PARTNER_FIELDS),
    keys: writtenList(scenario.keys, KEY_FIELDS),
    runners: writtenList(scenario.runners, RUNNER_FIELDS),
    operators: writtenList(scenario.operators, OPERATOR_FIELDS),
    webhooks: writtenHooks(webhooks),
    policy: writtenFields(policy, POLICY_FIELDS),
    ...(delivery === null
      ? {}
      : {
          delivery_site: writtenFields(delivery.fields, DELIVERY_FIELDS),
          vehicles: delivery.vehicles.map(({ as, fields }) => ({
            as,
            ...writtenFields(fields, VEHICLE_FIELDS),
          })),
          pickup_webhooks: writtenHooks(pickupWebhooks),
        }),
  })
  const whole = filled({
    scenario: title,
    because,
    tags,
    seed,
    clock: `${clock.local} ${clock.timeZone}`,
    ...(environment === "production" ? {} : { environment }),
    ...(permissions.length === PERMISSIONS.length ? {} : { permissions }),
    given,
    ...(variant === null ? {} : { matrix: [{ name: variant }] }),
    ...(machineFaults === null ? {} : { machine_faults: writtenFaults(machineFaults, writtenDuration) }),
    ...(course === null ? {} : { course: writtenCourse(course) }),
    steps: scenario.steps.map(writtenStep),
    always: scenario.always.map(({ name }) => name),
    promises: Object.fromEntries(scenario.promises.map((one) => [one.of, `${one.comparison} ${one.bound}`])),
  })
  return inYaml(whole)
}

/** Without what is empty, which says nothing. */
function filled(fields: object): object {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([name, value]) =>
        MEANT_EMPTY.has(name) || typeof value !== "object" || value === null || Object.keys(value).length > 0,
    ),
  )
}

/** Here nothing is another thing than no key: no permission, and a world with a store. */
const MEANT_EMPTY = new Set(["permissions", "delivery_site"])

/** Short lists on one line, as people write them. Without aliases: the language has none. */
function inYaml(whole: object): string {
  const document = new Document(whole, { aliasDuplicateObjects: false, version: "1.2" })
  visit(document, {
    Seq: (_, list) => {
      list.flow = list.items.length <= LINE_ITEMS_MAX && list.items.every((item) => isScalar(item))
    },
  })
  return document.toString({ lineWidth: 0, flowCollectionPadding: false })
}

const LINE_ITEMS_MAX = 6

/**
 * The scenario that a tolerant run really took: a `do` that was refused says so. What was to get its name from such a
 * step never came to be, so of the steps about it only their time stays.
 */
export function asItWasTaken(scenario: Scenario, refusals: Refusals): Scenario {
  const codeByStep = new Map(refusals.map(({ step, code }) => [step, code]))
  const gone = new Set(
    refusals.flatMap(({ step }) => (step.verb === "do" && step.as !== null ? [step.as] : [])),
  )
  const steps = scenario.steps.flatMap((step): readonly Step[] => {
    if ("for" in step && step.for !== null && gone.has(step.for)) {
      return step.at === null ? [] : [{ at: null, place: step.place, verb: "wait", until: step.at }]
    }
    const code = codeByStep.get(step)
    if (code === undefined || step.verb !== "do") return [step]
    const { at, place, command, for: target, with: values } = step
    // A command of the language is refused with a code of the language: reading the text again would show another.
    const scripted = code as ScriptedCode
    return [
      {
        at,
        place,
        verb: "refuse",
        command,
        as: null,
        for: target,
        with: values,
        code: scripted,
        ...(step.by === undefined ? {} : { by: step.by }),
      },
    ]
  })
  return { ...scenario, steps }
}

/** The scenario without its places and its file: what two readings of it must agree on. */
export function withoutPlaces(scenario: Scenario): unknown {
  return JSON.parse(
    JSON.stringify({ ...scenario, file: "" }, (key, value: unknown) => (key === "place" ? null : value)),
  )
}

function writtenList(given: Scenario["keys"] = [], fields: Fields): readonly object[] {
  return given.map((one) => ({ as: one.as, ...writtenFields(one.fields, fields) }))
}

function writtenSite(site: GivenSite): unknown {
  if (site.builtIn !== null) return site.builtIn
  return { stalls: site.stalls, active_stalls: site.activeStalls, runners: site.hasRunner }
}

function writtenCourse({ name, for: subject, from, handoff }: ScenarioCourse): unknown {
  return { name, for: subject, from, ...(handoff === null ? {} : { handoff }) }
}

function writtenStep(step: Step): unknown {
  const at = step.at === null ? {} : { at: writtenTime(step.at) }
  switch (step.verb) {
    case "do": {
      const { command, as, by = null, actor = null, for: target, with: values } = step
      return {
        ...at,
        do: command,
        ...named({ as, for: target, by, actor }),
        ...withPart(values, COMMANDS[command].with),
      }
    }
    case "refuse": {
      const { command, as, by = null, for: target, with: values, code, retryAfterMs } = step
      const refused = {
        do: command,
        ...named({ as, for: target, by }),
        ...withPart(values, COMMANDS[command].with),
        code,
        ...(retryAfterMs === undefined ? {} : { retry_after: writtenDuration(retryAfterMs) }),
      }
      return { ...at, refuse: refused }
    }
    case "expect":
      return { ...at, expect: writtenFields(step.fields, EXPECTATIONS[step.fact].fields) }
    case "never":
    case "at_most":
      return { ...at, [step.verb]: writtenFields(step.fields, EXPECTATIONS[step.fact].fields) }
    case "inject": {
      const { fault, for: target, actor = null, with: values } = step
      return {
        ...at,
        inject: fault,
        ...named({ for: target, actor }),
        ...withPart(values, FAULTS[fault].with),
      }
    }
    case "wait":
      return { ...at, wait: writtenTime(step.until) }
  }
}

function named(names: { readonly [key: string]: string | null }): object {
  return Object.fromEntries(Object.entries(names).filter(([, name]) => name !== null))
}

function withPart(values: FieldValues, fields: Fields): object {
  return Object.keys(values).length === 0 ? {} : { with: writtenFields(values, fields) }
}

function writtenFields(values: FieldValues, fields: Fields): object {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const field = fields[name]
      if (field === undefined) throw new Error(`there is no field ${name}`)
      return [name, written(field, value)]
    }),
  )
}

function written(field: FieldKind, value: FieldValue): unknown {
  if (value === null) return null
  switch (field.is) {
    case "answers":
      return writtenAnswers(value as readonly AnswerRef[])
    case "breaks":
      return (value as readonly Pause[]).map(({ from, to }) => ({
        from: writtenTime(from),
        to: writtenTime(to),
      }))
    case "duration":
      return writtenDuration((value as { readonly ms: number }).ms)
    case "time":
      return writtenTime(value as TimeRef)
    case "times":
    case "window":
      return (value as readonly TimeRef[]).map(writtenTime)
    case "boolean":
    case "dimensions":
    case "enum":
    case "enums":
    case "integer":
    case "name":
    case "number":
    case "text":
      return value
  }
}

function writtenAnswers(answers: readonly AnswerRef[]): readonly unknown[] {
  return answers.map((answer) => {
    if (answer.type !== "status") return answer.type
    return answer.afterMs === null
      ? answer.status
      : { status: answer.status, after: writtenDuration(answer.afterMs) }
  })
}

const DAY_WORDS: Readonly<Record<number, string>> = { [-1]: "yesterday ", 0: "", 1: "tomorrow " }

function writtenTime(time: TimeRef): string {
  if (time.type === "offset") return `${time.ms < 0 ? "-" : "+"}${writtenDuration(Math.abs(time.ms))}`
  const day = DAY_WORDS[time.dayOffset]
  if (day === undefined) throw new Error(`${time.dayOffset} days away`)
  return `${day}${new Date(time.msOfDay).toISOString().slice(11, 19)}`
}

const UNITS = [
  ["d", DAY_MS],
  ["h", HOUR_MS],
  ["m", MINUTE_MS],
  ["s", SECOND_MS],
  ["ms", 1],
] as const

export function writtenDuration(ms: number): string {
  let rest = ms
  let text = ""
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size)
    if (count > 0) text += `${count}${unit}`
    rest -= count * size
  }
  return text === "" ? "0s" : text
}
