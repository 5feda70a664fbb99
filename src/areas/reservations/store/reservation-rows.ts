/** Reservation rows over SQL. */

import { and, gt, lt, sql } from "drizzle-orm"
import { Effect, Layer } from "effect"
import { Database } from "../../../engine/store/database.ts"
import { declaredTable } from "../../../engine/store/declared-table.ts"
import { oncePerDatabase, preparedQuery } from "../../../engine/store/prepared-query.ts"
import { tablesOver } from "../../../engine/store/sql-tables.ts"
import { sqlOver } from "../../../engine/store/transaction.ts"
import { reservationRowsOver } from "../reservation-repository.ts"
import { ReservationRows, reservations as declared } from "../rows.ts"
import { Routine } from "../../../engine/services/routine.ts"

const reservations = declaredTable(declared)

export const layerReservationRows: Layer.Layer<ReservationRows, never, Database> = Layer.effect(
  ReservationRows,
  Effect.map(Database, (database) => reservationRowsOver(tablesOver(database), loadsOver(database))),
)

const countingOn = oncePerDatabase((database) =>
  preparedQuery(database, (orm) =>
    orm
      .select({ stallId: reservations.stallId, open: sql<number>`count(*)::int` })
      .from(reservations)
      .where(
        and(
          sql`${reservations.environment} = ${sql.placeholder("environment")}`,
          sql`${reservations.zoneId} = ${sql.placeholder("zoneId")}`,
          // Literals, not parameters, so that the partial index of open reservations serves prepared plans too.
          sql`${reservations.status} not in ('completed', 'canceled')`,
          lt(reservations.startsAtMs, sql.placeholder("endsAtMs")),
          gt(reservations.endsAtMs, sql.placeholder("startsAtMs")),
        ),
      )
      .groupBy(reservations.stallId)
      .prepare("loads"),
  ),
)

/** Counts in the database, because rows are wide. */
function loadsOver(database: Database["Type"]): ReservationRows["Type"]["loads"] {
  const { read } = sqlOver(database)
  const counting = countingOn(database)
  return (occupation) =>
    Routine.map(
      read("counting loads", (orm) => counting(orm).execute({ ...occupation })),
      (rows) => new Map(rows.map(({ stallId, open }) => [stallId, open])),
    )
}
