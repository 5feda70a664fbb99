/** Bodies in the request log: what of them is kept. */

import { Schema } from "effect"
import { describe, expect, test } from "vitest"
import { LoggedNumber, LoggedText } from "../../src/http/records/date-time.ts"
import { masked } from "../../src/http/masking.ts"
import { Delivery } from "../../src/areas/direct-delivery/http/schemas.ts"
import { OneReservation } from "../../src/areas/reservations/http/schemas.ts"
import { OneWebhook } from "../../src/areas/reservations/http/webhooks.ts"
import { QuoteRequest, RegisterPickupWebhookRequest } from "../../src/model/requests/delivery-requests.ts"
import {
  BotReportRequest,
  CancelRequest,
  CreateReservationRequest,
} from "../../src/model/requests/requests.ts"
import type { AnySchema } from "../../src/model/values/schema.ts"

const M = "•••"

function kept(schema: AnySchema, value: unknown): unknown {
  return masked(schema.ast, value).value
}

describe("G23: masked bodies", () => {
  test("of a quote keep its id, its time and quantities; names, phones, addresses and free text are replaced", () => {
    const sent = {
      external_delivery_id: "order-20710",
      customer: { phone: "+15125550100", first_name: "Ada", last_name: null, email: "ada@wheels.example" },
      delivery_address: {
        street: "1 Main St",
        city: "Austin",
        state: "TX",
        zip: "78701",
        location: { lat: 30.1, lng: -97.2 },
      },
      delivery_location: { latitude: 30.28, longitude: -97.74 },
      ready_by: "2026-06-01T15:00:00Z",
      order_items: [{ name: "Test kit", quantity: 2 }],
      pickup_instructions: "ask for Bob",
    }
    expect(kept(QuoteRequest, sent)).toEqual({
      external_delivery_id: "order-20710",
      customer: { phone: M, first_name: M, last_name: null, email: M },
      delivery_address: { street: M, city: M, state: M, zip: M, location: { lat: M, lng: M } },
      delivery_location: { latitude: M, longitude: M },
      ready_by: "2026-06-01T15:00:00Z",
      order_items: [{ name: M, quantity: 2 }],
      pickup_instructions: M,
    })
  })

  test("of a reservation keep ids, windows and limits", () => {
    const sent = {
      zone_id: "zone_1",
      retailer_id: "ret_1",
      order_number: "A-17",
      end_user_name: "Ada",
      end_user_phone: "+15125550100",
      arrival_window_start: "2026-06-01T15:00:00Z",
      open_link_url: "https://open.example/secret",
      retailer_pickup_ref: "Bob's",
      payload_limit: { max_weight_kg: 4, max_dimensions_cm: { length: 1, width: 2, height: 3 } },
    }
    expect(kept(CreateReservationRequest, sent)).toEqual({
      ...sent,
      end_user_name: M,
      end_user_phone: M,
      open_link_url: M,
      retailer_pickup_ref: M,
    })
  })

  test.each<[string, AnySchema, unknown, unknown]>([
    ["a word of a closed set", BotReportRequest, { status: "ARRIVED" }, { status: "ARRIVED" }],
    ["another word", BotReportRequest, { status: "Ada" }, { status: M }],
    ["an instant", BotReportRequest, { eta: "2026-06-01T15:00:00Z" }, { eta: "2026-06-01T15:00:00Z" }],
    ["free text", BotReportRequest, { label: "Ada's bot", reason: "rain" }, { label: M, reason: M }],
    ["a reason", CancelRequest, { reason: "Ada is ill" }, { reason: M }],
    ["an unknown field", CancelRequest, { ada_lovelace: "x" }, { [M]: M }],
    ["unknown fields inside an unknown one", CancelRequest, { a: { b: "x" } }, { [M]: M }],
    [
      "a URL",
      RegisterPickupWebhookRequest,
      { url: "https://a.example/x", events: ["pickup_status.changed"] },
      { url: M, events: ["pickup_status.changed"] },
    ],
    ["a number for a text", CreateReservationRequest, { zone_id: 7 }, { zone_id: M }],
    ["an object for a text", CreateReservationRequest, { zone_id: { a: "x" } }, { zone_id: { [M]: M } }],
    ["a list for an object", CancelRequest, ["x", 1, null], [M, M, null]],
    ["a text for an object", CancelRequest, "Ada", M],
    [
      "a signing secret",
      OneWebhook,
      { webhook: { secret: "whsec_1", is_active: true } },
      { webhook: { secret: M, is_active: true } },
    ],
  ])("%s", (_, schema, sent, expected) => {
    expect(kept(schema, sent)).toEqual(expected)
  })

  test("an endpoint without a schema keeps nothing", () => {
    expect(masked(null, { a: "x" }).value).toEqual({ [M]: M })
    expect(masked(null, "x").value).toBe(M)
  })

  test("names that a prototype has are unknown fields", () => {
    expect(kept(CancelRequest, JSON.parse('{"__proto__":{"a":1},"constructor":2}'))).toEqual({ [M]: M })
  })

  test("parts beyond 8 KiB are left out, and what is kept is whole JSON", () => {
    const Many = Schema.Struct({ items: Schema.Array(Schema.Struct({ id: LoggedText, n: LoggedNumber })) })
    const items = Array.from({ length: 2_000 }, (_, n) => ({ id: `id-${n}`, n }))
    const { value, isCut } = masked(Many.ast, { items })
    expect(isCut).toBe(true)
    const text = JSON.stringify(value)
    expect(text.length).toBeLessThanOrEqual(8_192)
    expect(text.length).toBeGreaterThan(7_000)
    expect((value as { items: object[] }).items[0]).toEqual({ id: "id-0", n: 0 })
    expect(masked(Many.ast, { items: items.slice(0, 3) })).toEqual({
      value: { items: items.slice(0, 3) },
      isCut: false,
    })
  })

  /** A new field of an answer is masked until it is marked: this list says which are shown today. */
  test("answers show no text but ids, codes, currencies and instants", () => {
    const shown = (schema: AnySchema, value: object) =>
      Object.entries(kept(schema, value) as object).flatMap(([name, one]) => (one === M ? [] : [name]))
    const texts = (fields: Readonly<Record<string, unknown>>) =>
      Object.fromEntries(Object.keys(fields).map((name) => [name, "Ada"]))
    expect(shown(Delivery, texts(Delivery.fields))).toEqual([
      "external_delivery_id",
      "pickup_eta",
      "delivery_eta",
      "estimated_pickup_at",
      "estimated_delivery_at",
      "currency",
      "ready_by",
      "cancelled_at",
      "completed_at",
      "created_at",
      "updated_at",
    ])
    const { reservation } = OneReservation.fields
    expect(shown(reservation, texts(reservation.fields))).toEqual([
      "reservation_id",
      "zone_id",
      "stall_id",
      "stall_label",
      "retailer_id",
      "order_number",
      "arrival_window_start",
      "arrival_window_end",
      "created_at",
      "updated_at",
    ])
  })
})
