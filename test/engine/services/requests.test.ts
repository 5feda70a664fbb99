/** What a request's fields may hold: every bound, and the field that a refusal names. */

import { Effect, Either } from "effect"
import type { Schema } from "effect"
import { describe, expect, test } from "vitest"
import { CheckDeliveryArguments } from "../../../src/model/requests/courier-requests.ts"
import { EXCEPTION_CODES } from "../../../src/model/handoff.ts"
import {
  AdvanceRequest,
  BotReportRequest,
  ChangeWebhookRequest,
  CreateReservationRequest,
  ListReservationsRequest,
  MoveWindowRequest,
  RegisterWebhookRequest,
} from "../../../src/model/requests/requests.ts"
import { decodeRequest } from "../../../src/model/values/schema.ts"

type Fields = Readonly<Record<string, unknown>>

/** The decoded request, or the fields that were refused. */
function decode<A, I>(schema: Schema.Schema<A, I>, value: unknown): A | readonly string[] {
  const decoded = Effect.runSync(Effect.either(decodeRequest(schema, value)))
  if (Either.isRight(decoded)) return decoded.right
  expect(decoded.left.code).toBe("VALIDATION_ERROR")
  return (decoded.left.problems ?? []).map((problem) => problem.field)
}

const creation = {
  zone_id: "zone_curb",
  retailer_id: "retailer_grocer",
  order_number: "A-1",
  end_user_name: "Ada",
  end_user_phone: "+15125550100",
  arrival_window_start: "2026-06-01T15:30:00Z",
  arrival_window_end: "2026-06-01T16:00:00Z",
  open_link_url: "https://open.partner.example/",
}

function create(more: Fields): unknown {
  return decode(CreateReservationRequest, { ...creation, ...more })
}

describe("create", () => {
  test("a body with what is required decodes, its times to milliseconds", () => {
    expect(create({})).toEqual({
      ...creation,
      arrival_window_start: Date.parse("2026-06-01T15:30:00Z"),
      arrival_window_end: Date.parse("2026-06-01T16:00:00Z"),
    })
  })

  test("G6: unknown fields are ignored", () => {
    expect(create({ stall_id: "stall_a", canceled_by: 7 })).toEqual(create({}))
  })

  test.each(Object.keys(creation))("%s is required, and neither null nor a number", (field) => {
    const without = Object.fromEntries(Object.entries(creation).filter(([name]) => name !== field))
    expect(decode(CreateReservationRequest, without)).toEqual([field])
    expect(create({ [field]: null })).toEqual([field])
    expect(create({ [field]: 7 })).toEqual([field])
  })

  test.each<[string, number]>([
    ["zone_id", 128],
    ["retailer_id", 128],
    ["order_number", 64],
    ["end_user_name", 200],
    ["open_link_url", 2_048],
    ["retailer_pickup_ref", 64],
  ])("V3 and G16: %s holds 1 to %i code points, not blank, without NUL, as sent", (field, max) => {
    for (const text of ["x", "x".repeat(max), "😀".repeat(max), " x "]) {
      expect(create({ [field]: text })).toMatchObject({ [field]: text })
    }
    for (const text of ["", " ", "\t\n", "x".repeat(max + 1), "😀".repeat(max + 1), "a\0b"]) {
      expect(create({ [field]: text })).toEqual([field])
    }
  })

  test.each(["+1234567", "+123456789012345", "+15125550100"])("G9: %s is a phone number", (phone) => {
    expect(create({ end_user_phone: phone })).toMatchObject({ end_user_phone: phone })
  })

  test.each([
    "+123456",
    "+1234567890123456",
    "+05125550100",
    "15125550100",
    "+1 512 555 0100",
    "+1512555O100",
    "+15125550100\n",
    "",
  ])("G9: %j is none", (phone) => {
    expect(create({ end_user_phone: phone })).toEqual(["end_user_phone"])
  })

  test.each([
    ["\u200E+15125550100", "U+200E"],
    ["+1512\u00A05550100", "U+00A0"],
    ["+\uFF11\uFF15125550100", "U+FF11"],
    ["+1512\u{1F4DE}5550100", "U+1F4DE"],
  ])("the refusal of %j names what cannot be seen", (phone, named) => {
    const decoded = Effect.runSync(
      Effect.flip(decodeRequest(CreateReservationRequest, { ...creation, end_user_phone: phone })),
    )
    const message = `must be a phone number in E.164, such as +15125550100, and has the character ${named}`
    expect(decoded.problems).toEqual([{ field: "end_user_phone", message }])
  })

  test.each<[string, string]>([
    ["2026-06-01T15:30:00Z", "2026-06-01T15:30:00.000Z"],
    ["2026-06-01t15:30:00z", "2026-06-01T15:30:00.000Z"],
    ["2026-06-01T10:30:00-05:00", "2026-06-01T15:30:00.000Z"],
    ["2026-06-01T21:00:00.25+05:30", "2026-06-01T15:30:00.250Z"],
    ["2026-06-01T15:30:00.123456Z", "2026-06-01T15:30:00.123Z"],
    ["2028-02-29T00:00:00Z", "2028-02-29T00:00:00.000Z"],
    ["2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"],
    ["0000-01-01T00:01:00+00:01", "0000-01-01T00:00:00.000Z"],
    ["9999-12-31T23:58:59.999-00:01", "9999-12-31T23:59:59.999Z"],
    ["2026-06-30T18:59:60.5-05:00", "2026-07-01T00:00:00.500Z"],
  ])("G8: %s is a time", (text, instant) => {
    expect(create({ arrival_window_start: text })).toMatchObject({
      arrival_window_start: Date.parse(instant),
    })
  })

  test.each([
    "2026-06-01T15:30:00",
    "2026-06-01",
    "2026-06-01T15:30Z",
    "2026-06-01 15:30:00Z",
    "2026-06-01T15:30:00+0500",
    "2026-06-01T15:30:00+25:00",
    "2026-13-01T15:30:00Z",
    "2026-02-30T15:30:00Z",
    "2027-02-29T15:30:00Z",
    "2026-06-31T15:30:00Z",
    "2026-06-01T24:00:01Z",
    "2026-06-01T24:00:00Z",
    "2026-06-01T15:30:60Z",
    "2026-06-29T23:59:60Z",
    "2026-06-30T23:59:60-05:00",
    "0000-01-01T00:00:00+00:01",
    "9999-12-31T23:59:59.999-00:01",
    "9999-12-31T23:59:60Z",
    "2026-06-30T23:59:61Z",
    "2026-06-01T15:30:00+05:60",
    "2026-06-01T15:60:00Z",
    "now",
    "",
    "1780327800000",
  ])("G8: %j is none", (text) => {
    expect(create({ arrival_window_start: text })).toEqual(["arrival_window_start"])
  })

  test.each<[string, Fields]>([
    ["a weight", { max_weight_kg: 0.001 }],
    ["the greatest weight", { max_weight_kg: 1_000 }],
    ["dimensions", { max_dimensions_cm: { length: 1_000, width: 0.5, height: 1 } }],
    ["a weight and null dimensions", { max_weight_kg: 5, max_dimensions_cm: null }],
    ["both", { max_weight_kg: 5, max_dimensions_cm: { length: 1, width: 1, height: 1 } }],
  ])("L7: a payload limit of %s, echoed exactly", (_, limit) => {
    expect(create({ payload_limit: limit })).toMatchObject({ payload_limit: limit })
  })

  test.each<[string, Fields, string]>([
    ["nothing", {}, "payload_limit"],
    ["nulls", { max_weight_kg: null, max_dimensions_cm: null }, "payload_limit"],
    ["a weight of 0", { max_weight_kg: 0 }, "payload_limit.max_weight_kg"],
    ["a negative weight", { max_weight_kg: -1 }, "payload_limit.max_weight_kg"],
    ["a weight above 1000", { max_weight_kg: 1_000.001 }, "payload_limit.max_weight_kg"],
    ["a weight as text", { max_weight_kg: "5" }, "payload_limit.max_weight_kg"],
    ["two edges", { max_dimensions_cm: { length: 1, width: 1 } }, "payload_limit.max_dimensions_cm.height"],
    [
      "an edge of 0",
      { max_dimensions_cm: { length: 0, width: 1, height: 1 } },
      "payload_limit.max_dimensions_cm.length",
    ],
    [
      "an edge above 1000",
      { max_dimensions_cm: { length: 1, width: 1_001, height: 1 } },
      "payload_limit.max_dimensions_cm.width",
    ],
  ])("L7: a payload limit of %s is refused", (_, limit, field) => {
    expect(create({ payload_limit: limit })).toEqual([field])
  })

  test("every field that does not hold is named once", () => {
    expect(create({ zone_id: "", end_user_phone: "5", arrival_window_end: "soon" })).toEqual([
      "zone_id",
      "end_user_phone",
      "arrival_window_end",
    ])
  })

  test.each([null, [], "text", 7])("G5: the body %j is no object", (body) => {
    const refused = decode(CreateReservationRequest, body)
    expect(Array.isArray(refused) && refused.length > 0).toBe(true)
  })
})

describe("the other requests", () => {
  test("V12: a moved window holds at least one bound", () => {
    expect(decode(MoveWindowRequest, {})).toEqual(["body"])
    expect(decode(MoveWindowRequest, { zone_id: "zone_curb" })).toEqual(["body"])
    expect(decode(MoveWindowRequest, { arrival_window_end: "2026-06-01T15:30:00Z", stall_id: 7 })).toEqual({
      arrival_window_end: Date.parse("2026-06-01T15:30:00Z"),
    })
    expect(decode(MoveWindowRequest, { arrival_window_start: "2026-06-01" })).toEqual([
      "arrival_window_start",
    ])
  })

  test.each<[Fields, readonly string[]]>([
    [{}, ["status"]],
    [{ status: "inbound" }, ["status"]],
    [{ status: "LOST" }, ["status"]],
    [{ status: "INBOUND", label: "x".repeat(65) }, ["label"]],
    [{ status: "INBOUND", label: "a\0b" }, ["label"]],
    [{ status: "INBOUND", eta: "soon" }, ["eta"]],
    [{ status: "INBOUND", occurred_at: "2026-06-01" }, ["occurred_at"]],
    [{ status: "ABORTED", reason: "x".repeat(257) }, ["reason"]],
    [{ status: "ABORTED", reason: "a\0b" }, ["reason"]],
  ])("a bot report of %j is refused: %j", (body, fields) => {
    expect(decode(BotReportRequest, body)).toEqual(fields)
  })

  test.each<Fields>([
    { status: "INBOUND", label: "😀".repeat(64), eta: null, occurred_at: null, reason: null },
    { status: "ABORTED", label: null, reason: "😀".repeat(256) },
    { status: "DEPARTED" },
  ])("a bot report of %j is fine", (body) => {
    expect(decode(BotReportRequest, { ...body, speed: 7 })).toEqual(body)
  })

  test("an advance body is empty, or a reason with a message of up to 256", () => {
    expect(decode(AdvanceRequest, {})).toEqual({})
    for (const code of EXCEPTION_CODES) {
      expect(decode(AdvanceRequest, { reason_code: code, message: "😀".repeat(256) })).toMatchObject({
        reason_code: code,
      })
    }
    for (const message of ["", "x".repeat(257), "a\0b", 7]) {
      expect(decode(AdvanceRequest, { reason_code: "bot_no_show", message })).toEqual(["message"])
    }
    expect(decode(AdvanceRequest, { reason_code: "unknown" })).toContain("reason_code")
    for (const body of [
      { message: "alone" },
      { reason: "bot_no_show" },
      { code: 1, step: null },
      { reason_code: null },
    ]) {
      expect(decode(AdvanceRequest, body)).toEqual(["reason_code"])
    }
    const known = { reason_code: "bot_no_show" }
    expect(decode(AdvanceRequest, { ...known, since: 7 })).toMatchObject(known)
  })

  test("E3: a registration names 1 to 3 distinct events", () => {
    const url = "https://hooks.partner.example/"
    const all = ["reservation.exception", "reservation.handoff_updated", "reservation.status_changed"]
    expect(decode(RegisterWebhookRequest, { url, subscribed_events: all })).toEqual({
      url,
      subscribed_events: all,
    })
    expect(
      decode(RegisterWebhookRequest, { url, subscribed_events: [all[0]], is_active: false }),
    ).toMatchObject({ is_active: false })
    expect(decode(RegisterWebhookRequest, { url, subscribed_events: [] })).toEqual(["subscribed_events"])
    expect(decode(RegisterWebhookRequest, { url, subscribed_events: [all[0], all[0]] })).toEqual([
      "subscribed_events",
    ])
    expect(decode(RegisterWebhookRequest, { url, subscribed_events: ["delivery.updated"] })).toContain(
      "subscribed_events.0",
    )
    expect(decode(RegisterWebhookRequest, { url, subscribed_events: all, is_active: "yes" })).toEqual([
      "is_active",
    ])
    expect(decode(RegisterWebhookRequest, { subscribed_events: all })).toEqual(["url"])
    expect(decode(RegisterWebhookRequest, { url: "x".repeat(2_049), subscribed_events: all })).toEqual([
      "url",
    ])
  })

  test("E8: a change holds at least one field; rotate_secret false alone will do", () => {
    expect(decode(ChangeWebhookRequest, {})).toEqual(["body"])
    expect(decode(ChangeWebhookRequest, { secret: "whsec_mine" })).toEqual(["body"])
    expect(decode(ChangeWebhookRequest, { rotate_secret: false })).toEqual({ rotate_secret: false })
    expect(decode(ChangeWebhookRequest, { subscribed_events: [] })).toEqual(["subscribed_events"])
    expect(decode(ChangeWebhookRequest, { is_active: null })).toEqual(["body"])
  })

  test("V15 and G15: a list takes limits of 1 to 100", () => {
    expect(decode(ListReservationsRequest, { limit: 1 })).toEqual({ limit: 1 })
    expect(decode(ListReservationsRequest, { limit: 100, page: 2 })).toEqual({ limit: 100 })
    for (const limit of [0, 101, 1.5, -1]) {
      expect(decode(ListReservationsRequest, { limit })).toEqual(["limit"])
    }
    expect(decode(ListReservationsRequest, { status: ["lost"] })).toContain("status.0")
    expect(decode(ListReservationsRequest, { arrival_from: "2026-06-01" })).toEqual(["arrival_from"])
  })
})

describe("a problem says what the field must be, in words", () => {
  const problemsOf = <A, I>(schema: Schema.Schema<A, I>, value: unknown) => {
    const decoded = Effect.runSync(Effect.either(decodeRequest(schema, value)))
    return Either.isRight(decoded) ? [] : (decoded.left.problems ?? [])
  }
  const sentence = <A, I>(schema: Schema.Schema<A, I>, value: unknown): string =>
    problemsOf(schema, value)[0]?.message ?? ""

  test.each<[string, Schema.Schema.AnyNoContext, unknown, string]>([
    ["no object", MoveWindowRequest, "soon", 'must be an object, is "soon"'],
    [
      "a list for a text",
      RegisterWebhookRequest,
      { url: [], subscribed_events: [] },
      "must be a text, is a list",
    ],
    [
      "a text for a list",
      ChangeWebhookRequest,
      { subscribed_events: "x" },
      'must be a list of 1 to 3 entries, is "x"',
    ],
    ["a text for a yes or no", ChangeWebhookRequest, { is_active: "yes" }, 'must be true or false, is "yes"'],
    ["a word of a list", AdvanceRequest, { reason_code: "gone" }, "must be one of"],
    [
      "something for an object or null",
      CreateReservationRequest,
      { ...creation, payload_limit: 7 },
      "must be an object or null, is 7",
    ],
    [
      "an object for a number",
      CheckDeliveryArguments,
      { item_count: {} },
      "must be a whole number from 0 to 1000, is an object",
    ],
    [
      "a number below its bound",
      CheckDeliveryArguments,
      { item_count: -1 },
      "must be a whole number from 0 to 1000, is -1",
    ],
  ])("%s", (_, schema, value, expected) => {
    const messages = problemsOf(schema, value).map(({ message }) => message)
    expect(messages).toContainEqual(expect.stringContaining(expected))
  })

  test("a long value is cut, and a list is not repeated", () => {
    const long = sentence(MoveWindowRequest, "x".repeat(100_000))
    expect(long).toBe(`must be an object, is "${"x".repeat(60)}"…`)
    const emoji = sentence(MoveWindowRequest, "🥗".repeat(100))
    expect(emoji).toBe(`must be an object, is "${"🥗".repeat(60)}"…`)
    expect(sentence(RegisterWebhookRequest, { url: Array(1_000).fill("x") })).toBe(
      "must be a text, is a list",
    )
  })
})

describe("a request with many mistakes", () => {
  const hook = (count: number) => ({
    url: "https://a.example/",
    subscribed_events: Array.from({ length: count }, () => 0),
  })
  const entries = (count: number) => Array.from({ length: count }, (_, at) => `subscribed_events.${at}`)

  test("names twenty fields, and that there are more", () => {
    expect(decode(RegisterWebhookRequest, hook(20))).toEqual(entries(20))
    expect(decode(RegisterWebhookRequest, hook(21))).toEqual([...entries(20), "body"])
  })

  test("names the first alone when it is as large as a request can be", () => {
    // Comparing each of these fields with every other would take minutes.
    expect(decode(RegisterWebhookRequest, hook(500_000))).toEqual(["subscribed_events.0"])
  })
})
