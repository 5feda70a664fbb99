/** Accounts: sign-up, sign-in and sign-out, forgotten passwords, and information that answers must not reveal. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/model/values/time.ts"
import { SESSIONS_MAX } from "../../../src/model/values/limits.ts"
import { Organizations } from "../../../src/apps/operations/organizations.ts"
import { PASSWORD, openPortal } from "./portal.ts"
import type { Browser, Portal } from "./portal.ts"

const API = "/portal/api"
const ADA = "ada@wheels.example"
const NEW = "a quite different password"

async function outcome(browser: Browser, method: string, path: string, body?: unknown): Promise<string> {
  const { status, code } = await browser.call(method, `${API}${path}`, body === undefined ? {} : { body })
  return `${status} ${code ?? "-"}`
}

const signIn = (browser: Browser, email: string, password: string): Promise<string> =>
  outcome(browser, "POST", "/session", { email, password })

const signUpBody = {
  email: ADA,
  password: PASSWORD,
  name: "Ada Example",
  organization_name: "Wheels & Co.",
}

describe("signing up", () => {
  test("makes an organization of the sandbox with an owner, who is signed in", async () => {
    const portal = await openPortal()
    const browser = await portal.signedUp("Ada@Wheels.Example".toLowerCase())
    const { data } = await browser.call("GET", `${API}/session`)
    expect(data).toMatchObject({
      account: { email: ADA, name: "Ada Example", role: "owner" },
      organization: { name: "Wheels & Co.", environments: ["sandbox"] },
      session: { environment: "sandbox" },
    })
  })

  test("addresses are one whatever their case", async () => {
    const portal = await openPortal()
    await portal.signedUp(ADA)
    expect(await signIn(portal.browser(), "ADA@Wheels.example", PASSWORD)).toBe("200 -")
  })

  test("a wrong code counts, and after five the right one is too late", async () => {
    const portal = await openPortal()
    const browser = portal.browser()
    const { data } = await browser.call("POST", `${API}/sign-up`, { body: signUpBody })
    const right = portal.codeFor(ADA)
    const wrong = right === "000000" ? "000001" : "000000"
    const verify = (code: string): Promise<string> =>
      outcome(browser, "POST", "/sign-up/verify", { sign_up_token: data["sign_up_token"], code })
    for (let tries = 0; tries < 5; tries += 1) expect(await verify(wrong)).toBe("400 INVALID_CODE")
    expect(await verify(right)).toBe("400 INVALID_CODE")
    expect(browser.cookie).toBeNull()
  })

  test("the fifth code may still be right; the code is good once", async () => {
    const portal = await openPortal()
    const browser = portal.browser()
    const { data } = await browser.call("POST", `${API}/sign-up`, { body: signUpBody })
    const right = portal.codeFor(ADA)
    const verify = (code: string): Promise<string> =>
      outcome(browser, "POST", "/sign-up/verify", { sign_up_token: data["sign_up_token"], code })
    for (let tries = 0; tries < 4; tries += 1) await verify("not it")
    expect(await verify(right)).toBe("201 -")
    expect(await verify(right)).toBe("400 INVALID_CODE")
  })

  test("a code is good for its own sign-up alone, and for 15 minutes", async () => {
    const portal = await openPortal()
    const browser = portal.browser()
    const first = await browser.call("POST", `${API}/sign-up`, { body: signUpBody })
    const code = portal.codeFor(ADA)
    const second = await browser.call("POST", `${API}/sign-up`, { body: signUpBody })
    const verify = (answered: typeof first): Promise<string> =>
      outcome(browser, "POST", "/sign-up/verify", { sign_up_token: answered.data["sign_up_token"], code })
    expect(portal.codeFor(ADA)).not.toBe(code)
    expect(await verify(second)).toBe("400 INVALID_CODE")
    portal.advance(15 * MINUTE_MS)
    expect(await verify(first)).toBe("400 INVALID_CODE")
  })

  test.each<[string, object]>([
    ["a short password", { password: "eleven char" }],
    ["a password of one character", { password: "aaaaaaaaaaaaaa" }],
    ["a well-known password", { password: "Password1234" }],
    ["one with letters changed as everybody does", { password: "P@ssw0rd!2024" }],
    ["keys in a row", { password: "qwertyuiop[]" }],
    ["the organization's name and a year", { password: "wheelswheels2024" }],
    ["the address as password", { password: ADA }],
    ["a password that is too long", { password: "p4ssw0rd".repeat(40) }],
    ["no address", { email: "ada" }],
    ["an address with a display name", { email: "Ada <ada@wheels.example>" }],
    ["an address that looks like another", { email: "adа@wheels.example" }],
    ["two addresses", { email: "ada@wheels.example,eve@evil.example" }],
    ["an address with a line break", { email: "ada@wheels.example\r\nBcc: eve@evil.example" }],
    ["an organization with a line break", { organization_name: "Wheels\nBcc: eve@evil.example" }],
    ["a name that turns the line around", { name: "Ada \u202eelpmaxe" }],
  ])("is refused with %s, and sends no mail", async (_, change) => {
    const portal = await openPortal()
    const answered = await portal.browser().call("POST", `${API}/sign-up`, {
      body: { ...signUpBody, ...change },
    })
    expect([answered.status, answered.code]).toEqual([400, "VALIDATION_ERROR"])
    expect(answered.body["details"]).toHaveLength(1)
    expect(portal.mailTo(ADA)).toEqual([])
  })

  test("mass assignment: role, organization, environments and verification that are sent change nothing", async () => {
    const portal = await openPortal()
    const first = await portal.signedUp("first@wheels.example")
    const { data } = await first.call("GET", `${API}/session`)
    const { organization_id } = data["organization"] as { organization_id: string }
    const browser = portal.browser()
    const asked = await browser.call("POST", `${API}/sign-up`, {
      body: {
        ...signUpBody,
        organization_id,
        organizationId: organization_id,
        environments: ["production"],
        role: "operator",
        is_fleet_partner: true,
        verified: true,
      },
    })
    const body = {
      sign_up_token: asked.data["sign_up_token"],
      code: portal.codeFor(ADA),
      organization_id,
      role: "operator",
    }
    await browser.call("POST", `${API}/sign-up/verify`, { body })
    const me = await browser.call("GET", `${API}/session`)
    expect(me.data["organization"]).toMatchObject({ environments: ["sandbox"] })
    expect(me.data["organization"]).not.toMatchObject({ organization_id })
    expect(me.data["account"]).toMatchObject({ role: "owner" })
  })
})

describe("enumeration: answers do not reveal which addresses have accounts", () => {
  const shapeOf = (portal: Portal, answered: Awaited<ReturnType<Browser["call"]>>): unknown => ({
    status: answered.status,
    headers: Object.keys(answered.headers).toSorted(),
    fields: Object.keys(answered.data).toSorted(),
    error: answered.body["error"],
    compared: portal.compared.count,
  })

  test("signing in: an unknown address and a wrong password answer alike, after one comparison each", async () => {
    const portal = await openPortal()
    await portal.signedUp(ADA)
    const seen = []
    for (const email of [ADA, "unknown@wheels.example"]) {
      portal.compared.count = 0
      const body = { email, password: "not the password" }
      seen.push(shapeOf(portal, await portal.browser().call("POST", `${API}/session`, { body })))
    }
    expect(seen[0]).toMatchObject({ status: 401, compared: 1 })
    expect(seen[1]).toEqual(seen[0])
  })

  test("signing up with a known address answers alike; the address is told, and no code makes a second account", async () => {
    const portal = await openPortal()
    await portal.signedUp(ADA)
    const asks = []
    for (const email of [ADA, "new@wheels.example"]) {
      const answered = await portal
        .browser()
        .call("POST", `${API}/sign-up`, { body: { ...signUpBody, email } })
      asks.push(answered)
    }
    const [known, unknown] = asks
    if (known === undefined || unknown === undefined) throw new Error("nothing was asked")
    expect(shapeOf(portal, known)).toEqual(shapeOf(portal, unknown))
    expect(portal.mailTo(ADA)[0]?.text).toContain("has an account already")
    expect(portal.mailTo(ADA)[0]?.text).not.toMatch(/\d{6}/)
    const code = portal.codeFor("new@wheels.example")
    const body = { sign_up_token: known.data["sign_up_token"], code }
    expect(await outcome(portal.browser(), "POST", "/sign-up/verify", body)).toBe("400 INVALID_CODE")
  })

  test("a forgotten password: both are told by mail alone, and write as much", async () => {
    const portal = await openPortal()
    await portal.signedUp(ADA)
    const seen = []
    const rows = (): number => JSON.stringify(portal.service.host.content().rows).length
    for (const email of [ADA, "who@wheels.example"]) {
      const before = rows()
      const answered = await portal.browser().call("POST", `${API}/password/forgotten`, { body: { email } })
      seen.push(shapeOf(portal, answered))
      expect(rows() - before).toBeGreaterThan(400)
    }
    expect(seen[0]).toEqual(seen[1])
    expect(portal.tokenFor(ADA)).toHaveLength(43)
    expect(portal.mailTo("who@wheels.example")[0]?.text).toContain("has no account")
    expect(portal.tokenFor("who@wheels.example")).toBe("none")
  })

  test("an invitation of somebody else's member answers alike; the address is told", async () => {
    const portal = await openPortal()
    await portal.signedUp(ADA)
    const owner = await portal.signedUp("eve@else.example", "Else.com: win http://evil.example")
    const seen = []
    for (const email of [ADA, "new@wheels.example"]) {
      const body = { email, role: "member" }
      const answered = await owner.call("POST", `${API}/invitations`, { body })
      seen.push([answered.status, Object.keys(answered.data["invitation"] as object)])
    }
    expect(seen[0]).toEqual(seen[1])
    expect(portal.mailTo(ADA)[0]?.text).toContain("You have an account already")
    expect(portal.tokenFor(ADA)).not.toBe("none")
    // The name that a stranger gives an organization is no link in another person's mail.
    expect(portal.mailTo("new@wheels.example")[0]?.text).toContain('"Else com  win http   evil example"')
  })
})

describe("brute force", () => {
  const guess = async (portal: Portal, address: string): Promise<string> => {
    const body = { email: ADA, password: "wrong" }
    const { status, code } = await portal.browser().call("POST", `${API}/session`, { body, address })
    return `${status} ${code ?? "-"}`
  }

  test("an account takes ten passwords in 15 minutes from one network, then answers 429 with Retry-After, the right one included", async () => {
    const portal = await openPortal()
    await portal.signedUp(ADA)
    for (let tries = 0; tries < 10; tries += 1) {
      expect(await guess(portal, "192.0.2.1")).toBe("401 INVALID_CREDENTIALS")
    }
    portal.compared.count = 0
    const late = await portal
      .browser()
      .call("POST", `${API}/session`, { body: { email: ADA, password: PASSWORD }, address: "192.0.2.1" })
    expect([late.status, late.code, portal.compared.count]).toEqual([429, "RATE_LIMITED", 0])
    portal.advance(Number(late.headers["retry-after"]) * 1_000)
    expect(await signIn(portal.browser(), ADA, PASSWORD)).toBe("200 -")
  })

  test("an account that does not exist is locked just so", async () => {
    const portal = await openPortal()
    const outcomes: string[] = []
    for (let tries = 0; tries < 11; tries += 1) outcomes.push(await signIn(portal.browser(), ADA, "wrong"))
    expect(outcomes.slice(-2)).toEqual(["401 INVALID_CREDENTIALS", "429 RATE_LIMITED"])
  })

  test("guesses from one network do not lock the owner out of another, and those of many not out of a browser of theirs", async () => {
    const portal = await openPortal()
    const owner = await portal.signedUp(ADA)
    for (let tries = 0; tries < 11; tries += 1) await guess(portal, "192.0.2.1")
    expect(await signIn(portal.browser(), ADA, PASSWORD)).toBe("200 -")
    for (let tries = 0; tries < 100; tries += 1) await guess(portal, `198.51.100.${tries}`)
    expect(await guess(portal, "203.0.113.1")).toBe("429 RATE_LIMITED")
    expect(await signIn(portal.browser(), ADA, PASSWORD)).toBe("429 RATE_LIMITED")
    expect(await outcome(owner, "DELETE", "/session")).toBe("200 -")
    expect(owner.device).toMatch(/curbline_device=[\w-]{43}$/)
    expect(await signIn(owner, ADA, PASSWORD)).toBe("200 -")
  })

  test("a code by mail makes the owner's browser known in the middle of other people's guesses", async () => {
    const portal = await openPortal()
    await portal.signedUp(ADA)
    for (let tries = 0; tries < 101; tries += 1) await guess(portal, `198.51.100.${tries}`)
    const browser = portal.browser()
    expect(await signIn(browser, ADA, PASSWORD)).toBe("429 RATE_LIMITED")
    await outcome(browser, "POST", "/password/forgotten", { email: ADA })
    const body = { token: portal.tokenFor(ADA), password: NEW }
    expect(await outcome(browser, "POST", "/password/new", body)).toBe("200 -")
    expect(await signIn(browser, ADA, NEW)).toBe("200 -")
  })

  test("a known browser takes ten passwords, too; one of another account, or from before a new password, is not known", async () => {
    const portal = await openPortal()
    const owner = await portal.signedUp(ADA)
    const stranger = await portal.signedUp("eve@else.example")
    const old = owner.device
    for (let tries = 0; tries < 101; tries += 1) await guess(portal, `198.51.100.${tries}`)
    expect(await signIn(stranger, ADA, "wrong")).toBe("429 RATE_LIMITED")
    const body = { current_password: PASSWORD, password: NEW }
    expect(await outcome(owner, "PUT", "/password", body)).toBe("200 -")
    const stale = portal.browser()
    stale.device = old
    expect(await signIn(stale, ADA, NEW)).toBe("429 RATE_LIMITED")
    for (let tries = 0; tries < 10; tries += 1) {
      expect(await signIn(owner, ADA, "wrong")).toBe("401 INVALID_CREDENTIALS")
    }
    expect(await signIn(owner, ADA, NEW)).toBe("429 RATE_LIMITED")
  })

  test("one network takes fifty passwords over all accounts; an IPv6 network is a /64", async () => {
    const portal = await openPortal()
    const attempt = async (at: number, address: string): Promise<number> => {
      const body = { email: `p${at}@wheels.example`, password: "wrong" }
      return (await portal.browser().call("POST", `${API}/session`, { body, address })).status
    }
    for (let at = 0; at < 50; at += 1) {
      expect(await attempt(at, `2001:db8:1:2::${at.toString(16)}`)).toBe(401)
    }
    expect(await attempt(50, "2001:db8:1:2:ffff::1")).toBe(429)
    expect(await attempt(51, "2001:db8:1:3::1")).toBe(401)
  })

  test("guessed tokens of resets and invitations run into the same limit", async () => {
    const portal = await openPortal()
    const statuses = new Set<string>()
    for (let at = 0; at < 51; at += 1) {
      const body = { token: `guess${at}`, password: NEW }
      statuses.add(await outcome(portal.browser(), "POST", "/password/new", body))
    }
    expect([...statuses]).toEqual(["400 INVALID_CODE", "429 RATE_LIMITED"])
  })

  test("an address gets five mails an hour whatever their sources, and one network causes twenty", async () => {
    const portal = await openPortal()
    const ask = async (email: string, address: string): Promise<number> =>
      (await portal.browser().call("POST", `${API}/password/forgotten`, { body: { email }, address })).status
    for (let at = 0; at < 5; at += 1) expect(await ask(ADA, `192.0.2.${at}`)).toBe(202)
    expect(await ask(ADA, "192.0.2.9")).toBe(429)
    expect(portal.mailTo(ADA)).toHaveLength(5)
    for (let at = 0; at < 20; at += 1) expect(await ask(`a${at}@wheels.example`, "198.51.100.1")).toBe(202)
    expect(await ask("last@wheels.example", "198.51.100.1")).toBe(429)
    expect(portal.mailTo("last@wheels.example")).toEqual([])
  })

  test("mails that strangers cause to an address leave its owner resets, and organizations invitations", async () => {
    const portal = await openPortal()
    const owner = await portal.signedUp(ADA)
    const bob = await portal.signedUp("bob@else.example", "Else")
    const cause = async (path: string, body: object, at: number): Promise<number> =>
      (await portal.browser().call("POST", `${API}${path}`, { body, address: `192.0.2.${at}` })).status
    for (let at = 0; at < 6; at += 1) await cause("/sign-up", signUpBody, at)
    expect(await cause("/password/forgotten", { email: ADA }, 10)).toBe(202)
    for (let at = 0; at < 5; at += 1) await cause("/password/forgotten", { email: ADA }, at)
    expect(await cause("/password/forgotten", { email: ADA }, 11)).toBe(429)
    expect(await outcome(owner, "POST", "/password/forgotten", { email: ADA })).toBe("202 -")
    for (let at = 0; at < 4; at += 1) await outcome(owner, "POST", "/password/forgotten", { email: ADA })
    expect(await outcome(owner, "POST", "/password/forgotten", { email: ADA })).toBe("429 RATE_LIMITED")
    expect(await outcome(bob, "POST", "/invitations", { email: ADA, role: "member" })).toBe("201 -")
  })
})

describe("a forgotten password", () => {
  test("the link works once, ends every session and every other link, and the owner is told", async () => {
    const portal = await openPortal()
    const before = await portal.signedUp(ADA)
    const browser = portal.browser()
    await outcome(browser, "POST", "/password/forgotten", { email: ADA })
    const earlier = portal.tokenFor(ADA)
    await outcome(browser, "POST", "/password/forgotten", { email: ADA })
    const body = { token: portal.tokenFor(ADA), password: NEW }
    expect(await outcome(browser, "POST", "/password/new", body)).toBe("200 -")
    expect(portal.mailTo(ADA)[0]?.purpose).toBe("password-changed")
    expect(await outcome(browser, "POST", "/password/new", body)).toBe("400 INVALID_CODE")
    expect(await outcome(browser, "POST", "/password/new", { ...body, token: earlier })).toBe(
      "400 INVALID_CODE",
    )
    expect(await outcome(before, "GET", "/session")).toBe("401 SIGN_IN_REQUIRED")
    expect(await signIn(browser, ADA, PASSWORD)).toBe("401 INVALID_CREDENTIALS")
    expect(await signIn(browser, ADA, NEW)).toBe("200 -")
  })

  test("the link ends after 30 minutes, and a weak password does not use it up", async () => {
    const portal = await openPortal()
    await portal.signedUp(ADA)
    const browser = portal.browser()
    await outcome(browser, "POST", "/password/forgotten", { email: ADA })
    const token = portal.tokenFor(ADA)
    const weak = { token, password: "aaaaaaaaaaaaaa" }
    expect(await outcome(browser, "POST", "/password/new", weak)).toBe("400 VALIDATION_ERROR")
    portal.advance(30 * MINUTE_MS - 1)
    expect(await outcome(browser, "POST", "/password/new", weak)).toBe("400 VALIDATION_ERROR")
    portal.advance(1)
    expect(await outcome(browser, "POST", "/password/new", { token, password: NEW })).toBe("400 INVALID_CODE")
  })

  test("a token of another kind opens nothing", async () => {
    const portal = await openPortal()
    const owner = await portal.signedUp(ADA)
    const browser = portal.browser()
    await outcome(browser, "POST", "/password/forgotten", { email: ADA })
    const accept = { token: portal.tokenFor(ADA), name: "Eve", password: NEW }
    expect(await outcome(browser, "POST", "/invitations/accept", accept)).toBe("400 INVALID_CODE")
    await outcome(owner, "POST", "/invitations", { email: "bob@wheels.example", role: "member" })
    const invitation = portal.tokenFor("bob@wheels.example")
    expect(await outcome(browser, "POST", "/password/new", { token: invitation, password: NEW })).toBe(
      "400 INVALID_CODE",
    )
    const body = { sign_up_token: invitation, code: "000000" }
    expect(await outcome(browser, "POST", "/sign-up/verify", body)).toBe("400 INVALID_CODE")
  })

  test("the mail's link leads to the portal alone, whatever the headers of a request say", async () => {
    const portal = await openPortal()
    await portal.signedUp(ADA)
    await portal.browser().call("POST", `${API}/password/forgotten`, {
      body: { email: ADA, next: "https://evil.example", redirect_uri: "https://evil.example" },
      headers: { host: "evil.example", "x-forwarded-host": "evil.example", forwarded: "host=evil.example" },
    })
    const text = portal.mailTo(ADA)[0]?.text ?? ""
    expect([...text.matchAll(/https?:\S+/g)].map(([link]) => link)).toEqual([
      expect.stringMatching(/^https:\/\/portal\.curbline\.example\/portal\/new-password#token=[\w-]{43}$/),
    ])
    expect(text).not.toContain("evil")
  })
})

describe("sessions", () => {
  test("fixation: a cookie that was planted is not what a sign-in begins with, and ends", async () => {
    const portal = await openPortal()
    await portal.signedUp(ADA)
    const attacker = await portal.signedUp("eve@else.example")
    const planted = attacker.cookie
    const victim = portal.browser()
    victim.cookie = planted
    expect(await signIn(victim, ADA, PASSWORD)).toBe("200 -")
    expect(victim.cookie).not.toBe(planted)
    expect(await outcome(attacker, "GET", "/session")).toBe("401 SIGN_IN_REQUIRED")
    const { data } = await victim.call("GET", `${API}/session`)
    expect(data["account"]).toMatchObject({ email: ADA })
  })

  test("an invented cookie opens nothing, and does not become a session", async () => {
    const portal = await openPortal()
    await portal.signedUp(ADA)
    const browser = portal.browser()
    const name = "__Host-curbline_session"
    for (const value of ["", "x", "A".repeat(43), `${"A".repeat(43)}; other=1`, "%00", "é".repeat(43)]) {
      browser.cookie = `${name}=${value}`
      expect(await outcome(browser, "GET", "/session")).toBe("401 SIGN_IN_REQUIRED")
    }
    const planted = `${name}=${"A".repeat(43)}`
    browser.cookie = planted
    await signIn(browser, ADA, PASSWORD)
    expect(browser.cookie).not.toBe(planted)
  })

  test("a session ends 12 hours after its last use, and 7 days after it began however busy", async () => {
    const portal = await openPortal()
    const browser = await portal.signedUp(ADA)
    portal.advance(12 * HOUR_MS - 1)
    expect(await outcome(browser, "GET", "/session")).toBe("200 -")
    portal.advance(12 * HOUR_MS)
    expect(await outcome(browser, "GET", "/session")).toBe("401 SIGN_IN_REQUIRED")
    await signIn(browser, ADA, PASSWORD)
    const began = portal.now()
    while (portal.now() + 11 * HOUR_MS < began + 7 * DAY_MS) {
      portal.advance(11 * HOUR_MS)
      expect(await outcome(browser, "GET", "/session")).toBe("200 -")
    }
    portal.advance(began + 7 * DAY_MS - portal.now())
    expect(await outcome(browser, "GET", "/session")).toBe("401 SIGN_IN_REQUIRED")
  })

  test("signing out ends the session and the cookie", async () => {
    const portal = await openPortal()
    const browser = await portal.signedUp(ADA)
    const kept = browser.cookie
    expect(await outcome(browser, "DELETE", "/session")).toBe("200 -")
    expect(browser.cookie).toBeNull()
    browser.cookie = kept
    expect(await outcome(browser, "GET", "/session")).toBe("401 SIGN_IN_REQUIRED")
  })

  test("one's own are listed and ended; another's id is not found", async () => {
    const portal = await openPortal()
    const browser = await portal.signedUp(ADA)
    const other = portal.browser()
    await other.call("POST", `${API}/session`, {
      body: { email: ADA, password: PASSWORD },
      headers: { "user-agent": "Phone/1 ".repeat(100) },
    })
    const stranger = await portal.signedUp("eve@else.example")
    const { data } = await browser.call("GET", `${API}/sessions`)
    const listed = data["sessions"] as { session_id: string; is_current: boolean; user_agent: string }[]
    expect(listed.filter((one) => one.is_current)).toHaveLength(1)
    expect(listed).toHaveLength(2)
    const foreign = listed.find((one) => !one.is_current)
    expect(foreign?.user_agent).toHaveLength(200)
    expect(await outcome(stranger, "DELETE", `/sessions/${foreign?.session_id}`)).toBe("404 NOT_FOUND")
    expect(await outcome(other, "GET", "/session")).toBe("200 -")
    expect(await outcome(browser, "DELETE", `/sessions/${foreign?.session_id}`)).toBe("200 -")
    expect(await outcome(other, "GET", "/session")).toBe("401 SIGN_IN_REQUIRED")
  })

  test("a new password ends the others and rotates this one; the old password is needed", async () => {
    const portal = await openPortal()
    const browser = await portal.signedUp(ADA)
    const other = portal.browser()
    await signIn(other, ADA, PASSWORD)
    const cookie = browser.cookie
    const wrong = { current_password: "not the password", password: NEW }
    expect(await outcome(browser, "PUT", "/password", wrong)).toBe("401 INVALID_CREDENTIALS")
    const right = { current_password: PASSWORD, password: NEW }
    expect(await outcome(browser, "PUT", "/password", right)).toBe("200 -")
    expect(browser.cookie).not.toBe(cookie)
    expect(await outcome(browser, "GET", "/session")).toBe("200 -")
    expect(await outcome(other, "GET", "/session")).toBe("401 SIGN_IN_REQUIRED")
    const stale = portal.browser()
    stale.cookie = cookie
    expect(await outcome(stale, "GET", "/session")).toBe("401 SIGN_IN_REQUIRED")
  })

  test("ending the others leaves this one", async () => {
    const portal = await openPortal()
    const browser = await portal.signedUp(ADA)
    const other = portal.browser()
    await signIn(other, ADA, PASSWORD)
    expect(await outcome(browser, "DELETE", "/sessions")).toBe("200 -")
    expect(await outcome(other, "GET", "/session")).toBe("401 SIGN_IN_REQUIRED")
    expect(await outcome(browser, "GET", "/session")).toBe("200 -")
  })

  test("an account has so many sessions at most; the longest unused goes", async () => {
    const portal = await openPortal()
    const first = await portal.signedUp(ADA)
    for (let at = 0; at < SESSIONS_MAX; at += 1) {
      portal.advance(1_000)
      await signIn(portal.browser(), ADA, PASSWORD)
    }
    expect(await outcome(first, "GET", "/session")).toBe("401 SIGN_IN_REQUIRED")
  })

  test("a deactivated organization has no sign-ins, and its sessions do nothing", async () => {
    const portal = await openPortal()
    const browser = await portal.signedUp(ADA)
    const [known] = portal.run(Effect.flatMap(Organizations, ({ list }) => list))
    portal.run(
      Effect.flatMap(Organizations, ({ change }) => change(known?.organizationId ?? "", { isActive: false })),
    )
    expect(await outcome(browser, "GET", "/session")).toBe("403 ORG_INACTIVE")
    expect(await signIn(portal.browser(), ADA, PASSWORD)).toBe("403 ORG_INACTIVE")
    expect(await signIn(portal.browser(), ADA, "wrong")).toBe("401 INVALID_CREDENTIALS")
  })
})

describe("what is kept", () => {
  test("no password, token or code stands in a row but in the mail that waits to leave", async () => {
    const portal = await openPortal()
    const browser = await portal.signedUp(ADA)
    await outcome(portal.browser(), "POST", "/password/forgotten", { email: ADA })
    const token = portal.tokenFor(ADA)
    const text = JSON.stringify({ ...portal.service.host.content().rows, messages: [] })
    expect(text).toContain(ADA)
    for (const secret of [PASSWORD, token, browser.cookie?.split("=")[1] ?? "none"]) {
      expect(text).not.toContain(secret)
    }
  })
})
