/**
 * The HTTP app over the live service on embedded PGlite, on a clock that the tests move, and a caller that holds every
 * answer against the OpenAPI document: its status, its body, its headers; and of a request that was accepted, its body.
 * After each test the journal of all that happened is exported and replayed.
 */

import { Context, Effect, Layer, Runtime } from "effect"
import { getTableName, sql } from "drizzle-orm"
import type { PgTable } from "drizzle-orm/pg-core"
import type { FastifyInstance } from "fastify"
import { onTestFinished } from "vitest"
import { builtInOrder } from "../../src/engine/library-internals/layers.ts"
import { makeAppOver } from "../../src/apps/app.ts"
import type { HttpServices } from "../../src/apps/app.ts"
import { sandboxPlugin } from "../../src/apps/sandbox-api.ts"
import { bridgeTo } from "../../src/http/bridge.ts"
import type { Run } from "../../src/http/bridge.ts"
import { operationsPlugin } from "../../src/apps/operations/http/plugin.ts"
import type { OperationsSurface } from "../../src/apps/operations/http/endpoints.ts"
import type { ForecasterOptions } from "../../src/live/forecasts/forecaster.ts"
import type { MomentFinderOptions } from "../../src/live/moments/moment-finder.ts"
import type { LiveServices } from "../../src/live/services/live-service.ts"
import type { TestErrands } from "../../src/areas/agents/test-errands.ts"
import type { TestNumbers } from "../../src/areas/agents/test-numbers.ts"
import { layerSandboxConnector } from "../../src/live/services/sandbox-connector.ts"
import type { SandboxConnector } from "../../src/live/services/sandbox-connector.ts"
import { layerManagement } from "../../src/live/services/management.ts"
import { ENVIRONMENTS, PERMISSIONS } from "../../src/model/caller.ts"
import type { Environment, Permission } from "../../src/model/caller.ts"
import { MINUTE_MS } from "../../src/model/values/time.ts"
import type { EpochMs } from "../../src/model/values/time.ts"
import { layerAdmission } from "../../src/http/access/admission.ts"
import { CallLog } from "../../src/http/access/call-log.ts"
import type { AnsweredRequest } from "../../src/http/access/call-log.ts"
import { loggedCallOf } from "../../src/http/access/call-log.ts"
import { requestLogPlugin } from "../../src/apps/request-log/plugin.ts"
import { layerCallRows } from "../../src/http/access/store/call-rows.ts"
import { ApiKeys } from "../../src/http/access/api-keys.ts"
import type { NewApiKey } from "../../src/http/access/api-keys.ts"
import { OperatorTokens } from "../../src/http/access/operator-tokens.ts"
import { Organizations } from "../../src/apps/operations/organizations.ts"
import type { NewOrganization } from "../../src/apps/operations/organizations.ts"
import { DEFAULT_RATE_LIMITS, layerRatePolicy } from "../../src/http/access/rate-limits.ts"
import type { RateLimits } from "../../src/http/access/rate-limits.ts"
import type { Geocoder } from "../../src/engine/services/geocoding/geocoder.ts"
import { OutboxView } from "../../src/areas/messages/outbox-view.ts"
import type { MessageRows } from "../../src/areas/messages/rows.ts"
import { PortalDeliveries } from "../../src/apps/portal/deliveries.ts"
import { AccessReview } from "../../src/apps/portal/production-access.ts"
import { PartnerRequestRows, PartnerReview } from "../../src/apps/portal/partner-requests.ts"
import { SiteRequestRows, SiteRequests } from "../../src/apps/portal/site-requests.ts"
import type { EnvironmentPolicy } from "../../src/engine/services/policies.ts"
import { layerOutboundDocuments } from "../../src/live/gateways/outbound-documents.ts"
import { layerSharpPhotos } from "../../src/live/gateways/sharp-photos.ts"
import { layerPhotoFiles } from "../../src/engine/services/photos/photo-files.ts"
import { layerOperators } from "../../src/live/services/operators.ts"
import type { OperatorAccounts } from "../../src/apps/operators/accounts.ts"
import type { OperatorSignIn } from "../../src/apps/operators/sign-in.ts"
import { layerRunner } from "../../src/live/services/runner.ts"
import { runnerPlugin } from "../../src/apps/runner/http/plugin.ts"
import type { RunnerSurface } from "../../src/apps/runner/http/plugin.ts"
import { Discovery } from "../../src/areas/reservations/discovery.ts"
import { layerAccessRows, layerRateCounter } from "../../src/http/access/store/access-rows.ts"
import { Database } from "../../src/engine/store/database.ts"
import type { Orm } from "../../src/engine/store/database.ts"
import { ProfileRows } from "../../src/apps/portal/rows.ts"
import { layerTables } from "../../src/engine/store/sql-tables.ts"
import { CatalogRows } from "../../src/areas/catalog/rows.ts"
import { grants } from "../../src/areas/catalog/rows.ts"
import { declaredTable } from "../../src/engine/store/declared-table.ts"
import { layerPortalRows } from "../../src/apps/portal/store/portal-sessions.ts"
import { SIMULATED_PHOTO_KEY } from "../../src/simulation/outside-world.ts"
import { Arrivals } from "../../src/engine/services/arrivals.ts"
import { keepRows } from "../conformance/kept-rows.ts"
import { liveHarness, openTestDatabase } from "../conformance/live.ts"
import type { LiveHarness } from "../conformance/live.ts"
import { world } from "../conformance/world.ts"
import type { Answered, Check } from "./document.ts"
import { checkOf, sharedApp } from "./shared-app.ts"
import type { AppParts } from "./shared-app.ts"
import { layerCopiedPglite } from "../engine/store/embedded-template.ts"

export type { Answered, Document } from "./document.ts"

/** The base URL of the runner's pages. */
const RUNNER_URL = "http://localhost"
export const HOOK = "https://hooks.partner.example/events"
export const OPEN_LINK = "https://open.partner.example/doors/7"

export interface ApiOptions {
  readonly environment?: Environment
  readonly hosts?: readonly string[]
  readonly limits?: RateLimits
  readonly policy?: EnvironmentPolicy
  readonly geocoder?: Layer.Layer<Geocoder>
  readonly forecasts?: ForecasterOptions
  readonly moments?: MomentFinderOptions
  /** Services that replace the real ones. */
  readonly instead?: Context.Context<never>
  /** Further plugins of the app. The name stands for them. */
  readonly plugins?: {
    readonly name: string
    readonly register: (app: FastifyInstance, run: Run<ApiServices>) => Promise<void>
  }
}

export interface Sent {
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent as it is. */
  readonly text?: string | Buffer
}

/** What every test may run beside requests: what an operator would. */
export type ApiServices =
  | HttpServices
  | SandboxConnector
  | TestErrands
  | TestNumbers
  | CallLog
  | OperationsSurface
  | OperatorAccounts
  | OperatorSignIn
  | RunnerSurface
  | LiveServices
  | MessageRows
  | Database

export interface Api {
  readonly service: LiveHarness
  readonly app: FastifyInstance
  readonly organizationId: string
  /** A key of this environment with every permission. */
  readonly key: string
  /** Requests as they are passed to the request log and to the inspector. */
  readonly answered: readonly AnsweredRequest[]
  readonly operatorToken: string
  /** A call of the operations API, under the operator token of this environment. */
  readonly operate: (method: string, path: string, sent?: Sent) => Promise<Answered>
  readonly now: () => EpochMs
  readonly advance: (ms: number) => Promise<void>
  /** May book everything that the world grants. */
  readonly makeOrganization: (more?: Partial<NewOrganization>) => Promise<string>
  /** By default for the usual organization and this environment, with every permission. */
  readonly makeKey: (more?: Partial<NewApiKey>) => Promise<string>
  readonly holding: (...permissions: Permission[]) => Promise<string>
  readonly run: <A, E>(effect: Effect.Effect<A, E, ApiServices>) => Promise<A>
  readonly call: (method: string, path: string, sent?: Sent) => Promise<Answered>
  /** A booking that holds. */
  readonly booking: (more?: object) => object
  /** Books, and gives the id. */
  readonly book: (more?: object, sent?: Sent) => Promise<string>
}

const database = openTestDatabase(layerCopiedPglite)
let isOpen = false

async function close(giveBack: () => Promise<void>, service: LiveHarness): Promise<void> {
  isOpen = false
  await giveBack()
  const { difference, entries } = await service.close()
  if (difference !== null)
    throw new Error(`the journal of ${entries} entries differs: ${JSON.stringify(difference)}`)
}

/**
 * For one test, and closed after it. One at a time: the files of a process share a database in memory, which the next test finds
 * empty.
 */
export async function makeApi(options: ApiOptions = {}): Promise<Api> {
  const { environment = "production", hosts, policy, geocoder, forecasts, moments, plugins } = options
  if (isOpen) throw new Error("one service a test: the other would lose its rows")
  const { organizationId, key, operatorToken } = await (beginnings[environment] ??= begin(environment))
  const service = liveHarness(database.context, {
    ...(policy === undefined ? {} : { policy }),
    ...(geocoder === undefined ? {} : { geocoder }),
    ...(forecasts === undefined ? {} : { forecasts }),
    ...(moments === undefined ? {} : { moments }),
    photos: layerSharpPhotos,
    rows: rowsOf(environment),
  })
  const runtime = await withAccess(service, options)
  const { note } = Context.get(runtime.context, CallLog)
  const answered: AnsweredRequest[] = []
  const { app, giveBack } = await sharedApp<ApiServices>(
    [environment, ...(hosts ?? []), plugins?.name ?? ""].join(" "),
    {
      run: bridgeTo(runtime),
      arrivals: Context.get(runtime.context, Arrivals),
      onCall: (call) => {
        answered.push(call)
        const logged = loggedCallOf(call)
        if (logged !== null) Runtime.runSync(runtime)(note(logged))
      },
    },
    (parts) => appOf(parts, options),
  )
  isOpen = true
  onTestFinished(() => close(giveBack, service))
  const checkAt = (path: string): Promise<Check> => checkOf(app, documentOf(path), hostOf(hosts))
  const run: Api["run"] = (effect) => Runtime.runPromise(runtime)(effect)
  const makeKey: Api["makeKey"] = (wanted) => keyFor(run, { organizationId, environment, ...wanted })
  const call: Api["call"] = async (method, path, sent = {}) => {
    const { headers, payload } = requestOf({ key, ...sent })
    const response = await app.inject({
      method: method as "GET",
      url: path,
      headers: { ...hostOf(hosts).headers, ...headers },
      ...(payload === undefined ? {} : { payload }),
    })
    const answer = answeredOf(response)
    const check = await checkAt(path)
    check({ method, path, answered: answer, sent: sent.body })
    return answer
  }
  const booking: Api["booking"] = (more) => ({
    zone_id: "zone_curb",
    retailer_id: "retailer_grocer",
    order_number: "A-1001",
    end_user_name: "Ada Example",
    end_user_phone: "+15125550100",
    arrival_window_start: iso(service.now() + 30 * MINUTE_MS),
    arrival_window_end: iso(service.now() + 60 * MINUTE_MS),
    open_link_url: OPEN_LINK,
    ...more,
  })
  return {
    service,
    app,
    organizationId,
    key,
    answered,
    operatorToken,
    operate: (method, path, sent) => call(method, `/internal/v1${path}`, { key: operatorToken, ...sent }),
    now: service.now,
    advance: service.advance,
    makeOrganization: organizationMaker(run),
    makeKey,
    holding: (...permissions) => makeKey({ permissions }),
    run,
    call,
    booking,
    book: async (more, sent) => {
      const { data } = await call("POST", "/rs/v1/reservations", { ...sent, body: booking(more) })
      return reservationOf(data).reservation_id
    },
  }
}

/** What every service of an environment begins with. */
interface Beginning {
  readonly organizationId: string
  readonly key: string
  readonly operatorToken: string
}

const beginnings: Partial<Record<Environment, Promise<Beginning>>> = {}

function rowsOf(environment: Environment): string {
  return `organization of ${environment}`
}

/** Made once by the services themselves; each test gets a copy of the rows. */
async function begin(environment: Environment): Promise<Beginning> {
  const service = liveHarness(database.context)
  const runtime = await withAccess(service, {})
  const run: Api["run"] = (effect) => Runtime.runPromise(runtime)(effect)
  const organizationId = await organizationMaker(run)()
  const key = await keyFor(run, { organizationId, environment })
  const token = Effect.flatMap(OperatorTokens, (tokens) => tokens.make({ environment, label: "tests" }))
  const { value: operatorToken } = await run(token)
  await service.close()
  await keepRows(Context.get(await database.context, Database), rowsOf(environment))
  return { organizationId, key, operatorToken }
}

/** By default with every permission, for ever. */
async function keyFor(
  run: Api["run"],
  wanted: Partial<NewApiKey> & Pick<NewApiKey, "environment" | "organizationId">,
): Promise<string> {
  const made = Effect.flatMap(ApiKeys, (keys) =>
    keys.make({ permissions: PERMISSIONS, expiresAtMs: null, ...wanted }),
  )
  return (await run(made)).value
}

async function appOf(
  { streams, onCall, ...by }: AppParts<ApiServices>,
  { environment = "production", hosts, plugins }: ApiOptions,
): Promise<FastifyInstance> {
  const { run } = by
  const app = await makeAppOver(by, { environment, onCall, ...(hosts === undefined ? {} : { hosts }) })
  await app.register(operationsPlugin, { run, environment, streams })
  await app.register(requestLogPlugin, { run, environment })
  await app.register(runnerPlugin, { run, environment, baseUrl: RUNNER_URL, streams })
  if (environment === "sandbox") await app.register(sandboxPlugin, { run })
  await plugins?.register(app, run)
  return app
}

/** Where the document is that describes a path. */
function documentOf(path: string): string {
  if (path.startsWith("/internal/")) return "/openapi/internal.json"
  if (path.startsWith("/logs/")) return "/openapi/logs.json"
  if (path.startsWith("/sandbox/")) return "/openapi/sandbox.json"
  if (path.startsWith("/avrh/")) return "/openapi/analytics.json"
  return path.startsWith("/dd/") ? "/openapi/dd.json" : "/openapi/rs.json"
}

/** Every row of these tables, or of all, as text. */
export function contentOf(api: Api, tables?: readonly PgTable[]): Promise<string> {
  const read = Effect.flatMap(Database, ({ orm }) =>
    Effect.promise(async () => {
      const names = tables?.map(getTableName) ?? (await tableNames(orm))
      const rows: unknown[] = []
      for (const name of names) rows.push(await orm.execute(sql.raw(`select * from "${name}"`)))
      return JSON.stringify(rows)
    }),
  )
  return api.run(read)
}

async function tableNames(orm: Orm): Promise<readonly string[]> {
  const found = await orm
    .select({ name: sql<string>`tablename` })
    .from(sql`pg_tables`)
    .where(sql`schemaname = 'public'`)
  return found.map(({ name }) => name)
}

/** The parts of a reservation that tests read. */
export interface SeenReservation {
  readonly reservation_id: string
  readonly status: string
  readonly bot: { readonly status: string; readonly label: string | null } | null
  readonly handoff: { readonly status: string; readonly load_photo_url: string | null } | null
  readonly [field: string]: unknown
}

export function reservationOf(data: Record<string, unknown>): SeenReservation {
  return data["reservation"] as SeenReservation
}

export function iso(instantMs: EpochMs): string {
  return new Date(instantMs).toISOString()
}

async function withAccess(
  service: LiveHarness,
  { limits = DEFAULT_RATE_LIMITS, instead = Context.empty() }: ApiOptions,
): Promise<Runtime.Runtime<ApiServices>> {
  const running = await service.run(Effect.runtime<LiveServices | Database>())
  const ports = Layer.mergeAll(layerAccessRows, layerRateCounter, layerRatePolicy(limits))
  const layers = Layer.mergeAll(
    layerAdmission,
    CallLog.layer.pipe(Layer.provide(layerCallRows)),
    layerManagement,
    Discovery.layer,
    OutboxView.layer,
    SiteRequests.layer.pipe(Layer.provide(SiteRequestRows.layer), Layer.provide(layerTables)),
    Layer.merge(AccessReview.layer, PartnerReview.layer).pipe(
      Layer.provide(
        Layer.mergeAll(
          layerAccessRows,
          layerPortalRows,
          Layer.mergeAll(CatalogRows.layer, PartnerRequestRows.layer, ProfileRows.layer).pipe(
            Layer.provide(layerTables),
          ),
          PortalDeliveries.layer,
        ),
      ),
    ),
    layerPhotoFiles(SIMULATED_PHOTO_KEY),
    layerOperators("tests"),
    layerSandboxConnector({ baseUrl: RUNNER_URL, secret: "tests" }).pipe(
      Layer.provide(layerOutboundDocuments),
    ),
  ).pipe((layer) => Layer.provideMerge(layerRunner, layer))
  const added = await Runtime.runPromise(running)(Effect.scoped(builtInOrder(Layer.provide(layers, ports))))
  return Runtime.updateContext(running, (context) => Context.mergeAll(context, added, instead))
}

function organizationMaker(run: Api["run"]): Api["makeOrganization"] {
  return (more) =>
    run(
      Effect.gen(function* () {
        const organizations = yield* Organizations
        const made = yield* organizations.add({
          name: "Wheels",
          isFleetPartner: true,
          environments: ["production", "sandbox"],
          ...more,
        })
        const { organizationId } = made
        const { orm } = yield* Database
        const rows = world.flatMap(({ zones }) =>
          zones.flatMap(({ zoneId, retailers }) =>
            retailers
              .filter(({ grantedTo }) => grantedTo.length > 0)
              .flatMap(({ retailerId }) =>
                ENVIRONMENTS.map((environment) => ({ environment, organizationId, zoneId, retailerId })),
              ),
          ),
        )
        yield* Effect.promise(() => orm.insert(declaredTable(grants)).values(rows))
        return organizationId
      }),
    )
}

function hostOf(hosts: readonly string[] | undefined): { readonly headers: Record<string, string> } {
  return { headers: hosts?.[0] === undefined ? {} : { host: hosts[0] } }
}

function requestOf({ key, headers, body, text }: Sent): {
  readonly headers: Record<string, string>
  readonly payload: string | Buffer | undefined
} {
  const payload = body === undefined ? text : JSON.stringify(body)
  // An empty content type means a request without the header.
  const hasType = payload !== undefined && headers?.["content-type"] !== ""
  const { "content-type": type = "application/json", ...more } = headers ?? {}
  return {
    headers: {
      ...(key === null || key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(hasType ? { "content-type": type } : {}),
      ...more,
    },
    payload,
  }
}

function answeredOf(response: {
  readonly statusCode: number
  readonly headers: object
  readonly rawPayload: Buffer
}): Answered {
  const headers = response.headers as Readonly<Record<string, string | undefined>>
  const isJson = headers["content-type"]?.startsWith("application/json") === true
  const text = response.rawPayload.toString()
  const body = isJson && text !== "" ? (JSON.parse(text) as Record<string, unknown>) : {}
  return {
    status: response.statusCode,
    code: typeof body["code"] === "string" ? body["code"] : null,
    data: (body["data"] ?? {}) as Record<string, unknown>,
    body,
    bytes: response.rawPayload,
    headers,
  }
}
