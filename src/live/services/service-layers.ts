/** The layers of the service, chosen by the configuration. */

import { layerOperators, operatorRetention } from "./operators.ts"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { Effect, Layer, Redacted } from "effect"
import type { Environment } from "../../model/caller.ts"
import { layerApiClient } from "../gateways/api-client.ts"
import { layerNameLookup } from "../gateways/name-lookup.ts"
import { layerNominatim } from "../gateways/nominatim.ts"
import { layerOutboundDocuments } from "../gateways/outbound-documents.ts"
import { layerOutboundHttp } from "../gateways/outbound-http.ts"
import { layerSignedPhotos } from "../gateways/signed-photos.ts"
import type { SmtpOptions } from "../gateways/smtp.ts"
import type { TwilioOptions } from "../gateways/twilio.ts"
import { recordContext } from "../configuration/build.ts"
import { layerCourierServices } from "./courier.ts"
import { CALL_THREAD_CONNECTIONS } from "../configuration/bounds.ts"
import { layerCallHold, layerCallHoldControl } from "../calls/call-hold.ts"
import { layerKeepingHttp } from "../calls/kept-bodies.ts"
import type { CallHold } from "../calls/call-hold.ts"
import { CallThread } from "../calls/call-thread.ts"
import { fleetSpeedOf } from "../configuration/configuration.ts"
import type { Configuration } from "../configuration/configuration.ts"
import { layerPlayedFleet } from "../demo/played-fleet.ts"
import { layerDatabaseClock } from "../host/database-clock.ts"
import { layerScheduledWork } from "../host/scheduled-work.ts"
import { inspectionRetention, layerLiveInspector } from "../records/inspection.ts"
import { logFault } from "../host/live-host.ts"
import { layerManagement } from "./management.ts"
import { layerLiveService } from "./live-service.ts"
import type { LiveServiceOptions } from "./live-service.ts"
import { layerLinking, linkingRetention } from "./linking.ts"
import type { ServiceMetrics } from "../observation/metrics.ts"
import type { LiveObserver } from "../observation/observer.ts"
import { paymentsOf } from "./payments.ts"
import { layerPortal, layerSenders, portalRetention } from "./portal.ts"
import type { PortalLayerOptions } from "./portal.ts"
import { layerRunner, runnerRetention } from "./runner.ts"
import { sealingKeyOf } from "../configuration/sealing-key.ts"
import { layerSandboxConnector } from "./sandbox-connector.ts"
import { layerServiceLog, relayTo } from "../observation/service-log.ts"
import type { ServiceLog } from "../observation/service-log.ts"
import { secretIn } from "../configuration/service-secret.ts"
import { reportRecovery } from "../start/recovery-progress.ts"
import { verificationOf } from "./verification.ts"
import { layerAdmission } from "../../http/access/admission.ts"
import { CallLog, layerCallLogWriter } from "../../http/access/call-log.ts"
import { layerKeyUseWriter } from "../../http/access/key-uses.ts"
import { layerRatePolicy } from "../../http/access/rate-limits.ts"
import type { RateLimits } from "../../http/access/rate-limits.ts"
import type { CourierChoices } from "../../areas/courier/settings.ts"
import { Discovery } from "../../areas/reservations/discovery.ts"
import type { WaitingBodies } from "../../apps/inspector/kept-bodies.ts"
import { layerBodyWriter } from "../../apps/inspector/store/kept-bodies.ts"
import { layerCallRows } from "../../http/access/store/call-rows.ts"
import { layerAccessRows, layerRateCounter } from "../../http/access/store/access-rows.ts"
import { layerPglite, layerPostgres } from "../../engine/store/database.ts"
import type { Database, DatabaseFault } from "../../engine/store/database.ts"
import { layerLocalFiles } from "../../engine/store/local-files.ts"
import type { LocalFiles } from "../../engine/store/local-files.ts"
import { layerTables } from "../../engine/store/sql-tables.ts"
import { PhotoStore } from "../../engine/services/photos/photo-store.ts"
import { claimDatabase } from "../../areas/webhooks/store/sealed-secrets.ts"
import { layerSecretBox } from "../../engine/store/secret-box.ts"
import { StartFault } from "../start/start-fault.ts"
import { SECOND_MS } from "../../model/values/time.ts"

const layerPhotos = PhotoStore.layer.pipe(Layer.provide(layerTables))

/** The request logs, which are written while the service runs. */
const layerCallsOf = ({ onCallsLeftOut }: Pick<ServiceMetrics, "onCallsLeftOut">) =>
  layerCallLogWriter(onCallsLeftOut).pipe(Layer.provideMerge(CallLog.layer), Layer.provide(layerCallRows))

export interface ServiceParts {
  readonly configuration: Configuration
  /** The result of `secretOf`. */
  readonly secret: string
  readonly baseUrls: Readonly<Record<Environment, string>>
  readonly log: ServiceLog
  readonly metrics: ServiceMetrics
  readonly observer: LiveObserver
  readonly hold: CallHold
  /** Bodies for the inspector, which wait to be written. */
  readonly bodies: WaitingBodies
}

/** What is deleted when it has been kept long enough, beside what the areas themselves delete. */
function retentionOf(pages: PortalLayerOptions, secret: string) {
  const all = [
    inspectionRetention,
    operatorRetention,
    portalRetention(pages),
    linkingRetention(secret),
    runnerRetention,
  ]
  return Effect.map(Effect.all(all), (tasks) => tasks.flat())
}

/** All layers of the service. */
export function layerOf(parts: ServiceParts) {
  const { configuration, secret, baseUrls, log, metrics, observer, hold, bodies } = parts
  const mayCall = (): boolean => !hold.isHeld
  const thread = callThreadOf(configuration, secret, log)
  const { allowsLocalTargets } = configuration
  const keys = keysOf(secret)
  const { payments, hosted } = paymentsOf(configuration)
  const outside = Layer.mergeAll(
    layerLocalFiles,
    layerKeepingHttp(bodies).pipe(Layer.provide(layerOutboundHttp)),
    layerOutboundDocuments,
    layerBodyWriter(bodies),
    layerNameLookup({ servers: configuration.nameServers }),
    layerSignedPhotos({ key: `photos ${secret}`, baseUrls }).pipe(Layer.provide(layerPhotos)),
  ).pipe(Layer.provideMerge(layerDatabase(configuration, thread === null ? 0 : CALL_THREAD_CONNECTIONS)))
  const checked = layerChecked(configuration, { secretKey: keys.secretKey, hold })
  const pages = { secretKey: `messages ${secret}`, baseUrl: baseUrls.production }
  const live = layerLiveService({
    ...keys,
    baseUrls,
    courier: courierOf(configuration, baseUrls.production),
    payments,
    urlPolicy: { allowsLoopback: allowsLocalTargets },
    mayCall,
    onFault: (fault) => Effect.zipRight(Effect.sync(metrics.onFault), logFault(fault)),
    observer,
    ...(thread === null ? {} : { thread }),
    pages,
    answersKeywords: configuration.smsAnswers === "service",
    ...geocoderOf(configuration),
    retention: retentionOf(pages, secret),
  })
  const admission = layerKeyUseWriter.pipe(
    Layer.provideMerge(layerAdmission),
    Layer.provide(
      Layer.mergeAll(layerAccessRows, layerRateCounter, layerRatePolicy(limitsOf(configuration))),
    ),
  )
  const portal = layerPortal(pages).pipe(
    Layer.provide(layerSenders({ smtp: smtpOf(configuration), twilio: twilioOf(configuration), mayCall })),
    Layer.provideMerge(Layer.provideMerge(layerRunner, layerManagement)),
  )
  const played = layerPlayedFleet(fleetSpeedOf(configuration))
  const linking = layerLinking({
    baseUrl: baseUrls.production,
    secret,
    verification: verificationOf(configuration),
  })
  const connector = Layer.provideMerge(Layer.merge(layerCourierServices, hosted), linking)
  const sandbox = layerSandboxConnector({ baseUrl: baseUrls.sandbox, secret })
  const inspector = layerLiveInspector(recordContext())
  const beside = Layer.mergeAll(
    admission,
    layerCallsOf(metrics),
    inspector,
    layerCallHoldControl,
    Discovery.layer,
    layerOperators(`operators ${secret}`),
    played,
    portal,
    layerScheduledWork(),
  )
  return Layer.mergeAll(beside, connector, sandbox).pipe(
    Layer.provideMerge(live),
    Layer.provideMerge(checked),
    Layer.provideMerge(outside),
    Layer.provideMerge(layerServiceLog(log)),
  )
}

/** Fails before anything of the service begins, when the database is another's or the clock is wrong. */
function layerChecked(
  { clockSecondsMax }: Configuration,
  { secretKey, hold }: { readonly secretKey: string; readonly hold: CallHold },
) {
  return Layer.mergeAll(
    layerDatabaseClock(clockSecondsMax === "off" ? null : clockSecondsMax * SECOND_MS),
    Layer.effectDiscard(Effect.provide(claimDatabase, layerSecretBox(secretKey))),
    layerCallHold(hold),
  )
}

function limitsOf({ analyticsPerMinute, botReportsPerMinute, requestsPerMinute }: Configuration): RateLimits {
  return {
    perMinute: {
      analytics: analyticsPerMinute,
      "bot-reports": botReportsPerMinute,
      requests: requestsPerMinute,
    },
  }
}

function courierOf(
  { courierFleet: fleetId, stripeProfileId }: Configuration,
  baseUrl: string,
): Partial<CourierChoices> {
  return { baseUrl, fleetId, ...(stripeProfileId === null ? {} : { sellerProfileId: stripeProfileId }) }
}

/** Null leaves mail in the outbox. */
function smtpOf({ smtpUrl, mailFrom }: Configuration): SmtpOptions | null {
  return smtpUrl === null || mailFrom === null ? null : { url: Redacted.value(smtpUrl), from: mailFrom }
}

/** Null leaves SMS in the outbox. */
export function twilioOf({
  twilioAccountSid: accountSid,
  twilioAuthToken,
  twilioFrom: from,
  twilioUrl: apiUrl,
}: Configuration): TwilioOptions | null {
  if (accountSid === null || twilioAuthToken === null || from === null) return null
  const authToken = Redacted.value(twilioAuthToken)
  return { accountSid, authToken, from, ...(apiUrl === null ? {} : { apiUrl }) }
}

/** Without a URL the built-in sample is used. */
function geocoderOf({ geocoderUrl, geocoderKey }: Configuration): Pick<LiveServiceOptions, "geocoder"> {
  if (geocoderUrl === null) return {}
  const key = geocoderKey === null ? null : Redacted.value(geocoderKey)
  const nominatim = layerNominatim({ url: Redacted.value(geocoderUrl), key })
  return { geocoder: Layer.provide(nominatim, layerApiClient) }
}

/** The keys that seal and compare rows of the service. */
function keysOf(secret: string): { readonly digestKey: string; readonly secretKey: string } {
  return { digestKey: `digests ${secret}`, secretKey: sealingKeyOf(secret) }
}

/**
 * The thread that sends webhooks. Null for the embedded database, which only one thread can use, for few connections,
 * which are better not divided, and for one processor.
 */
function callThreadOf(configuration: Configuration, secret: string, log: ServiceLog): CallThread | null {
  const { allowsLocalTargets, databaseConnections, databaseUrl, logLevel, nameServers, tracesEndpoint } =
    configuration
  const hasRoom = databaseConnections >= 3 * CALL_THREAD_CONNECTIONS && availableParallelism() > 1
  if (databaseUrl === null || !hasRoom) return null
  return new CallThread({
    setting: {
      databaseUrl: Redacted.value(databaseUrl),
      connectionsMax: CALL_THREAD_CONNECTIONS,
      ...keysOf(secret),
      allowsLoopback: allowsLocalTargets,
      nameServers,
      logLevel,
      tracesEndpoint,
    },
    onEnd: (cause, pauseMs) =>
      log.error(
        { err: cause, pauseMs },
        "the thread that sends webhooks ended; the main thread sends them until it starts again",
      ),
    onLine: relayTo(log, "calls"),
  })
}

/** `besides`: connections of the node that the other thread has. */
function layerDatabase(configuration: Configuration, besides: number): Layer.Layer<Database, DatabaseFault> {
  const { databaseUrl, databaseConnections, dataDir, logFormat: format, logLevel: level } = configuration
  return databaseUrl === null
    ? layerPglite({ folder: join(dataDir, "database"), onReplay: () => reportRecovery({ format, level }) })
    : layerPostgres(Redacted.value(databaseUrl), { connectionsMax: databaseConnections - besides })
}

/** The configured secret; otherwise the data folder's. */
export function secretOf({ secret, dataDir }: Configuration): Effect.Effect<string, StartFault, LocalFiles> {
  if (secret !== null) return Effect.succeed(Redacted.value(secret))
  return Effect.mapError(secretIn(dataDir), (cause) => new StartFault({ problem: cause.message, cause }))
}
