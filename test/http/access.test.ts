/**
 * What every request passes before its route: host, route, method, key, organization, permission, rate, size. Longer
 * than 400 lines, so that the order of the checks stands beside each of them.
 */

import { gzipSync } from "node:zlib"
import { sql } from "drizzle-orm"
import { Context, Effect } from "effect"
import { describe, expect, test } from "vitest"
import type { Environment, Permission } from "../../src/model/caller.ts"
import { PERMISSIONS } from "../../src/model/caller.ts"
import { BODY_BYTES_MAX } from "../../src/model/values/limits.ts"
import { MINUTE_MS, SECOND_MS } from "../../src/model/values/time.ts"
import { Database, DatabaseFault } from "../../src/engine/store/database.ts"
import { ApiKeys } from "../../src/http/access/api-keys.ts"
import { Organizations } from "../../src/apps/operations/organizations.ts"
import { Discovery } from "../../src/areas/reservations/discovery.ts"
import { contentOf, makeApi } from "./api.ts"
import type { Api, Sent } from "./api.ts"
import { Routine } from "../../src/engine/services/routine.ts"

const LIST = "/rs/v1/reservations"
const RETAILERS = "/rs/v1/retailers"

async function outcome(api: Api, method: string, path: string, sent?: Sent): Promise<string> {
  const { status, code } = await api.call(method, path, sent)
  return `${status} ${code ?? "-"}`
}

const keys = Effect.serviceFunctions(ApiKeys)
const keysOf = (api: Api, environment: Environment = "production") =>
  api.run(keys.list({ organizationId: api.organizationId, environment }))
const organizations = Effect.serviceFunctions(Organizations)

describe("G12: 401 INVALID_API_KEY with WWW-Authenticate", () => {
  test.each<[string, (api: Api) => Record<string, string>]>([
    ["no Authorization at all", () => ({})],
    ["another scheme", (api) => ({ authorization: `Basic ${api.key}` })],
    ["an empty bearer", () => ({ authorization: "Bearer " })],
    ["a key without a scheme", (api) => ({ authorization: api.key })],
    ["two keys", (api) => ({ authorization: `Bearer ${api.key} ${api.key}` })],
    ["an unknown key", () => ({ authorization: `Bearer ck_prod_${"0".repeat(40)}` })],
    ["a key with another prefix", (api) => ({ authorization: `Bearer ${api.key.replace("prod", "sbx")}` })],
    ["the hash of a key", () => ({ authorization: `Bearer ${"0".repeat(64)}` })],
  ])("%s", async (_, headers) => {
    const api = await makeApi()
    const answered = await api.call("GET", RETAILERS, { key: null, headers: headers(api) })
    expect([answered.status, answered.code, answered.headers["www-authenticate"]]).toEqual([
      401,
      "INVALID_API_KEY",
      "Bearer",
    ])
    expect(answered.headers["ratelimit-limit"]).toBeUndefined()
  })

  test("a revoked key", async () => {
    const api = await makeApi()
    const [known] = await keysOf(api)
    expect(known?.revokedAtMs).toBeNull()
    const revoked = await api.run(keys.revoke("production", known?.keyId ?? ""))
    await api.advance(SECOND_MS)
    expect(await api.run(keys.revoke("production", known?.keyId ?? ""))).toEqual(revoked)
    expect(await outcome(api, "GET", RETAILERS)).toBe("401 INVALID_API_KEY")
  })

  test("an expired key, from the instant that it expires", async () => {
    const api = await makeApi()
    const key = await api.makeKey({ expiresAtMs: api.now() + SECOND_MS })
    await api.advance(SECOND_MS - 1)
    expect(await outcome(api, "GET", RETAILERS, { key })).toBe("200 -")
    await api.advance(1)
    expect(await outcome(api, "GET", RETAILERS, { key })).toBe("401 INVALID_API_KEY")
  })

  test("the scheme's case does not matter", async () => {
    const api = await makeApi()
    const headers = { authorization: `bearer ${api.key}` }
    expect(await outcome(api, "GET", RETAILERS, { key: null, headers })).toBe("200 -")
  })
})

describe("G11: API keys", () => {
  test.each([
    ["production", /^ck_prod_[0-9A-Za-z]{40}$/],
    ["sandbox", /^ck_sbx_[0-9A-Za-z]{40}$/],
  ] as const)("of %s are a prefix and 40 digits, told once", async (environment, shape) => {
    const api = await makeApi({ environment })
    expect(api.key).toMatch(shape)
    const [listed] = await keysOf(api, environment)
    expect(listed).toMatchObject({ environment, lastFour: api.key.slice(-4), permissions: PERMISSIONS })
    expect(await contentOf(api)).not.toContain(api.key)
    expect(JSON.stringify(listed)).not.toMatch(/[0-9a-f]{64}/)
  })

  test("no two are alike", async () => {
    const api = await makeApi()
    expect(new Set([api.key, await api.makeKey(), await api.makeKey()]).size).toBe(3)
  })

  test("none is made for an unknown organization, none unknown is revoked", async () => {
    const api = await makeApi()
    const unknown = "there is no such resource"
    await expect(api.makeKey({ organizationId: "org_unknown" })).rejects.toThrow(unknown)
    await expect(api.run(keys.revoke("production", "key_unknown"))).rejects.toThrow(unknown)
  })
})

describe("403", () => {
  test.each(["production", "sandbox"] as const)("WRONG_ENV_KEY: the other key on %s", async (environment) => {
    const api = await makeApi({ environment })
    const other = environment === "sandbox" ? "production" : "sandbox"
    const key = await api.makeKey({ environment: other })
    expect(await outcome(api, "GET", RETAILERS, { key })).toBe("403 WRONG_ENV_KEY")
  })

  test("ORG_INACTIVE: deactivated", async () => {
    const api = await makeApi()
    const change = (isActive: boolean): Promise<unknown> =>
      api.run(organizations.change(api.organizationId, { isActive }))
    await change(false)
    expect(await outcome(api, "GET", RETAILERS)).toBe("403 ORG_INACTIVE")
    await change(true)
    expect(await outcome(api, "GET", RETAILERS)).toBe("200 -")
  })

  test("ORG_INACTIVE: not provisioned in this environment", async () => {
    const api = await makeApi()
    const key = await api.makeKey({
      organizationId: await api.makeOrganization({ environments: ["sandbox"] }),
    })
    expect(await outcome(api, "GET", RETAILERS, { key })).toBe("403 ORG_INACTIVE")
  })

  test("NOT_FLEET_PARTNER", async () => {
    const api = await makeApi()
    const key = await api.makeKey({ organizationId: await api.makeOrganization({ isFleetPartner: false }) })
    expect(await outcome(api, "GET", RETAILERS, { key })).toBe("403 NOT_FLEET_PARTNER")
  })

  const needs: readonly [string, string, readonly Permission[]][] = [
    ["GET", RETAILERS, ["retailers:read"]],
    ["POST", LIST, ["reservations:write"]],
    ["GET", LIST, ["reservations:read"]],
    ["GET", `${LIST}/res_1`, ["reservations:read"]],
    ["PATCH", `${LIST}/res_1`, ["reservations:write"]],
    ["DELETE", `${LIST}/res_1`, ["reservations:write"]],
    ["POST", `${LIST}/res_1/bot`, ["reservations:write"]],
    ["POST", `${LIST}/res_1/advance`, ["reservations:write"]],
    ["POST", "/rs/v1/webhooks", ["webhooks:manage", "reservations:read"]],
    ["GET", "/rs/v1/webhooks", ["webhooks:manage"]],
    ["PUT", "/rs/v1/webhooks/whk_1", ["webhooks:manage"]],
  ]
  test.each(needs)("PERMISSION_DENIED: %s %s needs %j and no other", async (method, path, needed) => {
    const api = await makeApi({ environment: "sandbox" })
    const sent = method === "GET" || method === "DELETE" ? {} : { text: "{" }
    for (const missing of needed) {
      const key = await api.holding(...PERMISSIONS.filter((permission) => permission !== missing))
      const { status, code, body } = await api.call(method, path, { ...sent, key })
      expect([status, code, body["error"]]).toEqual([
        403,
        "PERMISSION_DENIED",
        expect.stringContaining(missing),
      ])
    }
    expect(await outcome(api, method, path, { ...sent, key: await api.holding(...needed) })).not.toContain(
      "403",
    )
  })
})

describe("G4: the order of the checks", () => {
  test("each check answers before those after it", async () => {
    const api = await makeApi({ limits: { perMinute: { analytics: 1, "bot-reports": 1, requests: 1 } } })
    const large = { text: Buffer.alloc(BODY_BYTES_MAX + 1, "x") }
    const at = (method: string, path: string, sent: Sent = {}): Promise<string> =>
      outcome(api, method, path, { ...large, ...sent })
    expect(await at("POST", "/rs/v1/nothing", { key: null })).toBe("404 NOT_FOUND")
    expect(await at("DELETE", LIST, { key: null })).toBe("405 METHOD_NOT_ALLOWED")
    expect(await at("POST", `${LIST}/res_1/advance`, { key: null })).toBe("404 NOT_FOUND")
    expect(await at("POST", LIST, { key: "unknown" })).toBe("401 INVALID_API_KEY")

    const organizationId = await api.makeOrganization({ environments: [], isFleetPartner: false })
    const wrong = await api.makeKey({ organizationId, environment: "sandbox", permissions: [] })
    expect(await at("POST", LIST, { key: wrong })).toBe("403 WRONG_ENV_KEY")
    const withoutPermissions = await api.makeKey({ organizationId, permissions: [] })
    expect(await at("POST", LIST, { key: withoutPermissions })).toBe("403 ORG_INACTIVE")
    await api.run(organizations.change(organizationId, { environments: ["production"] }))
    expect(await at("POST", LIST, { key: withoutPermissions })).toBe("403 NOT_FLEET_PARTNER")
    await api.run(organizations.change(organizationId, { isFleetPartner: true }))
    expect(await at("POST", LIST, { key: withoutPermissions })).toBe("403 PERMISSION_DENIED")

    const key = await api.makeKey({ organizationId })
    expect(await at("POST", LIST, { key })).toBe("413 PAYLOAD_TOO_LARGE")
    expect(await at("POST", LIST, { key })).toBe("429 RATE_LIMITED")
    await api.advance(MINUTE_MS)
    const body = { text: "{}", key }
    expect(await at("PATCH", `${LIST}/res_unknown`, body)).toBe("400 VALIDATION_ERROR")
  })

  test.each(["POST", "GET", "PUT"])(
    "advance on production: %s is 404 NOT_FOUND before the key is checked",
    async (method) => {
      const api = await makeApi()
      const path = `${LIST}/${await api.book()}/advance`
      for (const key of [null, "unknown", api.key]) {
        expect(await outcome(api, method, path, { key })).toBe("404 NOT_FOUND")
      }
    },
  )
})

describe("404 and 405", () => {
  test.each([
    "/",
    "/rs/v1",
    "/rs/v1/",
    "/rs/v1/reservations/",
    "/rs/v2/retailers",
    "/RS/v1/retailers",
    "/rs/v1/%",
  ])("404 NOT_FOUND: %s", async (path) => {
    const api = await makeApi()
    expect(await outcome(api, "GET", path)).toBe("404 NOT_FOUND")
  })

  test.each(["/nope", "/track/a/b/c", "/track/%", "/rs/v1/nothing"])(
    "an address that does not exist gives a browser a page, and every other client an error: %s",
    async (url) => {
      const { app } = await makeApi()
      const get = (accept: string) => app.inject({ url, headers: { accept } })
      const page = await get("text/html,application/xhtml+xml,*/*;q=0.8")
      expect([page.statusCode, page.headers["content-type"], page.headers["cache-control"]]).toEqual([
        404,
        "text/html; charset=utf-8",
        "no-store",
      ])
      expect(page.body).toContain("There is no such page")
      expect(page.headers["x-request-id"]).toBeDefined()
      for (const accept of ["*/*", "application/json"]) {
        const error = await get(accept)
        expect([error.statusCode, error.json().code]).toEqual([404, "NOT_FOUND"])
      }
    },
  )

  test("what an API does not find is an error for a browser too", async () => {
    const { app, key } = await makeApi()
    const headers = { accept: "text/html", authorization: `Bearer ${key}` }
    const answer = await app.inject({ url: `${LIST}/res_unknown`, headers })
    expect([answer.statusCode, answer.json().code]).toEqual([404, "NOT_FOUND"])
  })

  test.each([
    ["POST", RETAILERS, "GET, HEAD"],
    ["PUT", LIST, "GET, HEAD, POST"],
    ["POST", `${LIST}/res_1`, "DELETE, GET, HEAD, PATCH"],
    ["GET", `${LIST}/res_1/bot`, "POST"],
    ["GET", `${LIST}/res_1/advance?x=1`, "POST"],
    ["OPTIONS", "/rs/v1/webhooks", "GET, HEAD, POST"],
    ["GET", "/rs/v1/webhooks/whk_1", "PUT"],
    ["DELETE", "/rs/v1/webhooks/whk_1", "PUT"],
    ["DELETE", "/rs/v1/photos/pho_1", "GET, HEAD"],
    ["POST", "/openapi/rs.json", "GET, HEAD"],
  ])("405 METHOD_NOT_ALLOWED: %s %s allows %s", async (method, path, allowed) => {
    const api = await makeApi({ environment: "sandbox" })
    const { status, code, headers } = await api.call(method, path, { key: null })
    expect([status, code, headers["allow"]]).toEqual([405, "METHOD_NOT_ALLOWED", allowed])
  })

  test("HEAD asks for a key as GET does, and carries no body", async () => {
    const api = await makeApi()
    expect((await api.call("HEAD", RETAILERS, { key: null })).status).toBe(401)
    const { status, bytes, headers } = await api.call("HEAD", RETAILERS)
    expect([status, bytes.length, headers["ratelimit-remaining"]]).toEqual([200, 0, "299"])
  })
})

describe("G14: rate limits", () => {
  const budget = ({ headers }: { headers: Readonly<Record<string, string | undefined>> }): unknown[] => [
    headers["ratelimit-limit"],
    headers["ratelimit-remaining"],
    headers["ratelimit-reset"],
    headers["retry-after"],
  ]

  test("300 requests a minute, then 429 RATE_LIMITED with Retry-After, then a fresh minute", async () => {
    const api = await makeApi()
    await api.advance(15_500)
    expect(budget(await api.call("GET", RETAILERS))).toEqual(["300", "299", "45", undefined])
    for (let count = 1; count < 299; count += 1) await api.app.inject(authorized(api, LIST))
    expect(budget(await api.call("GET", LIST))).toEqual(["300", "0", "45", undefined])
    const refused = await api.call("GET", LIST)
    expect([refused.status, refused.code]).toEqual([429, "RATE_LIMITED"])
    expect(budget(refused)).toEqual(["300", "0", "45", "45"])
    await api.advance(44_499)
    expect(budget(await api.call("GET", LIST))).toEqual(["300", "0", "1", "1"])
    await api.advance(1)
    expect(budget(await api.call("GET", LIST))).toEqual(["300", "299", "60", undefined])
  })

  test("reads and writes share one budget, bot reports have 3,000 of their own", async () => {
    const api = await makeApi()
    const id = await api.book()
    expect(budget(await api.call("GET", LIST))[1]).toBe("298")
    const report = await api.call("POST", `${LIST}/${id}/bot`, { body: { status: "INBOUND" } })
    expect(budget(report).slice(0, 2)).toEqual(["3000", "2999"])
    expect(budget(await api.call("GET", LIST))[1]).toBe("297")
  })

  test("the 3,000th bot report of a minute is taken and the next one is not; other requests go on", async () => {
    const api = await makeApi()
    await api.advance(20_000)
    const report = (): ReturnType<Api["call"]> =>
      api.call("POST", `${LIST}/res_unknown/bot`, { body: { status: "INBOUND" } })
    expect(budget(await report())).toEqual(["3000", "2999", "40", undefined])
    // 2,998 reports more, without sending them.
    const counted = sql`update request_counts set count = count + 2998 where bucket like '%/bot-reports'`
    await api.run(Effect.flatMap(Database, ({ orm }) => Effect.promise(() => orm.execute(counted))))
    const last = await report()
    expect([last.status, budget(last)]).toEqual([404, ["3000", "0", "40", undefined]])
    const refused = await report()
    expect([refused.status, refused.code]).toEqual([429, "RATE_LIMITED"])
    expect(budget(refused)).toEqual(["3000", "0", "40", "40"])
    expect(budget(await api.call("GET", LIST))).toEqual(["300", "299", "40", undefined])
    await api.advance(40_000)
    expect(budget(await report())).toEqual(["3000", "2999", "60", undefined])
  })

  test("keys of one organization share it, organizations do not", async () => {
    const api = await makeApi()
    const other = await api.makeKey({ organizationId: await api.makeOrganization() })
    await api.call("GET", LIST)
    expect(budget(await api.call("GET", LIST, { key: await api.makeKey() }))[1]).toBe("298")
    expect(budget(await api.call("GET", LIST, { key: other }))[1]).toBe("299")
  })

  test("refusals of a known key tell the budget; those before it was counted take nothing", async () => {
    const api = await makeApi()
    expect(budget(await api.call("GET", LIST, { key: await api.holding() }))[1]).toBe("300")
    expect(budget(await api.call("GET", `${LIST}/res_unknown`))[1]).toBe("299")
    expect(budget(await api.call("POST", LIST, { text: "{" }))[1]).toBe("298")
  })

  test("limits are tunable", async () => {
    const api = await makeApi({ limits: { perMinute: { analytics: 1, "bot-reports": 1, requests: 2 } } })
    expect(budget(await api.call("GET", LIST)).slice(0, 2)).toEqual(["2", "1"])
  })

  function authorized(api: Api, url: string): { url: string; headers: Record<string, string> } {
    return { url, headers: { authorization: `Bearer ${api.key}` } }
  }
})

describe("bodies", () => {
  test("413 PAYLOAD_TOO_LARGE above 1 MiB; exactly 1 MiB is read", async () => {
    const api = await makeApi()
    const padded = (bytes: number): string => {
      const text = JSON.stringify(api.booking({ padding: "" }))
      return text.replace('"padding":""', `"padding":"${"x".repeat(bytes - text.length)}"`)
    }
    expect(await outcome(api, "POST", LIST, { text: padded(BODY_BYTES_MAX) })).toBe("201 -")
    expect(await outcome(api, "POST", LIST, { text: padded(BODY_BYTES_MAX + 1) })).toBe(
      "413 PAYLOAD_TOO_LARGE",
    )
  })

  test.each([
    "application/json",
    "application/json; charset=utf-8",
    "Application/JSON ;a=b",
    "application/merge-patch+json",
  ])("G5: the content type %j says JSON", async (type) => {
    const api = await makeApi()
    const text = Buffer.from(JSON.stringify(api.booking()))
    expect(await outcome(api, "POST", LIST, { text, headers: { "content-type": type } })).toBe("201 -")
  })

  test.each(["", "text/plain", "application/x-www-form-urlencoded", "image/png; a=b", "application/jsonp"])(
    "G5: the content type %j is 400 VALIDATION_ERROR, and the field is named",
    async (type) => {
      const api = await makeApi()
      const text = Buffer.from(JSON.stringify(api.booking()))
      const answered = await api.call("POST", LIST, { text, headers: { "content-type": type } })
      expect([answered.status, answered.code]).toEqual([400, "VALIDATION_ERROR"])
      expect(answered.body["details"]).toEqual([
        { field: "Content-Type", message: "must be application/json" },
      ])
    },
  )

  test.each<[string, string | Buffer]>([
    ["nothing", ""],
    ["white space", " \n"],
    ["half an object", '{"zone_id":'],
    ["a list", "[]"],
    ["null", "null"],
    ["a number", "7"],
    ["text that is not UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ["100,000 brackets", "[".repeat(100_000)],
  ])("G5: 400 VALIDATION_ERROR: %s", async (_, text) => {
    const api = await makeApi()
    for (const [method, path] of [
      ["POST", LIST],
      ["PATCH", `${LIST}/res_1`],
      ["POST", `${LIST}/res_1/bot`],
      ["POST", "/rs/v1/webhooks"],
      ["PUT", "/rs/v1/webhooks/whk_1"],
    ] as const) {
      const { status, code, body } = await api.call(method, path, { text })
      expect([status, code]).toEqual([400, "VALIDATION_ERROR"])
      expect(body["details"]).toEqual([{ field: "body", message: expect.any(String) as string }])
    }
  })

  test.each(["gzip", "br", "GZIP", "identity, gzip"])(
    "G5: a body in the content encoding %j is 400 VALIDATION_ERROR, and the header is named",
    async (encoding) => {
      const api = await makeApi()
      const text = gzipSync(JSON.stringify(api.booking()))
      const answered = await api.call("POST", LIST, { text, headers: { "content-encoding": encoding } })
      expect([answered.status, answered.code]).toEqual([400, "VALIDATION_ERROR"])
      expect(answered.body["details"]).toEqual([
        { field: "Content-Encoding", message: "must be absent or identity: bodies are not decompressed" },
      ])
    },
  )

  test("G5: the content encoding identity is none, and without a body any is ignored", async () => {
    const api = await makeApi()
    const text = Buffer.from(JSON.stringify(api.booking()))
    const headers = { "content-encoding": "Identity" }
    expect(await outcome(api, "POST", LIST, { text, headers })).toBe("201 -")
    expect(await outcome(api, "GET", LIST, { headers: { "content-encoding": "gzip" } })).toBe("200 -")
  })

  test("G5: a content type that is none is 400 VALIDATION_ERROR, not 415", async () => {
    const api = await makeApi()
    const sent = { text: "{}", headers: { "content-type": "json" } }
    expect(await outcome(api, "POST", LIST, sent)).toBe("400 VALIDATION_ERROR")
  })
})

describe("G17: X-Request-Id", () => {
  test.each(["a", "Trace_1.2-3", "x".repeat(64)])("%s is echoed", async (id) => {
    const api = await makeApi()
    const headers = { "x-request-id": id }
    expect((await api.call("GET", RETAILERS, { headers })).headers["x-request-id"]).toBe(id)
    expect((await api.call("GET", "/nothing", { headers })).body["request_id"]).toBe(id)
  })

  test.each(["", "two words", "x".repeat(65), "a\tb", "ü", "<b>"])("%j is replaced", async (id) => {
    const api = await makeApi()
    const headers = { "x-request-id": id }
    const [one, other] = [
      (await api.call("GET", RETAILERS, { headers })).headers["x-request-id"],
      (await api.call("GET", RETAILERS, { headers })).headers["x-request-id"],
    ]
    expect(one).toMatch(/^[0-9a-f-]{36}$/)
    expect(other).not.toBe(one)
  })
})

describe("G13: 421 for a Host that is not served", () => {
  const hosts = ["api.curbline.example", "localhost:4010"]

  test.each([
    ["api.curbline.example", 200],
    ["API.Curbline.example:8443", 200],
    ["localhost:4010", 200],
    ["localhost:4011", 421],
    ["localhost", 421],
    ["evil.example", 421],
    ["api.curbline.example.evil.example", 421],
    ["", 421],
  ])("%j answers %i", async (host, status) => {
    const api = await makeApi({ hosts })
    const answered = await api.call("GET", RETAILERS, { headers: { host } })
    expect(answered.status).toBe(status)
    if (status === 421) expect(answered.code).toBe("MISDIRECTED_REQUEST")
  })

  test("before everything else; health and metrics answer to any", async () => {
    const api = await makeApi({ hosts })
    const headers = { host: "evil.example" }
    expect(await outcome(api, "GET", "/nothing", { key: null, headers })).toBe("421 MISDIRECTED_REQUEST")
    for (const path of ["/healthz", "/readyz", "/metrics"]) {
      expect(await outcome(api, "GET", path, { key: null, headers })).toBe("404 NOT_FOUND")
    }
  })
})

describe("503 UNAVAILABLE", () => {
  test("a database that is away is said to be, with the time after which to ask again", async () => {
    const away = new DatabaseFault({
      doing: "reading sites",
      sqlState: null,
      cause: Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" }),
    })
    const instead = Context.make(Discovery, { sites: () => Routine.die(away) }) as Context.Context<never>
    const api = await makeApi({ instead })
    const { status, body, headers } = await api.call("GET", RETAILERS)
    expect([status, body["code"], headers["retry-after"]]).toEqual([503, "UNAVAILABLE", "2"])
    expect(JSON.stringify(body)).not.toContain("ECONNREFUSED")
  })
})

describe("500 INTERNAL_ERROR", () => {
  test.each<[string, Effect.Effect<never>]>([
    ["a defect", Effect.die(new Error("secret of the machine room, at store.ts:12"))],
    ["an interruption", Effect.interrupt],
  ])("%s tells nothing of the inside", async (_, fails) => {
    const instead = Context.make(Discovery, {
      sites: () => Routine.suspend(() => fails),
    }) as Context.Context<never>
    const api = await makeApi({ instead })
    const { status, body } = await api.call("GET", RETAILERS)
    expect(status).toBe(500)
    expect(body).toEqual({
      success: false,
      error: "something failed on our side",
      code: "INTERNAL_ERROR",
      request_id: expect.any(String) as string,
    })
  })
})
