/** Reservation rows over SQL. */

import { and, asc, desc, eq, gt, gte, inArray, lt, sql } from "drizzle-orm"
import { Effect, Layer } from "effect"
import { ReservationRows } from "../services/reservations/rows.ts"
import type { Occupation, ReservationQuery } from "../services/reservations/rows.ts"
import { Database } from "./database.ts"
import type { Orm } from "./database.ts"
import { botReports, openLinkBodies, reservations } from "./schema.ts"
import { sqlOver } from "./transaction.ts"
import type { Sql } from "./transaction.ts"

export const layerReservationRows: Layer.Layer<ReservationRows, never, Database> = Layer.effect(
  ReservationRows,
  Effect.map(Database, (database) => {
    const sqlHere = sqlOver(database)
    return { ...reads(sqlHere), ...writes(sqlHere) }
  }),
)

type Writes = Pick<ReservationRows["Type"], "insert" | "change" | "addReport" | "freezeOpenLink" | "forget">

function writes({ write }: Sql): Writes {
  return {
    insert: (row) => write("inserting a reservation", (orm) => orm.insert(reservations).values(row)),
    change: (id, change) =>
      write("changing a reservation", (orm) =>
        orm.update(reservations).set(change).where(eq(reservations.reservationId, id)),
      ),
    addReport: (report) => write("adding a bot report", (orm) => orm.insert(botReports).values(report)),
    freezeOpenLink: (actor, body) =>
      write("keeping an open link's body", (orm) =>
        orm.insert(openLinkBodies).values({ actor, reservationId: reservationOf(actor), body }),
      ),
    forget: (id) =>
      write("forgetting a reservation", async (orm) => {
        await orm.delete(reservations).where(eq(reservations.reservationId, id))
        await orm.delete(botReports).where(eq(botReports.reservationId, id))
        await orm.delete(openLinkBodies).where(eq(openLinkBodies.reservationId, id))
      }),
  }
}

function reads({ read }: Sql): Omit<ReservationRows["Type"], keyof Writes> {
  return {
    byId: (id) =>
      Effect.map(
        read("reading a reservation", (orm) =>
          orm.select().from(reservations).where(eq(reservations.reservationId, id)),
        ),
        ([row]) => row ?? null,
      ),
    byKey: (scope) =>
      Effect.map(
        read("looking for an idempotency key", (orm) => withKey(orm, scope)),
        ([row]) => row ?? null,
      ),
    list: (query) => read("listing reservations", (orm) => listed(orm, query)),
    loads: (occupation) =>
      Effect.map(
        read("counting loads", (orm) => counted(orm, occupation)),
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
function counted(orm: Orm, { environment, zoneId, startsAtMs, endsAtMs }: Occupation) {
  return orm
    .select({ stallId: reservations.stallId, open: sql<number>`count(*)::int` })
    .from(reservations)
    .where(
      and(
        eq(reservations.environment, environment),
        eq(reservations.zoneId, zoneId),
        // Written out, not parameters: so the partial index of open reservations serves prepared plans too.
        sql`${reservations.status} not in ('completed', 'canceled')`,
        lt(reservations.startsAtMs, endsAtMs),
        gt(reservations.endsAtMs, startsAtMs),
      ),
    )
    .groupBy(reservations.stallId)
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

/** `reservation/id/part` → `id`. */
function reservationOf(actor: string): string {
  return actor.split("/")[1] ?? ""
}
