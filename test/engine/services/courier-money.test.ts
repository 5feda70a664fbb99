/**
 * The fee of an errand when the processor refuses, does not answer, or its answer is lost: its books show the state.
 */

import { beforeEach, describe, expect, test } from "vitest"
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../src/model/values/time.ts"
import type {
  KeptPayment,
  SimulatedProcessor,
} from "../../../src/areas/courier/memory/simulated-processor.ts"
import { checkout, codeOf, ready, tokenOf } from "../../conformance/courier-agent.ts"
import type { Agent } from "../../conformance/courier-agent.ts"
import { memoryHarness } from "../../conformance/memory.ts"
import type { MemoryHarness } from "../../conformance/memory.ts"

let h: MemoryHarness
let agent: Agent
let processor: SimulatedProcessor

function books(): readonly KeptPayment["state"][] {
  return [...processor.books.values()].map(({ state }) => state)
}

/** A body runs again when its transaction lost against another. */
describe.each([
  ["once", false],
  ["twice, the first time for nothing", true],
])("with each body of a transaction run %s:", (_, rehearses) => {
  beforeEach(async () => {
    ;({ h, agent } = await ready(() => memoryHarness({ rehearses })))
    processor = h.service.world.processor
  })

  describe("what was paid for nothing goes back", () => {
    test("C24: a capture that is declined lets its authorization go, and another payment is taken", async () => {
      const id = await agent.held()
      await agent.pay(id, "spt_uncaptured_1")
      expect(codeOf(await agent.confirm(id))).toBe("payment_failed")
      await h.advance(SECOND_MS)
      expect(books()).toEqual(["canceled"])
      await agent.pay(id)
      expect(await agent.confirm(id)).toMatchObject({ state: "confirmed", payment_status: "captured" })
      expect(books()).toEqual(["canceled", "captured"])
    })

    test("C24: a capture whose answer was lost is refunded before another payment is tried", async () => {
      const id = await agent.authorized()
      processor.losesAnswers = true
      expect(codeOf(await agent.confirm(id))).toBe("payment_failed")
      expect((await agent.status(id)).payment_status).toBe("failed")
      processor.losesAnswers = false
      expect(await agent.pay(id)).toMatchObject({ state: "held", payment_status: "authorized" })
      expect(books()).toEqual(["refunded", "authorized"])
    })

    test("an authorization whose answers are lost is requested under one key, and then released", async () => {
      const id = await agent.held()
      processor.losesAnswers = true
      expect(codeOf(await agent.pay(id))).toBe("payment_failed")
      expect(books()).toEqual(["authorized"])
      processor.losesAnswers = false
      await h.advance(HOUR_MS)
      expect(books()).toEqual(["canceled"])
    })

    test("while the answer of the processor is late, the checkout page takes no second payment", async () => {
      const id = await agent.held()
      const token = tokenOf((await agent.status(id)).payment?.checkout_url)
      processor.takesMs = 25 * SECOND_MS
      expect(await h.run(checkout.pay(token, "spt_ok_1"))).toMatchObject({ type: "unclear" })
      expect(await h.run(checkout.view(token))).toMatchObject({ type: "unclear", amountCents: 495 })
      expect(await h.run(checkout.pay(token, "spt_ok_2"))).toMatchObject({ type: "unclear" })
      processor.takesMs = 0
      await h.advance(HOUR_MS)
      expect(processor.books.size).toBe(1)
    })

    test("an authorization whose answer is late is let go with the errand", async () => {
      const id = await agent.held()
      processor.takesMs = 25 * SECOND_MS
      expect(codeOf(await agent.pay(id))).toBe("internal_error")
      await h.advance(5 * MINUTE_MS)
      processor.takesMs = 0
      await agent.cancel(id)
      await h.advance(HOUR_MS)
      expect(await agent.status(id)).toMatchObject({ state: "cancelled", payment_status: "voided" })
      expect(new Set(books())).toEqual(new Set(["canceled"]))
    })

    test("a payment while the last one is still being let go is told that it failed, and tries the processor again", async () => {
      const id = await agent.authorized()
      processor.isDown = true
      expect(codeOf(await agent.confirm(id))).toBe("payment_failed")
      await h.advance(2 * MINUTE_MS)
      expect(codeOf(await agent.pay(id))).toBe("payment_failed")
      processor.isDown = false
      expect(codeOf(await agent.pay(id))).toBe("answered held")
      expect(books()).toEqual(["canceled", "authorized"])
    })

    test.each(["spt_declined_1", "spt_expired_1", "spt_small_1"])(
      "C25: a cancel after a credential that came to nothing (%s) lets nothing go: it stays failed",
      async (token) => {
        const id = await agent.held()
        await agent.pay(id, token)
        const answer = await agent.cancel(id)
        expect(answer).toMatchObject({ state: "cancelled", payment_status: "failed", charged_cents: 0 })
        expect(answer.user_message).toBe("The delivery is cancelled. Nothing was charged.")
        await h.advance(HOUR_MS)
        expect((await agent.status(id)).payment_status).toBe("failed")
        expect(books()).toEqual([])
      },
    )

    test("C30: so does a decline after it", async () => {
      const id = await agent.held()
      await agent.pay(id, "spt_declined_1")
      const answer = await agent.confirm(id, { items: [{ name: "Red wine", quantity: 1 }] })
      expect(answer).toMatchObject({ state: "declined", payment_status: "failed", charged_cents: 0 })
      expect(answer.user_message).toContain("Nothing was charged.")
    })

    test("C25: a refund that never came through is charged, and a cancel says so", async () => {
      const id = await agent.booked()
      processor.isDown = true
      expect(await agent.cancel(id)).toMatchObject({ state: "cancelled", charged_cents: 0 })
      await h.advance(30 * HOUR_MS)
      expect(await agent.cancel(id)).toMatchObject({
        state: "cancelled",
        payment_status: "captured",
        charged_cents: 495,
      })
    })
  })

  describe("a hold that a report takes", () => {
    test("CR8: lets the user's other hold go and names it, also where the fee is not paid", async () => {
      const lunch = await agent.held()
      await h.advance(16 * MINUTE_MS)
      const dinner = await agent.held()
      const answer = await agent.confirm(lunch)
      expect(codeOf(answer)).toBe("payment_failed")
      expect(answer).toMatchObject({ state: "held", released_delivery_ids: [dinner] })
      expect((await agent.status(dinner)).state).toBe("quoted")
    })

    test("CR8: names it with the booking too", async () => {
      const lunch = await agent.authorized()
      await h.advance(16 * MINUTE_MS)
      const dinner = await agent.held()
      expect(await agent.confirm(lunch)).toMatchObject({
        state: "confirmed",
        released_delivery_ids: [dinner],
      })
      expect((await agent.status(dinner)).state).toBe("quoted")
    })

    test("CR8: waits for another errand that is being paid for, rather than hold two", async () => {
      const lunch = await agent.authorized()
      const dinner = await agent.quoted()
      processor.takesMs = 15 * SECOND_MS
      const confirming = agent.confirm(lunch)
      expect(codeOf(await confirming)).toBe("internal_error")
      const answer = await agent.reserve(dinner)
      expect(answer).toMatchObject({ state: "held", released_delivery_ids: [] })
      expect((await agent.status(lunch)).payment_status).toBe("captured")
    })

    test("C38: with a live hold nothing is let go", async () => {
      const lunch = await agent.authorized()
      expect(await agent.confirm(lunch)).not.toHaveProperty("released_delivery_ids")
    })
  })
})
