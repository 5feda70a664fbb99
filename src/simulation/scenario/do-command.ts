/** The `do` and `refuse` steps: each word calls the same method of the same service as an HTTP request. */

import { Effect } from "effect"
import { Refused } from "../../model/values/errors.ts"
import {
  AdvanceRequest,
  BotReportRequest,
  ChangeWebhookRequest,
  CreateReservationRequest,
  MoveWindowRequest,
  RegisterWebhookRequest,
} from "../../model/requests/requests.ts"
import type { Requester } from "../../model/requester.ts"
import { decodeRequest } from "../../model/values/schema.ts"
import { EVENT_TYPES } from "../../model/webhook.ts"
import { CurrentRequester } from "../../engine/services/requester.ts"
import { Reservations } from "../../areas/reservations/reservations.ts"
import { SandboxWalk } from "../../areas/reservations/sandbox-walk.ts"
import { Webhooks } from "../../areas/webhooks/webhooks.ts"
import type { SimulatedServices } from "../simulated-service.ts"
import { DO_KEY, admitted, requesterOf } from "./callers.ts"
import type { AdmissionRefused } from "./callers.ts"
import type { CommandStep, Doing as DoingOf } from "./command-step.ts"
import { DO_COMPARTMENT } from "./compartments/do-compartment.ts"
import { DO_COURIER } from "./courier/do-courier.ts"
import type { ErrandRefused } from "./courier/do-courier.ts"
import { DO_DELIVERY } from "./direct-delivery/do-delivery.ts"
import { DO_RUNNER, reservationFor } from "./do-runner.ts"
import { DO_RUNNER_CALL } from "./do-runner-call.ts"
import { textIfGiven } from "./language/field-values.ts"
import type { CommandName } from "./language/language.ts"
import { doByPerson } from "./people.ts"
import { bookingBody, botReportBody, windowBody } from "./request-bodies.ts"
import type { RunContext } from "./run-context.ts"

type Doing = DoingOf<ErrandRefused | Refused>

/** Runs a step's command as its caller: with a key as the API would, or as a person of the site. */
export function callCommand(
  run: RunContext,
  step: CommandStep,
  requester: Requester = requesterOf(run, step),
): Effect.Effect<unknown, AdmissionRefused | ErrandRefused | Refused, SimulatedServices> {
  const person = run.people.get(step.by ?? "")
  const doing =
    person === undefined
      ? Effect.flatMap(admitted(run, step), (caller) => doCommand(caller, step))
      : doByPerson(run, step, { person, doCommand })
  return Effect.locally(doing, CurrentRequester, requester)
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
      return yield* reservations.moveWindow(run.partner, yield* reservationFor(run, step), request)
    }),
  "reservation.cancel": (run, step) =>
    Effect.gen(function* () {
      const reservations = yield* Reservations
      const reason = textIfGiven(step.with, "reason")
      return yield* reservations.cancel(run.partner, yield* reservationFor(run, step), reason)
    }),
  "reservation.read": (run, step) =>
    Effect.gen(function* () {
      const reservations = yield* Reservations
      return yield* reservations.read(run.partner, yield* reservationFor(run, step))
    }),
  "bot.report": (run, step) =>
    Effect.gen(function* () {
      const reservations = yield* Reservations
      const report = yield* decodeRequest(BotReportRequest, botReportBody(run, step.with))
      return yield* reservations.reportBot(run.partner, yield* reservationFor(run, step), report)
    }),
  ...DO_RUNNER,
  "sandbox.advance": (run, step) =>
    Effect.gen(function* () {
      const walk = yield* SandboxWalk
      const request = yield* decodeRequest(AdvanceRequest, step.with)
      return yield* walk.advance(run.partner, yield* reservationFor(run, step), request)
    }),
  "webhook.register": (run, step) => registerWebhook(run, step),
  "webhook.change": (run, step) => changeWebhook(run, step),
  ...DO_DELIVERY,
  ...DO_COURIER,
  ...DO_COMPARTMENT,
  ...DO_KEY,
  ...DO_RUNNER_CALL,
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
