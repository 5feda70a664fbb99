/** The sandbox's connector over HTTP: test numbers, an agent that links one of them, its errands, and how they are moved. */

import { createHash } from "node:crypto"
import { Effect } from "effect"
import { expect, test } from "vitest"
import { courierPagesPlugin } from "../../src/areas/courier/http/plugin.ts"
import { oauthPlugin } from "../../src/areas/linking/http/plugin.ts"
import { AllowedRedirects } from "../../src/areas/linking/redirect-uris.ts"
import { mcpPlugin } from "../../src/apps/mcp/plugin.ts"
import { SandboxConnector } from "../../src/live/services/sandbox-connector.ts"
import { ERRAND_FAILURES } from "../../src/model/requests/agents.ts"
import type { ErrandFailure } from "../../src/model/requests/agents.ts"
import type { CourierEnvelope } from "../../src/model/courier.ts"
import { TEST_NUMBERS_MAX } from "../../src/model/values/limits.ts"
import { contentOf, makeApi } from "./api.ts"
import type { Api } from "./api.ts"

const ORIGIN = "http://localhost"
const ISSUER = "/api/delivery-mcp"
const CALLBACK = "https://agent.example/callback"
const PHONE = "+15125550101"
const VERIFIER = "v".repeat(43)
const DOOR = { lat: 30.41, lng: -97.72 }

/** The app of the sandbox host with its connector. */
async function makeSandbox(): Promise<Api> {
  const api = await makeApi({
    environment: "sandbox",
    plugins: {
      name: "connector",
      register: async (app, run) => {
        const ofConnector = <A, E, R>(effect: Effect.Effect<A, E, R>): Promise<A> =>
          run(
            Effect.flatMap(SandboxConnector, ({ services }) =>
              Effect.provide(effect, services),
            ) as Effect.Effect<A, E>,
          )
        await app.register(oauthPlugin, { run: ofConnector, baseUrl: ORIGIN, isForTests: true })
        await app.register(mcpPlugin, { run: ofConnector, baseUrl: ORIGIN, card: async () => "" })
        await app.register(courierPagesPlugin, { run: ofConnector })
      },
    },
  })
  const allow = Effect.flatMap(AllowedRedirects, (redirects) => redirects.allow(CALLBACK))
  await api.run(Effect.flatMap(SandboxConnector, ({ services }) => Effect.provide(allow, services)))
  return api
}

async function add(api: Api, phone: string, key?: string) {
  return api.call("POST", "/sandbox/v1/agents/numbers", {
    body: { phone },
    ...(key === undefined ? {} : { key }),
  })
}

interface SeenNumber {
  readonly phone: string
  readonly code: string
}

/** Of the number, as its organization reads it. */
async function codeOf(api: Api, key: string): Promise<string> {
  const { data } = await api.call("GET", "/sandbox/v1/agents", { key })
  const { numbers } = data["agents"] as { readonly numbers: readonly SeenNumber[] }
  return numbers.find((one) => one.phone === PHONE)?.code ?? ""
}

/** Registers a client, types the number and the code, and exchanges the authorization code. */
async function linked(api: Api, key = api.key): Promise<string> {
  const { app } = api
  const registered = await app.inject({
    method: "POST",
    url: `${ISSUER}/oauth/register`,
    payload: { client_name: "An agent", redirect_uris: [CALLBACK] },
  })
  const { client_id } = registered.json<{ client_id: string }>()
  const query = new URLSearchParams({
    response_type: "code",
    client_id,
    redirect_uri: CALLBACK,
    code_challenge: createHash("sha256").update(VERIFIER).digest("base64url"),
    code_challenge_method: "S256",
    resource: `${ORIGIN}${ISSUER}`,
  })
  const first = await app.inject({ url: `${ISSUER}/oauth/authorize?${query.toString()}` })
  const post = (page: string, fields: Readonly<Record<string, string>>) =>
    app.inject({
      method: "POST",
      url: `${ISSUER}/oauth/authorize`,
      headers: { "content-type": "application/x-www-form-urlencoded" },
      payload: new URLSearchParams({
        request: /name="request" value="([^"]*)"/.exec(page)?.[1] ?? "",
        ...fields,
      }).toString(),
    })
  const sent = await post(first.body, { phone: PHONE })
  if (sent.statusCode !== 303) throw new Error(`the phone page answered ${sent.statusCode}`)
  const codePage = await app.inject({ url: String(sent.headers.location).replace(ORIGIN, "") })
  const known = await codeOf(api, key)
  // The number alone opens nothing.
  expect(codePage.body).not.toContain(known)
  const wrong = known === "000000" ? "000001" : "000000"
  expect((await post(codePage.body, { code: wrong })).statusCode).toBe(400)
  const done = await post(codePage.body, { code: known })
  const code = new URL(String(done.headers.location)).searchParams.get("code") ?? ""
  const tokens = await app.inject({
    method: "POST",
    url: `${ISSUER}/oauth/token`,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    payload: new URLSearchParams({
      grant_type: "authorization_code",
      code,
      redirect_uri: CALLBACK,
      code_verifier: VERIFIER,
      client_id,
    }).toString(),
  })
  return tokens.json<{ access_token: string }>().access_token
}

async function posted(api: Api, token: string, name: string, args: object) {
  return api.app.inject({
    method: "POST",
    url: `${ISSUER}/mcp`,
    headers: {
      authorization: `Bearer ${token}`,
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-06-18",
    },
    payload: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } },
  })
}

let keys = 0

async function tool(api: Api, token: string, name: string, args: object): Promise<CourierEnvelope> {
  keys += 1
  const key =
    name === "get_delivery_status" ? {} : { idempotency_key: `key-${String(keys).padStart(5, "0")}` }
  const answered = await posted(api, token, name, { ...args, ...key })
  expect([answered.statusCode, answered.body]).toMatchObject([200, expect.anything()])
  return answered.json<{ result: { structuredContent: CourierEnvelope } }>().result.structuredContent
}

interface SeenStore {
  readonly kind: string
  readonly name: string
  readonly street: string
  readonly city: string
  readonly state: string
  readonly zip: string
}

async function storeOf(api: Api, kind: string): Promise<SeenStore> {
  const { data } = await api.call("GET", "/sandbox/v1/agents")
  const { stores } = data["agents"] as { readonly stores: readonly SeenStore[] }
  const found = stores.find((store) => store.kind === kind)
  if (found === undefined) throw new Error(`no store of kind ${kind}`)
  return found
}

async function checked(api: Api, token: string, kind = "check_in"): Promise<CourierEnvelope> {
  const { name, street, city, state, zip } = await storeOf(api, kind)
  return tool(api, token, "check_delivery", {
    retailer_name: name,
    store_address: { street, city, state, zip },
    dropoff_address: { street: "1 River Road", city: "Austin", state: "TX", zip: "78758", location: DOOR },
    requested_timing: { type: "asap" },
    pickup_methods_offered: ["curbside"],
  })
}

async function held(api: Api, token: string, payment?: string): Promise<string> {
  const { delivery_id = "", consent, terms } = await checked(api, token)
  const answer = await tool(api, token, "reserve_delivery", {
    delivery_id,
    customer: { first_name: "Ada", last_name: "Example" },
    contact: {},
    contact_consent: { granted: true, consent_version: consent?.version },
    terms_acknowledged: { accepted: true, terms_version: terms?.version },
    pickup_requirements_seen: [],
    ...(payment === undefined ? {} : { payment: { shared_payment_token: payment } }),
  })
  expect(answer).toMatchObject({ state: "held" })
  return delivery_id
}

async function confirmed(api: Api, token: string, deliveryId: string): Promise<CourierEnvelope> {
  return tool(api, token, "confirm_delivery", {
    delivery_id: deliveryId,
    order_number: "1001",
    items: [{ name: "Tomato soup", quantity: 1 }],
    confirmation_text: "Thank you!",
  })
}

async function booked(api: Api, token: string): Promise<string> {
  const deliveryId = await held(api, token, "spt_ok")
  expect(await confirmed(api, token, deliveryId)).toMatchObject({ payment_status: "captured" })
  return deliveryId
}

interface SeenErrand {
  readonly delivery_id: string
  readonly state: string
  readonly payment_status: string
  readonly failure_reason: string | null
  readonly can_advance: boolean
  readonly failures: readonly ErrandFailure[]
}

async function errands(api: Api, key?: string): Promise<readonly SeenErrand[]> {
  const { data } = await api.call("GET", "/sandbox/v1/errands", key === undefined ? {} : { key })
  return data["errands"] as readonly SeenErrand[]
}

async function advance(api: Api, deliveryId: string): Promise<SeenErrand> {
  const { status, data, body } = await api.call("POST", `/sandbox/v1/errands/${deliveryId}/advance`)
  expect([status, body]).toMatchObject([200, {}])
  return data["errand"] as SeenErrand
}

async function fail(api: Api, deliveryId: string, failure: ErrandFailure) {
  return api.call("POST", `/sandbox/v1/errands/${deliveryId}/fail`, { body: { failure } })
}

test("an agent links a test number with its code, and its errand is advanced to the door", async () => {
  const api = await makeSandbox()
  expect(await add(api, PHONE)).toMatchObject({
    status: 200,
    data: { number: { phone: PHONE, linked_at: null } },
  })
  const token = await linked(api)
  const deliveryId = await booked(api, token)
  const states: string[] = []
  for (let errand = (await errands(api))[0]; errand?.can_advance === true;) {
    errand = await advance(api, deliveryId)
    states.push(errand.state)
  }
  expect(states).toEqual([
    "assigned",
    "en_route_to_store",
    "arrived_at_store",
    "waiting_for_load",
    "loaded",
    "en_route_to_customer",
    "arrived_at_customer",
    "completed",
  ])
  expect(await tool(api, token, "get_delivery_status", { delivery_id: deliveryId })).toMatchObject({
    state: "completed",
    payment_status: "captured",
  })
  const again = await api.call("POST", `/sandbox/v1/errands/${deliveryId}/advance`)
  expect([again.status, again.code]).toEqual([409, "INVALID_STATE"])
})

test("each kind of store is served or declined as it says", async () => {
  const api = await makeSandbox()
  await add(api, PHONE)
  const token = await linked(api)
  const reasons: Record<string, unknown> = {}
  for (const kind of ["check_in", "slots", "app_only", "pub", "closed", "out_of_zone"])
    reasons[kind] = (await checked(api, token, kind)).decline_reason ?? "served"
  expect(reasons).toEqual({
    check_in: "served",
    slots: "served",
    app_only: "served",
    pub: "store_not_supported",
    closed: "outside_service_hours",
    out_of_zone: "out_of_zone",
  })
})

test("the organization's clock ends a quote, and moves the service hours", async () => {
  const api = await makeSandbox()
  await add(api, PHONE)
  const token = await linked(api)
  const { delivery_id = "" } = await checked(api, token)
  await api.call("POST", "/sandbox/v1/clock/advance", { body: { by: "PT31M" } })
  expect(await tool(api, token, "get_delivery_status", { delivery_id })).toMatchObject({ state: "expired" })
  await api.call("POST", "/sandbox/v1/clock/advance", { body: { by: "PT13H" } })
  expect(await checked(api, token)).toMatchObject({ decline_reason: "outside_service_hours" })
})

test("only numbers for fiction are taken, each by one organization, and not more than the bound", async () => {
  const api = await makeSandbox()
  const other = await api.makeKey({ organizationId: await api.makeOrganization() })
  for (const phone of ["+15125551234", "+442079460101", "nothing"])
    expect(await add(api, phone)).toMatchObject({ status: 400, code: "VALIDATION_ERROR" })
  const { data } = await add(api, PHONE)
  expect((await add(api, "(512) 555-0101")).data).toEqual(data)
  expect(await add(api, PHONE, other)).toMatchObject({ status: 400, code: "VALIDATION_ERROR" })
  for (let number = 1; number < TEST_NUMBERS_MAX; number += 1) await add(api, `+15125550${120 + number}`)
  expect(await add(api, "+15125550199")).toMatchObject({ status: 422, code: "LIMIT_REACHED" })
  expect(await add(api, "+15125550199", other)).toMatchObject({ status: 200 })
})

test("a removed number opens nothing, and who adds it next sees none of its errands", async () => {
  const api = await makeSandbox()
  const other = await api.makeKey({ organizationId: await api.makeOrganization() })
  const { data } = await add(api, PHONE)
  const { user_id } = data["number"] as { readonly user_id: string }
  const token = await linked(api)
  const { delivery_id = "" } = await checked(api, token)
  const path = `/sandbox/v1/agents/numbers/${user_id}`
  expect((await api.call("DELETE", path, { key: other })).status).toBe(404)
  expect((await api.call("DELETE", path)).status).toBe(200)
  expect((await posted(api, token, "get_delivery_status", { delivery_id })).statusCode).toBe(401)
  expect((await add(api, PHONE, other)).status).toBe(200)
  const next = await linked(api, other)
  expect(await tool(api, next, "get_delivery_status", { delivery_id })).toMatchObject({
    error: { code: "not_found" },
  })
})

test("an organization neither sees nor moves the errands of another", async () => {
  const api = await makeSandbox()
  const other = await api.makeKey({ organizationId: await api.makeOrganization() })
  await add(api, PHONE)
  const deliveryId = await booked(api, await linked(api))
  expect(await errands(api, other)).toEqual([])
  const path = `/sandbox/v1/errands/${deliveryId}`
  const moved = await api.call("POST", `${path}/advance`, { key: other })
  const failed = await api.call("POST", `${path}/fail`, { key: other, body: { failure: "vehicle_lost" } })
  expect([moved.code, failed.code]).toEqual(["DELIVERY_NOT_FOUND", "DELIVERY_NOT_FOUND"])
  expect(await errands(api)).toMatchObject([{ state: "confirmed" }])
})

test("a key without sandbox:manage reads and moves nothing", async () => {
  const api = await makeSandbox()
  const key = await api.holding("deliveries:write")
  for (const path of ["/sandbox/v1/agents", "/sandbox/v1/errands"])
    expect((await api.call("GET", path, { key })).code).toBe("PERMISSION_DENIED")
  expect((await add(api, PHONE, key)).code).toBe("PERMISSION_DENIED")
})

test("a test number and its tokens are in no row in the clear", async () => {
  const api = await makeSandbox()
  await add(api, PHONE)
  const token = await linked(api)
  expect(await contentOf(api)).not.toContain(PHONE)
  expect(await contentOf(api)).not.toContain(token)
})

test("without the vehicle there is no capacity, until it is online again", async () => {
  const api = await makeSandbox()
  await add(api, PHONE)
  const token = await linked(api)
  const { delivery_id = "" } = await checked(api, token)
  expect((await fail(api, delivery_id, "no_capacity")).status).toBe(200)
  expect(await checked(api, token)).toMatchObject({ decline_reason: "no_capacity" })
  await api.call("POST", "/sandbox/v1/agents/vehicle", { body: { is_online: true } })
  expect(await checked(api, token)).toMatchObject({ state: "quoted" })
})

test("a payment fails at once, or when the authorized fee is taken", async () => {
  const api = await makeSandbox()
  await add(api, PHONE)
  const token = await linked(api)
  const unpaid = await held(api, token)
  expect((await fail(api, unpaid, "payment_fails")).status).toBe(200)
  expect(await confirmed(api, token, unpaid)).toMatchObject({ error: { code: "payment_failed" } })
  const paid = await held(api, token, "spt_ok")
  expect((await fail(api, paid, "payment_fails")).status).toBe(200)
  expect(await confirmed(api, token, paid)).toMatchObject({ error: { code: "payment_failed" } })
})

test("a wrong address makes the drop-off approximate, and the answer says what to do", async () => {
  const api = await makeSandbox()
  await add(api, PHONE)
  const token = await linked(api)
  const deliveryId = await held(api, token)
  await fail(api, deliveryId, "address_wrong")
  expect(await tool(api, token, "get_delivery_status", { delivery_id: deliveryId })).toMatchObject({
    dropoff: { is_approximate: true, hint: expect.any(String) },
  })
})

test.each(["vehicle_late", "order_delayed"] as const)("%s moves the planned pickup", async (failure) => {
  const api = await makeSandbox()
  await add(api, PHONE)
  const token = await linked(api)
  const deliveryId = await booked(api, token)
  const status = () => tool(api, token, "get_delivery_status", { delivery_id: deliveryId })
  const before = await status()
  expect((await fail(api, deliveryId, failure)).status).toBe(200)
  const after = await status()
  expect(Date.parse(after.planned_pickup_time ?? "")).toBeGreaterThan(
    Date.parse(before.planned_pickup_time ?? ""),
  )
})

test.each([
  ["store_no_handover", 3, "store_no_handover"],
  ["vehicle_lost", 1, "vehicle_fault"],
  ["customer_absent", 7, "customer_unavailable"],
] as const)("%s ends the errand, which says why", async (failure, advances, reason) => {
  const api = await makeSandbox()
  await add(api, PHONE)
  const token = await linked(api)
  const deliveryId = await booked(api, token)
  for (let step = 0; step < advances; step += 1) await advance(api, deliveryId)
  expect((await fail(api, deliveryId, failure)).data["errand"]).toMatchObject({
    state: "failed",
    failure_reason: reason,
    can_advance: false,
    failures: [],
  })
  expect(await tool(api, token, "get_delivery_status", { delivery_id: deliveryId })).toMatchObject({
    state: "failed",
    failure_reason: reason,
  })
})

test("what an errand lists as its failures is what it takes; any other is refused", async () => {
  const api = await makeSandbox()
  await add(api, PHONE)
  const deliveryId = await booked(api, await linked(api))
  const [booking] = await errands(api)
  const failures = booking?.failures ?? []
  expect(failures).toEqual([
    "address_wrong",
    "vehicle_late",
    "order_delayed",
    "store_no_handover",
    "vehicle_lost",
  ])
  for (const failure of ERRAND_FAILURES.filter((one) => !failures.includes(one)))
    expect(await fail(api, deliveryId, failure)).toMatchObject({ status: 409, code: "INVALID_STATE" })
})
