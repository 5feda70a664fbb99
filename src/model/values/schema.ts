/** Building blocks of request schemas, and a decoder that reports one problem for each field. */

import { Either, ParseResult, Schema } from "effect"
import { Refused } from "./errors.ts"
import { VALUES_JUDGED_MAX } from "./limits.ts"
import { withoutNulls } from "./null-fields.ts"
import { problemsOf } from "./problem-words.ts"
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "./time.ts"
import { faultInJson, hasMoreValues } from "./well-formed.ts"

/** A schema that needs no services. */
export type AnySchema = Schema.Schema.AnyNoContext

/** Annotation of fields whose values the request log may show: ids, instants and figures; see `src/http/masking.ts`. */
export const LOGGABLE = Symbol.for("curbline/Loggable")

/** The same schema, with a value that the request log may show. */
export function loggable<S extends Schema.Annotable.All>(schema: S): Schema.Annotable.Self<S> {
  return schema.annotations({ [LOGGABLE]: true }) as Schema.Annotable.Self<S>
}

const RFC_3339 =
  /^\d{4}-\d{2}-\d{2}[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/
/** A phone number in international form: a plus, then the country code. */
export const E_164 = /^\+[1-9][0-9]{6,14}$/

/** RFC 3339 with `Z` or an offset, to milliseconds since the epoch. Digits after the milliseconds are cut off. */
export const Instant = Schema.transformOrFail(
  Schema.String.annotations({ jsonSchema: { type: "string", format: "date-time" } }),
  Schema.Number,
  {
    strict: true,
    decode: (written, _, ast) => {
      const ms = instantIn(written)
      return ms === null
        ? ParseResult.fail(new ParseResult.Type(ast, written, NOT_AN_INSTANT))
        : ParseResult.succeed(ms)
    },
    encode: (ms) => ParseResult.succeed(new Date(ms).toISOString()),
  },
).annotations({ [LOGGABLE]: true })

/** The problem of every text that should be an instant begins with these words. */
export const NOT_AN_INSTANT = "must be an RFC 3339 time with Z or an offset"

/** True for RFC 3339 with `Z` or an offset. */
export function isInstant(written: string): boolean {
  return instantIn(written) !== null
}

function instantIn(written: string): number | null {
  const ms = RFC_3339.test(written) && isDay(written) ? msOf(written.toUpperCase()) : Number.NaN
  return isWritable(ms) ? ms : null
}

/**
 * A leap second is the first second of the next day, as in POSIX time. It can only end June or December in UTC; whether
 * that year really had one is not checked, because the list grows. Source: RFC 3339 §5.7.
 */
function msOf(written: string): number {
  const before = written.replace(/:60(?=[.Z+-])/, ":59")
  const ms = Date.parse(before)
  if (before === written || Number.isNaN(ms)) return ms
  const isLeap = /-(06-30|12-31)T23:59:59/.test(new Date(ms).toISOString())
  return isLeap ? ms + SECOND_MS : Number.NaN
}

/** An offset or a leap second may lead out of the years that RFC 3339 can write; answers are in UTC and could not show it. */
function isWritable(ms: number): boolean {
  return ms >= YEAR_0000_MS && ms < YEAR_10000_MS
}

const YEAR_0000_MS = Date.parse("0000-01-01T00:00:00Z")
const YEAR_10000_MS = Date.UTC(10_000, 0, 1)

/** `Date.parse` reads February 30 as March 2. */
function isDay(written: string): boolean {
  const day = written.slice(0, 10)
  const midnight = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day)
}

const ISO_DURATION = /^P(?=[\dT])(?:(\d{1,9})D)?(?:T(?=\d)(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?)?$/

/** An ISO 8601 duration of days, hours, minutes and seconds, such as `PT15M`, to milliseconds. Zero is allowed. */
export function isoDuration(maxMs: number): Schema.Schema<number, string> {
  return Schema.transformOrFail(
    Schema.String.annotations({ jsonSchema: { type: "string", pattern: ISO_DURATION.source } }),
    Schema.Number,
    {
      strict: true,
      decode: (written, _, ast) => {
        const [, days = 0, hours = 0, minutes = 0, seconds = 0] = ISO_DURATION.exec(written) ?? [
          null,
          Number.NaN,
        ]
        const ms =
          Number(days) * DAY_MS +
          Number(hours) * HOUR_MS +
          Number(minutes) * MINUTE_MS +
          Number(seconds) * SECOND_MS
        const isGood = ms <= maxMs
        const bound = `from PT0S to ${durationText(maxMs)}`
        return isGood
          ? ParseResult.succeed(ms)
          : ParseResult.fail(new ParseResult.Type(ast, written, `must be an ISO 8601 duration ${bound}`))
      },
      encode: (ms) => ParseResult.succeed(durationText(ms)),
    },
  )
}

/** In days if they are whole, else in seconds. */
function durationText(ms: number): string {
  return ms > 0 && ms % DAY_MS === 0 ? `P${ms / DAY_MS}D` : `PT${ms / SECOND_MS}S`
}

/** A phone number in E.164. */
export const Phone = Schema.String.pipe(
  Schema.filter((number) => E_164.test(number) || phoneProblem(number)),
  Schema.annotations({ jsonSchema: { type: "string", pattern: E_164.source } }),
)

/** Names a character of a pasted number that its sender may be unable to see. */
function phoneProblem(number: string): string {
  const problem = "must be a phone number in E.164, such as +15125550100"
  const [odd] = /[^\u0020-\u007e]/u.exec(number) ?? []
  const code = odd?.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")
  return code === undefined ? problem : `${problem}, and has the character U+${code}`
}

const MAIL_PART = String.raw`[^\s@<>()\[\]\\,;:"\u0000-\u001f\u007f]+`
const MAIL = new RegExp(`^${MAIL_PART}@${MAIL_PART}\\.${MAIL_PART}$`)

/** An e-mail address: one @, a domain with a dot, and no characters that need quoting. Stored as sent. */
export function emailAddress(max: number): Schema.Schema<string> {
  return text({ max }).pipe(
    Schema.filter((address) => MAIL.test(address) || "must be an e-mail address, such as ada@example.com"),
    Schema.annotations({
      jsonSchema: { type: "string", minLength: 1, maxLength: max, pattern: MAIL.source },
    }),
  )
}

const WITHOUT_NUL = String.raw`^[^\u0000]*$`
/** The pattern of a text that is not blank. */
export const NOT_BLANK = String.raw`^[^\u0000]*[^\s\u0000][^\u0000]*$`

/** Text that is not blank, without NUL and lone surrogates; lengths count Unicode code points. */
export function text({
  min = 1,
  max,
}: {
  readonly min?: number
  readonly max: number
}): Schema.Schema<string> {
  return Schema.String.pipe(
    Schema.filter((value) => {
      const length = [...value].length
      if (length === 0 && min > 0) return "must not be empty"
      if (length < min || length > max) return `must be ${min} to ${max} characters long, is ${length}`
      if (value.includes("\0")) return "must not contain NUL"
      // A lone surrogate cannot be encoded in UTF-8: it would come back as another character.
      if (!value.isWellFormed()) return "must not contain half of a surrogate pair"
      return min === 0 || value.trim() !== "" || "must not be blank"
    }),
    Schema.annotations({
      jsonSchema: {
        type: "string",
        minLength: min,
        maxLength: max,
        pattern: min === 0 ? WITHOUT_NUL : NOT_BLANK,
      },
    }),
  )
}

/** A positive measure up to a bound. */
export function measure(max: number): Schema.Schema<number> {
  return loggable(Schema.Number).pipe(
    Schema.filter(
      (value) => (value > 0 && value <= max) || `must be more than 0 and at most ${max}, is ${value}`,
    ),
    Schema.annotations({ jsonSchema: { type: "number", exclusiveMinimum: 0, maximum: max } }),
  )
}

/**
 * A rule over several fields, for the JSON Schema. `allOf` adds it to the fields' own rules instead of replacing them. Rules that
 * begin with `not` leave the types of clients as they are.
 */
export function rules(...all: readonly object[]): { readonly jsonSchema: object } {
  return { jsonSchema: { allOf: all } }
}

/** A rule for the JSON Schema: at least one of these fields is present. */
export function holdsOneOf(fields: readonly string[]): object {
  return { not: { properties: absent(fields) } }
}

/** Null counts as absent. */
export function absent(fields: readonly string[]): object {
  return Object.fromEntries(fields.map((field) => [field, { type: "null" }]))
}

/**
 * Decodes a request. Fields that fail their checks become problems of `VALIDATION_ERROR`, up to a bound; of a very large request it is
 * the first alone, because an issue costs as much as a hundred values. Unknown fields are ignored.
 */
export function decodeRequest<A, I>(schema: Schema.Schema<A, I>, value: unknown): Either.Either<A, Refused> {
  const fault = faultInJson(value)
  if (fault !== null) return Either.left(new Refused({ code: "VALIDATION_ERROR", problems: [fault] }))
  const errors = hasMoreValues(value, VALUES_JUDGED_MAX) ? "first" : "all"
  const decoded = Schema.decodeUnknownEither(schema, { errors })(withoutNulls(schema.ast, value))
  return Either.mapLeft(
    decoded,
    (error) => new Refused({ code: "VALIDATION_ERROR", problems: problemsOf(error) }),
  )
}
