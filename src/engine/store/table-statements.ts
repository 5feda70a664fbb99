/**
 * The statements of declared tables. Each form of a statement is prepared once for each process: conditions of one form
 * differ only in their values.
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
import type { Column, Columns } from "../services/tables/columns.ts"
import { isEither } from "../services/tables/conditions.ts"
import type { Comparison, Order, Where } from "../services/tables/conditions.ts"
import type { Table } from "../services/tables/table.ts"
import type { ListOptions } from "../services/tables/tables.ts"
import type { Database, Orm } from "./database.ts"
import { declaredTable, shownColumns, sqlNameOf } from "./declared-table.ts"
import { oncePerDatabase, preparedQuery } from "./prepared-query.ts"
import type { PreparedQuery } from "./prepared-query.ts"

export type Values = Readonly<Record<string, unknown>>
export type Found = readonly Values[]
type Query = { readonly execute: () => PromiseLike<unknown> }

/** A statement with its values. `name` identifies it within its transaction. */
export interface Statement<A> {
  readonly name: () => string
  readonly run: (orm: Orm) => PromiseLike<A>
}

/** A part of a statement: its form, its values by placeholder, and the SQL with placeholders. */
interface Part {
  readonly form: string
  readonly values: Values
  readonly sql: () => SQL | undefined
}

/** What happens when the key of an insert exists already. */
type WhenThere = "fail" | "ignore" | "report" | "update"

/** A new row with the defaults of the columns that it leaves out. */
export function filled(columns: Columns, row: Values): Values {
  const values: Record<string, unknown> = { ...row }
  for (const [name, { kind, fallback }] of Object.entries(columns)) {
    if (kind !== "serial") values[name] ??= fallback ?? null
  }
  return values
}

const byTable = oncePerDatabase(() => new Map<Table, TableStatements>())

/** The statements of a table of the database. */
export function statementsOf(database: Database["Type"], declared: Table): TableStatements {
  const tables = byTable(database)
  const known = tables.get(declared)
  if (known !== undefined) return known
  const statements = new TableStatements(database, declared)
  tables.set(declared, statements)
  return statements
}

/** The statements of one table, by their form. */
export class TableStatements {
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
    const values = whenThere === "update" ? row : filled(this.#declared.columns, row)
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
        case "report":
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
    // In one order, so that changes of the same columns have one form.
    const set = Object.entries(change)
      .filter(([, value]) => value !== undefined)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
    const adds = (name: string, value: unknown): value is { readonly plus: number } =>
      this.#declaration(name).kind !== "json" && typeof value === "object" && value !== null
    if (set.length === 0) return null
    const form = `update ${condition.form} ${set.map(([name, value]) => `${name}${adds(name, value) ? "+" : ""}`).join()}`
    const values = Object.fromEntries(
      set.map(([name, value]) => [`set ${name}`, adds(name, value) ? value.plus : value]),
    )
    return this.#prepared<unknown>(form, { ...condition.values, ...values }, (orm) => {
      const places = set.map(([name, value]) => {
        const place = sql.placeholder(`set ${name}`)
        return [name, adds(name, value) ? sql`${this.#column(name)} + ${place}` : place]
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
    if (comparison.op === "contains") {
      const part = place(comparison.text)
      return {
        form: `${name} contains`,
        sql: () => sql`strpos(lower(${column} collate "C"), lower(${part}::text collate "C")) > 0`,
      }
    }
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
