/** Links to the tracking page of a delivery: one for its lifetime, the same in every read and text. */

import { Context } from "effect"
import { hmacHex } from "#digest"
import type { Environment } from "../../model/caller.ts"
import { TRACKING_AFTER_END_MS } from "../../model/values/limits.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { linkToken } from "../../engine/services/signed-links.ts"
import type { LinkPurpose } from "../../engine/services/signed-links.ts"
import { isForRetailer } from "./rows.ts"
import type { NewDelivery } from "./rows.ts"

export interface TrackingLinkChoices {
  /** Key that signs the links. */
  readonly key: string
  /** Scheme and host of each environment, without a path. */
  readonly baseUrls: Readonly<Record<Environment, string>>
}

export class TrackingLinks extends Context.Tag("TrackingLinks")<TrackingLinks, TrackingLinkChoices>() {}

/** What a token of the environment is signed for. */
export const TRACKING_PURPOSE: Readonly<Record<Environment, LinkPurpose>> = {
  production: "track",
  sandbox: "track sandbox",
}

/** True when a tracking link has died. */
export function isTrackingOver(endedAtMs: EpochMs | null, nowMs: EpochMs): boolean {
  return endedAtMs !== null && nowMs >= endedAtMs + TRACKING_AFTER_END_MS
}

type Linked = Pick<NewDelivery, "createdAtMs" | "deliveryId" | "environment" | "storePlace">

/** Null for an errand, whose agent gets links of its own, and when the page has ended. */
export function trackingUrlOf(
  row: Linked,
  { key, baseUrls }: TrackingLinkChoices,
  at: { readonly endedAtMs: EpochMs | null; readonly nowMs: EpochMs },
): string | null {
  if (!isForRetailer(row) || isTrackingOver(at.endedAtMs, at.nowMs)) return null
  const { deliveryId, environment, createdAtMs } = row
  // Derived, so that reads and replays give the same address; the signature is what cannot be guessed.
  const nonce = hmacHex(key, `tracking ${deliveryId}`)
  const token = linkToken(TRACKING_PURPOSE[environment], { deliveryId, atMs: createdAtMs }, { key, nonce })
  return `${baseUrls[environment]}/track/${token}`
}
