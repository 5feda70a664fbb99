/** Vehicle: it carries one run at a time and may hold others behind it. */

import { Schema } from "effect"

/** The time limits of a vehicle, with the defaults in `limits.ts`. */
export const VehiclePolicy = Schema.Struct({
  /** How long a vehicle stands at the store before it counts as waiting for its load. */
  loadWaitMs: Schema.Number,
})

export type VehiclePolicy = typeof VehiclePolicy.Type

/** The progress of a vehicle's active run; `idle` without one. */
export const VEHICLE_PHASES = [
  "idle",
  "assigned",
  "approaching",
  "at_store",
  "waiting",
  "loaded",
  "leaving",
  "at_customer",
] as const

export type VehiclePhase = (typeof VEHICLE_PHASES)[number]

/** The states of the load that telemetry may report. */
export const LOAD_REPORTS = ["loaded", "unloaded"] as const

export type LoadReport = (typeof LOAD_REPORTS)[number]
