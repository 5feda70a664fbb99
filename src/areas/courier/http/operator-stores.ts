/** `/internal/v1/connector/stores`: the store directory of the courier connector. Only the production host has it. */

import { Effect, Schema } from "effect"
import { STORES_FILE_BYTES_MAX, STORE_CHANGES_SHOWN_MAX } from "../../../model/values/limits.ts"
import { text } from "../../../model/values/schema.ts"
import { StoreAdmin } from "../directory/store-admin.ts"
import type { StoreChange } from "../directory/store-admin.ts"
import { STORE_COLUMNS, textsOf } from "../directory/store-file.ts"
import { idArgument } from "../../../http/operator-command.ts"
import type { CommandNoun, OperatorCommand } from "../../../http/operator-command.ts"
import { operatorEndpoint } from "../../../http/operator-endpoint.ts"
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

const STORES: CommandNoun = {
  word: "stores",
  description: "where the courier connector collects orders",
  isShared: true,
}

const importStores = operatorEndpoint({
  method: "POST",
  path: `${PATH}/import`,
  operationId: "importStores",
  summary: "Add and change stores from a CSV file, all or none; those that it does not name stay",
  body: StoresFile,
  bodyBytesMax: 2 * STORES_FILE_BYTES_MAX,
  answers: {
    200: Schema.Struct({
      import: Schema.Struct({ added: Count, changed: Count, unchanged: Count }),
    }),
  },
  commands: [
    {
      noun: STORES,
      verb: "import",
      description: "add and change stores from a CSV file, all or none; other stores stay",
      inputs: [
        ["csv", "<file>", "CSV with a header; src/apps/mcp/README.md describes its columns", "text file"],
      ],
    },
  ],
  *handle(_, sent) {
    const { csv } = yield* sent
    return { import: yield* (yield* StoreAdmin).importFile(csv) }
  },
})

const StoreChangeRecord = Schema.Struct({
  store_id: Schema.String,
  name: Schema.String,
  change: Schema.Literal("added", "changed"),
  columns: Schema.Array(
    Schema.Struct({ column: Schema.Literal(...STORE_COLUMNS), from: Schema.String, to: Schema.String }),
  ).annotations({ description: "Those that differ; none for a store that is added." }),
}).annotations({ identifier: "StoreChange" })

const checkStores = operatorEndpoint({
  method: "POST",
  path: `${PATH}/check`,
  operationId: "checkStores",
  summary: "What an import of a CSV file would add and change; writes nothing",
  body: StoresFile,
  bodyBytesMax: 2 * STORES_FILE_BYTES_MAX,
  answers: {
    200: Schema.Struct({
      check: Schema.Struct({
        added: Count,
        changed: Count,
        unchanged: Count,
        changes: Schema.Array(StoreChangeRecord).annotations({
          description: `The first ${STORE_CHANGES_SHOWN_MAX}, in the order of the file.`,
        }),
      }),
    }),
  },
  commands: [
    {
      noun: STORES,
      verb: "check",
      description: "what an import of a CSV file would do; writes nothing",
      inputs: [
        ["csv", "<file>", "CSV with a header; src/apps/mcp/README.md describes its columns", "text file"],
      ],
    },
  ],
  *handle(_, sent) {
    const { csv } = yield* sent
    const { changes, ...counts } = yield* (yield* StoreAdmin).checkFile(csv)
    const shown = changes.slice(0, STORE_CHANGES_SHOWN_MAX).map(changeRecord)
    return { check: { ...counts, changes: shown } }
  },
})

function changeRecord({ store, known }: StoreChange): typeof StoreChangeRecord.Type {
  const { storeId, name } = store
  if (known === null) return { store_id: storeId, name, change: "added", columns: [] }
  const [before, after] = [textsOf(known), textsOf(store)]
  const columns = STORE_COLUMNS.filter((column) => before[column] !== after[column])
  return {
    store_id: storeId,
    name,
    change: "changed",
    columns: columns.map((column) => ({ column, from: before[column], to: after[column] })),
  }
}

const listStores = operatorEndpoint({
  method: "GET",
  path: PATH,
  operationId: "listStores",
  summary: "Every store, by id",
  parameters: PAGING,
  answers: { 200: pageSchema("stores", StoreRecord) },
  commands: [
    {
      noun: STORES,
      verb: "list",
      description: "every store, by id; with --json all of its columns",
      columns: ["store_id", "name", "street", "zip", "categories", "hours", "kitchen_starts"],
    },
  ],
  *handle({ query }) {
    const { list } = yield* StoreAdmin
    return yield* pageOf(query, yield* list, {
      noun: "stores",
      nameOf: ({ storeId }) => storeId,
      written: textsOf,
    })
  },
})

/** A request about one store is answered with its row. */
function ofStore(
  {
    command,
    ...named
  }: Pick<OperatorEndpoint<never>, "method" | "operationId" | "summary"> & {
    readonly command: Pick<OperatorCommand, "description" | "did" | "verb">
  },
  asking: (admin: StoreAdmin["Type"], id: string) => ReturnType<StoreAdmin["Type"]["show"]>,
): OperatorEndpoint<StoreAdmin> {
  return {
    ...named,
    path: `${PATH}/{id}`,
    parameters: [],
    body: null,
    answers: { 200: OneStore },
    errors: ["NOT_FOUND"],
    commands: [{ noun: STORES, inputs: [idArgument("store")], ...command }],
    handle: ({ id }) =>
      Effect.gen(function* () {
        return { status: 200, data: { store: textsOf(yield* asking(yield* StoreAdmin, id)) } }
      }),
  }
}

const readStore = ofStore(
  {
    method: "GET",
    operationId: "readStore",
    summary: "One store",
    command: { verb: "show", description: "one store" },
  },
  (admin, id) => admin.show(id),
)

const removeStore = ofStore(
  {
    method: "DELETE",
    operationId: "removeStore",
    summary: "Take a store out of the directory; errands that were checked keep it",
    command: {
      verb: "remove",
      description: "remove a store; errands that were checked keep it",
      did: "removed",
    },
  },
  (admin, id) => admin.remove(id),
)

export const stores = [importStores, checkStores, listStores, readStore, removeStore]
