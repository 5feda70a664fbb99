/** The sandbox walk: nine steps, what it skips, and exceptions raised through it. */

import { describe, expect, test } from "vitest"
import { EXCEPTION_CODES, EXCEPTION_MESSAGES, endsTheTask } from "../../../src/model/handoff.ts"
import type { ExceptionCode } from "../../../src/model/handoff.ts"
import type { AdvanceRequest } from "../../../src/model/requests/requests.ts"
import { DAY_MS, MINUTE_MS } from "../../../src/model/values/time.ts"
import type { Advanced } from "../../../src/areas/reservations/sandbox-walk.ts"
import {
  HOOK,
  OPEN_LINK,
  app,
  booked,
  codeOf,
  handoffOf,
  holding,
  partner,
  refusalOf,
  reservations,
  runner,
  sandboxPartner,
  subscribe,
  told,
  toldInShort,
  walk,
} from "../harness.ts"
import type { MakeServicesHarness, ServicesHarness } from "../harness.ts"

/** Step, handoff, bot, reservation, and the events of the step. */
const STEPS = [
  ["runner_assigned", "ASSIGNED", null, "confirmed", []],
  ["runner_at_store", "AT_STORE", null, "confirmed", ["milestone task_started"]],
  ["order_in_hand", "RETRIEVED", null, "confirmed", ["milestone order_in_hand"]],
  ["bot_arrived", "RETRIEVED", "ARRIVED", "arrived", ["confirmed > arrived"]],
  ["runner_at_bot", "AT_UNIT", "ARRIVED", "arrived", ["milestone runner_at_unit"]],
  ["bot_ready", "HANDOFF_READY", "READY_FOR_HANDOFF", "arrived", []],
  ["runner_loaded", "LOADED", "READY_FOR_HANDOFF", "arrived", ["milestone handoff_complete"]],
  ["bot_secured", "LOADED", "SECURED", "arrived", []],
  ["bot_departed", "LOADED", "DEPARTED", "completed", ["arrived > completed"]],
] as const

const sandboxApp = { ...app, environment: "sandbox" } as const

export function walkTests(make: MakeServicesHarness): void {
  const advance = (h: ServicesHarness, id: string, request: AdvanceRequest = {}): Promise<Advanced> =>
    h.run(walk.advance(sandboxPartner, id, request))
  const bookedInSandbox = (h: ServicesHarness): Promise<string> => booked(h, {}, sandboxPartner)
  const stepsToTheEnd = async (h: ServicesHarness, id: string): Promise<readonly (string | null)[]> => {
    const steps: (string | null)[] = []
    for (;;) {
      const advanced = await advance(h, id)
      steps.push(advanced.step)
      if (advanced.reservation.status === "completed") return steps
    }
  }
  const report = (
    h: ServicesHarness,
    id: string,
    status: "READY_FOR_HANDOFF" | "ARRIVED" | "SECURED" | "ABORTED",
  ) => h.run(reservations.reportBot(sandboxPartner, id, { status }))

  describe("sandbox walk", () => {
    test("S1: nine calls from confirmed to completed, each with its step, state and events", async () => {
      const h = make()
      await subscribe(h, { caller: sandboxPartner })
      const id = await bookedInSandbox(h)
      let before = (await told(h)).length
      for (const [step, handoff, bot, status, events] of STEPS) {
        const advanced = await advance(h, id)
        expect([
          advanced.step,
          advanced.reservation.handoff?.status,
          advanced.reservation.bot?.status ?? null,
        ]).toEqual([step, handoff, bot])
        expect(advanced.reservation.status).toBe(status)
        expect((await toldInShort(h)).slice(before)).toEqual(events)
        before = (await told(h)).length
      }
      expect(await codeOf(h, walk.advance(sandboxPartner, id, {}))).toBe("INVALID_STATE")
    })

    test("X11: the load step answers with a link to the placeholder photo, no other step with any", async () => {
      const h = make()
      await subscribe(h, { caller: sandboxPartner })
      const id = await bookedInSandbox(h)
      for (const [step] of STEPS) {
        const { load_photo_url: url } = handoffOf((await advance(h, id)).reservation)
        if (step === "runner_loaded") expect(url).toMatch(/\/rs\/v1\/photos\/pho_sandboxplaceholder\?/)
        else expect(url).toBeNull()
      }
      const complete = (await told(h)).find((event) => event.data["milestone"] === "handoff_complete")
      expect(complete?.data.reservation.handoff?.load_photo_url).toContain("pho_sandboxplaceholder")
    })

    test("E23: the load step answers null when the link cannot be signed", async () => {
      const h = make()
      const id = await bookedInSandbox(h)
      for (let count = 0; count < 6; count += 1) await advance(h, id)
      h.breakPhotoSigning(true)
      expect(handoffOf((await advance(h, id)).reservation)).toMatchObject({
        load_photo_url: null,
        load_photo_skipped: false,
      })
    })

    test("S4: on production there is no advance, for any caller and any request", async () => {
      const h = make()
      const id = await booked(h)
      expect(await codeOf(h, walk.advance(partner, id, {}))).toBe("NOT_FOUND")
      expect(await codeOf(h, walk.advance(holding(), "res_none", {}))).toBe("NOT_FOUND")
    })

    test("S2: what the partner's bot reported is skipped", async () => {
      const h = make()
      const id = await bookedInSandbox(h)
      await report(h, id, "READY_FOR_HANDOFF")
      expect(await stepsToTheEnd(h, id)).toEqual([
        "runner_assigned",
        "runner_at_store",
        "order_in_hand",
        "runner_at_bot",
        "runner_loaded",
        "bot_secured",
        "bot_departed",
      ])
    })

    test("S2: what the runner did is skipped, a hold at the counter too", async () => {
      const h = make()
      const id = await bookedInSandbox(h)
      await h.run(runner.assign(sandboxApp, id, "run_1"))
      await h.run(runner.atStore(sandboxApp, id))
      await h.run(runner.hold(sandboxApp, id, null))
      expect((await advance(h, id)).step).toBe("order_in_hand")
    })

    test.each(["order_not_ready_fail", "payload_rejected"] as const)(
      "S2: after %s the bot's steps still complete the reservation",
      async (code) => {
        const h = make()
        const id = await bookedInSandbox(h)
        await advance(h, id, { reason_code: code })
        expect(await stepsToTheEnd(h, id)).toEqual([
          "bot_arrived",
          "bot_ready",
          "bot_secured",
          "bot_departed",
        ])
      },
    )

    test("S2: without runner service only the bot walks", async () => {
      const h = make()
      const id = await booked(h, { zone_id: "zone_alone" }, sandboxPartner)
      expect(await stepsToTheEnd(h, id)).toEqual(["bot_arrived", "bot_ready", "bot_secured", "bot_departed"])
    })

    test("S2: a bot that secured first is loaded at step 7 with the photo", async () => {
      const h = make()
      const id = await bookedInSandbox(h)
      await report(h, id, "SECURED")
      expect(await stepsToTheEnd(h, id)).toEqual([
        "runner_assigned",
        "runner_at_store",
        "order_in_hand",
        "runner_at_bot",
        "runner_loaded",
        "bot_departed",
      ])
      const record = await h.run(reservations.read(sandboxPartner, id))
      expect(record.handoff).toMatchObject({ status: "LOADED", load_photo_skipped: false })
    })

    test("S3 and S6: the walk never calls the open link", async () => {
      const h = make()
      const first = await bookedInSandbox(h)
      await stepsToTheEnd(h, first)
      const second = await bookedInSandbox(h)
      await report(h, second, "READY_FOR_HANDOFF")
      for (let count = 0; count < 4; count += 1) await advance(h, second)
      expect((await h.run(reservations.read(sandboxPartner, second))).handoff?.status).toBe("HANDOFF_READY")
      await h.advance(5 * MINUTE_MS)
      expect(h.received(OPEN_LINK)).toEqual([])
    })

    test("S6: the caller's own READY report, the runner at the bot, calls it", async () => {
      const h = make()
      const id = await bookedInSandbox(h)
      for (let count = 0; count < 5; count += 1) await advance(h, id)
      await report(h, id, "READY_FOR_HANDOFF")
      await h.advance(1_000)
      expect(h.received(OPEN_LINK)).toHaveLength(1)
    })

    test.each(["canceled", "aborted", "completed"] as const)(
      "S4: a reservation that is %s takes no step and no exception",
      async (end) => {
        const h = make()
        const id = await bookedInSandbox(h)
        if (end === "canceled") await h.run(reservations.cancel(sandboxPartner, id))
        else if (end === "aborted") await report(h, id, "ABORTED")
        else await stepsToTheEnd(h, id)
        for (const request of [{}, { reason_code: "stall_blocked" } as const]) {
          expect(await codeOf(h, walk.advance(sandboxPartner, id, request))).toBe("INVALID_STATE")
        }
      },
    )

    test.each(EXCEPTION_CODES)("%s is raised instead of a step", async (code: ExceptionCode) => {
      const h = make()
      await subscribe(h, { caller: sandboxPartner })
      const id = await bookedInSandbox(h)
      await advance(h, id)
      const { reservation, step } = await advance(h, id, { reason_code: code })
      expect(step).toBeNull()
      expect(reservation.handoff?.status).toBe(endsTheTask(code) ? "FAILED" : "ASSIGNED")
      const events = await told(h)
      expect(await toldInShort(h)).toEqual(["null > confirmed", `exception ${code}`])
      expect(events[1]?.data["message"]).toBe(EXCEPTION_MESSAGES[code])
      expect(events[1]?.data.reservation).toEqual(reservation)
      if (endsTheTask(code)) {
        expect(await codeOf(h, walk.advance(sandboxPartner, id, { reason_code: "stall_blocked" }))).toBe(
          "INVALID_STATE",
        )
        return
      }
      const again = await advance(h, id, { reason_code: code, message: "again" })
      expect({ ...again.reservation, updated_at: reservation.updated_at }).toEqual(reservation)
      expect(await told(h)).toHaveLength(2)
      await advance(h, id)
      await advance(h, id, { reason_code: code, message: "own words" })
      expect((await told(h)).at(-1)?.data["message"]).toBe("own words")
    })

    test("a loaded task takes no exception, while the bot's steps remain", async () => {
      const h = make()
      const id = await bookedInSandbox(h)
      for (let count = 0; count < 7; count += 1) await advance(h, id)
      expect(await codeOf(h, walk.advance(sandboxPartner, id, { reason_code: "stall_blocked" }))).toBe(
        "INVALID_STATE",
      )
      expect((await advance(h, id)).step).toBe("bot_secured")
    })

    test("without a runner task an exception is INVALID_STATE", async () => {
      const h = make()
      const id = await booked(h, { zone_id: "zone_alone" }, sandboxPartner)
      const refusal = await refusalOf(h, walk.advance(sandboxPartner, id, { reason_code: "stall_blocked" }))
      expect(refusal.code).toBe("INVALID_STATE")
    })

    test("the sandbox's clocks run", async () => {
      const h = make()
      await subscribe(h, { caller: sandboxPartner })
      const store = await bookedInSandbox(h)
      await advance(h, store)
      await advance(h, store)
      await h.advance(DAY_MS)
      expect((await toldInShort(h)).slice(-2)).toEqual([
        "exception order_not_ready_fail",
        "confirmed > canceled",
      ])
      const waiting = await bookedInSandbox(h)
      for (let count = 0; count < 5; count += 1) await advance(h, waiting)
      await h.advance(10 * MINUTE_MS)
      expect((await toldInShort(h)).at(-1)).toBe("exception bot_no_show")
    })

    test("events of the sandbox reach endpoints of the sandbox alone", async () => {
      const h = make()
      await subscribe(h)
      await bookedInSandbox(h)
      expect(await told(h, HOOK)).toEqual([])
    })
  })
}
