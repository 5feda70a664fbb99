/** Checkout: what the hosted page behind a `checkout_url` needs. The link alone is the key to it. */

import { Clock, Context, Effect, Layer } from "effect"
import { CHECKOUT_LINK_MS } from "../../model/limits.ts"
import type { EpochMs } from "../../model/time.ts"
import type { DeliveryRows, DeliverySites, VehicleRows } from "../direct-delivery/rows.ts"
import { ActorHost } from "../host.ts"
import { untilAnswered, userLock } from "./calls.ts"
import { sendCredential } from "./commands.ts"
import { currentErrand, groupsOf } from "./errand.ts"
import type { Errand } from "./errand.ts"
import { readToken } from "./links.ts"
import { CourierRows } from "./rows.ts"
import { CourierSettings, feeOf } from "./settings.ts"

/** What the page shows. A token that was never given out, or was altered, is `unknown`; one past its time is `expired`. */
export type CheckoutView =
  | {
      readonly type: "open"
      readonly retailerName: string
      readonly amountCents: number
      /** Lower-case code. */
      readonly currency: string
      /** The first instant at which the link is no longer good. */
      readonly expiresAtMs: EpochMs
    }
  /** Authorized or captured, by this link or otherwise. */
  | {
      readonly type: "paid"
      readonly retailerName: string
      readonly amountCents: number
      readonly currency: string
    }
  /** The errand is over, or its quote has run out: nothing is to be paid any more. */
  | { readonly type: "closed" }
  | { readonly type: "expired" }
  | { readonly type: "unknown" }

/** What became of an attempt to pay; `declined` leaves the page open for another. */
export type CheckoutResult =
  | Exclude<CheckoutView, { readonly type: "open" }>
  | { readonly type: "declined" }
  /** The processor does not answer: try again. */
  | { readonly type: "unavailable" }

export class CourierCheckout extends Context.Tag("CourierCheckout")<
  CourierCheckout,
  {
    readonly view: (token: string) => Effect.Effect<CheckoutView>
    /** `instrument` is what the processor's form gives: the built-in processor takes its test tokens. */
    readonly pay: (token: string, instrument: string) => Effect.Effect<CheckoutResult>
  }
>() {}

type Needs = ActorHost | CourierRows | CourierSettings | DeliveryRows | DeliverySites | VehicleRows

export const layerCourierCheckout: Layer.Layer<CourierCheckout, never, Needs> = Layer.effect(
  CourierCheckout,
  Effect.gen(function* () {
    const context = yield* Effect.context<Needs>()
    return {
      view: (token) => Effect.provide(view(token), context),
      pay: (token, instrument) => Effect.provide(pay(token, instrument), context),
    }
  }),
)

const view = Effect.fnUntraced(function* (token: string) {
  const found: Opened | Unopened = yield* openLink(token)
  return "errand" in found ? yield* viewOf(found) : found
})

/** What is paid already stays so: the first authorization wins, whichever link brought it. */
const pay = Effect.fnUntraced(function* (token: string, instrument: string) {
  const found: Opened | Unopened = yield* openLink(token)
  if (!("errand" in found)) return found
  const seen = yield* viewOf(found)
  if (seen.type !== "open") return seen
  const { deliveryId, userId } = found.errand.row
  const host = yield* ActorHost
  const sent = yield* host.transact(
    { key: userLock(userId), groups: groupsOf(deliveryId) },
    sendCredential(deliveryId, instrument),
  )
  yield* untilAnswered(deliveryId)
  const after = yield* view(token)
  if (after.type !== "open") return after
  return { type: sent.type === "asked" ? "declined" : "unavailable" } satisfies CheckoutResult
})

export interface Opened {
  readonly errand: Errand
  readonly expiresAtMs: EpochMs
}

export type Unopened = { readonly type: "expired" } | { readonly type: "unknown" }

/** What a link leads to, while it is good. */
export const openLink = Effect.fnUntraced(function* (token: string) {
  const host = yield* ActorHost
  const rows = yield* CourierRows
  const { linkKey } = yield* CourierSettings
  const link = readToken("pay", token, linkKey)
  if (link === null || (yield* rows.byId(link.deliveryId)) === null) return { type: "unknown" } as const
  const expiresAtMs = link.atMs + CHECKOUT_LINK_MS
  if ((yield* Clock.currentTimeMillis) >= expiresAtMs) return { type: "expired" } as const
  const errand = yield* host.view(groupsOf(link.deliveryId), currentErrand(link.deliveryId))
  return { errand, expiresAtMs } satisfies Opened
})

/** What there is to pay. */
export const viewOf = Effect.fnUntraced(function* ({ errand, expiresAtMs }: Opened) {
  const { retailerName } = errand.row.details
  const fee = { retailerName, ...feeOf(yield* CourierSettings) }
  const { paymentStatus, state } = errand
  if (paymentStatus === "authorized" || paymentStatus === "captured") {
    return { type: "paid", ...fee } satisfies CheckoutView
  }
  const isOpen = state === "held" || state === "quoted"
  return (isOpen ? { type: "open", ...fee, expiresAtMs } : { type: "closed" }) satisfies CheckoutView
})
