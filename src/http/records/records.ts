/**
 * Records of answers, written from rows of the program by the names of their schema: `site_id` is `siteId`, and `created_at` is `createdAtMs`
 * in RFC 3339. A value that has its name on the wire already is taken as it is. An optional field may be absent, and what a row has beside
 * the schema's fields stays inside.
 */

import { SchemaAST } from "effect"
import type { Schema } from "effect"
import { camel } from "../../model/nouns/noun.ts"
import type { Camel } from "../../model/nouns/noun.ts"
import { isoMs } from "../../model/values/time.ts"

/** True when the written value follows from a value of the row. */
type Follows<Written, Value> = [Value] extends [Written]
  ? true
  : null extends Value
    ? null extends Written
      ? Follows<NonNullable<Written>, NonNullable<Value>>
      : false
    : Value extends readonly (infer One)[]
      ? NonNullable<Written> extends readonly (infer WrittenOne)[]
        ? Follows<WrittenOne, One>
        : false
      : NonNullable<Written> extends object
        ? [Lacking<NonNullable<Written>, Value>] extends [never]
          ? true
          : false
        : false

/** Names of fields that cannot be written from the row. */
type Lacking<Written, Row> = {
  [Name in keyof Written & string]: Camel<Name> extends keyof Row
    ? Follows<Written[Name], Row[Camel<Name>]> extends true
      ? never
      : Name
    : Name extends keyof Row
      ? Row[Name] extends Written[Name]
        ? never
        : Name
      : `${Camel<Name>}Ms` extends keyof Row
        ? never
        : undefined extends Written[Name]
          ? never
          : Name
}[keyof Written & string]

type Writable<Written, Row> = [Lacking<Written, Row>] extends [never]
  ? Row
  : { readonly lacks: Lacking<Written, Row> }

/** How records of the schema are written. */
export function recordsOf<Fields extends Schema.Struct.Fields>({
  ast,
}: {
  readonly fields: Fields
  readonly ast: SchemaAST.AST
}): <Row extends object>(
  row: Row & Writable<Schema.Struct.Encoded<Fields>, Row>,
) => Schema.Struct.Encoded<Fields> {
  const write = writerOf(ast)
  return (row) => write(row) as Schema.Struct.Encoded<Fields>
}

type Write = (value: unknown) => unknown

const asItIs: Write = (value) => value

function writerOf(ast: SchemaAST.AST): Write {
  if (SchemaAST.isUnion(ast)) {
    const [one, ...others] = ast.types.map(writerOf).filter((write) => write !== asItIs)
    return one === undefined || others.length > 0 ? asItIs : (value) => (value === null ? null : one(value))
  }
  if (SchemaAST.isTupleType(ast)) return listWriter(ast)
  return SchemaAST.isTypeLiteral(ast) ? structWriter(ast) : asItIs
}

function listWriter({ rest }: SchemaAST.TupleType): Write {
  const write = rest[0] === undefined ? asItIs : writerOf(rest[0].type)
  return write === asItIs ? asItIs : (values) => (values as readonly unknown[]).map(write)
}

function structWriter({ propertySignatures }: SchemaAST.TypeLiteral): Write {
  const fields = propertySignatures.map(({ name, type }) => {
    const key = camel(String(name))
    return { name: String(name), key, instant: `${key}Ms`, write: writerOf(type) }
  })
  return (value) => {
    const row = value as Readonly<Record<string, unknown>>
    const written: Record<string, unknown> = {}
    for (const { name, key, instant, write } of fields) {
      if (key in row) written[name] = write(row[key])
      else if (name in row) written[name] = row[name]
      else if (instant in row) written[name] = isoMs(row[instant] as number | null)
    }
    return written
  }
}
