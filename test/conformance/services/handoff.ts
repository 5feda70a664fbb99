/** The runner task: every move with its record block and its events, and how late the runner is. */

import type { Effect } from "effect"
import { describe, expect, test } from "vitest"
import type { Refused } from "../../../src/model/values/errors.ts"
import { HANDOFF_STATUSES } from "../../../src/model/handoff.ts"
import type { HandoffStatus } from "../../../src/model/handoff.ts"
import { MINUTE_MS } from "../../../src/model/values/time.ts"
import type { ReservationRecord } from "../../../src/areas/reservations/record.ts"
import {
  OPEN_LINK,
  PHOTO,
  PHOTO_LINK,
  app,
  booked,
  bringTo,
  codeOf,
  handoffOf,
  iso,
  partner,
  report,
  reservations,
  runner,
  seen,
  subscribe,
  told,
  toldInShort,
} from "../harness.ts"
import type { MakeServicesHarness, ServiceTags, ServicesHarness } from "../harness.ts"

type Move = (h: ServicesHarness, id: string) => Effect.Effect<ReservationRecord, Refused, ServiceTags>

const LIMIT = { max_weight_kg: 5, max_dimensions_cm: { length: 40, width: 30, height: 20 } }

const moves = {
  assign: (_, id) => runner.assign(app, id, "run_1"),
  "at store": (_, id) => runner.atStore(app, id),
  "not ready": (h, id) => runner.hold(app, id, h.now() + 10 * MINUTE_MS),
  ready: (_, id) => runner.ready(app, id),
  "order in hand": (_, id) => runner.orderInHand(app, id),
  "give up": (_, id) => runner.giveUp(app, id),
  "too heavy": (_, id) =>
    runner.measurePayload(app, id, { weight_kg: 5.01, dimensions_cm: LIMIT.max_dimensions_cm }),
  fits: (_, id) => runner.measurePayload(app, id, { weight_kg: 5, dimensions_cm: LIMIT.max_dimensions_cm }),
  "at bot": (_, id) => runner.atUnit(app, id),
  load: (_, id) => runner.load(app, id, PHOTO),
  "load without photo": (_, id) => runner.load(app, id, null),
  "retry open link": (_, id) => runner.retryOpenLink(app, id),
  "bot ready": (_, id) => reservations.reportBot(partner, id, { status: "READY_FOR_HANDOFF" }),
  "bot secured": (_, id) => reservations.reportBot(partner, id, { status: "SECURED" }),
  "bot departed": (_, id) => reservations.reportBot(partner, id, { status: "DEPARTED" }),
  cancel: (_, id) => reservations.cancel(partner, id),
} as const satisfies Record<string, Move>

type MoveName = keyof typeof moves

type Row = readonly [from: HandoffStatus, move: MoveName, to: HandoffStatus, events: readonly string[]]

const DEPARTURE = ["confirmed > arrived", "arrived > completed"]

const rows: readonly Row[] = [
  ["QUEUED", "assign", "ASSIGNED", []],
  ["ASSIGNED", "at store", "AT_STORE", ["milestone task_started"]],
  ["AT_STORE", "not ready", "HELD", ["exception order_not_ready_hold"]],
  ["HELD", "ready", "AT_STORE", []],
  ["AT_STORE", "order in hand", "RETRIEVED", ["milestone order_in_hand"]],
  ["HELD", "order in hand", "RETRIEVED", ["milestone order_in_hand"]],
  ["AT_STORE", "give up", "FAILED", ["exception order_not_ready_fail"]],
  ["HELD", "give up", "FAILED", ["exception order_not_ready_fail"]],
  ["AT_STORE", "too heavy", "FAILED", ["exception payload_rejected"]],
  ["HELD", "too heavy", "FAILED", ["exception payload_rejected"]],
  ["AT_STORE", "fits", "AT_STORE", []],
  ["HELD", "fits", "HELD", []],
  ["RETRIEVED", "at bot", "AT_UNIT", ["milestone runner_at_unit"]],
  ["RETRIEVED", "bot ready", "RETRIEVED", []],
  ["AT_UNIT", "bot ready", "HANDOFF_READY", []],
  ["HANDOFF_READY", "load", "LOADED", ["milestone handoff_complete"]],
  ["HANDOFF_READY", "load without photo", "LOADED", ["milestone handoff_complete"]],
  ["HANDOFF_READY", "bot secured", "LOADED", ["milestone handoff_complete"]],
  ["HANDOFF_READY", "bot departed", "LOADED", ["milestone handoff_complete", ...DEPARTURE]],
  ["QUEUED", "bot secured", "QUEUED", []],
  ["RETRIEVED", "bot secured", "RETRIEVED", []],
  ["AT_UNIT", "bot secured", "AT_UNIT", []],
  ["QUEUED", "bot departed", "CANCELED", DEPARTURE],
  ["HELD", "bot departed", "CANCELED", DEPARTURE],
  ["AT_UNIT", "bot departed", "CANCELED", DEPARTURE],
  ["AT_UNIT", "cancel", "CANCELED", ["confirmed > canceled"]],
  ["LOADED", "bot departed", "LOADED", DEPARTURE],
  ["FAILED", "bot departed", "FAILED", DEPARTURE],
]

const RUNNER_MOVES = [
  "assign",
  "at store",
  "not ready",
  "ready",
  "order in hand",
  "give up",
  "fits",
  "too heavy",
  "at bot",
  "load",
  "retry open link",
] as const satisfies MoveName[]

/** Every runner move that no row names: INVALID_STATE. */
const impossible = HANDOFF_STATUSES.flatMap((from) =>
  RUNNER_MOVES.filter((move) => !rows.some((row) => row[0] === from && row[1] === move)).map(
    (move) => [from, move] as const,
  ),
)

export function handoffTests(make: MakeServicesHarness): void {
  const at = async (status: HandoffStatus): Promise<{ h: ServicesHarness; id: string }> => {
    const h = make()
    const id = await booked(h, { payload_limit: LIMIT })
    await bringTo(h, id, status)
    await h.advance(1_000)
    await subscribe(h)
    return { h, id }
  }

  describe("handoff", () => {
    test.each(rows)("%s, %s: %s, with %j", async (from, move, to, events) => {
      const { h, id } = await at(from)
      const answered = await h.run(moves[move](h, id))
      expect(handoffOf(answered).status).toBe(to)
      expect(await toldInShort(h)).toEqual(events)
      for (const event of await told(h)) expect(event.data.reservation.handoff?.status).toBe(to)
      expect(handoffOf(await seen(h, id)).status).toBe(to)
    })

    test.each(impossible)("%s does not take: %s", async (from, move) => {
      const { h, id } = await at(from)
      const before = await seen(h, id)
      expect(await codeOf(h, moves[move](h, id))).toBe("INVALID_STATE")
      expect(await seen(h, id)).toEqual(before)
      expect(await toldInShort(h)).toEqual([])
    })

    test("each move notes its own time and nothing else's", async () => {
      const h = make()
      const id = await booked(h)
      const fromMs = h.now()
      const names = ["assign", "at store", "order in hand", "at bot", "bot ready", "load"] as const
      for (const name of names) {
        await h.standAt(h.now() + MINUTE_MS)
        await h.run(moves[name](h, id))
      }
      expect(handoffOf(await seen(h, id))).toMatchObject({
        task_started_at: iso(fromMs + 2 * MINUTE_MS),
        order_in_hand_at: iso(fromMs + 3 * MINUTE_MS),
        runner_at_unit_at: iso(fromMs + 4 * MINUTE_MS),
        handoff_completed_at: iso(fromMs + 6 * MINUTE_MS),
        load_photo_skipped: false,
      })
    })

    test("the ready estimate shows only while the runner holds", async () => {
      const { h, id } = await at("AT_STORE")
      const held = await h.run(moves["not ready"](h, id))
      expect(handoffOf(held).ready_estimate).toBe(iso(h.now() + 10 * MINUTE_MS))
      expect(handoffOf(await h.run(moves.ready(h, id))).ready_estimate).toBeNull()
      await h.run(moves["not ready"](h, id))
      expect(handoffOf(await h.run(moves["order in hand"](h, id))).ready_estimate).toBeNull()
      const other = await at("HELD")
      expect(handoffOf(await seen(other.h, other.id)).ready_estimate).toBeNull()
      expect(handoffOf(await other.h.run(moves["give up"](other.h, other.id))).ready_estimate).toBeNull()
    })

    test("a measure that leaves out a bounded part is VALIDATION_ERROR", async () => {
      const { h, id } = await at("AT_STORE")
      expect(await codeOf(h, runner.measurePayload(app, id, { weight_kg: 1 }))).toBe("VALIDATION_ERROR")
      expect(handoffOf(await seen(h, id)).status).toBe("AT_STORE")
    })

    test("without a payload limit every measure fits", async () => {
      const h = make()
      const id = await booked(h)
      await bringTo(h, id, "AT_STORE")
      const measured = await h.run(runner.measurePayload(app, id, { weight_kg: 999 }))
      expect(handoffOf(measured).status).toBe("AT_STORE")
    })

    test("a runner who comes to a bot that is ready finds the handoff ready, and the open link is called", async () => {
      const { h, id } = await at("RETRIEVED")
      await report(h, id, "READY_FOR_HANDOFF")
      expect(handoffOf(await h.run(moves["at bot"](h, id))).status).toBe("HANDOFF_READY")
      const [event, ...others] = await told(h)
      expect(others).toEqual([])
      expect(event?.data).toMatchObject({ milestone: "runner_at_unit" })
      expect(h.received(OPEN_LINK)).toHaveLength(1)
    })

    test("the event that records the photo carries its link, and load_photo_skipped false", async () => {
      const { h, id } = await at("HANDOFF_READY")
      const answered = await h.run(moves.load(h, id))
      expect(handoffOf(answered)).toMatchObject({ load_photo_url: null, load_photo_skipped: false })
      const [event] = await told(h)
      expect(event?.data.reservation.handoff).toMatchObject({ status: "LOADED", load_photo_skipped: false })
      expect(event?.data.reservation.handoff?.load_photo_url).toMatch(PHOTO_LINK)
    })

    test("handoff_complete comes twice when the bot is first: without, then with the photo", async () => {
      const { h, id } = await at("HANDOFF_READY")
      const secured = handoffOf(await report(h, id, "SECURED"))
      expect(secured).toMatchObject({ status: "LOADED", load_photo_skipped: true, load_photo_url: null })
      const completedAt = secured.handoff_completed_at
      await h.advance(MINUTE_MS)
      await h.run(moves.load(h, id))
      const events = await told(h)
      expect(await toldInShort(h)).toEqual(["milestone handoff_complete", "milestone handoff_complete"])
      expect(events.map((event) => event.data.reservation.handoff?.load_photo_skipped)).toEqual([true, false])
      expect(events.map((event) => event.data.reservation.handoff?.load_photo_url !== null)).toEqual([
        false,
        true,
      ])
      expect(events[1]?.data.reservation.handoff?.handoff_completed_at).toBe(completedAt)
      expect(await codeOf(h, moves.load(h, id))).toBe("INVALID_STATE")
    })

    test("the photo may land after the reservation completed", async () => {
      const { h, id } = await at("HANDOFF_READY")
      await report(h, id, "DEPARTED")
      await h.run(moves.load(h, id))
      expect((await toldInShort(h)).at(-1)).toBe("milestone handoff_complete")
      expect(handoffOf(await seen(h, id)).load_photo_url).toMatch(PHOTO_LINK)
    })

    test("E23: an event whose photo cannot be signed goes with null and load_photo_skipped false", async () => {
      const { h, id } = await at("HANDOFF_READY")
      h.breakPhotoSigning(true)
      await h.run(moves.load(h, id))
      h.breakPhotoSigning(false)
      const [event] = await told(h)
      expect(event?.data.reservation.handoff).toMatchObject({
        load_photo_url: null,
        load_photo_skipped: false,
      })
      expect(handoffOf(await seen(h, id)).load_photo_url).toMatch(PHOTO_LINK)
    })

    test("at a bot that secured without READY the runner records the load; the open link is not called", async () => {
      const { h, id } = await at("AT_UNIT")
      await report(h, id, "SECURED")
      expect(handoffOf(await h.run(moves.load(h, id)))).toMatchObject({
        status: "LOADED",
        load_photo_skipped: false,
      })
      expect(await toldInShort(h)).toEqual(["milestone handoff_complete"])
      expect(h.received(OPEN_LINK)).toEqual([])
    })

    test("loading never completes the reservation", async () => {
      const { h, id } = await at("LOADED")
      expect((await seen(h, id)).status).toBe("confirmed")
    })

    test("X9: a task that failed leaves the reservation as it is, to be canceled", async () => {
      const { h, id } = await at("FAILED")
      expect((await seen(h, id)).status).toBe("confirmed")
      expect((await h.run(reservations.cancel(partner, id))).handoff?.status).toBe("FAILED")
    })

    test("the block stays after the end, with the times that were noted", async () => {
      const { h, id } = await at("RETRIEVED")
      const before = handoffOf(await seen(h, id))
      expect(handoffOf(await h.run(moves.cancel(h, id)))).toEqual({ ...before, status: "CANCELED" })
    })
  })

  describe("runner delay", () => {
    const delay = async (h: ServicesHarness, id: string): Promise<number | null> =>
      handoffOf(await seen(h, id)).runner_delay_seconds

    test("counted from five minutes before the window's start, in whole seconds, null when not late", async () => {
      const h = make()
      const id = await booked(h)
      const stagingMs = h.now() + 25 * MINUTE_MS
      for (const [offsetMs, seconds] of [
        [-1, null],
        [0, null],
        [999, null],
        [1_000, 1],
        [90_500, 90],
      ] as const) {
        await h.standAt(stagingMs + offsetMs)
        expect(await delay(h, id)).toBe(seconds)
      }
    })

    test("told while queued, assigned, at the store and held; not after", async () => {
      const h = make()
      const id = await booked(h)
      await h.advance(26 * MINUTE_MS)
      const names = ["assign", "at store", "not ready"] as const
      expect(await delay(h, id)).toBe(60)
      for (const name of names) {
        expect(handoffOf(await h.run(moves[name](h, id))).runner_delay_seconds).toBe(60)
      }
      expect(handoffOf(await h.run(moves["order in hand"](h, id))).runner_delay_seconds).toBeNull()
      expect(handoffOf(await h.run(moves["at bot"](h, id))).runner_delay_seconds).toBeNull()
      expect(handoffOf(await h.run(moves.cancel(h, id))).runner_delay_seconds).toBeNull()
    })

    test("the bot's estimate anchors the staging while no runner is assigned", async () => {
      const h = make()
      const id = await booked(h)
      await report(h, id, "INBOUND", { eta: h.now() + 4 * MINUTE_MS })
      expect(await delay(h, id)).toBe(60)
      await report(h, id, "INBOUND", { eta: h.now() + 10 * MINUTE_MS })
      expect(await delay(h, id)).toBeNull()
      await report(h, id, "INBOUND", { eta: h.now() })
      expect(await delay(h, id)).toBe(300)
      await report(h, id, "INBOUND", { eta: null })
      expect(await delay(h, id)).toBeNull()
    })

    test("it is frozen at assignment: later estimates show on the bot and move no staging", async () => {
      const h = make()
      const id = await booked(h)
      await report(h, id, "INBOUND", { eta: h.now() + 4 * MINUTE_MS })
      await h.run(moves.assign(h, id))
      const answered = await report(h, id, "INBOUND", { eta: h.now() + 20 * MINUTE_MS })
      expect(answered.bot?.eta).toBe(iso(h.now() + 20 * MINUTE_MS))
      expect(handoffOf(answered).runner_delay_seconds).toBe(60)
    })

    test("an estimate that comes after assignment anchors nothing", async () => {
      const h = make()
      const id = await booked(h)
      await h.run(moves.assign(h, id))
      await report(h, id, "INBOUND", { eta: h.now() })
      expect(await delay(h, id)).toBeNull()
    })

    test("a moved window moves the staging along", async () => {
      const h = make()
      const id = await booked(h)
      await h.advance(27 * MINUTE_MS)
      expect(await delay(h, id)).toBe(120)
      await h.run(reservations.moveWindow(partner, id, { arrival_window_start: h.now() + 10 * MINUTE_MS }))
      expect(await delay(h, id)).toBeNull()
    })

    test("the event tells the delay as it stood when it occurred", async () => {
      const h = make()
      const id = await booked(h)
      await h.run(moves.assign(h, id))
      await h.advance(26 * MINUTE_MS)
      await subscribe(h)
      await h.run(moves["at store"](h, id))
      await h.advance(MINUTE_MS)
      expect((await told(h))[0]?.data.reservation.handoff?.runner_delay_seconds).toBe(60)
    })
  })
}
