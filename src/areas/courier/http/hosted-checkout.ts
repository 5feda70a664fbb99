/**
 * Checkout on the payment processor's own page: ours redirects there, receives the user again, and receives the
 * processor's events. Source: Stripe, Checkout; Webhooks.
 */

import { Effect } from "effect"
import type { FastifyInstance, FastifyReply } from "fastify"
import { TurnedAway } from "../../../model/values/errors.ts"
import { CHECKOUT_FORM_BYTES_MAX } from "../../../model/values/limits.ts"
import { CourierCheckout } from "../checkout.ts"
import { HostedPayment } from "../hosted-payment.ts"
import type { Settled } from "../hosted-payment.ts"
import type { Run } from "../../../http/bridge.ts"
import { shownHosted, shownReturn } from "./checkout-page.ts"
import type { ShownCheckout } from "./checkout-page.ts"
import { sendPage } from "./page.ts"

export type HostedSurface = CourierCheckout | HostedPayment

interface Linked {
  readonly Params: { readonly token: string }
  readonly Querystring: { readonly session?: unknown }
}

/** The path to which the processor posts its events, below the production host. */
const EVENTS_PATH = "/payments/stripe"

export function addHostedCheckout(app: FastifyInstance, run: Run<HostedSurface>): void {
  app.get<Linked>("/pay/:token", async ({ params: { token }, query: { session } }, reply) => {
    const shown = await run(typeof session === "string" ? backWith(token, session) : shownNow(token))
    return sendPage(reply, shown)
  })
  app.post<Linked>("/pay/:token", { bodyLimit: CHECKOUT_FORM_BYTES_MAX }, async (request, reply) => {
    const { token } = request.params
    const begun = await run(Effect.flatMap(HostedPayment, (payment) => payment.begin(token)))
    if (begun.type === "elsewhere") return leave(reply, begun.url)
    if (begun.type !== "unavailable") return sendPage(reply, shownHosted(begun, null))
    const view = await run(Effect.flatMap(CourierCheckout, (checkout) => checkout.view(token)))
    return sendPage(reply, shownHosted(view, "unavailable"))
  })
  app.post<{ Body: Buffer | undefined }>(EVENTS_PATH, async (request, reply) => {
    const signature = [request.headers["stripe-signature"]].flat()[0] ?? ""
    const notice = { body: request.body ?? new Uint8Array(), signature }
    const outcome = await run(Effect.flatMap(HostedPayment, (payment) => payment.noticed(notice)))
    if (outcome === "forged") throw new TurnedAway({ code: "INVALID_SIGNATURE" })
    // The processor sends an event again unless the answer is 2xx.
    return reply.code(outcome === "unavailable" ? 503 : 200).send()
  })
}

/** The redirect must not be cached: a cached one would not begin a new checkout. */
function leave(reply: FastifyReply, url: string): FastifyReply {
  return reply.header("Cache-Control", "no-store").header("Referrer-Policy", "no-referrer").redirect(url, 303)
}

const shownNow = Effect.fnUntraced(function* (token: string) {
  const checkout = yield* CourierCheckout
  return shownHosted(yield* checkout.view(token), null)
})

const backWith = Effect.fnUntraced(function* (token: string, sessionId: string) {
  const payment = yield* HostedPayment
  const settled: Settled = yield* payment.returned(token, sessionId)
  if (settled === "kept" || settled === "let-go") return shownReturn(settled)
  const checkout = yield* CourierCheckout
  const problem = settled === "unavailable" ? "unclear" : null
  return shownHosted(yield* checkout.view(token), problem) satisfies ShownCheckout
})
