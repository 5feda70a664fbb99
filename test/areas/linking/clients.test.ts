/**
 * Clients that are not ours: `openid-client` and `oauth4webapi` from discovery to revocation, what they must be refused, and
 * the attacks that RFC 9700 lists.
 */

import { Effect, Either } from "effect"
import * as oauth from "oauth4webapi"
import * as openid from "openid-client"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { MINUTE_MS } from "../../../src/model/values/time.ts"
import { Linking } from "../../../src/areas/linking/linking.ts"
import {
  AUTHORIZE,
  CALLBACK,
  CHALLENGE,
  ISSUER,
  OTHER_CALLBACK,
  VERIFIER,
  authorizeUrl,
  makeConnector,
  toldIn,
} from "./connector.ts"
import type { Connector, Visitor } from "./connector.ts"
import { clientDocumentTests } from "./client-documents.ts"
import { terminalTests } from "./terminal-codes.ts"

let connector: Connector

beforeAll(async () => {
  connector = await makeConnector()
})
afterAll(() => connector.close())

/** As both clients call it. */
type Fetch = (
  url: string,
  options: {
    readonly method: string
    readonly headers: Record<string, string>
    readonly body?: unknown
  },
) => Promise<Response>

/** `fetch` over the app, from the visitor's address. */
function fetchOf(who: Visitor): Fetch {
  return async (input, { method, headers: given, body }) => {
    const url = new URL(input)
    const headers = Object.fromEntries(new Headers(given))
    const text =
      body instanceof URLSearchParams ? body.toString() : typeof body === "string" ? body : undefined
    const type =
      body instanceof URLSearchParams ? "application/x-www-form-urlencoded;charset=UTF-8" : undefined
    const said = await who.ask(method, `${url.pathname}${url.search}`, {
      ...(text === undefined ? {} : { text }),
      headers: { ...(type === undefined ? {} : { "content-type": type }), ...headers },
    })
    return new Response(said.text === "" ? null : said.text, {
      status: said.status,
      headers: Object.entries(said.headers).map(([name, value]) => [name, String(value)]),
    })
  }
}

/** What the user does in the browser: both pages, up to the redirect. */
async function browse(who: Visitor, url: URL, phone: string): Promise<URL> {
  const page = await who.ask("GET", `${url.pathname}${url.search}`)
  const asked = await who.post(page, { phone })
  const done = await who.post(asked, { code: connector.provider.sent.get(phone)?.at(-1) ?? "" })
  return new URL(done.headers["location"] ?? "")
}

const isGood = async (token: string): Promise<boolean> =>
  Either.isRight(
    await connector.run(
      Effect.either(Effect.flatMap(Linking, (linking) => linking.authenticate(`Bearer ${token}`))),
    ),
  )

interface Judge {
  readonly who: Visitor
  readonly as: oauth.AuthorizationServer
  readonly client: oauth.Client
  readonly options: { readonly [oauth.customFetch]: Fetch }
}

async function judge(): Promise<Judge> {
  const who = connector.visitor()
  const options = { [oauth.customFetch]: fetchOf(who) }
  const found = await oauth.discoveryRequest(new URL(ISSUER), { algorithm: "oauth2", ...options })
  const as = await oauth.processDiscoveryResponse(new URL(ISSUER), found)
  const { client_id } = await who.register()
  return { who, as, client: { client_id, token_endpoint_auth_method: "none" }, options }
}

/** A redirect that has come back, and everything that it takes to go on. */
async function returned({ who, as, client }: Judge, more: Record<string, string> = {}) {
  const url = new URL(as.authorization_endpoint ?? "")
  const asked = {
    client_id: client.client_id,
    redirect_uri: CALLBACK,
    response_type: "code",
    code_challenge: CHALLENGE,
    code_challenge_method: "S256",
    resource: ISSUER,
    state: "s1",
    ...more,
  }
  url.search = new URLSearchParams(asked).toString()
  return browse(who, url, await connector.number())
}

describe("openid-client", () => {
  test("discovers, registers, links, refreshes and revokes", async () => {
    const who = connector.visitor()
    const configuration = await openid.dynamicClientRegistration(
      new URL(ISSUER),
      { client_name: "Agent", redirect_uris: [CALLBACK], token_endpoint_auth_method: "none" },
      openid.None(),
      { algorithm: "oauth2", [openid.customFetch]: fetchOf(who) },
    )
    expect(configuration.clientMetadata().client_id).toMatch(/^mc_/)
    const verifier = openid.randomPKCECodeVerifier()
    const state = openid.randomState()
    const url = openid.buildAuthorizationUrl(configuration, {
      redirect_uri: CALLBACK,
      scope: "courier:write",
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      resource: ISSUER,
      state,
    })
    const location = await browse(who, url, await connector.number())
    const tokens = await openid.authorizationCodeGrant(
      configuration,
      location,
      { pkceCodeVerifier: verifier, expectedState: state },
      { resource: ISSUER },
    )
    expect(tokens.expires_in).toBe(3600)
    expect(await isGood(tokens.access_token)).toBe(true)
    const next = await openid.refreshTokenGrant(configuration, tokens.refresh_token ?? "", {
      resource: ISSUER,
    })
    expect(await isGood(next.access_token)).toBe(true)
    await openid.tokenRevocation(configuration, next.refresh_token ?? "")
    expect(await isGood(next.access_token)).toBe(false)
    await expect(openid.refreshTokenGrant(configuration, next.refresh_token ?? "")).rejects.toMatchObject({
      error: "invalid_grant",
      status: 400,
    })
  })
})

describe("oauth4webapi", () => {
  test("reads the resource's metadata, and goes all the way", async () => {
    const one = await judge()
    const { as, client, options, who } = one
    const found = await oauth.resourceDiscoveryRequest(new URL(ISSUER), options)
    const resource = await oauth.processResourceDiscoveryResponse(new URL(ISSUER), found)
    expect(resource.authorization_servers).toEqual([as.issuer])
    const registered = await oauth.processDynamicClientRegistrationResponse(
      await oauth.dynamicClientRegistrationRequest(
        as,
        { client_name: "A", redirect_uris: [CALLBACK] },
        options,
      ),
    )
    expect(registered.client_id).toMatch(/^mc_/)
    const parameters = oauth.validateAuthResponse(as, client, await returned(one), "s1")
    const answer = await oauth.authorizationCodeGrantRequest(
      as,
      client,
      oauth.None(),
      parameters,
      CALLBACK,
      VERIFIER,
      options,
    )
    const tokens = await oauth.processAuthorizationCodeResponse(as, client, answer)
    expect(await isGood(tokens.access_token)).toBe(true)
    const again = await oauth.refreshTokenGrantRequest(
      as,
      client,
      oauth.None(),
      tokens.refresh_token ?? "",
      options,
    )
    const next = await oauth.processRefreshTokenResponse(as, client, again)
    const gone = await oauth.revocationRequest(as, client, oauth.None(), next.access_token, options)
    await oauth.processRevocationResponse(gone)
    expect(await isGood(next.access_token)).toBe(false)
    expect(who.address).not.toBe("")
  })

  test.each([
    ["unsupported_response_type", { response_type: "token" }],
    ["unsupported_response_type", { response_type: "code id_token" }],
    ["invalid_request", { code_challenge_method: "plain" }],
    ["invalid_request", { code_challenge: "short" }],
    ["invalid_request", { code_challenge: `${CHALLENGE}=` }],
    ["invalid_target", { resource: "https://other.example" }],
    ["invalid_target", { resource: `${ISSUER}/` }],
    ["invalid_target", { resource: ISSUER.toUpperCase() }],
    ["invalid_scope", { scope: "openid profile" }],
  ])("reads %s out of the redirect for %j, state and issuer checked", async (error, more) => {
    const { who, as, client } = await judge()
    const said = await who.ask("GET", authorizeUrl({ client_id: client.client_id }, { state: "s1", ...more }))
    expect(said.status).toBe(302)
    const location = new URL(said.headers["location"] ?? "")
    expect(() => oauth.validateAuthResponse(as, client, location, "s1")).toThrow(
      expect.objectContaining({ error }),
    )
  })

  const wrongExchanges: [string, string, (form: URLSearchParams) => void][] = [
    ["invalid_request", "no code", (form) => form.delete("code")],
    ["invalid_request", "no redirect URI", (form) => form.delete("redirect_uri")],
    ["invalid_request", "no verifier", (form) => form.delete("code_verifier")],
    ["invalid_request", "two codes", (form) => form.append("code", "mcc_2")],
    ["invalid_request", "no grant type", (form) => form.delete("grant_type")],
    ["invalid_client", "no client", (form) => form.delete("client_id")],
    ["invalid_client", "an unknown client", (form) => form.set("client_id", "mc_unknown")],
    [
      "invalid_client",
      "a client in other letters",
      (form) => form.set("client_id", (form.get("client_id") ?? "").toUpperCase()),
    ],
    ["unsupported_grant_type", "password", (form) => form.set("grant_type", "password")],
    ["unsupported_grant_type", "client_credentials", (form) => form.set("grant_type", "client_credentials")],
    [
      "unsupported_grant_type",
      "a device code",
      (form) => form.set("grant_type", "urn:ietf:params:oauth:grant-type:device_code"),
    ],
    ["invalid_grant", "a code that was never made", (form) => form.set("code", `mcc_${"x".repeat(43)}`)],
    ["invalid_grant", "a code with a space", (form) => form.set("code", `${form.get("code")} `)],
    ["invalid_grant", "the other redirect URI", (form) => form.set("redirect_uri", OTHER_CALLBACK)],
    ["invalid_grant", "a redirect URI with a slash", (form) => form.set("redirect_uri", `${CALLBACK}/`)],
    ["invalid_grant", "another verifier", (form) => form.set("code_verifier", "w".repeat(43))],
    ["invalid_grant", "the challenge as verifier", (form) => form.set("code_verifier", CHALLENGE)],
    ["invalid_grant", "a verifier that is too short", (form) => form.set("code_verifier", "v".repeat(42))],
    ["invalid_grant", "a verifier that is too long", (form) => form.set("code_verifier", "v".repeat(129))],
    ["invalid_target", "another resource", (form) => form.set("resource", "https://other.example")],
    ["invalid_target", "the MCP endpoint", (form) => form.set("resource", `${ISSUER}/mcp`)],
  ]
  test.each(wrongExchanges)("is refused with %s for an exchange with %s", async (error, _, bend) => {
    const one = await judge()
    const { as, client, options } = one
    const parameters = oauth.validateAuthResponse(as, client, await returned(one), "s1")
    const bending: Fetch = (url, asked) => {
      const form = new URLSearchParams(asked.body as URLSearchParams)
      bend(form)
      return options[oauth.customFetch](url, { ...asked, body: form })
    }
    const answer = await oauth.authorizationCodeGrantRequest(
      as,
      client,
      oauth.None(),
      parameters,
      CALLBACK,
      VERIFIER,
      {
        [oauth.customFetch]: bending,
      },
    )
    await expect(oauth.processAuthorizationCodeResponse(as, client, answer)).rejects.toMatchObject({ error })
  })

  test.each([
    ["invalid_client_metadata", { redirect_uris: [CALLBACK] }],
    ["invalid_client_metadata", { client_name: "A" }],
    ["invalid_client_metadata", { client_name: "A", redirect_uris: [CALLBACK], grant_types: ["implicit"] }],
    ["invalid_client_metadata", { client_name: "A", redirect_uris: [CALLBACK], response_types: ["token"] }],
    [
      "invalid_client_metadata",
      { client_name: "A", redirect_uris: [CALLBACK], token_endpoint_auth_method: "client_secret_post" },
    ],
    ["invalid_redirect_uri", { client_name: "A", redirect_uris: ["http://127.0.0.1/callback"] }],
    ["invalid_redirect_uri", { client_name: "A", redirect_uris: ["https://evil.example/callback"] }],
    ["invalid_redirect_uri", { client_name: "A", redirect_uris: ["com.agent.app:/callback"] }],
    ["invalid_redirect_uri", { client_name: "A", redirect_uris: [`${CALLBACK}#part`] }],
    ["invalid_redirect_uri", { client_name: "A", redirect_uris: [CALLBACK, `${CALLBACK}/`] }],
  ])("is refused with %s for registering %j", async (error, metadata) => {
    const { as, options } = await judge()
    const answer = await oauth.dynamicClientRegistrationRequest(as, metadata, options)
    await expect(oauth.processDynamicClientRegistrationResponse(answer)).rejects.toMatchObject({ error })
  })

  test.each([
    ["an unknown token", () => "mcr_unknown"],
    ["an access token", ({ access_token }: oauth.TokenEndpointResponse) => access_token],
    ["one that was rotated", ({ refresh_token }: oauth.TokenEndpointResponse) => refresh_token ?? ""],
    [
      "one in other letters",
      ({ refresh_token }: oauth.TokenEndpointResponse) => refresh_token?.toUpperCase() ?? "",
    ],
  ])("is refused with invalid_grant for refreshing %s", async (_, pick) => {
    const one = await judge()
    const { as, client, options, who } = one
    const said = await who.token(
      who.exchangeForm({ client_id: client.client_id } as never, await returned(one)),
    )
    const tokens = said.json as unknown as oauth.TokenEndpointResponse
    await oauth.refreshTokenGrantRequest(as, client, oauth.None(), tokens.refresh_token ?? "", options)
    const answer = await oauth.refreshTokenGrantRequest(as, client, oauth.None(), pick(tokens), options)
    await expect(oauth.processRefreshTokenResponse(as, client, answer)).rejects.toMatchObject({
      error: "invalid_grant",
    })
  })
})

clientDocumentTests(() => connector)
terminalTests(() => connector)

describe("attacks of RFC 9700", () => {
  const opened = (who: Visitor, client_id: string, more: Record<string, string>) =>
    who.ask("GET", authorizeUrl({ client_id }, more))

  test.each([
    `${CALLBACK}/../evil`,
    `${CALLBACK}?x=1`,
    `${CALLBACK}#x`,
    `${CALLBACK}%00`,
    `${CALLBACK}\\@evil.example`,
    "https://agent.example:8443/callback",
    "https://agent.example.evil.example/callback",
    "https://user@agent.example/callback",
    "http://agent.example/callback",
    "//agent.example/callback",
    "javascript:alert(1)",
    "https://AGENT.example/callback",
    "https://agent.example/Callback",
  ])("4.1 redirect matching: %j is not the registered one, and no user is redirected there", async (uri) => {
    const who = connector.visitor()
    const { client_id } = await who.register({ redirect_uris: [CALLBACK] })
    const said = await opened(who, client_id, { redirect_uri: uri })
    expect([said.status, said.headers["location"]]).toEqual([400, undefined])
    expect(said.text).not.toContain("evil")
  })

  test("4.2 and 4.11: errors are no open redirector for clients that were never registered", async () => {
    const who = connector.visitor()
    const said = await opened(who, "mc_unknown", { redirect_uri: "https://evil.example/", scope: "x" })
    expect([said.status, said.headers["location"]]).toEqual([400, undefined])
  })

  test("4.5 code injection: a stolen code is worthless without its verifier, and in another client", async () => {
    const victim = await judge()
    const code = (await returned(victim)).searchParams.get("code") ?? ""
    const attacker = connector.visitor()
    const own = await attacker.register()
    const form = { grant_type: "authorization_code", code, redirect_uri: CALLBACK }
    for (const more of [
      { client_id: own.client_id, code_verifier: VERIFIER },
      { client_id: victim.client.client_id, code_verifier: "a".repeat(43) },
    ]) {
      expect((await attacker.token({ ...form, ...more })).json["error"]).toBe("invalid_grant")
    }
  })

  test("4.8 PKCE downgrade: no challenge, no method, plain, or a verifier left out, all end", async () => {
    const one = await judge()
    for (const more of [
      { code_challenge: "" },
      { code_challenge_method: "" },
      { code_challenge_method: "plain", code_challenge: VERIFIER },
      { code_challenge_method: "s256" },
    ]) {
      const said = await opened(one.who, one.client.client_id, more)
      expect(toldIn(said)["error"]).toBe("invalid_request")
    }
    const form = one.who.exchangeForm({ client_id: one.client.client_id } as never, await returned(one))
    expect((await one.who.token({ ...form, code_verifier: "" })).json["error"]).toBe("invalid_request")
  })

  test("4.4 mix-up: every answer names its issuer, and a client that expects another refuses it", async () => {
    const one = await judge()
    const location = await returned(one)
    expect(location.searchParams.get("iss")).toBe(ISSUER)
    const other = { ...one.as, issuer: "https://other.example" }
    expect(() => oauth.validateAuthResponse(other, one.client, location, "s1")).toThrow("issuer")
    const failed = await opened(one.who, one.client.client_id, { scope: "x" })
    expect(toldIn(failed)["iss"]).toBe(ISSUER)
  })

  test("4.7 CSRF: state comes back as it was, and a client that expects another refuses it", async () => {
    const one = await judge()
    const location = await returned(one, { state: "mine" })
    expect(() => oauth.validateAuthResponse(one.as, one.client, location, "another")).toThrow("state")
  })

  test("4.14 refresh token reuse: after two refreshes at once from callers of two nodes no token stays valid", async () => {
    const { tokens, client } = await connector.visitor().link()
    const form = {
      grant_type: "refresh_token",
      client_id: client.client_id,
      refresh_token: tokens.refresh_token,
    }
    const all = await Promise.all([1, 2, 3, 4].map(() => connector.visitor().token(form)))
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const { json } of all) expect(await isGood(String(json["access_token"]))).toBe(false)
    expect(await isGood(tokens.access_token)).toBe(false)
  })

  test("4.16 clickjacking: no page may be framed", async () => {
    const who = connector.visitor()
    const page = await who.open(await who.register())
    expect(page.headers["x-frame-options"]).toBe("DENY")
    expect(page.headers["content-security-policy"]).toContain("frame-ancestors 'none'")
  })

  test("4.2.4 referrers: a code leaves in no referrer, and is kept by no cache", async () => {
    const who = connector.visitor()
    const client = await who.register()
    const phone = await connector.number()
    const asked = await who.post(await who.open(client), { phone })
    const done = await who.post(asked, { code: connector.provider.sent.get(phone)?.at(-1) ?? "" })
    expect(done.headers).toMatchObject({ "referrer-policy": "no-referrer", "cache-control": "no-store" })
    expect(done.status).toBe(302)
  })

  test("4.12 307: what was posted is not posted to the client: the redirect is a 302 with the code alone", async () => {
    const who = connector.visitor()
    const phone = await connector.number()
    const asked = await who.post(await who.open(await who.register()), { phone })
    const done = await who.post(asked, { code: connector.provider.sent.get(phone)?.at(-1) ?? "" })
    expect(done.status).toBe(302)
    expect(Object.keys(toldIn(done)).toSorted()).toEqual(["code", "iss"])
    expect(done.headers["location"]).not.toContain(phone.slice(1))
  })

  test("4.13 header spoofing: headers give no caller a new budget or another issuer", async () => {
    const who = connector.visitor()
    const client = await who.register()
    for (let count = 0; count < 60; count += 1) await who.open(client)
    const headers = {
      "x-forwarded-for": "198.51.100.7",
      "x-forwarded-host": "evil.example",
      "x-forwarded-proto": "http",
      forwarded: "for=198.51.100.7;host=evil.example",
    }
    const said = await who.ask("GET", authorizeUrl(client), { headers })
    expect(said.status).toBe(429)
    await connector.advance(MINUTE_MS)
    const page = await who.ask("GET", authorizeUrl(client), { headers })
    expect(page.text).not.toContain("evil")
    const metadata = await who.ask("GET", "/.well-known/oauth-authorization-server/api/delivery-mcp", {
      headers,
    })
    expect(metadata.text).not.toContain("evil")
  })

  test("4.9 and 4.10 stolen tokens: an access token is no code, no refresh token and no other user's", async () => {
    const { tokens, client } = await connector.visitor().link()
    const thief = connector.visitor()
    const { client_id } = client
    for (const form of [
      { grant_type: "refresh_token", refresh_token: tokens.access_token },
      {
        grant_type: "authorization_code",
        code: tokens.access_token,
        redirect_uri: CALLBACK,
        code_verifier: VERIFIER,
      },
    ]) {
      expect((await thief.token({ client_id, ...form })).json["error"]).toBe("invalid_grant")
    }
    expect([await isGood(tokens.refresh_token), await isGood(client_id)]).toEqual([false, false])
    expect(await isGood(tokens.access_token)).toBe(true)
  })

  test("4.15 impersonation: no client is named as a user is, whatever it calls itself", async () => {
    const { tokens, client } = await connector
      .visitor()
      .link(undefined, await connector.visitor().register({ client_name: "usr_ada" }))
    const { userId } = await connector.run(
      Effect.flatMap(Linking, (linking) => linking.authenticate(`Bearer ${tokens.access_token}`)),
    )
    expect([client.client_id, userId]).toEqual([
      expect.stringMatching(/^mc_[0-9A-Za-z]{22}$/),
      expect.stringMatching(/^usr_/),
    ])
  })

  test("4.17 messages between windows: no page of ours runs a script that could post a code", async () => {
    const who = connector.visitor()
    const page = await who.open(await who.register())
    const asked = await who.post(page, { phone: await connector.number() })
    for (const { text, headers } of [page, asked]) {
      expect(text).not.toMatch(/<script|\son[a-z]+=|postMessage/i)
      expect(headers["content-security-policy"]).toMatch(/default-src 'none'(?!.*script-src)/)
    }
  })

  test("4.3 browser history: a token in a query is not shown again, and stays good", async () => {
    const { tokens } = await connector.visitor().link()
    const who = connector.visitor()
    const said = await who.ask("GET", `${AUTHORIZE}?access_token=${tokens.access_token}`)
    expect(said.text).not.toContain(tokens.access_token)
    expect(await isGood(tokens.access_token)).toBe(true)
  })
})
