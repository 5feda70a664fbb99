/**
 * Bytes that no text has, in every place of every request that the documents of a service know: the service started as a
 * user starts it, on its embedded database. Such a request is the caller's mistake: 400 or 404, and never 500.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { ISSUER_PATH } from "../../src/model/linking.ts"
import { preparedDataFolder, startProcess } from "../serve/service-process.ts"
import type { Access, ServiceProcess } from "../serve/service-process.ts"

interface Described {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly parameters?: readonly Parameter[] }>>>
  >
}

interface Parameter {
  readonly in: string
  readonly name: string
}

type HostName = "production" | "sandbox"

const DOCUMENTS: readonly (readonly [host: HostName, name: string])[] = [
  ["sandbox", "rs"],
  ["sandbox", "dd"],
  ["sandbox", "analytics"],
  ["sandbox", "internal"],
  ["production", "rs"],
  ["production", "internal"],
  ["production", "portal"],
]

/** In a query and in a form. */
const BROKEN = ["%00", "a%00b", "%ff", "%c3%28", "%ed%a0%80", "%c0%af", "%", "%g1", "100%"]

let service: ServiceProcess
beforeAll(async () => {
  service = await startProcess(preparedDataFolder(), undefined, {
    env: { CURBLINE_REQUESTS_PER_MINUTE: "100000", CURBLINE_ANALYTICS_PER_MINUTE: "100000" },
  })
})
afterAll(() => service.stop())

function tokenFor(access: Access, path: string): string {
  return path.startsWith("/internal/") ? access.operator_token : access.api_key
}

interface Told {
  readonly status: number
  readonly text: string
}

async function ask(host: HostName, method: string, path: string, more: RequestInit = {}): Promise<Told> {
  const access = service.access[host]
  const { headers, ...rest } = more
  const response = await fetch(`${access.base_url}${path}`, {
    method: method.toUpperCase(),
    redirect: "manual",
    ...rest,
    headers: {
      authorization: `Bearer ${tokenFor(access, path)}`,
      "x-retailer-id": access.site_id,
      ...(headers as Record<string, string>),
    },
  })
  return { status: response.status, text: await response.text() }
}

async function documentOf(host: HostName, name: string): Promise<Described> {
  return JSON.parse((await ask(host, "GET", `/openapi/${name}.json`)).text) as Described
}

/** Every operation of a document with its path's parts filled in. */
async function operationsOf(host: HostName, name: string, part: string) {
  const { paths } = await documentOf(host, name)
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { parameters = [] }]) => ({
      method,
      path: path.replaceAll(/\{\w+\}/g, part),
      hasParts: path.includes("{"),
      query: parameters.filter((parameter) => parameter.in === "query").map((parameter) => parameter.name),
    })),
  )
}

/** 429 is allowed because a spent budget does not depend on what was sent. */
const REFUSED = [400, 401, 403, 404, 405, 429]

describe.each(DOCUMENTS)("on the %s host the document %s", (host, name) => {
  test.each(["%00", "a%00", "%ff", "%c0%af", "%", "%zz"])(
    "knows no path whose parts are %s",
    async (part) => {
      const answers: string[] = []
      for (const { method, path, hasParts } of await operationsOf(host, name, part)) {
        if (!hasParts) continue
        const { status } = await ask(host, method, path)
        if (!REFUSED.includes(status)) answers.push(`${method} ${path}: ${status}`)
      }
      expect(answers).toEqual([])
    },
  )

  test("refuses broken bytes under every name of every query", async () => {
    const answers: string[] = []
    for (const { method, path, query } of await operationsOf(host, name, "x")) {
      for (const [at, parameter] of [...query, "unknown"].entries()) {
        const value = BROKEN[at % BROKEN.length] ?? "%00"
        const { status } = await ask(host, method, `${path}?${parameter}=${value}`)
        if (!REFUSED.includes(status)) answers.push(`${method} ${path}?${parameter}=${value}: ${status}`)
      }
    }
    expect(answers).toEqual([])
  })
})

test.each(["%00", "a%00", "%ff", "%"])("there is no delivery and no webhook named %s", async (part) => {
  const statuses = await Promise.all([
    ask("sandbox", "GET", `/dd/v1/deliveries/${part}`),
    ask("sandbox", "PATCH", `/dd/v1/deliveries/${part}`, { body: '{"status":"CANCELED"}' }),
    ask("sandbox", "DELETE", `/dd/v1/webhooks/${part}`),
  ])
  expect(statuses.map(({ status }) => REFUSED.includes(status))).toEqual([true, true, true])
})

describe("a query", () => {
  test.each(BROKEN)("with %s is 400 VALIDATION_ERROR and names its parameter", async (value) => {
    const { status, text } = await ask("sandbox", "GET", `/rs/v1/reservations?status=${value}`)
    expect([status, JSON.parse(text)]).toMatchObject([
      400,
      { code: "VALIDATION_ERROR", details: [{ field: "status" }] },
    ])
  })

  test("with a broken name is 400, and the whole query is named", async () => {
    const { status, text } = await ask("sandbox", "GET", "/rs/v1/reservations?%ff=1")
    expect([status, JSON.parse(text)]).toMatchObject([400, { details: [{ field: "query" }] }])
  })

  test("is looked at after the key", async () => {
    const response = await fetch(`${service.access.sandbox.base_url}/rs/v1/reservations?status=%ff`)
    expect(response.status).toBe(401)
  })
})

describe("a JSON body", () => {
  const { raw } = String
  test.each([
    ["NUL in a field that is known", raw`{"zone_id":"a\u0000"}`, "zone_id"],
    ["NUL in an unknown field", raw`{"note":{"deep":["a\u0000"]}}`, "note.deep.0"],
    ["NUL in the name of a field", raw`{"no\u0000te":1}`, "body"],
    ["half of a pair", raw`{"note":"\ud800"}`, "note"],
    ["the other half", raw`{"note":"\udc00\ud800"}`, "note"],
    ["lists 100,000 deep", `{"note":${"[".repeat(100_000)}${"]".repeat(100_000)}}`, "note"],
    ["objects 100,000 deep", `{"note":${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}}`, "note"],
  ])("with %s is 400 and names the field", async (_, body, field) => {
    const { base_url, api_key } = service.access.sandbox
    const response = await fetch(`${base_url}/rs/v1/reservations`, {
      method: "POST",
      headers: { authorization: `Bearer ${api_key}`, "content-type": "application/json" },
      body,
    })
    const { code, details } = (await response.json()) as { code: string; details: { field: string }[] }
    expect([response.status, code, details.map((one) => one.field)]).toEqual([
      400,
      "VALIDATION_ERROR",
      [field],
    ])
  })
})

describe("the files of the pages", () => {
  test.each(["..%5c..%5cpackage.json", "..%2f..%2fpackage.json", "%00", "a%00.js", "%ff", "%5c..%5c"])(
    "%s is 404",
    async (name) => {
      expect((await ask("sandbox", "GET", `/assets/${name}`)).status).toBe(404)
    },
  )
})

describe("the authorization server, in its own form", () => {
  const form = { "content-type": "application/x-www-form-urlencoded" }

  test.each(BROKEN)("client_id=%s is a page that says 400", async (value) => {
    const path = `${ISSUER_PATH}/oauth/authorize?client_id=${value}`
    const { status, text } = await ask("production", "GET", path)
    expect([status, text]).toEqual([400, expect.stringContaining("<h1>Linking did not work</h1>")])
  })

  test.each(["token", "revoke"])("a broken form at %s is invalid_request", async (endpoint) => {
    for (const value of BROKEN) {
      const path = `${ISSUER_PATH}/oauth/${endpoint}`
      const body = `grant_type=refresh_token&client_id=${value}&refresh_token=x&token=x`
      const { status, text } = await ask("production", "POST", path, { body, headers: form })
      expect([value, status, JSON.parse(text)]).toMatchObject([value, 400, { error: "invalid_request" }])
    }
  })

  test("a form that is no UTF-8 is invalid_request", async () => {
    const path = `${ISSUER_PATH}/oauth/token`
    const body = Buffer.from("client_id=\xff", "latin1")
    const { status, text } = await ask("production", "POST", path, { body, headers: form })
    expect([status, JSON.parse(text)]).toMatchObject([400, { error: "invalid_request" }])
  })

  test.each([
    String.raw`{"client_name":"a\u0000","redirect_uris":[]}`,
    String.raw`{"client_name":"\ud800","redirect_uris":[]}`,
    `{"client_name":${"[".repeat(15_000)}${"]".repeat(15_000)}}`,
  ])("a registration with broken text is invalid_client_metadata", async (body) => {
    const { status, text } = await ask("production", "POST", `${ISSUER_PATH}/oauth/register`, { body })
    expect([status, JSON.parse(text)]).toMatchObject([400, { error: "invalid_client_metadata" }])
  })
})
