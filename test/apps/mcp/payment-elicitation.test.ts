/** Payment by a client that shows pages: it is asked once, at the call that finds the fee unpaid. All others are answered as ever. */

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { Effect } from "effect"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import type { CourierEnvelope, CourierTool } from "../../../src/model/courier.ts"
import { MCP_PATH } from "../../../src/apps/mcp/plugin.ts"
import { BASE_URL, DELIVERY_ID, ENVELOPE, GOOD_ARGUMENTS, STATELESS_META, openEndpoint } from "./endpoint.ts"
import type { Endpoint } from "./endpoint.ts"

const CHECKOUT = "https://courier.curbline.example/pay/t1"

const UNPAID: CourierEnvelope = {
  ...ENVELOPE,
  delivery_id: DELIVERY_ID,
  state: "held",
  error: { code: "payment_failed", message: "the delivery fee is not authorized", retryable: true },
  payment: {
    amount_cents: 495,
    currency: "usd",
    seller_profile_id: "profile",
    checkout_url: CHECKOUT,
    instruction: "Ask the user.",
  },
}

const SHOWS_PAGES = { elicitation: { url: {} } }

let endpoint: Endpoint

beforeAll(async () => {
  endpoint = await openEndpoint()
})
beforeEach(() => {
  endpoint.answer = Effect.succeed(UNPAID)
})
afterAll(() => endpoint.app.close())

interface Changed {
  readonly tool?: CourierTool
  readonly capabilities?: object
  readonly params?: object
}

async function called({ tool = "confirm_delivery", capabilities = SHOWS_PAGES, params }: Changed = {}) {
  const meta = { ...STATELESS_META, "io.modelcontextprotocol/clientCapabilities": capabilities }
  const sent = { name: tool, arguments: GOOD_ARGUMENTS[tool], ...params }
  const { status, json } = await endpoint.askStateless("tools/call", sent, { meta })
  expect([status, json["error"]]).toEqual([200, undefined])
  return json["result"]
}

test("a client that shows pages is asked to show the checkout", async () => {
  expect(await called()).toMatchObject({
    resultType: "input_required",
    inputRequests: { payment: { method: "elicitation/create", params: { mode: "url", url: CHECKOUT } } },
  })
})

test.each(["accept", "decline", "cancel"])(
  "the call that is sent again after %s has the tool's own answer",
  async (action) => {
    const answered = { params: { inputResponses: { payment: { action } } } }
    expect(await called(answered)).toMatchObject({ resultType: "complete", structuredContent: UNPAID })
    endpoint.answer = Effect.succeed({ ...ENVELOPE, state: "confirmed" })
    expect(await called(answered)).toMatchObject({ structuredContent: { state: "confirmed" } })
  },
)

test.each<readonly [what: string, changed: Changed]>([
  ["a client that shows no pages", { capabilities: {} }],
  ["a client that shows forms alone", { capabilities: { elicitation: { form: {} } } }],
  ["another tool", { tool: "update_delivery" }],
])("%s has the tool's own answer", async (_, changed) => {
  expect(await called(changed)).toMatchObject({ resultType: "complete", structuredContent: UNPAID })
})

test("where there is no page to pay on, and after another refusal, nothing is asked", async () => {
  const { payment, ...bare } = UNPAID
  expect(payment?.checkout_url).toBe(CHECKOUT)
  endpoint.answer = Effect.succeed(bare)
  expect(await called()).toMatchObject({ structuredContent: bare })
  const late: CourierEnvelope = {
    ...UNPAID,
    error: { code: "hold_expired", message: "no", retryable: false },
  }
  endpoint.answer = Effect.succeed(late)
  expect(await called()).toMatchObject({ structuredContent: late })
})

test("older revisions have the tool's own answer, whatever the call says of its client", async () => {
  const { json } = await endpoint.ask("tools/call", {
    name: "confirm_delivery",
    arguments: GOOD_ARGUMENTS.confirm_delivery,
    _meta: { "io.modelcontextprotocol/clientCapabilities": SHOWS_PAGES },
  })
  expect(json["result"]).toMatchObject({ structuredContent: UNPAID })
})

test("the official client shows the page to its user and brings the booking, as one call", async () => {
  const shown: unknown[] = []
  const client = new Client(
    { name: "an agent", version: "1" },
    { capabilities: SHOWS_PAGES, versionNegotiation: { mode: { pin: "2026-07-28" } } },
  )
  client.setRequestHandler("elicitation/create", ({ params }) => {
    shown.push(params)
    // The user has paid on the page.
    endpoint.answer = Effect.succeed({ ...ENVELOPE, state: "confirmed" })
    return { action: "accept" }
  })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${BASE_URL}${MCP_PATH}`), { fetch: injected }),
  )
  const { structuredContent } = await client.callTool({
    name: "confirm_delivery",
    arguments: GOOD_ARGUMENTS.confirm_delivery,
  })
  expect(structuredContent).toMatchObject({ state: "confirmed" })
  expect(shown).toMatchObject([{ mode: "url", url: CHECKOUT }])
  await client.close()
})

/** Requests of the client reach the endpoint, and nothing listens. */
async function injected(_url: URL | string, init: RequestInit = {}): Promise<Response> {
  const headers = Object.fromEntries(new Headers(init.headers))
  const { status, text } = await endpoint.send({ method: init.method ?? "GET", headers, text: bodyOf(init) })
  return new Response(text, { status, headers: { "content-type": "application/json" } })
}

function bodyOf({ body }: RequestInit): string {
  return typeof body === "string" ? body : ""
}
