/**
 * The bounds of bodies are in the documents too: the documents' schemas refuse every field that the service refuses.
 */

import { Ajv2020 } from "ajv/dist/2020.js"
import { Effect, Either } from "effect"
import { beforeAll, describe, expect, test } from "vitest"
import {
  CancelDeliveryRequest,
  ChangePickupWebhookRequest,
  CreateDeliveryRequest,
  QuoteRequest,
  RegisterPickupWebhookRequest,
} from "../../src/model/requests/delivery-requests.ts"
import {
  AdvanceRequest,
  BotReportRequest,
  ChangeWebhookRequest,
  CreateReservationRequest,
  MoveWindowRequest,
  RegisterWebhookRequest,
} from "../../src/model/requests/requests.ts"
import { decodeRequest } from "../../src/model/values/schema.ts"
import type { AnySchema } from "../../src/model/values/schema.ts"
import { BARE_KEY, bareApp } from "./bare-app.ts"

const TIME = "2026-06-01T15:00:00Z"
const PHONE = "+15125550100"
const customer = { phone: PHONE, first_name: "Ada", last_name: "Example", email: "ada@example.com" }
const address = { street: "1 Sample St", city: "Austin", state: "TX", zip: "78758", unit: "4B" }

/** Every operation with a body: the schema that its handler decodes with, and a body that holds every field. */
const BODIES: readonly (readonly [document: string, operationId: string, schema: AnySchema, body: object])[] =
  [
    [
      "dd",
      "quoteDelivery",
      QuoteRequest,
      {
        external_delivery_id: "order-1",
        customer,
        delivery_address: { ...address, location: { lat: 30.4, lng: -97.7 } },
        delivery_location: { latitude: 30.4, longitude: -97.7 },
        ready_by: TIME,
        order_items: [{ name: "Milk", quantity: 2 }],
        pickup_instructions: "At the side door",
      },
    ],
    ["dd", "createDelivery", CreateDeliveryRequest, { external_delivery_id: "order-1", customer }],
    [
      "dd",
      "cancelDelivery",
      CancelDeliveryRequest,
      { status: "CANCELLED", cancellation_reason: "The customer left" },
    ],
    [
      "dd",
      "registerWebhook",
      RegisterPickupWebhookRequest,
      { url: "https://hooks.example.com/", events: ["pickup_status.changed"] },
    ],
    [
      "dd",
      "changeWebhook",
      ChangePickupWebhookRequest,
      {
        url: "https://hooks.example.com/",
        events: ["pickup_status.changed"],
        is_active: true,
        rotate_secret: true,
      },
    ],
    [
      "rs",
      "createReservation",
      CreateReservationRequest,
      {
        zone_id: "zone_1",
        retailer_id: "ret_1",
        order_number: "1001",
        end_user_name: "Ada Example",
        end_user_phone: PHONE,
        arrival_window_start: TIME,
        arrival_window_end: TIME,
        open_link_url: "https://open.example.com/7",
        retailer_pickup_ref: "A-7",
        payload_limit: { max_weight_kg: 10, max_dimensions_cm: { length: 30, width: 20, height: 10 } },
      },
    ],
    ["rs", "moveArrivalWindow", MoveWindowRequest, { arrival_window_start: TIME, arrival_window_end: TIME }],
    [
      "rs",
      "reportBot",
      BotReportRequest,
      { status: "ARRIVED", label: "Bot 7", eta: TIME, occurred_at: TIME, reason: "" },
    ],
    [
      "rs",
      "registerWebhook",
      RegisterWebhookRequest,
      {
        url: "https://hooks.example.com/",
        subscribed_events: ["reservation.status_changed"],
        is_active: true,
      },
    ],
    [
      "rs",
      "changeWebhook",
      ChangeWebhookRequest,
      {
        url: "https://hooks.example.com/",
        subscribed_events: ["reservation.status_changed"],
        is_active: true,
        rotate_secret: true,
      },
    ],
    ["rs", "advanceReservation", AdvanceRequest, { reason_code: "stall_blocked", message: "Late" }],
  ]

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly { readonly name: string; readonly schema: object }[]
  readonly responses: Readonly<Record<string, object>>
  readonly security?: readonly object[]
  readonly requestBody?: { readonly content: { readonly "application/json"?: { readonly schema: object } } }
}

interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

const documents = new Map<string, ApiDocument>()

beforeAll(async () => {
  const app = await bareApp()
  for (const name of ["dd", "rs"]) {
    documents.set(name, (await app.inject({ url: `/openapi/${name}.json` })).json<ApiDocument>())
  }
})

function operationsIn(name: string): readonly Operation[] {
  return Object.values(documents.get(name)?.paths ?? {}).flatMap((methods) => Object.values(methods))
}

/** The document's own judgement of a body. */
function judgeOf(name: string, operationId: string): (body: unknown) => boolean {
  const wanted = operationsIn(name).find((one) => one.operationId === operationId)
  const schema = wanted?.requestBody?.content["application/json"]?.schema
  if (schema === undefined) throw new Error(`${operationId} has no body in ${name}.json`)
  const isTime = (text: string): boolean =>
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text)
  const ajv = new Ajv2020({ strict: false, formats: { "date-time": isTime } })
  ajv.addSchema(documents.get(name) ?? {}, "document")
  return ajv.compile({ components: (documents.get(name) as { components?: object }).components, ...schema })
}

const INSTEAD: readonly unknown[] = [
  null,
  true,
  "",
  " ",
  "a\u0000b",
  ".",
  "..",
  "x".repeat(20_000),
  -1,
  0,
  0.5,
  181,
  1e9,
  [],
  {},
  Array.from({ length: 2_000 }, () => "x"),
]

/** The body with another value at each place in it, and without each of its fields. */
function changed(value: unknown, at = ""): readonly (readonly [place: string, body: unknown])[] {
  const here = INSTEAD.map((other) => [`${at} = ${JSON.stringify(other).slice(0, 40)}`, other] as const)
  if (Array.isArray(value)) {
    const many = Array.from({ length: 2_000 }, () => value[0] as unknown)
    const inside = changed(value[0], `${at}.0`).map(([place, one]) => [place, [one]] as const)
    return [...here, [`${at} of 2000`, many], [`${at} twice`, [value[0], value[0]]], ...inside]
  }
  if (typeof value !== "object" || value === null) return here
  const inside = Object.entries(value).flatMap(([field, held]) => {
    const rest = Object.fromEntries(Object.entries(value).filter(([other]) => other !== field))
    const others = changed(held, `${at}.${field}`).map(
      ([place, one]) => [place, { ...rest, [field]: one }] as const,
    )
    return [[`without ${at}.${field}`, rest] as const, ...others]
  })
  return [...here, ...inside]
}

describe("rs.json and dd.json", () => {
  test.each(BODIES)(
    "%s: the schema of %s refuses what its decoder refuses, and no more",
    (name, operationId, schema, body) => {
      const judge = judgeOf(name, operationId)
      const accepts = (one: unknown): boolean =>
        Either.isRight(Effect.runSync(Effect.either(decodeRequest(schema, one))))
      expect([accepts(body), judge(body)]).toEqual([true, true])
      const differing = changed(body).filter(([, one]) => accepts(one) !== judge(one))
      expect(
        differing.map(([place, one]) => `${place}: the service ${accepts(one) ? "takes" : "refuses"} it`),
      ).toEqual([])
    },
  )

  test("every operation with a JSON body is in the table", () => {
    const described = ["dd", "rs"].flatMap((name) =>
      operationsIn(name)
        .filter(({ requestBody }) => requestBody?.content["application/json"] !== undefined)
        .map(({ operationId }) => `${name} ${operationId}`),
    )
    expect(BODIES.map(([name, operationId]) => `${name} ${operationId}`).toSorted()).toEqual(
      described.toSorted(),
    )
  })

  test("x-retailer-id is described as the UUID that it must be", () => {
    const headers = operationsIn("dd").flatMap(({ parameters = [] }) =>
      parameters.filter(({ name }) => name === "x-retailer-id"),
    )
    expect(headers.length).toBeGreaterThan(5)
    for (const { schema } of headers) {
      const judge = new Ajv2020({ strict: false, formats: { uuid: true } }).compile(schema)
      expect(judge("11111111-0000-4000-8000-00000000ABCD")).toBe(true)
      for (const other of ["site-1", "", "11111111-0000-4000-8000-00000000abcd "])
        expect(judge(other)).toBe(false)
    }
  })

  test("what the gate refuses of any path is among the codes of each operation with a key", async () => {
    const app = await bareApp()
    for (const name of ["dd", "rs"]) {
      for (const [path, methods] of Object.entries(documents.get(name)?.paths ?? {})) {
        for (const [method, { responses, security }] of Object.entries(methods)) {
          if (security?.length === 0) continue
          const { statusCode, json } = await app.inject({
            method: method.toUpperCase() as "GET",
            url: `${path.replaceAll(/\{\w+\}/g, "one")}?more=%00`,
            headers: { authorization: `Bearer ${BARE_KEY}` },
          })
          expect([path, method, statusCode]).toEqual([path, method, 400])
          const declared = JSON.stringify(responses["400"] ?? {})
          expect([path, method, declared]).toEqual([
            path,
            method,
            expect.stringContaining(json<{ code: string }>().code),
          ])
        }
      }
    }
  })
})
