/** The services' repositories in memory: tables of one MemoryStore, staged with its transactions. */

import { Effect, Layer } from "effect"
import { idOf } from "../model/address.ts"
import { Catalog } from "../services/catalog/catalog.ts"
import type { BookableZone, CatalogScope, DiscoveredSite } from "../services/catalog/catalog.ts"
import type { EpochMs } from "../model/time.ts"
import { BLANK_PHONE, BLANK_TEXT } from "../services/retention/blanks.ts"
import { ReservationRows } from "../services/reservations/rows.ts"
import type {
  BotReportRow,
  Occupation,
  OpenTaskQuery,
  ReservationQuery,
  ReservationRow,
} from "../services/reservations/rows.ts"
import type { PurgeOrder } from "../services/retention/retention.ts"
import { newestRows } from "./memory-store.ts"
import type { MemoryStore, MemoryTable, RowsBy } from "./memory-store.ts"

/** A site of a simulated world with everything on it. */
export interface WorldSite {
  readonly site_id: string
  readonly name: string
  readonly timezone: string | null
  readonly zones: readonly WorldZone[]
}

export interface WorldZone {
  readonly zone_id: string
  readonly name: string
  readonly latitude: number | null
  readonly longitude: number | null
  readonly hasRunner: boolean
  readonly stalls: readonly {
    readonly stall_id: string
    readonly label: string | null
    readonly isActive: boolean
  }[]
  readonly retailers: readonly {
    readonly retailer_id: string
    readonly name: string
    readonly logo_url: string | null
    readonly support_phone: string | null
    readonly pickup_requirements: string | null
    /** False: the zone supports the retailer, but the organization has no grant. */
    readonly isGranted: boolean
  }[]
}

/** The catalog of one organization over a fixed world. */
export function layerMemoryCatalog(sites: readonly WorldSite[]): Layer.Layer<Catalog> {
  return Layer.succeed(Catalog, {
    zone: (_: CatalogScope, zoneId) => Effect.sync(() => bookable(sites, zoneId)),
    discover: () => Effect.sync(() => discovered(sites)),
  })
}

function bookable(sites: readonly WorldSite[], zoneId: string): BookableZone | null {
  for (const site of sites) {
    const zone = site.zones.find((one) => one.zone_id === zoneId)
    if (zone === undefined) continue
    const retailerIds = zone.retailers.filter((one) => one.isGranted).map((one) => one.retailer_id)
    if (retailerIds.length === 0) return null
    const stalls = zone.stalls.map(({ stall_id, label, isActive }) => ({
      stallId: stall_id,
      zoneId,
      label,
      isActive,
    }))
    return { zoneId, siteId: site.site_id, hasRunner: zone.hasRunner, stalls, retailerIds }
  }
  return null
}

function discovered(sites: readonly WorldSite[]): readonly DiscoveredSite[] {
  return byName(sites)
    .map((site) => ({
      site_id: site.site_id,
      name: site.name,
      timezone: site.timezone,
      zones: byName(site.zones)
        .map((zone) => ({
          zone_id: zone.zone_id,
          name: zone.name,
          latitude: zone.latitude,
          longitude: zone.longitude,
          retailers: byName(zone.retailers.filter((one) => one.isGranted)).map(
            ({ isGranted: _, ...retailer }) => retailer,
          ),
        }))
        .filter((zone) => zone.retailers.length > 0),
    }))
    .filter((site) => site.zones.length > 0)
}

function byName<One extends { readonly name: string }>(items: readonly One[]): readonly One[] {
  return items.toSorted((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)))
}

/** Cost of `loads`: linear in the open reservations of the zone. */
export function layerMemoryReservationRows(store: MemoryStore): Layer.Layer<ReservationRows> {
  const rows = store.table<ReservationRow>("reservations")
  const byKey = store.table<string>("reservation-keys")
  const openByZone = rows.indexBy((row) => (isOpen(row) ? row.zoneId : null))
  const reports = store.table<BotReportRow>("bot-reports")
  const reportsOf = reports.indexBy(({ reservationId }) => reservationId)
  const openLinks = store.table<string>("open-link-bodies")
  const openLinksOf = openLinks.indexBy((_, actor) => idOf(actor))
  const endings = store.table<Ending>("reservation-endings")
  const counters = store.table<number>("counters")
  const put = (row: ReservationRow): void => rows.put(row.reservationId, row)
  return Layer.succeed(ReservationRows, {
    insert: (row) =>
      Effect.sync(() => {
        const number = next(counters, "reservations")
        put({ ...row, number })
        if (row.idempotencyKey !== null)
          byKey.put(keyOf({ ...row, key: row.idempotencyKey }), row.reservationId)
      }),
    change: (id, change) =>
      Effect.sync(() => {
        const row = rows.get(id)
        if (row !== null) put({ ...row, ...change })
      }),
    byId: (id) => Effect.sync(() => rows.get(id)),
    byKey: (scope) =>
      Effect.sync(() => {
        const id = byKey.get(keyOf(scope))
        return id === null ? null : rows.get(id)
      }),
    list: (query) =>
      Effect.sync(() =>
        newestRows(rows.all(), { limit: query.limit, isWanted: (row) => matches(row, query) }),
      ),
    openTasks: (query) => Effect.sync(() => openTasks(rows.all(), query)),
    loads: (occupation) =>
      Effect.sync(() => {
        const loads = new Map<string, number>()
        for (const row of openByZone.rowsOf(occupation.zoneId)) {
          if (overlaps(row, occupation)) loads.set(row.stallId, (loads.get(row.stallId) ?? 0) + 1)
        }
        return loads
      }),
    addReport: (report) =>
      Effect.sync(() => reports.put(`${report.reservationId}/${next(counters, "bot-reports")}`, report)),
    reports: (id) => Effect.sync(() => reports.all().filter((report) => report.reservationId === id)),
    freezeOpenLink: (actor, body) => Effect.sync(() => openLinks.put(actor, body)),
    openLinkBody: (actor) => Effect.sync(() => openLinks.get(actor)),
    ...memoryEndings({ endings, rows, reports, reportsOf, openLinks, openLinksOf, put }),
    forget: (id) =>
      Effect.sync(() => {
        endings.delete(id)
        const row = rows.get(id)
        if (row !== null && row.idempotencyKey !== null)
          byKey.delete(keyOf({ ...row, key: row.idempotencyKey }))
        rows.delete(id)
        for (const report of reportsOf.keysOf(id)) reports.delete(report)
        for (const actor of openLinksOf.keysOf(id)) openLinks.delete(actor)
      }),
  })
}

interface EndingTables {
  readonly endings: MemoryTable<Ending>
  readonly rows: MemoryTable<ReservationRow>
  readonly reports: MemoryTable<BotReportRow>
  readonly reportsOf: RowsBy<BotReportRow>
  readonly openLinks: MemoryTable<string>
  readonly openLinksOf: RowsBy<string>
  readonly put: (row: ReservationRow) => void
}

function memoryEndings({
  endings,
  rows,
  reports,
  reportsOf,
  openLinks,
  openLinksOf,
  put,
}: EndingTables): Pick<ReservationRows["Type"], "noteEnd" | "blankEnded" | "purgeOpenLinks"> {
  const dropOpenLinks = (id: string): void => {
    for (const actor of openLinksOf.keysOf(id)) openLinks.delete(actor)
  }
  const blank = (id: string): void => {
    const row = rows.get(id)
    if (row !== null) put(blanked(row))
    for (const key of reportsOf.keysOf(id)) {
      const report = reports.get(key)
      if (report !== null && report.reason !== null) reports.put(key, { ...report, reason: BLANK_TEXT })
    }
    dropOpenLinks(id)
    endings.delete(id)
  }
  return {
    noteEnd: (id, endedAtMs) =>
      Effect.sync(() => {
        if (endings.get(id) === null) endings.put(id, { endedAtMs, openLinksPurged: false })
      }),
    blankEnded: (order) =>
      Effect.sync(() => {
        const ended = oldestEnded(endings, order, () => true)
        for (const id of ended) blank(id)
        return ended.length
      }),
    purgeOpenLinks: (order) =>
      Effect.sync(() => {
        const ended = oldestEnded(endings, order, ({ openLinksPurged }) => !openLinksPurged)
        for (const id of ended) {
          dropOpenLinks(id)
          endings.put(id, { endedAtMs: endings.get(id)?.endedAtMs ?? 0, openLinksPurged: true })
        }
        return ended.length
      }),
  }
}

type Ending = { readonly endedAtMs: EpochMs; readonly openLinksPurged: boolean }

function oldestEnded(
  endings: MemoryTable<Ending>,
  { beforeMs, limit }: PurgeOrder,
  isWanted: (ending: Ending) => boolean,
): readonly string[] {
  return endings
    .entries()
    .filter(([, ending]) => ending.endedAtMs <= beforeMs && isWanted(ending))
    .toSorted(([, a], [, b]) => a.endedAtMs - b.endedAtMs)
    .slice(0, limit)
    .map(([id]) => id)
}

function blanked(row: ReservationRow): ReservationRow {
  return {
    ...row,
    endUserName: BLANK_TEXT,
    endUserPhone: BLANK_PHONE,
    cancelReason: row.cancelReason === null ? null : BLANK_TEXT,
    exceptionMessages: {},
  }
}

function isOpen(row: ReservationRow): boolean {
  return row.status !== "completed" && row.status !== "canceled"
}

function overlaps(row: ReservationRow, { environment, zoneId, startsAtMs, endsAtMs }: Occupation): boolean {
  return (
    row.environment === environment &&
    row.zoneId === zoneId &&
    row.startsAtMs < endsAtMs &&
    row.endsAtMs > startsAtMs
  )
}

function matches(row: ReservationRow, query: ReservationQuery): boolean {
  return (
    row.organizationId === query.organizationId &&
    row.environment === query.environment &&
    (query.statuses === null || query.statuses.includes(row.status)) &&
    (query.zoneId === null || row.zoneId === query.zoneId) &&
    (query.retailerId === null || row.retailerId === query.retailerId) &&
    (query.orderNumber === null || row.orderNumber === query.orderNumber) &&
    (query.arrivalFromMs === null || row.startsAtMs >= query.arrivalFromMs) &&
    (query.arrivalToMs === null || row.startsAtMs < query.arrivalToMs) &&
    (query.beforeNumber === null || row.number < query.beforeNumber)
  )
}

function openTasks(rows: readonly ReservationRow[], query: OpenTaskQuery): readonly ReservationRow[] {
  return rows
    .flatMap((row) => openTaskOf(row, query))
    .toSorted((a, b) => a.stagingAtMs - b.stagingAtMs || a.row.number - b.row.number)
    .slice(0, query.limit)
    .map(({ row }) => row)
}

/** The row with its staging time, if it has an open task that matches the query. */
function openTaskOf(
  row: ReservationRow,
  { environment, zoneIds, after }: OpenTaskQuery,
): readonly { readonly row: ReservationRow; readonly stagingAtMs: number }[] {
  const { taskStagingAtMs: stagingAtMs, number } = row
  if (stagingAtMs === null || row.environment !== environment || !zoneIds.includes(row.zoneId)) return []
  const isBehind =
    after === null ||
    stagingAtMs > after.stagingAtMs ||
    (stagingAtMs === after.stagingAtMs && number > after.number)
  return isBehind ? [{ row, stagingAtMs }] : []
}

function keyOf(scope: {
  readonly organizationId: string
  readonly environment: string
  readonly key: string
}): string {
  return `${scope.environment}/${scope.organizationId}/${scope.key}`
}

function next(
  counters: { get: (key: string) => number | null; put: (key: string, row: number) => void },
  name: string,
): number {
  const number = (counters.get(name) ?? 0) + 1
  counters.put(name, number)
  return number
}
