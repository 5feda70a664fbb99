/** Vehicle: it carries one run at a time and may hold others behind it. */

import { Schema } from "effect"

/** What a vehicle is held to, with the defaults in `limits.ts`. */
export const VehiclePolicy = Schema.Struct({
  /** How long it stands at the store before it counts as waiting for its load. */
  loadWaitMs: Schema.Number,
})

export type VehiclePolicy = typeof VehiclePolicy.Type

/** How far along its active run a vehicle is; `idle` without one. */
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

/** What telemetry may tell of the order in the vehicle. */
export const LOAD_REPORTS = ["loaded", "unloaded"] as const

export type LoadReport = (typeof LOAD_REPORTS)[number]
