/** `/docs`: the page of the documents, whose data lists every document of the host. */

import { once } from "node:events"
import { connect } from "node:net"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
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

describe("for programs that read text", () => {
  test("/llms.txt names each document as Markdown and as JSON, and each is there", async () => {
    const app = await bareApp()
    const { headers, body } = await app.inject({ url: "/llms.txt" })
    expect(headers["content-type"]).toBe("text/plain; charset=utf-8")
    const named = [...body.matchAll(/\]\((\S+)\)/g)].map(([, url = ""]) => new URL(url))
    expect(named.map(({ pathname }) => pathname)).toEqual(
      ["md", "json"].flatMap((form) => ["rs", "dd", "analytics"].map((name) => `/openapi/${name}.${form}`)),
    )
    for (const { pathname } of named) expect((await app.inject({ url: pathname })).statusCode).toBe(200)
  })

  test("the Markdown of a document has each operation, event and object, with fields, bounds, example and errors", async () => {
    const app = await bareApp()
    const { headers, body } = await app.inject({ url: "/openapi/rs.md" })
    expect(headers["content-type"]).toBe("text/markdown; charset=utf-8")
    const document = (await app.inject({ url: "/openapi/rs.json" })).json<{
      paths: Record<string, Record<string, object>>
      webhooks: object
      components: { schemas: object }
    }>()
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const names = [
      ...operations,
      ...Object.keys(document.webhooks),
      ...Object.keys(document.components.schemas),
    ]
    expect([...body.matchAll(/^### (.*)$/gm)].map(([, name]) => name)).toEqual(names)
    expect(body).toContain("- `Idempotency-Key` (header): One key per reservation intended.")
    expect(body).toMatch(/^- `order_number` \(string, 1 to 64 characters\)/m)
    expect(body).toMatch(/^ {4}- `length` \(number/m)
    expect(body).toContain('"order_number": "A-1001"')
    expect(body).toMatch(/^- 429: `RATE_LIMITED`: /m)
    expect(body).not.toMatch(/undefined|\[object|\$ref/)
  })
})

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
    for (const host of ["localhost:4011", "127.0.0.1:4011", "127.0.0.2", "[::1]:4011", "[::1]", "LOCALHOST"])
      expect(dataOf((await readDocs(app, { host })).body)["demo"], host).toEqual(BARE_DEMO)
    const added =
      "forwarded via x-forwarded-for x-forwarded-host x-forwarded-proto x-real-ip x-client-ip x-original-host x-scheme cf-ray cf-connecting-ip cdn-loop true-client-ip fastly-client-ip"
    const elsewhere = added.split(" ").map((name) => ({ [name]: "203.0.113.7" }))
    const names = ["shop.example", "127.0.0.1.shop.example", "localhost.shop.example:4011", "10.0.0.1"]
    for (const headers of [...elsewhere, ...names.map((host) => ({ host }))]) {
      const { body } = await readDocs(app, headers)
      expect(dataOf(body)["demo"], JSON.stringify(headers)).toBeNull()
      expect(body).not.toContain(BARE_DEMO.api_key)
    }
    const stranger = await app.inject({ url: "/docs", remoteAddress: "203.0.113.7" })
    expect(dataOf(stranger.body)["demo"]).toBeNull()
    expect(stranger.body).not.toContain(BARE_DEMO.api_key)
  })

  test("holds no key for a page of another site, and holds it for who follows a link of one", async () => {
    const app = await bareApp()
    const own = { host: "127.0.0.1:4011" }
    const demoFor = async (headers: Record<string, string>) =>
      dataOf((await readDocs(app, { ...own, ...headers })).body)["demo"]
    for (const site of ["cross-site", "same-site"]) {
      for (const dest of ["empty", "iframe", "script", "object"])
        expect(
          await demoFor({ "sec-fetch-site": site, "sec-fetch-dest": dest }),
          `${site} ${dest}`,
        ).toBeNull()
      expect(await demoFor({ "sec-fetch-site": site, "sec-fetch-dest": "document" })).toEqual(BARE_DEMO)
    }
    for (const origin of ["https://evil.example", "http://127.0.0.1:3000", "https://127.0.0.1:4011"])
      expect(await demoFor({ origin }), origin).toBeNull()
    expect(
      await demoFor({ origin: "null", "sec-fetch-site": "cross-site", "sec-fetch-dest": "empty" }),
    ).toBeNull()
    for (const site of ["none", "same-origin"])
      expect(await demoFor({ "sec-fetch-site": site, "sec-fetch-dest": "empty" }), site).toEqual(BARE_DEMO)
  })

  test("holds no key for HTTP/1.0, which a proxy that adds no header speaks", async () => {
    const app = await bareApp()
    await app.listen({ host: "127.0.0.1", port: 0 })
    const { port } = app.server.address() as AddressInfo
    const demoOver = async (version: string) => {
      const socket = connect(port, "127.0.0.1")
      await once(socket, "connect")
      socket.write(`GET /docs HTTP/${version}\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`)
      return dataOf(await text(socket))["demo"]
    }
    expect(await demoOver("1.0")).toBeNull()
    expect(await demoOver("1.1")).toEqual(BARE_DEMO)
    await app.close()
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
