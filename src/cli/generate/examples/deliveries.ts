/** Examples of the Direct Delivery API: deliveries from quote to cancellation, and one request for each error. */

import { CLOSED_SITES } from "../../../live/demo/demo-deliveries.ts"
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../model/values/time.ts"
import { BODY_BYTES_MAX, WEBHOOK_ENDPOINTS_MAX } from "../../../model/values/limits.ts"
import { PICKUP_EVENT_TYPES } from "../../../model/webhook.ts"
import type { RecordedExamples } from "../../../http/recorded-examples.ts"
import { iso, makeRecorder, recordCommonErrors } from "./recorder.ts"
import type { Recorder } from "./recorder.ts"
import { openSandbox } from "./sandbox.ts"
import type { Ask, Sandbox } from "./sandbox.ts"

const DELIVERIES = "/dd/v1/deliveries"
const QUOTE = `${DELIVERIES}/quote`
const WEBHOOKS = "/dd/v1/webhooks"
const HOOK = "https://hooks.retailer.example/curbline"

export async function recordDeliveries(): Promise<RecordedExamples> {
  const sandbox = await openSandbox()
  const recorder = makeRecorder(sandbox)
  const hookId = await recordEndpoint(recorder, sandbox)
  await recordDelivery(recorder, sandbox)
  await recordLog(recorder, sandbox, hookId)
  const odd = await openSandbox()
  await recordQuoteErrors(recorder, odd)
  await recordOtherErrors(recorder, odd)
  const ask: Ask = { method: "GET", path: DELIVERIES, headers: atSite(odd) }
  const big = { ...ask, method: "POST", body: { external_delivery_id: "x".repeat(BODY_BYTES_MAX) } } as const
  await recordCommonErrors(recorder, odd, { ask, big })
  return recorder.recorded
}

function atSite({ siteId }: Sandbox): Record<string, string> {
  return { "x-retailer-id": siteId }
}

function quoting({ nowMs }: Sandbox, more: object = {}): object {
  return {
    external_delivery_id: "order-5001",
    customer: {
      first_name: "Ada",
      last_name: "Example",
      phone: "+15125550123",
      email: "ada@customer.example",
    },
    delivery_address: { street: "1 Sample St", city: "Austin", state: "TX", zip: "78758", unit: "4B" },
    delivery_location: { latitude: 30.3872, longitude: -97.7066 },
    ready_by: iso(nowMs() + 20 * MINUTE_MS),
    order_items: [
      { name: "Whole milk", quantity: 2 },
      { name: "Sourdough loaf", quantity: 1 },
    ],
    pickup_instructions: "Ask for the order at the side door.",
    ...more,
  }
}

async function recordEndpoint({ exchange }: Recorder, { pass }: Sandbox): Promise<string> {
  const made = await exchange("registerWebhook", "all-events", {
    method: "POST",
    path: WEBHOOKS,
    body: { url: HOOK, events: PICKUP_EVENT_TYPES },
  })
  pass(10 * SECOND_MS)
  await exchange("listWebhooks", "one", { method: "GET", path: WEBHOOKS })
  return textAt(made, "webhook_id")
}

async function recordDelivery({ exchange }: Recorder, sandbox: Sandbox): Promise<void> {
  const { pass } = sandbox
  const headers = atSite(sandbox)
  const post = (path: string, body: object): Ask => ({ method: "POST", path, headers, body })
  await exchange("quoteDelivery", "available", post(QUOTE, quoting(sandbox)))
  const faraway = {
    external_delivery_id: "order-5002",
    delivery_address: { street: "1 Far Rd", city: "Dallas", state: "TX", zip: "75201" },
    delivery_location: { latitude: 32.7767, longitude: -96.797 },
  }
  await exchange("quoteDelivery", "unavailable", post(QUOTE, quoting(sandbox, faraway)))
  pass(30 * SECOND_MS)
  const create = post(DELIVERIES, { external_delivery_id: "order-5001" })
  await exchange("createDelivery", "booked", create)
  await exchange("createDelivery", "sent-again", create)
  const path = `${DELIVERIES}/order-5001`
  pass(MINUTE_MS)
  await exchange("advanceDelivery", "next-status", { method: "POST", path: `${path}/advance`, headers })
  pass(5 * MINUTE_MS)
  await exchange("readDelivery", "on-its-way", { method: "GET", path, headers })
  await sandbox.ask(post(QUOTE, quoting(sandbox, { external_delivery_id: "order-5003" })))
  await sandbox.ask(post(DELIVERIES, { external_delivery_id: "order-5003" }))
  await exchange("cancelDelivery", "with-a-reason", {
    method: "PATCH",
    path: `${DELIVERIES}/order-5003`,
    headers,
    body: { status: "CANCELLED", cancellation_reason: "Out of stock." },
  })
  await exchange("listDeliveries", "newest-first", { method: "GET", path: `${DELIVERIES}?limit=2`, headers })
}

async function recordLog({ exchange, events }: Recorder, { pass }: Sandbox, hookId: string): Promise<void> {
  const path = `${WEBHOOKS}/${hookId}`
  const tested = await exchange("testWebhook", "queued", { method: "POST", path: `${path}/test` })
  pass(MINUTE_MS)
  await exchange("readWebhook", "active", { method: "GET", path })
  await exchange("listWebhookDeliveries", "newest-first", {
    method: "GET",
    path: `${path}/deliveries?limit=2`,
  })
  const again = `${path}/deliveries/${textAt(tested, "delivery_id")}/redeliver`
  await exchange("redeliverWebhook", "queued-again", { method: "POST", path: again })
  pass(MINUTE_MS)
  await exchange("changeWebhook", "fewer-events", {
    method: "PUT",
    path,
    body: { events: ["pickup_status.changed"] },
  })
  await exchange("changeWebhook", "new-secret", { method: "PUT", path, body: { rotate_secret: true } })
  await exchange("deleteWebhook", "deleted", { method: "DELETE", path })
  events(HOOK, (body) => String(body["event"]))
}

async function recordQuoteErrors({ refusal }: Recorder, sandbox: Sandbox): Promise<void> {
  const { world, nowMs, pass } = sandbox
  const headers = atSite(sandbox)
  const quote = (more: object, siteId?: string): Ask => ({
    method: "POST",
    path: QUOTE,
    headers: siteId === undefined ? headers : { "x-retailer-id": siteId },
    body: quoting(sandbox, more),
  })
  const create = (external_delivery_id: string): Ask => ({
    method: "POST",
    path: DELIVERIES,
    headers,
    body: { external_delivery_id },
  })
  await refusal(sandbox, "VALIDATION_ERROR", quote({ order_items: [{ name: "Whole milk", quantity: 0 }] }))
  await refusal(sandbox, "INVALID_READY_BY", quote({ ready_by: iso(nowMs() - HOUR_MS) }))
  await refusal(sandbox, "RETAILER_NOT_FOUND", quote({}, "0f0e0d0c-1b2a-4c3d-8e5f-6a7b8c9d0e1f"))
  await refusal(sandbox, "RETAILER_INACTIVE", quote({}, CLOSED_SITES.inactive))
  await refusal(sandbox, "RETAILER_NOT_CONFIGURED", quote({}, CLOSED_SITES.unconfigured))
  const unknown = { street: "1 Sample St", city: "Nowhere", state: "TX", zip: "00000" }
  await refusal(sandbox, "GEOCODE_FAILED", quote({ delivery_address: unknown, delivery_location: null }))
  world.isGeocoderDown = true
  await refusal(sandbox, "GEOCODING_UNAVAILABLE", quote({ delivery_location: null }))
  world.isGeocoderDown = false
  await refusal(sandbox, "QUOTE_NOT_FOUND", create("order-unknown"))
  await sandbox.ask(quote({ delivery_location: { latitude: 32.7767, longitude: -96.797 } }))
  await refusal(sandbox, "QUOTE_UNAVAILABLE", create("order-5001"))
  await sandbox.ask(quote({ external_delivery_id: "order-5002" }))
  pass(HOUR_MS)
  await refusal(sandbox, "QUOTE_EXPIRED", create("order-5002"))
  const ids = ["order-5003", "order-5004", "order-5005"]
  for (const external_delivery_id of ids) await sandbox.ask(quote({ external_delivery_id }))
  for (const id of ids.slice(0, 2)) await sandbox.ask(create(id))
  await refusal(sandbox, "NO_CAPACITY", create("order-5005"))
  await refusal(sandbox, "DELIVERY_ALREADY_EXISTS", quote({ external_delivery_id: "order-5003" }))
}

async function recordOtherErrors({ refusal }: Recorder, sandbox: Sandbox): Promise<void> {
  const { world } = sandbox
  const headers = atSite(sandbox)
  const path = `${DELIVERIES}/order-5003`
  await refusal(sandbox, "DELIVERY_NOT_FOUND", {
    method: "GET",
    path: `${DELIVERIES}/order-unknown`,
    headers,
  })
  await sandbox.ask({ method: "PATCH", path, headers, body: { status: "CANCELLED" } })
  await refusal(sandbox, "INVALID_STATE", { method: "POST", path: `${path}/advance`, headers })
  await refusal(sandbox, "NOT_FOUND", { method: "GET", path: `${WEBHOOKS}/unknown` })
  const register = (url: string): Ask => ({
    method: "POST",
    path: WEBHOOKS,
    body: { url, events: ["pickup_status.changed"] },
  })
  await refusal(sandbox, "INVALID_WEBHOOK_URL", register("http://hooks.retailer.example/curbline"))
  world.breakHost("hooks.retailer.example", "unavailable")
  await refusal(sandbox, "URL_VALIDATION_UNAVAILABLE", register(HOOK))
  world.breakHost("hooks.retailer.example", null)
  for (let count = 0; count < WEBHOOK_ENDPOINTS_MAX; count += 1)
    await sandbox.ask(register(`${HOOK}/${count}`))
  await refusal(sandbox, "WEBHOOK_LIMIT_REACHED", register(HOOK))
}

/** Reads a text of `data`. */
function textAt({ data }: Readonly<Record<string, unknown>>, field: string): string {
  return String((data as Readonly<Record<string, unknown>>)[field])
}
