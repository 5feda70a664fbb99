/** Documents and files that are the same for every caller: made once, compressed once, and not sent to a caller that has them. */

import { syncBuiltinESMExports } from "node:module"
import zlib, { brotliDecompressSync, gunzipSync } from "node:zlib"
import Fastify from "fastify"
import { afterEach, describe, expect, test } from "vitest"
import { addApiDocument } from "../../src/http/bodies/api-document.ts"
import { assetsPlugin } from "../../src/http/pages/assets.ts"

const DOCUMENT = {
  openapi: "3.1.0",
  paths: Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`/p${at}`, {}])),
}
const TEXT = JSON.stringify(DOCUMENT)
const PATH = "/openapi/one.json"
const UNPACKED = { br: brotliDecompressSync, gzip: gunzipSync }

const app = { made: 0, serialised: 0, instance: Fastify() }
afterEach(() => app.instance.close())

function documentApp(): typeof app {
  Object.assign(app, { made: 0, serialised: 0, instance: Fastify() })
  addApiDocument(app.instance, "one", () => {
    app.made += 1
    return { ...DOCUMENT, toJSON: () => ((app.serialised += 1), DOCUMENT) }
  })
  return app
}

describe("an API document", () => {
  test("is compressed again after a compression that failed", async () => {
    const { instance } = documentApp()
    const { gzip } = zlib
    const asked = () => instance.inject({ url: PATH, headers: { "accept-encoding": "gzip" } })
    const failing = (_: Buffer, done: (cause: Error) => void): void => done(new Error("no memory"))
    try {
      Object.assign(zlib, { gzip: failing })
      syncBuiltinESMExports()
      expect((await asked()).statusCode).toBe(500)
    } finally {
      Object.assign(zlib, { gzip })
      syncBuiltinESMExports()
    }
    expect(gunzipSync((await asked()).rawPayload).toString()).toBe(TEXT)
  })

  test("is made and serialised once, however often it is read", async () => {
    const { instance } = documentApp()
    const answers = await Promise.all(Array.from({ length: 20 }, () => instance.inject(PATH)))
    for (const answer of answers) expect(answer.body).toBe(TEXT)
    expect([app.made, app.serialised]).toEqual([1, 1])
    expect(answers[0]?.headers).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "cache-control": "no-cache",
      vary: "Accept-Encoding",
    })
  })

  test.each<[string, "br" | "gzip" | null]>([
    ["gzip, deflate, br", "br"],
    ["gzip", "gzip"],
    ["br;q=0, gzip;q=0.5", "gzip"],
    ["*", "br"],
    ["identity", null],
    ["gzip;q=0", null],
    ["", null],
  ])("for Accept-Encoding `%s` is sent in the form %s", async (accepted, form) => {
    const { instance } = documentApp()
    const { headers, rawPayload } = await instance.inject({
      url: PATH,
      headers: { "accept-encoding": accepted },
    })
    expect(headers["content-encoding"] ?? null).toBe(form)
    expect(headers["content-length"]).toBe(String(rawPayload.length))
    const plain = form === null ? rawPayload : UNPACKED[form](rawPayload)
    expect(plain.toString("utf8")).toBe(TEXT)
    if (form !== null) expect(rawPayload.length).toBeLessThan(TEXT.length / 4)
  })

  test("is not sent again to a caller that has it in this form", async () => {
    const { instance } = documentApp()
    const asking = { url: PATH, headers: { "accept-encoding": "gzip" } }
    const { etag = "" } = (await instance.inject(asking)).headers
    for (const known of [etag, `"other", W/${etag}`, "*"]) {
      const again = await instance.inject({
        ...asking,
        headers: { ...asking.headers, "if-none-match": known },
      })
      expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, "", etag])
    }
    const plain = await instance.inject({ url: PATH, headers: { "if-none-match": etag } })
    expect([plain.statusCode, plain.body]).toEqual([200, TEXT])
  })
})

test("a file is read once; a typeface is not compressed, and a path without a file is not kept", async () => {
  const asked: string[] = []
  const instance = Fastify()
  app.instance = instance
  await instance.register(assetsPlugin, {
    asset: async (path) => {
      asked.push(path)
      if (path === "/assets/none.js") return null
      const contentType = path.endsWith(".woff2") ? "font/woff2" : "text/javascript; charset=utf-8"
      return { contentType, body: "x".repeat(5_000), isImmutable: true }
    },
  })
  const headers = { "accept-encoding": "br" }
  for (const [url, form] of [
    ["/assets/a.js", "br"],
    ["/assets/a.woff2", undefined],
  ] as const) {
    for (let times = 0; times < 2; times += 1) {
      const answer = await instance.inject({ url, headers })
      expect([answer.statusCode, answer.headers["content-encoding"]]).toEqual([200, form])
      expect(answer.headers["cache-control"]).toBe("public, max-age=31536000, immutable")
    }
  }
  for (let times = 0; times < 2; times += 1) await instance.inject("/assets/none.js")
  expect(asked).toEqual(["/assets/a.js", "/assets/a.woff2", "/assets/none.js", "/assets/none.js"])
})
