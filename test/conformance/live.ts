/**
 * Harnesses of the live host over a real database, on a clock that the tests move. The host is what runs in production;
 * only the loop of the wake-up is replaced by the harness, which takes what is due whenever it moves the clock. When a
 * harness is closed, the journal that it wrote is exported and replayed in the simulator.
 */

import { Cause, Context, Effect, Exit, Layer, ManagedRuntime, Runtime, Scheduler, Scope } from "effect"
import { builtInOrder } from "../../src/engine/library-internals/layers.ts"
import { ENVIRONMENTS } from "../../src/model/caller.ts"
import type { EpochMs } from "../../src/model/values/time.ts"
import { exportJournal } from "../../src/live/records/journal-export.ts"
import type { ForecasterOptions } from "../../src/live/forecasts/forecaster.ts"
import type { MomentFinderOptions } from "../../src/live/moments/moment-finder.ts"
import { RunningHost, layerLiveService } from "../../src/live/services/live-service.ts"
import type { LiveServices } from "../../src/live/services/live-service.ts"
import { takeWhatIsDue } from "../../src/live/host/wake-up.ts"
import type { EnvironmentPolicy } from "../../src/engine/services/policies.ts"
import { layerPlainPhotoDecoder } from "../../src/engine/services/photos/photo-decoder.ts"
import type { PhotoDecoder } from "../../src/engine/services/photos/photo-decoder.ts"
import type { Geocoder } from "../../src/engine/services/geocoding/geocoder.ts"
import { DEFAULT_POLICY } from "../../src/engine/services/policies.ts"
import { OutsideWorld } from "../../src/simulation/outside-world.ts"
import { program } from "../../src/apps/composition/program.ts"
import { replayRecord } from "../../src/simulation/replay.ts"
import type { Replayed } from "../../src/simulation/replay.ts"
import { writeSite } from "../../src/areas/catalog/store/bookable-catalog.ts"
import { Database } from "../../src/engine/store/database.ts"
import type { DatabaseFault } from "../../src/engine/store/database.ts"
import { layerCourierServices } from "../../src/live/services/courier.ts"
import { DEMO_STORES } from "../../src/areas/courier/directory/demo-stores.ts"
import { writeStore } from "../../src/areas/courier/store/stored-directory.ts"
import { writeDeliverySite } from "../../src/areas/direct-delivery/store/delivery-rows.ts"
import { inTransaction } from "../../src/engine/store/transaction.ts"
import type { ServicesHarness } from "./harness.ts"
import { emptyTables, keepRows, restored } from "./kept-rows.ts"
import { ManualClock } from "../../src/live/swarm-sql/manual-clock.ts"
import { settled } from "../../src/live/swarm-sql/settled.ts"
import { START_MS } from "./memory.ts"
import { COURIER, layerTestUsers } from "./courier-world.ts"
import type { CourierTags } from "./courier-world.ts"
import type { CalledMethods } from "./called-methods.ts"
import { STORE_PORTS, layerStorePorts } from "./store-ports.ts"
import type { StorePorts } from "./store-ports.ts"
import { deliverySites } from "./delivery-world.ts"
import { world } from "./world.ts"

/** The kept rows of the catalog. */
const WORLD = "world"

/** A database that the tests of one file share, emptied for each. */
export interface TestDatabase {
  readonly context: Promise<Context.Context<Database>>
  readonly close: () => Promise<void>
}

export function openTestDatabase(layer: Layer.Layer<Database, DatabaseFault>): TestDatabase {
  const runtime = ManagedRuntime.make(layer)
  const context = runtime.runtime().then((built) => built.context)
  return { context, close: () => runtime.dispose() }
}

/** The replay of the journal at the end; `text` is its export. */
export interface JournalReplayed extends Replayed {
  readonly text: string
}

export interface LiveHarness extends ServicesHarness {
  readonly run: <A, E>(effect: Effect.Effect<A, E, LiveTags>) => Promise<A>
  /** Stops the host, then exports and replays its journal. */
  readonly close: () => Promise<JournalReplayed>
}

/** What a test may use of a live host. */
export type LiveTags = CourierTags | Database | LiveServices | StorePorts

interface Opened {
  readonly runtime: Runtime.Runtime<LiveTags | RunningHost>
  readonly database: Database["Type"]
  readonly close: () => Promise<void>
}

export interface LiveHarnessOptions {
  readonly policy?: EnvironmentPolicy
  readonly geocoder?: Layer.Layer<Geocoder>
  /** Default: only by their first bytes, because the runs wait for no other threads. */
  readonly photos?: Layer.Layer<PhotoDecoder>
  readonly forecasts?: ForecasterOptions
  readonly moments?: MomentFinderOptions
  /** Runs each body of a transaction twice, and rolls the first run back. */
  readonly rehearses?: boolean
  /** Notes which methods of the store's ports the tests call. */
  readonly calls?: CalledMethods | undefined
  /** The kept rows that the database begins with; default: the catalog of the world. */
  readonly rows?: string
}

export function liveHarness(
  database: Promise<Context.Context<Database>>,
  {
    policy = DEFAULT_POLICY,
    geocoder,
    photos = layerPlainPhotoDecoder,
    forecasts,
    moments,
    rehearses = false,
    calls,
    rows = WORLD,
  }: LiveHarnessOptions = {},
): LiveHarness {
  const clock = new ManualClock(START_MS)
  const outside = new OutsideWorld()
  const faults: string[] = []
  let opening: Promise<Opened> | null = null
  const open = (): Promise<Opened> =>
    (opening ??= openLive({
      database,
      clock,
      outside,
      policy,
      faults,
      geocoder,
      photos,
      forecasts,
      moments,
      rehearses,
      calls,
      rows,
    }))
  const moved = (untilMs: EpochMs, includesEnd: boolean): Promise<void> =>
    open().then((live) => moveTo({ ...live, clock, faults }, untilMs, includesEnd))
  return {
    run: async (effect) => runToEnd({ ...(await open()), clock, faults }, effect),
    now: () => clock.nowMs,
    advance: (ms) => moved(clock.nowMs + ms, true),
    standAt: (instantMs) => moved(instantMs, false),
    received: (url) => outside.receivedAt(url),
    script: (url, answers) => outside.script(url, answers),
    breakHost: (name, fault) => outside.breakHost(name, fault),
    breakPhotoSigning: (isBroken) => {
      outside.isSigningBroken = isBroken
    },
    stopProcessor: (isDown) => {
      outside.processor.isDown = isDown
    },
    close: async () => {
      const live = await open()
      await settled(live.database)
      await live.close()
      throwFaults(faults)
      return replayed(live.database)
    },
  }
}

interface Opening {
  readonly database: Promise<Context.Context<Database>>
  readonly clock: ManualClock
  readonly outside: OutsideWorld
  readonly policy: EnvironmentPolicy
  readonly faults: string[]
  /** Absent: the built-in sample. */
  readonly geocoder: Layer.Layer<Geocoder> | undefined
  readonly photos: Layer.Layer<PhotoDecoder>
  /** Absent: made on a thread. */
  readonly forecasts: ForecasterOptions | undefined
  /** As forecasts. */
  readonly moments: MomentFinderOptions | undefined
  readonly rehearses: boolean
  readonly calls: CalledMethods | undefined
  readonly rows: string
}

async function openLive(opening: Opening): Promise<Opened> {
  const {
    database,
    clock,
    outside,
    policy,
    faults,
    geocoder,
    photos,
    forecasts,
    moments,
    rehearses,
    calls,
    rows,
  } = opening
  const context = await database
  await emptied(context, rows)
  const scope = Effect.runSync(Scope.make())
  const service = layerLiveService({
    digestKey: "conformance",
    secretKey: "conformance",
    policy,
    pages: { secretKey: "tests", baseUrl: "https://curbline.example" },
    courier: COURIER,
    payments: outside.processor.layer,
    photos,
    wakesUp: false,
    // Tests that settle this host do not wait for time to pass.
    resultsWaitMs: 0,
    rehearses,
    ...(geocoder === undefined ? {} : { geocoder }),
    ...(forecasts === undefined ? {} : { forecasts }),
    ...(moments === undefined ? {} : { moments }),
    onFault: (fault) => Effect.sync(() => void faults.push(fault.message)),
  })
  const courier = layerCourierServices.pipe(Layer.provide(layerTestUsers))
  const layers = Layer.provideMerge(
    Layer.provideMerge(courier, service),
    Layer.provideMerge(layerStorePorts, Layer.merge(outside.layer, Layer.succeedContext(context))),
  )
  // Fibers wait only for promises and for the clock: the scheduler uses no host timers.
  const onClock = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    effect.pipe(
      Effect.withClock(clock),
      Effect.withScheduler(new Scheduler.MixedScheduler(Number.MAX_SAFE_INTEGER)),
    )
  const built = await Effect.runPromise(onClock(Scope.extend(builtInOrder(layers), scope)))
  const seen = calls?.noting(built, STORE_PORTS) ?? built
  const runtime = await Effect.runPromise(
    onClock(Effect.provide(Effect.runtime<LiveTags | RunningHost>(), seen)),
  )
  const host = Context.get(built, RunningHost)
  return {
    runtime,
    database: Context.get(context, Database),
    close: async () => {
      await Effect.runPromise(host.dropCalls)
      await Effect.runPromise(Scope.close(scope, Exit.void))
    },
  }
}

type Live = Opened & { readonly clock: ManualClock; readonly faults: string[] }

async function runToEnd<A, E>(live: Live, effect: Effect.Effect<A, E, LiveTags>): Promise<A> {
  const fiber = Runtime.runFork(live.runtime)(effect)
  for (;;) {
    await settled(live.database)
    throwFaults(live.faults)
    const exit = fiber.unsafePoll()
    if (exit !== null) {
      if (Exit.isSuccess(exit)) return exit.value
      throw Cause.squash(exit.cause)
    }
    const nextMs = await nextInstant(live)
    if (nextMs === Number.POSITIVE_INFINITY)
      throw new Error("the effect waits for something that never happens")
    await happenAt(live, nextMs)
  }
}

async function moveTo(live: Live, untilMs: EpochMs, includesEnd: boolean): Promise<void> {
  for (;;) {
    await settled(live.database)
    throwFaults(live.faults)
    const nextMs = await nextInstant(live)
    if (includesEnd ? nextMs > untilMs : nextMs >= untilMs) break
    await happenAt(live, nextMs)
  }
  live.clock.nowMs = Math.max(live.clock.nowMs, untilMs)
}

async function nextInstant({ runtime, clock }: Live): Promise<EpochMs> {
  const dueMs = await Runtime.runPromise(runtime)(Effect.flatMap(RunningHost, (host) => host.nextDueMs))
  return Math.max(clock.nowMs, Math.min(dueMs ?? Number.POSITIVE_INFINITY, clock.nextDueMs))
}

/** Mailboxes first, then sleepers one by one, as on virtual time. */
async function happenAt({ runtime, clock, database }: Live, instantMs: EpochMs): Promise<void> {
  clock.nowMs = instantMs
  const taken = await Runtime.runPromise(runtime)(Effect.flatMap(RunningHost, takeWhatIsDue))
  if (taken === 0) clock.wakeOne()
  await settled(database)
  await Runtime.runPromise(runtime)(Effect.flatMap(RunningHost, (host) => host.deferred.release))
  await settled(database)
}

function throwFaults(faults: readonly string[]): void {
  if (faults.length > 0) throw new Error(`outside any command: ${faults.join("; ")}`)
}

async function replayed(database: Database["Type"]): Promise<JournalReplayed> {
  const texts: string[] = []
  const write = (text: string) => Effect.sync(() => void texts.push(text))
  await Effect.runPromise(
    Effect.provideService(exportJournal({ build: "test", charts: {}, write }), Database, database),
  )
  const text = texts.join("")
  return { ...replayRecord(text, program), text }
}

/**
 * No rows but the catalog of the world, the same for both organizations in both environments. It is written once for each
 * database, and copied after that.
 */
export async function emptied(context: Context.Context<Database>, rows = WORLD): Promise<void> {
  const database = Context.get(context, Database)
  if (await restored(database, rows)) return
  if (rows !== WORLD) throw new Error(`no rows are kept as ${rows}`)
  await emptyTables(database)
  const writes = ENVIRONMENTS.flatMap((environment) => world.map((site) => writeSite(environment, site)))
  writes.push(...deliverySites.map((site) => writeDeliverySite(site)))
  writes.push(...DEMO_STORES.map((store) => writeStore(store)))
  await Effect.runPromise(
    Effect.provide(inTransaction(database, Effect.all(writes, { discard: true })), context),
  )
  await keepRows(database, WORLD)
}
