/**
 * Reading, listing, moving the window, canceling; and who may do what. Longer than 400 lines, because the table of
 * permissions covers all of these.
 */

import type { Effect } from "effect"
import { describe, expect, test } from "vitest"
import type { Partner, Permission } from "../../../src/model/caller.ts"
import { PERMISSIONS } from "../../../src/model/caller.ts"
import type { Refused, RefusalCode } from "../../../src/model/values/errors.ts"
import type { ListReservationsRequest, MoveWindowRequest } from "../../../src/model/requests/requests.ts"
import { DAY_MS, MINUTE_MS } from "../../../src/model/values/time.ts"
import {
  HOOK,
  app,
  booked,
  booking,
  bringTo,
  codeOf,
  handoffOf,
  holding,
  iso,
  operations,
  partner,
  refusalOf,
  report,
  reservations,
  runner,
  sandboxPartner,
  seen,
  stranger,
  subscribe,
  told,
  toldInShort,
  walk,
  webhooks,
} from "../harness.ts"
import type { MakeServicesHarness, ServiceTags, ServicesHarness } from "../harness.ts"

type Command = (
  h: ServicesHarness,
  caller: Partner,
  id: string,
) => Effect.Effect<unknown, Refused, ServiceTags>

export function readingTests(make: MakeServicesHarness): void {
  const onReservation: readonly [string, Permission, Command][] = [
    ["read", "reservations:read", (_, caller, id) => reservations.read(caller, id)],
    [
      "move",
      "reservations:write",
      (h, caller, id) =>
        reservations.moveWindow(caller, id, { arrival_window_end: h.now() + 50 * MINUTE_MS }),
    ],
    ["cancel", "reservations:write", (_, caller, id) => reservations.cancel(caller, id)],
    [
      "report",
      "reservations:write",
      (_, caller, id) => reservations.reportBot(caller, id, { status: "INBOUND" }),
    ],
    ["advance", "reservations:write", (_, caller, id) => walk.advance(caller, id, {})],
  ]
  const commands: readonly [string, Permission, Command][] = [
    ...onReservation,
    ["create", "reservations:write", (h, caller) => reservations.create(caller, booking(h))],
    ["list", "reservations:read", (_, caller) => reservations.list(caller, {})],
    ["list webhooks", "webhooks:manage", (_, caller) => webhooks.list(caller)],
  ]

  describe("permissions", () => {
    test.each(commands)("V1: %s needs %s, and nothing else", async (name, needed, command) => {
      const h = make()
      const environment = name === "advance" ? ("sandbox" as const) : ("production" as const)
      const id = await booked(h, {}, { ...partner, environment })
      const others = PERMISSIONS.filter((permission) => permission !== needed)
      const refusal = await refusalOf(h, command(h, { ...holding(...others), environment }, id))
      expect(refusal.code).toBe("PERMISSION_DENIED")
      expect(refusal.message).toContain(needed)
      await h.run(command(h, { ...holding(needed), environment }, id))
    })

    test("V1: the permission is asked for before the reservation is looked for", async () => {
      const h = make()
      expect(await codeOf(h, reservations.read(holding(), "res_none"))).toBe("PERMISSION_DENIED")
    })

    test.each(onReservation)("V2: %s of an unknown reservation is NOT_FOUND", async (_, _needed, command) => {
      const h = make()
      expect(await codeOf(h, command(h, sandboxPartner, "res_0000000000000000000000"))).toBe("NOT_FOUND")
    })

    test.each(onReservation)("V2: %s of another organization's is NOT_FOUND", async (_, _needed, command) => {
      const h = make()
      const id = await booked(h, {}, sandboxPartner)
      const other = { ...sandboxPartner, organizationId: stranger.organizationId }
      expect(await codeOf(h, command(h, other, id))).toBe("NOT_FOUND")
      expect((await h.run(reservations.read(sandboxPartner, id))).status).toBe("confirmed")
    })

    test.each(onReservation)(
      "V2: %s from the other environment is NOT_FOUND",
      async (_, _needed, command) => {
        const h = make()
        const id = await booked(h)
        expect(await codeOf(h, command(h, sandboxPartner, id))).toBe("NOT_FOUND")
      },
    )

    test("V2: operators reach every organization of their environment, and no other", async () => {
      const h = make()
      const id = await booked(h, {}, stranger)
      expect((await h.run(runner.assign(app, id, "run_1"))).handoff?.status).toBe("ASSIGNED")
      expect(await codeOf(h, runner.atStore({ ...app, environment: "sandbox" }, id))).toBe("NOT_FOUND")
      expect(await codeOf(h, runner.atStore(app, "res_none"))).toBe("NOT_FOUND")
    })
  })

  describe("read and list", () => {
    test("X11: a photo link is signed on reading one, fresh on each read, and nowhere else", async () => {
      const h = make()
      const id = await booked(h)
      await bringTo(h, id, "LOADED")
      const first = handoffOf(await seen(h, id)).load_photo_url
      expect(first).toMatch(/^https:\/\/.*\/rs\/v1\/photos\/pho_/)
      expect(new URL(first ?? "").searchParams.get("exp")).toBe(String(Math.floor((h.now() + DAY_MS) / 1000)))
      await h.advance(MINUTE_MS)
      expect(handoffOf(await seen(h, id)).load_photo_url).not.toBe(first)
      const { reservations: rows } = await h.run(reservations.list(partner, {}))
      expect(rows.map((row) => row.handoff?.load_photo_url)).toEqual([null])
      const moved = await h.run(
        reservations.moveWindow(partner, id, { arrival_window_end: h.now() + 70 * MINUTE_MS }),
      )
      expect(handoffOf(moved).load_photo_url).toBeNull()
      expect(handoffOf(await report(h, id, "SECURED")).load_photo_url).toBeNull()
      expect(handoffOf(await h.run(reservations.cancel(partner, id))).load_photo_url).toBeNull()
      expect(handoffOf(await seen(h, id)).load_photo_url).not.toBeNull()
    })

    test("E23: a link that cannot be signed reads as null, the record as usual", async () => {
      const h = make()
      const id = await booked(h)
      await bringTo(h, id, "LOADED")
      h.breakPhotoSigning(true)
      expect(handoffOf(await seen(h, id))).toMatchObject({ load_photo_url: null, load_photo_skipped: false })
      h.breakPhotoSigning(false)
      expect(handoffOf(await seen(h, id)).load_photo_url).not.toBeNull()
    })

    test("V16: newest created first; G15: pages follow one another without gap or repeat", async () => {
      const h = make()
      const ids: string[] = []
      for (let count = 0; count < 7; count += 1) ids.push(await booked(h, { order_number: `A-${count}` }))
      const found: string[] = []
      let cursor: string | undefined
      do {
        const page = await h.run(
          reservations.list(partner, { limit: 3, ...(cursor === undefined ? {} : { cursor }) }),
        )
        expect(page.reservations.length).toBeLessThanOrEqual(3)
        found.push(...page.reservations.map((one) => one.reservation_id))
        cursor = page.next_cursor ?? undefined
        // A booking between two pages belongs to neither.
        await booked(h, { order_number: "between" })
      } while (cursor !== undefined)
      expect(found).toEqual(ids.toReversed())
    })

    test("G15: a full last page has no cursor; the default is 50", async () => {
      const h = make()
      for (let count = 0; count < 51; count += 1) await booked(h)
      const first = await h.run(reservations.list(partner, {}))
      expect(first.reservations).toHaveLength(50)
      const last = await h.run(reservations.list(partner, { limit: 1, cursor: first.next_cursor ?? "" }))
      expect(last.reservations).toHaveLength(1)
      expect(last.next_cursor).toBeNull()
    })

    test.each([
      "",
      "x",
      "!!!",
      "cjE=junk",
      Buffer.from("r-1").toString("base64url"),
      Buffer.from(`r${"9".repeat(30)}`).toString("base64url"),
    ])("G15: the cursor %j that no page gave is VALIDATION_ERROR", async (cursor) => {
      const h = make()
      const refusal = await refusalOf(h, reservations.list(partner, { cursor }))
      expect(refusal.code).toBe("VALIDATION_ERROR")
      expect(refusal.problems?.map((problem) => problem.field)).toEqual(["cursor"])
    })

    test.each<[string, (h: ServicesHarness) => ListReservationsRequest, string[]]>([
      ["status", () => ({ status: ["canceled"] }), ["c"]],
      ["statuses", () => ({ status: ["canceled", "arrived"] }), ["d", "c"]],
      ["zone", () => ({ zone_id: "zone_alone" }), ["b"]],
      ["retailer", () => ({ retailer_id: "retailer_baker" }), ["c"]],
      ["order number", () => ({ order_number: "a" }), ["a"]],
      ["start at or after", (h) => ({ arrival_from: h.now() + 40 * MINUTE_MS }), ["d"]],
      ["start before", (h) => ({ arrival_to: h.now() + 40 * MINUTE_MS }), ["c", "b", "a"]],
      ["X10: a status that no reservation has", () => ({ status: ["requested"] }), []],
    ])("V15: narrowed by %s", async (_, request, expected) => {
      const h = make()
      await booked(h, { order_number: "a" })
      await booked(h, { order_number: "b", zone_id: "zone_alone" })
      const canceled = await booked(h, { order_number: "c", retailer_id: "retailer_baker" })
      const later = {
        arrival_window_start: h.now() + 40 * MINUTE_MS,
        arrival_window_end: h.now() + 60 * MINUTE_MS,
      }
      const arrived = await booked(h, { order_number: "d", ...later })
      await booked(h, { order_number: "e" }, stranger)
      await booked(h, { order_number: "f" }, sandboxPartner)
      await h.run(reservations.cancel(partner, canceled))
      await report(h, arrived, "ARRIVED")
      const page = await h.run(reservations.list(partner, request(h)))
      expect(page.reservations.map((one) => one.order_number)).toEqual(expected)
      expect(page.next_cursor).toBeNull()
    })

    test("list rows carry the same blocks as a read", async () => {
      const h = make()
      const id = await booked(h)
      await report(h, id, "INBOUND", { label: "blue" })
      const { reservations: rows } = await h.run(reservations.list(partner, {}))
      expect(rows).toEqual([await seen(h, id)])
    })
  })

  describe("move the window", () => {
    const move = (id: string, more: MoveWindowRequest) => reservations.moveWindow(partner, id, more)

    test("V12: one bound moves and the other keeps its value; the stall stays and no event goes", async () => {
      const h = make()
      await subscribe(h)
      const id = await booked(h)
      const before = await seen(h, id)
      await booked(h)
      const moved = await h.run(move(id, { arrival_window_end: h.now() + 70 * MINUTE_MS }))
      expect(moved).toEqual({ ...before, arrival_window_end: iso(h.now() + 70 * MINUTE_MS) })
      const again = await h.run(move(id, { arrival_window_start: h.now() + 10 * MINUTE_MS }))
      expect(again.arrival_window_start).toBe(iso(h.now() + 10 * MINUTE_MS))
      expect(again.arrival_window_end).toBe(moved.arrival_window_end)
      expect(again.stall_id).toBe(before.stall_id)
      expect(await toldInShort(h)).toEqual(["null > confirmed", "null > confirmed"])
      expect((await seen(h, id)).arrival_window_end).toBe(moved.arrival_window_end)
    })

    test.each<[RefusalCode, number, number]>([
      ["WINDOW_IN_PAST", 0, 30],
      ["WINDOW_TOO_FAR_OUT", 24 * 60 + 1, 24 * 60 + 30],
      ["WINDOW_TOO_SHORT", 30, 34],
      ["WINDOW_TOO_SHORT", 30, 20],
      ["WINDOW_TOO_LONG", 30, 151],
    ])("V12: %s as on create, and the window stays", async (code, fromMinutes, toMinutes) => {
      const h = make()
      const id = await booked(h)
      const before = await seen(h, id)
      const request = {
        arrival_window_start: h.now() + fromMinutes * MINUTE_MS,
        arrival_window_end: h.now() + toMinutes * MINUTE_MS,
      }
      expect(await codeOf(h, move(id, request))).toBe(code)
      expect(await seen(h, id)).toEqual(before)
    })

    test("V12: the same window is fine, even when it has begun", async () => {
      const h = make()
      const id = await booked(h)
      const before = await seen(h, id)
      await h.advance(40 * MINUTE_MS)
      const request = { arrival_window_start: Date.parse(before.arrival_window_start) }
      expect((await h.run(move(id, request))).arrival_window_start).toBe(before.arrival_window_start)
      const longer = { arrival_window_end: h.now() + 40 * MINUTE_MS }
      expect(await codeOf(h, move(id, longer))).toBe("WINDOW_IN_PAST")
    })

    test.each(["arrived", "completed", "canceled"] as const)(
      "V12: once %s the window is fixed",
      async (status) => {
        const h = make()
        const id = await booked(h)
        if (status === "canceled") await h.run(reservations.cancel(partner, id))
        else await report(h, id, status === "arrived" ? "ARRIVED" : "DEPARTED")
        const { arrival_window_start: from } = await seen(h, id)
        for (const start of [Date.parse(from), h.now() - MINUTE_MS, h.now() + 20 * MINUTE_MS]) {
          expect(await codeOf(h, move(id, { arrival_window_start: start }))).toBe("INVALID_STATE")
        }
      },
    )

    test("L1: the window's end moves its clock along", async () => {
      const h = make()
      const id = await booked(h)
      const fromMs = h.now()
      await h.run(move(id, { arrival_window_end: fromMs + 90 * MINUTE_MS }))
      await h.standAt(fromMs + 105 * MINUTE_MS - 1)
      expect((await seen(h, id)).status).toBe("confirmed")
      await h.advance(1)
      expect(await seen(h, id)).toMatchObject({ status: "canceled", canceled_by: "system" })
    })

    test("V7: a moved window counts where it is now", async () => {
      const h = make()
      const id = await booked(h)
      const away = {
        arrival_window_start: h.now() + 90 * MINUTE_MS,
        arrival_window_end: h.now() + 120 * MINUTE_MS,
      }
      await h.run(move(id, away))
      expect((await seen(h, await booked(h))).stall_id).toBe("stall_a")
      expect((await seen(h, await booked(h, away))).stall_id).toBe("stall_b")
    })
  })

  describe("cancel", () => {
    test.each(["QUEUED", "ASSIGNED", "AT_STORE", "HELD", "RETRIEVED", "AT_UNIT", "HANDOFF_READY"] as const)(
      "V14: with the handoff %s, the reservation and its task end, and one event goes",
      async (status) => {
        const h = make()
        const id = await booked(h)
        await bringTo(h, id, status)
        await h.advance(1_000)
        await subscribe(h)
        const canceled = await h.run(reservations.cancel(partner, id, "changed plans"))
        expect(canceled).toMatchObject({
          status: "canceled",
          canceled_by: "partner",
          cancel_reason: "changed plans",
          handoff: { status: "CANCELED", ready_estimate: null, runner_delay_seconds: null },
        })
        const events = await told(h)
        expect(await toldInShort(h)).toEqual(["confirmed > canceled"])
        expect(events[0]?.data.reservation).toEqual(canceled)
      },
    )

    test.each(["LOADED", "FAILED"] as const)("V14: a task that ended %s stays so", async (status) => {
      const h = make()
      const id = await booked(h)
      await bringTo(h, id, status)
      expect((await h.run(reservations.cancel(partner, id))).handoff?.status).toBe(status)
    })

    test("V14: an arrived reservation may be canceled", async () => {
      const h = make()
      const id = await booked(h)
      await report(h, id, "ARRIVED")
      await subscribe(h)
      expect((await h.run(reservations.cancel(partner, id))).status).toBe("canceled")
      expect(await toldInShort(h)).toEqual(["arrived > canceled"])
    })

    test("V14: a repeat keeps the first reason and sends nothing", async () => {
      const h = make()
      await subscribe(h)
      const id = await booked(h)
      const first = await h.run(reservations.cancel(partner, id, "first"))
      expect(await h.run(reservations.cancel(partner, id, "second"))).toEqual(first)
      expect(await h.run(reservations.cancel(operations, id, "third"))).toEqual(first)
      expect(await toldInShort(h)).toEqual(["null > confirmed", "confirmed > canceled"])
    })

    test("V14: a completed one is INVALID_STATE", async () => {
      const h = make()
      const id = await booked(h)
      await report(h, id, "DEPARTED")
      expect(await codeOf(h, reservations.cancel(partner, id))).toBe("INVALID_STATE")
      expect((await seen(h, id)).canceled_by).toBeNull()
    })

    test.each<[string, string | undefined, string | null]>([
      ["none", undefined, null],
      ["empty", "", null],
      ["1 character", "x", "x"],
      ["500 characters", "x".repeat(500), "x".repeat(500)],
      ["500 characters outside the basic plane", "😀".repeat(500), "😀".repeat(500)],
    ])("V14: a reason of %s", async (_, reason, kept) => {
      const h = make()
      const id = await booked(h)
      const canceled = await h.run(
        reason === undefined ? reservations.cancel(partner, id) : reservations.cancel(partner, id, reason),
      )
      expect(canceled.cancel_reason).toBe(kept)
    })

    test.each([
      ["longer than 500", "x".repeat(501)],
      ["with NUL in it (G16)", "a\0b"],
    ])("V14: a reason %s is VALIDATION_ERROR, and nothing is canceled", async (_, reason) => {
      const h = make()
      const id = await booked(h)
      const refusal = await refusalOf(h, reservations.cancel(partner, id, reason))
      expect(refusal.code).toBe("VALIDATION_ERROR")
      expect(refusal.problems?.map((problem) => problem.field)).toEqual(["reason"])
      expect((await seen(h, id)).status).toBe("confirmed")
    })

    test.each([
      ["runner", app],
      ["ops", operations],
    ] as const)("E21: canceled by %s, with the text entered there", async (by, caller) => {
      const h = make()
      await subscribe(h)
      const id = await booked(h)
      const canceled = await h.run(reservations.cancel(caller, id, "the stall is dug up"))
      expect(canceled).toMatchObject({
        status: "canceled",
        canceled_by: by,
        cancel_reason: "the stall is dug up",
      })
      expect((await told(h, HOOK)).at(-1)?.data.reservation).toEqual(canceled)
    })
  })
}
