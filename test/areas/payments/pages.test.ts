/** The checkout page that leads to a processor's own, and the door for the processor's events. */

import { Context, Runtime } from "effect"
import type { FastifyInstance } from "fastify"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { bridgeTo } from "../../../src/http/bridge.ts"
import { courierPagesPlugin } from "../../../src/areas/courier/http/plugin.ts"
import { CourierCheckout } from "../../../src/areas/courier/checkout.ts"
import type { CheckoutView } from "../../../src/areas/courier/checkout.ts"
import { HostedPayment } from "../../../src/areas/courier/hosted-payment.ts"
import type { Begun, Settled } from "../../../src/areas/courier/hosted-payment.ts"
import { OPEN, PAID } from "../../browser/courier-pages.ts"
import { bareApp } from "../../http/bare-app.ts"
import { Routine } from "../../../src/engine/services/routine.ts"

let app: FastifyInstance
let view: CheckoutView
let begun: Begun
let settled: Settled | "forged"
let asked: unknown[]

beforeAll(async () => {
  const known = Context.make(CourierCheckout, {
    view: () => Routine.sync(() => view),
    pay: () => Routine.dieMessage("no payments in this test"),
  }).pipe(
    Context.add(HostedPayment, {
      begin: () => Routine.sync(() => begun),
      returned: (token, sessionId) =>
        Routine.sync(() => {
          asked.push([token, sessionId])
          return settled === "forged" ? "unknown" : settled
        }),
      noticed: ({ body, signature }) =>
        Routine.sync(() => {
          asked.push([new TextDecoder().decode(body), signature])
          return settled
        }),
    }),
  )
  const runtime = Runtime.updateContext(Runtime.defaultRuntime, (context) => Context.merge(context, known))
  const run = bridgeTo(runtime)
  app = await bareApp({ environment: "production" })
  await app.register(courierPagesPlugin, { run, runHosted: run })
})
beforeEach(() => {
  view = OPEN
  begun = { type: "elsewhere", url: "https://checkout.example/c/pay/cs_1#fid" }
  settled = "kept"
  asked = []
})
afterAll(() => app.close())

const get = (url: string) => app.inject({ method: "GET", url })
const post = (url: string, headers = {}, payload = "") =>
  app.inject({ method: "POST", url, headers, payload })

test("it says for what, how much and until when, and has no card of its own", async () => {
  const { statusCode, body, headers } = await get("/pay/t1")
  expect(statusCode).toBe(200)
  for (const text of ["$4.95", "Lunchbox &#38; &#60;Sons&#62;", "Mar 2, 12:35 PM CST", "<form"]) {
    expect(body).toContain(text)
  }
  expect(body).not.toMatch(/test card|<input[^>]*type="radio"/i)
  expect(headers["content-security-policy"]).toContain("form-action 'self' https:;")
})

test("its button leads to the processor, and no referrer tells the link on", async () => {
  const { statusCode, headers } = await post("/pay/t1")
  expect([statusCode, headers["location"]]).toEqual([303, "https://checkout.example/c/pay/cs_1#fid"])
  expect([headers["referrer-policy"], headers["cache-control"]]).toEqual(["no-referrer", "no-store"])
})

test.each<[Begun, number, string]>([
  [{ type: "unavailable" }, 503, "does not answer"],
  [{ type: "expired", isPaid: false }, 410, "This link has expired"],
  [{ type: "closed" }, 410, "Nothing to pay"],
  [{ type: "unknown" }, 404, "No such payment link"],
  [PAID, 200, "already paid"],
])("the button: %j is %i", async (answer, status, text) => {
  begun = answer
  const { statusCode, body } = await post("/pay/t1")
  expect([statusCode, body.includes(text)]).toEqual([status, true])
})

test.each<[Settled, number, string]>([
  ["kept", 200, "The delivery fee is paid"],
  ["let-go", 410, "What you have just paid is not taken"],
  ["open", 200, "Continue to pay"],
  ["unknown", 200, "Continue to pay"],
  ["unavailable", 503, "Do not pay again"],
])("back from the processor: %s is %i", async (answer, status, text) => {
  settled = answer
  const { statusCode, body } = await get("/pay/t1?session=cs_1")
  expect([statusCode, body.includes(text)]).toEqual([status, true])
  expect(asked).toEqual([["t1", "cs_1"]])
})

test("a session that is sent twice is none", async () => {
  expect((await get("/pay/t1?session=cs_1&session=cs_2")).body).toContain("Continue to pay")
  expect(asked).toEqual([])
})

test.each<[Settled | "forged", number]>([
  ["kept", 200],
  ["let-go", 200],
  ["open", 200],
  ["unknown", 200],
  ["unavailable", 503],
  ["forged", 403],
])(
  "an event that is %s is answered with %i, so that the processor knows whether to send it again",
  async (answer, status) => {
    settled = answer
    const { statusCode } = await post(
      "/payments/stripe",
      { "stripe-signature": "t=1,v1=ab" },
      '{"id":"evt_1"}',
    )
    expect(statusCode).toBe(status)
    expect(asked).toEqual([['{"id":"evt_1"}', "t=1,v1=ab"]])
  },
)

test("without a body or a signature it is told just that", async () => {
  settled = "forged"
  expect((await post("/payments/stripe")).statusCode).toBe(403)
  expect(asked).toEqual([["", ""]])
})
