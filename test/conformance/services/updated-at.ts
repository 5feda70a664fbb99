/** `updated_at`: it moves with every change that a caller can see and with nothing else, and reads the same everywhere. */

import type { Effect } from "effect"
import { describe, expect, test } from "vitest"
import type { Refused } from "../../../src/model/values/errors.ts"
import type { BotReportRequest } from "../../../src/model/requests/requests.ts"
import { MINUTE_MS } from "../../../src/model/values/time.ts"
import type { ReservationRecord } from "../../../src/areas/reservations/record.ts"
import {
  app,
  booked,
  booking,
  bringTo,
  iso,
  partner,
  refusalOf,
  report,
  reservations,
  runner,
  seen,
  subscribe,
  told,
} from "../harness.ts"
import type { MakeServicesHarness, ServiceTags, ServicesHarness } from "../harness.ts"

type Command = (h: ServicesHarness, id: string) => Effect.Effect<ReservationRecord, Refused, ServiceTags>

type Case = readonly [string, (h: ServicesHarness, id: string) => Promise<unknown>, Command]

const reportOf = (id: string, request: BotReportRequest) => reservations.reportBot(partner, id, request)
const nothing = (): Promise<void> => Promise.resolve()

/** Commands that are accepted and change nothing: each after what makes it a repeat. */
const repeats: readonly Case[] = [
  [
    "a second cancel",
    (h, id) => h.run(reservations.cancel(partner, id, "first")),
    (_, id) => reservations.cancel(partner, id, "second"),
  ],
  [
    "a bare repeat of the bot's status",
    (h, id) => report(h, id, "ARRIVED", { label: "blue", eta: h.now() }),
    (_, id) => reportOf(id, { status: "ARRIVED" }),
  ],
  [
    "a repeat with the label that it has",
    (h, id) => report(h, id, "ARRIVED", { label: "blue" }),
    (_, id) => reportOf(id, { status: "ARRIVED", label: "blue" }),
  ],
  [
    "a repeat with the estimate that it has",
    (h, id) => report(h, id, "INBOUND", { eta: h.now() + 20 * MINUTE_MS }),
    (h, id) => reportOf(id, { status: "INBOUND", eta: h.now() + 19 * MINUTE_MS }),
  ],
  [
    "a repeat that clears a label that is none",
    (h, id) => report(h, id, "INBOUND"),
    (_, id) => reportOf(id, { status: "INBOUND", label: null, eta: null }),
  ],
  [
    "a repeat with another time of its status",
    (h, id) => report(h, id, "INBOUND"),
    (h, id) => reportOf(id, { status: "INBOUND", occurred_at: h.now() - MINUTE_MS }),
  ],
  [
    "a repeat on a canceled reservation",
    async (h, id) => {
      await report(h, id, "INBOUND")
      await h.run(reservations.cancel(partner, id))
    },
    (_, id) => reportOf(id, { status: "INBOUND" }),
  ],
  [
    "the window that it has",
    nothing,
    (h, id) =>
      reservations.moveWindow(partner, id, {
        arrival_window_start: h.now() + 29 * MINUTE_MS,
        arrival_window_end: h.now() + 59 * MINUTE_MS,
      }),
  ],
  [
    "the flag that is set",
    (h, id) => h.run(runner.raise(app, id, "stall_blocked")),
    (_, id) => runner.raise(app, id, "stall_blocked", "a van"),
  ],
]

const refused: readonly Case[] = [
  [
    "a bot status behind the current one",
    (h, id) => report(h, id, "ARRIVED"),
    (_, id) => reportOf(id, { status: "INBOUND", label: "blue" }),
  ],
  [
    "a report on a finished reservation",
    (h, id) => report(h, id, "DEPARTED"),
    (_, id) => reportOf(id, { status: "ABORTED" }),
  ],
  [
    "a report with a field that fails",
    nothing,
    (h, id) => reportOf(id, { status: "INBOUND", eta: h.now() + 2 * 24 * 60 * MINUTE_MS }),
  ],
  [
    "a window in the past",
    nothing,
    (h, id) => reservations.moveWindow(partner, id, { arrival_window_start: h.now() - MINUTE_MS }),
  ],
  [
    "a moved window once arrived",
    (h, id) => report(h, id, "ARRIVED"),
    (h, id) => reservations.moveWindow(partner, id, { arrival_window_end: h.now() + 50 * MINUTE_MS }),
  ],
  [
    "a cancel of a completed one",
    (h, id) => report(h, id, "DEPARTED"),
    (_, id) => reservations.cancel(partner, id, "late"),
  ],
  ["a step that the runner cannot take", nothing, (_, id) => runner.atUnit(app, id)],
  [
    "an exception on an ended task",
    (h, id) => bringTo(h, id, "FAILED"),
    (_, id) => runner.raise(app, id, "stall_blocked"),
  ],
]

const changes: readonly Case[] = [
  ["a first report", nothing, (_, id) => reportOf(id, { status: "INBOUND" })],
  [
    "a report that moves the bot alone",
    (h, id) => report(h, id, "INBOUND"),
    (_, id) => reportOf(id, { status: "READY_FOR_HANDOFF" }),
  ],
  [
    "another label",
    (h, id) => report(h, id, "ARRIVED", { label: "blue" }),
    (_, id) => reportOf(id, { status: "ARRIVED", label: "green" }),
  ],
  [
    "a label cleared",
    (h, id) => report(h, id, "ARRIVED", { label: "blue" }),
    (_, id) => reportOf(id, { status: "ARRIVED", label: null }),
  ],
  [
    "another label once completed",
    (h, id) => report(h, id, "DEPARTED"),
    (_, id) => reportOf(id, { status: "DEPARTED", label: "green" }),
  ],
  [
    "another estimate",
    (h, id) => report(h, id, "INBOUND"),
    (h, id) => reportOf(id, { status: "INBOUND", eta: h.now() + MINUTE_MS }),
  ],
  [
    "a moved window",
    nothing,
    (h, id) => reservations.moveWindow(partner, id, { arrival_window_end: h.now() + 50 * MINUTE_MS }),
  ],
  ["a cancel", nothing, (_, id) => reservations.cancel(partner, id)],
  ["a runner who is assigned", nothing, (_, id) => runner.assign(app, id, "run_1")],
]

export function updatedAtTests(make: MakeServicesHarness): void {
  /** A keyed booking on which `before` has happened, a minute ago. */
  async function prepared(before: Case[1]) {
    const h = make()
    const request = booking(h)
    const { reservation } = await h.run(reservations.create(partner, request, "key"))
    const id = reservation.reservation_id
    await before(h, id)
    const { updated_at: was } = await seen(h, id)
    await h.advance(MINUTE_MS)
    /** The value that every reader gets. */
    const everywhere = async (): Promise<ReadonlySet<string>> => {
      const replay = await h.run(reservations.create(partner, request, "key"))
      const { reservations: rows } = await h.run(reservations.list(partner, {}))
      return new Set([
        (await seen(h, id)).updated_at,
        replay.reservation.updated_at,
        ...rows.map((row) => row.updated_at),
      ])
    }
    return { h, id, was, everywhere }
  }

  describe("updated_at", () => {
    test("a booking starts with the time of its creation", async () => {
      const h = make()
      const atMs = h.now()
      const id = await booked(h)
      expect(await seen(h, id)).toMatchObject({ created_at: iso(atMs), updated_at: iso(atMs) })
    })

    test.each(repeats)("%s does not move it", async (_, before, command) => {
      const { h, id, was, everywhere } = await prepared(before)
      expect((await h.run(command(h, id))).updated_at).toBe(was)
      expect(await everywhere()).toEqual(new Set([was]))
    })

    test.each(refused)("%s does not move it: the command is refused", async (_, before, command) => {
      const { h, id, was, everywhere } = await prepared(before)
      const record = await seen(h, id)
      await refusalOf(h, command(h, id))
      expect(await everywhere()).toEqual(new Set([was]))
      expect(await seen(h, id)).toEqual(record)
    })

    test.each(changes)(
      "%s moves it, the same in the answer and in every read",
      async (_, before, command) => {
        const { h, id, was, everywhere } = await prepared(before)
        const atMs = h.now()
        const { updated_at } = await h.run(command(h, id))
        expect(updated_at).toBe(iso(atMs))
        expect(updated_at).not.toBe(was)
        await h.advance(MINUTE_MS)
        expect(await everywhere()).toEqual(new Set([updated_at]))
      },
    )

    test("an event tells it as the answer of its command does", async () => {
      const { h, id } = await prepared(nothing)
      await subscribe(h)
      const { updated_at } = await report(h, id, "DEPARTED", { label: "green" })
      const events = await told(h)
      expect(events.map((event) => event.data.reservation.updated_at)).toEqual([updated_at, updated_at])
    })

    test("a clock moves it to the time of its turn", async () => {
      const { h, id, everywhere } = await prepared(nothing)
      const dueMs = h.now() + 74 * MINUTE_MS
      await h.advance(90 * MINUTE_MS)
      expect(await seen(h, id)).toMatchObject({ status: "canceled", updated_at: iso(dueMs) })
      expect(await everywhere()).toEqual(new Set([iso(dueMs)]))
    })
  })
}
