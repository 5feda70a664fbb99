/** Direct delivery's facts: each is looked up in the run as it is now, and reports what it found. */

import { hmacHex } from "#digest"
import { Effect } from "effect"
import type { ANALYTICS_PERIODS } from "../../../model/requests/analytics.ts"
import { PAGE_SIZE_MAX } from "../../../model/values/limits.ts"
import type { DeliveryStatus } from "../../../model/delivery.ts"
import { rootOf } from "../../../engine/services/actors.ts"
import { Analytics } from "../../../areas/analytics/analytics.ts"
import { currentDelivery, deliveryGroup } from "../../../areas/direct-delivery/commands.ts"
import { DirectDelivery } from "../../../areas/direct-delivery/direct-delivery.ts"
import type { DeliveryRecord } from "../../../areas/direct-delivery/record.ts"
import { ActorHost } from "../../../engine/services/host.ts"
import type { ReceivedRequest } from "../../outside-world.ts"
import type { SimulatedServices } from "../../simulated-service.ts"
import { counted } from "../language/counted.ts"
import type { DELIVERY_EXPECTATIONS } from "../language/delivery-words.ts"
import { deliveryRowOf, vehicleIdOf } from "./do-delivery.ts"
import { comparedFields, listedText, missing } from "../finding.ts"
import type { Finding } from "../finding.ts"
import { numberIfGiven, textIfGiven, textOf } from "../language/field-values.ts"
import { countRequests } from "../requests.ts"
import type { FieldValues, TimeRef } from "../language/language.ts"
import type { RunContext } from "../run-context.ts"
import { deliverySiteIdOf } from "../language/worlds.ts"
import { webhookEndpoints } from "../../../areas/webhooks/store.ts"
import { notices } from "../../../areas/webhooks/notices.ts"
import { memoryRowsOf } from "../../../engine/memory/memory-tables.ts"

/** The part of a run that facts seen from outside are about. */
type Observed = Pick<RunContext, "clock" | "quotes" | "receivedBy" | "stepMs">

type LookUp = (run: RunContext, fields: FieldValues) => Effect.Effect<Finding, never, SimulatedServices>

export const LOOK_UP_DELIVERY: Readonly<Record<keyof typeof DELIVERY_EXPECTATIONS, LookUp>> = {
  delivery: (run, fields) => findDelivery(run, fields),
  quote: (run, fields) => Effect.sync(() => findQuote(run, fields)),
  vehicle: (run, fields) => Effect.sync(() => findVehicle(run, fields)),
  pickup_webhook: (run, fields) => Effect.sync(() => findPickupWebhook(run, fields)),
  endpoint: (run, fields) => Effect.sync(() => findEndpoint(run, fields)),
  delivery_list: (run, fields) => findList(run, fields),
  analytics: (run, fields) => findAnalytics(run, fields),
}

/** True for a request in the Direct Delivery API's form. */
export function isPickup(request: ReceivedRequest): boolean {
  return request.headers["X-Service-Event"] !== undefined
}

/** The check of such a request that a receiver makes, over the raw body. */
export function isSignedPickup({ headers, body }: ReceivedRequest, secrets: readonly string[]): boolean {
  return secrets.some((secret) => hmacHex(secret, body) === headers["X-Service-Signature"])
}

/** The actual values by field; times in the site's local time. */
type Actual = { readonly [field: string]: string }

export interface Subject {
  readonly name: string
  readonly fields: FieldValues
  readonly actual: Actual
  readonly group: string | null
}

/** Compares the fields that the step names with the actual values. */
export function compareFields(
  run: Pick<RunContext, "clock" | "stepMs">,
  { name, fields, actual, group }: Subject,
): Finding {
  const wrong = Object.entries(fields).flatMap(([field, wanted]) => {
    const found = actual[field]
    if (found === undefined) return []
    const expected = shown(run, wanted)
    return expected === found ? [] : [{ field, expected, found }]
  })
  return { ...comparedFields(name, wrong), group }
}

function shown(run: Pick<RunContext, "clock" | "stepMs">, wanted: unknown): string {
  if (typeof wanted === "object" && wanted !== null && "type" in wanted) {
    return run.clock.show(run.clock.resolve(wanted as TimeRef, run.stepMs))
  }
  return typeof wanted === "string" ? wanted : JSON.stringify(wanted)
}

function clockOf(run: Pick<RunContext, "clock">, iso: string | null): string {
  return iso === null ? "null" : run.clock.show(Date.parse(iso))
}

const findDelivery = Effect.fnUntraced(function* (run: RunContext, fields: FieldValues) {
  const name = textOf(fields, "delivery")
  const row = deliveryRowOf(run, name)
  if (row === null) return missing(name, "was never created")
  const address = deliveryGroup(row.deliveryId)
  const host = yield* ActorHost
  const record = yield* host
    .view([address], currentDelivery(row.deliveryId))
    .pipe(Effect.catchAll(() => Effect.succeed(null)))
  if (record === null) return missing(name, "was never created")
  return compareFields(run, { name, fields, actual: deliveryFields(run, record), group: address })
})

/** A delivery as facts name its fields. */
export function deliveryFields(run: Pick<RunContext, "clock">, record: DeliveryRecord): Actual {
  return {
    status: record.status,
    cancellation_reason: String(record.cancellation_reason),
    pickup_eta: clockOf(run, record.pickup_eta),
    delivery_eta: clockOf(run, record.delivery_eta),
    estimated_pickup: clockOf(run, record.estimated_pickup_at),
    estimated_delivery: clockOf(run, record.estimated_delivery_at),
    fee_cents: String(record.delivery_fee_cents),
    first_name: String(record.customer.first_name),
  }
}

export function findQuote(run: Observed, fields: FieldValues): Finding {
  const name = textOf(fields, "quote")
  const quote = run.quotes.get(name)
  if (quote === undefined) return missing(name, "was never quoted")
  const actual = {
    available: String(quote.available),
    reason: String(quote.unavailable_reason),
    pickup_eta: clockOf(run, quote.pickup_eta),
    delivery_eta: clockOf(run, quote.delivery_eta),
    fee_cents: String(quote.delivery_fee_cents),
    expires_at: clockOf(run, quote.expires_at),
    earliest: clockOf(run, quote.earliest_at),
  }
  return compareFields(run, { name, fields, actual, group: null })
}

function findVehicle(run: RunContext, fields: FieldValues): Finding {
  const name = textOf(fields, "vehicle")
  const address = `vehicle/${vehicleIdOf(name)}`
  const group = run.service.host.groups.get(address)
  if (group === null) return missing(name, "is not there")
  const { context, state } = rootOf("vehicle", group)
  const { activeId, queuedIds, isOnline } = context
  const active = run.deliveryName(activeId)
  const actual = {
    active: active ?? "null",
    queued: String(queuedIds.length),
    online: String(isOnline),
    phase: state,
  }
  return compareFields(run, { name, fields, actual, group: address })
}

interface PickupBody {
  readonly event: string
  readonly data: {
    readonly external_delivery_id: string
    readonly status?: DeliveryStatus
    readonly previous_status?: DeliveryStatus
    readonly vehicle_location: object | null
  }
}

export function findPickupWebhook(run: Observed, fields: FieldValues): Finding {
  const to = textOf(fields, "to")
  return countRequests(run, fields, {
    what: `${textOf(fields, "pickup_webhook")} to ${to}`,
    requests: run.receivedBy(to).filter((request) => isPickup(request) && isAbout(request, fields)),
    idOf: ({ headers }) => headers["X-Service-Delivery-Id"],
    previousOf: ({ body }) => (JSON.parse(body) as PickupBody).data.previous_status,
  })
}

function isAbout(request: ReceivedRequest, fields: FieldValues): boolean {
  const { event, data } = JSON.parse(request.body) as PickupBody
  const isWanted = (field: string, actual: unknown): boolean =>
    fields[field] === undefined || fields[field] === actual
  return (
    isWanted("pickup_webhook", event) &&
    isWanted("for", data.external_delivery_id) &&
    isWanted("status", data.status) &&
    isWanted("vehicle_location", data.vehicle_location !== null)
  )
}

function findEndpoint(run: RunContext, fields: FieldValues): Finding {
  const name = textOf(fields, "endpoint")
  const id = run.webhooks.get(name)?.webhookId ?? ""
  const { store } = run.service.host
  const endpoint = memoryRowsOf(store, webhookEndpoints).get(id)
  if (endpoint === null) return missing(name, "is deleted")
  const told = memoryRowsOf(store, notices).all()
  const actual = {
    is_active: String(endpoint.isActive),
    consecutive_failures: String(endpoint.consecutiveFailures),
    notices: String(told.filter(({ subjectId }) => subjectId === id).length),
  }
  return compareFields(run, { name, fields, actual, group: `webhook-endpoint/${id}` })
}

function findList(run: RunContext, fields: FieldValues): Effect.Effect<Finding, never, SimulatedServices> {
  const wanted = numberIfGiven(fields, "delivery_list") ?? 0
  const expected = `${counted(wanted, "delivery", "deliveries")} ${wanted === 1 ? "is" : "are"} listed`
  return Effect.gen(function* () {
    const service = yield* DirectDelivery
    const siteId = deliverySiteIdOf(run, textIfGiven(fields, "site"))
    const status = fields["delivery_status"] as readonly DeliveryStatus[] | undefined
    const page = yield* service.list(run.partner, siteId, {
      ...(status === undefined ? {} : { status }),
      limit: PAGE_SIZE_MAX,
    })
    const found = page.deliveries.map((one) => one.status)
    return {
      holds: found.length === fields["delivery_list"],
      expected,
      actual: listedText(found),
      group: null,
    }
  }).pipe(
    Effect.catchAll(({ code }) =>
      Effect.succeed({
        holds: false,
        expected,
        actual: `it was refused with ${code}`,
        group: null,
        isLost: true,
      }),
    ),
  )
}

/** As partners read them, for the site of the stalls. */
function findAnalytics(
  run: RunContext,
  fields: FieldValues,
): Effect.Effect<Finding, never, SimulatedServices> {
  const period = textOf(fields, "analytics") as (typeof ANALYTICS_PERIODS)[number]
  const name = `analytics of ${period}`
  return Effect.gen(function* () {
    const analytics = yield* Analytics
    const siteId = run.world.sites[0]?.siteId ?? ""
    const metrics = yield* analytics.metrics(run.partner, { siteId, period })
    const actual = {
      sessions: String(metrics.autolane_sessions.total),
      dwell_seconds: String(metrics.average_dwell_time.total_seconds),
      occupancy: String(metrics.average_occupancy.percentage),
    }
    return compareFields(run, { name, fields, actual, group: null })
  }).pipe(
    Effect.catchAll(({ code }) =>
      Effect.succeed(missing(name, `were refused with ${code}`, { expected: "can be read" })),
    ),
  )
}
