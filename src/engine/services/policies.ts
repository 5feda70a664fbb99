/**
 * Policies: the settings of each environment, with the contract's defaults. Operations may change some of them; a
 * change applies from the next booking on, because a reservation gets its policy when it starts.
 */

import { Context, Effect, Layer } from "effect"
import type { Environment } from "../../model/caller.ts"
import {
  BOT_WAIT_MS,
  CALL_RESENDS_MAX,
  KEEP_LOAD_PHOTOS_MS,
  OPEN_LINK_ATTEMPTS_MAX,
  OPEN_LINK_BACKOFF_MS,
  OPEN_LINK_LEASE_MS,
  PHOTO_LINK_LIFETIME_MS,
  STAGING_LEAD_MS,
  WINDOW_AHEAD_MS_MAX,
  WINDOW_GRACE_MS,
  WINDOW_WIDTH_MS_MAX,
  WINDOW_WIDTH_MS_MIN,
} from "../../model/values/limits.ts"
import type { ReservationPolicy, WindowLimits } from "../../model/reservation.ts"
import { choice, json } from "./tables/columns.ts"
import { table } from "./tables/table.ts"
import { Routine } from "./routine.ts"
import { Tables } from "./tables/tables.ts"
import { repository } from "./service.ts"

export interface EnvironmentPolicy {
  readonly window: WindowLimits
  readonly reservation: ReservationPolicy
  /** False: `reservation.handoff_updated` and `reservation.exception` are not published. */
  readonly announcesHandoffs: boolean
  readonly photoLinkLifetimeMs: number
  /** How long load photos are kept; then their links lead nowhere. */
  readonly keepLoadPhotosMs: number
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
    openLinkResendsMax: CALL_RESENDS_MAX,
  },
  announcesHandoffs: true,
  photoLinkLifetimeMs: PHOTO_LINK_LIFETIME_MS,
  keepLoadPhotosMs: KEEP_LOAD_PHOTOS_MS,
}

/** The changes by operations; absent settings keep their defaults. */
export type PolicyChanges = Partial<WindowLimits> &
  Partial<Pick<ReservationPolicy, "windowGraceMs" | "botWaitMs" | "stagingLeadMs">> &
  Partial<Pick<EnvironmentPolicy, "announcesHandoffs" | "keepLoadPhotosMs" | "photoLinkLifetimeMs">>

/** The changes of an environment's policy by operations; settings that are not in `changes` keep their defaults. */
const environmentPolicies = table("environment_policies", {
  one: "a policy",
  many: "policies",
  columns: { environment: choice<Environment>(), changes: json<PolicyChanges>() },
  key: ["environment"],
  isReadOnce: true,
})

/** The changes of each environment, stored for all nodes. */
export class PolicyRows extends repository<PolicyRows>()(
  "PolicyRows",
  Effect.map(Tables, (tables) => {
    const policies = tables.of(environmentPolicies)
    return {
      changes: (environment: Environment) =>
        Routine.map(policies.get({ environment }), (row): PolicyChanges => row?.changes ?? {}),
      /** Replaces the stored changes. */
      put: (environment: Environment, changes: PolicyChanges) => policies.upsert({ environment, changes }),
    }
  }),
) {}

export class Policies extends Context.Tag("Policies")<
  Policies,
  { readonly of: (environment: Environment) => Routine<EnvironmentPolicy> }
>() {}

/** The given policy in both environments, with operations' changes applied. Read from the database each time. */
export function layerPolicies(
  policy: EnvironmentPolicy = DEFAULT_POLICY,
): Layer.Layer<Policies, never, PolicyRows> {
  return Layer.effect(
    Policies,
    Effect.map(PolicyRows, (rows) => ({
      of: (environment) => Routine.map(rows.changes(environment), (changes) => changed(policy, changes)),
    })),
  )
}

/** The policy with the changes applied. */
function changed(policy: EnvironmentPolicy, changes: PolicyChanges): EnvironmentPolicy {
  const { window, reservation } = policy
  return {
    window: {
      aheadMsMax: changes.aheadMsMax ?? window.aheadMsMax,
      widthMsMin: changes.widthMsMin ?? window.widthMsMin,
      widthMsMax: changes.widthMsMax ?? window.widthMsMax,
    },
    reservation: {
      ...reservation,
      windowGraceMs: changes.windowGraceMs ?? reservation.windowGraceMs,
      botWaitMs: changes.botWaitMs ?? reservation.botWaitMs,
      stagingLeadMs: changes.stagingLeadMs ?? reservation.stagingLeadMs,
    },
    announcesHandoffs: changes.announcesHandoffs ?? policy.announcesHandoffs,
    photoLinkLifetimeMs: changes.photoLinkLifetimeMs ?? policy.photoLinkLifetimeMs,
    keepLoadPhotosMs: changes.keepLoadPhotosMs ?? policy.keepLoadPhotosMs,
  }
}
