/** The map of the word `replay`: a table of orders beside the model, and what its columns mean. */

import { PRIORITY_MAX, TABLE_COLUMNS_MAX } from "../../../model/values/limits.ts"
import { HOUR_MS } from "../../../model/values/time.ts"
import type { Place } from "../../../model/place.ts"
import { found } from "../../scenario/language/keys.ts"
import {
  duration,
  either,
  listOf,
  mapped,
  named,
  number,
  oneOf,
  optional,
  record,
  required,
  saying,
  text,
  whole,
} from "../../scenario/language/shapes.ts"
import type { Read, Shape } from "../../scenario/language/shapes.ts"
import { WEEKDAYS } from "./weekday.ts"

/** A column by its name in the first row, or by its number from 1. */
export type Column = number | string

const COLUMN_WORDS = "a column by its name, or by its number from 1"

export const column: Shape<Column> = {
  words: COLUMN_WORDS,
  schema: {
    anyOf: [
      { type: "string", pattern: String.raw`\S` },
      { type: "integer", minimum: 1, maximum: TABLE_COLUMNS_MAX },
    ],
  },
  read: (value, report) => {
    const is = value.type === "scalar" ? value.value : null
    if (typeof is === "string" && is.trim() !== "") return is
    if (typeof is === "number" && Number.isInteger(is) && is >= 1 && is <= TABLE_COLUMNS_MAX) return is
    report(value.span, `${found(value)} is no column`, { expected: COLUMN_WORDS })
    return undefined
  },
}

/** The text of a cell, as the table has it. */
const cell: Shape<string> = {
  words: "the text of a cell",
  schema: { type: ["string", "number", "boolean"] },
  read: (value, report) => {
    if (value.type === "scalar") return value.text.trim()
    report(value.span, `${found(value)} is no text of a cell`, { expected: "the text of a cell" })
    return undefined
  },
}

const cells = either(
  mapped(cell, (one) => [one]),
  listOf("texts of cells", cell, { min: 1, max: 1_000 }),
  "list",
)

/** As pairs: a model is plain JSON where other machines take it. */
function byCell<T>(of: string, shape: Shape<T>) {
  return mapped(named(of, shape), (values): readonly (readonly [cell: string, value: T])[] => [...values])
}

const zone = optional("time zone of times without an offset; the clock's unless said", text, null)
const ofColumn = optional("the column", column, null)

const TIME = {
  column: ofColumn,
  date: optional("the column of the date, where the time of day has its own", column, null),
  time: optional("the column of the time of day", column, null),
  weekday: optional("the column of the weekday, of a log without dates", column, null),
  hour: optional("the column of the hour of day", column, null),
  zero_is: optional("the weekday whose number is 0", oneOf(WEEKDAYS), "Sun"),
  format: optional(
    "such as DD.MM.YYYY HH:mm, or one of iso, excel, epoch s, epoch ms; recognised unless said",
    text,
    null,
  ),
  zone,
  within: optional("each order comes at a drawn instant of so long from its time on", duration(), null),
} as const

const DURATION = {
  column: ofColumn,
  unit: optional(
    "of a number; without it a cell is such as 12m or 0:12:30",
    oneOf(["ms", "s", "min", "h"]),
    null,
  ),
  each: optional("the number times this duration, such as of items", duration(), null),
  from: optional("the column of an instant; the order's time unless said", column, null),
  to: optional("the column of the instant at its end", column, null),
} as const

/** A column alone means the map with that column. */
function bound<K extends Parameters<typeof record>[1]>(of: string, keys: K) {
  const usual = Object.fromEntries(Object.entries(keys).map(([name, key]) => [name, key.usual]))
  return either(
    mapped(column, (one) => ({ ...usual, column: one }) as Read<ReturnType<typeof record<K>>>),
    record(of, keys),
  )
}

const length = bound("keys of a duration", DURATION)

/** `position` is the shape of `[latitude, longitude]`. */
export function replayTable(position: Shape<Place>) {
  return record("keys of replay", {
    file: required("a table beside the model: CSV, TSV, NDJSON, JSON or Parquet", text),
    time: required("when orders are requested", bound("keys of time", TIME)),
    only: optional("only rows with one of these cells", byCell("columns", cells), []),
    store: optional(
      "which store of the site",
      bound("keys of store", {
        column: ofColumn,
        are: optional("stores by the cell", byCell("cells", text), null),
      }),
      null,
    ),
    door: optional(
      "where the customer is; a row outside of the service area is left out",
      record("keys of door", {
        lat: optional("the column of the latitude", column, null),
        lon: optional("the column of the longitude", column, null),
        per_degree: optional("how much a degree is", number("a number", { min: 1, max: 1e9 }), 1),
        column: ofColumn,
        are: optional("positions by the cell", byCell("cells", position), null),
      }),
      null,
    ),
    preparation: optional("how long the order takes a cook", length, null),
    patience: optional("how long the bot waits for its order", length, null),
    ahead: optional("how long before its window a reservation is made", length, null),
    width: optional("width of a reservation's window", length, null),
    ready_in: optional("how long after the request it is to be ready", length, null),
    priority: optional(
      "priority of a reservation",
      bound("keys of priority", {
        column: ofColumn,
        are: optional(
          "priorities by the cell",
          byCell("cells", whole("a priority", { min: 0, max: PRIORITY_MAX })),
          null,
        ),
      }),
      null,
    ),
    cancel: optional(
      "whether the customer cancels",
      bound("keys of cancel", {
        column: ofColumn,
        is: optional("cells that say so; yes, true and 1 unless said", cells, ["yes", "true", "1"]),
      }),
      null,
    ),
    cancel_after: optional("how long after the request; an empty cell is no cancellation", length, null),
    first_day: optional(
      "the day of the log that is played on the first day of the run",
      saying(
        mapped(text, (written, refuse) =>
          isDate(written) ? written : refuse(`${JSON.stringify(written)} is no date`, "such as 2026-03-02"),
        ),
        { pattern: String.raw`^\d{4}-\d{2}-\d{2}$` },
      ),
      null,
    ),
    repeat: optional("plays the days of the log again", oneOf(["daily", "weekly"]), null),
    resample: optional(
      "draws, for each day of a replication, a day of the log, of the same weekday where it has several",
      oneOf(["days"]),
      null,
    ),
    scale: optional("how many times as many orders", number("a factor", { min: 0.01, max: 100 }), 1),
  })
}

export type ReplayTable = Read<ReturnType<typeof replayTable>>
export type TimeBinding = ReplayTable["time"]
export type DurationBinding = NonNullable<ReplayTable["preparation"]>

/** The name of the file of a replayed demand. */
export function replayedFile(replay: ReplayTable | string): string {
  return typeof replay === "string" ? replay : replay.file
}

/** From a row's time on an order comes within so long; a row that says the hour alone is of the whole hour. */
export function withinMsOf({ within, hour }: TimeBinding): number {
  return within ?? (hour === null ? 0 : HOUR_MS)
}

function isDate(written: string): boolean {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(written) ? Date.parse(`${written}T00:00Z`) : Number.NaN
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(written)
}
