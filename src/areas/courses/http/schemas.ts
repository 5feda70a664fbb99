/** Courses and their runs as the sandbox's API and the portal answer them. */

import { Schema } from "effect"
import type { ErrorCode } from "../../../model/values/errors.ts"
import { isoMs } from "../../../model/values/time.ts"
import { DateTime } from "../../../http/records/date-time.ts"
import { Happened, happenedRecord } from "../../clock/http/schemas.ts"
import type { Course } from "../course.ts"
import type { CourseRunView } from "../courses.ts"
import { STEP_OUTCOMES } from "../rows.ts"

const AppliesTo = Schema.Literal("delivery", "reservation")

export const Scenario = Schema.Struct({
  name: Schema.String.annotations({ description: "What `POST` takes as `scenario`." }),
  title: Schema.String,
  description: Schema.String,
  applies_to: AppliesTo,
  starts_from: Schema.Array(Schema.String).annotations({
    description: "The statuses of the delivery or reservation in which it may start.",
  }),
  latest_handoff_status: Schema.NullOr(Schema.String).annotations({
    description: "The last handoff status in which it may start; null: it does not matter.",
  }),
  steps: Schema.Array(Schema.String).annotations({
    description: "In plain words. Those whose effect is there already are skipped.",
  }),
}).annotations({
  identifier: "Scenario",
  description: "What may go wrong. It comes from a scenario file that `curbline run` plays as a test.",
})

const Step = Schema.Struct({
  description: Schema.String,
  status: Schema.Literal(...STEP_OUTCOMES, "pending").annotations({
    description:
      "`skipped`: its effect was there already. `as_expected` and `not_as_expected`: what an expectation found. `not_run`: a step before it was refused. `refused` with `INTERNAL_ERROR`: the service failed.",
  }),
  at: Schema.NullOr(DateTime).annotations({
    description: "On the organization's clock; null until it is done.",
  }),
  code: Schema.NullOr(Schema.String).annotations({
    description: "The code of a refusal, or what a quote answered.",
  }),
}).annotations({ identifier: "ScenarioStep" })

const Run = Schema.Struct({
  id: Schema.String.annotations({ description: "Also the id of its move of the clock." }),
  scenario: Schema.String,
  title: Schema.String,
  applies_to: AppliesTo,
  reservation_id: Schema.NullOr(Schema.String),
  delivery_id: Schema.NullOr(Schema.String),
  status: Schema.Literal("running", "finished", "failed", "stopped").annotations({
    description:
      "`failed`: `code` says why: that of the first step that was refused, or `EXPECTATION_NOT_MET`. `stopped`: more entries became due than one move of the clock may take.",
  }),
  code: Schema.NullOr(Schema.String),
  started_at: DateTime.annotations({ description: "In real time." }),
  ended_at: Schema.NullOr(DateTime).annotations({ description: "In real time." }),
  now: DateTime.annotations({ description: "The instant of the clock that it has reached." }),
  steps: Schema.Array(Step),
  happened: Happened,
}).annotations({ identifier: "ScenarioRun", description: "What a scenario has done, and what happened." })

export const OneRun = Schema.Struct({ run: Run })

/** Errors of a start, with those of the test delivery or reservation that it may make. */
export const START_ERRORS: readonly ErrorCode[] = [
  "VALIDATION_ERROR",
  "NOT_FOUND",
  "INVALID_STATE",
  "CLOCK_IS_MOVING",
  "NOT_FLEET_PARTNER",
  "RETAILER_NOT_FOUND",
  "RETAILER_NOT_CONFIGURED",
  "QUOTE_UNAVAILABLE",
  "NO_CAPACITY",
  "ZONE_HAS_NO_STALLS",
  "INVALID_OPEN_LINK",
  "URL_VALIDATION_UNAVAILABLE",
]

export function scenarioRecord({ name, title, about, kind, from, handoff, steps }: Course): object {
  return {
    name,
    title,
    description: about,
    applies_to: kind,
    starts_from: from,
    latest_handoff_status: handoff,
    steps: steps.map(({ says }) => says),
  }
}

export function runRecord({ run, steps, move }: CourseRunView): object {
  const { course, subjectId, refusal } = run
  // The clock is set free after the last step.
  const isOver = move.after !== null
  return {
    id: run.moveId,
    scenario: course.name,
    title: course.title,
    applies_to: course.kind,
    reservation_id: course.kind === "reservation" ? subjectId : null,
    delivery_id: course.kind === "delivery" ? subjectId : null,
    status: isOver ? run.status : "running",
    code: refusal,
    started_at: isoMs(run.startedAtMs),
    ended_at: isoMs(move.move.endedAtMs),
    now: isoMs(move.move.atMs),
    steps: course.steps.map(({ says }, at) => {
      const done = steps.findLast(({ step }) => step === at)
      if (done === undefined || (at === run.step && run.status === "running"))
        return { description: says, status: "pending", at: isoMs(done?.atMs ?? null), code: null }
      return { description: says, status: done.outcome, at: isoMs(done.atMs), code: done.code }
    }),
    happened: happenedRecord(move),
  }
}
