/** Order logs in the shapes of five published ones. Every row is made up, from a seed. */

import { Streams } from "../../../../src/engine/kernel/random.ts"

const pad = (value: number): string => String(value).padStart(2, "0")

/** `2017-10-02 10:56:33`, so many seconds after midnight. */
function stamp(date: string, seconds: number): string {
  return `${date} ${pad(Math.floor(seconds / 3600))}:${pad(Math.floor(seconds / 60) % 60)}:${pad(seconds % 60)}`
}

interface Draws {
  readonly whole: (from: number, to: number) => number
  readonly one: <T>(of: readonly T[]) => T
}

function drawsOf(seed: number): Draws {
  const streams = new Streams(seed)
  const whole = (from: number, to: number): number =>
    from + Math.floor(streams.fraction("rows") * (to - from + 1))
  return { whole, one: (of) => of[whole(0, of.length - 1)] as (typeof of)[number] }
}

/** One order a row with times of its steps; comma, quotes around every cell. */
export function olistLike(): string {
  const { whole, one } = drawsOf(1)
  const rows = Array.from({ length: 80 }, (_, at) => {
    const begins = whole(9 * 3600, 17 * 3600)
    const status = one(["delivered", "delivered", "delivered", "delivered", "canceled", "unavailable"])
    const approved = begins + whole(60, 900)
    const carrier = status === "delivered" ? stamp("2017-10-02", approved + whole(600, 2400)) : ""
    return [`o${at}`, `c${at}`, status, stamp("2017-10-02", begins), stamp("2017-10-02", approved), carrier]
  })
  const head = [
    "order_id",
    "customer_id",
    "order_status",
    "order_purchase_timestamp",
    "order_approved_at",
    "order_delivered_carrier_date",
  ]
  return [head, ...rows].map((cells) => cells.map((cell) => `"${cell}"`).join(",")).join("\r\n")
}

/** Times in UTC, a number for the market and the store, `NA` where nothing is known. */
export function doorDashLike(): string {
  const { whole, one } = drawsOf(2)
  const rows = Array.from({ length: 100 }, () => {
    const begins = whole(17 * 3600, 23 * 3600)
    const took = one([whole(1200, 5400), null])
    return [
      one(["1.0", "1.0", "1.0", "2.0", "NA"]),
      stamp("2015-02-06", begins),
      took === null ? "NA" : stamp("2015-02-06", Math.min(86_399, begins + took)),
      one(["1845", "5477", "900"]),
      whole(1, 6),
      whole(60, 1200),
    ]
  })
  const head = [
    "market_id",
    "created_at",
    "actual_delivery_time",
    "store_id",
    "total_items",
    "estimated_store_to_consumer_driving_duration",
  ]
  return [head, ...rows].map((cells) => cells.join(",")).join("\n")
}

/** Zones instead of places. */
export function taxiLike(): readonly {
  readonly pickup: Date
  readonly dropoff: Date
  readonly zone: number
}[] {
  const { whole, one } = drawsOf(3)
  return Array.from({ length: 120 }, () => {
    const begins = Date.UTC(2024, 0, 5) + whole(8 * 3600, 20 * 3600) * 1000
    return {
      pickup: new Date(begins),
      dropoff: new Date(begins + whole(300, 2400) * 1000),
      zone: one([79, 79, 107, 132]),
    }
  })
}

/** No dates: the weekday and the hour of day. */
export function instacartLike(): string {
  const { whole } = drawsOf(4)
  const rows = Array.from({ length: 150 }, (_, at) =>
    [
      at + 1,
      whole(1, 40),
      "prior",
      whole(1, 9),
      whole(0, 6),
      pad(whole(7, 22)),
      at % 9 === 0 ? "" : `${whole(1, 30)}.0`,
    ].join(","),
  )
  return [
    "order_id,user_id,eval_set,order_number,order_dow,order_hour_of_day,days_since_prior_order",
    ...rows,
  ].join("\n")
}

/** Seconds since 1970, places as millionths of a degree, an index without a name; 0 where nothing is known. */
export function meituanLike(): string {
  const { whole, one } = drawsOf(5)
  const rows = Array.from({ length: 130 }, (_, at) => {
    // 2022-10-17 11:00 in Shanghai.
    const begins = 1_665_975_600 + whole(0, 3 * 3600)
    const reach = one([20_000, 20_000, 20_000, 90_000])
    return [
      at,
      `w${whole(1, 20)}`,
      begins,
      one([begins + whole(300, 1500), 0]),
      45_900_000 + whole(-reach, reach),
      174_500_000 + whole(-reach, reach),
      one([0, 0, 0, 1]),
    ].join(",")
  })
  return [
    ",waybill_id,platform_order_time,estimate_meal_prepare_time,recipient_lat,recipient_lng,is_prebook",
    ...rows,
  ].join("\n")
}
