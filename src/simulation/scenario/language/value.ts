/** One value of a scenario: times, durations, answers, names and the plain kinds, read for its field. */

import type { Json } from "../../../model/values/json.ts"
import { ANSWERS_MAX, BREAKS_MAX, TIMES_MAX } from "../../../model/values/limits.ts"
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../model/values/time.ts"
import type { Occurrence } from "../../../model/values/local-time.ts"
import { EVENT_TYPES, PICKUP_EVENT_TYPES } from "../../../model/webhook.ts"
import { asList, asMap, found, readKeys } from "./keys.ts"
import type { AnswerRef, Field, FieldValue, NamedKind, Pause, TimeRef } from "./language.ts"
import { adviceFor } from "./problems.ts"
import type { Report } from "./problems.ts"
import { NAME_PATTERN, kindWords } from "./name-book.ts"
import type { NameBook } from "./name-book.ts"
import {
  anyText,
  duration,
  isBareNumber,
  listOf,
  mapped,
  meantDuration,
  number,
  oneOf,
  parseDuration,
  scalarText,
  whole,
  yesOrNo,
} from "./shapes.ts"
import type { Shape } from "./shapes.ts"
import type { Timeline } from "./timeline.ts"
import type { Written } from "./source.ts"

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
const TIMES_WORDS = "one or a list of times such as [11:30, 11:32]"
const WINDOW_WORDS = "two times [from, to], such as [11:45, 12:15]"
const BREAK_WORDS = "a list of breaks, each { from: 12:00, to: 12:30 }"
const ANSWER_WORDS = "a status from 100 to 599, timeout, refused, or { status: 200, after: 6s }"

/** In a JSON Schema: a column of the matrix, which may stand for any value. */
export const VARIABLE = { $ref: "#/$defs/variable" }

export function orVariable<S extends Json>(schema: S) {
  return { anyOf: [schema, VARIABLE] }
}

/** A shape whose reader needs the names and times of the steps before. */
interface FieldShape extends Omit<Shape<FieldValue>, "read"> {
  readonly read: (value: Written, context: ValueContext) => FieldValue | undefined
}

/** The value; undefined when it is not valid for the field, which was then reported. */
export function readValue(field: Field, value: Written, context: ValueContext): FieldValue | undefined {
  const { report } = context
  const shape = shapeOf(field)
  if (value.type === "scalar" && value.value === null) {
    if (field.nullable === true && value.text !== "") return null
    const orNull = field.nullable === true ? ", or null" : ""
    report(value.span, value.text === "" ? "a value is missing" : "null is no value here", {
      expected: `${field.says}: ${shape.words}${orNull}`,
    })
    return undefined
  }
  return shape.read(value, context)
}

/** How a field is read, with the accepted values in words and as JSON Schema. */
export function shapeOf(field: Field): FieldShape {
  switch (field.is) {
    case "answers":
      return {
        words: `one or a list of: ${ANSWER_WORDS}`,
        schema: { anyOf: [listOf("answers", ANSWER, { min: 1, max: ANSWERS_MAX }).schema, ANSWER.schema] },
        read: (value, { report }) => readAnswers(value, report),
      }
    case "boolean":
      return meaning(field, yesOrNo)
    case "breaks":
      return { words: BREAK_WORDS, schema: BREAKS_SCHEMA, read: readBreaks }
    case "dimensions":
      return meaning(field, dimensions)
    case "duration":
      return plain({ ...mapped(duration(), (ms) => ({ ms })), schema: { $ref: "#/$defs/duration" } })
    case "enum":
      return plain(oneOf(field.of))
    case "enums":
      return plain(someOf(field.of))
    case "integer":
      return meaning(field, whole("a whole number", field))
    case "name":
      return named(field)
    case "number":
      return meaning(field, number("a number"))
    case "text":
      return meaning(field, anyText)
    case "time":
      return { words: TIME_WORDS, schema: TIME_SCHEMA, read: readTime }
    case "times":
      return { words: TIMES_WORDS, schema: TIMES_SCHEMA, read: readTimes }
    case "window": {
      const schema = { type: "array", items: orVariable(TIME_SCHEMA), minItems: 2, maxItems: 2 }
      return { words: WINDOW_WORDS, schema, read: readWindow }
    }
  }
}

/** A name that was given, or one of the words of the field. */
function named(field: Extract<Field, { readonly is: "name" }>): FieldShape {
  const { words = [] } = field
  const kinds = kindsOf(field)
  return {
    words: [...words, `the name of ${kindWords(kinds)}`].join(", or "),
    schema: { type: "string", pattern: NAME_PATTERN.source },
    read: (value, context) =>
      value.type === "scalar" && words.includes(value.text)
        ? value.text
        : readName(kinds, value, context, words),
  }
}

const TIME_SCHEMA = { $ref: "#/$defs/time" }

const TIMES_SCHEMA = {
  anyOf: [TIME_SCHEMA, { type: "array", items: orVariable(TIME_SCHEMA), minItems: 1, maxItems: TIMES_MAX }],
}

const BREAKS_SCHEMA = {
  type: "array",
  minItems: 1,
  maxItems: BREAKS_MAX,
  items: {
    type: "object",
    properties: { from: orVariable(TIME_SCHEMA), to: orVariable(TIME_SCHEMA) },
    required: ["from", "to"],
    additionalProperties: false,
  },
}

function plain(shape: Shape<FieldValue>): FieldShape {
  return { ...shape, read: (value, { report }) => shape.read(value, report) }
}

/** The same with the field's meaning before the expected values. */
function meaning({ says }: Field, shape: Shape<FieldValue>): FieldShape {
  const read: FieldShape["read"] = (value, { report }) =>
    shape.read(value, (span, message, advice) =>
      report(span, message, { ...advice, expected: `${says}: ${advice?.expected ?? shape.words}` }),
    )
  return { ...shape, read }
}

/** A name of each kind, for examples. */
export const EXAMPLE_NAMES: Readonly<Record<NamedKind, string>> = {
  caller: "rival",
  delivery: "groceries",
  errand: "dinner",
  person: "ana",
  reservation: "lunch",
  site: "south",
  vehicle: "van",
  webhook: "partner",
}

/** Texts for examples, by the name of the field. */
const EXAMPLE_TEXTS: { readonly [name: string]: string | undefined } = {
  bot_label: "Bot 7",
  cancel_reason: "window_expired",
  cancellation_reason: "the customer is away",
  digits: "0123",
  email: "ada@example.com",
  first_name: "Ada",
  from: "+15125550123",
  host: "hooks.partner.example",
  idempotency_key: "first-try",
  instruction: "Touch the pad twice.",
  instructions: "Park in a marked space and call.",
  item: "Burrito",
  label: "Bot 7",
  message: "the shelf is empty",
  notes: "Ring at the side door.",
  open_link_url: "https://bots.partner.example/open/lunch",
  open_url: "https://fleet.example/open",
  order_number: "1187",
  phone: "+15125550123",
  reason: "the guest is ill",
  restricted: "wine",
  retailer: "retailer_lunchbox",
  retailer_pickup_ref: "L-1187",
  runner: "run_2",
  select: "Curbside at 12:30",
  slot_id: "slot-1230",
  stall: "A1",
  store_matches: "Lunchbox Kitchen",
  text: "STOP",
  url: "https://hooks.partner.example/events",
  zip: "78758",
  zone: "zone_domain_north",
}

/** An example of a value of the field, as it is written; the example of a text depends on the field's name. */
export function exampleOf(field: Field, name = ""): string {
  switch (field.is) {
    case "answers":
      return "[500, 200]"
    case "boolean":
      return "true"
    case "breaks":
      return "[{ from: 12:00, to: 12:30 }]"
    case "dimensions":
      return "[40, 30, 20]"
    case "duration":
      return "5m"
    case "enum":
    case "enums":
      return field.of[0] ?? ""
    case "integer":
      return String(Math.min(Math.max(field.min, 1), field.max))
    case "name":
      return field.words?.[0] ?? EXAMPLE_NAMES[field.of]
    case "number":
      return "12.5"
    case "text":
      return JSON.stringify(EXAMPLE_TEXTS[name] ?? field.usual ?? "…")
    case "time":
      return "+30m"
    case "times":
      return "[11:30, 11:32]"
    case "window":
      return "[11:45, 12:15]"
  }
}

/** True for the tables of event types, for which `all` is allowed. */
function isAllWords(words: readonly string[]): boolean {
  return words === EVENT_TYPES || words === PICKUP_EVENT_TYPES
}

/** Words of a table: a list, a single one, or `all` for event types. */
export function someOf(words: readonly string[]): Shape<readonly string[]> {
  const hasAll = isAllWords(words)
  const word = oneOf(words)
  const alone = oneOf(hasAll ? [...words, "all"] : words)
  const schemaAlone = { enum: hasAll ? ["all", ...words] : [...words] }
  return {
    words: `some of ${words.join(", ")}`,
    schema: { anyOf: [schemaAlone, { type: "array", items: orVariable(word.schema) }] },
    read: (value, report) => {
      if (value.type !== "list") {
        const read = alone.read(value, report)
        return read === undefined ? undefined : hasAll && read === "all" ? words : [read]
      }
      const read = value.items.map((item) => word.read(item, report))
      return read.every((one) => one !== undefined) ? read : undefined
    },
  }
}

/** The kinds of things that a field may name. */
function kindsOf({ of, or }: { readonly of: NamedKind; readonly or?: NamedKind }): readonly NamedKind[] {
  return or === undefined ? [of] : [of, or]
}

/** A name given earlier, of one of these kinds. */
export function readName(
  kinds: readonly NamedKind[],
  value: Written,
  { report, nameBook }: ValueContext,
  words: readonly string[] = [],
): string | undefined {
  if (value.type !== "scalar" || typeof value.value !== "string") {
    const expected = `the name of ${kindWords(kinds)}`
    report(value.span, `${found(value)} where a name should be`, { expected })
    return undefined
  }
  return nameBook?.lookUp(kinds, value, words)
}

/** A moment. */
export function readTime(
  value: Written,
  { report, timeline }: Pick<ValueContext, "report" | "timeline">,
  /** What could stand there. */
  expected = TIME_WORDS,
): TimeRef | undefined {
  const text = scalarText(value)
  if (text === null) {
    report(value.span, `${found(value)} where a time should be`, { expected })
    return undefined
  }
  const time = parseTime(text)
  if (time !== null) {
    timeline?.check(time, value.span)
    return time
  }
  const isWait = expected !== TIME_WORDS
  report(value.span, notATime(text), { expected, ...meantTime(text, { isWait }) })
  return undefined
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

function notATime(text: string): string {
  if (isBareNumber(text)) return `the bare number ${text} is not a time`
  return `${JSON.stringify(text)} is not a time`
}

/** A wait takes durations as they are. */
function meantTime(text: string, { isWait }: { readonly isWait: boolean }): { readonly suggestion?: string } {
  const length = parseDuration(text) === null ? meantDuration(text) : text
  if (length !== null) return { suggestion: isWait ? length : `+${length}` }
  const meant = meantClock(text)
  return meant === null || parseTime(meant) === null ? {} : { suggestion: meant }
}

/** `until 12:30`, `9.15`, `1140`, `7:00 pm` as scenarios write them. */
function meantClock(text: string): string | null {
  const bare = text.replace(/^(?:at|until) +/i, "")
  const clock =
    /^(\d{1,2})[:.](\d{1,2})(?: *([ap])\.?m\.?)?$/i.exec(bare) ??
    /^(\d{2})(\d{2})$/.exec(bare) ??
    /^(\d{1,2})()? *([ap])\.?m\.?$/i.exec(bare)
  if (clock === null) return null
  const [, hours = "", minutes = "", half] = clock
  const hour =
    half === undefined ? Number(hours) : (Number(hours) % 12) + (half.toLowerCase() === "p" ? 12 : 0)
  return `${String(hour).padStart(2, "0")}:${minutes.padStart(2, "0")}`
}

/** One time, or several in the order in which they come. */
function readTimes(value: Written, context: ValueContext): readonly TimeRef[] | undefined {
  const items = value.type === "list" ? value.items : [value]
  if (items.length === 0 || items.length > TIMES_MAX) {
    context.report(value.span, items.length === 0 ? "an empty list" : `${items.length} times`, {
      expected: `1 to ${TIMES_MAX} times`,
    })
    return undefined
  }
  const times = items.map((item) => readTime(item, context))
  return times.every((time) => time !== undefined) ? times : undefined
}

function readWindow(value: Written, context: ValueContext): readonly TimeRef[] | undefined {
  const { report } = context
  const expected = WINDOW_WORDS
  const list = asList(value, expected, report)
  if (list === null) return undefined
  const [first, second] = list.items
  if (first === undefined || second === undefined || list.items.length !== 2) {
    report(list.span, `a window with ${list.items.length === 1 ? "1 time" : `${list.items.length} times`}`, {
      expected,
    })
    return undefined
  }
  const from = readTime(first, context)
  const to = readTime(second, context)
  return from === undefined || to === undefined ? undefined : [from, to]
}

function readBreaks(value: Written, context: ValueContext): readonly Pause[] | undefined {
  const { report } = context
  const list = asList(value, BREAK_WORDS, report)
  if (list === null) return undefined
  if (list.items.length === 0 || list.items.length > BREAKS_MAX) {
    report(list.span, `${list.items.length} breaks`, { expected: `1 to ${BREAKS_MAX}` })
    return undefined
  }
  return list.items.flatMap((item) => {
    const map = asMap(item, "a break such as { from: 12:00, to: 12:30 }", report)
    if (map === null) return []
    const keys = ["from", "to"]
    const entries = readKeys(map, { of: "keys of a break", known: keys, required: keys }, report)
    const [from, to] = keys.map((key) => {
      const entry = entries.get(key)
      return entry === undefined ? undefined : readTime(entry.value, context)
    })
    return from === undefined || to === undefined ? [] : [{ from, to }]
  })
}

const dimensions: Shape<readonly [number, number, number]> = {
  words: "three numbers [length, width, height] in centimetres",
  schema: { type: "array", items: { type: "number" }, minItems: 3, maxItems: 3 },
  read: (value, report) => {
    const expected = dimensions.words
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
  },
}

/** An answer of an endpoint. */
const ANSWER: Shape<AnswerRef> = {
  words: ANSWER_WORDS,
  schema: { $ref: "#/$defs/answer" },
  read: readAnswer,
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
  const answers = items.map((item) => ANSWER.read(item, report))
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
  const afterMs = written.after === undefined ? null : duration().read(written.after, report)
  return status === undefined || afterMs === undefined ? undefined : { type: "status", status, afterMs }
}
