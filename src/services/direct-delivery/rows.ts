/**
 * Rows of direct delivery: sites, quotes, deliveries, vehicles with their position fixes, and opt-outs. Personal texts,
 * addresses and coordinates are stored only here.
 */

import { Context } from "effect"
import type { Effect } from "effect"
import type { Environment } from "../../model/caller.ts"
import type { DeliveryStatus, UnavailableReason } from "../../model/delivery.ts"
import type { Place } from "../../model/place.ts"
import type { Site } from "../../model/site.ts"
import type { EpochMs } from "../../model/time.ts"
import type { LoadReport } from "../../model/vehicle.ts"
import type { Transaction } from "../host.ts"
import type { Pool } from "../../model/vehicle-pool.ts"
import { BLANK_PHONE, BLANK_TEXT } from "../retention/blanks.ts"
import type { Purge } from "../retention/retention.ts"

/** A site from which deliveries start. It is not configured without area, price and place. */
export interface DeliverySite extends Site {
  readonly environment: Environment
  readonly organizationId: string
  readonly fleetId: string
}

/** The recipient of the order, as sent. */
export type Customer = {
  readonly first_name: string | null
  readonly last_name: string | null
  readonly email: string | null
  readonly phone: string
}

export type DeliveryAddress = {
  readonly street: string
  readonly city: string
  readonly state: string
  readonly zip: string
  readonly unit: string | null
}

export type OrderItem = { readonly name: string; readonly quantity: number }

/** The terms of a quote, which its delivery keeps. */
export interface Terms {
  readonly pickupEtaMs: EpochMs
  readonly deliveryEtaMs: EpochMs
  readonly feeCents: number
  readonly currency: string
}

/** What is delivered, where and to whom. */
export interface Errand {
  readonly readyByMs: EpochMs
  readonly customer: Customer
  readonly address: DeliveryAddress
  readonly place: Place
  readonly items: readonly OrderItem[]
  readonly pickupInstructions: string | null
}

/** An errand without personal data. The ordered goods stay. */
export function blankErrand({ customer, address, pickupInstructions }: Errand) {
  const blank = (said: string | null): string | null => (said === null ? null : BLANK_TEXT)
  const { first_name, last_name, email } = customer
  return {
    customer: {
      first_name: blank(first_name),
      last_name: blank(last_name),
      email: blank(email),
      phone: BLANK_PHONE,
    },
    address: {
      street: BLANK_TEXT,
      city: BLANK_TEXT,
      state: BLANK_TEXT,
      zip: BLANK_TEXT,
      unit: blank(address.unit),
    },
    place: BLANK_PLACE,
    pickupInstructions: blank(pickupInstructions),
  } satisfies Partial<Errand>
}

/** A place in the ocean, where no address is. */
const BLANK_PLACE: Place = { latitude: 0, longitude: 0 }

/** The last quote of an external id; a new one replaces it. */
export interface QuoteRow extends Errand {
  readonly siteId: string
  readonly externalDeliveryId: string
  readonly terms: Terms | null
  readonly unavailableReason: UnavailableReason | null
  readonly expiresAtMs: EpochMs
  readonly createdAtMs: EpochMs
}

export interface DeliveryRow extends Errand, Terms {
  readonly deliveryId: string
  readonly siteId: string
  readonly organizationId: string
  readonly environment: Environment
  readonly fleetId: string
  readonly externalDeliveryId: string
  /** Keyed digest of the create request: a retry with the same body gets the delivery again. */
  readonly comparison: string
  /** The pickup place if it is not the site; a courier errand's store. */
  readonly storePlace: Place | null
  readonly cancellationReason: string | null
  /** Time and place of the last location event. */
  readonly toldFix: (Place & { readonly atMs: EpochMs }) | null
  readonly createdAtMs: EpochMs
  /** Numbers deliveries in the order of creation. */
  readonly number: number
  /** Projected from the machine. */
  readonly status: DeliveryStatus
  readonly vehicleId: string
  readonly completedAtMs: EpochMs | null
  readonly cancelledAtMs: EpochMs | null
  readonly updatedAtMs: EpochMs
}

/** A delivery before its row has a number. */
export type NewDelivery = Omit<DeliveryRow, "number">

/** Owner of deliveries: a site, or an organization in one environment. */
export type DeliveryOwner =
  { readonly siteId: string } | { readonly organizationId: string; readonly environment: Environment }

export interface DeliveryQuery {
  readonly of: DeliveryOwner
  readonly statuses: readonly DeliveryStatus[] | null
  readonly createdAfterMs: EpochMs | null
  readonly createdBeforeMs: EpochMs | null
  /** Only rows with a smaller number, which were created earlier. */
  readonly beforeNumber: number | null
  readonly limit: number
}

export interface VehicleRow {
  readonly vehicleId: string
  readonly fleetId: string
  readonly environment: Environment
  readonly label: string
  /**
   * True for a vehicle that does not exist: in the sandbox a developer advances its runs, in production its telemetry
   * is simulated.
   */
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

export class DeliverySites extends Context.Tag("DeliverySites")<
  DeliverySites,
  {
    readonly byId: (siteId: string) => Effect.Effect<DeliverySite | null>
    /** Of one organization in one environment, by id. */
    readonly ofOrganization: (owner: {
      readonly organizationId: string
      readonly environment: Environment
    }) => Effect.Effect<readonly DeliverySite[]>
    /** Of one environment, by id. */
    readonly all: (environment: Environment) => Effect.Effect<readonly DeliverySite[]>
    readonly insert: (site: DeliverySite) => Effect.Effect<void, never, Transaction>
    readonly change: (
      siteId: string,
      change: Partial<Omit<DeliverySite, "siteId">>,
    ) => Effect.Effect<void, never, Transaction>
  }
>() {}

export class DeliveryRows extends Context.Tag("DeliveryRows")<
  DeliveryRows,
  {
    readonly putQuote: (quote: QuoteRow) => Effect.Effect<void, never, Transaction>
    readonly quote: (siteId: string, externalDeliveryId: string) => Effect.Effect<QuoteRow | null>
    readonly insert: (row: NewDelivery) => Effect.Effect<void, never, Transaction>
    readonly change: (
      deliveryId: string,
      change: Partial<Omit<DeliveryRow, "deliveryId" | "number">>,
    ) => Effect.Effect<void, never, Transaction>
    readonly byId: (deliveryId: string) => Effect.Effect<DeliveryRow | null>
    readonly byExternalId: (siteId: string, externalDeliveryId: string) => Effect.Effect<DeliveryRow | null>
    /** Newest first. */
    readonly list: (query: DeliveryQuery) => Effect.Effect<readonly DeliveryRow[]>
    /** Whether the organization has ever had a quote there, and a completed delivery. */
    readonly progress: (owner: {
      readonly organizationId: string
      readonly environment: Environment
    }) => Effect.Effect<{ readonly hasQuote: boolean; readonly hasCompleted: boolean }>
    /** The open runs of one vehicle of the fleet, oldest first. */
    readonly runsOf: (fleetId: string, vehicleId: string) => Effect.Effect<readonly DeliveryRow[]>
    /** Reads a vehicle's open runs before it is known which of them a transaction needs: `byId` then finds them read. */
    readonly prefetchRunsOf: (vehicleId: string) => Effect.Effect<void>
    /** Blanks personal data of deliveries that ended by then; none is blanked twice. */
    readonly blankEnded: Purge
    /** The same for quotes that expired by then. */
    readonly blankQuotes: Purge
    /** Deletes a delivery; only a host without recording uses it. */
    readonly forget: (deliveryId: string) => Effect.Effect<void, never, Transaction>
  }
>() {}

export interface PoolQuery {
  readonly store: Place
  /** Live holds of courier errands at this instant take places like runs. */
  readonly atMs: EpochMs
  /** An errand whose own hold does not count. */
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

/** True for a courier errand's delivery: no retailer quoted it, gets its events or pays for it. */
export function isCourierErrand({ storePlace }: Pick<DeliveryRow, "storePlace">): boolean {
  return storePlace !== null
}
