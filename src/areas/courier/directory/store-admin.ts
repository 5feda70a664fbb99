/** The store directory for operations. Errands that were checked earlier keep the store's data of that time. */

import { Effect } from "effect"
import { canonicalJson } from "../../../model/values/canonical-json.ts"
import { Refused } from "../../../model/values/errors.ts"
import type { JsonObject } from "../../../model/values/json.ts"
import { ActorHost } from "../../../engine/services/host.ts"
import { Routine } from "../../../engine/services/routine.ts"
import { repository, service } from "../../../engine/services/service.ts"
import { listed, storeTable } from "./store-directory.ts"
import type { Store } from "./store-directory.ts"
import { storesIn } from "./store-file.ts"
import { notFound } from "../../../engine/services/refusals.ts"
import { Tables } from "../../../engine/services/tables/tables.ts"

/** What an import writes, or what it would write. */
export interface Imported {
  readonly added: number
  readonly changed: number
  readonly unchanged: number
}

/** A store that an import would write. */
export interface StoreChange {
  readonly store: Store
  /** Null for a store that is not there. */
  readonly known: Store | null
}

export interface StoresFilePlan extends Imported {
  /** In the order of the file. */
  readonly changes: readonly StoreChange[]
}

export class StoreRows extends repository<StoreRows>()(
  "StoreRows",
  Effect.map(Tables, (tables) => {
    const listings = tables.of(storeTable)
    return {
      /** By id. */
      all: listings.list({}, { order: ["storeId"] }),
      /** Replaces the row with this id. */
      put: (store: Store) => listings.upsert(listed(store)),
      remove: (storeId: string) => listings.delete({ storeId }),
    }
  }),
) {}

export class StoreAdmin extends service<StoreAdmin>()("StoreAdmin", () => ({
  importFile,
  checkFile,
  list: Routine.flatMap(StoreRows, (rows) => rows.all),
  show,
  remove,
})) {}

/** Imports run one at a time, so that their counts are right. */
const LOCK = { key: "stores" }

/** Imports all rows or none. Stores that the file does not name are not changed. */
const importFile = Routine.fn(function* (csv: string) {
  const host = yield* ActorHost
  const stores = yield* read(csv)
  return yield* host.run({ name: "import stores", locks: LOCK, body: () => write(stores) })
})

/** What an import of the file would do now; refuses what an import would refuse. */
const checkFile = Routine.fn(function* (csv: string) {
  const rows = yield* StoreRows
  const stores = yield* read(csv)
  return planOf(yield* rows.all, stores)
})

const show = Routine.fn(function* (storeId: string) {
  const rows = yield* StoreRows
  const found = (yield* rows.all).find((store) => store.storeId === storeId)
  return found ?? (yield* notFound("store", storeId))
})

const remove = Routine.fn(function* (storeId: string) {
  const host = yield* ActorHost
  const rows = yield* StoreRows
  return yield* host.run({
    name: "remove a store",
    locks: LOCK,
    body: () => Routine.tap(show(storeId), () => rows.remove(storeId)),
  })
})

function read(csv: string): Routine<readonly Store[], Refused> {
  const file = storesIn(csv)
  return file.type === "stores"
    ? Routine.succeed(file.stores)
    : Routine.fail(new Refused({ code: "VALIDATION_ERROR", problems: file.problems }))
}

const write = Routine.fn(function* (stores: readonly Store[]) {
  const rows = yield* StoreRows
  const { changes, ...counts } = planOf(yield* rows.all, stores)
  yield* Routine.forEach(changes, ({ store }) => rows.put(store), { discard: true })
  return counts satisfies Imported
})

function planOf(all: readonly Store[], stores: readonly Store[]): StoresFilePlan {
  const knownById = new Map(all.map((store) => [store.storeId, store]))
  const changes = stores.flatMap((store) => {
    const known = knownById.get(store.storeId) ?? null
    return known !== null && contentOf(known) === contentOf(store) ? [] : [{ store, known }]
  })
  const added = changes.filter(({ known }) => known === null).length
  return {
    added,
    changed: changes.length - added,
    unchanged: stores.length - changes.length,
    changes,
  }
}

function contentOf(store: Store): string {
  return canonicalJson(store as unknown as JsonObject)
}
