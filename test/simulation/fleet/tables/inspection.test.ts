/** What the columns of a table may mean, and the demand that is written from it. */

import { describe, expect, test } from "vitest"
import type { InspectedTable } from "../../../../src/model/replay/inspected-table.ts"
import { inspectTable } from "../../../../src/simulation/fleet/tables/inspection.ts"
import { readTable } from "../../../../src/simulation/fleet/tables/read-table.ts"
import { doorDashLike, instacartLike, meituanLike, olistLike } from "./logs.ts"
import { modelWith } from "./tables.ts"

async function inspected(text: string): Promise<InspectedTable> {
  const table = await readTable("orders.csv", new TextEncoder().encode(text))
  if ("fault" in table) throw new Error(table.fault)
  return inspectTable(table, "SITE")
}

function guessesOf({ columns }: InspectedTable): Readonly<Record<string, string>> {
  return Object.fromEntries(columns.flatMap(({ name, guess }) => (guess === null ? [] : [[name, guess]])))
}

test.each([
  [
    "a marketplace",
    olistLike(),
    {
      order_purchase_timestamp: "time",
      order_approved_at: "preparation.from",
      order_delivered_carrier_date: "preparation.to",
      order_status: "cancel",
    },
  ],
  [
    "a delivery service",
    doorDashLike(),
    { created_at: "time", store_id: "store", total_items: "preparation.each" },
  ],
  ["a grocer", instacartLike(), { order_dow: "time.weekday", order_hour_of_day: "time.hour" }],
  [
    "a courier platform",
    meituanLike(),
    { platform_order_time: "time", recipient_lat: "door.lat", recipient_lng: "door.lon" },
  ],
])("the columns of %s have their meanings", async (_, text, guesses) => {
  expect(guessesOf(await inspected(text))).toEqual(guesses)
})

test("a column has its type, the share of its rows, its values and the hours of its times", async () => {
  const { columns, rowsByHour, rows } = await inspected(
    "at,n,note,nothing\n2026-03-02 11:30,1,a,\n2026-03-02 12:10,2.5,,\n2026-03-02 12:20,2.5,b,\n",
  )
  expect(rows).toBe(3)
  expect(columns.map(({ kind, filled, distinct }) => [kind, filled, distinct])).toEqual([
    ["time", 1, 3],
    ["number", 1, 2],
    ["text", 2 / 3, 2],
    ["empty", 0, 0],
  ])
  expect(columns[1]?.examples).toEqual(["2.5", "1"])
  expect(rowsByHour?.flatMap((count, hour) => (count === 0 ? [] : [[hour, count]]))).toEqual([
    [11, 1],
    [12, 2],
  ])
})

test.each([
  ["a marketplace", olistLike(), "2017-10-02T09:00 UTC", "[30.4, -97.7]", 80],
  ["a courier platform", meituanLike(), "2022-10-17T02:00 UTC", "[45.9, 174.5]", 112],
])("the demand of %s is read as it is written", async (_, text, clock, at, used) => {
  const { demand } = await inspected(text)
  const model = await modelWith(
    `fleet: A log\nbecause: It was inspected.\nclock: ${clock}\nhorizon: 12h\nsites: [{ as: SITE, at: ${at}, reach_km: 5, vehicles: 9 }]\n${demand}`,
    { "orders.csv": text },
  )
  expect(model.logs[0]?.rows.used).toBe(used)
})

test("a date of two countries is written with its format to choose", async () => {
  const { demand } = await inspected("ordered at,n\n3/2/2026 11:30,1\n3/4/2026 12:10,2\n")
  expect(demand).toContain('time: { column: "ordered at", format: M/D/YYYY } # or D/M/YYYY')
})

describe("the door", () => {
  const doorLine = async (head: string, ...rows: readonly string[]): Promise<string | undefined> => {
    const lines = rows.map((row, at) => `2026-03-02 11:${10 + at},${row}`)
    const { demand } = await inspected(`at,${head}\n${lines.join("\n")}\n`)
    return demand
      .split("\n")
      .find((line) => line.includes("door:"))
      ?.trim()
  }

  test.each([
    ["drop_lat,drop_lon", "door: { lat: drop_lat, lon: drop_lon }"],
    ["store_lat,store_lon", undefined],
    ["pickup_lat,pickup_lon", undefined],
    ["merchantLatitude,merchantLongitude", undefined],
    ["toLat,toLng", "door: { lat: toLat, lon: toLng }"],
    ["flat,salon", undefined],
    ["lat,lon", "# door: { lat: lat, lon: lon }"],
  ])("of %s", async (head, line) => {
    expect(await doorLine(head, "30.4,-97.7", "30.5,-97.8")).toBe(line)
  })

  test("is that of two places which is not the store's", async () => {
    const head = "store_lat,store_lon,customer_lat,customer_lon"
    expect(await doorLine(head, "30.4,-97.7,30.5,-97.8")).toBe(
      "door: { lat: customer_lat, lon: customer_lon }",
    )
  })

  test.each([
    ["51500000,-120000", "door: { lat: to_lat, lon: to_lon, per_degree: 1000000 }"],
    ["515000000,-1200000", "door: { lat: to_lat, lon: to_lon, per_degree: 10000000 }"],
    ["9000000,110000000", "door: { lat: to_lat, lon: to_lon, per_degree: 1000000 }"],
    ["80,262", "# door: { lat: to_lat, lon: to_lon, per_degree: HOW_MUCH }"],
    ["3390000.5,620000.5", "# door: { lat: to_lat, lon: to_lon, per_degree: HOW_MUCH }"],
    ["3000000000,100", "# door: { lat: to_lat, lon: to_lon, per_degree: HOW_MUCH }"],
  ])("has what a degree is from both columns: %s", async (places, line) => {
    expect(await doorLine("to_lat,to_lon", places)).toBe(line)
  })
})
