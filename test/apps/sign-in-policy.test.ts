/** What a stranger's guesses do to the owner of an account, at the portal and at `/ops` alike. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { OperatorAccounts } from "../../src/apps/operators/accounts.ts"
import { codeAt, stepAt } from "../../src/apps/portal/people/totp.ts"
import { MessageRows } from "../../src/areas/messages/rows.ts"
import { SIGN_INS_PER_ADDRESS_MAX } from "../../src/model/values/limits.ts"
import { MINUTE_MS } from "../../src/model/values/time.ts"
import { FORM_KEY, makeOps } from "../http/ops-pages.ts"
import { PASSWORD, openPortal } from "./portal/portal.ts"

const ADA = "ada@wheels.example"
const NEW = "a quite different password"
const HOME = "203.0.113.7"

interface Answer {
  readonly status: number
  readonly data: Readonly<Record<string, unknown>>
}

/** A browser that keeps its cookies, at one network address. */
interface Visitor {
  readonly signIn: (password: string) => Promise<Answer>
  readonly complete: (challenge: unknown, code: string) => Promise<Answer>
  /** In the session: 401 for a wrong password, 409 for the right one, because the second factor is on. */
  readonly confirm: (password: string) => Promise<Answer>
  readonly enrol: () => Promise<Answer>
  readonly confirmEnrolment: (code: string) => Promise<Answer>
  /** Uses up a link that the account's owner got. */
  readonly renew: () => Promise<Answer>
}

interface Door {
  readonly visitor: (address: string) => Visitor
  readonly now: () => number
  readonly advance: (ms: number) => Promise<void>
  /** Warnings to the owner. */
  readonly warnings: () => Promise<number>
}

async function portalDoor(): Promise<Door> {
  const portal = await openPortal()
  await portal.signedUp(ADA)
  const visitor = (address: string): Visitor => {
    const browser = portal.browser()
    const post = (path: string, body: object) => browser.call("POST", `/portal/api${path}`, { body, address })
    return {
      signIn: (password) => post("/session", { email: ADA, password }),
      complete: (challenge, code) => post("/session/second-factor", { challenge, code }),
      confirm: (password) => post("/second-factor/totp", { current_password: password }),
      enrol: () => post("/second-factor/totp", { current_password: PASSWORD }),
      confirmEnrolment: (code) => post("/second-factor/totp/confirm", { code }),
      renew: async () => {
        await post("/password/forgotten", { email: ADA })
        return post("/password/new", { token: portal.tokenFor(ADA), password: NEW })
      },
    }
  }
  return {
    visitor,
    now: portal.now,
    advance: async (ms) => portal.advance(ms),
    warnings: async () =>
      portal.mailTo(ADA).filter(({ subject }) => subject?.startsWith("Wrong codes") === true).length,
  }
}

async function operatorDoor(): Promise<Door> {
  const api = await makeOps()
  const accounts = Effect.serviceFunctions(OperatorAccounts)
  const made = await api.run(accounts.make({ email: ADA, name: "Ada O.", role: "admin", siteIds: null }))
  const { accountId } = made.operator
  const visitor = (address: string): Visitor => {
    const cookies = new Map<string, string>()
    const sent = (method: "GET" | "POST", url: string, more: object = {}, headers: object = {}) => {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
      return api.app.inject({ method, url, remoteAddress: address, headers: { cookie, ...headers }, ...more })
    }
    const post = async (path: string, body: object, headers: object = {}): Promise<Answer> => {
      const payload = JSON.stringify(body)
      const json = { "content-type": "application/json", ...headers }
      const answer = await sent("POST", `/ops/api${path}`, { payload }, json)
      for (const { name, value } of answer.cookies) cookies.set(name, value)
      const { data = {} } = answer.json<{ readonly data?: Answer["data"] }>()
      return { status: answer.statusCode, data }
    }
    const own = async (path: string, body: object): Promise<Answer> => {
      const { me } = (await sent("GET", "/ops")).json<{ readonly me: { readonly form_key: string } }>()
      return post(path, body, { [FORM_KEY]: me.form_key })
    }
    return {
      signIn: (password) => post("/session", { email: ADA, password }),
      complete: (challenge, code) => post("/session/second-factor", { challenge, code }),
      confirm: (password) => own("/account/second-factor", { current_password: password }),
      enrol: () => own("/account/second-factor", { current_password: PASSWORD }),
      confirmEnrolment: (code) => own("/account/second-factor/confirm", { code }),
      renew: async () => {
        const { token } = await api.run(accounts.link(accountId))
        return post("/password", { token, password: NEW })
      },
    }
  }
  const chosen = await api.app.inject({
    method: "POST",
    url: "/ops/api/password",
    headers: { "content-type": "application/json" },
    payload: JSON.stringify({ token: made.token, password: PASSWORD }),
  })
  expect(chosen.statusCode).toBe(200)
  const newest = Effect.flatMap(MessageRows, (rows) => rows.newest({ channel: "mail", limit: 20 }))
  return {
    visitor,
    now: api.now,
    advance: api.advance,
    warnings: async () =>
      (await api.run(newest)).filter(
        ({ to, subject }) => to === ADA && subject?.startsWith("Wrong codes") === true,
      ).length,
  }
}

/** The owner has signed in at home, and the second factor is on. */
async function opened(open: () => Promise<Door>) {
  const door = await open()
  const owner = door.visitor(HOME)
  expect((await owner.signIn(PASSWORD)).status).toBe(200)
  const { data } = await owner.enrol()
  const secret = String(data["secret"])
  const code = (later = 0): string => codeAt(secret, stepAt(door.now()) + later)
  const confirmed = await owner.confirmEnrolment(code())
  expect(confirmed.status).toBe(200)
  const recoveryCodes = confirmed.data["recovery_codes"] as readonly string[]
  await door.advance(MINUTE_MS)
  const wrong = (): string => (code() === "000000" ? "000001" : "000000")
  const guess = async (address: string): Promise<number> =>
    (await door.visitor(address).signIn("wrong")).status
  /** The status of a new sign-in that ends with the code. */
  const completed = async (sent: string): Promise<number> => {
    const begun = await owner.signIn(PASSWORD)
    return (await owner.complete(begun.data["challenge"], sent)).status
  }
  return { ...door, owner, code, wrong, guess, recoveryCodes, completed }
}

/** A stranger who knows the password gives wrong codes. */
async function wrongCodes(visitor: Visitor, code: string, count: number): Promise<readonly number[]> {
  const statuses: number[] = []
  let challenge: unknown = null
  for (let at = 0; at < count; at += 1) {
    if (at % 5 === 0) challenge = (await visitor.signIn(PASSWORD)).data["challenge"]
    statuses.push((await visitor.complete(challenge, code)).status)
  }
  return statuses
}

describe.each([
  ["the portal", portalDoor],
  ["the operators' pages", operatorDoor],
] as const)("%s", (_, open) => {
  test("guesses from the owner's network and from everywhere lock strangers out, not a browser of the owner", async () => {
    const { owner, visitor, code, guess } = await opened(open)
    for (let at = 0; at <= SIGN_INS_PER_ADDRESS_MAX; at += 1) await guess(HOME)
    for (let at = 0; at <= 100; at += 1) await guess(`198.51.100.${at}`)
    expect(await guess("192.0.2.9")).toBe(429)
    expect((await visitor("192.0.2.10").signIn(PASSWORD)).status).toBe(429)
    const begun = await owner.signIn(PASSWORD)
    expect(begun.status).toBe(202)
    expect((await owner.complete(begun.data["challenge"], code())).status).toBe(200)
  })

  test("a browser of the owner takes ten wrong passwords, and strangers' limit stays", async () => {
    const { owner, visitor } = await opened(open)
    for (let at = 0; at < 10; at += 1) expect((await owner.signIn("wrong")).status).toBe(401)
    expect((await owner.signIn(PASSWORD)).status).toBe(429)
    expect((await visitor("192.0.2.10").signIn(PASSWORD)).status).toBe(202)
  })

  test("ten wrong codes behind the right password warn the owner once, whose browser still completes a sign-in", async () => {
    const { owner, visitor, code, wrong, warnings } = await opened(open)
    const thief = visitor("192.0.2.10")
    expect(new Set(await wrongCodes(thief, wrong(), 9))).toEqual(new Set([400]))
    expect(await warnings()).toBe(0)
    const { data } = await thief.signIn(PASSWORD)
    expect((await thief.complete(data["challenge"], wrong())).status).toBe(400)
    expect(await warnings()).toBe(1)
    expect((await thief.complete(data["challenge"], code())).status).toBe(429)
    expect(await warnings()).toBe(1)
    const begun = await owner.signIn(PASSWORD)
    expect((await owner.complete(begun.data["challenge"], code())).status).toBe(200)
  })

  test("what a signed-in person gives counts for the session alone", async () => {
    const { owner, visitor, code, wrong, guess } = await opened(open)
    const other = visitor("192.0.2.11")
    const begun = await other.signIn(PASSWORD)
    expect((await other.complete(begun.data["challenge"], code())).status).toBe(200)
    for (let at = 0; at <= SIGN_INS_PER_ADDRESS_MAX; at += 1) await guess(HOME)
    await wrongCodes(visitor("192.0.2.10"), wrong(), 10)
    expect((await owner.confirm(PASSWORD)).status).toBe(409)
    for (let at = 0; at < 10; at += 1) expect((await other.confirm("wrong")).status).toBe(401)
    expect((await other.confirm(PASSWORD)).status).toBe(429)
    expect((await owner.confirm(PASSWORD)).status).toBe(409)
  })

  test("a code of the application works once and no earlier one after it, and a recovery code once however it is typed", async () => {
    const { code, recoveryCodes, completed } = await opened(open)
    expect(recoveryCodes).toHaveLength(10)
    const [first = "", second = ""] = recoveryCodes
    expect(await completed(code())).toBe(200)
    expect(await completed(code())).toBe(400)
    expect(await completed(code(-1))).toBe(400)
    expect(await completed(code(1))).toBe(200)
    expect(await completed(first)).toBe(200)
    expect(await completed(first)).toBe(400)
    expect(await completed(` ${second.toLowerCase().replaceAll("-", " ")} `)).toBe(200)
  })

  test("of two sign-ins with one code at once, one succeeds", async () => {
    const { code, completed } = await opened(open)
    const both = await Promise.all([completed(code()), completed(code())])
    expect(both.toSorted()).toEqual([200, 400])
  })

  test("a challenge ends with a session, after five codes, after five minutes, and with a new password", async () => {
    const { owner, code, wrong, advance } = await opened(open)
    const challenge = async (password = PASSWORD) => (await owner.signIn(password)).data["challenge"]
    const status = async (sent: unknown, given: string) => (await owner.complete(sent, given)).status
    const [used, waiting] = [await challenge(), await challenge()]
    expect(await status(used, code())).toBe(200)
    expect([await status(used, code(1)), await status(waiting, code(1))]).toEqual([400, 400])
    const tried = await challenge()
    for (let at = 0; at < 5; at += 1) expect(await status(tried, wrong())).toBe(400)
    expect(await status(tried, code(1))).toBe(400)
    const late = await challenge()
    await advance(5 * MINUTE_MS)
    expect(await status(late, code())).toBe(400)
    const old = await challenge()
    expect((await owner.renew()).status).toBe(200)
    expect(await status(old, code())).toBe(400)
    expect(await status(await challenge(NEW), code())).toBe(200)
  })

  test("a link makes a browser known in the middle of strangers' guesses, and makes earlier ones unknown", async () => {
    const { owner, visitor, guess } = await opened(open)
    for (let at = 0; at <= 100; at += 1) await guess(`198.51.100.${at}`)
    const browser = visitor("192.0.2.12")
    expect((await browser.signIn(PASSWORD)).status).toBe(429)
    expect((await browser.renew()).status).toBe(200)
    expect((await browser.signIn(NEW)).status).toBe(202)
    expect((await owner.signIn(NEW)).status).toBe(429)
  })
})
