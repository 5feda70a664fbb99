/** A move of a clock over a host that the test plays: its order, its waits, its limits, and a node that takes it over. */

import { Effect, Layer, Runtime } from "effect"
import { expect, test } from "vitest"
import { ClockHost, CoursePlayer, runMove, takeOver } from "../../../src/areas/clock/moves.ts"
import type { ClockEntries, CourseTurn } from "../../../src/areas/clock/moves.ts"
import { ClockRows, realClock, standing } from "../../../src/areas/clock/rows.ts"
import type { ClockMove, ClockRow } from "../../../src/areas/clock/rows.ts"
import { CLOCK_MOVE_ENTRIES_MAX, CLOCK_MOVE_QUEUE_MS_MAX } from "../../../src/model/values/limits.ts"
import { DAY_MS, HOUR_MS, SECOND_MS } from "../../../src/model/values/time.ts"
import type { EpochMs } from "../../../src/model/values/time.ts"
import { ActorHost } from "../../../src/engine/services/host.ts"
import { Routine } from "../../../src/engine/services/routine.ts"
import { layerMemoryTables } from "../../../src/engine/memory/memory-tables.ts"
import { simulateService } from "../../../src/simulation/simulated-service.ts"
import { MOVE } from "../../conformance/clock-rows.ts"
import { START_MS } from "../../conformance/memory.ts"
import { world } from "../../conformance/world.ts"

interface Played {
  readonly entries: (at: { readonly atMs: EpochMs; readonly countsQueued: boolean }) => ClockEntries
  readonly take: (groups: readonly string[]) => number
  readonly pause?: (service: ReturnType<typeof simulateService>) => void
  readonly play?: (move: ClockMove) => CourseTurn
  readonly stop?: (move: ClockMove) => void
}

const NO_COURSE = (): never => {
  throw new Error("the move has no course")
}

function playing({ entries, take, pause = () => undefined, play = NO_COURSE, stop = NO_COURSE }: Played) {
  const service = simulateService({ seed: 7, startMs: START_MS, sites: world, recording: "full" })
  const layer = Layer.mergeAll(
    ClockRows.layer.pipe(Layer.provide(layerMemoryTables(service.host.store))),
    Layer.succeed(ActorHost, service.host.port),
    Layer.succeed(ClockHost, {
      node: "node_1",
      entries: (_, at) => Effect.sync(() => entries(at)),
      take: (groups) => Effect.sync(() => take(groups)),
      nextTimer: () => Routine.succeed(null),
      pause: Effect.sync(() => pause(service)),
    }),
    Layer.succeed(CoursePlayer, {
      play: (move) => Effect.sync(() => play(move)),
      stop: (move) => Effect.sync(() => stop(move)),
    }),
  )
  const run = <A>(effect: Effect.Effect<A, never, ActorHost | ClockHost | ClockRows | CoursePlayer>): A =>
    Runtime.runSync(service.runtime)(Effect.provide(effect, layer))
  const begin = (move: ClockMove = MOVE): void =>
    run(
      Effect.gen(function* () {
        const host = yield* ActorHost
        const rows = yield* ClockRows
        const clock = { ...standing(realClock("org_1"), move.atMs, START_MS), moveId: move.moveId }
        yield* host.run({
          name: "a test",
          locks: {},
          body: () => Routine.from(Effect.zipRight(rows.putClock(clock), rows.insertMove(move))),
        })
      }),
    )
  const rows = <A>(read: (rows: ClockRows["Type"]) => Effect.Effect<A>): A =>
    run(Effect.flatMap(ClockRows, read))
  return {
    run,
    begin,
    move: (): ClockMove | null => rows((one) => one.move("move_1")),
    clock: (): ClockRow | null => rows((one) => one.clock("org_1")),
  }
}

test("entries are taken at their own instants, in order; the clock then runs on from the target", () => {
  const due = [START_MS + HOUR_MS, START_MS + 2 * HOUR_MS, START_MS + 2 * DAY_MS]
  const taken: EpochMs[] = []
  const seen: (EpochMs | null)[] = []
  const played = playing({
    entries: ({ atMs }) => {
      seen.push(played.clock()?.standsAtMs ?? null)
      const now = due.filter((one) => one <= atMs && !taken.includes(one))
      return { due: now.map(String), waits: false, nextMs: due.find((one) => one > atMs) ?? null }
    },
    take: (groups) => {
      taken.push(...groups.map(Number))
      return groups.length
    },
  })
  played.begin()
  played.run(runMove("move_1"))
  expect(taken).toEqual(due.slice(0, 2))
  expect([...new Set(seen)]).toEqual([START_MS, START_MS + HOUR_MS, START_MS + 2 * HOUR_MS])
  expect(played.move()).toMatchObject({ status: "finished", atMs: START_MS + DAY_MS, entries: 2 })
  expect(played.clock()).toMatchObject({ standsAtMs: null, offsetMs: DAY_MS, moveId: null })
})

test("a clock that stood still stands at the target afterwards", () => {
  const played = playing({ entries: () => ({ due: [], waits: false, nextMs: null }), take: () => 0 })
  played.begin({ ...MOVE, wasStanding: true })
  played.run(runMove("move_1"))
  expect(played.clock()).toMatchObject({ standsAtMs: START_MS + DAY_MS, moveId: null })
})

test("the clock does not go on while results of calls are outstanding", () => {
  let waits = 3
  let asked = 0
  const played = playing({
    entries: () => {
      asked += 1
      return { due: [], waits: waits > 0, nextMs: null }
    },
    take: () => 0,
    pause: () => {
      waits -= 1
      expect(played.move()?.status).toBe("running")
    },
  })
  played.begin()
  played.run(runMove("move_1"))
  expect([waits, asked, played.move()?.status]).toEqual([0, 4, "finished"])
})

test("calls that wait for their endpoint hold up an instant for a bounded time", () => {
  const counted: boolean[] = []
  const played = playing({
    entries: ({ countsQueued }) => {
      counted.push(countsQueued)
      return { due: [], waits: countsQueued, nextMs: null }
    },
    take: () => 0,
    pause: ({ host: { time } }) => time.advanceTo(time.nowMs + 10 * SECOND_MS),
  })
  played.begin()
  played.run(runMove("move_1"))
  const rounds = CLOCK_MOVE_QUEUE_MS_MAX / (10 * SECOND_MS)
  expect(counted).toEqual([...Array.from({ length: rounds }, () => true), false])
  expect(played.move()?.status).toBe("finished")
})

test("after 10,000 due entries a move stops where it is", () => {
  let at = START_MS
  const played = playing({
    entries: ({ atMs }) => {
      at = atMs
      return { due: ["reservation/res_1"], waits: false, nextMs: null }
    },
    take: () => 50,
  })
  played.begin()
  played.run(runMove("move_1"))
  expect(played.move()).toMatchObject({
    status: "stopped",
    entries: CLOCK_MOVE_ENTRIES_MAX,
    atMs: START_MS,
  })
  expect([at, CLOCK_MOVE_ENTRIES_MAX]).toEqual([START_MS, 10_000])
  expect(played.clock()).toMatchObject({ standsAtMs: null, moveId: null })
})

test("only the moves of nodes that have stopped are taken over, and their own node ends them no more", () => {
  const played = playing({ entries: () => ({ due: [], waits: false, nextMs: null }), take: () => 0 })
  played.begin({ ...MOVE, nodeId: "node_gone" })
  played.run(runMove("move_1"))
  expect(played.move()?.status).toBe("running")
  expect(played.run(takeOver((node) => node === "node_other"))).toEqual([])
  expect(played.run(takeOver((node) => node === "node_gone"))).toEqual(["move_1"])
  expect(played.move()?.nodeId).toBe("node_1")
  played.run(runMove("move_1"))
  expect(played.move()).toMatchObject({ status: "finished", atMs: START_MS + DAY_MS })
})
