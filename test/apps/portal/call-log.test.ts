/** The request log: what the portal shows of an organization's calls, and that no call waits for it. */

import { Effect, Layer } from "effect"
import { describe, expect, test } from "vitest"
import { CallLog } from "../../../src/http/access/call-log.ts"
import type { AnsweredCall } from "../../../src/http/access/call-log.ts"
import { CallRows } from "../../../src/http/access/call-rows.ts"
import { MINUTE_MS } from "../../../src/model/values/time.ts"
import { Organizations } from "../../../src/apps/operations/organizations.ts"
import { openPortal } from "./portal.ts"
import type { Browser, Portal } from "./portal.ts"
import { Routine } from "../../../src/engine/services/routine.ts"

const API = "/portal/api"
const ADA = "ada@wheels.example"
const EVE = "eve@else.example"

interface Row {
  readonly request_id: string
  readonly method: string
  readonly path: string
  readonly route: string
  readonly status: number
  readonly code: string | null
  readonly duration_ms: number
  readonly at: string
  readonly key: { readonly key_id: string; readonly last_four: string }
}

interface Caller {
  readonly browser: Browser
  readonly organizationId: string
  readonly key: string
}

/** Provisioned in production, with a key. */
async function caller(portal: Portal, email = ADA): Promise<Caller> {
  const browser = await portal.signedUp(email)
  const { data } = await browser.call("GET", `${API}/session`)
  const { organization_id: organizationId } = data["organization"] as { organization_id: string }
  portal.run(
    Effect.flatMap(Organizations, ({ change }) =>
      change(organizationId, { environments: ["production", "sandbox"], isFleetPartner: true }),
    ),
  )
  return { browser, organizationId, key: await newKey(browser) }
}

async function newKey(browser: Browser): Promise<string> {
  const made = await browser.call("POST", `${API}/api-keys?environment=production`, {
    body: { permissions: ["retailers:read", "reservations:read", "reservations:write"] },
  })
  return String(made.data["value"])
}

interface Sending {
  readonly method?: "GET" | "POST"
  readonly body?: unknown
  readonly id?: string
}

async function send(portal: Portal, key: string, url: string, { method = "GET", body, id }: Sending = {}) {
  return portal.app.inject({
    method,
    url,
    headers: {
      authorization: `Bearer ${key}`,
      ...(id === undefined ? {} : { "x-request-id": id }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  })
}

function write(portal: Portal): number {
  return portal.run(Effect.flatMap(CallLog, (log) => log.write))
}

async function rows(browser: Browser, query = ""): Promise<readonly Row[]> {
  const { data } = await browser.call("GET", `${API}/requests?environment=production${query}`)
  return data["requests"] as readonly Row[]
}

describe("G23: the request log", () => {
  test("lists calls with keys newest first, once they are written", async () => {
    const portal = await openPortal()
    const { browser, key } = await caller(portal)
    await send(portal, key, "/rs/v1/retailers?ada=secret", { id: "first" })
    await send(portal, key, "/rs/v1/reservations/res_none", { id: "second" })
    expect(await rows(browser)).toEqual([])
    expect(write(portal)).toBe(0)
    const at = new Date(portal.now()).toISOString()
    const seen = await rows(browser)
    expect(seen).toMatchObject([
      {
        request_id: "second",
        method: "GET",
        path: "/rs/v1/reservations/res_none",
        route: "/rs/v1/reservations/:id",
        status: 404,
        code: "NOT_FOUND",
        key: { last_four: key.slice(-4) },
      },
      { request_id: "first", path: "/rs/v1/retailers", status: 200, code: null },
    ])
    expect(Math.abs(Date.parse(seen[0]?.at ?? "") - Date.parse(at))).toBeLessThan(MINUTE_MS)
    expect(JSON.stringify(seen)).not.toContain("secret")
  })

  test("shows one call with its masked bodies; what was sent does not come back", async () => {
    const portal = await openPortal()
    const { browser, key } = await caller(portal)
    const body = { zone_id: "zone_1", end_user_name: "Ada Lovelace", end_user_phone: "+1", typo: "x" }
    await send(portal, key, "/rs/v1/reservations", { method: "POST", body, id: "bad" })
    await send(portal, key, "/rs/v1/retailers", { id: "good" })
    write(portal)
    const read = async (id: string) =>
      (await browser.call("GET", `${API}/requests/${id}?environment=production`)).data["request"] as Row & {
        readonly sent: unknown
        readonly answered: { readonly data: unknown; readonly details: unknown }
      }
    const bad = await read("bad")
    expect(bad).toMatchObject({
      status: 400,
      code: "VALIDATION_ERROR",
      is_cut: false,
      sent: { zone_id: "zone_1", end_user_name: "•••", end_user_phone: "•••", "•••": "•••" },
      answered: { success: false, code: "VALIDATION_ERROR", request_id: "bad" },
    })
    expect(bad.answered.details).toContainEqual({ field: "arrival_window_start", message: "is missing" })
    expect(JSON.stringify(bad)).not.toMatch(/Lovelace|\+1"|typo/)
    const good = await read("good")
    expect(good.sent).toBeNull()
    expect(good.answered).toMatchObject({ success: true, data: { sites: expect.any(Array) as unknown } })
  })

  test("a body that is no JSON is replaced", async () => {
    const portal = await openPortal()
    const { browser, key } = await caller(portal)
    await portal.app.inject({
      method: "POST",
      url: "/rs/v1/reservations",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "x-request-id": "text" },
      payload: "Ada Lovelace",
    })
    write(portal)
    const { data } = await browser.call("GET", `${API}/requests/text?environment=production`)
    expect(data["request"]).toMatchObject({ sent: "•••", status: 400 })
  })

  test("has calls that were refused for their key, and none without a known key", async () => {
    const portal = await openPortal()
    const { browser, key } = await caller(portal)
    const sandbox = await browser.call("POST", `${API}/api-keys?environment=sandbox`, {
      body: { permissions: ["retailers:read"] },
    })
    await send(portal, String(sandbox.data["value"]), "/rs/v1/retailers")
    await send(portal, key, "/dd/v1/deliveries")
    await send(portal, "ck_prod_unknown", "/rs/v1/retailers")
    await send(portal, key, "/rs/v1/none")
    write(portal)
    expect((await rows(browser)).map(({ code }) => code)).toEqual(["PERMISSION_DENIED", "WRONG_ENV_KEY"])
    const { data } = await browser.call("GET", `${API}/requests?environment=sandbox`)
    expect(data["requests"]).toEqual([])
  })

  test("filters by method, path, status, key, text and time, counts classes, and pages", async () => {
    const portal = await openPortal()
    const { browser, key } = await caller(portal)
    const other = await newKey(browser)
    await send(portal, key, "/rs/v1/retailers", { id: "r1" })
    await send(portal, other, "/rs/v1/retailers", { id: "r2" })
    await send(portal, key, "/rs/v1/reservations/res_1", { id: "r3" })
    await send(portal, key, "/rs/v1/reservations", { method: "POST", body: {}, id: "r4" })
    write(portal)
    const ids = async (query: string) => (await rows(browser, query)).map((row) => row.request_id)
    expect(await ids("")).toEqual(["r4", "r3", "r2", "r1"])
    expect(await ids("&method=POST")).toEqual(["r4"])
    expect(await ids("&path=/reservations")).toEqual(["r4", "r3"])
    expect(await ids("&path=reservations/:id")).toEqual(["r3"])
    expect(await ids("&status=404")).toEqual(["r3"])
    expect(await ids("&status=4xx")).toEqual(["r4", "r3"])
    expect(await ids("&status=5xx")).toEqual([])
    expect(await ids(`&key=${other.slice(-4)}`)).toEqual(["r2"])
    const [first] = await rows(browser)
    expect(await ids(`&key=${first?.key.key_id}`)).toEqual(["r4", "r3", "r1"])
    expect(await ids("&q=R2")).toEqual(["r2"])
    expect(await ids("&q=validation")).toEqual(["r4"])
    expect(await ids("&q=nothing")).toEqual([])
    const now = new Date(portal.now() + MINUTE_MS).toISOString()
    expect(await ids(`&to=${now}`)).toHaveLength(4)
    expect(await ids(`&from=${now}`)).toEqual([])
    const { data } = await browser.call("GET", `${API}/requests?environment=production&status=2xx&limit=1`)
    expect(data["counts"]).toEqual({ "2xx": 2, "3xx": 0, "4xx": 2, "5xx": 0 })
    expect((data["requests"] as Row[]).map((row) => row.request_id)).toEqual(["r2"])
    const next = String(data["next_cursor"])
    expect(await ids(`&status=2xx&limit=1&cursor=${next}`)).toEqual(["r1"])
    const last = await browser.call(
      "GET",
      `${API}/requests?environment=production&status=2xx&limit=1&cursor=${next}`,
    )
    expect(last.data["next_cursor"]).toBeNull()
  })

  test.each([
    "method=FETCH",
    "status=abc",
    "status=99",
    "limit=0",
    "limit=101",
    "cursor=x",
    "from=yesterday",
    "q=",
    "q=a&q=b",
    "environment=staging",
  ])("VALIDATION_ERROR: %s", async (query) => {
    const portal = await openPortal()
    const browser = await portal.signedUp(ADA)
    const { status, code } = await browser.call("GET", `${API}/requests?${query}`)
    expect([status, code]).toEqual([400, "VALIDATION_ERROR"])
  })

  test("ORG_INACTIVE: an environment without access has no log; NOT_FOUND: nor has an unknown id", async () => {
    const portal = await openPortal()
    const browser = await portal.signedUp(ADA)
    expect((await browser.call("GET", `${API}/requests?environment=production`)).code).toBe("ORG_INACTIVE")
    expect((await browser.call("GET", `${API}/requests/x?environment=production`)).code).toBe("ORG_INACTIVE")
    const none = await browser.call("GET", `${API}/requests/none`)
    expect([none.status, none.code]).toEqual([404, "NOT_FOUND"])
  })

  test("calls of another organization are not found, even with the same request id", async () => {
    const portal = await openPortal()
    const one = await caller(portal)
    const other = await caller(portal, EVE)
    await send(portal, one.key, "/rs/v1/retailers", { id: "shared" })
    await send(portal, one.key, "/rs/v1/retailers", { id: "own" })
    await send(portal, other.key, "/rs/v1/reservations/x", { id: "shared" })
    write(portal)
    expect((await rows(other.browser)).map((row) => row.request_id)).toEqual(["shared"])
    expect((await rows(one.browser)).map((row) => row.status)).toEqual([200, 200])
    const at = (browser: Browser, id: string) =>
      browser.call("GET", `${API}/requests/${id}?environment=production`)
    expect((await at(other.browser, "own")).code).toBe("NOT_FOUND")
    expect((await at(other.browser, "shared")).data["request"]).toMatchObject({ status: 404 })
  })

  test("keeps the newest 1,000, and under pressure counts what it leaves out", async () => {
    const portal = await openPortal()
    const { browser, organizationId, key } = await caller(portal)
    await send(portal, key, "/rs/v1/retailers", { id: "real" })
    const { note } = portal.run(CallLog)
    for (let at = 0; at < 2_005; at += 1)
      portal.run(note({ ...SOME_CALL, organizationId, requestId: `n${at}` }))
    expect(write(portal)).toBe(6)
    expect(write(portal)).toBe(0)
    const { data } = await browser.call("GET", `${API}/requests?environment=production`)
    expect(data["counts"]).toMatchObject({ "2xx": 1_000 })
    expect((data["requests"] as Row[])[0]?.request_id).toBe("n1998")
    const kept = portal.run(
      Effect.flatMap(CallRows, (found) => found.newest({ organizationId, environment: "production" }, 5_000)),
    )
    expect(kept).toHaveLength(1_000)
  })

  test("a log that cannot be written fails no call, and counts what it lost", async () => {
    const portal = await openPortal()
    let isFull = true
    const own = portal.run(CallRows)
    const broken = Layer.succeed(CallRows, {
      ...own,
      append: (calls) => (isFull ? Routine.die("the disk is full") : own.append(calls)),
    })
    const log = portal.run(Effect.provide(CallLog, CallLog.layer.pipe(Layer.provide(broken))))
    const { browser, key } = await caller(portal)
    expect((await send(portal, key, "/rs/v1/retailers")).statusCode).toBe(200)
    for (const requestId of ["one", "two"]) portal.run(log.note({ ...SOME_CALL, requestId }))
    expect(portal.run(log.write)).toBe(2)
    expect(portal.run(log.write)).toBe(0)
    isFull = false
    portal.run(log.note({ ...SOME_CALL, requestId: "three" }))
    expect(portal.run(log.write)).toBe(0)
    const kept = portal.run(own.newest(SOME_CALL, 10))
    expect(kept.map(({ requestId }) => requestId)).toEqual(["three"])
    expect(await rows(browser)).toEqual([])
  })
})

const SOME_CALL: AnsweredCall = {
  organizationId: "org_1",
  environment: "production",
  keyId: "key_1",
  lastFour: "aZ09",
  method: "GET",
  route: "/rs/v1/retailers",
  path: "/rs/v1/retailers",
  status: 200,
  code: null,
  ms: 1,
  requestId: "r",
  sent: null,
  answered: null,
  isCut: false,
}
