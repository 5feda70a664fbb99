/** Purges of rows by their age, as tables declare it. */

import type { EpochMs } from "../../model/time.ts"
import type { Columns } from "./columns.ts"
import { atMost } from "./conditions.ts"
import type { Where } from "./conditions.ts"
import type { Table, TableRetention } from "./table.ts"
import type { TableAccess, Writing } from "./tables.ts"

/** Deletes the oldest rows whose period has ended. */
export function purgeOf<C extends Columns, Key extends keyof C & string>(
  table: Table<C, Key>,
  rows: TableAccess<C, Key>,
): (order: { readonly beforeMs: EpochMs; readonly limit: number }) => Writing<number> {
  const { from, where } = retentionOf(table)
  return ({ beforeMs, limit }) =>
    rows.deleteFirst({ ...where, [from]: atMost(beforeMs) } as Where<C>, { order: [from], limit })
}

export function keepMsOf<C extends Columns, Key extends keyof C & string>(table: Table<C, Key>): number {
  return retentionOf(table).keepMs
}

function retentionOf<C extends Columns, Key extends keyof C & string>({
  name,
  retention,
}: Table<C, Key>): TableRetention<C> {
  if (retention === null) throw new Error(`the table ${name} declares no retention`)
  return retention
}
