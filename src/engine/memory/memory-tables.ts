/** Declared tables in memory: each is a table of one MemoryStore. */

import { Either, Encoding, Layer } from "effect"
import type { Order, Where } from "../services/tables/conditions.ts"
import type { Columns, NewRow, Row, StoredRow } from "../services/tables/columns.ts"
import type { Table } from "../services/tables/table.ts"
import { Routine } from "../services/routine.ts"
import { SealedTables, Tables } from "../services/tables/tables.ts"
import type { ListOptions, TableAccess } from "../services/tables/tables.ts"
import { Search, ordered } from "./memory-search.ts"
import type { Plain } from "./memory-search.ts"
import type { MemoryStore, MemoryTable } from "./memory-store.ts"

/** Nothing is encrypted in memory, so both ports are the same. */
export function layerMemoryTables(store: MemoryStore): Layer.Layer<SealedTables | Tables> {
  const tables = memoryTablesOf(store)
  return Layer.merge(Layer.succeed(Tables, tables), Layer.succeed(SealedTables, tables))
}

/** Without a layer, for simulations that write many rows by themselves. */
export function memoryTablesOf(store: MemoryStore): SealedTables["Type"] {
  return { of: (table) => sharedAccess(store, table) }
}

/** The rows of a declared table, for simulations that read or prepare them directly. */
export function memoryRowsOf<C extends Columns, Key extends keyof C & string>(
  store: MemoryStore,
  { name }: Table<C, Key>,
): MemoryTable<StoredRow<C>> {
  return store.table(name.replaceAll("_", "-"))
}

const accessByTable = new WeakMap<MemoryStore, Map<string, unknown>>()

/** One access object for each table of a store, so that its repositories share indexes. */
function sharedAccess<C extends Columns, Key extends keyof C & string>(
  store: MemoryStore,
  table: Table<C, Key>,
): TableAccess<C, Key> {
  const known = accessByTable.get(store) ?? new Map<string, unknown>()
  accessByTable.set(store, known)
  const access = (known.get(table.name) as TableAccess<C, Key> | undefined) ?? accessTo(store, table)
  known.set(table.name, access)
  return access
}

function accessTo<C extends Columns, Key extends keyof C & string>(
  store: MemoryStore,
  table: Table<C, Key>,
): TableAccess<C, Key> {
  const rows = memoryRowsOf(store, table) as unknown as MemoryTable<Plain>
  const opened = { rows, search: new Search(rows, table), copied: copyOf(Object.keys(table.columns)) }
  return {
    ...readsOf(table, opened),
    ...insertsOf(store, table, opened),
    ...changesOf<C, Key>(opened),
  }
}

/** What the operations on a table share. */
interface Opened<C extends Columns> {
  readonly rows: MemoryTable<Plain>
  readonly search: Search<C>
  readonly copied: Copy
}

function readsOf<C extends Columns, Key extends keyof C & string>(
  table: Table<C, Key>,
  { rows, search }: Opened<C>,
): Pick<TableAccess<C, Key>, "first" | "get" | "list"> {
  const shown = shownOf(table) as (row: Plain) => Row<C>
  const get = (key: Pick<StoredRow<C>, Key>): Row<C> | null => {
    const row = rows.get(search.keyOf(key))
    return row === null ? null : shown(row)
  }
  const first = (where: Where<C>, order: Order<C>): Row<C> | null => {
    const row = search.first(where, order)
    return row === null ? null : shown(row)
  }
  const list = (where: Where<C>, options: ListOptions<C>): readonly Row<C>[] => {
    const listed = ordered(search.found(where), options)
    return listed.length === 0 ? NO_ROWS : listed.map(shown)
  }
  return {
    get: (key) => Routine.call(get, key),
    first: (where, order = []) => Routine.call(first, where, order),
    list: (where, options) => Routine.call(list, where, options),
  }
}

function insertsOf<C extends Columns, Key extends keyof C & string>(
  store: MemoryStore,
  table: Table<C, Key>,
  { rows, search, copied }: Opened<C>,
): Pick<TableAccess<C, Key>, "insert" | "insertIfAbsent" | "insertOrIgnore" | "upsert"> {
  const newRow = newRowsOf(store, table, copied)
  const passNumber = numberPassesOf(store, table)
  const isCounted = table.key.some((name) => table.columns[name]?.kind === "serial")
  const inserted = (row: NewRow<C>): boolean => {
    if (isCounted) {
      const made = newRow(row)
      rows.put(search.keyOf(made), made)
      return true
    }
    const key = search.keyOf(row)
    const isThere = rows.get(key) !== null
    if (isThere) passNumber()
    else rows.put(key, newRow(row))
    return !isThere
  }
  const insert = (row: NewRow<C>): void => {
    if (!inserted(row)) throw new Error(`inserting ${table.one}: its key is there already`)
  }
  const insertOrIgnore = (row: NewRow<C>): void => void inserted(row)
  const upsert = (row: NewRow<C>): void => {
    const key = search.keyOf(row)
    const before = rows.get(key)
    if (before !== null) passNumber()
    rows.put(key, before === null ? newRow(row) : Object.assign(copied(before), row))
  }
  return {
    insert: (row) => Routine.call(insert, row),
    insertOrIgnore: (row) => Routine.call(insertOrIgnore, row),
    insertIfAbsent: (row) => Routine.call(inserted, row),
    upsert: (row) => Routine.call(upsert, row),
  }
}

function changesOf<C extends Columns, Key extends keyof C & string>({
  rows,
  search,
  copied,
}: Opened<C>): Pick<TableAccess<C, Key>, "delete" | "deleteFirst" | "update"> {
  const update = (where: Where<C>, change: Plain): void => {
    for (const row of search.found(where)) {
      const after = changed(row, change, copied)
      if (after !== row) rows.put(search.keyOf(row), after)
    }
  }
  const deleteAll = (where: Where<C>): void => {
    for (const row of search.found(where)) rows.delete(search.keyOf(row))
  }
  const deleteFirst = (where: Where<C>, options: ListOptions<C>): number => {
    const gone = ordered(search.found(where), options)
    for (const row of gone) rows.delete(search.keyOf(row))
    return gone.length
  }
  return {
    update: (where, change) => Routine.call(update, where, change),
    delete: (where) => Routine.call(deleteAll, where),
    deleteFirst: (where, options) => Routine.call(deleteFirst, where, options),
  }
}

const NO_ROWS: readonly never[] = []

/** A sequence of PostgreSQL gives its next number before a conflict shows, and the number is then used up. */
function numberPassesOf(store: MemoryStore, { name, columns }: Table): () => void {
  const isNumbered = Object.values(columns).some(({ kind }) => kind === "serial")
  return isNumbered ? () => void nextNumber(store, name) : () => {}
}

function nextNumber(store: MemoryStore, tableName: string): number {
  const counters = store.table<number>("counters")
  const number = (counters.get(tableName) ?? 0) + 1
  counters.put(tableName, number)
  return number
}

/** Fills in defaults of a new row. Bytes are kept as base64, because rows are plain JSON. */
function newRowsOf<C extends Columns>(
  store: MemoryStore,
  { name, columns }: Table<C>,
  copied: Copy,
): (row: NewRow<C>) => Plain {
  const left = Object.entries(columns).filter(([, { isOptional, kind }]) => isOptional || kind === "bytes")
  return (row) => {
    const filled = copied(row)
    for (const [column, { kind, fallback }] of left) {
      if (kind === "serial") filled[column] = nextNumber(store, name)
      else if (kind === "bytes") {
        filled[column] = Encoding.encodeBase64(filled[column] as Uint8Array)
      } else filled[column] ??= fallback
    }
    return filled
  }
}

/** A row as it is read: without hidden columns, and with bytes as bytes. */
function shownOf({ columns }: Table): (row: Plain) => Plain {
  const all = Object.entries(columns)
  if (all.every(([, { isHidden, kind }]) => !isHidden && kind !== "bytes")) return (row) => row
  const visible = all.filter(([, { isHidden }]) => !isHidden)
  const copied = copyOf(visible.map(([name]) => name))
  const ofBytes = visible.filter(([, { kind }]) => kind === "bytes").map(([name]) => name)
  if (ofBytes.length === 0) return latest(copied)
  return (row) => {
    const shown = copied(row)
    for (const name of ofBytes) shown[name] = Either.getOrThrow(Encoding.decodeBase64(shown[name] as string))
    return shown
  }
}

/** Keeps the last result, because a transaction often reads one row several times. Neither row is ever changed. */
function latest(shown: Copy): Copy {
  let of: Plain | null = null
  let last: Record<string, unknown> = {}
  return (row) => {
    if (row === of) return last
    of = row
    last = shown(row)
    return last
  }
}

/** Makes a row of the same columns. */
type Copy = (row: Plain) => Record<string, unknown>

/** Copies some columns of a row, always in the same order, so that all rows of a table have one hidden class. */
function copyOf(names: readonly string[]): Copy {
  return (row) => {
    const copied: Record<string, unknown> = {}
    for (const name of names) copied[name] = row[name]
    return copied
  }
}

/** The same row if the change has only values that the row has already: machines project their columns at each turn. */
function changed(row: Plain, change: Plain, copied: Copy): Plain {
  let after: Record<string, unknown> | null = null
  for (const name in change) {
    const [old, given] = [row[name], change[name]]
    const isSum = typeof old === "number" && typeof given === "object" && given !== null
    const value = isSum ? old + (given as { readonly plus: number }).plus : given
    if (value === undefined || value === old) continue
    after ??= copied(row)
    after[name] = value
  }
  return after ?? row
}
