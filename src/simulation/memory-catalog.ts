/** Catalog rows in memory. */

import { Effect, Layer } from "effect"
import type { Environment } from "../model/caller.ts"
import type { Grant, Offer, Retailer, Stall, Zone } from "../model/catalog.ts"
import type { Site } from "../model/site.ts"
import type { Organization } from "../services/access/rows.ts"
import { CatalogRows } from "../services/catalog/rows.ts"
import type { CatalogLinks, CatalogTable } from "../services/catalog/rows.ts"
import type { DeliverySite } from "../services/direct-delivery/rows.ts"
import type { MemoryStore, MemoryTable } from "./memory-store.ts"

export function layerMemoryCatalogRows(store: MemoryStore): Layer.Layer<CatalogRows> {
  const grants = linked<Grant>(store, "catalog-grants", (grant) => [
    grant.organizationId,
    grant.zoneId,
    grant.retailerId,
  ])
  const organizations = store.table<Organization>("organizations")
  return Layer.succeed(CatalogRows, {
    sites: siteTable(store),
    zones: keyed<Zone>(store, "catalog-zones", ({ zoneId }) => zoneId),
    stalls: keyed<Stall>(store, "catalog-stalls", ({ stallId }) => stallId),
    retailers: keyed<Retailer>(store, "catalog-retailers", ({ retailerId }) => retailerId),
    offers: linked<Offer>(store, "catalog-offers", ({ zoneId, retailerId }) => [zoneId, retailerId]),
    grants,
    grantToEnrolled: (environment, offer) =>
      Effect.suspend(() =>
        Effect.forEach(
          organizations.all().filter((one) => one.isFleetPartner && one.environments.includes(environment)),
          ({ organizationId }) => grants.put(environment, { organizationId, ...offer }),
          { discard: true },
        ),
      ),
  })
}

/** A site with its environment. */
export type SiteRow = Site & { readonly environment: Environment }

/** The one table of sites: the catalog reads all, direct delivery those with an organization. */
export function sitesIn(store: MemoryStore): MemoryTable<SiteRow> {
  return store.table<SiteRow>("sites")
}

export function keyOfSite(environment: Environment, siteId: string): string {
  return `${environment}/${siteId}`
}

export function isDeliverySite(site: SiteRow): site is DeliverySite {
  return site.organizationId !== null && site.fleetId !== null
}

function siteTable(store: MemoryStore): CatalogTable<Site> {
  const table = sitesIn(store)
  const plain = ({ environment: _, ...site }: SiteRow): Site => site
  return {
    all: (environment) =>
      Effect.sync(() => sorted(inEnvironment(table, environment), ({ siteId }) => [siteId]).map(plain)),
    get: (environment, id) =>
      Effect.sync(() => {
        const row = table.get(keyOfSite(environment, id))
        return row === null ? null : plain(row)
      }),
    insert: (environment, site) =>
      Effect.sync(() => table.put(keyOfSite(environment, site.siteId), { environment, ...site })),
    change: (environment, id, change) =>
      Effect.sync(() => {
        const row = table.get(keyOfSite(environment, id))
        if (row !== null) table.put(keyOfSite(environment, id), { ...row, ...change })
      }),
  }
}

function keyed<Row>(store: MemoryStore, name: string, idOf: (row: Row) => string): CatalogTable<Row> {
  const table = store.table<Row>(name)
  return {
    all: (environment) => Effect.sync(() => sorted(inEnvironment(table, environment), (row) => [idOf(row)])),
    get: (environment, id) => Effect.sync(() => table.get(`${environment}/${id}`)),
    insert: (environment, row) => Effect.sync(() => table.put(`${environment}/${idOf(row)}`, row)),
    change: (environment, id, change) =>
      Effect.sync(() => {
        const row = table.get(`${environment}/${id}`)
        if (row !== null) table.put(`${environment}/${id}`, { ...row, ...change })
      }),
  }
}

function linked<Link>(
  store: MemoryStore,
  name: string,
  idsOf: (link: Link) => readonly string[],
): CatalogLinks<Link> {
  const table = store.table<Link>(name)
  const keyOf = (environment: Environment, link: Link): string => [environment, ...idsOf(link)].join("/")
  return {
    all: (environment) => Effect.sync(() => sorted(inEnvironment(table, environment), idsOf)),
    put: (environment, link) => Effect.sync(() => table.put(keyOf(environment, link), link)),
    remove: (environment, link) => Effect.sync(() => table.delete(keyOf(environment, link))),
  }
}

function inEnvironment<Row>(
  table: { readonly entries: () => readonly (readonly [string, Row])[] },
  environment: Environment,
): readonly Row[] {
  return table
    .entries()
    .filter(([key]) => key.startsWith(`${environment}/`))
    .map(([, row]) => row)
}

/** In code unit order of the ids. */
function sorted<Row>(rows: readonly Row[], idsOf: (row: Row) => readonly string[]): readonly Row[] {
  return rows.toSorted((a, b) => {
    const others = idsOf(b)
    for (const [at, id] of idsOf(a).entries()) {
      const other = others[at] ?? ""
      if (id !== other) return id < other ? -1 : 1
    }
    return 0
  })
}
