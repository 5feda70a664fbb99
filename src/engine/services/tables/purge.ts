/** Purges of rows by their age, as tables declare it. */

import type { EpochMs } from "../../../model/values/time.ts"
import type { Columns } from "./columns.ts"
import { atMost } from "./conditions.ts"
import type { Where } from "./conditions.ts"
import type { Table, TableRetention } from "./table.ts"
import type { TableAccess, Writing } from "./tables.ts"
import { Routine } from "../routine.ts"

/** Deletes the oldest rows whose period has ended. */
export function purgeOf<C extends Columns, Key extends keyof C & string>(
  table: Table<C, Key>,
  rows: TableAccess<C, Key>,
): (order: Order) => Writing<number> {
  const { from, realFrom, where } = retentionOf(table)
  const purge = (column: keyof C & string, { beforeMs, limit }: Order, more: object): Writing<number> =>
    rows.deleteFirst({ ...where, ...more, [column]: atMost(beforeMs) } as Where<C>, {
      order: [column],
      limit,
    })
  if (realFrom === undefined) return (order) => purge(from, order, {})
  return Routine.fn(function* (order) {
    const usual = yield* purge(from, order, { [realFrom]: null })
    const limit = order.limit - usual
    return limit <= 0 ? usual : usual + (yield* purge(realFrom, { ...order, limit }, {}))
  })
}

interface Order {
  readonly beforeMs: EpochMs
  readonly limit: number
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
