/** Every contract that a database may break, on the live host over the given database. */

import { Effect, Layer } from "effect"
import { afterAll, afterEach, beforeAll, expect } from "vitest"
import type { Database, DatabaseFault } from "../../src/store/database.ts"
import { layerManagement } from "../../src/live/management.ts"
import { layerAccessRows, layerRateCounter } from "../../src/store/access-rows.ts"
import { layerCatalog } from "../../src/store/catalog.ts"
import { layerCatalogRows } from "../../src/store/catalog-rows.ts"
import { layerOperatorRows } from "../../src/store/operator-rows.ts"
import { accessPortsContract } from "../http/access-ports.ts"
import { actorHostContract } from "./actor-host.ts"
import { catalogContract } from "./catalog.ts"
import { deliveryRowsContract } from "./delivery-rows.ts"
import { emptied, liveHarness, openTestDatabase } from "./live.ts"
import type { LiveHarness, TestDatabase } from "./live.ts"
import { photoStoreContract } from "./photo-store.ts"
import { placesContract } from "./places.ts"
import { policiesContract } from "./policies.ts"
import { managementContract } from "./management.ts"
import { reservationRowsContract } from "./reservation-rows.ts"
import { servicesContract } from "./services.ts"
import { sessionRowsContract } from "./session-rows.ts"
import { sessionsContract } from "./sessions.ts"
import { webhookStoreContract } from "./webhook-store.ts"
import type { EnvironmentPolicy } from "../../src/services/policies.ts"

const layerAccessPorts = Layer.merge(layerAccessRows, layerRateCounter)
const layerManagementPorts = Layer.mergeAll(layerManagement, layerCatalogRows, layerOperatorRows)

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
  accessPortsContract(name, () => {
    const harness = make()
    return { run: (effect) => harness.run(Effect.provide(effect, layerAccessPorts)) }
  })
  managementContract(name, () => {
    const harness = make()
    return { run: (effect) => harness.run(Effect.provide(effect, layerManagementPorts)) }
  })
  reservationRowsContract(name, make)
  deliveryRowsContract(name, make)
  sessionRowsContract(name, make)
  sessionsContract(name, make)
  webhookStoreContract(name, make)
  policiesContract(name, make)
  photoStoreContract(name, make)
  placesContract(name, make)
  actorHostContract(name, make)
  servicesContract(name, make)
}
