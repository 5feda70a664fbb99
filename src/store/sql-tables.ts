/**
 * Declared tables over SQL. Each form of a statement is prepared once for each process: conditions of one form differ
 * only in their values. Writes are buffered, like all writes of a transaction, except those that return what they
 * wrote.
 */

import {
  and,
  asc,
  desc,
  eq,
  gt,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  ne,
  notInArray,
  or,
  sql,
} from "drizzle-orm"
import type { SQL } from "drizzle-orm"
import type { PgColumn, PgTable } from "drizzle-orm/pg-core"
import { Context, Effect, Layer, Option } from "effect"
import type { Column, Columns, Row } from "../services/tables/columns.ts"
import { isEither } from "../services/tables/conditions.ts"
import type { Comparison, Order, Where } from "../services/tables/conditions.ts"
import type { Table } from "../services/tables/table.ts"
import { SealedTables, Tables } from "../services/tables/tables.ts"
import type { ListOptions, TableAccess } from "../services/tables/tables.ts"
import { Database } from "./database.ts"
import type { Orm } from "./database.ts"
import { declaredTable, shownColumns, sqlNameOf } from "./declared-table.ts"
import { preparedQuery } from "./prepared-query.ts"
import type { PreparedQuery } from "./prepared-query.ts"
import { SecretBox, layerSecretBox } from "./secret-box.ts"
import { RowCache } from "./row-cache.ts"
import { Prefetched, sqlOver } from "./transaction.ts"

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

type Values = Readonly<Record<string, unknown>>
type Found = readonly Values[]
type Query = { readonly execute: () => PromiseLike<unknown> }

/** A statement with its values. `name` identifies it within its transaction. */
interface Statement<A> {
  readonly name: () => string
  readonly run: (orm: Orm) => PromiseLike<A>
}

/** A part of a statement: its form, its values by placeholder, and the SQL with placeholders. */
interface Part {
  readonly form: string
  readonly values: Values
  readonly sql: () => SQL | undefined
}

function accessTo<C extends Columns, Key extends keyof C & string>(
  database: Database["Type"],
  declared: Table<C, Key>,
  box: SecretBox["Type"] | null,
): TableAccess<C, Key> {
  const parts: Parts = {
    sql: sqlOver(database),
    declared,
    statements: new Statements(database, declared),
    cache: new RowCache(declared),
    codec: codecOf(declared, box),
  }
  return { ...readsOf<C, Key>(parts), ...writesOf<C, Key>(parts) }
}

/** The common parts of one table's methods. */
interface Parts {
  readonly sql: ReturnType<typeof sqlOver>
  readonly declared: Table
  readonly statements: Statements
  readonly cache: RowCache
  readonly codec: ReturnType<typeof codecOf>
}

type Reads = "first" | "get" | "list"

function readsOf<C extends Columns, Key extends keyof C & string>({
  sql: { read, readOnce, writeReturning },
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
      Effect.contextWithEffect((context: Context.Context<never>) => {
        const prefetched = Context.getOption(context, Prefetched)
        const known = Option.isSome(prefetched) ? prefetchedRow(prefetched.value, declared, key) : undefined
        if (known !== undefined) return Effect.succeed(known as Row<C> | null)
        const query = statements.select(key as Where<Columns>, { order: "any" })
        return Effect.map(readOnce(cache.nameOf(key), `reading ${one}`, query.run), firstOpened)
      }),
    first: (where, order = []) =>
      Effect.suspend(() => {
        const query = statements.select(where, { order: order, limit: 1 })
        return Effect.map(reading(`reading ${one}`, query), firstOpened)
      }),
    list: (where, options) =>
      Effect.suspend(() => {
        const query = statements.select(where, options as ListOptions<Columns>)
        const rows =
          options.lock === undefined
            ? reading(`reading ${many}`, query)
            : writeReturning(`reading ${many}`, query.run)
        return Effect.map(rows, (all) => all.map(opened))
      }),
  }
}

function writesOf<C extends Columns, Key extends keyof C & string>({
  sql: { write, writeReturning },
  declared: { one, many },
  statements,
  cache,
  codec,
}: Parts): Omit<TableAccess<C, Key>, Reads> {
  /** Inserts or replaces a row. */
  const replacing = (doing: string, given: object, whenThere: "fail" | "update") =>
    Effect.suspend(() => {
      const row = codec.sealed(given as Values)
      return Effect.zipRight(write(doing, statements.insert(row, whenThere).run), cache.replaced(row))
    })
  const insertingUnlessThere = <A>(given: object, inserting: (row: Values) => Effect.Effect<A>) =>
    Effect.suspend(() => {
      const row = codec.sealed(given as Values)
      return Effect.zipLeft(inserting(row), cache.forgotten(row))
    })
  return {
    insert: (row) => replacing(`inserting ${one}`, row, "fail"),
    insertOrIgnore: (given) =>
      insertingUnlessThere(given, (row) => write(`inserting ${one}`, statements.insert(row, "ignore").run)),
    insertIfAbsent: (given) =>
      insertingUnlessThere(given, (row) =>
        Effect.map(
          writeReturning(`inserting ${one}`, statements.insert(row, "say").run),
          ({ length }) => length > 0,
        ),
      ),
    upsert: (row) => replacing(`putting ${one}`, row, "update"),
    update: (where, given) =>
      Effect.suspend(() => {
        const change = codec.sealed(given)
        const query = statements.update(where, change)
        if (query === null) return Effect.void
        return Effect.zipRight(write(`changing ${one}`, query.run), cache.changed(where as Values, change))
      }),
    delete: (where) =>
      Effect.suspend(() =>
        Effect.zipRight(
          write(`deleting ${one}`, statements.delete(where as Where<Columns>).run),
          cache.forgotten(where as Values),
        ),
      ),
    deleteFirst: (where, { order, limit }) =>
      Effect.suspend(() =>
        Effect.map(
          writeReturning(`purging ${many}`, statements.deleteFirst(where, { order, limit }).run),
          ({ length }) => length,
        ).pipe(Effect.zipLeft(cache.forgotten({}))),
      ),
  }
}

function prefetchedRow(
  { rows }: Prefetched["Type"],
  { name, key }: Table,
  values: Values,
): object | null | undefined {
  const [column = ""] = key
  return key.length === 1 ? rows.get(name)?.get(String(values[column])) : undefined
}

/** What happens when the key of an insert exists already. */
type WhenThere = "fail" | "ignore" | "say" | "update"

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

/** The statements of one table, by their form. */
class Statements {
  readonly #database: Database["Type"]
  readonly #declared: Table
  readonly #table: PgTable
  readonly #columns: Record<string, PgColumn>
  readonly #shown: Record<string, PgColumn>
  readonly #byForm = new Map<string, (orm: Orm) => PreparedQuery<Query>>()

  constructor(database: Database["Type"], declared: Table) {
    this.#database = database
    this.#declared = declared
    const table = declaredTable(declared)
    this.#table = table
    this.#columns = table
    this.#shown = shownColumns(declared)
  }

  select(where: Where<Columns>, { order, limit, lock }: ListOptions<Columns>) {
    const condition = this.#condition(where)
    const terms = order === "any" ? [] : order
    const form = `select ${condition.form} ${JSON.stringify(terms)} ${limit === undefined ? "" : "limit"} ${lock ?? ""}`
    const values = limit === undefined ? condition.values : { ...condition.values, limit }
    return this.#prepared<Found>(form, values, (orm) => {
      const query = orm.select(this.#shown).from(this.#table).where(condition.sql()).$dynamic()
      if (terms.length > 0) query.orderBy(...terms.map((term) => this.#ordering(term)))
      if (limit !== undefined) query.limit(sql.placeholder("limit") as never)
      if (lock !== undefined) query.for("update", { skipLocked: true })
      return query.prepare(form)
    })
  }

  insert(row: Values, whenThere: WhenThere) {
    const values: Record<string, unknown> = { ...row }
    for (const [name, { kind, fallback }] of Object.entries(this.#declared.columns)) {
      if (kind !== "serial" && whenThere !== "update") values[name] ??= fallback ?? null
    }
    const names = Object.keys(values)
    const form = `insert ${names.join()} ${whenThere}`
    const { key } = this.#declared
    return this.#prepared<Found>(form, values, (orm) => {
      const places = Object.fromEntries(names.map((name) => [name, sql.placeholder(name)]))
      const query = orm.insert(this.#table).values(places as never)
      switch (whenThere) {
        case "fail":
          return query.prepare(form)
        case "ignore":
          return query.onConflictDoNothing().prepare(form)
        case "say":
          return query.onConflictDoNothing().returning(this.#keyColumns()).prepare(form)
        case "update": {
          const set = names
            .filter((name) => !key.includes(name))
            .map((name) => [name, sql`excluded.${sql.identifier(this.#sqlName(name))}`])
          return query
            .onConflictDoUpdate({
              target: Object.values(this.#keyColumns()),
              set: Object.fromEntries(set) as never,
            })
            .prepare(form)
        }
      }
    })
  }

  /** Null when the change is empty. */
  update(where: Where<Columns>, change: Values) {
    const condition = this.#condition(where)
    const set = Object.entries(change).filter(([, value]) => value !== undefined)
    const isSum = (name: string, value: unknown): value is { readonly plus: number } =>
      this.#declaration(name).kind !== "json" && typeof value === "object" && value !== null
    if (set.length === 0) return null
    const form = `update ${condition.form} ${set.map(([name, value]) => `${name}${isSum(name, value) ? "+" : ""}`).join()}`
    const values = Object.fromEntries(
      set.map(([name, value]) => [`set ${name}`, isSum(name, value) ? value.plus : value]),
    )
    return this.#prepared<unknown>(form, { ...condition.values, ...values }, (orm) => {
      const places = set.map(([name, value]) => {
        const place = sql.placeholder(`set ${name}`)
        return [name, isSum(name, value) ? sql`${this.#column(name)} + ${place}` : place]
      })
      return orm
        .update(this.#table)
        .set(Object.fromEntries(places) as never)
        .where(condition.sql())
        .prepare(form)
    })
  }

  delete(where: Where<Columns>) {
    const condition = this.#condition(where)
    const form = `delete ${condition.form}`
    return this.#prepared<unknown>(form, condition.values, (orm) =>
      orm.delete(this.#table).where(condition.sql()).prepare(form),
    )
  }

  /** Rows that a concurrent transaction changes so that they no longer match stay. */
  deleteFirst(
    where: Where<Columns>,
    { order, limit }: { readonly order: Order<Columns>; readonly limit: number },
  ) {
    const condition = this.#condition(where)
    const form = `delete first ${condition.form} ${JSON.stringify(order)}`
    return this.#prepared<Found>(form, { ...condition.values, limit }, (orm) => {
      const keys = this.#keyColumns()
      const first = orm
        .select(keys)
        .from(this.#table)
        .where(condition.sql())
        .orderBy(...order.map((term) => this.#ordering(term)))
        .limit(sql.placeholder("limit"))
      const names = Object.values(keys)
      const isOne = names.length === 1 ? sql`${names[0]}` : sql`(${sql.join(names, sql`, `)})`
      return orm
        .delete(this.#table)
        .where(and(sql`${isOne} in ${first}`, condition.sql()))
        .returning(keys)
        .prepare(form)
    })
  }

  #prepared<A>(form: string, values: Values, build: (orm: Orm) => Query): Statement<A> {
    let query = this.#byForm.get(form)
    if (query === undefined) {
      query = preparedQuery(this.#database, build)
      this.#byForm.set(form, query)
    }
    const prepared = query
    return {
      name: () => `${this.#declared.name} ${form} ${JSON.stringify(values)}`,
      run: (orm) => prepared(orm).execute(values) as PromiseLike<A>,
    }
  }

  #ordering(term: Order<Columns>[number]): SQL {
    const name = typeof term === "string" ? term : term.descending
    const column = this.#column(name)
    const { kind } = this.#declaration(name)
    // In code point order, not in that of the database's locale.
    const value = kind === "text" || kind === "choice" ? sql`${column} collate "C"` : column
    return typeof term === "string" ? asc(value) : desc(value)
  }

  #condition(where: Where<Columns>): Part {
    const values: Record<string, unknown> = {}
    const place = (value: unknown): SQL => {
      const name = `w${Object.keys(values).length}`
      values[name] = value
      return sql`${sql.placeholder(name)}`
    }
    const all = (tests: Values): Part => {
      const parts = Object.entries(tests).flatMap(([name, given]) =>
        (Array.isArray(given) ? (given as readonly unknown[]) : [given]).flatMap((test) =>
          test === undefined ? [] : [this.#test(name, test, place)],
        ),
      )
      return {
        form: parts.map(({ form }) => form).join(" "),
        values,
        sql: () => and(...parts.map((part) => part.sql())),
      }
    }
    if (!isEither(where)) return all(where)
    const branches = where.either.map((tests) => all(tests as Values))
    return {
      form: `either ${branches.map(({ form }) => form).join(" or ")}`,
      values,
      sql: () => or(sql`false`, ...branches.map((branch) => branch.sql())),
    }
  }

  #test(name: string, test: unknown, place: (value: unknown) => SQL): Omit<Part, "values"> {
    const column = this.#column(name)
    const { kind } = this.#declaration(name)
    const isWritten = kind === "choice" || kind === "boolean"
    const value = (one: unknown): { readonly form: string; readonly sql: SQL } =>
      isWritten ? { form: String(one), sql: written(one) } : { form: "?", sql: place(one) }
    if (test === null) return { form: `${name} null`, sql: () => isNull(column) }
    if (typeof test === "boolean")
      return { form: `${name} ${test}`, sql: () => (test ? sql`${column}` : sql`not ${column}`) }
    if (typeof test !== "object") {
      const is = value(test)
      return { form: `${name}=${is.form}`, sql: () => eq(column, is.sql) }
    }
    const comparison = test as Comparison<unknown>
    if (comparison.op === "notNull") return { form: `${name} given`, sql: () => isNotNull(column) }
    if (comparison.op === "among" || comparison.op === "oneOf" || comparison.op === "noneOf") {
      const isOneOf = comparison.op !== "noneOf"
      const values = [...comparison.values]
      if (isWritten && comparison.op !== "among") {
        const words = values.map(written)
        return {
          form: `${name} ${comparison.op} ${values.join()}`,
          sql: () => (isOneOf ? inArray(column, words) : notInArray(column, words)),
        }
      }
      const places = place(values)
      const type = sql.raw(`${column.getSQLType()}[]`)
      return {
        form: `${name} ${comparison.op}`,
        sql: () =>
          isOneOf ? sql`${column} = any(${places}::${type})` : sql`${column} <> all(${places}::${type})`,
      }
    }
    const compared = COMPARED[comparison.op]
    const than = value(comparison.value)
    return { form: `${name} ${comparison.op} ${than.form}`, sql: () => compared(column, than.sql) }
  }

  #keyColumns(): Record<string, PgColumn> {
    return Object.fromEntries(this.#declared.key.map((name) => [name, this.#column(name)]))
  }

  #column(name: string): PgColumn {
    const column = this.#columns[name]
    if (column === undefined) throw new Error(`the table ${this.#declared.name} has no column ${name}`)
    return column
  }

  #declaration(name: string): Column {
    const column = this.#declared.columns[name]
    if (column === undefined) throw new Error(`the table ${this.#declared.name} has no column ${name}`)
    return column
  }

  #sqlName(name: string): string {
    return sqlNameOf(name, this.#declaration(name))
  }
}

const COMPARED = { above: gt, atLeast: gte, atMost: lte, below: lt, not: ne }

/** Writes a word as a literal. */
function written(value: unknown): SQL {
  const word = String(value)
  if (!/^[\w.-]+$/.test(word)) throw new Error(`not a word: ${word}`)
  return sql.raw(`'${word}'`)
}
