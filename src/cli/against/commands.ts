/** Commands of scenarios as calls of a service: each word is the request that a partner, a runner or operations would make, or the reason why none is. */

import { Record } from "effect"
import { rankOf } from "../../model/delivery.ts"
import type { DeliveryStatus } from "../../model/delivery.ts"
import { PICKUP_EVENT_TYPES } from "../../model/webhook.ts"
import type { CommandStep } from "../../simulation/scenario/command-step.ts"
import { textIfGiven, textOf } from "../../simulation/scenario/language/field-values.ts"
import type { CommandName } from "../../simulation/scenario/language/language.ts"
import { OPERATIONS, isKeyed } from "../../simulation/scenario/operations.ts"
import type { StepOperation } from "../../simulation/scenario/operations.ts"
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
  ...Record.map(OPERATIONS, (operation: StepOperation) => ofOperation(operation)),
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

/** A call with the key of the step. */
function byKey(send: Send): Sendable {
  return { send: (run, step) => send(run, step, run.key(step.by).ask), needsOperator: false }
}

function operated(send: (run: RemoteRun, step: CommandStep) => Promise<HostAnswer>): Sendable {
  return { send, needsOperator: true }
}

function ofOperation(operation: StepOperation): Sendable {
  const needsOperator = !isKeyed(operation.endpoint)
  const send: Sendable["send"] = (run, step) =>
    sendOperation(run, step, { operation, ask: needsOperator ? run.operate : run.key(step.by).ask })
  return { send, needsOperator }
}

/** Sends the request that the endpoint's handler gets in memory. */
async function sendOperation(
  run: RemoteRun,
  step: Pick<CommandStep, "as" | "for" | "with">,
  { operation, ask }: { readonly operation: StepOperation; readonly ask: Ask },
): Promise<HostAnswer> {
  const { endpoint, request, note } = operation
  const written = request(run, step)
  if (written === null) return NOT_FOUND
  const { id = "", query = {}, ...call } = written
  const path = `${endpoint.path.replace("{id}", encodeURIComponent(id))}${queryOf(query)}`
  const answer = await ask({ ...call, method: endpoint.method, path })
  if (answer.isAccepted) note?.(run, step, answer.data)
  return answer
}

/** Registers a receiver of `given.webhooks`. */
export function registerWebhook(
  run: RemoteRun,
  step: Pick<CommandStep, "as" | "with">,
  ask: Ask,
): Promise<HostAnswer> {
  return sendOperation(run, { ...step, for: null }, { operation: OPERATIONS["webhook.register"], ask })
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
