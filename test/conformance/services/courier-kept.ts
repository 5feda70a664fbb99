/** The rows of the courier connector: of an agent's data, of its answers, and behind its links. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { HOUR_MS, MINUTE_MS, SECOND_MS, isoMs } from "../../../src/model/values/time.ts"
import { DeliveryRows } from "../../../src/areas/direct-delivery/rows.ts"
import { Retention } from "../../../src/engine/services/retention/retention.ts"
import { CourierRows } from "../../../src/areas/courier/rows.ts"
import type { CourierDetails } from "../../../src/areas/courier/rows.ts"
import { USER, checkout, courier, idIn, ready, tokenOf } from "../courier-agent.ts"
import { USERS } from "../courier-world.ts"
import type { MakeServicesHarness, ServicesHarness } from "../harness.ts"

const purge = Effect.flatMap(Retention, ({ run }) => run)

/** Its orders are for a slot. */
const BAKERY = {
  retailer_name: "Slot Street Bakery",
  store_address: { street: "11510 Domain Drive", city: "Austin", state: "TX", zip: "78758" },
}

export function courierKeptTests(make: MakeServicesHarness): void {
  describe("what the courier connector keeps", () => {
    test("CR2 and CR3: of a reserve the linked number where none was told, what the store asks for, and the notes", async () => {
      const { h, agent } = await ready(make)
      const id = await agent.held({
        contact: { email: "ada@example.com" },
        pickup_requirements_seen: ["none", "other"],
        pickup_requirements_notes: "Have the order number ready",
        check_in_method: "call_store",
      })
      expect((await agent.status(id)).state).toBe("held")
      expect(await detailsOf(h, id)).toMatchObject({
        customer: { firstName: "Ada", lastName: "Example" },
        contact: { phone: USERS[USER], email: "ada@example.com" },
        requirementsSeen: ["none", "other"],
        requirementsNotes: "Have the order number ready",
        checkInMethod: "call_store",
      })
      await agent.reserve(id, { contact: { phone: USERS[USER] ?? "" } })
      expect((await detailsOf(h, id)).contact).toEqual({ phone: USERS[USER], email: null })
    })

    test("C39: of a confirm the order as it was told", async () => {
      const { h, agent } = await ready(make)
      const id = await agent.authorized()
      const items = [{ name: "Burrito", quantity: 2, modifiers: ["no onions"] }]
      const readyAtMs = h.now() + 40 * MINUTE_MS
      const more = { order_number: "A-17", items, confirmation_text: "Thank you", pickup_code: "77" }
      const answer = await agent.confirm(id, { ...more, ready_at: readyAtMs })
      expect(await detailsOf(h, id)).toMatchObject({
        order: { orderNumber: "A-17", items, confirmationText: "Thank you", pickupCode: "77" },
        readyAtMs,
      })
      expect(Date.parse(answer.planned_pickup_time ?? "")).toBeGreaterThanOrEqual(readyAtMs)
    })

    test("C41: of each update what it brings, and of the errand what it leaves alone", async () => {
      const { h, agent } = await ready(make)
      const id = await agent.booked()
      const check_in = { url: "https://store.example/here", phone: "+15125550111", instructions: "Ring once" }
      await agent.update(id, { update_type: "check_in", check_in, note: "From the order page" })
      await agent.update(id, { update_type: "dropoff_notes", dropoff_notes: "The blue door" })
      await agent.update(id, { update_type: "contact", contact: { email: "ada@example.com" } })
      await agent.update(id, { update_type: "pickup_requirements", pickup_requirements_seen: ["other"] })
      await agent.update(id, { update_type: "order", order: { pickup_code: "4711" } })
      await agent.update(id, { update_type: "issue", issue: { code: "order_delayed", note: "Ten minutes" } })
      expect(await detailsOf(h, id)).toMatchObject({
        checkIn: check_in,
        dropoffNotes: "The blue door",
        contact: { phone: USERS[USER], email: "ada@example.com" },
        requirementsSeen: ["other"],
        order: { orderNumber: "1001", items: [{ name: "Burrito", quantity: 1 }], pickupCode: "4711" },
        notes: expect.arrayContaining(["From the order page", "Ten minutes"]),
      })
      await agent.update(id, { update_type: "dropoff_notes", dropoff_notes: "" })
      expect((await detailsOf(h, id)).dropoffNotes).toBe("")
    })

    test("C41: a later ready time, or a slot, moves the planned pickup and the window at the door", async () => {
      const { h, agent } = await ready(make)
      const id = await agent.quoted(BAKERY)
      await agent.reserve(id, { payment: { shared_payment_token: "spt_ok_1" } })
      await agent.confirm(id)
      await h.advance(SECOND_MS)
      const before = (await agent.status(id)).estimated_delivery_window?.start ?? ""
      const readyAtMs = h.now() + 60 * MINUTE_MS
      const moved = await agent.update(id, { update_type: "ready_time", ready_at: readyAtMs })
      const pickup = Date.parse(moved.planned_pickup_time ?? "")
      expect(pickup - readyAtMs).toBeGreaterThanOrEqual(0)
      expect(pickup - readyAtMs).toBeLessThan(MINUTE_MS)
      expect((moved.estimated_delivery_window?.start ?? "") > before).toBe(true)
      const start = h.now() + 75 * MINUTE_MS
      const selected_slot = { id: "s-9", start, end: start + 15 * MINUTE_MS }
      const slotted = await agent.update(id, { update_type: "slot", selected_slot })
      expect(slotted.pickup_time?.select).toBe("s-9")
      expect(Date.parse(slotted.planned_pickup_time ?? "") - start).toBeGreaterThanOrEqual(0)
    })

    test("CR12: each hold has a link of its own with its own thirty-five minutes; both pay one fee, once", async () => {
      const { h, agent } = await ready(make)
      const id = await agent.quoted()
      const view = (token: string) => h.run(checkout.view(token))
      const first = tokenOf((await agent.reserve(id)).payment?.checkout_url)
      const firstEndsAtMs = h.now() + 35 * MINUTE_MS
      await h.advance(10 * MINUTE_MS)
      const second = tokenOf((await agent.reserve(id)).payment?.checkout_url)
      expect(second).not.toBe(first)
      expect(await view(first)).toMatchObject({ type: "open", expiresAtMs: firstEndsAtMs })
      expect(await view(second)).toMatchObject({ type: "open", expiresAtMs: firstEndsAtMs + 10 * MINUTE_MS })
      await h.standAt(firstEndsAtMs)
      expect([(await view(first)).type, (await view(second)).type]).toEqual(["expired", "open"])
      const other = await agent.quoted()
      const links = [await agent.reserve(other), await agent.reserve(other)]
      const [old = "", fresh = ""] = links.map(({ payment }) => tokenOf(payment?.checkout_url))
      expect(await h.run(checkout.pay(old, "spt_ok_1"))).toMatchObject({ type: "paid" })
      expect(await view(fresh)).toMatchObject({ type: "paid" })
      expect(await h.run(checkout.pay(fresh, "spt_ok_2"))).toMatchObject({ type: "paid" })
      expect((await agent.status(other)).payment_status).toBe("authorized")
    })

    test("G20: ninety days after the end nothing of a person is left, at the errand or at its delivery", async () => {
      const { h, agent } = await ready(make)
      const id = await agent.booked()
      const lapsed = await agent.quoted()
      await agent.update(id, { update_type: "dropoff_notes", dropoff_notes: "The blue door" })
      await agent.cancel(id)
      await h.advance(90 * 24 * HOUR_MS - MINUTE_MS)
      await h.run(purge)
      expect((await detailsOf(h, id)).dropoffNotes).toBe("The blue door")
      await h.advance(2 * MINUTE_MS)
      await h.run(purge)
      const kept = JSON.stringify(await detailsOf(h, id))
      expect(kept).not.toMatch(/Ada|Example|blue door|1 Sample St|15125550100/)
      expect((await detailsOf(h, lapsed)).dropoffAddress.street).toContain("Sample")
      await h.advance(HOUR_MS)
      await h.run(purge)
      const refused = await agent.confirm(lapsed, { confirmation_text: "Thank you, Ada" })
      expect(refused.error?.code).toBe("quote_expired")
      expect((await agent.cancel(lapsed, "Ada is ill")).state).toBe("cancelled")
      expect(JSON.stringify(await detailsOf(h, lapsed))).not.toMatch(/Ada|Example|1 Sample St|15125550100/)
      expect(await h.run(Effect.flatMap(DeliveryRows, (rows) => rows.byId(id)))).toMatchObject({
        place: { latitude: 0, longitude: 0 },
        toldFix: null,
      })
    })

    test("C47: an answer is kept for 48 hours from its end, to the millisecond; then its key is new", async () => {
      const { h, agent } = await ready(make)
      const args = agent.checking({ pickup_methods_offered: ["counter"] })
      const id = idIn(await h.run(courier.check(USER, args)))
      const endsAtMs = h.now() + 48 * HOUR_MS
      await h.advance(48 * HOUR_MS - SECOND_MS)
      expect(idIn(await h.run(courier.check(USER, args)))).toBe(id)
      await h.standAt(endsAtMs)
      expect(isoMs(h.now())).toBe(isoMs(endsAtMs))
      expect(idIn(await h.run(courier.check(USER, args)))).not.toBe(id)
    })
  })
}

async function detailsOf(h: ServicesHarness, id: string): Promise<CourierDetails> {
  const row = await h.run(Effect.flatMap(CourierRows, (rows) => rows.byId(id)))
  if (row === null) throw new Error(`there is no errand ${id}`)
  return row.details
}
