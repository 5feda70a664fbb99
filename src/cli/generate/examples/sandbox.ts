/**
 * The sandbox on which examples are recorded: the HTTP app over the simulated service, with a fixed seed and a clock
 * that only the recorder moves, so that every recording has the same bytes.
 */

import { setImmediate } from "node:timers/promises"
import { Context, Effect, Layer, Runtime } from "effect"
import { makeApp } from "../../../apps/app.ts"
import type { HttpServices } from "../../../apps/app.ts"
import { deliverySitesOf, vehicleOf } from "../../../live/demo/demo-deliveries.ts"
import { ENVIRONMENTS, PERMISSIONS } from "../../../model/caller.ts"
import type { Environment } from "../../../model/caller.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import { Admission, layerAdmission } from "../../../http/access/admission.ts"
import { ApiKeys } from "../../../http/access/api-keys.ts"
import type { NewApiKey } from "../../../http/access/api-keys.ts"
import { Organizations } from "../../../apps/operations/organizations.ts"
import type { OrganizationChange } from "../../../apps/operations/organizations.ts"
import { layerRatePolicy } from "../../../http/access/rate-limits.ts"
import { SANDBOX_SITE } from "../../../areas/catalog/sandbox-site.ts"
import { Vehicles } from "../../../areas/dispatch/vehicles.ts"
import { layerPhotoFiles } from "../../../engine/services/photos/photo-files.ts"
import { Routine } from "../../../engine/services/routine.ts"
import { Discovery } from "../../../areas/reservations/discovery.ts"
import { layerPlainAccessRows } from "../../../http/access/access-repository.ts"
import { layerMemoryTables } from "../../../engine/memory/memory-tables.ts"
import { layerMemoryRateCounter } from "../../../http/access/memory/memory-window-counter.ts"
import { PartnerRequestRows } from "../../../apps/portal/partner-requests.ts"
import { CatalogRows } from "../../../areas/catalog/rows.ts"
import type { CatalogSite, CatalogZone } from "../../../areas/catalog/rows.ts"
import { SIMULATED_PHOTO_KEY } from "../../../simulation/outside-world.ts"
import type { OutsideWorld } from "../../../simulation/outside-world.ts"
import { simulateService } from "../../../simulation/simulated-service.ts"
import type { SimulatedService } from "../../../simulation/simulated-service.ts"

export interface Ask {
  readonly method: "DELETE" | "GET" | "PATCH" | "POST" | "PUT"
  readonly path: string
  /** Default: the usual key. Null: none. */
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: object
}

export interface Answered {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

export interface Sandbox {
  readonly world: OutsideWorld
  /** Of the direct delivery site. */
  readonly siteId: string
  readonly zone: CatalogZone
  readonly nowMs: () => EpochMs
  /** Advances the time and runs everything that becomes due. */
  readonly pass: (ms: number) => void
  /** By default for the usual organization and the sandbox, with every permission. */
  readonly makeKey: (more?: Partial<NewApiKey>) => string
  readonly makeOrganization: (change?: OrganizationChange) => string
  readonly ask: (ask: Ask) => Promise<Answered>
  /** The same, but admission ends with this error, so the request does not reach the service. */
  readonly askBroken: (ask: Ask, error: unknown) => Promise<Answered>
}

const ENVIRONMENT: Environment = "sandbox"
const START_MS: EpochMs = Date.parse("2026-06-01T15:00:00Z")
const ORGANIZATION_ID = "3f6c2a8e-5b1d-4e7a-9c40-8d2f6b7a1e53"

/** Sent with every request, because a random one would differ in each recording. */
const REQUEST_ID = "9b2f4c1e-7a35-4d08-b6e1-5c0d3f8a2b74"

/** More than any answer takes. */
const TURNS_MAX = 10_000

/** Zones in addition to the built-in one; some examples of errors need unusual zones. */
export async function openSandbox(moreZones: readonly CatalogZone[] = []): Promise<Sandbox> {
  const siteId = SANDBOX_SITE.site.siteId
  const zone = usualZone()
  const service = simulateService({
    seed: 2026,
    startMs: START_MS,
    sites: [siteOf([zone, ...moreZones])],
    deliverySites: deliverySitesOf(ENVIRONMENT, { siteId, organizationId: ORGANIZATION_ID }),
    recording: "full",
  })
  const runtime = withAccess(service)
  const run: RunNow = (effect) => Runtime.runSync(runtime)(effect)
  run(
    Effect.flatMap(Organizations, (all) =>
      all.ensure({ ...ORGANIZATION, organizationId: ORGANIZATION_ID, environments: ENVIRONMENTS }),
    ),
  )
  run(Effect.flatMap(Vehicles, (all) => all.register(vehicleOf(ENVIRONMENT))))
  const { time } = service.host
  const makeKey = keyMaker(run)
  return {
    world: service.world,
    siteId,
    zone,
    nowMs: () => time.nowMs,
    pass: (ms) => {
      const untilMs = time.nowMs + ms
      time.run(untilMs)
      time.advanceTo(untilMs)
    },
    makeKey,
    makeOrganization: organizationMaker(run),
    ...(await asking(service, runtime, makeKey())),
  }
}

const ORGANIZATION = { name: "Example Fleet", isFleetPartner: true } as const

type Recorded = HttpServices | ApiKeys | Organizations | Vehicles

type RunNow = <A, E>(effect: Effect.Effect<A, E, Recorded>) => A

function keyMaker(run: RunNow): Sandbox["makeKey"] {
  const usual = {
    organizationId: ORGANIZATION_ID,
    environment: ENVIRONMENT,
    permissions: PERMISSIONS,
    expiresAtMs: null,
  }
  return (more) => run(Effect.flatMap(ApiKeys, (keys) => keys.make({ ...usual, ...more }))).value
}

function organizationMaker(run: RunNow): Sandbox["makeOrganization"] {
  return (changes = {}) =>
    run(
      Effect.gen(function* () {
        const organizations = yield* Organizations
        const { organizationId } = yield* organizations.add({ ...ORGANIZATION, environments: ENVIRONMENTS })
        yield* organizations.change(organizationId, changes)
        return organizationId
      }),
    )
}

/** The sandbox's app, called in-process. */
async function asking(
  service: SimulatedService,
  runtime: Runtime.Runtime<Recorded>,
  usualKey: string,
): Promise<Pick<Sandbox, "ask" | "askBroken">> {
  let broken: unknown = null
  const usual = Context.get(runtime.context, Admission)
  const admission: Admission["Type"] = {
    ...usual,
    judge: (arrival) => (broken === null ? usual.judge(arrival) : Routine.die(broken)),
  }
  const app = await makeApp({
    runtime: Runtime.updateContext(runtime, Context.add(Admission, admission)),
    environment: ENVIRONMENT,
  })
  const ask: Sandbox["ask"] = async ({ method, path, key = usualKey, headers, body }) => {
    const answer = await within(service, () =>
      app.inject({
        method,
        url: path,
        headers: {
          "x-request-id": REQUEST_ID,
          ...(key === null ? {} : { authorization: `Bearer ${key}` }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
      }),
    )
    return { status: answer.statusCode, body: answer.json() }
  }
  return {
    ask,
    askBroken: async (asked, error) => {
      broken = error
      const answered = await ask(asked)
      broken = null
      return answered
    },
  }
}

/** The simulated service, and admission over the same memory. */
function withAccess({ host, runtime }: SimulatedService): Runtime.Runtime<Recorded> {
  const rows = Layer.mergeAll(
    Layer.mergeAll(CatalogRows.layer, PartnerRequestRows.layer, layerPlainAccessRows).pipe(
      Layer.provide(layerMemoryTables(host.store)),
    ),
    layerMemoryRateCounter,
    layerRatePolicy(),
  )
  const access = Layer.mergeAll(
    layerAdmission,
    ApiKeys.layer,
    Organizations.layer,
    Discovery.layer,
    layerPhotoFiles(SIMULATED_PHOTO_KEY),
  ).pipe(Layer.provide(rows))
  const added = Runtime.runSync(runtime)(Effect.scoped(Layer.build(access)))
  return Runtime.updateContext(runtime, (context) => Context.merge(context, added))
}

/** Runs the fibers of virtual time at one instant until a promise of the host is settled. */
async function within<A>({ host: { time } }: SimulatedService, begin: () => PromiseLike<A>): Promise<A> {
  let isSettled = false
  const ended = Promise.resolve(begin()).finally(() => {
    isSettled = true
  })
  for (let turns = 0; turns < TURNS_MAX; turns += 1) {
    await setImmediate()
    if (isSettled) return ended
    time.run(time.nowMs)
  }
  throw new Error("a request waits for something that never happens")
}

/** The zone that the sandbox has built in. */
function usualZone(): CatalogZone {
  const { zone, stalls, retailer } = SANDBOX_SITE
  return {
    ...zone,
    stalls,
    retailers: [{ ...retailer, grantedTo: [ORGANIZATION_ID] }],
  }
}

function siteOf(zones: readonly CatalogZone[]): CatalogSite {
  return { ...SANDBOX_SITE.site, zones }
}
