/** Exceptions, the clocks that raise some of them, and the end of the window. */

import { describe, expect, test } from "vitest"
import {
  ENDING_EXCEPTION_CODES,
  EXCEPTION_CODES,
  EXCEPTION_MESSAGES,
  endsTheTask,
} from "../../../src/model/handoff.ts"
import { DAY_MS, MINUTE_MS } from "../../../src/model/values/time.ts"
import { DEFAULT_POLICY } from "../../../src/engine/services/policies.ts"
import {
  app,
  booked,
  bringTo,
  codeOf,
  handoffOf,
  iso,
  operations,
  partner,
  report,
  reservations,
  runner,
  seen,
  subscribe,
  told,
  toldInShort,
} from "../harness.ts"
import type { MakeServicesHarness } from "../harness.ts"

const FLAGS = EXCEPTION_CODES.filter((code) => !endsTheTask(code))

export function exceptionTests(make: MakeServicesHarness): void {
  describe("exceptions", () => {
    test("there are eight codes; two of them end the task", () => {
      expect(EXCEPTION_CODES).toHaveLength(8)
      expect([...ENDING_EXCEPTION_CODES].toSorted()).toEqual(["order_not_ready_fail", "payload_rejected"])
      expect(Object.values(EXCEPTION_MESSAGES).every((message) => message.trim() !== "")).toBe(true)
    })

    test.each(EXCEPTION_CODES)("%s is told with its code, the default message and its time", async (code) => {
      const h = make()
      await subscribe(h)
      const id = await booked(h)
      const raised = await h.run(runner.raise(operations, id, code))
      expect(handoffOf(raised).status).toBe(endsTheTask(code) ? "FAILED" : "QUEUED")
      const event = (await told(h))[1]
      expect(event?.event_type).toBe("reservation.exception")
      expect(event?.data["reason_code"]).toBe(code)
      expect(event?.data["message"]).toBe(EXCEPTION_MESSAGES[code])
      expect(event?.data["occurred_at"]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
      expect(Object.keys(event?.data ?? {})).toEqual(["reservation", "reason_code", "message", "occurred_at"])
      expect(event?.data.reservation).toEqual(raised)
    })

    test.each(FLAGS)("the flag %s moves nothing, and is told once until a step clears it", async (code) => {
      const h = make()
      await subscribe(h)
      const id = await booked(h)
      const before = await seen(h, id)
      expect(await h.run(runner.raise(app, id, code, "own words"))).toEqual(before)
      expect(await h.run(runner.raise(app, id, code, "other words"))).toEqual(before)
      expect(await toldInShort(h)).toEqual(["null > confirmed", `exception ${code}`])
      await h.run(runner.assign(app, id, "run_1"))
      await h.run(runner.raise(app, id, code))
      const events = await told(h)
      expect(events.map((event) => event.data["message"])).toEqual([
        undefined,
        "own words",
        EXCEPTION_MESSAGES[code],
      ])
    })

    test("a flag that was cleared by hand is told again", async () => {
      const h = make()
      await subscribe(h)
      const id = await booked(h)
      await h.run(runner.raise(app, id, "stall_blocked"))
      await h.run(runner.clear(app, id, "stall_blocked"))
      await h.run(runner.clear(app, id, "stall_blocked"))
      await h.run(runner.raise(app, id, "stall_blocked"))
      expect((await toldInShort(h)).slice(1)).toEqual(["exception stall_blocked", "exception stall_blocked"])
    })

    test("two flags stand beside each other", async () => {
      const h = make()
      await subscribe(h)
      const id = await booked(h)
      await h.run(runner.raise(app, id, "stall_blocked"))
      await h.run(runner.raise(app, id, "runner_delayed"))
      await h.run(runner.raise(app, id, "stall_blocked"))
      expect((await toldInShort(h)).slice(1)).toEqual(["exception stall_blocked", "exception runner_delayed"])
    })

    test("an own message belongs to its exception alone: a later one by the clock has the default", async () => {
      const h = make()
      const id = await booked(h, { arrival_window_end: h.now() + 120 * MINUTE_MS })
      await h.run(runner.raise(app, id, "bot_no_show", "own words"))
      await bringTo(h, id, "AT_UNIT")
      await subscribe(h)
      await h.advance(11 * MINUTE_MS)
      const events = await told(h)
      expect(events.map((event) => event.data["reason_code"])).toEqual(["bot_no_show"])
      expect(events[0]?.data["message"]).toBe(EXCEPTION_MESSAGES.bot_no_show)
    })

    test("an own message belongs to its exception alone: a hold at the counter has the default", async () => {
      const h = make()
      const id = await booked(h)
      await h.run(runner.raise(app, id, "order_not_ready_hold", "own words"))
      await bringTo(h, id, "AT_STORE")
      await subscribe(h)
      await h.run(runner.hold(app, id, null))
      expect((await told(h))[0]?.data["message"]).toBe(EXCEPTION_MESSAGES.order_not_ready_hold)
    })

    test.each(["LOADED", "CANCELED", "FAILED"] as const)(
      "a task that ended %s takes none",
      async (status) => {
        const h = make()
        const id = await booked(h)
        await bringTo(h, id, status)
        for (const code of EXCEPTION_CODES)
          expect(await codeOf(h, runner.raise(app, id, code))).toBe("INVALID_STATE")
        expect(await codeOf(h, runner.clear(app, id, "stall_blocked"))).toBe("INVALID_STATE")
      },
    )
  })

  describe("clocks", () => {
    test.each(["AT_STORE", "HELD"] as const)(
      "a task %s at the window's end fails, at that deadline",
      async (status) => {
        const h = make()
        await subscribe(h)
        const id = await booked(h)
        const endMs = h.now() + 60 * MINUTE_MS
        await bringTo(h, id, status)
        await h.standAt(endMs - 1)
        expect(handoffOf(await seen(h, id)).status).toBe(status)
        await h.advance(1)
        expect(await seen(h, id)).toMatchObject({
          status: "confirmed",
          handoff: { status: "FAILED", ready_estimate: null },
        })
        const event = (await told(h)).at(-1)
        expect(event?.data["reason_code"]).toBe("order_not_ready_fail")
        expect(event?.data["occurred_at"]).toBe(`${iso(endMs).slice(0, -1)}000Z`)
      },
    )

    test("L3: a task still assigned at the window's end waits for the grace", async () => {
      const h = make()
      await subscribe(h)
      const id = await booked(h)
      const endMs = h.now() + 60 * MINUTE_MS
      await h.run(runner.assign(app, id, "run_1"))
      await h.standAt(endMs + 15 * MINUTE_MS - 1)
      expect(handoffOf(await seen(h, id)).status).toBe("ASSIGNED")
      expect(await toldInShort(h)).toEqual(["null > confirmed", "confirmed > canceled"])
    })

    test("a moved window moves the deadline at the store along", async () => {
      const h = make()
      const id = await booked(h)
      const fromMs = h.now()
      await bringTo(h, id, "AT_STORE")
      await h.run(reservations.moveWindow(partner, id, { arrival_window_end: fromMs + 90 * MINUTE_MS }))
      await h.standAt(fromMs + 90 * MINUTE_MS - 1)
      expect(handoffOf(await seen(h, id)).status).toBe("AT_STORE")
      await h.advance(1)
      expect(handoffOf(await seen(h, id)).status).toBe("FAILED")
    })

    test("L4: ten minutes at the bot without READY are a no-show, told once", async () => {
      const h = make()
      await subscribe(h)
      const id = await booked(h, { arrival_window_end: h.now() + 120 * MINUTE_MS })
      await bringTo(h, id, "AT_UNIT")
      const atUnitMs = h.now()
      const before = (await told(h)).length
      await h.standAt(atUnitMs + 10 * MINUTE_MS)
      expect((await toldInShort(h)).slice(before)).toEqual(["exception bot_no_show"])
      const event = (await told(h)).at(-1)
      expect(event?.data["occurred_at"]).toBe(`${iso(atUnitMs + 10 * MINUTE_MS).slice(0, -1)}000Z`)
      expect(handoffOf(await seen(h, id)).status).toBe("AT_UNIT")
      await h.advance(60 * MINUTE_MS)
      expect((await toldInShort(h)).length).toBe(before + 1)
    })

    test.each(["READY_FOR_HANDOFF", "SECURED"] as const)(
      "L4: a bot that is %s in time is no no-show",
      async (status) => {
        const h = make()
        const id = await booked(h, { arrival_window_end: h.now() + 120 * MINUTE_MS })
        await bringTo(h, id, "AT_UNIT")
        await h.advance(10 * MINUTE_MS - 1)
        await subscribe(h)
        await report(h, id, status)
        await h.advance(30 * MINUTE_MS)
        expect(await toldInShort(h)).toEqual([])
      },
    )

    test.each(["QUEUED", "ASSIGNED", "RETRIEVED", "AT_UNIT", "HANDOFF_READY"] as const)(
      "L1: with the handoff %s the reservation is canceled by the system at window end plus grace",
      async (status) => {
        const h = make()
        await subscribe(h)
        const id = await booked(h)
        const dueMs = h.now() + 75 * MINUTE_MS
        await bringTo(h, id, status)
        await h.standAt(dueMs - 1)
        expect((await seen(h, id)).status).toBe("confirmed")
        await h.advance(1)
        const closed = await seen(h, id)
        expect(closed).toMatchObject({
          status: "canceled",
          canceled_by: "system",
          cancel_reason: "window_expired",
          handoff: { status: "CANCELED" },
          updated_at: iso(dueMs),
        })
        const last = (await told(h)).at(-1)
        expect(last?.data["previous_status"]).toBe("confirmed")
        expect(last?.data.reservation).toEqual(closed)
        expect(last?.occurred_at.startsWith(iso(dueMs).slice(0, -1))).toBe(true)
      },
    )

    test("L1: an arrived reservation is closed too", async () => {
      const h = make()
      await subscribe(h)
      const id = await booked(h)
      await report(h, id, "ARRIVED")
      await h.advance(DAY_MS)
      expect(await toldInShort(h)).toEqual(["null > confirmed", "confirmed > arrived", "arrived > canceled"])
    })

    test("L2: a loaded order completes at the same moment, without a canceler", async () => {
      const h = make()
      const id = await booked(h)
      const dueMs = h.now() + 75 * MINUTE_MS
      await bringTo(h, id, "LOADED")
      await subscribe(h)
      await h.standAt(dueMs)
      expect(await seen(h, id)).toMatchObject({ status: "completed", canceled_by: null, cancel_reason: null })
      expect(await toldInShort(h)).toEqual(["confirmed > completed"])
    })

    test("a closed reservation has no clock left", async () => {
      const h = make()
      await subscribe(h)
      const id = await booked(h)
      await h.run(reservations.cancel(partner, id))
      await h.advance(2 * DAY_MS)
      expect(await toldInShort(h)).toEqual(["null > confirmed", "confirmed > canceled"])
      expect((await seen(h, id)).canceled_by).toBe("partner")
    })

    test("grace and wait are those of the environment's policy", async () => {
      const reservation = {
        ...DEFAULT_POLICY.reservation,
        windowGraceMs: MINUTE_MS,
        botWaitMs: 2 * MINUTE_MS,
      }
      const h = make({ policy: { ...DEFAULT_POLICY, reservation } })
      await subscribe(h)
      const id = await booked(h)
      const endMs = h.now() + 60 * MINUTE_MS
      await bringTo(h, id, "AT_UNIT")
      await h.advance(2 * MINUTE_MS)
      expect((await toldInShort(h)).at(-1)).toBe("exception bot_no_show")
      await h.standAt(endMs + MINUTE_MS)
      expect((await seen(h, id)).status).toBe("canceled")
    })
  })
}
