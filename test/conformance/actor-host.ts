/**
 * The contract of ActorHost, tested only through the port: what is committed together, the effects of a failure and of
 * a refusal, and the order in which a group takes due entries. The groups are reservations, because every program has
 * them.
 */

import type { Facts } from "../../machines/contracts.ts"
import { Effect, Exit, Fiber, Option } from "effect"
import { describe, expect, test } from "vitest"
import type { Cause, Group } from "../../src/engine/kernel/group.ts"
import { takeTurn } from "../../src/engine/kernel/turn.ts"
import { DAY_MS, MINUTE_MS } from "../../src/model/values/time.ts"
import type { EpochMs } from "../../src/model/values/time.ts"
import { ActorHost, Transaction } from "../../src/engine/services/host.ts"
import type { Answer, Locks, TurnRequest } from "../../src/engine/services/host.ts"
import { DEFAULT_POLICY } from "../../src/engine/services/policies.ts"
import { Routine } from "../../src/engine/services/routine.ts"
import { botStatus, reservationStatus } from "../../src/areas/reservations/record.ts"
import { ReservationRows } from "../../src/areas/reservations/rows.ts"
import type { ReservationRow } from "../../src/areas/reservations/rows.ts"
import { program } from "../../src/apps/composition/program.ts"

export interface ActorHostHarness {
  readonly run: <A, E>(effect: Effect.Effect<A, E, ActorHost | ReservationRows>) => Promise<A>
  readonly now: () => EpochMs
  readonly standAt: (instantMs: EpochMs) => Promise<void>
}

const GROUP = "reservation/res_x"
const DELIVERY = { endpointId: "whk_none", eventId: "evt_1", attemptsMax: 1, backoffMs: [] }

type In = Effect.Effect<Answer, never, Transaction>

export function actorHostContract(name: string, make: () => ActorHostHarness): void {
  type Harness = ActorHostHarness
  const transact = <A, E>(
    h: Harness,
    groups: readonly string[],
    body: Effect.Effect<A, E, Transaction | ReservationRows>,
  ): Promise<A> =>
    h.run(
      Effect.flatMap(ActorHost, (host) =>
        host.run({ name: "a test", locks: { groups }, body: () => Routine.from(body) }),
      ),
    )
  const turn = (request: Omit<TurnRequest, "nonce">, digit = "a"): In =>
    Routine.flatMap(Transaction, (transaction) => transaction.turn({ ...request, nonce: digit.repeat(32) }))
  const start = (h: Harness, to = GROUP, facts: Partial<Facts<"book@1">> = {}): In =>
    turn({
      to,
      start: {
        machine: "reservation@1",
        input: {
          zoneId: "zone_curb",
          retailerId: "retailer_grocer",
          startsAtMs: h.now() + 30 * MINUTE_MS,
          endsAtMs: h.now() + 60 * MINUTE_MS,
          payloadLimit: null,
          hasRunner: true,
          policy: DEFAULT_POLICY.reservation,
        },
      },
      facts: {
        zone: "known",
        retailer: "supported",
        limits: { ...DEFAULT_POLICY.window },
        openLinkText: "fine",
        openLinkHost: "public",
        stalls: [{ stallId: "stall_a", label: "A1", overlapping: 0 }],
        ...facts,
      },
      decision: "book@1",
    })
  const reported = (h: Harness, type: string, to = GROUP): In =>
    turn({ to: `${to}/bot`, event: { type, occurredAtMs: h.now() } })
  const read = (h: Harness, group = GROUP): Promise<Group | null> =>
    h.run(Effect.flatMap(ActorHost, (host) => host.read(group)))
  const insertRow = (h: Harness): Effect.Effect<void, never, Transaction | ReservationRows> =>
    Effect.flatMap(ReservationRows, (rows) =>
      rows.insert({
        reservationId: "res_x",
        organizationId: "org_one",
        environment: "production",
        zoneId: "zone_curb",
        retailerId: "retailer_grocer",
        stallId: "stall_a",
        stallLabel: null,
        orderNumber: "A-1",
        endUserName: "Ada",
        endUserPhone: "+15125550100",
        openLinkUrl: "https://open.partner.example/1",
        retailerPickupRef: null,
        payloadLimit: null,
        cancelReason: null,
        botLabel: null,
        exceptionMessages: {},
        idempotencyKey: null,
        comparison: "digest",
        createdAtMs: h.now(),
        status: "confirmed",
        startsAtMs: h.now() + 30 * MINUTE_MS,
        endsAtMs: h.now() + 60 * MINUTE_MS,
        updatedAtMs: h.now(),
        taskStagingAtMs: null,
      }),
    )
  /** Runs one body in many transactions side by side. */
  const together = <A>(
    h: Harness,
    locks: readonly Locks[],
    body: Effect.Effect<A, never, Transaction | ReservationRows>,
  ): Promise<readonly A[]> =>
    h.run(
      Effect.flatMap(ActorHost, (host) =>
        Effect.all(
          locks.map((one) => host.run({ name: "a test", locks: one, body: () => Routine.from(body) })),
          { concurrency: "unbounded" },
        ),
      ),
    )
  const statusOf = async (h: Harness): Promise<string | null> => {
    const group = await read(h)
    return group === null ? null : reservationStatus(group.actors, GROUP)
  }

  describe(`actor host: ${name}`, () => {
    test("a group that was never started reads as none, outside and inside", async () => {
      const h = make()
      expect(await read(h)).toBeNull()
      const inside = Effect.flatMap(Transaction, (transaction) => transaction.group(GROUP))
      expect(await transact(h, [GROUP], inside)).toBeNull()
    })

    test("a transaction sees its own turns, and so does everybody after it", async () => {
      const h = make()
      const revision = await transact(
        h,
        [],
        Effect.gen(function* () {
          yield* start(h)
          const { group } = yield* Transaction
          return (yield* group(GROUP))?.revision ?? null
        }),
      )
      expect(revision).toBe(1)
      expect((await read(h))?.revision).toBe(1)
    })

    test("a command gives its body what its reads find, and leaves nothing when it is refused", async () => {
      const h = make()
      const command = (isRefused: boolean) => ({
        name: "start a reservation",
        locks: {},
        reads: Routine.flatMap(ReservationRows, (rows) => rows.byId("res_x")),
        body: (row: ReservationRow | null) =>
          Routine.from(
            Effect.gen(function* () {
              yield* start(h)
              yield* insertRow(h)
              return isRefused ? yield* Effect.fail("refused" as const) : row
            }),
          ),
      })
      const run = (isRefused: boolean) =>
        h.run(Effect.flatMap(ActorHost, (host) => Effect.either(host.run(command(isRefused)))))
      expect(await run(true)).toMatchObject({ _tag: "Left", left: "refused" })
      expect(await read(h)).toBeNull()
      expect(await run(false)).toMatchObject({ _tag: "Right", right: null })
      expect((await read(h))?.revision).toBe(1)
      const found = await h.run(
        Effect.flatMap(ActorHost, (host) =>
          host.run({
            ...command(false),
            body: (row: ReservationRow | null) => Routine.from(Effect.succeed(row)),
          }),
        ),
      )
      expect(found).toMatchObject({ reservationId: "res_x", status: "confirmed" })
    })

    test("turns of several groups commit together, each on its own chain", async () => {
      const h = make()
      const other = "reservation/res_y"
      await transact(h, [], Effect.zipRight(start(h), start(h, other)))
      await transact(
        h,
        [GROUP, other],
        Effect.zipRight(reported(h, "bot.inbound"), reported(h, "bot.inbound", other)),
      )
      const groups = [await read(h), await read(h, other)]
      expect(groups.map((group) => group?.revision)).toEqual([2, 2])
      expect(groups[0]?.head).not.toBe(groups[1]?.head)
    })

    test("a start that names its cause is journalled with it, to the same hash on every host", async () => {
      const h = make()
      const instantMs = h.now()
      const cause = ["reservation/res_w", 3, 1] as const
      const begin = { machine: "webhook-delivery@1", input: { ...DELIVERY, leaseMs: 90_000 } }
      const [caused, uncaused] = ["webhook-delivery/one", "webhook-delivery/two"] as const
      const heads = await transact(
        h,
        [],
        Effect.gen(function* () {
          const { group } = yield* Transaction
          yield* turn({ to: caused, start: begin, cause })
          yield* turn({ to: uncaused, start: begin })
          // Here and not later: the result of the call that a delivery makes is a turn of its own.
          return [(yield* group(caused))?.head, (yield* group(uncaused))?.head]
        }),
      )
      const headOf = (to: string, its: Cause | null): string | undefined =>
        takeTurn(program, null, {
          to,
          by: "command",
          start: begin,
          facts: null,
          decision: null,
          atMs: instantMs,
          instantMs,
          nonce: "a".repeat(32),
          cause: its,
        })?.group.head
      expect(heads).toEqual([headOf(caused, [...cause]), headOf(uncaused, null)])
    })

    test("a body that fails leaves nothing: no turn, no row, no timer", async () => {
      const h = make()
      await transact(h, [], start(h))
      const before = await read(h)
      const failing = Effect.gen(function* () {
        yield* reported(h, "bot.inbound")
        yield* turn({ to: GROUP, event: { type: "cancel.requested", by: "partner" } }, "b")
        yield* start(h, "reservation/res_y")
        return yield* Effect.fail("no" as const)
      })
      expect(
        await h.run(
          Effect.flip(
            Effect.flatMap(ActorHost, (host) =>
              host.run({ name: "a test", locks: { groups: [GROUP] }, body: () => Routine.from(failing) }),
            ),
          ),
        ),
      ).toBe("no")
      const after = await read(h)
      expect(after?.head).toBe(before?.head)
      expect([...(after?.timers.keys() ?? [])]).toEqual([...(before?.timers.keys() ?? [])])
      expect(await read(h, "reservation/res_y")).toBeNull()
      await h.standAt(h.now() + DAY_MS)
      expect(await statusOf(h)).toBe("canceled")
      expect(await read(h, "reservation/res_y")).toBeNull()
    })

    test("an action after the commit runs once it is committed, and never after a failure", async () => {
      const h = make()
      const done: string[] = []
      const noting = (what: string) =>
        Routine.flatMap(Transaction, ({ afterCommit }) => afterCommit(() => done.push(what)))
      const seen = await transact(
        h,
        [],
        Effect.gen(function* () {
          yield* start(h)
          yield* noting("committed")
          return [...done]
        }),
      )
      expect([seen, done]).toEqual([[], ["committed"]])
      for (const end of [Effect.fail("no" as const), Effect.dieMessage("on purpose")]) {
        const ending = () => Routine.from(Effect.zipRight(noting("ended"), end))
        const locks = { groups: [GROUP] }
        const run = Effect.flatMap(ActorHost, (host) => host.run({ name: "a test", locks, body: ending }))
        expect(Exit.isFailure(await h.run(Effect.exit(run)))).toBe(true)
      }
      await h.standAt(h.now() + DAY_MS)
      expect(await statusOf(h)).toBe("canceled")
      expect(done).toEqual(["committed"])
    })

    test("a body that dies leaves nothing either, and the next transaction goes on", async () => {
      const h = make()
      await transact(h, [], start(h))
      const dying = Effect.zipRight(reported(h, "bot.inbound"), Effect.die("a defect"))
      const exit = await h.run(
        Effect.exit(
          Effect.flatMap(ActorHost, (host) =>
            host.run({ name: "a test", locks: { groups: [GROUP] }, body: () => Routine.from(dying) }),
          ),
        ),
      )
      expect(Exit.isFailure(exit)).toBe(true)
      expect((await read(h))?.revision).toBe(1)
      await transact(h, [GROUP], reported(h, "bot.inbound"))
      expect((await read(h))?.revision).toBe(2)
    })

    test("a refusal is an answer: the actors stay as they were, its entry is kept", async () => {
      const h = make()
      await transact(h, [], start(h))
      const refused = Effect.zipRight(reported(h, "bot.ready"), reported(h, "bot.inbound"))
      expect(await transact(h, [GROUP], refused)).toMatchObject({
        type: "refused",
        code: "BOT_STATUS_REGRESSION",
      })
      const group = await read(h)
      expect(group?.revision).toBe(3)
      expect(group === null ? null : botStatus(group.actors, GROUP)).toBe("READY_FOR_HANDOFF")
    })

    test("a refused start leaves no group, and its address may be started later", async () => {
      const h = make()
      expect(await transact(h, [], start(h, GROUP, { zone: "unknown" }))).toMatchObject({
        type: "refused",
        code: "ZONE_NOT_FOUND",
      })
      expect(await read(h)).toBeNull()
      expect(await transact(h, [], start(h))).toEqual({ type: "answered", value: null })
    })

    test("turns run in the order in which the body asks for them", async () => {
      const h = make()
      await transact(h, [], start(h))
      const ordered = Effect.all([
        reported(h, "bot.inbound"),
        reported(h, "bot.arrived"),
        reported(h, "bot.ready"),
      ])
      const answers = await transact(h, [GROUP], ordered)
      expect(answers.map((answer) => answer.type)).toEqual(["answered", "answered", "answered"])
      expect((await read(h))?.revision).toBe(4)
    })

    test("an event that the actor does not know is refused, not lost", async () => {
      const h = make()
      await transact(h, [], start(h))
      expect(await transact(h, [GROUP], turn({ to: GROUP, event: { type: "no.such_event" } }))).toMatchObject(
        {
          type: "refused",
          code: "INVALID_STATE",
        },
      )
    })

    test("a group outside the locks takes no turn", async () => {
      const h = make()
      await transact(h, [], start(h))
      const exit = await h.run(
        Effect.exit(
          Effect.flatMap(ActorHost, (host) =>
            host.run({ name: "a test", locks: {}, body: () => Routine.from(reported(h, "bot.inbound")) }),
          ),
        ),
      )
      expect(Exit.isFailure(exit)).toBe(true)
      expect((await read(h))?.revision).toBe(1)
    })

    test("before a command the group takes what is due: at the last instant the window is over", async () => {
      const h = make()
      await transact(h, [], start(h))
      await h.standAt(h.now() + 75 * MINUTE_MS)
      expect(await transact(h, [GROUP], reported(h, "bot.arrived"))).toMatchObject({
        type: "refused",
        code: "INVALID_STATE",
      })
      expect(await statusOf(h)).toBe("canceled")
    })

    test.each([
      ["before it reads", false],
      ["after it has read", true],
    ])("a command that fails %s leaves nothing, and what was due before it stays", async (_, reads) => {
      const h = make()
      await transact(h, [], start(h))
      await transact(h, [GROUP], insertRow(h))
      const overMs = h.now() + 75 * MINUTE_MS
      await h.standAt(overMs)
      const done: string[] = []
      const failing = Effect.gen(function* () {
        const { group, afterCommit } = yield* Transaction
        yield* afterCommit(() => done.push("the command"))
        expect(botStatus((yield* group(GROUP))?.actors ?? new Map(), GROUP)).not.toBe("arrived")
        const rows = yield* ReservationRows
        yield* rows.change("res_x", { botLabel: "changed" })
        yield* start(h, "reservation/res_y")
        if (reads) yield* group("reservation/res_z")
        yield* rows.change("res_x", { botLabel: "changed again" })
        return yield* Effect.fail("no" as const)
      })
      const failed = Effect.flatMap(ActorHost, (host) =>
        host.run({ name: "a test", locks: { groups: [GROUP] }, body: () => Routine.from(failing) }),
      )
      expect(await h.run(Effect.flip(failed))).toBe("no")
      await h.standAt(overMs + MINUTE_MS)
      const after = await read(h)
      // A group whose timer had not been taken would be a minute younger.
      expect([after?.revision, after?.instantMs]).toEqual([2, overMs])
      expect(await statusOf(h)).toBe("canceled")
      expect(await read(h, "reservation/res_y")).toBeNull()
      const row = await h.run(Effect.flatMap(ReservationRows, (rows) => rows.byId("res_x")))
      expect([row?.botLabel, row?.status]).toEqual([null, "canceled"])
      expect(done).toEqual([])
    })

    test("one millisecond before, nothing is due", async () => {
      const h = make()
      await transact(h, [], start(h))
      await h.standAt(h.now() + 75 * MINUTE_MS - 1)
      expect(await transact(h, [GROUP], reported(h, "bot.arrived"))).toMatchObject({ type: "answered" })
      expect(await statusOf(h)).toBe("arrived")
    })

    test("before a read the group takes what is due", async () => {
      const h = make()
      await transact(h, [], start(h))
      await h.standAt(h.now() + 75 * MINUTE_MS)
      expect(await statusOf(h)).toBe("canceled")
    })

    test("the observers' rows commit with the turn that they follow", async () => {
      const h = make()
      await transact(h, [], start(h))
      await transact(h, [GROUP], insertRow(h))
      await transact(h, [GROUP], reported(h, "bot.arrived"))
      const row = await h.run(Effect.flatMap(ReservationRows, (rows) => rows.byId("res_x")))
      expect(row?.status).toBe("arrived")
    })

    // Two transactions that interleave would both read the same count, and one of the additions would be lost.
    const locked: readonly [string, Locks][] = [
      ["zone", { zone: "zone_curb" }],
      ["key", { key: "reservations/production/org_one/key" }],
      ["group", { groups: [GROUP] }],
      ["zone, key and group", { zone: "zone_curb", key: "key", groups: [GROUP] }],
    ]
    test.each(locked)("bodies under the same %s never interleave", async (_, locks) => {
      const h = make()
      const count = 12
      await transact(h, [], insertRow(h))
      const addition = Effect.gen(function* () {
        const rows = yield* ReservationRows
        const before = Number((yield* rows.byId("res_x"))?.botLabel ?? 0)
        for (let look = 0; look < 5; look += 1) {
          const seen = Number((yield* rows.byId("res_x"))?.botLabel ?? 0)
          if (seen !== before) return yield* Effect.dieMessage(`${before} became ${seen} inside a body`)
        }
        yield* rows.change("res_x", { botLabel: String(before + 1) })
        return before + 1
      })
      const counted = await together(
        h,
        Array.from({ length: count }, () => locks),
        addition,
      )
      expect(counted.toSorted((a, b) => a - b)).toEqual(Array.from({ length: count }, (__, at) => at + 1))
      const row = await h.run(Effect.flatMap(ReservationRows, (rows) => rows.byId("res_x")))
      expect(row?.botLabel).toBe(String(count))
    })

    test("a body that fails under a lock lets the next one in", async () => {
      const h = make()
      const locks: Locks = { zone: "zone_curb", key: "key" }
      await transact(h, [], insertRow(h))
      const outcomes = await h.run(
        Effect.flatMap(ActorHost, (host) =>
          Effect.all(
            [1, 2, 3, 4].map((count) =>
              Effect.either(
                host.run({
                  name: "a test",
                  locks: locks,
                  body: () =>
                    Routine.from(
                      Effect.flatMap(ReservationRows, (rows) =>
                        Effect.zipRight(
                          rows.change("res_x", { botLabel: String(count) }),
                          count % 2 === 0 ? Effect.void : Effect.fail("no" as const),
                        ),
                      ),
                    ),
                }),
              ),
            ),
            { concurrency: "unbounded" },
          ),
        ),
      )
      expect(outcomes.map((outcome) => outcome._tag)).toEqual(["Left", "Right", "Left", "Right"])
      const row = await h.run(Effect.flatMap(ReservationRows, (rows) => rows.byId("res_x")))
      expect(["2", "4"]).toContain(row?.botLabel)
    })

    test("turns of one group from many transactions run one after another, on one chain", async () => {
      const h = make()
      await transact(h, [], start(h))
      const look = Effect.gen(function* () {
        const transaction = yield* Transaction
        const before = (yield* transaction.group(GROUP))?.revision ?? 0
        yield* reported(h, "bot.inbound")
        const after = (yield* transaction.group(GROUP))?.revision ?? 0
        return [before, after] as const
      })
      const seen = await together(
        h,
        Array.from({ length: 8 }, () => ({ groups: [GROUP] })),
        look,
      )
      expect(seen.toSorted(([a], [b]) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((at) => [at, at + 1]))
      expect((await read(h))?.revision).toBe(9)
    })

    test("locks named in any order never hold one another up", async () => {
      const h = make()
      const other = "reservation/res_y"
      await transact(h, [], Effect.zipRight(start(h), start(h, other)))
      const both = Effect.zipRight(reported(h, "bot.inbound"), reported(h, "bot.inbound", other))
      const orders: readonly Locks[] = [
        { groups: [GROUP, other] },
        { groups: [other, GROUP] },
        { zone: "zone_curb", groups: [other, GROUP] },
        { groups: [GROUP, other], key: "key", zone: "zone_curb" },
      ]
      await together(h, [...orders, ...orders, ...orders], both)
      expect([(await read(h))?.revision, (await read(h, other))?.revision]).toEqual([13, 13])
    })

    test("a body that watches a group goes on at each turn that commits, and not at one that is rolled back", async () => {
      const h = make()
      await transact(h, [], start(h))
      const seen = await h.run(
        Effect.gen(function* () {
          const host = yield* ActorHost
          const inTransaction = <A, E>(body: Effect.Effect<A, E, Transaction>) =>
            host.run({ name: "a test", locks: { groups: [GROUP] }, body: () => Routine.from(body) })
          return yield* host.watching(GROUP, (nextTurn) =>
            Effect.gen(function* () {
              const isWaiting = Effect.map(
                Effect.disconnect(Effect.timeoutOption(nextTurn, 0)),
                Option.isNone,
              )
              const before = yield* isWaiting
              yield* Effect.flip(
                inTransaction(Effect.zipRight(reported(h, "bot.inbound"), Effect.fail("no"))),
              )
              const rolledBack = yield* isWaiting
              yield* inTransaction(reported(h, "bot.inbound"))
              yield* nextTurn
              const again = yield* isWaiting
              // This turn commits while a fiber waits for it.
              const waiting = yield* Effect.fork(nextTurn)
              yield* inTransaction(reported(h, "bot.arrived"))
              yield* Fiber.join(waiting)
              return [before, rolledBack, again]
            }),
          )
        }),
      )
      expect(seen).toEqual([true, true, true])
    })

    test("a view shows groups and rows of one moment", async () => {
      const h = make()
      await transact(h, [], Effect.zipRight(start(h), insertRow(h)))
      const view = h.run(
        Effect.flatMap(ActorHost, (host) =>
          host.view(
            [GROUP],
            Routine.gen(function* () {
              const transaction = yield* Transaction
              const rows = yield* ReservationRows
              const group = yield* transaction.group(GROUP)
              const row = yield* rows.byId("res_x")
              return [group === null ? null : reservationStatus(group.actors, GROUP), row?.status]
            }),
          ),
        ),
      )
      expect(await view).toEqual(["confirmed", "confirmed"])
    })

    test("a transaction's clock stands still", async () => {
      const h = make()
      expect(
        await transact(
          h,
          [],
          Effect.map(Transaction, (transaction) => transaction.nowMs),
        ),
      ).toBe(h.now())
    })

    test("nonces are 32 hex digits, and no two are the same", async () => {
      const h = make()
      const nonces = await h.run(
        Effect.flatMap(ActorHost, (host) => Effect.all(Array.from({ length: 500 }, () => host.nonce))),
      )
      expect(nonces.filter((nonce) => !/^[0-9a-f]{32}$/.test(nonce))).toEqual([])
      expect(new Set(nonces).size).toBe(500)
    })
  })
}
