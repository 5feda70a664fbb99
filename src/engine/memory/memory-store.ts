/**
 * Rows in memory. Every write inside a transaction records the previous row, and a rollback restores the rows, last
 * write first. The whole content can be saved as plain JSON and restored.
 */

import type { Json } from "../../model/values/json.ts"

/** The content of every table, rows in insertion order. */
export type StoreContent = { readonly [table: string]: readonly (readonly [string, Json])[] }

/** A write in the open transaction, and the one before it. `before` is undefined if there was no row. */
interface NotedWrite {
  readonly table: Restorable
  readonly key: string
  readonly before: unknown
  readonly previous: NotedWrite | null
}

interface Restorable {
  restoreRow(key: string, before: unknown): void
}

type NoteWrite = (table: Restorable, key: string, before: unknown) => void

export class MemoryStore {
  readonly #tables = new Map<string, MemoryTable<unknown>>()
  #isOpen = false
  #last: NotedWrite | null = null

  /** The table of that name; created on first use. Rows are plain JSON and are never mutated. */
  table<Row>(name: string): MemoryTable<Row> {
    const known = this.#tables.get(name)
    if (known !== undefined) return known as MemoryTable<Row>
    const made = new MemoryTable<Row>(this.#note)
    this.#tables.set(name, made)
    return made
  }

  readonly #note: NoteWrite = (table, key, before) => {
    if (this.#isOpen) this.#last = { table, key, before, previous: this.#last }
  }

  begin(): void {
    this.#isOpen = true
    this.#last = null
  }

  commit(): void {
    this.#isOpen = false
    this.#last = null
  }

  rollback(): void {
    for (let write = this.#last; write !== null; write = write.previous)
      write.table.restoreRow(write.key, write.before)
    this.commit()
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

/**
 * The indexed value of a row, or null to leave the row out. A method, so that the type is bivariant: a table can be
 * used as a table of some of its columns.
 */
type ValueOf<Row> = { of(row: Row, key: string): string | null }["of"]

/** Rows of a table, grouped by an indexed value. */
export interface RowsBy<Row> {
  readonly rowsOf: (value: string) => Iterable<Row>
}

/** Receives every write of its table. */
class MemoryIndex<Row> implements RowsBy<Row> {
  readonly #valueOf: ValueOf<Row>
  readonly #columns: readonly (string & keyof Row)[] | null
  readonly #rows: ReadonlyMap<string, Row>
  /** The key itself where a value has only one, because a set takes several times the memory. */
  readonly #keysByValue = new Map<string, Set<string> | string>()

  constructor(
    rows: ReadonlyMap<string, Row>,
    valueOf: ValueOf<Row>,
    columns: readonly (string & keyof Row)[] | null,
  ) {
    this.#rows = rows
    this.#valueOf = valueOf
    this.#columns = columns
    for (const [key, row] of rows) this.move(key, undefined, row)
  }

  /** The rows with this value. */
  rowsOf(value: string): Iterable<Row> {
    const keys = this.#keysByValue.get(value)
    if (keys === undefined) return []
    return typeof keys === "string" ? [this.#rows.get(keys) as Row] : this.#rowsAt(keys)
  }

  *#rowsAt(keys: Iterable<string>): Iterable<Row> {
    for (const key of keys) yield this.#rows.get(key) as Row
  }

  /** Called by the table for a write; `before` or `after` is undefined if there was no row. */
  move(key: string, before: Row | undefined, after: Row | undefined): void {
    if (before !== undefined && after !== undefined && this.#isAlike(before, after)) return
    const from = before === undefined ? null : this.#valueOf(before, key)
    const to = after === undefined ? null : this.#valueOf(after, key)
    if (from === to) return
    if (from !== null) this.#remove(from, key)
    if (to !== null) this.#add(to, key)
  }

  #remove(value: string, key: string): void {
    const keys = this.#keysByValue.get(value)
    if (keys === undefined) return
    if (typeof keys !== "string") keys.delete(key)
    if (keys === key || (typeof keys !== "string" && keys.size === 0)) this.#keysByValue.delete(value)
  }

  #add(value: string, key: string): void {
    const keys = this.#keysByValue.get(value)
    if (keys === undefined) this.#keysByValue.set(value, key)
    else if (typeof keys !== "string") keys.add(key)
    else if (keys !== key) this.#keysByValue.set(value, new Set([keys, key]))
  }

  /** Most writes change no column of an index. */
  #isAlike(before: Row, after: Row): boolean {
    if (this.#columns === null) return false
    for (const column of this.#columns) if (before[column] !== after[column]) return false
    return true
  }
}

/**
 * Receives every write of a table, including those of a rollback: the row before and after it, undefined if there is
 * none.
 */
export interface Follower<Row> {
  // A method, so that the type is bivariant: a table can be used as a table of some of its columns.
  move(key: string, before: Row | undefined, after: Row | undefined): void
}

export class MemoryTable<Row> {
  readonly #note: NoteWrite
  readonly #rows = new Map<string, Row>()
  /** Followers look into indexes, so these come first. */
  readonly #indexes: Follower<never>[] = []
  readonly #followers: Follower<never>[] = []
  readonly #indexByValue = new Map<unknown, RowsBy<Row>>()

  constructor(note: NoteWrite) {
    this.#note = note
  }

  get(key: string): Row | null {
    return this.#rows.get(key) ?? null
  }

  /**
   * Adds an index to the table, or returns the existing one of this function; null leaves a row out. Rows with the same
   * value are listed in the order in which they got it. `columns` are all that the value depends on, where that is known.
   */
  indexBy(valueOf: ValueOf<Row>, columns: readonly (string & keyof Row)[] | null = null): RowsBy<Row> {
    const known = this.#indexByValue.get(valueOf)
    if (known !== undefined) return known
    const index = new MemoryIndex(this.#rows, valueOf, columns)
    this.#indexByValue.set(valueOf, index)
    this.#indexes.push(index)
    return index
  }

  /** Adds a listener that receives the present rows first and then every write, to keep derived data up to date. */
  follow(follower: Follower<Row>): void {
    for (const [key, row] of this.#rows) follower.move(key, undefined, row)
    this.#followers.push(follower)
  }

  put(key: string, row: Row): void {
    const before = this.#rows.get(key)
    this.#write(key, before, row)
    this.#note(this, key, before)
  }

  /** A delete that is rolled back appends the row at the end, so nothing may depend on the order of deleted rows. */
  delete(key: string): void {
    const before = this.#rows.get(key)
    if (before === undefined) return
    this.#write(key, before, undefined)
    this.#note(this, key, before)
  }

  /** Restores a row for a rollback. */
  restoreRow(key: string, before: unknown): void {
    this.#write(key, this.#rows.get(key), before as Row | undefined)
  }

  #write(key: string, before: Row | undefined, after: Row | undefined): void {
    if (after === undefined) this.#rows.delete(key)
    else this.#rows.set(key, after)
    for (const index of this.#indexes) index.move(key, before as never, after as never)
    for (const follower of this.#followers) follower.move(key, before as never, after as never)
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
