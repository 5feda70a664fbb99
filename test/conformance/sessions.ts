/** N10 and what follows from it: which stays become sessions, when they begin and end, and what analytics makes of them. */

import { Effect } from "effect"
import { beforeEach, describe, expect, test } from "vitest"
import type { ImportSessionsRequest } from "../../src/model/requests/analytics.ts"
import type { BotStatus } from "../../src/model/bot.ts"
import type { Caller } from "../../src/model/caller.ts"
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../src/model/values/time.ts"
import type { Metrics } from "../../src/areas/analytics/figures.ts"
import { SessionRows } from "../../src/areas/analytics/rows.ts"
import type { Session } from "../../src/areas/analytics/rows.ts"
import { MeasuredSites } from "../../src/areas/analytics/sites.ts"
import { beginStay, endStay } from "../../src/areas/analytics/stays.ts"
import { ActorHost } from "../../src/engine/services/host.ts"
import type { Transaction } from "../../src/engine/services/host.ts"
import { Routine } from "../../src/engine/services/routine.ts"
import {
  analytics,
  app,
  booked,
  bringTo,
  holding,
  operations,
  partner,
  refusalOf,
  report,
  reservations,
  sandboxPartner,
  walk,
} from "./harness.ts"
import type { ServicesHarness } from "./harness.ts"

const EAST = "7d1f3c52-52a4-4b0e-9f5e-6f0c2f3f9a21"
const WEST = "0b6cf1d4-6a43-4d3f-8a55-1a4a9f0c7d10"

export function sessionsContract(name: string, make: () => ServicesHarness): void {
  const sessionOf = (h: ServicesHarness, id: string): Promise<Session | null> =>
    h.run(
      Effect.flatMap(SessionRows, (rows) =>
        rows.byId({ environment: "production", sessionId: `reservation/${id}` }),
      ),
    )
  /** Begin and end in minutes since the test began; null while it lasts; no session at all is null too. */
  const stayOf = async (
    h: ServicesHarness,
    id: string,
    sinceMs: number,
  ): Promise<readonly [number, number | null] | null> => {
    const session = await sessionOf(h, id)
    if (session === null) return null
    const minutes = (instantMs: number): number => Math.round((instantMs - sinceMs) / MINUTE_MS)
    return [minutes(session.startsAtMs), session.endsAtMs === null ? null : minutes(session.endsAtMs)]
  }
  const today = (h: ServicesHarness, caller: Caller = partner): Promise<Metrics> =>
    h.run(analytics.metrics(caller, { siteId: EAST }))

  describe(`sessions: ${name}`, () => {
    let h: ServicesHarness
    let startMs: number
    beforeEach(() => {
      h = make()
      startMs = h.now()
    })

    test("N10: a session lasts from ARRIVED to DEPARTED, at the reservation's stall and site", async () => {
      const id = await booked(h)
      await report(h, id, "INBOUND")
      expect(await sessionOf(h, id)).toBeNull()
      await h.advance(20 * MINUTE_MS)
      await report(h, id, "ARRIVED")
      expect(await sessionOf(h, id)).toEqual({
        sessionId: `reservation/${id}`,
        environment: "production",
        siteId: EAST,
        stallId: "stall_a",
        startsAtMs: startMs + 20 * MINUTE_MS,
        endsAtMs: null,
        source: "reservation",
      })
      await h.advance(15 * MINUTE_MS)
      await report(h, id, "ARRIVED")
      await report(h, id, "READY_FOR_HANDOFF")
      await report(h, id, "SECURED")
      await h.advance(MINUTE_MS)
      await report(h, id, "DEPARTED")
      expect(await stayOf(h, id, startMs)).toEqual([20, 36])
      await report(h, id, "DEPARTED")
      expect(await stayOf(h, id, startMs)).toEqual([20, 36])
    })

    test("N10: the instants are those of the reports' turns, whatever times the reports claim", async () => {
      const id = await booked(h)
      await h.advance(20 * MINUTE_MS)
      await report(h, id, "ARRIVED", { occurred_at: h.now() - 3 * HOUR_MS })
      await h.advance(5 * MINUTE_MS)
      await report(h, id, "DEPARTED", { occurred_at: h.now() + 4 * MINUTE_MS })
      expect(await stayOf(h, id, startMs)).toEqual([20, 25])
    })

    test.each<[string, readonly BotStatus[], readonly [number, number | null] | null]>([
      ["only departed came and went at once", ["DEPARTED"], [1, 1]],
      ["was on its way, then departed, came and went at once", ["INBOUND", "DEPARTED"], [2, 2]],
      ["is ready without having said ARRIVED stands at the stall", ["READY_FOR_HANDOFF"], [1, null]],
      ["is ready first, then departs, stayed in between", ["READY_FOR_HANDOFF", "DEPARTED"], [1, 2]],
      ["is secured first, then departs, stayed in between", ["SECURED", "DEPARTED"], [1, 2]],
      ["was ready, then secured, came once", ["READY_FOR_HANDOFF", "SECURED", "DEPARTED"], [1, 3]],
      ["is on its way has not come", ["INBOUND"], null],
      ["aborts on its way has not come", ["INBOUND", "ABORTED"], null],
      ["aborts at the stall still stands there", ["ARRIVED", "ABORTED"], [1, null]],
    ])("N10: a bot that %s", async (_, statuses, expected) => {
      const id = await booked(h)
      for (const status of statuses) {
        await h.advance(MINUTE_MS)
        await report(h, id, status)
      }
      expect(await stayOf(h, id, startMs)).toEqual(expected)
    })

    test("N10: a reservation's end ends the stay: by the partner, or by the sweeper when the bot aborted", async () => {
      const canceled = await booked(h)
      const swept = await booked(h)
      const never = await booked(h)
      await h.advance(MINUTE_MS)
      await report(h, canceled, "ARRIVED")
      await report(h, swept, "ARRIVED")
      await report(h, swept, "ABORTED")
      await report(h, never, "INBOUND")
      await h.advance(MINUTE_MS)
      await h.run(reservations.cancel(partner, canceled))
      await h.run(reservations.cancel(partner, never))
      expect(await stayOf(h, canceled, startMs)).toEqual([1, 2])
      expect(await stayOf(h, never, startMs)).toBeNull()
      // The window ends an hour after the booking, and the grace a quarter later.
      await h.advance(2 * HOUR_MS)
      expect(await stayOf(h, swept, startMs)).toEqual([1, 75])
    })

    test("N10: a report that is refused begins nothing", async () => {
      const id = await booked(h)
      await report(h, id, "ARRIVED")
      await h.advance(MINUTE_MS)
      await refusalOf(h, reservations.reportBot(partner, id, { status: "INBOUND" }))
      await report(h, id, "DEPARTED")
      await refusalOf(h, reservations.reportBot(partner, id, { status: "ARRIVED" }))
      expect(await stayOf(h, id, startMs)).toEqual([0, 1])
    })

    test("N10: the sandbox walk makes a session; N11: and none in production", async () => {
      const id = await booked(h, {}, sandboxPartner)
      for (let step = 0; step < 9; step += 1) {
        await h.run(walk.advance(sandboxPartner, id, {}))
        await h.advance(MINUTE_MS)
      }
      expect((await today(h, sandboxPartner)).autolane_sessions.total).toBe(1)
      expect((await today(h, sandboxPartner)).average_dwell_time.total_seconds).toBe(5 * 60)
      expect((await today(h)).autolane_sessions.total).toBe(0)
    })

    test("N10: a stay of another kind of group, at no stall in particular, counts like any other", async () => {
      const group = "delivery/dlv_1"
      const stay = {
        group,
        environment: "production",
        at: { siteId: EAST },
        stallId: null,
        source: "delivery",
      } as const
      const within = <A>(body: Effect.Effect<A, never, SessionRows | Transaction>) =>
        h.run(
          Effect.flatMap(ActorHost, (host) =>
            host.run({ name: "a test", locks: {}, body: () => Routine.from(body) }),
          ),
        )
      await within(beginStay({ ...stay, atMs: h.now() }))
      await h.advance(4 * MINUTE_MS)
      expect((await today(h)).average_dwell_time.total_seconds).toBe(4 * 60)
      await within(endStay(stay, h.now()))
      await h.advance(4 * MINUTE_MS)
      expect((await today(h)).average_dwell_time).toMatchObject({
        minutes: 4,
        seconds: 0,
        total_seconds: 240,
      })
    })

    test("N7: a stay that lasts counts to now, with the runner's work going on meanwhile", async () => {
      const id = await booked(h)
      await h.advance(MINUTE_MS)
      await report(h, id, "ARRIVED")
      await bringTo(h, id, "AT_UNIT")
      await h.advance(90 * SECOND_MS)
      expect((await today(h)).average_dwell_time).toMatchObject({
        minutes: 1,
        seconds: 30,
        total_seconds: 90,
      })
    })

    const history: ImportSessionsRequest = {
      site_id: EAST,
      sessions: [
        { external_id: "a", stall_id: "stall_a", starts_at: 0, ends_at: 0 },
        { external_id: "b", stall_id: "stall_closed", starts_at: 0, ends_at: 0 },
      ],
    }
    const yesterday = (): ImportSessionsRequest => ({
      ...history,
      sessions: history.sessions.map((one) => ({
        ...one,
        starts_at: h.now() - DAY_MS,
        ends_at: h.now() - DAY_MS + HOUR_MS,
      })),
    })

    test("N10: imported history counts, and sending it again changes nothing", async () => {
      expect(await h.run(analytics.importSessions(operations, yesterday()))).toEqual({
        imported: 2,
        known: 0,
      })
      expect(await h.run(analytics.importSessions(operations, yesterday()))).toEqual({
        imported: 0,
        known: 2,
      })
      const week = await h.run(analytics.metrics(partner, { siteId: EAST, period: "week" }))
      expect(week.autolane_sessions.total).toBe(2)
      expect(week.average_dwell_time.total_seconds).toBe(3_600)
    })

    test.each<[string, Partial<ImportSessionsRequest["sessions"][number]>, string]>([
      ["at a stall of nowhere", { stall_id: "stall_nowhere" }, "sessions.1.stall_id"],
      ["at a stall of another site", { stall_id: "zone_ungranted_1" }, "sessions.1.stall_id"],
      ["sent twice", { external_id: "a" }, "sessions.1.external_id"],
      ["that ends before it begins", { starts_at: 2, ends_at: 1 }, "sessions.1.ends_at"],
      ["that ends in the future", { ends_at: Date.parse("2026-06-01T15:00:01Z") }, "sessions.1.ends_at"],
      ["longer than 31 days", { starts_at: Date.parse("2026-04-01T00:00:00Z") }, "sessions.1.ends_at"],
    ])("N10: history with a session %s is refused as a whole", async (_, broken, field) => {
      const request = yesterday()
      const sessions = request.sessions.map((one, at) => (at === 1 ? { ...one, ...broken } : one))
      const refusal = await refusalOf(h, analytics.importSessions(operations, { ...request, sessions }))
      expect(refusal.code).toBe("VALIDATION_ERROR")
      expect(refusal.problems?.map((problem) => problem.field)).toContain(field)
      expect(
        (await h.run(analytics.metrics(partner, { siteId: EAST, period: "week" }))).autolane_sessions.total,
      ).toBe(0)
    })

    test("N10: history comes from operations alone, for sites that there are", async () => {
      const refused = await refusalOf(h, analytics.importSessions(app, yesterday()))
      expect(refused.code).toBe("PERMISSION_DENIED")
      const nowhere = { ...yesterday(), site_id: "00000000-0000-4000-8000-000000000000" }
      expect((await refusalOf(h, analytics.importSessions(operations, nowhere))).code).toBe("SITE_NOT_FOUND")
    })

    test("N1: a site is seen by whom something on it is granted to, and by operations", async () => {
      const codeFor = async (siteId: string): Promise<string> =>
        (await refusalOf(h, analytics.metrics(partner, { siteId }))).code
      expect(await codeFor(WEST)).toBe("SITE_NOT_FOUND")
      expect(await codeFor("00000000-0000-4000-8000-000000000000")).toBe("SITE_NOT_FOUND")
      expect((await h.run(analytics.metrics(operations, { siteId: WEST }))).autolane_sessions.total).toBe(0)
    })

    test("analytics needs analytics:read", async () => {
      const caller = holding("reservations:read")
      for (const asked of [
        analytics.metrics(caller, { siteId: EAST }),
        analytics.trends(caller, { siteId: EAST }),
      ])
        expect((await refusalOf<unknown>(h, asked)).code).toBe("PERMISSION_DENIED")
    })

    test("N6: a site's stalls are the active ones of all its zones", async () => {
      const ask = <A>(question: (sites: MeasuredSites["Type"]) => Effect.Effect<A>): Promise<A> =>
        h.run(Effect.flatMap(MeasuredSites, question))
      const scope = { environment: "production", organizationId: "org_one" } as const
      expect(await ask((sites) => sites.site(scope, EAST))).toEqual({
        siteId: EAST,
        timezone: "America/Chicago",
        activeStalls: 4,
      })
      expect((await ask((sites) => sites.stallIds("production", EAST))).size).toBe(6)
      expect(await ask((sites) => sites.siteOfZone("production", "zone_curb"))).toBe(EAST)
      expect(await ask((sites) => sites.siteOfZone("production", "zone_nowhere"))).toBeNull()
    })
  })
}
