/** The request log: what a line contains, what it never contains, and the id that it shares with the answer. */

import { DrizzleQueryError } from "drizzle-orm/errors"
import type { FastifyInstance } from "fastify"
import { describe, expect, test } from "vitest"
import type { AppOptions } from "../../src/apps/app.ts"
import { makeServiceLog } from "../../src/live/observation/service-log.ts"
import { BARE_KEY, BARE_ORGANIZATION, bareApp } from "./bare-app.ts"

interface Logged {
  readonly app: FastifyInstance
  readonly lines: Record<string, unknown>[]
  readonly counted: unknown[]
}

async function loggedApp(options: Partial<Omit<AppOptions, "runtime">> = {}): Promise<Logged> {
  const lines: Record<string, unknown>[] = []
  const counted: unknown[] = []
  const write = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>)
  const logger = makeServiceLog({ level: "debug", format: "json", write })
  const onAnswer: AppOptions["onAnswer"] = (answered) => void counted.push(answered)
  const app = await bareApp({ logger, onAnswer, ...options })
  return { app, lines, counted }
}

const authorization = `Bearer ${BARE_KEY}`

describe("a request in the log", () => {
  test("G17: is one line, joined with its answer by the request's id", async () => {
    const { app, lines } = await loggedApp()
    const answer = await app.inject({ url: "/openapi/rs.json?x=1", headers: { "x-request-id": "abc-1" } })
    expect(answer.headers["x-request-id"]).toBe("abc-1")
    expect(lines).toEqual([
      {
        level: "info",
        time: expect.any(String),
        request_id: "abc-1",
        method: "GET",
        route: "/openapi/rs.json",
        status: 200,
        duration_ms: expect.any(Number),
        environment: "sandbox",
        organization_id: null,
        msg: "answered",
      },
    ])
  })

  test.each([
    ["let in", authorization, 500],
    ["turned away after its key was known", `${authorization} spent`, 429],
  ])("says whose key came with it: %s", async (_, header, status) => {
    const { app, lines, counted } = await loggedApp()
    await app.inject({ url: "/rs/v1/reservations/res_1", headers: { authorization: header } })
    expect(counted).toMatchObject([{ status, isCallerKnown: true }])
    expect(lines.at(-1)).toMatchObject({
      status,
      route: "/rs/v1/reservations/:id",
      organization_id: BARE_ORGANIZATION,
    })
  })

  test("has no organization without a known key", async () => {
    const { app, lines, counted } = await loggedApp()
    await app.inject({ url: "/rs/v1/retailers", headers: { authorization: "Bearer unknown" } })
    expect(lines).toMatchObject([{ status: 401, organization_id: null }])
    expect(counted).toMatchObject([{ status: 401, isCallerKnown: false }])
  })

  test("that finds no route, no method or no host is counted under the name of none", async () => {
    const { app, lines, counted } = await loggedApp({ hosts: ["localhost"] })
    const headers = { host: "localhost" }
    await app.inject({ url: "/wp-admin/5551234", headers })
    await app.inject({ method: "PATCH", url: "/rs/v1/retailers", headers })
    await app.inject({ url: "/nothing", headers: { host: "evil.example" } })
    expect(lines.map(({ route, status }) => [route, status])).toEqual([
      ["none", 404],
      ["none", 405],
      ["none", 421],
    ])
    expect(counted).toMatchObject([
      { environment: "sandbox", method: "GET", route: "none", status: 404, seconds: expect.any(Number) },
      { method: "PATCH", route: "none", status: 405 },
      { method: "GET", route: "none", status: 421 },
    ])
  })

  test("from a probe is there for those who debug alone", async () => {
    const probes: AppOptions["probes"] = {
      readiness: async () => ({}),
      metrics: async () => ({ contentType: "text/plain", text: "" }),
    }
    const { app, lines } = await loggedApp({ probes })
    await app.inject({ url: "/readyz" })
    expect(lines).toMatchObject([{ level: "debug", route: "/readyz", msg: "probed" }])
  })
})

describe("the log of requests, at debug level, never holds", () => {
  test("keys, bodies, query strings, paths or headers that were sent", async () => {
    const { app, lines } = await loggedApp()
    const planted = ["planted-1", "planted-2", "planted-3", "planted-4", "planted-5", "planted-6", BARE_KEY]
    const headers = {
      authorization,
      "idempotency-key": "planted-1",
      "user-agent": "planted-2",
      cookie: "session=planted-3",
      referer: "https://planted-4.example/",
    }
    await app.inject({
      method: "POST",
      url: "/rs/v1/reservations?sig=planted-5",
      headers,
      payload: { end_user_phone: "+15125550137", end_user_name: "planted-6" },
    })
    await app.inject({ url: "/rs/v1/photos/planted-1?exp=1&sig=planted-5", headers })
    await app.inject({ url: "/planted-1/%zz?sig=planted-5", headers })
    await app.inject({ method: "POST", url: "/assets/planted-1?sig=planted-5", headers })
    await app.inject({ url: "/assets/planted-1?sig=planted-5", headers })
    await app.inject({ url: "/rs/v1/retailers", headers: { ...headers, authorization: "Bearer planted-3" } })
    expect(lines.length).toBeGreaterThanOrEqual(5)
    const text = JSON.stringify(lines)
    for (const secret of [...planted, "+15125550137"]) expect(text).not.toContain(secret)
  })

  test("what a failed query was given", async () => {
    const { app, lines } = await loggedApp()
    app.get("/fails", async () => {
      throw new DrizzleQueryError("insert into x values ($1)", ["+15125550137", "Ada"], new Error("too long"))
    })
    expect((await app.inject({ url: "/fails" })).json()).toMatchObject({ code: "INTERNAL_ERROR" })
    const text = JSON.stringify(lines)
    expect(text).toContain("too long")
    expect(text).not.toMatch(/5550137|Ada/)
  })
})
