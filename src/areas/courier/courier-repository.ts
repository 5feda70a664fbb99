/** The courier connector's rows over its declared tables. */

import { Effect, Layer } from "effect"
import { STORE_DISTANCE_M_MAX } from "../../model/values/limits.ts"
import { metresBetween } from "../dispatch/geography.ts"
import type { Transaction } from "../../engine/services/host.ts"
import type { PurgeOrder } from "../../engine/services/retention/retention.ts"
import { atMost, either, oneOf } from "../../engine/services/tables/conditions.ts"
import { purgeOf } from "../../engine/services/tables/purge.ts"
import { SealedTables, Tables } from "../../engine/services/tables/tables.ts"
import type { TableAccessOf } from "../../engine/services/tables/tables.ts"
import { Routine } from "../../engine/services/routine.ts"
import {
  CourierClaims,
  CourierRows,
  HOLDING,
  blanked,
  courierClaims,
  courierOrders,
  courierPayments,
} from "./rows.ts"
import { StoreRows } from "./directory/store-admin.ts"
import { listed, nearListings, storeAmong, storeTable } from "./directory/store-directory.ts"
import type { StoreDirectory } from "./directory/store-directory.ts"

export const layerCourierRows: Layer.Layer<CourierRows, never, SealedTables> = Layer.effect(
  CourierRows,
  Effect.map(SealedTables, (tables): CourierRows["Type"] => {
    const orders = tables.of(courierOrders)
    const payments = tables.of(courierPayments)
    const claims = tables.of(courierClaims)
    return {
      insert: orders.insert,
      change: (deliveryId, change) => orders.update({ deliveryId }, change),
      byId: (deliveryId) => orders.get({ deliveryId }),
      heldBy: (userId) => orders.list({ userId, phase: oneOf(...HOLDING) }, { order: ["deliveryId"] }),
      payment: (deliveryId) => payments.get({ deliveryId }),
      putPayment: payments.upsert,
      replacePayment: ({ deliveryId, credentialNo, ...payment }) =>
        payments.update({ deliveryId, credentialNo }, { ...payment, credentialNo: credentialNo + 1 }),
      blankEnded: (order) => blankEnded({ orders, payments }, order),
      forget: (deliveryId) =>
        Routine.inTurn(
          orders.delete({ deliveryId }),
          payments.delete({ deliveryId }),
          claims.delete({ deliveryId }),
        ),
    }
  }),
)

export const layerStoreRows: Layer.Layer<StoreRows, never, Tables> = Layer.effect(
  StoreRows,
  Effect.map(Tables, (tables): StoreRows["Type"] => {
    const listings = tables.of(storeTable)
    return {
      all: listings.list({}, { order: ["storeId"] }),
      put: (store) => listings.upsert(listed(store)),
      remove: (storeId) => listings.delete({ storeId }),
    }
  }),
)

/** Reads every listing, so only for directories with a few stores. */
export function smallDirectory(tables: Tables["Type"]): StoreDirectory["Type"] {
  const listings = tables.of(storeTable)
  return {
    find: (wanted) =>
      Routine.map(listings.list({}, { order: "any" }), (all) => {
        const store = storeAmong(all, wanted, { metresBetween, metresMax: STORE_DISTANCE_M_MAX })
        if (store !== null) return { type: "found", store }
        return { type: "unknown", matches: nearListings(all, wanted, metresBetween) }
      }),
  }
}

export const layerCourierClaims: Layer.Layer<CourierClaims, never, SealedTables> = Layer.effect(
  CourierClaims,
  Effect.map(SealedTables, (tables): CourierClaims["Type"] => {
    const claims = tables.of(courierClaims)
    return {
      find: (userId, key) => claims.get({ userId, key }),
      put: claims.upsert,
      remove: (userId, key) => claims.delete({ userId, key }),
      pendingOf: (deliveryId) => claims.list({ deliveryId, isDone: false }, { order: "any" }),
      purge: purgeOf(courierClaims, claims),
    }
  }),
)

interface Blankable {
  readonly orders: TableAccessOf<typeof courierOrders>
  readonly payments: TableAccessOf<typeof courierPayments>
}

/** Blanks personal data of errands that ended, and of errands whose quote expired, by the given time. */
const blankEnded: (tables: Blankable, order: PurgeOrder) => Routine<number, never, Transaction> = Routine.fn(
  function* ({ orders, payments }, { beforeMs, limit }) {
    const old = yield* orders.list(
      either(
        { blanked: false, endedAtMs: atMost(beforeMs) },
        { blanked: false, endedAtMs: null, phase: "expired", updatedAtMs: atMost(beforeMs) },
      ),
      { order: "any", limit },
    )
    for (const { deliveryId, details } of old) {
      yield* orders.update({ deliveryId }, { details: blanked(details), blanked: true })
      yield* payments.update({ deliveryId }, { credential: null })
    }
    return old.length
  },
)
