/** `/docs`: the page of the documents, whose data lists every document of the host. */

import { describe, expect, test } from "vitest"
import type { FastifyInstance } from "fastify"
import type { DescribedApi } from "../../src/http/docs/plugin.ts"
import { BARE_DEMO, bareApp } from "./bare-app.ts"

const dataOf = (body: string): Record<string, unknown> => {
  const [, json = "null"] = /<script type="application\/json" id="data">(.*)<\/script>/.exec(body) ?? []
  return JSON.parse(json) as Record<string, unknown>
}

const readDocs = async (app: FastifyInstance, headers: Record<string, string> = {}) =>
  app.inject({ url: "/docs", headers, remoteAddress: "127.0.0.1" })

describe("the page of the documents", () => {
  test("loads its script and style from its own host, and nothing inline", async () => {
    const app = await bareApp()
    const { statusCode, headers, body } = await readDocs(app)
    expect([statusCode, headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"])
    const loaded = [...body.matchAll(/<(?:script|link)[^>]* (?:src|href)="([^"]+)"/g)].map(
      ([, url]) => url ?? "",
    )
    expect(body.match(/<script type="module" src=|<link rel="(?:stylesheet|icon)"/g)).toHaveLength(3)
    for (const url of loaded) {
      expect(url).toMatch(/^\/assets\//)
      expect([url, (await app.inject({ url })).statusCode]).toEqual([url, 200])
    }
    expect(body).not.toMatch(/<style|style=|\bon\w+=/)
  })

  test("may reach no other host, and may not be framed or kept", async () => {
    const { headers } = await readDocs(await bareApp())
    const policy = String(headers["content-security-policy"])
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/https?:|\*|unsafe/)
    expect(headers["x-content-type-options"]).toBe("nosniff")
    expect(headers["cache-control"]).toBe("no-store")
  })

  test("offers every document that the host has, each of which is there", async () => {
    const app = await bareApp()
    const documents = [
      { name: "Reservations API", url: "/openapi/rs.json" },
      { name: "Direct Delivery API", url: "/openapi/dd.json" },
      { name: "Analytics API", url: "/openapi/analytics.json" },
    ]
    expect(dataOf((await readDocs(app)).body)["documents"]).toEqual(documents)
    for (const { url } of documents)
      expect((await app.inject({ url })).json()).toMatchObject({ openapi: "3.1.0" })
  })

  test("offers whatever list it is handed", async () => {
    const documents: readonly DescribedApi[] = [
      { name: "One", url: "/openapi/one.json" },
      { name: "Two", url: "/openapi/two.json" },
    ]
    expect(dataOf((await readDocs(await bareApp({ documents }))).body)["documents"]).toEqual(documents)
  })

  test("holds the demo's key for a caller of this machine alone", async () => {
    const app = await bareApp()
    expect(dataOf((await readDocs(app)).body)["demo"]).toEqual(BARE_DEMO)
    for (const name of ["x-forwarded-for", "forwarded", "x-real-ip", "via"]) {
      const { body } = await readDocs(app, { [name]: "203.0.113.7" })
      expect(dataOf(body)["demo"], name).toBeNull()
      expect(body, name).not.toContain(BARE_DEMO.api_key)
    }
    const stranger = await app.inject({ url: "/docs", remoteAddress: "203.0.113.7" })
    expect(dataOf(stranger.body)["demo"]).toBeNull()
    expect(stranger.body).not.toContain(BARE_DEMO.api_key)
  })

  test("holds no key when the host is not local, or without demo data", async () => {
    for (const options of [{ isLocal: false }, { demo: null }]) {
      const { statusCode, body } = await readDocs(await bareApp(options))
      expect([statusCode, dataOf(body)["demo"]]).toEqual([200, null])
      expect(body).not.toContain(BARE_DEMO.api_key)
    }
  })

  test("has no path beyond its own", async () => {
    const app = await bareApp()
    expect((await app.inject({ url: "/docs/" })).statusCode).toBe(200)
    for (const url of ["/docs/static/none.js", "/docs/..%2f..%2fpackage.json", "/docs/none"]) {
      const { statusCode, json } = await app.inject({ url })
      expect([url, statusCode, json<{ code: string }>().code]).toEqual([url, 404, "NOT_FOUND"])
    }
  })
})
