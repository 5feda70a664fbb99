/** Bot reports: statuses move forward, times and labels, and what each report triggers. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { BOT_STATUSES } from "../../../src/model/bot.ts"
import type { BotStatus } from "../../../src/model/bot.ts"
import type { RefusalCode } from "../../../src/model/values/errors.ts"
import { DAY_MS, MINUTE_MS } from "../../../src/model/values/time.ts"
import { ManualClock } from "../../../src/live/swarm-sql/manual-clock.ts"
import {
  app,
  booked,
  botOf,
  bringTo,
  codeOf,
  handoffOf,
  iso,
  partner,
  refusalOf,
  report,
  reservationRows,
  reservations,
  runner,
  seen,
  subscribe,
  told,
  toldInShort,
  toldSince,
} from "../harness.ts"
import type { MakeServicesHarness } from "../harness.ts"

const ORDER = ["INBOUND", "ARRIVED", "READY_FOR_HANDOFF", "SECURED"] as const

/** What a report of the second status answers when the first is the current one; null is 200. */
function expected(current: (typeof ORDER)[number] | "ABORTED", next: BotStatus): RefusalCode | null {
  if (next === current) return null
  if (current === "ABORTED") return "BOT_STATUS_REGRESSION"
  if (next === "ABORTED") return current === "SECURED" ? "BOT_STATUS_REGRESSION" : null
  return BOT_STATUSES.indexOf(next) > BOT_STATUSES.indexOf(current) ? null : "BOT_STATUS_REGRESSION"
}

/** Each look is a millisecond later. */
class TickingClock extends ManualClock {
  override unsafeCurrentTimeMillis(): number {
    this.nowMs += 1
    return this.nowMs
  }
}

export function botTests(make: MakeServicesHarness): void {
  describe("bot reports", () => {
    test("T1: a report answers the whole record with its blocks", async () => {
      const h = make()
      const id = await booked(h)
      const answered = await report(h, id, "INBOUND", { label: "Blue 7", eta: h.now() + 20 * MINUTE_MS })
      expect(answered.bot).toEqual({
        status: "INBOUND",
        label: "Blue 7",
        eta: iso(h.now() + 20 * MINUTE_MS),
        asserted_at: iso(h.now()),
      })
      expect(await seen(h, id)).toEqual(answered)
    })

    test("T1: the answer, its event and a later read have one updated_at, however long the report took", async () => {
      const h = make()
      await subscribe(h)
      const id = await booked(h)
      const clock = new TickingClock(h.now())
      const reported = (label: string) =>
        h.run(Effect.withClock(reservations.reportBot(partner, id, { status: "ARRIVED", label }), clock))
      const first = await reported("Blue 7")
      expect((await told(h)).at(-1)?.data.reservation).toEqual(first)
      expect(await seen(h, id)).toEqual(first)
      const repeat = await reported("Red 2")
      expect(repeat.bot?.label).toBe("Red 2")
      expect(await seen(h, id)).toEqual(repeat)
      expect(Date.parse(repeat.updated_at)).toBeGreaterThanOrEqual(Date.parse(first.updated_at))
    })

    test.each(BOT_STATUSES)("T12: the first report may be %s", async (status) => {
      const h = make()
      const id = await booked(h)
      expect(botOf(await report(h, id, status)).status).toBe(status)
    })

    const cells = [...ORDER, "ABORTED" as const].flatMap((current) =>
      BOT_STATUSES.map((next) => [current, next, expected(current, next)] as const),
    )
    test.each(cells)("after %s a report of %s answers %s (T3, T8, T9)", async (current, next, code) => {
      const h = make()
      const id = await booked(h)
      await report(h, id, current)
      if (code === null) {
        expect(botOf(await report(h, id, next)).status).toBe(next)
        return
      }
      expect(await codeOf(h, reservations.reportBot(partner, id, { status: next }))).toBe(code)
      expect(botOf(await seen(h, id)).status).toBe(current)
    })

    test("T2: only ARRIVED moves a reservation to arrived", async () => {
      const h = make()
      await subscribe(h)
      const id = await booked(h)
      for (const status of ["INBOUND", "READY_FOR_HANDOFF", "SECURED"] as const) {
        expect((await report(h, id, status)).status).toBe("confirmed")
      }
      expect(await toldInShort(h)).toEqual(["null > confirmed"])
      const other = await booked(h)
      expect((await report(h, other, "ARRIVED")).status).toBe("arrived")
      expect(await toldSince(h, 2)).toEqual(["confirmed > arrived"])
    })

    test("T2: DEPARTED on confirmed tells arrived, then completed", async () => {
      const h = make()
      await subscribe(h)
      const id = await booked(h)
      const answered = await report(h, id, "DEPARTED")
      expect(answered).toMatchObject({
        status: "completed",
        canceled_by: null,
        handoff: { status: "CANCELED" },
      })
      expect(await toldSince(h, 1)).toEqual(["confirmed > arrived", "arrived > completed"])
    })

    test("DEPARTED on arrived tells completed alone", async () => {
      const h = make()
      await subscribe(h)
      const id = await booked(h)
      await report(h, id, "ARRIVED")
      await report(h, id, "DEPARTED")
      expect(await toldSince(h, 2)).toEqual(["arrived > completed"])
    })

    test("T13: one report that triggers three events gives them one order and three snapshots", async () => {
      const h = make()
      const id = await booked(h)
      await bringTo(h, id, "HANDOFF_READY")
      await subscribe(h)
      const atMs = h.now()
      await report(h, id, "DEPARTED")
      const events = await told(h)
      expect(await toldInShort(h)).toEqual([
        "milestone handoff_complete",
        "confirmed > arrived",
        "arrived > completed",
      ])
      expect(events.map((event) => event.data.reservation.status)).toEqual([
        "confirmed",
        "arrived",
        "completed",
      ])
      expect(events.map((event) => event.data.reservation.handoff?.status)).toEqual([
        "LOADED",
        "LOADED",
        "LOADED",
      ])
      const times = events.map((event) => event.occurred_at)
      expect(times.every((time) => time.startsWith(iso(atMs).slice(0, -1)))).toBe(true)
      const micros = times.map((time) => Number(time.slice(-4, -1)))
      expect(micros.map((micro) => micro - (micros[0] ?? 0))).toEqual([0, 1, 2])
    })

    test("T3: a repeat takes label and estimate, keeps asserted_at, and sends nothing", async () => {
      const h = make()
      await subscribe(h)
      const id = await booked(h)
      const first = botOf(await report(h, id, "ARRIVED", { label: "a" }))
      await h.advance(MINUTE_MS)
      const again = await report(h, id, "ARRIVED", { label: "b", eta: h.now(), occurred_at: h.now() })
      expect(again.bot).toEqual({ ...first, label: "b", eta: iso(h.now()) })
      expect(await toldSince(h, 2)).toEqual([])
    })

    test("T4: a status behind is kept as a report and not applied: label and estimate stay", async () => {
      const h = make()
      const id = await booked(h)
      await report(h, id, "ARRIVED", { label: "a" })
      const before = await seen(h, id)
      const behind = { status: "INBOUND", label: "b", eta: h.now() + 1, occurred_at: h.now() - 5 } as const
      expect(await codeOf(h, reservations.reportBot(partner, id, behind))).toBe("BOT_STATUS_REGRESSION")
      expect(await seen(h, id)).toEqual(before)
      const kept = await h.run(reservationRows.reports(id))
      expect(kept.map(({ status, label, isApplied }) => [status, label, isApplied])).toEqual([
        ["ARRIVED", "a", true],
        ["INBOUND", "b", false],
      ])
      expect(kept[1]).toMatchObject({ occurredAtMs: h.now() - 5, receivedAtMs: h.now() })
    })

    test("T5: an absent label or estimate keeps the value, null clears it", async () => {
      const h = make()
      const id = await booked(h)
      const eta = h.now() + MINUTE_MS
      await report(h, id, "INBOUND", { label: "a", eta })
      expect((await report(h, id, "ARRIVED")).bot).toMatchObject({ label: "a", eta: iso(eta) })
      expect((await report(h, id, "ARRIVED", { label: null })).bot).toMatchObject({
        label: null,
        eta: iso(eta),
      })
      expect((await report(h, id, "READY_FOR_HANDOFF", { eta: null })).bot).toMatchObject({
        label: null,
        eta: null,
      })
    })

    test.each<[string, "eta" | "occurred_at", number, boolean]>([
      ["24 hours ahead", "eta", DAY_MS, true],
      ["more than 24 hours ahead", "eta", DAY_MS + 1, false],
      ["24 hours back", "eta", -DAY_MS, true],
      ["more than 24 hours back", "eta", -DAY_MS - 1, false],
      ["5 minutes ahead", "occurred_at", 5 * MINUTE_MS, true],
      ["more than 5 minutes ahead", "occurred_at", 5 * MINUTE_MS + 1, false],
      ["a week back", "occurred_at", -7 * DAY_MS, true],
    ])("T6: %s as %s", async (_, field, offsetMs, isFine) => {
      const h = make()
      const id = await booked(h)
      const sending = reservations.reportBot(partner, id, { status: "INBOUND", [field]: h.now() + offsetMs })
      if (isFine) {
        expect((await h.run(sending)).bot?.status).toBe("INBOUND")
        return
      }
      const refusal = await refusalOf(h, sending)
      expect(refusal.code).toBe("VALIDATION_ERROR")
      expect(refusal.problems?.map((problem) => problem.field)).toEqual([field])
      expect((await seen(h, id)).bot).toBeNull()
    })

    test("T7: a report may have happened before the one before it; order is by report", async () => {
      const h = make()
      const id = await booked(h)
      await report(h, id, "INBOUND")
      const earlier = h.now() - 10 * MINUTE_MS
      expect(botOf(await report(h, id, "ARRIVED", { occurred_at: earlier })).asserted_at).toBe(iso(earlier))
      expect(botOf(await report(h, id, "READY_FOR_HANDOFF", { occurred_at: null })).asserted_at).toBe(
        iso(h.now()),
      )
    })

    test.each(["QUEUED", "AT_STORE", "HELD", "AT_UNIT", "HANDOFF_READY"] as const)(
      "T9: ABORTED with the handoff %s ends the task, keeps the reservation, and sends nothing",
      async (status) => {
        const h = make()
        const id = await booked(h)
        await bringTo(h, id, status)
        await subscribe(h)
        const aborted = await report(h, id, "ABORTED", { reason: "flat tyre" })
        expect(aborted).toMatchObject({
          status: "confirmed",
          handoff: { status: "CANCELED" },
          bot: { status: "ABORTED" },
        })
        expect(await toldInShort(h)).toEqual([])
        expect((await h.run(reservations.cancel(partner, id))).status).toBe("canceled")
      },
    )

    test("T9: a loaded task stays loaded; the reservation is left to the sweeper", async () => {
      const h = make()
      const id = await booked(h)
      await bringTo(h, id, "LOADED")
      expect(handoffOf(await report(h, id, "ABORTED")).status).toBe("LOADED")
      await h.advance(DAY_MS)
      expect((await seen(h, id)).status).toBe("completed")
    })

    test("T9: an aborted reservation that is not canceled is closed by the system", async () => {
      const h = make()
      const id = await booked(h)
      await report(h, id, "ABORTED")
      await h.advance(DAY_MS)
      expect(await seen(h, id)).toMatchObject({ status: "canceled", canceled_by: "system" })
    })

    test.each(["completed", "canceled"] as const)(
      "T10: once %s only a repeat is taken, and INVALID_STATE comes before regression",
      async (end) => {
        const h = make()
        const id = await booked(h)
        await report(h, id, end === "completed" ? "DEPARTED" : "ARRIVED")
        if (end === "canceled") await h.run(reservations.cancel(partner, id))
        const current = end === "completed" ? "DEPARTED" : "ARRIVED"
        for (const status of BOT_STATUSES.filter((one) => one !== current)) {
          expect(await codeOf(h, reservations.reportBot(partner, id, { status }))).toBe("INVALID_STATE")
        }
        expect((await report(h, id, current, { label: "late" })).bot).toMatchObject({
          status: current,
          label: "late",
        })
      },
    )

    test("T10: a reservation that ended without any report takes none", async () => {
      const h = make()
      const id = await booked(h)
      await h.run(reservations.cancel(partner, id))
      for (const status of BOT_STATUSES) {
        expect(await codeOf(h, reservations.reportBot(partner, id, { status }))).toBe("INVALID_STATE")
      }
      expect((await seen(h, id)).bot).toBeNull()
    })

    test("T11: a reason is kept with ABORTED and ignored with any other status", async () => {
      const h = make()
      const id = await booked(h)
      await report(h, id, "INBOUND", { reason: "none of your business" })
      await report(h, id, "ABORTED", { reason: "flat tyre" })
      const kept = await h.run(reservationRows.reports(id))
      expect(kept.map((one) => one.reason)).toEqual([null, "flat tyre"])
    })

    test("reports work the same in a zone without runner service", async () => {
      const h = make()
      const id = await booked(h, { zone_id: "zone_alone" })
      for (const status of ["INBOUND", "ARRIVED", "READY_FOR_HANDOFF", "SECURED", "DEPARTED"] as const) {
        expect(await report(h, id, status, { eta: h.now() })).toMatchObject({
          bot: { status },
          handoff: null,
        })
      }
      expect((await seen(h, id)).status).toBe("completed")
    })

    test("without a runner task the runner's moves are INVALID_STATE", async () => {
      const h = make()
      const id = await booked(h, { zone_id: "zone_alone" })
      expect(await codeOf(h, runner.assign(app, id, "run_1"))).toBe("INVALID_STATE")
    })
  })
}
