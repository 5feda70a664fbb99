/** A declared table: the types of its rows, its key and its indexes are derived from it. */

import type { Columns, NewRow, Row } from "./columns.ts"
import type { Tests } from "./conditions.ts"

/** Rows of one table, by the values of some columns. */
export interface Index<C extends Columns> {
  /** Its name in the database; null for an index that only memory needs. */
  readonly name: string | null
  readonly by: readonly (keyof C & string)[]
  /** Contains only rows of this condition. */
  readonly where?: Tests<C>
}

/** How long rows are kept. */
export interface TableRetention<C extends Columns> {
  /** When the period of a row begins. */
  readonly from: keyof C & string
  /** A column that says it instead where it is not null: the real instant of a row with instants of another clock. */
  readonly realFrom?: keyof C & string
  readonly keepMs: number
  /** Only rows of this condition are purged. */
  readonly where?: Tests<C>
}

export interface Declaration<C extends Columns, Key extends keyof C & string> {
  /** The name of one row, with its article, and the plural, for the texts of faults and spans. */
  readonly one: string
  readonly many: string
  readonly columns: C
  readonly key: readonly Key[]
  readonly indexes?: readonly Index<C>[]
  /**
   * True when lists are cached in a transaction until its own next write to the table, as rows by key always are: for
   * rows whose concurrent changes do not matter.
   */
  readonly isReadOnce?: boolean
  /** Null: rows are not purged by their age alone. */
  readonly retention?: TableRetention<C> | null
}

export interface Table<
  C extends Columns = Columns,
  Key extends keyof C & string = keyof C & string,
> extends Required<Declaration<C, Key>> {
  /** Its name in the database. */
  readonly name: string
}

export type RowOf<T> = T extends Table<infer C> ? Row<C> : never
export type NewRowOf<T> = T extends Table<infer C> ? NewRow<C> : never

export function table<C extends Columns, Key extends keyof C & string>(
  name: string,
  declaration: Declaration<C, Key>,
): Table<C, Key> {
  return { name, indexes: [], isReadOnce: false, retention: null, ...declaration }
}
