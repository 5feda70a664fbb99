/** Reads a table from the bytes of a file. Its form is recognised from the bytes, not from the name, and said. */

import { parse } from "csv-parse/sync"
import { TABLE_BYTES_MAX, TABLE_COLUMNS_MAX } from "../../../model/values/limits.ts"
import { listed } from "../../../model/values/listed.ts"
import { decoded } from "./encoding.ts"
import { rowsOfParquet } from "./parquet.ts"
import type { Table, TableFault, TableRow } from "./table.ts"

/** What a file holds, before it is a table. */
type Found = Pick<Table, "columns" | "form" | "rows" | "unit">

/** Memory: the texts of all cells. */
export async function readTable(file: string, bytes: Uint8Array): Promise<Table | TableFault> {
  if (bytes.byteLength > TABLE_BYTES_MAX)
    return { fault: `has ${bytes.byteLength} bytes, more than ${TABLE_BYTES_MAX}` }
  const found = isParquet(bytes) ? await rowsOfParquet(bytes) : textTable(bytes)
  if ("fault" in found) return found
  if (found.columns.length > TABLE_COLUMNS_MAX)
    return { fault: `has ${found.columns.length} columns, more than ${TABLE_COLUMNS_MAX}` }
  if (found.rows.length === 0) return { fault: "has no rows" }
  const hasDecimalCommas = decimalCommas(found)
  const { rows, blanks } = withoutBlanks(found.rows)
  const form = [
    ...found.form,
    ...(hasDecimalCommas ? ["decimal commas"] : []),
    ...(blanks.length === 0
      ? []
      : [`${listed(blanks.map((cell) => JSON.stringify(cell)))} for an empty cell`]),
  ]
  return { file, ...found, rows, form, hasDecimalCommas }
}

/** What programs write where they know nothing. */
const BLANKS: ReadonlySet<string> = new Set([
  "NA",
  "N/A",
  "NaN",
  "nan",
  "NULL",
  "null",
  "None",
  String.raw`\N`,
])

function withoutBlanks(rows: readonly TableRow[]): { rows: readonly TableRow[]; blanks: readonly string[] } {
  const found = new Set<string>()
  const emptied = rows.map((row) => {
    const blanks = row.cells.filter((cell) => BLANKS.has(cell))
    for (const cell of blanks) found.add(cell)
    return blanks.length === 0
      ? row
      : { ...row, cells: row.cells.map((cell) => (BLANKS.has(cell) ? "" : cell)) }
  })
  return { rows: emptied, blanks: [...found].toSorted() }
}

function isParquet(bytes: Uint8Array): boolean {
  return String.fromCharCode(...bytes.subarray(0, 4)) === "PAR1"
}

function textTable(bytes: Uint8Array): Found | TableFault {
  const { text, encoding } = decoded(bytes)
  const first = text.trimStart().charAt(0)
  const found = first === "[" ? rowsOfArray(text) : first === "{" ? rowsOfLines(text) : rowsOfText(text)
  return "fault" in found ? found : { ...found, form: [...found.form, encoding] }
}

/* Text with separators. */

const SEPARATORS = [
  { is: ",", says: `CSV with "," between cells` },
  { is: ";", says: `CSV with ";" between cells` },
  { is: "\t", says: "TSV, a tab between cells" },
  { is: "|", says: `CSV with "|" between cells` },
] as const

/** Lines that a separator is recognised from. */
const LOOKED_AT = 50

function rowsOfText(text: string): Found | TableFault {
  const separator = separatorOf(text)
  let read: readonly TableRow[]
  try {
    read = rowsBetween(text, separator.is)
  } catch (cause) {
    return { fault: `is no table: ${cause instanceof Error ? cause.message : String(cause)}` }
  }
  const [head, ...rest] = read
  if (head === undefined) return { fault: "has no rows" }
  const hasNames = !head.cells.some((cell) => /^[-+]?\d+([.,:/ T-]\d*)*Z?$/.test(cell))
  return {
    columns: hasNames ? head.cells : head.cells.map((_, at) => String(at + 1)),
    rows: hasNames ? rest : read,
    form: [separator.says, ...(hasNames ? [] : ["no names of columns"])],
    unit: "line",
  }
}

/** Throws what csv-parse throws, such as for a quote that is not closed. */
function rowsBetween(text: string, separator: string, upTo?: number): readonly TableRow[] {
  const read = parse(text, {
    delimiter: separator,
    info: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    trim: true,
    ...(upTo === undefined ? {} : { to: upTo }),
  }) as unknown as readonly {
    readonly record: readonly string[]
    readonly info: { readonly lines: number }
  }[]
  return read.map(({ record, info }) => ({ line: info.lines, cells: record }))
}

/** The one that cuts the first rows into the same number of cells, and into the most. */
function separatorOf(text: string): (typeof SEPARATORS)[number] {
  const counts = SEPARATORS.map((one) => {
    try {
      const widths = rowsBetween(text, one.is, LOOKED_AT).map(({ cells }) => cells.length)
      const [first = 0] = widths
      const alike = widths.filter((width) => width === first).length / Math.max(1, widths.length)
      return { one, score: first > 1 ? alike * 1_000 + first : 0 }
    } catch {
      return { one, score: 0 }
    }
  })
  return counts.reduce((best, next) => (next.score > best.score ? next : best)).one
}

/* JSON. */

function rowsOfArray(text: string): Found | TableFault {
  let read: unknown
  try {
    read = JSON.parse(text)
  } catch (cause) {
    return { fault: `is no JSON: ${cause instanceof Error ? cause.message : String(cause)}` }
  }
  const values = read as readonly unknown[]
  return tableOf(
    values.map((value, at) => ({ value, line: at + 1 })),
    { form: "a JSON array", unit: "row" },
  )
}

function rowsOfLines(text: string): Found | TableFault {
  const values: { readonly value: unknown; readonly line: number }[] = []
  for (const [at, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue
    try {
      values.push({ value: JSON.parse(line), line: at + 1 })
    } catch {
      return { fault: `is no NDJSON: line ${at + 1} is no JSON` }
    }
  }
  return tableOf(values, { form: "NDJSON", unit: "line" })
}

function tableOf(
  values: readonly { readonly value: unknown; readonly line: number }[],
  { form, unit }: { readonly form: string; readonly unit: Table["unit"] },
): Found | TableFault {
  const numbers = new Map<string, number>()
  const flat = values.map(({ value, line }) => ({ line, pairs: pairsOf(value) }))
  const wrong = flat.find(({ pairs }) => pairs === null)
  if (wrong !== undefined) return { fault: `is no table: ${unit} ${wrong.line} is no object` }
  for (const { pairs } of flat)
    for (const [name] of pairs ?? []) if (!numbers.has(name)) numbers.set(name, numbers.size)
  const columns = [...numbers.keys()]
  const rows = flat.map(({ pairs, line }) => {
    const cells = columns.map(() => "")
    for (const [name, cell] of pairs ?? []) cells[numbers.get(name) ?? 0] = cell
    return { line, cells }
  })
  return { columns, rows, form: [form], unit }
}

/** The fields of an object as texts; those of an object in it as `pickup.lat`. Null for what is no object. */
function pairsOf(value: unknown, before = ""): readonly (readonly [name: string, cell: string])[] | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null
  return Object.entries(value).flatMap(([key, field]: [string, unknown]) => {
    const name = before + key
    return pairsOf(field, `${name}.`) ?? [[name, cellOf(field)] as const]
  })
}

function cellOf(field: unknown): string {
  if (field === null || field === undefined) return ""
  return typeof field === "string" ? field.trim() : JSON.stringify(field)
}

/* Numbers. */

/** True when some cells have a decimal comma, and none a decimal point, in a table whose cells a comma does not separate. */
function decimalCommas({ rows, form }: Pick<Table, "form" | "rows">): boolean {
  if (form.some((says) => says === SEPARATORS[0].says)) return false
  const cells = rows.slice(0, 1_000).flatMap((row) => row.cells)
  return (
    cells.some((cell) => /^[-+]?(\d+|\d{1,3}(\.\d{3})+),\d+$/.test(cell)) &&
    !cells.some((cell) => /^[-+]?\d+\.(\d{1,2}|\d{4,})$/.test(cell))
  )
}
