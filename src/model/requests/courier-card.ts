/**
 * What a card in a chat shows beside the envelope: it is in the `_meta` of a tool's result, which models do not read. It has ids and places
 * of the user's own delivery, and no names.
 */

import type { Environment } from "../caller.ts"
import type { Place } from "../place.ts"
import type { EpochMs } from "../values/time.ts"

/** The resource that a host shows beside an answer. */
export const CARD_URI = "ui://courier/delivery"

/** The key of `_meta`. */
export const CARD_KEY = "curbline/card"

/** The five steps of a delivery, in order. */
export const TRACKING_STEPS = ["booked", "at_store", "on_its_way", "at_the_door", "delivered"] as const

export type TrackingStep = (typeof TRACKING_STEPS)[number]

/** A change of the arrival since it was first told. */
export interface ArrivalChange {
  /** Minutes; later is positive. */
  readonly byMinutes: number
  readonly firstToldMs: EpochMs
  /** Who needs the time; null for an earlier arrival. */
  readonly why: "store" | "vehicle" | "way" | null
}

/** The way of a delivery. */
export interface WayMap {
  readonly store: Place
  readonly door: Place
  /** Once the order is on board: before that, the vehicle may be on another errand. */
  readonly vehicle: (Place & { readonly recordedAtMs: EpochMs }) | null
  /** Where it has driven since, oldest first. */
  readonly trail: readonly Place[]
}

export interface CardData {
  readonly environment: Environment
  /** Of the times that it shows. */
  readonly timeZone: string
  /** The service's clock at the answer. */
  readonly nowMs: EpochMs
  /** From a pickup to the door, as planned; null when a place is not known. */
  readonly doorAfterMs: number | null
  readonly steps: readonly { readonly step: TrackingStep; readonly atMs: EpochMs | null }[]
  /** Null before the booking, at the door and after the end. */
  readonly arrival: { readonly fromMs: EpochMs; readonly toMs: EpochMs } | null
  readonly change: ArrivalChange | null
  /** Null before the booking and after the end. */
  readonly map: WayMap | null
  /** What is written on the vehicle, and its look; null before it has the order and after the end. */
  readonly vehicle: { readonly label: string; readonly look: string } | null
  readonly endedAtMs: EpochMs | null
}
