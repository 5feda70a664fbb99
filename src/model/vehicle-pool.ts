/** The vehicles of a fleet as decisions see them. */

import { Schema } from "effect"

/** A vehicle of the site's fleet, as it stands at the decision. */
export const Candidate = Schema.Struct({
  vehicleId: Schema.String,
  isOnline: Schema.Boolean,
  /** Open runs, the active one included. */
  runs: Schema.Number,
  /** From its last position to the store. */
  metres: Schema.Number,
})

export type Candidate = typeof Candidate.Type

/** The places of a fleet. */
export const Places = Schema.Struct({
  /** Free places of vehicles that are online. Counted up to `owed` + 1, because more places change no decision. */
  free: Schema.Number,
  /** Places needed elsewhere: live holds of errands, runs beyond a vehicle's places, runs of vehicles that are offline. */
  owed: Schema.Number,
})

export type Places = typeof Places.Type

/**
 * A fleet at the decision. Its size does not grow with the fleet: the vehicles that may be chosen are listed up to a bound, and
 * two counts stand for the others.
 */
export const Pool = Schema.Struct({
  /**
   * The nearest, at most `CANDIDATES_MAX`, of the vehicles of the first rank (`rankOf`), in the order of preference. Every
   * vehicle of another rank comes after them.
   */
  candidates: Schema.Array(Candidate),
  /** How far the nearest vehicle of that rank is that is not listed. Null when all of them are listed. */
  nextM: Schema.NullOr(Schema.Number),
  ...Places.fields,
})

export type Pool = typeof Pool.Type

/** All vehicles of a fleet at the decision, and the live holds of courier errands: the facts of earlier decisions. */
export const WholePool = Schema.Struct({ candidates: Schema.Array(Candidate), holds: Schema.Number })

export type WholePool = typeof WholePool.Type
