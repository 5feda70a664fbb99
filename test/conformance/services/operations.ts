/** What runners and operations read, and the policy that they change, on any host. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { MINUTE_MS } from "../../../src/model/values/time.ts"
import {
  PHOTO,
  PHOTO_LINK,
  app,
  board,
  booked,
  bringTo,
  codeOf,
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
  windowPolicy,
} from "../harness.ts"
import type { MakeServicesHarness, ServicesHarness } from "../harness.ts"

const EAST = "7d1f3c52-52a4-4b0e-9f5e-6f0c2f3f9a21"

async function openTasks(h: ServicesHarness): Promise<readonly string[]> {
  const { tasks } = await h.run(board.openTasks(app, EAST, {}))
  return tasks.map((task) => task.reservation_id)
}

export function operationsTests(make: MakeServicesHarness): void {
  describe("runner's board", () => {
    test("open tasks follow staging time as estimates come in and runners are assigned", async () => {
      const h = make()
      const startsAt = (inMin: number): object => ({
        arrival_window_start: h.now() + inMin * MINUTE_MS,
        arrival_window_end: h.now() + (inMin + 30) * MINUTE_MS,
      })
      const late = await booked(h, startsAt(90))
      const soon = await booked(h, startsAt(30), stranger)
      await booked(h, startsAt(10), sandboxPartner)
      expect(await openTasks(h)).toEqual([soon, late])
      await report(h, late, "INBOUND", { eta: h.now() + 20 * MINUTE_MS })
      expect(await openTasks(h)).toEqual([late, soon])
      const [first] = (await h.run(board.openTasks(app, EAST, { limit: 1 }))).tasks
      expect(first?.staging_at).toBe(iso(h.now() + 15 * MINUTE_MS))
      await bringTo(h, late, "HELD")
      await report(h, late, "ARRIVED", { eta: h.now() + 40 * MINUTE_MS })
      expect(await openTasks(h)).toEqual([late, soon])
    })

    test("a moved window moves the staging time, an ended task leaves", async () => {
      const h = make()
      const one = await booked(h)
      const two = await booked(h)
      expect(await openTasks(h)).toEqual([one, two])
      await h.run(
        reservations.moveWindow(partner, one, {
          arrival_window_start: h.now() + 40 * MINUTE_MS,
          arrival_window_end: h.now() + 60 * MINUTE_MS,
        }),
      )
      expect(await openTasks(h)).toEqual([two, one])
      await bringTo(h, two, "LOADED")
      expect(await openTasks(h)).toEqual([one])
      await h.advance(75 * MINUTE_MS)
      expect(await openTasks(h)).toEqual([])
    })

    test("G15: a cursor goes on behind the last task, also when others have come before it", async () => {
      const h = make()
      const ids = [await booked(h), await booked(h), await booked(h)]
      const first = await h.run(board.openTasks(app, EAST, { limit: 2 }))
      expect(first.tasks.map((task) => task.reservation_id)).toEqual(ids.slice(0, 2))
      await booked(h, { arrival_window_start: h.now() + 20 * MINUTE_MS })
      const cursor = first.next_cursor ?? ""
      const second = await h.run(board.openTasks(app, EAST, { limit: 2, cursor }))
      expect(second.tasks.map((task) => task.reservation_id)).toEqual(ids.slice(2))
      expect(second.next_cursor).toBeNull()
      // The number of a reservation counts those of every organization: it is sealed, for this site alone.
      expect(Buffer.from(cursor, "base64url").toString()).toMatch(/^t\d+\.[\w-]{22}$/)
      expect(await codeOf(h, board.openTasks(app, "another site", { cursor }))).toBe("VALIDATION_ERROR")
    })

    test("V2: an unknown site and another environment's reservation are NOT_FOUND", async () => {
      const h = make()
      const id = await booked(h)
      expect(await codeOf(h, board.openTasks(app, "nowhere", {}))).toBe("NOT_FOUND")
      expect(await codeOf(h, board.reservation({ ...app, environment: "sandbox" }, id))).toBe("NOT_FOUND")
      expect((await h.run(board.reservation(app, id))).reservation_id).toBe(id)
    })
  })

  describe("load photos", () => {
    test("two photos of one load at once: one is taken, the other is INVALID_STATE", async () => {
      const h = make()
      const id = await booked(h)
      await bringTo(h, id, "HANDOFF_READY")
      const load = Effect.match(runner.load(app, id, PHOTO), {
        onFailure: ({ code }) => code,
        onSuccess: () => "taken",
      })
      const ends = await h.run(Effect.all([load, load], { concurrency: "unbounded" }))
      expect(ends.toSorted()).toEqual(["INVALID_STATE", "taken"])
    })

    test("X11: the board signs the link of a stored photo, and the event carries one too", async () => {
      const h = make()
      const id = await booked(h)
      await subscribe(h)
      await bringTo(h, id, "LOADED")
      expect((await h.run(board.reservation(app, id))).handoff?.load_photo_url).toMatch(PHOTO_LINK)
      const last = (await told(h)).at(-1)
      expect(last?.data.reservation.handoff?.load_photo_url).toMatch(PHOTO_LINK)
    })

    test("L6: what is neither JPEG nor PNG moves nothing", async () => {
      const h = make()
      const id = await booked(h)
      await bringTo(h, id, "HANDOFF_READY")
      const before = await seen(h, id)
      const refused = await refusalOf(h, runner.load(app, id, Uint8Array.of(1, 2, 3, 4)))
      expect([refused.code, refused.problems]).toMatchObject(["VALIDATION_ERROR", [{ field: "photo" }]])
      expect(await seen(h, id)).toEqual(before)
    })

    test("each load has a photo id of its own", async () => {
      const h = make()
      const links: (string | null | undefined)[] = []
      for (let count = 0; count < 2; count += 1) {
        const id = await booked(h)
        await bringTo(h, id, "HANDOFF_READY")
        await h.run(runner.load(app, id, PHOTO))
        links.push((await seen(h, id)).handoff?.load_photo_url?.split("?")[0])
      }
      expect(new Set(links).size).toBe(2)
    })
  })

  describe("window policy", () => {
    test("L1: a changed policy counts from the next booking on, in its environment", async () => {
      const h = make()
      const before = await booked(h)
      await h.run(windowPolicy.change(operations, { window_grace_seconds: 60, window_width_min_seconds: 60 }))
      const after = await booked(h)
      await booked(h, { arrival_window_end: h.now() + 31 * MINUTE_MS })
      const narrow = {
        arrival_window_start: h.now() + MINUTE_MS,
        arrival_window_end: h.now() + 3 * MINUTE_MS,
      }
      await expect(booked(h, narrow, sandboxPartner)).rejects.toMatchObject({ code: "WINDOW_TOO_SHORT" })
      await h.advance(61 * MINUTE_MS)
      expect([(await seen(h, before)).status, (await seen(h, after)).status]).toEqual([
        "confirmed",
        "canceled",
      ])
      await h.advance(14 * MINUTE_MS)
      expect((await seen(h, before)).status).toBe("canceled")
    })

    test("L4: the bot wait of a task is that of its booking", async () => {
      const h = make()
      await h.run(windowPolicy.change(operations, { bot_wait_seconds: 120 }))
      const id = await booked(h)
      await h.run(windowPolicy.change(operations, { bot_wait_seconds: 600 }))
      await bringTo(h, id, "AT_UNIT")
      await h.advance(2 * MINUTE_MS)
      expect((await h.run(board.reservation(app, id))).open_exceptions).toEqual(["bot_no_show"])
    })

    test("two changes at once both stay", async () => {
      const h = make()
      const changes = [
        { window_grace_seconds: 60 },
        { bot_wait_seconds: 60 },
        { staging_lead_seconds: 60 },
        { announces_handoffs: false },
      ]
      await h.run(
        Effect.forEach(changes, (change) => windowPolicy.change(operations, change), {
          concurrency: "unbounded",
        }),
      )
      expect(await h.run(windowPolicy.read(operations))).toMatchObject(
        Object.assign({}, ...changes) as object,
      )
    })

    test("bounds that contradict each other are refused, and nothing of it stays", async () => {
      const h = make()
      const before = await h.run(windowPolicy.read(operations))
      const refused = await refusalOf(
        h,
        windowPolicy.change(operations, { window_width_max_seconds: 120, bot_wait_seconds: 120 }),
      )
      expect(refused.problems).toMatchObject([{ field: "window_width_max_seconds" }])
      expect(await h.run(windowPolicy.read(operations))).toEqual(before)
    })
  })
}
