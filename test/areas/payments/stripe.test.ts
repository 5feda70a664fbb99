/**
 * Stripe against a stand-in on the loopback that answers in its recorded formats; requests are compared with the
 * official client's.
 */

import { createHmac } from "node:crypto"
import { Effect, Layer } from "effect"
import { Stripe } from "stripe"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { layerApiClient } from "../../../src/live/gateways/api-client.ts"
import { STRIPE_TOKENS_VERSION, STRIPE_VERSION } from "../../../src/live/gateways/stripe-api.ts"
import { layerStripeCheckout } from "../../../src/live/gateways/stripe-checkout.ts"
import { layerStripePayments } from "../../../src/live/gateways/stripe.ts"
import { HostedCheckout } from "../../../src/areas/courier/hosted-checkout.ts"
import type { HostedOrder } from "../../../src/areas/courier/hosted-checkout.ts"
import { Payments, failureOf } from "../../../src/areas/courier/payments.ts"
import type { PaymentResult } from "../../../src/areas/courier/payments.ts"
import { ACCOUNT, answered, payAt, refusal, startStripe } from "./stripe-stand-in.ts"
import type { Asked, Scripted, StripeStandIn } from "./stripe-stand-in.ts"

const DELIVERY = `dlv_${"a".repeat(22)}`
const FEE = { deliveryId: DELIVERY, amountCents: 495, currency: "usd" }
const ORDER = { ...FEE, repetition: 1 }
const NOW = Date.parse("2026-06-01T15:00:00Z")
const SLOW = { status: 500, body: "<html>nothing that anybody reads</html>" }

let stripe: StripeStandIn

beforeAll(async () => {
  stripe = await startStripe()
})
beforeEach(() => {
  stripe.asked.splice(0)
  stripe.script.splice(0)
  stripe.intents.clear()
  stripe.sessions.clear()
})
afterAll(() => stripe.close())

type Job = Exclude<keyof Payments["Type"], "authorize">

function authorize(credential = "spt_1"): Promise<PaymentResult> {
  const order = { ...ORDER, credential, idempotencyKey: `${DELIVERY}/authorize/1` }
  return asking((payments) => payments.authorize(order))
}

function ask(job: Job, authorizationId = "pi_1"): Promise<PaymentResult> {
  const order = { ...ORDER, authorizationId, idempotencyKey: `${DELIVERY}/${job}/${authorizationId}` }
  return asking((payments) => payments[job](order))
}

function asking(
  question: (payments: Payments["Type"]) => Effect.Effect<PaymentResult>,
  apiUrl = stripe.url,
): Promise<PaymentResult> {
  const layer = Layer.provide(layerStripePayments({ ...ACCOUNT, apiUrl }), layerApiClient)
  return Effect.runPromise(Effect.provide(Effect.flatMap(Payments, question), layer))
}

function onPage<A>(question: (checkout: HostedCheckout["Type"]) => Effect.Effect<A>): Promise<A> {
  const layer = Layer.provide(layerStripeCheckout({ ...ACCOUNT, apiUrl: stripe.url }), layerApiClient)
  return Effect.runPromise(Effect.provide(Effect.flatMap(HostedCheckout, question), layer))
}

const hostedOrder: HostedOrder = {
  ...FEE,
  returnUrl: "https://courier.example/pay/token",
  expiresAtMs: NOW + 35 * 60_000 + 999,
  idempotencyKey: `${DELIVERY}/checkout/1/0`,
}

/** The official client's request for the same, without its own version headers. */
async function official(send: (client: Stripe) => Promise<unknown>): Promise<Asked> {
  const { port } = new URL(stripe.url)
  const client = new Stripe(ACCOUNT.secretKey, {
    host: "127.0.0.1",
    port,
    protocol: "http",
    maxNetworkRetries: 0,
    telemetry: false,
  })
  const before = stripe.asked.length
  await send(client).catch(() => undefined)
  const asked = stripe.asked[before]
  if (asked === undefined) throw new Error("the official client sent nothing")
  return asked
}

function expectSame(ours: Asked | undefined, theirs: Asked): void {
  const shown = ({ method, path, headers, form }: Asked) => ({
    method,
    path: decodeURIComponent(path).replace("expand[0]", "expand[]"),
    form,
    ...Object.fromEntries(
      ["authorization", "content-type", "idempotency-key", "stripe-version"].map((name) => [
        name,
        String(headers[name]).replace(/;.*/, ""),
      ]),
    ),
  })
  expect(ours && shown(ours)).toEqual(shown(theirs))
}

/** Source: Stripe, decline codes and error codes. */
describe("a declined payment is declined, expired or over its limit", () => {
  test.each([
    ["expired_card", "expired"],
    ["insufficient_funds", "over_limit"],
    ["card_velocity_exceeded", "over_limit"],
    ["withdrawal_count_limit_exceeded", "over_limit"],
    ["invalid_amount", "over_limit"],
    ["generic_decline", "declined"],
    ["do_not_honor", "declined"],
    ["stolen_card", "declined"],
    ["pin_try_exceeded", "declined"],
    ["fraudulent", "declined"],
  ] as const)(
    "by the bank's word %s: %s, and the word itself goes no further",
    async (decline_code, failure) => {
      stripe.script.push(refusal(402, { code: "card_declined", decline_code }))
      expect(await authorize()).toEqual({ type: "declined", reason: "card_declined", failure })
    },
  )

  test.each([
    ["expired_card", "expired"],
    ["amount_too_large", "over_limit"],
    ["charge_exceeds_source_limit", "over_limit"],
    ["card_decline_rate_limit_exceeded", "declined"],
    ["authentication_required", "declined"],
  ] as const)("by Stripe's own code %s: %s", (code, failure) => {
    expect(failureOf(code)).toBe(failure)
  })
})

describe("authorizing with a shared payment token", () => {
  test("authorizes the fee without capturing it, and requires no action of the user", async () => {
    expect(await authorize()).toEqual({ type: "done", authorizationId: "pi_1" })
    expect(stripe.asked).toMatchObject([
      {
        method: "POST",
        path: "/v1/payment_intents",
        headers: {
          authorization: `Bearer ${ACCOUNT.secretKey}`,
          "content-type": "application/x-www-form-urlencoded",
          "idempotency-key": `${DELIVERY}/authorize/1`,
          "stripe-version": STRIPE_TOKENS_VERSION,
        },
      },
    ])
    expect(stripe.asked[0]?.form).toEqual({
      amount: "495",
      currency: "usd",
      capture_method: "manual",
      confirm: "true",
      error_on_requires_action: "true",
      "payment_method_data[shared_payment_granted_token]": "spt_1",
      "metadata[delivery_id]": DELIVERY,
      "metadata[asked_as]": `${DELIVERY}/authorize/1`,
    })
  })

  test.each<[string, Scripted, PaymentResult]>([
    [
      "a card that is declined",
      refusal(402, {
        code: "card_declined",
        decline_code: "insufficient_funds",
        payment_intent: { status: "x" },
      }),
      { type: "declined", reason: "card_declined", failure: "over_limit" },
    ],
    [
      "a card whose bank says nothing else",
      refusal(402, { code: "card_declined" }),
      { type: "declined", reason: "card_declined" },
    ],
    [
      "a bank's word that is none",
      refusal(402, { code: "card_declined", decline_code: "Ada Example" }),
      { type: "declined", reason: "card_declined" },
    ],
    [
      "a card that has expired",
      refusal(402, { code: "expired_card" }),
      { type: "declined", reason: "expired_card" },
    ],
    [
      "a bank that asks",
      refusal(402, { code: "authentication_required" }),
      { type: "declined", reason: "authentication_required" },
    ],
    [
      "an unknown token",
      refusal(404, { code: "resource_missing" }),
      { type: "declined", reason: "resource_missing" },
    ],
    [
      "a token that is used up",
      refusal(400, { param: "payment_method_data" }),
      { type: "declined", reason: "invalid_request_error" },
    ],
    [
      "a code that names somebody",
      refusal(400, { code: "Ada Example" }),
      { type: "declined", reason: "declined" },
    ],
    [
      "a payment that waits for something",
      { status: 200, body: { id: "pi_9", status: "requires_action" } },
      { type: "declined", reason: "not_authorized" },
    ],
    [
      "too many requests",
      refusal(429, { code: "rate_limit" }),
      { type: "unavailable", reason: "stripe_429" },
    ],
    ["a wrong key of ours", refusal(401, {}), { type: "unavailable", reason: "stripe_401" }],
    ["a key that may not", refusal(403, {}), { type: "unavailable", reason: "stripe_403" }],
    ["no sense", { status: 200, body: [] }, { type: "unavailable", reason: "stripe_not_understood" }],
    ["no JSON", { status: 200, body: "<html>" }, { type: "done", authorizationId: "pi_1" }],
  ])("%s", async (_, answer, result) => {
    stripe.script.push(answer)
    expect(await authorize()).toEqual(result)
  })

  test.each<[string, Scripted]>([
    ["a connection that ends", "silent"],
    ["the same key under way", refusal(409, { code: "idempotency_key_in_use" })],
  ])("%s is asked again once, to the letter", async (_, first) => {
    stripe.script.push(first)
    expect(await authorize()).toEqual({ type: "done", authorizationId: "pi_1" })
    const [one, again] = stripe.asked
    expect(again).toEqual({ ...one, headers: again?.headers })
    expect(again?.headers["idempotency-key"]).toBe(one?.headers["idempotency-key"])
    stripe.script.push(first, first)
    expect((await authorize()).type).toBe("unavailable")
    expect(stripe.asked).toHaveLength(4)
  })

  test("a fault of Stripe's is looked up, and what was not made is asked for under another key", async () => {
    stripe.script.push(SLOW)
    expect(await authorize()).toEqual({ type: "done", authorizationId: "pi_1" })
    expect(stripe.asked).toMatchObject([
      { method: "POST" },
      { method: "GET", path: "/v1/payment_intents?limit=100" },
      { method: "POST", headers: { "idempotency-key": `${DELIVERY}/authorize/1/again/1` } },
    ])
    stripe.script.push(SLOW)
    expect(await authorize()).toEqual({ type: "done", authorizationId: "pi_1" })
    expect(stripe.asked).toHaveLength(5)
    stripe.script.push(SLOW, SLOW)
    expect((await authorize()).type).toBe("unavailable")
  })

  test("Stripe that is not there is unavailable", async () => {
    const order = { ...ORDER, credential: "spt_1", idempotencyKey: "1" }
    const result = await asking((payments) => payments.authorize(order), "http://127.0.0.1:9")
    expect(result).toEqual({ type: "unavailable", reason: "stripe_unreachable" })
  })
})

describe("taking the fee and giving it back", () => {
  beforeEach(
    () => void stripe.intents.set("pi_1", { status: "requires_capture", amount: 495, isRefunded: false }),
  )

  test.each<[Job, (client: Stripe) => Promise<unknown>]>([
    [
      "capture",
      (client) =>
        client.paymentIntents.capture("pi_1", { amount_to_capture: 495 }, { idempotencyKey: key("capture") }),
    ],
    [
      "cancel",
      (client) =>
        client.paymentIntents.cancel(
          "pi_1",
          { cancellation_reason: "abandoned" },
          { idempotencyKey: key("cancel") },
        ),
    ],
    [
      "refund",
      (client) =>
        client.refunds.create(
          { payment_intent: "pi_1", reason: "requested_by_customer" },
          { idempotencyKey: key("refund") },
        ),
    ],
  ])("%s is the official client's request", async (job, send) => {
    expect(await ask(job)).toEqual({ type: "done", authorizationId: "pi_1" })
    expectSame(stripe.asked[0], await official(send))
  })

  function key(job: Job): string {
    return `${DELIVERY}/${job}/pi_1`
  }

  test.each<[Job, string]>([
    ["capture", "succeeded"],
    ["cancel", "canceled"],
  ])("%s twice is done twice", async (job, status) => {
    await ask(job)
    expect(await ask(job)).toEqual({ type: "done", authorizationId: "pi_1" })
    expect(stripe.intents.get("pi_1")?.status).toBe(status)
  })

  test("refund twice is done twice", async () => {
    await ask("refund")
    expect(await ask("refund")).toEqual({ type: "done", authorizationId: "pi_1" })
  })

  test.each<[string, Job, Scripted, PaymentResult]>([
    [
      "an authorization that has ended",
      "capture",
      refusal(400, {
        code: "payment_intent_unexpected_state",
        payment_intent: { id: "pi_1", status: "canceled" },
      }),
      { type: "declined", reason: "payment_intent_unexpected_state" },
    ],
    [
      "a capture that the bank declines",
      "capture",
      refusal(402, { code: "card_declined" }),
      { type: "declined", reason: "card_declined" },
    ],
    [
      "too many requests",
      "refund",
      refusal(429, { code: "rate_limit" }),
      { type: "unavailable", reason: "stripe_429" },
    ],
    [
      "a payment that is still being taken",
      "capture",
      { status: 200, body: { id: "pi_1", status: "processing" } },
      { type: "unavailable", reason: "stripe_not_understood" },
    ],
  ])("%s: %s", async (_, job, answer, result) => {
    stripe.script.push(answer)
    expect(await ask(job)).toEqual(result)
  })

  test("a cancel of what turns out to be captured gives it back, once", async () => {
    await ask("capture")
    expect(await ask("cancel")).toEqual({ type: "done", authorizationId: "pi_1" })
    expect(stripe.intents.get("pi_1")).toMatchObject({ status: "succeeded", isRefunded: true })
    expect(await ask("cancel")).toEqual({ type: "done", authorizationId: "pi_1" })
    expect(
      stripe.asked.filter(({ path }) => path === "/v1/refunds").map(({ headers }) => headers),
    ).toMatchObject([
      { "idempotency-key": `${key("cancel")}/refund` },
      { "idempotency-key": `${key("cancel")}/refund` },
    ])
  })

  test("what is owed is asked for under a key of each repetition, after a fault or a refusal that Stripe keeps", async () => {
    const declined = refusal(400, { code: "balance_insufficient" })
    stripe.script.push(declined, answered({ id: "pi_1", status: "succeeded" }), declined)
    expect((await ask("refund")).type).toBe("declined")
    stripe.script.push(declined)
    const order = { ...ORDER, authorizationId: "pi_1", idempotencyKey: key("refund"), repetition: 2 }
    expect((await asking((payments) => payments.refund(order))).type).toBe("done")
    const keys = stripe.asked.flatMap(({ headers }) => headers["idempotency-key"] ?? [])
    expect(keys).toEqual([
      key("refund"),
      `${key("refund")}/again/1`,
      key("refund"),
      `${key("refund")}/again/2`,
    ])
  })

  test("an answer that is too long, or none of JSON, is unclear", async () => {
    stripe.script.push({ status: 200, body: "x".repeat(65_537) }, { status: 200, body: "<html>" })
    expect(await ask("capture")).toEqual({ type: "unavailable", reason: "stripe_too_long" })
    stripe.script.push({ status: 200, body: "<html>" })
    expect(await ask("capture")).toEqual({ type: "unavailable", reason: "stripe_not_json" })
  })

  test.each<[Job, string, string]>([
    ["capture", "succeeded", "/v1/payment_intents/pi_1"],
    ["cancel", "canceled", "/v1/payment_intents/pi_1"],
    ["refund", "succeeded", "/v1/payment_intents/pi_1?expand[]=latest_charge"],
  ])(
    "an unclear %s is looked up, and asked for again under another key if Stripe failed before it",
    async (job, status, path) => {
      stripe.script.push("silent")
      expect(await ask(job)).toEqual({ type: "unavailable", reason: "stripe_unreachable" })
      expect(stripe.asked).toMatchObject([{ method: "POST" }, { method: "GET", path }])
      stripe.script.push(SLOW)
      expect(await ask(job)).toEqual({ type: "done", authorizationId: "pi_1" })
      const keys = stripe.asked.flatMap(({ headers }) => headers["idempotency-key"] ?? [])
      expect(keys).toEqual([key(job), key(job), `${key(job)}/again/1`])
      stripe.intents.set("pi_1", { status, amount: 495, isRefunded: job === "refund" })
      stripe.script.push("silent")
      expect(await ask(job)).toEqual({ type: "done", authorizationId: "pi_1" })
      stripe.script.push(SLOW, "silent", SLOW)
      expect(await ask(job)).toEqual({ type: "unavailable", reason: "stripe_500" })
    },
  )

  test("the look-up is the official client's request", async () => {
    stripe.script.push(SLOW)
    await ask("refund")
    const theirs = await official((client) =>
      client.paymentIntents.retrieve("pi_1", { expand: ["latest_charge"] }),
    )
    const [, ours] = stripe.asked
    expect([decodeURIComponent(theirs.path).replace("[0]", "[]"), theirs.headers["stripe-version"]]).toEqual([
      ours?.path,
      ours?.headers["stripe-version"],
    ])
  })
})

describe("the hosted page", () => {
  test("is begun with the official client's request", async () => {
    const page = await onPage((checkout) => checkout.begin(hostedOrder))
    expect(page).toEqual({ type: "page", url: "https://checkout.stripe.example/c/pay/cs_test_1" })
    const theirs = await official((client) =>
      client.checkout.sessions.create(
        {
          mode: "payment",
          client_reference_id: DELIVERY,
          success_url: "https://courier.example/pay/token?session={CHECKOUT_SESSION_ID}",
          cancel_url: "https://courier.example/pay/token",
          expires_at: NOW / 1_000 + 35 * 60,
          allowed_payment_method_types: ["card"],
          payment_intent_data: { capture_method: "manual", metadata: { delivery_id: DELIVERY } },
          line_items: [
            {
              quantity: 1,
              price_data: { currency: "usd", unit_amount: 495, product_data: { name: "Delivery fee" } },
            },
          ],
        },
        { idempotencyKey: hostedOrder.idempotencyKey },
      ),
    )
    expectSame(stripe.asked[0], theirs)
    expect(stripe.asked[0]?.headers["stripe-version"]).toBe(STRIPE_VERSION)
  })

  test.each<[string, Scripted]>([
    ["Stripe does not answer", "silent"],
    ["it is too busy", refusal(429, {})],
    ["the account has no profile", refusal(400, { code: "account_invalid" })],
    ["it has no URL", { status: 200, body: { id: "cs_test_1", url: null } }],
  ])("there is none when %s", async (_, answer) => {
    stripe.script.push(answer)
    expect(await onPage((checkout) => checkout.begin(hostedOrder))).toEqual({ type: "unavailable" })
  })

  test("what became of a session: open, paid, over", async () => {
    await onPage((checkout) => checkout.begin(hostedOrder))
    const find = () => onPage((checkout) => checkout.find("cs_test_1"))
    expect(await find()).toEqual({ type: "open" })
    payAt(stripe, "cs_test_1")
    const authorizationId = "pi_of_cs_test_1"
    expect(await find()).toEqual({ type: "paid", ...FEE, authorizationId })
    await ask("capture", authorizationId)
    expect(await find()).toEqual({ type: "over", authorizationId })
    expect(stripe.asked[1]).toMatchObject({
      method: "GET",
      path: "/v1/checkout/sessions/cs_test_1?expand[]=payment_intent",
    })
  })

  test.each<[string, Scripted | null, object]>([
    ["cs_test_7", null, { type: "unknown" }],
    ["cs_test_1", "silent", { type: "unavailable" }],
    ["cs_test_1", refusal(429, {}), { type: "unavailable" }],
    ["cs_test_1", { status: 200, body: { id: "cs_test_1" } }, { type: "unavailable" }],
  ])("session %s, when Stripe says %j", async (sessionId, answer, found) => {
    if (answer !== null) stripe.script.push(answer)
    expect(await onPage((checkout) => checkout.find(sessionId))).toEqual(found)
  })

  test.each(["../payment_intents/pi_1", "cs_1/expire", "", "pi_1"])("%j is never asked for", async (id) => {
    expect(await onPage((checkout) => checkout.find(id))).toEqual({ type: "unknown" })
    expect(stripe.asked).toEqual([])
  })

  test("a paid session is taken as a credential of its errand alone, and for the whole fee", async () => {
    await onPage((checkout) => checkout.begin(hostedOrder))
    expect(await authorize("cs_test_1")).toEqual({ type: "declined", reason: "session_not_paid" })
    payAt(stripe, "cs_test_1")
    expect(await authorize("cs_test_1")).toEqual({ type: "done", authorizationId: "pi_of_cs_test_1" })
    for (const wrong of [{ deliveryId: "dlv_other" }, { amountCents: 1_000 }, { currency: "eur" }]) {
      const order = { ...ORDER, credential: "cs_test_1", idempotencyKey: "1", ...wrong }
      expect(await asking((payments) => payments.authorize(order))).toEqual({
        type: "declined",
        reason: "session_of_another",
      })
    }
    stripe.script.push("silent")
    expect((await authorize("cs_test_1")).type).toBe("unavailable")
  })
})

describe("events", () => {
  const body = JSON.stringify({
    id: "evt_1",
    object: "event",
    type: "checkout.session.completed",
    data: { object: { id: "cs_test_1", object: "checkout.session" } },
  })

  /** Signed by the official client. */
  function signed(payload: string, secret = ACCOUNT.webhookSecret, atMs = NOW): string {
    const timestamp = atMs / 1_000
    return new Stripe("sk_test_1").webhooks.generateTestHeaderString({ payload, secret, timestamp })
  }

  function told(signature: string, text = body) {
    return onPage((checkout) =>
      Effect.sync(() => checkout.sessionIn({ body: Buffer.from(text), signature, nowMs: NOW })),
    )
  }

  test("one that the official client signs is believed, for five minutes", async () => {
    expect(await told(signed(body))).toEqual({ sessionId: "cs_test_1" })
    for (const ageMs of [300_000, -300_000]) {
      expect(await told(signed(body, ACCOUNT.webhookSecret, NOW - ageMs))).toEqual({ sessionId: "cs_test_1" })
    }
    for (const ageMs of [301_000, -301_000]) {
      expect(await told(signed(body, ACCOUNT.webhookSecret, NOW - ageMs))).toBe("forged")
    }
  })

  test("while a secret is rolled, one good signature of several is enough", async () => {
    const [stamp = "", good = ""] = signed(body).split(",")
    expect(await told([stamp, `v1=${"0".repeat(64)}`, good].join(","))).toEqual({ sessionId: "cs_test_1" })
  })

  test.each([
    ["", "nothing"],
    ["t=,v1=", "nothing in it"],
    [`t=${NOW / 1_000}`, "no signature"],
    [`t=${NOW / 1_000},v1=zz`, "no hexadecimal"],
    [signed(body, "whsec_of_another_endpoint"), "another endpoint's secret"],
    [signed(`${body} `), "another body's"],
    [signed(body).replace(/t=\d+/, `t=${NOW / 1_000 + 1}`), "another instant's"],
    [signed(body).replace("v1=", "v0="), "another scheme"],
    [`t=${NOW / 1_000},v1=${createHmac("sha256", "").update(body).digest("hex")}`, "no secret"],
  ])("%s is forged: %s", async (signature) => {
    expect(await told(signature)).toBe("forged")
  })

  test("a genuine one about something else is nothing to us", async () => {
    for (const text of ["{}", "no JSON", body.replace("completed", "expired")]) {
      expect(await told(signed(text), text)).toBeNull()
    }
  })
})
