/** Charges over SQL: sums are made where the rows are. */

import { and, eq, gte, inArray, lt, sql } from "drizzle-orm"
import type { SQL } from "drizzle-orm"
import { Effect, Layer } from "effect"
import { ChargeRows, chargeRowsOver, chargeTable } from "../charges.ts"
import type { ChargeReads, ChargeSpan } from "../charges.ts"
import { Database } from "../../../engine/store/database.ts"
import { declaredTable } from "../../../engine/store/declared-table.ts"
import { tablesOver } from "../../../engine/store/sql-tables.ts"
import { sqlOver } from "../../../engine/store/transaction.ts"
import type { Sql } from "../../../engine/store/transaction.ts"
import { Routine } from "../../../engine/services/routine.ts"

const charges = declaredTable(chargeTable)

export const layerChargeRows: Layer.Layer<ChargeRows, never, Database> = Layer.effect(
  ChargeRows,
  Effect.map(Database, (database) =>
    chargeRowsOver(tablesOver(database).of(chargeTable), chargeReads(sqlOver(database))),
  ),
)

function chargeReads({ read }: Sql): ChargeReads {
  const at = charges.completedAtMs
  return {
    ends: (span) =>
      Routine.map(
        read("reading the ends of charges", (orm) =>
          orm
            .select({
              firstMs: sql`min(${at})`.mapWith(charges.completedAtMs),
              lastMs: sql`max(${at})`.mapWith(charges.completedAtMs),
              count: sql`count(*)`.mapWith(Number),
            })
            .from(charges)
            .where(within(span)),
        ),
        ([row]) =>
          row === undefined || row.count === 0 ? null : { firstMs: row.firstMs, lastMs: row.lastMs },
      ),
    sums: (span, cuts) =>
      read("summing charges", (orm) =>
        orm
          .select({
            part: sql`width_bucket(${at}, ${`{${cuts.join(",")}}`}::bigint[]) - 1`.mapWith(Number),
            siteId: charges.siteId,
            currency: charges.currency,
            count: sql`count(*)`.mapWith(Number),
            feeCents: sql`sum(${charges.feeCents})`.mapWith(Number),
          })
          .from(charges)
          .where(within(span))
          .groupBy(sql`1`, charges.siteId, charges.currency),
      ),
  }
}

function within({ organizationId, siteIds, fromMs, untilMs }: ChargeSpan): SQL | undefined {
  return and(
    organizationId === null ? undefined : eq(charges.organizationId, organizationId),
    siteIds === null ? undefined : inArray(charges.siteId, [...siteIds]),
    fromMs === null ? undefined : gte(charges.completedAtMs, fromMs),
    untilMs === null ? undefined : lt(charges.completedAtMs, untilMs),
  )
}
