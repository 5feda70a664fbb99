/** The composition root: the production and the sandbox host in one process, over one database. */

import { join } from "node:path"
import { Cause, Context, Effect, Exit, ManagedRuntime, Runtime } from "effect"
import type { Layer } from "effect"
import type { FastifyInstance, FastifyRequest } from "fastify"
import { ENVIRONMENTS } from "../model/caller.ts"
import type { Environment } from "../model/caller.ts"
import { twilioSignature } from "./gateways/twilio.ts"
import { buildName } from "./configuration/build.ts"
import type { Streets } from "../pages/html/map/streets.ts"
import { makeApp } from "../apps/app.ts"
import type { AppOptions } from "../apps/app.ts"
import { assetsPlugin } from "../http/pages/assets.ts"
import { bridgeTo } from "../http/bridge.ts"
import { ChangeStreams } from "../http/change-streams.ts"
import type { HostedSurface } from "../areas/courier/http/hosted-checkout.ts"
import type { AgentsSurface } from "../areas/agents/http/agents.ts"
import type { SandboxClock } from "../areas/clock/sandbox-clock.ts"
import type { SandboxCourses } from "../areas/courses/courses.ts"
import { requestLogPlugin } from "../apps/request-log/plugin.ts"
import { developerMcpPlugin } from "../apps/developers/http/mcp.ts"
import { sandboxPlugin } from "../apps/sandbox-api.ts"
import { courierPagesPlugin } from "../areas/courier/http/plugin.ts"
import type { CourierPagesSurface } from "../areas/courier/http/plugin.ts"
import { mayShowKeys } from "../http/demo-keys.ts"
import {
  OPERATIONS_API,
  PARTNER_APIS,
  PORTAL_API,
  REQUEST_LOG_API,
  RUNNER_API,
  SANDBOX_API,
  docsPlugin,
} from "../http/docs/plugin.ts"
import { OpenRequests } from "../http/draining.ts"
import { loggedConfig, setAnswer } from "../http/call-log.ts"
import { setSender } from "../http/request-requester.ts"
import { oauthPlugin } from "../areas/linking/http/plugin.ts"
import type { OAuthSurface } from "../areas/linking/http/plugin.ts"
import { operationsOf } from "../apps/operations/http/allowed-operations.ts"
import { operationsPlugin } from "../apps/operations/http/plugin.ts"
import { notingOpening } from "../apps/operators/customer-actions.ts"
import { operatorPagesPlugin } from "../apps/operators/http/pages.ts"
import type { OperatorPagesOptions } from "../apps/operators/http/pages.ts"
import { operatorPlugin } from "../apps/operators/http/plugin.ts"
import type { OperatorOptions } from "../apps/operators/http/plugin.ts"
import { WaitingBodies } from "../apps/inspector/kept-bodies.ts"
import { inspectorPlugin } from "../apps/inspector/http/plugin.ts"
import { inboundSmsPlugin } from "../areas/messages/http/inbound-replies.ts"
import { portalPagesPlugin } from "../apps/portal/http/pages.ts"
import { portalPlugin } from "../apps/portal/http/plugin.ts"
import type { PortalSurface } from "../apps/portal/http/plugin.ts"
import { shared } from "../http/probes.ts"
import type { Probes } from "../http/probes.ts"
import { streetsPlugin } from "../http/pages/streets.ts"
import { runnerPagesPlugin } from "../apps/runner/http/pages.ts"
import { runnerPlugin } from "../apps/runner/http/plugin.ts"
import type { RunnerOptions } from "../apps/runner/http/plugin.ts"
import { startPagePlugin } from "../http/pages/start-page.ts"
import type { StartPageOptions } from "../http/pages/start-page.ts"
import { assetsWithReplay } from "./bundling/replay-pages.ts"
import { AdmissionQueue, HOST_CLOCK } from "./concurrency/admission-queue.ts"
import { addressesOf } from "./configuration/addresses.ts"
import { PROBE_MS_MAX, STOP_REQUESTS_MS_MAX } from "./configuration/bounds.ts"
import { backupOf } from "./start/backup.ts"
import { CallHold, resume } from "./calls/call-hold.ts"
import type { Configuration } from "./configuration/configuration.ts"
import { LOCAL_OPEN_LINK, OPEN_LINK, demoOf } from "./demo/demo.ts"
import type { Demo, DemoPlace } from "./demo/demo.ts"
import { REPLAY_PATH, REPLAY_RUN_PATH, addDemoReplay, besideReplay } from "./demo/demo-replay.ts"
import { isDemoDamaged, readDemo, writeDemo } from "./demo/demo-file.ts"
import { RunningHost } from "./services/live-service.ts"
import { keepRequest } from "./calls/kept-bodies.ts"
import { makeServiceMetrics } from "./observation/metrics.ts"
import type { ServiceMetrics } from "./observation/metrics.ts"
import { paymentsOf } from "./services/payments.ts"
import { SandboxConnector } from "./services/sandbox-connector.ts"
import { ReadinessNotes, databaseFound, readinessOf, watchWakeUp } from "./observation/readiness.ts"
import { shownCodes } from "./services/shown-codes.ts"
import type { ShownCodes } from "./services/shown-codes.ts"
import type { ProcessState } from "./observation/readiness.ts"
import { DatabaseClock, clockNote } from "./host/database-clock.ts"
import { ScheduledWork } from "./host/scheduled-work.ts"
import { layerOf, secretOf, twilioOf } from "./services/service-layers.ts"
import type { ServiceLog } from "./observation/service-log.ts"
import { startFaultOf } from "./start/start-fault.ts"
import { streetsFor } from "./services/streets-file.ts"
import { tracingTo } from "./observation/tracing.ts"
import { KEPT_BODIES, READ_BY_BODY, keptAnswer } from "../apps/mcp/kept-calls.ts"
import { mcpPlugin } from "../apps/mcp/plugin.ts"
import type { McpSurface } from "../apps/mcp/plugin.ts"
import { publicTextsPlugin } from "../apps/mcp/public-texts.ts"
import { DESCRIPTION_PATH } from "../model/linking.ts"
import { keptScenario } from "./records/kept-scenario.ts"
import { groupPageOf, livePages } from "../pages/bundling/live-page.ts"
import { dueName, hueOf, waitsFor } from "../pages/bundling/group-words.ts"
import { CallLog, loggedCallOf } from "../http/access/call-log.ts"
import { servedPages } from "../pages/bundling/served-pages.ts"
import type { ServedPages } from "../pages/bundling/served-pages.ts"
import { CatalogAdmin } from "../areas/catalog/catalog-admin.ts"
import { trackingPlugin } from "../areas/tracking/http/plugin.ts"
import { InboundSignature } from "../areas/messages/inbound-sms.ts"
import type { OutboxView } from "../areas/messages/outbox-view.ts"
import type { InboundSms } from "../areas/messages/inbound-sms.ts"
import { Database, embeddedMemoryBytes } from "../engine/store/database.ts"
import { layerLocalFiles } from "../engine/store/local-files.ts"
import type { LocalFiles } from "../engine/store/local-files.ts"
import { mailboxFigures } from "../engine/store/mailbox-figures.ts"

export interface ServiceOptions {
  readonly configuration: Configuration
  readonly log: ServiceLog
  readonly demo: DemoPlace
}

export interface RunningService {
  /** The URLs that partners use. */
  readonly baseUrls: Readonly<Record<Environment, string>>
  /** The URLs on this machine. */
  readonly localUrls: Readonly<Record<Environment, string>>
  /** The demo data of this database, if it has any. */
  readonly demo: Demo | null
  /** The embedded database as one backup file, while the service goes on. */
  readonly backup: () => Promise<Uint8Array>
  /** Allows held calls; true when they were held. */
  readonly resumeCalls: () => Promise<boolean>
  readonly stop: () => Promise<void>
}

/**
 * Starts everything and listens. Rejects with a StartFault when something that it needs is missing; nothing stays open
 * then.
 */
export async function startService({
  configuration,
  log,
  demo: place,
}: ServiceOptions): Promise<RunningService> {
  const { dataDir } = configuration
  const addresses = addressesOf(configuration)
  const { production, sandbox } = addresses
  const baseUrls = { production: production.baseUrl, sandbox: sandbox.baseUrl }
  const localUrls = { production: production.localUrl, sandbox: sandbox.localUrl }
  const metrics = makeServiceMetrics({ process: true })
  const wakeUp = watchWakeUp(metrics.observer, () => performance.now())
  const hold = new CallHold()
  const secret = await secretIn(configuration)
  const bodies = new WaitingBodies()
  const parts = { configuration, secret, baseUrls, log, metrics, observer: wakeUp.observer, hold, bodies }
  const queue = new AdmissionQueue(HOST_CLOCK, metrics.admission)
  const managed = ManagedRuntime.make(layerOf(parts))
  const tracing = await tracingTo(configuration.tracesEndpoint)
  let isStopping = false
  const drains: (() => Promise<void>)[] = []
  const stop = async (): Promise<void> => {
    isStopping = true
    await Promise.all(drains.map((drain) => drain()))
    await managed.dispose()
    await tracing?.stop()
  }
  try {
    const started = await Effect.runPromiseExit(managed.runtimeEffect)
    if (Exit.isFailure(started)) throw Cause.squash(started.cause)
    Context.get(started.value.context, Database).waits.onWait = (ms) => queue.observeWait(ms)
    await managed.runPromise(Effect.flatMap(CatalogAdmin, (admin) => admin.ensureSandboxSite))
    const demo = await demoIn({ managed, baseUrls, place, dataDir, log })
    const streets = streetsFor(configuration, demo !== null)
    const pages = livePages()
    drains.push(pages.close)
    const served = servedPages(pages.prepared)
    const startPage = startPageOf({ configuration, addresses, baseUrls, demo })
    const processState = { isStopping: () => isStopping, silentMs: wakeUp.silentMs }
    const work = await managed.runPromise(ScheduledWork)
    const clock = await managed.runPromise(DatabaseClock)
    const probes = probesOf({ managed, metrics, queue, hold, work, clock, ...processState })
    const around = { runtime: started.value, addresses, baseUrls, configuration, log, probes, queue }
    const streams = new ChangeStreams(bridgeTo(started.value))
    const hosts = {
      ...around,
      codes: shownCodes(configuration, { hasDemo: demo !== null, isLocal: production.isLocal }),
      streets,
      streams,
      pages: served,
      groupPage: groupPageOf(served),
      startPage,
      tracing,
      metrics,
      drains,
      bodies,
    }
    for (const environment of ENVIRONMENTS) await startHost(environment, hosts)
    // Runs after the service has started: only a group's page waits for it.
    pages.prepare()
    const backup = () => managed.runPromise(backupOf(secret))
    const resumeCalls = () => managed.runPromise(resume(hold))
    return { baseUrls, localUrls, demo, backup, resumeCalls, stop }
  } catch (cause) {
    await stop()
    throw startFaultOf(cause)
  }
}

interface HostParts {
  readonly runtime: Runtime.Runtime<HostServices>
  readonly addresses: ReturnType<typeof addressesOf>
  readonly baseUrls: Readonly<Record<Environment, string>>
  readonly configuration: Configuration
  readonly log: ServiceLog
  readonly probes: Probes
  readonly queue: AdmissionQueue
  readonly pages: ServedPages
  readonly streets: Streets | null
  readonly groupPage: ReturnType<typeof groupPageOf>
  readonly startPage: ReturnType<typeof startPageOf>
  readonly codes: ShownCodes
  readonly tracing: Awaited<ReturnType<typeof tracingTo>>
  readonly metrics: ServiceMetrics
  /** Of both hosts: one reader follows the journal. */
  readonly streams: ChangeStreams
  readonly bodies: WaitingBodies
  /** Gets what stops the host in order. */
  readonly drains: (() => Promise<void>)[]
}

type HostServices = Layer.Layer.Success<ReturnType<typeof layerOf>>

/** Starts the host of one environment, with everything that it serves. */
async function startHost(environment: Environment, parts: HostParts): Promise<void> {
  const { runtime, addresses, baseUrls, configuration, log, probes, queue, pages, tracing, metrics } = parts
  const { streams } = parts
  const { baseUrl, hosts, port } = addresses[environment]
  const { host, trustedProxies, hasProductionInspector } = configuration
  const hasPortal = environment === "production"
  const hasInspector = !hasPortal || hasProductionInspector
  const ofHost = hasPortal ? PORTAL_API : SANDBOX_API
  const documents = [...PARTNER_APIS, REQUEST_LOG_API, ofHost, OPERATIONS_API, RUNNER_API]
  const app = await makeApp({
    ...observersOf(metrics, runtime, parts.bodies),
    runtime,
    environment,
    baseUrl,
    portalUrl: addresses.production.baseUrl,
    hosts,
    trustedProxies,
    probes,
    queue,
    logger: log,
    ...(tracing === null ? {} : { tracing }),
  })
  const run = bridgeTo(runtime)
  const operations = { run, environment, baseUrl, streams, ...(hasPortal ? { runConnector: run } : {}) }
  await app.register(operationsPlugin, operations)
  await app.register(requestLogPlugin, { run, environment, baseUrl })
  await addRunner(app, { run, environment, baseUrl, streams }, pages)
  await addOperators(app, { run, environment, baseUrl, hasInspector, streams }, pages)
  await app.register(assetsPlugin, { asset: assetsWithReplay(pages) })
  const { streets } = parts
  await app.register(streetsPlugin, { streets })
  const noted = notingOpening(environment)
  await app.register(trackingPlugin, { run, environment, noted, streets, page: pages.page })
  const start = { ...parts.startPage(environment), documents, hasInspector, page: pages.page }
  const startPage = start.replay === null ? pages.page : besideReplay(pages.page)
  await app.register(startPagePlugin, { ...start, page: startPage, readiness: probes.readiness })
  if (start.replay !== null || !hasPortal) addDemoReplay(app, { environment, pages })
  const access = start.demo?.access ?? null
  await app.register(docsPlugin, {
    ...start,
    guides: [CONNECTOR_GUIDE],
    baseUrl,
    demo: access,
  })
  const hostParts = { runtime, baseUrl, baseUrls, configuration, pages, streams, codes: parts.codes }
  await (hasPortal ? addProduction(app, hostParts) : addSandbox(app, hostParts))
  if (hasInspector)
    await app.register(inspectorPlugin, {
      run,
      environment,
      baseUrl,
      groupPage: parts.groupPage,
      groupWords: { waitsFor, dueName, hueOf },
      scenarioOf: keptScenario,
    })
  const requests = new OpenRequests(app)
  parts.drains.push(() => requests.drain(STOP_REQUESTS_MS_MAX))
  await app.listen({ host, port, listenTextResolver: (address) => `${environment} host at ${address}` })
}

const CONNECTOR_GUIDE = { name: "Courier connector for agents (MCP)", url: DESCRIPTION_PATH }

/** Connects the HTTP layer's observers to the metrics and to the request logs of organizations. */
function observersOf(
  { onAnswer, onConnectionClosed }: ServiceMetrics,
  runtime: Runtime.Runtime<CallLog>,
  bodies: WaitingBodies,
): Pick<AppOptions, "onAnswer" | "onCall" | "onConnectionClosed"> {
  const { note } = Context.get(runtime.context, CallLog)
  const run = Runtime.runSync(runtime)
  const onCall: AppOptions["onCall"] = (call, ids) => {
    keepRequest(bodies, call, { ...ids, atMs: Date.now() - call.ms })
    const logged = loggedCallOf(call)
    if (logged !== null) run(note(logged))
  }
  return { onAnswer, onConnectionClosed, onCall }
}

interface DemoParts {
  readonly managed: Running
  readonly baseUrls: Readonly<Record<Environment, string>>
  readonly place: DemoPlace
  readonly dataDir: string
  readonly log: ServiceLog
}

/** The demo data of this database; its keys are written to the data folder. */
async function demoIn({ managed, baseUrls, place, dataDir, log }: DemoParts): Promise<Demo | null> {
  return managed.runPromise(
    Effect.gen(function* () {
      const files = yield* Effect.context<LocalFiles>()
      const keep = (made: Demo) => Effect.provide(writeDemo(dataDir, made), files)
      const demo = yield* demoOf({ baseUrls, known: yield* readDemo(dataDir), place, keep })
      if (yield* isDemoDamaged(dataDir)) {
        log.warn(
          `${join(dataDir, "demo.json")} is damaged, so its keys cannot be shown: start with --demo to make new ones`,
        )
      }
      return demo
    }),
  )
}

/** Rejects with the StartFault itself. */
async function secretIn(configuration: Configuration): Promise<string> {
  const found = await Effect.runPromiseExit(Effect.provide(secretOf(configuration), layerLocalFiles))
  if (Exit.isFailure(found)) throw Cause.squash(found.cause)
  return found.value
}

interface StartParts {
  readonly configuration: Configuration
  readonly addresses: ReturnType<typeof addressesOf>
  readonly baseUrls: Readonly<Record<Environment, string>>
  readonly demo: Demo | null
}

/** What the start page of each host shows. */
function startPageOf({ configuration, addresses, baseUrls, demo }: StartParts) {
  const { databaseUrl, dataDir, allowsLocalTargets } = configuration
  const about = {
    database: databaseUrl === null ? "embedded database" : "PostgreSQL",
    version: buildName(),
    startedAtMs: Date.now(),
  }
  return (
    environment: Environment,
  ): Omit<StartPageOptions, "documents" | "hasInspector" | "page" | "readiness"> => ({
    environment,
    urls: baseUrls,
    demo:
      demo === null
        ? null
        : { access: demo[environment], connector: demo.courier, file: join(dataDir, "demo.json") },
    replay: demo === null ? null : { run: REPLAY_RUN_PATH, page: `${baseUrls.sandbox}${REPLAY_PATH}` },
    openLinkUrl: allowsLocalTargets ? LOCAL_OPEN_LINK : OPEN_LINK,
    isLocal: addresses[environment].isLocal,
    about,
  })
}

/** The runner's phone: its API and its page. */
async function addRunner(app: FastifyInstance, options: RunnerOptions, pages: ServedPages): Promise<void> {
  await app.register(runnerPlugin, options)
  await app.register(runnerPagesPlugin, {
    environment: options.environment,
    page: (shown) => pages.page("runner", shown),
    worker: (answer) => pages.worker("runner-worker", { page: "runner", path: "/runner", answer }),
  })
}

/** The pages of operations, and signing in to them. */
async function addOperators(
  app: FastifyInstance,
  options: OperatorOptions & Omit<OperatorPagesOptions, "operationsOf" | "page" | "replayPage" | "run">,
  pages: ServedPages,
): Promise<void> {
  await app.register(operatorPlugin, options)
  await app.register(operatorPagesPlugin, {
    ...options,
    operationsOf,
    page: (shown) => pages.page("ops", shown),
    replayPage: (shown) => pages.page("replay", shown),
  })
}

interface PortalParts {
  readonly runtime: Runtime.Runtime<
    AgentsSurface | PortalSurface | InboundSms | OutboxView | SandboxClock | SandboxCourses
  >
  readonly baseUrls: Readonly<Record<Environment, string>>
  readonly configuration: Configuration
  readonly pages: ServedPages
  readonly streams: ChangeStreams
  readonly codes: ShownCodes
}

interface ConnectorParts {
  readonly runtime: Runtime.Runtime<CourierPagesSurface | HostedSurface | McpSurface | OAuthSurface>
  readonly baseUrl: string
  readonly pages: ServedPages
  readonly configuration: Configuration
  /** Null: no page shows a code. */
  readonly mayShowCode: ((request: FastifyRequest) => boolean) | null
  /** True for the sandbox, whose numbers are made up. */
  readonly isForTests: boolean
  /** False: the checkout page is the processor's. */
  readonly hasTestCards: boolean
}

interface SandboxParts extends Pick<ConnectorParts, "baseUrl" | "configuration" | "pages"> {
  readonly codes: ShownCodes
  readonly runtime: Runtime.Runtime<HostServices>
}

/** No proxy passes a caller of elsewhere on. */
const isOfThisMachine = (request: FastifyRequest): boolean => mayShowKeys(request, { isLocal: true })

/** What only the production host has. */
async function addProduction(
  app: FastifyInstance,
  parts: Omit<ConnectorParts, "hasTestCards" | "isForTests" | "mayShowCode"> & PortalParts,
): Promise<void> {
  await addPortal(app, parts)
  const { codes, configuration } = parts
  const mayShowCode = codes.texts ? isOfThisMachine : null
  const { hasTestCards } = paymentsOf(configuration)
  await addConnector(app, { ...parts, mayShowCode, isForTests: false, hasTestCards })
}

/** What only the sandbox host has: its own API, and a connector for test numbers, with test cards whatever processor is configured. */
async function addSandbox(
  app: FastifyInstance,
  { runtime, baseUrl, configuration, pages, codes }: SandboxParts,
): Promise<void> {
  const own = { run: bridgeTo(runtime), baseUrl }
  await app.register(sandboxPlugin, own)
  await app.register(developerMcpPlugin, own)
  const { services } = Context.get(runtime.context, SandboxConnector)
  const ofConnector = Runtime.updateContext(runtime, (context) => Context.merge(context, services))
  await addConnector(app, {
    runtime: ofConnector,
    baseUrl,
    configuration,
    pages,
    mayShowCode: codes.texts ? isOfThisMachine : null,
    isForTests: true,
    hasTestCards: true,
  })
}

/** The courier connector: linking, tools and the pages to which agents send users. */
async function addConnector(
  app: FastifyInstance,
  { runtime, baseUrl, configuration, pages, mayShowCode, isForTests, hasTestCards }: ConnectorParts,
): Promise<void> {
  const run = bridgeTo(runtime)
  await app.register(oauthPlugin, {
    run,
    baseUrl,
    isForTests,
    ...(mayShowCode === null ? {} : { mayShowCode }),
  })
  const onUser = (request: FastifyRequest, id: string): void => setSender(request, { type: "user", id })
  const config = loggedConfig(KEPT_BODIES, READ_BY_BODY)
  const onAnswer = (request: FastifyRequest, body: string | null): void =>
    setAnswer(request, keptAnswer(body))
  const origins = configuration.mcpOrigins
  await app.register(publicTextsPlugin, { baseUrl })
  await app.register(mcpPlugin, { run, baseUrl, card: pages.card, origins, onUser, config, onAnswer })
  await app.register(courierPagesPlugin, { run, ...(hasTestCards ? {} : { runHosted: run }) })
}

/** Without an SMS provider there are no signed reports, so the path does not exist then. */
async function addPortal(
  app: FastifyInstance,
  { runtime, baseUrls, configuration, pages, streams, codes }: PortalParts,
): Promise<void> {
  const { production: baseUrl, sandbox: sandboxUrl } = baseUrls
  await app.register(portalPlugin, { run: bridgeTo(runtime), runClock: bridgeTo(runtime), baseUrl, streams })
  await app.register(portalPagesPlugin, {
    run: bridgeTo(runtime),
    baseUrl,
    sandboxUrl,
    page: (shown) => pages.page("portal", shown),
    ...(codes.mails ? { mails: { run: bridgeTo(runtime), mayShow: isOfThisMachine } } : {}),
  })
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
  readonly work: ScheduledWork["Type"]
  readonly clock: DatabaseClock["Type"]
  readonly isStopping: () => boolean
  readonly silentMs: () => number | null
}

function probesOf(parts: ProbeParts): Probes {
  const { managed, metrics, queue, hold, work, clock, isStopping, silentMs } = parts
  const notes = new ReadinessNotes()
  const state = (): ProcessState => ({
    isStopping: isStopping(),
    silentMs: silentMs(),
    sheddingMs: queue.sheddingMs,
    notes,
  })
  const figures = Effect.all({
    mailbox: mailboxFigures.pipe(
      Effect.timeoutTo({ duration: PROBE_MS_MAX, onSuccess: (found) => found, onTimeout: () => null }),
      Effect.catchAllCause(() => Effect.succeed(null)),
    ),
    areCallsHeld: Effect.sync(() => hold.isHeld),
    scheduledWork: work.state,
    clockAheadMs: Effect.sync(clock.aheadMs),
    callsInFlight: Effect.map(RunningHost, (host) => host.callsInFlight),
    isCallThreadReady: Effect.map(RunningHost, (host) => host.isCallThreadReady),
    embeddedMemoryBytes: Effect.map(Database, embeddedMemoryBytes),
  })
  const look = shared(() => managed.runPromise(databaseFound))
  return {
    readiness: async () => {
      const found = await look()
      // The process itself is looked at for each caller, so that a stop shows at once.
      return readinessOf(state(), found)
    },
    notes: () => {
      const { problem } = Effect.runSync(work.state)
      const clocks = clockNote(clock.aheadMs())
      return {
        ...hold.notes,
        ...(notes.migrations === null ? {} : { migrations: notes.migrations }),
        ...(problem === null ? {} : { scheduled_work: problem }),
        ...(clocks === null ? {} : { clock: clocks }),
      }
    },
    metrics: shared(async () => ({
      contentType: metrics.contentType,
      text: await metrics.text({ ...(await managed.runPromise(figures)), admission: queue.figures }),
    })),
  }
}
