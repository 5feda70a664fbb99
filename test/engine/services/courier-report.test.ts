/** From the hold to the report: earlier data stays, and the instructions for an agent when the fee is not paid. */

import { Effect } from "effect"
import { beforeEach, describe, expect, test } from "vitest"
import { MINUTE_MS, SECOND_MS, isoMs } from "../../../src/model/values/time.ts"
import type { HandoverRecord } from "../../../src/areas/courier/handover.ts"
import { CourierOperations } from "../../../src/areas/courier/courier-operations.ts"
import { codeOf, ready } from "../../conformance/courier-agent.ts"
import type { Agent } from "../../conformance/courier-agent.ts"
import { START_MS, memoryHarness, runToEnd } from "../../conformance/memory.ts"
import type { MemoryHarness } from "../../conformance/memory.ts"

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
    const answer = await agent.confirm(id, { order_number: "A-2" })
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

describe("the offer is computed again at the hold", () => {
  test("CR14: what to select lies ahead, however old the quote is", async () => {
    const bakery = {
      retailer_name: "Slot Street Bakery",
      store_address: { street: "11510 Domain Drive", city: "Austin", state: "TX", zip: "78758" },
    }
    const id = await agent.quoted(bakery)
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
