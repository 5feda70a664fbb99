/** Catalog rows: sites, zones, stalls and retailers of each environment, and offers and grants. */

import { Context } from "effect"
import type { Effect } from "effect"
import type { Environment } from "../../model/caller.ts"
import type { Grant, Offer, Retailer, Stall, Zone } from "../../model/catalog.ts"
import type { Site } from "../../model/site.ts"
import type { Transaction } from "../host.ts"

/** Rows with an id, unique in their environment. */
export interface CatalogTable<Row> {
  /** By id. */
  readonly all: (environment: Environment) => Effect.Effect<readonly Row[]>
  readonly get: (environment: Environment, id: string) => Effect.Effect<Row | null>
  readonly insert: (environment: Environment, row: Row) => Effect.Effect<void, never, Transaction>
  readonly change: (
    environment: Environment,
    id: string,
    change: Partial<Row>,
  ) => Effect.Effect<void, never, Transaction>
}

/** Rows that only relate others to each other. */
export interface CatalogLinks<Link> {
  /** Sorted by their ids, in the order of the link's fields. */
  readonly all: (environment: Environment) => Effect.Effect<readonly Link[]>
  /** An existing link is not changed. */
  readonly put: (environment: Environment, link: Link) => Effect.Effect<void, never, Transaction>
  /** A missing link is ignored. */
  readonly remove: (environment: Environment, link: Link) => Effect.Effect<void, never, Transaction>
}

export class CatalogRows extends Context.Tag("CatalogRows")<
  CatalogRows,
  {
    readonly sites: CatalogTable<Site>
    readonly zones: CatalogTable<Zone>
    readonly stalls: CatalogTable<Stall>
    readonly retailers: CatalogTable<Retailer>
    readonly offers: CatalogLinks<Offer>
    readonly grants: CatalogLinks<Grant>
    /** Grants it to every fleet partner that is provisioned there, with one statement. */
    readonly grantToEnrolled: (
      environment: Environment,
      offer: Offer,
    ) => Effect.Effect<void, never, Transaction>
  }
>() {}
