/**
 * Management of organizations and of the catalog, over a database: part of the service, and sufficient on its own for a
 * command.
 */

import { Effect, Layer } from "effect"
import { ApiKeys } from "../../http/access/api-keys.ts"
import { OperatorTokens, OperatorRows } from "../../http/access/operator-tokens.ts"
import { RunnerPhoneRows } from "../../areas/runner-phones/rows.ts"
import { RunnerPhones } from "../../areas/runner-phones/runner-phones.ts"
import { Organizations } from "../../apps/operations/organizations.ts"
import { PartnerRequestRows } from "../../apps/portal/partner-requests.ts"
import { CatalogRows } from "../../areas/catalog/rows.ts"
import { CatalogAdmin } from "../../areas/catalog/catalog-admin.ts"
import { DeliverySites } from "../../areas/direct-delivery/rows.ts"
import { SiteAdmin } from "../../apps/operations/sites.ts"
import { IDEMPOTENCY_WAIT_MS_MAX } from "../../model/values/limits.ts"
import type { Geocoder } from "../../engine/services/geocoding/geocoder.ts"
import { ActorHost } from "../../engine/services/host.ts"
import { program } from "../../apps/composition/program.ts"
import { layerAccessRows } from "../../http/access/store/access-rows.ts"
import type { Database } from "../../engine/store/database.ts"
import { layerTables } from "../../engine/store/sql-tables.ts"
import { freshNonce } from "../host/group-transactions.ts"
import { logFault, makeLiveHost } from "../host/live-host.ts"
import { OperatorAccounts } from "../../apps/operators/accounts.ts"
import { OperatorActionRows, layerOperatorActions } from "../../apps/operators/actions.ts"
import type { OperatorActions } from "../../apps/operators/actions.ts"
import { OperatorAccountRows } from "../../apps/operators/rows.ts"
import { OperatorSessionRows, OperatorSessions } from "../../apps/operators/operator-sessions.ts"
import { layerAttemptCounter } from "../../engine/store/window-counter.ts"

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
    ApiKeys.layer,
    CatalogAdmin.layer,
    SiteAdmin.layer,
    OperatorAccounts.layer,
    layerOperatorActions,
    OperatorSessions.layer,
    OperatorTokens.layer,
    Organizations.layer,
    RunnerPhones.layer,
  ).pipe(
    Layer.provide(
      Layer.mergeAll(
        layerAccessRows,
        layerAttemptCounter,
        Layer.mergeAll(
          CatalogRows.layer,
          DeliverySites.layer,
          OperatorAccountRows.layer,
          OperatorActionRows.layer,
          OperatorRows.layer,
          OperatorSessionRows.layer,
          PartnerRequestRows.layer,
          RunnerPhoneRows.layer,
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
