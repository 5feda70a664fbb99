/** Retention: what is purged, when, and what it leaves as it was. */

import { describe, expect, test } from "vitest"
import { Effect } from "effect"
import { DAY_MS, MINUTE_MS } from "../../../src/model/time.ts"
import { Retention } from "../../../src/services/retention/retention.ts"
import { WebhookStore } from "../../../src/services/webhooks/store.ts"
import type { ServicesHarness } from "../harness.ts"
import { HOOK, booking, codeOf, partner, reservationRows, reservations, webhooks } from "../harness.ts"
import type { MakeServicesHarness } from "../harness.ts"

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
  })
}
