/** The courier connector's data in a simulated world: users, stores, and the holds of a fleet. */

import { Effect, Layer } from "effect"
import { courierOrders } from "../rows.ts"
import type { CourierPhase, CourierRow } from "../rows.ts"
import { StoreDirectory, listed, storeTable, storeAmong, nearListings } from "../directory/store-directory.ts"
import type { Store } from "../directory/store-directory.ts"
import { isServedStore } from "../directory/served-stores.ts"
import { Tables } from "../../../engine/services/tables/tables.ts"
import { Routine } from "../../../engine/services/routine.ts"
import type { CountHolds } from "../../dispatch/holds.ts"
import { linkedUsers } from "../../linking/rows.ts"
import type { MemoryStore } from "../../../engine/memory/memory-store.ts"
import { memoryRowsOf } from "../../../engine/memory/memory-tables.ts"
import { metresBetween } from "../../dispatch/geography.ts"
import { STORE_DISTANCE_M_MAX } from "../../../model/values/limits.ts"

/** A person whose number is linked. */
interface MemoryUser {
  readonly phone: string
  readonly isEnabled: boolean
}

/** Adds a user to a simulated world. */
export function putUser(store: MemoryStore, userId: string, user: MemoryUser): void {
  const rows = memoryRowsOf(store, linkedUsers)
  rows.put(userId, {
    ...user,
    userId,
    organizationId: null,
    number: rows.size + 1,
    phoneDigest: userId,
    enabledAtMs: 0,
    disabledAtMs: null,
    linkedAtMs: null,
  })
}

export function putStore(store: MemoryStore, one: Store): void {
  memoryRowsOf(store, storeTable).put(one.storeId, listed(one))
}

/** A store directory that may be down. */
export function layerMemoryStoreDirectory(isDown: () => boolean): Layer.Layer<StoreDirectory, never, Tables> {
  return Layer.effect(
    StoreDirectory,
    Effect.map(Tables, (tables) => orDown(smallDirectory(tables), isDown)),
  )
}

/** The directory, while it is not down. */
export function orDown({ find }: StoreDirectory["Type"], isDown: () => boolean): StoreDirectory["Type"] {
  return {
    find: (wanted) =>
      Routine.suspend(() => (isDown() ? Routine.succeed({ type: "unavailable" } as const) : find(wanted))),
  }
}

/** Dispatch's port for the live holds of a fleet. Cost: linear in the errands that are held or being paid. */
export function holdsOver(store: MemoryStore): CountHolds {
  const held = memoryRowsOf(store, courierOrders).indexBy(({ fleetId, phase }) =>
    phase === "held" || ASKING.has(phase) ? fleetId : null,
  )
  return (fleetId, { atMs, without }) => {
    let holds = 0
    for (const row of held.rowsOf(fleetId)) {
      if (row.deliveryId !== without && takesPlace(row, atMs)) holds += 1
    }
    return holds
  }
}

const ASKING: ReadonlySet<CourierPhase> = new Set(["authorizing", "capturing"])

/** While a payment is in flight, a hold does not run out. */
function takesPlace({ phase, holdEndsAtMs }: CourierRow, atMs: number): boolean {
  return ASKING.has(phase) || (phase === "held" && holdEndsAtMs !== null && holdEndsAtMs > atMs)
}

/** Reads every listing, so only for directories with a few stores. */
function smallDirectory(tables: Tables["Type"]): StoreDirectory["Type"] {
  const listings = tables.of(storeTable)
  return {
    find: (wanted) =>
      Routine.map(listings.list({}, { order: "any" }), (all) => {
        const store = storeAmong(all, wanted, { metresBetween, metresMax: STORE_DISTANCE_M_MAX })
        if (store !== null) return { type: "found", store }
        return { type: "unknown", matches: nearListings(all.filter(isServedStore), wanted, metresBetween) }
      }),
  }
}
