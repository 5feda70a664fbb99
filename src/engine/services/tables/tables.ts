/**
 * The operations of a repository on a declared table. Memory and SQL implement these methods; repositories are written
 * once over them, and only a statement that needs tuned SQL has a second form, in its area's folder `store`.
 */

import { Context } from "effect"
import type { Transaction } from "../host.ts"
import type { Column, Columns, NewRow, Row, StoredRow } from "./columns.ts"
import type { Change, Order, Where } from "./conditions.ts"
import type { Table } from "./table.ts"
import type { Routine } from "../routine.ts"

export interface ListOptions<C extends Columns> {
  /** `"any"`: the caller may not depend on it. In memory it is the order of insertion. */
  readonly order: Order<C> | "any"
  readonly limit?: number
  /** Locks the rows, and skips those that another transaction has locked. */
  readonly lock?: "skip locked"
}

export type Writing<A = void> = Routine<A, never, Transaction>

export interface TableAccess<C extends Columns, Key extends keyof C & string> {
  readonly get: (key: Pick<StoredRow<C>, Key>) => Routine<Row<C> | null>
  /** The first row in the order; null when no row fulfils the condition. */
  readonly first: (where: Where<C>, order?: Order<C>) => Routine<Row<C> | null>
  readonly list: (where: Where<C>, options: ListOptions<C>) => Routine<readonly Row<C>[]>
  /** Fails the transaction when a row with the key exists. */
  readonly insert: (row: NewRow<C>) => Writing
  /** Does nothing when a row with the key exists. */
  readonly insertOrIgnore: (row: NewRow<C>) => Writing
  /** The same; returns whether it inserted. */
  readonly insertIfAbsent: (row: NewRow<C>) => Writing<boolean>
  /** Inserts, or updates the columns of the row with the key. */
  readonly upsert: (row: NewRow<C>) => Writing
  /** Changes every row that fulfils the condition. */
  readonly update: (
    where: Where<C>,
    change: { readonly [Name in Exclude<keyof C, Key>]?: Change<StoredRow<C>[Name]> },
  ) => Writing
  readonly delete: (where: Where<C>) => Writing
  /** Deletes the first rows in the order, as purges do; returns how many. */
  readonly deleteFirst: (
    where: Where<C>,
    options: { readonly order: Order<C>; readonly limit: number },
  ) => Writing<number>
}

export type TableAccessOf<T> = T extends Table<infer C, infer Key> ? TableAccess<C, Key> : never

export interface TablesOf<Any extends Column> {
  readonly of: <C extends Readonly<Record<string, Any>>, Key extends keyof C & string>(
    table: Table<C, Key>,
  ) => TableAccess<C, Key>
}

/** Tables without sealed columns. */
export class Tables extends Context.Tag("Tables")<
  Tables,
  TablesOf<Column<unknown, boolean, boolean, false>>
>() {}

/** Tables that may have sealed columns: over a database they need the service's secret. */
export class SealedTables extends Context.Tag("SealedTables")<SealedTables, TablesOf<Column>>() {}
