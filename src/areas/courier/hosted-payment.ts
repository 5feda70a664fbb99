/**
 * Hosted payment: from a checkout link to the processor's page and back. Two signals report the payment: the user's
 * return and the processor's event. Neither is trusted: the session is looked up at the processor, and the errand takes
 * it as a credential like any other.
 */

import { Effect } from "effect"
import { CHECKOUT_LINK_MS, CHECKOUT_SESSION_STEP_MS } from "../../model/values/limits.ts"
import { MINUTE_MS } from "../../model/values/time.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { untilAnswered, userLock } from "./calls.ts"
import { openLink, viewOf } from "./checkout.ts"
import type { CheckoutView, Opened, Unopened } from "./checkout.ts"
import { sendCredential } from "./commands.ts"
import { errandGroup, groupsOf, isAsking } from "./errand.ts"
import { HostedCheckout } from "./hosted-checkout.ts"
import type { ClaimedNotice } from "./hosted-checkout.ts"
import { readToken } from "../../engine/services/signed-links.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { Payments } from "./payments.ts"
import { CourierRows } from "./rows.ts"
import { CourierSettings, feeOf } from "./settings.ts"

/** The processor's page, or why nothing can be paid. */
export type Begun =
  | Exclude<CheckoutView, { readonly type: "open" }>
  | { readonly type: "elsewhere"; readonly url: string }
  | { readonly type: "unavailable" }

/**
 * `kept`: the errand has the payment. `let-go`: the errand was paid otherwise or is over, and the money was returned.
 * `open`: not paid yet. `unavailable`: the processor does not answer.
 */
export type Settled = "kept" | "let-go" | "open" | "unavailable" | "unknown"

export class HostedPayment extends service<HostedPayment>()("HostedPayment", () => ({
  begin,
  returned,
  noticed,
})) {}

/**
 * A session lasts at least half an hour, so one that begins late outlives its link. Within a step the same session is
 * returned; one that begins with the link ends with it.
 */
const begin = Effect.fnUntraced(function* (token: string) {
  const found: Opened | Unopened = yield* openLink(token)
  if (!("errand" in found)) return found
  const seen = yield* viewOf(found)
  if (seen.type !== "open") return seen
  const hosted = yield* HostedCheckout
  const settings = yield* CourierSettings
  const { deliveryId } = found.errand.row
  const madeAtMs = found.expiresAtMs - CHECKOUT_LINK_MS
  const step = Math.max(0, Math.floor(((yield* Routine.nowMs) - madeAtMs) / CHECKOUT_SESSION_STEP_MS))
  const page = yield* hosted.begin({
    deliveryId,
    ...feeOf(settings),
    returnUrl: `${settings.baseUrl}/pay/${token}`,
    // The processor requires a session of at least half an hour, counted in whole seconds from its receipt of the
    // request.
    expiresAtMs: found.expiresAtMs + step * CHECKOUT_SESSION_STEP_MS + MINUTE_MS,
    idempotencyKey: `${deliveryId}/checkout/${madeAtMs}/${step}`,
  })
  return page.type === "page" ? ({ type: "elsewhere", url: page.url } as const) : page
})

/** The user has returned from the processor's page. A link that has expired meanwhile still identifies the errand that was paid. */
const returned = Effect.fnUntraced(function* (token: string, sessionId: string) {
  const { linkKey } = yield* CourierSettings
  const link = readToken("pay", token, linkKey)
  return link === null ? "unknown" : yield* settle(sessionId, link.deliveryId)
})

const noticed = Effect.fnUntraced(function* (notice: Omit<ClaimedNotice, "nowMs">) {
  const { sessionIn } = yield* HostedCheckout
  const session = sessionIn({ ...notice, nowMs: yield* Routine.nowMs })
  if (session === "forged") return session
  return session === null ? "unknown" : yield* settle(session.sessionId, null)
})

/** `wanted` is the expected errand; null when only the processor names it. */
const settle = Effect.fnUntraced(function* (sessionId: string, wanted: string | null) {
  const hosted = yield* HostedCheckout
  const rows = yield* CourierRows
  const session = yield* hosted.find(sessionId)
  if (session.type === "over") return yield* isKeptAs(wanted, session.authorizationId)
  if (session.type !== "paid") return session.type
  const { deliveryId, authorizationId } = session
  const row = yield* rows.byId(deliveryId)
  if (row === null || (wanted !== null && wanted !== deliveryId)) return "unknown"
  yield* untilAnswered(deliveryId)
  if (yield* isOwn(deliveryId, authorizationId)) return "kept"
  const fee = feeOf(yield* CourierSettings)
  if (session.amountCents !== fee.amountCents || session.currency !== fee.currency) {
    return yield* letGo({ deliveryId, authorizationId, because: "it is not the fee" })
  }
  const answer = yield* take(deliveryId, { userId: row.userId, sessionId })
  if (answer === "busy") return "unavailable"
  if (answer === "taken") yield* untilAnswered(deliveryId)
  if (yield* isOwn(deliveryId, authorizationId)) return "kept"
  // The processor did not answer in time; a later request shows the result.
  if (answer === "taken") return "unavailable"
  return yield* letGo({ deliveryId, authorizationId, because: "the errand does not take it" })
})

const isKeptAs = Routine.fn(function* (deliveryId: string | null, authorizationId: string) {
  if (deliveryId === null) return "unknown"
  return (yield* isOwn(deliveryId, authorizationId)) ? "kept" : "let-go"
})

/** True when this payment is the errand's own. */
const isOwn = Routine.fn(function* (deliveryId: string, authorizationId: string) {
  const rows = yield* CourierRows
  return (yield* rows.payment(deliveryId))?.authorizationId === authorizationId
})

interface Paid {
  readonly userId: string
  readonly sessionId: string
}

const take = Routine.fn(function* (deliveryId: string, { userId, sessionId }: Paid) {
  const host = yield* ActorHost
  return yield* host.run({
    name: "take a hosted payment",
    locks: { key: userLock(userId), groups: groupsOf(deliveryId) },
    body: Routine.fn(function* () {
      const { group } = yield* Transaction
      if (isAsking(yield* group(errandGroup(deliveryId)))) return "busy" as const
      const sent = yield* sendCredential(deliveryId, sessionId)
      if (sent.type === "unasked") return "busy" as const
      return sent.type === "asked" ? ("taken" as const) : ("refused" as const)
    }),
  })
})

interface Unwanted {
  readonly deliveryId: string
  readonly authorizationId: string
  readonly because: string
}

/** No errand waits for this payment: it is returned at once, and again when the event is repeated. */
const letGo = Effect.fnUntraced(function* ({ deliveryId, authorizationId, because }: Unwanted) {
  const payments = yield* Payments
  const result = yield* payments.cancel({
    deliveryId,
    ...feeOf(yield* CourierSettings),
    authorizationId,
    idempotencyKey: `${deliveryId}/let-go/${authorizationId}`,
    repetition: yield* Routine.nowMs,
  })
  const became = result.type === "done" ? "it was let go" : `it could not be let go: ${result.reason}`
  yield* Effect.annotateLogs(
    Effect.logWarning(`a payment on the processor's page is not kept, ${because}; ${became}`),
    { deliveryId, authorizationId },
  )
  return result.type === "done" ? "let-go" : "unavailable"
})
