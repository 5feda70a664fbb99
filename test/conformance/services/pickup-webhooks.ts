/** Direct delivery's webhooks: rows Y7 to Y14. The signature is checked by a few lines of this file's own. */

import { createHmac } from "node:crypto"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import type { Partner } from "../../../src/model/caller.ts"
import { MINUTE_MS, SECOND_MS } from "../../../src/model/values/time.ts"
import { EVENT_TYPES, PICKUP_EVENT_TYPES } from "../../../src/model/webhook.ts"
import { DirectDelivery } from "../../../src/areas/direct-delivery/direct-delivery.ts"
import { DeliveryOperations } from "../../../src/areas/direct-delivery/delivery-operations.ts"
import { Vehicles } from "../../../src/areas/dispatch/vehicles.ts"
import { sendingOf } from "../../../src/areas/webhooks/attempts.ts"
import { GroupJournals } from "../../../src/engine/services/group-journals.ts"
import { WebhookLog } from "../../../src/areas/webhooks/webhook-log.ts"
import { PickupWebhooks } from "../../../src/areas/webhooks/webhooks.ts"
import type { PickupWebhookRecord } from "../../../src/areas/webhooks/webhooks.ts"
import { FLEET, SANDBOX_SITE, SITE, STORE, north } from "../delivery-world.ts"
import { HOOK, codeOf, operations, partner, sandboxPartner, stranger } from "../harness.ts"
import { webhooks as reservationWebhooks } from "../harness.ts"
import type { MakeServicesHarness, ServicesHarness } from "../harness.ts"

const deliveries = Effect.serviceFunctions(DirectDelivery)
const operated = Effect.serviceFunctions(DeliveryOperations)
const vehicles = Effect.serviceFunctions(Vehicles)
const webhooks = Effect.serviceFunctions(PickupWebhooks)
const log = Effect.serviceFunctions(WebhookLog)
const caller = sandboxPartner

/** In the sandbox with its vehicle, or where a vehicle is known. */
async function ordered(
  h: ServicesHarness,
  {
    by = caller,
    site = SANDBOX_SITE,
    id = "order-1",
  }: { readonly by?: Partner; readonly site?: string; readonly id?: string } = {},
): Promise<void> {
  if (site === SANDBOX_SITE) {
    const vehicle = { vehicleId: "veh_s", fleetId: "fleet_sandbox", environment: "sandbox" } as const
    await h.run(vehicles.register({ ...vehicle, label: "S", isSynthetic: true, isOnline: true }))
  }
  const request = {
    external_delivery_id: id,
    customer: { phone: "+15125550123" },
    delivery_address: { street: "1 Sample St", city: "Austin", state: "TX", zip: "78758" },
    delivery_location: north(2_000),
    ready_by: h.now() + 10 * MINUTE_MS,
    order_items: [{ name: "Milk", quantity: 2 }],
  }
  await h.run(deliveries.quote(by, site, request))
  await h.run(deliveries.create(by, site, { external_delivery_id: id }))
  await h.advance(0)
}

const advanced = deliveries.advance(caller, SANDBOX_SITE, "order-1")

function subscribed(
  h: ServicesHarness,
  { siteId = null, url = HOOK }: { readonly siteId?: string | null; readonly url?: string } = {},
): Promise<PickupWebhookRecord> {
  return h.run(webhooks.register(caller, { url, events: PICKUP_EVENT_TYPES, site_id: siteId }))
}

function bodies(
  h: ServicesHarness,
  url = HOOK,
): readonly { readonly event: string; readonly data: object }[] {
  return h.received(url).map(({ body }) => JSON.parse(body) as { event: string; data: object })
}

export function pickupWebhookTests(make: MakeServicesHarness): void {
  describe("a pickup webhook", () => {
    test("Y7 and PW1 and PW2: the secret is whole once; the record tells failures and never the secret again", async () => {
      const h = make()
      const made = await subscribed(h)
      expect(made.secret).toMatch(/^whsec_[0-9a-f]{48}$/)
      expect(made).toMatchObject({ is_active: true, consecutive_failures: 0, disabled_at: null })
      const [listed] = await h.run(webhooks.list(caller))
      expect(listed).toEqual({ ...made, secret: `…${made.secret.slice(-4)}` })
      expect(await codeOf(h, webhooks.read(stranger, made.webhook_id))).toBe("NOT_FOUND")
      expect(await h.run(reservationWebhooks.list(caller))).toEqual([])
    })

    test("Y8 and PW3: both events, signed over the raw body, with a delivery id and the event's name", async () => {
      const h = make()
      const { secret } = await subscribed(h)
      await ordered(h)
      await h.run(advanced)
      await h.advance(SECOND_MS)
      const requests = h.received(HOOK)
      expect(new Set(requests.map(({ headers }) => headers["X-Service-Event"]))).toEqual(
        new Set(PICKUP_EVENT_TYPES),
      )
      expect(requests).toHaveLength(2)
      for (const { headers, body } of requests) {
        const hex = createHmac("sha256", secret).update(body).digest("hex")
        expect(headers["X-Service-Signature"]).toBe(hex)
        expect(headers["X-Service-Delivery-Id"]).toMatch(/^[0-9a-f-]{36}$/)
      }
      const data = { retailer_id: SANDBOX_SITE, external_delivery_id: "order-1" }
      const status = { ...data, status: "ASSIGNED", previous_status: "SCHEDULED" }
      expect(bodies(h).find(({ event }) => event === "pickup_status.changed")?.data).toMatchObject(status)
    })

    test("Y9 and B2: the sandbox tells the depot, then the store, then the customer", async () => {
      const h = make()
      await subscribed(h)
      await ordered(h)
      const latitudes: number[] = []
      for (let step = 0; step < 8; step += 1) {
        await h.run(advanced)
        await h.advance(SECOND_MS)
        const last = bodies(h).findLast(({ event }) => event === "pickup.vehicle_location.changed")
        const told = last?.data as { vehicle_location: { latitude: number } } | undefined
        latitudes.push(told?.vehicle_location.latitude ?? 0)
      }
      const [depot, store, customer] = [north(1_000).latitude, STORE.latitude, north(2_000).latitude]
      const places = [depot, depot, store, store, store, customer, customer, customer]
      expect(latitudes).toEqual(places)
    })

    test("Y10 and X7: an endpoint that is bound to a site hears of that site alone", async () => {
      const h = make()
      const elsewhere = "https://hooks.partner.example/elsewhere"
      await subscribed(h, { siteId: SANDBOX_SITE })
      await subscribed(h, { siteId: "11111111-0000-4000-8000-00000000ffff", url: elsewhere })
      await ordered(h)
      await h.run(advanced)
      await h.advance(SECOND_MS)
      expect([h.received(HOOK).length, h.received(elsewhere).length]).toEqual([2, 0])
    })

    test("Y11 and PW11 and PW12: fifty failed attempts in a row disable it; switched on, it counts from nothing", async () => {
      const h = make()
      h.script(HOOK, [{ type: "status", status: 500, afterMs: 10 }])
      const { webhook_id } = await subscribed(h)
      await ordered(h)
      for (let step = 0; step < 5; step += 1) await h.run(advanced)
      await h.advance(20 * MINUTE_MS)
      expect(h.received(HOOK)).toHaveLength(50)
      const disabled = await h.run(webhooks.read(caller, webhook_id))
      expect(disabled).toMatchObject({
        is_active: false,
        consecutive_failures: 50,
        disabled_reason: "consecutive_failures",
      })
      expect(disabled.disabled_at).not.toBeNull()
      await h.run(advanced)
      await h.advance(20 * MINUTE_MS)
      expect(h.received(HOOK)).toHaveLength(50)
      const on = await h.run(webhooks.change(caller, webhook_id, { is_active: true }))
      expect(on).toMatchObject({ is_active: true, consecutive_failures: 0, disabled_at: null })
      h.script(HOOK, [{ type: "status", status: 204, afterMs: 10 }])
      await h.run(advanced)
      await h.advance(SECOND_MS)
      expect(h.received(HOOK)).toHaveLength(52)
    })

    test("Y11 and PW11: of many attempts in flight fifty are counted; what ends later neither counts nor enables", async () => {
      const h = make()
      const late = { type: "status", status: 204, afterMs: 9 * SECOND_MS } as const
      h.script(HOOK, [late, { type: "status", status: 500, afterMs: 10 }])
      const { webhook_id } = await subscribed(h)
      for (let count = 0; count < 70; count += 1) await h.run(log.test(caller, webhook_id))
      await h.advance(8 * SECOND_MS)
      await h.advance(MINUTE_MS)
      const disabled = await h.run(webhooks.read(caller, webhook_id))
      expect(disabled).toMatchObject({
        is_active: false,
        consecutive_failures: 50,
        disabled_reason: "consecutive_failures",
      })
      const sent = h.received(HOOK).length
      expect(sent).toBeGreaterThan(50)
      await h.advance(20 * MINUTE_MS)
      expect(h.received(HOOK)).toHaveLength(sent)
      expect(await h.run(webhooks.read(caller, webhook_id))).toEqual(disabled)
    })

    test("Y11: what was sent before it was switched off leaves again when it fails after it was switched on, uncounted", async () => {
      const h = make()
      h.script(HOOK, [
        { type: "status", status: 500, afterMs: 9 * SECOND_MS },
        { type: "status", status: 204, afterMs: 10 },
      ])
      const { webhook_id } = await subscribed(h)
      await h.run(log.test(caller, webhook_id))
      await h.advance(SECOND_MS)
      await h.run(webhooks.change(caller, webhook_id, { is_active: false }))
      await h.advance(SECOND_MS)
      await h.run(webhooks.change(caller, webhook_id, { is_active: true }))
      await h.advance(7 * SECOND_MS)
      await h.advance(SECOND_MS)
      expect(await h.run(webhooks.read(caller, webhook_id))).toMatchObject({ consecutive_failures: 0 })
      const [first, again, ...others] = h
        .received(HOOK)
        .map(({ headers }) => headers["X-Service-Delivery-Id"])
      expect([again, others]).toEqual([first, []])
    })

    test("Y11: a name server that does not answer the service is no failure of the endpoint, and its event arrives later", async () => {
      const h = make()
      const { webhook_id } = await subscribed(h)
      h.breakHost(new URL(HOOK).hostname, "unavailable")
      const { sendingId } = await h.run(log.test(caller, webhook_id))
      await h.advance(SECOND_MS)
      await h.advance(95 * SECOND_MS)
      const group = `webhook-delivery/${sendingId}` as const
      const turns = await h.run(Effect.flatMap(GroupJournals, (journals) => journals.first(group, 50)))
      expect(sendingOf(turns, sendingId)).toMatchObject({
        state: "waiting",
        attempts: [{ attempt: 1, error: "no_result", endedAtMs: expect.any(Number) }],
      })
      expect(await h.run(webhooks.read(caller, webhook_id))).toMatchObject({ consecutive_failures: 0 })
      expect(h.received(HOOK)).toEqual([])
      h.breakHost(new URL(HOOK).hostname, null)
      await h.advance(10 * MINUTE_MS)
      expect(h.received(HOOK)).toHaveLength(1)
    })

    test("Y12 and PW7: ten endpoints, counted apart from those of reservations and of the other environment", async () => {
      const h = make()
      const reserved = reservationWebhooks.register(caller, { url: HOOK, subscribed_events: EVENT_TYPES })
      for (let count = 0; count < 10; count += 1) await h.run(reserved)
      const made = await subscribed(h)
      for (let count = 1; count < 10; count += 1) await subscribed(h, { url: `${HOOK}/${count}` })
      const request = { url: HOOK, events: PICKUP_EVENT_TYPES }
      expect(await codeOf(h, webhooks.register(caller, request))).toBe("WEBHOOK_LIMIT_REACHED")
      expect(await codeOf(h, reserved)).toBe("WEBHOOK_LIMIT_REACHED")
      expect((await h.run(webhooks.register(partner, request))).is_active).toBe(true)
      expect(await h.run(webhooks.list(partner))).toHaveLength(1)
      expect(await codeOf(h, webhooks.read(partner, made.webhook_id))).toBe("NOT_FOUND")
      await h.run(webhooks.remove(caller, made.webhook_id))
      expect(await codeOf(h, webhooks.read(caller, made.webhook_id))).toBe("NOT_FOUND")
      expect((await subscribed(h)).is_active).toBe(true)
    })

    test("Y13: its place is told after 50 m or 60 s, from EN_ROUTE_TO_STORE to the fix at the customer, and not before or after", async () => {
      const h = make()
      await h.run(webhooks.register(partner, { url: HOOK, events: ["pickup.vehicle_location.changed"] }))
      const vehicle = { vehicleId: "veh_1", fleetId: FLEET, environment: "production" } as const
      await h.run(vehicles.register({ ...vehicle, label: "1", isSynthetic: false, isOnline: true }))
      const seen = async (afterMs: number, metres: number, load: "loaded" | "unloaded" | null = null) => {
        await h.advance(afterMs)
        await h.run(vehicles.report(operations, "veh_1", [{ ...north(metres), recorded_at: h.now(), load }]))
      }
      const told = async (): Promise<readonly number[]> => {
        await h.advance(SECOND_MS)
        return bodies(h).map(({ data }) => {
          const { vehicle_location: at } = data as {
            readonly vehicle_location: { readonly latitude: number }
          }
          return Math.round((at.latitude - STORE.latitude) * 111_195)
        })
      }
      await seen(0, 1_000)
      await ordered(h, { by: partner, site: SITE })
      await seen(SECOND_MS, 981)
      expect(await told()).toEqual([])
      await seen(SECOND_MS, 980)
      await seen(SECOND_MS, 931)
      expect(await told()).toEqual([980])
      await seen(SECOND_MS, 930)
      await seen(MINUTE_MS - 1, 929)
      await seen(1, 920)
      const atStore = [980, 930, 920, 20, 20]
      await seen(SECOND_MS, 20)
      await seen(MINUTE_MS, 20)
      await seen(SECOND_MS, 20, "loaded")
      expect(await told()).toEqual(atStore)
      await seen(SECOND_MS, 1_940)
      await seen(SECOND_MS, 1_990)
      await seen(SECOND_MS, 1_930)
      await seen(2 * MINUTE_MS, 1_990)
      await seen(2 * MINUTE_MS, 1_990, "unloaded")
      expect(await told()).toEqual([...atStore, 1_940, 1_990])
      const last = bodies(h).at(-1)
      expect(last).toEqual({
        event: "pickup.vehicle_location.changed",
        timestamp: expect.any(String) as string,
        data: {
          retailer_id: SITE,
          external_delivery_id: "order-1",
          vehicle_location: { ...north(1_990), recorded_at: expect.any(String) as string },
        },
      })
    })

    test("Y13: the fix that both arrives at the customer and unloads is told, one that unloads on the way is not", async () => {
      const h = make()
      await h.run(webhooks.register(partner, { url: HOOK, events: ["pickup.vehicle_location.changed"] }))
      const vehicle = { vehicleId: "veh_1", fleetId: FLEET, environment: "production" } as const
      await h.run(vehicles.register({ ...vehicle, label: "1", isSynthetic: false, isOnline: true }))
      const counts: number[] = []
      for (const [id, end] of [
        ["order-1", 1_990],
        ["order-2", 1_500],
      ] as const) {
        await ordered(h, { by: partner, site: SITE, id })
        const fixes = [[20, "loaded"] as const, [1_000, null] as const, [end, "unloaded"] as const]
        for (const [metres, load] of fixes) {
          await h.advance(SECOND_MS)
          const fix = { ...north(metres), recorded_at: h.now(), load }
          await h.run(vehicles.report(operations, "veh_1", [fix]))
        }
        await h.advance(SECOND_MS)
        counts.push(h.received(HOOK).length)
      }
      expect(counts).toEqual([3, 5])
      expect(await h.run(operated.runs(operations, SITE))).toEqual([])
    })

    test("Y14: a supervisor's EN_ROUTE_TO_STORE begins that, and ARRIVED_AT_CUSTOMER ends it", async () => {
      const h = make()
      await h.run(webhooks.register(partner, { url: HOOK, events: ["pickup.vehicle_location.changed"] }))
      const vehicle = { vehicleId: "veh_1", fleetId: FLEET, environment: "production" } as const
      await h.run(vehicles.register({ ...vehicle, label: "1", isSynthetic: false, isOnline: true }))
      await ordered(h, { by: partner, site: SITE })
      const [run] = await h.run(operated.runs(operations, SITE))
      const counts: number[] = []
      for (const status of [null, "EN_ROUTE_TO_STORE", "ARRIVED_AT_CUSTOMER"] as const) {
        if (status !== null) await h.run(operated.supervise(operations, run?.deliveryId ?? "", { status }))
        await h.advance(2 * MINUTE_MS)
        await h.run(vehicles.report(operations, "veh_1", [{ ...north(1_000), recorded_at: h.now() }]))
        await h.advance(SECOND_MS)
        counts.push(h.received(HOOK).length)
      }
      expect(counts).toEqual([0, 1, 1])
    })
  })
}
