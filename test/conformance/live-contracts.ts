/** Every contract that a database may break, on the live host over the given database. */

import { Effect, Layer } from "effect"
import { expect } from "vitest"
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
import { liveHarnesses } from "./live-harnesses.ts"
import { emptied } from "./live.ts"
import type { LiveHarnessOptions } from "./live.ts"
import { photoStoreContract } from "./photo-store.ts"
import { placesContract } from "./places.ts"
import { policiesContract } from "./policies.ts"
import { managementContract } from "./management.ts"
import { reservationRowsContract } from "./reservation-rows.ts"
import { servicesContract } from "./services.ts"
import { sessionRowsContract } from "./session-rows.ts"
import { sessionsContract } from "./sessions.ts"
import { webhookStoreContract } from "./webhook-store.ts"

const layerAccessPorts = Layer.merge(layerAccessRows, layerRateCounter)
const layerManagementPorts = Layer.mergeAll(layerManagement, layerCatalogRows, layerOperatorRows)

export function liveContracts(
  name: string,
  layer: () => Promise<Layer.Layer<Database, DatabaseFault>>,
  options: LiveHarnessOptions = {},
): void {
  const { make, context: opened } = liveHarnesses(
    layer,
    ({ difference, entries }) => {
      expect(difference, `the journal of ${entries} entries replays`).toBeNull()
    },
    options,
  )

  catalogContract(name, () =>
    Layer.unwrapEffect(
      Effect.map(
        Effect.promise(async () => {
          const context = await opened()
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
