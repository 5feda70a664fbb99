/** Operators at `/ops`: a session of a browser and an operator token pass the same gate, over HTTP. */

import { Effect } from "effect"
import { expect, test } from "vitest"
import { operatorPagesPlugin } from "../../src/operators/http/pages.ts"
import { operatorPlugin } from "../../src/operators/http/plugin.ts"
import { SIGN_INS_PER_ADDRESS_MAX } from "../../src/model/limits.ts"
import { bridgeTo } from "../../src/http/bridge.ts"
import { makeApi } from "./api.ts"
import type { Api, ApiServices } from "./api.ts"

const FORM_KEY = "x-curbline-form-key"
const COOKIE = "curbline_operator_production"

interface Visitor {
  readonly cookie: string
  readonly key: string
}

async function makeOps(): Promise<Api> {
  const api = await makeApi()
  const runtime = await api.run(Effect.runtime<ApiServices>())
  const host = { run: bridgeTo(runtime), environment: "production", baseUrl: "http://localhost" } as const
  await api.app.register(operatorPlugin, host)
  const page = async ({ data }: { readonly data: unknown }) => ({ html: JSON.stringify(data), policy: "" })
  await api.app.register(operatorPagesPlugin, { ...host, hasInspector: false, page })
  return api
}

const signIn = (api: Api, token: string, headers: object = {}) =>
  api.app.inject({
    method: "POST",
    url: "/ops/api/session",
    headers: { "content-type": "application/json", ...headers },
    payload: JSON.stringify({ token }),
  })

/** The cookie of a sign-in, and the form key that a page with it holds. */
async function signedIn(api: Api): Promise<Visitor> {
  const answer = await signIn(api, api.operatorToken)
  expect(answer.statusCode).toBe(200)
  const cookie = String(answer.headers["set-cookie"]).split(";")[0] ?? ""
  const page = await api.app.inject({ url: "/ops", headers: { cookie } })
  const { me } = page.json<{ readonly me: { readonly form_key: string } }>()
  return { cookie, key: me.form_key }
}

test("a session reads the operations API, and changes it with the form key of its page", async () => {
  const api = await makeOps()
  const { cookie, key } = await signedIn(api)
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
  let status = 0
  for (let count = 0; count <= SIGN_INS_PER_ADDRESS_MAX && status !== 429; count += 1)
    status = (await signIn(api, "wrong")).statusCode
  expect(status).toBe(429)
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
