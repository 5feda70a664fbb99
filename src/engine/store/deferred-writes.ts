/**
 * Deferred writes of one table. A row that no other transaction can change is written before a statement that may see
 * it, or with the commit, so several writes of one row become one statement. Other rows are written at once, because
 * their writes also lock them.
 */

import type { Orm } from "./database.ts"
import type { RowCache } from "./row-cache.ts"
import { bufferWrite, writeDeferredOf } from "./transaction.ts"
import type { DeferredWrite, OpenTransaction } from "./transaction.ts"

type Values = Readonly<Record<string, unknown>>

interface RowStatement {
  readonly run: (orm: Orm) => PromiseLike<unknown>
}

export interface DeferredWritesOptions {
  readonly table: string
  /** How error messages name a row. */
  readonly one: string
  readonly cache: RowCache
  readonly insertion: (row: Values) => RowStatement
  /** Null when the change is empty. */
  readonly update: (key: Values, change: Values) => RowStatement | null
}

export class DeferredWrites {
  readonly #options: DeferredWritesOptions

  constructor(options: DeferredWritesOptions) {
    this.#options = options
  }

  /** `row` has a value for every column that the database does not number. */
  insert(open: OpenTransaction, row: Values): void {
    const { cache, one, table, insertion } = this.#options
    const name = cache.nameOf(row)
    // Sends the earlier insert first, so that the database reports the duplicate key.
    if (open.known.has(name)) writeDeferredOf(open, table)
    this.#writesOf(open).set(name, new RowWrite(open, `inserting ${one}`, row, insertion))
    cache.inserted(open, row)
  }

  /** Returns false if another transaction may change the row; then nothing is deferred. */
  update(open: OpenTransaction, key: Values, change: Values): boolean {
    const { cache, one, update } = this.#options
    const name = cache.nameOf(key)
    const row = open.known.get(name)
    if (row === undefined) return false
    const different = Object.fromEntries(
      Object.entries(change).filter(([column, value]) => value !== undefined && row[column] !== value),
    )
    if (Object.keys(different).length === 0) return true
    cache.changedKnown(open, name, different)
    const writes = this.#writesOf(open)
    const before = writes.get(name)
    if (before !== undefined) before.change(different)
    else writes.set(name, new RowWrite(open, `changing ${one}`, different, (all) => update(key, all)))
    return true
  }

  #writesOf({ deferred }: OpenTransaction): Map<string, DeferredWrite> {
    const { table } = this.#options
    const writes = deferred.get(table) ?? new Map<string, DeferredWrite>()
    deferred.set(table, writes)
    return writes
  }
}

class RowWrite implements DeferredWrite {
  readonly #open: OpenTransaction
  readonly #doing: string
  readonly #statement: (values: Values) => RowStatement | null
  #values: Values

  constructor(
    open: OpenTransaction,
    doing: string,
    values: Values,
    statement: (values: Values) => RowStatement | null,
  ) {
    this.#open = open
    this.#doing = doing
    this.#values = values
    this.#statement = statement
  }

  change(values: Values): void {
    this.#values = { ...this.#values, ...values }
  }

  send(): void {
    const statement = this.#statement(this.#values)
    if (statement !== null) bufferWrite(this.#open, this.#doing, statement.run)
  }
}
