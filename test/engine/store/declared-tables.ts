/** Statements that would create a declared table: compared with the migrations, and used to create tables in tests. */

import type { Column } from "../../../src/engine/services/tables/columns.ts"
import type { Comparison } from "../../../src/engine/services/tables/conditions.ts"
import type { Table } from "../../../src/engine/services/tables/table.ts"
import { sqlNameOf } from "../../../src/engine/store/declared-table.ts"

const TYPES: Readonly<Record<Column["kind"], string>> = {
  bigint: "bigint",
  boolean: "boolean",
  bytes: "bytea",
  double: "double precision",
  integer: "integer",
  json: "json",
  serial: "bigserial",
  text: "text",
  choice: "text",
}

export function creationOf(table: Table, schema: string): readonly string[] {
  const nameOf = (field: string): string => {
    const column = table.columns[field]
    if (column === undefined) throw new Error(`${table.name} has no column ${field}`)
    return `"${sqlNameOf(field, column)}"`
  }
  const columns = Object.entries(table.columns).map(([field, { kind, isSealed, isNullable, fallback }]) =>
    [
      nameOf(field),
      isSealed ? "text" : TYPES[kind],
      isNullable ? "" : "not null",
      fallback === undefined ? "" : `default ${literal(fallback)}`,
    ].join(" "),
  )
  const key = `primary key (${table.key.map(nameOf).join()})`
  const indexes = table.indexes.flatMap(({ name, by, where = {} }) => {
    if (name === null) return []
    const tests = Object.entries(where).map(([field, test]) => tested(nameOf(field), test))
    const partial = tests.length === 0 ? "" : `where ${tests.join(" and ")}`
    return [`create index "${name}" on ${schema}.${table.name} (${by.map(nameOf).join()}) ${partial}`]
  })
  return [`create table ${schema}.${table.name} (${[...columns, key].join()})`, ...indexes]
}

function tested(name: string, test: unknown): string {
  if (test === null) return `${name} is null`
  if (typeof test === "boolean") return test ? name : `not ${name}`
  if (typeof test !== "object") return `${name} = ${literal(test)}`
  const comparison = test as Comparison<unknown>
  switch (comparison.op) {
    case "notNull":
      return `${name} is not null`
    case "oneOf":
      return `${name} in (${comparison.values.map(literal).join()})`
    case "noneOf":
      return `${name} not in (${comparison.values.map(literal).join()})`
    case "not":
      return `${name} <> ${literal(comparison.value)}`
    default:
      throw new Error(`no index has the condition ${comparison.op}`)
  }
}

function literal(value: unknown): string {
  if (typeof value === "object" && value !== null) return `'${JSON.stringify(value)}'`
  return typeof value === "string" ? `'${value}'` : String(value)
}
