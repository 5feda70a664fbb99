/** Five logs in the shapes of published ones are replayed as they come. Their rows are made up. */

import { parquetWriteBuffer } from "hyparquet-writer"
import { expect, test } from "vitest"
import type { FleetModel } from "../../../../src/simulation/fleet/language/model.ts"
import { replicate } from "../../../../src/simulation/fleet/world/replication.ts"
import { doorDashLike, instacartLike, meituanLike, olistLike, taxiLike } from "./logs.ts"
import { modelWith } from "./tables.ts"

function written({
  clock,
  at,
  horizon,
  replay,
}: {
  clock: string
  at: string
  horizon: string
  replay: string
}) {
  return `
fleet: A published log
because: A planner has only this.
clock: ${clock}
horizon: ${horizon}
sites:
  - { as: town, at: ${at}, reach_km: 5, vehicles: 60, stores: [{ as: first }, { as: second }] }
demand:
  - product: delivery
    site: town
    replay:
${replay.trimEnd()}
`
}

/** Orders that the service was asked for in one replication. */
function askedIn(model: FleetModel): number | null | undefined {
  return replicate(model, { seed: 1 }).figures["deliveries.asked"]
}

function notesOf({ logs }: FleetModel): readonly string[] {
  return logs.flatMap(({ notes }) => notes)
}

test("a marketplace's orders with their statuses and the times of their steps", async () => {
  const model = await modelWith(
    written({
      clock: "2026-12-04T09:00 America/Sao_Paulo",
      at: "[-23.55, -46.63]",
      horizon: "9h",
      replay: `
      file: orders.csv
      time: order_purchase_timestamp
      only: { order_status: [delivered, canceled] }
      preparation: { from: order_approved_at, to: order_delivered_carrier_date }
      cancel: { column: order_status, is: canceled }
      first_day: 2017-10-02`,
    }),
    { "orders.csv": olistLike() },
  )
  expect(notesOf(model)).toMatchInlineSnapshot(`
    [
      "orders.csv: CSV with "," between cells; UTF-8; times as YYYY-MM-DD HH:mm:ss, of America/Sao_Paulo where they have no offset",
      "orders.csv: 70 of 80 rows are orders; left out are 10 with another order_status (first in line 7)",
    ]
  `)
  const [{ orders } = { orders: [] }] = model.logs
  expect(
    orders
      .filter(({ facts }) => facts.isCanceled === true)
      .every(({ facts }) => facts.preparationMs === undefined),
  ).toBe(true)
  expect(askedIn(model)).toBe(orders.length)
})

test("a delivery service's orders, whose times are in UTC and whose blanks are NA", async () => {
  const model = await modelWith(
    written({
      clock: "2015-02-06T09:00 America/Los_Angeles",
      at: "[37.77, -122.42]",
      horizon: "8h",
      replay: `
      file: historical_data.csv
      time: { column: created_at, zone: UTC }
      only: { market_id: "1.0" }
      store: { column: store_id, are: { 1845: first, 5477: second } }
      preparation: { column: total_items, each: 2m }`,
    }),
    { "historical_data.csv": doorDashLike() },
  )
  expect(notesOf(model)).toMatchInlineSnapshot(`
    [
      "historical_data.csv: CSV with "," between cells; UTF-8; "NA" for an empty cell; times as YYYY-MM-DD HH:mm:ss, of UTC where they have no offset",
      "historical_data.csv: 43 of 100 rows are orders; left out are 38 with another market_id (first in line 5), 19 of another store (first in line 7)",
    ]
  `)
  const [{ orders } = { orders: [] }] = model.logs
  expect(new Set(orders.map(({ facts }) => facts.store))).toEqual(new Set(["first", "second"]))
  expect(new Set(orders.map(({ facts }) => (facts.preparationMs ?? 0) % 120_000))).toEqual(new Set([0]))
  expect(askedIn(model)).toBe(orders.length)
})

test("trips of taxis in Parquet, which name zones instead of places", async () => {
  const rows = taxiLike()
  const bytes = parquetWriteBuffer({
    columnData: [
      { name: "tpep_pickup_datetime", data: rows.map(({ pickup }) => pickup), type: "TIMESTAMP" },
      { name: "tpep_dropoff_datetime", data: rows.map(({ dropoff }) => dropoff), type: "TIMESTAMP" },
      { name: "DOLocationID", data: rows.map(({ zone }) => zone), type: "INT32" },
    ],
  })
  const model = await modelWith(
    written({
      clock: "2024-01-05T08:00 UTC",
      at: "[40.73, -73.98]",
      horizon: "12h",
      replay: `
      file: trips.parquet
      time: tpep_pickup_datetime
      door: { column: DOLocationID, are: { 79: [40.7276, -73.9852], 107: [40.7368, -73.9846], 132: [40.6413, -73.7781] } }`,
    }),
    { "trips.parquet": new Uint8Array(bytes) },
  )
  expect(notesOf(model)).toMatchInlineSnapshot(`
    [
      "trips.parquet: Parquet; times as YYYY-MM-DD HH:mm:ss, of UTC where they have no offset",
      "trips.parquet: 91 of 120 rows are orders; left out are 29 whose door is outside of the service area (first in row 2)",
    ]
  `)
  expect(askedIn(model)).toBe(model.logs[0]?.rows.used)
})

test("a grocer's orders, which have a weekday and an hour and no date", async () => {
  const model = await modelWith(
    written({
      clock: "2026-03-02T06:00 America/Chicago",
      at: "[41.88, -87.63]",
      horizon: "7d",
      replay: `
      file: orders.csv
      time: { weekday: order_dow, hour: order_hour_of_day, zero_is: Sat }`,
    }),
    { "orders.csv": instacartLike() },
  )
  expect(notesOf(model)).toMatchInlineSnapshot(`
    [
      "orders.csv: CSV with "," between cells; UTF-8; a weekday and an hour, as the week from the first day of the run on, 0 is Sat",
      "orders.csv: 150 of 150 rows are orders; none left out",
    ]
  `)
  expect(askedIn(model)).toBe(150)
})

test("a courier platform's orders, in seconds since 1970 and millionths of a degree", async () => {
  const model = await modelWith(
    written({
      clock: "2022-10-17T11:00 Asia/Shanghai",
      at: "[45.9, 174.5]",
      horizon: "3h",
      replay: `
      file: all_waybill_info.csv
      time: platform_order_time
      only: { is_prebook: 0 }
      door: { lat: recipient_lat, lon: recipient_lng, per_degree: 1000000 }
      ready_in: { to: estimate_meal_prepare_time }`,
    }),
    { "all_waybill_info.csv": meituanLike() },
  )
  expect(notesOf(model)).toMatchInlineSnapshot(`
    [
      "all_waybill_info.csv: CSV with "," between cells; UTF-8; times as seconds since 1970",
      "all_waybill_info.csv: 87 of 130 rows are orders; left out are 29 with another is_prebook (first in line 5), 14 whose door is outside of the service area (first in line 7)",
    ]
  `)
  const [{ orders } = { orders: [] }] = model.logs
  expect(orders.some(({ facts }) => facts.readyInMs === undefined)).toBe(true)
  expect(askedIn(model)).toBe(orders.length)
})
