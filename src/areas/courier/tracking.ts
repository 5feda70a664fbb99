/** Tracking: the data of the page behind a `tracking_url`. No name, no address, no phone number. */

import { Clock, Context, Effect, Layer } from "effect"
import type { CourierState, FailureReason } from "../../model/courier.ts"
import type { Place } from "../../model/place.ts"
import { PICKUP_WINDOW_MS, TRACKING_AFTER_END_MS } from "../../model/limits.ts"
import type { EpochMs } from "../../model/time.ts"
import type { VehicleRows } from "../dispatch/rows.ts"
import type { Runs } from "../dispatch/runs.ts"
import type { DeliveryRows } from "../direct-delivery/rows.ts"
import { ActorHost } from "../../services/host.ts"
import { currentErrand, endOf, estimatesOf, groupsOf } from "./errand.ts"
import type { Errand } from "./errand.ts"
import { readToken } from "./links.ts"
import { CourierRows } from "./rows.ts"
import { CourierSettings } from "./settings.ts"

export interface TrackingView {
  readonly type: "found"
  readonly state: CourierState
  readonly retailerName: string
  readonly plannedPickupAtMs: EpochMs | null
  readonly window: { readonly startMs: EpochMs; readonly endMs: EpochMs } | null
  /** Present once the order is on board and while it is on its way. */
  readonly vehicle: (Place & { readonly recordedAtMs: EpochMs }) | null
  readonly failureReason: FailureReason | null
  readonly endedAtMs: EpochMs | null
  readonly updatedAtMs: EpochMs
}

export class CourierTracking extends Context.Tag("CourierTracking")<
  CourierTracking,
  {
    /** A link is valid until 24 hours after the errand ended; an altered one is `unknown`. */
    readonly view: (
      token: string,
    ) => Effect.Effect<TrackingView | { readonly type: "expired" } | { readonly type: "unknown" }>
  }
>() {}

type Needs = ActorHost | CourierRows | CourierSettings | DeliveryRows | Runs | VehicleRows

export const layerCourierTracking: Layer.Layer<CourierTracking, never, Needs> = Layer.effect(
  CourierTracking,
  Effect.gen(function* () {
    const context = yield* Effect.context<Needs>()
    return { view: (token) => Effect.provide(view(token), context) }
  }),
)

const view = Effect.fnUntraced(function* (token: string) {
  const host = yield* ActorHost
  const rows = yield* CourierRows
  const { linkKey } = yield* CourierSettings
  const link = readToken("track", token, linkKey)
  if (link === null || (yield* rows.byId(link.deliveryId)) === null) return { type: "unknown" } as const
  const errand = yield* host.view(groupsOf(link.deliveryId), currentErrand(link.deliveryId))
  const endedAtMs = endOf(errand)
  const nowMs = yield* Clock.currentTimeMillis
  if (endedAtMs !== null && nowMs >= endedAtMs + TRACKING_AFTER_END_MS) return { type: "expired" } as const
  return viewOf(errand, nowMs)
})

/** The position is shown from loading until the end: before that, the vehicle may be on another errand. */
function viewOf(errand: Errand, nowMs: EpochMs): TrackingView {
  const { row, state, order, delivery, fix } = errand
  const estimates = estimatesOf(errand, nowMs)
  const isOnBoard = ["loaded", "en_route_to_customer", "arrived_at_customer"].includes(state)
  return {
    type: "found",
    state,
    retailerName: row.details.retailerName,
    plannedPickupAtMs: estimates?.pickupAtMs ?? null,
    window:
      estimates === null
        ? null
        : { startMs: estimates.deliveryAtMs, endMs: estimates.deliveryAtMs + PICKUP_WINDOW_MS },
    vehicle:
      isOnBoard && fix !== null
        ? { latitude: fix.latitude, longitude: fix.longitude, recordedAtMs: fix.recordedAtMs }
        : null,
    failureReason: order.failureReason,
    endedAtMs: endOf(errand),
    updatedAtMs: Math.max(row.updatedAtMs, delivery?.updatedAtMs ?? 0),
  }
}
