/** What a table looks like is recognised from its bytes and said; what has two meanings is a mistake. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parquetWriteBuffer } from "hyparquet-writer"
import { describe, expect, test } from "vitest"
import { HOUR_MS, isoMs } from "../../../../src/model/values/time.ts"
import { durationIn, numberIn } from "../../../../src/simulation/fleet/tables/cells.ts"
import { ZoneTimes, timeFormOf } from "../../../../src/simulation/fleet/tables/instants.ts"
import { readTable } from "../../../../src/simulation/fleet/tables/read-table.ts"
import type { Table } from "../../../../src/simulation/fleet/tables/table.ts"
import { deliveries, logWith } from "./tables.ts"

async function tableOf(text: string | Uint8Array): Promise<Table> {
  const read = await readTable("t", typeof text === "string" ? new TextEncoder().encode(text) : text)
  if ("fault" in read) throw new Error(read.fault)
  return read
}

function utf16(text: string, isMarked: boolean): Uint8Array {
  const units = Uint16Array.from((isMarked ? `\uFEFF${text}` : text).split(""), (letter) =>
    letter.charCodeAt(0),
  )
  return new Uint8Array(units.buffer)
}

describe("separators, quotes and encodings", () => {
  test.each([
    [",", `CSV with "," between cells`],
    [";", `CSV with ";" between cells`],
    ["\t", "TSV, a tab between cells"],
    ["|", `CSV with "|" between cells`],
  ])("%j between cells", async (separator, says) => {
    const lines = ["time,place", `2026-03-02 10:00,"a${separator} ""b"""`, `2026-03-02 11:00,"c\nd"`]
    const text = lines.map((line) => line.replace(",", separator)).join("\r\n")
    const { form, columns, rows } = await tableOf(text)
    expect(form).toEqual([says, "UTF-8"])
    expect(columns).toEqual(["time", "place"])
    expect(rows).toEqual([
      { line: 2, cells: ["2026-03-02 10:00", `a${separator} "b"`] },
      { line: 4, cells: ["2026-03-02 11:00", "c\nd"] },
    ])
  })

  test.each([
    ["UTF-8", new TextEncoder().encode("\uFEFFstore;n\nCafé;1\n")],
    ["UTF-16", utf16("store;n\nCafé;1\n", true)],
    ["UTF-16 without a mark", utf16("store;n\nCafé;1\n", false)],
    ["windows-1252", Uint8Array.from("store;n\nCafé;1\n", (letter) => letter.charCodeAt(0))],
  ])("%s", async (encoding, bytes) => {
    const { form, columns, rows } = await tableOf(bytes)
    expect(form).toContain(encoding)
    expect(columns).toEqual(["store", "n"])
    expect(rows[0]?.cells).toEqual(["Café", "1"])
  })

  test("a first line of values names no columns", async () => {
    const { columns, rows, form } = await tableOf("2026-03-02 10:00,4\n2026-03-02 11:00,5\n")
    expect(columns).toEqual(["1", "2"])
    expect(rows).toHaveLength(2)
    expect(form).toContain("no names of columns")
  })

  test("a cell with NA or NULL counts as empty, and a note names it", async () => {
    const { rows, form } = await tableOf("a,b\nNA,1\nx,NULL\n")
    expect(rows.map(({ cells }) => cells)).toEqual([
      ["", "1"],
      ["x", ""],
    ])
    expect(form).toContain('"NA" and "NULL" for an empty cell')
  })

  test("a quote that is not closed is a fault of the file", async () => {
    expect(await readTable("t", new TextEncoder().encode('a,b\n1,"2\n3,4\n'))).toEqual({
      fault: expect.stringContaining("Quote Not Closed") as string,
    })
  })
})

describe("files of objects", () => {
  const objects = [
    { at: "2026-03-02T10:00Z", to: { lat: 1.5 } },
    { at: "2026-03-02T11:00Z", n: null },
  ]

  test.each([
    ["NDJSON", objects.map((one) => JSON.stringify(one)).join("\n"), "line"],
    ["a JSON array", JSON.stringify(objects, null, 2), "row"],
  ])("%s", async (form, text, unit) => {
    const read = await tableOf(text)
    expect(read.form).toEqual([form, "UTF-8"])
    expect(read.unit).toBe(unit)
    expect(read.columns).toEqual(["at", "to.lat", "n"])
    expect(read.rows).toEqual([
      { line: 1, cells: ["2026-03-02T10:00Z", "1.5", ""] },
      { line: 2, cells: ["2026-03-02T11:00Z", "", ""] },
    ])
  })

  test("a line of NDJSON that is no JSON is named", async () => {
    expect(await readTable("t", new TextEncoder().encode('{"a":1}\n{"a"'))).toEqual({
      fault: "is no NDJSON: line 2 is no JSON",
    })
  })

  test("Parquet: numbers, texts, and instants", async () => {
    const at = new Date("2026-03-02T10:00:00Z")
    const bytes = parquetWriteBuffer({
      columnData: [
        { name: "at", data: [at], type: "TIMESTAMP" },
        { name: "items", data: [12n], type: "INT64" },
        { name: "store", data: ["north"], type: "STRING" },
      ],
    })
    const { columns, rows } = await tableOf(new Uint8Array(bytes))
    expect(columns).toEqual(["at", "items", "store"])
    expect(rows).toEqual([{ line: 1, cells: ["2026-03-02T10:00:00.000Z", "12", "north"] }])
  })
})

test.each([
  ["converted", { converted_type: "DATE" }],
  ["only logical", { logical_type: { type: "DATE" } }],
] as const)("a date of Parquet, %s, is a local date, beside a time of day too", async (_, is) => {
  const bytes = parquetWriteBuffer({
    columnData: [
      { name: "day", data: [20_514] },
      { name: "clock", data: ["23:30"] },
    ],
    schema: [
      { name: "root", num_children: 2 },
      { name: "day", type: "INT32", repetition_type: "REQUIRED", ...is },
      { name: "clock", type: "BYTE_ARRAY", converted_type: "UTF8", repetition_type: "REQUIRED" },
    ],
  })
  expect((await tableOf(new Uint8Array(bytes))).rows).toEqual([{ line: 1, cells: ["2026-03-02", "23:30"] }])
  const text = deliveries("{ file: t, time: { date: day, time: clock } }", {
    clock: "2026-03-02T20:00 America/Chicago",
  })
  const { orders } = await logWith(text, { t: new Uint8Array(bytes) })
  expect(orders).toEqual([{ atMs: 3.5 * HOUR_MS, facts: {} }])
})

test("a date that is written as midnight in UTC is the date beside a time of day", async () => {
  const text = deliveries("{ file: t, time: { date: day, time: clock } }", {
    clock: "2026-03-02T20:00 America/Chicago",
  })
  const { orders } = await logWith(text, { t: "day,clock\n2026-03-02T00:00:00.000Z,23:30\n" })
  expect(orders).toEqual([{ atMs: 3.5 * HOUR_MS, facts: {} }])
})

test("a small Parquet file is read from disk, and with it a part of a larger buffer", async () => {
  const bytes = new Uint8Array(
    parquetWriteBuffer({ columnData: [{ name: "items", data: [12n], type: "INT64" }] }),
  )
  const folder = mkdtempSync(join(tmpdir(), "parquet-"))
  try {
    const file = join(folder, "t.parquet")
    writeFileSync(file, bytes)
    expect((await tableOf(readFileSync(file))).rows).toEqual([{ line: 1, cells: ["12"] }])
  } finally {
    rmSync(folder, { recursive: true })
  }
  const pool = Buffer.alloc(bytes.length + 200)
  pool.set(bytes, 100)
  expect((await tableOf(pool.subarray(100, 100 + bytes.length))).columns).toEqual(["items"])
})

describe("times", () => {
  const zone = new ZoneTimes("America/Chicago")
  const instantOf = (cells: readonly string[], format: string | null = null): string => {
    const form = timeFormOf(cells, format)
    if ("message" in form) return form.message
    const read = form.read(cells[0] ?? "")
    if (read === null) return "no time"
    const instantMs = "instantMs" in read ? read.instantMs : zone.instantOf(read.wallMs)
    return instantMs === null ? "skipped" : isoMs(instantMs)
  }

  test.each([
    ["2026-03-02T11:30:00-06:00"],
    ["2026-03-02T17:30:00Z"],
    ["2026-03-02 17:30:00 UTC"],
    ["2026-03-02 11:30:00"],
    ["2026-03-02 11:30"],
    ["3/2/2026 11:30", "3/13/2026 11:30"],
    ["03/02/2026 11:30:00 AM", "03/13/2026 1:30:00 PM"],
    ["2.3.2026 11:30", "02.03.2026 11:30:00"],
    ["02/03/2026 11:30", "13/03/2026 11:30"],
    ["46083.4791666667"],
    ["1772472600"],
    ["1772472600000"],
  ])("%s is recognised", (...cells) => {
    expect(instantOf(cells)).toBe("2026-03-02T17:30:00.000Z")
  })

  test("a date that may be of two countries asks for its format", () => {
    expect(instantOf(["3/2/2026 11:30"])).toBe('times such as "3/2/2026 11:30" are M/D/YYYY or D/M/YYYY')
    expect(instantOf(["3/2/2026 11:30"], "D/M/YYYY HH:mm")).toBe("2026-02-03T17:30:00.000Z")
    expect(instantOf(["20260302 1130"], "YYYYMMDD HHmm")).toBe("2026-03-02T17:30:00.000Z")
  })

  test.each(["HH:mm", "DD/MM HH:mm", "MM/YYYY", "[YYYY-MM-DD] HH:mm"])(
    "the format %s, which has no whole date, is refused",
    (format) => {
      expect(instantOf(["11:30"], format)).toBe("the format has no year, month and day")
    },
  )

  test.each([
    ["2026-03-02 11:30 -06:00", "YYYY-MM-DD HH:mm Z"],
    ["02-03-2026 11:30:00-0600", "DD-MM-YYYY HH:mm:ssZZ"],
    ["02.03.2026 um 17:30 Z", "DD.MM.YYYY [um] HH:mm Z"],
    ["23:00:+0530 02/03/2026", "HH:mm:Z DD/MM/YYYY"],
    ["Mar 2 2026 05:30pm GMT", "MMM D YYYY hh:mma Z"],
  ])("the offset of %s is applied", (cell, format) => {
    expect(instantOf([cell], format)).toBe("2026-03-02T17:30:00.000Z")
  })

  test("a Z in brackets is text, and a cell without an offset is none of a format with one", () => {
    expect(instantOf(["2026-03-02 11:30 Z"], "YYYY-MM-DD HH:mm [Z]")).toBe("2026-03-02T17:30:00.000Z")
    expect(instantOf(["2026-03-02 11:30"], "YYYY-MM-DD HH:mm Z")).toBe("no time")
  })

  test.each([
    ["3/13/2026 11:30 am", null],
    ["3/13/2026 11:30 Am", "M/D/YYYY h:mm A"],
    ["Mar 13 2026 11:30AM", "MMM D YYYY h:mma"],
  ])("am and pm of %s are read in any case", (cell, format) => {
    expect(instantOf([cell], format)).toBe("2026-03-13T16:30:00.000Z")
  })

  test("what is no date is no time", () => {
    for (const cell of ["2026-02-30 10:00", "2026-13-01", "noon"])
      expect(instantOf([cell, "2026-03-02 10:00"])).toBe("no time")
    expect(instantOf(["noon"])).toBe('"noon" is no time that is known')
  })

  test("a time that the clocks skip is none, and of one that comes twice it is the first", () => {
    expect(instantOf(["2026-03-08 02:30"])).toBe("skipped")
    expect(instantOf(["2026-11-01 01:30"])).toBe("2026-11-01T06:30:00.000Z")
  })
})

test.each([
  ["1234.5", false, 1234.5],
  ["1,234.5", false, 1234.5],
  ["1.234,5", true, 1234.5],
  ["-0,25", true, -0.25],
  ["1e3", false, 1000],
  ["12 EUR", false, null],
])("the number %s", (cell, hasDecimalCommas, value) => {
  expect(numberIn(cell, { hasDecimalCommas })).toBe(value)
})

test.each([
  ["12m", null, 720_000],
  ["1h 30m", null, 5_400_000],
  ["0:12:30", null, 750_000],
  ["1:30", null, 5_400_000],
  ["2.5", 60_000, 150_000],
  ["soon", null, null],
  ["12", null, null],
])("the duration %s", (cell, unitMs, ms) => {
  expect(durationIn(cell, unitMs, { hasDecimalCommas: false })).toBe(ms)
})
