/** A table as it is declared, once: the types of its rows, its key and its indexes come from here. */

import type { Columns, NewRow, Row } from "./columns.ts"
import type { Tests } from "./conditions.ts"

/** Rows of one table, by their columns that share a value. */
export interface Index<C extends Columns> {
  /** In the database; null for an index that memory alone needs. */
  readonly name: string | null
  readonly by: readonly (keyof C & string)[]
  /** Only rows of this condition are in it. */
  readonly where?: Tests<C>
}

export interface Declaration<C extends Columns, Key extends keyof C & string> {
  /** One row in words, with its article, and several: for the texts of faults and spans. */
  readonly one: string
  readonly many: string
  readonly columns: C
  readonly key: readonly Key[]
  readonly indexes?: readonly Index<C>[]
  /**
   * Lists too are read once in a transaction, until its own next write to the table, as rows by key always are: for rows whose
   * changes by other commands during the transaction do not matter.
   */
  readonly isReadOnce?: boolean
}

export interface Table<
  C extends Columns = Columns,
  Key extends keyof C & string = keyof C & string,
> extends Required<Declaration<C, Key>> {
  /** In the database. */
  readonly name: string
}

export type RowOf<T> = T extends Table<infer C> ? Row<C> : never
export type NewRowOf<T> = T extends Table<infer C> ? NewRow<C> : never

export function table<C extends Columns, Key extends keyof C & string>(
  name: string,
  declaration: Declaration<C, Key>,
): Table<C, Key> {
  return { name, indexes: [], isReadOnce: false, ...declaration }
}
