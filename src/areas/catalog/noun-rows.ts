/** Rows of a noun: its table, and how services read and write it, one environment at a time. */

import type { Environment } from "../../model/caller.ts"
import { camel } from "../../model/nouns/noun.ts"
import type { Camel, FieldKind, Noun, RowOf } from "../../model/nouns/noun.ts"
import type { Transaction } from "../../engine/services/host.ts"
import type { Routine } from "../../engine/services/routine.ts"
import { boolean, choice, double, text } from "../../engine/services/tables/columns.ts"
import type { ColumnBuilder } from "../../engine/services/tables/columns.ts"
import { table } from "../../engine/services/tables/table.ts"
import type { Index, Table } from "../../engine/services/tables/table.ts"
import type { Tables } from "../../engine/services/tables/tables.ts"

/** Any other kind is text. */
const COLUMNS: Partial<Readonly<Record<FieldKind, () => ColumnBuilder<boolean> | ColumnBuilder<number>>>> = {
  flag: boolean,
  latitude: double,
  longitude: double,
}

type NounColumns<N extends Noun> = {
  readonly environment: ReturnType<ReturnType<typeof choice<Environment>>["hidden"]>
} & { readonly [Name in keyof RowOf<N> & string]: ColumnBuilder<RowOf<N>[Name]> }

type NounTable<N extends Noun> = Table<
  NounColumns<N>,
  (Camel<N["id"]> | "environment") & keyof NounColumns<N> & string
>

/** Its key is the environment with the id. */
export function nounTable<N extends Noun>(
  name: string,
  declared: N,
  indexes: readonly Index<NounColumns<N>>[] = [],
): NounTable<N> {
  const fields = Object.entries(declared.fields).map(([field, { is, isNullable = false }]) => {
    const column = (COLUMNS[is] ?? text)()
    return [camel(field), isNullable ? column.nullable() : column]
  })
  // The types of the columns follow from the noun.
  const columns = {
    environment: choice<Environment>().hidden(),
    [camel(declared.id)]: text(),
    ...Object.fromEntries(fields),
  } as unknown as NounColumns<N>
  const key = ["environment", camel(declared.id)] as NounTable<N>["key"]
  return table(name, { one: `a ${declared.one}`, many: declared.many, columns, key, indexes })
}

/** Rows with an id, unique in their environment. */
export interface NounRows<Row> {
  /** By id. */
  readonly all: (environment: Environment) => Routine<readonly Row[]>
  readonly get: (environment: Environment, id: string) => Routine<Row | null>
  readonly insert: (environment: Environment, row: Row) => Routine<void, never, Transaction>
  readonly change: (
    environment: Environment,
    id: string,
    change: Partial<Row>,
  ) => Routine<void, never, Transaction>
}

/** What is used here of a table, whose types are those of the noun. */
interface AnyRows<Row> {
  readonly get: (key: object) => Routine<Row | null>
  readonly list: (where: object, options: { readonly order: readonly string[] }) => Routine<readonly Row[]>
  readonly insert: (row: object) => Routine<void, never, Transaction>
  readonly update: (where: object, change: object) => Routine<void, never, Transaction>
}

export function nounRows<N extends Noun>(
  tables: Tables["Type"],
  stored: NounTable<N>,
  declared: N,
): NounRows<RowOf<N>> {
  const rows = tables.of(stored) as unknown as AnyRows<RowOf<N>>
  const id = camel(declared.id)
  return {
    all: (environment) => rows.list({ environment }, { order: [id] }),
    get: (environment, value) => rows.get({ environment, [id]: value }),
    insert: (environment, row) => rows.insert({ environment, ...row }),
    change: (environment, value, change) => rows.update({ environment, [id]: value }, change),
  }
}
