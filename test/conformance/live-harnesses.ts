/** Live hosts over one database: opened before the tests of a `describe`, a host a test, all closed behind them. */

import type { Context, Layer } from "effect"
import { afterAll, afterEach, beforeAll, describe } from "vitest"
import type { EnvironmentPolicy } from "../../src/engine/services/policies.ts"
import { layerPostgres } from "../../src/engine/store/database.ts"
import type { Database, DatabaseFault } from "../../src/engine/store/database.ts"
import { startPostgres } from "../engine/store/postgres-server.ts"
import type { PostgresDatabase } from "../engine/store/postgres-server.ts"
import { liveHarness, openTestDatabase } from "./live.ts"
import type { JournalReplayed, LiveHarness, LiveHarnessOptions, TestDatabase } from "./live.ts"
import { layerCopiedPglite } from "../engine/store/embedded-template.ts"

type DatabaseLayer = Layer.Layer<Database, DatabaseFault>

export interface LiveHarnesses {
  /** A host of its own, closed after the test. */
  readonly make: (options?: { readonly policy?: EnvironmentPolicy }) => LiveHarness
  readonly context: () => Promise<Context.Context<Database>>
}

/** Registers its hooks where it is called. `onClosed` gets the journal's replay of each host. */
export function liveHarnesses(
  layer: () => Promise<DatabaseLayer>,
  onClosed: (journal: JournalReplayed) => void = () => undefined,
  common: LiveHarnessOptions = {},
): LiveHarnesses {
  let database: TestDatabase | null = null
  const harnesses: LiveHarness[] = []

  beforeAll(async () => {
    database = openTestDatabase(await layer())
    await database.context
  })
  afterEach(async () => {
    for (const harness of harnesses.splice(0)) onClosed(await harness.close())
  })
  afterAll(() => database?.close())

  const context = (): Promise<Context.Context<Database>> => {
    if (database === null) throw new Error("the database is not open")
    return database.context
  }
  return {
    context,
    make: (options = {}) => {
      const harness = liveHarness(context(), { ...common, ...options })
      harnesses.push(harness)
      return harness
    },
  }
}

/** The same tests over PGlite and over a PostgreSQL of their own. */
export function overBothDatabases(tests: (name: string, harnesses: LiveHarnesses) => void): void {
  let server: PostgresDatabase | null = null
  const databases: readonly (readonly [string, () => Promise<DatabaseLayer>])[] = [
    ["PGlite", async () => layerCopiedPglite],
    [
      "PostgreSQL",
      async () => {
        server = await startPostgres()
        return layerPostgres(server.url)
      },
    ],
  ]
  for (const [name, layer] of databases) {
    describe(`ports over ${name}`, () => {
      tests(name, liveHarnesses(layer))
    })
  }
  afterAll(() => server?.stop())
}
