/** Commands about the courier connector's stores. */

import { verb } from "../../../cli/command-verbs.ts"
import type { Nouns } from "../../../cli/command-verbs.ts"
import { readText } from "../../../cli/text-files.ts"

const SHOWN = ["store_id", "name", "street", "zip", "categories", "hours", "kitchen_starts"]

/** Stores exist only in production, so no command takes an environment. */
export function addStoreCommands({ curbline, act }: Nouns): void {
  const stores = curbline.command("stores").description("where the courier connector collects orders")
  verb(stores, act, {
    name: "import",
    description: "add and change stores from a CSV file, all or none; other stores stay",
    taskOf: (_, { pathOf }, [file = ""]) => ({
      type: "show",
      noun: "import",
      isShared: true,
      request: {
        method: "POST",
        path: pathOf("connector", "stores", "import"),
        body: { csv: readText(file) },
      },
    }),
  }).argument("<file>", "CSV with a header; src/mcp/README.md describes its columns")
  verb(stores, act, {
    name: "list",
    description: "every store, by id; with --json all of its columns",
    taskOf: (_, { pathOf }) => ({
      type: "list",
      noun: "stores",
      fields: SHOWN,
      isShared: true,
      requests: async () => [{ method: "GET", path: pathOf("connector", "stores") }],
    }),
  })
  verb(stores, act, {
    name: "show",
    description: "one store",
    taskOf: (_, { pathOf }, [id = ""]) => ({
      type: "show",
      noun: "store",
      isShared: true,
      request: { method: "GET", path: pathOf("connector", "stores", id) },
    }),
  }).argument("<store-id>", "as stores list shows it")
  verb(stores, act, {
    name: "remove",
    description: "remove a store; errands that were checked keep it",
    taskOf: (_, { pathOf }, [id = ""]) => ({
      type: "write",
      noun: "store",
      id: "store_id",
      did: "removed",
      isShared: true,
      request: { method: "DELETE", path: pathOf("connector", "stores", id) },
    }),
  }).argument("<store-id>", "as stores list shows it")
}
