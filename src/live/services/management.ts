/**
 * Management of organizations and of the catalog, over a database: part of the service, and sufficient on its own for a
 * command.
 */

import { Effect, Layer } from "effect"
import { layerApiKeys } from "../../http/access/api-keys.ts"
import type { ApiKeys } from "../../http/access/api-keys.ts"
import { layerOperatorTokens } from "../../http/access/operator-tokens.ts"
import type { OperatorTokens } from "../../http/access/operator-tokens.ts"
import { layerRunnerPhoneRows } from "../../areas/runner-phones/runner-phone-repository.ts"
import { layerRunnerPhones } from "../../areas/runner-phones/runner-phones.ts"
import type { RunnerPhones } from "../../areas/runner-phones/runner-phones.ts"
import { layerOrganizations } from "../../apps/operations/organizations.ts"
import type { Organizations } from "../../apps/operations/organizations.ts"
import { layerCatalogRows } from "../../areas/catalog/catalog-repository.ts"
import { layerCatalogAdmin } from "../../areas/catalog/catalog-admin.ts"
import type { CatalogAdmin } from "../../areas/catalog/catalog-admin.ts"
import { layerSiteAdmin } from "../../apps/operations/sites.ts"
import type { SiteAdmin } from "../../apps/operations/sites.ts"
import { IDEMPOTENCY_WAIT_MS_MAX } from "../../model/values/limits.ts"
import type { Geocoder } from "../../engine/services/geocoding/geocoder.ts"
import { ActorHost } from "../../engine/services/host.ts"
import { program } from "../../apps/composition/program.ts"
import { layerAccessRows } from "../../http/access/store/access-rows.ts"
import type { Database } from "../../engine/store/database.ts"
import { layerTables } from "../../engine/store/sql-tables.ts"
import { freshNonce } from "../host/group-transactions.ts"
import { logFault, makeLiveHost } from "../host/live-host.ts"
import { layerOperatorAccounts } from "../../apps/operators/accounts.ts"
import type { OperatorAccounts } from "../../apps/operators/accounts.ts"
import { layerOperatorActions } from "../../apps/operators/actions.ts"
import type { OperatorActions } from "../../apps/operators/actions.ts"
import {
  layerOperatorAccountRows,
  layerOperatorActionRows,
  layerOperatorSessionRows,
} from "../../apps/operators/operator-repository.ts"
import { layerOperatorSessions } from "../../apps/operators/operator-sessions.ts"
import type { OperatorSessions } from "../../apps/operators/operator-sessions.ts"
import { layerAttemptCounter } from "../../engine/store/window-counter.ts"
import { layerOperatorRows } from "../../http/access/operator-token-repository.ts"

export type ManagementServices =
  | ApiKeys
  | CatalogAdmin
  | OperatorAccounts
  | OperatorActions
  | OperatorSessions
  | OperatorTokens
  | Organizations
  | RunnerPhones
  | SiteAdmin

export const layerManagement: Layer.Layer<ManagementServices, never, ActorHost | Database | Geocoder> =
  Layer.mergeAll(
    layerApiKeys,
    layerCatalogAdmin,
    layerSiteAdmin,
    layerOperatorAccounts,
    layerOperatorActions,
    layerOperatorSessions,
    layerOperatorTokens,
    layerOrganizations,
    layerRunnerPhones,
  ).pipe(
    Layer.provide(
      Layer.mergeAll(
        layerAccessRows,
        layerAttemptCounter,
        Layer.mergeAll(
          layerCatalogRows,
          layerOperatorAccountRows,
          layerOperatorActionRows,
          layerOperatorRows,
          layerOperatorSessionRows,
          layerRunnerPhoneRows,
        ).pipe(Layer.provide(layerTables)),
      ),
    ),
  )

/**
 * A host that runs transactions only: it takes no timers and makes no calls. It has no heartbeat, and so no row among the nodes:
 * after five seconds they would report it as gone.
 */
export const layerQuietHost: Layer.Layer<ActorHost, never, Database> = Layer.scoped(
  ActorHost,
  Effect.map(
    Effect.suspend(() =>
      makeLiveHost({
        program,
        onFault: logFault,
        keyWaitMsMax: IDEMPOTENCY_WAIT_MS_MAX,
        node: `command_${freshNonce()}`,
      }),
    ),
    ({ port }) => port,
  ),
)
