/** The map of the word `replay`: a table of orders beside the model, and what its columns mean. */

import { PRIORITY_MAX, TABLE_COLUMNS_MAX } from "../../../model/values/limits.ts"
import { wallClockOf } from "../../../model/values/local-time.ts"
import type { JsonObject } from "../../../model/values/json.ts"
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
import type { Written } from "../../scenario/language/source.ts"
import { WEEKDAYS } from "./weekday.ts"

/** A column by its name in the first row, or by its number from 1. */
export type Column = number | string

export const column = scalar<Column>(
  "a column by its name, or by its number from 1",
  {
    anyOf: [
      { type: "string", pattern: String.raw`\S` },
      { type: "integer", minimum: 1, maximum: TABLE_COLUMNS_MAX },
    ],
  },
  ({ value, text: written }) =>
    typeof value === "number"
      ? Number.isInteger(value) && value >= 1 && value <= TABLE_COLUMNS_MAX
        ? value
        : undefined
      : written.trim() === ""
        ? undefined
        : written,
)

/** The text of a cell, as the table has it. */
const cell = scalar("the text of a cell", { type: ["string", "number", "boolean"] }, (one) => one.text.trim())

function scalar<T>(
  words: string,
  schema: JsonObject,
  pick: (value: Extract<Written, { readonly type: "scalar" }>) => T | undefined,
): Shape<T> {
  return {
    words,
    schema,
    read: (value, report) => {
      const picked = value.type === "scalar" ? pick(value) : undefined
      if (picked === undefined) report(value.span, `${found(value)} is not ${words}`)
      return picked
    },
  }
}

const cells = either(
  mapped(cell, (one) => [one]),
  listOf("texts of cells", cell, { min: 1, max: 1_000 }),
  "list",
)

/** As pairs: a model is plain JSON where other machines take it. */
export function byCell<T>(of: string, shape: Shape<T>) {
  return mapped(named(of, shape), (values): readonly (readonly [cell: string, value: T])[] => [...values])
}

const zone = optional("of times without an offset", text, null)
const ofColumn = optional("column", column, null)

const TIME = {
  column: ofColumn,
  date: optional("column of the date", column, null),
  time: optional("column of the time of day", column, null),
  weekday: optional("column of the weekday", column, null),
  hour: optional("column of the hour of day", column, null),
  zero_is: optional("weekday 0", oneOf(WEEKDAYS), "Sun"),
  format: optional("DD.MM.YYYY HH:mm, iso, excel, epoch s, epoch ms", text, null),
  zone,
  within: optional("an order comes within so long from its time on", duration(), null),
} as const

const DURATION = {
  column: ofColumn,
  unit: optional("of a number", oneOf(["ms", "s", "min", "h"]), null),
  each: optional("the number times this duration", duration(), null),
  from: optional("column of its beginning; the order's time unless said", column, null),
  to: optional("column of its end", column, null),
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

const cellsThatSay = {
  column: ofColumn,
  is: optional("cells that say so", cells, ["yes", "true", "1"]),
} as const

/** In one of three ways. */
function doorShape(position: Shape<Place>) {
  return record("keys of door", {
    lat: optional("column of the latitude", column, null),
    lon: optional("column of the longitude", column, null),
    per_degree: optional("what a degree is", number("a number", { min: 1, max: 1e9 }), 1),
    column: ofColumn,
    are: optional("by the cell", byCell("cells", position), null),
    address: optional(
      "column of the address, or of the number and the street",
      either(
        mapped(column, (one): readonly Column[] => [one]),
        listOf("columns", column, { min: 1, max: 4 }),
        "list",
      ),
      null,
    ),
    addresses: optional("a table of addresses beside the model; else those of the streets", text, null),
  })
}

/** `position` is the shape of `[latitude, longitude]`. */
export function replayTable(position: Shape<Place>) {
  return record("keys of replay", {
    file: required("a table beside the model", text),
    time: required("when orders are requested", bound("keys of time", TIME)),
    only: optional("rows with these cells", byCell("columns", cells), []),
    store: optional(
      "store of the site",
      bound("keys of store", {
        column: ofColumn,
        are: optional("by the cell", byCell("cells", text), null),
      }),
      null,
    ),
    door: optional("place of the customer", doorShape(position), null),
    preparation: optional("time of a cook", length, null),
    patience: optional(
      "how long the bot waits",
      bound("keys of patience", {
        ...DURATION,
        left: optional(
          "bots that lost patience; the others were served",
          bound("keys of left", cellsThatSay),
          null,
        ),
      }),
      null,
    ),
    ahead: optional("from the request to the window", length, null),
    width: optional("width of the window", length, null),
    ready_in: optional("from the request until it is ready", length, null),
    priority: optional(
      "its priority",
      bound("keys of priority", {
        column: ofColumn,
        are: optional(
          "by the cell",
          byCell("cells", whole("a priority", { min: 0, max: PRIORITY_MAX })),
          null,
        ),
      }),
      null,
    ),
    cancel: optional("whether the customer cancels", bound("keys of cancel", cellsThatSay), null),
    cancel_after: optional("how long after the request", length, null),
    first_day: optional(
      "day of the log for the first day of the run",
      saying(
        mapped(text, (written, refuse) =>
          wallClockOf(`${written}T00:00`) !== null
            ? written
            : refuse(`${JSON.stringify(written)} is no date`, "such as 2026-03-02"),
        ),
        { pattern: String.raw`^\d{4}-\d{2}-\d{2}$` },
      ),
      null,
    ),
    repeat: optional("plays its days again", oneOf(["daily", "weekly"]), null),
    resample: optional("each replication draws its days", oneOf(["days"]), null),
    scale: optional("how many times as many orders", number("a factor", { min: 0.01, max: 100 }), 1),
  })
}

export type ReplayTable = Read<ReturnType<typeof replayTable>>
export type TimeBinding = ReplayTable["time"]
export type DurationBinding = NonNullable<ReplayTable["preparation"]>
