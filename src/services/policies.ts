/** Policies: what each environment may tune, with the contract's defaults. */

import { Context, Effect, Layer } from "effect"
import type { Environment } from "../model/caller.ts"
import {
  BOT_WAIT_MS,
  OPEN_LINK_ATTEMPTS_MAX,
  OPEN_LINK_BACKOFF_MS,
  OPEN_LINK_LEASE_MS,
  PHOTO_LINK_LIFETIME_MS,
  STAGING_LEAD_MS,
  WINDOW_AHEAD_MS_MAX,
  WINDOW_GRACE_MS,
  WINDOW_WIDTH_MS_MAX,
  WINDOW_WIDTH_MS_MIN,
} from "../model/limits.ts"
import type { ReservationPolicy } from "../model/reservation.ts"

/** Bounds of an arrival window, milliseconds, inclusive. */
export interface WindowLimits {
  readonly aheadMsMax: number
  readonly widthMsMin: number
  readonly widthMsMax: number
}

export interface EnvironmentPolicy {
  readonly window: WindowLimits
  readonly reservation: ReservationPolicy
  /** Off: `reservation.handoff_updated` and `reservation.exception` are not queued. */
  readonly announcesHandoffs: boolean
  readonly photoLinkLifetimeMs: number
}

export const DEFAULT_POLICY: EnvironmentPolicy = {
  window: {
    aheadMsMax: WINDOW_AHEAD_MS_MAX,
    widthMsMin: WINDOW_WIDTH_MS_MIN,
    widthMsMax: WINDOW_WIDTH_MS_MAX,
  },
  reservation: {
    windowGraceMs: WINDOW_GRACE_MS,
    botWaitMs: BOT_WAIT_MS,
    stagingLeadMs: STAGING_LEAD_MS,
    openLinkAttemptsMax: OPEN_LINK_ATTEMPTS_MAX,
    openLinkBackoffMs: OPEN_LINK_BACKOFF_MS,
    openLinkLeaseMs: OPEN_LINK_LEASE_MS,
  },
  announcesHandoffs: true,
  photoLinkLifetimeMs: PHOTO_LINK_LIFETIME_MS,
}

export class Policies extends Context.Tag("Policies")<
  Policies,
  { readonly of: (environment: Environment) => Effect.Effect<EnvironmentPolicy> }
>() {}

/** The same policy in both environments. */
export function layerPolicies(policy: EnvironmentPolicy = DEFAULT_POLICY): Layer.Layer<Policies> {
  return Layer.succeed(Policies, { of: () => Effect.succeed(policy) })
}
