import { Ajv2020 } from "ajv/dist/2020.js"
import { Effect } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { COURIER_ERRORS, COURIER_TOOLS, CourierEnvelope } from "../../../src/model/courier.ts"
import type { CourierErrorCode, CourierTool } from "../../../src/model/courier.ts"
import { CheckDeliveryArguments } from "../../../src/model/requests/courier-requests.ts"
import { jsonSchemaOf } from "../../../src/model/values/inlined-schema.ts"
import { TOOLS } from "../../../src/apps/mcp/tools.ts"
import { DELIVERY_ID, ENVELOPE, GOOD_ARGUMENTS, openEndpoint } from "./endpoint.ts"
import type { Endpoint } from "./endpoint.ts"

let endpoint: Endpoint

beforeAll(async () => {
  endpoint = await openEndpoint()
})
beforeEach(() => {
  endpoint.answer = Effect.succeed(ENVELOPE)
  endpoint.asked.length = 0
})
afterAll(() => endpoint.app.close())

const TITLES: Record<CourierTool, string> = {
  check_delivery: "Check delivery",
  reserve_delivery: "Reserve delivery",
  confirm_delivery: "Confirm delivery",
  update_delivery: "Update delivery",
  get_delivery_status: "Delivery status",
  cancel_delivery: "Cancel delivery",
}

const ajv = new Ajv2020({ strict: false, validateFormats: false })

describe("the list of tools", () => {
  test("six tools with their titles, in the order of an errand", async () => {
    const { json } = await endpoint.ask("tools/list")
    const listed = json["result"]?.["tools"] as unknown as { name: string; title: string }[]
    expect(listed.map(({ name, title }) => [name, title])).toEqual(
      COURIER_TOOLS.map((name) => [name, TITLES[name]]),
    )
  })

  test.each(COURIER_TOOLS)(
    "%s: its schemas are objects with nothing to follow, and take what is good",
    (name) => {
      const { inputSchema, outputSchema } = listingOf(name)
      for (const schema of [inputSchema, outputSchema]) {
        expect(schema.type).toBe("object")
        expect(JSON.stringify(schema)).not.toMatch(/"\$(ref|defs)"/)
      }
      expect(ajv.validate(inputSchema, GOOD_ARGUMENTS[name])).toBe(true)
      expect(ajv.validate(inputSchema, {})).toBe(false)
    },
  )

  test.each(COURIER_TOOLS)("%s: only reading the status takes no idempotency key", (name) => {
    const { required, properties } = listingOf(name).inputSchema as unknown as {
      required: string[]
      properties: object
    }
    const isRead = name === "get_delivery_status"
    expect([required.includes("idempotency_key"), "idempotency_key" in properties]).toEqual([
      !isRead,
      !isRead,
    ])
  })

  test("the versions of terms and consent are constants that a client can read", () => {
    const { properties } = listingOf("reserve_delivery").inputSchema as unknown as {
      properties: Record<string, { properties: Record<string, { enum: unknown[] }> }>
    }
    expect(properties["terms_acknowledged"]?.properties["terms_version"]?.enum).toEqual(["2026-09-27"])
    expect(properties["terms_acknowledged"]?.properties["accepted"]?.enum).toEqual([true])
    expect(properties["contact_consent"]?.properties["consent_version"]?.enum).toEqual(["2026-09-27"])
    expect(properties["contact_consent"]?.properties["granted"]?.enum).toEqual([true])
  })

  test("bounds and meanings are told, also of fields whose checks are our own", () => {
    const { properties } = jsonSchemaOf(CheckDeliveryArguments) as unknown as {
      properties: Record<string, Record<string, unknown>>
    }
    expect(properties["retailer_name"]).toMatchObject({
      minLength: 1,
      maxLength: 200,
      description: expect.stringContaining("store"),
    })
    expect(properties["pickup_methods_offered"]).toMatchObject({ minItems: 1, maxItems: 10 })
    expect(properties["retailer_slots"]).toMatchObject({ maxItems: 50 })
    expect(properties["item_count"]).toMatchObject({ type: "integer", minimum: 0, maximum: 1_000 })
    expect(properties["idempotency_key"]).toMatchObject({ minLength: 8, maxLength: 128 })
    expect(properties["store_url"]).toEqual({ type: "string", maxLength: 2000 })
  })

  test.each(COURIER_TOOLS)("M11: %s says what it may do", (name) => {
    const { annotations } = listingOf(name)
    expect(annotations["openWorldHint"]).toBe(true)
    expect(annotations["readOnlyHint"]).toBe(name === "get_delivery_status")
    if (name === "get_delivery_status") return
    expect(annotations["idempotentHint"]).toBe(true)
    expect(annotations["destructiveHint"]).toBe(name === "cancel_delivery")
  })

  test.each(COURIER_TOOLS)(
    "M12: %s has two fields always, every other one as far as it is known, and may have more",
    (name) => {
      const { outputSchema } = listingOf(name)
      expect(outputSchema["required"]).toEqual(["next_step", "user_message"])
      const check = ajv.compile(outputSchema)
      expect(check(ENVELOPE)).toBe(true)
      expect(check({ ...ENVELOPE, something_new: 1 })).toBe(true)
      expect(check({ ...ENVELOPE, state: "held", error: refusal("not_found").error })).toBe(true)
      expect(check({ next_step: "x" })).toBe(false)
      expect(check({ ...ENVELOPE, state: 7 })).toBe(false)
      expect(check({ ...ENVELOPE, error: "not_found" })).toBe(false)
    },
  )

  test("M12: every field of an answer is named by the tool that makes it", () => {
    const named = TOOLS.flatMap(({ listing }) => Object.keys(listing.outputSchema["properties"] as object))
    expect(new Set(named)).toEqual(new Set(Object.keys(CourierEnvelope.fields)))
  })

  test("M12: the list takes at most 16 kB, and nothing in it that narrow hosts refuse", async () => {
    const { json } = await endpoint.ask("tools/list")
    const text = JSON.stringify(json)
    expect(new TextEncoder().encode(text).length).toBeLessThanOrEqual(16_000)
    expect(text).not.toMatch(/"additionalProperties"|"anyOf"|"oneOf"|"format":"uri"/)
    expect(text).not.toMatch(/"description":"(?:a|an) (?:string|number|integer|boolean)/)
  })

  test("what one tool said of a field, the next ones do not say again", () => {
    const keyOf = (name: CourierTool) =>
      (listingOf(name).inputSchema["properties"] as Readonly<Record<string, object>>)["idempotency_key"]
    expect(keyOf("check_delivery")).toMatchObject({ maxLength: 128, description: expect.any(String) })
    expect(keyOf("cancel_delivery")).toEqual({ type: "string" })
  })
})

describe("a call", () => {
  test.each(COURIER_TOOLS)("%s reaches its own method with what was sent", async (name) => {
    const { json } = await endpoint.call(name, GOOD_ARGUMENTS[name])
    expect(json["result"]).toEqual({
      structuredContent: ENVELOPE,
      content: [{ type: "text", text: JSON.stringify(ENVELOPE) }],
    })
    expect(endpoint.asked).toMatchObject([{ tool: name, userId: "usr_ada", args: GOOD_ARGUMENTS[name] }])
  })

  test("an argument that the tool does not know is named with what was meant, beside the whole answer", async () => {
    const sent = { ...GOOD_ARGUMENTS.check_delivery, retailer_slot: [], extra: 1 }
    const { json } = await endpoint.call("check_delivery", sent)
    const answer = {
      ...ENVELOPE,
      warnings: [
        {
          field: "retailer_slot",
          message: "is not a field of this request and was ignored; did you mean retailer_slots?",
        },
        { field: "extra", message: "is not a field of this request and was ignored" },
      ],
    }
    expect(json["result"]).toEqual({
      structuredContent: answer,
      content: [{ type: "text", text: JSON.stringify(answer) }],
    })
    expect(ajv.compile(listingOf("check_delivery").outputSchema)(answer)).toBe(true)
    expect(endpoint.asked).toMatchObject([{ args: GOOD_ARGUMENTS.check_delivery }])
  })

  test.each(["order_pizza", "", 7, undefined])("M7: %j is no tool", async (name) => {
    const { status, json } = await endpoint.ask("tools/call", { name, arguments: {} })
    expect([status, json["error"]?.["code"]]).toEqual([200, -32_602])
    expect(endpoint.asked).toEqual([])
  })

  test.each(COURIER_TOOLS)(
    "%s takes null for every optional argument as if it was left out",
    async (name) => {
      const inputSchema = TOOLS.find(({ listing }) => listing.name === name)?.listing
        .inputSchema as unknown as {
        readonly properties: object
        readonly required: readonly string[]
      }
      const { properties, required } = inputSchema
      const optional = Object.keys(properties).filter((field) => !required.includes(field))
      const good: Readonly<Record<string, unknown>> = GOOD_ARGUMENTS[name]
      const nulls = Object.fromEntries(
        optional.filter((field) => !(field in good)).map((field) => [field, null]),
      )
      await endpoint.call(name, { ...nulls, ...good })
      expect(endpoint.asked).toEqual([{ tool: name, userId: "usr_ada", args: good }])
    },
  )

  test("deep ones too, and null for a required argument is still refused", async () => {
    const good = GOOD_ARGUMENTS.check_delivery
    const address = { ...good.store_address, unit: null, location: null }
    await endpoint.call("check_delivery", { ...good, store_address: address })
    expect(endpoint.asked).toMatchObject([{ args: good }])
    const { json } = await endpoint.call("check_delivery", { ...good, retailer_name: null })
    expect(json["result"]).toMatchObject({ isError: true })
    expect(JSON.stringify(json)).toContain("retailer_name")
    expect(endpoint.asked).toHaveLength(1)
  })

  test("M8: fields that the schema does not know are dropped, deep ones too", async () => {
    const sent = {
      ...GOOD_ARGUMENTS.check_delivery,
      surprise: true,
      store_address: { ...GOOD_ARGUMENTS.check_delivery.store_address, planet: "Earth" },
    }
    await endpoint.call("check_delivery", sent)
    await endpoint.call("check_delivery", GOOD_ARGUMENTS.check_delivery)
    expect(endpoint.asked[0]?.args).toEqual(endpoint.asked[1]?.args)
  })

  test.each(Object.keys(COURIER_ERRORS) as CourierErrorCode[])(
    "a refusal with %s is an ordinary result, a fault of ours alone is an error",
    async (code) => {
      endpoint.answer = Effect.succeed(refusal(code))
      const { json } = await endpoint.call("cancel_delivery", GOOD_ARGUMENTS.cancel_delivery)
      expect(json["result"]?.["structuredContent"]).toEqual(refusal(code))
      expect(json["result"]?.["isError"]).toBe(code === "internal_error" ? true : undefined)
    },
  )

  test.each(COURIER_TOOLS)(
    "%s: an unexpected error is internal_error, reveals nothing, and can be retried",
    async (name) => {
      endpoint.answer = Effect.die(new Error("secret of the inside"))
      const { status, text, json } = await endpoint.call(name, GOOD_ARGUMENTS[name])
      const envelope = json["result"]?.["structuredContent"] as unknown as CourierEnvelope
      expect(status).toBe(200)
      expect(json["result"]?.["isError"]).toBe(true)
      expect(envelope.error).toMatchObject({ code: "internal_error", retryable: true })
      expect(envelope.next_step).toMatch(new RegExp(`^Call ${name} again with the same arguments`))
      expect(envelope.next_step.includes("idempotency_key")).toBe(name !== "get_delivery_status")
      expect(text).not.toContain("secret of the inside")
      expect(endpoint.logged.at(-1)).toMatch(/^a tool failed: .*secret of the inside/)
    },
  )
})

describe("arguments that do not fit", () => {
  const { check_delivery, reserve_delivery, update_delivery, confirm_delivery } = GOOD_ARGUMENTS

  test.each<readonly [tool: CourierTool, args: unknown, field: string]>([
    ["check_delivery", undefined, "retailer_name"],
    ["check_delivery", null, "retailer_name"],
    ["check_delivery", [], "arguments"],
    ["check_delivery", "dlv", "arguments"],
    ["check_delivery", { ...check_delivery, retailer_name: " " }, "retailer_name"],
    ["check_delivery", { ...check_delivery, store_address: { street: "1" } }, "store_address.city"],
    ["check_delivery", { ...check_delivery, pickup_methods_offered: [] }, "pickup_methods_offered"],
    ["check_delivery", { ...check_delivery, item_count: 1_001 }, "item_count"],
    ["check_delivery", { ...check_delivery, idempotency_key: "short" }, "idempotency_key"],
    ["check_delivery", { ...check_delivery, idempotency_key: "with a \0 in it" }, "idempotency_key"],
    ["reserve_delivery", { ...reserve_delivery, delivery_id: "dlv_1" }, "delivery_id"],
    [
      "reserve_delivery",
      { ...reserve_delivery, terms_acknowledged: { accepted: false, terms_version: "2026-09-27" } },
      "terms_acknowledged.accepted",
    ],
    [
      "reserve_delivery",
      { ...reserve_delivery, contact_consent: { granted: true, consent_version: "2025-01-01" } },
      "contact_consent.consent_version",
    ],
    ["confirm_delivery", { ...confirm_delivery, items: [{ name: "Soup", quantity: 0 }] }, "items.0.quantity"],
    ["update_delivery", { ...update_delivery, update_type: "weather" }, "update_type"],
    ["get_delivery_status", {}, "delivery_id"],
    ["cancel_delivery", { delivery_id: DELIVERY_ID }, "idempotency_key"],
  ])("X4: %s with %j is answered in words that name %s, without an envelope", async (tool, args, field) => {
    expect(await answered(tool, args)).toEqual(refusedFor(field))
    expect(endpoint.asked).toEqual([])
  })

  test.each<readonly [tool: CourierTool, args: unknown, field: string]>([
    [
      "check_delivery",
      {
        ...check_delivery,
        requested_timing: { type: "window", start: "2026-03-02T18:00:00Z", end: "2026-03-02T17:00:00Z" },
      },
      "requested_timing.end",
    ],
    ["update_delivery", { ...update_delivery, update_type: "payment" }, "payment"],
    ["update_delivery", { ...update_delivery, update_type: "order", order: {} }, "order"],
    ["update_delivery", { ...update_delivery, update_type: "check_in", check_in: {} }, "check_in"],
  ])(
    "M13: rules across fields are rules of the arguments: %s with %j names %s",
    async (tool, args, field) => {
      expect(await answered(tool, args)).toEqual(refusedFor(field))
      expect(endpoint.asked).toEqual([])
    },
  )

  async function answered(name: CourierTool, args: unknown): Promise<unknown> {
    const { status, json } = await endpoint.ask("tools/call", { name, arguments: args })
    return status === 200 ? json["result"] : status
  }

  function refusedFor(field: string): object {
    const names = expect.stringMatching(`[:;] ${field.replaceAll(".", String.raw`\.`)}: `) as unknown
    return { isError: true, content: [{ type: "text", text: names }] }
  }
})

function listingOf(name: CourierTool) {
  const found = TOOLS.find(({ listing }) => listing.name === name)
  if (found === undefined) throw new Error(`there is no tool ${name}`)
  return found.listing
}

function refusal(code: CourierErrorCode): CourierEnvelope {
  return { ...ENVELOPE, error: { code, message: "no", retryable: COURIER_ERRORS[code].retryable } }
}
