/** Checkout: the data of the hosted page behind a `checkout_url`. Only the link grants access to it. */

import { Effect } from "effect"
import { CHECKOUT_LINK_MS } from "../../model/values/limits.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { ActorHost } from "../../engine/services/host.ts"
import { untilAnswered, userLock } from "./calls.ts"
import { sendCredential } from "./commands.ts"
import { currentErrand, groupsOf } from "./errand.ts"
import type { Errand } from "./errand.ts"
import { readToken } from "../../engine/services/signed-links.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { CourierRows } from "./rows.ts"
import { CourierSettings, feeOf, purposesOf } from "./settings.ts"

/**
 * The content of the page. A token that was never issued, or was altered, is `unknown`; one after its time is
 * `expired`.
 */
export type CheckoutView =
  | {
      readonly type: "open"
      readonly retailerName: string
      readonly amountCents: number
      /** Lower-case code. */
      readonly currency: string
      /** The first instant at which the link is no longer valid. */
      readonly expiresAtMs: EpochMs
    }
  /** Authorized or captured, through this link or otherwise. */
  | {
      readonly type: "paid"
      readonly retailerName: string
      readonly amountCents: number
      readonly currency: string
    }
  /** A request to the processor is in flight, so that it may be paid in a moment. */
  | {
      readonly type: "unclear"
      readonly retailerName: string
      readonly amountCents: number
      readonly currency: string
    }
  /** The errand is over, or its quote has expired: nothing can be paid. */
  | { readonly type: "closed" }
  | Unopened

/** The result of an attempt to pay; after `declined` another attempt is possible. */
export type CheckoutResult =
  | Exclude<CheckoutView, { readonly type: "open" }>
  | { readonly type: "declined" }
  /** The processor does not answer: try again later. */
  | { readonly type: "unavailable" }

export class CourierCheckout extends service<CourierCheckout>()("CourierCheckout", () => ({
  view,
  pay,
})) {}

export const view = Routine.fn(function* (token: string) {
  const found: Opened | Unopened = yield* openLink(token)
  return "errand" in found ? yield* viewOf(found) : found
})

/**
 * `instrument` comes from the processor's form; the built-in processor takes its test tokens. A paid errand stays paid: the
 * first authorization wins, whatever link it used.
 */
export const pay = Effect.fnUntraced(function* (token: string, instrument: string) {
  const found: Opened | Unopened = yield* openLink(token)
  if (!("errand" in found)) return found
  const seen = yield* viewOf(found)
  const { deliveryId, userId } = found.errand.row
  if (seen.type === "unclear") {
    // The button was pressed twice: the second press waits for the result of the first.
    yield* untilAnswered(deliveryId)
    const shown = yield* view(token)
    return shown.type === "open" ? DECLINED : shown
  }
  if (seen.type !== "open") return seen
  const host = yield* ActorHost
  const sent = yield* host.run({
    name: "pay at checkout",
    locks: { key: userLock(userId), groups: groupsOf(deliveryId) },
    body: () => sendCredential(deliveryId, instrument),
  })
  yield* untilAnswered(deliveryId)
  const after = yield* view(token)
  if (after.type !== "open") return after
  return sent.type === "asked" ? DECLINED : UNAVAILABLE
})

const DECLINED = { type: "declined" } as const satisfies CheckoutResult
const UNAVAILABLE = { type: "unavailable" } as const satisfies CheckoutResult

export interface Opened {
  readonly errand: Errand
  readonly expiresAtMs: EpochMs
}

export type Unopened =
  /** `isPaid`: authorized or captured meanwhile, so that the page does not say that nothing was charged. */
  { readonly type: "expired"; readonly isPaid: boolean } | { readonly type: "unknown" }

/** The errand of a link, while the link is valid. */
export const openLink = Routine.fn(function* (token: string) {
  const host = yield* ActorHost
  const rows = yield* CourierRows
  const settings = yield* CourierSettings
  const link = readToken(purposesOf(settings).pay, token, settings.linkKey)
  if (link === null || (yield* rows.byId(link.deliveryId)) === null) return { type: "unknown" } as const
  const expiresAtMs = link.atMs + CHECKOUT_LINK_MS
  const errand = yield* host.view(groupsOf(link.deliveryId), currentErrand(link.deliveryId))
  const isPaid = hasFee(errand)
  // While a payment call is in flight, the page of an expired link cannot say whether the fee is paid.
  if ((yield* Routine.nowMs) >= expiresAtMs && (isPaid || !errand.isAsking))
    return { type: "expired", isPaid } as const
  return { errand, expiresAtMs } satisfies Opened
})

function hasFee({ paymentStatus }: Errand): boolean {
  return paymentStatus === "authorized" || paymentStatus === "captured"
}

/** The open amount. */
export const viewOf = Routine.fn(function* ({ errand, expiresAtMs }: Opened) {
  const { retailerName } = errand.row.details
  const fee = { retailerName, ...feeOf(yield* CourierSettings) }
  const { state } = errand
  if (hasFee(errand)) return { type: "paid", ...fee } satisfies CheckoutView
  if (errand.isAsking) return { type: "unclear", ...fee } satisfies CheckoutView
  const isOpen = state === "held" || state === "quoted"
  return (isOpen ? { type: "open", ...fee, expiresAtMs } : { type: "closed" }) satisfies CheckoutView
})
