/** What operations do with an errand: it failed on the way, and its fee goes back. */

import { Effect } from "effect"
import { beforeEach, describe, expect, test } from "vitest"
import { FAILURE_REASONS } from "../../../src/model/courier.ts"
import type { SimulatedProcessor } from "../../../src/areas/courier/memory/simulated-processor.ts"
import { CourierOperations } from "../../../src/areas/courier/courier-operations.ts"
import type { ErrandRecord } from "../../../src/areas/courier/courier-operations.ts"
import type { Refused } from "../../../src/model/values/errors.ts"
import { DAY_MS } from "../../../src/model/values/time.ts"
import { memoryHarness, runToEnd } from "../../conformance/memory.ts"
import type { MemoryHarness } from "../../conformance/memory.ts"
import { Errands } from "../../areas/payments/errands.ts"

let h: MemoryHarness
let errands: Errands

beforeEach(async () => {
  h = memoryHarness()
  errands = new Errands(h)
  await errands.park()
})

/** The record, or the code of the refusal. */
async function ask(
  question: (operations: CourierOperations["Type"]) => Effect.Effect<ErrandRecord, Refused>,
): Promise<ErrandRecord | string> {
  const asked = Effect.flatMap(CourierOperations, question).pipe(
    Effect.catchAll(({ code }) => Effect.succeed(code)),
    Effect.provide(CourierOperations.layer),
  )
  const { runtime, host } = h.service
  const answer = await runToEnd(asked, { runtime, time: host.time })
  await h.advance(1_000)
  return answer
}

async function booked(): Promise<string> {
  const { id } = await errands.held()
  await errands.pay(id)
  expect(await errands.confirm(id)).toMatchObject({ payment_status: "captured" })
  return id
}

const fail = (id: string, refunds = false, reason: (typeof FAILURE_REASONS)[number] = "vehicle_fault") =>
  ask((operations) => operations.fail(id, { reason, refunds }))

describe("an errand that failed", () => {
  test.each(FAILURE_REASONS)(
    "tells its agent why, %s, and asks for nothing more; the fee stays",
    async (reason) => {
      const id = await booked()
      expect(await fail(id, false, reason)).toEqual({
        delivery_id: id,
        state: "failed",
        failure_reason: reason,
        payment_status: "captured",
      })
      expect(await errands.status(id)).toMatchObject({
        state: "failed",
        failure_reason: reason,
        payment_status: "captured",
        next_step: "No further call is needed.",
      })
    },
  )

  test("frees its vehicle: one with two runs takes another after it", async () => {
    const [one] = [await booked(), await booked()]
    expect((await errands.held()).token).toBe("")
    await fail(one)
    expect((await errands.held()).token).not.toBe("")
  })

  test("gives its fee back with it, or later, and once", async () => {
    const id = await booked()
    expect(await fail(id, true)).toMatchObject({ state: "failed", payment_status: "refunded" })
    expect(await errands.status(id)).toMatchObject({ state: "failed", payment_status: "refunded" })
    const later = await booked()
    await fail(later)
    const refund = () => ask((operations) => operations.refund(later))
    expect(await refund()).toMatchObject({ payment_status: "refunded" })
    expect(await refund()).toMatchObject({ payment_status: "refunded" })
  })

  test("fails again for the same reason alone, and then may still be refunded", async () => {
    const id = await booked()
    await fail(id)
    expect(await fail(id)).toMatchObject({ state: "failed", payment_status: "captured" })
    expect(await fail(id, false, "store_no_handover")).toBe("INVALID_STATE")
    expect(await fail(id, true)).toMatchObject({ payment_status: "refunded" })
  })
})

describe("a fee that the processor does not return for a day", () => {
  const refund = (id: string) => ask((operations) => operations.refund(id))
  const processor = (): SimulatedProcessor => h.service.world.processor

  test("is asked for again by operations once, when the errand was declined after it was paid", async () => {
    const id = await booked()
    processor().isDown = true
    await errands.decline(id)
    await h.advance(2 * DAY_MS)
    expect(await errands.status(id)).toMatchObject({ state: "declined", payment_status: "captured" })
    processor().isDown = false
    await refund(id)
    expect(await errands.status(id)).toMatchObject({ state: "declined", payment_status: "refunded" })
    const { length } = h.service.host.entries
    expect(await refund(id)).toMatchObject({ state: "declined", payment_status: "refunded" })
    expect(h.service.host.entries).toHaveLength(length)
  })

  test("is asked for again when the errand expired, and again when the processor is still gone", async () => {
    const { id } = await errands.held()
    await errands.pay(id)
    processor().isDown = true
    await h.advance(3 * DAY_MS)
    expect(await refund(id)).toMatchObject({ state: "expired" })
    await h.advance(2 * DAY_MS)
    expect(await errands.status(id)).toMatchObject({ state: "expired", payment_status: "authorized" })
    processor().isDown = false
    await refund(id)
    expect(await errands.status(id)).toMatchObject({ state: "expired", payment_status: "voided" })
    expect([...processor().books.values()].map(({ state }) => state)).toEqual(["canceled"])
  })

  test("is nothing where every card was declined", async () => {
    const { id } = await errands.held()
    await errands.pay(id, "spt_declined")
    await h.advance(DAY_MS)
    expect(await errands.status(id)).toMatchObject({ state: "expired", payment_status: "failed" })
    expect(await refund(id)).toBe("INVALID_STATE")
  })

  test("is nothing where no fee was ever asked for", async () => {
    const { id } = await errands.held()
    await h.advance(DAY_MS)
    expect(await errands.status(id)).toMatchObject({ state: "expired", payment_status: "pending" })
    expect(await refund(id)).toBe("INVALID_STATE")
  })
})

describe("no errand fails, and none is refunded,", () => {
  test("that is not booked, was cancelled, or is not there", async () => {
    const { id } = await errands.held()
    expect([await fail(id), await ask((one) => one.refund(id))]).toEqual(["INVALID_STATE", "INVALID_STATE"])
    await errands.cancel(id)
    expect(await fail(id)).toBe("INVALID_STATE")
    const unknown = `dlv_${"z".repeat(22)}`
    for (const ending of [
      fail(unknown),
      ask((one) => one.refund(unknown)),
      ask((one) => one.show(unknown)),
    ]) {
      expect(await ending).toBe("DELIVERY_NOT_FOUND")
    }
  })

  test("and a booked one is only shown", async () => {
    const id = await booked()
    expect(await ask((one) => one.refund(id))).toBe("INVALID_STATE")
    expect(await ask((one) => one.show(id))).toMatchObject({ state: "assigned", failure_reason: null })
  })
})
