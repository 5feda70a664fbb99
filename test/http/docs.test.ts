/** `/docs`: every document of the host, rendered only from this process. */

import { describe, expect, test } from "vitest"
import type { DescribedApi } from "../../src/http/docs/plugin.ts"
import { bareApp } from "./bare-app.ts"

describe("the page of the documents", () => {
  test("loads its scripts and styles from its own host, and nothing inline", async () => {
    const app = await bareApp()
    const { statusCode, headers, body } = await app.inject({ url: "/docs" })
    expect([statusCode, headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"])
    const loaded = [...body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url ?? "")
    expect(loaded.length).toBeGreaterThanOrEqual(5)
    for (const url of loaded) {
      expect(url).toMatch(/^\/docs\/static\//)
      expect([url, (await app.inject({ url })).statusCode]).toEqual([url, 200])
    }
    expect(body).not.toMatch(/<style|style=|<script[^>]*>\s*[^\s<]|\bon\w+=/)
  })

  test("may reach no other host, and may not be framed", async () => {
    const app = await bareApp()
    for (const url of ["/docs", "/docs/static/swagger-ui-bundle.js", "/docs/static/swagger-initializer.js"]) {
      const { headers } = await app.inject({ url })
      const policy = String(headers["content-security-policy"])
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toMatch(/https?:|\*|unsafe/)
      expect(headers["x-content-type-options"]).toBe("nosniff")
    }
  })

  test("offers every document that the host has, each of which is there", async () => {
    const app = await bareApp()
    const { body } = await app.inject({ url: "/docs/static/swagger-initializer.js" })
    expect(body).toContain("validatorUrl: null")
    for (const [name, url] of [
      ["Reservations API", "/openapi/rs.json"],
      ["Direct Delivery API", "/openapi/dd.json"],
      ["Analytics API", "/openapi/analytics.json"],
    ]) {
      expect(body).toContain(`{"name":"${name}","url":"${url}"}`)
      expect((await app.inject({ url: String(url) })).json()).toMatchObject({ openapi: "3.1.0" })
    }
  })

  test("offers whatever list it is handed", async () => {
    const documents: readonly DescribedApi[] = [
      { name: "One", url: "/openapi/one.json" },
      { name: "Two", url: "/openapi/two.json" },
    ]
    const { body } = await (
      await bareApp({ documents })
    ).inject({ url: "/docs/static/swagger-initializer.js" })
    for (const { name, url } of documents) expect(body).toContain(`{"name":"${name}","url":"${url}"}`)
  })

  test("has no file beyond its own", async () => {
    const app = await bareApp()
    for (const url of ["/docs/static/none.js", "/docs/static/..%2f..%2fpackage.json", "/docs/none"]) {
      const { statusCode, json } = await app.inject({ url })
      expect([url, statusCode, json<{ code: string }>().code]).toEqual([url, 404, "NOT_FOUND"])
    }
  })
})
