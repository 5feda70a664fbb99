/** The courier connector's six tools: rows C2 to C5, C13 to C16, C20, C21, C23 to C25, C28 to C30 and C32 to C36. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import type { CheckDeliveryArguments } from "../../../src/model/requests/courier-requests.ts"
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, isoMs } from "../../../src/model/values/time.ts"
import { Charges } from "../../../src/areas/direct-delivery/charges.ts"
import {
  WAY,
  Agent,
  USER,
  checkout,
  codeOf,
  courier,
  drive,
  idIn,
  park,
  ready,
  tokenOf,
  tracking,
  vehicles,
} from "../courier-agent.ts"
import { CourierOperations } from "../../../src/areas/courier/courier-operations.ts"
import { operations } from "../harness.ts"
import type { MakeServicesHarness } from "../harness.ts"

const errandOperations = Effect.serviceFunctions(CourierOperations)

export function courierTests(make: MakeServicesHarness): void {
  checkTests(make)
  holdTests(make)
  paymentTests(make)
  bookingTests(make)
  keyTests(make)
}

function checkTests(make: MakeServicesHarness): void {
  describe("check_delivery", () => {
    test("C13: a served store is quoted with windows, price, terms and thirty minutes", async () => {
      const { h, agent } = await ready(make)
      const answer = await agent.check()
      expect(answer).toMatchObject({
        state: "quoted",
        serviceable: true,
        price: { amount: "4.95", currency: "usd" },
        store_address: {
          street: "11410 Century Oaks Terrace",
          city: "Austin",
          state: "TX",
          zip: "78758",
        },
        terms: { version: "2026-09-27" },
        consent: { version: "2026-09-27" },
        quote_expires_at: isoMs(h.now() + 30 * MINUTE_MS),
      })
      expect(answer.fee_cents).toBeUndefined()
      expect(answer.payment_status).toBeUndefined()
      expect(answer.pickup_windows?.[0]?.start).toBe("2026-06-01T15:30:00.000Z")
    })

    const declines: readonly (readonly [string, Partial<CheckDeliveryArguments>])[] = [
      ["no_curbside", { pickup_methods_offered: ["counter", "delivery"] }],
      ["store_not_supported", { retailer_name: "Unlisted Diner" }],
      [
        "out_of_zone",
        { dropoff_address: { street: "1 A St", city: "San Antonio", state: "TX", zip: "78205" } },
      ],
    ]
    test.each(declines)("C14 and X12: %s is a decline that is stored and replays", async (reason, more) => {
      const { h, agent } = await ready(make)
      const args = agent.checking(more)
      const first = await h.run(courier.check(USER, args))
      expect(first).toMatchObject({ state: "declined", serviceable: false, decline_reason: reason })
      expect(first.next_step).toMatch(/^Do not place the store order/)
      expect(first.error).toBeUndefined()
      expect(await h.run(courier.check(USER, args))).toEqual(first)
    })

    test("C15: a window beyond ninety minutes is not feasible", async () => {
      const { h, agent } = await ready(make)
      const start = h.now() + 91 * MINUTE_MS
      const timing = { type: "window", start, end: start + HOUR_MS } as const
      expect((await agent.check({ requested_timing: timing })).decline_reason).toBe("timing_not_feasible")
    })

    test("C14: no vehicle online is a decline for capacity", async () => {
      const h = make()
      expect((await new Agent(h).check()).decline_reason).toBe("no_capacity")
    })

    test("C16: a window that a slot holds names the slot and comes first", async () => {
      const { h, agent } = await ready(make)
      const slot = { id: "s-9", start: h.now() + HOUR_MS, end: h.now() + 90 * MINUTE_MS }
      const [best] = (await agent.check({ retailer_slots: [slot] })).pickup_windows ?? []
      expect(best).toMatchObject({ slot_id: "s-9" })
    })
  })
}

function holdTests(make: MakeServicesHarness): void {
  describe("reserve_delivery", () => {
    test("C3: holds fifteen minutes and pushes the quote to thirty after it", async () => {
      const { h, agent } = await ready(make)
      const id = await agent.quoted()
      const atMs = h.now()
      const answer = await agent.reserve(id)
      expect(answer).toMatchObject({
        state: "held",
        payment_status: "pending",
        fee_cents: 495,
        hold_expires_at: isoMs(atMs + 15 * MINUTE_MS),
        quote_expires_at: isoMs(atMs + 45 * MINUTE_MS),
        payment: { amount_cents: 495, currency: "usd", seller_profile_id: "profile_curbline" },
        pickup_time: { select: "asap" },
        released_delivery_ids: [],
      })
      expect(answer.payment?.checkout_url).toMatch(/^https:\/\/courier\.example\/pay\/dlv_/)
    })

    test("C17 and CR2: a phone number that is not the linked one is refused by its field", async () => {
      const { agent } = await ready(make)
      const id = await agent.quoted()
      const answer = await agent.reserve(id, { contact: { phone: "+15125559999" } })
      expect(answer.error).toMatchObject({ code: "invalid_request", field: "contact.phone" })
      expect(answer).toMatchObject({ delivery_id: id, state: "quoted" })
    })

    test("C18 and CR4 and X1: what a vehicle cannot do declines the errand", async () => {
      const { agent } = await ready(make)
      const id = await agent.quoted()
      const answer = await agent.reserve(id, {
        pickup_requirements_seen: ["none", "signature", "id_required"],
        check_in_method: "app_only",
      })
      expect(answer).toMatchObject({
        state: "declined",
        decline_reason: "disqualifying_requirement",
        disqualifying_requirements: ["id_required", "signature", "app_only_check_in"],
      })
      expect(codeOf(await agent.reserve(id))).toBe("invalid_state")
    })

    test("C19 and CR5 and X3: two places a vehicle, shared with direct deliveries; the third is declined", async () => {
      const { agent, h } = await ready(make)
      const other = new Agent(h, "usr_two")
      const third = await other.quoted()
      await agent.booked()
      await agent.held()
      const answer = await other.reserve(third)
      expect(codeOf(answer)).toBe("no_capacity")
      expect(answer.state).toBe("quoted")
      const earliest = answer.earliest_at ?? "missing"
      expect(earliest).toMatch(/:00\.000Z$/)
      // The errands before it are picked up at the end of their quotes, so its own quote ends first.
      expect(answer.next_step).toBe(
        `Do not place the store order: the quote ends before a vehicle is free. A vehicle is expected to be free at ${earliest}: call check_delivery with a new idempotency_key from then on.`,
      )
      expect(answer.user_message).toMatch(
        /^No vehicle is free right now\. One is expected to be free about .* Austin time\.$/,
      )
      const declined = await other.check()
      expect(declined).toMatchObject({ decline_reason: "no_capacity", earliest_at: earliest })
      expect(declined.next_step).toBe(
        `Do not place the store order for this delivery. A vehicle is expected to be free at ${earliest}: call check_delivery with a new idempotency_key from then on.`,
      )
      expect(declined.user_message).toContain("One is expected to be free about ")
      // What was expected is not said once it is past.
      const declinedId = declined.delivery_id ?? ""
      expect(await other.status(declinedId)).toMatchObject({ earliest_at: earliest })
      await h.advance(Date.parse(earliest) - h.now())
      const late = await other.status(declinedId)
      expect(late).toMatchObject({ state: "declined", decline_reason: "no_capacity" })
      expect(late).not.toHaveProperty("earliest_at")
      expect(late.user_message).not.toContain("expected")
      expect(late.next_step).toBe(
        "Do not place the store order for this delivery. That may have changed: call check_delivery with a new idempotency_key for a new quote.",
      )
    })

    test("C19 and C20: a check does not count the user's own hold, which the next reserve ends; it counts others'", async () => {
      const { agent, h } = await ready(make)
      const other = new Agent(h, "usr_two")
      await agent.booked()
      const held = await agent.held()
      const next = await agent.check()
      expect(next).toMatchObject({ state: "quoted", serviceable: true })
      const answer = await agent.reserve(next.delivery_id ?? "")
      expect(answer).toMatchObject({ state: "held", released_delivery_ids: [held] })
      expect((await other.check()).decline_reason).toBe("no_capacity")
    })

    test("C20 and CR8: a second reserve lets the user's first hold go", async () => {
      const { agent } = await ready(make)
      const first = await agent.held()
      const second = await agent.quoted()
      expect((await agent.reserve(second)).released_delivery_ids).toEqual([first])
      expect((await agent.status(first)).state).toBe("quoted")
      expect(codeOf(await agent.update(first, { update_type: "dropoff_notes", dropoff_notes: "x" }))).toBe(
        "hold_expired",
      )
    })

    test("C20: the place of the hold that it lets go is free for it", async () => {
      const { h, agent } = await ready(make)
      await new Agent(h, "usr_two").booked()
      const second = await agent.quoted()
      const first = await agent.held()
      expect(await agent.reserve(second)).toMatchObject({ state: "held", released_delivery_ids: [first] })
    })

    test("C4: reserved again it is held anew, and the payment is kept", async () => {
      const { h, agent } = await ready(make)
      const id = await agent.authorized()
      await h.advance(10 * MINUTE_MS)
      const answer = await agent.reserve(id)
      expect(answer.hold_expires_at).toBe(isoMs(h.now() + 15 * MINUTE_MS))
      expect(answer.payment_status).toBe("authorized")
      expect(answer.payment?.checkout_url).toBeUndefined()
    })

    test("C2 and C3: the hold runs out, and then the quote", async () => {
      const { h, agent } = await ready(make)
      const id = await agent.held()
      await h.advance(15 * MINUTE_MS)
      expect((await agent.status(id)).state).toBe("quoted")
      expect(codeOf(await agent.reserve(id))).toBe("answered held")
      await h.advance(45 * MINUTE_MS)
      expect((await agent.status(id)).state).toBe("expired")
      expect(codeOf(await agent.reserve(id))).toBe("quote_expired")
    })
  })
}

function paymentTests(make: MakeServicesHarness): void {
  describe("the delivery fee", () => {
    test.each(["spt_declined_1", "spt_expired_1", "spt_used_1", "spt_small_1", "tok_other"])(
      "C21: %s is refused, the hold stays as it is, and another may be sent",
      async (token) => {
        const { agent } = await ready(make)
        const id = await agent.held()
        const before = (await agent.status(id)).hold_expires_at
        const answer = await agent.pay(id, token)
        expect(codeOf(answer)).toBe("payment_failed")
        expect(answer.payment_status).toBe("failed")
        expect(answer.payment?.checkout_url).toBeDefined()
        expect(answer.hold_expires_at).toBe(before)
        expect((await agent.pay(id)).payment_status).toBe("authorized")
        expect(codeOf(await agent.pay(id, "spt_ok_2"))).toBe("invalid_state")
      },
    )

    test("C22 and CR10: a credential at the reserve is tried at once, and a bad one leaves the hold", async () => {
      const { agent } = await ready(make)
      const good = await agent.reserve(await agent.quoted(), {
        payment: { shared_payment_token: "spt_ok_1" },
      })
      expect(good).toMatchObject({ state: "held", payment_status: "authorized" })
      expect(good.payment?.checkout_url).toBeUndefined()
      const bad = await agent.reserve(await agent.quoted(), {
        payment: { shared_payment_token: "spt_declined_1" },
      })
      expect(bad).toMatchObject({ state: "held", payment_status: "failed" })
      expect(bad.payment?.checkout_url).toBeDefined()
    })

    test("C23: the hosted page authorizes once, and says so ever after", async () => {
      const { h, agent } = await ready(make)
      const id = await agent.quoted()
      const token = tokenOf((await agent.reserve(id)).payment?.checkout_url)
      expect(await h.run(checkout.view(token))).toMatchObject({ type: "open", amountCents: 495 })
      expect(await h.run(checkout.pay(token, "spt_declined_1"))).toEqual({ type: "declined" })
      expect(await h.run(checkout.pay(token, "spt_ok_1"))).toMatchObject({ type: "paid" })
      expect(await h.run(checkout.pay(token, "spt_ok_2"))).toMatchObject({ type: "paid" })
      expect((await agent.status(id)).payment_status).toBe("authorized")
      expect(await h.run(checkout.view(`${token.slice(0, -1)}x`))).toEqual({ type: "unknown" })
      await h.advance(36 * MINUTE_MS)
      expect(await h.run(checkout.view(token))).toEqual({ type: "expired", isPaid: true })
      const other = tokenOf((await agent.reserve(await agent.quoted())).payment?.checkout_url)
      await h.advance(36 * MINUTE_MS)
      expect(await h.run(checkout.view(other))).toEqual({ type: "expired", isPaid: false })
    })

    test("C5: a confirm without payment lengthens a live hold by ten minutes, every time", async () => {
      const { h, agent } = await ready(make)
      const id = await agent.held()
      const endsAtMs = h.now() + 15 * MINUTE_MS
      const first = await agent.confirm(id)
      expect(codeOf(first)).toBe("payment_failed")
      expect(first.hold_expires_at).toBe(isoMs(endsAtMs + 10 * MINUTE_MS))
      const second = await agent.confirm(id)
      expect(second.hold_expires_at).toBe(isoMs(endsAtMs + 20 * MINUTE_MS))
      expect(second.quote_expires_at).toBe(isoMs(endsAtMs + 50 * MINUTE_MS))
    })

    test("C24: a capture that is declined is a failed payment", async () => {
      const { agent } = await ready(make)
      const id = await agent.held()
      await agent.pay(id, "spt_uncaptured_1")
      const answer = await agent.confirm(id)
      expect(codeOf(answer)).toBe("payment_failed")
      expect(answer).toMatchObject({ state: "held", payment_status: "failed" })
    })

    test("C25: cancelled before the capture it is voided, after it refunded", async () => {
      const { h, agent } = await ready(make)
      const early = await agent.authorized()
      expect(await agent.cancel(early)).toMatchObject({ state: "cancelled", payment_status: "voided" })
      const late = await agent.booked()
      expect(await agent.cancel(late)).toMatchObject({
        state: "cancelled",
        payment_status: "refunded",
        charged_cents: 0,
      })
      await h.advance(SECOND_MS)
      expect(await agent.cancel(late)).toMatchObject({ state: "cancelled", payment_status: "refunded" })
    })

    test("C25: a fee that the processor kept for a day is voided once operations ask again", async () => {
      const { h, agent } = await ready(make)
      const id = await agent.authorized()
      h.stopProcessor(true)
      await h.advance(2 * DAY_MS)
      expect(await agent.status(id)).toMatchObject({ state: "expired", payment_status: "authorized" })
      h.stopProcessor(false)
      for (let times = 0; times < 2; times += 1) {
        await h.run(errandOperations.refund(id))
        await h.advance(SECOND_MS)
        expect(await agent.status(id)).toMatchObject({ state: "expired", payment_status: "voided" })
      }
    })
  })
}

function bookingTests(make: MakeServicesHarness): void {
  describe("confirm_delivery", () => {
    test("C37 and CC5: takes the fee, books the run, and a vehicle brings it to the door", async () => {
      const { h, agent } = await ready(make)
      const id = await agent.authorized()
      const answer = await agent.confirm(id)
      expect(answer).toMatchObject({ state: "confirmed", payment_status: "captured", fee_cents: 495 })
      expect(answer.estimated_delivery_window).toBeDefined()
      await h.advance(SECOND_MS)
      const seen: string[] = []
      for (const [metres, load] of WAY) {
        await drive(h, metres, load)
        seen.push(String((await agent.status(id)).state))
      }
      expect([...new Set(seen)]).toEqual([
        "assigned",
        "en_route_to_store",
        "arrived_at_store",
        "waiting_for_load",
        "loaded",
        "en_route_to_customer",
        "arrived_at_customer",
        "completed",
      ])
      const token = tokenOf(answer.tracking_url)
      expect(await h.run(tracking.view("production", token))).toMatchObject({
        type: "found",
        state: "completed",
      })
      await h.advance(25 * HOUR_MS)
      expect(await h.run(tracking.view("production", token))).toEqual({ type: "expired" })
      const charged = Effect.flatMap(Charges, (service) => service.list(operations, {}))
      expect((await h.run(charged)).charges).toEqual([])
    })

    test("C26 and CC1: a restricted item declines, and the authorization is voided", async () => {
      const { agent } = await ready(make)
      const id = await agent.authorized()
      const items = [
        { name: "Root beer", quantity: 1 },
        { name: "Red wine, glass", quantity: 1 },
      ]
      expect(await agent.confirm(id, { items })).toMatchObject({
        state: "declined",
        decline_reason: "disqualifying_requirement",
        restricted_items: ["Red wine, glass"],
      })
      expect((await agent.status(id)).payment_status).toBe("voided")
    })

    test("C9 and CC2: without a hold and without a vehicle it declines for capacity", async () => {
      const { h, agent } = await ready(make)
      const id = await agent.authorized()
      await h.advance(16 * MINUTE_MS)
      await h.run(vehicles.goOffline(operations, "veh_courier"))
      const answer = await agent.confirm(id)
      expect(answer).toMatchObject({ state: "declined", decline_reason: "no_capacity" })
      expect(answer.next_step).toContain("collect the store order or to cancel it")
    })

    test("C20 and CR8: a confirm that takes a place again lets the user's other hold go", async () => {
      const { h, agent } = await ready(make)
      const id = await agent.authorized()
      await h.advance(16 * MINUTE_MS)
      const other = await agent.held()
      const answer = await agent.confirm(id)
      expect([codeOf(answer), answer.released_delivery_ids]).toEqual(["answered confirmed", [other]])
      expect((await agent.status(other)).state).toBe("quoted")
    })

    test("C34: two confirms at the same time with one key come to one answer and one fee", async () => {
      const { h, agent } = await ready(make)
      const id = await agent.authorized()
      const one = agent.confirm(id, { idempotency_key: "once" })
      const [first, second] = await Promise.all([one, agent.confirm(id, { idempotency_key: "once" })])
      expect([first.state, second.state]).toEqual(["confirmed", "confirmed"])
      await h.advance(SECOND_MS)
      expect((await agent.status(id)).payment_status).toBe("captured")
    })

    test("C6 and CC3: after the quote it is taken for ninety minutes from the hold's end, then no more", async () => {
      const { h, agent } = await ready(make)
      const id = await agent.authorized()
      await h.advance(100 * MINUTE_MS)
      expect((await agent.status(id)).state).toBe("expired")
      expect(codeOf(await agent.confirm(id))).toBe("answered confirmed")
      const other = await agent.authorized()
      await h.advance(105 * MINUTE_MS + SECOND_MS)
      expect(codeOf(await agent.confirm(other))).toBe("quote_expired")
      expect((await agent.status(other)).payment_status).toBe("voided")
    })

    test("an order of a store that is booked already is refused to another user, with a way out", async () => {
      const { h, agent } = await ready(make)
      await park(h, "veh_second")
      const other = new Agent(h, "usr_two")
      const [first, second] = [await agent.authorized(), await other.authorized()]
      await agent.confirm(first, { order_number: "A-17" })
      const args = other.confirming(second, { order_number: "#a 17" })
      const answer = await h.run(courier.confirm("usr_two", args))
      expect(answer).toMatchObject({ delivery_id: second, state: "held" })
      expect(answer.error).toMatchObject({ code: "invalid_request", field: "order_number" })
      expect(answer.next_step).toMatch(/confirm_delivery .* cancel_delivery/)
      expect(JSON.stringify(answer)).not.toContain(first)
      expect(await other.confirm(second, { order_number: "A-18" })).toMatchObject({ state: "confirmed" })
      const moved = await other.update(second, { update_type: "order", order: { order_number: "A-17" } })
      expect(moved.error).toMatchObject({ code: "invalid_request", field: "order.order_number" })
      expect((await other.status(second)).order_number).toBe("A-18")
      await agent.cancel(first)
      await h.advance(MINUTE_MS)
      expect(
        await other.update(second, { update_type: "order", order: { order_number: "A-17" } }),
      ).toMatchObject({ order_number: "A-17" })
    })

    test("a booked delivery has its present number only, and an unpaid report does not learn which are booked", async () => {
      const { h, agent } = await ready(make)
      await park(h, "veh_second")
      const other = new Agent(h, "usr_two")
      const first = await agent.booked()
      const renumbered = { update_type: "order", order: { order_number: "B-1" } } as const
      expect((await agent.update(first, renumbered)).order_number).toBe("B-1")
      const second = await other.held()
      expect(codeOf(await other.confirm(second, { order_number: "B-1" }))).toBe("payment_failed")
      await other.pay(second)
      expect(codeOf(await other.confirm(second, { order_number: "B-1" }))).toBe("invalid_request")
      expect(codeOf(await other.confirm(second, { order_number: "1001" }))).toBe("answered confirmed")
    })

    test("C27 and CC4: state comes before timing, and timing before items", async () => {
      const { h, agent } = await ready(make)
      const late = { ready_at: h.now() + 91 * MINUTE_MS, items: [{ name: "Beer", quantity: 1 }] }
      expect(codeOf(await agent.confirm(await agent.quoted(), late))).toBe("invalid_state")
      const id = await agent.held()
      expect(codeOf(await agent.confirm(id, late))).toBe("timing_not_feasible")
      expect((await agent.status(id)).state).toBe("held")
    })
  })

  describe("after the booking", () => {
    test("C28: an order on board can no longer be cancelled or changed, but for the notes at the door", async () => {
      const { h, agent } = await ready(make)
      const id = await agent.booked()
      await drive(h, 5)
      await drive(h, 5, "loaded")
      expect(codeOf(await agent.cancel(id))).toBe("invalid_state")
      expect(codeOf(await agent.update(id, { update_type: "contact", contact: {} }))).toBe("invalid_state")
      expect(
        codeOf(await agent.update(id, { update_type: "dropoff_notes", dropoff_notes: "Ring twice" })),
      ).toBe("answered loaded")
    })

    test("the drop-off changes until the load, inside the area, and answers say where the vehicle drives", async () => {
      const { h, agent } = await ready(make)
      const id = await agent.booked()
      const before = await agent.status(id)
      expect(before.dropoff).toMatchObject({ street: "1 Sample St", is_approximate: false })
      const address = { street: "11510 Domain Dr", unit: "4B", city: "Austin", state: "TX", zip: "78758" }
      const to = (more: object) =>
        agent.update(id, { update_type: "dropoff_address", dropoff_address: { ...address, ...more } })
      for (const [more, said] of [
        [{ street: "1 A St", city: "San Antonio", zip: "78205" }, "outside the service area"],
        [{ city: "San Antonio" }, "contradict"],
        [{ state: "CA" }, "contradict"],
        [{ street: "PO Box 9" }, "contradict"],
      ] as const) {
        const refused = await to(more)
        expect(refused.error).toMatchObject({ code: "invalid_request", field: "dropoff_address" })
        expect(refused.error?.message).toContain(said)
      }
      expect((await agent.status(id)).dropoff).toEqual(before.dropoff)
      const moved = await to({})
      const location = { lat: 30.402, lng: -97.725 }
      expect(moved.dropoff).toMatchObject({ ...address, location, is_approximate: true })
      expect(moved.dropoff?.hint).toContain("update_type dropoff_address")
      expect(moved.update_result).toBe("The vehicle drives to the new drop-off.")
      expect(moved.estimated_delivery_window?.start).not.toBe(before.estimated_delivery_window?.start)
      const door = { lat: 30.4021 + 2_000 / 111_195, lng: -97.7253 }
      const exact = await to({ location: door })
      expect(exact.dropoff).toMatchObject({ location: door, is_approximate: false })
      expect(exact.dropoff?.hint).toBeUndefined()
      for (const [metres, load] of WAY.slice(0, 6)) await drive(h, metres, load)
      const late = await to({})
      expect(late.error?.message).toContain("the vehicle has collected the order")
      for (const [metres, load] of WAY.slice(6)) await drive(h, metres, load)
      expect((await agent.status(id)).state).toBe("completed")
    })

    test("notes for the door and reports of an issue answer what was done with them", async () => {
      const { agent } = await ready(make)
      const id = await agent.booked()
      const noted = await agent.update(id, { update_type: "dropoff_notes", dropoff_notes: "The blue door" })
      expect(noted.dropoff?.notes).toBe("The blue door")
      expect(noted.update_result).toMatch(/^The notes for the door are kept, in place of earlier ones/)
      const none = await agent.update(id, { update_type: "dropoff_notes", dropoff_notes: "" })
      expect([none.dropoff?.notes, none.update_result]).toEqual([
        undefined,
        "The notes for the door are removed.",
      ])
      const issue = { code: "other", note: "Ring twice" } as const
      const reported = await agent.update(id, { update_type: "issue", issue })
      expect(reported.update_result).toMatch(/^The report is kept .* Nothing else is changed/)
    })

    test("C29: the store cancels before the load, and the fee goes back", async () => {
      const { agent } = await ready(make)
      const id = await agent.booked()
      const answer = await agent.update(id, {
        update_type: "issue",
        issue: { code: "order_cancelled_by_store" },
      })
      expect(answer).toMatchObject({ state: "cancelled", payment_status: "refunded" })
    })

    test("C30: a requirement that turns up late declines, and the fee goes back", async () => {
      const { agent } = await ready(make)
      const id = await agent.booked()
      const answer = await agent.update(id, {
        update_type: "pickup_requirements",
        pickup_requirements_seen: ["signature"],
      })
      expect(answer).toMatchObject({ state: "declined", disqualifying_requirements: ["signature"] })
      expect((await agent.status(id)).payment_status).toBe("refunded")
    })
  })
}

function keyTests(make: MakeServicesHarness): void {
  describe("keys and users", () => {
    test("C31 and CC5: a stored success replays with a tracking link of its own", async () => {
      const { h, agent } = await ready(make)
      const args = agent.confirming(await agent.authorized())
      const first = await h.run(courier.confirm(USER, args))
      const { tracking_url: firstLink, ...answer } = first
      const { tracking_url: secondLink, ...replay } = await h.run(courier.confirm(USER, args))
      expect(replay).toEqual(answer)
      expect(secondLink).not.toBe(firstLink)
    })

    test("C32: the key with other arguments, or with another tool, is a conflict", async () => {
      const { h, agent } = await ready(make)
      const args = agent.checking()
      const id = idIn(await h.run(courier.check(USER, args)))
      expect(codeOf(await h.run(courier.check(USER, { ...args, item_count: 2 })))).toBe(
        "idempotency_conflict",
      )
      const { idempotency_key } = args
      expect(codeOf(await agent.reserve(id, { idempotency_key }))).toBe("idempotency_conflict")
    })

    test("C33: a refusal is not stored: the same call may do better later", async () => {
      const { h, agent } = await ready(make)
      const id = await agent.held()
      const args = agent.confirming(id)
      expect(codeOf(await h.run(courier.confirm(USER, args)))).toBe("payment_failed")
      await agent.pay(id)
      expect(codeOf(await h.run(courier.confirm(USER, args)))).toBe("answered confirmed")
    })

    test("C34: two calls at the same time with one key come to one answer", async () => {
      const { h, agent } = await ready(make)
      const args = agent.confirming(await agent.authorized())
      const both = Effect.all([courier.confirm(USER, args), courier.confirm(USER, args)], {
        concurrency: 2,
      })
      const [one, other] = await h.run(both)
      expect([codeOf(one), codeOf(other)]).toEqual(["answered confirmed", "answered confirmed"])
    })

    test("C35: the eleventh check of a minute is one too many, and replays do not count", async () => {
      const { h, agent } = await ready(make)
      const args = agent.checking()
      for (let count = 0; count < 12; count += 1) await h.run(courier.check(USER, args))
      for (let count = 1; count < 10; count += 1) await agent.check()
      const answer = await agent.check()
      expect(answer.error).toMatchObject({ code: "rate_limited", retryable: true })
      expect(answer.error?.retry_after_seconds).toBeGreaterThan(0)
    })

    test("C36: another user's errand does not exist", async () => {
      const { h, agent } = await ready(make)
      const id = await agent.held()
      const stranger = new Agent(h, "usr_two")
      for (const answer of [
        await stranger.status(id),
        await stranger.reserve(id),
        await stranger.confirm(id),
        await stranger.pay(id),
        await stranger.cancel(id),
      ]) {
        expect(codeOf(answer)).toBe("not_found")
      }
    })
  })
}
