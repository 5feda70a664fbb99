/**
 * Rows in memory, staged like a database: every write inside a transaction keeps its inverse, and a rollback runs the
 * inverses backwards. The whole content goes to plain JSON and back.
 */

import type { Json } from "../model/json.ts"

/** The content of every table, rows in insertion order. */
export type StoreContent = { readonly [table: string]: readonly (readonly [string, Json])[] }

export class MemoryStore {
  readonly #tables = new Map<string, MemoryTable<unknown>>()
  #undo: (() => void)[] | null = null

  /** The table of that name; made at the first asking. Rows are plain JSON and never changed in place. */
  table<Row>(name: string): MemoryTable<Row> {
    const known = this.#tables.get(name)
    if (known !== undefined) return known as MemoryTable<Row>
    const made = new MemoryTable<Row>((inverse) => this.onRollback(inverse))
    this.#tables.set(name, made)
    return made
  }

  get isInTransaction(): boolean {
    return this.#undo !== null
  }

  begin(): void {
    this.#undo = []
  }

  commit(): void {
    this.#undo = null
  }

  rollback(): void {
    for (const inverse of (this.#undo ?? []).toReversed()) inverse()
    this.#undo = null
  }

  /** Keeps the inverse of a change made elsewhere, when a transaction is open. */
  onRollback(inverse: () => void): void {
    this.#undo?.push(inverse)
  }

  content(): StoreContent {
    const names = [...this.#tables.keys()].toSorted()
    return Object.fromEntries(
      names.map((name) => [name, (this.#tables.get(name)?.entries() ?? []) as [string, Json][]]),
    )
  }

  restore(content: StoreContent): void {
    for (const table of this.#tables.values()) table.fill([])
    for (const [name, rows] of Object.entries(content)) this.table(name).fill(rows)
  }
}

/** A page of rows that are numbered in the order of their making, the last one first. */
export function newestRows<Row extends { readonly number: number }>(
  rows: readonly Row[],
  { limit, isWanted }: { readonly limit: number; readonly isWanted: (row: Row) => boolean },
): readonly Row[] {
  return rows
    .filter(isWanted)
    .toSorted((one, other) => other.number - one.number)
    .slice(0, limit)
}

/** What rows have in common, or null for one that is left out. Written as a method, so that a table stays one of any part of its rows. */
type ValueOf<Row> = { of(row: Row, key: string): string | null }["of"]

/** Rows of a table by something that they have in common. */
export interface RowsBy<Row> {
  readonly rowsOf: (value: string) => Iterable<Row>
  readonly keysOf: (value: string) => readonly string[]
}

/** Kept with every write and its inverse. */
class MemoryIndex<Row> implements RowsBy<Row> {
  readonly #valueOf: ValueOf<Row>
  readonly #rows: ReadonlyMap<string, Row>
  readonly #keysByValue = new Map<string, Set<string>>()

  constructor(rows: ReadonlyMap<string, Row>, valueOf: ValueOf<Row>) {
    this.#rows = rows
    this.#valueOf = valueOf
    for (const [key, row] of rows) this.move(key, undefined, row)
  }

  /** The rows that share a value. */
  *rowsOf(value: string): Iterable<Row> {
    for (const key of this.#keysByValue.get(value) ?? []) yield this.#rows.get(key) as Row
  }

  keysOf(value: string): readonly string[] {
    return [...(this.#keysByValue.get(value) ?? [])]
  }

  /** The table's: a row was written over another, or either was not there. */
  move(key: string, before: Row | undefined, after: Row | undefined): void {
    const from = before === undefined ? null : this.#valueOf(before, key)
    const to = after === undefined ? null : this.#valueOf(after, key)
    if (from === to) return
    if (from !== null) {
      const keys = this.#keysByValue.get(from)
      keys?.delete(key)
      if (keys?.size === 0) this.#keysByValue.delete(from)
    }
    if (to === null) return
    const keys = this.#keysByValue.get(to)
    if (keys === undefined) this.#keysByValue.set(to, new Set([key]))
    else keys.add(key)
  }
}

/** Without the row's type, so that a table stays one of any part of its rows. */
interface Followed {
  move(key: string, before: unknown, after: unknown): void
}

export class MemoryTable<Row> {
  readonly #onWrite: (inverse: () => void) => void
  readonly #rows = new Map<string, Row>()
  readonly #indexes = new Map<unknown, Followed>()

  constructor(onWrite: (inverse: () => void) => void) {
    this.#onWrite = onWrite
  }

  get(key: string): Row | null {
    return this.#rows.get(key) ?? null
  }

  /** An index over the table, one a function; null leaves a row out. Rows are told in the order in which they came to share the value. */
  indexBy(valueOf: ValueOf<Row>): RowsBy<Row> {
    const known = this.#indexes.get(valueOf) as MemoryIndex<Row> | undefined
    if (known !== undefined) return known
    const index = new MemoryIndex(this.#rows, valueOf)
    this.#indexes.set(valueOf, index)
    return index
  }

  put(key: string, row: Row): void {
    const before = this.#rows.get(key)
    this.#write(key, before, row)
    this.#onWrite(() => this.#write(key, row, before))
  }

  /** A rolled-back delete puts the row at the end: nothing may depend on the order of deleted rows. */
  delete(key: string): void {
    const before = this.#rows.get(key)
    if (before === undefined) return
    this.#write(key, before, undefined)
    this.#onWrite(() => this.#write(key, undefined, before))
  }

  #write(key: string, before: Row | undefined, after: Row | undefined): void {
    if (after === undefined) this.#rows.delete(key)
    else this.#rows.set(key, after)
    for (const index of this.#indexes.values()) index.move(key, before, after)
  }

  /** Rows in insertion order. */
  all(): readonly Row[] {
    return [...this.#rows.values()]
  }

  keys(): Iterable<string> {
    return this.#rows.keys()
  }

  get size(): number {
    return this.#rows.size
  }

  entries(): readonly (readonly [string, Row])[] {
    return [...this.#rows]
  }

  fill(entries: readonly (readonly [string, unknown])[]): void {
    for (const [key, row] of this.#rows) this.#write(key, row, undefined)
    for (const [key, row] of entries) this.#write(key, undefined, row as Row)
  }
}
