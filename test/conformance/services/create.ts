/** Booking: every rule in its order, limits, stalls, and idempotent retries. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import type { CreateReservationRequest } from "../../../src/model/requests/requests.ts"
import type { RefusalCode } from "../../../src/model/values/errors.ts"
import { DAY_MS, MINUTE_MS } from "../../../src/model/values/time.ts"
import { DEFAULT_POLICY } from "../../../src/engine/services/policies.ts"
import {
  OPEN_LINK,
  booked,
  booking,
  bringTo,
  codeOf,
  iso,
  partner,
  refusalOf,
  report,
  reservations,
  sandboxPartner,
  seen,
  stranger,
  subscribe,
  toldInShort,
} from "../harness.ts"
import type { MakeServicesHarness, ServicesHarness } from "../harness.ts"

type Request = Partial<CreateReservationRequest>

export function createTests(make: MakeServicesHarness): void {
  const window = (h: ServicesHarness, startMs: number, widthMs: number): Request => ({
    arrival_window_start: h.now() + startMs,
    arrival_window_end: h.now() + startMs + widthMs,
  })
  const stallOf = async (h: ServicesHarness, more: Request = {}): Promise<string> =>
    (await seen(h, await booked(h, more))).stall_id

  describe("create", () => {
    test("a booking is confirmed at once and carries the whole record", async () => {
      const h = make()
      const atMs = h.now()
      const request = booking(h, {
        retailer_pickup_ref: "Table 9",
        payload_limit: { max_weight_kg: 7.5, max_dimensions_cm: { length: 40, width: 30, height: 20.25 } },
      })
      const { reservation, isReplay } = await h.run(reservations.create(partner, request))
      expect(isReplay).toBe(false)
      expect(reservation).toEqual({
        reservation_id: expect.stringMatching(/^res_[0-9A-Za-z]{22}$/) as string,
        status: "confirmed",
        zone_id: "zone_curb",
        stall_id: "stall_a",
        stall_label: "A1",
        retailer_id: "retailer_grocer",
        order_number: "A-1001",
        end_user_name: "Ada Example",
        end_user_phone: "+15125550100",
        arrival_window_start: iso(atMs + 30 * MINUTE_MS),
        arrival_window_end: iso(atMs + 60 * MINUTE_MS),
        open_link_url: OPEN_LINK,
        canceled_by: null,
        cancel_reason: null,
        retailer_pickup_ref: "Table 9",
        payload_limit: { max_weight_kg: 7.5, max_dimensions_cm: { length: 40, width: 30, height: 20.25 } },
        bot: null,
        handoff: {
          status: "QUEUED",
          task_started_at: null,
          order_in_hand_at: null,
          runner_at_unit_at: null,
          handoff_completed_at: null,
          ready_estimate: null,
          load_photo_url: null,
          load_photo_skipped: null,
          runner_delay_seconds: null,
        },
        created_at: iso(atMs),
        updated_at: iso(atMs),
      })
      expect(await seen(h, reservation.reservation_id)).toEqual(reservation)
    })

    test("L7: optional parts that were not sent are null", async () => {
      const h = make()
      const { reservation } = await h.run(reservations.create(partner, booking(h)))
      expect(reservation.payload_limit).toBeNull()
      expect(reservation.retailer_pickup_ref).toBeNull()
    })

    test("a zone without runner service has no handoff block", async () => {
      const h = make()
      const { reservation } = await h.run(reservations.create(partner, booking(h, { zone_id: "zone_alone" })))
      expect(reservation.handoff).toBeNull()
      expect(reservation.status).toBe("confirmed")
    })

    test("two bookings are two reservations, each with an id of its own", async () => {
      const h = make()
      expect(await booked(h)).not.toBe(await booked(h))
    })

    const PAST = { startMs: 0, widthMs: MINUTE_MS }
    const FAR = { startMs: DAY_MS + 1, widthMs: MINUTE_MS }
    const SHORT = { startMs: 30 * MINUTE_MS, widthMs: 5 * MINUTE_MS - 1 }
    const LONG = { startMs: 30 * MINUTE_MS, widthMs: 120 * MINUTE_MS + 1 }
    const FINE = { startMs: 30 * MINUTE_MS, widthMs: 30 * MINUTE_MS }
    const NOWHERE = { zone_id: "zone_nowhere" }
    const BARE = { zone_id: "zone_bare" }
    const FLORIST = { retailer_id: "retailer_florist" }
    const HTTP = { open_link_url: "http://open.partner.example/" }
    const PRIVATE = { open_link_url: "https://private.partner.example/" }
    const UNKNOWN = { open_link_url: "https://unknown.partner.example/" }
    const DOWN = { open_link_url: "https://down.partner.example/" }

    test.each<[RefusalCode, string, Request, { startMs: number; widthMs: number }]>([
      [
        "ZONE_NOT_FOUND",
        "an unknown zone, and everything after it broken",
        { ...NOWHERE, ...FLORIST, ...HTTP },
        PAST,
      ],
      [
        "RETAILER_NOT_SUPPORTED_IN_ZONE",
        "a retailer that is not granted",
        { ...BARE, ...FLORIST, ...HTTP },
        PAST,
      ],
      ["WINDOW_IN_PAST", "a window that starts now and is too short", { ...BARE, ...HTTP }, PAST],
      ["WINDOW_TOO_FAR_OUT", "a window beyond 24 hours that is too short", { ...BARE, ...HTTP }, FAR],
      ["WINDOW_TOO_SHORT", "a window below 5 minutes", { ...BARE, ...HTTP }, SHORT],
      ["WINDOW_TOO_LONG", "a window above 120 minutes", { ...BARE, ...HTTP }, LONG],
      ["INVALID_OPEN_LINK", "an open link that is not https", { ...BARE, ...HTTP }, FINE],
      ["ZONE_HAS_NO_STALLS", "a zone without stalls", { ...BARE, ...UNKNOWN }, FINE],
      ["ZONE_HAS_NO_STALLS", "a zone without active stalls", { zone_id: "zone_asleep", ...DOWN }, FINE],
      ["INVALID_OPEN_LINK", "an open link whose host does not exist", UNKNOWN, FINE],
      ["INVALID_OPEN_LINK", "an open link on a private address", PRIVATE, FINE],
      ["URL_VALIDATION_UNAVAILABLE", "an open link that cannot be looked up now", DOWN, FINE],
    ])("V4: %s answers %s", async (code, _, more, { startMs, widthMs }) => {
      const h = make()
      h.breakHost("private.partner.example", "private")
      h.breakHost("unknown.partner.example", "unknown")
      h.breakHost("down.partner.example", "unavailable")
      await subscribe(h)
      const request = booking(h, { ...window(h, startMs, widthMs), ...more })
      expect(await codeOf(h, reservations.create(partner, request, "key"))).toBe(code)
      expect((await h.run(reservations.list(partner, {}))).reservations).toEqual([])
      expect(await toldInShort(h)).toEqual([])
    })

    test.each<[string, number, number, RefusalCode | null]>([
      ["starts a millisecond ahead", 1, 30 * MINUTE_MS, null],
      ["starts now", 0, 30 * MINUTE_MS, "WINDOW_IN_PAST"],
      ["started before", -1, 30 * MINUTE_MS, "WINDOW_IN_PAST"],
      ["starts exactly 24 hours ahead", DAY_MS, 30 * MINUTE_MS, null],
      ["starts a millisecond later than that", DAY_MS + 1, 30 * MINUTE_MS, "WINDOW_TOO_FAR_OUT"],
      ["is exactly 5 minutes wide", MINUTE_MS, 5 * MINUTE_MS, null],
      ["is a millisecond narrower", MINUTE_MS, 5 * MINUTE_MS - 1, "WINDOW_TOO_SHORT"],
      ["is empty", MINUTE_MS, 0, "WINDOW_TOO_SHORT"],
      ["ends before it starts", MINUTE_MS, -MINUTE_MS, "WINDOW_TOO_SHORT"],
      ["is exactly 120 minutes wide", MINUTE_MS, 120 * MINUTE_MS, null],
      ["is a millisecond wider", MINUTE_MS, 120 * MINUTE_MS + 1, "WINDOW_TOO_LONG"],
    ])("V5: a window that %s", async (_, startMs, widthMs, code) => {
      const h = make()
      const creation = reservations.create(partner, booking(h, window(h, startMs, widthMs)))
      if (code === null) expect((await h.run(creation)).reservation.status).toBe("confirmed")
      else expect(await codeOf(h, creation)).toBe(code)
    })

    test("V6: a zone in which nothing is granted is not found", async () => {
      const h = make()
      const request = booking(h, { zone_id: "zone_ungranted", retailer_id: "retailer_florist" })
      expect(await codeOf(h, reservations.create(partner, request))).toBe("ZONE_NOT_FOUND")
    })

    test.each(["retailer_florist", "retailer_nobody"])(
      "V6: %s, not granted in the zone, is not supported",
      async (id) => {
        const h = make()
        const creation = reservations.create(partner, booking(h, { retailer_id: id }))
        expect(await codeOf(h, creation)).toBe("RETAILER_NOT_SUPPORTED_IN_ZONE")
      },
    )

    test("V7: the emptiest active stall is taken; ties go to the lowest label, then the lowest id", async () => {
      const h = make()
      const stalls: string[] = []
      for (let count = 0; count < 7; count += 1) stalls.push(await stallOf(h))
      expect(stalls).toEqual(["stall_a", "stall_b", "stall_c", "stall_a", "stall_b", "stall_c", "stall_a"])
    })

    test("V7: windows are half-open: one that begins as another ends shares no stall with it", async () => {
      const h = make()
      expect(await stallOf(h)).toBe("stall_a")
      expect(await stallOf(h, window(h, 60 * MINUTE_MS, 10 * MINUTE_MS))).toBe("stall_a")
      expect(await stallOf(h, window(h, 20 * MINUTE_MS, 10 * MINUTE_MS))).toBe("stall_a")
      expect(await stallOf(h, window(h, 59 * MINUTE_MS, 10 * MINUTE_MS))).toBe("stall_b")
    })

    test("V7: canceled and completed reservations free their stall, the other organization's do not", async () => {
      const h = make()
      const first = await booked(h)
      const second = await booked(h)
      expect((await seen(h, second)).stall_id).toBe("stall_b")
      await h.run(reservations.cancel(partner, first))
      expect(await stallOf(h)).toBe("stall_a")
      await report(h, second, "DEPARTED")
      expect(await stallOf(h)).toBe("stall_b")
      await booked(h, {}, stranger)
      expect(await stallOf(h)).toBe("stall_a")
    })

    test("capacity never rejects a booking", async () => {
      const h = make()
      for (let count = 0; count < 30; count += 1) await booked(h)
      expect((await h.run(reservations.list(partner, { limit: 100 }))).reservations).toHaveLength(30)
    })

    test("the window's limits are those of the environment's policy", async () => {
      const limits = { aheadMsMax: 60 * MINUTE_MS, widthMsMin: 10 * MINUTE_MS, widthMsMax: 20 * MINUTE_MS }
      const h = make({ policy: { ...DEFAULT_POLICY, window: limits } })
      const codeFor = (startMs: number, widthMs: number): Promise<RefusalCode> =>
        codeOf(h, reservations.create(partner, booking(h, window(h, startMs, widthMs))))
      expect(await codeFor(60 * MINUTE_MS + 1, 15 * MINUTE_MS)).toBe("WINDOW_TOO_FAR_OUT")
      expect(await codeFor(MINUTE_MS, 9 * MINUTE_MS)).toBe("WINDOW_TOO_SHORT")
      expect(await codeFor(MINUTE_MS, 21 * MINUTE_MS)).toBe("WINDOW_TOO_LONG")
    })
  })

  describe("idempotent retries", () => {
    test("V8: a retry answers the same reservation, and books nothing", async () => {
      const h = make()
      await subscribe(h)
      const request = booking(h)
      const first = await h.run(reservations.create(partner, request, "key"))
      const again = await h.run(reservations.create(partner, request, "key"))
      expect(again).toEqual({ reservation: first.reservation, isReplay: true })
      expect((await h.run(reservations.list(partner, {}))).reservations).toHaveLength(1)
      expect(await toldInShort(h)).toEqual(["null > confirmed"])
    })

    test("V8: it answers the current record, also after a cancel, and without a photo link (X11)", async () => {
      const h = make()
      const request = booking(h)
      const { reservation } = await h.run(reservations.create(partner, request, "key"))
      await bringTo(h, reservation.reservation_id, "LOADED")
      const loaded = await h.run(reservations.create(partner, request, "key"))
      expect(loaded.reservation.handoff).toMatchObject({ status: "LOADED", load_photo_url: null })
      await h.run(reservations.cancel(partner, reservation.reservation_id, "late"))
      const canceled = await h.run(reservations.create(partner, request, "key"))
      expect(canceled.isReplay).toBe(true)
      expect(canceled.reservation).toMatchObject({ status: "canceled", cancel_reason: "late" })
    })

    test("V8: a replay checks neither URL nor window, and does not compare the window", async () => {
      const h = make()
      const request = booking(h)
      const first = await h.run(reservations.create(partner, request, "key"))
      h.breakHost("open.partner.example", "unavailable")
      await h.advance(50 * MINUTE_MS)
      const again = await h.run(reservations.create(partner, { ...request, ...window(h, -DAY_MS, 1) }, "key"))
      expect(again.isReplay).toBe(true)
      expect(again.reservation.reservation_id).toBe(first.reservation.reservation_id)
      expect(again.reservation.arrival_window_start).toBe(first.reservation.arrival_window_start)
    })

    test("V8: a key has no end: days later, with the reservation closed, it still answers", async () => {
      const h = make()
      const request = booking(h)
      await h.run(reservations.create(partner, request, "key"))
      await h.advance(10 * DAY_MS)
      const again = await h.run(reservations.create(partner, request, "key"))
      expect(again.reservation).toMatchObject({ status: "canceled", canceled_by: "system" })
    })

    test("V8: a failure is not stored: the same key books when the cause is gone", async () => {
      const h = make()
      h.breakHost("open.partner.example", "unavailable")
      const request = booking(h)
      expect(await codeOf(h, reservations.create(partner, request, "key"))).toBe("URL_VALIDATION_UNAVAILABLE")
      h.breakHost("open.partner.example", null)
      const second = await h.run(reservations.create(partner, { ...request, order_number: "A-2" }, "key"))
      expect(second.isReplay).toBe(false)
    })

    test("V8: keys of another organization or environment are other keys", async () => {
      const h = make()
      const request = booking(h)
      await h.run(reservations.create(partner, request, "key"))
      for (const caller of [stranger, sandboxPartner]) {
        expect((await h.run(reservations.create(caller, request, "key"))).isReplay).toBe(false)
      }
    })

    test("V9: of two requests at once with one key, one books and the other answers the same", async () => {
      const h = make()
      const request = booking(h)
      const creations = [1, 2].map(() => reservations.create(partner, request, "key"))
      const both = await h.run(Effect.all(creations, { concurrency: "unbounded" }))
      expect(both.filter((one) => one.isReplay)).toHaveLength(1)
      expect(new Set(both.map((one) => one.reservation.reservation_id)).size).toBe(1)
    })

    test("without a key every request books", async () => {
      const h = make()
      await h.run(reservations.create(partner, booking(h)))
      expect((await h.run(reservations.create(partner, booking(h)))).isReplay).toBe(false)
    })

    test("V4: the comparison comes before zone, window and URL", async () => {
      const h = make()
      await h.run(reservations.create(partner, booking(h), "key"))
      const other = booking(h, {
        zone_id: "zone_nowhere",
        open_link_url: "http://x.example/",
        ...window(h, -1, 0),
      })
      expect(await codeOf(h, reservations.create(partner, other, "key"))).toBe("IDEMPOTENCY_KEY_REUSED")
    })

    const box = { length: 40, width: 30, height: 20 }
    const original: Request = {
      retailer_pickup_ref: "ref",
      payload_limit: { max_weight_kg: 5, max_dimensions_cm: box },
    }
    test.each<[string, Request]>([
      ["zone_id", { zone_id: "zone_alone" }],
      ["retailer_id", { retailer_id: "retailer_baker" }],
      ["order_number", { order_number: "a-1001" }],
      ["end_user_name", { end_user_name: "Ada Example " }],
      ["end_user_phone", { end_user_phone: "+15125550101" }],
      ["open_link_url", { open_link_url: `${OPEN_LINK}/` }],
      ["retailer_pickup_ref", { retailer_pickup_ref: "Ref" }],
      ["retailer_pickup_ref, null", { retailer_pickup_ref: null }],
      ["payload_limit, null", { payload_limit: null }],
      ["max_weight_kg", { payload_limit: { max_weight_kg: 5.1, max_dimensions_cm: box } }],
      ["max_weight_kg, absent", { payload_limit: { max_dimensions_cm: box } }],
      ["length", { payload_limit: { max_weight_kg: 5, max_dimensions_cm: { ...box, length: 41 } } }],
      ["width", { payload_limit: { max_weight_kg: 5, max_dimensions_cm: { ...box, width: 31 } } }],
      ["height", { payload_limit: { max_weight_kg: 5, max_dimensions_cm: { ...box, height: 21 } } }],
      ["max_dimensions_cm, absent", { payload_limit: { max_weight_kg: 5 } }],
      [
        "length and width swapped",
        { payload_limit: { max_weight_kg: 5, max_dimensions_cm: { ...box, length: 30, width: 40 } } },
      ],
    ])("V10: another %s is IDEMPOTENCY_KEY_REUSED", async (_, change) => {
      const h = make()
      await h.run(reservations.create(partner, booking(h, original), "key"))
      const retry = booking(h, { ...original, ...change })
      expect(await codeOf(h, reservations.create(partner, retry, "key"))).toBe("IDEMPOTENCY_KEY_REUSED")
      expect((await h.run(reservations.create(partner, booking(h, original), "key"))).isReplay).toBe(true)
    })

    test.each<[string, Request, Request]>([
      ["no pickup ref and a null one", {}, { retailer_pickup_ref: null }],
      ["no payload limit and a null one", {}, { payload_limit: null }],
      [
        "a bound left out and a null one",
        { payload_limit: { max_weight_kg: 5 } },
        { payload_limit: { max_weight_kg: 5, max_dimensions_cm: null } },
      ],
      [
        "5 and 5.0",
        { payload_limit: { max_weight_kg: 5 } },
        { payload_limit: { max_weight_kg: Number("5.0") } },
      ],
    ])("V10: %s are the same", async (_, one, other) => {
      const h = make()
      await h.run(reservations.create(partner, booking(h, one), "key"))
      expect((await h.run(reservations.create(partner, booking(h, other), "key"))).isReplay).toBe(true)
    })

    test.each<[string, string, boolean]>([
      ["empty", "", false],
      ["1 character", "k", true],
      ["255 characters", "k".repeat(255), true],
      ["256 characters", "k".repeat(256), false],
      ["255 characters outside the basic plane", "😀".repeat(255), true],
    ])("V11: a key of %s", async (_, key, isFine) => {
      const h = make()
      const creation = reservations.create(partner, booking(h), key)
      if (isFine) {
        expect((await h.run(creation)).isReplay).toBe(false)
        return
      }
      const refusal = await refusalOf(h, creation)
      expect(refusal.code).toBe("VALIDATION_ERROR")
      expect(refusal.problems?.map((problem) => problem.field)).toEqual(["Idempotency-Key"])
    })
  })
}
