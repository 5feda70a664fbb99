/** Retention: what is purged, when, and what is not changed. */

import { describe, expect, test } from "vitest"
import { Effect } from "effect"
import { DAY_MS, MINUTE_MS } from "../../../src/model/values/time.ts"
import { Retention } from "../../../src/engine/services/retention/retention.ts"
import { WebhookStore } from "../../../src/areas/webhooks/store.ts"
import { DirectDelivery } from "../../../src/areas/direct-delivery/direct-delivery.ts"
import { DeliveryRows } from "../../../src/areas/direct-delivery/rows.ts"
import { Vehicles } from "../../../src/areas/dispatch/vehicles.ts"
import { FLEET, SANDBOX_SITE, SITE, north } from "../delivery-world.ts"
import type { ServicesHarness } from "../harness.ts"
import {
  HOOK,
  OPEN_LINK,
  booked,
  booking,
  bringTo,
  codeOf,
  operations,
  partner,
  reservationRows,
  reservations,
  sandboxPartner,
  webhooks,
  windowPolicy,
} from "../harness.ts"
import type { MakeServicesHarness } from "../harness.ts"

const deliveries = Effect.serviceFunctions(DirectDelivery)
const vehicles = Effect.serviceFunctions(Vehicles)

const purge = Effect.flatMap(Retention, ({ run }) => run)

async function purged(h: ServicesHarness, name: string): Promise<number> {
  const found = await h.run(purge)
  return found.find((one) => one.name === name)?.rows ?? Number.NaN
}

/** Books under a key, and lets the partner cancel at once, with a reason. */
async function ended(h: ServicesHarness) {
  const request = booking(h, { retailer_pickup_ref: "R-9" })
  const { reservation } = await h.run(reservations.create(partner, request, "key-1"))
  const id = reservation.reservation_id
  await h.run(reservations.reportBot(partner, id, { status: "ABORTED", reason: "met Ada at the door" }))
  await h.run(reservations.cancel(partner, id, "Ada called"))
  return { id, request }
}

export function retentionTests(make: MakeServicesHarness): void {
  describe("retention", () => {
    test("G20: names, phones and words are blanked 90 days after the end, not before, and nothing else is", async () => {
      const h = make()
      const { id } = await ended(h)
      const before = await h.run(reservationRows.byId(id))
      await h.advance(90 * DAY_MS - 1)
      expect(await purged(h, "personal data")).toBe(0)
      expect(await h.run(reservationRows.byId(id))).toEqual(before)
      await h.advance(1)
      expect(await purged(h, "personal data")).toBe(1)
      expect(await h.run(reservationRows.byId(id))).toEqual({
        ...before,
        endUserName: "removed",
        endUserPhone: "+10000000000",
        cancelReason: "removed",
      })
      const [report] = await h.run(reservationRows.reports(id))
      expect(report).toMatchObject({ status: "ABORTED", reason: "removed", isApplied: true })
      expect(await purged(h, "personal data")).toBe(0)
    })

    test("L5: load photos are kept for the period of their environment, which operations may change", async () => {
      const h = make()
      const id = await booked(h)
      await bringTo(h, id, "LOADED")
      const task = "load photos (production)"
      await h.advance(2 * DAY_MS)
      expect(await purged(h, task)).toBe(0)
      const sandboxOperator = { ...operations, environment: "sandbox" } as const
      await h.run(windowPolicy.change(sandboxOperator, { photo_retention_days: 1 }))
      expect(await purged(h, task)).toBe(0)
      await h.run(windowPolicy.change(operations, { photo_retention_days: 3 }))
      await h.advance(DAY_MS - 1)
      expect(await purged(h, task)).toBe(0)
      await h.advance(1)
      expect([await purged(h, task), await purged(h, task)]).toEqual([1, 0])
    })

    test("G20: an open reservation keeps its texts however old it is", async () => {
      const h = make()
      const { reservation } = await h.run(reservations.create(partner, booking(h)))
      await h.run(purge)
      const row = await h.run(reservationRows.byId(reservation.reservation_id))
      expect(row?.endUserName).toBe("Ada Example")
    })

    test("G20: an idempotent retry is still compared by what was sent", async () => {
      const h = make()
      const { id, request } = await ended(h)
      await h.advance(91 * DAY_MS)
      await h.run(purge)
      const again = await h.run(reservations.create(partner, request, "key-1"))
      expect(again).toMatchObject({
        isReplay: true,
        reservation: { reservation_id: id, status: "canceled", end_user_name: "removed" },
      })
      const other = { ...request, end_user_name: "Bob Example" }
      expect(await codeOf(h, reservations.create(partner, other, "key-1"))).toBe("IDEMPOTENCY_KEY_REUSED")
    })

    test("G20: bodies of open links go 30 days after the end, not before, and each once", async () => {
      const h = make()
      const open = await booked(h)
      await bringTo(h, open, "HANDOFF_READY")
      const id = await booked(h)
      await bringTo(h, id, "HANDOFF_READY")
      await h.advance(MINUTE_MS)
      const bodyOf = (one: string) => h.run(reservationRows.openLinkBody(`reservation/${one}/open-link-1`))
      const body = await bodyOf(id)
      expect(h.received(OPEN_LINK).map((request) => request.body)).toContain(body)
      await h.run(reservations.cancel(partner, id))
      await h.run(reservations.cancel(partner, open))
      await h.advance(30 * DAY_MS - 1)
      expect(await purged(h, "open link bodies")).toBe(0)
      expect(await bodyOf(id)).toBe(body)
      await h.advance(1)
      expect(await purged(h, "open link bodies")).toBe(2)
      expect([await bodyOf(id), await bodyOf(open)]).toEqual([null, null])
      expect(await purged(h, "open link bodies")).toBe(0)
      // Names stay for their own, longer period.
      expect((await h.run(reservationRows.byId(id)))?.endUserName).toBe("Ada Example")
    })

    test("G20: an open link of a reservation that goes on keeps its body", async () => {
      const h = make()
      const id = await booked(h)
      await bringTo(h, id, "HANDOFF_READY")
      await h.run(purge)
      expect(await h.run(reservationRows.openLinkBody(`reservation/${id}/open-link-1`))).not.toBeNull()
    })

    test("G20: bodies of events go after 30 days; which delivery carried which event stays", async () => {
      const h = make()
      await h.run(
        webhooks.register(partner, { url: HOOK, subscribed_events: ["reservation.status_changed"] }),
      )
      await ended(h)
      await h.advance(MINUTE_MS)
      const [first] = h.received(HOOK)
      const deliveryId = first?.headers["X-Service-Delivery-Id"] ?? ""
      const eventId = first?.headers["X-Service-Event-Id"] ?? ""
      const bodyOf = Effect.flatMap(WebhookStore, (store) => store.body(eventId))
      await h.advance(30 * DAY_MS - 2 * MINUTE_MS)
      expect(await purged(h, "webhook bodies")).toBe(0)
      expect(await h.run(bodyOf)).not.toBeNull()
      await h.advance(2 * MINUTE_MS)
      expect(await purged(h, "webhook bodies")).toBe(2)
      expect(await h.run(bodyOf)).toBeNull()
      const carried = await h.run(Effect.flatMap(WebhookStore, (store) => store.delivery(deliveryId)))
      expect(carried?.eventId).toBe(eventId)
    })

    test("G20: a delivery's person is blanked 90 days after its end; terms, status and retries stay", async () => {
      const h = make()
      const vehicle = { vehicleId: "veh_s", fleetId: "fleet_sandbox", environment: "sandbox" } as const
      await h.run(vehicles.register({ ...vehicle, label: "S", isSynthetic: true, isOnline: true }))
      const request = {
        external_delivery_id: "order-1",
        customer: { phone: "+15125550123", first_name: "Ada", email: "ada@example.com" },
        delivery_address: { street: "1 Sample St", city: "Austin", state: "TX", zip: "78758" },
        delivery_location: north(2_000),
        ready_by: h.now() + 10 * MINUTE_MS,
        order_items: [{ name: "Milk", quantity: 2 }],
        pickup_instructions: "Ask for Ada",
      }
      const at = [sandboxPartner, SANDBOX_SITE] as const
      await h.run(deliveries.quote(...at, { ...request, external_delivery_id: "order-2" }))
      await h.run(deliveries.quote(...at, request))
      const creating = { external_delivery_id: "order-1", customer: { first_name: "Ada" } }
      await h.run(deliveries.create(...at, creating))
      await h.advance(MINUTE_MS)
      await h.run(deliveries.advance(...at, "order-1"))
      const reason = { status: "CANCELLED", cancellation_reason: "Ada called" } as const
      const before = await h.run(deliveries.cancel(...at, "order-1", reason))
      await h.advance(90 * DAY_MS - 1)
      expect(await purged(h, "personal data of deliveries")).toBe(0)
      // The tracking page ended a day after the delivery.
      const kept = { ...before, tracking_url: null }
      expect(await h.run(deliveries.read(...at, "order-1"))).toEqual(kept)
      await h.advance(1)
      const found = await h.run(purge)
      expect(found).toEqual(
        expect.arrayContaining([
          { name: "personal data of deliveries", rows: 1 },
          { name: "vehicle fixes", rows: 1 },
        ]),
      )
      expect(await purged(h, "personal data of deliveries")).toBe(0)
      expect(await h.run(deliveries.read(...at, "order-1"))).toEqual({
        ...kept,
        customer: { first_name: "removed", last_name: null, email: "removed", phone: "+10000000000" },
        delivery_address: {
          street: "removed",
          city: "removed",
          state: "removed",
          zip: "removed",
          unit: null,
        },
        delivery_location: { latitude: 0, longitude: 0 },
        pickup_instructions: "removed",
        cancellation_reason: "removed",
      })
      expect((await h.run(deliveries.create(...at, creating))).isReplay).toBe(true)
      const other = { ...creating, customer: { first_name: "Bob" } }
      expect(await codeOf(h, deliveries.create(...at, other))).toBe("DELIVERY_ALREADY_EXISTS")
      await h.advance(5 * MINUTE_MS) // The quotes expired later than the delivery ended.
      await h.run(purge)
      const left = await h.run(Effect.flatMap(DeliveryRows, (rows) => rows.quote(SANDBOX_SITE, "order-2")))
      expect(left?.customer.phone).toBe("+10000000000")
    })

    test("G20: an open delivery keeps its person however old it is", async () => {
      const h = make()
      const row = Effect.flatMap(DeliveryRows, (rows) => rows.byExternalId(SITE, "order-1"))
      const vehicle = { vehicleId: "veh_1", fleetId: FLEET, environment: "production" } as const
      await h.run(vehicles.register({ ...vehicle, label: "1", isSynthetic: false, isOnline: true }))
      const request = {
        external_delivery_id: "order-1",
        customer: { phone: "+15125550123" },
        delivery_address: { street: "1 Sample St", city: "Austin", state: "TX", zip: "78758" },
        delivery_location: north(2_000),
        ready_by: h.now() + 10 * MINUTE_MS,
        order_items: [{ name: "Milk", quantity: 2 }],
      }
      await h.run(deliveries.quote(partner, SITE, request))
      await h.run(deliveries.create(partner, SITE, { external_delivery_id: "order-1" }))
      await h.advance(91 * DAY_MS)
      await h.run(purge)
      expect((await h.run(row))?.customer.phone).toBe("+15125550123")
    })
  })
}
