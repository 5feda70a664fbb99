/**
 * What the portal asks of direct delivery, and no more: whoever keeps deliveries and sites answers it. Each command refuses
 * with the same codes as the API's own; what belongs to another organization or environment is `NOT_FOUND`.
 */

import { Context } from "effect"
import type { Effect } from "effect"
import type { Environment, Partner } from "../../model/caller.ts"
import type { Refused } from "../../model/errors.ts"
import type { JsonObject } from "../../model/json.ts"

/** A site as its organization sees it. */
export interface PortalSite {
  /** The value of `x-retailer-id`. */
  readonly siteId: string
  readonly name: string
  readonly timezone: string | null
  readonly isActive: boolean
  /** It has a service area and a delivery price. */
  readonly isConfigured: boolean
}

/** A delivery in a list; `id` names it among all of the organization's. */
export interface PortalDelivery {
  readonly id: string
  readonly siteId: string
  /** As the API shows it. */
  readonly record: JsonObject
}

export interface DeliveryQuery {
  readonly siteId: string | null
  readonly limit: number
  readonly cursor: string | null
}

/** Each true once it has ever been so, in the organization's sandbox. */
export interface SandboxProgress {
  /** A site with a service area and a price. */
  readonly hasConfiguredSite: boolean
  readonly hasWebhook: boolean
  readonly hasQuote: boolean
  readonly hasCompletedDelivery: boolean
  /** An endpoint answered 2xx. */
  readonly hasAcknowledgedWebhook: boolean
}

export class PortalDeliveries extends Context.Tag("PortalDeliveries")<
  PortalDeliveries,
  {
    readonly sites: (scope: {
      readonly organizationId: string
      readonly environment: Environment
    }) => Effect.Effect<readonly PortalSite[]>
    /** Newest first; `nextCursor` null at the end. */
    readonly list: (
      caller: Partner,
      query: DeliveryQuery,
    ) => Effect.Effect<
      { readonly deliveries: readonly PortalDelivery[]; readonly nextCursor: string | null },
      Refused
    >
    /** One step, in the sandbox alone. */
    readonly advance: (caller: Partner, id: string) => Effect.Effect<PortalDelivery, Refused>
    /** The effect of the API's PATCH. */
    readonly cancel: (
      caller: Partner,
      request: { readonly id: string; readonly reason: string | null },
    ) => Effect.Effect<PortalDelivery, Refused>
    readonly progress: (organizationId: string) => Effect.Effect<SandboxProgress>
  }
>() {}
