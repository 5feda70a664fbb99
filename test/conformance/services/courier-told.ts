/**
 * Answers of the connector for an agent and its user: times that follow the vehicle, the next call, and the state of
 * the money.
 */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { HOUR_MS, MINUTE_MS, SECOND_MS, isoMs } from "../../../src/model/values/time.ts"
import { MessageRows } from "../../../src/areas/messages/rows.ts"
import { WAY, codeOf, drive, ready, tokenOf, tracking } from "../courier-agent.ts"
import type { MakeServicesHarness, ServicesHarness } from "../harness.ts"
import type { TrackingView } from "../../../src/areas/tracking/tracking.ts"

export function courierToldTests(make: MakeServicesHarness): void {
  describe("times that an agent is told", () => {
    timeTests(make)
  })
  describe("what helps after a decline or a refusal", () => {
    helpTests(make)
  })
  describe("what became of the money", () => {
    moneyTests(make)
  })
}

/** What went to the user's number, the oldest first. */
async function textsOf(h: ServicesHarness): Promise<readonly string[]> {
  const sent = await h.run(Effect.flatMap(MessageRows, (rows) => rows.newest({ channel: "sms", limit: 20 })))
  return sent.map(({ text }) => text).toReversed()
}

function timeTests(make: MakeServicesHarness): void {
  test("the window that the user asked for holds where the kitchen starts at check-in", async () => {
    const { h, agent } = await ready(make)
    const start = h.now() + HOUR_MS
    const timing = { type: "window", start, end: start + 30 * MINUTE_MS } as const
    const id = await agent.quoted({ requested_timing: timing })
    const held = await agent.reserve(id)
    expect(held.pickup_time?.select).toBe("asap")
    await agent.pay(id)
    const { planned_pickup_time: planned } = await agent.confirm(id)
    expect(Date.parse(String(planned))).toBeGreaterThanOrEqual(start)
    expect(Date.parse(String(planned))).toBeLessThan(timing.end)
  })

  test("a vehicle that is late moves the estimates; one that is near the door brings them nearer", async () => {
    const { h, agent } = await ready(make)
    const id = await agent.booked()
    const booked = await agent.status(id)
    await drive(h, 990)
    await h.advance(40 * MINUTE_MS)
    const late = await agent.status(id)
    expect(Date.parse(String(late.planned_pickup_time))).toBeGreaterThan(
      Date.parse(String(booked.planned_pickup_time)),
    )
    for (const [metres, load] of WAY.slice(1, 7)) await drive(h, metres, load)
    const underway = await agent.status(id)
    const page = await h.run(tracking.view("production", tokenOf(underway.tracking_url)))
    const told = Date.parse(String(underway.estimated_delivery_window?.start))
    const { fromMs, toMs } = (page as TrackingView).arrival ?? { fromMs: 0, toMs: 0 }
    expect(fromMs).toBeLessThanOrEqual(told)
    expect(toMs).toBeGreaterThanOrEqual(told)
    await drive(h, 1_990)
    const near = await agent.status(id)
    const arrival = Date.parse(String(near.estimated_delivery_window?.start))
    expect(arrival).toBeLessThanOrEqual(Date.parse(String(underway.estimated_delivery_window?.start)))
    expect(arrival - h.now()).toBeLessThanOrEqual(2 * MINUTE_MS)
  })

  test("once the store order is placed nothing says to place it", async () => {
    const { agent } = await ready(make)
    const id = await agent.held()
    expect((await agent.status(id)).pickup_time?.instruction).toMatch(
      /^Once payment_status is authorized: place the store order now/,
    )
    await agent.pay(id, "spt_uncaptured_1")
    expect((await agent.status(id)).pickup_time?.instruction).toMatch(/^Place the store order now/)
    const unpaid = await agent.confirm(id)
    expect(codeOf(unpaid)).toBe("payment_failed")
    const unbooked = await agent.status(id)
    expect(unbooked.pickup_time?.instruction).toContain("do not place it again")
    expect(unbooked.next_step).toContain("do not place the store order a second time")
    await agent.pay(id)
    for (const answer of [await agent.confirm(id), await agent.status(id)]) {
      expect(answer.pickup_time).toEqual({ select: "asap" })
    }
  })

  test("the payment's instruction follows its state", async () => {
    const { agent } = await ready(make)
    const id = await agent.held()
    expect((await agent.status(id)).payment?.instruction).toMatch(/^Ask the user to approve the 4.95 USD/)
    expect((await agent.pay(id, "spt_declined_1")).payment?.instruction).toMatch(/^The last payment failed/)
    expect((await agent.pay(id)).payment?.instruction).toContain("send no other payment")
  })
}

function helpTests(make: MakeServicesHarness): void {
  test("CK2: a store that is not found is declined as before, and near listings are named, three at most", async () => {
    const { agent } = await ready(make)
    const answer = await agent.check({ retailer_name: "Lunch Box Kitchen" })
    expect(answer).toMatchObject({
      decline_reason: "store_not_supported",
      store_matches: [
        { retailer_name: "Lunchbox Kitchen", street: "11410 Century Oaks Terrace", zip: "78758" },
      ],
    })
    expect(answer.next_step).toContain("store_matches")
    expect((await agent.check({ retailer_name: "Unlisted Diner" })).store_matches).toBeUndefined()
  })

  test("CK2: a listing that is not served, such as a pub or one without a phone, is no match", async () => {
    const { agent } = await ready(make)
    for (const name of ["Paddock Kitchen", "Paddock Grill", "Quiet Corner"]) {
      const told = (await agent.check({ retailer_name: name })).store_matches ?? []
      expect(told.map(({ retailer_name }) => retailer_name)).toEqual(
        name === "Paddock Kitchen" ? ["Lunchbox Kitchen"] : [],
      )
    }
  })

  test("a decline for its time names the next window in which a pickup is possible", async () => {
    const { h, agent } = await ready(make)
    const start = Math.ceil((h.now() + 3 * HOUR_MS) / (15 * MINUTE_MS)) * (15 * MINUTE_MS)
    const timing = { type: "window", start, end: start + HOUR_MS } as const
    const later = await agent.check({ requested_timing: timing })
    expect(later).toMatchObject({
      decline_reason: "timing_not_feasible",
      next_pickup_window: { start: isoMs(start), end: isoMs(start + 15 * MINUTE_MS) },
    })
    expect(later.next_step).toContain(isoMs(start - 90 * MINUTE_MS))
    await h.advance(11 * HOUR_MS)
    const past = await agent.status(later.delivery_id ?? "")
    expect(past).toMatchObject({ state: "declined", decline_reason: "timing_not_feasible" })
    expect(past).not.toHaveProperty("next_pickup_window")
    expect(past.next_step).toContain("call check_delivery with a new idempotency_key for a new quote.")
    const late = await agent.check()
    expect(late.decline_reason).toBe("outside_service_hours")
    // Eight in the morning in Austin, where the store has been open since seven.
    expect(late.next_pickup_window?.start).toBe("2026-06-02T13:00:00.000Z")
  })

  test("invalid_state names the tool to call next", async () => {
    const { agent } = await ready(make)
    const quoted = await agent.quoted()
    expect((await agent.confirm(quoted)).next_step).toMatch(/^Call reserve_delivery/)
    const id = await agent.booked()
    expect(await agent.reserve(id)).toMatchObject({
      error: { code: "invalid_state" },
      next_step: expect.stringMatching(/^Call get_delivery_status/) as string,
    })
    await agent.cancel(quoted)
    expect((await agent.reserve(quoted)).next_step).toMatch(/^No further call is needed/)
  })

  test.each([
    ["spt_declined_1", "declined"],
    ["spt_expired_1", "expired"],
    ["spt_small_1", "over_limit"],
  ] as const)("a payment by %s that fails says so: %s", async (token, failure) => {
    const { agent } = await ready(make)
    const id = await agent.held()
    expect((await agent.pay(id, token)).error).toMatchObject({
      code: "payment_failed",
      payment_failure: failure,
    })
    expect((await agent.confirm(id)).error?.payment_failure).toBe(failure)
  })

  test("a capture that is declined says so, and nothing does before a credential was sent", async () => {
    const { agent } = await ready(make)
    const id = await agent.held()
    expect((await agent.confirm(id)).error?.payment_failure).toBeUndefined()
    await agent.pay(id, "spt_uncaptured_1")
    expect((await agent.confirm(id)).error?.payment_failure).toBe("declined")
  })
}

function moneyTests(make: MakeServicesHarness): void {
  test("voided is only what a credential was tried for", async () => {
    const { agent } = await ready(make)
    for (const id of [await agent.quoted(), await agent.held()]) {
      expect(await agent.cancel(id)).toMatchObject({ payment_status: "pending", charged_cents: 0 })
    }
    const declined = await agent.check({ pickup_methods_offered: ["counter"] })
    expect((await agent.status(String(declined.delivery_id))).payment_status).toBe("pending")
    expect(await agent.cancel(await agent.authorized())).toMatchObject({ payment_status: "voided" })
  })

  test("a cancel and a decline say what became of the fee, to the agent and by text to the user", async () => {
    const { h, agent } = await ready(make)
    const unpaid = await agent.cancel(await agent.held())
    expect(unpaid.user_message).toContain("Nothing was charged")
    const released = await agent.cancel(await agent.authorized())
    expect(released.user_message).toContain("released; nothing was charged")
    const items = [{ name: "Malbec", quantity: 1 }]
    const declined = await agent.confirm(await agent.authorized(), { items })
    expect(declined).toMatchObject({ state: "declined", payment_status: "voided", charged_cents: 0 })
    expect(declined.user_message).toContain("nothing was charged")
    const late = await agent.cancel(await agent.booked())
    expect(late.user_message).toContain("4.95 US dollars goes back")
    await h.advance(SECOND_MS)
    const ends = (await textsOf(h)).filter((text) => !text.includes("/track/"))
    expect(ends).toHaveLength(4)
    expect(ends[0]).toBe("Curbline: your delivery is cancelled. Nothing was charged. Reply STOP to opt out.")
    expect(ends[2]).toContain("cannot be delivered. The delivery fee is released")
    expect(ends[3]).toContain("4.95 US dollars goes back")
  })

  test("before a reserve no user has consented to texts, and none is sent", async () => {
    const { h, agent } = await ready(make)
    await agent.cancel(await agent.quoted())
    expect(await textsOf(h)).toEqual([])
  })
}
