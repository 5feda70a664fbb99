/** Reads CSV (RFC 4180) with either line ending, with or without a byte order mark; writes it. */

export interface CsvRow {
  /** Line in the file, from 1; a quoted field may span several lines. */
  readonly line: number
  readonly cells: readonly string[]
}

/** A syntax error in the CSV text. */
interface CsvFault {
  readonly line: number
  readonly message: string
}

/** The rows in order without empty ones, or the first syntax error. */
export function csvRows(text: string): { readonly rows: readonly CsvRow[] } | { readonly fault: CsvFault } {
  const rows: CsvRow[] = []
  let line = 1
  let cells: string[] = []
  let startedAt = 1
  const end = (): void => {
    if (cells.some((cell) => cell !== "")) rows.push({ line: startedAt, cells })
    cells = []
  }
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/y
  field.lastIndex = text.startsWith("\uFEFF") ? 1 : 0
  while (field.lastIndex < text.length || cells.length > 0) {
    const found = field.exec(text)
    if (found === null) return { fault: { line, message: "has a quotation mark where none may be" } }
    const [whole, quoted, plain = "", after] = found
    if (cells.length === 0) startedAt = line
    cells.push((quoted === undefined ? plain : quoted.replaceAll('""', '"')).trim())
    line += whole.split(/\r\n|\n|\r/).length - 1
    if (after !== ",") end()
    if (after === "") break
  }
  end()
  return { rows }
}

/** CSV (RFC 4180) of these rows. */
export function csvText(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => `${cells.map(cellOf).join(",")}\r\n`).join("")
}

/**
 * Where a spreadsheet may see the begin of a formula. Spreadsheets of many countries split cells at semicolons, and quotation
 * marks do not keep them from it; full-width signs count as signs.
 */
const FORMULA = /(^|[;\t|,\r\n])((?:[^\S\t\r\n]|")*)(?=[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g

/** Quoted if a separator is in it; a text of somebody else never becomes a formula in a spreadsheet. */
function cellOf(content: string): string {
  const plain = content.replaceAll(FORMULA, "$1$2'")
  return /[",;\t\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}
