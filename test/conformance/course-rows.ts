/** The contract of CourseRows: runs of courses, and their steps. */

import { Cause, Effect, Exit } from "effect"
import { describe, expect, test } from "vitest"
import type { Course } from "../../src/areas/courses/course.ts"
import { CourseRows } from "../../src/areas/courses/rows.ts"
import type { CourseRun, CourseStepRow } from "../../src/areas/courses/rows.ts"
import { DAY_MS } from "../../src/model/values/time.ts"
import { ActorHost } from "../../src/engine/services/host.ts"
import type { Transaction } from "../../src/engine/services/host.ts"
import { Routine } from "../../src/engine/services/routine.ts"
import type { RowsHarness } from "./reservation-rows.ts"

const START_MS = Date.parse("2026-06-01T15:00:00Z")

const COURSE: Course = {
  name: "bot_no_show",
  title: "The bot does not come",
  about: "The runner waits.",
  kind: "reservation",
  from: ["confirmed"],
  handoff: "AT_UNIT",
  startMs: 0,
  steps: [
    { says: "A runner takes it", at: { clockMs: 60_000 }, act: { do: "runner.assign" } },
    { says: "10 minutes pass", at: null, act: { do: "wait", until: { afterMs: 600_000 } } },
  ],
}

const RUN: CourseRun = {
  moveId: "move_1",
  organizationId: "org_1",
  subjectId: "res_1",
  isMade: true,
  course: COURSE,
  status: "running",
  step: 0,
  number: 0,
  scenarioMs: 0,
  baseMs: START_MS,
  refusal: null,
  startedAtMs: START_MS,
}

const STEP: CourseStepRow = {
  moveId: "move_1",
  number: 0,
  step: 0,
  atMs: START_MS + 60_000,
  outcome: "done",
  code: null,
  takenAtMs: START_MS,
}

type Write = (rows: CourseRows["Type"]) => Effect.Effect<unknown, never, Transaction>

export function courseRowsContract(name: string, make: () => RowsHarness<CourseRows>): void {
  type Harness = RowsHarness<CourseRows>
  const write = (h: Harness, ...writes: Write[]): Promise<readonly unknown[]> =>
    h.run(
      Effect.gen(function* () {
        const host = yield* ActorHost
        const rows = yield* CourseRows
        return yield* Effect.forEach(writes, (one) =>
          host.run({ name: "a test", locks: {}, body: () => Routine.from(one(rows)) }),
        )
      }),
    )
  const read = <A>(h: Harness, reading: (rows: CourseRows["Type"]) => Effect.Effect<A>): Promise<A> =>
    h.run(Effect.flatMap(CourseRows, reading))

  describe(`course rows: ${name}`, () => {
    test("a run has its course as it was, and its progress", async () => {
      const h = make()
      await write(h, (rows) => rows.insertRun(RUN))
      expect(await read(h, (rows) => rows.run("move_1"))).toEqual(RUN)
      const change = { step: 1, number: 1, scenarioMs: 60_000, baseMs: START_MS + 60_000 }
      await write(h, (rows) => rows.changeRun("move_1", change))
      expect(await read(h, (rows) => rows.run("move_1"))).toEqual({ ...RUN, ...change })
      expect(await read(h, (rows) => rows.run("move_2"))).toBeNull()
    })

    test("steps are listed in order, and one number is taken once", async () => {
      const h = make()
      const second = { ...STEP, number: 1, step: 1, outcome: "refused", code: "INVALID_STATE" } as const
      await write(
        h,
        (rows) => rows.insertStep(second),
        (rows) => rows.insertStep(STEP),
        (rows) => rows.insertStep({ ...STEP, moveId: "move_2" }),
      )
      expect(await read(h, (rows) => rows.steps("move_1"))).toEqual([STEP, second])
      const again = await h.run(
        Effect.gen(function* () {
          const host = yield* ActorHost
          const rows = yield* CourseRows
          const body = () => rows.insertStep(STEP)
          return yield* Effect.exit(host.run({ name: "a test", locks: {}, body }))
        }),
      )
      expect(Exit.isFailure(again) && Cause.isDie(again.cause)).toBe(true)
      expect(await read(h, (rows) => rows.steps("move_1"))).toEqual([STEP, second])
    })

    test("runs that have ended are purged by their age, and never one that plays", async () => {
      const h = make()
      const ended = { ...RUN, status: "finished" } as const
      await write(
        h,
        (rows) => rows.insertRun(ended),
        (rows) => rows.insertRun({ ...RUN, moveId: "move_2" }),
        (rows) => rows.insertRun({ ...ended, moveId: "move_3", startedAtMs: START_MS + DAY_MS }),
        (rows) => rows.insertStep(STEP),
      )
      const order = { beforeMs: START_MS, limit: 10 }
      const purged = await write(
        h,
        (rows) => rows.purgeRuns(order),
        (rows) => rows.purgeSteps(order),
      )
      expect(purged).toEqual([1, 1])
      const left = await Promise.all(
        ["move_1", "move_2", "move_3"].map((id) => read(h, (rows) => rows.run(id))),
      )
      expect(left.map((run) => run?.status ?? null)).toEqual([null, "running", "finished"])
    })
  })
}
