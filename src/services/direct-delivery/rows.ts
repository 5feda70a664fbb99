/**
 * Rows of direct delivery: sites as deliveries see them, quotes, deliveries, vehicles with their position fixes, and
 * opt-outs. Texts of people, addresses and coordinates live here and nowhere else.
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

/** A site from which deliveries start. Without area, price or place it is not configured. */
export interface DeliverySite extends Site {
  readonly environment: Environment
  readonly organizationId: string
  readonly fleetId: string
}

/** Who receives the order, as sent. */
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

/** What a quote fixes and its delivery carries on. */
export interface Terms {
  readonly pickupEtaMs: EpochMs
  readonly deliveryEtaMs: EpochMs
  readonly feeCents: number
  readonly currency: string
}

/** What is to be brought, where and to whom. */
export interface Errand {
  readonly readyByMs: EpochMs
  readonly customer: Customer
  readonly address: DeliveryAddress
  readonly place: Place
  readonly items: readonly OrderItem[]
  readonly pickupInstructions: string | null
}

/** An errand of which nothing tells whom it was for. What was ordered stays. */
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

/** Out at sea, where no address is. */
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
  /** Where the vehicle collects when that is not the site; a courier errand's store. */
  readonly storePlace: Place | null
  readonly cancellationReason: string | null
  /** Time and place of the last location event. */
  readonly toldFix: (Place & { readonly atMs: EpochMs }) | null
  readonly createdAtMs: EpochMs
  /** Counts deliveries in the order of creation. */
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

/** Whose: a site's, or all of an organization's in one environment. */
export type DeliveryOwner =
  { readonly siteId: string } | { readonly organizationId: string; readonly environment: Environment }

export interface DeliveryQuery {
  readonly of: DeliveryOwner
  readonly statuses: readonly DeliveryStatus[] | null
  readonly createdAfterMs: EpochMs | null
  readonly createdBeforeMs: EpochMs | null
  /** Only rows with a smaller number: those created earlier. */
  readonly beforeNumber: number | null
  readonly limit: number
}

export interface VehicleRow {
  readonly vehicleId: string
  readonly fleetId: string
  readonly environment: Environment
  readonly label: string
  /** There is no such vehicle: a developer advances its runs in the sandbox, and in production its telemetry is played. */
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

/** What tells the fixes of a vehicle apart. */
export type ReportedFix = Pick<FixRow, "recordedAtMs" | "sequence" | "vehicleId">

/** Whether a fix is one that is known; without a count, the instant alone says so. */
export function isRepeatOf(fix: ReportedFix, known: ReportedFix): boolean {
  if (fix.vehicleId !== known.vehicleId || fix.recordedAtMs !== known.recordedAtMs) return false
  return fix.sequence === null || known.sequence === null || fix.sequence === known.sequence
}

/** The vehicle's own count tells two fixes of one instant apart, such as a position and the load report that follows it. */
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
    /** Whether the organization has ever had a quote there, and a delivery that was completed. */
    readonly progress: (owner: {
      readonly organizationId: string
      readonly environment: Environment
    }) => Effect.Effect<{ readonly hasQuote: boolean; readonly hasCompleted: boolean }>
    /** The open runs of one vehicle of the fleet, oldest first. */
    readonly runsOf: (fleetId: string, vehicleId: string) => Effect.Effect<readonly DeliveryRow[]>
    /** Reads a vehicle's open runs before it is known which of them a transaction needs: `byId` then finds them read. */
    readonly prefetchRunsOf: (vehicleId: string) => Effect.Effect<void>
    /** Blanks what deliveries that ended by then hold of people; none is blanked twice. */
    readonly blankEnded: Purge
    /** The same of quotes that expired by then. */
    readonly blankQuotes: Purge
    /** Drops a delivery; only a host that keeps no record asks for it. */
    readonly forget: (deliveryId: string) => Effect.Effect<void, never, Transaction>
  }
>() {}

export interface PoolQuery {
  readonly store: Place
  /** Live holds of courier errands at this instant take places as runs do. */
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
     * The fleet as decisions see it, the same as `poolOf` finds from all its vehicles: open runs, last positions and live holds as
     * they are now. Its cost does not grow with the fleet, unless vehicles stand in one place.
     */
    readonly pool: (fleetId: string, asked: PoolQuery) => Effect.Effect<Pool>
    /** Those that are played, by id. */
    readonly synthetic: (environment: Environment, limit: number) => Effect.Effect<readonly VehicleRow[]>
    readonly insertFix: (fix: FixRow) => Effect.Effect<void, never, Transaction>
    /** True when a fix of that instant is stored, unless both have a `sequence` and not the same one. */
    readonly hasFix: (fix: ReportedFix) => Effect.Effect<boolean>
    /** The fix with the latest `recordedAtMs`, of several that with the highest `sequence`, else the one kept last; or null. */
    readonly lastFix: (
      of: { readonly vehicleId: string } | { readonly deliveryId: string },
    ) => Effect.Effect<FixRow | null>
    /** The first fix that was recorded at or after an instant, or null. */
    readonly firstFixSince: (vehicleId: string, sinceMs: EpochMs) => Effect.Effect<FixRow | null>
    /** Drops fixes that were received by then. */
    readonly purgeFixes: Purge
  }
>() {}

/** A courier errand's delivery: no retailer quoted it, gets its events or pays for it. */
export function isCourierErrand({ storePlace }: Pick<DeliveryRow, "storePlace">): boolean {
  return storePlace !== null
}
