/** Columns of a table become the properties of orders; every row is an order or is counted. */

import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { DAY_MS, HOUR_MS, MINUTE_MS, isoMs } from "../../../../src/model/values/time.ts"
import { replicate } from "../../../../src/simulation/fleet/world/replication.ts"
import { deliveries, logWith, modelWith, problemsWith } from "./tables.ts"

const HEAD = "time,store,lat,lon,cook,status,left\n"

test("every column binds to its property of the request", async () => {
  const text = deliveries(`
      file: t.csv
      time: 1
      store: store
      door: { lat: lat, lon: lon }
      preparation: { column: cook, unit: min }
      cancel: { column: status, is: [void, gone] }
      cancel_after: { to: left }
      ready_in: { column: cook, each: 90s }`)
  const { orders, rows } = await logWith(text, {
    "t.csv": `${HEAD}2026-03-02 11:00,south,30.41,-97.71,4,void,2026-03-02 11:03\n2026-03-02 10:30,north,30.4,-97.7,2.5,ok,\n`,
  })
  expect(rows).toEqual({ read: 2, used: 2, leftOut: [], unit: "line" })
  expect(orders).toEqual([
    {
      atMs: 30 * 60_000,
      facts: {
        store: "north",
        door: { latitude: 30.4, longitude: -97.7 },
        preparationMs: 150_000,
        readyInMs: 225_000,
        isCanceled: false,
      },
    },
    {
      atMs: 60 * 60_000,
      facts: {
        store: "south",
        door: { latitude: 30.41, longitude: -97.71 },
        preparationMs: 240_000,
        readyInMs: 360_000,
        isCanceled: true,
        cancelAfterMs: 180_000,
      },
    },
  ])
})

test("a reservation takes its window, its priority and its bot's patience from its row", async () => {
  const text = `
fleet: A log
because: Its rows are known.
clock: 2026-03-02T10:00 UTC
horizon: 2h
sites: [{ as: curb, at: [30.4, -97.7], stalls: 4, runners: 2 }]
demand:
  - product: reservation
    site: curb
    replay:
      file: t.csv
      time: { date: day, time: hour }
      ahead: { to: window }
      width: { column: width, unit: min }
      patience: { column: patience }
      priority: { column: tier, are: { gold: 5, none: 0 } }
`
  const model = await modelWith(text, {
    "t.csv":
      "day,hour,window,width,patience,tier\n2026-03-02,10:05,2026-03-02 10:45,20,12m,gold\n2026-03-02,10:10,2026-03-02 10:40,900,12m,none\n",
  })
  const [log] = model.logs
  expect(log?.orders).toEqual([
    {
      atMs: 300_000,
      facts: { aheadMs: 2_400_000, widthMs: 1_200_000, patienceMs: 720_000, priority: 5 },
    },
  ])
  expect(log?.rows.leftOut).toEqual([
    { reason: "whose window has a width that is refused", count: 1, firstLine: 3 },
  ])
  expect(replicate(model, { seed: 1 }).figures["reservations.completed"]).toBe(1)
})

test("the door of a row is where its vehicle goes", async () => {
  const rows = (lat: number): string => `${HEAD}2026-03-02 11:00,north,${lat},-97.7,4,ok,\n`
  const text = deliveries("{ file: t.csv, time: time, door: { lat: lat, lon: lon } }")
  const totals = []
  for (const lat of [30.4005, 30.4249]) {
    const model = await modelWith(text, { "t.csv": rows(lat) })
    totals.push(replicate(model, { seed: 1 }).figures["deliveries.total_mean"])
  }
  const [near = 0, far = 0] = totals.map(Number)
  // 2.7 km more at 25 km/h, straight, are 6.5 minutes.
  expect(far - near).toBeGreaterThan(5 * 60_000)
})

test("rows that are no orders are counted by reason, with the first line of each", async () => {
  const text = deliveries(`
      file: t.csv
      time: time
      only: { status: ok }
      store: store
      door: { lat: lat, lon: lon }
      preparation: { column: cook, unit: min }`)
  const { rows } = await logWith(text, {
    "t.csv": `${HEAD}${[
      "2026-03-02 11:00,north,30.4,-97.7,4,ok,",
      "2026-03-02 11:00,north,30.4,-97.7,4,gone,",
      "2026-03-02 11:00,west,30.4,-97.7,4,ok,",
      "2026-03-02 11:00,north,31,-97.7,4,ok,",
      "2026-03-02 11:00,north,,,4,ok,",
      "2026-03-02 11:00,north,30.4,-97.7,-4,ok,",
      "soon,north,30.4,-97.7,4,ok,",
      ",north,30.4,-97.7,4,ok,",
      "2026-03-02 09:00,north,30.4,-97.7,4,ok,",
      "2026-03-03 09:00,north,30.4,-97.7,4,ok,",
      "2026-03-02 11:00,north",
      "2026-03-04 09:00,north,30.4,-97.7,4,ok,",
    ].join("\n")}`,
  })
  expect(rows.used).toBe(1)
  expect(rows.leftOut).toEqual([
    { reason: "with another status", count: 1, firstLine: 3 },
    { reason: "of another store", count: 1, firstLine: 4 },
    { reason: "whose door is outside of the service area", count: 1, firstLine: 5 },
    { reason: "without a door", count: 1, firstLine: 6 },
    { reason: "whose preparation is below 0", count: 1, firstLine: 7 },
    { reason: "whose time is no time", count: 1, firstLine: 8 },
    { reason: "without a time", count: 1, firstLine: 9 },
    { reason: "with another number of cells", count: 1, firstLine: 12 },
    { reason: "before the run", count: 1, firstLine: 10 },
    { reason: "after the run", count: 2, firstLine: 11 },
  ])
})

test("a bound time is not said by an empty cell alone; one that cannot be read leaves its row out", async () => {
  const bound = (time: string) =>
    deliveries(`{ file: t.csv, time: ${time}, preparation: { from: taken, to: ready } }`)
  const { orders, rows } = await logWith(bound("time"), {
    "t.csv": `time,taken,ready\n${[
      "2026-03-02 11:00,2026-03-02 11:01,2026-03-02 11:09",
      "2026-03-02 11:00,,2026-03-02 11:09",
      "2026-03-02 11:00,2026-03-02 11:01,later",
      "2026-03-02 11:00,2026-02-30 11:01,",
    ].join("\n")}`,
  })
  expect(orders.map(({ facts }) => facts)).toEqual([{ preparationMs: 480_000 }, {}])
  expect(rows.leftOut).toEqual([
    { reason: "whose preparation has a time that cannot be read", count: 2, firstLine: 4 },
  ])
  const seconds = Date.UTC(2026, 2, 2, 11) / 1000
  const unix = await logWith(bound("time"), {
    "t.csv": `time,taken,ready\n${seconds},${seconds},0\n${seconds},${seconds},${seconds + 60}\n0,0,0\n`,
  })
  expect(unix.orders.map(({ facts }) => facts)).toEqual([{}, { preparationMs: 60_000 }])
  expect(unix.rows.leftOut).toEqual([{ reason: "without a time", count: 1, firstLine: 4 }])
})

test("a log of another year is played from its day on, at the same times of day", async () => {
  const { orders } = await logWith(
    deliveries("{ file: t.csv, time: time, first_day: 2015-07-01 }", {
      clock: "2026-12-04T10:00 America/Chicago",
    }),
    { "t.csv": "time,x\n2015-07-01 10:15,1\n2015-07-01 12:00,1\n" },
  )
  expect(orders.map(({ atMs }) => atMs / 60_000)).toEqual([15, 120])
})

test("orders that may come before the run or after it are counted", async () => {
  const { notes } = await logWith(
    deliveries("{ file: t.csv, time: { column: time, within: 12h } }", { horizon: "8h" }),
    { "t.csv": "time,x\n2026-03-02 09:00,1\n2026-03-02 10:00,1\n2026-03-02 11:00,1\n" },
  )
  expect(notes[2]).toMatch(/^t\.csv: 3 of its 3 orders may not come in the run: each comes within 12h /)
  const within = await logWith(
    deliveries("{ file: t.csv, time: { column: time, within: 7h } }", { horizon: "8h" }),
    { "t.csv": "time,x\n2026-03-02 10:00,1\n2026-03-02 11:00,1\n" },
  )
  expect(within.notes).toHaveLength(2)
})

describe("what intervals of drawn days do not hold is said", () => {
  /** So many days from a day on, with an order every ten minutes from 10:00 to 20:00. */
  const daysFrom = (first: number, count: number): readonly string[] =>
    Array.from({ length: count }, (_day, day) =>
      Array.from({ length: 60 }, (_order, at) =>
        isoMs(first + day * DAY_MS + 10 * HOUR_MS + at * 10 * MINUTE_MS),
      ),
    ).flat()
  const notesOf = async (lines: readonly string[], horizon: string): Promise<readonly string[]> => {
    const text = deliveries("{ file: t.csv, time: time, resample: days }", { horizon })
    const { notes } = await logWith(text, { "t.csv": `time,n\n${lines.map((one) => `${one},1`).join("\n")}` })
    return notes.slice(2)
  }
  const MONDAY = Date.UTC(2026, 0, 5)

  test("few days of a weekday of the run", async () => {
    expect(await notesOf(daysFrom(MONDAY, 14), "8h")).toEqual([
      "t.csv: a Monday is drawn from 2 days of the log; the interval does not hold how other Mondays differ",
    ])
    expect(await notesOf(daysFrom(MONDAY, 35), "7d")).toEqual([])
  })

  test("weekdays that the log has once, or not at all", async () => {
    expect(await notesOf(daysFrom(MONDAY, 4), "7d")).toEqual([
      "t.csv: each Monday, Tuesday, Wednesday and Thursday is drawn from 4 days of the log, which has one of its own; the interval does not hold how other such days differ",
      "t.csv: each Friday, Saturday and Sunday is drawn from 4 days of the log, which has none of its own; the interval does not hold how other such days differ",
    ])
  })

  test("a first day that begins late and a last one that ends early", async () => {
    const lines = daysFrom(MONDAY, 35)
    expect(await notesOf(lines.slice(30, -20), "8h")).toEqual([
      "t.csv: 2026-01-05 has no rows before 15:00, where other days have 50% of their rows: it may be a part of a day",
      "t.csv: 2026-02-08 has no rows after 16:30, where other days have 34% of their rows: it may be a part of a day",
    ])
  })
})

describe("mistakes of a map", () => {
  test.each([
    ["{ file: none.csv, time: time }", 'there is no file "none.csv" beside the model'],
    ["{ file: t.csv, time: tim }", 't.csv has no column "tim"'],
    ["{ file: t.csv, time: 9 }", "t.csv has 2 columns, and no 9"],
    ["{ file: t.csv, time: { date: time } }", "times are in one way"],
    ["{ file: t.csv, time: { column: time, zone: Mars/Olympus } }", 'there is no time zone "Mars/Olympus"'],
    ["{ file: t.csv, time: time, ahead: { column: x, unit: min } }", "a delivery has none"],
    ["{ file: t.csv, time: time, priority: x }", "only reservations wait for runners"],
    ["{ file: t.csv, time: time, door: { lat: x } }", "a door is in one way"],
    ["{ file: t.csv, time: time, store: { column: x, are: { 1: west } } }", 'the site has no store "west"'],
    ["{ file: t.csv, time: time, repeat: daily, resample: days }", "days are played in one way"],
    [
      "{ file: t.csv, time: time, repeat: daily, first_day: 2026-03-02 }",
      "days of a log that is repeated or drawn have no date",
    ],
    ["{ file: t.csv, time: time }, pace: 2", "pace is for a file of instants"],
    ["{ file: old.csv, time: time }", "no row of old.csv is an order of the run: 1 before the run"],
  ])("%s", async (replay, message) => {
    const text = deliveries(replay.replace("}, pace: 2", "}\n    pace: 2"))
    const files = { "t.csv": "time,x\n2026-03-02 11:00,1\n", "old.csv": "time,x\n2016-03-02 11:00,1\n" }
    expect(await problemsWith(text, files)).toEqual([message])
  })
})

test("no row is lost in silence", async () => {
  const cell = fc.oneof(
    fc.constantFrom(
      "",
      "2026-03-02 11:00",
      "2026-03-02T12:30:00Z",
      "2026-03-05 11:00",
      "north",
      "30.4",
      "-97.7",
      "99",
    ),
    fc.string({ maxLength: 6 }).map((text) => text.replaceAll(/["\r\n]/g, "")),
  )
  const row = fc.array(cell, { minLength: 1, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 30 }), async (rows) => {
      const right = "2026-03-02 11:00,north,30.4,-97.7,4,ok,"
      // A row of empty cells alone is an empty line.
      const lines = rows.map((cells) => cells.map((one) => one.replaceAll(",", " ").trim()).join(","))
      const texts = [right, ...lines.filter((line) => line !== "")]
      const log = await logWith(
        deliveries(
          "{ file: t.csv, time: time, store: store, door: { lat: lat, lon: lon }, preparation: { column: cook, unit: min } }",
        ),
        { "t.csv": HEAD + texts.join("\n") },
      )
      const left = log.rows.leftOut.reduce((sum, { count }) => sum + count, 0)
      expect(log.rows.read).toBe(texts.length)
      expect(log.rows.used + left).toBe(texts.length)
      expect(log.orders).toHaveLength(log.rows.used)
    }),
    { numRuns: 60 },
  )
})
