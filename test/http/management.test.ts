/** Management over HTTP: permissions, and every route with its answers and refusals. */

import { sql } from "drizzle-orm"
import { Effect } from "effect"
import { Ajv2020 } from "ajv/dist/2020.js"
import { describe, expect, test } from "vitest"
import { PERMISSIONS } from "../../src/model/caller.ts"
import { SECOND_MS } from "../../src/model/values/time.ts"
import { ApiKeys } from "../../src/http/access/api-keys.ts"
import { OperatorTokens } from "../../src/http/access/operator-tokens.ts"
import { Database } from "../../src/engine/store/database.ts"
import { grants, offers, retailers, sites, stalls, zones } from "../../src/areas/catalog/rows.ts"
import { contentOf, iso, makeApi } from "./api.ts"
import type { Answered, Api, Document, Sent } from "./api.ts"

const keys = Effect.serviceFunctions(ApiKeys)
const tokens = Effect.serviceFunctions(OperatorTokens)

const SITE = "7d1f3c52-52a4-4b0e-9f5e-6f0c2f3f9a21"

function outcome({ status, code }: Answered): string {
  return `${status} ${code ?? "-"}`
}

/** The row that an answer holds under a name. */
function rowOf({ data }: Answered, name: string): Record<string, unknown> {
  return data[name] as Record<string, unknown>
}

function fieldsOf({ body }: Answered): readonly string[] {
  return (body["details"] as readonly { readonly field: string }[]).map(({ field }) => field)
}

const CATALOG = [grants, offers, stalls, retailers, zones, sites].map(({ name }) => name)

/** In place of the world's catalog: a site, a zone, a stall and a retailer that the zone supports. */
async function withCatalog(api: Api): Promise<Api> {
  await api.run(
    Effect.flatMap(Database, ({ orm }) =>
      Effect.forEach(CATALOG, (name) => Effect.promise(() => orm.execute(sql.raw(`delete from ${name}`)))),
    ),
  )
  const made: readonly (readonly [string, string, object?])[] = [
    ["POST", "/sites", { site_id: SITE, name: "East", timezone: "America/Chicago" }],
    ["POST", "/zones", { zone_id: "zone_1", site_id: SITE, name: "Curb" }],
    ["POST", "/stalls", { stall_id: "stall_1", zone_id: "zone_1", label: "A1" }],
    ["POST", "/retailers", { retailer_id: "retailer_1", name: "Grocer" }],
    ["PUT", "/zones/zone_1/retailers/retailer_1"],
  ]
  for (const [method, path, body] of made)
    expect((await api.operate(method, path, body === undefined ? {} : { body })).status).toBeLessThan(300)
  return api
}

describe("an operator token", () => {
  test.each<[string, (api: Api) => Sent | Promise<Sent>]>([
    ["is missing", () => ({ key: null })],
    [
      "is in another scheme",
      (api) => ({ key: null, headers: { authorization: `Basic ${api.operatorToken}` } }),
    ],
    ["is unknown", () => ({ key: `ot_prod_${"0".repeat(40)}` })],
    ["is an API key", (api) => ({ key: api.key })],
    ["is its own hash", () => ({ key: "0".repeat(64) })],
    [
      "is of the other environment",
      async (api) => ({ key: (await api.run(tokens.make({ environment: "sandbox", label: "x" }))).value }),
    ],
    [
      "is revoked",
      async (api) => {
        const { token, value } = await api.run(tokens.make({ environment: "production", label: "x" }))
        await api.run(tokens.revoke("production", token.tokenId))
        return { key: value }
      },
    ],
  ])(
    "that %s is 401 INVALID_OPERATOR_TOKEN with WWW-Authenticate, before the body and the resource",
    async (_, sent) => {
      const api = await makeApi()
      for (const [method, path] of [
        ["GET", "/sites"],
        ["PATCH", "/sites/nowhere"],
        ["DELETE", "/api-keys/none"],
      ] as const) {
        const answered = await api.operate(method, path, { text: "{", ...(await sent(api)) })
        expect([outcome(answered), answered.headers["www-authenticate"]]).toEqual([
          "401 INVALID_OPERATOR_TOKEN",
          "Bearer",
        ])
      }
    },
  )

  test("is no API key", async () => {
    const api = await makeApi()
    expect(outcome(await api.call("GET", "/rs/v1/retailers", { key: api.operatorToken }))).toBe(
      "401 INVALID_API_KEY",
    )
  })

  test("has no budget of requests, and comes after route and method", async () => {
    const api = await makeApi()
    const { headers } = await api.operate("GET", "/environment")
    expect(headers["ratelimit-limit"]).toBeUndefined()
    expect(outcome(await api.operate("GET", "/nothing", { key: null }))).toBe("404 NOT_FOUND")
    const wrong = await api.operate("PUT", "/sites", { key: null })
    expect([outcome(wrong), wrong.headers["allow"]]).toEqual(["405 METHOD_NOT_ALLOWED", "GET, HEAD, POST"])
  })

  test.each(["production", "sandbox"] as const)(
    "of %s is told once, listed without its value, and revoked",
    async (environment) => {
      const api = await makeApi({ environment })
      expect((await api.operate("GET", "/environment")).data).toEqual({ environment })
      const made = await api.operate("POST", "/operator-tokens", { body: { label: "night shift" } })
      expect(made.status).toBe(201)
      const value = String(made.data["value"])
      expect(value).toMatch(
        environment === "production" ? /^ot_prod_[0-9A-Za-z]{40}$/ : /^ot_sbx_[0-9A-Za-z]{40}$/,
      )
      const row = rowOf(made, "operator_token")
      expect(row).toMatchObject({
        environment,
        label: "night shift",
        last_four: value.slice(-4),
        revoked_at: null,
      })
      const listed = await api.operate("GET", "/operator-tokens", { key: value })
      expect(listed.data["operator_tokens"]).toEqual([expect.objectContaining({ label: "tests" }), row])
      expect(await contentOf(api)).not.toContain(value)
      expect(JSON.stringify(listed.body)).not.toMatch(/[0-9a-f]{64}/)
      const path = `/operator-tokens/${String(row["token_id"])}`
      const revoked = await api.operate("DELETE", path)
      expect(rowOf(revoked, "operator_token")["revoked_at"]).toBe(iso(api.now()))
      await api.advance(SECOND_MS)
      expect((await api.operate("DELETE", path)).data).toEqual(revoked.data)
      expect(outcome(await api.operate("GET", "/sites", { key: value }))).toBe("401 INVALID_OPERATOR_TOKEN")
      expect(outcome(await api.operate("DELETE", "/operator-tokens/none"))).toBe("404 NOT_FOUND")
      expect(fieldsOf(await api.operate("POST", "/operator-tokens", { body: { label: " " } }))).toEqual([
        "label",
      ])
    },
  )

  test("cannot be revoked from the other environment", async () => {
    const api = await makeApi()
    const { token } = await api.run(tokens.make({ environment: "sandbox", label: "x" }))
    expect(outcome(await api.operate("DELETE", `/operator-tokens/${token.tokenId}`))).toBe("404 NOT_FOUND")
  })
})

describe("organizations", () => {
  test("are fleet partners in both environments unless they say otherwise", async () => {
    const api = await makeApi()
    const usual = await api.operate("POST", "/organizations", { body: { name: "Wheels & Söhne" } })
    expect([usual.status, usual.data["organization"]]).toEqual([
      201,
      {
        organization_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        name: "Wheels & Söhne",
        is_active: true,
        is_fleet_partner: true,
        is_sandbox_partner: false,
        environments: ["production", "sandbox"],
        created_at: iso(api.now()),
        updated_at: iso(api.now()),
      },
    ])
    const body = { name: "Other", is_fleet_partner: false, environments: [] }
    expect(rowOf(await api.operate("POST", "/organizations", { body }), "organization")).toMatchObject(body)
    const { data } = await api.operate("GET", "/organizations")
    expect(data["organizations"]).toHaveLength(3)
  })

  test("a change counts for the next request, and absent fields stay", async () => {
    const api = await makeApi()
    const path = `/organizations/${api.organizationId}`
    const codes = [
      [{ is_active: false }, "403 ORG_INACTIVE"],
      [{ is_active: true }, "200 -"],
      [{ is_fleet_partner: false }, "403 NOT_FLEET_PARTNER"],
      [{ is_fleet_partner: true, environments: ["sandbox"] }, "403 ORG_INACTIVE"],
      [{ environments: ["production"], name: "Renamed" }, "200 -"],
    ] as const
    for (const [body, expected] of codes) {
      await api.advance(SECOND_MS)
      const changed = await api.operate("PATCH", path, { body })
      expect(rowOf(changed, "organization")).toMatchObject({ ...body, updated_at: iso(api.now()) })
      expect(outcome(await api.call("GET", "/rs/v1/retailers"))).toBe(expected)
    }
    expect(outcome(await api.operate("PATCH", "/organizations/none", { body: { name: "x" } }))).toBe(
      "404 NOT_FOUND",
    )
  })

  test.each<[string, string, unknown, readonly string[]]>([
    ["POST", "", {}, ["name"]],
    ["POST", "", { name: "x".repeat(201) }, ["name"]],
    ["POST", "", { name: "x", environments: ["staging"] }, ["environments.0"]],
    ["POST", "", { name: "x", environments: ["sandbox", "sandbox"] }, ["environments"]],
    ["PATCH", "/none", {}, ["body"]],
    ["PATCH", "/none", { is_active: "yes" }, ["is_active"]],
    ["PATCH", "/none", [], ["body"]],
  ])("%s %s with %j is 400 and names %j", async (method, path, body, fields) => {
    const answered = await (await makeApi()).operate(method, `/organizations${path}`, { body })
    expect([outcome(answered), fieldsOf(answered)]).toEqual(["400 VALIDATION_ERROR", fields])
  })
})

describe("API keys", () => {
  test("are made for this environment, told once, listed and revoked", async () => {
    const api = await makeApi({ environment: "sandbox" })
    const path = `/organizations/${api.organizationId}/api-keys`
    const expires_at = iso(api.now() + SECOND_MS)
    const wanted = { permissions: ["retailers:read"], expires_at, label: "kiosk" }
    const made = await api.operate("POST", path, { body: wanted })
    const value = String(made.data["value"])
    expect([made.status, value]).toEqual([201, expect.stringMatching(/^ck_sbx_[0-9A-Za-z]{40}$/)])
    const row = rowOf(made, "api_key")
    expect(row).toMatchObject({
      environment: "sandbox",
      permissions: ["retailers:read"],
      expires_at,
      label: "kiosk",
      revoked_at: null,
    })
    expect(outcome(await api.call("GET", "/rs/v1/retailers", { key: value }))).toBe("200 -")
    expect(outcome(await api.call("GET", "/rs/v1/reservations", { key: value }))).toBe(
      "403 PERMISSION_DENIED",
    )
    await api.makeKey({ environment: "production" })
    const listed = await api.operate("GET", path)
    expect(listed.data["api_keys"]).toEqual([expect.objectContaining({ permissions: PERMISSIONS }), row])
    expect(JSON.stringify(listed.body)).not.toMatch(/[0-9a-f]{64}/)
    const keyPath = `/api-keys/${String(row["key_id"])}`
    expect(rowOf(await api.operate("DELETE", keyPath), "api_key")["revoked_at"]).toBe(iso(api.now()))
    expect(outcome(await api.call("GET", "/rs/v1/retailers", { key: value }))).toBe("401 INVALID_API_KEY")
  })

  test("of the other environment are not found, nor are unknown keys and organizations", async () => {
    const api = await makeApi({ environment: "sandbox" })
    await api.makeKey({ environment: "production" })
    const scope = { organizationId: api.organizationId, environment: "production" } as const
    const [key] = await api.run(keys.list(scope))
    expect(outcome(await api.operate("DELETE", `/api-keys/${key?.keyId ?? "-"}`))).toBe("404 NOT_FOUND")
    expect(await api.run(keys.list(scope))).toEqual([expect.objectContaining({ revokedAtMs: null })])
    expect(outcome(await api.operate("DELETE", "/api-keys/none"))).toBe("404 NOT_FOUND")
    const unknown = await api.operate("GET", "/organizations/org_x/api-keys")
    expect([outcome(unknown), unknown.body["error"]]).toEqual([
      "404 NOT_FOUND",
      "there is no such resource (organization org_x)",
    ])
    const body = { permissions: ["retailers:read"] }
    expect(outcome(await api.operate("POST", "/organizations/org_x/api-keys", { body }))).toBe(
      "404 NOT_FOUND",
    )
  })

  test.each<[object, readonly string[]]>([
    [{}, ["permissions"]],
    [{ permissions: [] }, ["permissions"]],
    [{ permissions: ["retailers:read", "retailers:read"] }, ["permissions"]],
    [{ permissions: ["all"] }, ["permissions.0"]],
    [{ permissions: ["retailers:read"], expires_at: "tomorrow" }, ["expires_at"]],
    [{ permissions: ["retailers:read"], expires_at: "2020-01-01T00:00:00Z" }, ["expires_at"]],
  ])("with %j are 400 and name %j", async (body, fields) => {
    const api = await makeApi()
    const answered = await api.operate("POST", `/organizations/${api.organizationId}/api-keys`, { body })
    expect([outcome(answered), fieldsOf(answered)]).toEqual(["400 VALIDATION_ERROR", fields])
  })
})

describe("the catalog", () => {
  test.each([
    "/zones/zone%20one/retailers/retailer_1",
    "/zones/zone_1/retailers/..",
    "/organizations/org_1/grants/zone_1/%24%7B7*7%7D",
    "/organizations/org_1/grants/-/retailer_1",
  ])("404 NOT_FOUND: DELETE %s, which has no id of anything", async (path) => {
    const api = await makeApi()
    const { status, code } = await api.operate("DELETE", path)
    expect([status, code]).toEqual([404, "NOT_FOUND"])
  })

  test("is made, listed and changed", async () => {
    const api = await withCatalog(await makeApi())
    const listed = async (path: string): Promise<unknown> => {
      const { next_cursor: next, ...list } = (await api.operate("GET", path)).data
      expect(next).toBeNull()
      return list
    }
    const zone = {
      zone_id: "zone_1",
      site_id: SITE,
      name: "Curb",
      latitude: null,
      longitude: null,
      has_runner: true,
    }
    const stall = { stall_id: "stall_1", zone_id: "zone_1", label: "A1", is_active: true }
    const none = { logo_url: null, support_phone: null, pickup_requirements: null }
    const booked = {
      site_id: SITE,
      name: "East",
      timezone: "America/Chicago",
      organization_id: null,
      is_active: true,
      is_configured: false,
      has_vehicle: false,
      fleet_id: null,
      address: null,
      latitude: null,
      longitude: null,
      area: null,
      delivery_price_cents: null,
      ready_ahead_minutes: 120,
      has_supervisor: false,
      dispatch_policy: "earliest_free",
    }
    expect(await listed("/sites")).toEqual({ sites: [booked] })
    expect(await listed(`/zones?site_id=${SITE}`)).toEqual({ zones: [zone] })
    expect(await listed("/zones?site_id=none")).toEqual({ zones: [] })
    expect(await listed("/stalls")).toEqual({ stalls: [stall] })
    expect(await listed("/retailers")).toEqual({
      retailers: [{ retailer_id: "retailer_1", name: "Grocer", ...none }],
    })
    const changes: readonly (readonly [string, object, string, object])[] = [
      [`/sites/${SITE}`, { timezone: null }, "site", { ...booked, timezone: null }],
      [
        "/zones/zone_1",
        { latitude: 30.25, longitude: -97.75, has_runner: false },
        "zone",
        { ...zone, latitude: 30.25, longitude: -97.75, has_runner: false },
      ],
      ["/stalls/stall_1", { is_active: false }, "stall", { ...stall, is_active: false }],
      [
        "/retailers/retailer_1",
        { support_phone: "+15125550111", logo_url: "https://logos.example/g.png" },
        "retailer",
        {
          retailer_id: "retailer_1",
          name: "Grocer",
          ...none,
          support_phone: "+15125550111",
          logo_url: "https://logos.example/g.png",
        },
      ],
    ]
    for (const [path, body, name, row] of changes) {
      const changed = await api.operate("PATCH", path, { body })
      expect([changed.status, changed.data]).toEqual([200, { [name]: row }])
      expect(JSON.stringify(await listed(`/${name}s`))).toContain(JSON.stringify(row))
    }
  })

  test("makes the ids that it is not given", async () => {
    const api = await withCatalog(await makeApi())
    const idOf = async (noun: string, body: object): Promise<unknown> =>
      rowOf(await api.operate("POST", `/${noun}s`, { body }), noun)[`${noun}_id`]
    expect(await idOf("site", { name: "West" })).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    )
    expect(await idOf("zone", { name: "Z", site_id: SITE })).toMatch(/^zone_[0-9A-Za-z]{22}$/)
    expect(await idOf("stall", { zone_id: "zone_1" })).toMatch(/^stall_[0-9A-Za-z]{22}$/)
    expect(await idOf("retailer", { name: "R" })).toMatch(/^retailer_[0-9A-Za-z]{22}$/)
  })

  test.each([
    ["/sites", { site_id: SITE, name: "Again" }],
    ["/zones", { zone_id: "zone_1", site_id: SITE, name: "Again" }],
    ["/stalls", { stall_id: "stall_1", zone_id: "zone_1" }],
    ["/retailers", { retailer_id: "retailer_1", name: "Again" }],
  ])("409 ALREADY_EXISTS: POST %s with %j", async (path, body) => {
    const api = await withCatalog(await makeApi())
    const before = (await api.operate("GET", path)).data
    expect(outcome(await api.operate("POST", path, { body }))).toBe("409 ALREADY_EXISTS")
    expect((await api.operate("GET", path)).data).toEqual(before)
  })

  test.each<[string, string, object | undefined, string]>([
    [
      "POST",
      "/zones",
      { site_id: "7d1f3c52-52a4-4b0e-9f5e-6f0c2f3f9a22", name: "Z" },
      "site 7d1f3c52-52a4-4b0e-9f5e-6f0c2f3f9a22",
    ],
    ["POST", "/stalls", { zone_id: "zone_x" }, "zone zone_x"],
    ["PATCH", "/sites/site_x", { name: "S" }, "site site_x"],
    ["PATCH", "/zones/zone_x", { name: "Z" }, "zone zone_x"],
    ["PATCH", "/stalls/stall_x", { label: null }, "stall stall_x"],
    ["PATCH", "/retailers/retailer_x", { name: "R" }, "retailer retailer_x"],
    ["PUT", "/zones/zone_x/retailers/retailer_1", undefined, "zone zone_x"],
    ["PUT", "/zones/zone_1/retailers/retailer_x", undefined, "retailer retailer_x"],
    ["PUT", "/organizations/org_x/grants/zone_1/retailer_1", undefined, "organization org_x"],
    ["PUT", "/organizations/{org}/grants/zone_x/retailer_1", undefined, "zone zone_x"],
    ["PUT", "/organizations/{org}/grants/zone_1/retailer_x", undefined, "retailer retailer_x"],
  ])("404 NOT_FOUND: %s %s with %j names the %s", async (method, path, body, named) => {
    const api = await withCatalog(await makeApi())
    const sent = body === undefined ? {} : { body }
    const answered = await api.operate(method, path.replace("{org}", api.organizationId), sent)
    expect([outcome(answered), answered.body["error"]]).toEqual([
      "404 NOT_FOUND",
      `there is no such resource (${named})`,
    ])
  })

  const long = "x".repeat(3_000)

  test.each([
    ["GET", `/organizations/${long}/api-keys`, "organization"],
    ["DELETE", `/api-keys/${long}`, "API key"],
    ["GET", `/sites/${long}`, "site"],
    ["PUT", `/zones/${long}/retailers/retailer_1`, "zone"],
    ["GET", `/fleets/${long}`, "no vehicle of a fleet"],
  ])("404 NOT_FOUND: %s of an id of any length repeats its beginning", async (method, path, noun) => {
    const api = await withCatalog(await makeApi())
    const answered = await api.operate(method, path)
    const named = `${noun} ${"x".repeat(60)}…`
    expect([answered.status, answered.body["error"]]).toEqual([404, `there is no such resource (${named})`])
  })

  const zone = { site_id: SITE, name: "Z" }
  test.each<[string, object, readonly string[]]>([
    ["/sites", { site_id: "site_1", name: "S" }, ["site_id"]],
    ["/sites", { name: " ", timezone: "America/Chicgo" }, ["name", "timezone"]],
    ["/sites", { name: "S", timezone: "+05:00" }, ["timezone"]],
    ["/zones", { ...zone, zone_id: "" }, ["zone_id"]],
    ["/zones", { ...zone, zone_id: "a/b" }, ["zone_id"]],
    ["/zones", { ...zone, zone_id: ".." }, ["zone_id"]],
    ["/zones", { ...zone, zone_id: "x".repeat(129) }, ["zone_id"]],
    ["/zones", { ...zone, latitude: 90.1, longitude: 180.1 }, ["latitude", "longitude"]],
    ["/zones", { ...zone, latitude: 30 }, ["body"]],
    ["/zones", { ...zone, latitude: 30, longitude: null }, ["body"]],
    ["/zones", { name: "Z" }, ["site_id"]],
    ["/stalls", { zone_id: "zone_1", is_active: 1 }, ["is_active"]],
    ["/retailers", { name: "R", logo_url: "http://logos.example/g.png" }, ["logo_url"]],
    ["/retailers", { name: "R", logo_url: "https://user:pass@logos.example/" }, ["logo_url"]],
    ["/retailers", { name: "R", support_phone: "555-0100" }, ["support_phone"]],
    ["/retailers", { name: "R", pickup_requirements: "x".repeat(2_001) }, ["pickup_requirements"]],
  ])("400 VALIDATION_ERROR: POST %s with %j names %j", async (path, body, fields) => {
    const answered = await (await makeApi()).operate("POST", path, { body })
    expect([outcome(answered), fieldsOf(answered)]).toEqual(["400 VALIDATION_ERROR", fields])
  })

  test("takes ids of 128 characters, places at the ends of the earth, and the shortest names", async () => {
    const api = await withCatalog(await makeApi())
    const body = { ...zone, zone_id: "x".repeat(128), name: "Z", latitude: -90, longitude: 180 }
    expect((await api.operate("POST", "/zones", { body })).status).toBe(201)
  })

  test.each(["/sites/x", "/zones/x", "/stalls/x", "/retailers/x"])(
    "400 to a change of nothing: PATCH %s",
    async (path) => {
      const api = await makeApi()
      for (const body of [{}, { unknown: 1 }]) {
        const answered = await api.operate("PATCH", path, { body })
        expect([outcome(answered), fieldsOf(answered)]).toEqual(["400 VALIDATION_ERROR", ["body"]])
      }
      expect(outcome(await api.operate("PATCH", path))).toBe("400 VALIDATION_ERROR")
    },
  )

  test("413 PAYLOAD_TOO_LARGE comes before what the body is, and after the token", async () => {
    const api = await makeApi()
    const text = "x".repeat(1_048_577)
    expect(outcome(await api.operate("POST", "/sites", { text }))).toBe("413 PAYLOAD_TOO_LARGE")
    expect(outcome(await api.operate("POST", "/sites", { text, key: null }))).toBe(
      "401 INVALID_OPERATOR_TOKEN",
    )
  })

  test("a parameter that is sent twice is 400", async () => {
    const answered = await (await makeApi()).operate("GET", "/zones?site_id=a&site_id=b")
    expect([outcome(answered), fieldsOf(answered)]).toEqual(["400 VALIDATION_ERROR", ["site_id"]])
  })
})

describe("grants", () => {
  const path = (api: Api): string => `/organizations/${api.organizationId}/grants/zone_1/retailer_1`

  test("are given and taken, again and again", async () => {
    const api = await withCatalog(await makeApi())
    const grant = { organization_id: api.organizationId, zone_id: "zone_1", retailer_id: "retailer_1" }
    for (const method of ["PUT", "PUT", "DELETE", "DELETE", "PUT"]) {
      expect((await api.operate(method, path(api))).data).toEqual({ grant })
      const given = method === "PUT" ? [grant] : []
      expect((await api.operate("GET", `/grants?organization_id=${api.organizationId}`)).data).toEqual({
        grants: given,
        next_cursor: null,
      })
      expect((await api.operate("GET", "/grants?organization_id=org_x")).data).toEqual({
        grants: [],
        next_cursor: null,
      })
    }
  })

  test("422 RETAILER_NOT_SUPPORTED_IN_ZONE as long as the zone does not support the retailer", async () => {
    const api = await withCatalog(await makeApi())
    const offer = { zone_id: "zone_1", retailer_id: "retailer_1" }
    expect((await api.operate("GET", "/offers?zone_id=zone_1")).data).toMatchObject({ offers: [offer] })
    expect((await api.operate("DELETE", "/zones/zone_1/retailers/retailer_1")).data).toEqual({ offer })
    expect((await api.operate("GET", "/offers")).data).toEqual({ offers: [], next_cursor: null })
    expect(outcome(await api.operate("PUT", path(api)))).toBe("422 RETAILER_NOT_SUPPORTED_IN_ZONE")
  })
})

describe("/openapi/internal.json", () => {
  test("is OpenAPI 3.1 that asks for the token everywhere, and whose schemas compile", async () => {
    const { app } = await makeApi()
    const document = (await app.inject({ url: "/openapi/internal.json" })).json<
      Document & { readonly security: unknown }
    >()
    expect([document.openapi, document.security]).toEqual(["3.1.0", [{ operatorToken: [] }]])
    const ajv = new Ajv2020({ strict: false, formats: { "date-time": true } })
    ajv.addSchema(document, "internal")
    for (const name of Object.keys(document.components.schemas))
      expect(ajv.compile({ $ref: `internal#/components/schemas/${name}` }), name).toBeTypeOf("function")
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.values(methods).map((operation) => ({ path, operation })),
    )
    for (const { path, operation } of operations) {
      expect(path).toMatch(/^\/internal\/v1\//)
      expect(JSON.stringify(operation.responses["401"])).toContain("INVALID_OPERATOR_TOKEN")
    }
    const ids = operations.map(({ operation }) => (operation as { operationId?: string }).operationId)
    expect(new Set(ids).size).toBe(ids.length)
  })
})
