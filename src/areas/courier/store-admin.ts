/** The store directory for operations. Errands that were checked earlier keep the store's data of that time. */

import { Context, Effect, Layer } from "effect"
import { canonicalJson } from "../../model/canonical-json.ts"
import { Refused } from "../../model/errors.ts"
import type { JsonObject } from "../../model/json.ts"
import { ActorHost } from "../../services/host.ts"
import type { Transaction } from "../../services/host.ts"
import { Routine } from "../../services/routine.ts"
import type { Store } from "./store-directory.ts"
import { storesIn } from "./store-file.ts"

/** The result of an import. */
export interface Imported {
  readonly added: number
  readonly changed: number
  readonly unchanged: number
}

export class StoreRows extends Context.Tag("StoreRows")<
  StoreRows,
  {
    /** By id. */
    readonly all: Routine<readonly Store[]>
    /** Replaces the row with this id. */
    readonly put: (store: Store) => Routine<void, never, Transaction>
    readonly remove: (storeId: string) => Routine<void, never, Transaction>
  }
>() {}

export class StoreAdmin extends Context.Tag("StoreAdmin")<
  StoreAdmin,
  {
    /** Imports all rows or none. Stores that the file does not name are not changed. */
    readonly importFile: (csv: string) => Routine<Imported, Refused>
    readonly list: Routine<readonly Store[]>
    readonly show: (storeId: string) => Routine<Store, Refused>
    readonly remove: (storeId: string) => Routine<Store, Refused>
  }
>() {}

/** Imports run one at a time, so that their counts are right. */
const LOCK = { key: "stores" }

export const layerStoreAdmin: Layer.Layer<StoreAdmin, never, ActorHost | StoreRows> = Layer.effect(
  StoreAdmin,
  Effect.gen(function* () {
    const host = yield* ActorHost
    const rows = yield* StoreRows
    const show = (storeId: string) =>
      Routine.gen(function* () {
        const found = (yield* rows.all).find((store) => store.storeId === storeId)
        return found ?? (yield* new Refused({ code: "NOT_FOUND", detail: `store ${storeId}` }))
      })
    return {
      importFile: (csv) =>
        Routine.gen(function* () {
          const file = storesIn(csv)
          if (file.type === "wrong") {
            return yield* new Refused({ code: "VALIDATION_ERROR", problems: file.problems })
          }
          return yield* host.run({ name: "import stores", locks: LOCK, body: () => write(rows, file.stores) })
        }),
      list: rows.all,
      show,
      remove: (storeId) =>
        host.run({
          name: "remove a store",
          locks: LOCK,
          body: () => Routine.tap(show(storeId), () => rows.remove(storeId)),
        }),
    }
  }),
)

const write = Routine.fn(function* (rows: StoreRows["Type"], stores: readonly Store[]) {
  const known = new Map((yield* rows.all).map((store) => [store.storeId, contentOf(store)]))
  const isNew = ({ storeId }: Store): boolean => !known.has(storeId)
  const isOther = (store: Store): boolean => known.get(store.storeId) !== contentOf(store)
  const changed = stores.filter(isOther)
  yield* Routine.forEach(changed, (store) => rows.put(store), { discard: true })
  const added = changed.filter(isNew).length
  return {
    added,
    changed: changed.length - added,
    unchanged: stores.length - changed.length,
  } satisfies Imported
})

function contentOf(store: Store): string {
  return canonicalJson(store as unknown as JsonObject)
}
