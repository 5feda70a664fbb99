/** What every request to the portal passes: where it comes from, its cookie, its body; and the portal's document. */

import { describe, expect, test } from "vitest"
import { BODY_BYTES_MAX } from "../../../src/model/values/limits.ts"
import type { Document } from "../../http/document.ts"
import { BASE_URL, PASSWORD, openPortal } from "./portal.ts"
import type { Sent } from "./portal.ts"

const API = "/portal/api"
const ADA = "ada@wheels.example"

describe("cross-site requests", () => {
  test("a form, or a script without leave, cannot send the header: preflights get no leave", async () => {
    const portal = await openPortal()
    const asked = await portal.app.inject({
      method: "OPTIONS",
      url: `${API}/session`,
      headers: {
        origin: "https://evil.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "x-curbline-portal",
      },
    })
    expect(asked.statusCode).toBe(405)
    expect(Object.keys(asked.headers).filter((name) => name.startsWith("access-control"))).toEqual([])
    const read = await portal.app.inject({
      url: `${API}/session`,
      headers: { origin: "https://evil.example" },
    })
    expect(Object.keys(read.headers).filter((name) => name.startsWith("access-control"))).toEqual([])
  })

  test("a browser of old that sends no Origin passes with the header", async () => {
    const portal = await openPortal()
    const browser = await portal.signedUp(ADA)
    const sent = { isBare: true, headers: { "x-curbline-portal": "1" } }
    expect((await browser.call("DELETE", `${API}/session`, sent)).status).toBe(200)
  })
})

describe("the cookie", () => {
  const cookieOver = async (baseUrl: string): Promise<string> => {
    const portal = await openPortal({ baseUrl })
    const browser = portal.browser()
    await portal.signedUp(ADA)
    const answered = await browser.call("POST", `${API}/session`, {
      body: { email: ADA, password: PASSWORD },
    })
    return String([answered.headers["set-cookie"]].flat()[0])
  }

  test("is HttpOnly, SameSite=Lax, Secure and bound to the host where the portal has TLS", async () => {
    expect(await cookieOver(BASE_URL)).toMatch(
      /^__Host-curbline_session=[\w-]{43}; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    )
  })

  test("is not Secure on a development host, where it would be dropped", async () => {
    expect(await cookieOver("http://127.0.0.1:4010")).toMatch(
      /^curbline_session=[\w-]{43}; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Lax$/,
    )
  })

  test("is not told again, and no answer is kept by a cache", async () => {
    const portal = await openPortal()
    const browser = await portal.signedUp(ADA)
    for (const path of ["/session", "/api-keys", "/none"]) {
      const { headers, status } = await browser.call("GET", `${API}${path}`)
      expect(headers["set-cookie"]).toBeUndefined()
      if (status === 200) expect(headers["cache-control"]).toBe("no-store")
    }
  })

  test("an API key is no session, and a session no API key", async () => {
    const portal = await openPortal()
    const browser = await portal.signedUp(ADA)
    const made = await browser.call("POST", `${API}/api-keys`, {
      body: { permissions: ["reservations:read"] },
    })
    const key = String(made.data["value"])
    const asKey = await portal.app.inject({
      url: `${API}/session`,
      headers: { authorization: `Bearer ${key}` },
    })
    expect(asKey.statusCode).toBe(401)
    const token = browser.cookie?.split("=")[1] ?? ""
    const asSession = await portal.app.inject({
      url: "/rs/v1/retailers",
      headers: { cookie: browser.cookie ?? "", authorization: `Bearer ${token}` },
    })
    expect(asSession.statusCode).toBe(401)
  })
})

describe("SIGN_IN_REQUIRED", () => {
  test("every endpoint but the nine for anyone asks for a session, before it looks at the body", async () => {
    const portal = await openPortal()
    const document = (await portal.app.inject({ url: "/openapi/portal.json" })).json<Document>()
    const open: string[] = []
    for (const [path, operations] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(operations)) {
        const answered = await portal
          .browser()
          .call(method.toUpperCase(), path.replace("{id}", "some-id"), method === "get" ? {} : { text: "{" })
        if (operation.security?.length === 0) open.push(`${method} ${path}`)
        expect(answered.code, `${method} ${path}`).toBe(
          operation.security?.length === 0 ? "VALIDATION_ERROR" : "SIGN_IN_REQUIRED",
        )
      }
    }
    expect(open.toSorted()).toEqual(
      [
        "post /portal/api/invitations/accept",
        "post /portal/api/invitations/preview",
        "post /portal/api/password/forgotten",
        "post /portal/api/password/new",
        "post /portal/api/session",
        "post /portal/api/session/second-factor",
        "post /portal/api/session/second-factor/passkey",
        "post /portal/api/sign-up",
        "post /portal/api/sign-up/verify",
      ].toSorted(),
    )
  })
})

describe("bodies", () => {
  test.each<[string, Sent]>([
    ["nothing", { text: "" }],
    ["no JSON", { text: "email=ada" }],
    ["a list", { body: [] }],
    ["null", { body: null }],
    ["numbers for texts", { body: { email: 1, password: 2 } }],
    ["objects for texts", { body: { email: { $ne: null }, password: { $gt: "" } } }],
    ["a NUL", { body: { email: ADA, password: "a\u0000bcdefghijkl" } }],
    ["no UTF-8", { text: '{"email":"\ud800"}' }],
    ["depth", { text: `${"[".repeat(100_000)}${"]".repeat(100_000)}` }],
  ])("of %s are 400", async (_, sent) => {
    const portal = await openPortal()
    const answered = await portal.browser().call("POST", `${API}/session`, sent)
    expect([answered.status, answered.code]).toEqual([400, "VALIDATION_ERROR"])
  })

  test("PAYLOAD_TOO_LARGE: a body past the limit is not read", async () => {
    const portal = await openPortal()
    const text = `"${"x".repeat(BODY_BYTES_MAX)}"`
    const answered = await portal.browser().call("POST", `${API}/session`, { text })
    expect([answered.status, answered.code]).toEqual([413, "PAYLOAD_TOO_LARGE"])
  })

  test("a body that names a prototype changes nothing", async () => {
    const portal = await openPortal()
    const owner = await portal.signedUp(ADA)
    const member = await portal.joined(owner, "bob@wheels.example")
    const codeOf = async (text: string) => (await member.call("PATCH", `${API}/organization`, { text })).code
    expect(await codeOf('{"name":"x","__proto__":{"role":"owner"}}')).toBe("VALIDATION_ERROR")
    expect(await codeOf('{"name":"x","constructor":{"prototype":{"role":"owner"}}}')).toBe("OWNER_REQUIRED")
    expect(({} as { role?: string }).role).toBeUndefined()
  })
})

describe("G22: /openapi/portal.json", () => {
  test("names the cookie, and no operation asks for a bearer", async () => {
    const portal = await openPortal()
    const document = (await portal.app.inject({ url: "/openapi/portal.json" })).json<{
      openapi: string
      components: { securitySchemes: object }
    }>()
    expect(document.openapi).toBe("3.1.0")
    expect(document.components.securitySchemes).toEqual({
      session: { type: "apiKey", in: "cookie", name: "__Host-curbline_session" },
    })
    expect(JSON.stringify(document)).not.toContain('"bearer"')
  })

  test("open redirect: no operation takes a place to go, and none answers 3xx", async () => {
    const portal = await openPortal()
    const document = (await portal.app.inject({ url: "/openapi/portal.json" })).json<Document>()
    const text = JSON.stringify(document.paths)
    expect(text).not.toMatch(/"(?:next|redirect\w*|return_to|continue)"/)
    const statuses = Object.values(document.paths).flatMap((operations) =>
      Object.values(operations).flatMap((operation) => Object.keys(operation.responses)),
    )
    expect(statuses.filter((status) => status.startsWith("3"))).toEqual([])
  })
})
