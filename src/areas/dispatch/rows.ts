/** Rows of dispatch: vehicles, and their position fixes. */

import { Context } from "effect"
import type { Environment } from "../../model/caller.ts"
import { KEEP_FIXES_MS } from "../../model/values/limits.ts"
import type { Place } from "../../model/place.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { DispatchPolicy, Pool } from "../../model/vehicle-pool.ts"
import type { LoadReport } from "../../model/vehicle.ts"
import type { Transaction } from "../../engine/services/host.ts"
import type { Purge } from "../../engine/services/retention/retention.ts"
import {
  bigint,
  boolean,
  choice,
  double,
  epochMs,
  serial,
  text,
} from "../../engine/services/tables/columns.ts"
import { notNull } from "../../engine/services/tables/conditions.ts"
import { table } from "../../engine/services/tables/table.ts"
import type { RowOf } from "../../engine/services/tables/table.ts"
import type { Routine } from "../../engine/services/routine.ts"

export const vehicles = table("vehicles", {
  one: "a vehicle",
  many: "vehicles",
  columns: {
    vehicleId: text(),
    fleetId: text(),
    environment: choice<Environment>(),
    label: text(),
    /**
     * True for a vehicle that does not exist: in the sandbox a developer advances its runs, in production its telemetry
     * is simulated.
     */
    isSynthetic: boolean(),
    /** Projected from the machine. */
    isOnline: boolean(),
  },
  key: ["vehicleId"],
  indexes: [{ name: "vehicles_fleet", by: ["fleetId", "vehicleId"] }],
})

export type VehicleRow = RowOf<typeof vehicles>

/** Position reports of vehicles, as received. */
export const vehicleFixes = table("vehicle_fixes", {
  one: "a fix",
  many: "fixes",
  columns: {
    id: serial().hidden(),
    vehicleId: text(),
    /** The delivery that it was carrying out. */
    deliveryId: text().nullable(),
    latitude: double(),
    longitude: double(),
    recordedAtMs: epochMs(),
    receivedAtMs: epochMs(),
    speedMps: double().nullable(),
    load: choice<LoadReport>().nullable(),
    batteryPercent: double().nullable(),
    sequence: bigint().nullable(),
  },
  key: ["id"],
  retention: { from: "receivedAtMs", keepMs: KEEP_FIXES_MS },
  indexes: [
    // First: a delivery has fewer fixes than its vehicle.
    {
      name: "vehicle_fixes_delivery",
      by: ["deliveryId", "recordedAtMs"],
      where: { deliveryId: notNull },
    },
    { name: "vehicle_fixes_vehicle", by: ["vehicleId", "recordedAtMs"] },
  ],
})

export type FixRow = RowOf<typeof vehicleFixes>

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

/** An order for which a vehicle is looked for. */
export interface NewOrder {
  readonly customer: Place
  readonly readyByMs: EpochMs
}

export interface PoolQuery {
  readonly store: Place
  readonly policy: DispatchPolicy
  /** What `batching` fits to the trips of vehicles; null for an order that shares none, such as an errand. */
  readonly order: NewOrder | null
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
    readonly insert: (vehicle: VehicleRow) => Routine<void, never, Transaction>
    readonly change: (
      vehicleId: string,
      change: Partial<Pick<VehicleRow, "isOnline" | "label">>,
    ) => Routine<void, never, Transaction>
    readonly byId: (vehicleId: string) => Routine<VehicleRow | null>
    /** By id; all without a limit. `only`: those that are online, or those that are not. */
    readonly ofFleet: (
      fleetId: string,
      limit?: number,
      only?: Pick<VehicleRow, "isOnline">,
    ) => Routine<readonly VehicleRow[]>
    /**
     * The fleet as decisions see it, equal to `poolOf` over all its vehicles: open runs, last positions and live holds
     * as of now. For a policy other than `nearest` the candidates are those that it compares (`compared`). Its cost does not
     * grow with the fleet, unless many vehicles are at one place.
     */
    readonly pool: (fleetId: string, asked: PoolQuery) => Routine<Pool>
    /** Simulated vehicles, by id. */
    readonly synthetic: (environment: Environment, limit: number) => Routine<readonly VehicleRow[]>
    readonly insertFix: (fix: FixRow) => Routine<void, never, Transaction>
    /** True when a fix of that instant is stored, unless both have a `sequence` and these differ. */
    readonly hasFix: (fix: ReportedFix) => Routine<boolean>
    /** The fix with the latest `recordedAtMs`, then the highest `sequence`, then the one stored last; or null. */
    readonly lastFix: (
      of: { readonly vehicleId: string } | { readonly deliveryId: string },
    ) => Routine<FixRow | null>
    /** The first fix that was recorded at or after an instant, or null. */
    readonly firstFixSince: (vehicleId: string, sinceMs: EpochMs) => Routine<FixRow | null>
    /** The last fixes of a delivery that were recorded at or after an instant, oldest first. */
    readonly trail: (of: {
      readonly deliveryId: string
      readonly sinceMs: EpochMs
      readonly limit: number
    }) => Routine<readonly FixRow[]>
    /** Deletes fixes that were received by then. */
    readonly purgeFixes: Purge
  }
>() {}
