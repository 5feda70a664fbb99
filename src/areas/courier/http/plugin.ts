/**
 * The page that users open from a checkout link, as a Fastify plugin. It also works
 * while the connector is paused, so that users can pay for errands in flight.
 */

import { Effect } from "effect"
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { Malformed, Refused, TurnedAway } from "../../../model/values/errors.ts"
import { CHECKOUT_FORM_BYTES_MAX } from "../../../model/values/limits.ts"
import { isOutage } from "../../../model/outage.ts"
import { CourierCheckout } from "../checkout.ts"
import type { Run } from "../../../http/bridge.ts"
import { isCheckoutProblem, isTestCard, shownCheckout } from "./checkout-page.ts"
import { addHostedCheckout } from "./hosted-checkout.ts"
import { isUnreadable, noteOutage } from "../../../http/errors.ts"
import { isForPageReader } from "../../../http/pages/outage-page.ts"
import { formTextIn } from "../../../http/pages/form.ts"
import { readsPages } from "../../../http/pages/reads-pages.ts"
import type { HostedSurface } from "./hosted-checkout.ts"
import { sendPage } from "./page.ts"
import type { Page } from "./page.ts"

export type CourierPagesSurface = CourierCheckout

export interface CourierPagesOptions {
  readonly run: Run<CourierPagesSurface>
  /** Set when the processor has its own checkout page; default: our page with its test cards. */
  readonly runHosted?: Run<HostedSurface>
}

interface Linked {
  readonly Params: { readonly token: string }
  readonly Querystring: { readonly problem?: unknown }
  readonly Body: Buffer | undefined
}

/** Requires the hooks of the gate on the instance, and bodies as bytes. */
export async function courierPagesPlugin(
  app: FastifyInstance,
  { run, runHosted }: CourierPagesOptions,
): Promise<void> {
  app.setErrorHandler(sendFault)
  if (runHosted === undefined) addOwnCheckout(app, run)
  else addHostedCheckout(app, runHosted)
}

function addOwnCheckout(app: FastifyInstance, run: Run<CourierCheckout>): void {
  app.get<Linked>("/pay/:token", async ({ params: { token }, query: { problem } }, reply) => {
    const view = await run(Effect.flatMap(CourierCheckout, (checkout) => checkout.view(token)))
    return sendPage(reply, shownCheckout(view, isCheckoutProblem(problem) ? problem : null))
  })
  app.post<Linked>("/pay/:token", { bodyLimit: CHECKOUT_FORM_BYTES_MAX }, async (request, reply) => {
    const { token } = request.params
    const instrument = new URLSearchParams(formTextIn(request.body)).get("instrument")
    const { view, problem } = await run(paid(token, instrument))
    const address = `/pay/${encodeURIComponent(token)}`
    // A reload of this page does not pay again, and neither does the way back to it in a browser's history.
    if (view === "paid") return reply.redirect(address, 303)
    if (problem !== null && readsPages(request)) return reply.redirect(`${address}?problem=${problem}`, 303)
    return sendPage(reply, shownCheckout(view, problem))
  })
}

const paid = Effect.fnUntraced(function* (token: string, instrument: string | null) {
  const checkout = yield* CourierCheckout
  if (!isTestCard(instrument)) return { view: yield* checkout.view(token), problem: "unchosen" } as const
  const result = yield* checkout.pay(token, instrument)
  if (result.type === "paid") return { view: "paid", problem: null } as const
  if (result.type === "declined" || result.type === "unavailable")
    return { view: yield* checkout.view(token), problem: result.type } as const
  return { view: result, problem: null } as const
})

/** Errors are shown as a page for people. */
function sendFault(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  // Errors of the gate have the same form on every path.
  if (error instanceof Refused || error instanceof TurnedAway || isForPageReader(error, request)) throw error
  if (isOutage(error)) {
    noteOutage(error, request, reply)
    return sendPage(reply, { status: 503, page: FAULT })
  }
  const isOfTheCaller = isUnreadable(error) || error instanceof Malformed
  if (!isOfTheCaller) request.log.error({ err: error }, "a request failed")
  return sendPage(reply, { status: isOfTheCaller ? 400 : 500, page: FAULT })
}

const FAULT: Page = {
  title: "Something went wrong",
  body: ["<h1>Something went wrong</h1>", "<p>Please open the link again in a moment.</p>"],
}
