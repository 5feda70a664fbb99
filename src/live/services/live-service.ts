/** The live service in one layer: services, areas, host and store, over a database and the outside ports. */

import { Context, Effect, Fiber, Layer, identity } from "effect"
import { IDEMPOTENCY_WAIT_MS_MAX } from "../../model/values/limits.ts"
import type { Program } from "../../engine/kernel/program.ts"
import { ClockRows } from "../../areas/clock/rows.ts"
import { SandboxClock } from "../../areas/clock/sandbox-clock.ts"
import { CourseRows } from "../../areas/courses/rows.ts"
import { SandboxCourses } from "../../areas/courses/courses.ts"
import { layerCoursePlayer } from "../../areas/courses/play.ts"
import { TestDeliveries } from "../../areas/courses/test-deliveries.ts"
import { TestReservations } from "../../areas/courses/test-reservations.ts"
import { layerBuiltInPayments } from "../../areas/courier/built-in-payments.ts"
import type { Payments } from "../../areas/courier/payments.ts"
import { CourierSettings, DEFAULT_COURIER_SETTINGS } from "../../areas/courier/settings.ts"
import type { CourierChoices } from "../../areas/courier/settings.ts"
import type { StoreDirectory } from "../../areas/courier/directory/store-directory.ts"
import type { Geocoder } from "../../engine/services/geocoding/geocoder.ts"
import { layerBuiltInGeocoder } from "../../engine/services/geocoding/built-in-geocoder.ts"
import { ActorHost, Areas } from "../../engine/services/host.ts"
import { layerInboundSms } from "../../areas/messages/inbound-sms.ts"
import type { UrlPolicyOptions } from "../../engine/services/outbound/url-policy.ts"
import { layerUrlPolicy } from "../../engine/services/outbound/url-policy.ts"
import { RunnerPhoneRows } from "../../areas/runner-phones/rows.ts"
import type { PhotoDecoder } from "../../engine/services/photos/photo-decoder.ts"
import { OperatedSites } from "../../apps/operations/operated-sites.ts"
import { DeliveryCase } from "../../apps/operations/delivery-case.ts"
import { ReservationCase } from "../../apps/operations/reservation-case.ts"
import { OperationsLists } from "../../apps/operations/lists.ts"
import { layerListRows } from "../../apps/operations/store/lists.ts"
import { Search } from "../../apps/operations/search.ts"
import { layerSearchRows } from "../../apps/operations/store/search.ts"
import { SiteBoard } from "../../apps/operations/site-board.ts"
import { SiteDays } from "../../apps/operations/site-day.ts"
import { CaseMoments } from "../../apps/operations/case-moment.ts"
import { SiteForecasts } from "../../apps/operations/site-forecast.ts"
import { layerCaseJournals } from "../../apps/operations/store/case-journals.ts"
import { layerSiteDayRows } from "../../apps/operations/store/site-day.ts"
import { layerSiteHistory } from "../../apps/operations/store/site-history.ts"
import { layerForecaster } from "../forecasts/forecaster.ts"
import { layerMomentFinder } from "../moments/moment-finder.ts"
import type { MomentFinderOptions } from "../moments/moment-finder.ts"
import { layerDayCourses } from "../site-days/day-courses.ts"
import type { ForecasterOptions } from "../forecasts/forecaster.ts"
import { SiteTopics } from "../../apps/operations/site-topics.ts"
import { CatalogRows } from "../../areas/catalog/rows.ts"
import { DEFAULT_POLICY, layerPolicies, PolicyRows } from "../../engine/services/policies.ts"
import type { EnvironmentPolicy } from "../../engine/services/policies.ts"
import { layerServices } from "../../apps/composition/services.ts"
import { layerDryRun } from "../../apps/composition/dry-run.ts"
import { layerArrivals } from "../../engine/services/arrivals.ts"
import { DigestKey } from "../../engine/services/digest-key.ts"
import { FleetSettingsRows } from "../../areas/dispatch/fleet-settings.ts"
import { OpenLinkSecretRows } from "../../areas/reservations/open-link-secrets.ts"
import type { RetentionTask } from "../../engine/services/retention/retention.ts"
import { layerRetention } from "../../engine/services/retention/retention.ts"
import {
  clockTasks,
  courseTasks,
  requestCountTask,
  serviceTasks,
} from "../../apps/composition/retention-tasks.ts"
import { WhatHappened } from "../../apps/developers/what-happened.ts"
import { SandboxEvents } from "../../areas/webhooks/sandbox-events.ts"
import { EndpointOperations } from "../../areas/webhooks/endpoint-operations.ts"
import { program as serviceProgram } from "../../apps/composition/program.ts"
import { layerRateCounter } from "../../http/access/store/access-rows.ts"
import { layerCatalog } from "../../areas/catalog/store/bookable-catalog.ts"
import { layerSealedTables, layerTables } from "../../engine/store/sql-tables.ts"
import { layerStoreDirectory } from "../../areas/courier/store/stored-directory.ts"
import { Database } from "../../engine/store/database.ts"
import { PhotoStore } from "../../engine/services/photos/photo-store.ts"
import { layerSharpPhotos } from "../gateways/sharp-photos.ts"
import { layerPlaces } from "../../apps/operations/store/places.ts"
import { layerChangedGroups } from "../../engine/store/changed-groups.ts"
import { layerGroupJournals } from "../../engine/store/group-journals.ts"
import { NodeRows } from "../../engine/store/node-rows.ts"
import { layerHoldsInSql } from "../../areas/courier/store/holds.ts"
import { layerDeliveryStore } from "../../areas/direct-delivery/store/delivery-rows.ts"
import { layerReservationRows } from "../../areas/reservations/store/reservation-rows.ts"
import { layerSecretBox } from "../../engine/store/secret-box.ts"
import { layerSessionRows } from "../../areas/analytics/store/sessions.ts"
import { layerMeasuredSites } from "../../areas/analytics/store/sessions-sites.ts"
import { layerWebhookLogRows } from "../../areas/direct-delivery/store/webhook-log.ts"
import { layerWebhookStore } from "../../areas/webhooks/store/webhook-store.ts"
import { layerQuoteWatch } from "../../apps/portal/milestones.ts"
import { layerMilestoneRows } from "../../apps/portal/store/milestones.ts"
import { layerClockHost, layerClockMover } from "../host/clock-moves.ts"
import { layerCourseBook } from "./course-files.ts"
import type { CallThread } from "../calls/call-thread.ts"
import { logFault, makeLiveHost } from "../host/live-host.ts"
import type { LiveHost, LiveHostOptions } from "../host/live-host.ts"
import type { LiveObserver } from "../observation/observer.ts"
import { watchNodes } from "../host/node-watch.ts"
import { LOCAL_URL } from "../../apps/portal/portal-address.ts"
import { layerMessages } from "./portal.ts"
import type { PortalLayerOptions } from "./portal.ts"
import { serviceScheduler } from "../concurrency/scheduler.ts"
import { retryFull, wakeUp } from "../host/wake-up.ts"
import { receivedRequests } from "../observation/received-requests.ts"
import { CourierClaims } from "../../areas/courier/rows.ts"
import { CourierRows } from "../../areas/courier/rows.ts"
import { layerErrandMemory } from "../../areas/courier/errand-memory.ts"
import { layerChargeRows } from "../../areas/direct-delivery/store/charge-rows.ts"
import { TrackingLinks } from "../../areas/direct-delivery/tracking-links.ts"
import type { Environment } from "../../model/caller.ts"

/** Every service that a caller of the live service may use. */
export type LiveServices = Exclude<Layer.Layer.Success<ReturnType<typeof layerLiveService>>, RunningHost>

/** The host itself, for code that drives or watches it. */
export class RunningHost extends Context.Tag("RunningHost")<RunningHost, LiveHost>() {}

export interface LiveServiceOptions {
  /** Key of the digests that compare idempotent retries. */
  readonly digestKey: string
  /** Key that seals the secrets of webhook endpoints in their rows. */
  readonly secretKey: string
  readonly policy?: EnvironmentPolicy
  /** Settings of the courier connector; its default fleet is the demo's. */
  readonly courier?: Partial<CourierChoices>
  /** URLs of both hosts, for links to tracking pages; default: this machine's usual ones. */
  readonly baseUrls?: Readonly<Record<Environment, string>>
  /** The payment processor; default: the built-in one. */
  readonly payments?: Layer.Layer<Payments>
  readonly urlPolicy?: UrlPolicyOptions
  readonly program?: Program
  readonly onFault?: LiveHostOptions["onFault"]
  readonly rehearses?: LiveHostOptions["rehearses"]
  readonly mailboxEntriesMax?: LiveHostOptions["mailboxEntriesMax"]
  readonly startOf?: LiveHostOptions["startOf"]
  readonly observer?: LiveObserver
  /** The thread that sends webhooks; without it the host makes all calls. */
  readonly thread?: CallThread
  /** The node that this service belongs to; by default it is a node of its own. */
  readonly node?: string
  readonly mayCall?: LiveHostOptions["mayCall"]
  readonly nonce?: LiveHostOptions["nonce"]
  readonly keyWaitMsMax?: number
  /** How long a result of a call waits for others to share its transaction, by the machine's clock. */
  readonly resultsWaitMs?: number
  /** Further retention tasks, beside those of the service's own rows. */
  readonly retention?: Effect.Effect<readonly RetentionTask[], never, Database>
  /** False: the caller takes what is due, as tests with a clock of their own do. */
  readonly wakesUp?: boolean
  /** The key that seals messages; by default it is derived from `secretKey`. */
  readonly pages?: PortalLayerOptions
  /** The geocoder; default: the built-in sample. */
  readonly geocoder?: Layer.Layer<Geocoder>
  /** How photos are decoded; default: by sharp. */
  readonly photos?: Layer.Layer<PhotoDecoder>
  /** The directory of stores; default: the one that is stored in the database. */
  readonly storeDirectory?: Layer.Layer<StoreDirectory, never, Database>
  /** How forecasts of sites are made; default: on a thread. */
  readonly forecasts?: ForecasterOptions
  /** How moments of cases are found; default: on a thread. */
  readonly moments?: MomentFinderOptions
  /** True when this service, not the SMS provider, answers customers' keywords. */
  readonly answersKeywords?: boolean
  /** Changes what the areas do: the swarm makes calls whose results are lost or late. */
  readonly withAreas?: (areas: Areas["Type"]) => Areas["Type"]
}

/**
 * The running service. On release it stops the wake-up, then waits for calls in flight, up to a bound; the database is
 * released after that.
 */
export function layerLiveService(options: LiveServiceOptions) {
  const { digestKey, secretKey, policy = DEFAULT_POLICY, wakesUp = true } = options
  const withAreas = options.withAreas ?? identity
  const host = Layer.scoped(RunningHost, hostOf(options))
  const port = Effect.map(RunningHost, (running) => running.port)
  const ports = Layer.mergeAll(
    Layer.effect(ActorHost, port),
    Layer.succeed(DigestKey, { key: digestKey }),
    layerCatalog,
    Layer.merge(ClockRows.layer, CourseRows.layer).pipe(Layer.provide(layerTables)),
    layerMeasuredSites,
    layerReservationRows,
    layerSessionRows,
    layerWebhookStore.pipe(Layer.provide(layerSecretBox(secretKey))),
    layerOpeningRows.pipe(Layer.provide(layerSealedTables(secretKey))),
    layerArrivals(receivedRequests),
    Layer.merge(PhotoStore.layer.pipe(Layer.provide(layerTables)), options.photos ?? layerSharpPhotos),
    layerPlaces,
    layerPolicies(policy).pipe(Layer.provideMerge(PolicyRows.layer.pipe(Layer.provide(layerTables)))),
    layerDeliveryStore.pipe(Layer.provide(layerHoldsInSql)),
    layerChargeRows,
    layerWebhookLogRows,
    layerQuoteWatch.pipe(Layer.provideMerge(layerMilestoneRows)),
    Layer.merge(layerChangedGroups, layerGroupJournals),
    options.geocoder ?? layerBuiltInGeocoder,
    layerCourierPorts(options),
    layerUrlPolicy(options.urlPolicy),
    layerMessages(options.pages ?? { secretKey: `messages ${secretKey}`, baseUrl: LOCAL_URL }),
  ).pipe(Layer.provideMerge(layerClockHost(RunningHost).pipe(Layer.provideMerge(host))))
  const services = Layer.mergeAll(
    layerEndpointServices,
    layerForecasts(options.forecasts),
    layerMoments(options.moments),
    layerDays,
    layerInboundSms({ answersKeywords: options.answersKeywords ?? false }),
    layerRetention(tasksOf(options)).pipe(Layer.provide(layerRateCounter)),
    layerSites,
  ).pipe(Layer.provideMerge(layerServices))
  return layerRunning({ wakesUp, withAreas }).pipe(
    Layer.merge(Layer.setScheduler(serviceScheduler)),
    Layer.provideMerge(layerSandbox(wakesUp)),
    Layer.provideMerge(services),
    Layer.provideMerge(ports),
  )
}

function hostOf(options: LiveServiceOptions) {
  return makeLiveHost({
    program: options.program ?? serviceProgram,
    onFault: options.onFault ?? logFault,
    ...(options.observer === undefined ? {} : { observer: options.observer }),
    ...(options.thread === undefined ? {} : { thread: options.thread }),
    ...(options.rehearses === undefined ? {} : { rehearses: options.rehearses }),
    ...(options.mailboxEntriesMax === undefined ? {} : { mailboxEntriesMax: options.mailboxEntriesMax }),
    ...(options.startOf === undefined ? {} : { startOf: options.startOf }),
    ...(options.node === undefined ? {} : { node: options.node }),
    ...(options.mayCall === undefined ? {} : { mayCall: options.mayCall }),
    ...(options.nonce === undefined ? {} : { nonce: options.nonce }),
    ...(options.resultsWaitMs === undefined ? {} : { resultsWaitMs: options.resultsWaitMs }),
    keyWaitMsMax: options.keyWaitMsMax ?? IDEMPOTENCY_WAIT_MS_MAX,
  })
}

/** Clocks and courses of the sandbox, over the other services. */
function layerSandbox(wakesUp: boolean) {
  return Layer.mergeAll(SandboxClock.layer, SandboxCourses.layer).pipe(
    Layer.provide(layerClockMover(wakesUp)),
    Layer.provide(layerCoursePlayer),
    Layer.provideMerge(Layer.merge(TestDeliveries.layer, TestReservations.layer)),
    Layer.provide(layerCourseBook),
  )
}

/** What operations see of a site. */
const layerSites = Layer.mergeAll(
  OperatedSites.layer.pipe(
    Layer.provide(Layer.merge(CatalogRows.layer, RunnerPhoneRows.layer)),
    Layer.provide(layerTables),
  ),
  DeliveryCase.layer.pipe(Layer.provide(layerDryRun)),
  ReservationCase.layer,
  OperationsLists.layer.pipe(Layer.provide(layerListRows)),
  Search.layer.pipe(Layer.provide(layerSearchRows)),
  Layer.merge(SiteBoard.layer, SiteTopics.layer).pipe(
    Layer.provide(Layer.mergeAll(CatalogRows.layer, ClockRows.layer, RunnerPhoneRows.layer)),
    Layer.provide(layerTables),
  ),
)

function layerForecasts(options: ForecasterOptions | undefined) {
  return SiteForecasts.layer.pipe(
    Layer.provide(Layer.merge(CatalogRows.layer, RunnerPhoneRows.layer).pipe(Layer.provide(layerTables))),
    Layer.provide(layerForecaster(options).pipe(Layer.provide(layerSiteHistory))),
  )
}

function layerMoments(options: MomentFinderOptions | undefined) {
  return CaseMoments.layer.pipe(
    Layer.provide(CatalogRows.layer.pipe(Layer.provide(layerTables))),
    Layer.provide(
      layerMomentFinder(options).pipe(Layer.provide(Layer.merge(layerCaseJournals, layerSiteHistory))),
    ),
  )
}

const layerDays = SiteDays.layer.pipe(
  Layer.provide(CatalogRows.layer.pipe(Layer.provide(layerTables))),
  Layer.provide(layerDayCourses.pipe(Layer.provide(layerSiteDayRows))),
)

/** Endpoints for operations, and events of the sandbox. */
const layerEndpointServices = Layer.mergeAll(
  EndpointOperations.layer,
  SandboxEvents.layer,
  WhatHappened.layer,
)

/** Rows of what opens doors: open links of reservations, compartments of a fleet's vehicles. */
const layerOpeningRows = Layer.merge(FleetSettingsRows.layer, OpenLinkSecretRows.layer)

/** Retention tasks of the service's own rows and of the composition. */
function tasksOf({ retention = Effect.succeed([]) }: LiveServiceOptions) {
  return Effect.map(
    Effect.all([serviceTasks, requestCountTask, clockTasks, courseTasks, retention]),
    ([known, counts, clocks, courses, more]) => [...known, counts, ...clocks, ...courses, ...more],
  )
}

const LOCAL_URLS = { production: "http://localhost:4010", sandbox: "http://localhost:4011" } as const

/** Ports of the courier connector and of tracking links; its services are in `courier.ts`, above those that link users. */
function layerCourierPorts(options: LiveServiceOptions) {
  const { secretKey, digestKey, payments, courier, baseUrls, storeDirectory } = options
  const linkKey = `courier links ${digestKey}`
  return Layer.mergeAll(
    Layer.succeed(TrackingLinks, { key: courier?.linkKey ?? linkKey, baseUrls: baseUrls ?? LOCAL_URLS }),
    Layer.merge(CourierClaims.layer, CourierRows.layer).pipe(Layer.provide(layerSealedTables(secretKey))),
    layerErrandMemory,
    storeDirectory ?? layerStoreDirectory,
    payments ?? layerBuiltInPayments,
    Layer.succeed(CourierSettings, {
      ...DEFAULT_COURIER_SETTINGS,
      fleetId: "fleet_demo_production",
      baseUrl: "http://localhost",
      linkKey,
      ...courier,
    }),
  )
}

/** Attaches the areas, then starts the wake-up; on release in the reverse order. */
function layerRunning({
  wakesUp,
  withAreas,
}: Required<Pick<LiveServiceOptions, "wakesUp" | "withAreas">>): Layer.Layer<
  never,
  never,
  RunningHost | Areas | Database
> {
  return Layer.scopedDiscard(
    Effect.gen(function* () {
      const host = yield* RunningHost
      host.attach(withAreas(yield* Areas))
      yield* Effect.addFinalizer(() => host.drain)
      if (!wakesUp) return
      yield* host.clearStops
      const database = yield* Database
      const watching = watchNodes({ host, rows: new NodeRows(database), type: database.type })
      for (const running of [wakeUp(host), retryFull(host), watching, host.deferred.run]) {
        yield* Effect.acquireRelease(Effect.forkDaemon(Effect.interruptible(running)), Fiber.interrupt)
      }
    }),
  )
}
