/** The columns that a map of `replay` names, found in the table; a column that is missing is a fault with the names that are near. */

import { adviceFor } from "../../scenario/language/problems.ts"
import type { LogFault } from "../language/order-log.ts"
import type { Column } from "../language/replay-table.ts"
import { columnAt } from "./table.ts"
import type { Table } from "./table.ts"

/** Ends the reading of a log. */
export class MistakenLog extends Error {
  readonly fault: LogFault

  constructor(fault: LogFault) {
    super(fault.message)
    this.fault = fault
  }
}

/** Throws MistakenLog. */
export function columnOf(table: Table, column: Column, at: readonly string[]): number {
  const found = columnAt(table, column)
  if (found !== null) return found
  const { file, columns } = table
  if (typeof column === "number")
    throw new MistakenLog({ at, message: `${file} has ${columns.length} columns, and no ${column}` })
  throw new MistakenLog({
    at,
    message: `${file} has no column ${JSON.stringify(column)}`,
    ...adviceFor(column, columns),
  })
}
