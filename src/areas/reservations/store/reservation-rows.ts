/** Reservation rows over SQL. */

import { and, asc, desc, eq, gt, gte, inArray, isNotNull, lt, lte, sql } from "drizzle-orm"
import type { SQL } from "drizzle-orm"
import { Effect, Layer, Option } from "effect"
import { BLANK_PHONE, BLANK_TEXT } from "../../../services/retention/blanks.ts"
import { ReservationRows } from "../rows.ts"
import type { OpenTaskQuery, ReservationQuery, ReservationRow } from "../rows.ts"
import type { PurgeOrder } from "../../../services/retention/retention.ts"
import { Database } from "../../../store/database.ts"
import type { Orm } from "../../../store/database.ts"
import { botReports, openLinkBodies, reservationEndings, reservations } from "../../../store/schema.ts"
import {
  Prefetched,
  SqlTransaction,
  openTransaction,
  sqlOver,
  writeDeferred,
  bufferWrite,
} from "../../../store/transaction.ts"
import type { OpenTransaction, Sql } from "../../../store/transaction.ts"
import { placesOf, preparedQuery } from "../../../store/prepared-query.ts"

export const layerReservationRows: Layer.Layer<ReservationRows, never, Database> = Layer.effect(
  ReservationRows,
  Effect.map(Database, (database) => {
    const sqlHere = sqlOver(database)
    const queries = queriesOf(database)
    return { ...reads(sqlHere, queries), ...writes(sqlHere, queries), ...purges(sqlHere) }
  }),
)

type Writes = Pick<
  ReservationRows["Type"],
  "insert" | "change" | "addReport" | "freezeOpenLink" | "noteEnd" | "forget"
>
type Purges = Pick<ReservationRows["Type"], "blankEnded" | "purgeOpenLinks">

function purges({ writeReturning }: Sql): Purges {
  return {
    blankEnded: (order) =>
      writeReturning("blanking ended reservations", async (orm) => {
        const ids = await oldestEnded(orm, order, undefined)
        if (ids.length === 0) return 0
        await orm
          .update(reservations)
          .set({
            endUserName: BLANK_TEXT,
            endUserPhone: BLANK_PHONE,
            cancelReason: sql`case when ${reservations.cancelReason} is null then null else ${BLANK_TEXT} end`,
            exceptionMessages: {},
          })
          .where(inArray(reservations.reservationId, ids))
        await orm
          .update(botReports)
          .set({ reason: BLANK_TEXT })
          .where(and(inArray(botReports.reservationId, ids), isNotNull(botReports.reason)))
        await orm.delete(openLinkBodies).where(inArray(openLinkBodies.reservationId, ids))
        await orm.delete(reservationEndings).where(inArray(reservationEndings.reservationId, ids))
        return ids.length
      }),
    purgeOpenLinks: (order) =>
      writeReturning("purging open links", async (orm) => {
        const ids = await oldestEnded(orm, order, eq(reservationEndings.openLinksPurged, false))
        if (ids.length === 0) return 0
        await orm.delete(openLinkBodies).where(inArray(openLinkBodies.reservationId, ids))
        await orm
          .update(reservationEndings)
          .set({ openLinksPurged: true })
          .where(inArray(reservationEndings.reservationId, ids))
        return ids.length
      }),
  }
}

async function oldestEnded(
  orm: Orm,
  { beforeMs, limit }: PurgeOrder,
  besides: SQL | undefined,
): Promise<string[]> {
  const ended = await orm
    .select({ id: reservationEndings.reservationId })
    .from(reservationEndings)
    .where(and(lte(reservationEndings.endedAtMs, beforeMs), besides))
    .orderBy(asc(reservationEndings.endedAtMs))
    .limit(limit)
    .for("update", { skipLocked: true })
  return ended.map(({ id }) => id)
}
/**
 * A row in the open transaction. A command reads and changes its row several times; the database gets one write, at the
 * end or before a query whose answer may contain the row.
 */
interface HeldRow {
  row: ReservationRow
  /** True before its insert. The database assigns its `number`. */
  isNew: boolean
  change: Partial<ReservationRow>
}

const heldByTransaction = new WeakMap<OpenTransaction, Map<string, HeldRow>>()

function heldIn(open: OpenTransaction): Map<string, HeldRow> {
  const known = heldByTransaction.get(open)
  if (known !== undefined) return known
  const held = new Map<string, HeldRow>()
  heldByTransaction.set(open, held)
  return held
}

/**
 * Keeps a row that was read under its group's lock. If one is kept already, it stays, because it may have been changed.
 */
export function holdRow(open: OpenTransaction, row: ReservationRow): void {
  const held = heldIn(open)
  if (!held.has(row.reservationId)) held.set(row.reservationId, { row, isNew: false, change: {} })
}

/** Defers the writes of kept rows. */
function writeLater(open: OpenTransaction, held: HeldRow, insertion: RowQueries["insertion"]): void {
  open.deferred.add(() => {
    const { row, isNew, change } = held
    if (isNew) {
      bufferWrite(open, "inserting a reservation", (orm) => insertion(orm).execute({ ...row }))
    } else if (Object.keys(change).length > 0) {
      bufferWrite(open, "changing a reservation", (orm) =>
        orm.update(reservations).set(change).where(eq(reservations.reservationId, row.reservationId)),
      )
    }
    held.isNew = false
    held.change = {}
  })
}

type RowQueries = ReturnType<typeof queriesOf>

function queriesOf(database: Database["Type"]) {
  return {
    insertion: preparedQuery(database, (orm) =>
      orm.insert(reservations).values(placesOf(reservations, "number")).prepare("reservation"),
    ),
    report: preparedQuery(database, (orm) =>
      orm.insert(botReports).values(placesOf(botReports, "id")).prepare("report"),
    ),
    byId: preparedQuery(database, (orm) =>
      orm
        .select()
        .from(reservations)
        .where(eq(reservations.reservationId, sql.placeholder("id")))
        .prepare("by id"),
    ),
    loads: preparedQuery(database, counted),
  }
}

function writes({ write, writeReturning }: Sql, { insertion, report: reportInsert }: RowQueries): Writes {
  return {
    insert: (row) =>
      Effect.flatMap(openTransaction("inserting a reservation"), (open) =>
        Effect.sync(() => {
          const held: HeldRow = { row: { ...row, number: 0 }, isNew: true, change: {} }
          heldIn(open).set(row.reservationId, held)
          writeLater(open, held, insertion)
        }),
      ),
    change: (id, change) =>
      Effect.flatMap(openTransaction("changing a reservation"), (open) => {
        const held = heldIn(open).get(id)
        if (held === undefined) {
          return write("changing a reservation", (orm) =>
            orm.update(reservations).set(change).where(eq(reservations.reservationId, id)),
          )
        }
        return Effect.sync(() => {
          const { row } = held
          const news = Object.entries(change).filter(
            ([name, value]) => row[name as keyof ReservationRow] !== value,
          )
          if (news.length === 0) return
          const isBuffered = held.isNew || Object.keys(held.change).length > 0
          held.row = { ...row, ...Object.fromEntries(news) }
          held.change = { ...held.change, ...Object.fromEntries(news) }
          if (!isBuffered) writeLater(open, held, insertion)
        })
      }),
    addReport: (report) => write("adding a bot report", (orm) => reportInsert(orm).execute({ ...report })),
    freezeOpenLink: (actor, body) =>
      write("keeping an open link's body", (orm) =>
        orm.insert(openLinkBodies).values({ actor, reservationId: reservationOf(actor), body }),
      ),
    noteEnd: (reservationId, endedAtMs) =>
      write("noting a reservation's end", (orm) =>
        orm.insert(reservationEndings).values({ reservationId, endedAtMs }).onConflictDoNothing(),
      ),
    forget: (id) =>
      writeReturning("forgetting a reservation", async (orm) => {
        await orm.delete(reservations).where(eq(reservations.reservationId, id))
        await orm.delete(reservationEndings).where(eq(reservationEndings.reservationId, id))
        await orm.delete(botReports).where(eq(botReports.reservationId, id))
        await orm.delete(openLinkBodies).where(eq(openLinkBodies.reservationId, id))
      }),
  }
}

function reads(
  { read }: Sql,
  { byId, loads }: RowQueries,
): Omit<ReservationRows["Type"], keyof Writes | keyof Purges> {
  const found = (id: string): Effect.Effect<ReservationRow | null> =>
    Effect.map(
      read("reading a reservation", (orm) => byId(orm).execute({ id })),
      ([row]) => row ?? null,
    )
  const foundOrPrefetched = (id: string): Effect.Effect<ReservationRow | null> =>
    Effect.flatMap(Effect.serviceOption(Prefetched), (prefetched) => {
      const row = Option.isSome(prefetched) ? prefetched.value.rows.get("reservations")?.get(id) : undefined
      return row === undefined ? found(id) : Effect.succeed(row as ReservationRow | null)
    })
  /** A search may match rows that the open transaction keeps. */
  const searching: Sql["read"] = (doing, query) =>
    Effect.flatMap(Effect.serviceOption(SqlTransaction), (open) => {
      if (Option.isSome(open)) writeDeferred(open.value)
      return read(doing, query)
    })
  return {
    byId: (id) =>
      Effect.flatMap(Effect.serviceOption(SqlTransaction), (open) => {
        if (Option.isNone(open)) return foundOrPrefetched(id)
        const held = heldIn(open.value)
        const known = held.get(id)
        if (known !== undefined) return Effect.succeed(known.row)
        return Effect.tap(found(id), (row) => {
          if (row !== null) holdRow(open.value, row)
        })
      }),
    byKey: (scope) =>
      Effect.map(
        searching("looking for an idempotency key", (orm) => withKey(orm, scope)),
        ([row]) => row ?? null,
      ),
    list: (query) => searching("listing reservations", (orm) => listed(orm, query)),
    openTasks: (query) => searching("listing open runner tasks", (orm) => openTasks(orm, query)),
    loads: (occupation) =>
      Effect.map(
        searching("counting loads", (orm) => loads(orm).execute({ ...occupation })),
        (rows) => new Map(rows.map(({ stallId, open }) => [stallId, open])),
      ),
    reports: (id) =>
      Effect.map(
        read("reading bot reports", (orm) =>
          orm.select().from(botReports).where(eq(botReports.reservationId, id)).orderBy(asc(botReports.id)),
        ),
        (rows) => rows.map(({ id: _, ...report }) => report),
      ),
    openLinkBody: (actor) =>
      Effect.map(
        read("reading an open link's body", (orm) =>
          orm.select().from(openLinkBodies).where(eq(openLinkBodies.actor, actor)),
        ),
        ([row]) => row?.body ?? null,
      ),
  }
}

function withKey(orm: Orm, scope: Parameters<ReservationRows["Type"]["byKey"]>[0]) {
  return orm
    .select()
    .from(reservations)
    .where(
      and(
        eq(reservations.environment, scope.environment),
        eq(reservations.organizationId, scope.organizationId),
        eq(reservations.idempotencyKey, scope.key),
      ),
    )
}

/** Open reservations that overlap, by stall. */
function counted(orm: Orm) {
  return orm
    .select({ stallId: reservations.stallId, open: sql<number>`count(*)::int` })
    .from(reservations)
    .where(
      and(
        eq(reservations.environment, sql.placeholder("environment")),
        eq(reservations.zoneId, sql.placeholder("zoneId")),
        // Literals, not parameters, so that the partial index of open reservations serves prepared plans too.
        sql`${reservations.status} not in ('completed', 'canceled')`,
        lt(reservations.startsAtMs, sql.placeholder("endsAtMs")),
        gt(reservations.endsAtMs, sql.placeholder("startsAtMs")),
      ),
    )
    .groupBy(reservations.stallId)
    .prepare("loads")
}

function listed(orm: Orm, query: ReservationQuery) {
  const { statuses, zoneId, retailerId, orderNumber, arrivalFromMs, arrivalToMs, beforeNumber } = query
  return orm
    .select()
    .from(reservations)
    .where(
      and(
        eq(reservations.organizationId, query.organizationId),
        eq(reservations.environment, query.environment),
        statuses === null ? undefined : inArray(reservations.status, [...statuses]),
        zoneId === null ? undefined : eq(reservations.zoneId, zoneId),
        retailerId === null ? undefined : eq(reservations.retailerId, retailerId),
        orderNumber === null ? undefined : eq(reservations.orderNumber, orderNumber),
        arrivalFromMs === null ? undefined : gte(reservations.startsAtMs, arrivalFromMs),
        arrivalToMs === null ? undefined : lt(reservations.startsAtMs, arrivalToMs),
        beforeNumber === null ? undefined : lt(reservations.number, beforeNumber),
      ),
    )
    .orderBy(desc(reservations.number))
    .limit(query.limit)
}

function openTasks(orm: Orm, { environment, zoneIds, after, limit }: OpenTaskQuery) {
  const place = [reservations.taskStagingAtMs, reservations.number] as const
  return orm
    .select()
    .from(reservations)
    .where(
      and(
        eq(reservations.environment, environment),
        inArray(reservations.zoneId, [...zoneIds]),
        isNotNull(reservations.taskStagingAtMs),
        after === null
          ? undefined
          : sql`(${place[0]}, ${place[1]}) > (${after.stagingAtMs}::bigint, ${after.number}::bigint)`,
      ),
    )
    .orderBy(asc(place[0]), asc(place[1]))
    .limit(limit)
}

/** `reservation/id/part` → `id`. */
function reservationOf(actor: string): string {
  return actor.split("/")[1] ?? ""
}
