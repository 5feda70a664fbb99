/**
 * Courses of the sandbox: what may go wrong with a delivery or a reservation, played step by step on the organization's clock. The list
 * comes from the scenario files. Ours; no contract has it (src/DECISIONS.md §219).
 */

import { Effect } from "effect"
import type { Partner } from "../../model/caller.ts"
import type { StartScenarioRequest } from "../../model/courses.ts"
import { Refused } from "../../model/values/errors.ts"
import { newUuid } from "../../model/ids.ts"
import { beginMove, readMove, restingClock } from "../clock/sandbox-clock.ts"
import type { MoveView } from "../clock/sandbox-clock.ts"
import { ActorHost } from "../../engine/services/host.ts"
import { realNowMs } from "../../engine/services/organization-clock.ts"
import { requirePermission } from "../../engine/services/permissions.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { requireOwnVehicle } from "./commands.ts"
import { CourseBook } from "./course.ts"
import type { Course, CourseKind } from "./course.ts"
import { endMade } from "./made-subjects.ts"
import { CourseRows } from "./rows.ts"
import type { CourseRun, CourseStepRow } from "./rows.ts"
import { requireStart, subjectOf } from "./subject.ts"
import { TestDeliveries } from "./test-deliveries.ts"
import { TestReservations } from "./test-reservations.ts"
import { notFound } from "../../engine/services/refusals.ts"

/** A run as its organization reads it. */
export interface CourseRunView {
  readonly run: CourseRun
  readonly steps: readonly CourseStepRow[]
  readonly move: MoveView
}

export class SandboxCourses extends service<SandboxCourses>()("SandboxCourses", () => ({
  list: (caller: Partner) =>
    permitted(
      caller,
      Routine.map(CourseBook, ({ courses }) => courses),
    ),
  /** The run, which may be still running. */
  start: (caller: Partner, request: StartScenarioRequest) => permitted(caller, start(caller, request)),
  run: (caller: Partner, id: string) => permitted(caller, read(caller, id)),
})) {}

function permitted<A, E, R>(caller: Partner, effect: Effect.Effect<A, E, R>) {
  return Routine.zipRight(requirePermission(caller, "sandbox:manage"), effect)
}

const start = Effect.fnUntraced(function* (caller: Partner, request: StartScenarioRequest) {
  const course = yield* courseFor(request)
  const { organizationId } = caller
  // Before anything is made; the start itself looks again.
  yield* restingClock(caller)
  const given = request[ID_FIELDS[course.kind]]
  const moveId = newUuid(yield* (yield* ActorHost).nonce, "run of a course")
  if (given !== undefined) yield* begin(caller, { moveId, course, id: given, isMade: false })
  else {
    const id = yield* make(caller, course.kind)
    const ref = { organizationId, kind: course.kind, id }
    yield* Effect.onError(begin(caller, { moveId, course, id, isMade: true }), () =>
      Routine.gen(function* () {
        // A run that has begun ends it itself.
        if ((yield* (yield* CourseRows).run(moveId)) === null) yield* endMade({ ref, key: moveId })
      }),
    )
  }
  return yield* read(caller, moveId)
})

interface Beginning {
  readonly moveId: string
  readonly course: Course
  /** Of the delivery or reservation. */
  readonly id: string
  readonly isMade: boolean
}

const begin = Effect.fnUntraced(function* (caller: Partner, { moveId, course, id, isMade }: Beginning) {
  const { organizationId } = caller
  const subject = yield* subjectOf({ organizationId, kind: course.kind, id })
  yield* requireStart(course, subject)
  yield* requireOwnVehicle(course, { organizationId, kind: course.kind, id: subject.id })
  const rows = yield* CourseRows
  const startedAtMs = yield* realNowMs
  const about = { organizationId, subjectId: subject.id, isMade }
  const run = { ...about, moveId, course, status: "running", startedAtMs } as const
  yield* beginMove(caller, {
    name: "begin a course",
    moveId,
    course: {
      name: course.name,
      insert: (fromMs) =>
        rows.insertRun({
          ...run,
          step: 0,
          number: 0,
          scenarioMs: course.startMs,
          baseMs: fromMs,
          refusal: null,
        }),
    },
    target: (fromMs) => Routine.succeed(fromMs),
  })
})

const ID_FIELDS = { delivery: "delivery_id", reservation: "reservation_id" } as const

const courseFor = Routine.fn(function* (request: StartScenarioRequest) {
  const { courses } = yield* CourseBook
  const course = courses.find(({ name }) => name === request.scenario)
  if (course === undefined)
    return yield* invalid("scenario", `must be one of ${courses.map(({ name }) => name).join(", ")}`)
  const other = course.kind === "delivery" ? "reservation" : "delivery"
  if (request[ID_FIELDS[other]] !== undefined)
    return yield* invalid(ID_FIELDS[other], `must be absent: ${course.name} is for a ${course.kind}`)
  return course
})

function invalid(field: string, message: string): Effect.Effect<never, Refused> {
  return Routine.fail(new Refused({ code: "VALIDATION_ERROR", problems: [{ field, message }] }))
}

const make = Effect.fnUntraced(function* (caller: Partner, kind: CourseKind) {
  const maker = allowed(caller)
  return kind === "delivery"
    ? yield* (yield* TestDeliveries).make(maker, {})
    : yield* (yield* TestReservations).make(maker, {})
})

/** The sandbox makes the test delivery or reservation, so the key needs no other permission. */
function allowed(caller: Partner): Partner {
  return { ...caller, permissions: MAKING }
}

const MAKING = ["deliveries:write", "deliveries:read", "reservations:write", "reservations:read"] as const

const read = Routine.fn(function* (caller: Partner, id: string) {
  const rows = yield* CourseRows
  // The run ends before its move, so the run of a move that has ended has ended too.
  const move = yield* readMove(caller, id)
  const run = yield* rows.run(id)
  if (run?.organizationId !== caller.organizationId) return yield* notFound("run", id)
  return { run, steps: yield* rows.steps(id), move } satisfies CourseRunView
})
