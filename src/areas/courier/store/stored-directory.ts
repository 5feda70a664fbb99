/** The store directory over SQL. */

import { asc, eq, sql } from "drizzle-orm"
import { Effect, Layer } from "effect"
import { STORES_NEAR_MAX, STORE_DISTANCE_M_MAX } from "../../../model/values/limits.ts"
import {
  StoreDirectory,
  listed,
  nearListings,
  plainName,
  storeAmong,
  storeTable,
} from "../directory/store-directory.ts"
import type { Store } from "../directory/store-directory.ts"
import { isServedStore } from "../directory/served-stores.ts"
import { metresBetween } from "../../dispatch/geography.ts"
import { Database } from "../../../engine/store/database.ts"
import { declaredTable, shownColumns } from "../../../engine/store/declared-table.ts"
import { tablesOver } from "../../../engine/store/sql-tables.ts"
import { sqlOver } from "../../../engine/store/transaction.ts"
import { Routine } from "../../../engine/services/routine.ts"

/** Writes a store; replaces an existing one. Runs in any open SQL transaction. */
export function writeStore(store: Store): Routine<void, never, Database> {
  const writing = Routine.flatMap(Database, (database) =>
    tablesOver(database).of(storeTable).upsert(listed(store)),
  )
  return writing as Routine<void, never, Database>
}

/** Stores near a name that was not found are searched by the first digits of its ZIP code. */
export const layerStoreDirectory: Layer.Layer<StoreDirectory, never, Database> = Layer.effect(
  StoreDirectory,
  Effect.map(Database, (database): StoreDirectory["Type"] => {
    const { read } = sqlOver(database)
    const listings = tablesOver(database).of(storeTable)
    const { storeId, zip } = declaredTable(storeTable)
    return {
      find: (wanted) =>
        Routine.gen(function* () {
          const named = yield* listings.list({ plainName: plainName(wanted.name) }, { order: ["storeId"] })
          const store = storeAmong(named, wanted, { metresBetween, metresMax: STORE_DISTANCE_M_MAX })
          if (store !== null) return { type: "found", store } as const
          const digits = wanted.address.zip.trim().slice(0, 5)
          const beside = yield* read("looking for stores near one", (orm) =>
            orm
              .select(shownColumns(storeTable))
              .from(declaredTable(storeTable))
              .where(eq(sql`substr(${zip}, 1, 5)`, digits))
              .orderBy(asc(storeId))
              .limit(STORES_NEAR_MAX),
          )
          const others = beside.filter((one) => named.every((other) => other.storeId !== one.storeId))
          const matches = nearListings([...named, ...others].filter(isServedStore), wanted, metresBetween)
          return { type: "unknown", matches } as const
        }),
    }
  }),
)
