/** One simulated run of the whole service: the same machines and services as live, over memory and virtual time. */

import { Context, Effect, FiberRef, HashSet, Layer } from "effect"
import type { Runtime } from "effect"
import { RECEIVED_KEPT_MAX } from "../model/values/limits.ts"
import { ENVIRONMENTS } from "../model/caller.ts"
import type { EpochMs } from "../model/values/time.ts"
import type { Entry } from "../engine/kernel/journal.ts"
import type { Program } from "../engine/kernel/program.ts"
import { layerPlainAccessRows } from "../http/access/access-repository.ts"
import { layerAdmission } from "../http/access/admission.ts"
import { ApiKeys } from "../http/access/api-keys.ts"
import type { AttemptCounter } from "../engine/services/rate-limits/attempts.ts"
import { OperatorRows } from "../http/access/operator-tokens.ts"
import { OperatorTokens } from "../http/access/operator-tokens.ts"
import { layerRatePolicy } from "../http/access/rate-limits.ts"
import type { RateLimits } from "../http/access/rate-limits.ts"
import { CatalogAdmin } from "../areas/catalog/catalog-admin.ts"
import { layerPlainCatalog, writeCatalogSite } from "../areas/catalog/catalog-repository.ts"
import { sites as declaredSites, CatalogRows } from "../areas/catalog/rows.ts"
import type { CatalogSite } from "../areas/catalog/rows.ts"
import { layerPlainSessionRows } from "../areas/analytics/session-repository.ts"
import { layerPlainMeasuredSites } from "../areas/analytics/site-repository.ts"
import { PhotoStore } from "../engine/services/photos/photo-store.ts"
import { layerPlainPhotoDecoder } from "../engine/services/photos/photo-decoder.ts"
import { layerPlainPlaces } from "../apps/operations/place-repository.ts"
import { Tables } from "../engine/services/tables/tables.ts"
import { CourierCheckout } from "../areas/courier/checkout.ts"
import { CourierOperations } from "../areas/courier/courier-operations.ts"
import { Courier } from "../areas/courier/courier.ts"
import { CourierSettings, DEFAULT_COURIER_SETTINGS } from "../areas/courier/settings.ts"
import type { CourierChoices } from "../areas/courier/settings.ts"
import { Tracking } from "../areas/tracking/tracking.ts"
import type { TrackingLinkChoices } from "../areas/direct-delivery/tracking-links.ts"
import { TrackingLinks } from "../areas/direct-delivery/tracking-links.ts"
import { FleetSettingsRows } from "../areas/dispatch/fleet-settings.ts"
import type { DeliverySite } from "../areas/direct-delivery/rows.ts"
import { LinkedUsers } from "../areas/linking/linked-users.ts"
import { ActorHost, Areas, Transaction } from "../engine/services/host.ts"
import { layerInboundSms } from "../areas/messages/inbound-sms.ts"
import { MessageNotices } from "../areas/messages/notices.ts"
import { layerUrlPolicy } from "../engine/services/outbound/url-policy.ts"
import { OperatedSites } from "../apps/operations/operated-sites.ts"
import { OperatorActionRows, layerOperatorActions } from "../apps/operators/actions.ts"
import { OperatorAccountRows } from "../apps/operators/rows.ts"
import { OperatorSessionRows, OperatorSessions } from "../apps/operators/operator-sessions.ts"
import { RunnerPhoneRows } from "../areas/runner-phones/rows.ts"
import { RunnerCalls } from "../areas/runner-phones/runner-calls.ts"
import { RunnerPhones } from "../areas/runner-phones/runner-phones.ts"
import { layerPhoneTasks } from "../apps/runner/phone-tasks.ts"
import { layerMessageNotices } from "../apps/portal/notice-recipients.ts"
import { layerPolicies, PolicyRows } from "../engine/services/policies.ts"
import type { EnvironmentPolicy } from "../engine/services/policies.ts"
import { layerServices } from "../apps/composition/services.ts"
import { layerArrivals } from "../engine/services/arrivals.ts"
import { DigestKey } from "../engine/services/digest-key.ts"
import { OpenLinkSecretRows } from "../areas/reservations/open-link-secrets.ts"
import { layerRetention } from "../engine/services/retention/retention.ts"
import { serviceTasks } from "../apps/composition/retention-tasks.ts"
import { layerPlainReservationRows } from "../areas/reservations/reservation-repository.ts"
import { layerMemoryDeliveries } from "../areas/direct-delivery/memory/delivery-rows.ts"
import {
  layerMemoryAttemptCounter,
  layerMemoryRateCounter,
} from "../http/access/memory/memory-window-counter.ts"
import { holdsOver, layerMemoryStoreDirectory } from "../areas/courier/memory/courier-rows.ts"
import { MemoryHost } from "../engine/memory/memory-host.ts"
import type { MemoryHostOptions } from "../engine/memory/memory-host.ts"
import { layerMemoryJournals } from "../engine/memory/memory-journals.ts"
import { layerMemoryTables } from "../engine/memory/memory-tables.ts"
import { layerMemoryPortalRows } from "../apps/portal/memory/portal.ts"
import { layerPlainWebhookLogRows } from "../areas/direct-delivery/webhook-log-repository.ts"
import { builtInOrder } from "../engine/library-internals/layers.ts"
import { OutsideWorld } from "./outside-world.ts"
import { program as serviceProgram } from "../apps/composition/program.ts"
import { ChargeRows } from "../areas/direct-delivery/charges.ts"
import { CourierClaims } from "../areas/courier/rows.ts"
import { CourierRows } from "../areas/courier/rows.ts"
import { layerErrandMemory } from "../areas/courier/errand-memory.ts"
import { MessageRows } from "../areas/messages/rows.ts"
import { LinkedUserRows } from "../areas/linking/rows.ts"
import { ProfileRows } from "../apps/portal/rows.ts"
import { layerQuoteWatch } from "../apps/portal/milestones.ts"
import { layerPlainMilestoneRows } from "../apps/portal/milestone-repository.ts"
import { layerPlainWebhookStore } from "../areas/webhooks/webhook-repository.ts"
import { Routine } from "../engine/services/routine.ts"

/** Every service that a caller of the simulated service may use. */
export type SimulatedServices = Exclude<Layer.Layer.Success<ReturnType<typeof layerSimulated>>, OfServices>

/** Rows and counters that a live service does not offer to its callers. */
type OfServices =
  | AttemptCounter
  | CatalogRows
  | OperatorAccountRows
  | OperatorActionRows
  | OperatorRows
  | OperatorSessionRows
  | RunnerPhoneRows

export interface SimulatedServiceOptions {
  readonly seed: number
  readonly startMs: EpochMs
  /** The catalog of both environments. */
  readonly sites: readonly CatalogSite[]
  /** Sites from which deliveries start. */
  readonly deliverySites?: readonly DeliverySite[]
  readonly recording: "full" | "off"
  readonly policy?: EnvironmentPolicy
  readonly rateLimits?: RateLimits
  /** Settings of the courier connector, above all its fleet. */
  readonly courier?: Partial<CourierChoices>
  /** A program other than the live one, with which tests plant bugs. */
  readonly program?: Program
  readonly rehearses?: MemoryHostOptions["rehearses"]
  readonly hostFaults?: Partial<MemoryHostOptions>
  /** Changes what the areas do: a fork answers calls as its journal has them. */
  readonly withAreas?: (areas: Areas["Type"]) => Areas["Type"]
}

export interface SimulatedService {
  readonly host: MemoryHost
  readonly world: OutsideWorld
  readonly runtime: Runtime.Runtime<SimulatedServices>
  /** The entry that wrote a text or a mail, by the message's id; one that a command without a turn wrote has none. */
  readonly writtenBy: ReadonlyMap<string, Entry>
}

/** The connector of a simulated run. */
const SIMULATED_COURIER: CourierChoices = {
  ...DEFAULT_COURIER_SETTINGS,
  fleetId: "fleet_scenario",
  baseUrl: "https://courier.curbline.example",
  linkKey: "simulated",
}

const SIMULATED_LINKS: TrackingLinkChoices = {
  key: SIMULATED_COURIER.linkKey,
  baseUrls: { production: SIMULATED_COURIER.baseUrl, sandbox: "https://sandbox.curbline.example" },
}

/** Builds the service; nothing has happened yet and the clock shows `startMs`. */
export function simulateService(options: SimulatedServiceOptions): SimulatedService {
  const {
    program = serviceProgram,
    seed,
    startMs,
    recording,
    rehearses = false,
    withAreas = asTheyAre,
  } = options
  const host = new MemoryHost({ program, seed, startMs, recording, rehearses, ...options.hostFaults })
  const writtenBy = new Map<string, Entry>()
  const world = new OutsideWorld(recording === "off" ? { keptMax: RECEIVED_KEPT_MAX } : {})
  Effect.runSync(
    writeSites(options).pipe(
      Effect.provideService(Transaction, host.transaction),
      Effect.provide(layerMemoryTables(host.store)),
    ),
  )
  // Layers are built before time begins: they need no time to start, and hold no resource to release.
  const context = Effect.runSync(
    Effect.scoped(builtInOrder(layerSimulated({ host, world, options, writtenBy }))),
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
  host.attach(withAreas(Context.get(context, Areas)), runtime)
  return { host, world, runtime, writtenBy }
}

interface Simulated {
  readonly host: MemoryHost
  readonly world: OutsideWorld
  readonly options: Omit<SimulatedServiceOptions, "seed" | "startMs">
  /** Filled as messages are written. */
  readonly writtenBy?: Map<string, Entry>
}

/** Every service over the ports of a run. */
export function layerSimulated({ host, world, options, writtenBy = new Map() }: Simulated) {
  const { recording } = options
  const ports = Layer.mergeAll(
    Layer.succeed(ActorHost, host.port),
    Layer.succeed(DigestKey, { key: "simulated" }),
    layerArrivals(),
    Layer.merge(
      layerRepositories,
      layerMemoryStoreDirectory(() => world.isStoreDirectoryDown),
    ).pipe(Layer.provide(layerMemoryTables(host.store))),
    layerMemoryRateCounter,
    layerMemoryAttemptCounter,
    layerRatePolicy(options.rateLimits),
    Layer.succeed(CourierSettings, { ...SIMULATED_COURIER, ...options.courier }),
    Layer.succeed(TrackingLinks, {
      ...SIMULATED_LINKS,
      key: options.courier?.linkKey ?? SIMULATED_LINKS.key,
    }),
    layerPolicies(options.policy).pipe(
      Layer.provideMerge(PolicyRows.layer.pipe(Layer.provide(layerMemoryTables(host.store)))),
    ),
    layerMemoryDeliveries(host.store, holdsOver(host.store)),
    layerUrlPolicy().pipe(Layer.provideMerge(world.layer)),
    layerMessagesOf(host, { recording, writtenBy }),
    layerMemoryJournals(host),
  )
  return layerSimulatedServices.pipe(Layer.provideMerge(layerServices), Layer.provideMerge(ports))
}

function asTheyAre(areas: Areas["Type"]): Areas["Type"] {
  return areas
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

/** Operators and runners, with their sessions and what they may do. */
const layerPeople = layerPhoneTasks.pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      OperatedSites.layer,
      layerOperatorActions,
      OperatorSessions.layer,
      OperatorTokens.layer,
      RunnerCalls.layer,
      RunnerPhones.layer,
    ),
  ),
)

/** What a simulated run has beside the services of every host. */
const layerSimulatedServices = Layer.mergeAll(
  layerAdmission,
  ApiKeys.layer,
  CatalogAdmin.layer,
  Courier.layer,
  CourierCheckout.layer,
  CourierOperations.layer,
  Tracking.layer,
  layerInboundSms({ answersKeywords: true }),
  layerPeople,
  layerRetention(serviceTasks),
)

/** Repositories over declared tables. */
const layerRepositories = Layer.mergeAll(
  CatalogRows.layer,
  layerPlainAccessRows,
  ChargeRows.layer,
  CourierClaims.layer,
  CourierRows.layer,
  layerErrandMemory,
  FleetSettingsRows.layer,
  LinkedUsers.layer.pipe(Layer.provide(LinkedUserRows.layer)),
  OpenLinkSecretRows.layer,
  OperatorAccountRows.layer,
  OperatorActionRows.layer,
  OperatorRows.layer,
  OperatorSessionRows.layer,
  PhotoStore.layer,
  layerPlainCatalog,
  layerPlainMeasuredSites,
  layerPlainPhotoDecoder,
  layerQuoteWatch.pipe(Layer.provideMerge(layerPlainMilestoneRows)),
  layerPlainPlaces,
  layerPlainReservationRows,
  layerPlainSessionRows,
  layerPlainWebhookLogRows,
  layerPlainWebhookStore,
  RunnerPhoneRows.layer,
)

/** The outbox. An unrecorded run keeps no messages, because nothing would ever remove them. */
function layerMessagesOf(
  host: MemoryHost,
  {
    recording,
    writtenBy,
  }: Pick<SimulatedServiceOptions, "recording"> & Required<Pick<Simulated, "writtenBy">>,
): Layer.Layer<MessageNotices | MessageRows> {
  const { store } = host
  const plain = MessageRows.layer.pipe(Layer.provide(layerMemoryTables(store)))
  const silent = { webhookDisabled: () => Routine.void, textCustomer: () => Routine.void }
  if (recording === "off") return Layer.merge(plain, Layer.succeed(MessageNotices, silent))
  const people = Layer.mergeAll(layerMemoryPortalRows, ProfileRows.layer).pipe(
    Layer.provide(layerMemoryTables(store)),
  )
  const rows = Layer.effect(
    MessageRows,
    Effect.map(MessageRows, (messages): MessageRows["Type"] => ({
      ...messages,
      insert: (message) => {
        const { writing } = host
        if (writing !== null) writtenBy.set(message.messageId, writing)
        return messages.insert(message)
      },
    })),
  ).pipe(Layer.provide(plain))
  return layerMessageNotices.pipe(Layer.provide(people), Layer.provideMerge(rows))
}
