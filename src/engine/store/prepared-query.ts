/**
 * Prepared queries: drizzle builds the text of each once for each process, at its first run. Later runs, in any
 * transaction, only fill in the values.
 */

import { Param, Placeholder, getTableColumns, is, sql } from "drizzle-orm"
import type { DriverValueEncoder, InferInsertModel } from "drizzle-orm"
import type { PgTable } from "drizzle-orm/pg-core"
import { paramsOf, reboundTo, runText } from "../library-internals/drizzle.ts"
import type { Database, Orm } from "./database.ts"

/** The result of drizzle's `prepare`. */
interface Prepared {
  readonly execute: (values?: Record<string, unknown>) => PromiseLike<unknown>
}

export interface PreparedQuery<Query extends Prepared> {
  readonly execute: (values: Record<string, unknown>) => ReturnType<Query["execute"]>
}

/**
 * A query with named placeholders, such as `sql.placeholder("id")`. A placeholder with null is null in the database
 * too.
 */
export function preparedQuery<Query extends Prepared>(
  database: Database["Type"],
  build: (orm: Orm) => Query,
): (orm: Orm) => PreparedQuery<Query> {
  let kept: { readonly query: Query; readonly places: readonly Place[] } | null = null
  return (orm) => {
    kept ??= taken(build(database.orm))
    const { query, places } = kept
    return {
      execute: (values) => {
        const params = places.map((place) => filled(place, values))
        return reboundTo(query, orm, params).execute() as ReturnType<Query["execute"]>
      },
    }
  }
}

/**
 * Makes a value at its first use with a database, and keeps it with the database. Services of one process share what they prepare:
 * drizzle takes longer to build a text than the embedded database takes to run it.
 */
export function oncePerDatabase<A>(
  make: (database: Database["Type"]) => A,
): (database: Database["Type"]) => A {
  const made = new WeakMap<Database["Type"], A>()
  return (database) => {
    const known = made.get(database)
    if (known !== undefined) return known
    const one = make(database)
    made.set(database, one)
    return one
  }
}

/** A parameter: a constant, or a name and the encoding of its value. */
interface Place {
  readonly name: string | null
  readonly value: unknown
  readonly encoder: DriverValueEncoder<unknown, unknown> | null
}

function taken<Query extends Prepared>(query: Query) {
  return { query, places: paramsOf(query).map(placeOf) }
}

function placeOf(param: unknown): Place {
  if (is(param, Placeholder)) return { name: param.name, value: null, encoder: null }
  if (is(param, Param) && is(param.value, Placeholder)) {
    return { name: param.value.name, value: null, encoder: param.encoder }
  }
  return { name: null, value: param, encoder: null }
}

function filled({ name, value, encoder }: Place, values: Record<string, unknown>): unknown {
  if (name === null) return value
  const given = values[name]
  if (given === undefined) throw new Error(`the query's place ${name} was given nothing`)
  return given === null || encoder === null ? given : encoder.mapToDriverValue(given)
}

/** A placeholder for every column of the table except those that the database fills in. */
export function placesOf<Table extends PgTable>(
  table: Table,
  ...besides: readonly (keyof InferInsertModel<Table>)[]
): InferInsertModel<Table> {
  const names = Object.keys(getTableColumns(table)).filter((name) => !besides.includes(name as never))
  return Object.fromEntries(names.map((name) => [name, sql.placeholder(name)])) as never
}

/** Runs a given statement, and returns its rows. Lists are passed as JSON. */
export async function ask(
  orm: Orm,
  text: string,
  params: readonly (string | number | boolean | null | readonly object[])[],
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const plain = params.map((param) => (Array.isArray(param) ? JSON.stringify(param) : param))
  const found = await runText(orm, text, plain)
  // The embedded database returns its rows inside an object.
  const { rows = found } = found as { readonly rows?: unknown }
  return rows as readonly Readonly<Record<string, unknown>>[]
}
