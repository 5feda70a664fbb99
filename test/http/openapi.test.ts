/** The OpenAPI document: what it describes is what the contract lists. */

import { Ajv2020 } from "ajv/dist/2020.js"
import { describe, expect, test } from "vitest"
import { ERRORS, statusOf } from "../../src/model/values/errors.ts"
import type { ErrorCode } from "../../src/model/values/errors.ts"
import { makeApi } from "./api.ts"
import type { Document } from "./api.ts"

async function documentOf(environment: "production" | "sandbox"): Promise<Document> {
  const { app } = await makeApi({ environment })
  return (await app.inject({ url: "/openapi/rs.json" })).json<Document>()
}

function operations({ paths }: Document): readonly string[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
}

/** Source: reservations contract, endpoints; and the photos, whose links it gives. */
const ENDPOINTS = [
  "GET /rs/v1/retailers",
  "POST /rs/v1/reservations",
  "GET /rs/v1/reservations",
  "GET /rs/v1/reservations/{id}",
  "PATCH /rs/v1/reservations/{id}",
  "DELETE /rs/v1/reservations/{id}",
  "POST /rs/v1/reservations/{id}/bot",
  "POST /rs/v1/webhooks",
  "GET /rs/v1/webhooks",
  "PUT /rs/v1/webhooks/{id}",
  "GET /rs/v1/photos/{id}",
]

/** Source: reservations contract, errors; the codes that complete its table are ours. */
const CODES: Readonly<Record<number, readonly ErrorCode[]>> = {
  400: ["VALIDATION_ERROR", "INVALID_WEBHOOK_URL"],
  401: ["INVALID_API_KEY", "INVALID_OPERATOR_TOKEN"],
  403: ["WRONG_ENV_KEY", "PERMISSION_DENIED", "NOT_FLEET_PARTNER", "ORG_INACTIVE"],
  404: ["NOT_FOUND", "SITE_NOT_FOUND"],
  405: ["METHOD_NOT_ALLOWED"],
  409: ["ALREADY_EXISTS", "BOT_STATUS_REGRESSION", "INVALID_STATE", "IDEMPOTENCY_IN_PROGRESS"],
  413: ["PAYLOAD_TOO_LARGE"],
  421: ["MISDIRECTED_REQUEST"],
  422: [
    "ZONE_NOT_FOUND",
    "RETAILER_NOT_SUPPORTED_IN_ZONE",
    "ZONE_HAS_NO_STALLS",
    "WINDOW_IN_PAST",
    "WINDOW_TOO_FAR_OUT",
    "WINDOW_TOO_SHORT",
    "WINDOW_TOO_LONG",
    "INVALID_OPEN_LINK",
    "IDEMPOTENCY_KEY_REUSED",
    "WEBHOOK_LIMIT_REACHED",
  ],
  429: ["RATE_LIMITED"],
  500: ["INTERNAL_ERROR"],
  503: ["OVERLOADED", "UNAVAILABLE", "URL_VALIDATION_UNAVAILABLE"],
}

/** Codes that only the operations API has. */
const OF_OPERATIONS: readonly ErrorCode[] = ["ALREADY_EXISTS", "INVALID_OPERATOR_TOKEN"]

/** What machines of errands refuse with: the connector answers in words of its own. */
const OF_ERRANDS: readonly ErrorCode[] = [
  "HOLD_EXPIRED",
  "NO_CAPACITY",
  "PAYMENT_FAILED",
  "TIMING_NOT_FEASIBLE",
]

/** Codes that only the portal, the sign-in of operators and inbound messages have. */
const OF_THE_PORTAL: readonly ErrorCode[] = [
  "ACCOUNT_DEACTIVATED",
  "CROSS_SITE_REQUEST",
  "INVALID_CODE",
  "INVALID_CREDENTIALS",
  "INVALID_SIGNATURE",
  "LIMIT_REACHED",
  "MEMBERSHIP_ENDED",
  "ONBOARDING_INCOMPLETE",
  "OWNER_REQUIRED",
  "SIGN_IN_REQUIRED",
]
/** Source: direct delivery contract, errors; codes that the Reservations API does not have. */
const DELIVERY_CODES: Readonly<Record<number, readonly ErrorCode[]>> = {
  400: ["INVALID_READY_BY"],
  403: ["RETAILER_INACTIVE"],
  404: ["RETAILER_NOT_FOUND", "DELIVERY_NOT_FOUND", "QUOTE_NOT_FOUND"],
  409: ["DELIVERY_ALREADY_EXISTS"],
  410: ["QUOTE_EXPIRED"],
  422: ["GEOCODE_FAILED", "QUOTE_UNAVAILABLE"],
  503: ["GEOCODING_UNAVAILABLE", "RETAILER_NOT_CONFIGURED"],
}

/** Ours: the sandbox's clock. */
const OF_THE_SANDBOX: readonly ErrorCode[] = ["CLOCK_IS_MOVING"]

/** Ours: a compartment that a customer opens on the tracking page. */
const OF_TRACKING: readonly ErrorCode[] = ["COMPARTMENT_LOCKED", "WRONG_DIGITS"]

describe("G22: /openapi/rs.json", () => {
  test.each([
    ["production", ENDPOINTS],
    ["sandbox", [...ENDPOINTS, "POST /rs/v1/reservations/{id}/advance"]],
  ] as const)(
    "lists the contract's endpoints; advance in the sandbox alone: %s",
    async (environment, all) => {
      expect(operations(await documentOf(environment)).toSorted()).toEqual(all.toSorted())
    },
  )

  test("the catalogue of codes is the contract's table, completed", () => {
    const catalogue = (Object.keys(ERRORS) as ErrorCode[]).filter(
      (code) => ![...OF_THE_PORTAL, ...OF_ERRANDS, ...OF_THE_SANDBOX, ...OF_TRACKING].includes(code),
    )
    const table = [...Object.entries(CODES), ...Object.entries(DELIVERY_CODES)].flatMap(([status, codes]) =>
      codes.map((code) => [code, Number(status)]),
    )
    expect(new Map(catalogue.map((code) => [code, statusOf(code)]))).toEqual(
      new Map(table as [ErrorCode, number][]),
    )
  })

  test("every code but those of no operation comes with one", async () => {
    const text = JSON.stringify((await documentOf("sandbox")).paths)
    const missing = Object.values(CODES)
      .flat()
      .filter((code) => !text.includes(`"${code}"`))
    expect(missing.toSorted()).toEqual(["METHOD_NOT_ALLOWED", "SITE_NOT_FOUND", ...OF_OPERATIONS].toSorted())
  })

  test("is OpenAPI 3.1 whose schemas compile and whose references lead somewhere", async () => {
    const document = await documentOf("sandbox")
    expect(document.openapi).toBe("3.1.0")
    const ajv = new Ajv2020({ strict: false, formats: { "date-time": true } })
    ajv.addSchema(document, "rs")
    for (const name of Object.keys(document.components.schemas)) {
      expect(ajv.compile({ $ref: `rs#/components/schemas/${name}` }), name).toBeTypeOf("function")
    }
    const references = JSON.stringify(document).match(/"\$ref":"#[^"]+"/g) ?? []
    for (const reference of new Set(references)) {
      const path = reference.slice(10, -1).split("/")
      const found = path.reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], document)
      expect(found, reference).toBeDefined()
    }
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map((operation) => (operation as { operationId?: string }).operationId),
    )
    expect(new Set(ids).size).toBe(ids.length)
  })

  test("schemas are the contract's resources, by name", async () => {
    const { components } = await documentOf("production")
    expect(Object.keys(components.schemas).toSorted()).toEqual(
      [
        "Bot",
        "Error",
        "Handoff",
        "PayloadLimit",
        "Reservation",
        "Retailer",
        "Site",
        "Webhook",
        "Zone",
      ].toSorted(),
    )
  })
})
