/** Group rows: a row of an area whose key is the id of its group. A host over SQL reads both together. */

import type { Table } from "./tables/table.ts"

export interface GroupRow {
  /** First segment of the groups' addresses. */
  readonly kind: string
  readonly table: Table
  /** True when the row is read with the lock of its group, because only commands that have the lock change it; retention may blank its texts. */
  readonly isReadWithLock: boolean
}
