/** Rows of dispatch: vehicles, and their position fixes. */

import { Context } from "effect"
import type { Effect } from "effect"
import type { Environment } from "../../model/caller.ts"
import type { Place } from "../../model/place.ts"
import type { EpochMs } from "../../model/time.ts"
import type { Pool } from "../../model/vehicle-pool.ts"
import type { LoadReport } from "../../model/vehicle.ts"
import type { Transaction } from "../host.ts"
import type { Purge } from "../retention/retention.ts"

export interface VehicleRow {
  readonly vehicleId: string
  readonly fleetId: string
  readonly environment: Environment
  readonly label: string
  /** No real vehicle: a developer advances its runs in the sandbox, and in production its telemetry is generated. */
  readonly isSynthetic: boolean
  /** Projected from the machine. */
  readonly isOnline: boolean
}

/** One position report of a vehicle, as received. */
export interface FixRow extends Place {
  readonly vehicleId: string
  /** The delivery that it was carrying out. */
  readonly deliveryId: string | null
  readonly recordedAtMs: EpochMs
  readonly receivedAtMs: EpochMs
  readonly speedMps: number | null
  readonly load: LoadReport | null
  readonly sequence: number | null
}

/** The key of a vehicle's fixes. */
export type ReportedFix = Pick<FixRow, "recordedAtMs" | "sequence" | "vehicleId">

/** True when a fix is a repeat of a known one; without a sequence, the instant alone decides. */
export function isRepeatOf(fix: ReportedFix, known: ReportedFix): boolean {
  if (fix.vehicleId !== known.vehicleId || fix.recordedAtMs !== known.recordedAtMs) return false
  return fix.sequence === null || known.sequence === null || fix.sequence === known.sequence
}

/** The vehicle's own sequence orders two fixes of one instant, such as a position and the load report after it. */
export function isBefore(fix: ReportedFix, other: ReportedFix): boolean {
  if (fix.recordedAtMs !== other.recordedAtMs) return fix.recordedAtMs < other.recordedAtMs
  return fix.sequence !== null && other.sequence !== null && fix.sequence < other.sequence
}

export interface PoolQuery {
  readonly store: Place
  /** Holds that are live at this instant take places as runs do. */
  readonly atMs: EpochMs
  /** The holder whose own hold does not count. */
  readonly without: string | null
  /** Holds that the decision releases: subtracted from the count. */
  readonly released: number
}

export class VehicleRows extends Context.Tag("VehicleRows")<
  VehicleRows,
  {
    readonly insert: (vehicle: VehicleRow) => Effect.Effect<void, never, Transaction>
    readonly change: (
      vehicleId: string,
      change: Partial<Pick<VehicleRow, "isOnline" | "label">>,
    ) => Effect.Effect<void, never, Transaction>
    readonly byId: (vehicleId: string) => Effect.Effect<VehicleRow | null>
    /** By id. */
    readonly ofFleet: (fleetId: string) => Effect.Effect<readonly VehicleRow[]>
    /**
     * The fleet as decisions see it, equal to `poolOf` over all its vehicles: open runs, last positions and live holds
     * as of now. Its cost does not grow with the fleet, unless many vehicles are at one place.
     */
    readonly pool: (fleetId: string, asked: PoolQuery) => Effect.Effect<Pool>
    /** Simulated vehicles, by id. */
    readonly synthetic: (environment: Environment, limit: number) => Effect.Effect<readonly VehicleRow[]>
    readonly insertFix: (fix: FixRow) => Effect.Effect<void, never, Transaction>
    /** True when a fix of that instant is stored, unless both have a `sequence` and these differ. */
    readonly hasFix: (fix: ReportedFix) => Effect.Effect<boolean>
    /** The fix with the latest `recordedAtMs`, then the highest `sequence`, then the one stored last; or null. */
    readonly lastFix: (
      of: { readonly vehicleId: string } | { readonly deliveryId: string },
    ) => Effect.Effect<FixRow | null>
    /** The first fix that was recorded at or after an instant, or null. */
    readonly firstFixSince: (vehicleId: string, sinceMs: EpochMs) => Effect.Effect<FixRow | null>
    /** Deletes fixes that were received by then. */
    readonly purgeFixes: Purge
  }
>() {}
