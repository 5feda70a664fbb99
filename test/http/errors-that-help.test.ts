/** Errors that say what to do next: every allowed value, the broken bound, the differing field, the misspelt name. */

import { connect } from "node:net"
import type { AddressInfo } from "node:net"
import { describe, expect, test } from "vitest"
import { MINUTE_MS } from "../../src/model/values/time.ts"
import { iso, makeApi } from "./api.ts"
import type { Api } from "./api.ts"

const LIST = "/rs/v1/reservations"
const WEBHOOKS = "/rs/v1/webhooks"
const KEY = { "idempotency-key": "key-1" }

async function detailsOf(api: Api, method: string, path: string, body: object): Promise<unknown> {
  const answered = await api.call(method, path, { body })
  expect([answered.status, answered.code]).toEqual([400, "VALIDATION_ERROR"])
  return answered.body["details"]
}

describe("a value outside an enumeration", () => {
  test("is answered with every allowed value", async () => {
    const api = await makeApi()
    const statuses = '"INBOUND", "ARRIVED", "READY_FOR_HANDOFF", "SECURED", "DEPARTED", "ABORTED"'
    expect(await detailsOf(api, "POST", `${LIST}/res_1/bot`, { status: "GONE" })).toEqual([
      { field: "status", message: `must be one of ${statuses}, is "GONE"` },
    ])
    const events = '"reservation.status_changed", "reservation.handoff_updated", "reservation.exception"'
    const registering = { url: "https://hooks.partner.example", subscribed_events: ["a"] }
    expect(await detailsOf(api, "POST", WEBHOOKS, registering)).toEqual([
      { field: "subscribed_events.0", message: `must be one of ${events}, is "a"` },
    ])
    expect(await detailsOf(api, "POST", WEBHOOKS, { ...registering, subscribed_events: [] })).toEqual([
      {
        field: "subscribed_events",
        message: `must name 1 to 3 distinct event types of ${events.replaceAll('"', "")}`,
      },
    ])
  })

  test("is answered so where there is only one, and in a query", async () => {
    const api = await makeApi()
    const { body } = await api.call("GET", `${LIST}?status=gone`)
    expect(body["details"]).toEqual([
      {
        field: "status.0",
        message: 'must be one of "requested", "confirmed", "arrived", "completed", "canceled", is "gone"',
      },
    ])
  })
})

describe("W6: a URL that is refused says why in `detail`", () => {
  test.each([
    ["no url", "INVALID_URL"],
    ["http://hooks.partner.example", "NOT_HTTPS"],
    ["https://192.0.2.7", "BARE_IP_REJECTED"],
  ])("%s: %s", async (url, detail) => {
    const api = await makeApi()
    const events = ["reservation.status_changed"]
    const hook = await api.call("POST", WEBHOOKS, { body: { url, subscribed_events: events } })
    expect([hook.status, hook.code, hook.body["detail"]]).toEqual([400, "INVALID_WEBHOOK_URL", detail])
    const link = await api.call("POST", LIST, { body: api.booking({ open_link_url: url }) })
    expect([link.status, link.code, link.body["detail"]]).toEqual([422, "INVALID_OPEN_LINK", detail])
  })
})

describe("a window that breaks a rule", () => {
  test("is answered with the bound and with what was asked for", async () => {
    const api = await makeApi()
    const at = (minutes: number) => iso(api.now() + minutes * MINUTE_MS)
    const answered = async (from: number, to: number) => {
      const window = { arrival_window_start: at(from), arrival_window_end: at(to) }
      const { code, body } = await api.call("POST", LIST, { body: api.booking(window) })
      return [code, body["fields"], String(body["error"]).replace(/^[^(]*/, "")]
    }
    expect(await answered(-1, 30)).toEqual([
      "WINDOW_IN_PAST",
      ["arrival_window_start"],
      `(arrival_window_start: must be in the future, is ${at(-1)})`,
    ])
    expect(await answered(1441, 1471)).toEqual([
      "WINDOW_TOO_FAR_OUT",
      ["arrival_window_start"],
      `(arrival_window_start: must be at most 1440 minutes ahead, is ${at(1441)})`,
    ])
    expect(await answered(30, 34)).toEqual([
      "WINDOW_TOO_SHORT",
      ["arrival_window_end"],
      "(arrival_window_end: must be at least 5 minutes after the start, is 4 minutes)",
    ])
    expect(await answered(30, 151)).toEqual([
      "WINDOW_TOO_LONG",
      ["arrival_window_end"],
      "(arrival_window_end: must be at most 120 minutes after the start, is 121 minutes)",
    ])
    const booked = await api.call("POST", LIST, { body: api.booking() })
    const { reservation_id: id } = booked.data["reservation"] as { readonly reservation_id: string }
    const moved = await api.call("PATCH", `${LIST}/${id}`, {
      body: { arrival_window_start: at(30), arrival_window_end: at(34) },
    })
    expect([moved.code, moved.body["fields"]]).toEqual(["WINDOW_TOO_SHORT", ["arrival_window_end"]])
  })
})

describe("an idempotency key", () => {
  test("that was used for another request names the fields that differ", async () => {
    const api = await makeApi()
    const first = api.booking()
    expect((await api.call("POST", LIST, { headers: KEY, body: first })).status).toBe(201)
    const body = { ...first, order_number: "other", payload_limit: { max_weight_kg: 3 } }
    const again = await api.call("POST", LIST, { headers: KEY, body })
    expect([again.status, again.code, again.body["fields"]]).toEqual([
      422,
      "IDEMPOTENCY_KEY_REUSED",
      ["order_number", "payload_limit"],
    ])
    expect((await api.call("POST", LIST, { headers: KEY, body: first })).status).toBe(200)
  })

  test("that is sent twice is refused", async () => {
    const api = await makeApi()
    await api.app.listen({ port: 0, host: "127.0.0.1" })
    const { port } = api.app.server.address() as AddressInfo
    const text = JSON.stringify(api.booking())
    const answer = await new Promise<string>((resolve, reject) => {
      let read = ""
      const socket = connect(port, "127.0.0.1", () =>
        socket.write(
          [
            `POST ${LIST} HTTP/1.1`,
            `Host: 127.0.0.1:${port}`,
            `Authorization: Bearer ${api.key}`,
            "Content-Type: application/json",
            `Content-Length: ${Buffer.byteLength(text)}`,
            "Connection: close",
            "Idempotency-Key: one",
            "Idempotency-Key: two",
            "",
            text,
          ].join("\r\n"),
        ),
      )
      socket.setEncoding("utf8").on("data", (chunk: string) => (read += chunk))
      socket.on("end", () => resolve(read)).on("error", reject)
    })
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer).toContain('{"field":"Idempotency-Key","message":"must be sent once"}')
  })
})

describe("G6: unknown fields of a body", () => {
  test("are taken, and named beside the answer with what was probably meant", async () => {
    const api = await makeApi()
    const body = api.booking({ retailer_pikup_ref: "A7", colour: "red", payload_limit: { max_weight: 3 } })
    const refused = await api.call("POST", LIST, { body })
    expect([refused.status, refused.code]).toEqual([400, "VALIDATION_ERROR"])
    expect(refused.body["warnings"]).toContainEqual({
      field: "payload_limit.max_weight",
      message: "is not a field of this request and was ignored; did you mean payload_limit.max_weight_kg?",
    })
    const fine = api.booking({ retailer_pikup_ref: "A7", colour: "red" })
    const made = await api.call("POST", LIST, { headers: KEY, body: fine })
    expect(made.status).toBe(201)
    expect(made.body["warnings"]).toEqual([
      {
        field: "retailer_pikup_ref",
        message: "is not a field of this request and was ignored; did you mean retailer_pickup_ref?",
      },
      { field: "colour", message: "is not a field of this request and was ignored" },
    ])
    // They belong to the request, not to what is kept: a retry without them has none.
    const again = await api.call("POST", LIST, { headers: KEY, body: api.booking() })
    expect([again.status, again.body["warnings"]]).toEqual([200, undefined])
  })

  test("are named up to a bound", async () => {
    const api = await makeApi()
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`x${at}`, at]))
    const made = await api.call("POST", LIST, { body: api.booking(many) })
    expect(made.body["warnings"]).toHaveLength(20)
  })

  test("of a DELETE are all unknown: it takes no body, and a reason in one is named as a parameter", async () => {
    const api = await makeApi()
    const id = await api.book()
    const body = { reason: "the robot is ill", why: 1 }
    const done = await api.call("DELETE", `${LIST}/${id}`, { body })
    expect([done.status, done.data["reservation"]]).toEqual([
      200,
      expect.objectContaining({ status: "canceled", cancel_reason: null }),
    ])
    expect(done.body["warnings"]).toEqual([
      { field: "reason", message: "was ignored: this request takes no body; send it as a query parameter" },
      { field: "why", message: "was ignored: this request takes no body" },
    ])
    const whole = [{ field: "body", message: "was ignored: this request takes no body" }]
    for (const [text, warnings] of [
      ["{", whole],
      ["[1]", whole],
      ['"a"', whole],
      ["{}", undefined],
    ] as const) {
      const again = await api.call("DELETE", `${LIST}/${id}?reason=late`, { text })
      expect([again.status, again.body["warnings"]]).toEqual([200, warnings])
    }
  })

  test("of a body that belongs to no request are named at every endpoint without one", async () => {
    const api = await makeApi({ environment: "sandbox" })
    const sent = { body: { name: "a" } }
    const warnings = [{ field: "name", message: "was ignored: this request takes no body" }]
    expect((await api.call("POST", "/sandbox/v1/clock/freeze", sent)).body["warnings"]).toEqual(warnings)
    expect((await api.call("DELETE", "/dd/v1/webhooks/whk_none", sent)).body["warnings"]).toEqual(warnings)
  })
})
