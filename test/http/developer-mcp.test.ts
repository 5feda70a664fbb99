/** The sandbox's MCP endpoint: what a key sees and may change, what it is refused, and what it costs. */

import { expect, test } from "vitest"
import { developerMcpPlugin } from "../../src/apps/developers/http/mcp.ts"
import { makeApi } from "./api.ts"
import type { Api } from "./api.ts"

const BASE = "http://localhost"
const WRITES = "?writes=reservations:write,sandbox:manage"

const READING = ["list_places", "read_reservation", "search_events", "read_clock", "list_failures"]
const CHANGING = ["create_reservation", "advance", "move_clock", "fail"]
const EXPLAINING = ["explain_group", "why"]

const withMcp = {
  environment: "sandbox",
  plugins: {
    name: "the sandbox's tools",
    register: async (app, run) => {
      await app.register(developerMcpPlugin, { run, baseUrl: BASE })
    },
  },
} satisfies Parameters<typeof makeApi>[0]

interface Posted {
  readonly key?: string | null
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
}

async function post(api: Api, message: object, { key = api.key, query = "", headers = {} }: Posted = {}) {
  const answer = await api.app.inject({
    method: "POST",
    url: `/sandbox/v1/mcp${query}`,
    headers: {
      host: "localhost",
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...headers,
    },
    payload: JSON.stringify({ jsonrpc: "2.0", id: 1, ...message }),
  })
  return { status: answer.statusCode, headers: answer.headers, body: answer.json() }
}

/** The text of a tool's answer; that of a failed call begins with `FAILED: `. */
async function call(api: Api, name: string, args: object, posted: Posted = {}): Promise<string> {
  const message = { method: "tools/call", params: { name, arguments: args } }
  const { body } = await post(api, message, posted)
  const { content, isError } = body.result
  return `${isError === true ? "FAILED: " : ""}${content[0].text}`
}

async function namesOf(api: Api, posted: Posted = {}): Promise<readonly string[]> {
  const { body } = await post(api, { method: "tools/list" }, posted)
  return body.result.tools.map(({ name }: { readonly name: string }) => name)
}

test("tools that change something are offered only where the address names their permission", async () => {
  const api = await makeApi(withMcp)
  expect(await namesOf(api)).toEqual([...READING, ...EXPLAINING])
  expect(await namesOf(api, { query: WRITES })).toEqual([...READING, ...CHANGING, ...EXPLAINING])
  expect(await namesOf(api, { query: "?writes=sandbox:manage" })).toEqual([
    ...READING,
    "move_clock",
    "fail",
    ...EXPLAINING,
  ])
  const id = await api.book()
  const { body } = await post(api, { method: "tools/call", params: { name: "advance", arguments: { id } } })
  expect(body.error).toEqual({ code: -32_602, message: expect.stringContaining("Unknown tool: advance") })
})

test("an unknown permission in the address is named", async () => {
  const api = await makeApi(withMcp)
  const { status, body } = await post(api, { method: "tools/list" }, { query: "?writes=everything" })
  expect([status, body.code, body.details]).toEqual([
    400,
    "VALIDATION_ERROR",
    [
      {
        field: "writes",
        message:
          "must be permissions of keys, separated by commas, such as reservations:write; everything is none",
      },
    ],
  ])
})

test("without a key of the sandbox there is no answer, whatever the body", async () => {
  const api = await makeApi(withMcp)
  for (const key of [null, "ck_sbx_unknown"]) {
    const { status, headers, body } = await post(api, { method: "tools/list" }, { key })
    expect([status, headers["www-authenticate"], body.code]).toEqual([401, "Bearer", "INVALID_API_KEY"])
  }
  const production = await api.makeKey({ environment: "production" })
  expect((await post(api, { method: "tools/list" }, { key: production })).body.code).toBe("WRONG_ENV_KEY")
})

test("a page of another origin may not call, and other methods than POST are none", async () => {
  const api = await makeApi(withMcp)
  const foreign = { headers: { origin: "https://elsewhere.example" } }
  expect((await post(api, { method: "tools/list" }, foreign)).status).toBe(403)
  const answer = await api.app.inject({ url: "/sandbox/v1/mcp", headers: { host: "localhost" } })
  expect([answer.statusCode, answer.headers.allow]).toEqual([405, "POST"])
})

test("a tool may do what the key may do, and says what it lacks or what was wrong", async () => {
  const api = await makeApi(withMcp)
  const id = await api.book()
  const reader = await api.holding("reservations:read")
  expect(await call(api, "read_reservation", { id }, { key: reader })).toContain(id)
  expect(await call(api, "advance", { id }, { key: reader, query: WRITES })).toMatch(
    /^FAILED: PERMISSION_DENIED: /,
  )
  expect(await call(api, "search_events", {}, { key: reader })).toMatch(/^FAILED: PERMISSION_DENIED: /)
  for (const wrong of ["..", ".", "", "\ud800"])
    expect(await call(api, "read_reservation", { id: wrong })).toMatch(
      /^FAILED: the arguments do not fit: id: /,
    )
  expect(await call(api, "read_reservation", {})).toBe("FAILED: the arguments do not fit: id: is missing")
  expect(
    await call(api, "create_reservation", { ...api.booking(), zone_id: "zone_none" }, { query: WRITES }),
  ).toMatch(/^FAILED: [A-Z_]+: /)
})

test("a call of a tool is counted as the calls that it makes", async () => {
  const api = await makeApi(withMcp)
  const remaining = async (): Promise<number> =>
    Number((await post(api, { method: "tools/list" })).headers["ratelimit-remaining"])
  const before = await remaining()
  await call(api, "read_clock", {})
  expect(await remaining()).toBe(before - 3)
})

test("an organization reads the timeline of its own reservation, and the entries before its last exception", async () => {
  const api = await makeApi(withMcp)
  const id = await api.book()
  const answer = await call(api, "advance", { id, reason_code: "bot_no_show" }, { query: WRITES })
  expect(answer).not.toMatch(/^FAILED/)
  const told = (await call(api, "explain_group", { id })).split("\n")
  expect(told[0]).toMatch(/^\d+ \S+Z reservation: command .*→/)
  const why = (await call(api, "why", { id })).split("\n")
  expect(why.at(-1)).toContain("published reservation.exception")
  expect(why[0]).toContain(": command ")
  expect(told.join("\n")).toContain(why.join("\n"))
  const first = told.filter((line) => line.startsWith("1 "))
  expect(await call(api, "why", { id, entry: 1 })).toBe(first.join("\n"))
  expect(await call(api, "explain_group", { id: "res_none" })).toBe(
    "FAILED: NOT_FOUND: there is no such resource (reservation or delivery res_none)",
  )
  expect(await call(api, "why", { id, entry: 9_999 })).toBe("FAILED: there is no entry 9999")

  const organizationId = await api.makeOrganization()
  const other = await api.makeKey({ organizationId })
  expect(await call(api, "explain_group", { id }, { key: other })).toMatch(/^FAILED: NOT_FOUND: /)
  const events = await api.holding("events:read")
  expect(await call(api, "explain_group", { id }, { key: events })).toMatch(/^FAILED: PERMISSION_DENIED: /)
})

test("the calls of a batch come one after the other", async () => {
  const api = await makeApi(withMcp)
  const messages = Array.from({ length: 3 }, (_, id) => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: "create_reservation", arguments: api.booking({ order_number: `B-${id}` }) },
  }))
  const answer = await api.app.inject({
    method: "POST",
    url: `/sandbox/v1/mcp${WRITES}`,
    headers: {
      host: "localhost",
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      authorization: `Bearer ${api.key}`,
    },
    payload: JSON.stringify(messages),
  })
  const orders = answer
    .json<
      readonly {
        readonly id: number
        readonly result: { readonly content: readonly [{ readonly text: string }] }
      }[]
    >()
    .map(({ id, result }) => [id, JSON.parse(result.content[0].text).reservation.order_number])
  expect(new Map(orders as [number, string][])).toEqual(new Map([0, 1, 2].map((id) => [id, `B-${id}`])))
})

test("a client of revision 2026-07-28 needs no handshake", async () => {
  const api = await makeApi(withMcp)
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "an editor", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  }
  const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "server/discover" }
  const { status, body } = await post(
    api,
    { method: "server/discover", params: { _meta: meta } },
    { headers },
  )
  expect([status, body.result.capabilities]).toEqual([200, { tools: {} }])
})
