/** The composition root: the production and the sandbox host in one process, over one database. */

import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { Layer, Logger, ManagedRuntime } from "effect"
import type { FastifyInstance } from "fastify"
import type { Environment } from "./model/caller.ts"
import { layerNameLookup } from "./gateways/name-lookup.ts"
import { layerOutboundHttp } from "./gateways/outbound-http.ts"
import { layerSignedPhotos } from "./gateways/signed-photos.ts"
import { makeApp } from "./http/app.ts"
import { makeDemo } from "./live/demo.ts"
import type { Demo } from "./live/demo.ts"
import { layerLiveService } from "./live/live-service.ts"
import { layerAdmission } from "./services/access/admission.ts"
import { layerApiKeys } from "./services/access/api-keys.ts"
import { layerOrganizations } from "./services/access/organizations.ts"
import { layerRatePolicy } from "./services/access/rate-limits.ts"
import { layerDiscovery } from "./services/reservations/discovery.ts"
import { layerAccessRows, layerRateCounter } from "./store/access-rows.ts"
import { layerPglite, layerPostgres } from "./store/database.ts"
import type { Database, DatabaseFault } from "./store/database.ts"

export interface ServiceOptions {
  readonly host: string
  readonly ports: Readonly<Record<Environment, number>>
  /** Holds the embedded database, the demo's keys and the secret. */
  readonly dataDir: string
  /** PostgreSQL; null for the embedded database. */
  readonly databaseUrl: string | null
  /** From it the keys of digests and signed links derive; null: one is made and kept in the data folder. */
  readonly secret: string | null
  /** Development: webhooks and open links may reach loopback over http. */
  readonly allowsLocalTargets: boolean
}

export interface RunningService {
  readonly baseUrls: Readonly<Record<Environment, string>>
  /** What the first start made; null later, and always on an external database. */
  readonly demo: Demo | null
  readonly stop: () => Promise<void>
}

/** Starts everything and listens. Rejects when the database cannot be opened or a port is taken; nothing stays open then. */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  mkdirSync(options.dataDir, { recursive: true })
  const baseUrls = {
    production: `http://${options.host}:${options.ports.production}`,
    sandbox: `http://${options.host}:${options.ports.sandbox}`,
  }
  const managed = ManagedRuntime.make(layerOf(options, baseUrls))
  const apps: FastifyInstance[] = []
  const stop = async (): Promise<void> => {
    await Promise.all(apps.map((app) => app.close()))
    await managed.dispose()
  }
  try {
    const runtime = await managed.runtime()
    const demo = options.databaseUrl === null ? await managed.runPromise(makeDemo(baseUrls)) : null
    if (demo !== null) writeDemo(options.dataDir, demo)
    for (const environment of ["production", "sandbox"] as const) {
      const app = await makeApp({ runtime, environment, baseUrl: baseUrls[environment] })
      app.get("/healthz", async () => ({ status: "ok" }))
      apps.push(app)
      await app.listen({ host: options.host, port: options.ports[environment] })
    }
    return { baseUrls, demo, stop }
  } catch (cause) {
    await stop()
    throw cause
  }
}

function layerOf(options: ServiceOptions, baseUrls: Readonly<Record<Environment, string>>) {
  const secret = options.secret ?? keptSecret(options.dataDir)
  const outside = Layer.mergeAll(
    layerOutboundHttp,
    layerNameLookup,
    layerSignedPhotos({ key: `photos ${secret}`, baseUrls }),
    layerDatabase(options),
  )
  const live = layerLiveService({
    digestKey: `digests ${secret}`,
    secretKey: `webhook secrets ${secret}`,
    urlPolicy: { allowsLoopback: options.allowsLocalTargets },
  })
  const access = Layer.mergeAll(layerAdmission, layerApiKeys, layerOrganizations).pipe(
    Layer.provide(Layer.mergeAll(layerAccessRows, layerRateCounter, layerRatePolicy())),
  )
  return Layer.mergeAll(access, layerDiscovery).pipe(
    Layer.provideMerge(live),
    Layer.provideMerge(outside),
    Layer.provideMerge(Logger.replace(Logger.defaultLogger, Logger.withConsoleError(Logger.logfmtLogger))),
  )
}

function layerDatabase({ databaseUrl, dataDir }: ServiceOptions): Layer.Layer<Database, DatabaseFault> {
  return databaseUrl === null
    ? layerPglite({ folder: join(dataDir, "database") })
    : layerPostgres(databaseUrl)
}

/** Readable by its owner alone, like the folder's other secrets. */
function keptSecret(dataDir: string): string {
  const file = join(dataDir, "secret")
  if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString("hex"), { mode: 0o600 })
  return readFileSync(file, "utf8")
}

function writeDemo(dataDir: string, demo: Demo): void {
  const file = join(dataDir, "demo.json")
  rmSync(file, { force: true })
  writeFileSync(file, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 })
  chmodSync(file, 0o600)
}
