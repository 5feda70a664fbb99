/** The request log for keys: its rights, its filters, and how a reader follows it. What the log keeps is tested with the portal. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { ApiKeys } from "../../src/http/access/api-keys.ts"
import { CallLog } from "../../src/http/access/call-log.ts"
import { ENVIRONMENTS, PERMISSIONS } from "../../src/model/caller.ts"
import type { Environment } from "../../src/model/caller.ts"
import { FOLLOW_SECONDS_MAX } from "../../src/model/values/limits.ts"
import { makeApi } from "./api.ts"
import type { Answered, Api } from "./api.ts"

const LOG = "/logs/v1/requests"

interface SeenCall {
  readonly request_id: string
  readonly path: string
  readonly status: number
  readonly code: string | null
}

function callsOf({ data }: Answered): readonly SeenCall[] {
  return data["requests"] as readonly SeenCall[]
}

function pathsOf(answered: Answered): readonly string[] {
  return callsOf(answered).map(({ path }) => path)
}

/** The service writes the log every second; here the test does. */
async function written(api: Api): Promise<void> {
  await api.run(Effect.flatMap(CallLog, ({ write }) => write))
}

async function withCalls(environment: Environment): Promise<Api> {
  const api = await makeApi({ environment })
  await api.call("GET", "/rs/v1/retailers")
  await api.call("GET", "/rs/v1/reservations/res_none")
  await api.call("GET", "/rs/v1/reservations")
  await written(api)
  return api
}

const NEWEST_FIRST = ["/rs/v1/reservations", "/rs/v1/reservations/res_none", "/rs/v1/retailers"]

describe.each(ENVIRONMENTS)("the request log of %s", (environment) => {
  test("shows the calls of the organization's keys, newest first, with counts", async () => {
    const api = await withCalls(environment)
    const answered = await api.call("GET", LOG)
    expect([answered.status, pathsOf(answered)]).toEqual([200, NEWEST_FIRST])
    expect(answered.data).toMatchObject({
      counts: { "2xx": 2, "4xx": 1 },
      next_cursor: null,
      requests: [{}, { status: 404, code: "NOT_FOUND" }, {}],
    })
  })

  test("needs requests:read, also for one call", async () => {
    const api = await withCalls(environment)
    const key = await api.holding(...PERMISSIONS.filter((one) => one !== "requests:read"))
    for (const path of [LOG, `${LOG}/one`]) {
      const { status, code, body } = await api.call("GET", path, { key })
      expect([status, code]).toEqual([403, "PERMISSION_DENIED"])
      expect(JSON.stringify(body)).toContain("requests:read")
    }
    const only = await api.holding("requests:read")
    expect(pathsOf(await api.call("GET", LOG, { key: only }))).toContain("/rs/v1/retailers")
  })

  test("is each organization's own, in each environment: ids and cursors of another lead nowhere", async () => {
    const api = await withCalls(environment)
    const [mine] = callsOf(await api.call("GET", LOG))
    const { data } = await api.call("GET", LOG)
    const otherId = await api.makeOrganization({ name: "Others" })
    const other = await api.makeKey({ organizationId: otherId })
    expect(callsOf(await api.call("GET", LOG, { key: other }))).toEqual([])
    for (const field of ["after", "cursor"]) {
      const crossed = await api.call("GET", `${LOG}?${field}=${String(data["after"])}`, { key: other })
      expect([crossed.code, crossed.body["details"]]).toEqual([
        "VALIDATION_ERROR",
        [{ field, message: "must be a cursor that an earlier page gave" }],
      ])
    }
    const stolen = await api.call("GET", `${LOG}/${mine?.request_id ?? ""}`, { key: other })
    expect([stolen.status, stolen.code]).toEqual([404, "NOT_FOUND"])
    const elsewhere = environment === "sandbox" ? "production" : "sandbox"
    const foreign = await api.makeKey({ environment: elsewhere })
    expect((await api.call("GET", LOG, { key: foreign })).code).toBe("WRONG_ENV_KEY")
  })
})

test("one call is read with its masked bodies", async () => {
  const api = await makeApi({ environment: "sandbox" })
  await api.call("POST", "/rs/v1/reservations", {
    body: api.booking({ end_user_name: "Ada Lovelace" }),
    headers: { "x-request-id": "request-1" },
  })
  await written(api)
  const { status, data } = await api.call("GET", `${LOG}/request-1`)
  expect(status).toBe(200)
  expect(data["request"]).toMatchObject({ status: 201, sent: { end_user_name: "•••" } })
  expect(JSON.stringify(data)).not.toContain("Lovelace")
})

test("a refused body that is nested too deep for recursion is in the log, masked", async () => {
  const api = await makeApi({ environment: "sandbox" })
  const depth = 30_000
  const body = `{"label":${"[".repeat(depth)}${"]".repeat(depth)}}`
  const path = "/rs/v1/reservations/res_none/bot"
  const sent = await api.call("POST", path, { text: body })
  expect([sent.status, sent.code]).toEqual([400, "VALIDATION_ERROR"])
  await written(api)
  expect(callsOf(await api.call("GET", LOG))).toMatchObject([{ path, code: "VALIDATION_ERROR" }])
})

test("pages lead to older calls, and `after` to newer ones, oldest first", async () => {
  const api = await withCalls("sandbox")
  const first = await api.call("GET", `${LOG}?limit=2`)
  expect(pathsOf(first)).toEqual(NEWEST_FIRST.slice(0, 2))
  const second = await api.call("GET", `${LOG}?limit=2&cursor=${String(first.data["next_cursor"])}`)
  expect([pathsOf(second), second.data["next_cursor"]]).toEqual([NEWEST_FIRST.slice(2), null])
  const after = String(first.data["after"])
  const nothing = await api.call("GET", `${LOG}?after=${after}`)
  expect([callsOf(nothing), nothing.data["after"]]).toEqual([[], after])
  for (const id of ["res_a", "res_b", "res_c"]) await api.call("GET", `/rs/v1/reservations/${id}`)
  await written(api)
  const page = await api.call("GET", `${LOG}?after=${after}&limit=2`)
  expect(pathsOf(page)).toEqual(["/rs/v1/reservations/res_a", "/rs/v1/reservations/res_b"])
  const rest = await api.call("GET", `${LOG}?after=${String(page.data["after"])}&limit=2`)
  expect(pathsOf(rest)).toEqual(["/rs/v1/reservations/res_c"])
})

test("an empty log can be followed, and the reads that follow it are not in it", async () => {
  const api = await makeApi({ environment: "sandbox" })
  const { data } = await api.call("GET", LOG)
  const waiting = api.call("GET", `${LOG}?after=${String(data["after"])}&wait=${FOLLOW_SECONDS_MAX}`)
  await api.call("GET", "/sandbox/v1/events")
  await api.call("GET", "/rs/v1/retailers")
  await written(api)
  expect(pathsOf(await waiting)).toEqual(["/rs/v1/retailers"])
})

test("filters hold for what is followed too", async () => {
  const api = await withCalls("sandbox")
  const { data } = await api.call("GET", `${LOG}?status=4xx`)
  const waiting = api.call(
    "GET",
    `${LOG}?status=4xx&after=${String(data["after"])}&wait=${FOLLOW_SECONDS_MAX}`,
  )
  await api.call("GET", "/rs/v1/retailers")
  await api.call("GET", "/rs/v1/reservations/res_other")
  await written(api)
  expect(pathsOf(await waiting)).toEqual(["/rs/v1/reservations/res_other"])
})

test("a follower whose filter fits nothing continues behind the calls that it has seen", async () => {
  const api = await withCalls("sandbox")
  const newest = String((await api.call("GET", LOG)).data["after"])
  const filter = `${LOG}?path=no-such-path`
  const first = await api.call("GET", filter)
  expect([callsOf(first), first.data["after"]]).toEqual([[], newest])
  await api.call("GET", "/rs/v1/retailers")
  await written(api)
  const behind = await api.call("GET", `${filter}&after=${newest}`)
  expect(callsOf(behind)).toEqual([])
  expect(behind.data["after"]).toBe((await api.call("GET", LOG)).data["after"])
  expect(behind.data["after"]).not.toBe(newest)
})

test("a key that was revoked while its request waited gets no calls", async () => {
  const api = await makeApi({ environment: "sandbox" })
  const { data } = await api.call("GET", LOG)
  const key = await api.holding("requests:read")
  const waiting = api.call("GET", `${LOG}?after=${String(data["after"])}&wait=${FOLLOW_SECONDS_MAX}`, { key })
  await api.call("GET", "/sandbox/v1/events")
  const keys = Effect.serviceFunctions(ApiKeys)
  const made = (await api.run(keys.list({ organizationId: api.organizationId, environment: "sandbox" }))).at(
    -1,
  )
  await api.run(keys.revoke("sandbox", made?.keyId ?? ""))
  await api.call("GET", "/rs/v1/retailers")
  await written(api)
  const { status, code } = await waiting
  expect([status, code]).toEqual([401, "INVALID_API_KEY"])
})

test.each([
  ["after=abc", "after"],
  ["after=Yw&cursor=Yw", "after"],
  ["wait=31", "wait"],
  ["limit=101", "limit"],
  ["cursor=ZTE", "cursor"],
  ["status=999", "status"],
])("%s is refused, and the answer names the field", async (query, field) => {
  const api = await makeApi({ environment: "sandbox" })
  const { status, code, body } = await api.call("GET", `${LOG}?${query}`)
  expect([status, code]).toEqual([400, "VALIDATION_ERROR"])
  expect(JSON.stringify(body)).toContain(`"${field}"`)
})
