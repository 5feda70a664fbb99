/** Rows of courses: each run with all that it needs to go on, and its steps. Its move of the clock has the same id. */

import { Effect } from "effect"
import { KEEP_CLOCK_MOVES_MS } from "../../model/values/limits.ts"
import {
  bigint,
  boolean,
  choice,
  epochMs,
  integer,
  json,
  text,
} from "../../engine/services/tables/columns.ts"
import { not } from "../../engine/services/tables/conditions.ts"
import { table } from "../../engine/services/tables/table.ts"
import type { RowOf } from "../../engine/services/tables/table.ts"
import { repository } from "../../engine/services/service.ts"
import type { Course } from "./course.ts"
import { purgeOf } from "../../engine/services/tables/purge.ts"
import { Tables } from "../../engine/services/tables/tables.ts"

export const courseRuns = table("course_runs", {
  one: "a run of a course",
  many: "runs of courses",
  columns: {
    moveId: text(),
    organizationId: text(),
    /** The delivery or reservation. */
    subjectId: text(),
    /** True when the sandbox made it for this run; then it ends with the run. */
    isMade: boolean(),
    /** As it was when the run began: a later version of the service may have changed it. */
    course: json<Course>(),
    /** `failed`: a step was refused or an expectation was not met. `stopped`: more became due than one move may take. */
    status: choice<"failed" | "finished" | "running" | "stopped">(),
    /** The place of the next step in the course. */
    step: integer(),
    /** The number of the next row of `course_steps`. */
    number: integer(),
    /** The scenario's own time at `baseMs`, the organization's instant at which the last step ended. */
    scenarioMs: bigint(),
    baseMs: epochMs(),
    /** The code with which a step was refused, after which only steps that restore something are played; at the end also of an expectation. */
    refusal: text().nullable(),
    /** A real instant. */
    startedAtMs: epochMs(),
  },
  key: ["moveId"],
  indexes: [{ name: "course_runs_started", by: ["startedAtMs"] }],
  retention: { from: "startedAtMs", keepMs: KEEP_CLOCK_MOVES_MS, where: { status: not("running") } },
})

export type CourseRun = RowOf<typeof courseRuns>

export const STEP_OUTCOMES = [
  "done",
  "skipped",
  "refused",
  "as_expected",
  "not_as_expected",
  "not_run",
] as const

export type StepOutcome = (typeof STEP_OUTCOMES)[number]

/** What was done for steps, in order. The row is written with the step's command, so that none is done twice. */
export const courseSteps = table("course_steps", {
  one: "a step of a course",
  many: "steps of courses",
  columns: {
    moveId: text(),
    number: integer(),
    /** Its place in the course. A step of several commands has several rows. */
    step: integer(),
    /** The organization's instant. */
    atMs: epochMs(),
    outcome: choice<StepOutcome>(),
    /** The code of a refusal, or the reason in a quote. */
    code: text().nullable(),
    /** A real instant. */
    takenAtMs: epochMs(),
  },
  key: ["moveId", "number"],
  indexes: [{ name: "course_steps_taken", by: ["takenAtMs"] }],
  retention: { from: "takenAtMs", keepMs: KEEP_CLOCK_MOVES_MS },
})

export type CourseStepRow = RowOf<typeof courseSteps>

export class CourseRows extends repository<CourseRows>()(
  "CourseRows",
  Effect.map(Tables, (tables) => {
    const runs = tables.of(courseRuns)
    const steps = tables.of(courseSteps)
    return {
      run: (moveId: string) => runs.get({ moveId }),
      insertRun: runs.insert,
      changeRun: (
        moveId: string,
        change: Partial<Pick<CourseRun, "baseMs" | "number" | "refusal" | "scenarioMs" | "status" | "step">>,
      ) => runs.update({ moveId }, change),
      /** Fails the transaction if there is one with the number. */
      insertStep: steps.insert,
      /** In order. */
      steps: (moveId: string) => steps.list({ moveId }, { order: ["number"] }),
      purgeRuns: purgeOf(courseRuns, runs),
      purgeSteps: purgeOf(courseSteps, steps),
    }
  }),
) {}
