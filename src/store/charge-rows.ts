/** Charges over SQL. */

import { and, desc, eq, gte, lt } from "drizzle-orm"
import { bigint, bigserial, integer, pgTable, text } from "drizzle-orm/pg-core"
import { Effect, Layer } from "effect"
import { ChargeRows } from "../services/direct-delivery/charges.ts"
import { Database } from "./database.ts"
import { sqlOver } from "./transaction.ts"

const charges = pgTable("charges", {
  deliveryId: text().primaryKey(),
  number: bigserial({ mode: "number" }).notNull(),
  organizationId: text().notNull(),
  siteId: text().notNull(),
  externalDeliveryId: text().notNull(),
  feeCents: integer().notNull(),
  currency: text().notNull(),
  completedAtMs: bigint({ mode: "number" }).notNull(),
})

export const layerChargeRows: Layer.Layer<ChargeRows, never, Database> = Layer.effect(
  ChargeRows,
  Effect.map(Database, (database): ChargeRows["Type"] => {
    const { read, write } = sqlOver(database)
    return {
      insert: (charge) =>
        write("charging a delivery", (orm) => orm.insert(charges).values(charge).onConflictDoNothing()),
      byId: (id) =>
        Effect.map(
          read("reading a charge", (orm) => orm.select().from(charges).where(eq(charges.deliveryId, id))),
          ([row]) => row ?? null,
        ),
      list: ({ siteId, fromMs, untilMs, beforeNumber, limit }) =>
        read("listing charges", (orm) =>
          orm
            .select()
            .from(charges)
            .where(
              and(
                siteId === null ? undefined : eq(charges.siteId, siteId),
                fromMs === null ? undefined : gte(charges.completedAtMs, fromMs),
                untilMs === null ? undefined : lt(charges.completedAtMs, untilMs),
                beforeNumber === null ? undefined : lt(charges.number, beforeNumber),
              ),
            )
            .orderBy(desc(charges.number))
            .limit(limit),
        ),
      forget: (id) =>
        write("forgetting a charge", (orm) => orm.delete(charges).where(eq(charges.deliveryId, id))),
    }
  }),
)
