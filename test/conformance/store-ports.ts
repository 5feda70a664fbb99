/** Every port of the stores, over a database and in memory. */

import { Layer } from "effect"
import { OperatorRows } from "../../src/http/access/operator-tokens.ts"
import { RateCounter } from "../../src/http/access/rate-limits.ts"
import { AuditRows } from "../../src/http/access/audit-log.ts"
import { CallRows } from "../../src/http/access/call-rows.ts"
import { AccessRows } from "../../src/http/access/rows.ts"
import { SessionRows } from "../../src/areas/analytics/rows.ts"
import { MeasuredSites } from "../../src/areas/analytics/sites.ts"
import { Catalog } from "../../src/areas/catalog/catalog.ts"
import { CatalogRows } from "../../src/areas/catalog/rows.ts"
import { ClockRows } from "../../src/areas/clock/rows.ts"
import { CourierClaims, CourierRows } from "../../src/areas/courier/rows.ts"
import { StoreRows } from "../../src/areas/courier/directory/store-admin.ts"
import { StoreDirectory } from "../../src/areas/courier/directory/store-directory.ts"
import { ChargeRows } from "../../src/areas/direct-delivery/charges.ts"
import { VehicleRows } from "../../src/areas/dispatch/rows.ts"
import { DeliveryRows, DeliverySites } from "../../src/areas/direct-delivery/rows.ts"
import { OperatorAudit } from "../../src/apps/inspector/audit.ts"
import { OperatorSessionRows } from "../../src/apps/operators/operator-sessions.ts"
import { KeptBodies } from "../../src/apps/inspector/kept-bodies.ts"
import { InspectedGroups } from "../../src/apps/inspector/rows.ts"
import {
  ClientRows,
  GrantRows,
  LinkedUserRows,
  LinkingLimitRows,
  SmsCodeRows,
  TerminalCodeRows,
} from "../../src/areas/linking/rows.ts"
import { MessageRows, OptOutRows } from "../../src/areas/messages/rows.ts"
import { GroupJournals } from "../../src/engine/services/group-journals.ts"
import { ChangedGroups } from "../../src/engine/services/changed-groups.ts"
import { ListRows } from "../../src/apps/operations/list-rows.ts"
import { SearchRows } from "../../src/apps/operations/search.ts"
import { layerListRows } from "../../src/apps/operations/store/lists.ts"
import { layerSearchRows } from "../../src/apps/operations/store/search.ts"
import { CaseJournals } from "../../src/apps/operations/case-moment.ts"
import { layerCaseJournals } from "../../src/apps/operations/store/case-journals.ts"
import { SiteDayRows } from "../../src/apps/operations/site-day.ts"
import { SiteHistory } from "../../src/apps/operations/site-forecast.ts"
import { layerSiteDayRows } from "../../src/apps/operations/store/site-day.ts"
import { layerSiteHistory } from "../../src/apps/operations/store/site-history.ts"
import { layerChangedGroups } from "../../src/engine/store/changed-groups.ts"
import { Places } from "../../src/apps/operations/places.ts"
import { PhotoStore } from "../../src/engine/services/photos/photo-store.ts"
import { PolicyRows } from "../../src/engine/services/policies.ts"
import { MilestoneRows } from "../../src/apps/portal/milestones.ts"
import { AttemptCounter } from "../../src/engine/services/rate-limits/attempts.ts"
import { PortalRows, ProfileRows } from "../../src/apps/portal/rows.ts"
import { FormerRows } from "../../src/apps/portal/people/former-members.ts"
import { PartnerRequestRows } from "../../src/apps/portal/partner-requests.ts"
import { SiteRequestRows } from "../../src/apps/portal/site-requests.ts"
import { SecondFactorRows } from "../../src/apps/portal/people/second-factor-rows.ts"
import { RunnerPhoneRows } from "../../src/areas/runner-phones/rows.ts"
import { FleetSettingsRows } from "../../src/areas/dispatch/fleet-settings.ts"
import { OpenLinkSecretRows } from "../../src/areas/reservations/open-link-secrets.ts"
import { ReservationRows } from "../../src/areas/reservations/rows.ts"
import { Notices } from "../../src/areas/webhooks/notices.ts"
import { WebhookStore } from "../../src/areas/webhooks/store.ts"
import { WebhookLogRows } from "../../src/areas/webhooks/webhook-log.ts"
import { layerPlainCallRows } from "../../src/http/access/call-repository.ts"
import { layerPlainAccessRows } from "../../src/http/access/access-repository.ts"
import { layerMemoryGrantRows, layerMemoryLinkingLimits } from "../../src/areas/linking/memory/linking.ts"
import { layerMemoryTables } from "../../src/engine/memory/memory-tables.ts"
import {
  layerMemoryAttemptCounter,
  layerMemoryRateCounter,
} from "../../src/http/access/memory/memory-window-counter.ts"
import { layerMemoryPortalRows } from "../../src/apps/portal/memory/portal.ts"
import type { MemoryStore } from "../../src/engine/memory/memory-store.ts"
import { layerCallRows } from "../../src/http/access/store/call-rows.ts"
import { layerAccessRows, layerRateCounter } from "../../src/http/access/store/access-rows.ts"
import { layerCatalog } from "../../src/areas/catalog/store/bookable-catalog.ts"
import { CourseRows } from "../../src/areas/courses/rows.ts"
import { layerHoldsInSql } from "../../src/areas/courier/store/holds.ts"
import { layerStoreDirectory } from "../../src/areas/courier/store/stored-directory.ts"
import { layerSealedTables, layerTables } from "../../src/engine/store/sql-tables.ts"
import { layerChargeRows } from "../../src/areas/direct-delivery/store/charge-rows.ts"
import { layerDeliveryStore } from "../../src/areas/direct-delivery/store/delivery-rows.ts"
import { layerGrantRows, layerLinkingLimitRows } from "../../src/areas/linking/store/grants.ts"
import { layerInspectedGroups } from "../../src/apps/inspector/store/inspected-groups.ts"
import { layerKeptBodies } from "../../src/apps/inspector/store/kept-bodies.ts"
import { layerMilestoneRows } from "../../src/apps/portal/store/milestones.ts"
import { OperatorActionRows } from "../../src/apps/operators/actions.ts"
import { OperatorAccountRows, OperatorFactorRows } from "../../src/apps/operators/rows.ts"
import { layerPlaces } from "../../src/apps/operations/store/places.ts"
import { layerAttemptCounter } from "../../src/engine/store/window-counter.ts"
import { layerPortalRows } from "../../src/apps/portal/store/portal-sessions.ts"
import { layerReservationRows } from "../../src/areas/reservations/store/reservation-rows.ts"
import { layerGroupJournals } from "../../src/engine/store/group-journals.ts"
import { layerSecretBox } from "../../src/engine/store/secret-box.ts"
import { layerSessionRows } from "../../src/areas/analytics/store/sessions.ts"
import { layerMeasuredSites } from "../../src/areas/analytics/store/sessions-sites.ts"
import { layerWebhookLogRows } from "../../src/areas/direct-delivery/store/webhook-log.ts"
import { layerWebhookStore } from "../../src/areas/webhooks/store/webhook-store.ts"

/** Repositories over declared tables. */
const layerRepositories = Layer.mergeAll(
  AuditRows.layer,
  CatalogRows.layer,
  ClientRows.layer,
  ClockRows.layer,
  CourierClaims.layer,
  CourierRows.layer,
  CourseRows.layer,
  FleetSettingsRows.layer,
  FormerRows.layer,
  LinkedUserRows.layer,
  MessageRows.layer,
  OpenLinkSecretRows.layer,
  OperatorAudit.layer,
  OperatorRows.layer,
  OperatorAccountRows.layer,
  OperatorActionRows.layer,
  OperatorFactorRows.layer,
  OperatorSessionRows.layer,
  PartnerRequestRows.layer,
  PhotoStore.layer,
  PolicyRows.layer,
  ProfileRows.layer,
  RunnerPhoneRows.layer,
  SecondFactorRows.layer,
  SiteRequestRows.layer,
  SmsCodeRows.layer,
  TerminalCodeRows.layer,
  StoreRows.layer,
)

/** Over one database. */
export const layerStorePorts = Layer.mergeAll(
  layerAccessRows,
  layerAttemptCounter,
  layerCallRows,
  layerCaseJournals,
  layerCatalog,
  layerChangedGroups,
  layerChargeRows,
  layerDeliveryStore.pipe(Layer.provide(layerHoldsInSql)),
  layerGrantRows,
  layerGroupJournals,
  layerInspectedGroups,
  layerKeptBodies,
  layerLinkingLimitRows,
  layerMeasuredSites,
  layerListRows,
  layerSearchRows,
  layerSiteDayRows,
  layerSiteHistory,
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
      CatalogRows.layer,
      ClientRows.layer,
      ClockRows.layer,
      CourseRows.layer,
      LinkedUserRows.layer,
      layerMemoryGrantRows,
      layerMemoryPortalRows,
      OperatorRows.layer,
      AuditRows.layer,
      layerPlainAccessRows,
      layerPlainCallRows,
      FormerRows.layer,
      PartnerRequestRows.layer,
      ProfileRows.layer,
      RunnerPhoneRows.layer,
      SecondFactorRows.layer,
      SiteRequestRows.layer,
      SmsCodeRows.layer,
      TerminalCodeRows.layer,
      StoreRows.layer,
    ).pipe(Layer.provide(layerMemoryTables(store))),
    layerMemoryRateCounter,
  )
}

/** Keys of the ports. */
export const STORE_PORTS: readonly string[] = [
  AccessRows,
  AttemptCounter,
  AuditRows,
  CallRows,
  Catalog,
  CaseJournals,
  CatalogRows,
  ChangedGroups,
  ChargeRows,
  ClientRows,
  ClockRows,
  CourierClaims,
  CourierRows,
  CourseRows,
  DeliveryRows,
  DeliverySites,
  FleetSettingsRows,
  FormerRows,
  GrantRows,
  GroupJournals,
  InspectedGroups,
  KeptBodies,
  LinkedUserRows,
  LinkingLimitRows,
  ListRows,
  MeasuredSites,
  MessageRows,
  MilestoneRows,
  Notices,
  OpenLinkSecretRows,
  OperatorAccountRows,
  OperatorActionRows,
  OperatorAudit,
  OperatorFactorRows,
  OperatorRows,
  OperatorSessionRows,
  OptOutRows,
  PartnerRequestRows,
  PhotoStore,
  Places,
  PolicyRows,
  PortalRows,
  ProfileRows,
  RateCounter,
  ReservationRows,
  RunnerPhoneRows,
  SearchRows,
  SecondFactorRows,
  SessionRows,
  SiteDayRows,
  SiteHistory,
  SiteRequestRows,
  SmsCodeRows,
  TerminalCodeRows,
  StoreDirectory,
  StoreRows,
  VehicleRows,
  WebhookLogRows,
  WebhookStore,
].map(({ key }) => key)

/** Ports that no simulated run has, and why. */
const NOT_IN_MEMORY: Readonly<Record<string, string>> = {
  CaseJournals: "the moment of a simulated case is found in its record",
  ChangedGroups: "no stream follows a simulated run",
  InspectedGroups: "the inspector of a simulated run reads its record",
  KeptBodies: "a simulated run sends no requests",
  ListRows: "a simulated run has no lists of operations",
  OperatorAudit: "no events are sent by hand in a simulated run",
  SearchRows: "a simulated run has no search",
  SiteDayRows: "a simulated run has a course of its own",
  SiteHistory: "a simulated run has no forecast of the service",
  OperatorAccountRows: "there is no sign-in to a simulated run",
  OperatorActionRows: "no operator acts in a simulated run",
  OperatorFactorRows: "there is no sign-in to a simulated run",
  OperatorSessionRows: "there is no sign-in to a simulated run",
}

export const MEMORY_PORTS = STORE_PORTS.filter((key) => !(key in NOT_IN_MEMORY))
