/**
 * Rows of direct delivery: sites as deliveries see them, quotes and deliveries. Texts of people, addresses and coordinates are
 * stored here and nowhere else.
 */

import type { Environment } from "../../model/caller.ts"
import type { DeliveryStatus, UnavailableReason } from "../../model/delivery.ts"
import type { Place } from "../../model/place.ts"
import type { Site } from "../../model/site.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { batch } from "../../engine/services/host.ts"
import type { Transaction } from "../../engine/services/host.ts"
import { BLANK_PHONE, BLANK_TEXT } from "../../engine/services/retention/blanks.ts"
import type { Purge } from "../../engine/services/retention/retention.ts"
import { choice, epochMs, integer, json, serial, text } from "../../engine/services/tables/columns.ts"
import { noneOf, notNull } from "../../engine/services/tables/conditions.ts"
import { table } from "../../engine/services/tables/table.ts"
import type { NewRowOf, RowOf } from "../../engine/services/tables/table.ts"
import { Routine } from "../../engine/services/routine.ts"
import { repository } from "../../engine/services/service.ts"
import { DEFAULT_DISPATCH_POLICY } from "../../model/vehicle-pool.ts"
import { sites } from "../catalog/rows.ts"
import { vehicles } from "../dispatch/rows.ts"
import { Tables } from "../../engine/services/tables/tables.ts"
import { Context, Effect } from "effect"

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

const errand = {
  readyByMs: epochMs(),
  customer: json<Customer>(),
  address: json<DeliveryAddress>(),
  place: json<Place>(),
  items: json<readonly OrderItem[]>(),
  pickupInstructions: text().nullable(),
}

/** The last quote of an external id; a new one replaces it. */
export const quotes = table("quotes", {
  one: "a quote",
  many: "quotes",
  columns: {
    siteId: text(),
    externalDeliveryId: text(),
    terms: json<Terms>().nullable(),
    unavailableReason: choice<UnavailableReason>().nullable(),
    expiresAtMs: epochMs(),
    createdAtMs: epochMs(),
    ...errand,
    /** From when retention counts if its instants are those of an organization's clock. */
    keptFromMs: epochMs().nullable().default(null).hidden(),
  },
  key: ["siteId", "externalDeliveryId"],
  indexes: [{ name: "quotes_kept", by: ["keptFromMs"], where: { keptFromMs: notNull } }],
})

export type QuoteRow = RowOf<typeof quotes>

/** Of a run that takes a place of its vehicle. */
export const IS_OPEN_RUN = noneOf("COMPLETED", "CANCELLED")

/** A row is also a `Run` of dispatch. */
export const deliveries = table("deliveries", {
  one: "a delivery",
  many: "deliveries",
  columns: {
    deliveryId: text(),
    siteId: text(),
    organizationId: text(),
    environment: choice<Environment>(),
    fleetId: text(),
    externalDeliveryId: text(),
    /** Keyed digest of the create request: a retry with the same body gets the delivery again. */
    comparison: text(),
    pickupEtaMs: epochMs(),
    deliveryEtaMs: epochMs(),
    feeCents: integer(),
    currency: text(),
    ...errand,
    /** Where the vehicle collects when that is not the site: the store of another area's run. */
    storePlace: json<Place>().nullable(),
    cancellationReason: text().nullable(),
    /** Time and place of the last location event. */
    toldFix: json<Place & { readonly atMs: EpochMs }>().nullable(),
    createdAtMs: epochMs(),
    /** Numbers deliveries in the order of creation. */
    number: serial(),
    /** Projected from the machine. */
    status: choice<DeliveryStatus>(),
    vehicleId: text(),
    completedAtMs: epochMs().nullable(),
    cancelledAtMs: epochMs().nullable(),
    updatedAtMs: epochMs(),
    /** When its vehicle arrived at the store; null before, and for a run that was loaded at once. */
    atStoreAtMs: epochMs().nullable(),
    /** The same as of a quote, once it has ended. */
    keptFromMs: epochMs().nullable().default(null).hidden(),
  },
  key: ["deliveryId"],
  indexes: [
    { name: "deliveries_site_id_external_delivery_id_key", by: ["siteId", "externalDeliveryId"] },
    { name: "deliveries_open", by: ["fleetId", "vehicleId"], where: { status: IS_OPEN_RUN } },
    { name: "deliveries_of_site", by: ["siteId", "createdAtMs", "deliveryId"] },
    { name: "deliveries_completed", by: ["siteId", "completedAtMs"], where: { status: "COMPLETED" } },
    { name: null, by: ["organizationId", "environment"] },
    { name: "deliveries_kept", by: ["keptFromMs"], where: { keptFromMs: notNull } },
  ],
})

export type DeliveryRow = RowOf<typeof deliveries>

/** A delivery before its row has a number. */
export type NewDelivery = NewRowOf<typeof deliveries>

/** How long the last loads of a store took. */
export const storeLoads = table("store_loads", {
  one: "the loads of a store",
  many: "the loads of stores",
  columns: {
    /** As of its deliveries. */
    siteId: text(),
    /** Newest first, at most `LOADS_KEPT_MAX`. */
    tookMs: json<readonly number[]>(),
  },
  key: ["siteId"],
})

/** Owner of deliveries: a site, or an organization in one environment. */
export type DeliveryOwner =
  { readonly siteId: string } | { readonly organizationId: string; readonly environment: Environment }

export interface DeliveryQuery {
  readonly of: DeliveryOwner
  readonly statuses: readonly DeliveryStatus[] | null
  readonly createdAfterMs: EpochMs | null
  readonly createdBeforeMs: EpochMs | null
  /** Only deliveries whose external id contains it, in any case of letters. */
  readonly search: string | null
  /** Only rows with a smaller number, which were created earlier. */
  readonly beforeNumber: number | null
  readonly limit: number
}

/** Which completed deliveries of a site are counted. */
export interface CompletionQuery {
  readonly siteId: string
  readonly organizationId: string
  readonly environment: Environment
  /** In order; the last one ends the last span. */
  readonly cuts: readonly EpochMs[]
}

/** Completed deliveries of one span. */
export interface Completions {
  readonly completed: number
  /** Completed by the delivery time of their quotes. */
  readonly kept: number
  readonly feeCents: number
}

export class DeliverySites extends repository<DeliverySites>()(
  "DeliverySites",
  Effect.map(Tables, (tables) => {
    const rows = tables.of(sites)
    // Ids are unique among these, whatever their environment.
    const isOwned = { organizationId: notNull } as const
    const order = ["siteId"] as const
    return {
      byId: (siteId: string) =>
        Routine.map(rows.first({ siteId, ...isOwned }), (row) => (row === null ? null : deliverySiteOf(row))),
      /** Of one organization in one environment, by id. */
      ofOrganization: ({ organizationId, environment }: SiteOwner) =>
        Routine.map(rows.list({ organizationId, environment }, { order }), (found) =>
          found.map(deliverySiteOf),
        ),
      /** Of one environment, by id. */
      all: (environment: Environment) =>
        Routine.map(rows.list({ environment, ...isOwned }, { order }), (found) => found.map(deliverySiteOf)),
      insert: (site: DeliverySite) => rows.insert(site),
      change: (siteId: string, change: Partial<Omit<DeliverySite, "siteId">>) =>
        rows.update({ siteId, ...isOwned }, change),
      /** How the vehicles of a fleet are chosen for runs of no site: as for those of its first active site by id. */
      dispatchOf: (fleetId: string) =>
        Routine.map(
          rows.first({ fleetId, isActive: true }, order),
          (site) => site?.dispatchPolicy ?? DEFAULT_DISPATCH_POLICY,
        ),
      /** Those of the fleets that have a vehicle, on line or not. Cost: one look-up in the index for each fleet. */
      servedAmong: (fleetIds: readonly (string | null)[]): Routine<ReadonlySet<string | null>> => {
        const known = [...new Set(fleetIds)].filter((fleetId) => fleetId !== null)
        return Routine.map(
          batch(known.map((fleetId) => tables.of(vehicles).first({ fleetId }))),
          (found) => new Set(found.flatMap((vehicle) => (vehicle === null ? [] : [vehicle.fleetId]))),
        )
      },
    }
  }),
) {}

interface SiteOwner {
  readonly organizationId: string
  readonly environment: Environment
}

function deliverySiteOf(site: RowOf<typeof sites>): DeliverySite {
  if (isDeliverySite(site)) return site
  const { siteId, organizationId, fleetId } = site
  throw new Error(`site ${siteId} has organization ${organizationId} and fleet ${fleetId}`)
}

export function isDeliverySite(site: RowOf<typeof sites>): site is DeliverySite {
  return site.organizationId !== null && site.fleetId !== null
}

export class DeliveryRows extends Context.Tag("DeliveryRows")<
  DeliveryRows,
  {
    readonly putQuote: (quote: NewRowOf<typeof quotes>) => Routine<void, never, Transaction>
    readonly quote: (siteId: string, externalDeliveryId: string) => Routine<QuoteRow | null>
    readonly insert: (row: NewDelivery) => Routine<void, never, Transaction>
    readonly change: (
      deliveryId: string,
      change: Partial<Omit<DeliveryRow, "deliveryId" | "number">> & { readonly keptFromMs?: EpochMs },
    ) => Routine<void, never, Transaction>
    readonly byId: (deliveryId: string) => Routine<DeliveryRow | null>
    readonly byExternalId: (siteId: string, externalDeliveryId: string) => Routine<DeliveryRow | null>
    /** Newest first. */
    readonly list: (query: DeliveryQuery) => Routine<readonly DeliveryRow[]>
    /** Whether the organization has ever had a quote there, and a completed delivery. */
    readonly progress: (owner: {
      readonly organizationId: string
      readonly environment: Environment
    }) => Routine<{ readonly hasQuote: boolean; readonly hasCompleted: boolean }>
    /** Completed deliveries between each cut and the next. Cost: reads those completed from the first cut to the last. */
    readonly completions: (query: CompletionQuery) => Routine<readonly Completions[]>
    /** How long the last loads of a site or store took, newest first. */
    readonly loads: (siteId: string) => Routine<readonly number[]>
    readonly putLoads: (siteId: string, tookMs: readonly number[]) => Routine<void, never, Transaction>
    /** The open runs of one vehicle of the fleet, oldest first. */
    readonly runsOf: (fleetId: string, vehicleId: string) => Routine<readonly DeliveryRow[]>
    /** The open runs of all vehicles of a fleet, oldest first. */
    readonly openRuns: (fleetId: string, limit: number) => Routine<readonly DeliveryRow[]>
    /** Reads a vehicle's open runs before it is known which of them a transaction needs: `byId` then finds them read. */
    readonly prefetchRunsOf: (vehicleId: string) => Routine<void>
    /** Blanks personal data of deliveries that ended by then; none is blanked twice. */
    readonly blankEnded: Purge
    /** The same for quotes that expired by then. */
    readonly blankQuotes: Purge
    /** Deletes a delivery; only a host without recording uses it. */
    readonly forget: (deliveryId: string) => Routine<void, never, Transaction>
  }
>() {}

/** False for a run of another area, which brings its own store: no retailer quoted it, gets its events or pays for it. */
export function isForRetailer({ storePlace }: Pick<DeliveryRow, "storePlace">): boolean {
  return storePlace === null
}
