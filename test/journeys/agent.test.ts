/**
 * An agent: from the first refused call, by discovery, registration and the user's consent, to an order at the door. The
 * user's phone is at Twilio and the fee at Stripe, both as stand-ins on the loopback.
 */

import { once } from "node:events"
import { mkdtempSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { afterAll, expect, test } from "vitest"
import type { CourierEnvelope, CourierTool } from "../../src/model/courier.ts"
import { ROOT } from "../cli/command-line.ts"
import { curblineHereWith } from "../cli/same-process.ts"
import { ACCOUNT, payAt, startStripe } from "../areas/payments/stripe-stand-in.ts"
import { untilNoonMs } from "../serve/until-noon.ts"
import { onDatabases } from "./served.ts"
import type { Answered, Json } from "./served.ts"
import { tryTheSandbox } from "./sandbox-agent.ts"
import { startTwilio } from "./twilio-stand-in.ts"
import { authorizationQuery } from "../areas/linking/authorization-query.ts"

const PHONE = "+15125550142"
const REDIRECT = "https://agent.example/callback"
const VERIFIER = "v".repeat(64)

const twilio = await startTwilio()
const stripe = await startStripe()
const offMs = untilNoonMs()
afterAll(() => {
  twilio.close()
  stripe.close()
})

const env = (): NodeJS.ProcessEnv => ({
  ...twilio.env,
  // Stores close at night, and journeys run then too.
  NODE_OPTIONS: `--import ${join(ROOT, "test/serve/at-noon.ts")}`,
  CLOCK_OFF_MS: String(offMs),
  CURBLINE_CLOCK_SECONDS_MAX: "off",
  STRIPE_SECRET_KEY: ACCOUNT.secretKey,
  STRIPE_WEBHOOK_SECRET: ACCOUNT.webhookSecret,
  STRIPE_PROFILE_ID: "profile_test_1",
  STRIPE_API_URL: stripe.url,
  CURBLINE_PRODUCTION_INSPECTOR: "true",
  // The demo's vehicle drives automatically, so fast that an errand takes seconds.
  CURBLINE_FLEET_SPEED: "600",
})

onDatabases("an agent", { hasDemo: true, env }, (served) => {
  const { operate, ask, process } = served
  let issuer = ""
  let endpoints: Json
  let client = ""
  let codePage = ""
  let code = ""
  let token = ""
  let refreshToken = ""
  let delivery = ""
  let calls = 0

  const grant = (form: Readonly<Record<string, string>>): Promise<Answered> =>
    ask({ path: endpoints.token_endpoint, body: new URLSearchParams({ ...form, client_id: client }) })

  const rpc = (method: string, params: object = {}): Promise<Answered> =>
    ask({
      path: `${issuer}/mcp`,
      bearer: token,
      headers: { accept: "application/json, text/event-stream" },
      body: { jsonrpc: "2.0", id: (calls += 1), method, params },
    })

  const call = async (name: CourierTool, args: object): Promise<CourierEnvelope> => {
    const key = name === "get_delivery_status" ? {} : { idempotency_key: `call-${name}-${(calls += 1)}` }
    const { body } = await rpc("tools/call", { name, arguments: { ...args, ...key } })
    return body.result.structuredContent
  }

  /** Sends the form of a page of the authorization. */
  const submit = async (page: string, field: Readonly<Record<string, string>>): Promise<Answered> => {
    const request = /name="request" value="([^"]+)"/.exec(page)?.[1] ?? ""
    const body = new URLSearchParams({ request, ...field })
    const answer = await ask({ path: endpoints.authorization_endpoint, body })
    const next = answer.headers.get("location")
    // A code that was sent may be answered with the address of the next page.
    return answer.status === 303 && next !== null
      ? ask({ path: new URL(next, endpoints.authorization_endpoint).href })
      : answer
  }

  const check = (more: object = {}): Promise<CourierEnvelope> => call("check_delivery", { ...LUNCH, ...more })

  /** Another errand, up to its hold. */
  const heldErrand = async (more: object = {}) => {
    const checked = await check()
    const id = checked.delivery_id ?? ""
    const held = await call("reserve_delivery", { delivery_id: id, ...CONSENT, ...more })
    return { id, checked, held }
  }

  test("operations invite the user's number and allow the agent's redirect URI", async () => {
    await operate("phones", "enable", PHONE)
    await operate("connector", "allow-redirect", REDIRECT)
    expect(await operate("connector", "redirects")).toContain(REDIRECT)
  })

  test("a call without a token names the metadata, and the metadata names everything else", async () => {
    const refused = await ask({ path: "/api/delivery-mcp/mcp", body: {} })
    expect(refused.status).toBe(401)
    const challenge = refused.headers.get("www-authenticate") ?? ""
    const [, metadata = ""] = /resource_metadata="([^"]+)"/.exec(challenge) ?? []
    const resource = await ask({ path: metadata })
    issuer = resource.body.authorization_servers[0]
    expect(resource.body.resource).toBe(issuer)
    const { origin, pathname } = new URL(issuer)
    endpoints = (await ask({ path: `${origin}/.well-known/oauth-authorization-server${pathname}` })).body
    expect(endpoints).toMatchObject({ issuer, code_challenge_methods_supported: ["S256"] })
  })

  test("/llms.txt of each host names texts that are there, and leads to the connector's description", async () => {
    for (const host of Object.values(process().urls)) {
      const index = (await ask({ path: `${host}/llms.txt` })).text
      for (const [, link = ""] of index.matchAll(/\]\(([^)]+)\)/g)) {
        const { status, text } = await ask({ path: link })
        expect([link, status, /undefined|\[object/.test(text)]).toEqual([link, 200, false])
      }
    }
    const { text } = await ask({ path: "/llms.txt" })
    const [, description = ""] = /\[Courier connector[^\]]*\]\(([^)]+)\)/.exec(text) ?? []
    expect((await ask({ path: description })).text).toContain("## Call order")
    expect((await ask({ path: `${issuer}/server.json` })).body.remotes).toMatchObject([
      { url: `${issuer}/mcp` },
    ])
  })

  test("the agent registers itself", async () => {
    const body = { client_name: "Grocery agent", redirect_uris: [REDIRECT] }
    const registered = await ask({ path: endpoints.registration_endpoint, body })
    expect(registered.status).toBe(201)
    client = registered.body.client_id
    expect(client).toMatch(/^mc_/)
  })

  test("the user types the number, gets a text, types its code, and is sent back with a code for the agent", async () => {
    const asked = authorizationQuery({ client, redirect: REDIRECT, verifier: VERIFIER, issuer })
    asked.set("state", "cart-7")
    const phonePage = await ask({ path: `${endpoints.authorization_endpoint}?${asked.toString()}` })
    expect(phonePage.text).toContain("Grocery agent")
    codePage = (await submit(phonePage.text, { phone: PHONE })).text
    const wrong = await submit(codePage, { code: "000000" })
    expect(wrong.status).toBe(400)
    const done = await submit(wrong.text, { code: twilio.codeOf(PHONE) })
    const back = new URL(done.headers.get("location") ?? "")
    expect(back.href.startsWith(`${REDIRECT}?`)).toBe(true)
    expect([back.searchParams.get("state"), back.searchParams.get("iss")]).toEqual(["cart-7", issuer])
    code = back.searchParams.get("code") ?? ""
  })

  test("the code is exchanged for tokens, and a refresh gives new ones", async () => {
    const exchange = { grant_type: "authorization_code", code, redirect_uri: REDIRECT }
    const granted = await grant({ ...exchange, code_verifier: VERIFIER })
    expect(granted.status).toBe(200)
    ;({ access_token: token, refresh_token: refreshToken } = granted.body)
    const refreshed = await grant({ grant_type: "refresh_token", refresh_token: refreshToken })
    expect(refreshed.status).toBe(200)
    ;({ access_token: token, refresh_token: refreshToken } = refreshed.body)
    expect(token).toMatch(/^mca_/)
  })

  test("the server is greeted, and lists six tools and a description", async () => {
    const greeting = await rpc("initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "grocery agent", version: "1" },
    })
    expect(greeting.body.result).toMatchObject({ serverInfo: { name: "courier-connector" } })
    expect((await rpc("tools/list")).body.result.tools).toHaveLength(6)
    const read = await rpc("resources/read", { uri: "courier://description" })
    expect(read.body.result.contents[0].text).toContain("check_delivery")
  })

  test("while no vehicle has a free place, a check names when one is expected, and so does the status of that errand", async () => {
    const { operator_token: bearer, api_key: key, site_id: site } = process().access.production
    const { data } = await ask({ path: "/internal/v1/vehicles?limit=100", bearer })
    const driven = data.vehicles.filter((one: Json) => one.state !== "offline")
    const still = { vehicle_id: "veh_still", fleet_id: driven[0].fleet_id, label: "Still" }
    expect((await ask({ path: "/internal/v1/vehicles", bearer, body: still })).status).toBe(200)
    const turn = async (id: string, isOnline: boolean): Promise<void> => {
      const path = `/internal/v1/vehicles/${id}`
      const turned = await ask({ method: "PATCH", path, bearer, body: { is_online: isOnline } })
      expect(turned.status).toBe(200)
    }
    for (const { vehicle_id: id } of driven) await turn(id, false)
    const shop = (method: string, path: string, body: object): Promise<Answered> =>
      ask({ method, path, bearer: key, headers: { "x-retailer-id": site }, body })
    for (const id of ["full-1", "full-2"]) {
      const quoted = await shop("POST", "/dd/v1/deliveries/quote", {
        external_delivery_id: id,
        customer: { phone: "+15125550100" },
        delivery_address: { street: "1 Sample St", city: "Austin", state: "TX", zip: "78758" },
        delivery_location: { latitude: 30.41, longitude: -97.72 },
        ready_by: isoOf(Date.now() + offMs + 1_800_000),
        order_items: [{ name: "Milk", quantity: 1 }],
      })
      expect(quoted.data.available, quoted.text).toBe(true)
      expect((await shop("POST", "/dd/v1/deliveries", { external_delivery_id: id })).status).toBe(201)
    }
    const declined = await check()
    expect(declined).toMatchObject({ state: "declined", decline_reason: "no_capacity" })
    expect(Date.parse(declined.earliest_at ?? "")).toBeGreaterThan(Date.now() + offMs)
    expect(declined.next_step).toContain(`A vehicle is expected to be free at ${declined.earliest_at}`)
    const later = await call("get_delivery_status", { delivery_id: declined.delivery_id ?? "" })
    expect(later).toMatchObject({ state: "declined", earliest_at: declined.earliest_at })
    for (const id of ["full-1", "full-2"])
      expect((await shop("PATCH", `/dd/v1/deliveries/${id}`, { status: "CANCELLED" })).status).toBe(200)
    await turn("veh_still", false)
    for (const { vehicle_id: id } of driven) await turn(id, true)
  })

  test("a store is checked, a vehicle held, the fee paid, and the order booked", async () => {
    const { id, checked, held } = await heldErrand()
    expect(checked).toMatchObject({ serviceable: true, price: { amount: "4.95", currency: "usd" } })
    delivery = id
    expect(held).toMatchObject({ state: "held", payment_status: "pending" })
    const paid = await call("update_delivery", {
      delivery_id: delivery,
      update_type: "payment",
      payment: { shared_payment_token: "spt_1" },
    })
    expect(paid).toMatchObject({ state: "held", payment_status: "authorized" })
    const to = (more: object) =>
      call("update_delivery", {
        delivery_id: delivery,
        update_type: "dropoff_address",
        dropoff_address: { street: "11510 Domain Dr", city: "Austin", state: "TX", zip: "78758", ...more },
      })
    const moved = await to({ unit: "4B" })
    expect(moved.dropoff).toMatchObject({ street: "11510 Domain Dr", unit: "4B", is_approximate: true })
    expect(moved.update_result).toContain("drives to the new drop-off")
    expect((await to({ city: "Dallas" })).error).toMatchObject({ field: "dropoff_address" })
    const order = {
      delivery_id: delivery,
      order_number: "1001",
      items: [{ name: "Tomato soup", quantity: 2 }],
      confirmation_text: "Thank you!",
    }
    expect(await call("confirm_delivery", order)).toMatchObject({ payment_status: "captured" })
    expect([...stripe.intents.values()].at(-1)?.status).toBe("succeeded")
  })

  test("a misspelt beer is found in the cart before anything is paid", async () => {
    const declined = await check({ items: [{ name: "Budwieser 6pk", quantity: 1 }] })
    expect(declined).toMatchObject({ state: "declined", restricted_items: ["Budwieser 6pk"] })
  })

  test("slots that are all too far ahead are declined before the user pays the store", async () => {
    const start = Date.now() + offMs + 3 * 3_600_000
    const slot = { id: "s-9", start: isoOf(start), end: isoOf(start + 1_800_000) }
    const declined = await check({ retailer_slots: [slot] })
    expect(declined).toMatchObject({ state: "declined", decline_reason: "timing_not_feasible" })
    expect(declined.next_step).toMatch(/^Do not place the store order .*call check_delivery/)
    expect(Date.parse(declined.next_pickup_window?.start ?? "")).toBeGreaterThanOrEqual(start)
  })

  test("a customer who comes back while the processor is silent is asked to look again, and then sees it paid", async () => {
    const { id, held } = await heldErrand()
    const link = held.payment?.checkout_url ?? ""
    expect((await ask({ path: link, method: "POST", body: new URLSearchParams() })).status).toBe(303)
    const session = [...stripe.sessions.keys()].at(-1) ?? ""
    payAt(stripe, session)
    const back = stripe.sessions.get(session)?.form["success_url"]?.replace("{CHECKOUT_SESSION_ID}", session)
    stripe.script.push("silent")
    const unclear = await ask({ path: back ?? "" })
    expect([unclear.status, unclear.text.includes("<form")]).toEqual([503, false])
    expect(unclear.text).toContain("Do not pay again")
    expect((await ask({ path: back ?? "" })).text).toContain("The delivery fee is paid")
    expect(await call("get_delivery_status", { delivery_id: id })).toMatchObject({
      payment_status: "authorized",
    })
    expect(await call("cancel_delivery", { delivery_id: id })).toMatchObject({ state: "cancelled" })
  })

  test("the fee of an errand that is declined goes back by itself; operations who ask for it change nothing", async () => {
    const { id, held } = await heldErrand()
    expect(held).toMatchObject({ state: "held" })
    const decline = { update_type: "pickup_requirements", pickup_requirements_seen: ["signature"] } as const
    await call("update_delivery", {
      delivery_id: id,
      update_type: "payment",
      payment: { shared_payment_token: "spt_2" },
    })
    const declined = async (one: string): Promise<void> =>
      expect(await call("update_delivery", { delivery_id: one, ...decline })).toMatchObject({
        state: "declined",
      })
    await declined(id)
    const paymentOf = async (): Promise<unknown> =>
      (await call("get_delivery_status", { delivery_id: id })).payment_status
    await expect.poll(paymentOf).toBe("voided")
    const refund = (one: string): Promise<Answered> =>
      ask({
        path: `${process().access.production.base_url}/internal/v1/connector/errands/${one}/refund`,
        method: "POST",
        bearer: process().access.production.operator_token,
      })
    for (let times = 0; times < 2; times += 1) {
      const answer = await refund(id)
      expect(answer.status).toBe(200)
      expect(answer.text).toContain('"payment_status":"voided"')
    }
    expect([...stripe.intents.values()].at(-1)?.status).toBe("canceled")
    // The vehicle is free again.
    const { id: unpaid } = await heldErrand()
    await declined(unpaid)
    const refused = await refund(unpaid)
    expect([refused.status, refused.text.includes("INVALID_STATE")]).toEqual([409, true])
  })

  test("the vehicle drives to the store, is loaded, and reaches the door, as status and tracking page tell", async () => {
    const { tracking_url } = await call("get_delivery_status", { delivery_id: delivery })
    expect((await ask({ path: tracking_url ?? "" })).status).toBe(200)
    const state = async (): Promise<string | undefined> =>
      (await call("get_delivery_status", { delivery_id: delivery })).state
    await expect.poll(state, { interval: 2_000 }).toBe("completed")
    const page = await ask({ path: tracking_url ?? "" })
    expect(page.text).not.toContain(PHONE)
  })

  test("a late order is not lost: its report names the ways out, and the delay of a booked one moves its pickup", async () => {
    const start = Date.now() + offMs + 3_600_000
    const slot = { id: "s-9", start: isoOf(start), end: isoOf(start + 900_000) }
    const payment = { shared_payment_token: "spt_3" }
    const { id, held } = await heldErrand({ intended_slot: slot, payment })
    expect(held).toMatchObject({ payment_status: "authorized", pickup_time: { select: "asap" } })
    const order = {
      delivery_id: id,
      order_number: "1002",
      items: [{ name: "Tomato soup", quantity: 1 }],
      confirmation_text: "Thank you!",
    }
    const late = await call("confirm_delivery", { ...order, ready_at: isoOf(start + 3_600_000) })
    expect(late).toMatchObject({ error: { code: "timing_not_feasible" }, payment_status: "authorized" })
    expect(late.next_step).toMatch(/or with the same time from .* call cancel_delivery, which costs nothing/)
    const read = async () => call("get_delivery_status", { delivery_id: id })
    expect((await read()).next_step).toContain("the store order is placed already")
    const booked = await call("confirm_delivery", { ...order, ready_at: isoOf(start) })
    expect(booked).toMatchObject({ payment_status: "captured", pickup_time: { select: "asap" } })
    expect(booked.pickup_time).not.toHaveProperty("instruction")
    const delay = { delivery_id: id, update_type: "issue", issue: { code: "order_delayed" } }
    expect((await call("update_delivery", delay)).user_message).toContain("nothing has moved")
    const moved = await call("update_delivery", { ...delay, ready_at: isoOf(start + 900_000) })
    expect(Date.parse(moved.planned_pickup_time ?? "")).toBeGreaterThanOrEqual(start + 900_000)
    const ended = await call("cancel_delivery", { delivery_id: id })
    expect(ended).toMatchObject({ state: "cancelled", charged_cents: 0 })
    for (const gone of ["pickup_profile", "pickup_time", "planned_pickup_time", "payment"]) {
      expect(await read()).not.toHaveProperty(gone)
    }
  })

  test("an engineer opens who asked: the user's id, the tool, and what is not personal of its arguments and answer", async () => {
    const { operator_token, base_url: origin } = process().access.production
    const body = new URLSearchParams({ token: operator_token, to: "/inspect" })
    const signedIn = await ask({ path: "/inspect/sign-in", headers: { origin }, body })
    const cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? ""
    const path = `/inspect/groups/courier-order/${delivery}/asked?revision=1`
    const asked = (await ask({ path, headers: { cookie } })).data
    expect(asked.requester).toMatchObject({ type: "user" })
    expect(asked.request).toMatchObject({ key: null, organization: null, method: "POST", status: 200 })
    expect(asked.request.sent.params).toMatchObject({
      name: "check_delivery",
      arguments: {
        retailer_name: "•••",
        dropoff_address: { street: "•••" },
        requested_timing: { type: "asap" },
        pickup_methods_offered: ["curbside"],
      },
    })
    expect(asked.request.answered.results).toMatchObject([
      { structuredContent: { delivery_id: delivery, serviceable: true, price: { amount: "4.95" } } },
    ])
    expect(JSON.stringify(asked)).not.toMatch(/Lunchbox|River Road|Century Oaks/)
  })

  test("an agent whose id is the address of its document is shown with its host, and needs no registration", async () => {
    const documents = createServer((request, response) => {
      const client_id = `http://${request.headers.host}${request.url}`
      response.setHeader("Content-Type", "application/json")
      response.end(JSON.stringify({ client_id, client_name: "Chat", redirect_uris: [REDIRECT] }))
    }).listen(0, "127.0.0.1")
    await once(documents, "listening")
    const { port } = documents.address() as AddressInfo
    const asked = authorizationQuery({
      client: `http://127.0.0.1:${port}/client.json`,
      redirect: REDIRECT,
      verifier: VERIFIER,
      issuer,
    })
    const page = await ask({ path: `${endpoints.authorization_endpoint}?${asked.toString()}` })
    expect(page.text).toContain(`<strong>Chat</strong> at <strong>127.0.0.1:${port}</strong>`)
    documents.close()
  })

  test("an agent on a computer speaks over stdio: the user compares letters, and it orders", async () => {
    const home = { XDG_CONFIG_HOME: mkdtempSync(join(tmpdir(), "curbline-links-")), CI: "true" }
    const words = ["--liftoff-only", join(ROOT, "src/cli/curbline.js"), "connect", `${issuer}/mcp`]
    const transport = new StdioClientTransport({
      command: globalThis.process.execPath,
      args: words,
      env: home,
      stderr: "pipe",
    })
    let said = ""
    transport.stderr?.on("data", (text: Buffer) => (said += text.toString()))
    const desktop = new Client({ name: "an editor", version: "1" })
    const connecting = desktop.connect(transport)
    await expect.poll(() => said).toMatch(/They must be: [A-Z ]+\n/)
    const [, letters = ""] = /They must be: ([A-Z ]+)\n/.exec(said) ?? []
    const phonePage = await ask({ path: /http\S+/.exec(said)?.[0] ?? "" })
    const asked = await submit(phonePage.text, { phone: PHONE })
    const done = await submit(asked.text, { code: twilio.codeOf(PHONE) })
    const back = new URL(done.headers.get("location") ?? "")
    expect((await ask({ path: back.href })).text).toContain(`>${letters}</p>`)
    const confirmed = await ask({ path: `${back.origin}${back.pathname}`, body: back.searchParams })
    expect(confirmed.text).toContain("Your terminal is connected")
    await connecting
    expect((await desktop.listTools()).tools).toHaveLength(6)
    const ordering = async (name: CourierTool, args: object): Promise<CourierEnvelope> => {
      const keyed = { ...args, idempotency_key: `desktop-${name}` }
      return (await desktop.callTool({ name, arguments: keyed })).structuredContent as CourierEnvelope
    }
    const quoted = await ordering("check_delivery", LUNCH)
    expect(quoted).toMatchObject({ state: "quoted", serviceable: true })
    const held = await ordering("reserve_delivery", { delivery_id: quoted.delivery_id, ...CONSENT })
    expect(held).toMatchObject({ state: "held" })

    await operate("connector", "pause")
    await expect(desktop.listTools()).rejects.toThrow(/connector of 127\.0\.0\.1:\d+ is paused/)
    await operate("connector", "resume")
    expect((await ordering("cancel_delivery", { delivery_id: quoted.delivery_id })).state).toBe("cancelled")
    const forgotten = await curblineHereWith(home, "connect", issuer, "--forget")
    expect([forgotten.status, forgotten.err]).toEqual([0, "The link has ended and is forgotten.\n"])
    await expect(desktop.listTools()).rejects.toThrow(/no link any more. Run `npx curbline connect`/)
    await desktop.close()
  })

  tryTheSandbox(served, {
    redirect: REDIRECT,
    token: () => token,
    refreshToken: () => refreshToken,
    client: () => client,
  })

  test("the user was texted on the way, and nothing personal is in the log", async () => {
    await expect.poll(() => twilio.textsTo(PHONE).length).toBeGreaterThanOrEqual(3)
    expect(process().log()).not.toMatch(/Ada|River Road|5550142|mca_|mcr_|spt_/)
  })
})

function isoOf(ms: number): string {
  return new Date(ms).toISOString()
}

/** What the user agrees to before a reserve. */
const CONSENT = {
  customer: { first_name: "Ada", last_name: "Example" },
  contact: { phone: PHONE },
  contact_consent: { granted: true, consent_version: "2026-09-27" },
  terms_acknowledged: { accepted: true, terms_version: "2026-09-27" },
  pickup_requirements_seen: [],
}

/** One of the demo's stores. */
const STORE = {
  street: "11410 Century Oaks Terrace",
  city: "Austin",
  state: "TX",
  zip: "78758",
  location: { lat: 30.4021, lng: -97.7253 },
}

const LUNCH = {
  retailer_name: "Lunchbox Kitchen",
  store_address: STORE,
  dropoff_address: { street: "1 River Road", city: "Austin", state: "TX", zip: "78758" },
  requested_timing: { type: "asap" },
  pickup_methods_offered: ["curbside"],
}
