/** Keys, limits and errors of the connector's tools, over the simulated service. */

import { Effect, Layer } from "effect"
import { beforeEach, describe, expect, test } from "vitest"
import type { CheckDeliveryArguments } from "../../../src/model/requests/courier-requests.ts"
import { COURIER_ERRORS } from "../../../src/model/courier.ts"
import type { CourierEnvelope } from "../../../src/model/courier.ts"
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../src/model/values/time.ts"
import { Courier } from "../../../src/areas/courier/courier.ts"
import { StoreDirectory } from "../../../src/areas/courier/directory/store-directory.ts"
import { Agent, USER, codeOf, courier, ready } from "../../conformance/courier-agent.ts"
import { memoryHarness, runToEnd } from "../../conformance/memory.ts"
import type { MemoryHarness } from "../../conformance/memory.ts"

let h: MemoryHarness
let agent: Agent

beforeEach(async () => {
  ;({ h, agent } = await ready(memoryHarness))
  await h.advance(MINUTE_MS - (h.now() % MINUTE_MS))
})

const UNKNOWN = `dlv_${"z".repeat(22)}`

describe("how often a tool may be called", () => {
  const notes = { update_type: "dropoff_notes", dropoff_notes: "x" } as const

  test.each<readonly [tool: string, limit: number, call: (who: Agent) => Promise<CourierEnvelope>]>([
    ["check_delivery", 10, (who) => who.check({ pickup_methods_offered: ["other"] })],
    ["reserve_delivery", 10, (who) => who.reserve(UNKNOWN)],
    ["confirm_delivery", 10, (who) => who.confirm(UNKNOWN)],
    ["update_delivery", 30, (who) => who.update(UNKNOWN, notes)],
    ["get_delivery_status", 60, (who) => who.status(UNKNOWN)],
    ["cancel_delivery", 10, (who) => who.cancel(UNKNOWN)],
  ])("C45: %s %i times in a minute, by user; refusals count", async (tool, limit, call) => {
    await h.advance(45 * SECOND_MS)
    for (let count = 0; count < limit; count += 1) expect(codeOf(await call(agent))).not.toBe("rate_limited")
    const refused = await call(agent)
    expect(refused.error).toMatchObject({ code: "rate_limited", retryable: true, retry_after_seconds: 15 })
    expect(refused.error?.message).toContain(tool)
    expect(refused.next_step).toContain("15 seconds")
    expect(codeOf(await call(new Agent(h, "usr_two")))).not.toBe("rate_limited")
    await h.advance(15 * SECOND_MS)
    expect(codeOf(await call(agent))).not.toBe("rate_limited")
  })

  test("C45: the tools do not share their limits", async () => {
    for (let count = 0; count < 11; count += 1) await agent.cancel(UNKNOWN)
    expect(codeOf(await agent.cancel(UNKNOWN))).toBe("rate_limited")
    expect(codeOf(await agent.confirm(UNKNOWN))).toBe("not_found")
  })

  test("C45: a check that the minute refuses is none of the hour's sixty", async () => {
    await h.advance(HOUR_MS - (h.now() % HOUR_MS))
    for (let count = 0; count < 70; count += 1) await agent.check({ pickup_methods_offered: ["other"] })
    await h.advance(MINUTE_MS)
    expect(codeOf(await agent.check({ pickup_methods_offered: ["other"] }))).toBe("answered declined")
  })

  test("C45: sixty checks in an hour, and not one more however they are spread", async () => {
    await h.advance(HOUR_MS - (h.now() % HOUR_MS))
    const check = () => agent.check({ pickup_methods_offered: ["other"] })
    for (let count = 0; count < 60; count += 1) {
      if (count > 0 && count % 10 === 0) await h.advance(MINUTE_MS)
      expect(codeOf(await check())).toBe("answered declined")
    }
    await h.advance(10 * MINUTE_MS)
    const refused = await check()
    expect(refused.error).toMatchObject({ code: "rate_limited", retry_after_seconds: 45 * 60 })
    await h.advance(45 * MINUTE_MS)
    expect(codeOf(await check())).toBe("answered declined")
  })
})

test("C46: which errors may do better later", () => {
  expect(
    Object.fromEntries(Object.entries(COURIER_ERRORS).map(([code, { retryable }]) => [code, retryable])),
  ).toEqual({
    not_found: false,
    invalid_state: false,
    quote_expired: false,
    hold_expired: false,
    timing_not_feasible: false,
    no_capacity: true,
    payment_failed: true,
    invalid_request: false,
    idempotency_conflict: false,
    rate_limited: true,
    internal_error: true,
  })
})

describe("keys", () => {
  /** The connector over a directory of stores that takes its time. */
  function slowly<A>(ask: (tools: Courier["Type"]) => Effect.Effect<A>, takesMs: number): Promise<A> {
    const directory = Layer.effect(
      StoreDirectory,
      Effect.map(StoreDirectory, ({ find }) => ({
        find: (wanted) => Effect.delay(find(wanted), takesMs),
      })),
    )
    const asked = Effect.provide(Effect.flatMap(Courier, ask), Layer.provide(Courier.layer, directory))
    const { host, runtime } = h.service
    return runToEnd(asked, { runtime, time: host.time })
  }

  test("C48: a check under way is waited for, and answers its retry as itself", async () => {
    const args = agent.checking()
    const twice = (tools: Courier["Type"]) =>
      Effect.all([tools.check(USER, args), tools.check(USER, args)], { concurrency: 2 })
    const [first, second] = await slowly(twice, 9 * SECOND_MS)
    expect(first.state).toBe("quoted")
    expect(second).toEqual(first)
  })

  /** A call that takes this long, another beside it, and how long that one waited. */
  async function beside(takesMs: number, args: CheckDeliveryArguments, others: CheckDeliveryArguments) {
    const startedAtMs = h.now()
    let waitedMs = -1
    const both = (tools: Courier["Type"]) => {
      const noting = Effect.sync(() => {
        waitedMs = h.now() - startedAtMs
      })
      const other = Effect.tap(tools.check(USER, others), () => noting)
      return Effect.all([tools.check(USER, args), other], { concurrency: 2 })
    }
    const [first, second] = await slowly(both, takesMs)
    return { first, second, waitedMs }
  }

  test("C48: after ten seconds the retry is told that the call is in flight; the call ends, and is the answer", async () => {
    const args = agent.checking()
    const { first, second, waitedMs } = await beside(15 * SECOND_MS, args, args)
    expect(second.error).toMatchObject({ code: "internal_error", retryable: true })
    expect(second.error?.message).toContain("still in flight")
    expect(second.next_step).toContain("same idempotency_key")
    expect(waitedMs).toBe(10 * SECOND_MS)
    expect(await h.run(courier.check(USER, args))).toEqual(first)
  })

  test("C48: other arguments under a key in flight conflict at once", async () => {
    const args = agent.checking()
    const { first, second, waitedMs } = await beside(5 * SECOND_MS, args, { ...args, item_count: 3 })
    expect([codeOf(first), codeOf(second)]).toEqual(["answered quoted", "idempotency_conflict"])
    expect(waitedMs).toBe(0)
  })

  test("C48: retries that wait do not count against the limit", async () => {
    const args = agent.checking()
    const twelve = (tools: Courier["Type"]) =>
      Effect.all(
        Array.from({ length: 12 }, () => tools.check(USER, args)),
        { concurrency: "unbounded" },
      )
    const ids = (await slowly(twelve, SECOND_MS)).map(({ delivery_id }) => delivery_id)
    expect(new Set(ids).size).toBe(1)
    for (let count = 1; count < 10; count += 1) expect(codeOf(await agent.check())).toBe("answered quoted")
    expect(codeOf(await agent.check())).toBe("rate_limited")
  })

  test("C32: one key is one call of one user, whatever the order of its fields and what no schema knows", async () => {
    const args = agent.checking()
    const first = await h.run(courier.check(USER, args))
    const turned = Object.fromEntries(Object.entries(args).toReversed()) as typeof args
    expect(await h.run(courier.check(USER, turned))).toEqual(first)
    const theirs = await h.run(courier.check("usr_two", args))
    expect(theirs.state).toBe("quoted")
    expect(theirs.delivery_id).not.toBe(first.delivery_id)
  })
})
