/** Direct delivery's repositories in memory: tables of one MemoryStore, staged with its transactions. */

import { Effect, Layer } from "effect"
import { isFinal } from "../model/delivery.ts"
import { DeliveryRows, DeliverySites, OptOutRows, VehicleRows } from "../services/direct-delivery/rows.ts"
import type {
  DeliveryQuery,
  DeliveryRow,
  DeliverySite,
  FixRow,
  OptOutScope,
  QuoteRow,
  VehicleRow,
} from "../services/direct-delivery/rows.ts"
import { Notices } from "../services/webhooks/notices.ts"
import type { Notice } from "../services/webhooks/notices.ts"
import type { MemoryStore } from "./memory-store.ts"

/** Every port of direct delivery over one store. */
export function layerMemoryDeliveries(
  store: MemoryStore,
): Layer.Layer<DeliveryRows | DeliverySites | Notices | OptOutRows | VehicleRows> {
  return Layer.mergeAll(
    layerSites(store),
    layerDeliveryRows(store),
    layerVehicleRows(store),
    layerOptOutRows(store),
    layerNotices(store),
  )
}

/** Rows that a simulated world is given. */
export function putSite(store: MemoryStore, site: DeliverySite): void {
  store.table<DeliverySite>("delivery-sites").put(site.siteId, site)
}

function layerSites(store: MemoryStore): Layer.Layer<DeliverySites> {
  const sites = store.table<DeliverySite>("delivery-sites")
  return Layer.succeed(DeliverySites, { byId: (id) => Effect.sync(() => sites.get(id)) })
}

/** Cost of `runs`: linear in the open deliveries of the run. */
function layerDeliveryRows(store: MemoryStore): Layer.Layer<DeliveryRows> {
  const quotes = store.table<QuoteRow>("quotes")
  const rows = store.table<DeliveryRow>("deliveries")
  const byExternalId = store.table<string>("delivery-external-ids")
  const open = store.table<true>("open-deliveries")
  const counters = store.table<number>("counters")
  const put = (row: DeliveryRow): void => {
    rows.put(row.deliveryId, row)
    if (isFinal(row.status)) open.delete(row.deliveryId)
    else open.put(row.deliveryId, true)
  }
  return Layer.succeed(DeliveryRows, {
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
        rows
          .all()
          .filter((row) => matches(row, query))
          .toSorted((a, b) => b.number - a.number)
          .slice(0, query.limit),
      ),
    runs: (fleetId) =>
      Effect.sync(() => {
        const runs = new Map<string, number>()
        for (const id of open.keys()) {
          const row = rows.get(id)
          if (row?.fleetId === fleetId) runs.set(row.vehicleId, (runs.get(row.vehicleId) ?? 0) + 1)
        }
        return runs
      }),
    forget: (id) =>
      Effect.sync(() => {
        const row = rows.get(id)
        if (row === null) return
        rows.delete(id)
        open.delete(id)
        byExternalId.delete(keyOf(row.siteId, row.externalDeliveryId))
        quotes.delete(keyOf(row.siteId, row.externalDeliveryId))
      }),
  })
}

/** Cost of the fix queries: linear in the fixes of the run. */
function layerVehicleRows(store: MemoryStore): Layer.Layer<VehicleRows> {
  const vehicles = store.table<VehicleRow>("vehicles")
  const fixes = store.table<FixRow>("fixes")
  const inOrder = (isWanted: (fix: FixRow) => boolean): readonly FixRow[] =>
    fixes
      .all()
      .filter(isWanted)
      .toSorted((one, other) => one.recordedAtMs - other.recordedAtMs)
  return Layer.succeed(VehicleRows, {
    insert: (vehicle) => Effect.sync(() => vehicles.put(vehicle.vehicleId, vehicle)),
    change: (id, change) =>
      Effect.sync(() => {
        const vehicle = vehicles.get(id)
        if (vehicle !== null) vehicles.put(id, { ...vehicle, ...change })
      }),
    byId: (id) => Effect.sync(() => vehicles.get(id)),
    ofFleet: (fleetId) =>
      Effect.sync(() =>
        vehicles
          .all()
          .filter((vehicle) => vehicle.fleetId === fleetId)
          .toSorted((one, other) => (one.vehicleId < other.vehicleId ? -1 : 1)),
      ),
    insertFix: (fix) => Effect.sync(() => fixes.put(String(fixes.size), fix)),
    hasFix: (vehicleId, recordedAtMs) =>
      Effect.sync(
        () => inOrder((fix) => fix.vehicleId === vehicleId && fix.recordedAtMs === recordedAtMs).length > 0,
      ),
    lastFix: (of) =>
      Effect.sync(
        () =>
          inOrder((fix) =>
            "vehicleId" in of ? fix.vehicleId === of.vehicleId : fix.deliveryId === of.deliveryId,
          ).at(-1) ?? null,
      ),
    firstFixSince: (vehicleId, sinceMs) =>
      Effect.sync(
        () => inOrder((fix) => fix.vehicleId === vehicleId && fix.recordedAtMs >= sinceMs)[0] ?? null,
      ),
  })
}

function layerOptOutRows(store: MemoryStore): Layer.Layer<OptOutRows> {
  const optOuts = store.table<true>("opt-outs")
  const keyFor = ({ environment, organizationId }: OptOutScope, digest: string): string =>
    `${environment}/${organizationId ?? ""}/${digest}`
  return Layer.succeed(OptOutRows, {
    put: (scope, digest) => Effect.sync(() => optOuts.put(keyFor(scope, digest), true)),
    remove: (scope, digest) => Effect.sync(() => optOuts.delete(keyFor(scope, digest))),
    has: (scope, digest) => Effect.sync(() => optOuts.get(keyFor(scope, digest)) !== null),
  })
}

function layerNotices(store: MemoryStore): Layer.Layer<Notices> {
  const notices = store.table<Notice>("notices")
  return Layer.succeed(Notices, {
    add: (notice) => Effect.sync(() => notices.put(notice.noticeId, notice)),
    list: ({ organizationId, environment }) =>
      Effect.sync(() =>
        notices
          .all()
          .filter((one) => one.organizationId === organizationId && one.environment === environment),
      ),
  })
}

function keyOf(siteId: string, externalDeliveryId: string): string {
  return `${siteId}/${externalDeliveryId}`
}

function matches(row: DeliveryRow, query: DeliveryQuery): boolean {
  return (
    row.siteId === query.siteId &&
    (query.statuses === null || query.statuses.includes(row.status)) &&
    (query.createdAfterMs === null || row.createdAtMs > query.createdAfterMs) &&
    (query.createdBeforeMs === null || row.createdAtMs < query.createdBeforeMs) &&
    (query.beforeNumber === null || row.number < query.beforeNumber)
  )
}
