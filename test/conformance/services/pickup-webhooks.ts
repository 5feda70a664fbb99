/** Direct delivery's webhooks: rows Y7 to Y12. The signature is checked by a few lines of this file's own. */

import { createHmac } from "node:crypto"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { MINUTE_MS, SECOND_MS } from "../../../src/model/time.ts"
import { PICKUP_EVENT_TYPES } from "../../../src/model/webhook.ts"
import { DirectDelivery } from "../../../src/services/direct-delivery/direct-delivery.ts"
import { Vehicles } from "../../../src/services/direct-delivery/vehicles.ts"
import { PickupWebhooks } from "../../../src/services/webhooks/pickup-webhooks.ts"
import type { PickupWebhookRecord } from "../../../src/services/webhooks/pickup-webhooks.ts"
import { SANDBOX_SITE, STORE, north } from "../delivery-world.ts"
import { HOOK, codeOf, sandboxPartner, stranger, webhooks as reservationWebhooks } from "../harness.ts"
import type { MakeServicesHarness, ServicesHarness } from "../harness.ts"

const deliveries = Effect.serviceFunctions(DirectDelivery)
const vehicles = Effect.serviceFunctions(Vehicles)
const webhooks = Effect.serviceFunctions(PickupWebhooks)
const caller = sandboxPartner

async function ordered(h: ServicesHarness): Promise<void> {
  const vehicle = { vehicleId: "veh_s", fleetId: "fleet_sandbox", environment: "sandbox" } as const
  await h.run(vehicles.register({ ...vehicle, label: "S", isSynthetic: true, isOnline: true }))
  const request = {
    external_delivery_id: "order-1",
    customer: { phone: "+15125550123" },
    delivery_address: { street: "1 Sample St", city: "Austin", state: "TX", zip: "78758" },
    delivery_location: north(2_000),
    ready_by: h.now() + 10 * MINUTE_MS,
    order_items: [{ name: "Milk", quantity: 2 }],
  }
  await h.run(deliveries.quote(caller, SANDBOX_SITE, request))
  await h.run(deliveries.create(caller, SANDBOX_SITE, { external_delivery_id: "order-1" }))
}

const advanced = deliveries.advance(caller, SANDBOX_SITE, "order-1")

function subscribed(
  h: ServicesHarness,
  { siteId = null, url = HOOK }: { readonly siteId?: string | null; readonly url?: string } = {},
): Promise<PickupWebhookRecord> {
  return h.run(webhooks.register(caller, siteId, { url, events: PICKUP_EVENT_TYPES }))
}

function bodies(
  h: ServicesHarness,
  url = HOOK,
): readonly { readonly event: string; readonly data: object }[] {
  return h.received(url).map(({ body }) => JSON.parse(body) as { event: string; data: object })
}

export function pickupWebhookTests(make: MakeServicesHarness): void {
  describe("a pickup webhook", () => {
    test("Y7: the secret is whole once; the record tells failures and never the secret again", async () => {
      const h = make()
      const made = await subscribed(h)
      expect(made.secret).toMatch(/^whsec_[0-9a-f]{48}$/)
      expect(made).toMatchObject({ is_active: true, consecutive_failures: 0, disabled_at: null })
      const [listed] = await h.run(webhooks.list(caller))
      expect(listed).toEqual({ ...made, secret: `…${made.secret.slice(-4)}` })
      expect(await codeOf(h, webhooks.read(stranger, made.webhook_id))).toBe("NOT_FOUND")
      expect(await h.run(reservationWebhooks.list(caller))).toEqual([])
    })

    test("Y8: both events, signed over the raw body, with a delivery id and the event's name", async () => {
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

    test("Y9: the sandbox tells the depot, then the store, then the customer", async () => {
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

    test("Y10: an endpoint that is bound to a site hears of that site alone", async () => {
      const h = make()
      const elsewhere = "https://hooks.partner.example/elsewhere"
      await subscribed(h, { siteId: SANDBOX_SITE })
      await subscribed(h, { siteId: "11111111-0000-4000-8000-00000000ffff", url: elsewhere })
      await ordered(h)
      await h.run(advanced)
      await h.advance(SECOND_MS)
      expect([h.received(HOOK).length, h.received(elsewhere).length]).toEqual([2, 0])
    })

    test("Y11: fifty failed attempts in a row disable it; switched on, it counts from nothing", async () => {
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

    test("Y12: ten endpoints, counted apart from those of reservations; a deleted one is gone", async () => {
      const h = make()
      const made = await subscribed(h)
      for (let count = 1; count < 10; count += 1) await subscribed(h, { url: `${HOOK}/${count}` })
      const request = { url: HOOK, events: PICKUP_EVENT_TYPES }
      expect(await codeOf(h, webhooks.register(caller, null, request))).toBe("WEBHOOK_LIMIT_REACHED")
      await h.run(webhooks.remove(caller, made.webhook_id))
      expect(await codeOf(h, webhooks.read(caller, made.webhook_id))).toBe("NOT_FOUND")
      expect((await subscribed(h)).is_active).toBe(true)
      const bad = { url: "http://hooks.partner.example/plain", events: PICKUP_EVENT_TYPES }
      expect(await codeOf(h, webhooks.register(caller, null, bad))).toBe("INVALID_WEBHOOK_URL")
    })
  })
}
