/** A table of orders: its rows as texts, whatever file it came from. */

import type { Column } from "../language/replay-table.ts"

export interface TableRow {
  /** The line in which it ends, or the number of the row where the file has no lines. */
  readonly line: number
  /** By column; empty texts where the row says nothing. */
  readonly cells: readonly string[]
}

export interface Table {
  readonly file: string
  /** How it was read: `CSV with ";" between cells`, `windows-1252`. */
  readonly form: readonly string[]
  readonly columns: readonly string[]
  readonly rows: readonly TableRow[]
  readonly unit: "line" | "row"
  readonly hasDecimalCommas: boolean
}

/** Why a file is no table: the rest of a sentence that begins with its name. */
export interface TableFault {
  readonly fault: string
}

/** The index of a column; null when the table has none of that name or number. */
export function columnAt({ columns }: Pick<Table, "columns">, column: Column): number | null {
  const at = typeof column === "number" ? column - 1 : columns.indexOf(column)
  return at >= 0 && at < columns.length ? at : null
}
