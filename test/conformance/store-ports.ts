/** Every port of the stores, over a database and in memory. */

import { Layer } from "effect"
import { OperatorRows } from "../../src/services/access/operator-tokens.ts"
import { RateCounter } from "../../src/services/access/rate-limits.ts"
import { AccessRows } from "../../src/services/access/rows.ts"
import { SessionRows } from "../../src/services/analytics/rows.ts"
import { MeasuredSites } from "../../src/services/analytics/sites.ts"
import { Catalog } from "../../src/services/catalog/catalog.ts"
import { CatalogRows } from "../../src/services/catalog/rows.ts"
import { CourierClaims, CourierRows } from "../../src/services/courier/rows.ts"
import { StoreRows } from "../../src/services/courier/store-admin.ts"
import { StoreDirectory } from "../../src/services/courier/store-directory.ts"
import { ChargeRows } from "../../src/services/direct-delivery/charges.ts"
import { VehicleRows } from "../../src/services/dispatch/rows.ts"
import { DeliveryRows, DeliverySites } from "../../src/services/direct-delivery/rows.ts"
import { OperatorAudit } from "../../src/services/inspection/audit.ts"
import { OperatorSessionRows } from "../../src/services/inspection/operator-sessions.ts"
import { InspectedGroups } from "../../src/services/inspection/rows.ts"
import {
  ClientRows,
  GrantRows,
  LinkedUserRows,
  LinkingLimitRows,
  SmsCodeRows,
} from "../../src/services/linking/rows.ts"
import { MessageRows, OptOutRows } from "../../src/services/messages/rows.ts"
import { Places } from "../../src/services/operations/places.ts"
import { PhotoStore } from "../../src/services/photos/photo-store.ts"
import { PolicyRows } from "../../src/services/policies.ts"
import { MilestoneRows } from "../../src/services/portal/milestones.ts"
import { AttemptCounter } from "../../src/services/rate-limits/attempts.ts"
import { PortalRows, ProfileRows } from "../../src/services/portal/rows.ts"
import { OpenLinkSecretRows } from "../../src/services/reservations/open-link-secrets.ts"
import { ReservationRows } from "../../src/services/reservations/rows.ts"
import { Notices } from "../../src/services/webhooks/notices.ts"
import { WebhookStore } from "../../src/services/webhooks/store.ts"
import { WebhookLogRows } from "../../src/services/webhooks/webhook-log.ts"
import { layerPlainAccessRows } from "../../src/services/access/access-repository.ts"
import { layerMemoryGrantRows, layerMemoryLinkingLimits } from "../../src/simulation/memory-linking.ts"
import { layerMemoryTables } from "../../src/simulation/memory-tables.ts"
import {
  layerMemoryAttemptCounter,
  layerMemoryRateCounter,
} from "../../src/simulation/memory-window-counter.ts"
import { layerMemoryPortalRows } from "../../src/simulation/memory-portal.ts"
import type { MemoryStore } from "../../src/simulation/memory-store.ts"
import { layerAccessRows, layerRateCounter } from "../../src/store/access-rows.ts"
import { layerCatalog } from "../../src/store/catalog.ts"
import { layerCatalogRows } from "../../src/services/catalog/catalog-repository.ts"
import { layerChargeRows } from "../../src/services/direct-delivery/charge-repository.ts"
import {
  layerCourierClaims,
  layerCourierRows,
  layerStoreRows,
} from "../../src/services/courier/courier-repository.ts"
import { layerStoreDirectory } from "../../src/store/store-directory.ts"
import { layerSealedTables, layerTables } from "../../src/store/sql-tables.ts"
import { layerDeliveryStore } from "../../src/store/delivery-rows.ts"
import { layerGrantRows, layerLinkingLimitRows } from "../../src/store/grants.ts"
import { layerInspectedGroups } from "../../src/store/inspected-groups.ts"
import {
  layerClientRows,
  layerLinkedUserRows,
  layerSmsCodeRows,
} from "../../src/services/linking/linking-repository.ts"
import { layerMessageRows } from "../../src/services/messages/message-repository.ts"
import { layerMilestoneRows } from "../../src/store/milestones.ts"
import { layerOpenLinkSecretRows } from "../../src/services/reservations/open-link-secret-repository.ts"
import { layerOperatorRows } from "../../src/services/access/operator-token-repository.ts"
import {
  layerOperatorAudit,
  layerOperatorSessionRows,
} from "../../src/services/inspection/operator-repository.ts"
import { layerPhotoStore } from "../../src/services/photos/photo-repository.ts"
import { layerPlaces } from "../../src/store/places.ts"
import { layerPolicyRows } from "../../src/services/policy-repository.ts"
import { layerAttemptCounter } from "../../src/store/window-counter.ts"
import { layerProfileRows } from "../../src/services/portal/portal-repository.ts"
import { layerPortalRows } from "../../src/store/portal.ts"
import { layerReservationRows } from "../../src/store/reservation-rows.ts"
import { layerSecretBox } from "../../src/store/secret-box.ts"
import { layerSessionRows } from "../../src/store/sessions.ts"
import { layerMeasuredSites } from "../../src/store/sessions-sites.ts"
import { layerWebhookLogRows } from "../../src/store/webhook-log.ts"
import { layerWebhookStore } from "../../src/store/webhook-store.ts"

/** Repositories over declared tables. */
const layerRepositories = Layer.mergeAll(
  layerCatalogRows,
  layerChargeRows,
  layerClientRows,
  layerCourierClaims,
  layerCourierRows,
  layerLinkedUserRows,
  layerMessageRows,
  layerOpenLinkSecretRows,
  layerOperatorAudit,
  layerOperatorRows,
  layerOperatorSessionRows,
  layerPhotoStore,
  layerPolicyRows,
  layerProfileRows,
  layerSmsCodeRows,
  layerStoreRows,
)

/** Over one database. */
export const layerStorePorts = Layer.mergeAll(
  layerAccessRows,
  layerAttemptCounter,
  layerCatalog,
  layerDeliveryStore,
  layerGrantRows,
  layerInspectedGroups,
  layerLinkingLimitRows,
  layerMeasuredSites,
  layerMilestoneRows,
  layerPlaces,
  layerPortalRows,
  layerRateCounter,
  layerReservationRows,
  layerSessionRows,
  layerWebhookLogRows,
  layerWebhookStore,
  layerStoreDirectory,
  layerRepositories.pipe(Layer.provide(Layer.merge(layerTables, layerSealedTables("conformance")))),
).pipe(Layer.provide(layerSecretBox("conformance")))

export type StorePorts = Layer.Layer.Success<typeof layerStorePorts>

/** In memory, beside those that a simulated service has of its own. */
export function layerMoreMemoryPorts(store: MemoryStore) {
  return Layer.mergeAll(
    layerMemoryAttemptCounter,
    layerMemoryLinkingLimits(store),
    Layer.mergeAll(
      layerCatalogRows,
      layerClientRows,
      layerLinkedUserRows,
      layerMemoryGrantRows,
      layerMemoryPortalRows,
      layerOperatorRows,
      layerPlainAccessRows,
      layerProfileRows,
      layerSmsCodeRows,
      layerStoreRows,
    ).pipe(Layer.provide(layerMemoryTables(store))),
    layerMemoryRateCounter,
  )
}

/** Keys of the ports. */
export const STORE_PORTS: readonly string[] = [
  AccessRows,
  AttemptCounter,
  Catalog,
  CatalogRows,
  ChargeRows,
  ClientRows,
  CourierClaims,
  CourierRows,
  DeliveryRows,
  DeliverySites,
  GrantRows,
  InspectedGroups,
  LinkedUserRows,
  LinkingLimitRows,
  MeasuredSites,
  MessageRows,
  MilestoneRows,
  Notices,
  OpenLinkSecretRows,
  OperatorAudit,
  OperatorRows,
  OperatorSessionRows,
  OptOutRows,
  PhotoStore,
  Places,
  PolicyRows,
  PortalRows,
  ProfileRows,
  RateCounter,
  ReservationRows,
  SessionRows,
  SmsCodeRows,
  StoreDirectory,
  StoreRows,
  VehicleRows,
  WebhookLogRows,
  WebhookStore,
].map(({ key }) => key)

/** Ports that no simulated run has, and why. */
const NOT_IN_MEMORY: Readonly<Record<string, string>> = {
  InspectedGroups: "the inspector of a simulated run reads its record",
  OperatorAudit: "no events are sent by hand in a simulated run",
  OperatorSessionRows: "there is no sign-in to a simulated run",
}

export const MEMORY_PORTS = STORE_PORTS.filter((key) => !(key in NOT_IN_MEMORY))
