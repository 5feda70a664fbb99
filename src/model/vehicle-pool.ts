/** The vehicles of a fleet as decisions see them. */

import { Schema } from "effect"

/** How a vehicle is chosen among those that can take a run: a setting of each site. */
export const DISPATCH_POLICIES = ["nearest", "least_loaded", "earliest_free", "batching"] as const

export type DispatchPolicy = (typeof DISPATCH_POLICIES)[number]

/** Of a site that has chosen none, and of a fleet without a site. */
export const DEFAULT_DISPATCH_POLICY: DispatchPolicy = "earliest_free"

/** A vehicle of the site's fleet at the time of the decision. */
export const Candidate = Schema.Struct({
  vehicleId: Schema.String,
  isOnline: Schema.Boolean,
  /** Open runs, including the active one. */
  runs: Schema.Number,
  /** Distance from its last position to the store. */
  metres: Schema.Number,
  /**
   * When it can be at the store, after its open runs, by the service's estimate; of a vehicle that shares its trip, when its own order
   * is on board. Only the policies `earliest_free` and `batching` need it. In earlier journal entries: when its open runs will be done.
   */
  freeAtMs: Schema.optionalWith(Schema.Number, { exact: true }),
  /** By `batching`, of a vehicle that can take the order on the trip of its active run. */
  sharesTrip: Schema.optionalWith(Schema.Literal(true), { exact: true }),
})

export type Candidate = typeof Candidate.Type

/** The free and needed places of a fleet. */
export const Places = Schema.Struct({
  /** Free places of vehicles that are online. Counted up to `owed` + 1, because more places change no decision. */
  free: Schema.Number,
  /** Places needed elsewhere: live holds of errands, runs beyond a vehicle's places, runs of vehicles that are offline. */
  owed: Schema.Number,
})

export type Places = typeof Places.Type

/**
 * A fleet at the time of the decision. Its size does not grow with the fleet: it lists a bounded number of candidate
 * vehicles, and two counts stand for the others.
 */
export const Pool = Schema.Struct({
  /**
   * The first, at most `CANDIDATES_MAX`, of the vehicles of the first rank (`rankOf`), in the policy's order of preference.
   * Every vehicle of another rank comes after them.
   */
  candidates: Schema.Array(Candidate),
  /**
   * Distance of the nearest vehicle of that rank that is not listed. Null when all of them are listed, and for a policy
   * that does not choose by distance first.
   */
  nextM: Schema.NullOr(Schema.Number),
  /** Without it the nearest vehicle is chosen. */
  dispatch: Schema.optionalWith(Schema.Literal(...DISPATCH_POLICIES), { exact: true }),
  ...Places.fields,
})

export type Pool = typeof Pool.Type

/**
 * All vehicles of a fleet at the time of the decision, and the live holds of courier errands: the facts of earlier
 * decision versions.
 */
export const WholePool = Schema.Struct({ candidates: Schema.Array(Candidate), holds: Schema.Number })

export type WholePool = typeof WholePool.Type
