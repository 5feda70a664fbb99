import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { MCP_PATH } from "../../../src/apps/mcp/plugin.ts"
import { BODY_BYTES_MAX } from "../../../src/model/values/limits.ts"
import { BASE_URL, ENVELOPE, GOOD_ARGUMENTS, METADATA_URL, openEndpoint } from "./endpoint.ts"
import type { Endpoint, Got } from "./endpoint.ts"

const FRIEND = "https://agent.example"
const PING = { jsonrpc: "2.0", id: 7, method: "ping" }
const NOTIFICATION = { jsonrpc: "2.0", method: "notifications/initialized" }

let endpoint: Endpoint

beforeAll(async () => {
  endpoint = await openEndpoint({ origins: [FRIEND] })
})
beforeEach(() => {
  endpoint.isPaused = false
  endpoint.asked.length = 0
})
afterAll(() => endpoint.app.close())

function hello(protocolVersion: string): object {
  return { protocolVersion, capabilities: {}, clientInfo: { name: "a client", version: "1" } }
}

describe("protocol versions", () => {
  test.each(["2025-03-26", "2025-06-18", "2025-11-25"])("M1: %s is echoed", async (version) => {
    const { status, json } = await endpoint.ask("initialize", hello(version))
    expect([status, json["result"]?.["protocolVersion"]]).toEqual([200, version])
    const later = await endpoint.ask("tools/list", {}, { "mcp-protocol-version": version })
    expect(later.json["result"]?.["tools"]).toHaveLength(6)
  })

  test("M1: who asks for an unknown one is offered the latest", async () => {
    const { status, json } = await endpoint.ask("initialize", hello("2031-01-01"))
    expect([status, json["result"]?.["protocolVersion"]]).toEqual([200, "2025-11-25"])
  })

  test("M1: an unknown one in the header is refused", async () => {
    const sent = { headers: { "mcp-protocol-version": "2031-01-01" }, body: { ...PING, id: "own" } }
    const { status, json } = await endpoint.send(sent)
    expect([status, json["id"], json["error"]?.["code"]]).toEqual([400, "own", -32_602])
    expect(json["error"]?.["message"]).toMatch(/^Unsupported protocol version: .* 2025-06-18, [\d, -]+$/)
    expect((await endpoint.send({ headers: sent.headers, text: "{" })).json).toMatchObject({
      error: { code: -32_700 },
      id: null,
    })
  })

  test("M1: nothing is remembered between requests: a call needs no initialize before it", async () => {
    const { status, headers, json } = await endpoint.call(
      "get_delivery_status",
      GOOD_ARGUMENTS.get_delivery_status,
    )
    expect([status, headers["mcp-session-id"]]).toEqual([200, undefined])
    expect(json["result"]?.["structuredContent"]).toEqual(ENVELOPE)
  })
})

describe("the form of requests and answers", () => {
  test("M2: a request is answered as JSON, never as a stream", async () => {
    const { headers, json } = await endpoint.send({ body: PING })
    expect(headers["content-type"]).toMatch(/^application\/json/)
    expect(json).toEqual({ jsonrpc: "2.0", id: 7, result: {} })
    expect(headers["cache-control"]).toBe("no-store")
  })

  test("M2: a long answer is compressed for a caller that accepts it, and says the same", async () => {
    const asked = { jsonrpc: "2.0", id: 1, method: "tools/list" }
    const inject = (encoding: string, body: object) =>
      endpoint.app.inject({
        method: "POST",
        url: MCP_PATH,
        headers: {
          host: new URL(BASE_URL).host,
          authorization: "Bearer mca_ada",
          accept: "application/json, text/event-stream",
          "content-type": "application/json",
          "accept-encoding": encoding,
        },
        payload: JSON.stringify(body),
      })
    const [plain, small] = [await inject("identity", asked), await inject("gzip, deflate", asked)]
    expect(plain.headers).toMatchObject({ vary: "Accept-Encoding" })
    expect(plain.headers).not.toHaveProperty("content-encoding")
    expect(small.headers).toMatchObject({ "content-encoding": "gzip", vary: "Accept-Encoding" })
    expect(gunzipSync(small.rawPayload).toString()).toBe(plain.body)
    expect(small.rawPayload.length).toBeLessThan(plain.rawPayload.length / 4)
    const smallest = await inject("br, gzip, deflate", asked)
    expect(smallest.headers).toMatchObject({ "content-encoding": "br", vary: "Accept-Encoding" })
    expect(brotliDecompressSync(smallest.rawPayload).toString()).toBe(plain.body)
    expect((await inject("gzip;q=0", asked)).headers).not.toHaveProperty("content-encoding")
    expect((await inject("gzip", PING)).headers).not.toHaveProperty("content-encoding")
  })

  test.each([
    ["application/json", 406],
    ["text/event-stream", 406],
    [undefined, 406],
    ["*/*", 200],
    ["application/json;q=0.9, */*;q=0.1", 200],
    ["text/event-stream, application/json;q=0.5", 200],
    ["Application/JSON, TEXT/Event-Stream", 200],
    ["application/*, text/*;q=0.2", 200],
    ["text/event-stream, */*;q=0.1", 200],
    ["application/json;charset=utf-8 ; q=1 ,text/event-stream", 200],
    ["application/*", 406],
    ["application/json;q=0, */*", 406],
    ["application/json;q=0.0, text/event-stream", 406],
    ["application/jsonp, text/event-stream-x", 406],
  ])("M3: Accept %s is %i", async (accept, status) => {
    expect((await endpoint.send({ headers: { accept }, body: PING })).status).toBe(status)
  })

  test.each([
    ["text/plain", 415],
    ["application/jsonp", 415],
    ["what is this", 415],
    [undefined, 415],
    ["application/json; charset=utf-8", 200],
  ])("M3: content type %s is %i", async (type, status) => {
    const got = await endpoint.send({ headers: { "content-type": type }, body: PING })
    expect(got.status).toBe(status)
    if (status === 415) expect(got.json["error"]?.["code"]).toBe(-32_000)
  })

  test.each([
    ["half an object", "{"],
    ["nothing", ""],
    ["no UTF-8", Buffer.from([0x22, 0xff, 0x22])],
  ])("M3: %s is a parse error without an id", async (_, text) => {
    const { status, json } = await endpoint.send({ text })
    expect([status, json["error"]?.["code"], json["id"]]).toEqual([400, -32_700, null])
  })

  test("M3: a notification is 202 and says nothing", async () => {
    const { status, text } = await endpoint.send({ body: NOTIFICATION })
    expect([status, text]).toEqual([202, ""])
  })

  test.each([undefined, "2025-03-26"])("M3: a batch is answered on version %s", async (version) => {
    const { status, json } = await endpoint.send({
      headers: { "mcp-protocol-version": version },
      body: [PING, NOTIFICATION, { ...PING, id: 8 }],
    })
    expect([status, json]).toEqual([
      200,
      [
        { jsonrpc: "2.0", id: 7, result: {} },
        { jsonrpc: "2.0", id: 8, result: {} },
      ],
    ])
  })

  test.each(["2025-06-18", "2025-11-25"])("M3: a batch is refused on version %s", async (version) => {
    const { status, json } = await endpoint.send({
      headers: { "mcp-protocol-version": version },
      body: [PING],
    })
    expect([status, json["error"]?.["code"]]).toEqual([400, -32_600])
  })

  test("M3: an empty batch is refused", async () => {
    const { status, json } = await endpoint.send({ body: [] })
    expect([status, json["error"]?.["code"]]).toEqual([400, -32_600])
  })

  test("M3: a batch of more than 50 messages is refused", async () => {
    const messages = (count: number) => Array.from({ length: count }, (_, id) => ({ ...PING, id }))
    expect((await endpoint.send({ body: messages(50) })).json).toHaveLength(50)
    const { status, json } = await endpoint.send({ body: messages(51) })
    expect([status, json["error"]?.["message"]]).toEqual([
      400,
      "Invalid Request: a batch holds at most 50 messages",
    ])
  })

  test("M3: a batch that cancels its own request is answered all the same", async () => {
    const params = { name: "get_delivery_status", arguments: GOOD_ARGUMENTS.get_delivery_status }
    const { status, json } = await endpoint.send({
      body: [
        { jsonrpc: "2.0", id: 1, method: "tools/call", params },
        { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } },
      ],
    })
    const answers = json as unknown as readonly Got["json"][]
    expect([status, answers[0]?.["result"]?.["structuredContent"]]).toEqual([200, ENVELOPE])
  })

  test("M3: a batch of one is answered as a batch", async () => {
    const { status, json } = await endpoint.send({ body: [PING] })
    expect([status, json]).toEqual([200, [{ jsonrpc: "2.0", id: 7, result: {} }]])
  })

  test.each([7, null, "ping", {}, { jsonrpc: "1.0", id: 1, method: "ping" }, { ...PING, id: {} }, [7]])(
    "M3: JSON that is no JSON-RPC, such as %j, is an invalid request",
    async (body) => {
      const { status, json } = await endpoint.send({ body })
      expect([status, json["error"]?.["code"], json["id"]]).toEqual([400, -32_600, null])
    },
  )

  test.each([
    ["tools/list", null, "params"],
    ["tools/call", null, "params"],
    ["ping", [], "params"],
    ["no/such", "text", "params"],
    ["initialize", null, "params"],
    ["initialize", {}, "params.protocolVersion"],
    ["initialize", { ...hello("2025-06-18"), protocolVersion: 7 }, "params.protocolVersion"],
    ["initialize", { ...hello("2025-06-18"), clientInfo: { name: "a" } }, "params.clientInfo.version"],
    ["ping", { _meta: { progressToken: {} } }, "params._meta.progressToken"],
    ["", {}, "method"],
    ["tools/call", {}, "params.name"],
    ["tools/call", { name: null }, "params.name"],
    ["resources/read", { uri: null }, "params.uri"],
  ])("bad parameters of %s, %j, are named under the request's own id", async (method, params, named) => {
    const message = { jsonrpc: "2.0", id: "own", method, params }
    const { status, json } = await endpoint.send({ body: message })
    expect([status, json["id"], json["error"]?.["code"]]).toEqual([200, "own", -32_602])
    const text = JSON.stringify(json["error"]?.["message"])
    expect(text).toMatch(new RegExp(`^"${named.replaceAll(".", "[.]")} is missing[^\\n{}]*"$`))
    const batch = await endpoint.send({ body: [message, PING] })
    expect(batch.json).toEqual([json, { jsonrpc: "2.0", id: 7, result: {} }])
  })

  test("M3: a task is not declared, so a call that asks for one is answered as any other", async () => {
    const params = {
      name: "get_delivery_status",
      arguments: GOOD_ARGUMENTS.get_delivery_status,
      task: { ttl: 60_000 },
    }
    for (const version of ["2025-06-18", "2025-11-25"]) {
      const { json } = await endpoint.ask("tools/call", params, { "mcp-protocol-version": version })
      expect(json["result"]?.["structuredContent"]).toEqual(ENVELOPE)
    }
    expect(endpoint.asked).toHaveLength(2)
  })

  test.each(["params", "id"])(
    "a message whose %s is 100,000 levels deep is an invalid request",
    async (name) => {
      const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`
      const text = `{"jsonrpc":"2.0","method":"tools/list","${name}":${deep}}`
      const { status, json } = await endpoint.send({ text })
      expect([status, json]).toMatchObject([400, { error: { code: -32_600 }, id: null }])
    },
  )

  test("a query with broken bytes is an invalid request", async () => {
    const { status, json } = await endpoint.send({ path: `${MCP_PATH}?x=%ff`, body: { jsonrpc: "2.0" } })
    expect([status, json]).toMatchObject([400, { error: { code: -32_600 }, id: null }])
  })

  test("M3: a body of 1 MiB is read, one byte more is 413", async () => {
    const padded = (bytes: number): string => `${JSON.stringify(PING)}${" ".repeat(bytes)}`.slice(0, bytes)
    expect((await endpoint.send({ text: padded(BODY_BYTES_MAX) })).status).toBe(200)
    const { status, json } = await endpoint.send({ text: padded(BODY_BYTES_MAX + 1) })
    expect([status, json["error"]?.["code"], json["id"]]).toEqual([413, -32_000, null])
  })
})

describe("methods other than POST", () => {
  test.each(["GET", "DELETE", "PUT", "PATCH"])("M4: %s is 405 for every caller", async (method) => {
    const { status, headers, json } = await endpoint.send({ method, headers: { authorization: undefined } })
    expect([status, headers["allow"], json["error"]?.["code"]]).toEqual([405, "POST", -32_000])
  })

  test("M4: OPTIONS is 204, and grants no other origin anything", async () => {
    const { status, headers } = await endpoint.send({
      method: "OPTIONS",
      headers: { authorization: undefined, origin: FRIEND, "access-control-request-method": "POST" },
    })
    expect([status, headers["allow"]]).toEqual([204, "POST"])
    expect(Object.keys(headers).filter((name) => name.startsWith("access-control-"))).toEqual([])
  })
})

describe("who is let in", () => {
  test.each([
    ["well formed", { body: PING }],
    ["malformed", { text: "{" }],
    ["of another type", { headers: { "content-type": "text/plain", accept: "*/*" }, text: "hello" }],
    ["too large", { text: " ".repeat(BODY_BYTES_MAX + 1) }],
    ["from elsewhere", { headers: { origin: "https://evil.example" }, body: PING }],
  ])("M5: a request without a token is 401, also when it is %s", async (_, sent) => {
    const headers = { ...("headers" in sent ? sent.headers : {}), authorization: undefined }
    const got = await endpoint.send({ ...sent, headers })
    expect(got.status).toBe(401)
    expect(got.headers["www-authenticate"]).toBe(
      `Bearer error="invalid_token", error_description="no good token", resource_metadata="${METADATA_URL}"`,
    )
    expect(got.json).toEqual({ error: "invalid_token", error_description: "no good token" })
  })

  test.each(["Bearer mca_nobody", "bearer", "Basic bWNhX2FkYTo=", "mca_ada"])(
    "M5: so is %s",
    async (authorization) => {
      expect((await endpoint.send({ headers: { authorization }, body: PING })).status).toBe(401)
    },
  )

  test.each([
    ["the query", { path: "/api/delivery-mcp/mcp?access_token=mca_ada", body: PING }],
    ["the body", { body: { ...PING, access_token: "mca_ada" } }],
  ])("A1: a token in %s is none", async (_, sent) => {
    expect((await endpoint.send({ ...sent, headers: { authorization: undefined } })).status).toBe(401)
  })

  test("M5: a call is made for the token's user", async () => {
    const params = { name: "get_delivery_status", arguments: GOOD_ARGUMENTS.get_delivery_status }
    await endpoint.ask("tools/call", params, { authorization: "Bearer mca_bob" })
    await endpoint.ask("tools/call", params)
    expect(endpoint.asked.map(({ userId }) => userId)).toEqual(["usr_bob", "usr_ada"])
  })

  test.each(["https://evil.example", "null", `${BASE_URL}.evil.example`, "http://courier.curbline.example"])(
    "M6: a page of %s is refused",
    async (origin) => {
      const { status, json } = await endpoint.send({ headers: { origin }, body: PING })
      expect([status, json["error"]?.["code"], json["id"]]).toEqual([403, -32_000, null])
    },
  )

  test.each([BASE_URL, FRIEND, undefined])("M6: a page of %s is not", async (origin) => {
    expect((await endpoint.send({ headers: { origin }, body: PING })).status).toBe(200)
  })

  test("M6: another host's name is misdirected, as on every path", async () => {
    const { status, json } = await endpoint.send({ headers: { host: "other.example" }, body: PING })
    expect([status, json["code"]]).toEqual([421, "MISDIRECTED_REQUEST"])
  })

  test.each(["POST", "GET", "DELETE", "OPTIONS"])(
    "X14: while the connector is paused, %s is 404 with and without a token",
    async (method) => {
      endpoint.isPaused = true
      for (const authorization of ["Bearer mca_ada", undefined]) {
        const { status, json } = await endpoint.send({ method, headers: { authorization }, body: PING })
        expect([status, json["error"]]).toEqual([404, "not_found"])
        expect(json["error_description"]).toBeTypeOf("string")
      }
      endpoint.isPaused = false
      expect((await endpoint.send({ body: PING })).status).toBe(200)
    },
  )
})

describe("what the server says of itself", () => {
  test("M9: name, title, version, capabilities and instructions", async () => {
    const { json } = await endpoint.ask("initialize", hello("2025-06-18"))
    expect(json["result"]).toMatchObject({
      serverInfo: {
        name: "courier-connector",
        title: "Courier connector",
        version: "1.0.0",
        websiteUrl: `${BASE_URL}/llms.txt`,
        icons: [{ src: `${BASE_URL}/assets/mark.svg` }],
      },
    })
    expect(json["result"]?.["capabilities"]).toEqual({ tools: {}, resources: {} })
    expect(json["result"]?.["instructions"]).toContain("courier://description")
  })

  test("M10: a description in Markdown, the card beside it, and no templates", async () => {
    const listed = await endpoint.ask("resources/list")
    expect(listed.json["result"]?.["resources"]).toMatchObject([
      {
        uri: "courier://description",
        name: "courier connector",
        title: "courier connector",
        mimeType: "text/markdown",
      },
      { uri: "ui://courier/delivery" },
    ])
    const templates = await endpoint.ask("resources/templates/list")
    expect(templates.json["result"]).toEqual({ resourceTemplates: [] })
    const read = await endpoint.ask("resources/read", { uri: "courier://description" })
    expect(read.json["result"]?.["contents"]).toMatchObject([
      { uri: "courier://description", mimeType: "text/markdown", text: expect.stringContaining("# Courier") },
    ])
  })

  test.each([{ uri: "courier://other" }, { uri: 7 }, {}])("M10: %j is no resource", async (params) => {
    const { status, json } = await endpoint.ask("resources/read", params)
    expect([status, json["error"]?.["code"]]).toEqual([200, -32_602])
  })

  test("M10: what it does not offer is no method", async () => {
    const { status, json } = await endpoint.ask("prompts/list")
    expect([status, json["error"]?.["code"]]).toEqual([200, -32_601])
  })
})
