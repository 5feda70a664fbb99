/**
 * `/track/{token}`: the page of a customer who waits, of courier errands and direct deliveries, on the host of its
 * environment. It also works while the connector is paused. The page reads without script; its script reads the same address
 * again and replaces what has changed.
 */

import { Effect } from "effect"
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import type { Html } from "../../../pages/html/markup.ts"
import { html } from "../../../pages/html/markup.ts"
import type { Streets } from "../../../pages/html/map/streets.ts"
import { PRIVATE_PAGE_HEADERS } from "../../../pages/html/page-frame.ts"
import type { WrittenPage } from "../../../pages/html/page-frame.ts"
import type { Run } from "../../../http/bridge.ts"
import { isUnreadable, noteOutage } from "../../../http/errors.ts"
import { formTextIn } from "../../../http/pages/form.ts"
import { isForPageReader } from "../../../http/pages/outage-page.ts"
import { readsPages } from "../../../http/pages/reads-pages.ts"
import { isNotFound } from "../../../http/pages/unknown-pages.ts"
import type { Environment } from "../../../model/caller.ts"
import { Malformed, Refused, TurnedAway } from "../../../model/values/errors.ts"
import { COMPARTMENT_FORM_BYTES_MAX } from "../../../model/values/limits.ts"
import { isOutage } from "../../../model/outage.ts"
import { Tracking } from "../tracking.ts"
import { DIGITS_FIELD, OPEN_PATH } from "./door.ts"
import { RECEIPT_PATH, receiptFile } from "./receipt.ts"
import { trackingPage } from "./tracking-page.ts"

export interface TrackingOptions<R> {
  readonly run: Run<R | Tracking>
  /** Runs a customer's try to open a compartment, and notes it. */
  readonly noted: (
    deliveryId: string,
    opening: Effect.Effect<boolean, Refused>,
  ) => Effect.Effect<boolean, Refused, R>
  readonly environment: Environment
  /** Null: the map's ground is plain. */
  readonly streets: Streets | null
  readonly page: (
    name: "tracking",
    shown: { readonly title: string; readonly data: null; readonly body: Html },
  ) => Promise<WrittenPage>
}

interface Linked {
  readonly Params: { readonly token: string }
  readonly Body: Buffer | undefined
}

/** What a page says, before it is put into its frame. */
interface Said {
  readonly status: number
  readonly title: string
  readonly body: Html
}

/** Requires the hooks of the gate on the instance, and bodies as bytes. */
export async function trackingPlugin<R>(app: FastifyInstance, options: TrackingOptions<R>): Promise<void> {
  const { run, environment, noted, streets, page } = options
  const send = async (reply: FastifyReply, { status, title, body }: Said): Promise<FastifyReply> => {
    const written = await page("tracking", { title: `${title} - Curbline`, data: null, body })
    return reply
      .code(status)
      .headers({ ...PRIVATE_PAGE_HEADERS, "Content-Security-Policy": written.policy })
      .type("text/html; charset=utf-8")
      .send(written.html)
  }
  app.setErrorHandler((error, request, reply) => {
    // No link has this token; the gate refused it before it was read.
    if (isNotFound(error) && readsPages(request))
      return send(reply, trackingPage({ type: "unknown" }, { environment, path: "", streets }))
    const status = faultOf(error, request, reply)
    return send(reply, { status, title: FAULT_TITLE, body: FAULT })
  })
  app.get<Linked>("/track/:token", async ({ params: { token } }, reply) => {
    const answer = await run(Effect.flatMap(Tracking, (tracking) => tracking.view(environment, token)))
    const path = `/track/${encodeURIComponent(token)}`
    return send(reply, trackingPage(answer, { environment, path, streets }))
  })
  app.get<Linked>(`/track/:token/${RECEIPT_PATH}`, async ({ params: { token } }, reply) => {
    const answer = await run(Effect.flatMap(Tracking, (tracking) => tracking.view(environment, token)))
    const receipt = answer.type === "found" ? receiptFile(answer) : null
    if (receipt === null) {
      const path = `/track/${encodeURIComponent(token)}`
      const known = answer.type === "found" ? ({ type: "unknown" } as const) : answer
      return send(reply, trackingPage(known, { environment, path, streets }))
    }
    return reply
      .headers({
        ...PRIVATE_PAGE_HEADERS,
        "Content-Security-Policy": receipt.policy,
        "Content-Disposition": `attachment; filename="${receipt.name}"`,
      })
      .type("text/html; charset=utf-8")
      .send(receipt.html)
  })
  const form = { bodyLimit: COMPARTMENT_FORM_BYTES_MAX }
  app.post<Linked>(`/track/:token/${OPEN_PATH}`, form, async ({ params: { token }, body }, reply) => {
    const digits = new URLSearchParams(formTextIn(body)).get(DIGITS_FIELD) ?? ""
    await run(opened({ environment, token, digits, noted }))
    // The page shows what became of it, and a reload sends no digits again.
    return reply.redirect(`/track/${encodeURIComponent(token)}`, 303)
  })
}

interface Opened<R> extends Pick<TrackingOptions<R>, "noted"> {
  readonly environment: Environment
  readonly token: string
  readonly digits: string
}

/** A refusal is no fault: the page says the same from the compartment's state, also to those who come later. */
const opened = <R>({ environment, token, digits, noted }: Opened<R>) =>
  Effect.gen(function* () {
    const tracking = yield* Tracking
    const deliveryId = yield* tracking.deliveryOf(environment, token)
    if (deliveryId !== null)
      yield* Effect.ignore(noted(deliveryId, tracking.open(environment, token, digits)))
  })

/** Errors are shown as a page for people. */
function faultOf(error: unknown, request: FastifyRequest, reply: FastifyReply): number {
  // Errors of the gate have the same form on every path.
  if (error instanceof Refused || error instanceof TurnedAway || isForPageReader(error, request)) throw error
  if (isOutage(error)) {
    noteOutage(error, request, reply)
    return 503
  }
  if (isUnreadable(error) || error instanceof Malformed) return 400
  request.log.error({ err: error }, "a request failed")
  return 500
}

const FAULT_TITLE = "Something went wrong"
const FAULT = html`<main class="tracking alone">
  <h1>${FAULT_TITLE}</h1>
  <p>Please open the link again in a moment.</p>
</main>`
