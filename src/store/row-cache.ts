/**
 * The rows of one table that the open transaction has read by their keys. It reads each row once; its own writes change the stored
 * answer, or remove it where the new row is not known.
 */

import { Effect } from "effect"
import type { Table } from "../services/tables/table.ts"
import { forgetOnce, patchOnce, setOnce } from "./transaction.ts"

type Values = Readonly<Record<string, unknown>>

export class RowCache {
  readonly #declared: Table
  /** Columns of the rows that are read. */
  readonly #shown: readonly string[]
  readonly #prefix: string
  readonly #listPrefix: string

  constructor(declared: Table) {
    this.#declared = declared
    this.#shown = Object.entries(declared.columns).flatMap(([name, { isHidden }]) => (isHidden ? [] : [name]))
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

  /** `row` is the new row of its key, with sealed columns sealed. */
  replaced(row: Values): Effect.Effect<void> {
    // Columns that the database fills in are not known.
    const isKnown = this.#shown.every((name) => row[name] !== undefined)
    if (!isKnown) return this.forgotten(row)
    return Effect.zipRight(setOnce(this.nameOf(row), [this.#shownOf(row)]), this.#forgetLists)
  }

  changed(where: Values, change: Values): Effect.Effect<void> {
    const isOneRow = this.#hasKey(where) && Object.keys(where).length === this.#declared.key.length
    if (!isOneRow || Object.values(change).some(isSum)) return this.forgotten(where)
    const shown = this.#shownOf(change)
    const patched = patchOnce<readonly Values[]>(this.nameOf(where), (rows) =>
      rows.map((row) => ({ ...row, ...shown })),
    )
    return Effect.zipRight(patched, this.#forgetLists)
  }

  /** Rows of this condition were deleted, or changed in an unknown way. */
  forgotten(where: Values): Effect.Effect<void> {
    const name = this.#hasKey(where) ? this.nameOf(where) : null
    const rows = forgetOnce((one) => (name === null ? one.startsWith(this.#prefix) : one === name))
    return Effect.zipRight(rows, this.#forgetLists)
  }

  get #forgetLists(): Effect.Effect<void> {
    if (!this.#declared.isReadOnce) return Effect.void
    return forgetOnce((name) => name.startsWith(this.#listPrefix))
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
function isSum(value: unknown): boolean {
  return typeof value === "object" && value !== null && "plus" in value
}
