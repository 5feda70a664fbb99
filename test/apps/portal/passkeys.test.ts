/** Passkeys as a second factor: adding, signing in, removing, and what a stolen or foreign signature gives. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { SECOND_FACTOR_MS } from "../../../src/model/values/limits.ts"
import { SecondFactorRows } from "../../../src/apps/portal/people/second-factor-rows.ts"
import { codeAt, stepAt } from "../../../src/apps/portal/people/totp.ts"
import { BASE_URL, PASSWORD, openPortal } from "./portal.ts"
import type { Browser, Portal } from "./portal.ts"
import { softwareAuthenticator } from "./software-authenticator.ts"
import type { SoftwareAuthenticator } from "./software-authenticator.ts"

const API = "/portal/api"
const ADA = "ada@wheels.example"
const BOB = "bob@wheels.example"
const PARTY = { origin: BASE_URL, rpId: new URL(BASE_URL).hostname }
type Json = Readonly<Record<string, unknown>>

async function outcome(browser: Browser, method: string, path: string, body?: unknown): Promise<string> {
  const { status, code } = await browser.call(method, `${API}${path}`, body === undefined ? {} : { body })
  return `${status} ${code ?? "-"}`
}

async function optionsOf(browser: Browser, path: string, body?: unknown): Promise<Json> {
  const { status, data } = await browser.call("POST", `${API}${path}`, body === undefined ? {} : { body })
  expect([path, status]).toEqual([path, 201])
  return data["options"] as Json
}

/** A proof is needed while the second factor is on. */
const creation = (browser: Browser, proof: object = {}): Promise<Json> =>
  optionsOf(browser, "/passkeys/options", { current_password: PASSWORD, ...proof })

async function signature(
  browser: Browser,
  key: SoftwareAuthenticator,
): Promise<{ readonly passkey: unknown }> {
  return { passkey: key.get(await optionsOf(browser, "/second-factor/passkey")) }
}

interface Added {
  readonly id: string
  readonly codes: readonly string[]
}

async function added(
  browser: Browser,
  key: SoftwareAuthenticator,
  { name = "Blue key", by = {} }: { readonly name?: string; readonly by?: object } = {},
): Promise<Added> {
  const credential = key.create(await creation(browser, by))
  const { status, data } = await browser.call("POST", `${API}/passkeys`, { body: { name, credential } })
  expect(status).toBe(201)
  const { passkey_id: id } = data["passkey"] as { readonly passkey_id: string }
  return { id, codes: data["recovery_codes"] as string[] }
}

interface WithPasskey extends Added {
  readonly portal: Portal
  readonly browser: Browser
  readonly key: SoftwareAuthenticator
}

async function withPasskey(): Promise<WithPasskey> {
  const portal = await openPortal()
  const browser = await portal.signedUp(ADA)
  const key = softwareAuthenticator(PARTY)
  return { portal, browser, key, ...(await added(browser, key)) }
}

async function challenged(browser: Browser, email = ADA): Promise<string> {
  const { status, data } = await browser.call("POST", `${API}/session`, {
    body: { email, password: PASSWORD },
  })
  expect(status).toBe(202)
  return String(data["challenge"])
}

const toSignIn = (browser: Browser, challenge: string): Promise<Json> =>
  optionsOf(browser, "/session/second-factor/passkey", { challenge })

const complete = (browser: Browser, challenge: string, passkey: unknown): Promise<string> =>
  outcome(browser, "POST", "/session/second-factor", { challenge, passkey })

describe("adding a passkey", () => {
  test("needs the password; the first one switches the second factor on and gives recovery codes", async () => {
    const portal = await openPortal()
    const browser = await portal.signedUp(ADA)
    const other = portal.browser()
    await outcome(other, "POST", "/session", { email: ADA, password: PASSWORD })
    expect(await outcome(browser, "POST", "/passkeys/options", { current_password: "wrong" })).toBe(
      "401 INVALID_CREDENTIALS",
    )
    const options = await creation(browser)
    expect(options).toMatchObject({
      rp: { name: "Curbline", id: PARTY.rpId },
      user: { name: ADA },
      attestation: "none",
      excludeCredentials: [],
    })
    const key = softwareAuthenticator(PARTY)
    const { codes } = await added(browser, key)
    expect(codes).toHaveLength(10)
    expect(portal.mailTo(ADA)[0]?.subject).toMatch(/second factor .* is on$/)
    expect(await outcome(other, "GET", "/session")).toBe("401 SIGN_IN_REQUIRED")
    const { data } = await browser.call("GET", `${API}/second-factor`)
    expect(data).toMatchObject({ is_on: true, has_application: false, recovery_codes_left: 10 })
    const { data: listed } = await browser.call("GET", `${API}/passkeys`)
    expect(listed).toMatchObject({
      is_available: true,
      passkeys: [{ name: "Blue key", used_at: null, is_synced: false }],
    })
    expect((await creation(browser, { code: codes[0] }))["excludeCredentials"]).toMatchObject([
      { id: key.credentialId },
    ])
  })

  test("several have names; a further one gives no new codes, and mails the owner", async () => {
    const { portal, browser, key } = await withPasskey()
    portal.advance(1000)
    const by = await signature(browser, key)
    const { codes } = await added(browser, softwareAuthenticator(PARTY), { name: "Laptop", by })
    expect(codes).toEqual([])
    expect(portal.mailTo(ADA)[0]?.subject).toBe("A passkey was added to your Curbline account")
    const { data } = await browser.call("GET", `${API}/passkeys`)
    expect((data["passkeys"] as { name: string }[]).map(({ name }) => name)).toEqual(["Blue key", "Laptop"])
    const { data: audit } = await browser.call("GET", `${API}/audit-log?limit=5`)
    expect((audit["lines"] as { action: string }[]).map(({ action }) => action)).toEqual([
      "addPasskey",
      "beginPasskey",
      "confirmByPasskey",
      "addPasskey",
      "beginPasskey",
    ])
  })

  test("with the second factor on, the password alone begins neither a passkey nor an application", async () => {
    const { portal, browser, codes, key } = await withPasskey()
    const foreign = softwareAuthenticator(PARTY)
    for (const path of ["/passkeys/options", "/second-factor/totp"]) {
      const begin = (proof: object, password = PASSWORD) =>
        outcome(browser, "POST", path, { current_password: password, ...proof })
      const answer = await browser.call("POST", `${API}${path}`, { body: { current_password: PASSWORD } })
      expect([answer.status, answer.code]).toEqual([400, "VALIDATION_ERROR"])
      expect(await begin({ code: "000000" })).toBe("400 INVALID_CODE")
      expect(await begin({ passkey: foreign.get(await optionsOf(browser, "/second-factor/passkey")) })).toBe(
        "400 INVALID_CODE",
      )
      expect(await begin({ code: codes[0], passkey: (await signature(browser, key)).passkey })).toBe(
        "400 VALIDATION_ERROR",
      )
      expect(await begin({ code: codes[1] }, "wrong")).toBe("401 INVALID_CREDENTIALS")
      const proof = await signature(browser, key)
      expect(await begin(proof)).toBe("201 -")
      expect(await begin(proof)).toBe("400 INVALID_CODE")
    }
    expect((await browser.call("GET", `${API}/second-factor`)).data).toMatchObject({
      has_application: false,
      recovery_codes_left: 10,
    })
    expect(portal.mailTo(ADA)[0]?.subject).toMatch(/second factor .* is on$/)
    const passkeys = (await browser.call("GET", `${API}/passkeys`)).data["passkeys"]
    expect(passkeys).toHaveLength(1)
  })

  test("what was begun while the second factor was off does not go on once it is on", async () => {
    const portal = await openPortal()
    const browser = await portal.signedUp(ADA)
    const totp = async (): Promise<string> => {
      const body = { current_password: PASSWORD }
      const { data } = await browser.call("POST", `${API}/second-factor/totp`, { body })
      return codeAt(String(data["secret"]), stepAt(portal.now()))
    }
    const early = await totp()
    const { codes } = await added(browser, softwareAuthenticator(PARTY))
    expect(await outcome(browser, "POST", "/second-factor/totp/confirm", { code: early })).toBe(
      "400 INVALID_CODE",
    )
    expect(await outcome(browser, "POST", "/second-factor/remove", { code: codes[0] })).toBe("200 -")
    const credential = softwareAuthenticator(PARTY).create(await creation(browser))
    const code = await totp()
    expect(await outcome(browser, "POST", "/second-factor/totp/confirm", { code })).toBe("200 -")
    expect(await outcome(browser, "POST", "/passkeys", { name: "Early", credential })).toBe(
      "400 INVALID_CODE",
    )
  })

  test.each(["packed-x5c", "fido-u2f"] as const)(
    "a credential that is attested by %s is refused, because its certificates are the sender's",
    async (attestation) => {
      const portal = await openPortal()
      const browser = await portal.signedUp(ADA)
      const credential = softwareAuthenticator(PARTY).create(await creation(browser), { attestation })
      expect(await outcome(browser, "POST", "/passkeys", { name: "Key", credential })).toBe(
        "400 INVALID_CODE",
      )
    },
  )

  test("a credential that is attested by its own key is added", async () => {
    const portal = await openPortal()
    const browser = await portal.signedUp(ADA)
    const credential = softwareAuthenticator(PARTY).create(await creation(browser), { attestation: "packed" })
    expect(await outcome(browser, "POST", "/passkeys", { name: "Key", credential })).toBe("201 -")
  })

  test.each([
    ["another origin", { origin: "https://portal.curbline.example.evil.example" }],
    ["another port", { origin: `${BASE_URL}:8443` }],
    ["another host", { rpId: "evil.example" }],
  ])("a credential of %s is refused, and its challenge is used up", async (_, changes) => {
    const portal = await openPortal()
    const browser = await portal.signedUp(ADA)
    const options = await creation(browser)
    const key = softwareAuthenticator(PARTY)
    const wrong = { name: "Key", credential: key.create(options, changes) }
    expect(await outcome(browser, "POST", "/passkeys", wrong)).toBe("400 INVALID_CODE")
    const right = { name: "Key", credential: key.create(options) }
    expect(await outcome(browser, "POST", "/passkeys", right)).toBe("400 INVALID_CODE")
    expect((await browser.call("GET", `${API}/passkeys`)).data["passkeys"]).toEqual([])
  })

  test("a challenge is good once, for five minutes, and for its own account and purpose", async () => {
    const { portal, browser, key } = await withPasskey()
    const again = softwareAuthenticator(PARTY)
    const options = await creation(browser, await signature(browser, key))
    const body = { name: "Again", credential: again.create(options) }
    portal.advance(SECOND_FACTOR_MS)
    expect(await outcome(browser, "POST", "/passkeys", body)).toBe("400 INVALID_CODE")
    const member = await portal.joined(browser, BOB)
    const foreign = {
      name: "Theirs",
      credential: again.create(await creation(browser, await signature(browser, key))),
    }
    expect(await outcome(member, "POST", "/passkeys", foreign)).toBe("400 INVALID_CODE")
    const confirming = await optionsOf(browser, "/second-factor/passkey")
    const misused = { name: "Misused", credential: again.create(confirming) }
    expect(await outcome(browser, "POST", "/passkeys", misused)).toBe("400 INVALID_CODE")
    expect(await outcome(browser, "POST", "/passkeys", { name: "Bytes", credential: key.create({}) })).toBe(
      "400 INVALID_CODE",
    )
  })

  test("one credential is one passkey of one account, and an account has at most ten", async () => {
    const { portal, browser, key } = await withPasskey()
    const member = await portal.joined(browser, BOB)
    for (const [who, proof] of [
      [browser, await signature(browser, key)],
      [member, {}],
    ] as const) {
      const body = { name: "Twice", credential: key.create(await creation(who, proof)) }
      expect(await outcome(who, "POST", "/passkeys", body)).toBe("409 INVALID_STATE")
    }
    for (let number = 2; number <= 10; number += 1)
      await added(browser, softwareAuthenticator(PARTY), { by: await signature(browser, key) })
    const last = {
      name: "Eleventh",
      credential: softwareAuthenticator(PARTY).create(await creation(browser, await signature(browser, key))),
    }
    expect(await outcome(browser, "POST", "/passkeys", last)).toBe("409 INVALID_STATE")
  })

  test("is refused where the portal's URL is an address, and says so", async () => {
    for (const baseUrl of ["https://127.0.0.1:4010", "https://[::1]:4010"]) {
      const portal = await openPortal({ baseUrl })
      const browser = await portal.signedUp(ADA)
      expect((await browser.call("GET", `${API}/passkeys`)).data).toEqual({
        is_available: false,
        passkeys: [],
      })
      const body = { current_password: PASSWORD }
      expect(await outcome(browser, "POST", "/passkeys/options", body)).toBe("409 INVALID_STATE")
    }
  })

  test("bodies that are no credential are refused with the field", async () => {
    const { browser, codes } = await withPasskey()
    for (const credential of [undefined, "x", {}, { id: "a", rawId: "a", type: "password", response: {} }])
      expect(await outcome(browser, "POST", "/passkeys", { name: "Key", credential })).toBe(
        "400 VALIDATION_ERROR",
      )
    const junk = { clientDataJSON: "e30", attestationObject: "AAAA" }
    const credential = { id: "AA", rawId: "AA", type: "public-key", response: junk }
    await creation(browser, { code: codes[0] })
    expect(await outcome(browser, "POST", "/passkeys", { name: "Key", credential })).toBe("400 INVALID_CODE")
  })
})

describe("signing in with a passkey", () => {
  test("the second step offers it, and its signature begins the session", async () => {
    const { portal, key } = await withPasskey()
    const browser = portal.browser()
    const asked = await browser.call("POST", `${API}/session`, { body: { email: ADA, password: PASSWORD } })
    expect(asked.data["methods"]).toEqual(["passkey", "recovery-code"])
    const challenge = String(asked.data["challenge"])
    const options = await toSignIn(browser, challenge)
    expect(options).toMatchObject({ rpId: PARTY.rpId, allowCredentials: [{ id: key.credentialId }] })
    expect(await complete(browser, challenge, key.get(options))).toBe("200 -")
    expect(await outcome(browser, "GET", "/session")).toBe("200 -")
    const { data } = await browser.call("GET", `${API}/passkeys`)
    expect(data["passkeys"]).toMatchObject([{ used_at: expect.stringMatching(/Z$/) }])
  })

  test.each([
    ["another origin", { origin: "https://evil.example" }],
    ["another host", { rpId: "evil.example" }],
  ])("a signature for %s is refused", async (_, changes) => {
    const { portal, key } = await withPasskey()
    const browser = portal.browser()
    const challenge = await challenged(browser)
    const options = await toSignIn(browser, challenge)
    expect(await complete(browser, challenge, key.get(options, changes))).toBe("400 INVALID_CODE")
    expect(await complete(browser, challenge, key.get(options))).toBe("400 INVALID_CODE")
    expect(await complete(browser, challenge, key.get(await toSignIn(browser, challenge)))).toBe("200 -")
  })

  test("replay: a signature works once, and so does a sign-in's challenge", async () => {
    const { portal, key } = await withPasskey()
    const browser = portal.browser()
    const first = await challenged(browser)
    const signed = key.get(await toSignIn(browser, first))
    expect(await complete(browser, first, signed)).toBe("200 -")
    expect(await complete(portal.browser(), first, signed)).toBe("400 INVALID_CODE")
    const second = await challenged(portal.browser())
    expect(await complete(portal.browser(), second, signed)).toBe("400 INVALID_CODE")
    const early = key.get(await toSignIn(browser, second))
    await toSignIn(browser, second)
    expect(await complete(portal.browser(), second, early)).toBe("400 INVALID_CODE")
  })

  test("of two sign-ins with one signature at once, one succeeds", async () => {
    const { portal, key } = await withPasskey()
    const challenge = await challenged(portal.browser())
    const signed = key.get(await toSignIn(portal.browser(), challenge))
    const both = await Promise.all([
      complete(portal.browser(), challenge, signed),
      complete(portal.browser(), challenge, signed),
    ])
    expect(both.toSorted()).toEqual(["200 -", "400 INVALID_CODE"])
  })

  test("a challenge ends after five minutes, and with the password", async () => {
    const { portal, browser, key } = await withPasskey()
    const late = await challenged(portal.browser())
    const signed = key.get(await toSignIn(portal.browser(), late))
    portal.advance(SECOND_FACTOR_MS)
    expect(await complete(portal.browser(), late, signed)).toBe("400 INVALID_CODE")
    expect(
      await outcome(portal.browser(), "POST", "/session/second-factor/passkey", { challenge: late }),
    ).toBe("400 INVALID_CODE")
    const old = await challenged(portal.browser())
    const ready = key.get(await toSignIn(portal.browser(), old))
    const change = { current_password: PASSWORD, password: "another fine tractor" }
    expect(await outcome(browser, "PUT", "/password", change)).toBe("200 -")
    expect(await complete(portal.browser(), old, ready)).toBe("400 INVALID_CODE")
  })

  test("an unknown credential, and another account's, prove nothing", async () => {
    const { portal, browser } = await withPasskey()
    const member = await portal.joined(browser, BOB)
    const theirs = softwareAuthenticator(PARTY)
    await added(member, theirs)
    for (const key of [softwareAuthenticator(PARTY), theirs]) {
      const challenge = await challenged(portal.browser())
      const signed = key.get(await toSignIn(portal.browser(), challenge))
      expect(await complete(portal.browser(), challenge, signed)).toBe("400 INVALID_CODE")
    }
    const own = await challenged(portal.browser(), BOB)
    expect(await complete(portal.browser(), own, theirs.get(await toSignIn(portal.browser(), own)))).toBe(
      "200 -",
    )
  })

  test("a counter that does not rise is of a copy; one that stays at 0 does not count", async () => {
    const { portal, key } = await withPasskey()
    const go = async (counter: number): Promise<string> => {
      const challenge = await challenged(portal.browser())
      return complete(
        portal.browser(),
        challenge,
        key.get(await toSignIn(portal.browser(), challenge), { counter }),
      )
    }
    expect([
      await go(0),
      await go(0),
      await go(5),
      await go(5),
      await go(4),
      await go(0),
      await go(6),
    ]).toEqual([
      "200 -",
      "200 -",
      "200 -",
      "400 INVALID_CODE",
      "400 INVALID_CODE",
      "400 INVALID_CODE",
      "200 -",
    ])
  })

  test("a signature for a command does not sign in, and none without a challenge", async () => {
    const { portal, browser, key } = await withPasskey()
    const challenge = await challenged(portal.browser())
    const confirming = key.get(await optionsOf(browser, "/second-factor/passkey"))
    expect(await complete(portal.browser(), challenge, confirming)).toBe("400 INVALID_CODE")
    for (const body of [{ challenge }, { challenge, code: "123456", passkey: confirming }])
      expect(await outcome(portal.browser(), "POST", "/session/second-factor", body)).toBe(
        "400 VALIDATION_ERROR",
      )
    const unknown = { challenge: "A".repeat(43) }
    expect(await outcome(portal.browser(), "POST", "/session/second-factor/passkey", unknown)).toBe(
      "400 INVALID_CODE",
    )
  })

  test("wrong signatures count: the sixth of a challenge is not compared", async () => {
    const { portal, key } = await withPasskey()
    const challenge = await challenged(portal.browser())
    for (let tries = 0; tries < 5; tries += 1) {
      const options = await toSignIn(portal.browser(), challenge)
      const signed = key.get(options, { origin: "https://evil.example" })
      expect(await complete(portal.browser(), challenge, signed)).toBe("400 INVALID_CODE")
    }
    expect(await outcome(portal.browser(), "POST", "/session/second-factor/passkey", { challenge })).toBe(
      "400 INVALID_CODE",
    )
  })

  test("recovery codes and the application work beside it", async () => {
    const { portal, browser, codes } = await withPasskey()
    const first = await challenged(portal.browser())
    const byCode = { challenge: first, code: codes[0] }
    expect(await outcome(portal.browser(), "POST", "/session/second-factor", byCode)).toBe("200 -")
    const { data } = await browser.call("POST", `${API}/second-factor/totp`, {
      body: { current_password: PASSWORD, code: codes[1] },
    })
    portal.advance(1000)
    const code = codeAt(String(data["secret"]), stepAt(portal.now()))
    const confirmed = await browser.call("POST", `${API}/second-factor/totp/confirm`, { body: { code } })
    expect([confirmed.status, confirmed.data]).toEqual([200, { recovery_codes: [] }])
    expect(portal.mailTo(ADA)[0]?.subject).toMatch(/^An authenticator application was added/)
    expect((await browser.call("GET", `${API}/second-factor`)).data).toMatchObject({
      has_application: true,
      recovery_codes_left: 8,
    })
    const third = await challenged(portal.browser())
    const kept = { challenge: third, code: codes[2] }
    expect(await outcome(portal.browser(), "POST", "/session/second-factor", kept)).toBe("200 -")
    const asked = await portal
      .browser()
      .call("POST", `${API}/session`, { body: { email: ADA, password: PASSWORD } })
    expect(asked.data["methods"]).toEqual(["application", "passkey", "recovery-code"])
  })
})

describe("removing passkeys", () => {
  test("needs a code or a passkey; a removed one does not sign in, and the last one ends the second factor", async () => {
    const { portal, browser, id, codes, key } = await withPasskey()
    const second = softwareAuthenticator(PARTY)
    const by = await signature(browser, key)
    const { id: secondId } = await added(browser, second, { name: "Laptop", by })
    const path = `/passkeys/${id}/remove`
    expect(await outcome(browser, "POST", path, {})).toBe("400 VALIDATION_ERROR")
    expect(await outcome(browser, "POST", path, { code: "000000" })).toBe("400 INVALID_CODE")
    const challenge = await challenged(portal.browser())
    const signed = key.get(await toSignIn(portal.browser(), challenge))
    const passkey = second.get(await optionsOf(browser, "/second-factor/passkey"))
    expect(await outcome(browser, "POST", path, { passkey })).toBe("200 -")
    expect(portal.mailTo(ADA)[0]?.subject).toBe("A passkey was removed from your Curbline account")
    expect(await complete(portal.browser(), challenge, signed)).toBe("400 INVALID_CODE")
    expect(await outcome(browser, "POST", path, { code: codes[0] })).toBe("404 NOT_FOUND")
    expect(await outcome(browser, "POST", `/passkeys/${secondId}/remove`, { code: codes[0] })).toBe("200 -")
    expect((await browser.call("GET", `${API}/second-factor`)).data).toEqual({
      is_on: false,
      has_application: false,
      since: null,
      recovery_codes_left: 0,
    })
    expect(portal.mailTo(ADA)[0]?.subject).toMatch(/second factor .* is off$/)
    expect(await outcome(portal.browser(), "POST", "/session", { email: ADA, password: PASSWORD })).toBe(
      "200 -",
    )
  })

  test("another account's passkey is not found, and stays", async () => {
    const { portal, browser, id } = await withPasskey()
    const member = await portal.joined(browser, BOB)
    const { codes } = await added(member, softwareAuthenticator(PARTY))
    expect(await outcome(member, "POST", `/passkeys/${id}/remove`, { code: codes[0] })).toBe("404 NOT_FOUND")
    expect((await browser.call("GET", `${API}/passkeys`)).data["passkeys"]).toHaveLength(1)
  })

  test("switching the second factor off by a passkey ends all of it; codes are renewed by one", async () => {
    const { browser, key, codes } = await withPasskey()
    const renewing = { passkey: key.get(await optionsOf(browser, "/second-factor/passkey")) }
    const { data } = await browser.call("POST", `${API}/second-factor/recovery-codes`, { body: renewing })
    expect(data["recovery_codes"]).toHaveLength(10)
    expect(await outcome(browser, "POST", "/second-factor/remove", { code: codes[0] })).toBe(
      "400 INVALID_CODE",
    )
    const ending = { passkey: key.get(await optionsOf(browser, "/second-factor/passkey")) }
    expect(await outcome(browser, "POST", "/second-factor/remove", ending)).toBe("200 -")
    expect((await browser.call("GET", `${API}/passkeys`)).data["passkeys"]).toEqual([])
    expect(await outcome(browser, "POST", "/second-factor/passkey")).toBe("404 NOT_FOUND")
  })

  test("stored are public keys alone, and a member who leaves leaves none", async () => {
    const { portal, browser } = await withPasskey()
    const member = await portal.joined(browser, BOB)
    const key = softwareAuthenticator(PARTY)
    await added(member, key)
    const { data } = await browser.call("GET", `${API}/members`)
    const bob = (data["members"] as { account_id: string; email: string }[]).find(
      ({ email }) => email === BOB,
    )
    const accountId = bob?.account_id ?? ""
    const rowsOf = () => portal.run(Effect.flatMap(SecondFactorRows, (rows) => rows.passkeys(accountId)))
    expect(rowsOf()).toMatchObject([{ credentialId: key.credentialId, counter: 0, transports: ["internal"] }])
    expect(await outcome(browser, "DELETE", `/members/${accountId}`)).toBe("200 -")
    expect(rowsOf()).toEqual([])
  })
})
