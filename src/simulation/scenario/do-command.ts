/** The `do` and `refuse` steps: each word calls the same method of the same service as an HTTP request. */

import { Effect } from "effect"
import { Refused } from "../../model/errors.ts"
import type { ExceptionCode } from "../../model/handoff.ts"
import { isoMs } from "../../model/time.ts"
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
import { CurrentRequester } from "../../services/requester.ts"
import { PLACEHOLDER_PHOTO } from "../../services/photos/photo-files.ts"
import { Reservations } from "../../areas/reservations/reservations.ts"
import { RunnerTasks } from "../../areas/reservations/runner-tasks.ts"
import { SandboxWalk } from "../../areas/reservations/sandbox-walk.ts"
import { Webhooks } from "../../areas/webhooks/webhooks.ts"
import type { SimulatedServices } from "../simulated-service.ts"
import { DO_KEY, admitted, requesterOf } from "./callers.ts"
import type { AdmissionRefused } from "./callers.ts"
import type { CommandStep, Doing as DoingOf } from "./command-step.ts"
import { DO_COMPARTMENT } from "../../areas/compartments/scenario/do-compartment.ts"
import { DO_COURIER } from "../../areas/courier/scenario/do-courier.ts"
import type { ErrandRefused } from "../../areas/courier/scenario/do-courier.ts"
import { DO_DELIVERY } from "../../areas/direct-delivery/scenario/do-delivery.ts"
import { textIfGiven, timeIfGiven } from "./field-values.ts"
import { COMMANDS } from "./language.ts"
import type { CommandName, FieldValues, TimeRef } from "./language.ts"
import type { RunContext } from "./run-context.ts"

type Doing = DoingOf<ErrandRefused | Refused>

/** Runs a step's command with the key that calls, as the API would: a call that is turned away runs nothing. */
export function callCommand(
  run: RunContext,
  step: CommandStep,
): Effect.Effect<unknown, AdmissionRefused | ErrandRefused | Refused, SimulatedServices> {
  const doing = Effect.flatMap(admitted(run, step), (caller) => doCommand(caller, step))
  return Effect.locally(doing, CurrentRequester, requesterOf(run, step))
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
      const [from, to] = windowOf(run, step.with["window"])
      const request = yield* decodeRequest(MoveWindowRequest, {
        arrival_window_start: from,
        arrival_window_end: to,
      })
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
      const { eta, occurred_at, ...rest } = step.with
      const report = yield* decodeRequest(BotReportRequest, {
        ...rest,
        ...(eta === undefined ? {} : { eta: instantOf(run, eta) }),
        ...(occurred_at === undefined ? {} : { occurred_at: instantOf(run, occurred_at) }),
      })
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
      Effect.flatMap(
        decodeRequest(MeasureRequest, {
          weight_kg: step.with["weight_kg"],
          dimensions_cm: boxOf(step.with["dimensions_cm"]),
        }),
        (measure) => tasks.measurePayload(run.runner, id, measure),
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

/** A retry under another name is the same request: values derived from the name use the first name of its key. */
function firstNameOf(
  run: RunContext,
  { key, name }: { readonly key: string | undefined; readonly name: string },
): string {
  if (key === undefined) return name
  const first = run.firstNameByKey.get(key) ?? name
  run.firstNameByKey.set(key, first)
  return first
}

/** The open link URL of a named reservation, unless the booking sets one. */
export function openLinkUrlOf(name: string): string {
  return `https://bots.partner.example/open/${name}`
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
    const usual = COMMANDS["reservation.create"].with
    const [from, to] = windowOf(run, step.with["window"])
    const request = yield* decodeRequest(CreateReservationRequest, {
      zone_id: step.with["zone"] ?? run.world.zoneId,
      retailer_id: step.with["retailer"] ?? run.world.retailerId,
      order_number: step.with["order_number"] ?? usual.order_number.usual,
      end_user_name: step.with["end_user_name"] ?? usual.end_user_name.usual,
      end_user_phone: step.with["end_user_phone"] ?? usual.end_user_phone.usual,
      arrival_window_start: from,
      arrival_window_end: to,
      open_link_url: step.with["open_link_url"] ?? openLinkUrlOf(firstNameOf(run, { key, name })),
      retailer_pickup_ref: step.with["retailer_pickup_ref"],
      payload_limit: payloadLimitOf(step.with),
    })
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

function windowOf(run: RunContext, value: unknown): readonly [string, string] {
  const [from, to] = value as readonly [TimeRef, TimeRef]
  return [isoMs(run.clock.resolve(from, run.nowMs)), isoMs(run.clock.resolve(to, run.nowMs))]
}

function instantOf(run: RunContext, value: unknown): string | null {
  return value === null ? null : isoMs(run.clock.resolve(value as TimeRef, run.nowMs))
}

function boxOf(value: unknown): { length: number; width: number; height: number } | undefined {
  if (value === undefined) return undefined
  const [length, width, height] = value as readonly [number, number, number]
  return { length, width, height }
}

function payloadLimitOf(fields: FieldValues): unknown {
  const weight = fields["max_weight_kg"]
  const box = boxOf(fields["max_dimensions_cm"])
  if (weight === undefined && box === undefined) return undefined
  return {
    ...(weight === undefined ? {} : { max_weight_kg: weight }),
    ...(box === undefined ? {} : { max_dimensions_cm: box }),
  }
}
