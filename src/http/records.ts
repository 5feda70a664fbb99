/**
 * Records of answers, written from rows of the program by the names of their schema: `site_id` is `siteId`, and `created_at` is `createdAtMs`
 * in RFC 3339. What a row has beside the schema's fields stays inside.
 */

import { SchemaAST } from "effect"
import type { Schema } from "effect"
import { camel } from "../model/nouns/noun.ts"
import type { Camel } from "../model/nouns/noun.ts"
import { isoMs } from "../model/values/time.ts"

/** What a value must be so that the field can be written from it; rows inside are not looked into. */
type Source<Written> = Written extends readonly (infer One)[]
  ? readonly Source<One>[]
  : Written extends object
    ? object
    : Written

/** Names of fields that cannot be written from the row. */
type Lacking<Fields extends Schema.Struct.Fields, Row> = {
  [Name in keyof Fields & string]: Camel<Name> extends keyof Row
    ? Row[Camel<Name>] extends Source<Schema.Schema.Encoded<Fields[Name]>>
      ? never
      : Name
    : `${Camel<Name>}Ms` extends keyof Row
      ? never
      : Name
}[keyof Fields & string]

type Writable<Fields extends Schema.Struct.Fields, Row> = [Lacking<Fields, Row>] extends [never]
  ? Row
  : { readonly lacks: Lacking<Fields, Row> }

/** How records of the schema are written. */
export function recordsOf<Fields extends Schema.Struct.Fields>({
  ast,
}: {
  readonly fields: Fields
  readonly ast: SchemaAST.AST
}): <Row extends object>(row: Row & Writable<Fields, Row>) => Schema.Struct.Encoded<Fields> {
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
    for (const { name, key, instant, write } of fields)
      written[name] = key in row ? write(row[key]) : isoMs(row[instant] as number | null)
    return written
  }
}
