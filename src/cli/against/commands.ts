/** Commands of scenarios as calls of a service: each word is the request that a partner, a runner or operations would make, or the reason why none is. */

import { Struct } from "effect"
import { rankOf } from "../../model/delivery.ts"
import type { DeliveryStatus } from "../../model/delivery.ts"
import { EVENT_TYPES, PICKUP_EVENT_TYPES } from "../../model/webhook.ts"
import { PLACEHOLDER_PHOTO } from "../../engine/services/photos/photo-files.ts"
import { quoteBody } from "../../simulation/scenario/direct-delivery/do-delivery.ts"
import type { CommandStep } from "../../simulation/scenario/command-step.ts"
import { textIfGiven, textOf, timeIfGiven } from "../../simulation/scenario/language/field-values.ts"
import { COMMANDS } from "../../simulation/scenario/language/language.ts"
import type { CommandName } from "../../simulation/scenario/language/language.ts"
import {
  bookingBody,
  botReportBody,
  measureBody,
  windowBody,
} from "../../simulation/scenario/request-bodies.ts"
import { isoMs } from "../../model/values/time.ts"
import { OWN_STORE } from "./place.ts"
import { askUnder } from "./sandbox-host.ts"
import type { Ask, HostAnswer, HostCall } from "./sandbox-host.ts"
import type { RemoteRun } from "./remote-run.ts"

export interface Sendable {
  readonly send: (run: RemoteRun, step: CommandStep) => Promise<HostAnswer>
  /** True when only operations may make the call. */
  readonly needsOperator: boolean
}

/** Why a word cannot be sent to a service, as the end of a sentence. */
export type Reason = string

const CONNECTOR = "errands are made through the connector, which the sandbox does not have"
const PORTAL = "only a member who is signed in at the portal can do it"
const NO_PHONES = "a call to runners is answered on their phones, and the run has none"
const RIGHT_TO_OPEN = "the customer opens a compartment on the tracking page, which has no API"
const GRANT = "a compartment opens at the customer's door, and a vehicle drives there in real time"

export const SEND: Readonly<Record<CommandName, Reason | Sendable>> = {
  "reservation.create": byKey(book),
  "reservation.move_window": ofReservation((run, step) => ({
    method: "PATCH",
    body: windowBody(run, step.with["window"]),
  })),
  "reservation.cancel": ofReservation((_, step) => ({
    method: "DELETE",
    path: queryOf({ reason: textIfGiven(step.with, "reason") }),
  })),
  "reservation.cancel_by_runner": byOperations((_, step) => canceled(step, "runner")),
  "reservation.cancel_by_operations": byOperations((_, step) => canceled(step, "ops")),
  "reservation.read": ofReservation(() => ({ method: "GET" })),
  "bot.report": ofReservation((run, step) => ({ path: "/bot", body: botReportBody(run, step.with) })),
  "runner.assign": byOperations((_, step) => ({
    path: "/runner",
    body: { runner_id: step.with["runner"] ?? COMMANDS["runner.assign"].with.runner.usual },
  })),
  "runner.at_store": byOperations(() => ({ path: "/at-store" })),
  "runner.hold": byOperations((run, { with: fields }) => {
    const ready = timeIfGiven(fields, "ready_at")
    const estimate = ready === undefined ? null : isoMs(run.clock.resolve(ready, run.nowMs))
    return { path: "/hold", body: { ready_estimate: estimate } }
  }),
  "runner.ready": byOperations(() => ({ path: "/ready" })),
  "runner.give_up": byOperations(() => ({ path: "/give-up" })),
  "runner.order_in_hand": byOperations(() => ({ path: "/order-in-hand" })),
  "runner.measure": byOperations((_, step) => ({ path: "/payload", body: measureBody(step.with) })),
  "runner.at_unit": byOperations(() => ({ path: "/at-unit" })),
  "runner.load": byOperations((_, step) => ({
    path: "/load",
    ...(step.with["photo"] === false ? {} : { body: new Uint8Array(PLACEHOLDER_PHOTO.bytes) }),
  })),
  "runner.retry_open_link": byOperations(() => ({ path: "/open-link" })),
  "exception.raise": byOperations((_, { with: { code, message } }) => ({
    path: "/exceptions",
    body: { reason_code: code, message },
  })),
  "exception.clear": byOperations((_, step) => ({
    method: "DELETE",
    path: `/exceptions${queryOf({ reason_code: textOf(step.with, "code") })}`,
  })),
  "sandbox.advance": ofReservation((_, step) => ({ path: "/advance", body: step.with })),
  "webhook.register": byKey((run, step, ask) => registerWebhook(run, step, ask)),
  "webhook.change": byKey(changeWebhook),
  "delivery.quote": byKey((run, step, ask) => quote(run, { step, ask, name: step.as ?? "delivery" })),
  "delivery.requote": byKey((run, step, ask) => quote(run, { step, ask, name: step.for ?? "" })),
  "delivery.create": byKey(async (run, step, ask) => {
    const body = { external_delivery_id: step.for, customer: Struct.omit(step.with, "site") }
    const site = siteOfOrder(run, step)
    const answer = await atSite(run, ask, { path: "/dd/v1/deliveries", body, site })
    if (answer.isAccepted) run.deliveries.add(step.for ?? "")
    return answer
  }),
  "delivery.read": ofDelivery(() => ({ method: "GET" })),
  "delivery.cancel": ofDelivery((_, { with: fields }) => ({
    method: "PATCH",
    body: { status: "CANCELLED", cancellation_reason: fields["cancellation_reason"] ?? fields["reason"] },
  })),
  "delivery.advance": byKey(advanceDelivery),
  "delivery.supervise": operated((run, step) =>
    ofRun(run, step, (path) => ({ path: `${path}/status`, body: step.with })),
  ),
  "delivery.reassign": operated((run, step) =>
    ofRun(run, step, (path) => ({
      method: "PUT",
      path: `${path}/vehicle`,
      body: { vehicle_id: run.place.idOf(textOf(step.with, "vehicle")) },
    })),
  ),
  "vehicle.report": "vehicles have real time, so what they report does not follow the sandbox's clock",
  "vehicle.drive": "a vehicle drives in real time",
  "vehicle.go_online": operated((run, step) => changeVehicle(run, step, true)),
  "vehicle.go_offline": operated((run, step) => changeVehicle(run, step, false)),
  "sms.reply": PORTAL,
  "customer.reply": PORTAL,
  "pickup_webhook.register": byKey((run, step, ask) => registerPickupWebhook(run, step, ask)),
  "pickup_webhook.change": byKey(changePickupWebhook),
  "pickup_webhook.remove": byKey((run, step, ask) => {
    const named = run.webhooks.get(step.for ?? "")
    if (named === undefined) return Promise.resolve(NOT_FOUND)
    return atSite(run, ask, { method: "DELETE", path: `/dd/v1/webhooks/${named.webhookId}` })
  }),
  "errand.check": CONNECTOR,
  "errand.reserve": CONNECTOR,
  "errand.pay": CONNECTOR,
  "errand.pay_at_checkout": CONNECTOR,
  "errand.confirm": CONNECTOR,
  "errand.ready_at": CONNECTOR,
  "errand.choose_slot": CONNECTOR,
  "errand.choose_window": CONNECTOR,
  "errand.change_order": CONNECTOR,
  "errand.tell_check_in": CONNECTOR,
  "errand.tell_requirements": CONNECTOR,
  "errand.tell_dropoff": CONNECTOR,
  "errand.tell_contact": CONNECTOR,
  "errand.report_issue": CONNECTOR,
  "errand.read": CONNECTOR,
  "errand.cancel": CONNECTOR,
  "errand.fail": CONNECTOR,
  "errand.refund": CONNECTOR,
  "phone.disable": CONNECTOR,
  "phone.enable": CONNECTOR,
  "fleet.change": "it changes how a fleet opens compartments, and no fleet is on this machine",
  "compartment.open": RIGHT_TO_OPEN,
  "compartment.grant": GRANT,
  "runners.call": NO_PHONES,
  "runners.answer": NO_PHONES,
  "runners.withdraw": NO_PHONES,
  "key.create": operated(async (run, step) => {
    const { organizationId } = run.key(textIfGiven(step.with, "of"))
    const body = { permissions: step.with["permissions"] ?? run.scenario.permissions, label: step.as }
    const answer = await run.operate({
      path: `/internal/v1/organizations/${organizationId}/api-keys`,
      body,
    })
    if (answer.isAccepted) {
      const { api_key, value } = answer.data
      const ask = askUnder(run.url, value as string)
      run.place.keys.set(step.as ?? "key", { ask, organizationId, keyId: api_key.key_id as string })
    }
    return answer
  }),
  "key.rotate": PORTAL,
  "key.revoke": operated((run, step) => {
    const { keyId } = run.key(step.for ?? "")
    if (keyId === null) return Promise.resolve(NOT_FOUND)
    return run.operate({ method: "DELETE", path: `/internal/v1/api-keys/${keyId}` })
  }),
}

/** What a name without an id would get: the command that should have made it was refused. */
const NOT_FOUND: HostAnswer = {
  isAccepted: false,
  status: 404,
  code: "NOT_FOUND",
  message: "the name has no id, because its own command was refused",
  retryAfterSeconds: null,
  data: {},
}

type Send = (run: RemoteRun, step: CommandStep, ask: Ask) => Promise<HostAnswer>
type Written = Omit<HostCall, "path"> & { readonly path?: string }

/** A call with the key of the step. */
function byKey(send: Send): Sendable {
  return { send: (run, step) => send(run, step, run.key(step.by).ask), needsOperator: false }
}

function operated(send: (run: RemoteRun, step: CommandStep) => Promise<HostAnswer>): Sendable {
  return { send, needsOperator: true }
}

/** A call below the path of a reservation. */
function ofReservation(write: (run: RemoteRun, step: CommandStep) => Written): Sendable {
  return byKey((run, step, ask) => reservationCall(run, { step, ask, under: "/rs/v1/reservations", write }))
}

/** The same for runners and operations. */
function byOperations(write: (run: RemoteRun, step: CommandStep) => Written): Sendable {
  return operated((run, step) => {
    const ask: Ask = (call) => run.operate({ method: "POST", ...call })
    return reservationCall(run, { step, ask, under: "/internal/v1/reservations", write })
  })
}

function reservationCall(
  run: RemoteRun,
  {
    step,
    ask,
    under,
    write,
  }: {
    readonly step: CommandStep
    readonly ask: Ask
    readonly under: string
    readonly write: (run: RemoteRun, step: CommandStep) => Written
  },
): Promise<HostAnswer> {
  const id = run.reservationId(step.for ?? "")
  if (id === null) return Promise.resolve(NOT_FOUND)
  const { path = "", ...call } = write(run, step)
  return ask({ ...call, path: `${under}/${id}${path}` })
}

function canceled(step: CommandStep, by: "ops" | "runner"): Written {
  return { path: "/cancel", body: { by, reason: step.with["reason"] } }
}

async function book(run: RemoteRun, step: CommandStep, ask: Ask): Promise<HostAnswer> {
  const key = textIfGiven(step.with, "idempotency_key")
  const written = bookingBody(run, step) as { zone_id: string; retailer_id: string; open_link_url: string }
  const body = {
    ...written,
    zone_id: run.place.idOf(written.zone_id),
    retailer_id: run.place.idOf(written.retailer_id),
    open_link_url: run.receiver.reachable(written.open_link_url),
  }
  const headers = key === undefined ? {} : { "Idempotency-Key": key }
  const answer = await ask({ path: "/rs/v1/reservations", body, headers })
  if (answer.isAccepted)
    run.reservationIds.set(step.as ?? "reservation", answer.data.reservation.reservation_id as string)
  return answer
}

/** Registers a receiver under a name; the same for `given.webhooks` and the step. */
export async function registerWebhook(
  run: RemoteRun,
  step: Pick<CommandStep, "as" | "with">,
  ask: Ask,
): Promise<HostAnswer> {
  const name = step.as ?? "webhook"
  const url = textIfGiven(step.with, "url") ?? `https://hooks.partner.example/${name}`
  const { events, is_active } = step.with
  const body = {
    url: run.receiver.reachable(url),
    subscribed_events: events ?? EVENT_TYPES,
    is_active,
  }
  const answer = await ask({ path: "/rs/v1/webhooks", body })
  if (!answer.isAccepted) return answer
  const { webhook_id, secret } = answer.data.webhook
  run.webhooks.set(name, { webhookId: webhook_id as string, urls: [url], secrets: [secret as string] })
  return answer
}

async function changeWebhook(run: RemoteRun, step: CommandStep, ask: Ask): Promise<HostAnswer> {
  const named = run.webhooks.get(step.for ?? "")
  if (named === undefined) return NOT_FOUND
  const { events, url, ...rest } = step.with
  const body = {
    ...rest,
    ...(url === undefined ? {} : { url: run.receiver.reachable(textOf(step.with, "url")) }),
    ...(events === undefined ? {} : { subscribed_events: events }),
  }
  const answer = await ask({ method: "PUT", path: `/rs/v1/webhooks/${named.webhookId}`, body })
  if (answer.isAccepted) noteChange(named, step, answer.data.webhook.secret)
  return answer
}

function noteChange(
  named: { readonly urls: string[]; readonly secrets: string[] },
  { with: { url, rotate_secret } }: CommandStep,
  secret: unknown,
): void {
  if (typeof url === "string" && !named.urls.includes(url)) named.urls.push(url)
  if (rotate_secret === true) named.secrets.push(String(secret))
}

export async function registerPickupWebhook(
  run: RemoteRun,
  step: Pick<CommandStep, "as" | "with">,
  ask: Ask,
): Promise<HostAnswer> {
  const name = step.as ?? "webhook"
  const url = textIfGiven(step.with, "url") ?? `https://hooks.partner.example/${name}`
  const body = { url: run.receiver.reachable(url), events: step.with["events"] ?? PICKUP_EVENT_TYPES }
  const answer = await atSite(run, ask, { path: "/dd/v1/webhooks", body })
  if (!answer.isAccepted) return answer
  const { webhook_id, secret } = answer.data
  run.webhooks.set(name, { webhookId: webhook_id as string, urls: [url], secrets: [secret as string] })
  return answer
}

async function changePickupWebhook(run: RemoteRun, step: CommandStep, ask: Ask): Promise<HostAnswer> {
  const named = run.webhooks.get(step.for ?? "")
  if (named === undefined) return NOT_FOUND
  const { url } = step.with
  const body = {
    ...step.with,
    ...(url === undefined ? {} : { url: run.receiver.reachable(textOf(step.with, "url")) }),
  }
  const call: HostCall = { method: "PUT", path: `/dd/v1/webhooks/${named.webhookId}`, body }
  const answer = await atSite(run, ask, call)
  if (answer.isAccepted) noteChange(named, step, answer.data.secret)
  return answer
}

async function quote(
  run: RemoteRun,
  { step, ask, name }: { readonly step: CommandStep; readonly ask: Ask; readonly name: string },
): Promise<HostAnswer> {
  const body = quoteBody(run, step.with, name)
  const site = textIfGiven(step.with, "site") ?? OWN_STORE
  run.siteByQuote.set(name, site)
  const answer = await atSite(run, ask, { path: "/dd/v1/deliveries/quote", body, site })
  if (answer.isAccepted) run.quotes.set(name, answer.data)
  return answer
}

/** A call of direct delivery at a site of the scenario; default: its own store. */
export interface CallAtSite extends HostCall {
  readonly site?: string
}

/** Sends the call with the site's id in the header that the contract names. */
export function atSite(
  run: RemoteRun,
  ask: Ask,
  { site = OWN_STORE, ...call }: CallAtSite,
): Promise<HostAnswer> {
  const siteId = run.place.deliverySites.get(site) ?? ""
  return ask({ ...call, headers: { "X-Retailer-Id": siteId, ...call.headers } })
}

/** The site of a step about an order that was quoted before: the one it names, else that of the last quote. */
export function siteOfOrder(
  { siteByQuote }: RemoteRun,
  { for: name, with: fields }: Pick<CommandStep, "for" | "with">,
): string {
  return textIfGiven(fields, "site") ?? siteByQuote.get(name ?? "") ?? OWN_STORE
}

function ofDelivery(write: (run: RemoteRun, step: CommandStep) => Omit<HostCall, "path">): Sendable {
  return byKey((run, step, ask) =>
    atSite(run, ask, {
      ...write(run, step),
      path: deliveryPath(step.for ?? ""),
      site: siteOfOrder(run, step),
    }),
  )
}

export function deliveryPath(name: string): string {
  return `/dd/v1/deliveries/${encodeURIComponent(name)}`
}

/** One step, or as many as it takes to reach the status of `to`; none if it is past that. */
async function advanceDelivery(run: RemoteRun, step: CommandStep, ask: Ask): Promise<HostAnswer> {
  const path = deliveryPath(step.for ?? "")
  const to = textIfGiven(step.with, "to") as DeliveryStatus | undefined
  const site = siteOfOrder(run, step)
  const one = (): Promise<HostAnswer> => atSite(run, ask, { method: "POST", path: `${path}/advance`, site })
  if (to === undefined) return one()
  let answer = await atSite(run, ask, { path, site })
  while (answer.isAccepted && rankOf(answer.data.status as DeliveryStatus) < rankOf(to)) answer = await one()
  return answer
}

/** A call about the run of a delivery, which operations know by an id of its own. */
async function ofRun(
  run: RemoteRun,
  step: CommandStep,
  write: (path: string) => HostCall,
): Promise<HostAnswer> {
  const name = step.for ?? ""
  const site = run.siteByQuote.get(name) ?? OWN_STORE
  const query = queryOf({ q: name, site_id: run.place.deliverySites.get(site) })
  const listed = await run.operate({ path: `/internal/v1/deliveries${query}` })
  const rows = (listed.data.deliveries ?? []) as readonly {
    external_delivery_id: string
    delivery_id: string
  }[]
  const row = rows.find((one) => one.external_delivery_id === name)
  if (row === undefined) return { ...NOT_FOUND, code: "DELIVERY_NOT_FOUND" }
  return run.operate({ method: "POST", ...write(`/internal/v1/deliveries/${row.delivery_id}`) })
}

function changeVehicle(run: RemoteRun, step: CommandStep, isOnline: boolean): Promise<HostAnswer> {
  const path = `/internal/v1/vehicles/${run.place.idOf(step.for ?? "")}`
  return run.operate({ method: "PATCH", path, body: { is_online: isOnline } })
}

function queryOf(values: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as [string, string]],
  )
  return given.length === 0 ? "" : `?${new URLSearchParams(given).toString()}`
}
