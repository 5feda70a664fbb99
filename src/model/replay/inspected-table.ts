/** What a table of orders holds, column by column, and what its columns may mean. */

export type ColumnKind = "empty" | "number" | "text" | "time"

export interface InspectedColumn {
  /** From 1. */
  readonly number: number
  readonly name: string
  readonly kind: ColumnKind
  /** How its times are written; null of other columns. */
  readonly timeForm: string | null
  /** Share of rows with a value. */
  readonly filled: number
  /** Different values, the most frequent first; at most so many as a person reads. */
  readonly examples: readonly string[]
  readonly distinct: number
  /** The word of `replay` that it may be; null without a guess. */
  readonly guess: string | null
}

export interface InspectedTable {
  readonly file: string
  readonly form: readonly string[]
  readonly rows: number
  readonly columns: readonly InspectedColumn[]
  /** Rows by hour of day of the guessed time, as it is written; null without one. */
  readonly rowsByHour: readonly number[] | null
  /** A demand in YAML. */
  readonly demand: string
}
