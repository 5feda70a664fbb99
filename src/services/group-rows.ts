/** Rows beside groups: a row of an area whose key is the id of its group. A host over SQL reads both together. */

import type { Table } from "./tables/table.ts"

export interface GroupRow {
  /** First segment of the groups' addresses. */
  readonly kind: string
  readonly table: Table
  /** True when the row is read with the lock of its group, because only transactions that have the lock change it. */
  readonly isReadWithLock: boolean
}
