/** From the hold to the report: earlier data stays, and the instructions for an agent when the fee is not paid. */

import { Effect } from "effect"
import { beforeEach, describe, expect, test } from "vitest"
import { MINUTE_MS, SECOND_MS, isoMs } from "../../../src/model/values/time.ts"
import type { HandoverRecord } from "../../../src/areas/courier/handover.ts"
import { CourierOperations } from "../../../src/areas/courier/courier-operations.ts"
import { CourierRows } from "../../../src/areas/courier/rows.ts"
import { failedText } from "../../../src/areas/courier/ways-out.ts"
import { DeliveryRows } from "../../../src/areas/direct-delivery/rows.ts"
import { Vehicles } from "../../../src/areas/dispatch/vehicles.ts"
import { MessageRows } from "../../../src/areas/messages/rows.ts"
import { Agent, WAY, codeOf, drive, ready } from "../../conformance/courier-agent.ts"
import { operations as OPERATIONS } from "../../conformance/harness.ts"
import { transacted } from "../../conformance/transacted.ts"
import { START_MS, memoryHarness, runToEnd } from "../../conformance/memory.ts"
import type { MemoryHarness } from "../../conformance/memory.ts"

/** Its orders are for a slot. */
const BAKERY = {
  retailer_name: "Slot Street Bakery",
  store_address: { street: "11510 Domain Drive", city: "Austin", state: "TX", zip: "78758" },
}
const PAID = { payment: { shared_payment_token: "spt_ok_1" } }

let h: MemoryHarness
let agent: Agent

beforeEach(async () => {
  ;({ h, agent } = await ready(memoryHarness))
})

function handover(id: string): Promise<HandoverRecord> {
  const asked = Effect.flatMap(CourierOperations, (operations) => operations.handover(id)).pipe(
    Effect.orDie,
    Effect.provide(CourierOperations.layer),
  )
  return runToEnd(asked, { runtime: h.service.runtime, time: h.service.host.time })
}

describe("what is told while a vehicle is held", () => {
  test("C41: the ready time and the pick-up code are there at the report, which replaces what it names", async () => {
    const id = await agent.authorized()
    const readyAtMs = h.now() + 50 * MINUTE_MS
    await agent.update(id, { update_type: "ready_time", ready_at: readyAtMs })
    await agent.update(id, { update_type: "order", order: { order_number: "A-1", pickup_code: "77" } })
    expect((await agent.status(id)).order_number).toBe("A-1")
    // An empty code is no code.
    await agent.update(id, { update_type: "order", order: { pickup_code: "" } })
    const answer = await agent.confirm(id, { order_number: "A-2", pickup_code: "" })
    expect(answer.order_number).toBe("A-2")
    expect(Date.parse(answer.planned_pickup_time ?? "")).toBeGreaterThanOrEqual(readyAtMs)
    expect(await handover(id)).toMatchObject({
      order_number: "A-2",
      pickup_code: "77",
      ready_at: isoMs(readyAtMs),
    })
  })

  test("C41: an empty contact changes nothing, and a note beside a payment is kept", async () => {
    const id = await agent.quoted()
    await agent.reserve(id, { contact: { email: "ada@example.com" } })
    await agent.update(id, { update_type: "contact", contact: {} })
    const payment = { shared_payment_token: "spt_ok_1" }
    await agent.update(id, { update_type: "payment", payment, note: "Paid by the office" })
    expect(await handover(id)).toMatchObject({
      customer: { first_name: "Ada", email: "ada@example.com" },
      notes: ["Paid by the office"],
    })
  })

  test("operations read what the curb and the door need, and nothing of it when it is blanked", async () => {
    const id = await agent.booked()
    await agent.update(id, {
      update_type: "check_in",
      check_in: { url: "https://store.example/here", instructions: "Ring" },
    })
    await agent.update(id, { update_type: "dropoff_notes", dropoff_notes: "The blue door" })
    expect(await handover(id)).toMatchObject({
      state: "assigned",
      store: { name: "Lunchbox Kitchen" },
      check_in: { method: null, url: "https://store.example/here", phone: null, instructions: "Ring" },
      dropoff: { street: "1 Sample St", notes: "The blue door" },
      items: [{ name: "Burrito", quantity: 1 }],
    })
  })
})

describe("a report whose fee is not paid", () => {
  test("C5: is told to pay and report again, and never to order again", async () => {
    const id = await agent.held()
    const told = await agent.confirm(id)
    expect(told.next_step).toMatch(
      /^Call update_delivery .*confirm_delivery again; do not place the store order/,
    )
    expect((await agent.status(id)).next_step).toMatch(/do not place the store order a second time/)
    expect((await agent.pay(id)).next_step).toBe(
      `Call confirm_delivery with delivery_id ${id} again: the store order is placed already.`,
    )
    expect(codeOf(await agent.confirm(id))).toBe("answered confirmed")
  })

  test("C5: stays so when the hold has run out meanwhile", async () => {
    const id = await agent.held()
    await agent.confirm(id)
    await h.advance(26 * MINUTE_MS)
    const { state, next_step } = await agent.status(id)
    expect(state).toBe("quoted")
    expect(next_step).toMatch(/do not place the store order a second time/)
  })
})

describe("a refusal about a store order that is placed", () => {
  const ONCE = "Do not place the store order a second time."
  const late = () => h.now() + 100 * MINUTE_MS
  /** Windows begin there. */
  const onQuarterHour = () => h.standAt(Math.ceil(h.now() / (15 * MINUTE_MS)) * 15 * MINUTE_MS)
  const minutes = (iso: string | undefined): number =>
    Math.floor((Date.parse(String(iso)) - h.now()) / MINUTE_MS)

  test.each(["ready_at", "selected_slot"] as const)(
    "a report with a %s that is too late keeps the order, and names another time, the cancel and its price, and the way to the store",
    async (field) => {
      const id = await agent.authorized()
      const startMs = late()
      const told = { ready_at: startMs, selected_slot: { start: startMs, end: startMs + 15 * MINUTE_MS } }
      const refused = await agent.confirm(id, { [field]: told[field] })
      expect(refused).toMatchObject({
        error: { code: "timing_not_feasible", field },
        state: "held",
        payment_status: "authorized",
        fee_cents: 495,
        order_number: "1001",
      })
      const latest = isoMs(h.now() + 90 * MINUTE_MS)
      const from = isoMs(startMs - 90 * MINUTE_MS)
      expect(refused.next_step).toContain(
        `Call confirm_delivery with delivery_id ${id} again with a time until ${latest}`,
      )
      expect(refused.next_step).toContain(`or with the same time from ${from} on`)
      expect(refused.next_step).toContain(
        "call cancel_delivery, which costs nothing and releases the delivery fee",
      )
      expect(refused.next_step).toContain("have the user collect the store order or cancel it with the store")
      expect(refused.next_step.endsWith(ONCE)).toBe(true)
      expect(refused.user_message).toContain(
        "The delivery fee of 4.95 US dollars is approved and not charged.",
      )
      expect((await agent.status(id)).next_step).toContain("the store order is placed already")
      await h.standAt(startMs - 90 * MINUTE_MS)
      expect(codeOf(await agent.confirm(id, { [field]: told[field] }))).toBe("answered confirmed")
    },
  )

  test("a ready time beyond the horizon moves nothing of a booked delivery, and says what the cancel gives back", async () => {
    const id = await agent.booked()
    const { planned_pickup_time: planned } = await agent.status(id)
    for (const update of [
      { update_type: "ready_time", ready_at: late() },
      { update_type: "issue", issue: { code: "order_delayed" }, ready_at: late() },
      { update_type: "slot", selected_slot: { start: late(), end: late() + MINUTE_MS } },
    ] as const) {
      const refused = await agent.update(id, update)
      expect(refused).toMatchObject({
        error: { code: "timing_not_feasible" },
        payment_status: "captured",
        planned_pickup_time: planned,
      })
      expect(refused.next_step).toContain("Call update_delivery")
      expect(refused.next_step).toContain("gives the delivery fee of 4.95 US dollars back")
      expect(refused.next_step).toContain("The pickup stays planned as it was")
      expect(refused.user_message).toContain("is charged, and goes back if you cancel")
      expect(refused.user_message.length).toBeLessThanOrEqual(300)
    }
  })

  test("before the report the store order may be placed or not: both are answered", async () => {
    const { next_step } = await agent.update(await agent.held(), {
      update_type: "ready_time",
      ready_at: late(),
    })
    expect(next_step).toMatch(
      /^Do not place the store order for that time. If it is placed already: Call update_delivery/,
    )
  })

  test("after its hold, an update and a reserve without a vehicle speak of the order that is placed", async () => {
    const id = await agent.held()
    await agent.confirm(id)
    await h.advance(26 * MINUTE_MS)
    const update = { update_type: "check_in", check_in: { instructions: "Ring" } } as const
    const lapsed = await agent.update(id, update)
    expect(lapsed.error?.code).toBe("hold_expired")
    expect(lapsed.next_step).toContain("do not place the store order a second time")
    await h.run(Effect.flatMap(Vehicles, (vehicles) => vehicles.goOffline(OPERATIONS, "veh_courier")))
    const full = await agent.reserve(id)
    expect(full.error?.code).toBe("no_capacity")
    expect(full.next_step).toMatch(
      /^Call reserve_delivery .* again in a few minutes; or call cancel_delivery/,
    )
    expect(full.next_step.endsWith(ONCE)).toBe(true)
  })

  test("a reserve without a free vehicle says from when on to call it again, if the quote holds until then", async () => {
    const other = new Agent(h, "usr_two")
    const rows = Effect.serviceFunctions(DeliveryRows)
    const first = await agent.booked()
    // Its order is aboard already, so the vehicle is free as soon as it has driven to the door.
    await transacted(h, rows.change(first, { status: "EN_ROUTE_TO_CUSTOMER" }))
    const id = await other.quoted()
    await agent.held()
    const full = await other.reserve(id)
    const earliest = full.earliest_at ?? ""
    expect(full.error?.code).toBe("no_capacity")
    expect(Date.parse(earliest)).toBeLessThan(Date.parse((await other.status(id)).quote_expires_at ?? ""))
    expect(full.next_step).toBe(
      `Call reserve_delivery with delivery_id ${id} again from ${earliest} on; pay, and then place the store order, only once it answers held.`,
    )
  })

  test("a placed order keeps its slot when it is held again, and the vehicle comes then", async () => {
    await onQuarterHour()
    const start = h.now() + 75 * MINUTE_MS
    const id = await agent.quoted(BAKERY)
    await agent.reserve(id)
    const selected_slot = { id: "s-9", start, end: start + 15 * MINUTE_MS }
    expect(codeOf(await agent.confirm(id, { selected_slot }))).toBe("payment_failed")
    await h.advance(26 * MINUTE_MS)
    const held = await agent.reserve(id, PAID)
    expect(held.pickup_time?.select).toBe("s-9")
    const windowed = { start: start + 15 * MINUTE_MS, end: start + 30 * MINUTE_MS }
    expect((await agent.reserve(id, { pickup_window: windowed })).pickup_time?.select).toBe("s-9")
    const booked = await agent.confirm(id)
    expect(Date.parse(booked.planned_pickup_time ?? "") - windowed.start).toBeGreaterThanOrEqual(0)
    const early = { start: start - 15 * MINUTE_MS, end: start }
    const refused = await agent.update(id, { update_type: "slot", pickup_window: early })
    expect(refused.error).toMatchObject({ code: "timing_not_feasible", field: "pickup_window" })
  })

  test("a window for a placed order moves the vehicle, and never before the order is ready", async () => {
    await onQuarterHour()
    const startMs = h.now()
    const windowIn = (from: number) => ({
      start: startMs + from * MINUTE_MS,
      end: startMs + (from + 15) * MINUTE_MS,
    })
    const id = await agent.booked()
    const move = (from: number) => agent.update(id, { update_type: "slot", pickup_window: windowIn(from) })
    await agent.update(id, { update_type: "ready_time", ready_at: startMs + 60 * MINUTE_MS })
    expect(minutes((await move(75)).planned_pickup_time)).toBeGreaterThanOrEqual(74)
    expect(codeOf(await move(30))).toBe("timing_not_feasible")
    expect(codeOf(await move(60))).toBe("answered assigned")
  })

  test("a report without a reserve, of no delivery and of an ended one says what becomes of the order", async () => {
    const quoted = await agent.quoted()
    expect((await agent.confirm(quoted)).next_step).toMatch(
      /^Call reserve_delivery .*do not place the store order a second time/,
    )
    const unknown = await agent.confirm(`dlv_${"0".repeat(22)}`)
    expect([unknown.error?.code, unknown.next_step.endsWith(ONCE)]).toEqual(["not_found", true])
    await h.advance(31 * MINUTE_MS)
    const expired = await agent.confirm(quoted)
    expect([expired.error?.code, expired.next_step.endsWith(ONCE)]).toEqual(["quote_expired", true])
    await agent.cancel(quoted)
    const ended = await agent.confirm(quoted)
    expect(ended.next_step).toBe(
      "No further call is needed: no vehicle collects the store order, so have the user collect it or cancel it with the store.",
    )
  })

  test("a report that was refused is known after its quote, and after a cancel without a reserve", async () => {
    const expired = await agent.quoted()
    await agent.confirm(expired)
    await h.advance(31 * MINUTE_MS)
    const { state, next_step } = await agent.status(expired)
    expect([state, next_step.endsWith(ONCE)]).toEqual(["expired", true])
    const cancelled = await agent.quoted()
    await agent.confirm(cancelled)
    expect((await agent.cancel(cancelled)).next_step).toContain("cancel the store order with the store")
  })

  test("a delay without a time says that nothing moved and asks for it; with one the pickup moves", async () => {
    const delayed = { update_type: "issue", issue: { code: "order_delayed" } } as const
    const id = await agent.booked()
    const before = (await agent.status(id)).planned_pickup_time
    const asked = await agent.update(id, delayed)
    expect(asked).toMatchObject({
      planned_pickup_time: before,
      next_step: expect.stringMatching(/update_type ready_time .* nothing has moved/),
      user_message: expect.stringContaining("nothing has moved"),
    })
    const moved = await agent.update(id, { ...delayed, ready_at: h.now() + 60 * MINUTE_MS })
    expect(minutes(moved.planned_pickup_time)).toBe(60)
    expect(moved.user_message).toContain("has moved to when the order is ready")
    const unbooked = await agent.update(await agent.authorized(), delayed)
    expect(unbooked.next_step).toMatch(/^Call confirm_delivery .* nothing has moved/)
  })

  test.each([
    ["store_no_handover", 0, "The store did not hand the order over. The order is still at the store"],
    ["vehicle_fault", 0, "The vehicle had a fault. The order is still at the store"],
    ["vehicle_fault", 8, "The vehicle had a fault. The order was on board and is not brought again"],
    ["customer_unavailable", 8, "The order was not taken out of the vehicle. The order was on board"],
  ] as const)(
    "an errand that failed says why and where its food is: %s after %i legs",
    async (reason, legs, says) => {
      const id = await agent.booked()
      for (const [metres, load] of WAY.slice(0, legs)) await drive(h, metres, load)
      const failure = { reason, refunds: false }
      await h.run(Effect.flatMap(CourierOperations, (errands) => errands.fail(id, failure)))
      const { state, user_message } = await agent.status(id)
      expect(state).toBe("failed")
      expect(user_message.startsWith(says)).toBe(true)
      expect(user_message).toContain("The delivery fee of 4.95 US dollars stays charged.")
      expect(user_message.length).toBeLessThanOrEqual(300)
      const [last] = await h.run(
        Effect.flatMap(MessageRows, (rows) => rows.newest({ channel: "sms", limit: 1 })),
      )
      expect(last?.text).toContain(says)
    },
  )
})

test("an older row of a vehicle's fault does not say where its order is", async () => {
  const id = await agent.booked()
  const failure = { reason: "vehicle_fault", refunds: false } as const
  await h.run(Effect.flatMap(CourierOperations, (errands) => errands.fail(id, failure)))
  const row = await h.run(Effect.flatMap(CourierRows, (rows) => rows.byId(id)))
  if (row === null) throw new Error("there is no errand")
  const { wasAboard, ...details } = row.details
  expect([wasAboard, failedText("vehicle_fault", row.details)]).toEqual([
    false,
    expect.stringContaining("still at the store"),
  ])
  expect(failedText("vehicle_fault", details)).toBe("The vehicle had a fault.")
  expect(failedText("customer_unavailable", details)).toContain("on board")
  expect(failedText("store_no_handover", details)).toContain("still at the store")
})

describe("the offer is computed again at the hold", () => {
  test("CR14: what to select lies ahead, however old the quote is", async () => {
    const id = await agent.quoted(BAKERY)
    await h.advance(29 * MINUTE_MS)
    const { pickup_windows } = await agent.status(id)
    expect(pickup_windows?.every(({ start }) => Date.parse(start) >= h.now())).toBe(true)
    const { pickup_time } = await agent.reserve(id)
    expect(Date.parse(pickup_time?.select ?? "")).toBeGreaterThanOrEqual(h.now() + 20 * MINUTE_MS)
  })

  test("CR6: where no window is left, the hold is refused and another check is what is left", async () => {
    // 7:25 PM in Austin: one window before the service closes at eight.
    await h.standAt(START_MS + (9 * 60 + 25) * MINUTE_MS)
    const id = await agent.quoted()
    await h.advance(29 * MINUTE_MS)
    const answer = await agent.reserve(id)
    expect(codeOf(answer)).toBe("timing_not_feasible")
    expect(answer.error).not.toHaveProperty("field")
    expect(answer.next_step).toMatch(/^Do not place the store order: .*check_delivery/)
    expect((await agent.status(id)).state).toBe("quoted")
  })

  test("CK8: a requested window without staff at the store is outside the hours, whatever else is open", async () => {
    await h.standAt(START_MS + 9 * 60 * MINUTE_MS)
    const start = h.now() + 65 * MINUTE_MS
    const closed = { type: "window", start, end: start + 15 * MINUTE_MS } as const
    expect((await agent.check({ requested_timing: closed })).decline_reason).toBe("outside_service_hours")
    const open = { ...closed, start: start - 30 * MINUTE_MS }
    expect((await agent.check({ requested_timing: open })).state).toBe("quoted")
  })

  test("CK8: beyond the horizon it is not feasible, at night too", async () => {
    await h.standAt(START_MS + 13 * 60 * MINUTE_MS)
    const start = h.now() + 91 * MINUTE_MS
    const asked = { type: "window", start, end: start + 15 * MINUTE_MS } as const
    expect((await agent.check({ requested_timing: asked })).decline_reason).toBe("timing_not_feasible")
  })
})

describe("what a refusal or a decline says", () => {
  test("C43: a status of what was declined at the check has the price and that nothing is paid", async () => {
    const { delivery_id = "" } = await agent.check({ pickup_methods_offered: ["counter"] })
    expect(await agent.status(delivery_id)).toMatchObject({
      state: "declined",
      price: { amount: "4.95", currency: "usd" },
      payment_status: "pending",
      fee_cents: 495,
    })
  })

  test("C46: every refusal about an errand names it", async () => {
    const id = await agent.held()
    const args = agent.confirming(id)
    for (let call = 0; call < 10; call += 1) await agent.confirm(id)
    expect(await agent.confirm(id)).toMatchObject({ delivery_id: id, error: { code: "rate_limited" } })
    await h.advance(MINUTE_MS + SECOND_MS)
    await agent.pay(id)
    await agent.confirm(id, args)
    const again = await agent.confirm(id, { ...args, order_number: "other" })
    expect(again).toMatchObject({ delivery_id: id, error: { code: "idempotency_conflict" } })
  })
})

test("C6: the ninetieth minute after the hold is the last in which an order is taken", async () => {
  const id = await agent.authorized()
  const { hold_expires_at = "" } = await agent.status(id)
  await h.standAt(Date.parse(hold_expires_at) + 90 * MINUTE_MS)
  expect(codeOf(await agent.confirm(id))).toBe("answered confirmed")
})
