/**
 * The benchmark of the portal's list of deliveries: an organization with 100 deliveries against one with 10,000, on PostgreSQL and on
 * PGlite, turn about in the same run. `npm run bench -- portal-lists`, with `--pglite` for the embedded database alone. Times belong to
 * the machine; the ratio is the claim. Fails when a page over 10,000 takes more than twice the time of the same page over 100, or, for a
 * search that fills no page, of the newest page over 100.
 */

import { sql } from "drizzle-orm"
import { Effect, Layer, ManagedRuntime } from "effect"
import { MINUTE_MS } from "../../src/model/values/time.ts"
import { layerLiveService } from "../../src/live/services/live-service.ts"
import { PERMISSIONS } from "../../src/model/caller.ts"
import type { Partner } from "../../src/model/caller.ts"
import { READY_AHEAD_MS_MAX } from "../../src/model/values/limits.ts"
import { DirectDelivery } from "../../src/areas/direct-delivery/direct-delivery.ts"
import { DeliverySites } from "../../src/areas/direct-delivery/rows.ts"
import type { DeliverySite } from "../../src/areas/direct-delivery/rows.ts"
import { squareAround } from "../../src/areas/dispatch/geography.ts"
import { Vehicles } from "../../src/areas/dispatch/vehicles.ts"
import { PortalDeliveries } from "../../src/apps/portal/deliveries.ts"
import type { DeliveryQuery } from "../../src/apps/portal/deliveries.ts"
import { ActorHost } from "../../src/engine/services/host.ts"
import { Routine } from "../../src/engine/services/routine.ts"
import { OutsideWorld } from "../../src/simulation/outside-world.ts"
import { Database, layerPglite, layerPostgres } from "../../src/engine/store/database.ts"
import type { DatabaseFault } from "../../src/engine/store/database.ts"
import { startServer } from "../engine/store/postgres-server.ts"
import { printMachine } from "./machine-line.ts"

const SIZES = [100, 10_000] as const
const ROUNDS = 60
const WARM_ROUNDS = 10
const RATIO_MAX = 2
/** Rows of a page. */
const LIMIT = 50
const PLACE = { latitude: 30.27, longitude: -97.74 }

type Size = (typeof SIZES)[number]

const all: DeliveryQuery = {
  siteId: null,
  statuses: null,
  search: null,
  fromMs: null,
  untilMs: null,
  limit: LIMIT,
  cursor: null,
}

/** The copies of a delivery are a minute apart; every tenth was cancelled. */
const QUERIES: Readonly<Record<string, (size: Size) => Partial<DeliveryQuery>>> = {
  newest: () => ({}),
  "of a site": (size) => ({ siteId: siteOf(size) }),
  "with a status": () => ({ statuses: ["COMPLETED"] }),
  "part of an id, found often": () => ({ search: "ORDER" }),
  "part of an id, the oldest": () => ({ search: "first" }),
  "an unknown id": () => ({ search: "nowhere" }),
  "a day long ago": () => ({ untilMs: Date.now() - 40 * MINUTE_MS }),
}

export async function benchPortalLists(): Promise<void> {
  printMachine()
  const isEmbeddedAlone = process.argv.includes("--pglite")
  const server = isEmbeddedAlone ? null : await startServer()
  if (server !== null) await compare("PostgreSQL", layerPostgres(server.url))
  await server?.stop()
  await compare("PGlite", layerPglite("memory"))
}

async function compare(name: string, database: Layer.Layer<Database, DatabaseFault>): Promise<void> {
  const service = layerLiveService({ digestKey: "bench", secretKey: "bench", wakesUp: false })
  const outside = new OutsideWorld()
  const runtime = ManagedRuntime.make(
    PortalDeliveries.layer.pipe(
      Layer.provideMerge(Layer.provideMerge(service, Layer.merge(outside.layer, database))),
    ),
  )
  for (const size of SIZES) await runtime.runPromise(filled(size))
  console.log(`\n${name}, median ms of a page of ${LIMIT}`)
  let newestMs = 0
  for (const [label, query] of Object.entries(QUERIES)) {
    const times: Record<Size, number[]> = { 100: [], 10_000: [] }
    for (let round = 0; round < ROUNDS + WARM_ROUNDS; round += 1) {
      for (const size of SIZES) {
        const beganMs = performance.now()
        await runtime.runPromise(
          Effect.flatMap(PortalDeliveries, (portal) =>
            portal.list(callerOf(size), { ...all, ...query(size) }),
          ),
        )
        if (round >= WARM_ROUNDS) times[size].push(performance.now() - beganMs)
      }
    }
    const [few, many] = [median(times[100]), median(times[10_000])]
    if (label === "newest") newestMs = few
    const isFull = !label.startsWith("part of an id, the") && label !== "an unknown id"
    const ratio = many / (isFull ? few : newestMs)
    console.log(`${label.padEnd(28)} ${few.toFixed(1)} ${many.toFixed(1)}  × ${ratio.toFixed(2)}`)
    if (ratio > RATIO_MAX) process.exitCode = 1
  }
  await runtime.dispose()
}

function callerOf(size: Size): Partner {
  return {
    type: "partner",
    organizationId: `org_${size}`,
    environment: "sandbox",
    permissions: PERMISSIONS,
  }
}

function siteOf(size: Size): string {
  return `00000000-0000-4000-8000-${String(size).padStart(12, "0")}`
}

/** One delivery by the service, and copies of its rows, its group and its journal. */
const filled = Effect.fnUntraced(function* (size: Size) {
  const { orm } = yield* Database
  const site: DeliverySite = {
    siteId: siteOf(size),
    organizationId: `org_${size}`,
    environment: "sandbox",
    name: "Kitchen",
    timezone: "America/Chicago",
    address: null,
    isActive: true,
    fleetId: `fleet_${size}`,
    place: PLACE,
    area: squareAround(PLACE, 5_000),
    priceCents: 599,
    readyAheadMsMax: READY_AHEAD_MS_MAX,
    hasSupervisor: false,
    dispatchPolicy: "earliest_free",
  }
  yield* (yield* ActorHost).run({
    name: "a benchmark",
    locks: {},
    body: () => Routine.from(Effect.flatMap(DeliverySites, (sites) => sites.insert(site))),
  })
  yield* (yield* Vehicles).register({
    vehicleId: `veh_${size}`,
    fleetId: site.fleetId,
    environment: "sandbox",
    label: "Vehicle",
    isSynthetic: true,
    isOnline: true,
  })
  const direct = yield* DirectDelivery
  const request = { external_delivery_id: "first" }
  yield* direct.quote(callerOf(size), site, {
    ...request,
    customer: { phone: "+15125550123" },
    delivery_address: { street: "1 Sample St", city: "Austin", state: "TX", zip: "78701" },
    delivery_location: { latitude: 30.28, longitude: -97.74 },
    ready_by: Date.now() + 10 * MINUTE_MS,
    order_items: [{ name: "Milk", quantity: 1 }],
  })
  yield* direct.create(callerOf(size), site, request)
  yield* Effect.promise(async () => {
    for (const statement of copies(size)) await orm.execute(sql.raw(statement))
  })
})

function copies(size: Size): readonly string[] {
  const copied = `from deliveries, generate_series(1, ${size - 1}) as at
    where organization_id = 'org_${size}' and external_delivery_id = 'first'`
  const names = `site_id, organization_id, environment, fleet_id, comparison, pickup_eta_ms, delivery_eta_ms, fee_cents, currency,
    ready_by_ms, customer, address, place, items, vehicle_id`
  return [
    `insert into deliveries (delivery_id, external_delivery_id, created_at_ms, updated_at_ms, status, cancelled_at_ms, ${names})
      select delivery_id || '_' || at, 'order-' || at, created_at_ms - (${size} - at) * 60000, updated_at_ms,
        case at % 10 when 0 then 'CANCELLED' else 'COMPLETED' end, created_at_ms, ${names} ${copied}`,
    `insert into groups (address, kind, revision, instant_ms, occurred_us, head, actors, is_settled, environment)
      select d.address, 'delivery', g.revision, g.instant_ms, g.occurred_us, g.head,
        replace(g.actors::text, g.address, d.address)::json, true, g.environment
      from (select 'delivery/' || delivery_id as address
        from deliveries where organization_id = 'org_${size}' and external_delivery_id <> 'first') as d
      cross join lateral (select * from groups where address = (select 'delivery/' || delivery_id from deliveries
        where organization_id = 'org_${size}' and external_delivery_id = 'first')) as g`,
    "analyze",
  ]
}

function median(times: readonly number[]): number {
  return times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0
}
