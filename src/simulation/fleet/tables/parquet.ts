/** The rows of a Parquet file, as texts. */

import { parquetMetadata, parquetReadObjects } from "hyparquet"
import type { SchemaElement } from "hyparquet"
import { compressors } from "hyparquet-compressors"
import { DAY_MS } from "../../../model/values/time.ts"
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
    const kinds = new Map(schema.map((element) => [element.name, kindOf(element)]))
    const read = await parquetReadObjects({ file, compressors })
    const rows = read.map((row, at) => ({
      line: at + 1,
      cells: columns.map((name) => cellOf(row[name], kinds.get(name) ?? "other")),
    }))
    return { columns, rows, form: ["Parquet"], unit: "row" }
  } catch (cause) {
    return {
      fault: `is no Parquet file that can be read: ${cause instanceof Error ? cause.message : String(cause)}`,
    }
  }
}

type Kind = "date" | "local" | "other"

/** A date has no zone, and a timestamp only when it is adjusted to UTC. */
function kindOf({ converted_type: converted, logical_type: logical }: SchemaElement): Kind {
  if (converted === "DATE" || logical?.type === "DATE") return "date"
  return logical?.type === "TIMESTAMP" && !logical.isAdjustedToUTC ? "local" : "other"
}

function cellOf(value: unknown, kind: Kind): string {
  if (value === null || value === undefined) return ""
  // Of a date that is only logical the days since 1970 are read.
  if (kind === "date" && typeof value === "number") return cellOf(new Date(value * DAY_MS), kind)
  if (value instanceof Date) {
    const text = value.toISOString()
    return kind === "date" ? text.slice(0, 10) : kind === "local" ? text.slice(0, -1) : text
  }
  if (typeof value === "bigint" || typeof value === "number" || typeof value === "boolean")
    return String(value)
  return typeof value === "string"
    ? value.trim()
    : JSON.stringify(value, (_, one: unknown) => (typeof one === "bigint" ? String(one) : one))
}
