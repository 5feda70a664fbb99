/**
 * Shapes: the allowed form of a value in a scenario or a fleet model. One definition gives the type, the reader that reports problems
 * at their places, and the JSON Schema for editors. The schema accepts what the reader accepts, but for blanks
 * around a value, and refuses as much as JSON Schema can express.
 */

import type { JsonObject } from "../../../model/values/json.ts"
import { DURATION_MS_MAX } from "../../../model/values/limits.ts"
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../model/values/time.ts"
import { asList, asMap, asText, found, quoteHelp, readKeys } from "./keys.ts"
import type { Entries } from "./keys.ts"
import { adviceFor, isShownWhole, listedBy } from "./problems.ts"
import type { Report } from "./problems.ts"
import type { Written, WrittenMap } from "./source.ts"

/** A reader of one value; `undefined` when the value is not valid, which was then reported. */
export interface Shape<T> {
  /** The accepted values, in words. */
  readonly words: string
  readonly read: (value: Written, report: Report) => T | undefined
  readonly schema: JsonObject
}

/** The type that a shape reads. */
export type Read<S> = S extends Shape<infer T> ? T : never

/** A key of a map: its meaning, and its default. */
export interface Key<T> {
  readonly says: string
  readonly shape: Shape<unknown>
  readonly isRequired: boolean
  readonly usual: T | undefined
}

export function required<T>(says: string, shape: Shape<T>): Key<T> {
  return { says, shape, isRequired: true, usual: undefined }
}

export function optional<T, U>(says: string, shape: Shape<T>, usual: U): Key<T | U> {
  return { says, shape, isRequired: false, usual }
}

type Keys = { readonly [name: string]: Key<unknown> }

/** The type of a map with these keys, once read. */
export type Values<K extends Keys> = { readonly [Name in keyof K]: K[Name] extends Key<infer T> ? T : never }

/** A map with known keys. Every problem in it is reported, not only the first. */
export function record<K extends Keys>(of: string, keys: K): Shape<Values<K>> {
  const known = Object.keys(keys)
  const needed = known.filter((name) => keys[name]?.isRequired === true)
  const words = `${of}: ${known.join(", ")}`
  const meanings = Object.fromEntries(
    known.map((name) => [name, `${name}: ${keys[name]?.says ?? ""}, ${keys[name]?.shape.words ?? ""}`]),
  )
  return {
    words,
    schema: {
      type: "object",
      additionalProperties: false,
      ...(needed.length === 0 ? {} : { required: [...needed] }),
      properties: keySchemas(keys),
    },
    read: (value, report) => {
      const map = asMap(value, words, report)
      if (map === null) return undefined
      return readValues(keys, readKeys(map, { of, known, required: needed, meanings }, report), report)
    },
  }
}

/** The JSON Schema of each key's value. */
export function keySchemas<K extends Keys>(keys: K): { readonly [Name in keyof K]: JsonObject } {
  const schemas = Object.entries(keys).map(([name, { shape, says }]) => [
    name,
    { ...shape.schema, description: says },
  ])
  return Object.fromEntries(schemas)
}

/** The values of these keys; `undefined` when one is missing or not valid. Missing keys were reported before. */
export function readValues<K extends Keys>(keys: K, entries: Entries, report: Report): Values<K> | undefined {
  const values: Record<string, unknown> = {}
  let isWhole = true
  for (const [name, key] of Object.entries(keys)) {
    const entry = entries.get(name)
    const read = entry === undefined ? key.usual : key.shape.read(entry.value, report)
    if (read === undefined && (entry !== undefined || key.isRequired)) isWhole = false
    values[name] = read
  }
  return isWhole ? (values as Values<K>) : undefined
}

/** A map with free names and values of one shape. */
export function named<T>(of: string, shape: Shape<T>): Shape<ReadonlyMap<string, T>> {
  return {
    words: of,
    schema: { type: "object", additionalProperties: shape.schema },
    read: (value, report) => {
      const map = asMap(value, of, report)
      return map === null ? undefined : readEntries(map, shape, report)
    },
  }
}

/** Names that are known by their form, such as those that end with the name of a site. */
export interface NamesByForm<T> {
  readonly shapeOf: (name: string) => Shape<T> | undefined
  /** Names of such a form that may be meant by one that is not. */
  readonly meantBy: (name: string) => readonly string[]
  /** By the pattern of the names. */
  readonly schemas: { readonly [pattern: string]: JsonObject }
}

/** A map with some of the known names, each with values of its own shape, in written order. */
export function eachNamed<T>(
  of: string,
  shapes: { readonly [name: string]: Shape<T> },
  byForm?: NamesByForm<T>,
): Shape<ReadonlyMap<string, T>> {
  const words = `${of}: ${Object.keys(shapes).join(", ")}`
  const shapeOf = (name: string): Shape<T> | undefined => shapes[name] ?? byForm?.shapeOf(name)
  return {
    words,
    schema: {
      type: "object",
      additionalProperties: false,
      properties: Object.fromEntries(Object.entries(shapes).map(([name, { schema }]) => [name, schema])),
      ...(byForm === undefined ? {} : { patternProperties: byForm.schemas }),
    },
    read: (value, report) => {
      const map = asMap(value, words, report)
      if (map === null) return undefined
      const further = map.entries.flatMap(({ key }) =>
        byForm?.shapeOf(key) === undefined ? (byForm?.meantBy(key) ?? []) : [key],
      )
      const entries = readKeys(map, { of, known: [...Object.keys(shapes), ...further] }, report)
      const values = new Map<string, T>()
      for (const [name, entry] of entries) {
        const read = shapeOf(name)?.read(entry.value, report)
        if (read !== undefined) values.set(name, read)
      }
      return values.size === map.entries.length ? values : undefined
    },
  }
}

function readEntries<T>(
  map: WrittenMap,
  shape: Shape<T>,
  report: Report,
): ReadonlyMap<string, T> | undefined {
  const values = new Map<string, T>()
  for (const entry of map.entries) {
    const read = shape.read(entry.value, report)
    if (read !== undefined) values.set(entry.key, read)
  }
  return values.size === map.entries.length ? values : undefined
}

/** A list of values of one shape. */
export function listOf<T>(
  of: string,
  shape: Shape<T>,
  bounds?: { readonly min?: number; readonly max: number },
): Shape<readonly T[]> {
  const { min = 0, max = Infinity } = bounds ?? {}
  const words = `a list of ${bounds === undefined ? "" : min === max ? `${min} ` : `${min} to ${max} `}${of}`
  return {
    words,
    schema: {
      type: "array",
      ...(bounds === undefined ? {} : { minItems: min, maxItems: max }),
      items: shape.schema,
    },
    read: (value, report) => {
      const list = asList(value, words, report)
      if (list === null) return undefined
      if (list.items.length < min || list.items.length > max) {
        report(list.span, `${list.items.length} ${of}`, { expected: words })
        return undefined
      }
      const read = list.items.map((item) => shape.read(item, report))
      return read.every((one) => one !== undefined) ? read : undefined
    },
  }
}

interface Bounds {
  readonly min: number
  readonly max: number
}

/** A number, within bounds that are both included. */
export function number(words: string, bounds?: Bounds): Shape<number> {
  return numeric("number", words, bounds)
}

/** A whole number within bounds, both included. */
export function whole(words: string, bounds: Bounds): Shape<number> {
  return numeric("integer", words, bounds)
}

function numeric(type: "integer" | "number", of: string, bounds?: Bounds): Shape<number> {
  const words = bounds === undefined ? of : `${of} from ${bounds.min} to ${bounds.max}`
  const { min = -Infinity, max = Infinity } = bounds ?? {}
  const isOfType = type === "integer" ? Number.isInteger : Number.isFinite
  return {
    words,
    schema: { type, ...(bounds === undefined ? {} : { minimum: min, maximum: max }) },
    read: (value, report) => {
      const read = value.type === "scalar" ? value.value : null
      if (typeof read !== "number" || !isOfType(read)) {
        const kind = type === "integer" ? "a whole number" : "a number"
        report(value.span, `${found(value)} is not ${kind}`, { expected: words })
      } else if (read < min || read > max) {
        report(value.span, `${read} is out of range`, { expected: words })
      } else return read
      return undefined
    },
  }
}

/** A percentage from 0 to 100. */
const PERCENT = String.raw`\s*(100(\.0+)?|\d{1,2}(\.\d+)?)%\s*`

/** A share: `5%`, or a number from 0 to 1. */
export const share: Shape<number> = {
  words: "a share such as 5% or 0.05",
  schema: {
    anyOf: [
      { type: "number", minimum: 0, maximum: 1 },
      { type: "string", pattern: `^${PERCENT}$` },
    ],
  },
  read: (value, report) => {
    const text = value.type === "scalar" ? value.text.trim() : ""
    const percent = /^(\d{1,3}(?:\.\d+)?)%$/.exec(text)?.[1]
    const read =
      percent === undefined ? (value.type === "scalar" ? value.value : null) : Number(percent) / 100
    if (typeof read === "number" && read >= 0 && read <= 1) return read
    report(value.span, `${found(value)} is not a share`, { expected: "a share such as 5% or 0.05" })
    return undefined
  },
}

export const DURATION_WORDS = "a duration such as 90s, 12m, 1h30m or 250ms"

/** `1h30m`: each unit once, large to small. */
export const DURATION_PATTERN = String.raw`(?=\d)(\d{1,9}d)?(\d{1,9}h)?(\d{1,9}m(?!s))?(\d{1,9}s)?(\d{1,12}ms)?`

const UNIT_MS = { d: DAY_MS, h: HOUR_MS, m: MINUTE_MS, s: SECOND_MS, ms: 1 } as const

/** `1h30m`: each unit once, large to small; null when it is not a duration, or a longer one than the program takes. */
export function parseDuration(text: string): number | null {
  const ms = unboundedDuration(text)
  return ms !== null && ms <= DURATION_MS_MAX ? ms : null
}

function unboundedDuration(text: string): number | null {
  const match = /^(?:(\d{1,9})d)?(?:(\d{1,9})h)?(?:(\d{1,9})m(?!s))?(?:(\d{1,9})s)?(?:(\d{1,12})ms)?$/.exec(
    text,
  )
  if (match === null || text === "") return null
  return Object.values(UNIT_MS).reduce((sum, unit, index) => sum + Number(match[index + 1] ?? 0) * unit, 0)
}

/** A duration in milliseconds; may be negative if `isSigned`. */
export function duration({ isSigned = false }: { readonly isSigned?: boolean } = {}): Shape<number> {
  const words = isSigned ? `${DURATION_WORDS}, or -2m for before` : DURATION_WORDS
  return {
    words,
    schema: { type: "string", pattern: `^${isSigned ? "-?" : ""}${DURATION_PATTERN}$` },
    read: (value, report) => {
      const text = scalarText(value) ?? ""
      const isBefore = isSigned && text.startsWith("-")
      const length = isBefore ? text.slice(1) : text
      const ms = parseDuration(length)
      if (ms !== null) return isBefore ? 0 - ms : ms
      if (unboundedDuration(length) !== null) {
        report(value.span, `${found(value)} is too long`, {
          expected: `a duration of at most ${DURATION_MS_MAX / DAY_MS}d`,
        })
        return undefined
      }
      const isBare = isBareNumber(text)
      const unsigned = text.replace(/^[+-]/, "")
      const amount = isSigned && text.startsWith("-") ? text : unsigned
      const what = isBare ? `the bare number ${text}` : found(value)
      report(value.span, `${what} is not a duration`, {
        expected: words,
        ...(isBare ? { help: `write the unit: ${amount}s or ${amount}m` } : {}),
        ...meantLength(unsigned === text || parseDuration(unsigned) === null ? null : unsigned, length),
      })
      return undefined
    },
  }
}

function meantLength(withoutSign: string | null, text: string): { readonly suggestion?: string } {
  const suggestion = withoutSign ?? meantDuration(text)
  return suggestion === null ? {} : { suggestion }
}

/** `5 min` or `1 hour 30 minutes` as scenarios write them; null when it is no duration in words. */
export function meantDuration(text: string): string | null {
  const meant = text
    .toLowerCase()
    .replaceAll(/(\d)\s*(?:milliseconds?|msecs?)\b/g, "$1ms")
    .replaceAll(/(\d)\s*(?:([dhms])(?:ays?|ours?|rs?|inutes?|ins?|econds?|ecs?))\b/g, "$1$2")
    .replaceAll(/\s+(?:and\s+)?/g, "")
  return meant !== text && parseDuration(meant) !== null ? meant : null
}

/** The text of a scalar that is no boolean. */
export function scalarText(value: Written): string | null {
  return value.type === "scalar" && typeof value.value !== "boolean" ? value.text.trim() : null
}

export function isBareNumber(text: string): boolean {
  return /^[+-]?\d+(?:\.\d+)?$/.test(text)
}

/** Text that is not blank, with its meaning. */
export function sentence(words: string): Shape<string> {
  return {
    words,
    schema: { type: "string", pattern: String.raw`\S` },
    read: (value, report) => asText(value, words, report) ?? undefined,
  }
}

export const text = sentence("text")

/** Text that may be empty. */
export const anyText: Shape<string> = {
  words: "text",
  schema: { type: "string" },
  read: (value, report) => {
    if (value.type === "scalar" && typeof value.value === "string") return value.value
    report(value.span, `${found(value)} is not text`, { expected: "text", ...quoteHelp(value) })
    return undefined
  },
}

export const yesOrNo: Shape<boolean> = {
  words: "true or false",
  schema: { type: "boolean" },
  read: (value, report) => {
    const plain = value.type === "scalar" ? value.value : null
    if (typeof plain === "boolean") return plain
    const suggestion = MEANT_BOOLEANS.get(String(plain).toLowerCase())
    report(value.span, `${found(value)} is not true or false`, {
      expected: "true or false",
      ...(suggestion === undefined ? {} : { suggestion }),
    })
    return undefined
  },
}

const MEANT_BOOLEANS: ReadonlyMap<string, string> = new Map([
  ["yes", "true"],
  ["on", "true"],
  ["true", "true"],
  ["no", "false"],
  ["off", "false"],
  ["false", "false"],
])

/**
 * One of some words; `noun` is what an unknown one is called, and `listing` the word of the scenario language whose
 * description lists them.
 */
export function oneOf<const W extends readonly string[]>(
  words: W,
  noun = "value",
  listing?: string,
): Shape<W[number]> {
  const expected = `one of ${words.join(", ")}`
  return {
    words: expected,
    schema: { enum: [...words] },
    read: (value, report) => {
      if (value.type !== "scalar") {
        report(value.span, `${found(value)} where one word should be`, { expected })
        return undefined
      }
      if (words.includes(value.text)) return value.text
      const help = listing === undefined || isShownWhole(words) ? {} : { help: listedBy(listing) }
      report(value.span, `unknown ${noun} ${JSON.stringify(value.text)}`, {
        ...adviceFor(value.text, words),
        ...help,
      })
      return undefined
    },
  }
}

/** One of two shapes, chosen by the form of the value: the second for a map, or for a list. */
export function either<A, B>(plain: Shape<A>, other: Shape<B>, type: "list" | "map" = "map"): Shape<A | B> {
  return {
    words: `${plain.words}, or ${other.words}`,
    schema: { anyOf: [plain.schema, other.schema] },
    read: (value, report) => (value.type === type ? other : plain).read(value, report),
  }
}

/** The value as it was written, after it was checked. */
export function asWritten(shape: Shape<unknown>): Shape<number | string> {
  return {
    ...shape,
    read: (value, report) => {
      if (shape.read(value, report) === undefined || value.type !== "scalar") return undefined
      return typeof value.value === "number" ? value.value : value.text
    },
  }
}

/** A shape with additional schema keywords. */
export function saying<T>(shape: Shape<T>, more: JsonObject): Shape<T> {
  return { ...shape, schema: { ...shape.schema, ...more } }
}

/** A shape whose value is converted, or refused with a reason. */
export function mapped<A, B>(
  shape: Shape<A>,
  make: (value: A, refuse: (message: string, expected?: string) => undefined) => B | undefined,
): Shape<B> {
  return {
    words: shape.words,
    schema: shape.schema,
    read: (value, report) => {
      const read = shape.read(value, report)
      if (read === undefined) return undefined
      return make(read, (message, expected) => {
        report(value.span, message, expected === undefined ? {} : { expected })
        return undefined
      })
    },
  }
}
