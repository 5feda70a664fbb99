/**
 * Runs: what vehicles carry out. Another area has their rows and implements this port, so dispatch knows neither the customer nor
 * who ordered.
 */

import { Context } from "effect"
import type { DeliveryStatus } from "../../model/delivery.ts"
import type { Place } from "../../model/place.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Transaction } from "../../engine/services/host.ts"
import type { Routine } from "../../engine/services/routine.ts"
import type { FixRow } from "./rows.ts"

export interface Run {
  readonly deliveryId: string
  readonly siteId: string
  readonly fleetId: string
  readonly vehicleId: string
  readonly status: DeliveryStatus
  /** The customer's. */
  readonly place: Place
  /** Where the vehicle collects when that is not the site. */
  readonly storePlace: Place | null
  readonly readyByMs: EpochMs
  /** What the customer was promised. */
  readonly pickupEtaMs: EpochMs
  readonly deliveryEtaMs: EpochMs
  /** Time and place of the last location event. */
  readonly toldFix: (Place & { readonly atMs: EpochMs }) | null
  readonly createdAtMs: EpochMs
  /** When the status last changed. */
  readonly updatedAtMs: EpochMs
  /** Counts runs in the order of creation. */
  readonly number: number
}

/** Where a run is collected. */
export interface Pickup {
  /** Null when the site is gone or has no place. */
  readonly store: Place | null
  /** People at the site may change the run's status. */
  readonly hasSupervisor: boolean
  /** Two runs of the site may share a trip. */
  readonly sharesTrips: boolean
}

export class Runs extends Context.Tag("Runs")<
  Runs,
  {
    readonly byId: (deliveryId: string) => Routine<Run | null>
    /** The open runs of one vehicle of the fleet, oldest first. */
    readonly ofVehicle: (fleetId: string, vehicleId: string) => Routine<readonly Run[]>
    /** Reads a vehicle's open runs before it is known which of them a transaction needs: `byId` then finds them read. */
    readonly prefetch: (vehicleId: string) => Routine<void>
    readonly pickup: (run: Run) => Routine<Pickup>
    /** How long the last loads at the run's store took, newest first. */
    readonly loads: (run: Run) => Routine<readonly number[]>
    /** Sends the vehicle's position to subscribers. Inside the transaction that recorded the fix. */
    readonly announceLocation: (run: Run, fix: FixRow, nonce: string) => Routine<void, never, Transaction>
    /** Reads what `announceLocation` needs. The transaction keeps it. */
    readonly prepareLocation: (run: Run) => Routine<void, never, Transaction>
  }
>() {}
