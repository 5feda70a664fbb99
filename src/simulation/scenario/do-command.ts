/** The `do` and `refuse` steps: each word calls the same method of the same service as an HTTP request. */

import { Effect } from "effect"
import { Refused } from "../../model/errors.ts"
import type { ExceptionCode } from "../../model/handoff.ts"
import {
  AdvanceRequest,
  AssignRunnerRequest,
  BotReportRequest,
  ChangeWebhookRequest,
  CreateReservationRequest,
  MeasureRequest,
  MoveWindowRequest,
  RaiseExceptionRequest,
  RegisterWebhookRequest,
} from "../../model/requests.ts"
import { decodeRequest } from "../../model/schema.ts"
import { EVENT_TYPES } from "../../model/webhook.ts"
import { PLACEHOLDER_PHOTO } from "../../services/photos/photo-files.ts"
import { Reservations } from "../../areas/reservations/reservations.ts"
import { RunnerTasks } from "../../areas/reservations/runner-tasks.ts"
import { SandboxWalk } from "../../areas/reservations/sandbox-walk.ts"
import { Webhooks } from "../../areas/webhooks/webhooks.ts"
import type { SimulatedServices } from "../simulated-service.ts"
import { DO_KEY, admitted } from "./callers.ts"
import type { AdmissionRefused } from "./callers.ts"
import type { CommandStep, Doing as DoingOf } from "./command-step.ts"
import { DO_COMPARTMENT } from "../../areas/compartments/scenario/do-compartment.ts"
import { DO_COURIER } from "../../areas/courier/scenario/do-courier.ts"
import type { ErrandRefused } from "../../areas/courier/scenario/do-courier.ts"
import { DO_DELIVERY } from "../../areas/direct-delivery/scenario/do-delivery.ts"
import { textIfGiven, timeIfGiven } from "./field-values.ts"
import { COMMANDS } from "./language.ts"
import type { CommandName } from "./language.ts"
import { bookingBody, botReportBody, measureBody, windowBody } from "./request-bodies.ts"
import type { RunContext } from "./run-context.ts"

type Doing = DoingOf<ErrandRefused | Refused>

/** Runs a step's command with the key that calls, as the API would: a call that is turned away runs nothing. */
export function callCommand(
  run: RunContext,
  step: CommandStep,
): Effect.Effect<unknown, AdmissionRefused | ErrandRefused | Refused, SimulatedServices> {
  return Effect.flatMap(admitted(run, step), (caller) => doCommand(caller, step))
}

/** Runs one command; the caller decides whether a refusal is expected. */
export function doCommand(run: RunContext, step: CommandStep): Doing {
  return DO[step.command](run, step)
}

const DO: Readonly<Record<CommandName, (run: RunContext, step: CommandStep) => Doing>> = {
  "reservation.create": (run, step) => create(run, step),
  "reservation.move_window": (run, step) =>
    Effect.gen(function* () {
      const reservations = yield* Reservations
      const request = yield* decodeRequest(MoveWindowRequest, windowBody(run, step.with["window"]))
      return yield* reservations.moveWindow(run.partner, yield* idFor(run, step), request)
    }),
  "reservation.cancel": (run, step) => cancel(run, step, "partner"),
  "reservation.cancel_by_runner": (run, step) => cancel(run, step, "runner"),
  "reservation.cancel_by_operations": (run, step) => cancel(run, step, "operations"),
  "reservation.read": (run, step) =>
    Effect.gen(function* () {
      const reservations = yield* Reservations
      return yield* reservations.read(run.partner, yield* idFor(run, step))
    }),
  "bot.report": (run, step) =>
    Effect.gen(function* () {
      const reservations = yield* Reservations
      const report = yield* decodeRequest(BotReportRequest, botReportBody(run, step.with))
      return yield* reservations.reportBot(run.partner, yield* idFor(run, step), report)
    }),
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
  "sandbox.advance": (run, step) =>
    Effect.gen(function* () {
      const walk = yield* SandboxWalk
      const request = yield* decodeRequest(AdvanceRequest, step.with)
      return yield* walk.advance(run.partner, yield* idFor(run, step), request)
    }),
  "webhook.register": (run, step) => registerWebhook(run, step),
  "webhook.change": (run, step) => changeWebhook(run, step),
  ...DO_DELIVERY,
  ...DO_COURIER,
  ...DO_COMPARTMENT,
  ...DO_KEY,
}

/** Registers a receiver under a name; the same for `given.webhooks` and the step. */
export function registerWebhook(run: RunContext, step: Pick<CommandStep, "as" | "with">): Doing {
  return Effect.gen(function* () {
    const webhooks = yield* Webhooks
    const name = step.as ?? "webhook"
    const url = textIfGiven(step.with, "url") ?? `https://hooks.partner.example/${name}`
    const request = yield* decodeRequest(RegisterWebhookRequest, {
      url,
      subscribed_events: step.with["events"] ?? EVENT_TYPES,
      is_active: step.with["is_active"],
    })
    const made = yield* webhooks.register(run.partner, request)
    run.webhooks.set(name, { webhookId: made.webhook_id, urls: [url], secrets: [made.secret] })
    return made
  })
}

function changeWebhook(run: RunContext, step: CommandStep): Doing {
  return Effect.gen(function* () {
    const webhooks = yield* Webhooks
    const named = run.webhooks.get(step.for ?? "")
    if (named === undefined) return yield* new Refused({ code: "NOT_FOUND" })
    const { events, ...rest } = step.with
    const request = yield* decodeRequest(ChangeWebhookRequest, {
      ...rest,
      ...(events === undefined ? {} : { subscribed_events: events }),
    })
    const changed = yield* webhooks.change(run.partner, named.webhookId, request)
    if (!named.urls.includes(changed.url)) named.urls.push(changed.url)
    if (request.rotate_secret === true) named.secrets.push(changed.secret)
    return changed
  })
}

function create(run: RunContext, step: CommandStep): Doing {
  return Effect.gen(function* () {
    const reservations = yield* Reservations
    const name = step.as ?? "reservation"
    const key = textIfGiven(step.with, "idempotency_key")
    const request = yield* decodeRequest(CreateReservationRequest, bookingBody(run, step))
    const made = yield* reservations.create(run.partner, request, key)
    run.reservationIds.set(name, made.reservation.reservation_id)
    return made
  })
}

function cancel(run: RunContext, step: CommandStep, by: "partner" | "runner" | "operations"): Doing {
  return Effect.gen(function* () {
    const reservations = yield* Reservations
    return yield* reservations.cancel(run[by], yield* idFor(run, step), textIfGiven(step.with, "reason"))
  })
}

function byRunner(
  run: RunContext,
  step: CommandStep,
  act: (tasks: RunnerTasks["Type"], reservationId: string) => Effect.Effect<unknown, Refused>,
): Doing {
  return Effect.gen(function* () {
    const tasks = yield* RunnerTasks
    return yield* act(tasks, yield* idFor(run, step))
  })
}

/** A name whose own command was refused has no id. */
function idFor(run: RunContext, step: CommandStep): Effect.Effect<string, Refused> {
  const id = run.reservationId(step.for ?? "")
  return id === null ? Effect.fail(new Refused({ code: "NOT_FOUND" })) : Effect.succeed(id)
}
