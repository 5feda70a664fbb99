/**
 * What a quote and a create cost by the size of the fleet: `npm run bench -- pool`, with `--quick` for a tenth of the
 * rounds and `--postgres` for PostgreSQL beside memory and the embedded database. Fleets of 50, 1,000 and 10,000
 * vehicles lie in one store and take turns, so that the ratios between them are the claim; times belong to the machine.
 * Webhooks are not waited for.
 */

import { Effect, Layer, ManagedRuntime } from "effect"
import { sql } from "drizzle-orm"
import { Streams } from "../../src/engine/kernel/random.ts"
import { layerLiveService } from "../../src/live/services/live-service.ts"
import type { Partner } from "../../src/model/caller.ts"
import type { QuoteRequest } from "../../src/model/requests/delivery-requests.ts"
import type { Place } from "../../src/model/place.ts"
import { MINUTE_MS } from "../../src/model/values/time.ts"
import { DirectDelivery } from "../../src/areas/direct-delivery/direct-delivery.ts"
import type { FixRow } from "../../src/areas/dispatch/rows.ts"
import { VehicleRows } from "../../src/areas/dispatch/rows.ts"
import { DeliveryRows, DeliverySites } from "../../src/areas/direct-delivery/rows.ts"
import type { DeliveryRow, DeliverySite } from "../../src/areas/direct-delivery/rows.ts"
import { ActorHost } from "../../src/engine/services/host.ts"
import { Routine } from "../../src/engine/services/routine.ts"
import { OutsideWorld } from "../../src/simulation/outside-world.ts"
import { simulateService } from "../../src/simulation/simulated-service.ts"
import { Database, layerPglite, layerPostgres } from "../../src/engine/store/database.ts"
import type { DatabaseFault } from "../../src/engine/store/database.ts"
import { START_MS, runToEnd } from "../conformance/memory.ts"
import { startServer } from "../engine/store/postgres-server.ts"
import { printMachine } from "./machine-line.ts"

const SIZES = [50, 1_000, 10_000] as const
const ROUNDS = process.argv.includes("--quick") ? 30 : 300
const WARM_UP = ROUNDS / 3
/** Half the side of the square over which vehicles are spread, in degrees: 33 km by 29 km. */
const REACH = 0.15
/** Vehicles whose rows are written in one transaction. */
const BATCH = 500
const SEED = 7
export const STORE: Place = { latitude: 30.4, longitude: -97.72 }
const CUSTOMER: Place = { latitude: 30.42, longitude: -97.72 }
/** Of a vehicle without runs, so that every fleet gives the run to one of the same kind. */
const NEAREST: Place = { latitude: 30.4002, longitude: -97.72 }

const partner = {
  type: "partner",
  organizationId: "org_bench",
  environment: "production",
  permissions: ["deliveries:read", "deliveries:write"],
} as const satisfies Partner

type Ports = ActorHost | DeliveryRows | DeliverySites | DirectDelivery | VehicleRows

/** A store with the service over it. */
export interface Contestant {
  readonly name: string
  readonly run: <A, E>(effect: Effect.Effect<A, E, Ports>) => Promise<A>
  readonly nowMs: () => number
  /** Bytes of the journal entry that was written last. */
  readonly entryBytes: () => Promise<number>
  readonly close: () => Promise<void>
}

interface Measured {
  readonly quoteMs: number[]
  readonly createMs: number[]
  readonly bytes: number[]
}

export async function benchPool(): Promise<void> {
  printMachine()
  console.log(`medians of ${ROUNDS} rounds, in each of which the fleets take turns\n`)
  await measure(inMemory())
  await measure(overDatabase("embedded", layerPglite("memory")))
  if (!process.argv.includes("--postgres")) return
  const server = await startServer()
  try {
    await measure(overDatabase("PostgreSQL", layerPostgres(server.url)))
  } finally {
    await server.stop()
  }
}

async function measure(contestant: Contestant): Promise<void> {
  const found = new Map<number, Measured>()
  for (const size of SIZES) {
    await fill(contestant, size)
    found.set(size, { quoteMs: [], createMs: [], bytes: [] })
  }
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    const first = Math.abs(round) % SIZES.length
    for (const size of [...SIZES.slice(first), ...SIZES.slice(0, first)]) {
      const one = await playOnce(contestant, size, `order-${size}-${round}`)
      if (round < 0) continue
      found.get(size)?.quoteMs.push(one.quoteMs)
      found.get(size)?.createMs.push(one.createMs)
      found.get(size)?.bytes.push(one.bytes)
    }
  }
  show(contestant.name, found)
  await contestant.close()
}

/** A quote and its create, which are measured, and a cancel, so that the fleet stays as it is. */
async function playOnce(
  { run, nowMs, entryBytes }: Contestant,
  size: number,
  orderId: string,
): Promise<{ readonly quoteMs: number; readonly createMs: number; readonly bytes: number }> {
  const deliveries = Effect.serviceFunctions(DirectDelivery)
  const site = siteOf(size).siteId
  const request: QuoteRequest = {
    external_delivery_id: orderId,
    delivery_address: { street: "1 Sample St", city: "Austin", state: "TX", zip: "78758" },
    delivery_location: CUSTOMER,
    customer: { phone: "+15125550123" },
    ready_by: nowMs() + 10 * MINUTE_MS,
    order_items: [{ name: "Milk", quantity: 1 }],
  }
  const beganMs = performance.now()
  await run(deliveries.quote(partner, site, request))
  const quotedMs = performance.now()
  await run(deliveries.create(partner, site, { external_delivery_id: orderId }))
  const createdMs = performance.now()
  const bytes = await entryBytes()
  await run(deliveries.cancel(partner, site, orderId, { status: "CANCELLED" }))
  return { quoteMs: quotedMs - beganMs, createMs: createdMs - quotedMs, bytes }
}

/**
 * Two vehicles of three are online, and of these one has no run, one has one, and one is full. They have no groups: what a delivery sends to
 * its vehicle waits in the mailbox.
 */
export async function fill({ run, nowMs }: Contestant, size: number): Promise<void> {
  const sites = Effect.serviceFunctions(DeliverySites)
  await run(
    Effect.flatMap(ActorHost, (host) =>
      host.run({ name: "a test", locks: {}, body: () => Routine.from(sites.insert(siteOf(size))) }),
    ),
  )
  const streams = new Streams(SEED)
  const spread = (): number => (streams.fraction(`fleet of ${size}`) - 0.5) * 2 * REACH
  for (let from = 0; from < size; from += BATCH) {
    const writes = Array.from({ length: Math.min(BATCH, size - from) }, (_, at) =>
      vehicleWrites({
        number: from + at,
        size,
        nowMs: nowMs(),
        place:
          from + at === 0
            ? NEAREST
            : { latitude: STORE.latitude + spread(), longitude: STORE.longitude + spread() },
      }),
    )
    await run(
      Effect.flatMap(ActorHost, (host) =>
        host.run({
          name: "a test",
          locks: {},
          body: () => Routine.from(Effect.all(writes.flat(), { discard: true })),
        }),
      ),
    )
  }
}

interface Parked {
  readonly number: number
  readonly size: number
  readonly nowMs: number
  readonly place: Place
}

function vehicleWrites({ number, size, nowMs, place }: Parked) {
  const vehicles = Effect.serviceFunctions(VehicleRows)
  const rows = Effect.serviceFunctions(DeliveryRows)
  const { fleetId } = siteOf(size)
  const padded = (value: number): string => String(value).padStart(5, "0")
  const vehicleId = `veh_${padded(size)}_${padded(number)}`
  const isOnline = number % 3 < 2
  const environment = "production" as const
  const fix: FixRow = {
    ...place,
    vehicleId,
    deliveryId: null,
    recordedAtMs: nowMs,
    receivedAtMs: nowMs,
    speedMps: 0,
    load: null,
    batteryPercent: null,
    sequence: number,
  }
  const runs = isOnline ? Math.floor(number / 3) % 3 : 0
  return [
    vehicles.insert({ vehicleId, fleetId, environment, label: vehicleId, isSynthetic: false, isOnline }),
    vehicles.insertFix(fix),
    ...Array.from({ length: runs }, (_, at) =>
      rows.insert(openRun(`${vehicleId}_${at}`, siteOf(size), { vehicleId, nowMs })),
    ),
  ]
}

function openRun(
  deliveryId: string,
  { siteId, fleetId, organizationId }: DeliverySite,
  { vehicleId, nowMs }: { readonly vehicleId: string; readonly nowMs: number },
): Omit<DeliveryRow, "number"> {
  return {
    deliveryId,
    siteId,
    fleetId,
    organizationId,
    environment: "production",
    externalDeliveryId: deliveryId,
    comparison: "",
    storePlace: null,
    cancellationReason: null,
    toldFix: null,
    atStoreAtMs: null,
    createdAtMs: nowMs,
    status: "SCHEDULED",
    vehicleId,
    completedAtMs: null,
    cancelledAtMs: null,
    updatedAtMs: nowMs,
    readyByMs: nowMs,
    customer: { first_name: null, last_name: null, email: null, phone: "+15125550123" },
    address: { street: "1 Sample St", city: "Austin", state: "TX", zip: "78758", unit: null },
    place: CUSTOMER,
    items: [],
    pickupInstructions: null,
    pickupEtaMs: nowMs,
    deliveryEtaMs: nowMs,
    feeCents: 799,
    currency: "USD",
  }
}

export function siteOf(size: number): DeliverySite {
  const { latitude, longitude } = STORE
  const [south, north, west, east] = [latitude - 0.1, latitude + 0.1, longitude - 0.1, longitude + 0.1]
  return {
    siteId: `11111111-0000-4000-8000-${String(size).padStart(12, "0")}`,
    organizationId: "org_bench",
    environment: "production",
    name: `A fleet of ${size}`,
    timezone: "America/Chicago",
    isActive: true,
    fleetId: `fleet_${size}`,
    place: STORE,
    area: [
      [
        [west, south],
        [east, south],
        [east, north],
        [west, north],
        [west, south],
      ],
    ],
    address: null,
    priceCents: 799,
    readyAheadMsMax: 60 * MINUTE_MS,
    hasSupervisor: true,
    dispatchPolicy: "earliest_free",
  }
}

export function inMemory(): Contestant {
  const service = simulateService({ seed: SEED, startMs: START_MS, sites: [], recording: "full" })
  const { host, runtime } = service
  return {
    name: "memory",
    run: (effect) => runToEnd(effect, { runtime, time: host.time }),
    nowMs: () => host.time.nowMs,
    entryBytes: async () => Buffer.byteLength(host.entries.at(-1)?.entry.text ?? ""),
    close: async () => {},
  }
}

export function overDatabase(name: string, database: Layer.Layer<Database, DatabaseFault>): Contestant {
  const service = layerLiveService({ digestKey: "bench", secretKey: "bench", wakesUp: false })
  const outside = new OutsideWorld()
  const runtime = ManagedRuntime.make(Layer.provideMerge(service, Layer.merge(outside.layer, database)))
  const bytes = Effect.flatMap(Database, ({ orm }) =>
    Effect.promise(() =>
      orm
        .select({ bytes: sql<number>`octet_length(text)` })
        .from(sql`journal`)
        .orderBy(sql`position desc`)
        .limit(1),
    ),
  )
  return {
    name,
    run: (effect) => runtime.runPromise(effect),
    nowMs: () => Date.now(),
    entryBytes: async () => (await runtime.runPromise(bytes))[0]?.bytes ?? 0,
    close: () => runtime.dispose(),
  }
}

function show(name: string, found: ReadonlyMap<number, Measured>): void {
  console.log(`${name.padEnd(12)} vehicles   quote, ms  create, ms   ratio of both   journal, bytes`)
  const both = (size: number): number =>
    median(found.get(size)?.quoteMs ?? []) + median(found.get(size)?.createMs ?? [])
  for (const [size, { quoteMs, createMs, bytes }] of found) {
    const columns = [
      String(size).padStart(21),
      median(quoteMs).toFixed(2).padStart(11),
      median(createMs).toFixed(2).padStart(11),
      (both(size) / both(SIZES[0])).toFixed(2).padStart(15),
      String(median(bytes)).padStart(16),
    ]
    console.log(columns.join(" "))
  }
  console.log()
}

export function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN
}
