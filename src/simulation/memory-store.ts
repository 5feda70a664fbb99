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

export class MemoryTable<Row> {
  readonly #onWrite: (inverse: () => void) => void
  readonly #rows = new Map<string, Row>()

  constructor(onWrite: (inverse: () => void) => void) {
    this.#onWrite = onWrite
  }

  get(key: string): Row | null {
    return this.#rows.get(key) ?? null
  }

  put(key: string, row: Row): void {
    const before = this.#rows.get(key)
    this.#rows.set(key, row)
    this.#onWrite(() => {
      if (before === undefined) this.#rows.delete(key)
      else this.#rows.set(key, before)
    })
  }

  /** A rolled-back delete puts the row at the end: nothing may depend on the order of deleted rows. */
  delete(key: string): void {
    const before = this.#rows.get(key)
    if (before === undefined) return
    this.#rows.delete(key)
    this.#onWrite(() => this.#rows.set(key, before))
  }

  /** Cost: linear in the table. */
  deletePrefix(prefix: string): void {
    for (const key of this.#rows.keys()) if (key.startsWith(prefix)) this.delete(key)
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
    this.#rows.clear()
    for (const [key, row] of entries) this.#rows.set(key, row as Row)
  }
}
