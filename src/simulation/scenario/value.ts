/** One value of a scenario: times, durations, answers, names and the plain kinds, read for its field. */

import { ANSWERS_MAX, DURATION_MS_MAX } from "../../model/limits.ts"
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../model/time.ts"
import type { Occurrence } from "../../model/local-time.ts"
import { EVENT_TYPES, PICKUP_EVENT_TYPES } from "../../model/webhook.ts"
import { asList, asMap, found, quoteHelp, readKeys } from "./keys.ts"
import type { AnswerRef, Field, FieldValue, NamedKind, TimeRef } from "./language.ts"
import { adviceFor } from "./problems.ts"
import type { Report } from "./problems.ts"
import type { NameBook } from "./name-book.ts"
import type { Timeline } from "./timeline.ts"
import type { Written, WrittenScalar } from "./source.ts"

export interface ValueContext {
  readonly report: Report
  /** Null where no names can be used yet. */
  readonly nameBook: NameBook | null
  /** Null when the clock could not be read. */
  readonly timeline: Timeline | null
}

export const STATUS_MIN = 100
export const STATUS_MAX = 599

const TIME_WORDS = "a time such as 11:30, 11:30:15, tomorrow 11:30, or +90s (after the step before)"
export const DURATION_WORDS = "a duration such as 90s, 12m, 1h30m or 250ms"
const ANSWER_WORDS = "a status from 100 to 599, timeout, refused, or { status: 200, after: 6s }"

/** The value; undefined when it is not valid for the field, which was then reported. */
export function readValue(field: Field, value: Written, context: ValueContext): FieldValue | undefined {
  const { report } = context
  if (value.type === "scalar" && value.value === null) {
    if (field.nullable === true && value.text !== "") return null
    const orNull = field.nullable === true ? ", or null for nothing" : ""
    report(value.span, value.text === "" ? "a value is missing" : "null is no value here", {
      expected: `${field.says}: ${kindWords(field)}${orNull}`,
    })
    return undefined
  }
  return readByKind(field, value, context)
}

function readByKind(field: Field, value: Written, context: ValueContext): FieldValue | undefined {
  switch (field.is) {
    case "answers":
      return readAnswers(value, context.report)
    case "dimensions":
      return readDimensions(field, value, context.report)
    case "duration":
      return readDuration(value, context.report)
    case "enums":
      return readWords(field.of, value, context.report)
    case "time":
      return readTime(value, context)
    case "window":
      return readWindow(value, context)
    case "name":
      return readName(field.of, value, context)
    case "boolean":
    case "enum":
    case "integer":
    case "number":
    case "text":
      return readPlain(field, value, context.report)
  }
}

/** The accepted values of a field, in words. */
export function kindWords(field: Field): string {
  switch (field.is) {
    case "answers":
      return `one or a list of: ${ANSWER_WORDS}`
    case "boolean":
      return "true or false"
    case "dimensions":
      return "three numbers [length, width, height] in centimetres"
    case "duration":
      return DURATION_WORDS
    case "enum":
      return `one of ${field.of.join(", ")}`
    case "enums":
      return `some of ${field.of.join(", ")}`
    case "integer":
      return `a whole number from ${field.min} to ${field.max}`
    case "name":
      return `the name of a ${field.of}`
    case "number":
      return "a number"
    case "text":
      return "text"
    case "time":
      return TIME_WORDS
    case "window":
      return "two times [from, to], such as [11:45, 12:15]"
  }
}

/** A name of each kind, for examples. */
export const EXAMPLE_NAMES: Readonly<Record<NamedKind, string>> = {
  delivery: "groceries",
  errand: "dinner",
  reservation: "lunch",
  vehicle: "van",
  webhook: "partner",
}

/** An example of a value of the field, as it is written. */
export function exampleOf(field: Field): string {
  switch (field.is) {
    case "answers":
      return "[500, 200]"
    case "boolean":
      return "true"
    case "dimensions":
      return "[40, 30, 20]"
    case "duration":
      return "5m"
    case "enum":
    case "enums":
      return field.of[0] ?? ""
    case "integer":
      return String(field.min)
    case "name":
      return EXAMPLE_NAMES[field.of]
    case "number":
      return "12.5"
    case "text":
      return `"…"`
    case "time":
      return "11:30"
    case "window":
      return "[11:45, 12:15]"
  }
}

type Plain = Extract<Field, { readonly is: "boolean" | "enum" | "integer" | "number" | "text" }>

function readPlain(field: Plain, value: Written, report: Report): string | number | boolean | undefined {
  const plain = value.type === "scalar" ? value.value : null
  const expected = `${field.says}: ${kindWords(field)}`
  if (field.is === "enum") return readWord(field.of, value, report)
  if (field.is === "boolean" && typeof plain === "boolean") return plain
  if (field.is === "text" && typeof plain === "string") return plain
  if (field.is === "number" && typeof plain === "number" && Number.isFinite(plain)) return plain
  if (field.is === "integer" && typeof plain === "number" && Number.isInteger(plain)) {
    if (plain >= field.min && plain <= field.max) return plain
    report(value.span, `${plain} is out of range`, { expected })
    return undefined
  }
  report(value.span, `${found(value)} is not ${kindName(field)}`, {
    expected,
    ...(field.is === "text" ? quoteHelp(value) : {}),
    ...(field.is === "boolean" ? yesOrNo(plain) : {}),
  })
  return undefined
}

function kindName({ is }: Plain): string {
  return is === "text"
    ? "text"
    : is === "integer"
      ? "a whole number"
      : is === "number"
        ? "a number"
        : "true or false"
}

function yesOrNo(plain: WrittenScalar["value"]): { readonly suggestion?: string } {
  const meant = new Map([
    ["yes", "true"],
    ["on", "true"],
    ["true", "true"],
    ["no", "false"],
    ["off", "false"],
    ["false", "false"],
  ]).get(String(plain).toLowerCase())
  return meant === undefined ? {} : { suggestion: meant }
}

/** One word of a table. */
export function readWord(
  words: readonly string[],
  value: Written,
  report: Report,
  noun = "value",
): string | undefined {
  const word = value.type === "scalar" ? value.text : null
  if (word !== null && words.includes(word)) return word
  const message =
    word === null ? `${found(value)} where one word should be` : `unknown ${noun} ${JSON.stringify(word)}`
  report(
    value.span,
    message,
    word === null ? { expected: `one of ${words.join(", ")}` } : adviceFor(word, words),
  )
  return undefined
}

/** True for the tables of event types, for which `all` is allowed. */
export function isAllWords(words: readonly string[]): boolean {
  return words === EVENT_TYPES || words === PICKUP_EVENT_TYPES
}

/** Words of a table: a list, a single one, or `all` for event types. */
export function readWords(
  words: readonly string[],
  value: Written,
  report: Report,
): readonly string[] | undefined {
  const hasAll = isAllWords(words)
  if (value.type === "scalar" && value.text === "all" && hasAll) return words
  const items = value.type === "list" ? value.items : [value]
  const known = hasAll && value.type !== "list" ? [...words, "all"] : words
  const read = items.map((item) => readWord(known, item, report))
  return read.every((word) => word !== undefined) ? read : undefined
}

/** A name given earlier, of the right kind. */
export function readName(
  kind: NamedKind,
  value: Written,
  { report, nameBook }: ValueContext,
): string | undefined {
  if (value.type !== "scalar" || typeof value.value !== "string") {
    report(value.span, `${found(value)} where a name should be`, { expected: `the name of a ${kind}` })
    return undefined
  }
  return nameBook?.lookUp(kind, value)
}

/** A moment. */
export function readTime(
  value: Written,
  { report, timeline }: Pick<ValueContext, "report" | "timeline">,
): TimeRef | undefined {
  const text = scalarText(value)
  if (text === null) {
    report(value.span, `${found(value)} where a time should be`, { expected: TIME_WORDS })
    return undefined
  }
  const time = parseTime(text)
  if (time !== null) {
    timeline?.check(time, value.span)
    return time
  }
  report(value.span, notATime(text), { expected: TIME_WORDS, ...meantTime(text) })
  return undefined
}

/** A length of time, in milliseconds. */
function readDuration(value: Written, report: Report): { readonly ms: number } | undefined {
  const text = scalarText(value)
  const ms = text === null ? null : parseDuration(text)
  if (ms !== null) return { ms }
  const what =
    text === null ? found(value) : isBareNumber(text) ? `the bare number ${text}` : JSON.stringify(text)
  const bare = text !== null && isBareNumber(text) ? { help: `write the unit: ${text}s or ${text}m` } : {}
  const signed = text !== null && parseDuration(text.slice(1)) !== null ? { suggestion: text.slice(1) } : {}
  report(value.span, `${what} is not a duration`, { expected: DURATION_WORDS, ...bare, ...signed })
  return undefined
}

function scalarText(value: Written): string | null {
  return value.type === "scalar" && typeof value.value !== "boolean" ? value.text.trim() : null
}

const UNIT_MS = { d: DAY_MS, h: HOUR_MS, m: MINUTE_MS, s: SECOND_MS, ms: 1 } as const

/** `1h30m`: each unit once, large to small; null when it is not a duration. */
export function parseDuration(text: string): number | null {
  const match = /^(?:(\d{1,9})d)?(?:(\d{1,9})h)?(?:(\d{1,9})m(?!s))?(?:(\d{1,9})s)?(?:(\d{1,12})ms)?$/.exec(
    text,
  )
  if (match === null || text === "") return null
  const ms = Object.values(UNIT_MS).reduce(
    (sum, unit, index) => sum + Number(match[index + 1] ?? 0) * unit,
    0,
  )
  return ms <= DURATION_MS_MAX ? ms : null
}

/** `11:30`, `tomorrow 11:30:15`, `01:30 second`, `+90s`; null when it is not a time. */
function parseTime(text: string): TimeRef | null {
  const offset = /^[+-](.+)$/.exec(text)?.[1]
  if (offset !== undefined) {
    const ms = parseDuration(offset)
    if (ms === null) return null
    return { type: "offset", ms: text.startsWith("-") && ms !== 0 ? -ms : ms }
  }
  const match =
    /^(?:(tomorrow|yesterday) +)?([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?(?: +(first|second))?$/.exec(text)
  if (match === null) return null
  const [, day, hours, minutes, seconds, which] = match
  const msOfDay = Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS + Number(seconds ?? 0) * SECOND_MS
  const dayOffset = day === undefined ? 0 : day === "tomorrow" ? 1 : -1
  return {
    type: "clock",
    dayOffset,
    msOfDay,
    ...(which === undefined ? {} : { occurrence: which as Occurrence }),
  }
}

function isBareNumber(text: string): boolean {
  return /^[+-]?\d+(?:\.\d+)?$/.test(text)
}

function notATime(text: string): string {
  if (isBareNumber(text)) return `the bare number ${text} is not a time`
  return `${JSON.stringify(text)} is not a time`
}

function meantTime(text: string): { readonly suggestion?: string } {
  if (parseDuration(text) !== null) return { suggestion: `+${text}` }
  const clock = /^(\d{1,2})[:.](\d{2})$/.exec(text) ?? /^(\d{2})(\d{2})$/.exec(text)
  const meant = clock === null ? "" : `${String(clock[1]).padStart(2, "0")}:${clock[2]}`
  return parseTime(meant) === null ? {} : { suggestion: meant }
}

function readWindow(value: Written, context: ValueContext): readonly [TimeRef, TimeRef] | undefined {
  const { report } = context
  const expected = "two times [from, to], such as [11:45, 12:15]"
  const list = asList(value, expected, report)
  if (list === null) return undefined
  const [first, second] = list.items
  if (first === undefined || second === undefined || list.items.length !== 2) {
    report(list.span, `a window of ${list.items.length} times`, { expected })
    return undefined
  }
  const from = readTime(first, context)
  const to = readTime(second, context)
  return from === undefined || to === undefined ? undefined : [from, to]
}

function readDimensions(
  field: Field,
  value: Written,
  report: Report,
): readonly [number, number, number] | undefined {
  const expected = `${field.says}: ${kindWords(field)}`
  const list = asList(value, expected, report)
  if (list === null) return undefined
  const numbers = list.items.flatMap((item) =>
    item.type === "scalar" && typeof item.value === "number" && Number.isFinite(item.value)
      ? [item.value]
      : [],
  )
  const [length, width, height] = numbers
  if (list.items.length === 3 && length !== undefined && width !== undefined && height !== undefined) {
    return [length, width, height]
  }
  report(list.span, "these are not three numbers", { expected })
  return undefined
}

/** The answers of an endpoint: one, or a list of them. */
export function readAnswers(value: Written, report: Report): readonly AnswerRef[] | undefined {
  const items = value.type === "list" ? value.items : [value]
  if (items.length === 0 || items.length > ANSWERS_MAX) {
    report(value.span, items.length === 0 ? "an empty list" : `${items.length} answers`, {
      expected: `one to ${ANSWERS_MAX} of: ${ANSWER_WORDS}`,
    })
    return undefined
  }
  const answers = items.map((item) => readAnswer(item, report))
  return answers.every((answer) => answer !== undefined) ? answers : undefined
}

function readAnswer(value: Written, report: Report): AnswerRef | undefined {
  if (value.type === "map") return readSlowAnswer(value, report)
  if (value.type === "scalar" && value.text === "timeout") return { type: "timeout" }
  if (value.type === "scalar" && value.text === "refused") return { type: "refused" }
  const status = readStatus(value, report)
  return status === undefined ? undefined : { type: "status", status, afterMs: null }
}

function readStatus(value: Written, report: Report): number | undefined {
  const status = value.type === "scalar" && typeof value.value === "number" ? value.value : null
  if (status !== null && Number.isInteger(status) && status >= STATUS_MIN && status <= STATUS_MAX)
    return status
  const text = value.type === "scalar" && typeof value.value === "string" ? value.value : null
  const near = text === null ? {} : adviceFor(text, ["timeout", "refused"])
  report(value.span, `${found(value)} is not an answer`, { ...near, expected: ANSWER_WORDS })
  return undefined
}

function readSlowAnswer(value: Written, report: Report): AnswerRef | undefined {
  const map = asMap(value, ANSWER_WORDS, report)
  if (map === null) return undefined
  const keys = readKeys(map, { of: "an answer", known: ["status", "after"], required: ["status"] }, report)
  const written = { status: keys.get("status")?.value, after: keys.get("after")?.value }
  const status = written.status === undefined ? undefined : readStatus(written.status, report)
  const after = written.after === undefined ? null : readDuration(written.after, report)
  if (status === undefined || after === undefined) return undefined
  return { type: "status", status, afterMs: after === null ? null : after.ms }
}
