/** The second factor: enrolment, sign-in in two steps, recovery codes, and what a stolen password or code gives. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { MINUTE_MS } from "../../../src/model/values/time.ts"
import { SecondFactorRows } from "../../../src/apps/portal/people/second-factor-rows.ts"
import { codeAt, stepAt } from "../../../src/apps/portal/people/totp.ts"
import { PASSWORD, openPortal } from "./portal.ts"
import type { Browser, Portal } from "./portal.ts"

const API = "/portal/api"
const ADA = "ada@wheels.example"
const BOB = "bob@wheels.example"

async function outcome(browser: Browser, method: string, path: string, body?: unknown): Promise<string> {
  const { status, code } = await browser.call(method, `${API}${path}`, body === undefined ? {} : { body })
  return `${status} ${code ?? "-"}`
}

/** The code of now, or of some steps away. */
function codeFor(portal: Portal, secret: string, steps = 0): string {
  return codeAt(secret, stepAt(portal.now()) + steps)
}

interface Enrolled {
  readonly portal: Portal
  readonly browser: Browser
  readonly secret: string
  readonly codes: readonly string[]
}

/** Half a minute after the code that switched it on. */
async function enrolled(): Promise<Enrolled> {
  const portal = await openPortal()
  const browser = await portal.signedUp(ADA)
  const { data } = await browser.call("POST", `${API}/second-factor/totp`, {
    body: { current_password: PASSWORD },
  })
  const secret = String(data["secret"])
  const body = { code: codeFor(portal, secret) }
  const confirmed = await browser.call("POST", `${API}/second-factor/totp/confirm`, { body })
  expect(confirmed.status).toBe(200)
  portal.advance(MINUTE_MS)
  return { portal, browser, secret, codes: confirmed.data["recovery_codes"] as string[] }
}

async function challenged(browser: Browser, password = PASSWORD): Promise<string> {
  const answered = await browser.call("POST", `${API}/session`, { body: { email: ADA, password } })
  expect([answered.status, answered.headers["set-cookie"]]).toEqual([202, undefined])
  return String(answered.data["challenge"])
}

function complete(browser: Browser, challenge: string, code: string): Promise<string> {
  return outcome(browser, "POST", "/session/second-factor", { challenge, code })
}

describe("enrolment", () => {
  test("needs the password, shows the secret once, and changes nothing until a code is given", async () => {
    const portal = await openPortal()
    const browser = await portal.signedUp(ADA)
    const path = "/second-factor/totp"
    expect(await outcome(browser, "POST", path, { current_password: "wrong" })).toBe(
      "401 INVALID_CREDENTIALS",
    )
    expect(await outcome(browser, "POST", path, {})).toBe("400 VALIDATION_ERROR")
    const { data } = await browser.call("POST", `${API}${path}`, { body: { current_password: PASSWORD } })
    expect(data["uri"]).toBe(
      `otpauth://totp/Curbline:ada%40wheels.example?secret=${String(data["secret"])}&issuer=Curbline`,
    )
    const { data: state } = await browser.call("GET", `${API}/second-factor`)
    expect(state).toEqual({
      is_on: false,
      has_application: false,
      since: null,
      recovery_codes_left: 0,
    })
    expect(await outcome(portal.browser(), "POST", "/session", { email: ADA, password: PASSWORD })).toBe(
      "200 -",
    )
    expect(await outcome(browser, "POST", `${path}/confirm`, { code: "000000" })).toBe("400 INVALID_CODE")
    const code = codeFor(portal, String(data["secret"]))
    expect(await outcome(browser, "POST", `${path}/confirm`, { code })).toBe("200 -")
    expect(await outcome(browser, "POST", `${path}/confirm`, { code })).toBe("409 INVALID_STATE")
    expect(await outcome(browser, "POST", path, { current_password: PASSWORD })).toBe("409 INVALID_STATE")
  })

  test("ends other sessions, tells the owner by mail, and gives ten recovery codes", async () => {
    const { portal, browser, codes } = await enrolled()
    expect(codes).toHaveLength(10)
    expect(new Set(codes).size).toBe(10)
    expect(portal.mailTo(ADA)[0]?.subject).toMatch(/second factor .* is on$/)
    const { data } = await browser.call("GET", `${API}/second-factor`)
    expect(data).toMatchObject({ is_on: true, recovery_codes_left: 10 })
  })

  test("of other sessions only the present one stays", async () => {
    const portal = await openPortal()
    const browser = await portal.signedUp(ADA)
    const other = portal.browser()
    await outcome(other, "POST", "/session", { email: ADA, password: PASSWORD })
    const { data } = await browser.call("POST", `${API}/second-factor/totp`, {
      body: { current_password: PASSWORD },
    })
    const code = codeFor(portal, String(data["secret"]))
    await outcome(browser, "POST", "/second-factor/totp/confirm", { code })
    expect(await outcome(other, "GET", "/session")).toBe("401 SIGN_IN_REQUIRED")
    expect(await outcome(browser, "GET", "/session")).toBe("200 -")
  })

  test("a code without an enrolment is wrong, and secrets are of one account", async () => {
    const { portal, browser, secret } = await enrolled()
    const member = await portal.joined(browser, BOB)
    const code = codeFor(portal, secret)
    for (const path of [
      "/second-factor/totp/confirm",
      "/second-factor/recovery-codes",
      "/second-factor/remove",
    ])
      expect(await outcome(member, "POST", path, { code })).toBe("400 INVALID_CODE")
    const { data } = await member.call("GET", `${API}/second-factor`)
    expect(data).toMatchObject({ is_on: false, recovery_codes_left: 0 })
  })
})

describe("a passkey beside the application", () => {
  test("needs a code of it besides the password", async () => {
    const { portal, browser, secret } = await enrolled()
    const begin = (proof: object) =>
      outcome(browser, "POST", "/passkeys/options", { current_password: PASSWORD, ...proof })
    expect(await begin({})).toBe("400 VALIDATION_ERROR")
    expect(await begin({ code: "000000" })).toBe("400 INVALID_CODE")
    const code = codeFor(portal, secret)
    expect(await begin({ code })).toBe("201 -")
    expect(await begin({ code })).toBe("400 INVALID_CODE")
  })
})

describe("sign-in in two steps", () => {
  test("a password begins no session; a code does, and both are written in the audit log as one", async () => {
    const { portal, secret } = await enrolled()
    const browser = portal.browser()
    const challenge = await challenged(browser)
    expect(await outcome(browser, "GET", "/session")).toBe("401 SIGN_IN_REQUIRED")
    expect(await complete(browser, challenge, codeFor(portal, secret))).toBe("200 -")
    expect(await outcome(browser, "GET", "/session")).toBe("200 -")
    const { data } = await browser.call("GET", `${API}/audit-log?limit=3`)
    expect((data["lines"] as { action: string }[]).map(({ action }) => action)).toEqual([
      "completeSignIn",
      "confirmSecondFactor",
      "enrolSecondFactor",
    ])
  })

  test("replay: a code works once, and so does a challenge", async () => {
    const { portal, secret } = await enrolled()
    const code = codeFor(portal, secret)
    const first = await challenged(portal.browser())
    expect(await complete(portal.browser(), first, code)).toBe("200 -")
    expect(await complete(portal.browser(), first, codeFor(portal, secret, 1))).toBe("400 INVALID_CODE")
    const second = await challenged(portal.browser())
    expect(await complete(portal.browser(), second, code)).toBe("400 INVALID_CODE")
    expect(await complete(portal.browser(), second, codeFor(portal, secret, -1))).toBe("400 INVALID_CODE")
    expect(await complete(portal.browser(), second, codeFor(portal, secret, 1))).toBe("200 -")
  })

  test("of two sign-ins with one code at once, one succeeds", async () => {
    const { portal, secret } = await enrolled()
    const code = codeFor(portal, secret)
    const challenges = [await challenged(portal.browser()), await challenged(portal.browser())]
    const outcomes = await Promise.all(challenges.map((one) => complete(portal.browser(), one, code)))
    expect(outcomes.toSorted()).toEqual(["200 -", "400 INVALID_CODE"])
  })

  test("a challenge ends after five minutes, five codes, or a new password", async () => {
    const { portal, browser, secret } = await enrolled()
    const late = await challenged(portal.browser())
    portal.advance(5 * MINUTE_MS)
    expect(await complete(portal.browser(), late, codeFor(portal, secret))).toBe("400 INVALID_CODE")
    const tried = await challenged(portal.browser())
    for (let at = 0; at < 5; at += 1)
      expect(await complete(portal.browser(), tried, "000000")).toBe("400 INVALID_CODE")
    expect(await complete(portal.browser(), tried, codeFor(portal, secret))).toBe("400 INVALID_CODE")
    const old = await challenged(portal.browser())
    const password = "another good password"
    expect(await outcome(browser, "PUT", "/password", { current_password: PASSWORD, password })).toBe("200 -")
    expect(await complete(portal.browser(), old, codeFor(portal, secret))).toBe("400 INVALID_CODE")
    const fresh = await challenged(portal.browser(), password)
    expect(await complete(portal.browser(), fresh, codeFor(portal, secret))).toBe("200 -")
  })

  test("RATE_LIMITED: ten codes of one account in a quarter of an hour, from wherever", async () => {
    const { portal, secret } = await enrolled()
    const codes: string[] = []
    for (let at = 0; at < 11; at += 1) {
      const guest = portal.browser()
      const sent = { address: `192.0.2.${at}` }
      const body = { email: ADA, password: PASSWORD }
      const { data } = await guest.call("POST", `${API}/session`, { ...sent, body })
      const second = { challenge: data["challenge"], code: "000000" }
      const { code } = await guest.call("POST", `${API}/session/second-factor`, { ...sent, body: second })
      codes.push(String(code))
    }
    expect(codes.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => "INVALID_CODE"))
    expect(codes[10]).toBe("RATE_LIMITED")
    portal.advance(15 * MINUTE_MS)
    const challenge = await challenged(portal.browser())
    expect(await complete(portal.browser(), challenge, codeFor(portal, secret))).toBe("200 -")
  })

  test("unknown challenges, and tokens of another kind, get the same answer", async () => {
    const { portal, secret } = await enrolled()
    const guest = portal.browser()
    await guest.call("POST", `${API}/password/forgotten`, { body: { email: ADA } })
    for (const challenge of ["none", portal.tokenFor(ADA)])
      expect(await complete(guest, challenge, codeFor(portal, secret))).toBe("400 INVALID_CODE")
    expect(await complete(guest, "", "1")).toBe("400 VALIDATION_ERROR")
  })

  test("a new password by mail does not switch it off", async () => {
    const { portal, secret } = await enrolled()
    const guest = portal.browser()
    await guest.call("POST", `${API}/password/forgotten`, { body: { email: ADA } })
    const password = "another good password"
    await guest.call("POST", `${API}/password/new`, { body: { token: portal.tokenFor(ADA), password } })
    const challenge = await challenged(guest, password)
    expect(await complete(guest, challenge, codeFor(portal, secret))).toBe("200 -")
  })
})

describe("recovery codes", () => {
  test("work once each, however they are typed", async () => {
    const { portal, codes } = await enrolled()
    const [first = "", second = ""] = codes
    expect(await complete(portal.browser(), await challenged(portal.browser()), first)).toBe("200 -")
    expect(await complete(portal.browser(), await challenged(portal.browser()), first)).toBe(
      "400 INVALID_CODE",
    )
    const typed = ` ${second.toLowerCase().replaceAll("-", " ")} `
    const browser = portal.browser()
    expect(await complete(browser, await challenged(browser), typed)).toBe("200 -")
    const { data } = await browser.call("GET", `${API}/second-factor`)
    expect(data["recovery_codes_left"]).toBe(8)
  })

  test("are replaced with a code; the old ones end", async () => {
    const { portal, browser, secret, codes } = await enrolled()
    const path = "/second-factor/recovery-codes"
    expect(await outcome(browser, "POST", path, { code: "000000" })).toBe("400 INVALID_CODE")
    const { status, data } = await browser.call("POST", `${API}${path}`, {
      body: { code: codeFor(portal, secret) },
    })
    expect(status).toBe(201)
    const [old = ""] = codes
    const [fresh = ""] = data["recovery_codes"] as string[]
    const challenge = await challenged(portal.browser())
    expect(await complete(portal.browser(), challenge, old)).toBe("400 INVALID_CODE")
    expect(await complete(portal.browser(), challenge, fresh)).toBe("200 -")
  })

  test("are stored as hashes", async () => {
    const { portal, browser, codes } = await enrolled()
    const { data } = await browser.call("GET", `${API}/session`)
    const { account_id: accountId } = data["account"] as { account_id: string }
    const rows = portal.run(Effect.flatMap(SecondFactorRows, (found) => found.codes(accountId)))
    expect(rows).toHaveLength(10)
    for (const code of codes) expect(JSON.stringify(rows)).not.toContain(code.replaceAll("-", ""))
  })
})

describe("removal", () => {
  test("needs a code, ends other sessions, and then the password is enough", async () => {
    const { portal, browser, secret } = await enrolled()
    const other = portal.browser()
    await complete(other, await challenged(other), codeFor(portal, secret, -1))
    expect(await outcome(browser, "POST", "/second-factor/remove", { code: "000000" })).toBe(
      "400 INVALID_CODE",
    )
    expect(await outcome(browser, "POST", "/second-factor/remove", { code: codeFor(portal, secret) })).toBe(
      "200 -",
    )
    expect(await outcome(other, "GET", "/session")).toBe("401 SIGN_IN_REQUIRED")
    expect(portal.mailTo(ADA)[0]?.subject).toMatch(/second factor .* is off$/)
    expect(await outcome(portal.browser(), "POST", "/session", { email: ADA, password: PASSWORD })).toBe(
      "200 -",
    )
  })
})
