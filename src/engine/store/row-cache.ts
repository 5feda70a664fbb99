/**
 * The rows of one table that the open transaction has read or written by their keys. It reads each row once; its own
 * writes change the stored answer, or remove it where the new row is not known. Rows that no other transaction can
 * change are kept apart, as `known`: their writes can be deferred.
 */

import type { Table } from "../services/tables/table.ts"
import type { OpenTransaction } from "./transaction.ts"

type Values = Readonly<Record<string, unknown>>

export class RowCache {
  readonly #declared: Table
  /** Columns of the rows that are read. */
  readonly #shown: readonly string[]
  /** Those of them that the database numbers. */
  readonly #numbered: readonly string[]
  readonly #prefix: string
  readonly #listPrefix: string

  constructor(declared: Table) {
    const shown = Object.entries(declared.columns).filter(([, { isHidden }]) => !isHidden)
    this.#declared = declared
    this.#shown = shown.map(([name]) => name)
    this.#numbered = shown.flatMap(([name, { kind }]) => (kind === "serial" ? [name] : []))
    this.#prefix = `row ${declared.name} `
    this.#listPrefix = `rows ${declared.name} `
  }

  /** The cache name of one row. */
  nameOf(key: Values): string {
    return `${this.#prefix}${JSON.stringify(this.#declared.key.map((name) => key[name]))}`
  }

  /** The cache name of a list, for tables whose lists are cached too. */
  nameOfList(statement: string): string {
    return `${this.#listPrefix}${statement}`
  }

  /** True when a condition is one row's whole key and nothing else. */
  isKey(where: Values): boolean {
    return this.#hasKey(where) && Object.keys(where).length === this.#declared.key.length
  }

  /** A row that no other transaction can change, as `get` returns it. */
  shown(known: Values): Values {
    const missing = this.#numbered.filter((name) => known[name] === undefined)
    if (missing.length === 0) return known
    return { ...known, ...Object.fromEntries(missing.map((name) => [name, NOT_YET_NUMBERED])) }
  }

  /** Keeps a row that was read under the lock of its group. A row that is known already may have been changed since. */
  locked(open: OpenTransaction, row: Values): void {
    const name = this.nameOf(row)
    if (!open.known.has(name)) open.known.set(name, row)
  }

  /** A row that the transaction inserts, with every column that the database does not number. */
  inserted(open: OpenTransaction, row: Values): void {
    open.known.set(this.nameOf(row), this.#shownOf(row))
    this.forgetLists(open)
  }

  /** A change of a known row. */
  changedKnown(open: OpenTransaction, name: string, change: Values): void {
    open.known.set(name, { ...open.known.get(name), ...this.#shownOf(change) })
    this.forgetLists(open)
  }

  /** `row` is the new row of its key, with sealed columns sealed. */
  replaced(open: OpenTransaction, row: Values): void {
    this.forgotten(open, row)
    // Columns that the database fills in are not known.
    if (this.#shown.every((name) => row[name] !== undefined))
      open.prefetched.set(this.nameOf(row), Promise.resolve([this.#shownOf(row)]))
  }

  /** Changes of rows that another transaction may change too. */
  changed(open: OpenTransaction, where: Values, change: Values): void {
    const name = this.nameOf(where)
    const rows = open.prefetched.get(name) as Promise<readonly Values[]> | undefined
    if (rows === undefined || !this.isKey(where) || Object.values(change).some(isSum))
      return this.forgotten(open, where)
    const shown = this.#shownOf(change)
    const patched = rows.then((all) => all.map((row) => ({ ...row, ...shown })))
    // The next reader reports a failure of the read.
    patched.catch(() => undefined)
    open.prefetched.set(name, patched)
    this.forgetLists(open)
  }

  /** Rows of this condition were deleted, or changed in an unknown way. */
  forgotten(open: OpenTransaction, where: Values): void {
    const name = this.#hasKey(where) ? this.nameOf(where) : null
    for (const rows of [open.known, open.prefetched]) {
      if (name !== null) rows.delete(name)
      else for (const one of rows.keys()) if (one.startsWith(this.#prefix)) rows.delete(one)
    }
    this.forgetLists(open)
  }

  forgetLists({ prefetched }: OpenTransaction): void {
    if (!this.#declared.isReadOnce) return
    for (const name of prefetched.keys()) if (name.startsWith(this.#listPrefix)) prefetched.delete(name)
  }

  /** True when a condition names one row by its whole key. */
  #hasKey(where: Values): boolean {
    return this.#declared.key.every((name) => ["boolean", "number", "string"].includes(typeof where[name]))
  }

  #shownOf(row: Values): Values {
    return Object.fromEntries(
      this.#shown.flatMap((name) => (row[name] === undefined ? [] : [[name, row[name]]])),
    )
  }
}

/** A change that adds to the old value. */
export function isSum(value: unknown): boolean {
  return typeof value === "object" && value !== null && "plus" in value
}

/** The number of a row that the transaction inserts: the database numbers it later, after every row that has a number. */
const NOT_YET_NUMBERED = Number.MAX_SAFE_INTEGER
