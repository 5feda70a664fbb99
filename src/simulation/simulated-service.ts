/** One simulated run of the whole service: the same machines and services as live, over memory and virtual time. */

import type { Runtime } from "effect"
import { Context, Effect, FiberRef, HashSet, Layer } from "effect"
import { RECEIVED_KEPT_MAX } from "../model/limits.ts"
import { ENVIRONMENTS } from "../model/caller.ts"
import type { EpochMs } from "../model/time.ts"
import type { Program } from "../kernel/program.ts"
import { layerPlainCatalog, writeCatalogSite } from "../services/catalog/catalog-repository.ts"
import type { Catalog } from "../services/catalog/catalog.ts"
import { sites as declaredSites } from "../services/catalog/rows.ts"
import type { CatalogSite } from "../services/catalog/rows.ts"
import { layerPlainSessionRows } from "../services/analytics/session-repository.ts"
import { layerPlainMeasuredSites } from "../services/analytics/site-repository.ts"
import { layerPhotoStore } from "../services/photos/photo-repository.ts"
import { layerPlainPlaces } from "../services/operations/place-repository.ts"
import { Tables } from "../services/tables/tables.ts"
import type { Analytics } from "../services/analytics/analytics.ts"
import { layerAnalytics } from "../services/analytics/analytics.ts"
import type { SessionRows } from "../services/analytics/rows.ts"
import type { MeasuredSites } from "../services/analytics/sites.ts"
import type { ChargeRows, Charges } from "../services/direct-delivery/charges.ts"
import { layerCharges } from "../services/direct-delivery/charges.ts"
import { layerCourierCheckout } from "../services/courier/checkout.ts"
import type { CourierCheckout } from "../services/courier/checkout.ts"
import { layerCourierOperations } from "../services/courier/courier-operations.ts"
import type { CourierOperations } from "../services/courier/courier-operations.ts"
import { layerCourier } from "../services/courier/courier.ts"
import type { Courier } from "../services/courier/courier.ts"
import type { CourierClaims, CourierRows } from "../services/courier/rows.ts"
import { CourierSettings, DEFAULT_COURIER_SETTINGS } from "../services/courier/settings.ts"
import type { CourierChoices } from "../services/courier/settings.ts"
import type { StoreDirectory } from "../services/courier/store-directory.ts"
import { layerCourierTracking } from "../services/courier/tracking.ts"
import type { CourierTracking } from "../services/courier/tracking.ts"
import type { DirectDelivery } from "../services/direct-delivery/direct-delivery.ts"
import { layerDirectDelivery } from "../services/direct-delivery/direct-delivery.ts"
import type { VehicleRows } from "../services/dispatch/rows.ts"
import type { DeliveryRows, DeliverySite, DeliverySites } from "../services/direct-delivery/rows.ts"
import { layerDeliveryOperations } from "../services/direct-delivery/delivery-operations.ts"
import type { DeliveryOperations } from "../services/direct-delivery/delivery-operations.ts"
import { layerRuns } from "../services/direct-delivery/runs.ts"
import type { Runs } from "../services/dispatch/runs.ts"
import type { Vehicles } from "../services/dispatch/vehicles.ts"
import { layerVehicles } from "../services/dispatch/vehicles.ts"
import { layerLinkedUsers } from "../services/linking/linked-users.ts"
import type { LinkedUsers } from "../services/linking/linked-users.ts"
import type { MessageRows, OptOutRows } from "../services/messages/rows.ts"
import { ActorHost, Areas, Transaction } from "../services/host.ts"
import { layerSmsConsent } from "../services/messages/consent.ts"
import type { SmsConsent } from "../services/messages/consent.ts"
import type { InboundSms } from "../services/messages/inbound-sms.ts"
import { layerInboundSms } from "../services/messages/inbound-sms.ts"
import { MessageNotices } from "../services/messages/notices.ts"
import type { MilestoneRows } from "../services/portal/milestones.ts"
import type { UrlPolicy } from "../services/outbound/url-policy.ts"
import { layerUrlPolicy } from "../services/outbound/url-policy.ts"
import { layerWindowPolicy } from "../services/operations/window-policy.ts"
import type { WindowPolicy } from "../services/operations/window-policy.ts"
import type { Places } from "../services/operations/places.ts"
import { layerRunnerBoard } from "../services/operations/runner-board.ts"
import type { RunnerBoard } from "../services/operations/runner-board.ts"
import type { PhotoStore } from "../services/photos/photo-store.ts"
import { layerMessageNotices } from "../services/portal/notices.ts"
import { layerPolicies } from "../services/policies.ts"
import type { EnvironmentPolicy, Policies, PolicyRows } from "../services/policies.ts"
import { layerAreas } from "../composition/areas.ts"
import { layerArrivals } from "../services/arrivals.ts"
import type { Arrivals } from "../services/arrivals.ts"
import type { Reservations } from "../services/reservations/reservations.ts"
import { DigestKey } from "../services/digest-key.ts"
import { layerReservations } from "../services/reservations/reservations.ts"
import type { OpenLinkSecrets } from "../services/reservations/open-link-secrets.ts"
import { layerOpenLinkSecrets } from "../services/reservations/open-link-secrets.ts"
import type { Retention } from "../services/retention/retention.ts"
import { layerRetention } from "../services/retention/retention.ts"
import { serviceTasks } from "../composition/retention-tasks.ts"
import type { ReservationRows } from "../services/reservations/rows.ts"
import type { RunnerTasks } from "../services/reservations/runner-tasks.ts"
import { layerRunnerTasks } from "../services/reservations/runner-tasks.ts"
import type { SandboxWalk } from "../services/reservations/sandbox-walk.ts"
import { layerSandboxWalk } from "../services/reservations/sandbox-walk.ts"
import type { PickupWebhooks } from "../services/webhooks/pickup-webhooks.ts"
import { layerPickupWebhooks } from "../services/webhooks/pickup-webhooks.ts"
import type { WebhookLog, WebhookLogRows } from "../services/webhooks/webhook-log.ts"
import { layerWebhookLog } from "../services/webhooks/webhook-log.ts"
import type { Webhooks } from "../services/webhooks/webhooks.ts"
import { layerWebhooks } from "../services/webhooks/webhooks.ts"
import type { WebhookStore } from "../services/webhooks/store.ts"
import { layerMemoryDeliveries } from "./memory-deliveries.ts"
import { layerMemoryRateCounter } from "./memory-window-counter.ts"
import { layerMemoryStoreDirectory } from "./memory-courier-rows.ts"
import { MemoryHost } from "./memory-host.ts"
import type { MemoryHostOptions } from "./memory-host.ts"
import { layerMemoryTables } from "./memory-tables.ts"
import { layerMemoryReservationRows } from "./memory-rows.ts"
import { layerMemoryPortalRows } from "./memory-portal.ts"
import { layerPlainWebhookLogRows } from "../services/direct-delivery/webhook-log-repository.ts"
import { OutsideWorld } from "./outside-world.ts"
import { program as serviceProgram } from "../composition/program.ts"
import { layerChargeRows } from "../services/direct-delivery/charge-repository.ts"
import { layerOpenLinkSecretRows } from "../services/reservations/open-link-secret-repository.ts"
import { layerCourierClaims, layerCourierRows } from "../services/courier/courier-repository.ts"
import { layerMessageRows } from "../services/messages/message-repository.ts"
import { layerLinkedUserRows } from "../services/linking/linking-repository.ts"
import { layerProfileRows } from "../services/portal/portal-repository.ts"
import { layerPlainMilestoneRows } from "../services/portal/milestone-repository.ts"
import { layerPlainWebhookStore } from "../services/webhooks/webhook-repository.ts"
import { layerPolicyRows } from "../services/policy-repository.ts"

/** Every service that a caller of the simulated service may use. */
export type SimulatedServices =
  | Arrivals
  | ActorHost
  | Analytics
  | Catalog
  | ChargeRows
  | Charges
  | DeliveryOperations
  | DeliveryRows
  | DeliverySites
  | InboundSms
  | MeasuredSites
  | MessageNotices
  | MessageRows
  | MilestoneRows
  | Courier
  | CourierCheckout
  | CourierClaims
  | CourierOperations
  | CourierRows
  | CourierSettings
  | CourierTracking
  | LinkedUsers
  | OpenLinkSecrets
  | OptOutRows
  | PhotoStore
  | Places
  | DirectDelivery
  | PickupWebhooks
  | Policies
  | PolicyRows
  | ReservationRows
  | Reservations
  | RunnerBoard
  | Retention
  | RunnerTasks
  | Runs
  | SandboxWalk
  | SessionRows
  | SmsConsent
  | StoreDirectory
  | UrlPolicy
  | VehicleRows
  | Vehicles
  | WebhookLog
  | WebhookLogRows
  | WebhookStore
  | Webhooks
  | WindowPolicy

export interface SimulatedServiceOptions {
  readonly seed: number
  readonly startMs: EpochMs
  /** The catalog of both environments. */
  readonly sites: readonly CatalogSite[]
  /** Sites from which deliveries start. */
  readonly deliverySites?: readonly DeliverySite[]
  readonly recording: "full" | "off"
  readonly policy?: EnvironmentPolicy
  /** Settings of the courier connector, above all its fleet. */
  readonly courier?: Partial<CourierChoices>
  /** A program other than the live one, with which tests plant bugs. */
  readonly program?: Program
  readonly rehearses?: MemoryHostOptions["rehearses"]
}

export interface SimulatedService {
  readonly host: MemoryHost
  readonly world: OutsideWorld
  readonly runtime: Runtime.Runtime<SimulatedServices>
}

/** The connector of a simulated run. */
const SIMULATED_COURIER: CourierChoices = {
  ...DEFAULT_COURIER_SETTINGS,
  fleetId: "fleet_scenario",
  baseUrl: "https://courier.curbline.example",
  linkKey: "simulated",
}

/** Builds the service; nothing has happened yet and the clock shows `startMs`. */
export function simulateService(options: SimulatedServiceOptions): SimulatedService {
  const { seed, startMs, recording, rehearses = false } = options
  const program = options.program ?? serviceProgram
  const host = new MemoryHost({ program, seed, startMs, recording, rehearses })
  const world = new OutsideWorld(recording === "off" ? { keptMax: RECEIVED_KEPT_MAX } : {})
  const ports = Layer.mergeAll(
    Layer.succeed(ActorHost, host.port),
    Layer.succeed(DigestKey, { key: "simulated" }),
    layerArrivals(),
    Layer.merge(
      layerRepositories,
      layerMemoryStoreDirectory(() => world.isStoreDirectoryDown),
    ).pipe(Layer.provide(layerMemoryTables(host.store))),
    layerMemoryRateCounter,
    Layer.succeed(CourierSettings, { ...SIMULATED_COURIER, ...options.courier }),
    layerMemoryReservationRows(host.store),
    layerPolicies(options.policy).pipe(
      Layer.provideMerge(layerPolicyRows.pipe(Layer.provide(layerMemoryTables(host.store)))),
    ),
    layerMemoryDeliveries(host.store),
    layerUrlPolicy().pipe(Layer.provideMerge(world.layer)),
    layerMessagesOf(host, recording),
  )
  Effect.runSync(
    writeSites(options).pipe(
      Effect.provideService(Transaction, host.transaction),
      Effect.provide(layerMemoryTables(host.store)),
    ),
  )
  const services = Layer.mergeAll(
    layerAnalytics,
    layerAreas,
    layerCourier,
    layerCourierCheckout,
    layerCourierOperations,
    layerCourierTracking,
    layerOpenLinkSecrets,
    layerDeliveries,
    layerInboundSms({ answersKeywords: true }),
    layerPickupWebhooks,
    layerVehicles,
    layerReservations,
    layerRunnerBoard,
    layerRetention(serviceTasks),
    layerRunnerTasks,
    layerSandboxWalk,
    layerWebhookLog,
    layerWebhooks,
    layerWindowPolicy,
  )
  // Layers are built before time begins: they wait for nothing and need no closing.
  const context = Effect.runSync(
    Effect.scoped(Layer.build(Layer.provideMerge(Layer.provideMerge(services, layerLowerServices), ports))),
  )
  // Log lines of a simulated run are dropped; the run is described by its record.
  const runtime = Effect.runSync(
    host.simulated(
      Effect.runtime<SimulatedServices | Areas>().pipe(
        Effect.provide(Context.add(context, Transaction, host.transaction)),
        Effect.locally(FiberRef.currentLoggers, HashSet.empty()),
      ),
    ),
  )
  host.attach(Context.get(context, Areas), runtime)
  return { host, world, runtime }
}

const writeSites = Effect.fnUntraced(function* ({
  sites,
  deliverySites = [],
}: Pick<SimulatedServiceOptions, "deliverySites" | "sites">) {
  const tables = yield* Tables
  for (const environment of ENVIRONMENTS) {
    for (const site of sites) yield* writeCatalogSite(tables, environment, site)
  }
  for (const site of deliverySites) yield* tables.of(declaredSites).upsert(site)
})

/** Services that the others call. */
const layerLowerServices = Layer.merge(layerRuns, layerSmsConsent)

/** Direct delivery for retailers and for operations. */
const layerDeliveries = Layer.mergeAll(layerCharges, layerDeliveryOperations, layerDirectDelivery)

/** Repositories over declared tables. */
const layerRepositories = Layer.mergeAll(
  layerChargeRows,
  layerCourierClaims,
  layerCourierRows,
  layerLinkedUsers.pipe(Layer.provide(layerLinkedUserRows)),
  layerOpenLinkSecretRows,
  layerPhotoStore,
  layerPlainCatalog,
  layerPlainMeasuredSites,
  layerPlainMilestoneRows,
  layerPlainPlaces,
  layerPlainSessionRows,
  layerPlainWebhookLogRows,
  layerPlainWebhookStore,
)

/** The outbox. An unrecorded run keeps no messages, because nothing would ever remove them. */
function layerMessagesOf(
  { store }: MemoryHost,
  recording: "full" | "off",
): Layer.Layer<MessageNotices | MessageRows> {
  const rows = layerMessageRows.pipe(Layer.provide(layerMemoryTables(store)))
  const silent = { webhookDisabled: () => Effect.void, textCustomer: () => Effect.void }
  if (recording === "off") return Layer.merge(rows, Layer.succeed(MessageNotices, silent))
  const people = Layer.mergeAll(layerMemoryPortalRows, layerProfileRows).pipe(
    Layer.provide(layerMemoryTables(store)),
  )
  return layerMessageNotices.pipe(Layer.provide(people), Layer.provideMerge(rows))
}
