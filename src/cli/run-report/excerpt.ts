/** The lines of a scenario file around a failure. */

export interface ExcerptLine {
  readonly number: number
  readonly text: string
  readonly isIt: boolean
}

const AROUND = 3

/** Empty when the file has no such line. */
export function excerptOf(text: string, line: number): readonly ExcerptLine[] {
  const lines = text.split("\n")
  if (line < 1 || line > lines.length) return []
  const from = Math.max(1, line - AROUND)
  return lines
    .slice(from - 1, line + AROUND)
    .map((one, at) => ({ number: from + at, text: one, isIt: from + at === line }))
}
