/** The contract of ClockRows: clocks of organizations, and their moves. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { ClockRows, realClock, running, standing, stateOf } from "../../src/areas/clock/rows.ts"
import type { ClockMove, ClockRow } from "../../src/areas/clock/rows.ts"
import { instantOf } from "../../src/engine/services/organization-clock.ts"
import { DAY_MS, HOUR_MS } from "../../src/model/values/time.ts"
import { ActorHost } from "../../src/engine/services/host.ts"
import type { Transaction } from "../../src/engine/services/host.ts"
import { Routine } from "../../src/engine/services/routine.ts"
import type { RowsHarness } from "./reservation-rows.ts"

const START_MS = Date.parse("2026-06-01T15:00:00Z")

export const MOVE: ClockMove = {
  moveId: "move_1",
  organizationId: "org_1",
  nodeId: "node_1",
  status: "running",
  wasStanding: false,
  beforeOffsetMs: 0,
  fromMs: START_MS,
  toMs: START_MS + DAY_MS,
  atMs: START_MS,
  entries: 0,
  turns: 0,
  course: null,
  startedAtMs: START_MS,
  endedAtMs: null,
}

type Write = (rows: ClockRows["Type"]) => Effect.Effect<unknown, never, Transaction>

export function clockRowsContract(name: string, make: () => RowsHarness<ClockRows>): void {
  type Harness = RowsHarness<ClockRows>
  const write = (h: Harness, ...writes: Write[]): Promise<readonly unknown[]> =>
    h.run(
      Effect.gen(function* () {
        const host = yield* ActorHost
        const rows = yield* ClockRows
        return yield* Effect.forEach(writes, (one) =>
          host.run({ name: "a test", locks: {}, body: () => Routine.from(one(rows)) }),
        )
      }),
    )
  const read = <A>(h: Harness, reading: (rows: ClockRows["Type"]) => Effect.Effect<A>): Promise<A> =>
    h.run(Effect.flatMap(ClockRows, reading))
  const clockOf = (h: Harness, id = "org_1"): Promise<ClockRow | null> => read(h, (rows) => rows.clock(id))

  describe(`clock rows: ${name}`, () => {
    test("an organization without a row has real time; each change replaces the row", async () => {
      const h = make()
      expect(await clockOf(h)).toBeNull()
      const stands = standing(realClock("org_1"), START_MS, START_MS)
      await write(h, (rows) => rows.putClock(stands))
      expect(await clockOf(h)).toEqual(stands)
      const runs = running(stands, START_MS, START_MS + HOUR_MS)
      await write(h, (rows) => rows.putClock(runs))
      expect(await clockOf(h)).toEqual({
        organizationId: "org_1",
        version: 2,
        offsetMs: -HOUR_MS,
        standsAtMs: null,
        standsSinceMs: null,
        moveId: null,
        changedAtMs: START_MS + HOUR_MS,
      })
      expect(await clockOf(h, "org_2")).toBeNull()
    })

    test("a clock that stands still shows one instant; one that runs goes with real time", () => {
      const stands = standing(realClock("org_1"), START_MS, START_MS + HOUR_MS)
      expect(instantOf(stateOf(stands), START_MS + DAY_MS)).toBe(START_MS)
      const runs = running(stands, START_MS, START_MS + DAY_MS)
      expect(instantOf(stateOf(runs), START_MS + DAY_MS + 7)).toBe(START_MS + 7)
    })

    test("a move is found by its id, and among those that run until it ends", async () => {
      const h = make()
      const later = { ...MOVE, moveId: "move_2", organizationId: "org_2", startedAtMs: START_MS + 1 }
      await write(
        h,
        (rows) => rows.insertMove(later),
        (rows) => rows.insertMove(MOVE),
      )
      expect(await read(h, (rows) => rows.runningMoves)).toEqual([MOVE, later])
      const end = { status: "finished", atMs: MOVE.toMs, endedAtMs: START_MS + 9, entries: 3 } as const
      await write(h, (rows) => rows.changeMove("move_1", end))
      expect(await read(h, (rows) => rows.move("move_1"))).toEqual({ ...MOVE, ...end })
      expect(await read(h, (rows) => rows.move("move_3"))).toBeNull()
      expect(await read(h, (rows) => rows.runningMoves)).toEqual([later])
      expect(await read(h, (rows) => rows.turns("move_1", 10))).toEqual([])
    })

    test("moves that have ended are purged by their age, and never one that runs", async () => {
      const h = make()
      const ended = { ...MOVE, status: "stopped", endedAtMs: START_MS } as const
      await write(
        h,
        (rows) => rows.insertMove(ended),
        (rows) => rows.insertMove({ ...MOVE, moveId: "move_2" }),
        (rows) => rows.insertMove({ ...ended, moveId: "move_3", startedAtMs: START_MS + DAY_MS }),
      )
      const order = { beforeMs: START_MS, limit: 10 }
      const purged = await write(
        h,
        (rows) => rows.purgeMoves(order),
        (rows) => rows.purgeTurns(order),
      )
      expect(purged).toEqual([1, 0])
      const left = await Promise.all(
        ["move_1", "move_2", "move_3"].map((id) => read(h, (rows) => rows.move(id))),
      )
      expect(left.map((move) => move?.status ?? null)).toEqual([null, "running", "stopped"])
    })
  })
}
