/** One database for the tests of a file or a `describe`, emptied before each of them. */

import { Layer } from "effect"
import { afterAll, beforeAll, beforeEach } from "vitest"
import type { Database, DatabaseFault } from "../../../src/engine/store/database.ts"
import { emptied, openTestDatabase } from "../../conformance/live.ts"
import type { TestDatabase } from "../../conformance/live.ts"
import { layerCopiedPglite } from "../../engine/store/embedded-template.ts"

/** Registers its hooks where it is called; to be called before other hooks that use the database. */
export function emptiedDatabase(
  layer: () => Layer.Layer<Database, DatabaseFault> = () => layerCopiedPglite,
): () => Layer.Layer<Database> {
  let database: TestDatabase
  let shared: Layer.Layer<Database>
  beforeAll(async () => {
    database = openTestDatabase(layer())
    shared = Layer.succeedContext(await database.context)
  })
  beforeEach(async () => emptied(await database.context))
  afterAll(() => database.close())
  return () => shared
}
