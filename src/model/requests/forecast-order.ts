/** What a forecast of a site is made of, and what was learned from its past. Plain data, because it is copied between threads. */

import type { Place } from "../place.ts"
import type { ForecastFigures } from "./site-forecast.ts"
import type { DispatchPolicy } from "../vehicle-pool.ts"
import type { EpochMs } from "../values/time.ts"

/** What the row of a delivery says, and its journal does not. */
export interface DeliveryTerms {
  readonly deliveryId: string
  readonly readyByMs: EpochMs
  /** The quoted time at the customer. */
  readonly promisedAtMs: EpochMs
}

/** What was learned from the past of a site. */
export interface LearnedModel {
  /** A fleet model as a file would have it. */
  readonly text: string
  readonly fromMs: EpochMs
  readonly reservations: number
  /** Deliveries and errands. */
  readonly runs: number
  /** Who had a task lately. */
  readonly runnersLately: number
  readonly notKnown: readonly string[]
}

/** What is known of a site beside its journals, and the bounds of the computation. */
export interface ForecastOrder {
  readonly name: string
  readonly timeZone: string
  readonly place: Place | null
  /** Null: learn from the entries of the past, which were passed before. */
  readonly learned: LearnedModel | null
  /** The booking of the first past reservation that was passed; of no meaning with `learned`. */
  readonly fromMs: EpochMs
  readonly atMs: EpochMs
  readonly aheadMs: number
  /** Runners with a paired phone; 0: not known. */
  readonly pairedRunners: number
  /** False: more is under way than was passed. */
  readonly isPresentComplete: boolean
  /** `none`: the site has no fleet. `too large`: it is not part of the forecast. */
  readonly fleet: "known" | "none" | "too large"
  /** How its vehicles are chosen. */
  readonly dispatchPolicy: DispatchPolicy
  /** Another policy, compared on the same chance; null for none. */
  readonly comparedPolicy: DispatchPolicy | null
  readonly replications: number
  readonly turnsMax: number
  /** No further replication begins after this time. */
  readonly runsMsMax: number
}

export interface MadeForecast {
  readonly type: "made"
  readonly learned: LearnedModel
  readonly figures: ForecastFigures
}

export type ForecastAnswer =
  MadeForecast | { readonly type: "too little history"; readonly reservations: number }
