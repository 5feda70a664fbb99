/** Examples of the Reservations API: one visit from booking to completion, and one request for each error. */

import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../model/values/time.ts"
import { BODY_BYTES_MAX, WEBHOOK_ENDPOINTS_MAX } from "../../../model/values/limits.ts"
import { Refused } from "../../../model/values/errors.ts"
import { EVENT_TYPES } from "../../../model/webhook.ts"
import type { CatalogZone } from "../../../areas/catalog/rows.ts"
import type { RecordedExamples } from "../../../http/recorded-examples.ts"
import { iso, makeRecorder, recordCommonErrors } from "./recorder.ts"
import type { Recorder } from "./recorder.ts"
import { openSandbox } from "./sandbox.ts"
import type { Ask, Sandbox } from "./sandbox.ts"

const RESERVATIONS = "/rs/v1/reservations"
const WEBHOOKS = "/rs/v1/webhooks"
const HOOK = "https://hooks.partner.example/curbline"

export async function recordReservations(): Promise<RecordedExamples> {
  const sandbox = await openSandbox()
  const recorder = makeRecorder(sandbox)
  await recordVisit(recorder, sandbox)
  const bare: CatalogZone = { ...sandbox.zone, zoneId: "zone_without_stalls", stalls: [] }
  const odd = await openSandbox([bare])
  await recordBookingErrors(recorder, odd, bare.zoneId)
  await recordOtherErrors(recorder, odd)
  const ask: Ask = { method: "GET", path: RESERVATIONS }
  await recordCommonErrors(recorder, odd, { ask, big: { ...ask, method: "POST", body: tooLarge() } })
  return recorder.recorded
}

function tooLarge(): object {
  return { end_user_name: "x".repeat(BODY_BYTES_MAX) }
}

function booking(sandbox: Sandbox, more: object = {}): object {
  const { zone, nowMs } = sandbox
  return {
    zone_id: zone.zoneId,
    retailer_id: zone.retailers[0]?.retailerId,
    order_number: "A-1001",
    end_user_name: "Ada Example",
    end_user_phone: "+15125550100",
    arrival_window_start: iso(nowMs() + 30 * MINUTE_MS),
    arrival_window_end: iso(nowMs() + 60 * MINUTE_MS),
    open_link_url: "https://doors.partner.example/open/7",
    ...more,
  }
}

async function recordVisit({ exchange, events }: Recorder, sandbox: Sandbox): Promise<void> {
  const { pass, nowMs } = sandbox
  await exchange("listRetailers", "sandbox", { method: "GET", path: "/rs/v1/retailers" })
  const hook = await exchange("registerWebhook", "all-events", {
    method: "POST",
    path: WEBHOOKS,
    body: { url: HOOK, subscribed_events: EVENT_TYPES },
  })
  const hookId = textAt(hook, "webhook", "webhook_id")
  pass(10 * SECOND_MS)
  await exchange("listWebhooks", "one", { method: "GET", path: WEBHOOKS })
  const create: Ask = {
    method: "POST",
    path: RESERVATIONS,
    headers: { "idempotency-key": "order-A-1001" },
    body: booking(sandbox, {
      retailer_pickup_ref: "PICKUP-17",
      payload_limit: { max_weight_kg: 9, max_dimensions_cm: { length: 40, width: 30, height: 30 } },
    }),
  }
  const created = await exchange("createReservation", "booked", create)
  await exchange("createReservation", "sent-again", create)
  const path = `${RESERVATIONS}/${textAt(created, "reservation", "reservation_id")}`
  pass(MINUTE_MS)
  const later = { arrival_window_end: iso(nowMs() + 75 * MINUTE_MS) }
  await exchange("moveArrivalWindow", "later-end", { method: "PATCH", path, body: later })
  pass(20 * MINUTE_MS)
  const step: Ask = { method: "POST", path: `${path}/advance` }
  await exchange("advanceReservation", "next-step", { ...step, body: {} })
  const hold = { reason_code: "order_not_ready_hold", message: "Ready in five minutes." }
  await exchange("advanceReservation", "exception", { ...step, body: hold })
  const inbound = { status: "INBOUND", label: "Bot 7", eta: iso(nowMs() + 10 * MINUTE_MS) }
  await exchange("reportBot", "inbound", { method: "POST", path: `${path}/bot`, body: inbound })
  for (let count = 0; count < 6; count += 1) {
    pass(2 * MINUTE_MS)
    await sandbox.ask(step)
  }
  await exchange("readReservation", "loaded", { method: "GET", path })
  await exchange("reportBot", "secured", {
    method: "POST",
    path: `${path}/bot`,
    body: { status: "SECURED", occurred_at: iso(nowMs()) },
  })
  const other = await sandbox.ask({
    ...create,
    headers: {},
    body: booking(sandbox, { order_number: "A-1002" }),
  })
  const otherId = textAt(other.body, "reservation", "reservation_id")
  pass(MINUTE_MS)
  await exchange("cancelReservation", "with-a-reason", {
    method: "DELETE",
    path: `${RESERVATIONS}/${otherId}?reason=the+customer+changed+their+mind`,
  })
  await exchange("listReservations", "newest-first", { method: "GET", path: `${RESERVATIONS}?limit=2` })
  await exchange("changeWebhook", "fewer-events", {
    method: "PUT",
    path: `${WEBHOOKS}/${hookId}`,
    body: { subscribed_events: ["reservation.status_changed"] },
  })
  await exchange("changeWebhook", "new-secret", {
    method: "PUT",
    path: `${WEBHOOKS}/${hookId}`,
    body: { rotate_secret: true },
  })
  events(HOOK, (body) => String(body["event_type"]))
}

async function recordBookingErrors(
  { refusal, failure }: Recorder,
  sandbox: Sandbox,
  bareZoneId: string,
): Promise<void> {
  const { nowMs, world } = sandbox
  const post = (more: object, headers: Ask["headers"] = {}): Ask => ({
    method: "POST",
    path: RESERVATIONS,
    headers,
    body: booking(sandbox, more),
  })
  const window = (fromMs: number, lengthMs: number): Ask =>
    post({
      arrival_window_start: iso(nowMs() + fromMs),
      arrival_window_end: iso(nowMs() + fromMs + lengthMs),
    })
  const refused: readonly (readonly [Parameters<Recorder["refusal"]>[1], Ask])[] = [
    ["VALIDATION_ERROR", post({ end_user_phone: "555-0100" })],
    ["ZONE_NOT_FOUND", post({ zone_id: "zone_unknown" })],
    ["RETAILER_NOT_SUPPORTED_IN_ZONE", post({ retailer_id: "retailer_elsewhere" })],
    ["ZONE_HAS_NO_STALLS", post({ zone_id: bareZoneId })],
    ["WINDOW_IN_PAST", window(-HOUR_MS, 30 * MINUTE_MS)],
    ["WINDOW_TOO_FAR_OUT", window(2 * DAY_MS, 30 * MINUTE_MS)],
    ["WINDOW_TOO_SHORT", window(HOUR_MS, MINUTE_MS)],
    ["WINDOW_TOO_LONG", window(HOUR_MS, 3 * HOUR_MS)],
    ["INVALID_OPEN_LINK", post({ open_link_url: "http://doors.partner.example/open/7" })],
  ]
  for (const [code, ask] of refused) await refusal(sandbox, code, ask)
  const key = { "idempotency-key": "order-A-1001" }
  await sandbox.ask(post({}, key))
  await refusal(sandbox, "IDEMPOTENCY_KEY_REUSED", post({ order_number: "A-1002" }, key))
  // In memory requests run one after the other, so this error cannot occur by itself.
  const error = new Refused({ code: "IDEMPOTENCY_IN_PROGRESS" })
  await failure(sandbox, "IDEMPOTENCY_IN_PROGRESS", { ask: post({}, key), error })
  world.breakHost("doors.partner.example", "unavailable")
  await refusal(sandbox, "URL_VALIDATION_UNAVAILABLE", post({}))
  world.breakHost("doors.partner.example", null)
}

async function recordOtherErrors({ refusal }: Recorder, sandbox: Sandbox): Promise<void> {
  const { makeKey, makeOrganization } = sandbox
  const organizationId = makeOrganization({ isFleetPartner: false })
  const retailers: Ask = { method: "GET", path: "/rs/v1/retailers" }
  await refusal(sandbox, "NOT_FLEET_PARTNER", { ...retailers, key: makeKey({ organizationId }) })
  const booked = await sandbox.ask({ method: "POST", path: RESERVATIONS, body: booking(sandbox) })
  const path = `${RESERVATIONS}/${textAt(booked.body, "reservation", "reservation_id")}`
  await refusal(sandbox, "NOT_FOUND", { method: "GET", path: `${RESERVATIONS}/res_unknown` })
  const report = (status: string): Ask => ({ method: "POST", path: `${path}/bot`, body: { status } })
  await sandbox.ask(report("READY_FOR_HANDOFF"))
  await refusal(sandbox, "BOT_STATUS_REGRESSION", report("INBOUND"))
  await sandbox.ask({ method: "DELETE", path })
  await refusal(sandbox, "INVALID_STATE", report("SECURED"))
  const register = (url: string): Ask => ({
    method: "POST",
    path: WEBHOOKS,
    body: { url, subscribed_events: ["reservation.status_changed"] },
  })
  await refusal(sandbox, "INVALID_WEBHOOK_URL", register("http://hooks.partner.example/curbline"))
  for (let count = 0; count < WEBHOOK_ENDPOINTS_MAX; count += 1)
    await sandbox.ask(register(`${HOOK}/${count}`))
  await refusal(sandbox, "WEBHOOK_LIMIT_REACHED", register(HOOK))
}

/** Reads a text inside `data`. */
function textAt({ data }: Readonly<Record<string, unknown>>, resource: string, field: string): string {
  const one = (data as Readonly<Record<string, Readonly<Record<string, unknown>>>>)[resource]
  return String(one?.[field])
}
