/** Reservation rows in memory. */

import { Effect, Layer } from "effect"
import { idOf } from "../model/address.ts"
import type { EpochMs } from "../model/time.ts"
import { BLANK_PHONE, BLANK_TEXT } from "../services/retention/blanks.ts"
import { ReservationRows } from "../areas/reservations/rows.ts"
import type {
  BotReportRow,
  Occupation,
  OpenTaskQuery,
  ReservationQuery,
  ReservationRow,
} from "../areas/reservations/rows.ts"
import type { PurgeOrder } from "../services/retention/retention.ts"
import { newestRows } from "./memory-store.ts"
import type { MemoryStore, MemoryTable, RowsBy } from "./memory-store.ts"

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
