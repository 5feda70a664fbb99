/** The rows of a Parquet file, as texts. */

import { parquetMetadata, parquetReadObjects } from "hyparquet"
import { compressors } from "hyparquet-compressors"
import type { Table, TableFault } from "./table.ts"

/** Columns with other columns in them, and lists, are left out as JSON texts. */
export async function rowsOfParquet(
  bytes: Uint8Array,
): Promise<Pick<Table, "columns" | "form" | "rows" | "unit"> | TableFault> {
  // The bytes of a small file are a part of a buffer that other files are in too.
  const file = new Uint8Array(bytes).buffer
  try {
    const { schema } = parquetMetadata(file)
    const columns = schema.slice(1).map(({ name }) => name)
    // A timestamp that is adjusted to UTC is an instant; any other is a local time.
    const local = new Set(
      schema.flatMap(({ name, logical_type: type }) =>
        type?.type === "TIMESTAMP" && !type.isAdjustedToUTC ? [name] : [],
      ),
    )
    const read = await parquetReadObjects({ file, compressors })
    const rows = read.map((row, at) => ({
      line: at + 1,
      cells: columns.map((name) => cellOf(row[name], local.has(name))),
    }))
    return { columns, rows, form: ["Parquet"], unit: "row" }
  } catch (cause) {
    return {
      fault: `is no Parquet file that can be read: ${cause instanceof Error ? cause.message : String(cause)}`,
    }
  }
}

function cellOf(value: unknown, isLocal: boolean): string {
  if (value === null || value === undefined) return ""
  if (value instanceof Date) return isLocal ? value.toISOString().slice(0, -1) : value.toISOString()
  if (typeof value === "bigint" || typeof value === "number" || typeof value === "boolean")
    return String(value)
  return typeof value === "string"
    ? value.trim()
    : JSON.stringify(value, (_, one: unknown) => (typeof one === "bigint" ? String(one) : one))
}
