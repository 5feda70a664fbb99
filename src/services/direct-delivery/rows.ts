/**
 * Rows of direct delivery: sites as deliveries see them, quotes and deliveries. Texts of people, addresses and coordinates are
 * stored here and nowhere else.
 */

import { Context } from "effect"
import type { Effect } from "effect"
import type { Environment } from "../../model/caller.ts"
import type { DeliveryStatus, UnavailableReason } from "../../model/delivery.ts"
import type { Place } from "../../model/place.ts"
import type { Site } from "../../model/site.ts"
import type { EpochMs } from "../../model/time.ts"
import type { Transaction } from "../host.ts"
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

/** It is also a `Run` of dispatch. */
export interface DeliveryRow extends Errand, Terms {
  readonly deliveryId: string
  readonly siteId: string
  readonly organizationId: string
  readonly environment: Environment
  readonly fleetId: string
  readonly externalDeliveryId: string
  /** Keyed digest of the create request: a retry with the same body gets the delivery again. */
  readonly comparison: string
  /** Where the vehicle collects when that is not the site: the store of another area's run. */
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

/** False for a run of another area, which brings its own store: no retailer quoted it, gets its events or pays for it. */
export function isForRetailer({ storePlace }: Pick<DeliveryRow, "storePlace">): boolean {
  return storePlace === null
}
