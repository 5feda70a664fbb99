/** The drizzle table of a declared table, for statements. Its sealed columns contain the sealed text. */

import { toSnakeCase } from "drizzle-orm/casing"
import {
  bigint,
  bigserial,
  boolean,
  customType,
  doublePrecision,
  integer,
  json,
  pgTable,
  text,
} from "drizzle-orm/pg-core"
import type { PgColumn, PgTableWithColumns } from "drizzle-orm/pg-core"
import type { Column, Columns } from "../services/tables/columns.ts"
import type { Table } from "../services/tables/table.ts"

type DataOf<One> = One extends { readonly isSealed: true }
  ? One extends Column<infer Value>
    ? string | (null extends Value ? null : never)
    : never
  : One extends Column<infer Value>
    ? Value
    : never

type DrizzleColumn<One extends Column> = PgColumn<{
  name: string
  tableName: string
  dataType: "custom"
  columnType: string
  data: NonNullable<DataOf<One>>
  driverParam: unknown
  notNull: null extends DataOf<One> ? false : true
  hasDefault: One["isOptional"]
  isPrimaryKey: false
  isAutoincrement: false
  hasRuntimeDefault: false
  generated: undefined
  identity: undefined
  enumValues: undefined
}>

/** With the fields' names, so that the declaration gives the types of statements. */
export type DeclaredTable<C extends Columns> = PgTableWithColumns<{
  name: string
  schema: undefined
  columns: { [Name in keyof C]: DrizzleColumn<C[Name]> }
  dialect: "pg"
}>

const bytes = customType<{ data: Uint8Array }>({ dataType: () => "bytea" })

const made = new WeakMap<Table, unknown>()

export function declaredTable<C extends Columns, Key extends keyof C & string>(
  table: Table<C, Key>,
): DeclaredTable<C> {
  const known = made.get(table)
  if (known !== undefined) return known as DeclaredTable<C>
  const columns = Object.entries(table.columns).map(
    ([field, column]) => [field, builderOf(sqlNameOf(field, column), column)] as const,
  )
  const drizzleTable = pgTable(table.name, Object.fromEntries(columns))
  made.set(table, drizzleTable)
  return drizzleTable as unknown as DeclaredTable<C>
}

/** The columns that a row is read with. */
export function shownColumns<C extends Columns, Key extends keyof C & string>(table: Table<C, Key>) {
  const columns = declaredTable(table) as unknown as Record<string, PgColumn>
  return Object.fromEntries(
    Object.entries(table.columns).flatMap(([field, { isHidden }]) => {
      const column = columns[field]
      return isHidden || column === undefined ? [] : [[field, column]]
    }),
  ) as {
    readonly [Name in keyof C as C[Name]["isHidden"] extends true ? never : Name]: DrizzleColumn<C[Name]>
  }
}

export function sqlNameOf(field: string, { sqlName }: Column): string {
  return sqlName ?? toSnakeCase(field)
}

function builderOf(name: string, column: Column) {
  const builder = typeOf(name, column)
  return column.isNullable ? builder : builder.notNull()
}

function typeOf(name: string, { kind, isSealed }: Column) {
  if (isSealed) return text(name)
  switch (kind) {
    case "bigint":
      return bigint(name, { mode: "number" })
    case "boolean":
      return boolean(name)
    case "bytes":
      return bytes(name)
    case "double":
      return doublePrecision(name)
    case "integer":
      return integer(name)
    case "json":
      return json(name)
    case "serial":
      return bigserial(name, { mode: "number" })
    case "text":
    case "choice":
      return text(name)
  }
}
