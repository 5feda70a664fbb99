/** Facts of scenarios as a service shows them over HTTP: in its answers, its events and what receivers got; or the reason why a fact cannot be seen. */

import type { DeliveryRecord } from "../../areas/direct-delivery/record.ts"
import {
  compareFields,
  deliveryFields,
  findPickupWebhook,
  findQuote,
} from "../../simulation/scenario/direct-delivery/facts.ts"
import type { ReservationRecord } from "../../areas/reservations/record.ts"
import { PAGE_SIZE_MAX } from "../../model/values/limits.ts"
import { findOrder } from "../../simulation/scenario/arrival-order.ts"
import { counted } from "../../simulation/scenario/language/counted.ts"
import { numberIfGiven, textIfGiven, textOf } from "../../simulation/scenario/language/field-values.ts"
import { listedText } from "../../simulation/scenario/finding.ts"
import type { Finding } from "../../simulation/scenario/finding.ts"
import type { ExpectationName, FieldValues } from "../../simulation/scenario/language/language.ts"
import {
  compareReservation,
  countOpenLinkCalls,
  findBelief,
  findException,
  findMilestone,
  findSignatures,
  findWebhook,
} from "../../simulation/scenario/outside-facts.ts"
import { openLinkUrlOf } from "../../simulation/scenario/request-bodies.ts"
import { atSite, deliveryPath, siteOfOrder } from "./commands.ts"
import type { Reason } from "./commands.ts"
import { OWN_STORE } from "./place.ts"
import type { RemoteRun } from "./remote-run.ts"
import type { HostAnswer } from "./sandbox-host.ts"

export interface Seen {
  readonly look: (run: RemoteRun, fields: FieldValues) => Promise<Finding>
  /** Fields of the fact that cannot be seen, each with the reason. */
  readonly unseen?: Readonly<Record<string, Reason>>
  /** Fields that only operations can see. */
  readonly operated?: readonly string[]
}

const CONNECTOR = "errands belong to the connector, which the sandbox does not have"

export const SEE: Readonly<Record<ExpectationName, Reason | Seen>> = {
  reservation: {
    look: findReservation,
    unseen: { runner: "runners of a scenario are not those of a service" },
    operated: ["takes_order_back"],
  },
  exception: { look: withEvents(findException) },
  milestone: { look: withEvents(findMilestone) },
  webhook: { look: now(findWebhook) },
  order: { look: now(findOrder) },
  deliveries: "the API does not show the states of deliveries to receivers",
  believes: { look: now(findBelief) },
  signature: { look: now(findSignatures) },
  open_link: { look: now(findOpenLink) },
  state: "states of machines are inside of the service",
  listed: { look: findListed },
  delivery: { look: findDelivery },
  quote: { look: now(findQuote) },
  vehicle: {
    look: findVehicle,
    unseen: { phase: "the API does not show how far along a vehicle is" },
    operated: ["active", "online", "queued"],
  },
  pickup_webhook: { look: now(findPickupWebhook) },
  endpoint: {
    look: findEndpoint,
    unseen: { notices: "notices to owners are mails" },
    operated: ["consecutive_failures", "is_active"],
  },
  delivery_list: { look: findDeliveryList },
  analytics: { look: findAnalytics },
  errand: CONNECTOR,
  released: CONNECTOR,
  texts: "texts go out to customers and have no list in the API",
  compartment: "the fleet that opens compartments is not on this machine",
}

type Look = (run: RemoteRun, fields: FieldValues) => Promise<Finding>

function now(look: (run: RemoteRun, fields: FieldValues) => Finding): Look {
  return (run, fields) => Promise.resolve(look(run, fields))
}

function withEvents(look: (run: RemoteRun, fields: FieldValues) => Finding): Look {
  return async (run, fields) => {
    await run.readEvents()
    return look(run, fields)
  }
}

async function findReservation(run: RemoteRun, fields: FieldValues): Promise<Finding> {
  const name = textOf(fields, "reservation")
  const id = run.reservationId(name)
  if (id === null) return lost(`${name} exists`, `${name} was never booked`)
  const answer = await readFor(run, id)
  if (!answer.isAccepted) return refused(`${name} can be read`, answer)
  const record = answer.data.reservation as ReservationRecord
  const isReturning =
    fields["takes_order_back"] === undefined
      ? undefined
      : (await run.operate({ path: `/internal/v1/reservations/${id}` })).data.reservation
          ?.is_order_returning === true
  return compareReservation(run, {
    name,
    fields,
    record,
    address: `reservation/${id}`,
    isReturning,
    runner: undefined,
  })
}

/** With a key of the organization whose it is. */
async function readFor(run: RemoteRun, id: string): Promise<HostAnswer> {
  const path = `/rs/v1/reservations/${id}`
  const [own, ...others] = await Promise.all(run.place.controls.map((ask) => ask({ path })))
  if (own === undefined) throw new Error("a run has a key of its own")
  return [own, ...others].find(({ isAccepted }) => isAccepted) ?? own
}

function findOpenLink(run: RemoteRun, fields: FieldValues): Finding {
  const url = openLinkUrlOf(textOf(fields, "open_link"))
  return countOpenLinkCalls(run, fields, run.receivedAt([url]))
}

async function findListed(run: RemoteRun, fields: FieldValues): Promise<Finding> {
  const wanted = numberIfGiven(fields, "listed") ?? 0
  const expected = `${counted(wanted, "reservation")} ${wanted === 1 ? "is" : "are"} listed`
  const order = textIfGiven(fields, "order_number")
  const query = new URLSearchParams({ limit: String(PAGE_SIZE_MAX) })
  for (const status of (fields["status"] as readonly string[] | undefined) ?? [])
    query.append("status", status)
  if (order !== undefined) query.set("order_number", order)
  const { ask } = run.key(textIfGiven(fields, "by"))
  const answer = await ask({ path: `/rs/v1/reservations?${query.toString()}` })
  if (!answer.isAccepted) return refused(expected, answer)
  const own = new Set(run.reservationIds.values())
  const all = answer.data.reservations as readonly { reservation_id: string; status: string }[]
  // An organization that is not the run's own has more.
  const found = run.place.organizationId === null ? all.filter((one) => own.has(one.reservation_id)) : all
  return {
    holds: found.length === fields["listed"],
    expected,
    actual: listedText(found.map(({ status }) => status)),
    group: null,
  }
}

async function findDelivery(run: RemoteRun, fields: FieldValues): Promise<Finding> {
  const name = textOf(fields, "delivery")
  const site = siteOfOrder(run, { for: name, with: fields })
  const answer = await atSite(run, run.place.control, { path: deliveryPath(name), site })
  if (!answer.isAccepted) return lost(`${name} exists`, `${name} was never created`)
  const actual = deliveryFields(run, answer.data as DeliveryRecord)
  return compareFields(run, { name, fields, actual, group: null })
}

async function findVehicle(run: RemoteRun, fields: FieldValues): Promise<Finding> {
  const name = textOf(fields, "vehicle")
  const path = `/internal/v1/vehicles?q=${encodeURIComponent(run.place.idOf(name))}`
  const answer = await run.operate({ path })
  const [vehicle] = (answer.data.vehicles ?? []) as readonly {
    run: { external_delivery_id: string } | null
    queued: number
    state: string
  }[]
  if (vehicle === undefined) return lost(`${name} exists`, `${name} is not there`)
  const actual = {
    active: vehicle.run?.external_delivery_id ?? "null",
    queued: String(vehicle.queued),
    online: String(vehicle.state !== "offline"),
  }
  return compareFields(run, { name, fields, actual, group: null })
}

async function findEndpoint(run: RemoteRun, fields: FieldValues): Promise<Finding> {
  const name = textOf(fields, "endpoint")
  const id = run.webhooks.get(name)?.webhookId ?? ""
  const answer = await run.operate({ path: `/internal/v1/webhook-endpoints?q=${encodeURIComponent(id)}` })
  const [endpoint] = (answer.data.webhook_endpoints ?? []) as readonly {
    state: string
    consecutive_failures: number
  }[]
  if (endpoint === undefined) return lost(`${name} exists`, `${name} is deleted`)
  const actual = {
    is_active: String(endpoint.state !== "disabled" && endpoint.state !== "off"),
    consecutive_failures: String(endpoint.consecutive_failures),
  }
  return compareFields(run, { name, fields, actual, group: null })
}

async function findDeliveryList(run: RemoteRun, fields: FieldValues): Promise<Finding> {
  const wanted = numberIfGiven(fields, "delivery_list") ?? 0
  const expected = `${counted(wanted, "delivery", "deliveries")} ${wanted === 1 ? "is" : "are"} listed`
  const query = new URLSearchParams({ limit: String(PAGE_SIZE_MAX) })
  for (const one of (fields["delivery_status"] as readonly string[] | undefined) ?? [])
    query.append("status", one)
  const site = textIfGiven(fields, "site") ?? OWN_STORE
  const path = `/dd/v1/deliveries?${query.toString()}`
  const answer = await atSite(run, run.key(undefined).ask, { path, site })
  if (!answer.isAccepted) return refused(expected, answer)
  const all = answer.data as readonly { external_delivery_id: string; status: string }[]
  const isOwn = (one: { external_delivery_id: string }): boolean =>
    run.place.organizationId !== null || run.deliveries.has(one.external_delivery_id)
  const found = all.filter(isOwn).map(({ status }) => status)
  return {
    holds: found.length === fields["delivery_list"],
    expected,
    actual: listedText(found),
    group: null,
  }
}

async function findAnalytics(run: RemoteRun, fields: FieldValues): Promise<Finding> {
  const period = textOf(fields, "analytics")
  const name = `analytics of ${period}`
  const query = new URLSearchParams({ siteId: run.place.stallSiteId ?? "", period })
  const answer = await run.place.control({ path: `/avrh/v1/analytics/metrics?${query.toString()}` })
  if (!answer.isAccepted) return refused(`${name} can be read`, answer)
  const metrics = answer.data
  const actual = {
    sessions: String(metrics.autolane_sessions?.total),
    dwell_seconds: String(metrics.average_dwell_time?.total_seconds),
    occupancy: String(metrics.average_occupancy?.percentage),
  }
  return compareFields(run, { name, fields, actual, group: null })
}

/** Waiting cannot change it. */
function lost(expected: string, actual: string): Finding {
  return { holds: false, expected, actual, group: null, isLost: true }
}

function refused(expected: string, { code, status }: HostAnswer): Finding {
  return lost(expected, `it was refused with ${code ?? status}`)
}
