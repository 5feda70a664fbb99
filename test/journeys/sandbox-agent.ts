/** The same agent in the sandbox: a test number and its code, made-up stores, test payments, and errands moved by hand. */

import { expect, test } from "vitest"
import type { CourierEnvelope, CourierTool } from "../../src/model/courier.ts"
import { authorizationQuery } from "../areas/linking/authorization-query.ts"
import { developerOf } from "./sandbox-developer.ts"
import type { Answered, Json, Served } from "./served.ts"

const TEST_PHONE = "+15125550107"
const VERIFIER = "w".repeat(64)

interface InProduction {
  /** A URI that operations allow. */
  readonly redirect: string
  readonly token: () => string
  readonly refreshToken: () => string
  readonly client: () => string
}

/** The tests of the part. The connector of production has other users, and a processor and an SMS provider of its own. */
export function tryTheSandbox(served: Served, { redirect, ...production }: InProduction): void {
  const { ask, process } = served
  const develop = developerOf(served)
  const issuerOn = (host: "production" | "sandbox"): string => `${process().urls[host]}/api/delivery-mcp`
  let client = ""
  let token = ""
  let delivery = ""
  let calls = 0

  const form = (issuer: string, path: string, fields: Readonly<Record<string, string>>): Promise<Answered> =>
    ask({ path: `${issuer}/oauth/${path}`, body: new URLSearchParams(fields) })

  const rpc = (issuer: string, bearer: string, params: object): Promise<Answered> =>
    ask({
      path: `${issuer}/mcp`,
      bearer,
      headers: { accept: "application/json, text/event-stream" },
      body: { jsonrpc: "2.0", id: (calls += 1), method: "tools/call", params },
    })

  const call = async (name: CourierTool, args: object): Promise<CourierEnvelope> => {
    const key = name === "get_delivery_status" ? {} : { idempotency_key: `sandbox-${name}-${(calls += 1)}` }
    const { body } = await rpc(issuerOn("sandbox"), token, { name, arguments: { ...args, ...key } })
    return body.result.structuredContent
  }

  const submit = async (page: string, fields: Readonly<Record<string, string>>): Promise<Answered> => {
    const request = /name="request" value="([^"]+)"/.exec(page)?.[1] ?? ""
    const answer = await form(issuerOn("sandbox"), "authorize", { request, ...fields })
    const next = answer.headers.get("location")
    return answer.status === 303 && next !== null ? ask({ path: next }) : answer
  }

  test("an agent links a test number of the sandbox by the code that its organization reads; nothing is texted", async () => {
    const issuer = issuerOn("sandbox")
    const added = await develop("POST", "/sandbox/v1/agents/numbers", { phone: TEST_PHONE })
    expect(added).toMatchObject({ status: 200, data: { number: { phone: TEST_PHONE } } })
    const metadata = await ask({
      path: `${process().urls.sandbox}/.well-known/oauth-protected-resource/api/delivery-mcp`,
    })
    expect(metadata.body).toMatchObject({ resource: issuer, authorization_servers: [issuer] })
    const registered = await ask({
      path: `${issuer}/oauth/register`,
      body: { client_name: "Grocery agent", redirect_uris: [redirect] },
    })
    client = registered.body.client_id
    const query = authorizationQuery({ client, redirect, verifier: VERIFIER, issuer })
    const phonePage = await ask({ path: `${issuer}/oauth/authorize?${query.toString()}` })
    const codePage = await submit(phonePage.text, { phone: TEST_PHONE })
    const done = await submit(codePage.text, { code: String(added.data.number.code) })
    const code = new URL(done.headers.get("location") ?? "").searchParams.get("code") ?? ""
    const exchange = { grant_type: "authorization_code", code, redirect_uri: redirect, client_id: client }
    const elsewhere = await form(issuerOn("production"), "token", { ...exchange, code_verifier: VERIFIER })
    expect([elsewhere.status, elsewhere.body.error]).toEqual([400, "invalid_grant"])
    const granted = await form(issuer, "token", { ...exchange, code_verifier: VERIFIER })
    expect(granted.status).toBe(200)
    token = granted.body.access_token
  })

  test("tokens of one host open nothing on the other", async () => {
    const status = { name: "get_delivery_status", arguments: { delivery_id: `dlv_${"z".repeat(22)}` } }
    expect((await rpc(issuerOn("production"), token, status)).status).toBe(401)
    expect((await rpc(issuerOn("sandbox"), production.token(), status)).status).toBe(401)
    const refreshed = await form(issuerOn("sandbox"), "token", {
      grant_type: "refresh_token",
      refresh_token: production.refreshToken(),
      client_id: production.client(),
    })
    expect([refreshed.status, refreshed.body.error]).toEqual([400, "invalid_grant"])
    expect((await rpc(issuerOn("production"), production.token(), status)).status).toBe(200)
  })

  test("the agent orders at a made-up store, pays on our test page, and the errand is advanced to the door", async () => {
    const { data } = await develop("GET", "/sandbox/v1/agents")
    const store: Json = data.agents.stores.find(({ kind }: Json) => kind === "check_in")
    const { name: retailer_name, street, city, state, zip } = store
    const quoted = await call("check_delivery", {
      retailer_name,
      store_address: { street, city, state, zip },
      dropoff_address: { ...DOOR, city, state, zip },
      requested_timing: { type: "asap" },
      pickup_methods_offered: ["curbside"],
    })
    expect(quoted).toMatchObject({ state: "quoted" })
    delivery = quoted.delivery_id ?? ""
    const held = await call("reserve_delivery", { delivery_id: delivery, ...CONSENT })
    const checkout = held.payment?.checkout_url ?? ""
    expect(checkout.startsWith(`${process().urls.sandbox}/pay/`)).toBe(true)
    const paid = await ask({ path: checkout, body: new URLSearchParams({ instrument: "spt_ok_checkout" }) })
    expect(paid.status).toBe(303)
    const booked = await call("confirm_delivery", {
      delivery_id: delivery,
      order_number: "1001",
      items: [{ name: "Tomato soup", quantity: 1 }],
      confirmation_text: "Thank you!",
    })
    expect(booked).toMatchObject({ payment_status: "captured" })
    expect((await ask({ path: booked.tracking_url ?? "" })).text).toContain(retailer_name)
    const states: string[] = []
    for (let canAdvance = true; canAdvance;) {
      const { data: moved } = await develop("POST", `/sandbox/v1/errands/${delivery}/advance`)
      states.push(moved.errand.state)
      canAdvance = moved.errand.can_advance
    }
    expect(states.at(-1)).toBe("completed")
    expect(await call("get_delivery_status", { delivery_id: delivery })).toMatchObject({ state: "completed" })
  })

  test("operations of production know no test errand and no test number", async () => {
    const { data } = await develop("GET", "/sandbox/v1/errands")
    expect(data.errands).toMatchObject([{ delivery_id: delivery, state: "completed" }])
    expect(await served.operate("phones", "list")).not.toContain(TEST_PHONE)
  })
}

const DOOR = { street: "1 River Road", location: { lat: 30.41, lng: -97.72 } }

const CONSENT = {
  customer: { first_name: "Ada", last_name: "Example" },
  contact: {},
  contact_consent: { granted: true, consent_version: "2026-09-27" },
  terms_acknowledged: { accepted: true, terms_version: "2026-09-27" },
  pickup_requirements_seen: [],
}
