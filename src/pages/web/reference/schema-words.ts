/** A schema in words: its type, its limits, and the fields inside it. */

import { lastPart } from "./openapi.ts"
import type { OpenApi, Schema } from "./openapi.ts"

/** A schema without references, with the parts of `allOf` in one, and without `null`. */
export interface Plain {
  readonly schema: Schema
  /** The name among the document's components; null if it has none. */
  readonly name: string | null
  readonly isNullable: boolean
}

export function plainOf(schema: Schema, document: OpenApi): Plain {
  const { $ref } = schema
  if ($ref !== undefined) {
    const name = lastPart($ref)
    const found = plainOf(document.components.schemas[name] ?? {}, document)
    return { ...found, name, schema: { ...found.schema, ...describedOnly(schema) } }
  }
  const { anyOf, allOf, ...rest } = schema
  if (allOf !== undefined) {
    const parts = allOf.map((part) => plainOf(part, document))
    const name = parts.find((part) => part.name !== null)?.name ?? null
    const isNullable = parts.some((part) => part.isNullable)
    return { schema: [...parts.map((part) => part.schema), rest].reduce(merged, {}), name, isNullable }
  }
  if (anyOf === undefined) return { schema, name: null, isNullable: false }
  const others = anyOf.filter(({ type }) => type !== "null")
  const isNullable = others.length < anyOf.length
  const [only] = others
  if (only === undefined || others.length > 1)
    return { schema: { ...rest, anyOf: others }, name: null, isNullable }
  const inner = plainOf(only, document)
  return {
    schema: merged(inner.schema, rest),
    name: inner.name,
    isNullable: isNullable || inner.isNullable,
  }
}

function describedOnly({ description }: Schema): Schema {
  return description === undefined ? {} : { description }
}

function merged(one: Schema, other: Schema): Schema {
  const properties: Record<string, Schema> = { ...one.properties }
  for (const [name, schema] of Object.entries(other.properties ?? {}))
    properties[name] = properties[name] === undefined ? schema : { ...properties[name], ...schema }
  const required = [...new Set([...(one.required ?? []), ...(other.required ?? [])])]
  const refused = [...refusedForms(one), ...refusedForms(other)]
  return {
    ...one,
    ...other,
    ...(refused.length === 0 ? {} : { not: { anyOf: refused } }),
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(required.length === 0 ? {} : { required }),
  }
}

/** `string, date-time`, `array of Reservation`, `object or null`. */
export function typeWords(schema: Schema, document: OpenApi): string {
  const { schema: plain, name, isNullable } = plainOf(schema, document)
  return `${name ?? bareType(plain, document)}${isNullable ? " or null" : ""}`
}

function bareType(schema: Schema, document: OpenApi): string {
  const { type, items, prefixItems, format, enum: words, const: only, properties } = schema
  if (type === "array") {
    if (prefixItems !== undefined)
      return `array of ${prefixItems.map((item) => typeWords(item, document)).join(", ")}`
    return items === undefined || items === false ? "array" : `array of ${typeWords(items, document)}`
  }
  if (properties !== undefined) return "object"
  const of = variantsOf(schema)
  if (of.length > 0) return [...new Set(of.map((one) => typeWords(one, document)))].join(" or ")
  if (type === undefined) return typeof (only ?? words?.[0] ?? "any")
  const named = typeof type === "string" ? type : type.join(" or ")
  return format === undefined ? named : `${named}, ${format}`
}

/** The choices of a schema that has more than one. Choices without a type only say what is required. */
export function variantsOf({ anyOf, oneOf }: Schema): readonly Schema[] {
  return (anyOf ?? oneOf ?? []).filter(({ type, $ref, enum: words, const: only, allOf, anyOf: inner }) =>
    [type, $ref, words, only, allOf, inner].some((one) => one !== undefined),
  )
}

/** The pattern of texts that are not blank. */
const NOT_BLANK = String.raw`^[^\u0000]*[^\s\u0000][^\u0000]*$`

/** What a value must fulfil beyond its type, one short phrase each. */
export function limitsOf(schema: Schema): readonly string[] {
  const { pattern, exclusiveMinimum, uniqueItems, const: only } = schema
  return [
    ...(only === undefined ? [] : [`always \`${JSON.stringify(only)}\``]),
    ...span(schema.minLength, schema.maxLength, "characters"),
    ...span(schema.minimum, schema.maximum, ""),
    ...(exclusiveMinimum === undefined ? [] : [`more than ${exclusiveMinimum}`]),
    ...span(schema.minItems, schema.maxItems, "items"),
    ...(uniqueItems === true ? ["no duplicates"] : []),
    ...(pattern === undefined ? [] : [pattern === NOT_BLANK ? "not blank" : `matches \`${pattern}\``]),
    ...refusedForms(schema).flatMap(notAllAbsent),
  ]
}

function refusedForms({ not }: Schema): readonly Schema[] {
  return not === undefined ? [] : (not.anyOf ?? [not])
}

/** A schema refuses that each of these fields is null, and so that each is absent: one of them is needed. */
function notAllAbsent({ properties = {}, ...more }: Schema): readonly string[] {
  const fields = Object.entries(properties)
  const isRule = fields.length > 0 && Object.keys(more).length === 0
  if (!isRule || fields.some(([, { type }]) => type !== "null")) return []
  return [`at least one of ${fields.map(([name]) => `\`${name}\``).join(", ")}`]
}

function span(from: number | undefined, to: number | undefined, unit: string): readonly string[] {
  const words = (text: string): readonly string[] => [`${text} ${unit}`.trim()]
  if (from !== undefined && to !== undefined) return words(from === to ? `${from}` : `${from} to ${to}`)
  if (from !== undefined) return words(`at least ${from}`)
  return to === undefined ? [] : words(`at most ${to}`)
}

/** The closed set of a value; empty if it has none. */
export function wordsOf({ enum: words = [] }: Schema): readonly string[] {
  return words.map((word) => (typeof word === "string" ? word : JSON.stringify(word)))
}

/** The schema whose fields stand inside a value: its own, or those of its items. */
export function insideOf(schema: Schema, document: OpenApi): Schema | null {
  const { schema: plain } = plainOf(schema, document)
  if (plain.type === "array" && plain.items !== undefined && plain.items !== false)
    return insideOf(plain.items, document)
  const hasFields = plain.properties !== undefined || typeof plain.additionalProperties === "object"
  return hasFields || variantsOf(plain).some((one) => insideOf(one, document) !== null) ? plain : null
}
