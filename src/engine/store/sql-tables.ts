/**
 * Declared tables over SQL. Writes are buffered, like all writes of a transaction, except those that return what they
 * wrote; writes of rows that no other transaction can change are deferred.
 */

import { Effect, Layer } from "effect"
import type { Columns, Row } from "../services/tables/columns.ts"
import type { Where } from "../services/tables/conditions.ts"
import type { Table } from "../services/tables/table.ts"
import { portIn } from "../services/answering.ts"
import { Routine } from "../services/routine.ts"
import { SealedTables, Tables } from "../services/tables/tables.ts"
import type { ListOptions, TableAccess } from "../services/tables/tables.ts"
import { Database } from "./database.ts"
import { DeferredWrites } from "./deferred-writes.ts"
import { SecretBox, layerSecretBox } from "./secret-box.ts"
import { RowCache, isSum } from "./row-cache.ts"
import { filled, statementsOf } from "./table-statements.ts"
import type { Found, Statement, TableStatements, Values } from "./table-statements.ts"
import {
  Prefetched,
  SqlTransaction,
  openTransaction,
  flushNothing,
  sqlOver,
  writeDeferredOf,
} from "./transaction.ts"
import type { OpenTransaction, Sql } from "./transaction.ts"

export const layerTables: Layer.Layer<Tables, never, Database> = Layer.effect(
  Tables,
  Effect.map(Database, tablesOver),
)

/** A new layer at each call, because a layer is built once and areas have different keys. */
export function layerSealedTables(secretKey: string): Layer.Layer<SealedTables, never, Database> {
  return Layer.effect(
    SealedTables,
    Effect.map(Effect.all([Database, SecretBox]), ([database, box]) => sealedTablesOver(database, box)),
  ).pipe(Layer.provide(layerSecretBox(secretKey)))
}

export function sealedTablesOver(database: Database["Type"], box: SecretBox["Type"]): SealedTables["Type"] {
  return { of: (table) => accessTo(database, table, box) }
}

/** Opens the sealed columns of rows that a tuned statement has read. */
export function openedBy<C extends Columns, Key extends keyof C & string>(
  table: Table<C, Key>,
  box: SecretBox["Type"],
): (row: object) => Row<C> {
  const { opened } = codecOf(table, box)
  return (row) => opened(row as Values) as Row<C>
}

export function tablesOver(database: Database["Type"]): Tables["Type"] {
  return { of: (table) => accessTo(database, table, null) }
}

function accessTo<C extends Columns, Key extends keyof C & string>(
  database: Database["Type"],
  declared: Table<C, Key>,
  box: SecretBox["Type"] | null,
): TableAccess<C, Key> {
  const statements = statementsOf(database, declared)
  const cache = new RowCache(declared)
  const { name: table, one } = declared
  const parts: Parts = {
    sql: sqlOver(database, (open) => writeDeferredOf(open, table)),
    readByKey: sqlOver(database, flushNothing).readOnce,
    declared,
    statements,
    cache,
    deferred: new DeferredWrites({
      table,
      one,
      cache,
      insertion: (row) => statements.insert(row, "fail"),
      update: (key, change) => statements.update(key as Where<Columns>, change),
    }),
    codec: codecOf(declared, box),
  }
  return { ...readsOf<C, Key>(parts), ...writesOf<C, Key>(parts), ...deletesOf<C, Key>(parts) }
}

/** The common parts of one table's methods. */
interface Parts {
  readonly sql: Sql
  /** A row with a deferred write is known, and never read. */
  readonly readByKey: Sql["readOnce"]
  readonly declared: Table
  readonly statements: TableStatements
  readonly cache: RowCache
  readonly deferred: DeferredWrites
  readonly codec: ReturnType<typeof codecOf>
}

type Reads = "first" | "get" | "list"

function readsOf<C extends Columns, Key extends keyof C & string>({
  sql: { read, readOnce, writeReturning },
  readByKey,
  declared,
  statements,
  cache,
  codec,
}: Parts): Pick<TableAccess<C, Key>, Reads> {
  const { one, many } = declared
  const opened = codec.opened as (row: Values) => Row<C>
  const firstOpened = ([row]: Found): Row<C> | null => (row === undefined ? null : opened(row))
  const reading = (doing: string, { name, run }: Statement<Found>) =>
    declared.isReadOnce ? readOnce(cache.nameOfList(name()), doing, run) : read(doing, run)
  return {
    get: (key) =>
      Routine.flatMap(openPorts, ({ prefetched, open }) => {
        const known = prefetched === null ? undefined : prefetchedRow(prefetched, declared, key)
        if (known !== undefined) return Routine.succeed(known as Row<C> | null)
        const row = open?.known.get(cache.nameOf(key))
        if (row !== undefined) return Routine.succeed(cache.shown(opened(row)) as Row<C>)
        const query = statements.select(key as Where<Columns>, { order: "any" })
        return Routine.map(readByKey(cache.nameOf(key), `reading ${one}`, query.run), firstOpened)
      }),
    first: (where, order = []) =>
      Routine.suspend(() => {
        const query = statements.select(where, { order: order, limit: 1 })
        return Routine.map(reading(`reading ${one}`, query), firstOpened)
      }),
    list: (where, options) =>
      Routine.suspend(() => {
        const query = statements.select(where, options as ListOptions<Columns>)
        const rows =
          options.lock === undefined
            ? reading(`reading ${many}`, query)
            : writeReturning(`reading ${many}`, query.run)
        return Routine.map(rows, (all) => all.map(opened))
      }),
  }
}

function notingOf(one: string): (note: (open: OpenTransaction) => void) => Routine<void> {
  return (note) => Routine.map(openTransaction(`writing ${one}`), note)
}

function writesOf<C extends Columns, Key extends keyof C & string>({
  sql: { write, writeReturning },
  declared: { columns, key, one },
  statements,
  cache,
  deferred,
  codec,
}: Parts): Omit<TableAccess<C, Key>, Deletes | Reads> {
  const noting = notingOf(one)
  const insertingUnlessThere = <A>(given: object, inserting: (row: Values) => Routine<A>) =>
    Routine.suspend(() => {
      const row = codec.sealed(given as Values)
      const noted = noting((open) => cache.forgotten(open, row))
      return Routine.zipLeft(inserting(row), noted)
    })
  const isKeyNumbered = key.some((name) => columns[name]?.kind === "serial")
  return {
    insert: (given) =>
      Routine.flatMap(openTransaction(`inserting ${one}`), (open) => {
        const row = filled(columns, codec.sealed(given))
        if (isKeyNumbered) {
          cache.forgetLists(open)
          return write(`inserting ${one}`, statements.insert(row, "fail").run)
        }
        deferred.insert(open, row)
        return Routine.void
      }),
    insertOrIgnore: (given) =>
      insertingUnlessThere(given, (row) => write(`inserting ${one}`, statements.insert(row, "ignore").run)),
    insertIfAbsent: (given) =>
      insertingUnlessThere(given, (row) =>
        Routine.map(
          writeReturning(`inserting ${one}`, statements.insert(row, "report").run),
          ({ length }) => length > 0,
        ),
      ),
    upsert: (given) =>
      Routine.suspend(() => {
        const row = codec.sealed(given)
        const noted = noting((open) => cache.replaced(open, row))
        return Routine.zipRight(write(`putting ${one}`, statements.insert(row, "update").run), noted)
      }),
    update: (given, changes) =>
      Routine.flatMap(openTransaction(`changing ${one}`), (open) => {
        const where = given as Values
        const change = codec.sealed(changes)
        const isPlain = cache.isKey(where) && !Object.values(change).some(isSum)
        if (isPlain && deferred.update(open, where, change)) return Routine.void
        const query = statements.update(where as Where<Columns>, change)
        if (query === null) return Routine.void
        const noted = noting(() => cache.changed(open, where, change))
        return Routine.zipRight(write(`changing ${one}`, query.run), noted)
      }),
  }
}

type Deletes = "delete" | "deleteFirst"

function deletesOf<C extends Columns, Key extends keyof C & string>({
  sql: { write, writeReturning },
  declared: { one, many },
  statements,
  cache,
}: Parts): Pick<TableAccess<C, Key>, Deletes> {
  const noting = notingOf(one)
  return {
    delete: (where) =>
      Routine.suspend(() =>
        Routine.zipRight(
          write(`deleting ${one}`, statements.delete(where as Where<Columns>).run),
          noting((open) => cache.forgotten(open, where as Values)),
        ),
      ),
    deleteFirst: (where, { order, limit }) =>
      Routine.suspend(() =>
        Routine.zipLeft(
          Routine.map(
            writeReturning(`purging ${many}`, statements.deleteFirst(where, { order, limit }).run),
            ({ length }) => length,
          ),
          noting((open) => cache.forgotten(open, {})),
        ),
      ),
  }
}

/** What the open transaction or the view knows; null without one. */
const openPorts = Routine.answeredBy((at) => ({
  prefetched: portIn(at, Prefetched) ?? null,
  open: portIn(at, SqlTransaction) ?? null,
}))

function prefetchedRow(
  { rows }: Prefetched["Type"],
  { name, key }: Table,
  values: Values,
): object | null | undefined {
  const [column = ""] = key
  return key.length === 1 ? rows.get(name)?.get(String(values[column])) : undefined
}

/** Seals the values of sealed columns, and opens those of rows that were read. */
function codecOf(declared: Table, box: SecretBox["Type"] | null) {
  const columns = Object.entries(declared.columns).filter(([, { isSealed }]) => isSealed)
  if (columns.length === 0) return { sealed: (row: Values) => row, opened: (row: Values) => row }
  if (box === null) throw new Error(`the table ${declared.name} has sealed columns`)
  return {
    sealed: (row: Values): Values => {
      const after: Record<string, unknown> = { ...row }
      for (const [name, { kind }] of columns) {
        const value = after[name]
        if (value !== null && value !== undefined)
          after[name] = box.seal(kind === "json" ? JSON.stringify(value) : (value as string))
      }
      return after
    },
    // Opened when it is read: most readers of a row do not need its secret.
    opened: (row: Values): Values => {
      const after = { ...row }
      for (const [name, { kind }] of columns) {
        const value = row[name]
        if (value === null || value === undefined) continue
        Object.defineProperty(after, name, {
          enumerable: true,
          configurable: true,
          get: () => {
            const text = box.open(value as string)
            return kind === "json" ? (JSON.parse(text) as unknown) : text
          },
        })
      }
      return after
    },
  }
}
