/** Direct delivery's repositories in memory: tables of one MemoryStore, staged with its transactions. */

import { Effect, Layer } from "effect"
import type { Environment } from "../model/caller.ts"
import { isFinal } from "../model/delivery.ts"
import { MINUTE_MS } from "../model/time.ts"
import type { FixRow, VehicleRow } from "../services/dispatch/rows.ts"
import { VehicleRows, isBefore } from "../services/dispatch/rows.ts"
import { DeliveryRows, DeliverySites, blankErrand } from "../services/direct-delivery/rows.ts"
import type { OptOutRows } from "../services/messages/rows.ts"
import type {
  DeliveryOwner,
  DeliveryQuery,
  DeliveryRow,
  DeliverySite,
  QuoteRow,
} from "../services/direct-delivery/rows.ts"
import { BLANK_PHONE, BLANK_TEXT } from "../services/retention/blanks.ts"
import { layerNotices } from "../services/webhooks/notice-repository.ts"
import type { Notices } from "../services/webhooks/notices.ts"
import { layerOptOutRows } from "../services/messages/opt-out-repository.ts"
import { layerMemoryTables } from "./memory-tables.ts"
import { isDeliverySite, keyOfSite, sitesIn } from "./memory-catalog.ts"
import type { SiteRow } from "./memory-catalog.ts"
import { newestRows } from "./memory-store.ts"
import type { MemoryStore, MemoryTable } from "./memory-store.ts"
import { MemoryVehiclePool } from "./memory-vehicle-pool.ts"

/** All ports of direct delivery over one store. */
export function layerMemoryDeliveries(
  store: MemoryStore,
): Layer.Layer<DeliveryRows | DeliverySites | Notices | OptOutRows | VehicleRows> {
  return Layer.mergeAll(
    layerSites(store),
    layerDeliveryRows(store),
    layerVehicleRows(store),
    Layer.merge(layerNotices, layerOptOutRows).pipe(Layer.provide(layerMemoryTables(store))),
  )
}

/** Adds a site to a simulated world. */
export function putSite(store: MemoryStore, site: DeliverySite): void {
  sitesIn(store).put(keyOfSite(site.environment, site.siteId), site)
}

function layerSites(store: MemoryStore): Layer.Layer<DeliverySites> {
  const sites = sitesIn(store)
  const owned = sites.indexBy((site) => (isDeliverySite(site) ? site.siteId : null))
  const byId = (siteId: string): DeliverySite | null => {
    for (const site of owned.rowsOf(siteId)) if (isDeliverySite(site)) return site
    return null
  }
  const sorted = (isWanted: (site: DeliverySite) => boolean): readonly DeliverySite[] =>
    sites
      .all()
      .filter(isDeliverySite)
      .filter(isWanted)
      .toSorted((one, other) => (one.siteId < other.siteId ? -1 : 1))
  return Layer.succeed(DeliverySites, {
    byId: (id) => Effect.sync(() => byId(id)),
    ofOrganization: ({ organizationId, environment }) =>
      Effect.sync(() =>
        sorted((site) => site.organizationId === organizationId && site.environment === environment),
      ),
    all: (environment) => Effect.sync(() => sorted((site) => site.environment === environment)),
    insert: (site) => Effect.sync(() => putSite(store, site)),
    change: (siteId, change) =>
      Effect.sync(() => {
        const site = byId(siteId)
        if (site !== null) putSite(store, { ...site, ...change })
      }),
  })
}

function layerDeliveryRows(store: MemoryStore): Layer.Layer<DeliveryRows> {
  const sites = sitesIn(store)
  const quotes = store.table<QuoteRow>("quotes")
  const rows = store.table<DeliveryRow>("deliveries")
  const byExternalId = store.table<string>("delivery-external-ids")
  const openByVehicle = rows.indexBy(({ status, fleetId, vehicleId }) =>
    isFinal(status) ? null : keyOf(fleetId, vehicleId),
  )
  const fixes = store.table<FixRow>("fixes")
  const fixesByDelivery = fixes.indexBy(deliveryOf)
  const lastFixes = store.table<FixRow>("last-fixes")
  const counters = store.table<number>("counters")
  const put = (row: DeliveryRow): void => rows.put(row.deliveryId, row)
  return Layer.succeed(DeliveryRows, {
    ...blankings({ rows, quotes, put }),
    ...progressOver({ sites, quotes, rows }),
    putQuote: (quote) => Effect.sync(() => quotes.put(keyOf(quote.siteId, quote.externalDeliveryId), quote)),
    quote: (siteId, externalId) => Effect.sync(() => quotes.get(keyOf(siteId, externalId))),
    insert: (row) =>
      Effect.sync(() => {
        const number = (counters.get("deliveries") ?? 0) + 1
        counters.put("deliveries", number)
        put({ ...row, number })
        byExternalId.put(keyOf(row.siteId, row.externalDeliveryId), row.deliveryId)
      }),
    change: (id, change) =>
      Effect.sync(() => {
        const row = rows.get(id)
        if (row !== null) put({ ...row, ...change })
      }),
    byId: (id) => Effect.sync(() => rows.get(id)),
    byExternalId: (siteId, externalId) =>
      Effect.sync(() => rows.get(byExternalId.get(keyOf(siteId, externalId)) ?? "")),
    list: (query) =>
      Effect.sync(() =>
        newestRows(rows.all(), { limit: query.limit, isWanted: (row) => matches(row, query) }),
      ),
    // Rows in memory are read at no cost.
    prefetchRunsOf: () => Effect.void,
    runsOf: (fleetId, vehicleId) =>
      Effect.sync(() =>
        [...openByVehicle.rowsOf(keyOf(fleetId, vehicleId))].toSorted(
          (one, other) => one.number - other.number,
        ),
      ),
    forget: (id) =>
      Effect.sync(() => {
        const row = rows.get(id)
        if (row === null) return
        rows.delete(id)
        for (const key of fixesByDelivery.keysOf(id)) {
          const fix = fixes.get(key)
          // The last position of a vehicle is kept.
          if (fix !== null && lastFixes.get(fix.vehicleId)?.recordedAtMs !== fix.recordedAtMs)
            fixes.delete(key)
        }
        byExternalId.delete(keyOf(row.siteId, row.externalDeliveryId))
        quotes.delete(keyOf(row.siteId, row.externalDeliveryId))
      }),
  })
}

interface ErrandTables {
  readonly rows: MemoryTable<DeliveryRow>
  readonly quotes: MemoryTable<QuoteRow>
}

/** Retention: personal data is blanked, rows stay. */
function blankings({
  rows,
  quotes,
  put,
}: ErrandTables & { readonly put: (row: DeliveryRow) => void }): Pick<
  DeliveryRows["Type"],
  "blankEnded" | "blankQuotes"
> {
  return {
    blankEnded: ({ beforeMs, limit }) =>
      Effect.sync(() => {
        const endOf = (row: DeliveryRow): number => row.completedAtMs ?? row.cancelledAtMs ?? Infinity
        const ended = rows
          .all()
          .filter((row) => row.customer.phone !== BLANK_PHONE && endOf(row) <= beforeMs)
          .toSorted((a, b) => endOf(a) - endOf(b))
          .slice(0, limit)
        for (const row of ended) {
          const cancellationReason = row.cancellationReason === null ? null : BLANK_TEXT
          put({ ...row, ...blankErrand(row), cancellationReason, toldFix: null })
        }
        return ended.length
      }),
    blankQuotes: ({ beforeMs, limit }) =>
      Effect.sync(() => {
        const expired = quotes
          .all()
          .filter((quote) => quote.customer.phone !== BLANK_PHONE && quote.expiresAtMs <= beforeMs)
          .toSorted((a, b) => a.expiresAtMs - b.expiresAtMs)
          .slice(0, limit)
        for (const quote of expired) {
          quotes.put(keyOf(quote.siteId, quote.externalDeliveryId), { ...quote, ...blankErrand(quote) })
        }
        return expired.length
      }),
  }
}

function progressOver({
  sites,
  quotes,
  rows,
}: ErrandTables & { readonly sites: MemoryTable<SiteRow> }): Pick<DeliveryRows["Type"], "progress"> {
  return {
    progress: ({ organizationId, environment }) =>
      Effect.sync(() => {
        const isOwn = (row: {
          readonly organizationId: string
          readonly environment: Environment
        }): boolean => row.organizationId === organizationId && row.environment === environment
        const own = new Set(
          sites
            .all()
            .filter(isDeliverySite)
            .filter(isOwn)
            .map(({ siteId }) => siteId),
        )
        return {
          hasQuote: quotes.all().some(({ siteId }) => own.has(siteId)),
          hasCompleted: rows.all().some((row) => isOwn(row) && row.status === "COMPLETED"),
        }
      }),
  }
}

/** Cost of the fix queries: linear in the fixes of one vehicle or delivery; constant for a vehicle's last fix. */
function layerVehicleRows(store: MemoryStore): Layer.Layer<VehicleRows> {
  const vehicles = store.table<VehicleRow>("vehicles")
  const byFleet = vehicles.indexBy(({ fleetId }) => fleetId)
  const pools = new MemoryVehiclePool(store)
  const byId = (found: Iterable<VehicleRow>): readonly VehicleRow[] =>
    [...found].toSorted((one, other) => (one.vehicleId < other.vehicleId ? -1 : 1))
  return Layer.succeed(VehicleRows, {
    ...fixesOver(store),
    insert: (vehicle) => Effect.sync(() => vehicles.put(vehicle.vehicleId, vehicle)),
    change: (id, change) =>
      Effect.sync(() => {
        const vehicle = vehicles.get(id)
        if (vehicle !== null) vehicles.put(id, { ...vehicle, ...change })
      }),
    byId: (id) => Effect.sync(() => vehicles.get(id)),
    ofFleet: (fleetId) => Effect.sync(() => byId(byFleet.rowsOf(fleetId))),
    pool: (fleetId, asked) => Effect.sync(() => pools.pool(fleetId, asked)),
    synthetic: (environment, limit) =>
      Effect.sync(() =>
        byId(vehicles.all().filter((one) => one.environment === environment && one.isSynthetic)).slice(
          0,
          limit,
        ),
      ),
  })
}

function fixesOver(
  store: MemoryStore,
): Pick<VehicleRows["Type"], "firstFixSince" | "hasFix" | "insertFix" | "lastFix" | "purgeFixes"> {
  const fixes = store.table<FixRow>("fixes")
  const lastFixes = store.table<FixRow>("last-fixes")
  const byVehicle = fixes.indexBy(({ vehicleId }) => vehicleId)
  const byDelivery = fixes.indexBy(deliveryOf)
  // A vehicle's fixes grow during the day, so queries that every fix makes use an index by minute.
  const byMinute = fixes.indexBy(({ vehicleId, recordedAtMs }) => `${vehicleId}/${minuteOf(recordedAtMs)}`)
  const counters = store.table<number>("counters")
  const latest = (found: Iterable<FixRow>): FixRow | null => {
    let last: FixRow | null = null
    for (const fix of found) if (last === null || !isBefore(fix, last)) last = fix
    return last
  }
  return {
    insertFix: (fix) =>
      Effect.sync(() => {
        const number = (counters.get("fixes") ?? 0) + 1
        counters.put("fixes", number)
        fixes.put(String(number), fix)
        const last = lastFixes.get(fix.vehicleId)
        if (last === null || !isBefore(fix, last)) lastFixes.put(fix.vehicleId, fix)
      }),
    purgeFixes: ({ beforeMs, limit }) =>
      Effect.sync(() => {
        const old = fixes
          .entries()
          .filter(([, fix]) => fix.receivedAtMs <= beforeMs)
          .slice(0, limit)
        for (const [key, fix] of old) {
          fixes.delete(key)
          const left = latest(byVehicle.rowsOf(fix.vehicleId))
          if (left === null) lastFixes.delete(fix.vehicleId)
          else lastFixes.put(fix.vehicleId, left)
        }
        return old.length
      }),
    hasFix: ({ vehicleId, recordedAtMs, sequence }) =>
      Effect.sync(() => {
        for (const fix of byMinute.rowsOf(`${vehicleId}/${minuteOf(recordedAtMs)}`)) {
          if (fix.recordedAtMs !== recordedAtMs) continue
          if (sequence === null || fix.sequence === null || fix.sequence === sequence) return true
        }
        return false
      }),
    lastFix: (of) =>
      Effect.sync(() =>
        "vehicleId" in of ? lastFixes.get(of.vehicleId) : latest(byDelivery.rowsOf(of.deliveryId)),
      ),
    firstFixSince: (vehicleId, sinceMs) =>
      Effect.sync(() => {
        const lastMs = lastFixes.get(vehicleId)?.recordedAtMs ?? Number.NEGATIVE_INFINITY
        for (let atMs = sinceMs; minuteOf(atMs) <= minuteOf(lastMs); atMs += MINUTE_MS) {
          let first: FixRow | null = null
          for (const fix of byMinute.rowsOf(`${vehicleId}/${minuteOf(atMs)}`)) {
            if (fix.recordedAtMs >= sinceMs && (first === null || fix.recordedAtMs < first.recordedAtMs))
              first = fix
          }
          if (first !== null) return first
        }
        return null
      }),
  }
}

function deliveryOf({ deliveryId }: FixRow): string | null {
  return deliveryId
}

function minuteOf(atMs: number): number {
  return Math.floor(atMs / MINUTE_MS)
}

function keyOf(owner: string, name: string): string {
  return `${owner}/${name}`
}

function isOf(row: DeliveryRow, owner: DeliveryOwner): boolean {
  return "siteId" in owner
    ? row.siteId === owner.siteId
    : row.organizationId === owner.organizationId && row.environment === owner.environment
}

function matches(row: DeliveryRow, query: DeliveryQuery): boolean {
  return (
    isOf(row, query.of) &&
    (query.statuses === null || query.statuses.includes(row.status)) &&
    (query.createdAfterMs === null || row.createdAtMs > query.createdAfterMs) &&
    (query.createdBeforeMs === null || row.createdAtMs < query.createdBeforeMs) &&
    (query.beforeNumber === null || row.number < query.beforeNumber)
  )
}
