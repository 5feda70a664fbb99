/**
 * The composition root: the production and the sandbox host in one process, over one database. Longer than 400 lines: every
 * layer of the service is put together here.
 */

import { availableParallelism } from "node:os"
import { join } from "node:path"
import { Cause, Context, Data, Effect, Exit, Layer, ManagedRuntime, Option, Redacted, Runtime } from "effect"
import type { FastifyInstance } from "fastify"
import { ENVIRONMENTS } from "./model/caller.ts"
import type { Environment } from "./model/caller.ts"
import { layerNameLookup } from "./gateways/name-lookup.ts"
import { layerNominatim } from "./gateways/nominatim.ts"
import { layerOutboundHttp } from "./gateways/outbound-http.ts"
import { layerSignedPhotos } from "./gateways/signed-photos.ts"
import type { SmtpOptions } from "./gateways/smtp.ts"
import { twilioSignature } from "./gateways/twilio.ts"
import type { TwilioOptions } from "./gateways/twilio.ts"
import { recordContext } from "./build.ts"
import { makeApp } from "./http/app.ts"
import { bridgeTo } from "./http/bridge.ts"
import type { HostedSurface } from "./http/courier/hosted-checkout.ts"
import { courierPagesPlugin } from "./http/courier/plugin.ts"
import type { CourierPagesSurface } from "./http/courier/plugin.ts"
import { OPERATIONS_API, PARTNER_APIS, PORTAL_API } from "./http/docs/plugin.ts"
import { OpenRequests } from "./http/draining.ts"
import { oauthPlugin } from "./http/oauth/plugin.ts"
import type { OAuthSurface } from "./http/oauth/plugin.ts"
import { operationsPlugin } from "./http/operations/plugin.ts"
import { inspectorPlugin } from "./http/inspector/plugin.ts"
import { inboundSmsPlugin } from "./http/portal/inbound-sms.ts"
import { portalPlugin } from "./http/portal/plugin.ts"
import type { PortalSurface } from "./http/portal/plugin.ts"
import type { Probes } from "./http/probes.ts"
import { AdmissionQueue, HOST_CLOCK } from "./live/admission-queue.ts"
import { addressesOf } from "./live/addresses.ts"
import { layerCourierServices } from "./live/courier.ts"
import { CALL_THREAD_CONNECTIONS, PROBE_MS_MAX, STOP_REQUESTS_MS_MAX } from "./live/bounds.ts"
import { backupOf } from "./live/backup.ts"
import { CallHold, layerCallHold, layerCallHoldControl, resume } from "./live/call-hold.ts"
import { CallThread } from "./live/call-thread.ts"
import { fleetSpeedOf } from "./live/configuration.ts"
import type { Configuration } from "./live/configuration.ts"
import { demoOf } from "./live/demo.ts"
import type { Demo, DemoPlace } from "./live/demo.ts"
import { DemoFileFault, isDemoDamaged, readDemo, writeDemo } from "./live/demo-file.ts"
import { layerPlayedFleet } from "./live/played-fleet.ts"
import { layerScheduledWork } from "./live/scheduled-work.ts"
import { inspectionRetention, layerLiveInspector } from "./live/inspection.ts"
import { logFault } from "./live/live-host.ts"
import { layerManagement } from "./live/management.ts"
import { RunningHost, layerLiveService } from "./live/live-service.ts"
import type { LiveServiceOptions } from "./live/live-service.ts"
import { layerLinking, linkingRetention } from "./live/linking.ts"
import { makeServiceMetrics } from "./live/metrics.ts"
import type { ServiceMetrics } from "./live/metrics.ts"
import type { LiveObserver } from "./live/observer.ts"
import { paymentsOf } from "./live/payments.ts"
import { layerPortal, layerSenders, portalRetention } from "./live/portal.ts"
import { sealingKeyOf } from "./live/sealing-key.ts"
import { readinessOf, watchWakeUp } from "./live/readiness.ts"
import type { ProcessState } from "./live/readiness.ts"
import { layerServiceLog, relayTo } from "./live/service-log.ts"
import type { ServiceLog } from "./live/service-log.ts"
import { secretIn } from "./live/service-secret.ts"
import { verificationOf } from "./live/verification.ts"
import { mcpPlugin } from "./mcp/plugin.ts"
import type { McpSurface } from "./mcp/plugin.ts"
import { livePages } from "./pages/live-page.ts"
import { layerAdmission } from "./services/access/admission.ts"
import { layerRatePolicy } from "./services/access/rate-limits.ts"
import type { CourierChoices } from "./services/courier/settings.ts"
import { CatalogAdmin } from "./services/catalog/catalog-admin.ts"
import { InboundSignature } from "./services/messages/inbound-sms.ts"
import type { InboundSms } from "./services/messages/inbound-sms.ts"
import { layerDiscovery } from "./services/reservations/discovery.ts"
import { layerAccessRows, layerRateCounter } from "./store/access-rows.ts"
import { DataFolderFault } from "./store/data-folder.ts"
import { Database, DatabaseFault, embeddedMemoryBytes, layerPglite, layerPostgres } from "./store/database.ts"
import { layerPhotoStore } from "./store/photo-store.ts"
import { mailboxFigures } from "./store/mailbox-figures.ts"
import { WrongSecret, checkSecret } from "./store/sealed-secrets.ts"
import { layerSecretBox } from "./store/secret-box.ts"

export interface ServiceOptions {
  readonly configuration: Configuration
  readonly log: ServiceLog
  readonly demo: DemoPlace
}

export interface RunningService {
  /** As partners are told them. */
  readonly baseUrls: Readonly<Record<Environment, string>>
  /** As they are reached from this machine. */
  readonly localUrls: Readonly<Record<Environment, string>>
  /** The demo data of this database, if it has any. */
  readonly demo: Demo | null
  /** The embedded database as one backup file, while the service goes on. */
  readonly backup: () => Promise<Uint8Array>
  /** Lets held calls leave; true when they were held. */
  readonly resumeCalls: () => Promise<boolean>
  readonly stop: () => Promise<void>
}

/** The service could not start, for a reason that whoever starts it can do something about. One line. */
export class StartFault extends Data.TaggedError("StartFault")<{
  readonly problem: string
  readonly cause?: unknown
}> {
  override get message(): string {
    return this.problem
  }
}

/** Starts everything and listens. Rejects with a StartFault when something it needs is not to be had; nothing stays open then. */
export async function startService({
  configuration,
  log,
  demo: place,
}: ServiceOptions): Promise<RunningService> {
  const { host, dataDir } = configuration
  const addresses = addressesOf(configuration)
  const { production, sandbox } = addresses
  const baseUrls = { production: production.baseUrl, sandbox: sandbox.baseUrl }
  const localUrls = { production: production.localUrl, sandbox: sandbox.localUrl }
  const metrics = makeServiceMetrics({ process: true })
  const wakeUp = watchWakeUp(metrics.observer, () => performance.now())
  const hold = new CallHold()
  const parts = { configuration, baseUrls, log, metrics, observer: wakeUp.observer, hold }
  const queue = new AdmissionQueue(HOST_CLOCK, metrics.admission)
  const managed = ManagedRuntime.make(layerOf(parts))
  let isStopping = false
  const drains: (() => Promise<void>)[] = []
  const stop = async (): Promise<void> => {
    isStopping = true
    await Promise.all(drains.map((drain) => drain()))
    await managed.dispose()
  }
  try {
    const started = await Effect.runPromiseExit(managed.runtimeEffect)
    if (Exit.isFailure(started)) throw Cause.squash(started.cause)
    Context.get(started.value.context, Database).waits.onWait = (ms) => queue.observeWait(ms)
    await managed.runPromise(Effect.flatMap(CatalogAdmin, (admin) => admin.ensureSandboxSite))
    const demo = await demoIn({ managed, baseUrls, place, dataDir, log })
    const pages = livePages()
    drains.push(pages.close)
    const processState = { isStopping: () => isStopping, silentMs: wakeUp.silentMs }
    const probes = probesOf({ managed, metrics, queue, hold, ...processState })
    for (const environment of ENVIRONMENTS) {
      const { baseUrl, hosts, port } = addresses[environment]
      const hasPortal = environment === "production"
      const documents = [...PARTNER_APIS, ...(hasPortal ? [PORTAL_API] : []), OPERATIONS_API]
      const common = { runtime: started.value, environment, baseUrl, documents }
      const { trustedProxies } = configuration
      const around = { hosts, trustedProxies, logger: log, probes, queue, ...toldOf(metrics) }
      const app = await makeApp({ ...common, ...around })
      const run = bridgeTo(started.value)
      await app.register(operationsPlugin, {
        run,
        ...(hasPortal ? { runConnector: run } : {}),
        environment,
        baseUrl,
      })
      if (hasPortal) await addPortal(app, { runtime: started.value, baseUrl, configuration })
      if (hasPortal) await addConnector(app, { runtime: started.value, baseUrl, configuration })
      if (!hasPortal || configuration.hasProductionInspector)
        await app.register(inspectorPlugin, { run, environment, baseUrl, groupPage: pages.page })
      const requests = new OpenRequests(app)
      drains.push(() => requests.drain(STOP_REQUESTS_MS_MAX))
      await app.listen({ host, port, listenTextResolver: (address) => `${environment} host at ${address}` })
    }
    // Beside what is served already: the page of a group waits for it, and nothing else does.
    pages.prepare()
    const backup = () => managed.runPromise(backupOf(secretOf(configuration)))
    const resumeCalls = () => managed.runPromise(resume(hold))
    return { baseUrls, localUrls, demo, backup, resumeCalls, stop }
  } catch (cause) {
    await stop()
    throw startFaultOf(cause)
  }
}

/** What the edge tells its metrics. */
function toldOf({
  onAnswer,
  onConnectionClosed,
}: ServiceMetrics): Pick<ServiceMetrics, "onAnswer" | "onConnectionClosed"> {
  return { onAnswer, onConnectionClosed }
}

interface DemoParts {
  readonly managed: Running
  readonly baseUrls: Readonly<Record<Environment, string>>
  readonly place: DemoPlace
  readonly dataDir: string
  readonly log: ServiceLog
}

/** The demo data of this database, its keys written to the data folder. */
async function demoIn({ managed, baseUrls, place, dataDir, log }: DemoParts): Promise<Demo | null> {
  const keep = (made: Demo) => writeDemo(dataDir, made)
  const demo = await managed.runPromise(demoOf({ baseUrls, known: readDemo(dataDir), place, keep }))
  if (isDemoDamaged(dataDir)) {
    log.warn(
      `${join(dataDir, "demo.json")} is damaged, so its keys cannot be shown: start with --demo to make new ones`,
    )
  }
  return demo
}

interface PortalParts {
  readonly runtime: Runtime.Runtime<PortalSurface | InboundSms>
  readonly baseUrl: string
  readonly configuration: Configuration
}

interface ConnectorParts {
  readonly runtime: Runtime.Runtime<CourierPagesSurface | HostedSurface | McpSurface | OAuthSurface>
  readonly baseUrl: string
  readonly configuration: Configuration
}

/** The courier connector: linking, tools and the pages that agents send users to. */
async function addConnector(
  app: FastifyInstance,
  { runtime, baseUrl, configuration }: ConnectorParts,
): Promise<void> {
  const run = bridgeTo(runtime)
  await app.register(oauthPlugin, { run, baseUrl })
  await app.register(mcpPlugin, { run, baseUrl, origins: configuration.mcpOrigins })
  const { hasTestCards } = paymentsOf(configuration)
  await app.register(courierPagesPlugin, { run, ...(hasTestCards ? {} : { runHosted: run }) })
}

/** Where nobody sends SMS, nobody can sign a report of one either: then that path is not there. */
async function addPortal(
  app: FastifyInstance,
  { runtime, baseUrl, configuration }: PortalParts,
): Promise<void> {
  await app.register(portalPlugin, { run: bridgeTo(runtime), baseUrl })
  const twilio = twilioOf(configuration)
  if (twilio === null) return
  const signing = Runtime.provideService(runtime, InboundSignature, twilioSignature(twilio))
  await app.register(inboundSmsPlugin, { run: bridgeTo(signing), baseUrl })
}

type Running =
  ReturnType<typeof layerOf> extends Layer.Layer<infer Services, infer E>
    ? ManagedRuntime.ManagedRuntime<Services, E>
    : never

interface ProbeParts {
  readonly managed: Running
  readonly metrics: ServiceMetrics
  readonly queue: AdmissionQueue
  readonly hold: CallHold
  readonly isStopping: () => boolean
  readonly silentMs: () => number | null
}

function probesOf({ managed, metrics, queue, hold, isStopping, silentMs }: ProbeParts): Probes {
  const state = (): ProcessState => ({
    isStopping: isStopping(),
    silentMs: silentMs(),
    sheddingMs: queue.sheddingMs,
  })
  const figures = Effect.all({
    mailbox: mailboxFigures.pipe(
      Effect.timeoutTo({ duration: PROBE_MS_MAX, onSuccess: (found) => found, onTimeout: () => null }),
      Effect.catchAllCause(() => Effect.succeed(null)),
    ),
    areCallsHeld: Effect.sync(() => hold.isHeld),
    callsUnderWay: Effect.flatMap(RunningHost, (host) => host.callsUnderWay),
    isCallThreadReady: Effect.map(RunningHost, (host) => host.isCallThreadReady),
    embeddedMemoryBytes: Effect.map(Database, embeddedMemoryBytes),
  })
  return {
    readiness: () => managed.runPromise(readinessOf(state())),
    notes: () => hold.notes,
    metrics: async () => ({
      contentType: metrics.contentType,
      text: await metrics.text({ ...(await managed.runPromise(figures)), admission: queue.figures }),
    }),
  }
}

interface ServiceParts {
  readonly configuration: Configuration
  readonly baseUrls: Readonly<Record<Environment, string>>
  readonly log: ServiceLog
  readonly metrics: ServiceMetrics
  readonly observer: LiveObserver
  readonly hold: CallHold
}

function layerOf({ configuration, baseUrls, log, metrics, observer, hold }: ServiceParts) {
  const mayCall = (): boolean => !hold.isHeld
  const thread = callThreadOf(configuration, log)
  const { allowsLocalTargets, analyticsPerMinute, botReportsPerMinute, requestsPerMinute } = configuration
  const secret = secretOf(configuration)
  const { digestKey, secretKey } = keysOf(secret)
  const { payments, hosted } = paymentsOf(configuration)
  const outside = Layer.mergeAll(
    layerOutboundHttp,
    layerNameLookup,
    layerSignedPhotos({ key: `photos ${secret}`, baseUrls }).pipe(Layer.provide(layerPhotoStore)),
  ).pipe(Layer.provideMerge(layerDatabase(configuration, thread === null ? 0 : CALL_THREAD_CONNECTIONS)))
  const checked = Layer.merge(
    Layer.effectDiscard(Effect.provide(checkSecret, layerSecretBox(secretKey))),
    layerCallHold(hold),
  )
  const pages = { secretKey: `messages ${secret}` }
  const live = layerLiveService({
    digestKey,
    secretKey,
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
    retention: Effect.map(
      Effect.all([inspectionRetention, portalRetention(pages), linkingRetention(secret)]),
      (tasks) => tasks.flat(),
    ),
  })
  const limits = {
    perMinute: {
      analytics: analyticsPerMinute,
      "bot-reports": botReportsPerMinute,
      requests: requestsPerMinute,
    },
  }
  const admission = layerAdmission.pipe(
    Layer.provide(Layer.mergeAll(layerAccessRows, layerRateCounter, layerRatePolicy(limits))),
  )
  const portal = layerPortal(pages).pipe(
    Layer.provide(layerSenders({ smtp: smtpOf(configuration), twilio: twilioOf(configuration), mayCall })),
    Layer.provideMerge(layerManagement),
  )
  const played = layerPlayedFleet(fleetSpeedOf(configuration))
  const linking = layerLinking({
    baseUrl: baseUrls.production,
    secret,
    verification: verificationOf(configuration),
  })
  const connector = Layer.provideMerge(Layer.merge(layerCourierServices, hosted), linking)
  const inspector = layerLiveInspector(recordContext())
  const beside = Layer.mergeAll(
    admission,
    inspector,
    layerCallHoldControl,
    layerDiscovery,
    played,
    portal,
    layerScheduledWork(),
  )
  return Layer.merge(beside, connector).pipe(
    Layer.provideMerge(live),
    Layer.provideMerge(checked),
    Layer.provideMerge(outside),
    Layer.provideMerge(layerServiceLog(log)),
  )
}

function courierOf(
  { courierFleet: fleetId, stripeProfileId }: Configuration,
  baseUrl: string,
): Partial<CourierChoices> {
  return { baseUrl, fleetId, ...(stripeProfileId === null ? {} : { sellerProfileId: stripeProfileId }) }
}

/** Null keeps mail in the outbox. */
function smtpOf({ smtpUrl, mailFrom }: Configuration): SmtpOptions | null {
  return smtpUrl === null || mailFrom === null ? null : { url: Redacted.value(smtpUrl), from: mailFrom }
}

/** Null keeps SMS in the outbox. */
function twilioOf({
  twilioAccountSid: accountSid,
  twilioAuthToken,
  twilioFrom: from,
  twilioUrl: apiUrl,
}: Configuration): TwilioOptions | null {
  if (accountSid === null || twilioAuthToken === null || from === null) return null
  const authToken = Redacted.value(twilioAuthToken)
  return { accountSid, authToken, from, ...(apiUrl === null ? {} : { apiUrl }) }
}

/** Nothing leaves it to the built-in sample. */
function geocoderOf({ geocoderUrl, geocoderKey }: Configuration): Pick<LiveServiceOptions, "geocoder"> {
  if (geocoderUrl === null) return {}
  const key = geocoderKey === null ? null : Redacted.value(geocoderKey)
  return { geocoder: layerNominatim({ url: Redacted.value(geocoderUrl), key }) }
}

/** What the rows of the service are sealed and compared with. */
function keysOf(secret: string): { readonly digestKey: string; readonly secretKey: string } {
  return { digestKey: `digests ${secret}`, secretKey: sealingKeyOf(secret) }
}

/**
 * The thread that sends webhooks, or null: one process holds the embedded database, few connections are better not shared, and
 * one processor runs one thread.
 */
function callThreadOf(configuration: Configuration, log: ServiceLog): CallThread | null {
  const { allowsLocalTargets, databaseConnections, databaseUrl, logLevel } = configuration
  const hasRoom = databaseConnections >= 3 * CALL_THREAD_CONNECTIONS && availableParallelism() > 1
  if (databaseUrl === null || !hasRoom) return null
  return new CallThread({
    setting: {
      databaseUrl: Redacted.value(databaseUrl),
      connectionsMax: CALL_THREAD_CONNECTIONS,
      ...keysOf(secretOf(configuration)),
      allowsLoopback: allowsLocalTargets,
      logLevel,
    },
    onEnd: (cause) => log.error({ err: cause }, "the thread that sends webhooks ended; they leave from here"),
    onLine: relayTo(log, "calls"),
  })
}

/** `besides`: connections of the node that another thread has. */
function layerDatabase(configuration: Configuration, besides: number): Layer.Layer<Database, DatabaseFault> {
  const { databaseUrl, databaseConnections, dataDir } = configuration
  return databaseUrl === null
    ? layerPglite({ folder: join(dataDir, "database") })
    : layerPostgres(Redacted.value(databaseUrl), { connectionsMax: databaseConnections - besides })
}

/** The secret that was set; else the data folder's. */
function secretOf({ secret, dataDir }: Configuration): string {
  if (secret !== null) return Redacted.value(secret)
  try {
    return secretIn(dataDir)
  } catch (cause) {
    if (cause instanceof DataFolderFault) throw new StartFault({ problem: cause.message, cause })
    throw new StartFault({ problem: `the folder ${dataDir} cannot be used: ${sentenceOf(cause)}`, cause })
  }
}

/** A known reason in one sentence; anything else stays what it is, with its stack. */
function startFaultOf(cause: unknown): unknown {
  const known = failureIn(cause)
  if (known instanceof DatabaseFault || known instanceof WrongSecret || known instanceof DemoFileFault) {
    return new StartFault({ problem: known.message, cause })
  }
  const { syscall, port, address } = cause as NodeJS.ErrnoException & { port?: number; address?: string }
  if (syscall !== "listen") return cause
  const place = `port ${port ?? "?"} of ${address ?? "?"}`
  const problem =
    (cause as NodeJS.ErrnoException).code === "EADDRINUSE"
      ? `${place} is taken; choose another with --production-port or --sandbox-port`
      : `${place} cannot be listened on: ${sentenceOf(cause)}`
  return new StartFault({ problem, cause })
}

/** What an Effect failed with, when the cause is a failed Effect. */
function failureIn(cause: unknown): unknown {
  return Runtime.isFiberFailure(cause)
    ? Option.getOrElse(Cause.failureOption(cause[Runtime.FiberFailureCauseId]), () => cause)
    : cause
}

function sentenceOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}
