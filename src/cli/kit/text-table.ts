/** Prints rows as columns for people. Columns are as wide as their widest cell, and control characters are removed. */

export type TableRow = Readonly<Record<string, unknown>>

/** A table of the named fields; empty without rows. */
export function tableOf(rows: readonly TableRow[], fields: readonly string[]): string {
  if (rows.length === 0) return ""
  const lines = [
    fields.map((field) => field.toUpperCase().replaceAll("_", " ")),
    ...rows.map((row) => fields.map((field) => cellOf(row[field]))),
  ]
  const widths = fields.map((_, at) => Math.max(...lines.map((line) => [...(line[at] ?? "")].length)))
  return lines
    .map((line) =>
      line
        .map((cell, at) => cell + " ".repeat((widths[at] ?? 0) - [...cell].length))
        .join("  ")
        .trimEnd(),
    )
    .join("\n")
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return "-"
  if (typeof value === "boolean") return value ? "yes" : "no"
  const text = Array.isArray(value) ? value.join(",") : wordFor(value)
  return text.replace(/\p{Cc}/gu, " ")
}

function wordFor(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value)
}
