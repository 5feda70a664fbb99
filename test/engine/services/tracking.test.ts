/** The tracking page's data of a direct delivery: whom a link lets in, what it shows when, and what its texts say. */

import { Effect } from "effect"
import { beforeEach, describe, expect, test } from "vitest"
import { DirectDelivery } from "../../../src/areas/direct-delivery/direct-delivery.ts"
import { Vehicles } from "../../../src/areas/dispatch/vehicles.ts"
import { MessageRows } from "../../../src/areas/messages/rows.ts"
import type { TrackingAnswer } from "../../../src/areas/tracking/tracking.ts"
import { HOUR_MS, MINUTE_MS } from "../../../src/model/values/time.ts"
import { tokenOf, tracking } from "../../conformance/courier-agent.ts"
import { FLEET, SITE, north } from "../../conformance/delivery-world.ts"
import { operations, partner } from "../../conformance/harness.ts"
import { memoryHarness } from "../../conformance/memory.ts"
import type { MemoryHarness } from "../../conformance/memory.ts"

const deliveries = Effect.serviceFunctions(DirectDelivery)
const vehicles = Effect.serviceFunctions(Vehicles)
const ID = "order-5521"
const DOOR = north(2000)

let h: MemoryHarness
let token: string

beforeEach(async () => {
  h = memoryHarness()
  const vehicle = { vehicleId: "veh_1", fleetId: FLEET, environment: "production", label: "CB-07" } as const
  await h.run(vehicles.register({ ...vehicle, isSynthetic: false, isOnline: true }))
  const quote = {
    external_delivery_id: ID,
    customer: { first_name: "Wilhelmina", phone: "+15125559876" },
    delivery_address: {
      street: "2301 Rosewood Ave",
      unit: "Unit 7",
      city: "Austin",
      state: "TX",
      zip: "78758",
    },
    delivery_location: DOOR,
    ready_by: h.now() + 10 * MINUTE_MS,
    order_items: [{ name: "Salmon bowl", quantity: 2 }],
  }
  await h.run(deliveries.quote(partner, SITE, quote))
  const { delivery } = await h.run(deliveries.create(partner, SITE, { external_delivery_id: ID }))
  token = tokenOf(delivery.tracking_url ?? undefined)
})

const seen = (): Promise<TrackingAnswer> => h.run(tracking.view("production", token))
const read = () => h.run(deliveries.read(partner, SITE, ID))

async function drive(metres: number, load?: "loaded" | "unloaded"): Promise<void> {
  await h.advance(MINUTE_MS)
  const fix = { ...north(metres), recorded_at: h.now(), ...(load === undefined ? {} : { load }) }
  await h.run(vehicles.report(operations, "veh_1", [fix]))
}

async function toTheWay(): Promise<void> {
  for (const [metres, load] of [[900], [5], [5, "loaded"], [400], [1000]] as const) await drive(metres, load)
}

describe("the link of a direct delivery", () => {
  test("is the same in every read, and another delivery's is another", async () => {
    const first = await read()
    await h.advance(MINUTE_MS)
    expect((await read()).tracking_url).toBe(first.tracking_url)
    expect(first.tracking_url).toMatch(/^https:\/\/courier\.[^/]+\/track\/dlv_/)
  })

  test("altered, of another delivery, or at the other environment's host it leads nowhere", async () => {
    const other = token.replace(/dlv_\w{22}/, `dlv_${"z".repeat(22)}`)
    const flipped = `${token.slice(0, -2)}${token.at(-2) === "A" ? "B" : "A"}${token.slice(-1)}`
    for (const wrong of [other, flipped, `${token}x`, "", token.slice(1)])
      expect(await h.run(tracking.view("production", wrong))).toEqual({ type: "unknown" })
    expect(await h.run(tracking.view("sandbox", token))).toEqual({ type: "unknown" })
    expect(await seen()).toMatchObject({ type: "found", environment: "production" })
  })

  test("dies 24 hours after the end, to the millisecond, and is then no part of the record", async () => {
    await h.run(deliveries.cancel(partner, SITE, ID, { status: "CANCELLED" }))
    const endsAtMs = h.now() + 24 * HOUR_MS
    await h.standAt(endsAtMs - 1)
    expect(await seen()).toMatchObject({ type: "found", state: "cancelled", map: null, street: null })
    expect((await read()).tracking_url).not.toBeNull()
    await h.standAt(endsAtMs)
    expect(await seen()).toEqual({ type: "expired" })
    expect((await read()).tracking_url).toBeNull()
  })
})

describe("what it shows", () => {
  test("before the order is on board: store, door and street, and nothing of the vehicle or a person", async () => {
    await drive(900)
    await drive(600)
    const view = await seen()
    expect(view).toMatchObject({
      state: "en_route_to_store",
      storeName: "North store",
      orderNumber: ID,
      street: "2301 Rosewood Ave",
      vehicle: null,
      receipt: null,
      map: { vehicle: null, trail: [] },
      fee: null,
    })
    expect(JSON.stringify(view)).not.toMatch(/Wilhelmina|9876|Unit 7|CB-07|veh_1/)
  })

  test("on the way: the steps with their times, the trail since the store, and the estimate of the reads", async () => {
    await toTheWay()
    const view = await seen()
    if (view.type !== "found") throw new Error(view.type)
    expect(view.state).toBe("en_route_to_customer")
    expect(view.steps.map(({ step, atMs }) => [step, atMs === null])).toEqual([
      ["booked", false],
      ["at_store", false],
      ["on_its_way", false],
      ["at_the_door", true],
      ["delivered", true],
    ])
    expect(view.vehicle).toEqual({ label: "CB-07", look: "white" })
    expect(view.map?.trail.map(({ latitude }) => latitude)).toEqual(
      [5, 400, 1000].map((metres) => north(metres).latitude),
    )
    const estimatedMs = Date.parse((await read()).estimated_delivery_at ?? "")
    expect(view.arrival?.fromMs).toBeLessThanOrEqual(estimatedMs)
    expect(view.arrival?.toMs).toBeGreaterThanOrEqual(estimatedMs)
  })

  test("a store that keeps the vehicle waiting is named as what changed", async () => {
    await drive(900)
    await drive(5)
    await h.advance(60 * MINUTE_MS)
    const view = await seen()
    expect(view).toMatchObject({ change: { why: "store" } })
    if (view.type === "found") expect(view.change?.byMinutes).toBeGreaterThan(30)
  })

  test("delivered: every step has its time, and map, street and vehicle are gone", async () => {
    await toTheWay()
    for (const [metres, load] of [[1995], [1998, "unloaded"]] as const) await drive(metres, load)
    const view = await seen()
    expect(view).toMatchObject({ state: "completed", map: null, street: null, vehicle: null, arrival: null })
    if (view.type === "found") expect(view.steps.every(({ atMs }) => atMs !== null)).toBe(true)
    // From where to where as the customer gave it; this site has no address.
    const created = Date.parse((await read()).created_at)
    expect(view).toMatchObject({
      receipt: {
        from: [],
        to: ["2301 Rosewood Ave", "Unit 7", "Austin, TX 78758"],
        bookedAtMs: created,
        deliveredAtMs: h.now(),
      },
    })
  })
})

test("each of the three texts of production has the link, and the minutes are those of the live estimate", async () => {
  await toTheWay()
  await drive(1995)
  await drive(1998)
  const sent = await h.run(Effect.flatMap(MessageRows, (rows) => rows.newest({ channel: "sms", limit: 20 })))
  const texts = sent.map(({ text }) => text ?? "").toReversed()
  expect(texts.map((text) => text.replace(/https:\S+/, "<link>"))).toEqual([
    expect.stringMatching(/about \d+ min\. Follow it: <link> Reply STOP/),
    expect.stringMatching(/on its way to you, about \d min\. Follow it: <link>$/),
    expect.stringMatching(/is here\. Please meet the vehicle outside\. How: <link>$/),
  ])
  for (const text of texts) expect(text).toContain(`/track/${token}`)
})
