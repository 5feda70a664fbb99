/** Records of answers are written from rows by the names of their schema. */

import { Schema } from "effect"
import { expect, test } from "vitest"
import { DateTime } from "../../src/http/records/date-time.ts"
import { recordsOf } from "../../src/http/records/records.ts"

const Line = Schema.Struct({ line_id: Schema.String, at: DateTime })
const Order = Schema.Struct({
  order_id: Schema.String,
  made_at: DateTime,
  ended_at: Schema.NullOr(DateTime),
  lines: Schema.Array(Line),
  last_line: Schema.NullOr(Line),
  note: Schema.optional(Schema.String),
}).annotations({ identifier: "Order" })

const written = recordsOf(Order)
const line = { lineId: "l-1", atMs: 1000 }
const row = { orderId: "o-1", madeAtMs: 0, endedAtMs: null, lines: [line], lastLine: line }
const lineRecord = { line_id: "l-1", at: "1970-01-01T00:00:01.000Z" }

test("names and instants follow from the schema, also inside of lists and of values that may be null", () => {
  expect(written(row)).toEqual({
    order_id: "o-1",
    made_at: "1970-01-01T00:00:00.000Z",
    ended_at: null,
    lines: [lineRecord],
    last_line: lineRecord,
  })
  expect(written({ ...row, lastLine: null })).toMatchObject({ last_line: null })
})

test("what a row has beside the fields is not written", () => {
  expect(written({ ...row, codeHash: "secret" })).toEqual(written(row))
})

test("an optional field is written when the row has it, and a value by its name on the wire as it is", () => {
  expect(written({ ...row, note: "late" })).toMatchObject({ note: "late" })
  const { orderId, endedAtMs, lines, lastLine } = row
  const others = { orderId, endedAtMs, lines, lastLine }
  expect(written({ ...others, made_at: "2026-11-29T12:00:00.000Z" })).toMatchObject({
    made_at: "2026-11-29T12:00:00.000Z",
  })
})

test("a row that lacks a field is a mistake of types", () => {
  const { orderId, endedAtMs, lines, lastLine } = row
  const others = { orderId, endedAtMs, lines, lastLine }
  // @ts-expect-error The row has neither made_at nor madeAtMs.
  expect(written(others)).not.toHaveProperty("made_at")
  // @ts-expect-error The line has no id.
  expect(written({ ...row, lastLine: { atMs: 0 } })).toMatchObject({
    last_line: { at: "1970-01-01T00:00:00.000Z" },
  })
})
