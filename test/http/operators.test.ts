/** Operators at `/ops`: a session of a browser and an operator token pass the same gate, over HTTP. */

import { sql } from "drizzle-orm"
import { Effect } from "effect"
import { expect, test } from "vitest"
import { SIGN_INS_PER_ADDRESS_MAX } from "../../src/model/values/limits.ts"
import { OPERATOR_ROLES } from "../../src/model/caller.ts"
import type { OperatorRole } from "../../src/model/caller.ts"
import { OperatorAccounts } from "../../src/apps/operators/accounts.ts"
import { codeAt, stepAt } from "../../src/apps/portal/people/totp.ts"
import { Database } from "../../src/engine/store/database.ts"
import { contentOf } from "./api.ts"
import type { Api } from "./api.ts"
import { FORM_KEY, makeOps, signIn, signedIn } from "./ops-pages.ts"

const PERSON_HEADER = "x-curbline-person"
const COOKIE = "curbline_operator_production"

test("a session reads the operations API, and changes it with the form key of its page", async () => {
  const api = await makeOps()
  const { cookie, key } = await signedIn(api)
  const page = await api.app.inject({ url: "/ops", headers: { cookie } })
  const { me } = page.json<{ readonly me: { readonly operations: readonly string[] } }>()
  expect(me.operations).toEqual(expect.arrayContaining(["listSites", "makeOperatorToken"]))
  const sites = await api.call("GET", "/internal/v1/sites", { key: null, headers: { cookie } })
  expect([sites.status, (sites.data["sites"] as object[]).length > 0]).toEqual([200, true])
  const change = (headers: Readonly<Record<string, string>>) =>
    api.call("POST", "/internal/v1/operator-tokens", {
      key: null,
      headers,
      body: { label: "made by a page" },
    })
  expect(await change({ cookie })).toMatchObject({ status: 403, code: "CROSS_SITE_REQUEST" })
  expect(await change({ cookie, [FORM_KEY]: "guess" })).toMatchObject({ status: 403 })
  const foreign = { cookie, [FORM_KEY]: key, origin: "https://evil.example" }
  expect(await change(foreign)).toMatchObject({ status: 403, code: "CROSS_SITE_REQUEST" })
  expect(await change({ cookie, [FORM_KEY]: key })).toMatchObject({ status: 201 })
})

test("a page of another operator reads and changes nothing with the session of this one", async () => {
  const api = await makeOps()
  const { cookie, key } = await signedIn(api)
  const as = (person: string) => ({
    key: null,
    headers: { cookie, [FORM_KEY]: key, [PERSON_HEADER]: person },
  })
  const page = await api.app.inject({ url: "/ops", headers: { cookie } })
  const { me } = page.json<{ readonly me: { readonly operator_id: string } }>()
  expect(await api.call("GET", "/internal/v1/sites", as(me.operator_id))).toMatchObject({ status: 200 })
  const body = { label: "made by a page" }
  for (const [method, path] of [
    ["GET", "/internal/v1/sites"],
    ["POST", "/internal/v1/operator-tokens"],
  ] as const) {
    const answer = await api.call(method, path, { ...as("another"), ...(method === "GET" ? {} : { body }) })
    expect(answer).toMatchObject({ status: 401, code: "SIGN_IN_REQUIRED" })
  }
  expect(
    await api.call("POST", "/internal/v1/operator-tokens", { ...as(me.operator_id), body }),
  ).toMatchObject({ status: 201 })
})

test("the audit log has who signed in with a token, and who signed out", async () => {
  const api = await makeOps()
  const { cookie, key } = await signedIn(api)
  const left = await api.app.inject({
    method: "DELETE",
    url: "/ops/api/session",
    headers: { cookie, [FORM_KEY]: key },
  })
  expect(left.statusCode).toBe(200)
  const log = await api.operate("GET", "/audit-log")
  const who = { actor_type: "token", actor: "tests", subject_id: null, outcome: "done" }
  expect(log.data["actions"]).toMatchObject([
    { ...who, action: "signOut" },
    { ...who, action: "signIn" },
  ])
})

test("the audit log names persons, is filtered by person, action and time, and is a CSV file", async () => {
  const api = await makeOps()
  const { accountId } = await madeAccount(api, "viewer")
  await api.operate("PATCH", `/operators/${accountId}`, { body: { name: "=Ana" } })
  const all = "/audit-log?action=changeOperator"
  const listed = async (query: string) => (await api.operate("GET", query)).data["actions"] as object[]
  const [line] = await listed(all)
  expect(line).toMatchObject({ actor: "tests", subject_id: accountId, subject: "=Ana" })
  expect(await listed("/audit-log?operator_id=unknown")).toEqual([])
  const now = encodeURIComponent(new Date(api.now() + 1).toISOString())
  expect(await listed(`${all}&from=${now}`)).toEqual([])
  expect(await listed(`${all}&to=${now}`)).toHaveLength(1)
  const file = async (query: string, key?: string) =>
    api.app.inject({
      url: `/internal/v1/audit-log.csv${query}`,
      headers: { authorization: `Bearer ${key ?? "none"}` },
    })
  expect((await file("")).statusCode).toBe(401)
  const made = await api.operate("POST", "/operator-tokens", { body: { label: "r", role: "admin" } })
  const csv = await file("?action=changeOperator", String(made.data["value"]))
  expect(csv.headers["content-type"]).toBe("text/csv; charset=utf-8")
  const [head, row, end] = csv.payload.split("\r\n")
  expect([head, end]).toEqual(["at,actor_type,actor_id,actor,action,subject_id,subject,outcome", ""])
  expect(row).toMatch(new RegExp(`,tests,changeOperator,${accountId},'=Ana,done$`))
  const viewer = await api.operate("POST", "/operator-tokens", { body: { label: "v", role: "manager" } })
  expect((await file("", String(viewer.data["value"]))).json<{ code: string }>().code).toBe(
    "PERMISSION_DENIED",
  )
})

test("a session that is unknown or over gets SIGN_IN_REQUIRED, a caller with nothing INVALID_OPERATOR_TOKEN", async () => {
  const api = await makeOps()
  const { cookie, key } = await signedIn(api)
  const read = (headers: Readonly<Record<string, string>>) =>
    api.call("GET", "/internal/v1/sites", { key: null, headers })
  expect(await read({})).toMatchObject({ status: 401, code: "INVALID_OPERATOR_TOKEN" })
  const unknown = { cookie: `${COOKIE}=${"a".repeat(43)}` }
  expect(await read(unknown)).toMatchObject({ status: 401, code: "SIGN_IN_REQUIRED" })
  const leave = (headers: Readonly<Record<string, string>>) =>
    api.app.inject({ method: "DELETE", url: "/ops/api/session", headers })
  expect((await leave({ cookie })).statusCode).toBe(403)
  expect((await leave({ cookie, [FORM_KEY]: key })).statusCode).toBe(200)
  expect(await read({ cookie })).toMatchObject({ status: 401, code: "SIGN_IN_REQUIRED" })
})

test("a wrong header Authorization is not mended by a session", async () => {
  const api = await makeOps()
  const { cookie } = await signedIn(api)
  const answer = await api.call("GET", "/internal/v1/sites", { key: "wrong", headers: { cookie } })
  expect(answer).toMatchObject({ status: 401, code: "INVALID_OPERATOR_TOKEN" })
})

test("signing in refuses a partner's key, requests of other sites, and one attempt too many", async () => {
  const api = await makeOps()
  expect((await signIn(api, api.key)).statusCode).toBe(401)
  expect((await signIn(api, api.operatorToken, { origin: "https://evil.example" })).statusCode).toBe(403)
  const log = await api.operate("GET", "/audit-log")
  expect(log.data["actions"]).toMatchObject([
    { action: "signIn", actor_type: "token", actor: "unknown", outcome: "INVALID_OPERATOR_TOKEN" },
  ])
  let status = 0
  for (let count = 0; count <= SIGN_INS_PER_ADDRESS_MAX && status !== 429; count += 1)
    status = (await signIn(api, "wrong")).statusCode
  expect(status).toBe(429)
  // A token cannot be guessed, so guesses from its holder's network do not lock the holder out.
  expect((await signIn(api, api.operatorToken)).statusCode).toBe(200)
})

test("an address without a page gives a browser a page, after a sign-in, and programs an error", async () => {
  const api = await makeOps()
  const { cookie } = await signedIn(api)
  const at = (accept: string, headers: object = {}) =>
    api.app.inject({ url: "/ops/nothing/here", headers: { accept, ...headers } })
  const page = await at("text/html,*/*;q=0.8", { cookie })
  expect([page.statusCode, page.headers["cache-control"]]).toEqual([404, "no-store"])
  expect(page.json()).toMatchObject({ me: { label: expect.any(String) } })
  const stranger = await at("text/html")
  expect(stranger.statusCode).toBe(303)
  expect(stranger.headers["location"]).toBe("/ops/sign-in?to=%2Fops%2Fnothing%2Fhere")
  for (const headers of [{}, { cookie }]) {
    const program = await at("application/json", headers)
    expect([program.statusCode, program.json()]).toMatchObject([404, { code: "NOT_FOUND" }])
  }
})

test("pages lead to the sign-in without a session, and back to where they were", async () => {
  const api = await makeOps()
  const { cookie } = await signedIn(api)
  const at = (url: string, headers: object = {}) => api.app.inject({ url, headers: { ...headers } })
  expect((await at("/ops/sites/s1?x=1")).headers["location"]).toBe(
    "/ops/sign-in?to=%2Fops%2Fsites%2Fs1%3Fx%3D1",
  )
  expect((await at("/ops/sign-in")).json()).toMatchObject({ me: null, environment: "production" })
  expect((await at("/ops/sign-in", { cookie })).headers["location"]).toBe("/ops")
  const page = await at("/ops/sites/s1", { cookie })
  expect([page.statusCode, page.headers["cache-control"]]).toEqual([200, "no-store"])
})

const PASSWORD = "seven-kites-over-the-quiet-harbour"

async function madeAccount(
  api: Api,
  role: OperatorRole,
  email = "ana@operations.example",
): Promise<{ readonly accountId: string; readonly token: string }> {
  const wanted = { email, name: "Ana O.", role, siteIds: null }
  const { operator, token } = await api.run(
    Effect.flatMap(OperatorAccounts, (accounts) => accounts.make(wanted)),
  )
  return { accountId: operator.accountId, token }
}

const post = (api: Api, path: string, payload: object, headers: object = {}) =>
  api.app.inject({
    method: "POST",
    url: `/ops/api${path}`,
    headers: { "content-type": "application/json", ...headers },
    payload: JSON.stringify(payload),
  })

const choose = (api: Api, token: string, password = PASSWORD) => post(api, "/password", { token, password })

/** The cookie of an answer, and the data of the page that it opens. */
async function pageOf(api: Api, answer: { readonly headers: object }) {
  const header = (answer.headers as Readonly<Record<string, unknown>>)["set-cookie"]
  const cookie = String(header).split(";")[0] ?? ""
  const page = await api.app.inject({ url: "/ops", headers: { cookie } })
  const { me } = page.json<{ readonly me: { readonly form_key: string; readonly needs_factor: boolean } }>()
  return { cookie, key: me.form_key, needsFactor: me.needs_factor }
}

/** What the sign-in page says of an ended session. */
async function endedOf(api: Api, cookie: string): Promise<string | null> {
  const page = await api.app.inject({ url: "/ops/sign-in", headers: { cookie } })
  return page.json<{ readonly ended: string | null }>().ended
}

test("a link lets an operator choose a password, once; with a second factor the account then may do what its role may", async () => {
  const api = await makeOps()
  const { token } = await madeAccount(api, "viewer")
  const credentials = { email: "ANA@operations.example", password: PASSWORD }
  expect((await post(api, "/session", credentials)).statusCode).toBe(401)
  expect((await choose(api, token, "password1234")).statusCode).toBe(400)
  expect((await choose(api, token)).statusCode).toBe(200)
  expect((await choose(api, token)).statusCode).toBe(400)
  const wrong = await post(api, "/session", { ...credentials, password: "wrong-wrong-wrong" })
  expect([wrong.statusCode, wrong.json<{ code: string }>().code]).toEqual([401, "INVALID_CREDENTIALS"])
  const { cookie, key } = await pageOf(api, await post(api, "/session", credentials))
  const headers = { cookie, [FORM_KEY]: key }
  const enrolled = await post(api, "/account/second-factor", { current_password: PASSWORD }, headers)
  const { secret } = enrolled.json<{ data: { secret: string } }>().data
  const code = codeAt(secret, stepAt(api.now()))
  expect((await post(api, "/account/second-factor/confirm", { code }, headers)).statusCode).toBe(200)
  const as = (method: string, path: string) => api.call(method, `/internal/v1${path}`, { key: null, headers })
  expect((await as("GET", "/sites")).status).toBe(200)
  expect(await as("GET", "/operator-tokens")).toMatchObject({ status: 403, code: "PERMISSION_DENIED" })
})

test.each(OPERATOR_ROLES)(
  "a %s may do nothing before the second factor is on, and signs in with a code after it",
  async (role) => {
    const api = await makeOps()
    const { token, accountId } = await madeAccount(api, role)
    await choose(api, token)
    const credentials = { email: "ana@operations.example", password: PASSWORD }
    const first = await pageOf(api, await post(api, "/session", credentials))
    expect(first.needsFactor).toBe(true)
    const headers = { cookie: first.cookie, [FORM_KEY]: first.key }
    const sites = () => api.call("GET", "/internal/v1/sites", { key: null, headers })
    expect(await sites()).toMatchObject({ status: 403, code: "PERMISSION_DENIED" })
    const enrolled = await post(api, "/account/second-factor", { current_password: PASSWORD }, headers)
    const { secret } = enrolled.json<{ data: { secret: string } }>().data
    const code = (later = 0): string => codeAt(secret, stepAt(api.now()) + later)
    const wrong = await post(api, "/account/second-factor/confirm", { code: "000000" }, headers)
    expect(wrong.statusCode).toBe(400)
    const confirmed = await post(api, "/account/second-factor/confirm", { code: code() }, headers)
    const { recovery_codes: codes } = confirmed.json<{ data: { recovery_codes: string[] } }>().data
    expect(codes).toHaveLength(10)
    expect((await sites()).status).toBe(200)

    const begun = await post(api, "/session", credentials)
    expect([begun.statusCode, begun.headers["set-cookie"]]).toEqual([202, undefined])
    const { challenge } = begun.json<{ data: { challenge: string } }>().data
    const complete = (sent: string) => post(api, "/session/second-factor", { challenge, code: sent })
    // The code that confirmed it does not work again.
    expect((await complete(code())).statusCode).toBe(400)
    expect((await complete(code(1))).statusCode).toBe(200)
    const again = await post(api, "/session", credentials)
    const other = again.json<{ data: { challenge: string } }>().data.challenge
    const byRecovery = { challenge: other, code: codes[0] }
    expect((await post(api, "/session/second-factor", byRecovery)).statusCode).toBe(200)

    const deactivate = { body: { is_active: false } }
    expect((await api.operate("PATCH", `/operators/${accountId}`, deactivate)).status).toBe(200)
    expect(await sites()).toMatchObject({ status: 401, code: "SIGN_IN_REQUIRED" })
    // Who gives the right password learns it; a stranger learns nothing.
    const refused = async (password: string) =>
      (await post(api, "/session", { ...credentials, password })).json<{ readonly code: string }>().code
    expect([await refused(credentials.password), await refused("wrong")]).toEqual([
      "ACCOUNT_DEACTIVATED",
      "INVALID_CREDENTIALS",
    ])
    await api.operate("PATCH", `/operators/${accountId}`, { body: { is_active: true, role: "viewer" } })
    const { data: outbox } = await api.operate("GET", "/messages?channel=mail")
    const mails = outbox["messages"] as readonly { readonly to: string; readonly text: string }[]
    expect(mails.map(({ text }) => text.split("\n").slice(0, -1))).toEqual([
      expect.arrayContaining(["Your account is active again: you may sign in."]),
      ["Your account is deactivated: your sessions ended, and you cannot sign in."],
    ])
    expect(new Set(mails.map(({ to }) => to))).toEqual(new Set([credentials.email]))
    expect(await endedOf(api, first.cookie)).toMatch(/your account is deactivated/)
    expect(await endedOf(api, `${COOKIE}=${"a".repeat(43)}`)).toBeNull()
    const rows = await contentOf(api)
    expect(rows).not.toContain(PASSWORD)
    expect(rows).not.toContain(secret)
    expect(rows).not.toContain(first.cookie.split("=")[1])
  },
)

test("a line of the audit log cannot be changed, in the database either", async () => {
  const api = await makeOps()
  await madeAccount(api, "viewer")
  await api.operate("POST", "/operators", {
    body: { email: "x@operations.example", name: "X", role: "viewer" },
  })
  const before = await api.operate("GET", "/audit-log")
  const changing = api.run(
    Effect.flatMap(Database, ({ orm }) =>
      Effect.promise(() => orm.execute(sql`update operator_actions set outcome = 'REFUSED'`)),
    ),
  )
  await expect(changing).rejects.toThrow(/operator_actions/)
  expect((before.data["actions"] as readonly object[]).length).toBeGreaterThan(0)
  expect((await api.operate("GET", "/audit-log")).data).toEqual(before.data)
})

test("administrators make, list and link accounts; one e-mail address has one", async () => {
  const api = await makeOps()
  const body = { email: "kim@operations.example", name: "Kim T.", role: "dispatcher" }
  const made = await api.operate("POST", "/operators", { body })
  expect(made).toMatchObject({ status: 201, data: { operator: { role: "dispatcher", has_password: false } } })
  expect(String(made.data["value"])).toMatch(/^\/ops\/set-password#token=[\w-]{43}$/)
  expect(await api.operate("POST", "/operators", { body })).toMatchObject({ code: "ALREADY_EXISTS" })
  const listed = await api.operate("GET", "/operators")
  const [{ operator_id: id } = { operator_id: "" }] = listed.data["operators"] as { operator_id: string }[]
  expect(JSON.stringify(listed.body)).not.toContain("hash")
  const linked = await api.operate("POST", `/operators/${id}/link`)
  expect(linked.status).toBe(200)
  // The first link has ended.
  const first = String(made.data["value"]).split("=")[1] ?? ""
  expect((await choose(api, first)).statusCode).toBe(400)
  expect((await choose(api, String(linked.data["value"]).split("=")[1] ?? "")).statusCode).toBe(200)
})
