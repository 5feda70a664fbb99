/**
 * The courier connector of a service as a user starts it: `demo.json` contains everything that an agent needs, from
 * nothing to an errand.
 */

import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Stripe } from "stripe"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { DEMO_STORES } from "../../src/areas/courier/directory/demo-stores.ts"
import type { Demo } from "../../src/live/demo/demo.ts"
import type { CourierEnvelope, CourierTool } from "../../src/model/courier.ts"
import { ROOT, fileWith } from "../cli/command-line.ts"
import type { Ended } from "../cli/command-line.ts"
import { curblineHereWith } from "../cli/same-process.ts"
import { ACCOUNT, payAt, startStripe } from "../areas/payments/stripe-stand-in.ts"
import type { StripeStandIn } from "../areas/payments/stripe-stand-in.ts"
import { examplesOf } from "./examples.ts"
import { freePort } from "../free-port.ts"
import { preparedDataFolder, startProcess } from "./service-process.ts"
import type { ServiceProcess } from "./service-process.ts"
import { untilNoonMs } from "./until-noon.ts"

const data = preparedDataFolder()
const env = {
  NODE_OPTIONS: `--import ${join(ROOT, "test/serve/at-noon.ts")}`,
  CLOCK_OFF_MS: String(untilNoonMs()),
  CURBLINE_CLOCK_SECONDS_MAX: "off",
  CURBLINE_FLEET_SPEED: "off",
}

let service: ServiceProcess
/** The same at the second start: a token is only valid for one issuer. */
let ports: readonly [number, number] | undefined
/** Quotes by store; more checks than ten a minute are refused. */
const quoted: Record<string, string> = {}
let courier: Demo["courier"]
let token = ""
let calls = 0

function run(...words: readonly string[]): Promise<Ended> {
  return curblineHereWith({ DATABASE_URL: "", CURBLINE_OPERATOR_TOKEN: "" }, ...words, "--data", data)
}

async function start(more: NodeJS.ProcessEnv = {}): Promise<void> {
  ports ??= [await freePort(), await freePort()]
  service = await startProcess(data, ports, { env: { ...env, ...more } })
  courier = (JSON.parse(readFileSync(join(data, "demo.json"), "utf8")) as Demo).courier
}

/** One JSON-RPC request of an agent. */
async function rpc(method: string, params: object): Promise<Record<string, unknown>> {
  const answer = await fetch(courier.mcp_url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  })
  expect(answer.status).toBe(200)
  return ((await answer.json()) as { readonly result: Record<string, unknown> }).result
}

async function tool(name: CourierTool, args: object): Promise<CourierEnvelope> {
  calls += 1
  const key =
    name === "get_delivery_status" ? {} : { idempotency_key: `call-${String(calls).padStart(4, "0")}` }
  const result = await rpc("tools/call", { name, arguments: { ...args, ...key } })
  return result["structuredContent"] as CourierEnvelope
}

type DemoStore = Pick<(typeof DEMO_STORES)[number], "name" | "place" | "street" | "zip">

function check({ name, street, zip, place }: DemoStore): Promise<CourierEnvelope> {
  const town = { city: "Austin", state: "TX" }
  return tool("check_delivery", {
    retailer_name: name,
    store_address: { street, zip, ...town, location: { lat: place.latitude, lng: place.longitude } },
    dropoff_address: { street: "1 River Road", zip: "78758", ...town },
    requested_timing: { type: "asap" },
    pickup_methods_offered: ["curbside"],
  })
}

function reserve(id: string): Promise<CourierEnvelope> {
  return tool("reserve_delivery", {
    delivery_id: id,
    customer: { first_name: "Ada", last_name: "Example" },
    contact: { phone: courier.phone },
    contact_consent: { granted: true, consent_version: "2026-09-27" },
    terms_acknowledged: { accepted: true, terms_version: "2026-09-27" },
    pickup_requirements_seen: [],
  })
}

function confirm(id: string): Promise<CourierEnvelope> {
  return tool("confirm_delivery", {
    delivery_id: id,
    order_number: "1001",
    items: [{ name: "Tomato soup", quantity: 2 }],
    confirmation_text: "Thank you!",
  })
}

beforeAll(() => start())
afterAll(() => service.stop())

describe("an agent that knows demo.json alone", () => {
  test("registers, sends the user to the pages, and gets its token", async () => {
    const { issuer, redirect_uri, phone } = courier
    const registered = await fetch(`${issuer}/oauth/register`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ client_name: "An agent", redirect_uris: [redirect_uri] }),
    })
    expect(registered.status).toBe(201)
    const { client_id } = (await registered.json()) as { readonly client_id: string }
    const verifier = "v".repeat(64)
    const asked = new URLSearchParams({
      response_type: "code",
      client_id,
      redirect_uri,
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
      resource: issuer,
      state: "s1",
    })
    const submit = async (page: string, field: object): Promise<Response> => {
      const answer = await fetch(`${issuer}/oauth/authorize`, {
        method: "POST",
        body: new URLSearchParams({
          request: /name="request" value="([^"]+)"/.exec(page)?.[1] ?? "",
          ...field,
        }),
        redirect: "manual",
      })
      return answer.status === 303 ? fetch(answer.headers.get("location") ?? "") : answer
    }
    const phonePage = await (await fetch(`${issuer}/oauth/authorize?${asked.toString()}`)).text()
    const codePage = await (await submit(phonePage, { phone })).text()
    const { out: code } = await run("phones", "code", phone)
    const done = new URL((await submit(codePage, { code: code.trim() })).headers.get("location") ?? "")
    expect(done.href.startsWith(`${redirect_uri}?`)).toBe(true)
    expect(done.searchParams.get("state")).toBe("s1")
    const granted = await fetch(`${issuer}/oauth/token`, {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "authorization_code",
        code: done.searchParams.get("code") ?? "",
        redirect_uri,
        code_verifier: verifier,
        client_id,
      }),
    })
    token = ((await granted.json()) as { readonly access_token: string }).access_token
    expect(token).toMatch(/^mca_/)
  })

  test("is greeted by the server that demo.json names", async () => {
    const clientInfo = { name: "an agent", version: "1" }
    const greeting = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo }
    expect(await rpc("initialize", greeting)).toMatchObject({
      protocolVersion: "2025-06-18",
      serverInfo: { name: "courier-connector" },
    })
  })

  test("finds stores that are served, and one for each reason for which a store is not", async () => {
    const found: Record<string, string> = {}
    for (const store of DEMO_STORES) {
      const { serviceable, decline_reason, delivery_id = "" } = await check(store)
      quoted[store.storeId] = delivery_id
      found[store.storeId] = serviceable === true ? "served" : (decline_reason ?? "")
    }
    expect(found).toEqual({
      store_lunchbox: "served",
      store_slot_bakery: "served",
      store_early_cafe: "outside_service_hours",
      store_grocery: "store_not_supported",
      store_liquor: "store_not_supported",
      store_pub: "store_not_supported",
      store_without_phone: "store_not_supported",
      store_without_hours: "store_not_supported",
      store_far_away: "out_of_zone",
    })
  })

  test("reserves, pays with a test token, books, follows, and cancels", async () => {
    const id = quoted["store_lunchbox"] ?? ""
    expect(await reserve(id)).toMatchObject({ state: "held", payment_status: "pending" })
    const payment = { shared_payment_token: "spt_ok_1" }
    const paid = await tool("update_delivery", { delivery_id: id, update_type: "payment", payment })
    expect(paid).toMatchObject({ state: "held", payment_status: "authorized" })
    const booked = await confirm(id)
    expect(booked).toMatchObject({ payment_status: "captured", fee_cents: 495 })
    expect((await fetch(booked.tracking_url ?? "")).status).toBe(200)
    expect(await tool("get_delivery_status", { delivery_id: id })).toMatchObject({ order_number: "1001" })
    expect(await tool("cancel_delivery", { delivery_id: id })).toMatchObject({
      state: "cancelled",
      payment_status: "refunded",
      charged_cents: 0,
    })
    expect(service.log()).not.toMatch(/Ada|River Road|5550100|mca_|spt_/)
  })
})

describe("operations beside it", () => {
  test("the examples say where agents connect, and with which commands a user is linked", async () => {
    const examples = await examplesOf(data)
    expect(examples).toContain(courier.mcp_url)
    for (const words of ["phones code +15125550100", "stores list"]) {
      expect(examples).toContain(`npx curbline ${words} --data '${data}'`)
    }
  })

  test("stores are imported, listed, shown and removed by command, and count at once", async () => {
    const file = fileWith(
      "stores.csv",
      "store_id,name,street,zip,latitude,longitude,categories,phone,hours,kitchen_starts\n" +
        "store_soup,Soup Bar,9 Soup Street,78758,30.42,-97.73,restaurant,+15125550120,Daily 08:00-20:00,on_check_in\n",
    )
    const wrong = fileWith("wrong.csv", readFileSync(file, "utf8").replace("78758", "Texas"))
    expect(await run("stores", "import", wrong)).toEqual({
      status: 2,
      out: "",
      err: "error: line 2, zip: must be a ZIP code of five digits\n",
    })
    expect(await run("stores", "import", "nowhere.csv")).toMatchObject({
      status: 2,
      err: "error: there is no file nowhere.csv\n",
    })
    expect(JSON.parse((await run("stores", "import", file, "--json")).out)).toEqual({
      added: 1,
      changed: 0,
      unchanged: 0,
    })
    const soup = {
      name: "Soup Bar",
      street: "9 Soup Street",
      zip: "78758",
      place: { latitude: 30.42, longitude: -97.73 },
    }
    const checked = await check(soup)
    expect(checked).toMatchObject({ serviceable: true })
    quoted["store_soup"] = checked.delivery_id ?? ""
    expect((await run("stores", "list")).out).toMatch(/^STORE ID +NAME /)
    expect(JSON.parse((await run("stores", "show", "store_soup", "--json")).out)).toMatchObject({
      name: "Soup Bar",
    })
    expect(await run("stores", "remove", "store_soup")).toMatchObject({ status: 0, out: "store_soup\n" })
  })
})

describe("with an account at Stripe", () => {
  let stripe: StripeStandIn

  beforeAll(async () => {
    stripe = await startStripe()
    await service.stop()
    await start({
      STRIPE_SECRET_KEY: ACCOUNT.secretKey,
      STRIPE_WEBHOOK_SECRET: ACCOUNT.webhookSecret,
      STRIPE_PROFILE_ID: "profile_test_1",
      STRIPE_API_URL: stripe.url,
    })
  })
  afterAll(() => stripe.close())

  function tell(body: string, secret: string): Promise<Response> {
    const timestamp = Math.floor((Date.now() + Number(env.CLOCK_OFF_MS)) / 1_000)
    const signature = new Stripe("sk_test_1").webhooks.generateTestHeaderString({
      payload: body,
      secret,
      timestamp,
    })
    const headers = { "stripe-signature": signature }
    return fetch(`${new URL(courier.issuer).origin}/payments/stripe`, { method: "POST", headers, body })
  }

  test("the link leads to its page, and what is paid there books the errand, until operations give it back", async () => {
    const id = quoted["store_slot_bakery"] ?? ""
    const held = await reserve(id)
    expect(held.payment?.seller_profile_id).toBe("profile_test_1")
    const link = held.payment?.checkout_url ?? ""
    expect(await (await fetch(link)).text()).toContain("Continue to pay $4.95")
    const begun = await fetch(link, { method: "POST", redirect: "manual" })
    expect([begun.status, begun.headers.get("location")]).toEqual([
      303,
      "https://checkout.stripe.example/c/pay/cs_test_1",
    ])
    const form = stripe.sessions.get("cs_test_1")?.form
    const back = form?.["success_url"]?.replace("{CHECKOUT_SESSION_ID}", "cs_test_1") ?? ""
    expect(await (await fetch(back)).text()).toContain("Continue to pay")
    payAt(stripe, "cs_test_1")
    stripe.script.push("silent")
    const unclear = await fetch(back)
    const shown = await unclear.text()
    expect([unclear.status, shown.includes("Do not pay again"), shown.includes("<form")]).toEqual([
      503,
      true,
      false,
    ])
    expect(await (await fetch(back)).text()).toContain("The delivery fee is paid")
    const body = JSON.stringify({ type: "checkout.session.completed", data: { object: { id: "cs_test_1" } } })
    expect((await tell(body, ACCOUNT.webhookSecret)).status).toBe(200)
    expect((await tell(body, "whsec_of_somebody_else")).status).toBe(403)
    expect(await confirm(id)).toMatchObject({ payment_status: "captured" })
    expect(stripe.intents.get("pi_of_cs_test_1")?.status).toBe("succeeded")

    const failed = await run("errands", "fail", id, "--reason", "vehicle_fault", "--json")
    expect(JSON.parse(failed.out)).toMatchObject({ state: "failed", payment_status: "captured" })
    expect(await run("errands", "refund", id)).toMatchObject({ status: 0 })
    await expect.poll(() => stripe.intents.get("pi_of_cs_test_1")?.isRefunded).toBe(true)
    expect(await tool("get_delivery_status", { delivery_id: id })).toMatchObject({
      state: "failed",
      failure_reason: "vehicle_fault",
      payment_status: "refunded",
    })
    expect(service.log()).not.toMatch(/sk_test|whsec|cs_test/)
  })

  test("tokens of the built-in processor pay for nothing", async () => {
    const id = quoted["store_soup"] ?? ""
    await reserve(id)
    stripe.script.push({
      status: 404,
      body: { error: { type: "invalid_request_error", code: "resource_missing" } },
    })
    const payment = { shared_payment_token: "spt_ok_1" }
    const refused = await tool("update_delivery", { delivery_id: id, update_type: "payment", payment })
    expect(refused).toMatchObject({ error: { code: "payment_failed" }, payment_status: "failed" })
  })
})
