/** Cards of MCP Apps: the document, which tools name it, and what an answer has for it beside the envelope. */

import { Effect } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { COURIER_TOOLS } from "../../../src/model/courier.ts"
import type { CourierEnvelope } from "../../../src/model/courier.ts"
import { CARD_KEY, TRACKING_STEPS } from "../../../src/model/requests/courier-card.ts"
import type { CardData } from "../../../src/model/requests/courier-card.ts"
import { Routine } from "../../../src/engine/services/routine.ts"
import { CARD, DELIVERY_ID, ENVELOPE, GOOD_ARGUMENTS, STATELESS_META, openEndpoint } from "./endpoint.ts"
import type { Endpoint } from "./endpoint.ts"

const QUOTED: CourierEnvelope = { ...ENVELOPE, delivery_id: DELIVERY_ID, state: "quoted" }

const DATA: CardData = {
  environment: "production",
  timeZone: "America/Chicago",
  nowMs: Date.parse("2026-03-02T18:00:00Z"),
  doorAfterMs: 24 * 60_000,
  steps: TRACKING_STEPS.map((step) => ({ step, atMs: null })),
  arrival: null,
  change: null,
  map: null,
  vehicle: null,
  endedAtMs: null,
}

let endpoint: Endpoint

beforeAll(async () => {
  endpoint = await openEndpoint()
})
beforeEach(() => {
  Object.assign(endpoint, { answer: Effect.succeed(QUOTED), cardData: Routine.succeed(DATA) })
  endpoint.cardsAsked.length = 0
  endpoint.logged.length = 0
})
afterAll(() => endpoint.app.close())

describe.each(["ask", "askStateless"] as const)("by %s", (ask) => {
  test("the document of all cards is listed and read as an app that needs no other host", async () => {
    const app = { uri: "ui://courier/delivery", mimeType: "text/html;profile=mcp-app" }
    const listed = await endpoint[ask]("resources/list")
    expect(listed.json["result"]?.["resources"]).toContainEqual(expect.objectContaining(app))
    const read = await endpoint[ask]("resources/read", { uri: app.uri })
    expect(read.json["result"]?.["contents"]).toEqual([
      { ...app, text: CARD, _meta: { ui: { csp: {}, prefersBorder: false } } },
    ])
  })

  test("every tool but cancel_delivery and update_delivery names it, whatever the client announces", async () => {
    const { json } = await endpoint[ask]("tools/list")
    const tools = json["result"]?.["tools"] as unknown as { readonly _meta: unknown }[]
    expect(tools.map(({ _meta }) => _meta)).toEqual(
      COURIER_TOOLS.map((name) =>
        name === "cancel_delivery" || name === "update_delivery"
          ? undefined
          : { ui: { resourceUri: "ui://courier/delivery" } },
      ),
    )
  })

  test("an answer about an errand has the card's data beside what models read", async () => {
    const sent = { name: "get_delivery_status", arguments: GOOD_ARGUMENTS.get_delivery_status }
    const capabilities = { extensions: { "io.modelcontextprotocol/ui": {} } }
    const meta = { ...STATELESS_META, "io.modelcontextprotocol/clientCapabilities": capabilities }
    const answer =
      ask === "ask" ? endpoint.ask("tools/call", sent) : endpoint.askStateless("tools/call", sent, { meta })
    const { result } = (await answer).json
    expect(result?.["_meta"]?.[CARD_KEY]).toEqual(DATA)
    expect(result?.["structuredContent"]).toEqual(QUOTED)
    expect(result?.["content"]).toEqual([{ type: "text", text: JSON.stringify(QUOTED) }])
    expect(endpoint.cardsAsked).toEqual([{ userId: "usr_ada", deliveryId: DELIVERY_ID }])
  })
})

test("a client that says with each call what it can do, and shows no cards, gets no data of them", async () => {
  const sent = { name: "get_delivery_status", arguments: GOOD_ARGUMENTS.get_delivery_status }
  const { result } = (await endpoint.askStateless("tools/call", sent)).json
  expect(result?.["structuredContent"]).toEqual(QUOTED)
  expect(result?.["_meta"] ?? {}).not.toHaveProperty(CARD_KEY)
  expect(endpoint.cardsAsked).toEqual([])
})

describe("without data for a card", () => {
  const asked = async () =>
    (await endpoint.call("get_delivery_status", GOOD_ARGUMENTS.get_delivery_status)).json["result"]

  test("a refusal that knows no errand asks for none", async () => {
    endpoint.answer = Effect.succeed({ ...ENVELOPE, delivery_id: DELIVERY_ID })
    expect(await asked()).not.toHaveProperty("_meta")
    expect(endpoint.cardsAsked).toEqual([])
  })

  test("another's errand, or one whose link has ended, has no field for it", async () => {
    endpoint.cardData = Routine.succeed(null)
    expect(await asked()).not.toHaveProperty("_meta")
  })

  test("a fault of the data leaves the answer as it is, and is logged", async () => {
    endpoint.cardData = Routine.dieMessage("the map is broken")
    const result = await asked()
    expect(result?.["structuredContent"]).toEqual(QUOTED)
    expect(result).not.toHaveProperty("_meta")
    expect(endpoint.logged.at(-1)).toContain("the data of a card failed")
  })
})
