/** Every contract that a database may break, on the live host over the given database. */

import { Effect, Layer } from "effect"
import { afterAll, afterEach, beforeAll, expect } from "vitest"
import type { Database, DatabaseFault } from "../../src/store/database.ts"
import { layerCatalog } from "../../src/store/catalog.ts"
import { actorHostContract } from "./actor-host.ts"
import { catalogContract } from "./catalog.ts"
import { emptied, liveHarness, openTestDatabase } from "./live.ts"
import type { LiveHarness, TestDatabase } from "./live.ts"
import { reservationRowsContract } from "./reservation-rows.ts"
import { servicesContract } from "./services.ts"
import { webhookStoreContract } from "./webhook-store.ts"
import type { EnvironmentPolicy } from "../../src/services/policies.ts"

export function liveContracts(
  name: string,
  layer: () => Promise<Layer.Layer<Database, DatabaseFault>>,
): void {
  let database: TestDatabase | null = null
  const harnesses: LiveHarness[] = []

  beforeAll(async () => {
    database = openTestDatabase(await layer())
    await database.context
  })
  afterEach(async () => {
    for (const harness of harnesses.splice(0)) {
      const { difference, entries } = await harness.close()
      expect(difference, `the journal of ${entries} entries replays`).toBeNull()
    }
  })
  afterAll(() => database?.close())

  const opened = (): TestDatabase => {
    if (database === null) throw new Error("the database is not open")
    return database
  }
  const make = (options: { readonly policy?: EnvironmentPolicy } = {}): LiveHarness => {
    const harness = liveHarness(opened().context, options)
    harnesses.push(harness)
    return harness
  }

  catalogContract(name, () =>
    Layer.unwrapEffect(
      Effect.map(
        Effect.promise(async () => {
          const context = await opened().context
          await emptied(context)
          return context
        }),
        (context) => Layer.provide(layerCatalog, Layer.succeedContext(context)),
      ),
    ),
  )
  reservationRowsContract(name, make)
  webhookStoreContract(name, make)
  actorHostContract(name, make)
  servicesContract(name, make)
}
