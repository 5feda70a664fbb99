/** `/internal/v1/connector/stores`: the store directory of the courier connector. Only the production host has it. */

import { Effect, Schema } from "effect"
import { STORES_FILE_BYTES_MAX } from "../../../model/limits.ts"
import { text } from "../../../model/schema.ts"
import { StoreAdmin } from "../store-admin.ts"
import { textsOf } from "../store-file.ts"
import { decodeBody } from "../../../http/endpoint.ts"
import type { OperatorEndpoint } from "../../../http/operator-endpoint.ts"
import { PAGING, pageOf, pageSchema } from "../../../http/pages.ts"

const PATH = "/internal/v1/connector/stores"

const StoreRecord = Schema.Struct({
  store_id: Schema.String,
  name: Schema.String,
  street: Schema.String,
  zip: Schema.String,
  latitude: Schema.String,
  longitude: Schema.String,
  categories: Schema.String,
  phone: Schema.String,
  hours: Schema.String,
  lead_minutes: Schema.String,
  kitchen_starts: Schema.String,
  stall_hint: Schema.String,
}).annotations({
  identifier: "Store",
  description: "A store as its row of the file says it; what a listing does not show is empty.",
})

const OneStore = Schema.Struct({ store: StoreRecord })
const StoresFile = Schema.Struct({ csv: text({ max: STORES_FILE_BYTES_MAX }) })
const Count = Schema.Number.annotations({ jsonSchema: { type: "integer", minimum: 0 } })

const importStores: OperatorEndpoint<StoreAdmin> = {
  method: "POST",
  path: `${PATH}/import`,
  operationId: "importStores",
  summary: "Add and change stores from a CSV file, all or none; those that it does not name stay",
  parameters: [],
  body: StoresFile,
  bodyBytesMax: 2 * STORES_FILE_BYTES_MAX,
  answers: {
    200: Schema.Struct({
      import: Schema.Struct({ added: Count, changed: Count, unchanged: Count }),
    }),
  },
  errors: ["VALIDATION_ERROR"],
  handle: ({ body }) =>
    Effect.gen(function* () {
      const { csv } = yield* decodeBody(StoresFile, body)
      return { status: 200, data: { import: yield* (yield* StoreAdmin).importFile(csv) } }
    }),
}

const listStores: OperatorEndpoint<StoreAdmin> = {
  method: "GET",
  path: PATH,
  operationId: "listStores",
  summary: "Every store, by id",
  parameters: PAGING,
  body: null,
  answers: { 200: pageSchema("stores", StoreRecord) },
  errors: ["VALIDATION_ERROR"],
  handle: ({ query }) =>
    Effect.gen(function* () {
      const { list } = yield* StoreAdmin
      const data = yield* pageOf(query, yield* list, {
        noun: "stores",
        nameOf: ({ storeId }) => storeId,
        written: textsOf,
      })
      return { status: 200, data }
    }),
}

/** A request about one store is answered with its row. */
function ofStore(
  { method, operationId, summary }: Pick<OperatorEndpoint<never>, "method" | "operationId" | "summary">,
  asking: (admin: StoreAdmin["Type"], id: string) => ReturnType<StoreAdmin["Type"]["show"]>,
): OperatorEndpoint<StoreAdmin> {
  return {
    method,
    path: `${PATH}/{id}`,
    operationId,
    summary,
    parameters: [],
    body: null,
    answers: { 200: OneStore },
    errors: ["NOT_FOUND"],
    handle: ({ id }) =>
      Effect.gen(function* () {
        return { status: 200, data: { store: textsOf(yield* asking(yield* StoreAdmin, id)) } }
      }),
  }
}

const readStore = ofStore({ method: "GET", operationId: "readStore", summary: "One store" }, (admin, id) =>
  admin.show(id),
)

const removeStore = ofStore(
  {
    method: "DELETE",
    operationId: "removeStore",
    summary: "Take a store out of the directory; errands that were checked keep it",
  },
  (admin, id) => admin.remove(id),
)

export const stores = [importStores, listStores, readStore, removeStore]
