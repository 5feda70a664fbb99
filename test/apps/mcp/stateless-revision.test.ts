/** MCP 2026-07-28: no handshake, and everything that a request is answered by is in the request. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { requestSpans } from "../../../src/http/request-span.ts"
import type { TraceSpan } from "../../../src/engine/services/tracing.ts"
import { COURIER_TOOLS } from "../../../src/model/courier.ts"
import { keptAnswer } from "../../../src/apps/mcp/kept-calls.ts"
import { BASE_URL, ENVELOPE, GOOD_ARGUMENTS, STATELESS, STATELESS_META, openEndpoint } from "./endpoint.ts"
import type { Endpoint, Got } from "./endpoint.ts"

const REVISION = "io.modelcontextprotocol/protocolVersion"
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
/** Only where a host meets the server. */
const SHOWN = {
  websiteUrl: `${BASE_URL}/llms.txt`,
  icons: [{ src: `${BASE_URL}/assets/mark.svg`, mimeType: "image/svg+xml", sizes: ["any"] }],
}
const SERVER_INFO = { name: "courier-connector", title: "Courier connector", version: "1.0.0" }
const STATUS = { name: "get_delivery_status", arguments: GOOD_ARGUMENTS.get_delivery_status }

let endpoint: Endpoint

beforeAll(async () => {
  endpoint = await openEndpoint()
})
beforeEach(() => {
  endpoint.isPaused = false
  endpoint.asked.length = 0
})
afterAll(() => endpoint.app.close())

/** Status, error code, and the id that every error has of its request. */
function refused({ status, json }: Got): readonly unknown[] {
  return [status, json["error"]?.["code"], json["id"]]
}

describe("what the server says of itself", () => {
  test("server/discover gives the revisions of this kind, the capabilities and the instructions", async () => {
    const { status, headers, json } = await endpoint.askStateless("server/discover")
    expect([status, headers["mcp-session-id"], headers["cache-control"]]).toEqual([
      200,
      undefined,
      "no-store",
    ])
    expect(json["result"]).toMatchObject({
      resultType: "complete",
      supportedVersions: [STATELESS],
      capabilities: { tools: {}, resources: {} },
      instructions: expect.stringContaining("courier://description"),
    })
  })

  test.each([
    ["server/discover", {}],
    ["tools/list", {}],
    ["resources/list", {}],
    ["resources/templates/list", {}],
    ["resources/read", { uri: "courier://description" }],
  ])("%s is the same for every user, and may be kept for five minutes", async (method, params) => {
    const { status, json } = await endpoint.askStateless(method, params)
    expect(status).toBe(200)
    expect(json["result"]).toMatchObject({ ttlMs: 300_000, cacheScope: "public" })
    const info = method === "server/discover" ? { ...SERVER_INFO, ...SHOWN } : SERVER_INFO
    expect(json["result"]?.["_meta"]).toEqual({ "io.modelcontextprotocol/serverInfo": info })
  })

  test("tools and resource are those of the older revisions, whose answers have neither ttlMs nor cacheScope", async () => {
    for (const [method, params] of [
      ["tools/list", {}],
      ["resources/list", {}],
      ["resources/read", { uri: "courier://description" }],
    ] as const) {
      const older = (await endpoint.ask(method, params)).json["result"]
      expect(Object.keys(older ?? {})).toHaveLength(1)
      expect((await endpoint.askStateless(method, params)).json["result"]).toMatchObject(older ?? {})
    }
  })

  test("M12: the list of tools takes at most 16 kB here, too", async () => {
    const { text } = await endpoint.askStateless("tools/list")
    expect(new TextEncoder().encode(text).length).toBeLessThanOrEqual(16_000)
  })
})

describe("a call", () => {
  test.each(COURIER_TOOLS)("%s reaches its own method, and its answer may not be kept", async (name) => {
    const { status, json } = await endpoint.askStateless("tools/call", {
      name,
      arguments: GOOD_ARGUMENTS[name],
    })
    expect([status, json["id"]]).toEqual([200, "own"])
    expect(json["result"]).toEqual({
      resultType: "complete",
      structuredContent: ENVELOPE,
      content: [{ type: "text", text: JSON.stringify(ENVELOPE) }],
      _meta: { "io.modelcontextprotocol/serverInfo": SERVER_INFO },
    })
    expect(endpoint.asked).toMatchObject([{ tool: name, userId: "usr_ada", args: GOOD_ARGUMENTS[name] }])
  })

  test("X4: arguments that do not fit are a result in words, without an envelope", async () => {
    const { json } = await endpoint.askStateless("tools/call", { ...STATUS, arguments: {} })
    expect(json["result"]).toMatchObject({
      isError: true,
      resultType: "complete",
      content: [{ type: "text", text: expect.stringContaining("delivery_id: is missing") }],
    })
    expect(json["result"]).not.toHaveProperty("structuredContent")
    expect(endpoint.asked).toEqual([])
  })

  test.each([
    ["an unknown tool", "tools/call", { name: "order_pizza", arguments: {} }],
    ["no tool", "tools/call", { arguments: {} }],
    ["an unknown resource", "resources/read", { uri: "courier://other" }],
  ])("M7 and M10: %s is a bad parameter", async (_, method, params) => {
    expect(refused(await endpoint.askStateless(method, params))).toEqual([200, -32_602, "own"])
  })

  test("M10: the error of an unknown resource has its address", async () => {
    const { json } = await endpoint.askStateless("resources/read", { uri: "courier://other" })
    expect(json["error"]?.["data"]).toEqual({ uri: "courier://other" })
  })

  test("what the inspector keeps of it is the same as of an older call", async () => {
    const older = await endpoint.ask("tools/call", STATUS)
    const { text } = await endpoint.askStateless("tools/call", STATUS)
    expect(keptAnswer(text)).toEqual(keptAnswer(older.text))
    expect(keptAnswer(text)).toEqual({ results: [{ structuredContent: ENVELOPE }] })
  })
})

describe("the request says what it speaks", () => {
  test.each([
    ["no _meta", undefined, ["_meta"]],
    ["no revision", { [CAPABILITIES]: {} }, [REVISION]],
  ])("%s under this revision's header is a bad parameter, with what is missing", async (_, meta, missing) => {
    const got = await endpoint.askStateless("server/discover", {}, { meta })
    expect(refused(got)).toEqual([400, -32_602, "own"])
    expect(got.json["error"]?.["data"]).toEqual({ envelope: { missing } })
  })

  test.each([
    ["no capabilities of the client", { [REVISION]: STATELESS }],
    ["a revision that is no text", { ...STATELESS_META, [REVISION]: 7 }],
  ])("%s is a bad parameter", async (_, meta) => {
    expect(refused(await endpoint.askStateless("tools/list", {}, { meta }))).toEqual([400, -32_602, "own"])
  })

  test("the client need not name itself", async () => {
    const meta = { [REVISION]: STATELESS, [CAPABILITIES]: {} }
    expect((await endpoint.askStateless("tools/list", {}, { meta })).status).toBe(200)
  })

  test.each(["2031-01-01", "2025-11-25", "v999"])(
    "M1: revision %s in _meta is unsupported",
    async (requested) => {
      const got = await endpoint.askStateless(
        "tools/list",
        {},
        {
          headers: { "mcp-protocol-version": requested },
          meta: { ...STATELESS_META, [REVISION]: requested },
        },
      )
      expect(refused(got)).toEqual([400, -32_022, "own"])
      expect(got.json["error"]?.["data"]).toEqual({ supported: [STATELESS], requested })
    },
  )

  test.each([
    ["another revision", { "mcp-protocol-version": "2025-11-25" }],
    ["no revision", { "mcp-protocol-version": undefined }],
    ["another method", { "mcp-method": "tools/list" }],
    ["another spelling of the method", { "mcp-method": "TOOLS/CALL" }],
    ["no method", { "mcp-method": undefined }],
    ["another tool", { "mcp-name": "check_delivery" }],
    ["no tool", { "mcp-name": undefined }],
    ["a tool in broken Base64", { "mcp-name": "=?base64?%%?=" }],
  ])("headers with %s contradict the body", async (_, headers) => {
    expect(refused(await endpoint.askStateless("tools/call", STATUS, { headers }))).toEqual([
      400,
      -32_020,
      "own",
    ])
    expect(endpoint.asked).toEqual([])
  })

  test("a name in Base64, and one with blanks around it, are the tool's name", async () => {
    for (const name of [`=?base64?${btoa(STATUS.name)}?=`, `  ${STATUS.name}  `]) {
      const got = await endpoint.askStateless("tools/call", STATUS, { headers: { "mcp-name": name } })
      expect(got.status).toBe(200)
    }
  })

  test("a request without this revision's marks is one of the older revisions", async () => {
    expect((await endpoint.ask("ping", { _meta: { progressToken: 1 } })).json["result"]).toEqual({})
    const { status, json } = await endpoint.ask("server/discover")
    expect([status, json["error"]?.["code"]]).toEqual([200, -32_601])
  })

  test("a batch cannot hold a request of this revision, nor be sent under its header", async () => {
    const message = { jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: STATELESS_META } }
    const inside = await endpoint.send({ body: [message] })
    const under = await endpoint.send({
      headers: { "mcp-protocol-version": STATELESS },
      body: [{ jsonrpc: "2.0", id: 1, method: "ping" }],
    })
    for (const { status, json } of [inside, under])
      expect([status, json["error"]?.["code"], json["id"]]).toEqual([400, -32_600, null])
  })
})

describe("what there is not", () => {
  test.each(["initialize", "ping", "logging/setLevel", "resources/subscribe", "tasks/get"])(
    "%s is gone from this revision",
    async (method) => {
      expect(refused(await endpoint.askStateless(method))).toEqual([404, -32_601, "own"])
    },
  )

  test.each(["prompts/list", "completion/complete", "subscriptions/listen", "no/such"])(
    "%s is not offered",
    async (method) => {
      expect(refused(await endpoint.askStateless(method))).toEqual([404, -32_601, "own"])
    },
  )

  test("M3: a notification is 202 and says nothing", async () => {
    const { status, text } = await endpoint.send({
      headers: { "mcp-protocol-version": STATELESS },
      body: { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } },
    })
    expect([status, text]).toEqual([202, ""])
  })
})

describe("what holds for every revision", () => {
  test("M3: a client accepts both types", async () => {
    expect(
      refused(await endpoint.askStateless("tools/list", {}, { headers: { accept: "application/json" } })),
    ).toEqual([406, -32_000, "own"])
  })

  test("M5 and X14: the switch comes first, then the token", async () => {
    const headers = { authorization: undefined }
    expect((await endpoint.askStateless("server/discover", {}, { headers })).status).toBe(401)
    endpoint.isPaused = true
    const { status, json } = await endpoint.askStateless("server/discover")
    expect([status, json["error"]]).toEqual([404, "not_found"])
  })

  test("a message that is nested too deeply is an invalid request", async () => {
    let deep: unknown = 1
    for (let level = 0; level < 1_000; level++) deep = [deep]
    expect(refused(await endpoint.askStateless("tools/list", { deep }))).toEqual([400, -32_600, "own"])
  })
})

describe("the trace of the caller", () => {
  const CALLER = `00-${"4b".repeat(16)}-${"f0".repeat(8)}-01`

  /** A request's span that notes which spans of messages are made. */
  function watched() {
    const noted: string[] = []
    const span: TraceSpan = {
      traceId: "0".repeat(32),
      traceparent: "",
      child: () => span,
      ofMessage: (name, traceparent) => {
        noted.push(`${name} ${traceparent}`)
        return { ...span, end: (hasFailed) => void noted.push(hasFailed ? "failed" : "ended") }
      },
      set: () => undefined,
      rename: () => undefined,
      end: () => undefined,
    }
    return { noted, span }
  }

  test.each([
    [CALLER, STATUS, ["ended"]],
    [CALLER, { name: "order_pizza" }, ["failed"]],
  ])("is continued where _meta names it: %s with %j", async (traceparent, params, ends) => {
    const { noted, span } = watched()
    const meta = { ...STATELESS_META, traceparent }
    await requestSpans.run(span, () => endpoint.askStateless("tools/call", params, { meta }))
    expect(noted).toEqual([`tools/call ${traceparent}`, ...ends])
  })

  test.each([undefined, 7, { a: 1 }])("traceparent %j is none", async (traceparent) => {
    const { noted, span } = watched()
    const meta = { ...STATELESS_META, traceparent }
    const asked = requestSpans.run(span, () => endpoint.askStateless("tools/call", STATUS, { meta }))
    expect([(await asked).status, noted]).toEqual([200, []])
  })
})
