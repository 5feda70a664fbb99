/**
 * Words that are operations of an API: the operation of each, and the request that a step makes of it. In memory the endpoint's handler
 * answers; a run against a service sends the same request over HTTP.
 */

import { Effect, Record, Struct } from "effect"
import { Refused } from "../../model/values/errors.ts"
import { isoMs } from "../../model/values/time.ts"
import { EVENT_TYPES } from "../../model/webhook.ts"
import { PLACEHOLDER_PHOTO } from "../../engine/services/photos/photo-files.ts"
import { runnerTasks } from "../../apps/operations/http/runner-tasks.ts"
import { deliveries } from "../../areas/direct-delivery/http/deliveries.ts"
import type { QuoteRecord } from "../../areas/direct-delivery/record.ts"
import { atSite } from "../../areas/direct-delivery/http/site-header.ts"
import { advance } from "../../areas/reservations/http/advance.ts"
import { bot } from "../../areas/reservations/http/bot.ts"
import { reservations } from "../../areas/reservations/http/reservations.ts"
import { webhooks } from "../../areas/reservations/http/webhooks.ts"
import { Arrivals } from "../../engine/services/arrivals.ts"
import { sentBody } from "../../http/endpoint.ts"
import type { Answer, Endpoint } from "../../http/endpoint.ts"
import type { OperatorEndpoint } from "../../http/operator-endpoint.ts"
import type { SimulatedServices } from "../simulated-service.ts"
import type { CommandStep, Doing } from "./command-step.ts"
import { textIfGiven, textOf, timeIfGiven } from "./language/field-values.ts"
import { COMMANDS } from "./language/language.ts"
import { bookingBody, botReportBody, measureBody, quoteBody, windowBody } from "./request-bodies.ts"
import type { RunContext } from "./run-context.ts"

/** What a request is written from: a run in memory, or one against a service. */
type RequestingRun = Pick<
  RunContext,
  | "clock"
  | "deliveries"
  | "deliverySiteId"
  | "firstNameByKey"
  | "idOf"
  | "nowMs"
  | "quotes"
  | "reachable"
  | "reservationId"
  | "reservationIds"
  | "scenario"
  | "siteByQuote"
  | "webhooks"
  | "world"
>

type OperatedStep = Pick<CommandStep, "as" | "for" | "with">

/** A request without method and path, which the endpoint has. */
export interface StepRequest {
  readonly id?: string
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly headers?: Readonly<Record<string, string>>
  /** JSON, or the bytes of a picture. */
  readonly body?: object | Uint8Array<ArrayBuffer>
}

export interface StepOperation {
  readonly endpoint: Endpoint<SimulatedServices> | OperatorEndpoint<SimulatedServices>
  /** Null for a name without an id: its own command was refused. */
  readonly request: (run: RequestingRun, step: OperatedStep) => StepRequest | null
  /** Keeps what the step made under its name. */
  readonly note?: (run: RequestingRun, step: OperatedStep, data: Answer["data"]) => void
}

const ENDPOINTS = [
  ...reservations,
  ...bot,
  ...webhooks,
  ...advance,
  ...deliveries.map((one) => atSite(one)),
  ...runnerTasks,
]

export const OPERATIONS = {
  "reservation.create": {
    endpoint: named("createReservation"),
    request: (run, step) => {
      const key = textIfGiven(step.with, "idempotency_key")
      return {
        body: bookingBody(run, step),
        ...(key === undefined ? {} : { headers: { "idempotency-key": key } }),
      }
    },
    note: (run, step, data) => {
      const { reservation } = data as { readonly reservation: { readonly reservation_id: string } }
      run.reservationIds.set(step.as ?? "reservation", reservation.reservation_id)
    },
  },
  "reservation.move_window": ofReservation("moveArrivalWindow", (run, step) => ({
    body: windowBody(run, step.with["window"]),
  })),
  "reservation.cancel": ofReservation("cancelReservation", (_, step) => ({
    query: { reason: textIfGiven(step.with, "reason") },
  })),
  "reservation.cancel_by_runner": ofReservation("cancelForRunnerOrOperations", (_, step) => ({
    body: { by: "runner", reason: step.with["reason"] },
  })),
  "reservation.cancel_by_operations": ofReservation("cancelForRunnerOrOperations", (_, step) => ({
    body: { by: "ops", reason: step.with["reason"] },
  })),
  "reservation.read": ofReservation("readReservation"),
  "bot.report": ofReservation("reportBot", (run, step) => ({ body: botReportBody(run, step.with) })),
  "runner.assign": ofReservation("assignRunner", (_, step) => ({
    body: { runner_id: step.with["runner"] ?? COMMANDS["runner.assign"].with.runner.usual },
  })),
  "runner.at_store": ofReservation("runnerAtStore"),
  "runner.hold": ofReservation("holdTask", (run, step) => {
    const ready = timeIfGiven(step.with, "ready_at")
    return ready === undefined ? {} : { body: { ready_estimate: isoMs(run.clock.resolve(ready, run.nowMs)) } }
  }),
  "runner.ready": ofReservation("orderReady"),
  "runner.give_up": ofReservation("giveUp"),
  "runner.order_in_hand": ofReservation("orderInHand"),
  "runner.measure": ofReservation("measurePayload", (_, step) => ({ body: measureBody(step.with) })),
  "runner.at_unit": ofReservation("runnerAtUnit"),
  "runner.load": ofReservation("recordLoad", (_, step) =>
    step.with["photo"] === false ? {} : { body: new Uint8Array(PLACEHOLDER_PHOTO.bytes) },
  ),
  "runner.retry_open_link": ofReservation("retryOpenLink"),
  "exception.raise": ofReservation("raiseException", (_, { with: { code, message } }) => ({
    body: { reason_code: code, message },
  })),
  "exception.clear": ofReservation("clearException", (_, step) => ({
    query: { reason_code: textOf(step.with, "code") },
  })),
  "sandbox.advance": ofReservation("advanceReservation", (_, step) => ({ body: step.with })),
  "webhook.register": {
    endpoint: named("registerWebhook"),
    request: (run, step) => ({
      body: {
        url: run.reachable(receiverUrl(step)),
        subscribed_events: step.with["events"] ?? EVENT_TYPES,
        is_active: step.with["is_active"],
      },
    }),
    note: (run, step, data) => {
      const { webhook_id: webhookId, secret } = webhookIn(data)
      run.webhooks.set(step.as ?? "webhook", { webhookId, urls: [receiverUrl(step)], secrets: [secret] })
    },
  },
  "webhook.change": {
    endpoint: named("changeWebhook"),
    request: (run, step) => {
      const id = run.webhooks.get(step.for ?? "")?.webhookId
      const url = textIfGiven(step.with, "url")
      const { events, ...rest } = step.with
      if (id === undefined) return null
      return {
        id,
        body: { ...rest, url: url === undefined ? undefined : run.reachable(url), subscribed_events: events },
      }
    },
    note: (run, { for: name, with: { url, rotate_secret } }, data) => {
      const webhook = run.webhooks.get(name ?? "")
      if (typeof url === "string" && webhook?.urls.includes(url) === false) webhook.urls.push(url)
      if (rotate_secret === true) webhook?.secrets.push(webhookIn(data).secret)
    },
  },
  "delivery.quote": quoteOf(({ as }) => as ?? "delivery"),
  "delivery.requote": quoteOf(({ for: name }) => name ?? ""),
  "delivery.create": {
    ...ofDelivery("createDelivery", (_, step) => ({
      body: { external_delivery_id: step.for, customer: Struct.omit(step.with, "site") },
    })),
    note: (run, step) => run.deliveries.add(step.for ?? ""),
  },
  "delivery.read": ofDelivery("readDelivery"),
  "delivery.cancel": ofDelivery("cancelDelivery", (_, { with: fields }) => ({
    body: { status: "CANCELLED", cancellation_reason: fields["cancellation_reason"] ?? fields["reason"] },
  })),
} as const satisfies Readonly<Record<string, StepOperation>>

/** The same words in memory. */
export const DO_OPERATION = Record.map(
  OPERATIONS,
  (operation: StepOperation) => (run: RunContext, step: CommandStep) => operate(run, step, operation),
)

function named(operationId: string): StepOperation["endpoint"] {
  const found = ENDPOINTS.find((one) => one.operationId === operationId)
  if (found === undefined) throw new Error(`there is no operation ${operationId}`)
  return found
}

type Write = (run: RequestingRun, step: OperatedStep) => StepRequest

function ofReservation(operationId: string, write: Write = () => ({})): StepOperation {
  return {
    endpoint: named(operationId),
    request: (run, step) => {
      const id = run.reservationId(step.for ?? "")
      return id === null ? null : { id, ...write(run, step) }
    },
  }
}

function ofDelivery(operationId: string, write: Write = () => ({})): StepOperation {
  return {
    endpoint: named(operationId),
    request: (run, step) => {
      const id = step.for ?? ""
      const site = run.deliverySiteId(textIfGiven(step.with, "site") ?? run.siteByQuote.get(id))
      return { id, headers: { "x-retailer-id": site }, ...write(run, step) }
    },
  }
}

/** Later steps about the order are at the site of its last quote. */
function quoteOf(nameOf: (step: OperatedStep) => string): StepOperation {
  return {
    endpoint: named("quoteDelivery"),
    request: (run, step) => {
      const site = textIfGiven(step.with, "site") ?? "here"
      run.siteByQuote.set(nameOf(step), site)
      return {
        headers: { "x-retailer-id": run.deliverySiteId(site) },
        body: quoteBody(run, step.with, nameOf(step)),
      }
    },
    note: (run, step, data) => run.quotes.set(nameOf(step), data as QuoteRecord),
  }
}

function receiverUrl(step: OperatedStep): string {
  return textIfGiven(step.with, "url") ?? `https://hooks.partner.example/${step.as ?? "webhook"}`
}

function webhookIn(data: object): { readonly webhook_id: string; readonly secret: string } {
  return (data as { readonly webhook: { readonly webhook_id: string; readonly secret: string } }).webhook
}

/** True for an endpoint that requires a key; operators call the others. */
export function isKeyed<R>(endpoint: Endpoint<R> | OperatorEndpoint<R>): endpoint is Endpoint<R> {
  return "permissions" in endpoint
}

/** Asks the endpoint's handler, as its route does. */
export function operate(run: RunContext, step: OperatedStep, operation: StepOperation): Doing {
  return Effect.gen(function* () {
    const { endpoint, request, note } = operation
    const written = request(run, step)
    if (written === null) return yield* new Refused({ code: "NOT_FOUND" })
    const { id = "", query = {}, headers = {}, body } = written
    const bytes =
      body === undefined || body instanceof Uint8Array ? body : new TextEncoder().encode(JSON.stringify(body))
    const ask = {
      id,
      parts: { id },
      query,
      header: (name: string): string | undefined => headers[name],
      body: sentBody(bytes, body instanceof Uint8Array ? "image/png" : "application/json"),
    }
    const asking = isKeyed(endpoint)
      ? endpoint.handle({ ...ask, caller: run.partner, arrival: (yield* Arrivals).next() })
      : endpoint.handle({ ...ask, caller: run.operations })
    const { data } = yield* Effect.catchTag(asking, "TurnedAway", Effect.die)
    note?.(run, step, data)
    return data
  })
}
