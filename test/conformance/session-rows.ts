/**
 * The contract of SessionRows. Whatever a store keeps in addition to the sessions, its sums must equal their
 * definition.
 */

import { Effect } from "effect"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/model/values/time.ts"
import { SessionRows } from "../../src/areas/analytics/rows.ts"
import type { PastSession, Session, TallyQuery } from "../../src/areas/analytics/rows.ts"
import { tallyOf } from "../../src/areas/analytics/tally.ts"
import type { Stay, Tally } from "../../src/areas/analytics/tally.ts"
import { ActorHost } from "../../src/engine/services/host.ts"
import type { Transaction } from "../../src/engine/services/host.ts"
import { Routine } from "../../src/engine/services/routine.ts"
import type { RowsHarness } from "./reservation-rows.ts"

const T = Date.parse("2026-06-01T15:00:00Z")
/** The site of zone_curb. */
const EAST = "7d1f3c52-52a4-4b0e-9f5e-6f0c2f3f9a21"

const session: Omit<Session, "endsAtMs"> = {
  sessionId: "reservation/res_1",
  environment: "production",
  siteId: "site_1",
  stallId: "stall_a",
  startsAtMs: T,
  source: "reservation",
}

type Rows = SessionRows["Type"]
type Harness = RowsHarness<SessionRows>

export function sessionRowsContract(name: string, make: () => Harness): void {
  const write = <A>(h: Harness, writes: (rows: Rows) => Effect.Effect<A, never, Transaction>): Promise<A> =>
    h.run(
      Effect.gen(function* () {
        const host = yield* ActorHost
        return yield* host.run({
          name: "a test",
          locks: {},
          body: () => Routine.from(Effect.flatMap(SessionRows, writes)),
        })
      }),
    )
  const ask = <A>(h: Harness, question: (rows: Rows) => Effect.Effect<A>): Promise<A> =>
    h.run(Effect.flatMap(SessionRows, question))
  const begin = (h: Harness, more: Partial<Session> = {}): Promise<void> =>
    write(h, (rows) => rows.begin({ ...session, ...more }))
  const end = (h: Harness, endsAtMs: number, sessionId = session.sessionId): Promise<void> =>
    write(h, (rows) => rows.end({ sessionId, environment: "production" }, endsAtMs))
  const tally = (h: Harness, more: Partial<TallyQuery> = {}): Promise<readonly Tally[]> =>
    ask(h, (rows) =>
      rows.tally({
        environment: "production",
        siteId: "site_1",
        cuts: [T, T + HOUR_MS],
        nowMs: T + HOUR_MS,
        ...more,
      }),
    )
  const past = (sessionId: string, fromMin: number, toMin: number): PastSession => ({
    ...session,
    sessionId,
    startsAtMs: T + fromMin * MINUTE_MS,
    endsAtMs: T + toMin * MINUTE_MS,
    source: "import",
  })
  const found = (h: Harness, sessionId = session.sessionId): Promise<Session | null> =>
    ask(h, (rows) => rows.byId({ sessionId, environment: "production" }))

  describe(`session rows: ${name}`, () => {
    test("a session comes back as it was begun, and is not over until it is ended", async () => {
      const h = make()
      await begin(h)
      expect(await found(h)).toEqual({ ...session, endsAtMs: null })
      await end(h, T + MINUTE_MS)
      expect(await found(h)).toEqual({ ...session, endsAtMs: T + MINUTE_MS })
      expect(await found(h, "reservation/res_2")).toBeNull()
    })

    test("a session that begins in a zone is at the zone's site, and begins once; an unknown zone has none", async () => {
      const h = make()
      const begun = { ...session, siteId: undefined }
      const beginInZone = (zoneId: string, sessionId: string, startsAtMs = T): Promise<void> =>
        write(h, (rows) => rows.beginInZone({ ...begun, sessionId, startsAtMs, zoneId }))
      await beginInZone("zone_curb", "one")
      await beginInZone("zone_curb", "one", T + MINUTE_MS)
      await beginInZone("zone_nowhere", "two")
      expect(await found(h, "one")).toEqual({ ...session, sessionId: "one", siteId: EAST, endsAtMs: null })
      expect(await found(h, "two")).toBeNull()
    })

    test("a session has one begin and one end: the first of each", async () => {
      const h = make()
      await begin(h)
      await begin(h, { startsAtMs: T + MINUTE_MS, stallId: "stall_b" })
      await end(h, T + 2 * MINUTE_MS)
      await end(h, T + 3 * MINUTE_MS)
      await begin(h)
      await end(h, T, "reservation/res_unknown")
      expect(await found(h)).toEqual({ ...session, endsAtMs: T + 2 * MINUTE_MS })
      expect(await tally(h)).toEqual([{ began: 1, stayMs: 2 * MINUTE_MS, occupiedMs: 2 * MINUTE_MS }])
    })

    test("a session does not end before it began", async () => {
      const h = make()
      await begin(h)
      await end(h, T - MINUTE_MS)
      expect(await found(h)).toMatchObject({ endsAtMs: T })
      expect(await tally(h)).toEqual([{ began: 1, stayMs: 0, occupiedMs: 0 }])
    })

    test("N11: environments share no session, and sites share none", async () => {
      const h = make()
      await begin(h)
      await begin(h, { environment: "sandbox", stallId: null })
      await begin(h, { siteId: "site_2", sessionId: "reservation/res_2" })
      await end(h, T + MINUTE_MS)
      const one = { began: 1, stayMs: MINUTE_MS, occupiedMs: MINUTE_MS }
      const there = { began: 1, stayMs: HOUR_MS, occupiedMs: HOUR_MS }
      expect(await tally(h)).toEqual([one])
      expect(await tally(h, { environment: "sandbox" })).toEqual([there])
      expect(await tally(h, { siteId: "site_2" })).toEqual([there])
      expect(await tally(h, { siteId: "site_3" })).toEqual([{ began: 0, stayMs: 0, occupiedMs: 0 }])
    })

    test("sessions that are known are not added again, and count once", async () => {
      const h = make()
      const add = (...sessions: PastSession[]): Promise<number> => write(h, (rows) => rows.add(sessions))
      expect(await add()).toBe(0)
      expect(await add(past("one", 1, 2), past("two", 3, 4))).toBe(2)
      expect(await add(past("two", 5, 50), past("three", 6, 7), past("three", 8, 9))).toBe(1)
      expect(await found(h, "two")).toMatchObject({ startsAtMs: T + 3 * MINUTE_MS })
      expect(await tally(h)).toEqual([{ began: 3, stayMs: 3 * MINUTE_MS, occupiedMs: 3 * MINUTE_MS }])
    })

    test("a forgotten session leaves nothing, whether it is over or not, and takes nothing of another with it", async () => {
      const h = make()
      await write(h, (rows) => rows.add([past("one", 1, 40), past("two", 3, 4)]))
      await begin(h)
      await write(h, (rows) => Effect.zipRight(rows.forget("one"), rows.forget(session.sessionId)))
      expect(await found(h, "one")).toBeNull()
      expect(await found(h)).toBeNull()
      expect(await tally(h)).toEqual([{ began: 1, stayMs: MINUTE_MS, occupiedMs: MINUTE_MS }])
    })

    test("a write of a failed transaction is not there, and counts nothing", async () => {
      const h = make()
      const failing = Effect.gen(function* () {
        const host = yield* ActorHost
        const rows = yield* SessionRows
        const body = Effect.zipRight(rows.add([past("one", 1, 2)]), Effect.fail("no" as const))
        return yield* Effect.flip(host.run({ name: "a test", locks: {}, body: () => Routine.from(body) }))
      })
      expect(await h.run(failing)).toBe("no")
      expect(await found(h, "one")).toBeNull()
      expect(await tally(h)).toEqual([{ began: 0, stayMs: 0, occupiedMs: 0 }])
    })

    test.each<[string, readonly number[], readonly (readonly [number, number, number])[]]>([
      ["around it", [0, 60], [[1, 100, 50]]],
      ["that it straddles at the begin", [20, 60], [[0, 0, 40]]],
      ["that it straddles at the end", [0, 40], [[1, 100, 30]]],
      ["inside it", [20, 40], [[0, 0, 20]]],
      ["that ends as it begins", [0, 10], [[0, 0, 0]]],
      ["that begins as it ends", [110, 111], [[0, 0, 0]]],
      [
        "cut at odd minutes",
        [7, 17, 31, 44],
        [
          [1, 100, 7],
          [0, 0, 14],
          [0, 0, 13],
        ],
      ],
      [
        "cut inside one quarter",
        [10, 11, 12, 13],
        [
          [1, 100, 1],
          [0, 0, 1],
          [0, 0, 1],
        ],
      ],
    ])("a session from minute 10 to 110 in a span %s", async (_, cuts, expected) => {
      const h = make()
      await write(h, (rows) => rows.add([past("one", 10, 110)]))
      const counted = await tally(h, {
        cuts: cuts.map((minute) => T + minute * MINUTE_MS),
        nowMs: T + DAY_MS,
      })
      expect(
        counted.map(({ began, stayMs, occupiedMs }) => [began, stayMs / MINUTE_MS, occupiedMs / MINUTE_MS]),
      ).toEqual(expected.map(([began, stay, occupied]) => [began, stay, occupied]))
    })

    test("always, the store counts as the definition does, whatever the sessions and the cuts", async () => {
      const h = make()
      let sites = 0
      await fc.assert(
        fc.asyncProperty(someStays, someCuts, async (stays, cuts) => {
          sites += 1
          const siteId = `site_of_run_${sites}`
          await write(h, (rows) => writeStays(rows, siteId, stays))
          const nowMs = Math.max(...cuts)
          const query = { environment: "production", siteId, cuts, nowMs } as const
          expect(await ask(h, (rows) => rows.tally(query))).toEqual(tallyOf(stays, query))
        }),
        { numRuns: 60 },
      )
    })
  })

  /** The first half by import, the others as they happen. */
  const writeStays = (
    rows: Rows,
    siteId: string,
    stays: readonly Stay[],
  ): Effect.Effect<void, never, Transaction> =>
    Effect.gen(function* () {
      const half = Math.floor(stays.length / 2)
      const named = stays.map((stay, at) => ({ ...session, ...stay, siteId, sessionId: `${siteId}/${at}` }))
      yield* rows.add(named.slice(0, half).filter((one): one is PastSession => one.endsAtMs !== null))
      for (const [at, { endsAtMs, ...one }] of named.entries()) {
        if (at < half && endsAtMs !== null) continue
        yield* rows.begin(one)
        if (endsAtMs !== null) yield* rows.end(one, endsAtMs)
      }
    })
}

/** Instants around a day, many of them on or beside the begin of a quarter. */
const someInstant = fc
  .tuple(
    fc.integer({ min: 0, max: 96 }),
    fc.constantFrom(0, 0, 1, -1, 450_000),
    fc.integer({ max: 900_000, min: 0 }),
  )
  .map(([quarter, beside, more]) => T + quarter * 15 * MINUTE_MS + (beside === 450_000 ? more : beside))

const someStays: fc.Arbitrary<readonly Stay[]> = fc.array(
  fc
    .record({
      startsAtMs: someInstant,
      // Most are short, some are over at once, some last for days.
      lengthMs: fc.oneof(
        fc.constant(0),
        fc.integer({ min: 1, max: HOUR_MS }),
        fc.constantFrom(15 * MINUTE_MS, 30 * MINUTE_MS),
        fc.integer({ min: HOUR_MS, max: 3 * DAY_MS }),
      ),
      isOver: fc.boolean(),
    })
    .map(({ startsAtMs, lengthMs, isOver }) => ({
      startsAtMs,
      endsAtMs: isOver ? startsAtMs + lengthMs : null,
    })),
  { maxLength: 12 },
)

const someCuts: fc.Arbitrary<readonly number[]> = fc
  .uniqueArray(someInstant, { minLength: 2, maxLength: 8 })
  .map((instants) => instants.toSorted((a, b) => a - b))
