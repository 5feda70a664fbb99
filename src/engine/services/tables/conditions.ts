/**
 * Conditions on the rows of a table, orders and changes, as plain data. They have the same meaning in memory and in
 * SQL.
 */

import type { Columns, StoredRow } from "./columns.ts"

/** A null value fulfils no comparison, as in SQL. */
export type Comparison<Value> =
  | { readonly op: "above" | "atLeast" | "atMost" | "below" | "not"; readonly value: Value }
  | { readonly op: "noneOf"; readonly values: readonly Value[] }
  | { readonly op: "oneOf"; readonly values: readonly Value[] }
  | { readonly op: "among"; readonly values: readonly Value[] }
  | { readonly op: "contains"; readonly text: string }
  | { readonly op: "notNull" }

/** A plain value tests for equality, including null. */
export type Test<Value> = Comparison<NonNullable<Value>> | (Value & (boolean | number | string | null))

type TestOf<Value> = Test<Value> | readonly (Test<Value> | undefined)[] | undefined

/** All tests must hold; undefined ones are left out. Several tests of one column are listed. */
export type Tests<C extends Columns> = { readonly [Name in keyof C]?: TestOf<StoredRow<C>[Name]> }

export type Where<C extends Columns> = Either<C> | Tests<C>

/** At least one of them holds. */
export interface Either<C extends Columns> {
  readonly either: readonly Tests<C>[]
}

export function either<C extends Columns>(...conditions: readonly Tests<C>[]): Either<C> {
  return { either: conditions }
}

export function isEither<C extends Columns>(where: Where<C>): where is Either<C> {
  return "either" in where && Array.isArray(where.either)
}

export function above<const Value>(value: Value): Comparison<Value> {
  return { op: "above", value }
}

export function atLeast<const Value>(value: Value): Comparison<Value> {
  return { op: "atLeast", value }
}

export function atMost<const Value>(value: Value): Comparison<Value> {
  return { op: "atMost", value }
}

export function below<const Value>(value: Value): Comparison<Value> {
  return { op: "below", value }
}

export function not<const Value>(value: Value): Comparison<Value> {
  return { op: "not", value }
}

/** A list that the program knows: statements write out words of closed sets, so that partial indexes serve them. */
export function oneOf<const Value>(...values: readonly Value[]): Comparison<Value> {
  return { op: "oneOf", values }
}

/** A list that a request sent. It is a parameter, so that the number of statements does not depend on requests. */
export function among<const Value>(...values: readonly Value[]): Comparison<Value> {
  return { op: "among", values }
}

export function noneOf<const Value>(...values: readonly Value[]): Comparison<Value> {
  return { op: "noneOf", values }
}

/** A text that contains another one, without regard to the case of ASCII letters. No index serves it. */
export function contains(part: string): Comparison<never> {
  return { op: "contains", text: part }
}

export const notNull: Comparison<never> = { op: "notNull" }

/** The test, or none if the value is null: for the optional filters of a query. */
export function ifGiven<Value, Made>(value: Value | null, test: (value: Value) => Made): Made | undefined {
  return value === null ? undefined : test(value)
}

/** Ascending or descending by the column. Null sorts as the greatest value; texts sort by character codes. */
export type Order<C extends Columns> = readonly (
  (keyof C & string) | { readonly descending: keyof C & string }
)[]

export function descending<Name extends string>(name: Name): { readonly descending: Name } {
  return { descending: name }
}

/** A new value, or an increment of the old one. */
export type Change<Value> = Value | (Value extends number ? { readonly plus: number } : never)
