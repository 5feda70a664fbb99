/** The settings of the courier connector's operator: fleet, area, texts for the curb, and links. */

import { Context } from "effect"
import type { CourierPolicy } from "../../model/courier.ts"
import {
  COURIER_HOLD_MS,
  COURIER_HORIZON_MS,
  COURIER_PAYMENT_BACKOFF_MS,
  COURIER_PAYMENT_LEASE_MS,
  COURIER_PAYMENT_TRIES_MAX,
  COURIER_QUOTE_AFTER_HOLD_MS,
  COURIER_QUOTE_MS,
  COURIER_REPORT_MS,
  COURIER_RETRY_MS,
  COURIER_RETURN_BACKOFF_MS,
} from "../../model/values/limits.ts"
import type { Environment } from "../../model/caller.ts"
import type { Polygon } from "../../model/place.ts"
import { Routine } from "../../engine/services/routine.ts"
import type { LinkPurpose } from "../../engine/services/signed-links.ts"
import { TRACKING_PURPOSE, TrackingLinks } from "../direct-delivery/tracking-links.ts"

export interface CourierChoices {
  /** The organization in whose sandbox the errands are; null in production. */
  readonly organizationId: string | null
  /** The fleet that carries errands; shared with the direct deliveries of production. */
  readonly fleetId: string
  /** Store and drop-off must be inside it. */
  readonly area: Polygon
  readonly timeZone: string
  /** Whole cents of US dollars. */
  readonly feeCents: number
  readonly vehicle: { readonly make: string; readonly model: string; readonly color: string }
  /** Answered by people; voice only. E.164. */
  readonly pickupPhone: string
  /** The account that receives the fee. */
  readonly sellerProfileId: string
  /** Scheme and host of the connector, without a path. */
  readonly baseUrl: string
  /** Key that signs checkout and tracking links. */
  readonly linkKey: string
  readonly policy: CourierPolicy
}

export class CourierSettings extends Context.Tag("CourierSettings")<CourierSettings, CourierChoices>() {}

/**
 * The settings for the errands of an organization's sandbox; null gives those of production. Areas and performers are bound to the
 * settings of production, and ask for those of their errand.
 */
export const settingsIn = Routine.fn(function* (organizationId: string | null) {
  const settings = yield* CourierSettings
  if (settings.organizationId === organizationId || organizationId === null) return settings
  const { baseUrls } = yield* TrackingLinks
  const fleetId = testFleetOf(organizationId)
  return { ...settings, organizationId, fleetId, baseUrl: baseUrls.sandbox } satisfies CourierChoices
})

/** The fleet that carries the errands of an organization's test users. */
export function testFleetOf(organizationId: string): string {
  return `fleet_agents_${organizationId}`
}

export function environmentOf({ organizationId }: Pick<CourierChoices, "organizationId">): Environment {
  return organizationId === null ? "production" : "sandbox"
}

/** What the links to the pages of an errand are signed for. */
export function purposesOf(place: Pick<CourierChoices, "organizationId">): {
  readonly pay: LinkPurpose
  readonly track: LinkPurpose
} {
  const environment = environmentOf(place)
  const pay = environment === "production" ? "pay" : "pay sandbox"
  return { pay, track: TRACKING_PURPOSE[environment] }
}

export const FEE_CURRENCY = "usd"

/** The price of a delivery in the form of payment processors. */
export function feeOf({ feeCents }: CourierChoices) {
  return { amountCents: feeCents, currency: FEE_CURRENCY }
}

export const DEFAULT_COURIER_POLICY: CourierPolicy = {
  quoteMs: COURIER_QUOTE_MS,
  holdMs: COURIER_HOLD_MS,
  retryMs: COURIER_RETRY_MS,
  quoteAfterHoldMs: COURIER_QUOTE_AFTER_HOLD_MS,
  reportMs: COURIER_REPORT_MS,
  horizonMs: COURIER_HORIZON_MS,
  payment: {
    triesMax: COURIER_PAYMENT_TRIES_MAX,
    backoffMs: COURIER_PAYMENT_BACKOFF_MS,
    returnBackoffMs: COURIER_RETURN_BACKOFF_MS,
    leaseMs: COURIER_PAYMENT_LEASE_MS,
  },
}

/** The defaults: the city of Austin, and a vehicle's description. */
export const DEFAULT_COURIER_SETTINGS: Omit<CourierChoices, "baseUrl" | "fleetId" | "linkKey"> = {
  organizationId: null,
  area: [
    [
      [-98.1, 30.05],
      [-97.45, 30.05],
      [-97.45, 30.65],
      [-98.1, 30.65],
      [-98.1, 30.05],
    ],
  ],
  timeZone: "America/Chicago",
  feeCents: 495,
  vehicle: { make: "Curbline", model: "Courier One", color: "white" },
  pickupPhone: "+15125550199",
  sellerProfileId: "profile_curbline",
  policy: DEFAULT_COURIER_POLICY,
}
