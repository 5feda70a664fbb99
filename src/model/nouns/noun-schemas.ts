/** Schemas of a noun: its row, a request for a new one, and a change. */

import { Schema } from "effect"
import {
  CATALOG_ID_LENGTH_MAX,
  CATALOG_NAME_LENGTH_MAX,
  CATALOG_TEXT_LENGTH_MAX,
  URL_LENGTH_MAX,
} from "../values/limits.ts"
import { Phone, text } from "../values/schema.ts"
import type { AnySchema } from "../values/schema.ts"
import { camel } from "./noun.ts"
import type { ChangeOf, FieldKind, FieldValues, NewOf, Noun, NounField, RowOf } from "./noun.ts"

const SAFE_ID = new RegExp(`^[0-9A-Za-z][0-9A-Za-z._-]{0,${CATALOG_ID_LENGTH_MAX - 1}}$`)
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** An id that needs no escaping in a URL path. */
export const SafeId = Schema.String.pipe(
  Schema.filter(
    (id) =>
      SAFE_ID.test(id) ||
      `must be 1 to ${CATALOG_ID_LENGTH_MAX} letters, digits, ".", "_" or "-", the first a letter or digit`,
  ),
  Schema.annotations({ jsonSchema: { type: "string", pattern: SAFE_ID.source } }),
)

export const SiteId = Schema.String.pipe(
  Schema.filter((id) => UUID_V4.test(id) || "must be a version 4 UUID in lower case"),
  Schema.annotations({ jsonSchema: { type: "string", pattern: UUID_V4.source } }),
)

const HttpsUrl = text({ max: URL_LENGTH_MAX }).pipe(
  Schema.filter((url) => isHttps(url) || "must be an https URL without a user or password"),
  Schema.annotations({
    jsonSchema: { type: "string", pattern: "^[Hh][Tt][Tt][Pp][Ss]://", maxLength: URL_LENGTH_MAX },
  }),
)

/** Degrees, WGS 84. */
function degrees(max: number): Schema.Schema<number> {
  return Schema.Number.pipe(
    Schema.filter((value) => Math.abs(value) <= max || `must be from ${-max} to ${max}, is ${value}`),
    Schema.annotations({ jsonSchema: { type: "number", minimum: -max, maximum: max } }),
  )
}

const SCHEMAS: { readonly [Kind in FieldKind]: Schema.Schema<FieldValues[Kind]> } = {
  id: SafeId,
  "site id": SiteId,
  name: text({ max: CATALOG_NAME_LENGTH_MAX }),
  label: text({ min: 0, max: CATALOG_NAME_LENGTH_MAX }),
  paragraph: text({ min: 0, max: CATALOG_TEXT_LENGTH_MAX }),
  "https url": HttpsUrl,
  phone: Phone,
  flag: Schema.Boolean,
  latitude: degrees(90),
  longitude: degrees(180),
}

type Wire = Readonly<Record<string, unknown>>
type Check = (request: object) => boolean | string

export interface NounSchemas<N extends Noun> {
  readonly row: Schema.Schema<RowOf<N>, Wire>
  readonly request: Schema.Schema<NewOf<N>, Wire>
  readonly change: Schema.Schema<ChangeOf<N>, Wire>
}

/** `check` is of requests: what holds between their fields. */
export function nounSchemas<N extends Noun>(declared: N, check?: Check): NounSchemas<N> {
  const { id, fields, identifier, description } = declared
  const all = Object.entries(fields)
  const may = (field: AnySchema): Schema.Struct.Fields[string] => Schema.optionalWith(field, { exact: true })
  const row = { [id]: SafeId, ...valuesOf(all, schemaOf) }
  const request = {
    [id]: may(SafeId),
    ...valuesOf(all, (field) => (isAlwaysSent(field) ? schemaOf(field) : may(schemaOf(field)))),
  }
  const changed = all.filter(([, { isFixed }]) => isFixed !== true)
  const change = valuesOf(changed, (field) => may(schemaOf(field)))
  const checked = (schema: AnySchema): AnySchema =>
    check === undefined ? schema : schema.pipe(Schema.filter(check))
  const annotations = { identifier, ...(description === undefined ? {} : { description }) }
  // The types follow from the noun, as the fields do.
  return {
    row: renamed(row).pipe(Schema.annotations(annotations)),
    request: checked(renamed(request)),
    change: checked(renamed(change).pipe(Schema.filter(holdsSomething))),
  }
}

function isAlwaysSent({ isNullable = false, otherwise }: NounField): boolean {
  return !isNullable && otherwise === undefined
}

function schemaOf({ is, isNullable = false }: NounField): AnySchema {
  const schema: AnySchema = SCHEMAS[is]
  return isNullable ? Schema.NullOr(schema) : schema
}

function valuesOf<One>(
  fields: readonly (readonly [name: string, field: NounField])[],
  of: (field: NounField) => One,
): Readonly<Record<string, One>> {
  return Object.fromEntries(fields.map(([name, field]) => [name, of(field)]))
}

function renamed(fields: Schema.Struct.Fields): AnySchema {
  const names = Object.keys(fields).flatMap((name) => (camel(name) === name ? [] : [[name, camel(name)]]))
  return Schema.Struct(fields).pipe(Schema.rename(Object.fromEntries(names))) as unknown as AnySchema
}

function holdsSomething(change: object): boolean | string {
  return Object.keys(change).length > 0 || "must hold at least one field that can be changed"
}

function isHttps(url: string): boolean {
  if (!/^https:\/\//i.test(url) || !URL.canParse(url)) return false
  const { username, password } = new URL(url)
  return username === "" && password === ""
}
