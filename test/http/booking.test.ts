/** Booking, reading and moving through HTTP: the choices V, and those of G and X that a request meets. */

import { createHmac } from "node:crypto"
import { describe, expect, test } from "vitest"
import { PERMISSIONS } from "../../src/model/caller.ts"
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../src/model/values/time.ts"
import * as schema from "../../src/engine/store/schema.ts"
import { bringTo, operations, reservations } from "../conformance/harness.ts"
import { HOOK, contentOf, iso, makeApi, reservationOf } from "./api.ts"
import type { Answered, Api, Sent } from "./api.ts"

const LIST = "/rs/v1/reservations"

function book(api: Api, more: object = {}, sent: Sent = {}): Promise<Answered> {
  return api.call("POST", LIST, { ...sent, body: api.booking(more) })
}

function windowAt(api: Api, startMs: number, widthMs: number): object {
  return {
    arrival_window_start: iso(api.now() + startMs),
    arrival_window_end: iso(api.now() + startMs + widthMs),
  }
}

async function codeOf(answer: Promise<Answered>): Promise<string> {
  const { status, code } = await answer
  return code ?? String(status)
}

describe("booking", () => {
  test("V1: reads need the read permission alone, commands the write permission alone", async () => {
    const api = await makeApi({ environment: "sandbox" })
    const path = `${LIST}/${await api.book()}`
    const reader = await api.holding("reservations:read")
    const writer = await api.holding("reservations:write")
    const at = (method: string, url: string, key: string, body?: object): Promise<string> =>
      codeOf(api.call(method, url, { key, ...(body === undefined ? {} : { body }) }))
    const commands: readonly [string, string, object?][] = [
      ["POST", LIST, api.booking()],
      ["PATCH", path, windowAt(api, HOUR_MS, HOUR_MS)],
      ["POST", `${path}/bot`, { status: "INBOUND" }],
      ["POST", `${path}/advance`, {}],
      ["DELETE", path],
    ]
    for (const [method, url, body] of commands) {
      expect([method, await at(method, url, reader, body)]).toEqual([method, "PERMISSION_DENIED"])
      expect([method, await at(method, url, writer, body)]).toEqual([
        method,
        url === LIST && method === "POST" ? "201" : "200",
      ])
    }
    for (const url of [path, LIST]) {
      expect(await at("GET", url, writer)).toBe("PERMISSION_DENIED")
      expect(await at("GET", url, reader)).toBe("200")
    }
  })

  test.each([
    ["zone_id", 128, "ZONE_NOT_FOUND"],
    ["retailer_id", 128, "RETAILER_NOT_SUPPORTED_IN_ZONE"],
    ["order_number", 64, "201"],
    ["end_user_name", 200, "201"],
    ["retailer_pickup_ref", 64, "201"],
  ])("V3 (limit): %s has 1 to %i code points", async (field, max, code) => {
    const api = await makeApi()
    expect(await codeOf(book(api, { [field]: "😀".repeat(max) }))).toBe(code)
    for (const text of ["😀".repeat(max + 1), ""]) {
      const { status, body } = await book(api, { [field]: text })
      expect([status, body["details"]]).toEqual([400, [{ field, message: expect.any(String) as string }]])
    }
  })

  test("V3 (limit): open_link_url has up to 2,048 code points", async () => {
    const api = await makeApi()
    const url = (length: number): string => "https://open.partner.example/".padEnd(length, "x")
    expect(await codeOf(book(api, { open_link_url: url(2_048) }))).toBe("201")
    expect(await codeOf(book(api, { open_link_url: url(2_049) }))).toBe("VALIDATION_ERROR")
  })

  test("V4: of several broken rules the first in the contract's order answers", async () => {
    const api = await makeApi()
    api.service.breakHost("down.partner.example", "unavailable")
    const rules: readonly [string, object, object][] = [
      ["VALIDATION_ERROR", { end_user_name: "" }, {}],
      ["ZONE_NOT_FOUND", { zone_id: "zone_unknown" }, { zone_id: "zone_asleep" }],
      ["RETAILER_NOT_SUPPORTED_IN_ZONE", { retailer_id: "retailer_florist" }, {}],
      ["WINDOW_IN_PAST", windowAt(api, -HOUR_MS, MINUTE_MS), windowAt(api, 2 * DAY_MS, MINUTE_MS)],
      ["WINDOW_TOO_FAR_OUT", {}, windowAt(api, HOUR_MS, MINUTE_MS)],
      ["WINDOW_TOO_SHORT", {}, windowAt(api, HOUR_MS, DAY_MS)],
      ["WINDOW_TOO_LONG", {}, windowAt(api, HOUR_MS, HOUR_MS)],
      ["INVALID_OPEN_LINK", { open_link_url: "http://down.partner.example/" }, {}],
      ["ZONE_HAS_NO_STALLS", { zone_id: "zone_asleep" }, { zone_id: "zone_curb" }],
      ["URL_VALIDATION_UNAVAILABLE", { open_link_url: "https://down.partner.example/" }, {}],
    ]
    // Everything is broken at first; each round mends what answered.
    let body: object = api.booking(Object.assign({}, ...rules.map(([, broken]) => broken).toReversed()))
    for (const [code, , mended] of rules) {
      expect(await codeOf(api.call("POST", LIST, { body }))).toBe(code)
      const usual = api.booking() as Record<string, unknown>
      const fields = Object.keys(rules.find(([one]) => one === code)?.[1] ?? {})
      const back = Object.fromEntries(fields.map((field) => [field, usual[field]]))
      const next = code === "INVALID_OPEN_LINK" ? { open_link_url: "https://down.partner.example/" } : {}
      body = { ...body, ...back, ...mended, ...next }
    }
    expect(await codeOf(api.call("POST", LIST, { body }))).toBe("201")
  })

  test.each([
    ["starts now", 0, 30 * MINUTE_MS, "WINDOW_IN_PAST"],
    ["starts a millisecond from now", 1, 30 * MINUTE_MS, "201"],
    ["starts 24 hours ahead", DAY_MS, 30 * MINUTE_MS, "201"],
    ["starts later than that", DAY_MS + 1, 30 * MINUTE_MS, "WINDOW_TOO_FAR_OUT"],
    ["is 5 minutes wide", HOUR_MS, 5 * MINUTE_MS, "201"],
    ["is narrower", HOUR_MS, 5 * MINUTE_MS - 1, "WINDOW_TOO_SHORT"],
    ["is 120 minutes wide", HOUR_MS, 120 * MINUTE_MS, "201"],
    ["is wider", HOUR_MS, 120 * MINUTE_MS + 1, "WINDOW_TOO_LONG"],
    ["ends as it starts", HOUR_MS, 0, "WINDOW_TOO_SHORT"],
    ["ends before it starts", HOUR_MS, -HOUR_MS, "WINDOW_TOO_SHORT"],
  ])("V5 (limit): a window that %s", async (_, startMs, widthMs, code) => {
    const api = await makeApi()
    expect(await codeOf(book(api, windowAt(api, startMs, widthMs)))).toBe(code)
  })

  test("V6: a zone without a grant is not found, a retailer without one not supported", async () => {
    const api = await makeApi()
    expect(await codeOf(book(api, { zone_id: "zone_ungranted" }))).toBe("ZONE_NOT_FOUND")
    expect(await codeOf(book(api, { retailer_id: "retailer_florist" }))).toBe(
      "RETAILER_NOT_SUPPORTED_IN_ZONE",
    )
  })

  test("V7: the lowest label, then the lowest id, of the stalls with the fewest overlaps; windows are half-open", async () => {
    const api = await makeApi()
    const stalls: unknown[] = []
    for (let count = 0; count < 4; count += 1) stalls.push(reservationOf((await book(api)).data)["stall_id"])
    expect(stalls).toEqual(["stall_a", "stall_b", "stall_c", "stall_a"])
    const after = await book(api, windowAt(api, HOUR_MS, 30 * MINUTE_MS))
    expect(reservationOf(after.data)["stall_id"]).toBe("stall_a")
  })

  test("V9: requests at once with one key book once", async () => {
    const api = await makeApi()
    const headers = { "idempotency-key": "at once" }
    const answers = await Promise.all([1, 2, 3].map(() => book(api, {}, { headers })))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 201])
    expect(new Set(answers.map(({ data }) => reservationOf(data).reservation_id)).size).toBe(1)
  })

  test("V8: the same key in another organization is another key; a failure is not kept", async () => {
    const api = await makeApi()
    const headers = { "idempotency-key": "shared" }
    expect(await codeOf(book(api, { zone_id: "zone_unknown" }, { headers }))).toBe("ZONE_NOT_FOUND")
    const one = await book(api, {}, { headers })
    const key = await api.makeKey({ organizationId: await api.makeOrganization() })
    const other = await book(api, {}, { headers, key })
    expect([one.status, other.status]).toEqual([201, 201])
  })

  test("V8: a replay answers the present state, and looks at no URL, window or zone", async () => {
    const api = await makeApi()
    const headers = { "idempotency-key": "k" }
    const sent = api.booking()
    const first = await api.call("POST", LIST, { headers, body: sent })
    await api.advance(3 * DAY_MS)
    api.service.breakHost("open.partner.example", "unknown")
    const { status, data } = await api.call("POST", LIST, { headers, body: sent })
    expect([status, reservationOf(data).reservation_id, reservationOf(data).status]).toEqual([
      200,
      reservationOf(first.data).reservation_id,
      "canceled",
    ])
  })

  test.each<[string, object]>([
    ["zone_id", { zone_id: "zone_alone" }],
    ["retailer_id", { retailer_id: "retailer_baker" }],
    ["order_number", { order_number: "a-1001" }],
    ["end_user_name", { end_user_name: "Ada Example " }],
    ["end_user_phone", { end_user_phone: "+15125550101" }],
    ["open_link_url", { open_link_url: "https://open.partner.example/doors/8" }],
    ["retailer_pickup_ref", { retailer_pickup_ref: "Table 9" }],
    ["payload_limit, a bound", { payload_limit: { max_weight_kg: 7.1 } }],
    ["payload_limit, gone", { payload_limit: null }],
  ])("V10: a retry with another %s is 422 IDEMPOTENCY_KEY_REUSED", async (_, more) => {
    const api = await makeApi()
    const headers = { "idempotency-key": "k" }
    const usual = { payload_limit: { max_weight_kg: 7 } }
    await book(api, usual, { headers })
    expect(await codeOf(book(api, { ...usual, ...more }, { headers }))).toBe("IDEMPOTENCY_KEY_REUSED")
  })

  test("V10: absent is null, numbers go by value, the window does not count", async () => {
    const api = await makeApi()
    const headers = { "idempotency-key": "k" }
    await book(api, { payload_limit: { max_weight_kg: 7 } }, { headers })
    const text = JSON.stringify({
      ...api.booking({ retailer_pickup_ref: null, payload_limit: { max_dimensions_cm: null } }),
      ...windowAt(api, HOUR_MS, HOUR_MS),
    }).replace('{"max_dimensions_cm":null}', '{"max_weight_kg":7.0,"max_dimensions_cm":null}')
    const { status } = await api.call("POST", LIST, { headers, text })
    expect(status).toBe(200)
  })

  test.each<[object, string]>([
    [{ max_weight_kg: 1000 }, "201"],
    [{ max_weight_kg: 1000.1 }, "VALIDATION_ERROR"],
    [{ max_weight_kg: 0 }, "VALIDATION_ERROR"],
    [{ max_weight_kg: -1 }, "VALIDATION_ERROR"],
    [{ max_dimensions_cm: { length: 1000, width: 0.1, height: 1 } }, "201"],
    [{ max_dimensions_cm: { length: 1000, width: 0.1 } }, "VALIDATION_ERROR"],
    [{ max_dimensions_cm: { length: 1001, width: 1, height: 1 } }, "VALIDATION_ERROR"],
    [{}, "VALIDATION_ERROR"],
    [{ max_weight_kg: null, max_dimensions_cm: null }, "VALIDATION_ERROR"],
  ])("L7 (limit): a payload limit of %j", async (payload_limit, code) => {
    const api = await makeApi()
    const answered = await book(api, { payload_limit })
    expect(answered.code ?? String(answered.status)).toBe(code)
    if (code === "201") expect(reservationOf(answered.data)["payload_limit"]).toEqual(payload_limit)
  })

  test("L7: without a payload limit it is null", async () => {
    const api = await makeApi()
    expect(reservationOf((await book(api)).data)["payload_limit"]).toBeNull()
  })
})

describe("everywhere", () => {
  test("G1: an error has success, error, code and request_id; VALIDATION_ERROR has details too", async () => {
    const api = await makeApi()
    const missing = await api.call("GET", `${LIST}/res_unknown`)
    expect(Object.keys(missing.body)).toEqual(["success", "error", "code", "request_id"])
    const wrong = await api.call("POST", LIST, { text: "{" })
    expect(Object.keys(wrong.body)).toEqual(["success", "error", "code", "request_id", "details"])
  })

  test("G6: unknown fields and query parameters are passed over", async () => {
    const api = await makeApi()
    const { status } = await api.call("POST", `${LIST}?unknown=1`, {
      text: JSON.stringify(api.booking({ status: "completed", stall_id: "stall_closed" })),
    })
    expect(status).toBe(201)
    expect((await api.call("GET", `${LIST}?unknown=1&unknown=2`)).status).toBe(200)
  })

  test("G7: times go out in UTC with three fractional digits", async () => {
    const api = await makeApi()
    const { data } = await book(api, {
      arrival_window_start: iso(api.now() + 40 * MINUTE_MS).replace(".000Z", "Z"),
    })
    const { created_at, arrival_window_start } = reservationOf(data)
    for (const time of [created_at, arrival_window_start]) {
      expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    }
  })

  test("G8: offsets come in and are normalized, local times and days do not", async () => {
    const api = await makeApi()
    const startMs = api.now() + 40 * MINUTE_MS
    const texas = `${iso(startMs - 5 * HOUR_MS).slice(0, 19)}-05:00`
    const { data } = await book(api, { arrival_window_start: texas })
    expect(reservationOf(data)["arrival_window_start"]).toBe(iso(startMs))
    for (const written of [iso(startMs).slice(0, 19), iso(startMs).slice(0, 10), String(startMs)]) {
      expect(await codeOf(book(api, { arrival_window_start: written }))).toBe("VALIDATION_ERROR")
    }
  })

  test.each([
    ["+1234567", "201"],
    ["+123456789012345", "201"],
    ["+123456", "VALIDATION_ERROR"],
    ["+1234567890123456", "VALIDATION_ERROR"],
    ["+0123456789", "VALIDATION_ERROR"],
    ["15125550100", "VALIDATION_ERROR"],
    ["+1 512 555 0100", "VALIDATION_ERROR"],
  ])("G9: the phone %j answers %s", async (end_user_phone, code) => {
    const api = await makeApi()
    expect(await codeOf(book(api, { end_user_phone }))).toBe(code)
  })

  test("G10: ids are a prefix and 22 digits", async () => {
    const api = await makeApi()
    expect(await api.book()).toMatch(/^res_[0-9A-Za-z]{22}$/)
    const body = { url: HOOK, subscribed_events: ["reservation.exception"] }
    const { data } = await api.call("POST", "/rs/v1/webhooks", { body })
    expect(data["webhook"]).toMatchObject({
      webhook_id: expect.stringMatching(/^whk_[0-9A-Za-z]{22}$/) as string,
    })
  })

  test.each([
    [" \t", "VALIDATION_ERROR"],
    ["\u00a0", "VALIDATION_ERROR"],
    ["a\u0000b", "VALIDATION_ERROR"],
    ["a\ud800b", "VALIDATION_ERROR"],
    [" Zoë 😀 ", "201"],
  ])("G16: a name of %j answers %s, and is kept as sent", async (end_user_name, code) => {
    const api = await makeApi()
    const answered = await book(api, { end_user_name })
    expect(answered.code ?? String(answered.status)).toBe(code)
    if (code === "201") expect(reservationOf(answered.data)["end_user_name"]).toBe(end_user_name)
  })

  test.each([
    ["http://open.partner.example/", null, "INVALID_OPEN_LINK"],
    ["https://93.184.215.14/", null, "INVALID_OPEN_LINK"],
    [`https://${"a".repeat(64)}.example/`, "unavailable", "INVALID_OPEN_LINK"],
    [`https://${"a.".repeat(127)}example/`, "unavailable", "INVALID_OPEN_LINK"],
    ["https://user:word@open.partner.example/", null, "INVALID_OPEN_LINK"],
    ["https://open.partner.example:8443/x", null, "201"],
    ["https://open.partner.example/", "private", "INVALID_OPEN_LINK"],
    ["https://open.partner.example/", "unknown", "INVALID_OPEN_LINK"],
    ["https://open.partner.example/", "unavailable", "URL_VALIDATION_UNAVAILABLE"],
  ] as const)(
    "G18 and G19: an open link to %s, its host %s, answers %s",
    async (open_link_url, fault, code) => {
      const api = await makeApi()
      if (fault !== null) api.service.breakHost("open.partner.example", fault)
      expect(await codeOf(book(api, { open_link_url }))).toBe(code)
    },
  )

  test("G19: what could not be looked up is booked by the same request with the same key, later", async () => {
    const api = await makeApi()
    const headers = { "idempotency-key": "again" }
    api.service.breakHost("open.partner.example", "unavailable")
    expect(await codeOf(book(api, {}, { headers }))).toBe("URL_VALIDATION_UNAVAILABLE")
    api.service.breakHost("open.partner.example", null)
    expect(await codeOf(book(api, {}, { headers }))).toBe("201")
  })

  test("G21: what this version has not stands under no prefix", async () => {
    const api = await makeApi()
    for (const path of ["/reservations", "/rs/reservations", "/rs/v2/reservations", "/v1/reservations"]) {
      expect(await codeOf(api.call("GET", path))).toBe("NOT_FOUND")
    }
    expect((await api.call("GET", LIST)).headers["deprecation"]).toBeUndefined()
  })

  test("X6: canceled is spelled with one l", async () => {
    const api = await makeApi()
    const { data } = await api.call("DELETE", `${LIST}/${await api.book()}`)
    expect([reservationOf(data).status, reservationOf(data)["canceled_by"]]).toEqual(["canceled", "partner"])
    expect(reservationOf(data).handoff?.status).toBe("CANCELED")
    expect((await api.call("GET", `${LIST}?status=canceled`)).data["reservations"]).toHaveLength(1)
    expect(await codeOf(api.call("GET", `${LIST}?status=cancelled`))).toBe("VALIDATION_ERROR")
  })

  test("X8: a reservation's retailer is a brand of its zone, and no header names a site", async () => {
    const api = await makeApi()
    const { status, data } = await book(api, {}, { headers: { "x-retailer-id": "not a site" } })
    expect([status, reservationOf(data)["retailer_id"]]).toEqual([201, "retailer_grocer"])
  })

  test("X9: a failed task leaves its reservation open, until the bot departs", async () => {
    const api = await makeApi()
    const id = await api.book()
    await bringTo(api.service, id, "FAILED")
    const { data } = await api.call("GET", `${LIST}/${id}`)
    expect([reservationOf(data).status, reservationOf(data).handoff?.status]).toEqual(["confirmed", "FAILED"])
    const departed = await api.call("POST", `${LIST}/${id}/bot`, { body: { status: "DEPARTED" } })
    expect(reservationOf(departed.data).status).toBe("completed")
  })

  test("X10: requested is a filter, and no booking has it", async () => {
    const api = await makeApi()
    expect(reservationOf((await book(api)).data).status).toBe("confirmed")
    const { status, data } = await api.call("GET", `${LIST}?status=requested`)
    expect([status, data["reservations"]]).toEqual([200, []])
  })

  test("V19: every code that completes the table is answered here", async () => {
    const api = await makeApi({ limits: { perMinute: { analytics: 1, "bot-reports": 1, requests: 15 } } })
    const hooks = "/rs/v1/webhooks"
    const hook = { url: HOOK, subscribed_events: ["reservation.exception"] }
    expect(await codeOf(api.call("GET", `${LIST}/res_unknown`))).toBe("NOT_FOUND")
    expect(await codeOf(api.call("PUT", LIST))).toBe("METHOD_NOT_ALLOWED")
    expect(await codeOf(api.call("POST", hooks, { body: { ...hook, url: "ftp://x.example/" } }))).toBe(
      "INVALID_WEBHOOK_URL",
    )
    expect(await codeOf(api.call("POST", LIST, { text: Buffer.alloc(1_048_577, " ") }))).toBe(
      "PAYLOAD_TOO_LARGE",
    )
    for (let count = 0; count < 10; count += 1) await api.call("POST", hooks, { body: hook })
    expect(await codeOf(api.call("POST", hooks, { body: hook }))).toBe("WEBHOOK_LIMIT_REACHED")
    // The endpoint that cannot be is refused before its host is looked up.
    api.service.breakHost("hooks.partner.example", "unavailable")
    expect(await codeOf(api.call("POST", hooks, { body: hook }))).toBe("WEBHOOK_LIMIT_REACHED")
    expect(await codeOf(api.call("GET", LIST))).toBe("RATE_LIMITED")
  })

  test("G14: a spent budget is full again in the next minute", async () => {
    const api = await makeApi({ limits: { perMinute: { analytics: 1, "bot-reports": 1, requests: 1 } } })
    expect(await codeOf(api.call("GET", LIST))).toBe("200")
    expect(await codeOf(api.call("GET", LIST))).toBe("RATE_LIMITED")
    await api.advance(MINUTE_MS)
    expect(await codeOf(api.call("GET", LIST))).toBe("200")
  })

  test("G15 and V16: a cursor tells no count, is good for its owner alone, and is refused when bent", async () => {
    const api = await makeApi()
    const key = await api.makeKey({ organizationId: await api.makeOrganization() })
    for (let count = 0; count < 3; count += 1) await api.book()
    const own = String((await api.call("GET", `${LIST}?limit=1`)).data["next_cursor"])
    expect(Buffer.from(own, "base64url").toString()).toMatch(/^res_[0-9A-Za-z]{22}$/)
    expect((await api.call("GET", `${LIST}?cursor=${own}`)).data["reservations"]).toHaveLength(2)
    const bent = [
      own.slice(1),
      `${own}=`,
      `${own}A`,
      own.toLowerCase(),
      Buffer.from("r2").toString("base64url"),
    ]
    for (const cursor of bent) {
      const { status, body } = await api.call("GET", `${LIST}?cursor=${cursor}`)
      expect([cursor, status, body["details"]]).toEqual([
        cursor,
        400,
        [{ field: "cursor", message: expect.any(String) as string }],
      ])
    }
    expect(await codeOf(api.call("GET", `${LIST}?cursor=${own}`, { key }))).toBe("VALIDATION_ERROR")
  })

  test("G20: journal and mailbox hold no personal text, whatever is booked and reported", async () => {
    const api = await makeApi()
    const id = await api.book({ end_user_name: "Wilhelmina Hopper", retailer_pickup_ref: "Ref-Secret" })
    await api.call("POST", `${LIST}/${id}/bot`, { body: { status: "INBOUND", label: "Blue-Secret" } })
    await api.call("DELETE", `${LIST}/${id}?reason=Reason-Secret`)
    const text = await contentOf(api, [schema.groups, schema.mailbox, schema.journal])
    expect(text).toContain(id)
    for (const personal of [
      "Wilhelmina",
      "+15125550100",
      "Ref-Secret",
      "Blue-Secret",
      "Reason-Secret",
      "partner.example",
    ]) {
      expect([personal, text.includes(personal)]).toEqual([personal, false])
    }
  })

  test("E21: a cancel by operations shows who and why", async () => {
    const api = await makeApi()
    const id = await api.book()
    await api.run(reservations.cancel(operations, id, "road closed"))
    const { data } = await api.call("GET", `${LIST}/${id}`)
    expect(reservationOf(data)).toMatchObject({ canceled_by: "ops", cancel_reason: "road closed" })
  })

  test("V2: nothing of the other environment is there", async () => {
    const api = await makeApi()
    const sandbox = { type: "partner", organizationId: api.organizationId, environment: "sandbox" } as const
    const created = await api.run(
      reservations.create(
        { ...sandbox, permissions: PERMISSIONS },
        {
          ...(api.booking() as Parameters<typeof reservations.create>[1]),
          arrival_window_start: api.now() + HOUR_MS,
          arrival_window_end: api.now() + 2 * HOUR_MS,
        },
      ),
    )
    expect(await codeOf(api.call("GET", `${LIST}/${created.reservation.reservation_id}`))).toBe("NOT_FOUND")
    expect((await api.call("GET", LIST)).data["reservations"]).toEqual([])
  })

  test("G10 and G7: an event has an evt_ ULID and six fractional digits, signed over its bytes", async () => {
    const api = await makeApi()
    const body = { url: HOOK, subscribed_events: ["reservation.status_changed"] }
    const { data } = await api.call("POST", "/rs/v1/webhooks", { body })
    await api.book()
    await api.advance(SECOND_MS)
    const [received] = api.service.received(HOOK)
    const event = JSON.parse(received?.body ?? "{}") as Record<string, unknown>
    expect(event["event_id"]).toMatch(/^evt_[0-9A-HJKMNP-TV-Z]{26}$/)
    expect(event["occurred_at"]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
    const [, seconds, signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(
      received?.headers["X-Service-Signature"] ?? "",
    ) ?? ["", "", ""]
    const { secret } = data["webhook"] as { readonly secret: string }
    const wanted = createHmac("sha256", secret)
      .update(`${seconds}.${received?.body ?? ""}`)
      .digest("hex")
    expect(signature).toBe(wanted)
  })
})
