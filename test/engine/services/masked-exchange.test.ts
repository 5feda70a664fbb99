/** Bodies of outbound calls keep what cannot be personal or secret, and nothing else. */

import { describe, expect, test } from "vitest"
import { maskedExchange } from "../../../src/engine/services/outbound/masked-exchange.ts"

const MASK = "•••"

function kept(body: unknown): unknown {
  return JSON.parse(maskedExchange(JSON.stringify(body))?.text ?? "null")
}

const PERSONAL = {
  name: "Adelheid Quetzal",
  phone: "+15125550100",
  digits: "5125550100",
  address: "1187 Congress Ave, Austin",
  email: "adelheid@example.com",
  token: "tok_4f9aXb2Q",
  secret: "whsec_0123456789abcdef0123456789abcdef0123456789abcdef",
  signature: "t=1772450000,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd",
  url: "https://photos.example/a?signature=b",
  code: "842193",
  jwt: "eyJhbGciOiJIUzI1NiJ9.e30.Et9HFtf9R3GEMA0IICOfFMVXY7kkTX1wr4qCyIf58U",
}

describe("a body of a call", () => {
  test("keeps ids, instants, booleans, words and statuses where they belong", () => {
    const body = {
      event_id: "evt_01J8ZQ4T6Y8K1M3N5P7R9S0T2V",
      event_type: "reservation.status_changed",
      occurred_at: "2026-03-02T17:30:00.000001Z",
      data: {
        reservation: { reservation_id: "res_0123456789abcdefghijkl", status: "canceled" },
        opened: false,
      },
      error: { code: "DOOR_JAMMED", status: 500 },
      details: null,
    }
    expect(kept(body)).toEqual(body)
  })

  test("keeps the event of a delivery, its site and its status, and masks the order and the place", () => {
    const body = {
      event: "pickup_status.changed",
      timestamp: "2026-03-02T17:30:00.000Z",
      data: {
        retailer_id: "5a7d0c1e-7e57-4b0c-9a1d-000000000001",
        external_delivery_id: "order-1187",
        status: "ASSIGNED",
        previous_status: "SCHEDULED",
        vehicle_location: { latitude: 30.26, longitude: -97.74 },
      },
    }
    const data = { ...body.data, external_delivery_id: MASK, vehicle_location: { [MASK]: MASK } }
    expect(kept(body)).toEqual({ ...body, data })
  })

  test("keeps the attempt's id, by which a receiver finds the call in its own log", () => {
    const body = { attempt_id: "6f1d1c0e-2b7a-4c8e-9a41-3f0d5c2e7b16" }
    expect(kept(body)).toEqual(body)
    expect(kept({ id: body.attempt_id, token: body.attempt_id })).toEqual({ id: MASK, [MASK]: MASK })
  })

  test.each(Object.entries(PERSONAL))("masks a %s in every field, known or not", (_, value) => {
    for (const field of [
      "message",
      "data",
      "order_number",
      "title",
      "id",
      "occurred_at",
      "bot_label",
      "event_id",
      "attempt_id",
      "external_delivery_id",
      "retailer_id",
      "timestamp",
    ])
      expect(kept({ [field]: value })).toEqual({ [field]: MASK })
    for (const field of ["status", "code", "reason", "error", "event", "type", "state"])
      expect(kept({ [field]: value }), field).toEqual({ [field]: MASK })
    expect(kept({ [value]: 1, unknown: value })).toEqual({ [MASK]: MASK })
    expect(kept({ errors: [{ message: value }, value] })).toEqual({ errors: [{ message: MASK }, MASK] })
  })

  test("masks numbers that are no HTTP status", () => {
    expect(kept({ code: 842_193, status: 503, id: 503, phone: 5_125_550_100 })).toEqual({
      code: MASK,
      status: 503,
      id: MASK,
      [MASK]: MASK,
    })
  })

  test("is replaced as a whole when it is no JSON, is too long, or has no end", () => {
    for (const text of ["Adelheid is not at home", "<html>1187 Congress Ave</html>", '{"status":"ok"'])
      expect(maskedExchange(text)).toEqual({ text: JSON.stringify(MASK), isCut: false })
    expect(maskedExchange('{"status":"ok"}', false)).toEqual({ text: JSON.stringify(MASK), isCut: true })
    const long = JSON.stringify({ errors: Array.from({ length: 9_000 }, () => true) })
    expect(maskedExchange(long)).toEqual({ text: JSON.stringify(MASK), isCut: true })
    expect(maskedExchange("  ")).toBeNull()
  })
})
