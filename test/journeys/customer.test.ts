/**
 * A customer: reads texts and stops them, pays the courier's fee on the hosted page in every way that people do, and comes back late. The
 * service is started again at a later time, so that what ends after minutes or days has ended.
 */

import { createHmac } from "node:crypto"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import type { CourierEnvelope, CourierTool } from "../../src/model/courier.ts"
import { HOUR_MS, MINUTE_MS } from "../../src/model/values/time.ts"
import { ROOT } from "../cli/command-line.ts"
import type { DatabaseKind } from "../serve/service-process.ts"
import { untilNoonMs } from "../serve/until-noon.ts"
import { onDatabases } from "./served.ts"
import type { Answered } from "./served.ts"
import { startTwilio } from "./twilio-stand-in.ts"
import { authorizationQuery } from "../areas/linking/authorization-query.ts"

const PHONE = "+15125550142"
const REDIRECT = "https://agent.example/callback"
const VERIFIER = "v".repeat(64)

const twilio = await startTwilio()
const noonMs = untilNoonMs()
let laterMs = 0
afterAll(() => {
  twilio.close()
})

const env = (): NodeJS.ProcessEnv => ({
  ...twilio.env,
  // Stores close at night, and journeys run then too.
  NODE_OPTIONS: `--import ${join(ROOT, "test/serve/at-noon.ts")}`,
  CLOCK_OFF_MS: String(noonMs + laterMs),
  CURBLINE_CLOCK_SECONDS_MAX: "off",
  // Operations move the deliveries of this story.
  CURBLINE_FLEET_SPEED: "off",
})

onDatabases("a customer", { hasDemo: true, env }, ({ database, operate, ask, process, restart }) => {
  /** The customer of a retailer's delivery. */
  const customer = database === "PostgreSQL" ? "+15125550177" : "+15125550178"
  let issuer = ""
  let client = ""
  let token = ""
  let refreshToken = ""
  let calls = 0
  let replies = 0
  let paidLink = ""
  let checkedId: string | undefined

  const form = (path: string, fields: Readonly<Record<string, string>>): Promise<Answered> =>
    ask({ path, method: "POST", body: new URLSearchParams(fields) })

  const call = async (name: CourierTool, args: object): Promise<CourierEnvelope> => {
    const key = name === "get_delivery_status" ? {} : { idempotency_key: `call-${name}-${(calls += 1)}` }
    const { body } = await ask({
      path: `${issuer}/mcp`,
      bearer: token,
      headers: { accept: "application/json, text/event-stream" },
      body: {
        jsonrpc: "2.0",
        id: calls,
        method: "tools/call",
        params: { name, arguments: { ...key, ...args } },
      },
    })
    return body.result.structuredContent
  }

  const checked = (more: object = {}): Promise<CourierEnvelope> =>
    call("check_delivery", { ...CHECK, ...more })

  const reserved = (delivery_id: string | undefined): Promise<CourierEnvelope> =>
    call("reserve_delivery", { delivery_id, ...RESERVE })

  /** The link of an errand with a hold, and its id. */
  const held = async (): Promise<Errand> => {
    const { delivery_id: id = "" } = await checked()
    const { payment } = await reserved(id)
    return { id, link: payment?.checkout_url ?? "" }
  }

  const paymentOf = async (delivery_id: string): Promise<string | undefined> =>
    (await call("get_delivery_status", { delivery_id })).payment_status

  const later = async (ms: number): Promise<void> => {
    laterMs += ms
    await restart()
  }

  /** The tokens that the agent has are renewed, as it does after an hour. */
  const renewed = async (): Promise<void> => {
    const fields = { grant_type: "refresh_token", refresh_token: refreshToken, client_id: client }
    const { body } = await form(`${issuer}/oauth/token`, fields)
    ;({ access_token: token, refresh_token: refreshToken } = body)
    expect(token).toMatch(/^mca_/)
  }

  const retailer = (method: string, path: string, body?: object): Promise<Answered> => {
    const { api_key: bearer, site_id } = process().access.production
    const headers = { "x-retailer-id": site_id }
    return ask({ method, path: `/dd/v1${path}`, bearer, headers, ...(body === undefined ? {} : { body }) })
  }

  const quoted = (external_delivery_id: string): Promise<Answered> =>
    retailer("POST", "/deliveries/quote", {
      external_delivery_id,
      customer: { phone: customer },
      delivery_address: CHECK.dropoff_address,
      delivery_location: { latitude: 30.41, longitude: -97.72 },
      ready_by: new Date(Date.now() + noonMs + laterMs + 10 * MINUTE_MS).toISOString(),
      order_items: [{ name: "Soup", quantity: 1 }],
    })

  /** A reply of the customer, as Twilio reports it. Source: Twilio, Webhooks security. */
  const replied = (text: string, more: { readonly signature?: string } = {}): Promise<Answered> => {
    const fields = { Body: text, From: customer, MessageSid: `SM${(replies += 1)}`, To: "+15125550999" }
    const path = `${process().urls.production}/messages/twilio`
    const signed = Object.entries(fields).reduce((all, [name, value]) => `${all}${name}${value}`, path)
    const own = createHmac("sha1", twilio.env["TWILIO_AUTH_TOKEN"] ?? "")
      .update(signed)
      .digest("base64")
    const headers = { "x-twilio-signature": more.signature ?? own }
    return ask({ path, method: "POST", headers, body: new URLSearchParams(fields) })
  }

  const operations = (path: string, body?: object): Promise<Answered> =>
    ask({
      path: `/internal/v1${path}`,
      bearer: process().access.production.operator_token,
      ...(body === undefined ? {} : { body }),
    })

  /** Texts to the customer as operations see them, newest first. */
  const texts = async () =>
    (await operations("/messages?channel=sms")).data.messages.filter(
      ({ to }: { to: string }) => to === customer,
    )

  /** Operations move the delivery "lunch". */
  const moved = async (status: string): Promise<void> => {
    const { data } = await operations("/deliveries")
    const run = data.deliveries.find(
      (one: { external_delivery_id: string }) => one.external_delivery_id === "lunch",
    )
    expect((await operations(`/deliveries/${run.delivery_id}/status`, { status })).status).toBe(200)
  }

  beforeAll(async () => {
    await operate("phones", "enable", PHONE)
    await operate("connector", "allow-redirect", REDIRECT)
    const { origin } = new URL(process().urls.production)
    issuer = `${origin}/api/delivery-mcp`
    const body = { client_name: "Grocery agent", redirect_uris: [REDIRECT] }
    client = (await ask({ path: `${issuer}/oauth/register`, body })).body.client_id
    const asked = authorizationQuery({ client, redirect: REDIRECT, verifier: VERIFIER, issuer })
    const submit = async (page: string, fields: Readonly<Record<string, string>>): Promise<Answered> => {
      const request = /name="request" value="([^"]+)"/.exec(page)?.[1] ?? ""
      const answer = await form(`${issuer}/oauth/authorize`, { request, ...fields })
      const next = answer.headers.get("location")
      return answer.status === 303 && next !== null ? ask({ path: new URL(next, issuer).href }) : answer
    }
    const phonePage = await ask({ path: `${issuer}/oauth/authorize?${asked.toString()}` })
    const codePage = await submit(phonePage.text, { phone: PHONE })
    const done = await submit(codePage.text, { code: twilio.codeOf(PHONE) })
    const code = new URL(done.headers.get("location") ?? "").searchParams.get("code") ?? ""
    const exchange = {
      grant_type: "authorization_code",
      code,
      redirect_uri: REDIRECT,
      code_verifier: VERIFIER,
    }
    const granted = await form(`${issuer}/oauth/token`, { ...exchange, client_id: client })
    ;({ access_token: token, refresh_token: refreshToken } = granted.body)
  })

  test.each(PROCESSORS[database])(
    "a payment without a card, or with one that the bank refuses, charges nothing and may be tried again, at %s",
    async () => {
      const { id, link } = await held()
      const shown = await ask({ path: link })
      expect([shown.status, shown.headers.get("cache-control")]).toEqual([200, "no-store"])
      expect(shown.text).toContain("Pay $4.95")
      for (const [fields, status, status_of_payment] of [
        [{}, 400, "pending"],
        [{ instrument: "spt_ok_of_another_page" }, 400, "pending"],
        [{ instrument: "spt_declined_checkout" }, 402, "failed"],
        [{ instrument: "spt_expired_checkout" }, 402, "failed"],
        [{ instrument: "spt_small_checkout" }, 402, "failed"],
      ] as const) {
        const answer = await form(link, fields)
        expect([answer.status, alertIn(answer), answer.text.includes("<form")]).toEqual([
          status,
          status === 400
            ? "Choose a card first."
            : "The payment was declined, and nothing was charged. Choose another card.",
          true,
        ])
        expect(await paymentOf(id)).toBe(status_of_payment)
      }
    },
  )

  test.each(PROCESSORS[database])(
    "the button pressed twice pays once, and Back leads to a page that says so, at %s",
    async () => {
      const { id, link } = await held()
      const press = (instrument: string): Promise<Answered> => form(link, { instrument })
      const pressed = await Promise.all(["spt_ok_checkout", "spt_ok_checkout", "spt_ok_checkout"].map(press))
      // Each press leads to the same page by GET, so that a reload sends no form.
      expect(pressed.map(({ status, headers }) => [status, headers.get("location")])).toEqual(
        pressed.map(() => [303, new URL(link).pathname]),
      )
      const back = await ask({ path: link })
      expect([back.status, back.text.includes("already paid"), back.text.includes("<form")]).toEqual([
        200,
        true,
        false,
      ])
      // The page before it is still in the browser, with its form.
      expect((await press("spt_declined_checkout")).status).toBe(303)
      expect(await paymentOf(id)).toBe("authorized")
      paidLink = link
    },
  )

  test("a link ends after 35 minutes: 410, and the errand gets a fresh one", async () => {
    const unpaid = await held()
    checkedId = (await checked(KEPT)).delivery_id
    expect((await ask({ path: unpaid.link })).status).toBe(200)
    await later(36 * MINUTE_MS)
    await renewed()
    for (const answer of [
      await ask({ path: unpaid.link }),
      await form(unpaid.link, { instrument: "spt_ok_checkout" }),
    ]) {
      expect([answer.status, answer.text.includes("Nothing was charged")]).toEqual([410, true])
    }
    const fresh = (await reserved(unpaid.id)).payment?.checkout_url ?? ""
    expect([fresh === unpaid.link, (await ask({ path: fresh })).status]).toEqual([false, 200])
  })

  test.each(PROCESSORS[database])(
    "the page of a link that ended after its fee was paid does not say that nothing was charged, at %s",
    async () => {
      const after = await ask({ path: paidLink })
      expect([after.status, after.text.includes("Nothing was charged")]).toEqual([410, false])
      expect(after.text).toContain("The delivery fee is already paid")
    },
  )

  test("the answer of a call is kept for 48 hours under its key", async () => {
    await later(47 * HOUR_MS)
    await renewed()
    expect((await checked(KEPT)).delivery_id).toBe(checkedId)
    await later(30 * MINUTE_MS)
    expect((await checked(KEPT)).delivery_id).not.toBe(checkedId)
  })

  test("STOP ends the texts of a delivery that goes on, and the next quote says why; START brings them back", async () => {
    await quoted("lunch")
    expect((await retailer("POST", "/deliveries", { external_delivery_id: "lunch" })).status).toBe(201)
    await expect.poll(() => twilio.textsTo(customer)).toHaveLength(1)
    expect(twilio.textsTo(customer)[0]).toContain("Reply STOP to end texts, HELP for help.")
    expect((await replied("stop it", { signature: "bm90aGluZw==" })).body.code).toBe("INVALID_SIGNATURE")
    await replied("please stop it")
    await replied("HELP")
    expect((await quoted("dinner")).data.unavailable_reason).toBeNull()
    // The provider answers the words itself, so the answer of the service is empty.
    const stopped = await replied(" Stop. ")
    expect([stopped.status, stopped.text]).toEqual([200, '<?xml version="1.0" encoding="UTF-8"?><Response/>'])
    const refused = await quoted("dinner")
    expect([refused.status, refused.data.available, refused.data.unavailable_reason]).toEqual([
      200,
      false,
      "CUSTOMER_OPTED_OUT",
    ])
    const promoted = await retailer("POST", "/deliveries", { external_delivery_id: "dinner" })
    expect([promoted.status, promoted.body.code]).toEqual([422, "QUOTE_UNAVAILABLE"])
    await moved("EN_ROUTE_TO_CUSTOMER")
    await expect.poll(async () => (await texts())[0]?.status).toBe("suppressed")
    expect((await texts())[0]).toMatchObject({ reason: "opted_out" })
    await replied("START")
    await moved("ARRIVED_AT_CUSTOMER")
    await expect.poll(() => twilio.textsTo(customer)).toHaveLength(2)
    expect(twilio.textsTo(customer)[1]).toContain("your order is here")
    expect((await quoted("dinner")).data.unavailable_reason).not.toBe("CUSTOMER_OPTED_OUT")
    expect(process().log()).not.toContain(customer.slice(-7))
  })
})

/** A service on PostgreSQL has no built-in processor; `agent.test.ts` pays at another one there. */
const PROCESSORS: Readonly<Record<DatabaseKind, readonly string[]>> = {
  "the embedded database": ["the built-in processor"],
  PostgreSQL: [],
}

const KEPT = { idempotency_key: "kept-for-48-hours" }

interface Errand {
  readonly id: string
  /** Of its hosted page. */
  readonly link: string
}

/** The sentence about what went wrong. */
function alertIn({ text }: Answered): string | undefined {
  return /<p role="alert"[^>]*>([^<]*)/.exec(text)?.[1]
}

const CHECK = {
  retailer_name: "Lunchbox Kitchen",
  store_address: {
    street: "11410 Century Oaks Terrace",
    city: "Austin",
    state: "TX",
    zip: "78758",
    location: { lat: 30.4021, lng: -97.7253 },
  },
  dropoff_address: { street: "1 River Road", city: "Austin", state: "TX", zip: "78758" },
  requested_timing: { type: "asap" },
  pickup_methods_offered: ["curbside"],
}

const RESERVE = {
  customer: { first_name: "Ada", last_name: "Example" },
  contact: { phone: PHONE },
  contact_consent: { granted: true, consent_version: "2026-09-27" },
  terms_acknowledged: { accepted: true, terms_version: "2026-09-27" },
  pickup_requirements_seen: [],
}
