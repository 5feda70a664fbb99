/** Steps of a runner task, and what operations do with a reservation: each word calls the service that a phone or a page calls. */

import { Effect } from "effect"
import { Refused } from "../../model/values/errors.ts"
import type { ExceptionCode } from "../../model/handoff.ts"
import { AssignRunnerRequest, MeasureRequest, RaiseExceptionRequest } from "../../model/requests/requests.ts"
import { decodeRequest } from "../../model/values/schema.ts"
import { PLACEHOLDER_PHOTO } from "../../engine/services/photos/photo-files.ts"
import { Reservations } from "../../areas/reservations/reservations.ts"
import { RunnerTasks } from "../../areas/reservations/runner-tasks.ts"
import type { CommandStep, Doing } from "./command-step.ts"
import { textIfGiven, timeIfGiven } from "./language/field-values.ts"
import { COMMANDS } from "./language/language.ts"
import { measureBody } from "./request-bodies.ts"
import type { RunContext } from "./run-context.ts"

type RunnerCommand =
  | "exception.clear"
  | "exception.raise"
  | "reservation.cancel_by_operations"
  | "reservation.cancel_by_runner"
  | "runner.assign"
  | "runner.at_store"
  | "runner.at_unit"
  | "runner.give_up"
  | "runner.hold"
  | "runner.load"
  | "runner.measure"
  | "runner.order_in_hand"
  | "runner.ready"
  | "runner.retry_open_link"

export const DO_RUNNER: Readonly<Record<RunnerCommand, (run: RunContext, step: CommandStep) => Doing>> = {
  "reservation.cancel_by_runner": (run, step) => cancel(run, step, "runner"),
  "reservation.cancel_by_operations": (run, step) => cancel(run, step, "ops"),
  "runner.assign": (run, step) =>
    byRunner(run, step, (tasks, id) =>
      Effect.flatMap(
        decodeRequest(AssignRunnerRequest, {
          runner_id: step.with["runner"] ?? COMMANDS["runner.assign"].with.runner.usual,
        }),
        ({ runner_id }) => tasks.assign(run.runner, id, runner_id),
      ),
    ),
  "runner.at_store": (run, step) => byRunner(run, step, (tasks, id) => tasks.atStore(run.runner, id)),
  "runner.hold": (run, step) =>
    byRunner(run, step, (tasks, id) => {
      const ready = timeIfGiven(step.with, "ready_at")
      const readyAtMs = ready === undefined ? null : run.clock.resolve(ready, run.nowMs)
      return tasks.hold(run.runner, id, readyAtMs)
    }),
  "runner.ready": (run, step) => byRunner(run, step, (tasks, id) => tasks.ready(run.runner, id)),
  "runner.give_up": (run, step) => byRunner(run, step, (tasks, id) => tasks.giveUp(run.runner, id)),
  "runner.order_in_hand": (run, step) =>
    byRunner(run, step, (tasks, id) => tasks.orderInHand(run.runner, id)),
  "runner.measure": (run, step) =>
    byRunner(run, step, (tasks, id) =>
      Effect.flatMap(decodeRequest(MeasureRequest, measureBody(step.with)), (measure) =>
        tasks.measurePayload(run.runner, id, measure),
      ),
    ),
  "runner.at_unit": (run, step) => byRunner(run, step, (tasks, id) => tasks.atUnit(run.runner, id)),
  "runner.load": (run, step) =>
    byRunner(run, step, (tasks, id) => {
      const hasPhoto = step.with["photo"] !== false
      return tasks.load(run.runner, id, hasPhoto ? PLACEHOLDER_PHOTO.bytes : null)
    }),
  "runner.retry_open_link": (run, step) =>
    byRunner(run, step, (tasks, id) => tasks.retryOpenLink(run.runner, id)),
  "exception.raise": (run, step) =>
    byRunner(run, step, (tasks, id) =>
      Effect.flatMap(decodeRequest(RaiseExceptionRequest, step.with), ({ code, message }) =>
        tasks.raise(run.operations, id, code, message),
      ),
    ),
  "exception.clear": (run, step) =>
    byRunner(run, step, (tasks, id) => tasks.clear(run.operations, id, step.with["code"] as ExceptionCode)),
}

/** Null for a command of others. */
export function runnerCommand(command: string): ((run: RunContext, step: CommandStep) => Doing) | null {
  return Object.hasOwn(DO_RUNNER, command) ? DO_RUNNER[command as RunnerCommand] : null
}

function cancel(run: RunContext, step: CommandStep, by: "ops" | "runner"): Doing {
  return Effect.gen(function* () {
    const reservations = yield* Reservations
    const caller = { ...run.operations, by }
    return yield* reservations.cancel(
      caller,
      yield* reservationFor(run, step),
      textIfGiven(step.with, "reason"),
    )
  })
}

function byRunner(
  run: RunContext,
  step: CommandStep,
  act: (tasks: RunnerTasks["Type"], reservationId: string) => Effect.Effect<unknown, Refused>,
): Doing {
  return Effect.gen(function* () {
    const tasks = yield* RunnerTasks
    return yield* act(tasks, yield* reservationFor(run, step))
  })
}

/** A name whose own command was refused has no id. */
export function reservationFor(run: RunContext, step: CommandStep): Effect.Effect<string, Refused> {
  const id = run.reservationId(step.for ?? "")
  return id === null ? Effect.fail(new Refused({ code: "NOT_FOUND" })) : Effect.succeed(id)
}
