/** The courier connector's repositories in memory: tables of one MemoryStore, staged with its transactions. */

import { Effect, Layer } from "effect"
import { STORE_DISTANCE_M_MAX } from "../model/limits.ts"
import { CourierClaims, CourierRows, blanked } from "../services/courier/rows.ts"
import type { CourierClaim, CourierPaymentRow, CourierPhase, CourierRow } from "../services/courier/rows.ts"
import { StoreDirectory, nearListings, storeAmong } from "../services/courier/store-directory.ts"
import type { Store } from "../services/courier/store-directory.ts"
import { metresBetween } from "../services/direct-delivery/geography.ts"
import { LinkedUsers } from "../services/linking/linked-users.ts"
import type { MemoryStore } from "./memory-store.ts"
import { BLANK_TEXT } from "../services/reservations/rows.ts"

/** Every port of the connector over one store. */
export function layerMemoryCourier(
  store: MemoryStore,
): Layer.Layer<CourierClaims | CourierRows | LinkedUsers> {
  return Layer.mergeAll(layerRows(store), layerClaims(store), layerUsers(store))
}

/** A person whose number is linked. */
export interface MemoryUser {
  readonly phone: string
  readonly isEnabled: boolean
}

/** Rows that a simulated world is given. */
export function putUser(store: MemoryStore, userId: string, user: MemoryUser): void {
  store.table<MemoryUser>("linked-users").put(userId, user)
}

export function putStore(store: MemoryStore, one: Store): void {
  store.table<Store>("stores").put(one.storeId, one)
}

export function layerMemoryStoreDirectory(
  store: MemoryStore,
  isDown: () => boolean = () => false,
): Layer.Layer<StoreDirectory> {
  const stores = store.table<Store>("stores")
  return Layer.succeed(StoreDirectory, {
    find: (wanted) =>
      Effect.sync(() => {
        if (isDown()) return { type: "unavailable" }
        const found = storeAmong(stores.all(), wanted, { metresBetween, metresMax: STORE_DISTANCE_M_MAX })
        if (found !== null) return { type: "found", store: found }
        return { type: "unknown", matches: nearListings(stores.all(), wanted, metresBetween) }
      }),
  })
}

function layerUsers(store: MemoryStore): Layer.Layer<LinkedUsers> {
  const users = store.table<MemoryUser>("linked-users")
  return Layer.succeed(LinkedUsers, {
    phoneOf: (userId) => Effect.sync(() => users.get(userId)?.phone ?? null),
    isEnabled: (userId) => Effect.sync(() => users.get(userId)?.isEnabled ?? false),
  })
}

/** Live holds of a fleet; direct delivery counts them too. Cost: linear in the errands that are held or being paid. */
export function holdsOver(
  store: MemoryStore,
): (fleetId: string, at: { readonly atMs: number; readonly without: string | null }) => number {
  const held = store
    .table<CourierRow>("courier-orders")
    .indexBy(({ fleetId, phase }) => (phase === "held" || ASKING.has(phase) ? fleetId : null))
  return (fleetId, { atMs, without }) => {
    let holds = 0
    for (const row of held.rowsOf(fleetId)) {
      if (row.deliveryId !== without && takesPlace(row, atMs)) holds += 1
    }
    return holds
  }
}

const ASKING: ReadonlySet<CourierPhase> = new Set(["authorizing", "capturing"])

/** While the processor is asked, a hold does not run out. */
function takesPlace({ phase, holdEndsAtMs }: CourierRow, atMs: number): boolean {
  return ASKING.has(phase) || (phase === "held" && holdEndsAtMs !== null && holdEndsAtMs > atMs)
}

function layerRows(store: MemoryStore): Layer.Layer<CourierRows> {
  const rows = store.table<CourierRow>("courier-orders")
  const payments = store.table<CourierPaymentRow>("courier-payments")
  const claims = store.table<CourierClaim>("courier-claims")
  const heldByUser = rows.indexBy(({ userId, phase }) =>
    phase === "held" || ASKING.has(phase) ? userId : null,
  )
  const claimsOf = claims.indexBy(({ deliveryId }) => deliveryId)
  return Layer.succeed(CourierRows, {
    insert: (row) => Effect.sync(() => rows.put(row.deliveryId, row)),
    change: (id, change) =>
      Effect.sync(() => {
        const row = rows.get(id)
        if (row !== null) rows.put(id, { ...row, ...change })
      }),
    byId: (id) => Effect.sync(() => rows.get(id)),
    heldBy: (userId) =>
      Effect.sync(() =>
        [...heldByUser.rowsOf(userId)].toSorted((one, other) => (one.deliveryId < other.deliveryId ? -1 : 1)),
      ),
    payment: (id) => Effect.sync(() => payments.get(id)),
    putPayment: (row) => Effect.sync(() => payments.put(row.deliveryId, row)),
    replacePayment: (row) =>
      Effect.sync(() => {
        const isSame = payments.get(row.deliveryId)?.credentialNo === row.credentialNo
        if (isSame) payments.put(row.deliveryId, { ...row, credentialNo: row.credentialNo + 1 })
      }),
    blankEnded: ({ beforeMs, limit }) =>
      Effect.sync(() => {
        const old = rows
          .all()
          .filter(
            ({ details, endedAtMs, updatedAtMs, phase }) =>
              details.dropoffAddress.street !== BLANK_TEXT &&
              (endedAtMs ?? (phase === "expired" ? updatedAtMs : Number.POSITIVE_INFINITY)) <= beforeMs,
          )
          .slice(0, limit)
        for (const row of old) {
          rows.put(row.deliveryId, { ...row, details: blanked(row.details) })
          const payment = payments.get(row.deliveryId)
          if (payment !== null) payments.put(row.deliveryId, { ...payment, credential: null })
        }
        return old.length
      }),
    forget: (id) =>
      Effect.sync(() => {
        rows.delete(id)
        payments.delete(id)
        // A key is good for 48 hours; a host without recording is asked for none of a forgotten errand.
        for (const key of claimsOf.keysOf(id)) claims.delete(key)
      }),
  })
}

function layerClaims(store: MemoryStore): Layer.Layer<CourierClaims> {
  const claims = store.table<CourierClaim>("courier-claims")
  const waiting = claims.indexBy(({ deliveryId, isDone }) => (isDone ? null : deliveryId))
  const keyOf = (userId: string, key: string): string => `${userId}/${key}`
  return Layer.succeed(CourierClaims, {
    find: (userId, key) => Effect.sync(() => claims.get(keyOf(userId, key))),
    put: (claim) => Effect.sync(() => claims.put(keyOf(claim.userId, claim.key), claim)),
    remove: (userId, key) => Effect.sync(() => claims.delete(keyOf(userId, key))),
    pendingOf: (deliveryId) => Effect.sync(() => [...waiting.rowsOf(deliveryId)]),
    purge: ({ beforeMs, limit }) =>
      Effect.sync(() => {
        const old = claims
          .all()
          .filter(({ atMs }) => atMs <= beforeMs)
          .slice(0, limit)
        for (const claim of old) claims.delete(keyOf(claim.userId, claim.key))
        return old.length
      }),
  })
}
