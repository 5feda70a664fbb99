/**
 * The key `course` of a scenario: the sandbox offers the scenario's steps as a course for any delivery or reservation. A course leaves
 * out the steps that make its own, and expectations that only a simulated run can decide.
 */

import type { Course, CourseAct, CourseFact, CourseMoment, CourseStep } from "../../areas/courses/course.ts"
import type { BotStatus } from "../../model/bot.ts"
import { DELIVERY_STATUSES } from "../../model/delivery.ts"
import type { ReportedStatus } from "../../model/delivery.ts"
import { HANDOFF_STATUSES } from "../../model/handoff.ts"
import type { ExceptionCode } from "../../model/handoff.ts"
import { RESERVATION_STATUSES } from "../../model/reservation.ts"
import { durationWords, stepWords } from "./words/explain.ts"
import { durationIfGiven, textIfGiven, textOf, timeIfGiven } from "./language/field-values.ts"
import type { AnswerRef, FieldValues, Scenario, ScenarioCourse, Step, TimeRef } from "./language/language.ts"
import { NAME_PATTERN } from "./language/name-book.ts"
import type { Report, Span } from "./language/problems.ts"
import { listOf, oneOf, optional, record, required } from "./language/shapes.ts"
import type { Shape } from "./language/shapes.ts"
import { SiteClock } from "./language/site-clock.ts"
import type { WrittenEntry } from "./language/source.ts"
import { asText } from "./language/keys.ts"

const STATUSES = [...new Set<string>([...RESERVATION_STATUSES, ...DELIVERY_STATUSES])]

const COURSE_NAME = /^[a-z][a-z0-9_]{0,63}$/

function written(pattern: RegExp, words: string): Shape<string> {
  return {
    words,
    schema: { type: "string", pattern: pattern.source },
    read: (value, report) => {
      const text = asText(value, words, report)
      if (text === null) return undefined
      if (pattern.test(text)) return text
      report(value.span, `${JSON.stringify(text)} is not ${words}`, { expected: words })
      return undefined
    },
  }
}

const shape = record("keys of course", {
  name: required(
    "the name by which callers start it",
    written(COURSE_NAME, "a name of small letters, digits and _"),
  ),
  for: required(
    "the delivery or reservation in the steps whose place the caller's takes",
    written(NAME_PATTERN, "the name of a delivery or reservation"),
  ),
  from: required("the statuses in which it may start", listOf("statuses", oneOf(STATUSES))),
  handoff: optional("the handoff may not be past this", oneOf(HANDOFF_STATUSES), null),
})

export const courseSchema = shape.schema

interface Around {
  readonly steps: readonly Step[]
  /** Of the steps. */
  readonly spans: readonly Span[]
  readonly variant: string | null
  readonly report: Report
}

/** The course; undefined when it is not valid, which was then reported. */
export function readCourse(
  entry: WrittenEntry,
  { steps, spans, variant, report }: Around,
): ScenarioCourse | undefined {
  const read = shape.read(entry.value, report)
  if (read === undefined) return undefined
  if (variant !== null) {
    report(entry.keySpan, '"course" does not go with "matrix"', { help: "write the steps of one row" })
    return undefined
  }
  const making = steps.find((step) => step.verb === "do" && step.as === read.for)
  const kind = making?.verb === "do" ? KIND_BY_MAKING.get(making.command) : undefined
  if (kind === undefined) {
    report(entry.value.span, `no step makes a delivery or reservation named ${JSON.stringify(read.for)}`, {
      expected: `a step such as { do: reservation.create, as: ${read.for} }`,
    })
    return undefined
  }
  const known: readonly string[] = kind === "delivery" ? DELIVERY_STATUSES : RESERVATION_STATUSES
  const strange = read.from.find((status) => !known.includes(status))
  if (strange !== undefined)
    report(entry.value.span, `a ${kind} is never ${strange}`, { expected: known.join(", ") })
  const course = { ...read, kind }
  steps.forEach((step, at) => {
    const span = spans[at] ?? entry.value.span
    if (isPlayed(step, course) && actOf(step, course, () => 0) === null)
      report(span, "the sandbox cannot play this step of a course", { help: PLAYED_HELP })
  })
  return course
}

const KIND_BY_MAKING: ReadonlyMap<string, ScenarioCourse["kind"]> = new Map([
  ["reservation.create", "reservation"],
  ["delivery.quote", "delivery"],
])

const PLAYED_HELP =
  "it plays runner.assign, at_store, order_in_hand and at_unit, bot.report, sandbox.advance, reservation.cancel, delivery.advance, cancel and quote, " +
  "customer.reply, vehicle.go_offline and go_online, webhook.answers with one status, waits, and expectations of the course's own delivery or reservation"

/** The course that the sandbox offers; null for a scenario that has none. */
export function courseOf(scenario: Scenario): Course | null {
  const { course, title, because: about } = scenario
  if (course === null) return null
  const clock = new SiteClock(scenario.clock)
  const msOf = (time: TimeRef): number => clock.resolve(time, clock.startMs) - clock.startMs
  const startMs = startOf(scenario, course, msOf)
  const played = scenario.steps.filter((step) => isPlayed(step, course))
  let plannedMs = startMs
  const steps = played.flatMap((step): readonly CourseStep[] => {
    const act = actOf(step, course, msOf)
    if (act === null) return []
    const at = step.at === null ? null : momentOf(step.at, msOf)
    const beforeMs = plannedMs
    for (const moment of [at, momentOfAct(act)])
      if (moment !== null) plannedMs = "clockMs" in moment ? moment.clockMs : plannedMs + moment.afterMs
    const words = wordsOf(step, course).trim()
    const says = act.do === "wait" ? words : `${laterWords(plannedMs - beforeMs, step)}${words}`
    return [{ says: largeFirst(says), at, act }]
  })
  const { name, kind, from, handoff } = course
  return { name, title, about, kind, from, handoff, startMs, steps }
}

function momentOfAct(act: CourseAct): CourseMoment | null {
  if (act.do === "wait") return act.until
  return act.do === "expect" ? act.by : null
}

/** How long after the step before; an expectation may hold earlier. */
function laterWords(ms: number, { verb }: Step): string {
  if (ms === 0) return ""
  return verb === "expect" ? `within ${durationWords(ms)}, ` : `${durationWords(ms)} later, `
}

/** The scenario's time when its own delivery or reservation exists. */
function startOf({ steps }: Scenario, course: ScenarioCourse, msOf: (time: TimeRef) => number): number {
  const times = steps
    .filter((step) => isMaking(step, course))
    .flatMap(({ at }) => (at === null ? [] : [msOf(at)]))
  return Math.max(0, ...times)
}

function isMaking(step: Step, course: ScenarioCourse): boolean {
  if (step.verb !== "do") return false
  return step.as === course.for || (step.command === "delivery.create" && step.for === course.for)
}

/** Expectations of receivers, vehicles and other deliveries are for the simulated run alone, and so are refusals. */
function isPlayed(step: Step, course: ScenarioCourse): boolean {
  if (["refuse", "never", "at_most"].includes(step.verb) || isMaking(step, course)) return false
  return step.verb !== "expect" || subjectOf(step.fact, step.fields) === course.for
}

function subjectOf(fact: string, fields: FieldValues): string | undefined {
  if (fact === "delivery" || fact === "reservation") return textIfGiven(fields, fact)
  return fact === "exception" ? textIfGiven(fields, "for") : undefined
}

/** Null for a step that the sandbox cannot play. */
function actOf(step: Step, course: ScenarioCourse, msOf: (time: TimeRef) => number): CourseAct | null {
  switch (step.verb) {
    case "do":
      return commandOf(step, course)
    case "inject":
      return step.fault === "webhook.answers" ? answersOf(step.with["answers"] as readonly AnswerRef[]) : null
    case "wait":
      return { do: "wait", until: momentOf(step.until, msOf) }
    case "expect":
      return expectationOf(step, msOf)
    case "refuse":
    case "never":
    case "at_most":
      return null
  }
}

function commandOf(step: Extract<Step, { verb: "do" }>, course: ScenarioCourse): CourseAct | null {
  const { command, with: values } = step
  const isAbout = step.for === course.for
  switch (command) {
    case "runner.assign":
    case "runner.at_store":
    case "runner.order_in_hand":
    case "runner.at_unit":
      return isAbout ? { do: command } : null
    case "bot.report":
      return isAbout ? { do: command, status: textOf(values, "status") as BotStatus } : null
    case "sandbox.advance": {
      const code = (textIfGiven(values, "reason_code") ?? null) as ExceptionCode | null
      return isAbout ? { do: command, code, message: textIfGiven(values, "message") ?? null } : null
    }
    case "reservation.cancel":
      return isAbout ? { do: command, reason: textIfGiven(values, "reason") ?? null } : null
    case "delivery.advance":
      return isAbout
        ? { do: command, to: (textIfGiven(values, "to") ?? null) as ReportedStatus | null }
        : null
    case "delivery.cancel": {
      const reason = textIfGiven(values, "cancellation_reason") ?? textIfGiven(values, "reason") ?? null
      return isAbout ? { do: command, reason } : null
    }
    case "delivery.quote":
      return { do: command }
    case "customer.reply":
      return isAbout ? { do: command, text: textOf(values, "text") } : null
    case "vehicle.go_offline":
    case "vehicle.go_online":
      return { do: command }
    default:
      return null
  }
}

/** A success is the receiver's own answer. */
function answersOf(answers: readonly AnswerRef[]): CourseAct | null {
  const [answer, ...more] = answers
  if (answer?.type !== "status" || answer.afterMs !== null || more.length > 0) return null
  return { do: "webhook.answers", status: answer.status < 300 ? null : answer.status }
}

function expectationOf(
  { fact, fields }: Extract<Step, { verb: "expect" }>,
  msOf: (time: TimeRef) => number,
): CourseAct | null {
  const at = timeIfGiven(fields, "at")
  const within = durationIfGiven(fields, "within")
  const by = at === undefined ? (within === undefined ? null : { afterMs: within }) : momentOf(at, msOf)
  const read = factOf(fact, fields)
  return read === null ? null : { do: "expect", fact: read, by }
}

function factOf(fact: string, fields: FieldValues): CourseFact | null {
  if (fact === "exception") return { of: "exception", code: textOf(fields, "exception") as ExceptionCode }
  if (fact !== "delivery" && fact !== "reservation") return null
  const checked = Object.entries(fields).filter(
    ([name]) => name !== fact && name !== "at" && name !== "within",
  )
  const known = CHECKED[fact]
  if (checked.some(([name, value]) => !known.includes(name) || !isPlain(value))) return null
  return { of: fact, fields: Object.fromEntries(checked) as Record<string, boolean | string | null> }
}

/** The fields of a fact that the sandbox checks. */
const CHECKED: Readonly<Record<"delivery" | "reservation", readonly string[]>> = {
  delivery: ["status", "cancellation_reason"],
  reservation: ["status", "canceled_by", "cancel_reason", "bot", "handoff"],
}

function isPlain(value: unknown): boolean {
  return value === null || typeof value === "boolean" || typeof value === "string"
}

function momentOf(time: TimeRef, msOf: (time: TimeRef) => number): CourseMoment {
  return time.type === "offset" ? { afterMs: time.ms } : { clockMs: msOf(time) }
}

/** Names of the file, as a caller knows what they name. */
function wordsOf(step: Step, course: ScenarioCourse): string {
  const named = (name: string | null): string | null => {
    if (name === null) return null
    return name === course.for ? `the ${course.kind}` : "the vehicle"
  }
  switch (step.verb) {
    case "do":
      if (step.command === "delivery.quote") return "the same customer asks for a quote of another order"
      return stepWords({ ...step, for: named(step.for) })
    case "inject":
      return answersOf(step.with["answers"] as readonly AnswerRef[])?.do === "webhook.answers"
        ? receiverWords(step.with["answers"] as readonly AnswerRef[])
        : stepWords(step)
    case "expect": {
      const timeless = Object.entries(step.fields).filter(([key]) => key !== "at" && key !== "within")
      const fields = timeless.map(([key, value]) => [
        key,
        value === course.for ? `the ${course.kind}` : value,
      ])
      return stepWords({ ...step, fields: Object.fromEntries(fields) as FieldValues })
    }
    default:
      return stepWords(step)
  }
}

function receiverWords([answer]: readonly AnswerRef[]): string {
  const status = answer?.type === "status" ? answer.status : 200
  return status < 300
    ? "your endpoints answer for themselves again"
    : `your endpoints answer ${status} to its events`
}

function largeFirst(text: string): string {
  const words = text.trim()
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}
