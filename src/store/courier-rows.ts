/** The courier connector's rows over SQL. Credentials and stored answers are sealed. */

import { and, asc, eq, isNull, lte, or, sql } from "drizzle-orm"
import { Effect, Layer, Option } from "effect"
import type { CourierEnvelope } from "../model/courier.ts"
import { STORES_NEAR_MAX, STORE_DISTANCE_M_MAX } from "../model/limits.ts"
import { CourierClaims, CourierRows, blanked } from "../services/courier/rows.ts"
import type { CourierClaim, CourierRow } from "../services/courier/rows.ts"
import { StoreRows } from "../services/courier/store-admin.ts"
import { StoreDirectory, nearListings, plainName, storeAmong } from "../services/courier/store-directory.ts"
import type { Store } from "../services/courier/store-directory.ts"
import { metresBetween } from "../services/direct-delivery/geography.ts"
import { courierClaims, courierOrders, courierPayments, stores } from "./courier-tables.ts"
import type { PurgeOrder } from "../services/retention/retention.ts"
import { Database } from "./database.ts"
import { SecretBox } from "./secret-box.ts"
import { Prefetched, sqlOver } from "./transaction.ts"
import type { Sql } from "./transaction.ts"
import { preparedQuery } from "./prepared-query.ts"

/** Every port of the connector over one database. */
export const layerCourierStore: Layer.Layer<
  CourierClaims | CourierRows | StoreDirectory,
  never,
  Database | SecretBox
> = Layer.unwrapEffect(
  Effect.map(Effect.all([Database, SecretBox]), ([database, box]) => {
    const here = sqlOver(database)
    return Layer.mergeAll(
      Layer.succeed(CourierRows, { ...ordersOver(here, database), ...paymentsOver(here, box) }),
      Layer.succeed(CourierClaims, claimsOver(here, box)),
      Layer.succeed(StoreDirectory, directoryOver(here)),
    )
  }),
)

/** Writes a store; what is there under its id is replaced. Inside a transaction. */
export const writeStore = Effect.fnUntraced(function* (store: Store) {
  const { write } = sqlOver(yield* Database)
  const row = { ...store, plainName: plainName(store.name) }
  yield* write("writing a store", (orm) =>
    orm.insert(stores).values(row).onConflictDoUpdate({ target: stores.storeId, set: row }),
  )
})

export const layerStoreRows: Layer.Layer<StoreRows, never, Database> = Layer.effect(
  StoreRows,
  Effect.map(Database, (database) => {
    const { read, write } = sqlOver(database)
    return {
      all: Effect.map(
        read("listing stores", (orm) => orm.select().from(stores).orderBy(asc(stores.storeId))),
        (rows) => rows.map(storeOf),
      ),
      put: (store) => Effect.provideService(writeStore(store), Database, database),
      remove: (storeId) =>
        write("removing a store", (orm) => orm.delete(stores).where(eq(stores.storeId, storeId))),
    }
  }),
)

function storeOf({ plainName: _, ...store }: typeof stores.$inferSelect): Store {
  return store
}

function directoryOver({ read }: Sql): StoreDirectory["Type"] {
  return {
    find: (wanted) =>
      Effect.gen(function* () {
        const found = yield* read("looking a store up", (orm) =>
          orm
            .select()
            .from(stores)
            .where(eq(stores.plainName, plainName(wanted.name)))
            .orderBy(asc(stores.storeId)),
        )
        const listed = found.map(storeOf)
        const store = storeAmong(listed, wanted, { metresBetween, metresMax: STORE_DISTANCE_M_MAX })
        if (store !== null) return { type: "found", store } as const
        const zip = wanted.address.zip.trim().slice(0, 5)
        const beside = yield* read("looking for stores near one", (orm) =>
          orm
            .select()
            .from(stores)
            .where(sql`substr(${stores.zip}, 1, 5) = ${zip}`)
            .orderBy(asc(stores.storeId))
            .limit(STORES_NEAR_MAX),
        )
        const others = beside
          .map(storeOf)
          .filter(({ storeId }) => listed.every((one) => one.storeId !== storeId))
        return {
          type: "unknown",
          matches: nearListings([...listed, ...others], wanted, metresBetween),
        } as const
      }),
  }
}

type Orders = Omit<CourierRows["Type"], "payment" | "putPayment" | "replacePayment">

function ordersOver({ read, write, writeReturning }: Sql, database: Database["Type"]): Orders {
  const byId = preparedQuery(database, (orm) =>
    orm
      .select()
      .from(courierOrders)
      .where(eq(courierOrders.deliveryId, sql.placeholder("deliveryId")))
      .prepare("errand"),
  )
  return {
    insert: (row) => write("inserting an errand", (orm) => orm.insert(courierOrders).values(row)),
    change: (id, change) =>
      write("changing an errand", (orm) =>
        orm.update(courierOrders).set(change).where(eq(courierOrders.deliveryId, id)),
      ),
    byId: (id) =>
      Effect.flatMap(Effect.serviceOption(Prefetched), (prefetched) => {
        const known = Option.isSome(prefetched) ? prefetched.value.errands.get(id) : undefined
        if (known !== undefined) return Effect.succeed(known)
        return Effect.map(
          read("reading an errand", (orm) => byId(orm).execute({ deliveryId: id })),
          ([row]) => (row === undefined ? null : rowOf(row)),
        )
      }),
    heldBy: (userId) =>
      Effect.map(
        read("reading held errands", (orm) =>
          orm
            .select()
            .from(courierOrders)
            .where(
              and(
                eq(courierOrders.userId, userId),
                sql`${courierOrders.phase} in ('held', 'authorizing', 'capturing')`,
              ),
            )
            .orderBy(asc(courierOrders.deliveryId)),
        ),
        (rows) => rows.map(rowOf),
      ),
    blankEnded: (order) => blankOver({ read, write }, order),
    forget: (id) =>
      Effect.asVoid(
        writeReturning("forgetting an errand", (orm) =>
          orm.delete(courierOrders).where(eq(courierOrders.deliveryId, id)).returning(),
        ),
      ),
  }
}

/** Errands that ended by then lose what they hold of people, and those whose quote lapsed by then. */
const blankOver = Effect.fnUntraced(function* (
  { read, write }: Pick<Sql, "read" | "write">,
  { beforeMs, limit }: PurgeOrder,
) {
  const lapsed = and(
    isNull(courierOrders.endedAtMs),
    eq(courierOrders.phase, "expired"),
    lte(courierOrders.updatedAtMs, beforeMs),
  )
  const old = yield* read("finding errands to blank", (orm) =>
    orm
      .select()
      .from(courierOrders)
      .where(and(sql`not ${courierOrders.blanked}`, or(lte(courierOrders.endedAtMs, beforeMs), lapsed)))
      .limit(limit),
  )
  for (const { deliveryId, details } of old) {
    yield* write("blanking an errand", (orm) =>
      orm
        .update(courierOrders)
        .set({ details: blanked(details), blanked: true })
        .where(eq(courierOrders.deliveryId, deliveryId)),
    )
    yield* write("forgetting a credential", (orm) =>
      orm
        .update(courierPayments)
        .set({ sealedCredential: null })
        .where(eq(courierPayments.deliveryId, deliveryId)),
    )
  }
  return old.length
})

/** Written out, not parameters, so that the partial index serves prepared plans too. */
export function isLiveHold(atMs: number) {
  return sql`(${courierOrders.phase} in ('authorizing', 'capturing')
    or (${courierOrders.phase} = 'held' and ${courierOrders.holdEndsAtMs} > ${atMs}))`
}

function rowOf({ blanked: _, ...row }: typeof courierOrders.$inferSelect): CourierRow {
  return row
}

function paymentsOver(
  { read, write }: Sql,
  box: SecretBox["Type"],
): Pick<CourierRows["Type"], "payment" | "putPayment" | "replacePayment"> {
  return {
    payment: (id) =>
      Effect.map(
        read("reading a courier payment", (orm) =>
          orm.select().from(courierPayments).where(eq(courierPayments.deliveryId, id)),
        ),
        ([row]) => {
          if (row === undefined) return null
          const { sealedCredential, ...rest } = row
          return { ...rest, credential: sealedCredential === null ? null : box.open(sealedCredential) }
        },
      ),
    replacePayment: ({ deliveryId, credential, credentialNo, authorizationId, failure }) =>
      write("replacing a courier payment", (orm) =>
        orm
          .update(courierPayments)
          .set({
            authorizationId,
            failure,
            credentialNo: credentialNo + 1,
            sealedCredential: credential === null ? null : box.seal(credential),
          })
          .where(
            and(eq(courierPayments.deliveryId, deliveryId), eq(courierPayments.credentialNo, credentialNo)),
          ),
      ),
    putPayment: ({ credential, ...rest }) =>
      write("keeping a courier payment", (orm) => {
        const row = { ...rest, sealedCredential: credential === null ? null : box.seal(credential) }
        return orm
          .insert(courierPayments)
          .values(row)
          .onConflictDoUpdate({ target: courierPayments.deliveryId, set: row })
      }),
  }
}

function claimsOver({ read, write, writeReturning }: Sql, box: SecretBox["Type"]): CourierClaims["Type"] {
  const opened = ({ sealedAnswer, ...row }: typeof courierClaims.$inferSelect): CourierClaim => ({
    ...row,
    answer: sealedAnswer === null ? null : (JSON.parse(box.open(sealedAnswer)) as CourierEnvelope),
  })
  const under = (userId: string, key: string) =>
    and(eq(courierClaims.userId, userId), eq(courierClaims.key, key))
  return {
    find: (userId, key) =>
      Effect.map(
        read("reading a courier claim", (orm) => orm.select().from(courierClaims).where(under(userId, key))),
        ([row]) => (row === undefined ? null : opened(row)),
      ),
    put: ({ answer, ...claim }) =>
      write("keeping a courier claim", (orm) => {
        const row = { ...claim, sealedAnswer: answer === null ? null : box.seal(JSON.stringify(answer)) }
        return orm
          .insert(courierClaims)
          .values(row)
          .onConflictDoUpdate({ target: [courierClaims.userId, courierClaims.key], set: row })
      }),
    remove: (userId, key) =>
      write("dropping a courier claim", (orm) => orm.delete(courierClaims).where(under(userId, key))),
    pendingOf: (deliveryId) =>
      Effect.map(
        read("reading waiting courier claims", (orm) =>
          orm
            .select()
            .from(courierClaims)
            .where(and(eq(courierClaims.deliveryId, deliveryId), sql`not ${courierClaims.isDone}`)),
        ),
        (rows) => rows.map(opened),
      ),
    purge: ({ beforeMs, limit }) =>
      Effect.map(
        writeReturning("purging courier claims", (orm) =>
          orm
            .delete(courierClaims)
            .where(
              sql`(${courierClaims.userId}, ${courierClaims.key}) in
                (select user_id, key from courier_claims where at_ms <= ${beforeMs} limit ${limit})`,
            )
            .returning({ key: courierClaims.key }),
        ),
        (rows) => rows.length,
      ),
  }
}
