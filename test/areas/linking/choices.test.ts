/** The connector's authorization server over HTTP: each of its choices by number, and each row of the contract's tables. */

import { sql } from "drizzle-orm"
import { Effect, Either } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { HOUR_MS, MINUTE_MS, SECOND_MS, DAY_MS } from "../../../src/model/values/time.ts"
import { ActorHost } from "../../../src/engine/services/host.ts"
import { ConnectorSwitch } from "../../../src/areas/linking/connector-switch.ts"
import { familyOf, freshPair, issuePair } from "../../../src/areas/linking/issuing.ts"
import { LinkedUsers } from "../../../src/areas/linking/linked-users.ts"
import { Linking } from "../../../src/areas/linking/linking.ts"
import { Phones } from "../../../src/areas/linking/phones.ts"
import { Database } from "../../../src/engine/store/database.ts"
import { layerGrantRows } from "../../../src/areas/linking/store/grants.ts"
import {
  AUTHORIZE,
  CALLBACK,
  ISSUER,
  ORIGIN,
  OTHER_CALLBACK,
  PATH,
  authorizeUrl,
  makeConnector,
  requestIn,
  toldIn,
} from "./connector.ts"
import type { Connector, Linked, Said, Visitor } from "./connector.ts"

let connector: Connector

beforeAll(async () => {
  connector = await makeConnector()
})
afterAll(() => connector.close())

const visitor = (): Visitor => connector.visitor()
const phones = Effect.serviceFunctions(Phones)
const enable = (phone: string) => connector.run(phones.enable(phone))
const disable = (phone: string) => connector.run(phones.disable(phone))

/** The user behind a header, or the refusal. */
const authenticated = (authorization: string | undefined) =>
  connector.run(Effect.either(Effect.flatMap(Linking, (linking) => linking.authenticate(authorization))))

const isGood = async (token: string): Promise<boolean> =>
  Either.isRight(await authenticated(`Bearer ${token}`))

const refresh = (
  who: Visitor,
  { client, tokens }: Linked,
  more: Record<string, string> = {},
): Promise<Said> =>
  who.token({
    grant_type: "refresh_token",
    client_id: client.client_id,
    refresh_token: tokens.refresh_token,
    ...more,
  })

const errorOf = ({ status, json }: Said): unknown => [status, json["error"], typeof json["error_description"]]

describe("calling with a token", () => {
  test("A1: a call without a token, with another scheme or a bad token gets one challenge of three quoted parts", async () => {
    const { tokens } = await visitor().link()
    const headers = [
      undefined,
      "",
      "Bearer",
      "Bearer mca_unknown",
      `Basic ${tokens.access_token}`,
      `Bearer ${tokens.refresh_token}`,
    ]
    for (const header of headers) {
      const found = await authenticated(header)
      if (Either.isRight(found)) throw new Error(`let in with ${header}`)
      expect(found.left.challenge).toMatch(
        /^Bearer error="invalid_token", error_description="[^"]+", resource_metadata="https:\/\/courier\.example\/\.well-known\/oauth-protected-resource\/api\/delivery-mcp"$/,
      )
      expect(found.left.body).toEqual({ error: "invalid_token", error_description: found.left.description })
    }
  })

  test("A1: a token that was issued for another resource is no good here", async () => {
    const { tokens } = await visitor().link()
    const { userId } = Either.getOrThrow(await authenticated(`Bearer ${tokens.access_token}`))
    const made = async (resource: string): Promise<string> => {
      const pair = await connector.run(freshPair)
      const grant = { clientId: "mc_test", familyId: familyOf(pair), resource, userId }
      const issuing = Effect.flatMap(ActorHost, (host) =>
        host.run({ name: "a test", locks: {}, body: () => issuePair(grant, pair) }),
      )
      await connector.run(Effect.provide(issuing, layerGrantRows))
      return pair.access
    }
    expect(await isGood(await made(ISSUER))).toBe(true)
    expect(await isGood(await made(`${ISSUER}/mcp`))).toBe(false)
  })

  test("a good token is its user, whose number can be read, until it is an hour old, or disabled", async () => {
    const { phone, tokens } = await visitor().link()
    const found = Either.getOrThrow(await authenticated(`Bearer ${tokens.access_token}`))
    expect(found.userId).toMatch(/^usr_[0-9A-Za-z]{22}$/)
    const users = Effect.serviceFunctions(LinkedUsers)
    expect(await connector.run(users.phoneOf(found.userId))).toBe(phone)
    expect(await connector.run(users.isEnabled(found.userId))).toBe(true)
    await disable(phone)
    expect(await isGood(tokens.access_token)).toBe(false)
    expect(await connector.run(users.isEnabled(found.userId))).toBe(false)
    expect(await connector.run(users.phoneOf("usr_none"))).toBeNull()
    await enable(phone)
    expect(await isGood(tokens.access_token)).toBe(true)
    await connector.advance(HOUR_MS - 1)
    expect(await isGood(tokens.access_token)).toBe(true)
    await connector.advance(1)
    expect(await isGood(tokens.access_token)).toBe(false)
  })

  test("two links of one number are one user, two numbers are two", async () => {
    const who = visitor()
    const one = await who.link()
    const again = await who.link(one.phone)
    const other = await who.link()
    const [a, b, c] = await Promise.all(
      [one, again, other].map(async ({ tokens }) =>
        Either.getOrThrow(await authenticated(`Bearer ${tokens.access_token}`)),
      ),
    )
    expect(a).toEqual(b)
    expect(a).not.toEqual(c)
  })
})

describe("discovery", () => {
  const RESOURCE = "/.well-known/oauth-protected-resource/api/delivery-mcp"
  const SERVER = "/.well-known/oauth-authorization-server/api/delivery-mcp"

  test("X5: the protected resource is the issuer, to the letter, for any origin and an hour", async () => {
    const said = await visitor().ask("GET", RESOURCE)
    expect(said.status).toBe(200)
    expect(said.json).toEqual({
      resource: ISSUER,
      resource_name: "Curbline curbside courier",
      resource_documentation: `${ISSUER}/description.md`,
      resource_policy_uri: `${ISSUER}/privacy.md`,
      resource_tos_uri: `${ISSUER}/terms.md`,
      authorization_servers: [ISSUER],
      scopes_supported: ["courier:write"],
      bearer_methods_supported: ["header"],
    })
    expect(said.headers["cache-control"]).toBe("max-age=3600")
    expect(said.headers["access-control-allow-origin"]).toBe("*")
  })

  test("A8: the server's metadata says where everything is, and that answers name their issuer", async () => {
    const said = await visitor().ask("GET", SERVER)
    expect(said.json).toEqual({
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/oauth/authorize`,
      token_endpoint: `${ISSUER}/oauth/token`,
      registration_endpoint: `${ISSUER}/oauth/register`,
      revocation_endpoint: `${ISSUER}/oauth/revoke`,
      response_types_supported: ["code"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none"],
      revocation_endpoint_auth_methods_supported: ["none"],
      scopes_supported: ["courier:write"],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
    })
    expect(said.headers["cache-control"]).toBe("public, max-age=300")
    expect(said.headers["access-control-allow-origin"]).toBe("*")
  })

  test("A37: neither OpenID's document nor one at the root is there", async () => {
    const who = visitor()
    for (const url of [
      "/.well-known/openid-configuration",
      `${PATH}/.well-known/openid-configuration`,
      `/.well-known/openid-configuration${PATH}`,
      "/.well-known/oauth-authorization-server",
      "/.well-known/oauth-protected-resource",
    ]) {
      expect([url, (await who.ask("GET", url)).status]).toEqual([url, 404])
    }
  })

  test("A34: register, token and revoke answer any origin and its preflight, without credentials; the pages none", async () => {
    const who = visitor()
    for (const url of ["register", "token", "revoke"].map((name) => `${PATH}/oauth/${name}`)) {
      const asked = await who.ask("OPTIONS", url, { headers: { origin: "https://other.example" } })
      expect(asked.status).toBe(204)
      expect(asked.headers["access-control-allow-methods"]).toBe("POST")
      const refused = await who.ask("POST", url, { form: {} })
      for (const said of [asked, refused]) {
        expect(said.headers["access-control-allow-origin"]).toBe("*")
        expect(said.headers["access-control-allow-credentials"]).toBeUndefined()
      }
    }
    const page = await who.open(await who.register())
    expect(page.headers["access-control-allow-origin"]).toBeUndefined()
    expect((await who.ask("OPTIONS", AUTHORIZE)).headers["access-control-allow-origin"]).toBeUndefined()
  })

  test("a method that an endpoint has not is 405, in OAuth's words", async () => {
    const who = visitor()
    for (const [method, url, allow] of [
      ["GET", `${PATH}/oauth/token`, "POST"],
      ["DELETE", `${PATH}/oauth/register`, "POST"],
      ["PUT", AUTHORIZE, "GET, HEAD, POST"],
      ["POST", SERVER, "GET, HEAD"],
    ] as const) {
      const said = await who.ask(method, url)
      expect([said.status, said.headers["allow"], said.json["error"]]).toEqual([
        405,
        allow,
        "invalid_request",
      ])
    }
  })

  test("X14: paused, everything but the resource's metadata is 404 for every method, before anything else", async () => {
    const who = visitor()
    const { client, tokens } = await who.link()
    const turned = (how: "pause" | "resume") =>
      connector.run(Effect.flatMap(ConnectorSwitch, (one) => one[how]))
    const before = connector.now()
    expect(await turned("pause")).toMatchObject({ isPaused: true, pausedAtMs: before })
    const urls = ["authorize", "register", "token", "revoke"].map((name) => `${PATH}/oauth/${name}`)
    for (const url of [...urls, SERVER]) {
      for (const method of ["GET", "POST", "OPTIONS", "DELETE"]) {
        const said = await who.ask(method, url)
        expect([url, method, said.status, said.json["error"]]).toEqual([url, method, 404, "not_found"])
        expect(typeof said.json["error_description"]).toBe("string")
      }
    }
    expect((await who.ask("GET", RESOURCE)).status).toBe(200)
    expect(await turned("resume")).toMatchObject({ isPaused: false, pausedAtMs: null })
    expect((await who.open(client)).status).toBe(200)
    expect(await isGood(tokens.access_token)).toBe(true)
  })
})

describe("registration", () => {
  const good = { client_name: " Agent ", redirect_uris: [CALLBACK] }
  const put = (who: Visitor, json: unknown) => who.ask("POST", `${PATH}/oauth/register`, { json })

  test("a client is told its id and what it may do", async () => {
    const said = await put(visitor(), { ...good, logo_uri: "https://evil.example/x.png" })
    expect(said.status).toBe(201)
    expect(said.headers["cache-control"]).toBe("no-store")
    expect(said.json).toEqual({
      client_id: expect.stringMatching(/^mc_[0-9A-Za-z]{22}$/),
      client_name: "Agent",
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      client_id_issued_at: Math.floor(connector.now() / 1000),
    })
  })

  test.each([
    ["A19: both grant types", { grant_types: ["authorization_code", "refresh_token"] }],
    [
      "null, which is no value",
      { grant_types: null, response_types: null, token_endpoint_auth_method: null },
    ],
    ["A19: one is enough, the answer has both", { grant_types: ["authorization_code"] }],
    ["A19: response type code", { response_types: ["code"] }],
    ["A18: no secret", { token_endpoint_auth_method: "none" }],
    ["A17: a name of 100 characters counts code points", { client_name: "😀".repeat(100) }],
  ])("%s is taken", async (_, more) => {
    const said = await put(visitor(), { ...good, ...more })
    expect([said.status, said.json["grant_types"]]).toEqual([201, ["authorization_code", "refresh_token"]])
  })

  test.each([
    ["A18: no name", { client_name: undefined }],
    ["A18: a blank name", { client_name: " \t " }],
    ["A17: a name of 101 characters", { client_name: "😀".repeat(101) }],
    ["A17: a name that shows nothing", { client_name: "\u202e\u200b" }],
    ["A18: a name that is no text", { client_name: 7 }],
    ["A18: no redirect URIs", { redirect_uris: undefined }],
    ["A18: redirect URIs that are no list", { redirect_uris: CALLBACK }],
    ["A18: an empty list", { redirect_uris: [] }],
    ["A18: eleven", { redirect_uris: Array.from({ length: 11 }, () => CALLBACK) }],
    ["A18: one that is too long", { redirect_uris: [`https://agent.example/${"x".repeat(1_980)}`] }],
    ["A18: one that is no text", { redirect_uris: [CALLBACK, 7] }],
    ["A18: a client secret", { token_endpoint_auth_method: "client_secret_basic" }],
    ["A19: a grant type without authorization_code", { grant_types: ["refresh_token"] }],
    ["A19: another grant type", { grant_types: ["authorization_code", "password"] }],
    ["A18: another response type", { response_types: ["token"] }],
    ["A18: no response type", { response_types: [] }],
  ])("%s is invalid_client_metadata", async (_, more) => {
    expect(errorOf(await put(visitor(), { ...good, ...more }))).toEqual([
      400,
      "invalid_client_metadata",
      "string",
    ])
  })

  test.each([
    ["not parsable", "https://"],
    ["not absolute", "/callback"],
    ["not https", "http://agent.example/callback"],
    ["another scheme", "javascript:alert(1)//agent.example"],
    ["with a fragment", `${CALLBACK}#top`],
    ["with an empty fragment", `${CALLBACK}#`],
    ["with a user", "https://agent.example@evil.example/callback"],
    ["off the list", "https://evil.example/callback"],
    ["off the list by a slash", `${CALLBACK}/`],
    ["off the list by its case", "https://Agent.example/callback"],
    ["off the list by a port", "https://agent.example:443/callback"],
  ])("A18: a redirect URI %s is invalid_redirect_uri", async (_, uri) => {
    const said = await put(visitor(), { ...good, redirect_uris: [CALLBACK, uri] })
    expect(errorOf(said)).toEqual([400, "invalid_redirect_uri", "string"])
    expect(said.json["error_description"]).toContain("redirect_uri")
  })

  test.each([
    ["not JSON", "client_name=Agent"],
    ["not UTF-8", Buffer.from([0x22, 0xff, 0x22])],
    ["a list", "[]"],
    ["null", "null"],
    ["empty", ""],
  ])("A18: a body that is %s is invalid_client_metadata", async (_, text) => {
    const headers = { "content-type": "application/json" }
    const said = await visitor().ask("POST", `${PATH}/oauth/register`, { text, headers })
    expect(errorOf(said)).toEqual([400, "invalid_client_metadata", "string"])
    expect(said.json["error_description"]).not.toContain("Content-Type")
  })

  test.each([
    [undefined, 400],
    ["text/plain;charset=UTF-8", 400],
    ["application/x-www-form-urlencoded", 400],
    ["application/json-patch+json", 400],
    ["Application/JSON ; charset=utf-8", 201],
  ])("A18: a registration sent as %s is answered %i", async (type, status) => {
    const headers = type === undefined ? {} : { "content-type": type }
    const text = JSON.stringify(good)
    const said = await visitor().ask("POST", `${PATH}/oauth/register`, { text, headers })
    expect(said.status).toBe(status)
    if (status === 201) return
    expect(said.json).toEqual({
      error: "invalid_client_metadata",
      error_description: "Content-Type must be application/json",
    })
  })

  test.each(["token", "revoke"])(
    "a %s request of another content type is refused with the right one",
    async (path) => {
      const headers = { "content-type": "application/json" }
      const said = await visitor().ask("POST", `${PATH}/oauth/${path}`, { text: "{}", headers })
      expect([said.status, said.json]).toEqual([
        400,
        {
          error: "invalid_request",
          error_description: "Content-Type must be application/x-www-form-urlencoded",
        },
      ])
    },
  )

  test("A20: bodies of exactly the limit are read, one byte more is refused", async () => {
    const who = visitor()
    const padded = (bytes: number) => JSON.stringify(good).padEnd(bytes, " ")
    const to = (text: string) =>
      who.ask("POST", `${PATH}/oauth/register`, { text, headers: { "content-type": "application/json" } })
    expect((await to(padded(65_536))).status).toBe(201)
    expect(errorOf(await to(padded(65_537)))).toEqual([400, "invalid_client_metadata", "string"])
    const client = await who.register()
    const form = (bytes: number) => `client_id=${client.client_id}&grant_type=password&x=`.padEnd(bytes, "x")
    expect(errorOf(await who.token(form(16_384)))).toEqual([400, "unsupported_grant_type", "string"])
    expect(errorOf(await who.token(form(16_385)))).toEqual([400, "invalid_request", "string"])
  })

  test("A21: the 21st registration of an hour from an address is 429; what failed has a limit of its own", async () => {
    const who = visitor()
    for (let count = 0; count < 120; count += 1) {
      expect((await put(who, { ...good, client_name: "" })).status).toBe(400)
    }
    const tooMany = await put(who, { ...good, client_name: "" })
    expect(errorOf(tooMany)).toEqual([429, "invalid_request", "string"])
    for (let count = 0; count < 20; count += 1) {
      expect((await put(who, good)).status).toBe(201)
      await connector.advance(MINUTE_MS)
    }
    const last = await put(who, good)
    expect(errorOf(last)).toEqual([429, "invalid_request", "string"])
    expect(last.headers["retry-after"]).toBe(String(40 * 60))
    expect((await put(visitor(), good)).status).toBe(201)
    await connector.advance(40 * MINUTE_MS)
    expect((await put(who, good)).status).toBe(201)
    expect((await put(who, good)).status).toBe(429)
  })

  test("A39: a client without a token is deleted after 90 days, one with a token is not", async () => {
    const who = visitor()
    const unused = await who.register()
    const { client: used } = await who.link()
    await connector.advance(90 * DAY_MS - SECOND_MS)
    await connector.retain()
    expect((await visitor().open(unused)).status).toBe(200)
    await connector.advance(SECOND_MS)
    await connector.retain()
    expect((await visitor().open(unused)).status).toBe(400)
    expect((await visitor().open(used)).status).toBe(200)
  })
})

async function openedPage(): Promise<{ who: Visitor; page: Said }> {
  const who = visitor()
  return { who, page: await who.open(await who.register()) }
}

describe("the authorization request", () => {
  test("A2: each page is one form that works without script; its hidden value carries the request", async () => {
    const who = visitor()
    const page = await who.open(await who.register())
    expect([page.status, page.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"])
    const asked = await who.post(page, { phone: await connector.number() })
    for (const [said, input] of [
      [page, 'name="phone" type="tel" inputmode="tel" autocomplete="tel"'],
      [asked, 'name="code" type="text" inputmode="numeric" autocomplete="one-time-code"'],
    ] as const) {
      expect(said.text.match(/<form /g)).toHaveLength(1)
      expect(said.text).toContain(`<form method="post" action="${ORIGIN}${AUTHORIZE}">`)
      expect(said.text).toContain(input)
      expect(requestIn(said)).not.toBe("")
      expect(said.text).not.toContain("<script")
      expect(said.text).toContain('<html lang="en">')
      expect(said.text).toContain('name="viewport"')
      expect(said.text).toMatch(/<label for="(phone|code)">/)
    }
  })

  test("A2: a sent code answers 303, and the address that it leads to can be loaded again and shows no number", async () => {
    const { who, page } = await openedPage()
    const phone = await connector.number()
    const sent = await who.submit(page, { phone })
    const location = sent.headers["location"] ?? ""
    expect([sent.status, sent.text, sent.headers["cache-control"]]).toEqual([303, "", "no-store"])
    expect(location.startsWith(`${ORIGIN}${AUTHORIZE}?step=`)).toBe(true)
    const carried = Buffer.from(new URL(location).searchParams.get("step") ?? "", "base64url").toString(
      "latin1",
    )
    for (const hidden of [phone.slice(1), phone.slice(-4), "usr_", CALLBACK]) {
      expect(location + carried).not.toContain(hidden)
    }
    for (let loads = 0; loads < 2; loads += 1) {
      const shown = await who.ask("GET", location.slice(ORIGIN.length))
      expect([shown.status, shown.text.includes(`<strong>${phone.slice(-4)}</strong>`)]).toEqual([200, true])
    }
    expect(connector.provider.sent.get(phone)).toHaveLength(1)
  })

  test("A2: an address that was altered, is too old or has succeeded is a 400 page", async () => {
    const { who, page } = await openedPage()
    const phone = await connector.number()
    const location = (await who.submit(page, { phone })).headers["location"] ?? ""
    const path = location.slice(ORIGIN.length)
    const altered = `${path.slice(0, -1)}${path.endsWith("A") ? "B" : "A"}`
    expect((await who.ask("GET", altered)).status).toBe(400)
    const asked = await who.ask("GET", path)
    const code = connector.provider.sent.get(phone)?.at(-1) ?? ""
    expect((await who.post(asked, { code })).status).toBe(302)
    expect((await who.ask("GET", path)).status).toBe(400)
    const late = await openedPage()
    const other = (await late.who.submit(late.page, { phone })).headers["location"] ?? ""
    await connector.advance(10 * MINUTE_MS + 1)
    const said = await late.who.ask("GET", other.slice(ORIGIN.length))
    expect([said.status, said.text.includes("more than 10 minutes")]).toEqual([400, true])
  })

  test("A2: a refused number or code answers its page and status, and a browser then loads it by its address", async () => {
    const { who, page } = await openedPage()
    const phone = await connector.number()
    const browser = { headers: { accept: "text/html,application/xhtml+xml" } }
    const load = ({ headers }: Said) => {
      const address = headers["location"] ?? (headers["refresh"] ?? "").replace(/^0;url=/, "")
      return who.ask("GET", address.slice(ORIGIN.length))
    }
    const refused = await who.submit(page, { phone: "555 01" }, browser)
    expect(refused.headers["refresh"]).not.toContain("555")
    for (const shown of [refused, await load(refused), await load(refused)]) {
      expect(shown.status).toBe(400)
      expect(shown.text).toContain("That is not a valid mobile number")
      expect(shown.text).toContain('value="555 01"')
      expect(requestIn(shown)).toBe(requestIn(page))
    }
    const scripted = await who.submit(page, { phone: "555 01" })
    expect([scripted.status, scripted.headers["refresh"]]).toEqual([400, undefined])
    const codePage = await load(await who.submit(page, { phone }, browser))
    const wrong = await who.submit(codePage, { code: "000000" }, browser)
    for (const shown of [wrong, await load(wrong)]) {
      expect([shown.status, shown.text.includes("That is not the code")]).toEqual([400, true])
      expect(requestIn(shown)).toBe(requestIn(codePage))
    }
  })

  test("A2: another code is sent from the code page, answers 303 as the first did, and counts in the limit", async () => {
    const { who, page } = await openedPage()
    const phone = await connector.number()
    let shown = await who.post(page, { phone })
    // A service that is no demo shows the code on no page.
    expect(shown.text).not.toContain(connector.provider.sent.get(phone)?.at(-1))
    for (let count = 2; count <= 5; count += 1) {
      const sent = await who.submit(shown, { another_code: "1", code: "" })
      expect(sent.status).toBe(303)
      shown = await who.ask("GET", (sent.headers["location"] ?? "").slice(ORIGIN.length))
      expect([shown.status, shown.text.includes("We texted another code")]).toEqual([200, true])
      expect(connector.provider.sent.get(phone)).toHaveLength(count)
    }
    const refused = await who.submit(shown, { another_code: "1" })
    expect([refused.status, refused.text.includes("Too many codes were sent to this number")]).toEqual([
      429,
      true,
    ])
    expect(refused.text).toContain('name="code"')
    const code = connector.provider.sent.get(phone)?.at(-1) ?? ""
    expect((await who.post(refused, { code })).status).toBe(302)
  })

  test("A2: the code page leads to another number, whose code links that one", async () => {
    const { who, page } = await openedPage()
    const [first, second] = [await connector.number(), await connector.number()]
    const shown = await who.post(page, { phone: first })
    const [, link = ""] = /<a href="([^"]+)">Use another number<\/a>/.exec(shown.text) ?? []
    const again = await who.ask("GET", link.slice(ORIGIN.length))
    expect([again.status, again.text.includes('name="phone"')]).toEqual([200, true])
    const asked = await who.post(again, { phone: second })
    expect(asked.text).toContain(second.slice(-4))
    expect((await who.post(asked, { code: connector.provider.sent.get(second)?.at(-1) ?? "" })).status).toBe(
      302,
    )
  })

  test("A2: after a problem the field holds what was typed, escaped", async () => {
    const { who, page } = await openedPage()
    const typed = '512 555"<'
    const said = await who.post(page, { phone: typed })
    expect([said.status, said.text.includes('value="512 555&#34;&#60;"')]).toEqual([400, true])
  })

  test("the pages name the service and the host that the user goes back to", async () => {
    const { who, page } = await openedPage()
    const asked = await who.post(page, { phone: await connector.number() })
    for (const { text } of [page, asked]) {
      expect(text).toContain(`<strong>${new URL(CALLBACK).host}</strong>`)
      expect(text).toMatch(/curbside deliveries by Curbline/)
      expect(text).toMatch(/<title>[^<]*Curbline<\/title>/)
    }
  })

  test.each([
    "Curbline",
    "CURB LINE support",
    "Curb1ine",
    "Сurbline",
    "Ｃｕｒｂｌｉｎｅ",
    "Curblíne",
    "the curb-Iine team",
  ])("a client may not call itself %s", async (client_name) => {
    const json = { client_name, redirect_uris: [CALLBACK] }
    const said = await visitor().ask("POST", `${PATH}/oauth/register`, { json })
    expect([said.status, said.json["error"]]).toEqual([400, "invalid_client_metadata"])
    expect(said.json["error_description"]).toMatch(
      /^client_name: must not look like the name of this service/,
    )
  })

  test.each(["Curb Appeal", "Fine Line", "Kerbline Foods"])(
    "a client may call itself %s",
    async (client_name) => {
      expect((await visitor().register({ client_name })).client_name).toBe(client_name)
    },
  )

  test("A35: pages cannot be framed, kept or told about, and run nothing", async () => {
    const who = visitor()
    const client = await who.register()
    const page = await who.open(client)
    const wrong = await who.ask("GET", AUTHORIZE)
    const next = await who.post(page, { phone: "7" })
    for (const said of [page, wrong, next]) {
      expect(said.headers).toMatchObject({
        "cache-control": "no-store",
        "content-security-policy": expect.stringMatching(
          /^default-src 'none'; style-src 'sha256-[^']+'; font-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self' https:; frame-ancestors 'none'$/,
        ),
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
      })
    }
  })

  test("A5: client and redirect URI are judged first, on a page; nothing is redirected", async () => {
    const who = visitor()
    const client = await who.register({ redirect_uris: [CALLBACK] })
    const cases = {
      "no client": authorizeUrl(client).replace(/client_id=[^&]*&/, ""),
      "empty client": authorizeUrl({ client_id: "" }),
      "unknown client": authorizeUrl({ client_id: "mc_0000000000000000000000" }),
      "no redirect URI": authorizeUrl(client).replace(/redirect_uri=[^&]*&/, ""),
      "another redirect URI": authorizeUrl(client, { redirect_uri: OTHER_CALLBACK }),
      "a longer one": authorizeUrl(client, { redirect_uri: `${CALLBACK}/more` }),
      "and everything else wrong": authorizeUrl(client, { redirect_uri: "x", state: "\n", scope: "x" }),
    }
    for (const [name, url] of Object.entries(cases)) {
      const said = await who.ask("GET", url)
      expect([name, said.status, said.headers["location"]]).toEqual([name, 400, undefined])
      expect(said.text).toContain('role="alert"')
    }
  })

  test("A5: then state, response type, PKCE, resource and scope, in this order, by a redirect", async () => {
    const who = visitor()
    const client = await who.register()
    const wrong: [string, Record<string, string>][] = [
      ["invalid_request", { state: "x".repeat(1_025) }],
      ["unsupported_response_type", { response_type: "token" }],
      ["invalid_request", { code_challenge: "short" }],
      ["invalid_target", { resource: `${ISSUER}/mcp` }],
      ["invalid_scope", { scope: "courier:write admin" }],
    ]
    // Each with everything wrong that comes after it.
    for (const [at, [error]] of wrong.entries()) {
      const more = Object.assign({}, ...wrong.slice(at).map(([, one]) => one)) as Record<string, string>
      const said = await who.open(client, more)
      expect([said.status, toldIn(said)["error"]]).toEqual([302, error])
    }
  })

  test.each([
    ["invalid_request", "state over 1,024 characters", { state: "x".repeat(1_025) }],
    ["invalid_request", "a state with a line break", { state: "a\nb" }],
    ["invalid_request", "a state beyond ASCII", { state: "é" }],
    ["unsupported_response_type", "response type token", { response_type: "token" }],
    ["unsupported_response_type", "no response type", { response_type: "" }],
    ["invalid_request", "no challenge", { code_challenge: "" }],
    ["invalid_request", "a challenge of 42 characters", { code_challenge: "x".repeat(42) }],
    ["invalid_request", "a challenge with a plus", { code_challenge: `${"x".repeat(42)}+` }],
    ["invalid_request", "method plain", { code_challenge_method: "plain" }],
    ["invalid_request", "no method", { code_challenge_method: "" }],
    ["invalid_target", "no resource", { resource: "" }],
    ["invalid_target", "a resource with a slash more", { resource: `${ISSUER}/` }],
    ["invalid_target", "X5: the MCP endpoint as resource", { resource: `${ISSUER}/mcp` }],
    ["invalid_scope", "another scope", { scope: "openid" }],
    ["invalid_scope", "a scope more", { scope: "courier:write openid" }],
  ])("%s is redirected for %s", async (error, _, more) => {
    const who = visitor()
    const said = await who.open(await who.register(), { state: "s p&=?", ...more })
    expect(said.status).toBe(302)
    expect(said.headers["location"]).toMatch(`${CALLBACK}?`)
    expect(toldIn(said)).toEqual({
      error,
      error_description: expect.any(String),
      state: (more as { state?: string }).state ?? "s p&=?",
      iss: ISSUER,
    })
    expect(said.headers["cache-control"]).toBe("no-store")
  })

  test("A5: a state that is not valid comes back byte for byte", async () => {
    const who = visitor()
    const client = await who.register()
    const said = await who.ask("GET", `${authorizeUrl(client)}&state=%FF%00+%c3%A9%25`)
    expect(said.headers["location"]).toMatch(/&state=%FF%00%20%C3%A9%25$/)
    expect(toldIn(said)["error"]).toBe("invalid_request")
  })

  test("A6: a parameter that is sent twice is refused as if it were wrong", async () => {
    const who = visitor()
    const client = await who.register()
    const url = authorizeUrl(client)
    for (const name of ["client_id", "redirect_uri"]) {
      const again = new URLSearchParams(url.split("?")[1]).get(name) ?? ""
      const said = await who.ask("GET", `${url}&${name}=${encodeURIComponent(again)}`)
      expect([name, said.status, said.headers["location"]]).toEqual([name, 400, undefined])
    }
    for (const [name, error] of [
      ["state=a&state", "invalid_request"],
      ["response_type", "invalid_request"],
      ["code_challenge", "invalid_request"],
      ["code_challenge_method", "invalid_request"],
      ["resource", "invalid_target"],
      ["scope=courier%3Awrite&scope", "invalid_request"],
    ] as const) {
      const said = await who.ask("GET", `${url}&${name}=x`)
      expect([name, said.status, toldIn(said)["error"]]).toEqual([name, 302, error])
    }
    expect((await who.ask("GET", `${url}&ui_locales=en&ui_locales=de`)).status).toBe(200)
  })

  test.each(["", " ", "courier:write", "courier:write courier:write"])(
    "A7: the scope %j is the usual one",
    async (scope) => {
      const who = visitor()
      expect((await who.open(await who.register(), { scope })).status).toBe(200)
    },
  )

  test("A8 and A9: success is a 302 with code, state and issuer, added to the query that was there", async () => {
    const who = visitor()
    const client = await who.register()
    const phone = await connector.number()
    const asked = await who.post(
      await who.open(client, { redirect_uri: OTHER_CALLBACK, state: "a b&c=d%" }),
      { phone },
    )
    const code = connector.provider.sent.get(phone)?.at(-1) ?? ""
    // As a phone may paste it: between bidi marks, in digits of full width.
    const pasted = code.replace(/\d/g, (digit) => String.fromCodePoint(0xff_10 + Number(digit)))
    const done = await who.post(asked, { code: `\u200E${pasted}\u200F` })
    expect([done.status, done.headers["cache-control"]]).toEqual([302, "no-store"])
    expect(done.headers["location"]).toMatch(`${OTHER_CALLBACK}&code=mcc_`)
    expect(toldIn(done)).toEqual({
      tenant: "7",
      code: expect.stringMatching(/^mcc_[\w-]{43}$/),
      state: "a b&c=d%",
      iss: ISSUER,
    })
    const plain = await who.authorize(client, await connector.number())
    expect(plain.searchParams.has("state")).toBe(false)
  })

  test("A17: a client's name is escaped, and nothing in it turns the text around", async () => {
    const who = visitor()
    const client = await who.register({ client_name: `<b>"A"</b>\u202e\u0007 & 'B'` })
    expect(client.client_name).toBe(`<b>"A"</b>\u202e\u0007 & 'B'`)
    const page = await who.open(client)
    expect(page.text).toContain("&#60;b&#62;&#34;A&#34;&#60;/b&#62; &#38; &#39;B&#39;")
    expect(page.text).not.toMatch(/\p{Cf}|<b>/u)
  })

  test("A14: the 61st page request of a minute from an address is a 429 page; GET and POST count together", async () => {
    const who = visitor()
    const client = await who.register()
    const page = await who.open(client)
    for (let count = 0; count < 29; count += 1) {
      await who.open(client)
      await who.post(page, { phone: "7" })
    }
    expect((await who.ask("GET", AUTHORIZE)).status).toBe(400)
    for (const said of [await who.open(client), await who.post(page, { phone: "7" })]) {
      expect([said.status, said.headers["retry-after"]]).toEqual([429, "60"])
      expect(said.headers["content-type"]).toBe("text/html; charset=utf-8")
    }
    expect((await visitor().open(client)).status).toBe(200)
    await connector.advance(MINUTE_MS)
    expect((await who.open(client)).status).toBe(200)
  })

  test("A15: addresses of one /64 count together, and a header from an untrusted proxy is ignored", async () => {
    const client = await visitor().register()
    const from = (remoteAddress: string, header: string) =>
      connector.app.inject({
        url: authorizeUrl(client),
        remoteAddress,
        headers: { "x-forwarded-for": header, forwarded: `for=${header}`, "x-real-ip": header },
      })
    for (let count = 0; count < 60; count += 1) {
      expect((await from(`2001:db8:1:2::${count + 1}`, `198.51.100.${count}`)).statusCode).toBe(200)
    }
    expect((await from("2001:db8:1:2:ffff::1", "198.51.100.200")).statusCode).toBe(429)
    expect((await from("2001:db8:1:3::1", "198.51.100.200")).statusCode).toBe(200)
  })
})

describe("the phone and code steps", () => {
  const opened = async (): Promise<{ who: Visitor; page: Said }> => {
    const who = visitor()
    return { who, page: await who.open(await who.register()) }
  }

  test.each([
    "+1 (512) 555-9001",
    "512.555.9001",
    " 5125559001 ",
    "15125559001",
    "+1512 555\u20119001",
    "\u202A+1 512 555 9001\u202C",
    "\u200E512\u200B555\u00AD9001\uFE0F\u061C\uFEFF",
    "\uFF0B\uFF11\uFF15\uFF11\uFF12\u3000\uFF15\uFF15\uFF15\uFF0D\uFF19\uFF10\uFF10\uFF11",
    "\uFF08512\uFF09555\u22129001",
    "+\u0661\u0665\u0661\u0662\u0665\u0665\u0665\u0669\u0660\u0660\u0661",
    "+\u06F1\u06F5\u06F1\u06F2\u06F5\u06F5\u06F5\u06F9\u06F0\u06F0\u06F1",
    "tel:+1-512-555-9001",
    " \u2066TEL:512-555-9001\u2069",
  ])("the number typed as %j is understood", async (typed) => {
    await enable("+15125559001")
    const { who, page } = await opened()
    connector.provider.sent.delete("+15125559001")
    const said = await who.post(page, { phone: typed })
    expect(said.status).toBe(200)
    expect(said.text).toContain("ends in <strong>9001</strong>")
    expect(said.text).not.toContain("5559001")
    await connector.advance(HOUR_MS)
  })

  test.each([
    "",
    "7",
    "abc",
    "tel:",
    "+1512555tel:9001",
    "+1512555900\u00B9",
    "+1512555900\u2460",
    "+0123456789",
    "+1234567890123456",
    "512-555-900x",
    "+1+5125559001",
  ])("400: %j is no number", async (typed) => {
    const { who, page } = await opened()
    const said = await who.post(page, { phone: typed })
    expect(said.status).toBe(400)
    expect(said.text).toContain('name="phone"')
    expect(said.text).toContain("not a valid mobile number")
  })

  test("403: a number that is not enabled gets no code, and the provider gets no request", async () => {
    const { who, page } = await opened()
    const said = await who.post(page, { phone: "+15125550199" })
    expect(said.status).toBe(403)
    expect(said.text).toContain("has not been invited")
    expect(connector.provider.sent.has("+15125550199")).toBe(false)
    expect(connector.provider.lookedUp).not.toContain("+15125550199")
  })

  test("A13: a landline or a blocked number is 400", async () => {
    const { who, page } = await opened()
    const phone = await connector.number()
    connector.provider.landlines.add(phone)
    const said = await who.post(page, { phone })
    expect([said.status, said.text.includes("cannot receive our text messages")]).toEqual([400, true])
    connector.provider.isBlocking = true
    const blocked = await who.post(page, { phone: await connector.number() })
    connector.provider.isBlocking = false
    expect(blocked.status).toBe(400)
  })

  test("503: a provider that fails while sending, or while checking", async () => {
    const { who, page } = await opened()
    const phone = await connector.number()
    connector.provider.isDown = true
    const sending = await who.post(page, { phone })
    connector.provider.isDown = false
    expect([sending.status, sending.text.includes('name="phone"')]).toEqual([503, true])
    const asked = await who.post(sending, { phone })
    connector.provider.isDown = true
    const checking = await who.post(asked, { code: "000000" })
    connector.provider.isDown = false
    expect([checking.status, checking.text.includes('name="code"')]).toEqual([503, true])
    const done = await who.post(checking, { code: connector.provider.sent.get(phone)?.at(-1) ?? "" })
    expect(done.status).toBe(302)
  })

  test("A12: the sixth code of an hour to a number is 429, from wherever; failures count, refused numbers do not", async () => {
    const phone = await connector.number()
    const { who, page } = await opened()
    connector.provider.landlines.add(phone)
    for (let count = 0; count < 6; count += 1) expect((await who.post(page, { phone })).status).toBe(400)
    connector.provider.landlines.delete(phone)
    connector.provider.isDown = true
    expect((await who.post(page, { phone })).status).toBe(503)
    connector.provider.isDown = false
    await connector.advance(MINUTE_MS)
    const { who: other, page: its } = await opened()
    for (let count = 0; count < 4; count += 1) expect((await other.post(its, { phone })).status).toBe(200)
    const said = await (await opened()).who.post(its, { phone })
    expect([said.status, said.headers["retry-after"]]).toEqual([429, String(59 * 60)])
    await connector.advance(59 * MINUTE_MS)
    const { who: later, page: fresh } = await opened()
    expect((await later.post(fresh, { phone })).status).toBe(200)
    expect((await later.post(fresh, { phone })).status).toBe(429)
  })

  test("A12: the 21st code of an hour from an address is 429", async () => {
    const { who, page } = await opened()
    const numbers = await Promise.all(Array.from({ length: 5 }, () => connector.number()))
    for (const phone of numbers.slice(0, 4)) {
      for (let count = 0; count < 5; count += 1) expect((await who.post(page, { phone })).status).toBe(200)
    }
    const [last = ""] = numbers.slice(4)
    const said = await who.post(page, { phone: last })
    expect([said.status, said.text.includes("from this network")]).toEqual([429, true])
    const { who: other, page: its } = await opened()
    for (let count = 0; count < 5; count += 1)
      expect((await other.post(its, { phone: last })).status).toBe(200)
  })

  test("A10: only the newest code is good, once", async () => {
    const { who, page } = await opened()
    const phone = await connector.number()
    await who.post(page, { phone })
    const asked = await who.post(page, { phone })
    const [older = "", newer = ""] = connector.provider.sent.get(phone) ?? []
    const wrong = await who.post(asked, { code: older })
    expect([wrong.status, wrong.text.includes("That is not the code")]).toEqual([400, true])
    expect(wrong.text).toContain('name="code"')
    expect((await who.post(wrong, { code: newer })).status).toBe(302)
  })

  test("A10: an expired code shows the phone page again, with 400", async () => {
    const who = visitor()
    const phone = await connector.number()
    const client = await who.register()
    const early = await who.post(await who.open(client), { phone })
    const code = connector.provider.sent.get(phone)?.at(-1) ?? ""
    await connector.advance(5 * MINUTE_MS)
    const late = await who.open(client)
    await connector.advance(5 * MINUTE_MS)
    const said = await who.post(early, { code })
    expect([said.status, said.text.includes("expired"), said.text.includes('name="phone"')]).toEqual([
      400,
      true,
      true,
    ])
    expect((await who.post(late, { phone })).status).toBe(200)
  })

  test("A11: the eleventh check in ten minutes for a number is 429, in all sessions, whatever new codes; what is no code does not count", async () => {
    const phone = await connector.number()
    const { who, page } = await opened()
    const asked = await who.post(page, { phone })
    for (const typed of ["", "12345", "1234567", "abcdef"]) {
      const said = await who.post(asked, { code: typed })
      expect([said.status, said.text.includes("That is not the code")]).toEqual([400, true])
    }
    for (let count = 0; count < 6; count += 1) {
      expect((await who.post(asked, { code: "999999" })).status).toBe(400)
    }
    const other = await opened()
    const again = await other.who.post(other.page, { phone })
    for (let count = 0; count < 3; count += 1) {
      expect((await other.who.post(again, { code: "999999" })).status).toBe(400)
    }
    const right = () => connector.provider.sent.get(phone)?.at(-1) ?? ""
    expect((await other.who.post(again, { code: right() })).status).toBe(302)
    const third = await opened()
    const fresh = await third.who.post(third.page, { phone })
    const said = await third.who.post(fresh, { code: right() })
    expect([said.status, said.headers["retry-after"]]).toEqual([429, "600"])
  })

  test("A16: a number that was disabled between the steps is a 403 page at the code step", async () => {
    const { who, page } = await opened()
    const phone = await connector.number()
    const asked = await who.post(page, { phone })
    await disable(phone)
    const said = await who.post(asked, { code: connector.provider.sent.get(phone)?.at(-1) ?? "" })
    expect([said.status, said.text.includes("has not been invited")]).toEqual([403, true])
  })

  test("A3: an altered, foreign or missing request is a 400 page, and so is one that has succeeded", async () => {
    const { who, page } = await opened()
    const phone = await connector.number()
    const good = requestIn(page)
    const bytes = Buffer.from(good, "base64url")
    const changedAt = (at: number): string =>
      Buffer.from(bytes.map((byte, index) => (index === at ? byte ^ 1 : byte))).toString("base64url")
    const bent = [
      "",
      "x",
      "A".repeat(200),
      good.slice(0, -4),
      `${good}AAAA`,
      `${good}=`,
      changedAt(0),
      changedAt(40),
      changedAt(bytes.length - 1),
    ]
    for (const request of bent) {
      const said = await who.ask("POST", AUTHORIZE, { form: { request, phone } })
      expect([request, said.status, said.text.includes("<form")]).toEqual([request, 400, false])
    }
    expect((await who.ask("POST", AUTHORIZE, { form: { phone } })).status).toBe(400)
    expect((await who.ask("POST", AUTHORIZE, { json: { request: requestIn(page), phone } })).status).toBe(400)
    expect(connector.provider.sent.has(phone)).toBe(false)
    const asked = await who.post(page, { phone })
    expect((await who.post(asked, { code: connector.provider.sent.get(phone)?.at(-1) ?? "" })).status).toBe(
      302,
    )
    for (const form of [{ phone }, { code: "123456" }]) {
      expect(
        (await who.post(form.phone === undefined ? asked : page, form as Record<string, string>)).status,
      ).toBe(400)
    }
  })

  test("A3: of two right answers to one request at once, one gets a code", async () => {
    const { who, page } = await opened()
    const phone = await connector.number()
    const asked = await who.post(page, { phone })
    const code = connector.provider.sent.get(phone)?.at(-1) ?? ""
    const both = await Promise.all([who.post(asked, { code }), who.post(asked, { code })])
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([302, 400])
  })

  test("A3: the request is good for ten minutes from its first page, not longer", async () => {
    const { who, page } = await opened()
    const phone = await connector.number()
    await connector.advance(10 * MINUTE_MS)
    const asked = await who.post(page, { phone })
    expect(asked.status).toBe(200)
    await connector.advance(1)
    const said = await who.post(asked, { code: connector.provider.sent.get(phone)?.at(-1) ?? "" })
    expect([said.status, said.text.includes("more than 10 minutes")]).toEqual([400, true])
  })

  test("400: the code step without a number before it", async () => {
    const { who, page } = await opened()
    const said = await who.post(page, { code: "123456" })
    expect([said.status, said.text.includes("without a phone number")]).toEqual([400, true])
  })

  test("A4: a form of another site is a 400 page; one without Origin, or that hides it, is fine", async () => {
    const { who, page } = await opened()
    const phone = await connector.number()
    const foreign = [
      { origin: "https://evil.example" },
      { origin: `${ORIGIN}.evil.example` },
      { origin: ORIGIN, "sec-fetch-site": "cross-site" },
      { origin: "null", "sec-fetch-site": "cross-site" },
    ]
    for (const headers of foreign) {
      expect([headers, (await who.post(page, { phone }, { headers })).status]).toEqual([headers, 400])
    }
    expect(connector.provider.sent.has(phone)).toBe(false)
    const own = [
      { origin: ORIGIN, "sec-fetch-site": "same-origin" },
      { origin: "null", "sec-fetch-site": "same-origin" },
    ]
    for (const headers of own) expect((await who.post(page, { phone }, { headers })).status).toBe(200)
  })
})

describe("the token endpoint", () => {
  const ready = async () => {
    const who = visitor()
    const client = await who.register()
    const location = await who.authorize(client, await connector.number())
    return { who, client, form: who.exchangeForm(client, location) }
  }
  const without = (form: object, name: string) =>
    Object.fromEntries(Object.entries(form).filter(([key]) => key !== name)) as Record<string, string>

  test("A36: a code is exchanged for opaque tokens, of which only hashes are kept", async () => {
    const { who, form } = await ready()
    const said = await who.token({ ...form, resource: ISSUER })
    expect(said.status).toBe(200)
    expect(said.headers).toMatchObject({ "cache-control": "no-store", pragma: "no-cache" })
    expect(said.json).toEqual({
      access_token: expect.stringMatching(/^mca_[\w-]{43}$/),
      token_type: "Bearer",
      expires_in: 3600,
      refresh_token: expect.stringMatching(/^mcr_[\w-]{43}$/),
      scope: "courier:write",
    })
    const kept = await connector.content()
    for (const secret of [form["code"], said.json["access_token"], said.json["refresh_token"]]) {
      expect(kept).not.toContain(String(secret).slice(4))
    }
  })

  test("numbers are sealed, and found by a keyed digest", async () => {
    const { phone } = await visitor().link()
    const kept = await connector.content()
    expect(kept).not.toContain(phone.slice(1))
    expect(kept).not.toContain(phone.slice(2))
  })

  test.each(["code", "redirect_uri", "code_verifier"])("invalid_request: %s is missing", async (name) => {
    const { who, form } = await ready()
    expect(errorOf(await who.token(without(form, name)))).toEqual([400, "invalid_request", "string"])
    expect((await who.token(form)).status).toBe(200)
  })

  test("A22: type and size, doubles, client, grant type, fields: in this order", async () => {
    const { who, client, form } = await ready()
    const raw = new URLSearchParams(form).toString()
    const json = await who.ask("POST", `${PATH}/oauth/token`, { json: form })
    expect(errorOf(json)).toEqual([400, "invalid_request", "string"])
    expect(errorOf(await who.ask("POST", `${PATH}/oauth/token`))).toEqual([400, "invalid_request", "string"])
    expect(errorOf(await who.token("client_id=a&client_id=b"))).toEqual([400, "invalid_request", "string"])
    expect(errorOf(await who.token(`${raw}&code=x`))).toEqual([400, "invalid_request", "string"])
    expect(errorOf(await who.token("grant_type=password"))).toEqual([401, "invalid_client", "string"])
    expect(errorOf(await who.token({ ...form, client_id: "mc_unknown" }))).toEqual([
      401,
      "invalid_client",
      "string",
    ])
    expect(errorOf(await who.token({ client_id: client.client_id }))).toEqual([
      400,
      "invalid_request",
      "string",
    ])
    expect(errorOf(await who.token({ client_id: client.client_id, grant_type: "password" }))).toEqual([
      400,
      "unsupported_grant_type",
      "string",
    ])
    expect((await who.token(form)).status).toBe(200)
  })

  test("A24: a client in the Authorization header is not read", async () => {
    const { who, client, form } = await ready()
    const authorization = `Basic ${Buffer.from(`${client.client_id}:`).toString("base64")}`
    const said = await who.ask("POST", `${PATH}/oauth/token`, {
      form: without(form, "client_id"),
      headers: { authorization },
    })
    expect(errorOf(said)).toEqual([401, "invalid_client", "string"])
  })

  test.each([
    ["invalid_grant", "an unknown code", { code: "mcc_unknown" }],
    ["invalid_grant", "another redirect URI", { redirect_uri: OTHER_CALLBACK }],
    ["invalid_grant", "a verifier that does not match", { code_verifier: "w".repeat(43) }],
    ["invalid_grant", "a verifier of 42 characters", { code_verifier: "v".repeat(42) }],
    ["invalid_grant", "a verifier of 129 characters", { code_verifier: "v".repeat(129) }],
    ["invalid_grant", "a verifier with a space", { code_verifier: `${"v".repeat(43)} ` }],
    ["invalid_target", "another resource", { resource: `${ISSUER}/mcp` }],
  ])("A23: %s for %s, and the code stays good", async (error, _, more) => {
    const { who, form } = await ready()
    expect(errorOf(await who.token({ ...form, ...more }))).toEqual([400, error, "string"])
    expect((await who.token(form)).status).toBe(200)
  })

  test("A23: another client's code is invalid_grant, and five failures burn a code", async () => {
    const { who, form } = await ready()
    const { client_id: stranger } = await who.register()
    for (let count = 0; count < 4; count += 1) {
      expect(errorOf(await who.token({ ...form, client_id: stranger }))).toEqual([
        400,
        "invalid_grant",
        "string",
      ])
    }
    const other = await ready()
    for (let count = 0; count < 4; count += 1)
      await other.who.token({ ...other.form, code_verifier: "w".repeat(43) })
    expect((await other.who.token(other.form)).status).toBe(200)
    await who.token({ ...form, resource: "x" })
    expect(errorOf(await who.token(form))).toEqual([400, "invalid_grant", "string"])
  })

  test("A23: a code that is used again revokes the tokens of its first exchange", async () => {
    const { who, form } = await ready()
    const { access_token: access, refresh_token: token } = (await who.token(form)).json as Record<
      string,
      string
    >
    expect(await isGood(access ?? "")).toBe(true)
    expect(errorOf(await who.token(form))).toEqual([400, "invalid_grant", "string"])
    expect(await isGood(access ?? "")).toBe(false)
    const refreshed = await who.token({
      grant_type: "refresh_token",
      client_id: form["client_id"] ?? "",
      refresh_token: token ?? "",
    })
    expect(errorOf(refreshed)).toEqual([400, "invalid_grant", "string"])
  })

  test("A23: of two exchanges of one code at once neither leaves a good token", async () => {
    const { who, form } = await ready()
    const both = await Promise.all([who.token(form), who.token(form)])
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400])
    const won = both.find(({ status }) => status === 200)
    expect(await isGood(String(won?.json["access_token"]))).toBe(false)
  })

  test("a code is good for 60 seconds", async () => {
    const [young, old] = [await ready(), await ready()]
    await connector.advance(60 * SECOND_MS)
    expect((await young.who.token(young.form)).status).toBe(200)
    await connector.advance(1)
    expect(errorOf(await old.who.token(old.form))).toEqual([400, "invalid_grant", "string"])
  })

  test("a user whose number was disabled gets no tokens for a code", async () => {
    const who = visitor()
    const client = await who.register()
    const phone = await connector.number()
    const form = who.exchangeForm(client, await who.authorize(client, phone))
    await disable(phone)
    expect(errorOf(await who.token(form))).toEqual([400, "invalid_grant", "string"])
  })

  test("429: over 120 requests a minute for one client, or 240 from one address", async () => {
    const who = visitor()
    const clients = [await who.register(), await who.register(), await who.register()]
    const ask = (from: Visitor, at: number) => from.token({ client_id: clients[at]?.client_id ?? "" })
    for (let count = 0; count < 240; count += 1) expect((await ask(who, count % 2)).status).toBe(400)
    const byAddress = await ask(who, 2)
    expect(errorOf(byAddress)).toEqual([429, "invalid_request", "string"])
    expect(byAddress.headers["retry-after"]).toBe("60")
    // A22: the address is looked at before the client.
    expect((await who.token({ client_id: "mc_unknown" })).status).toBe(429)
    const other = visitor()
    expect((await ask(other, 2)).status).toBe(400)
    expect(errorOf(await ask(other, 0))).toEqual([429, "invalid_request", "string"])
    await connector.advance(MINUTE_MS)
    expect((await ask(who, 0)).status).toBe(400)
  })
})

describe("refreshing", () => {
  test("A25 and A31: a refresh gives a new pair; the old access token stays good to its end; scope is ignored", async () => {
    const who = visitor()
    const linked = await who.link()
    const said = await refresh(who, linked, { scope: "everything", resource: ISSUER })
    expect(said.status).toBe(200)
    expect(Object.keys(said.json)).toEqual(Object.keys(linked.tokens))
    expect(said.json["refresh_token"]).not.toBe(linked.tokens.refresh_token)
    expect(await isGood(linked.tokens.access_token)).toBe(true)
    expect(await isGood(String(said.json["access_token"]))).toBe(true)
  })

  test("A25: another resource is invalid_target, and the token stays good", async () => {
    const who = visitor()
    const linked = await who.link()
    expect(errorOf(await refresh(who, linked, { resource: `${ISSUER}/` }))).toEqual([
      400,
      "invalid_target",
      "string",
    ])
    expect((await refresh(who, linked)).status).toBe(200)
  })

  test("A26: a refresh token is good for 30 days from its own issue", async () => {
    const who = visitor()
    const linked = await who.link()
    await connector.advance(30 * DAY_MS)
    const again = await refresh(who, linked)
    expect(again.status).toBe(200)
    await connector.advance(30 * DAY_MS + 1)
    const tokens = again.json as unknown as Linked["tokens"]
    expect(errorOf(await refresh(who, { ...linked, tokens }))).toEqual([400, "invalid_grant", "string"])
  })

  test("A27: while the number is disabled nothing is refreshed and nothing is lost", async () => {
    const who = visitor()
    const linked = await who.link()
    await disable(linked.phone)
    expect(errorOf(await refresh(who, linked))).toEqual([400, "invalid_grant", "string"])
    await enable(linked.phone)
    expect((await refresh(who, linked)).status).toBe(200)
  })

  test("A28 and A29: another client's token, an access token and an unknown one change nothing", async () => {
    const who = visitor()
    const linked = await who.link()
    const stranger = await who.register()
    for (const more of [
      { client_id: stranger.client_id },
      { refresh_token: linked.tokens.access_token },
      { refresh_token: "mcr_unknown" },
    ]) {
      expect(errorOf(await refresh(who, linked, more))).toEqual([400, "invalid_grant", "string"])
    }
    expect(await isGood(linked.tokens.access_token)).toBe(true)
    expect((await refresh(who, linked)).status).toBe(200)
  })

  test("invalid_request: no refresh token", async () => {
    const who = visitor()
    expect(errorOf(await refresh(who, await who.link(), { refresh_token: "" }))).toEqual([
      400,
      "invalid_request",
      "string",
    ])
  })

  test("A30: of two refreshes at once one wins and the other kills the family, the new pair included", async () => {
    const who = visitor()
    const linked = await who.link()
    const both = await Promise.all([refresh(who, linked), refresh(who, linked)])
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400])
    const won = both.find(({ status }) => status === 200)?.json as unknown as Linked["tokens"]
    expect(await isGood(won.access_token)).toBe(false)
    expect(await isGood(linked.tokens.access_token)).toBe(false)
    expect(errorOf(await refresh(who, { ...linked, tokens: won }))).toEqual([400, "invalid_grant", "string"])
  })

  test("a token that was rotated long ago still gives its thief away, and leaves other links alone", async () => {
    const who = visitor()
    const linked = await who.link()
    const other = await who.link(linked.phone, linked.client)
    let { tokens } = linked
    for (let count = 0; count < 3; count += 1) {
      tokens = (await refresh(who, { ...linked, tokens })).json as unknown as Linked["tokens"]
    }
    expect((await refresh(who, linked)).status).toBe(400)
    expect(await isGood(tokens.access_token)).toBe(false)
    expect(await isGood(other.tokens.access_token)).toBe(true)
  })
})

describe("revocation", () => {
  const revoke = (who: Visitor, form: Record<string, string>) =>
    who.ask("POST", `${PATH}/oauth/revoke`, { form })

  test("a refresh token takes its family along, an access token itself alone", async () => {
    const who = visitor()
    const linked = await who.link()
    const client_id = linked.client.client_id
    const done = await revoke(who, { client_id, token: linked.tokens.access_token })
    expect([done.status, done.text]).toEqual([200, ""])
    expect(await isGood(linked.tokens.access_token)).toBe(false)
    const tokens = (await refresh(who, linked)).json as unknown as Linked["tokens"]
    expect(await isGood(tokens.access_token)).toBe(true)
    expect((await revoke(who, { client_id, token: tokens.refresh_token, token_type_hint: "x" })).status).toBe(
      200,
    )
    expect(await isGood(tokens.access_token)).toBe(false)
    expect((await refresh(who, { ...linked, tokens })).status).toBe(400)
  })

  test("A32: unknown tokens, unknown clients and other clients' tokens are 200, and nothing happens", async () => {
    const who = visitor()
    const linked = await who.link()
    const stranger = await who.register()
    for (const form of [
      { client_id: linked.client.client_id, token: "mcr_unknown" },
      { client_id: "mc_unknown", token: linked.tokens.refresh_token },
      { client_id: stranger.client_id, token: linked.tokens.refresh_token },
      { client_id: stranger.client_id, token: linked.tokens.access_token },
    ]) {
      const said = await revoke(who, form)
      expect([said.status, said.text]).toEqual([200, ""])
    }
    expect(await isGood(linked.tokens.access_token)).toBe(true)
    expect((await refresh(who, linked)).status).toBe(200)
  })

  test("A33: token and client are both needed, in a form of at most 16,384 bytes", async () => {
    const who = visitor()
    const { client_id } = await who.register()
    const url = `${PATH}/oauth/revoke`
    const asked = [
      await revoke(who, { client_id }),
      await revoke(who, { token: "x" }),
      await who.ask("POST", url, { json: { client_id, token: "x" } }),
      await who.ask("POST", url, { form: `client_id=${client_id}&token=${"x".repeat(16_384)}` }),
      await who.ask("POST", url, { form: `client_id=${client_id}&token=x&token=y` }),
    ]
    for (const said of asked) expect(errorOf(said)).toEqual([400, "invalid_request", "string"])
    expect((await revoke(who, { client_id, token: "x", token_type_hint: "refresh_token" })).status).toBe(200)
  })

  test("429: as often as the token endpoint, by client and by address", async () => {
    const who = visitor()
    const [one, two] = [await who.register(), await who.register()]
    for (let count = 0; count < 120; count += 1) {
      expect((await revoke(who, { client_id: one.client_id, token: "x" })).status).toBe(200)
    }
    expect(errorOf(await revoke(who, { client_id: one.client_id, token: "x" }))).toEqual([
      429,
      "invalid_request",
      "string",
    ])
    for (let count = 0; count < 119; count += 1) await revoke(who, { client_id: two.client_id, token: "x" })
    expect((await revoke(who, { client_id: two.client_id, token: "x" })).status).toBe(429)
  })
})

test("G13: the sandbox host has none of it", async () => {
  const sandbox = await makeConnector("sandbox")
  const who = sandbox.visitor()
  for (const url of [
    "/.well-known/oauth-protected-resource/api/delivery-mcp",
    "/.well-known/oauth-authorization-server/api/delivery-mcp",
    `${PATH}/oauth/token`,
    AUTHORIZE,
  ]) {
    expect([url, (await who.ask("GET", url)).status]).toEqual([url, 404])
  }
  await sandbox.close()
})

test("G20: codes go after a day, tokens a day after their end, disabled numbers after 90 days", async () => {
  const who = visitor()
  const { phone, tokens } = await who.link()
  const rowsOf = async (): Promise<number[]> => {
    const tables = JSON.parse(await connector.content()) as { rows: unknown[] }[]
    return tables.map(({ rows }) => rows.length)
  }
  await connector.advance(DAY_MS)
  await connector.retain()
  const [, , codes] = await rowsOf()
  expect(codes).toBe(0)
  await connector.advance(31 * DAY_MS)
  await connector.retain()
  const [, , , kept, limits] = await rowsOf()
  expect([kept, limits]).toEqual([0, 0])
  expect(await isGood(tokens.access_token)).toBe(false)
  await disable(phone)
  await connector.advance(90 * DAY_MS)
  await connector.retain()
  const list = await connector.run(Effect.flatMap(Phones, (one) => one.list))
  expect(list.find(({ isEnabled }) => !isEnabled)?.phone).toBeNull()
  const again = await enable(phone)
  expect(again).toMatchObject({ phone, isEnabled: true, linkedAtMs: expect.any(Number) })
})

test("a fault while a page is made is a 500 page, one of the token endpoint server_error; neither says why", async () => {
  const broken = await makeConnector()
  const who = broken.visitor()
  const client = await who.register()
  const page = await who.open(client)
  const drop = Effect.flatMap(Database, ({ orm }) =>
    Effect.promise(async () => {
      await orm.execute(sql.raw("drop table oauth_clients"))
    }),
  )
  await broken.run(drop)
  const said = await who.post(page, { phone: "+15125550000" })
  expect([said.status, said.text.includes("oauth_clients")]).toEqual([500, false])
  expect(said.headers["content-type"]).toBe("text/html; charset=utf-8")
  const token = await who.token({ client_id: client.client_id })
  expect(errorOf(token)).toEqual([500, "server_error", "string"])
  expect(token.text).not.toContain("oauth_clients")
  const registered = await who.ask("POST", `${PATH}/oauth/register`, {
    json: { client_name: "x", redirect_uris: [CALLBACK] },
  })
  expect(errorOf(registered)).toEqual([500, "server_error", "string"])
  await broken.close()
})
