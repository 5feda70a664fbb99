/** Quotes, deliveries, vehicles and opt-outs: rows J1 to J24 and J30. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import type { QuoteRequest } from "../../../src/model/requests/delivery-requests.ts"
import type { Partner } from "../../../src/model/caller.ts"
import { MINUTE_MS, SECOND_MS, isoMs } from "../../../src/model/values/time.ts"
import { DirectDelivery } from "../../../src/areas/direct-delivery/direct-delivery.ts"
import type { DeliveryRecord, QuoteRecord } from "../../../src/areas/direct-delivery/record.ts"
import { MeasuredSites } from "../../../src/areas/analytics/sites.ts"
import { InboundSms } from "../../../src/areas/messages/inbound-sms.ts"
import { MessageRows } from "../../../src/areas/messages/rows.ts"
import { DeliveryOperations } from "../../../src/areas/direct-delivery/delivery-operations.ts"
import { Vehicles } from "../../../src/areas/dispatch/vehicles.ts"
import {
  BARE_SITE,
  FLEET,
  INACTIVE_SITE,
  SANDBOX_SITE,
  SITE,
  STRANGERS_SITE,
  north,
} from "../delivery-world.ts"
import { codeOf, holding, operations, partner, refusalOf, sandboxPartner } from "../harness.ts"
import type { MakeServicesHarness, ServicesHarness } from "../harness.ts"

const deliveries = Effect.serviceFunctions(DirectDelivery)
const operated = Effect.serviceFunctions(DeliveryOperations)
const vehicles = Effect.serviceFunctions(Vehicles)
const inbound = Effect.serviceFunctions(InboundSms)

const PHONE = "+15125550123"

function quoting(h: ServicesHarness, more: Partial<QuoteRequest> = {}): QuoteRequest {
  return {
    external_delivery_id: "order-1",
    customer: { phone: PHONE, first_name: "Ada" },
    delivery_address: { street: "1 Sample St", city: "Austin", state: "TX", zip: "78758" },
    delivery_location: north(2_000),
    ready_by: h.now() + 10 * MINUTE_MS,
    order_items: [{ name: "Milk", quantity: 2 }],
    ...more,
  }
}

/** A production vehicle on the road, or a sandbox's. */
async function park(h: ServicesHarness, vehicleId = "veh_1", northM = 1_000): Promise<void> {
  const environment = "production"
  const vehicle = { vehicleId, fleetId: FLEET, environment, label: vehicleId } as const
  await h.run(vehicles.register({ ...vehicle, isSynthetic: false, isOnline: true }))
  await h.run(vehicles.report(operations, vehicleId, [{ ...north(northM), recorded_at: h.now() }]))
}

async function parkSandbox(h: ServicesHarness): Promise<void> {
  const vehicle = { vehicleId: "veh_s", fleetId: "fleet_sandbox", environment: "sandbox" } as const
  await h.run(vehicles.register({ ...vehicle, label: "S", isSynthetic: true, isOnline: true }))
}

interface At {
  readonly caller?: Partner
  readonly site?: string
}

function quoted(
  h: ServicesHarness,
  more: Partial<QuoteRequest> = {},
  { caller = partner, site = SITE }: At = {},
): Promise<QuoteRecord> {
  return h.run(deliveries.quote(caller, site, quoting(h, more)))
}

async function created(h: ServicesHarness, id = "order-1", at: At = {}): Promise<DeliveryRecord> {
  await quoted(h, { external_delivery_id: id }, at)
  const { caller = partner, site = SITE } = at
  const { delivery } = await h.run(deliveries.create(caller, site, { external_delivery_id: id }))
  return delivery
}

const SANDBOX: At = { caller: sandboxPartner, site: SANDBOX_SITE }

/** The id by which operations know the only open run. */
async function openRun(h: ServicesHarness): Promise<string> {
  const [run] = await h.run(operated.runs(operations, SITE))
  return run?.deliveryId ?? "none"
}

async function statusOf(h: ServicesHarness, id = "order-1"): Promise<string> {
  await h.advance(SECOND_MS)
  return (await h.run(deliveries.read(partner, SITE, id))).status
}

export function directDeliveryTests(make: MakeServicesHarness): void {
  describe("a quote", () => {
    test("J1 and Q15: fee, currency, times in full minutes and five minutes to decide", async () => {
      const h = make()
      await park(h)
      const now = h.now()
      expect(await quoted(h)).toEqual({
        external_delivery_id: "order-1",
        available: true,
        pickup_eta: isoMs(now + 10 * MINUTE_MS),
        delivery_eta: isoMs(now + 20 * MINUTE_MS),
        delivery_fee_cents: 799,
        currency: "USD",
        expires_at: isoMs(now + 5 * MINUTE_MS),
        unavailable_reason: null,
        earliest_at: null,
      })
    })

    test("J2: an unavailable one says why, and its terms are null", async () => {
      const h = make()
      await park(h)
      expect(await quoted(h, { delivery_location: north(20_000) })).toEqual({
        external_delivery_id: "order-1",
        available: false,
        pickup_eta: null,
        delivery_eta: null,
        delivery_fee_cents: null,
        currency: null,
        expires_at: isoMs(h.now() + 5 * MINUTE_MS),
        unavailable_reason: "OUT_OF_SERVICE_AREA",
        earliest_at: null,
      })
    })

    test.each([
      ["a missing site header", undefined, "VALIDATION_ERROR"],
      ["a header that is no UUID", "site-1", "VALIDATION_ERROR"],
      ["a site that is not there", "11111111-0000-4000-8000-00000000ffff", "RETAILER_NOT_FOUND"],
      ["another organization's site", STRANGERS_SITE, "RETAILER_NOT_FOUND"],
      ["the other environment's site", SANDBOX_SITE, "RETAILER_NOT_FOUND"],
      ["a deactivated site", INACTIVE_SITE, "RETAILER_INACTIVE"],
      ["a site without a service area", BARE_SITE, "RETAILER_NOT_CONFIGURED"],
    ])("J3: %s is refused", async (_, site, code) => {
      const h = make()
      await park(h)
      expect(await codeOf(h, deliveries.quote(partner, site, quoting(h)))).toBe(code)
    })

    test("J4: permissions come before the site, and reading is not writing", async () => {
      const h = make()
      const reader = holding("deliveries:read")
      expect(await codeOf(h, deliveries.quote(reader, undefined, quoting(h)))).toBe("PERMISSION_DENIED")
      expect(await codeOf(h, deliveries.list(holding("deliveries:write"), SITE, {}))).toBe(
        "PERMISSION_DENIED",
      )
    })

    test("J5: an order that is ready now or earlier is INVALID_READY_BY, before anything else of the site", async () => {
      const h = make()
      const late = quoting(h, { ready_by: h.now() })
      expect(await codeOf(h, deliveries.quote(partner, BARE_SITE, late))).toBe("INVALID_READY_BY")
    })

    test("J6 and Q9: an address is located by its ZIP code; a place given directly, either way, needs none", async () => {
      const h = make()
      await park(h)
      const address = quoting(h).delivery_address
      const unknown = { ...address, zip: "00000" }
      const byZip = quoting(h, { delivery_location: null })
      expect((await h.run(deliveries.quote(partner, SITE, byZip))).available).toBe(true)
      const failing = quoting(h, { delivery_location: null, delivery_address: unknown })
      expect(await codeOf(h, deliveries.quote(partner, SITE, failing))).toBe("GEOCODE_FAILED")
      const { latitude: lat, longitude: lng } = north(500)
      const alias = { ...unknown, location: { lat, lng } }
      const told = quoting(h, { delivery_location: null, delivery_address: alias })
      expect((await h.run(deliveries.quote(partner, SITE, told))).available).toBe(true)
    })

    test("J7 and Q13: reasons come in their order: area, opt-out, drivers, capacity", async () => {
      const h = make()
      const sms = { environment: "production", organizationId: null, inboundId: null, from: PHONE } as const
      await h.run(inbound.receive({ ...sms, text: "STOP" }))
      const far = { delivery_location: north(20_000) }
      expect((await quoted(h, far)).unavailable_reason).toBe("OUT_OF_SERVICE_AREA")
      expect((await quoted(h)).unavailable_reason).toBe("CUSTOMER_OPTED_OUT")
      await h.run(inbound.receive({ ...sms, text: "start" }))
      expect((await quoted(h)).unavailable_reason).toBe("NO_DRIVERS_ONLINE")
      await park(h)
      await created(h, "order-2")
      await created(h, "order-3")
      expect((await quoted(h)).unavailable_reason).toBe("NO_CAPACITY")
      const ahead = { ready_by: h.now() + 121 * MINUTE_MS }
      expect((await quoted(h, ahead)).unavailable_reason).toBe("NO_DRIVERS_ONLINE")
    })

    test("J8 and PM7: an opt-out holds for the whole of production and for one sandbox organization", async () => {
      const h = make()
      await park(h)
      await parkSandbox(h)
      const quit = { environment: "sandbox", inboundId: null, from: PHONE, text: "Quit" } as const
      await h.run(inbound.receive({ ...quit, organizationId: "org_two" }))
      expect((await quoted(h, {}, SANDBOX)).available).toBe(true)
      await h.run(inbound.receive({ ...quit, organizationId: "org_one" }))
      expect((await quoted(h, {}, SANDBOX)).unavailable_reason).toBe("CUSTOMER_OPTED_OUT")
      expect((await quoted(h)).available).toBe(true)
    })
  })

  describe("notices to customers", () => {
    const textsOf = async (h: ServicesHarness): Promise<readonly string[]> => {
      const messages = await h.run(
        Effect.flatMap(MessageRows, (rows) => rows.newest({ channel: "sms", limit: 20 })),
      )
      return messages
        .map(({ to, status, reason, text }) => `${to} ${status} ${reason ?? "-"}: ${text}`)
        .toReversed()
    }

    test("PM7: production texts the customer three times: it will come, it is on its way, it is there", async () => {
      const h = make()
      await park(h)
      await created(h, "order-1")
      const deliveryId = await openRun(h)
      for (const status of ["EN_ROUTE_TO_CUSTOMER", "ARRIVED_AT_CUSTOMER", "COMPLETED"] as const) {
        await h.run(operated.supervise(operations, deliveryId, { status }))
      }
      const texts = await textsOf(h)
      const link = /https?:\S+\/track\/dlv_\S+/
      expect(texts.map((text) => text.replace(/about \d+ min/, "<time>").replace(link, "<link>"))).toEqual([
        `${PHONE} pending -: North store: an autonomous vehicle will bring your order in <time>. Follow it: <link> Reply STOP to end texts, HELP for help.`,
        `${PHONE} pending -: North store: your order is on its way to you, <time>. Follow it: <link>`,
        `${PHONE} pending -: North store: your order is here. Please meet the vehicle outside. How: <link>`,
      ])
    })

    test("a status that was passed through at once is not told", async () => {
      const h = make()
      await park(h)
      await created(h, "order-1")
      const deliveryId = await openRun(h)
      await h.run(operated.supervise(operations, deliveryId, { status: "ARRIVED_AT_CUSTOMER" }))
      expect(await textsOf(h)).toHaveLength(2)
      expect((await textsOf(h))[1]).toContain("your order is here")
    })

    test("B3: the sandbox writes them down as suppressed", async () => {
      const h = make()
      await parkSandbox(h)
      await created(h, "order-1", SANDBOX)
      expect((await textsOf(h)).map((text) => text.slice(0, 32))).toEqual([`${PHONE} suppressed sandbox:`])
    })
  })

  describe("a delivery", () => {
    test("J9 and Q7: carries the quote's terms, the errand and the names that were given last", async () => {
      const h = make()
      await park(h)
      const quote = await quoted(h)
      const customer = { first_name: "Grace", email: "grace@example.com" }
      const { delivery, isReplay } = await h.run(
        deliveries.create(partner, SITE, { external_delivery_id: "order-1", customer }),
      )
      expect(isReplay).toBe(false)
      expect(delivery).toEqual({
        external_delivery_id: "order-1",
        status: "SCHEDULED",
        pickup_eta: quote.pickup_eta,
        delivery_eta: quote.delivery_eta,
        estimated_pickup_at: quote.pickup_eta,
        estimated_delivery_at: quote.delivery_eta,
        delivery_fee_cents: 799,
        currency: "USD",
        ready_by: isoMs(h.now() + 10 * MINUTE_MS),
        customer: { first_name: "Grace", last_name: null, email: "grace@example.com", phone: PHONE },
        delivery_address: { street: "1 Sample St", city: "Austin", state: "TX", zip: "78758", unit: null },
        delivery_location: north(2_000),
        order_items: [{ name: "Milk", quantity: 2 }],
        pickup_instructions: null,
        tracking_url: expect.stringMatching(/^https?:\/\/[^/]+\/track\/dlv_/),
        cancellation_reason: null,
        cancelled_at: null,
        completed_at: null,
        created_at: isoMs(h.now()),
        updated_at: isoMs(h.now()),
      })
    })

    test("PM6: its estimates follow the vehicle, and the times that were quoted stay", async () => {
      const h = make()
      await park(h)
      const { pickup_eta, delivery_eta } = await created(h)
      const from = h.now()
      const seen = () => h.run(deliveries.read(partner, SITE, "order-1"))
      const drive = async (metres: number, load?: "loaded" | "unloaded") => {
        await h.advance(SECOND_MS)
        await h.run(vehicles.report(operations, "veh_1", [{ ...north(metres), recorded_at: h.now(), load }]))
        await h.advance(SECOND_MS)
        const found = await seen()
        expect(found).toMatchObject({ pickup_eta, delivery_eta })
        const minutes = (iso: string | null) =>
          iso === null ? null : Math.floor((Date.parse(iso) - from) / MINUTE_MS)
        return [minutes(found.estimated_pickup_at), minutes(found.estimated_delivery_at)]
      }
      // The order is ready in ten minutes; at 25 km/h ten kilometres take twenty-four.
      expect(await drive(900)).toEqual([10, 20])
      expect(await drive(10_000)).toEqual([25, 35])
      await drive(0)
      await h.advance(20 * MINUTE_MS)
      // Stood at the store, the order is late: it is loaded now at the earliest.
      expect(await drive(0)).toEqual([21, 31])
      expect(await drive(0, "loaded")).toEqual([null, 25])
      expect(await drive(1_000)).toEqual([null, 23])
      const done = (await drive(2_000, "unloaded"), await drive(2_000))
      expect(done).toEqual([null, null])
    })

    test("PM6: an estimate counts the run before, and a cancel ends it", async () => {
      const h = make()
      await park(h)
      await created(h, "order-1")
      const second = await created(h, "order-2")
      expect(second.estimated_pickup_at).toBe(second.pickup_eta)
      expect(Date.parse(second.pickup_eta) - h.now()).toBeGreaterThan(20 * MINUTE_MS)
      const canceled = await h.run(deliveries.cancel(partner, SITE, "order-1", { status: "CANCELLED" }))
      expect(canceled).toMatchObject({ estimated_pickup_at: null, estimated_delivery_at: null })
      const alone = await h.run(deliveries.read(partner, SITE, "order-2"))
      expect(alone.pickup_eta).toBe(second.pickup_eta)
      expect(Date.parse(alone.estimated_pickup_at ?? "") - h.now()).toBeLessThanOrEqual(11 * MINUTE_MS)
    })

    test("J10: without a quote, after it, or from an unavailable one there is none", async () => {
      const h = make()
      await park(h)
      const create = deliveries.create(partner, SITE, { external_delivery_id: "order-1" })
      expect(await codeOf(h, create)).toBe("QUOTE_NOT_FOUND")
      await quoted(h, { delivery_location: north(20_000) })
      const refused = await refusalOf(h, create)
      expect(refused.code).toBe("QUOTE_UNAVAILABLE")
      expect(refused.message).toContain("OUT_OF_SERVICE_AREA")
      await quoted(h)
      await h.advance(5 * MINUTE_MS)
      expect(await codeOf(h, create)).toBe("QUOTE_EXPIRED")
    })

    test("J11 and Q21: the same request again gets the delivery as it is, another one is refused", async () => {
      const h = make()
      await park(h)
      await created(h)
      expect(await statusOf(h)).toBe("ASSIGNED")
      const again = await h.run(deliveries.create(partner, SITE, { external_delivery_id: "order-1" }))
      expect(again).toMatchObject({ isReplay: true, delivery: { status: "ASSIGNED" } })
      const other = { external_delivery_id: "order-1", customer: { first_name: "Alan" } }
      expect(await codeOf(h, deliveries.create(partner, SITE, other))).toBe("DELIVERY_ALREADY_EXISTS")
      expect(await codeOf(h, deliveries.quote(partner, SITE, quoting(h)))).toBe("DELIVERY_ALREADY_EXISTS")
    })

    test("J12 and Q23: a create that begins while another of its id runs is told that it exists, one after its end gets it", async () => {
      const h = make()
      await park(h)
      await park(h, "veh_2")
      // Hosts differ in how far the first has come by then; in memory it has ended.
      for (const yields of [0, 3, 12, 200]) {
        const id = `order-${yields}`
        await quoted(h, { external_delivery_id: id })
        let isOver = false
        const create = Effect.map(
          Effect.either(deliveries.create(partner, SITE, { external_delivery_id: id })),
          (one) => (one._tag === "Left" ? one.left.code : one.right.isReplay ? "again" : "made"),
        )
        const first = Effect.tap(create, () => {
          isOver = true
        })
        const second = Effect.gen(function* () {
          for (let count = 0; count < yields; count += 1) yield* Effect.yieldNow()
          const expected = isOver ? "again" : "DELIVERY_ALREADY_EXISTS"
          return [yield* create, expected]
        })
        const [one, [other, expected]] = await h.run(
          Effect.all([first, second], { concurrency: "unbounded" }),
        )
        // At once, either may be the one that makes it.
        expect({ yields, answers: new Set([one, other]) }).toEqual({
          yields,
          answers: new Set(["made", expected]),
        })
        await h.run(deliveries.cancel(partner, SITE, id, { status: "CANCELLED" }))
      }
      expect((await h.run(deliveries.list(partner, SITE, {}))).deliveries).toHaveLength(4)
    })

    test("J13: the phone number is the quoted one", async () => {
      const h = make()
      await park(h)
      await quoted(h)
      const other = { external_delivery_id: "order-1", customer: { phone: "+15125550124" } }
      expect(await codeOf(h, deliveries.create(partner, SITE, other))).toBe("VALIDATION_ERROR")
      expect(await codeOf(h, deliveries.read(partner, SITE, "order-1"))).toBe("DELIVERY_NOT_FOUND")
    })

    test("J14 and Q22: a create without a free place answers NO_CAPACITY, and the quote stays live", async () => {
      const h = make()
      await parkSandbox(h)
      for (const id of ["a", "b", "c"]) await quoted(h, { external_delivery_id: id }, SANDBOX)
      const create = (id: string) =>
        deliveries.create(sandboxPartner, SANDBOX_SITE, { external_delivery_id: id })
      for (const id of ["a", "b"]) await h.run(create(id))
      // A place is free when the first run ends: picked up in 10 minutes, loaded 5 later, then 5 on the road.
      const earliestAtMs = h.now() + 20 * MINUTE_MS
      const refused = await h.run(Effect.flip(create("c")))
      expect(refused).toMatchObject({ code: "NO_CAPACITY", earliestAtMs })
      expect(refused.message).toContain(`the next free place is expected at ${isoMs(earliestAtMs)}`)
      expect(await quoted(h, { external_delivery_id: "d" }, SANDBOX)).toMatchObject({
        unavailable_reason: "NO_CAPACITY",
        earliest_at: isoMs(earliestAtMs),
      })
      const cancel = { status: "CANCELLED" } as const
      await h.run(deliveries.cancel(sandboxPartner, SANDBOX_SITE, "a", cancel))
      const { delivery } = await h.run(create("c"))
      expect(delivery.external_delivery_id).toBe("c")
    })

    test("J14 and P5: fifty creates at once on one vehicle make two deliveries", async () => {
      const h = make()
      await park(h)
      const ids = Array.from({ length: 50 }, (_, at) => `order-${at}`)
      for (const id of ids) await quoted(h, { external_delivery_id: id })
      const create = (id: string) =>
        Effect.map(Effect.either(deliveries.create(partner, SITE, { external_delivery_id: id })), (one) =>
          one._tag === "Left" ? one.left.code : "made",
        )
      const answers = await h.run(Effect.all(ids.map(create), { concurrency: "unbounded" }))
      const made = answers.filter((answer) => answer === "made")
      const refused = answers.filter((answer) => answer === "NO_CAPACITY")
      expect([made.length, refused.length]).toEqual([2, 48])
      expect((await h.run(deliveries.list(partner, SITE, {}))).deliveries).toHaveLength(2)
    })

    test("P5: nothing is made while no vehicle is online", async () => {
      const h = make()
      await park(h)
      await quoted(h)
      await h.run(vehicles.goOffline(operations, "veh_1"))
      const create = deliveries.create(partner, SITE, { external_delivery_id: "order-1" })
      const refused = await h.run(Effect.flip(create))
      expect(refused).toMatchObject({ code: "NO_CAPACITY", earliestAtMs: null })
      await h.run(vehicles.goOnline(operations, "veh_1"))
      expect((await h.run(create)).isReplay).toBe(false)
    })

    test("Q15: the times of a quote include the runs before it", async () => {
      const h = make()
      await park(h)
      const now = h.now()
      await created(h, "order-1")
      const second = { external_delivery_id: "order-2" }
      expect(await quoted(h, second)).toMatchObject({
        pickup_eta: isoMs(now + 25 * MINUTE_MS),
        delivery_eta: isoMs(now + 35 * MINUTE_MS),
      })
      await park(h, "veh_2", 500)
      expect(await quoted(h, second)).toMatchObject({ pickup_eta: isoMs(now + 10 * MINUTE_MS) })
    })

    test("J15: a cancel is told once, keeps its first reason, and is refused at the end", async () => {
      const h = make()
      await parkSandbox(h)
      await created(h, "order-1", SANDBOX)
      const cancel = (cancellation_reason: string) =>
        deliveries.cancel(sandboxPartner, SANDBOX_SITE, "order-1", {
          status: "CANCELLED",
          cancellation_reason,
        })
      await h.advance(MINUTE_MS)
      const first = await h.run(cancel("Not at home"))
      expect(first).toMatchObject({
        status: "CANCELLED",
        cancellation_reason: "Not at home",
        cancelled_at: isoMs(h.now()),
        updated_at: isoMs(h.now()),
      })
      await h.advance(MINUTE_MS)
      expect(await h.run(cancel("Another"))).toEqual(first)
      await created(h, "order-2", SANDBOX)
      const advance = deliveries.advance(sandboxPartner, SANDBOX_SITE, "order-2")
      for (let step = 0; step < 8; step += 1) await h.run(advance)
      const late = { status: "CANCELLED" } as const
      expect(await codeOf(h, deliveries.cancel(sandboxPartner, SANDBOX_SITE, "order-2", late))).toBe(
        "INVALID_STATE",
      )
    })

    test("J16: one that is only quoted, or another site's, cannot be read", async () => {
      const h = make()
      await park(h)
      await quoted(h)
      expect(await codeOf(h, deliveries.read(partner, SITE, "order-1"))).toBe("DELIVERY_NOT_FOUND")
      const stranger: Partner = { ...partner, organizationId: "org_two" }
      expect(await codeOf(h, deliveries.read(stranger, STRANGERS_SITE, "order-1"))).toBe("DELIVERY_NOT_FOUND")
    })

    test("J17: the list is newest first, in pages, and narrows by status and creation", async () => {
      const h = make()
      await park(h, "veh_1")
      await park(h, "veh_2")
      const list = (request: Parameters<DirectDelivery["Type"]["list"]>[2]) =>
        h.run(deliveries.list(partner, SITE, request))
      const startMs = h.now()
      for (const id of ["a", "b", "c"]) {
        await created(h, id)
        await h.advance(MINUTE_MS)
      }
      await h.run(deliveries.cancel(partner, SITE, "b", { status: "CANCELLED" }))
      const idsOf = (page: { readonly deliveries: readonly DeliveryRecord[] }) =>
        page.deliveries.map((one) => one.external_delivery_id)
      const first = await list({ limit: 2 })
      expect(idsOf(first)).toEqual(["c", "b"])
      const second = await list({ limit: 2, cursor: first.next_cursor ?? "" })
      expect([idsOf(second), second.next_cursor]).toEqual([["a"], null])
      expect(idsOf(await list({ status: ["CANCELLED"] }))).toEqual(["b"])
      expect(idsOf(await list({ created_after: startMs }))).toEqual(["c", "b"])
      expect(idsOf(await list({ created_before: startMs + MINUTE_MS }))).toEqual(["a"])
      expect(await codeOf(h, deliveries.list(partner, SITE, { cursor: "cjE" }))).toBe("VALIDATION_ERROR")
    })

    test("J18 and B1: the sandbox advances step by step; production has no such thing", async () => {
      const h = make()
      await parkSandbox(h)
      await park(h)
      expect((await created(h, "order-1", SANDBOX)).status).toBe("SCHEDULED")
      const advance = deliveries.advance(sandboxPartner, SANDBOX_SITE, "order-1")
      const statuses: string[] = []
      for (let step = 0; step < 8; step += 1) statuses.push((await h.run(advance)).status)
      expect(statuses).toEqual([
        "ASSIGNED",
        "EN_ROUTE_TO_STORE",
        "ARRIVED_AT_STORE",
        "WAITING_FOR_LOAD",
        "LOADED",
        "EN_ROUTE_TO_CUSTOMER",
        "ARRIVED_AT_CUSTOMER",
        "COMPLETED",
      ])
      expect(await codeOf(h, advance)).toBe("INVALID_STATE")
      await created(h)
      expect(await codeOf(h, deliveries.advance(partner, SITE, "order-1"))).toBe("NOT_FOUND")
    })
  })

  describe("a vehicle of the fleet", () => {
    test("J19 and PM5: the nearest with a free place takes the run", async () => {
      const h = make()
      await park(h, "veh_far", 3_000)
      await park(h, "veh_near", 500)
      await created(h)
      await h.advance(SECOND_MS)
      const onTheSpot = { ...north(10), recorded_at: h.now(), load: "loaded" } as const
      await h.run(vehicles.report(operations, "veh_far", [onTheSpot]))
      expect(await statusOf(h)).toBe("ASSIGNED")
      await h.run(vehicles.report(operations, "veh_near", [{ ...onTheSpot, recorded_at: h.now() }]))
      expect(await statusOf(h)).toBe("LOADED")
    })

    test("J20 and PM2 and PM3: a batch in any order is taken in the order in which it was recorded", async () => {
      const h = make()
      await park(h)
      await created(h)
      await h.advance(10 * MINUTE_MS)
      const at = (minutes: number, metres: number, load?: "loaded" | "unloaded") => ({
        ...north(metres),
        recorded_at: h.now() - (10 - minutes) * MINUTE_MS,
        ...(load === undefined ? {} : { load }),
      })
      const batch = [at(9, 1_990, "unloaded"), at(3, 20), at(8, 1_990), at(5, 400), at(1, 600)]
      expect(await h.run(vehicles.report(operations, "veh_1", batch))).toEqual({
        stored: 5,
        repeated: 0,
        older: 0,
      })
      expect(await statusOf(h)).toBe("COMPLETED")
    })

    test("J21 and PM1: a repeat is stored once, and an older one moves nothing", async () => {
      const h = make()
      await park(h)
      await created(h)
      await h.advance(2 * MINUTE_MS)
      const fix = { ...north(20), recorded_at: h.now() }
      expect(await h.run(vehicles.report(operations, "veh_1", [fix]))).toMatchObject({ stored: 1 })
      expect(await h.run(vehicles.report(operations, "veh_1", [fix]))).toEqual({
        stored: 0,
        repeated: 1,
        older: 0,
      })
      const older = { ...north(1_990), recorded_at: h.now() - MINUTE_MS, load: "loaded" } as const
      expect(await h.run(vehicles.report(operations, "veh_1", [older]))).toEqual({
        stored: 1,
        repeated: 0,
        older: 1,
      })
      expect(await statusOf(h)).toBe("ARRIVED_AT_STORE")
    })

    test("J22: a fix from more than five minutes ahead is refused with the whole report", async () => {
      const h = make()
      await park(h)
      const good = { ...north(900), recorded_at: h.now() + 1 }
      const ahead = { ...north(900), recorded_at: h.now() + 5 * MINUTE_MS + 1 }
      expect(await codeOf(h, vehicles.report(operations, "veh_1", [good, ahead]))).toBe("VALIDATION_ERROR")
      expect(await h.run(vehicles.report(operations, "veh_1", [good]))).toMatchObject({ stored: 1 })
    })

    test("J23 and PM6: a run stays with a vehicle that goes offline, and keeps its times", async () => {
      const h = make()
      await park(h, "veh_1")
      await park(h, "veh_2", 4_000)
      const before = await created(h)
      await h.run(vehicles.goOffline(operations, "veh_1"))
      expect(await statusOf(h)).toBe("ASSIGNED")
      const after = await h.run(deliveries.read(partner, SITE, "order-1"))
      expect(after.pickup_eta).toBe(before.pickup_eta)
      const fix = { ...north(20), recorded_at: h.now() }
      await h.run(vehicles.report(operations, "veh_1", [fix]))
      expect(await statusOf(h)).toBe("ARRIVED_AT_STORE")
      expect(await codeOf(h, vehicles.goOnline(operations, "veh_9"))).toBe("NOT_FOUND")
    })

    test("J30: a site has a time zone of its own, and analytics shows its days to its owner alone", async () => {
      const h = make()
      const measured = (organizationId: string, siteId = SITE) =>
        h.run(
          Effect.flatMap(MeasuredSites, (sites) =>
            sites.site({ environment: "production", organizationId }, siteId),
          ),
        )
      const zone = { timezone: "America/Chicago", activeStalls: 0 }
      expect(await measured("org_one")).toEqual({ siteId: SITE, ...zone })
      expect(await measured("org_two")).toBeNull()
      expect(await measured("org_one", SANDBOX_SITE)).toBeNull()
    })

    test("J24: a vehicle of the other environment is not there", async () => {
      const h = make()
      await parkSandbox(h)
      expect(
        await codeOf(h, vehicles.report(operations, "veh_s", [{ ...north(1), recorded_at: h.now() }])),
      ).toBe("NOT_FOUND")
    })
  })
}
