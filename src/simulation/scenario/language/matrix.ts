/** A matrix: a table of values; the scenario runs once for each row. */

import { MATRIX_ROWS_MAX } from "../../../model/values/limits.ts"
import { asList, asMap, asText } from "./keys.ts"
import { nearest, shown } from "./problems.ts"
import type { Report, Span } from "./problems.ts"
import type { Written, WrittenEntry, WrittenMap } from "./source.ts"

export interface MatrixRow {
  /** Null for the only row of a scenario without a matrix. */
  readonly name: string | null
  readonly cells: ReadonlyMap<string, WrittenEntry>
}

const COLUMN_PATTERN = /^[a-z][a-z0-9_]*$/
/** `$name`, which stands for a value. */
export const VARIABLE_PATTERN = /^\$([A-Za-z][A-Za-z0-9_]*)$/
const ROW_WORDS = "rows such as { name: short wait, wait: 5m }"

/** The rows; one without a name when there is no matrix. */
export function readMatrix(value: Written | undefined, report: Report): readonly MatrixRow[] {
  const alone: readonly MatrixRow[] = [{ name: null, cells: new Map() }]
  if (value === undefined) return alone
  const list = asList(value, ROW_WORDS, report)
  if (list === null) return alone
  if (list.items.length === 0 || list.items.length > MATRIX_ROWS_MAX) {
    report(list.span, `a matrix of ${list.items.length} rows`, { expected: `1 to ${MATRIX_ROWS_MAX} rows` })
    return alone
  }
  const names = new Map<string, number>()
  const rows = list.items.flatMap((item) => {
    const map = asMap(item, ROW_WORDS, report)
    return map === null ? [] : [readRow(map, names, report)]
  })
  const [first] = rows
  if (first === undefined) return alone
  refuseGaps(rows, list.items, report)
  return rows
}

/** What the substitution of rows has found so far. */
export interface Filling {
  readonly report: Report
  /** Columns of any row. */
  readonly columns: ReadonlySet<string>
  /** Columns that some step uses. */
  readonly used: Set<string>
  /** Places of unknown `$key`s: they have been reported, so readers of the value report nothing more. */
  readonly unresolved: Set<Span>
}

/** The value with the row's cells instead of `$key`. */
export function withRow(value: Written, row: MatrixRow, filling: Filling): Written {
  if (value.type === "list") {
    return { ...value, items: value.items.map((item) => withRow(item, row, filling)) }
  }
  if (value.type === "map") {
    const entries = value.entries.map((entry) => ({ ...entry, value: withRow(entry.value, row, filling) }))
    return { ...value, entries }
  }
  const key = typeof value.value === "string" ? VARIABLE_PATTERN.exec(value.value)?.[1] : undefined
  if (key === undefined) return value
  filling.used.add(key)
  const cell = row.cells.get(key)
  if (cell !== undefined) return cell.value
  filling.unresolved.add(value.span)
  const absent: Written = { type: "scalar", value: null, text: "", span: value.span }
  // The row that lacks this column has been reported already.
  if (filling.columns.has(key)) return absent
  const columns = [...filling.columns]
  const suggestion = nearest(key, columns)
  filling.report(value.span, `the matrix has no "$${key}"`, {
    expected:
      columns.length === 0
        ? "a value; there is no matrix"
        : `one of ${shown(columns.map((word) => `$${word}`))}`,
    ...(suggestion === undefined ? {} : { suggestion: `$${suggestion}` }),
  })
  return absent
}

export function columnsOf(rows: readonly MatrixRow[]): ReadonlySet<string> {
  return new Set(rows.flatMap((row) => [...row.cells.keys()]))
}

/** Reports columns that no step uses. */
export function refuseUnused(rows: readonly MatrixRow[], used: ReadonlySet<string>, report: Report): void {
  for (const entry of rows[0]?.cells.values() ?? []) {
    if (!used.has(entry.key)) {
      report(entry.keySpan, `no step uses "$${entry.key}"`, {
        help: "use it under given or steps, or remove it",
      })
    }
  }
}

function readRow(map: WrittenMap, names: Map<string, number>, report: Report): MatrixRow {
  const nameEntry = map.entries.find((entry) => entry.key === "name")
  const cells = new Map<string, WrittenEntry>()
  for (const entry of map.entries) {
    if (entry.key === "name") continue
    cells.set(entry.key, entry)
    if (!COLUMN_PATTERN.test(entry.key)) {
      report(entry.keySpan, `${JSON.stringify(entry.key)} cannot be a column`, {
        expected: "small letters, digits and _, such as wait",
      })
    }
  }
  if (nameEntry === undefined) {
    report(map.span, "a row without a name", { expected: ROW_WORDS })
    return { name: "", cells }
  }
  const name = asText(nameEntry.value, "the row's name", report) ?? ""
  const line = names.get(name)
  if (line !== undefined) {
    report(nameEntry.value.span, `a row is named ${JSON.stringify(name)} already`, {
      help: `see line ${line}`,
    })
  }
  if (name !== "") names.set(name, nameEntry.value.span.place.line)
  return { name, cells }
}

/** Reports rows that lack a column. */
function refuseGaps(rows: readonly MatrixRow[], items: readonly Written[], report: Report): void {
  const columns = columnsOf(rows)
  const maps = items.filter((item) => item.type === "map")
  for (const [index, row] of rows.entries()) {
    const missing = [...columns].filter((column) => !row.cells.has(column))
    const span = maps[index]?.span
    if (missing.length > 0 && span !== undefined) {
      report(span, `this row has no ${missing.map((column) => JSON.stringify(column)).join(", ")}`, {
        expected: `name, ${[...columns].join(", ")}`,
      })
    }
  }
}
