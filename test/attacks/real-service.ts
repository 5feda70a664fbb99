/**
 * The service as it really runs, on the loopback: HTTP server, wake-up, sender and database, all on the machine's clock.
 * Only names are looked up in a table of the test's own, because no test asks the world outside.
 */

import type { AddressInfo } from "node:net"
import { Effect, Layer, ManagedRuntime } from "effect"
import type { FastifyInstance } from "fastify"
import { layerOutboundHttp } from "../../src/live/gateways/outbound-http.ts"
import { PhotoStore } from "../../src/engine/services/photos/photo-store.ts"
import { layerSignedPhotos } from "../../src/live/gateways/signed-photos.ts"
import { makeApp } from "../../src/apps/app.ts"
import { CALL_THREAD_CONNECTIONS } from "../../src/live/configuration/bounds.ts"
import { CallThread } from "../../src/live/calls/call-thread.ts"
import type { CallThreadOptions } from "../../src/live/calls/call-thread.ts"
import { layerLiveService } from "../../src/live/services/live-service.ts"
import type { RunningHost } from "../../src/live/services/live-service.ts"
import type { LiveObserver } from "../../src/live/observation/observer.ts"
import { PERMISSIONS } from "../../src/model/caller.ts"
import type { Environment } from "../../src/model/caller.ts"
import { HOUR_MS } from "../../src/model/values/time.ts"
import { layerAdmission } from "../../src/http/access/admission.ts"
import { ApiKeys } from "../../src/http/access/api-keys.ts"
import { Organizations } from "../../src/apps/operations/organizations.ts"
import { layerRatePolicy } from "../../src/http/access/rate-limits.ts"
import type { Vehicles } from "../../src/areas/dispatch/vehicles.ts"
import { ActorHost } from "../../src/engine/services/host.ts"
import type { MessageRows } from "../../src/areas/messages/rows.ts"
import { NameLookup } from "../../src/engine/services/outbound/name-lookup.ts"
import type { Resolution } from "../../src/engine/services/outbound/name-lookup.ts"
import { Discovery } from "../../src/areas/reservations/discovery.ts"
import { layerAccessRows, layerRateCounter } from "../../src/http/access/store/access-rows.ts"
import { layerTables } from "../../src/engine/store/sql-tables.ts"
import { PartnerRequestRows } from "../../src/apps/portal/partner-requests.ts"
import { CatalogRows } from "../../src/areas/catalog/rows.ts"
import { writeSite } from "../../src/areas/catalog/store/bookable-catalog.ts"
import type { CatalogSite } from "../../src/areas/catalog/rows.ts"
import type { Database, DatabaseFault } from "../../src/engine/store/database.ts"
import { layerCopiedPglite } from "../engine/store/embedded-template.ts"

export const PUBLIC_ADDRESS = "93.184.215.14"

export interface RealServiceOptions {
  readonly environment?: Environment
  readonly database?: Layer.Layer<Database, DatabaseFault>
  /** May webhooks and open links reach the loopback? */
  readonly allowsLoopback?: boolean
  /** Sends its webhooks. A real thread resolves names by the machine's own resolver. */
  readonly thread?: CallThread
  readonly observer?: LiveObserver
  /** Of the first zone's kind: `zone_curb`, then `zone_curb_1` and so on. */
  readonly zones?: number
}

export interface RealService {
  readonly app: FastifyInstance
  readonly baseUrl: string
  readonly port: number
  readonly key: string
  readonly organizationId: string
  /** What names resolve to from now on; a name that is not here is a public one. */
  readonly names: Map<string, Resolution | (() => Resolution)>
  /** Names that were looked up, in order. */
  readonly asked: readonly string[]
  readonly makeKey: (organizationId: string, environment?: Environment) => Promise<string>
  readonly makeOrganization: () => Promise<string>
  readonly run: <A, E>(
    effect: Effect.Effect<
      A,
      E,
      Database | MessageRows | Organizations | ApiKeys | ActorHost | RunningHost | Vehicles
    >,
  ) => Promise<A>
  readonly call: (method: string, path: string, sent?: RealSent) => Promise<RealAnswer>
  readonly booking: (more?: object) => object
  readonly close: () => Promise<void>
}

export interface RealSent {
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly text?: string | Buffer
}

export interface RealAnswer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

/** Budgets that no test spends. */
const MANY = 10_000_000

export async function startRealService(options: RealServiceOptions = {}): Promise<RealService> {
  const { environment = "production", database = layerCopiedPglite, allowsLoopback = false } = options
  const names: RealService["names"] = new Map()
  const asked: string[] = []
  const lookup = Layer.succeed(NameLookup, {
    resolve: (host) =>
      Effect.sync((): Resolution => {
        asked.push(host)
        const found = names.get(host)
        if (found === undefined) return { type: "addresses", addresses: [PUBLIC_ADDRESS] }
        return typeof found === "function" ? found() : found
      }),
  })
  const base = "https://service.example"
  const outside = Layer.mergeAll(
    layerOutboundHttp,
    lookup,
    layerSignedPhotos({ key: "photos", baseUrls: { production: base, sandbox: base } }).pipe(
      Layer.provide(PhotoStore.layer),
      Layer.provide(layerTables),
    ),
  ).pipe(Layer.provideMerge(database))
  const { thread, observer } = options
  const live = layerLiveService({
    ...KEYS,
    urlPolicy: { allowsLoopback },
    ...(thread === undefined ? {} : { thread }),
    ...(observer === undefined ? {} : { observer }),
  })
  const counts = { analytics: MANY, "bot-reports": MANY, requests: MANY }
  const access = Layer.mergeAll(layerAdmission, ApiKeys.layer, Organizations.layer).pipe(
    Layer.provide(
      Layer.mergeAll(
        layerAccessRows,
        Layer.merge(CatalogRows.layer, PartnerRequestRows.layer).pipe(Layer.provide(layerTables)),
        layerRateCounter,
      ),
    ),
    Layer.provide(layerRatePolicy({ perMinute: counts })),
  )
  const managed = ManagedRuntime.make(
    Layer.mergeAll(access, Discovery.layer).pipe(Layer.provideMerge(live), Layer.provideMerge(outside)),
  )
  const runtime = await managed.runtime()
  const app = await makeApp({ runtime, environment })
  await app.listen({ host: "127.0.0.1", port: 0 })
  const { port } = app.server.address() as AddressInfo
  const baseUrl = `http://127.0.0.1:${port}`
  const run: RealService["run"] = (effect) => managed.runPromise(effect)
  const makeOrganization = async (): Promise<string> => {
    const made = { name: "Wheels", isFleetPartner: true, environments: ["production", "sandbox"] } as const
    const { organizationId } = await run(Effect.flatMap(Organizations, (all) => all.add(made)))
    return organizationId
  }
  const makeKey: RealService["makeKey"] = async (organizationId, of = environment) => {
    const made = { organizationId, environment: of, permissions: PERMISSIONS, expiresAtMs: null }
    return (await run(Effect.flatMap(ApiKeys, (keys) => keys.make(made)))).value
  }
  const organizationId = await makeOrganization()
  const key = await makeKey(organizationId)
  await run(plantSite(environment, organizationId, options.zones ?? 1))
  return {
    app,
    baseUrl,
    port,
    key,
    organizationId,
    names,
    asked,
    makeKey,
    makeOrganization,
    run,
    call: async (method, path, sent = {}) => {
      const text = sent.body === undefined ? sent.text : JSON.stringify(sent.body)
      const response = await fetch(`${baseUrl}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${sent.key ?? key}`,
          "content-type": "application/json",
          ...sent.headers,
        },
        ...(text === undefined ? {} : { body: text }),
      })
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    },
    booking: (more) => ({
      zone_id: "zone_curb",
      retailer_id: "retailer_grocer",
      order_number: "A-1001",
      end_user_name: "Ada Example",
      end_user_phone: "+15125550100",
      arrival_window_start: new Date(Date.now() + HOUR_MS).toISOString(),
      arrival_window_end: new Date(Date.now() + 2 * HOUR_MS).toISOString(),
      open_link_url: "https://open.partner.example/doors/7",
      ...more,
    }),
    close: async () => {
      await app.close()
      await managed.dispose()
    },
  }
}

const KEYS = { digestKey: "digests", secretKey: "secrets" }

/** A thread over the database of a service that may reach the loopback. */
export function threadOver(
  databaseUrl: string,
  more: Partial<Omit<CallThreadOptions, "setting">> = {},
): CallThread {
  return new CallThread({
    setting: {
      ...KEYS,
      databaseUrl,
      connectionsMax: CALL_THREAD_CONNECTIONS,
      allowsLoopback: true,
      nameServers: null,
      logLevel: "warn",
      tracesEndpoint: null,
    },
    onEnd: (cause) => {
      throw new Error("the thread that sends webhooks ended", { cause })
    },
    onLine: (line) => process.stderr.write(line),
    ...more,
  })
}

function plantSite(environment: Environment, organizationId: string, zones: number) {
  const retailer = {
    retailerId: "retailer_grocer",
    name: "Grocer",
    logoUrl: null,
    supportPhone: null,
    pickupRequirements: null,
    grantedTo: [organizationId],
  }
  const zone = (_: unknown, at: number): CatalogSite["zones"][number] => ({
    zoneId: at === 0 ? "zone_curb" : `zone_curb_${at}`,
    name: `Curb ${at}`,
    latitude: null,
    longitude: null,
    hasRunner: true,
    stalls: [1, 2, 3].map((number) => ({
      stallId: `stall_${at}_${number}`,
      label: `A${number}`,
      isActive: true,
    })),
    retailers: [retailer],
  })
  const site: CatalogSite = {
    siteId: "7d1f3c52-52a4-4b0e-9f5e-6f0c2f3f9a21",
    name: "East",
    timezone: "America/Chicago",
    zones: Array.from({ length: zones }, zone),
  }
  return Effect.flatMap(ActorHost, (host) =>
    host.run({ name: "a test", locks: { key: "catalog" }, body: () => writeSite(environment, site) }),
  )
}
