/**
 * The live service over a database, on a clock that only the swarm moves: what runs in production, except that the swarm takes what is
 * due when it moves the clock, and that the outside world is the simulated one.
 */

import { sql } from "drizzle-orm"
import {
  Cause,
  Context,
  Effect,
  Exit,
  FiberRef,
  HashSet,
  Layer,
  Runtime,
  Scheduler,
  Scope,
  Struct,
} from "effect"
import type { Fiber } from "effect"
import { DEMO_STORES } from "../../areas/courier/directory/demo-stores.ts"
import { orDown } from "../../areas/courier/memory/courier-rows.ts"
import { StoreDirectory } from "../../areas/courier/directory/store-directory.ts"
import { layerStoreDirectory, writeStore } from "../../areas/courier/store/stored-directory.ts"
import { layerAdmission } from "../../http/access/admission.ts"
import { layerRatePolicy } from "../../http/access/rate-limits.ts"
import { apiKeys, organizations } from "../../http/access/rows.ts"
import { layerAccessRows, layerRateCounter } from "../../http/access/store/access-rows.ts"
import { FLEET_ID } from "../../simulation/scenario/language/delivery-world.ts"
import { writeDeliverySite } from "../../areas/direct-delivery/store/delivery-rows.ts"
import { writeSite } from "../../areas/catalog/store/bookable-catalog.ts"
import { LinkedUserRows } from "../../areas/linking/rows.ts"
import { LinkedUsers } from "../../areas/linking/linked-users.ts"
import { layerCourierServices } from "../services/courier.ts"
import { layerManagement } from "../services/management.ts"
import { layerRunner } from "../services/runner.ts"
import { RunningHost, layerLiveService } from "../services/live-service.ts"
import type { LiveServiceOptions } from "../services/live-service.ts"
import { takeWhatIsDue } from "../host/wake-up.ts"
import type { EngineFault } from "../../engine/kernel/faults.ts"
import { ENVIRONMENTS } from "../../model/caller.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { layerPlainPhotoDecoder } from "../../engine/services/photos/photo-decoder.ts"
import type { EnvironmentPolicy } from "../../engine/services/policies.ts"
import { Routine } from "../../engine/services/routine.ts"
import { addCallers } from "../../simulation/scenario/callers.ts"
import { policyOf, rateLimitsOf } from "../../simulation/scenario/language/given-policy.ts"
import type { RunContext } from "../../simulation/scenario/run-context.ts"
import type { Scenario } from "../../simulation/scenario/language/language.ts"
import { deliverySitesOf } from "../../simulation/scenario/language/worlds.ts"
import { layerMemoryTables, memoryRowsOf } from "../../engine/memory/memory-tables.ts"
import type { MemoryStore } from "../../engine/memory/memory-store.ts"
import type { OutsideWorld } from "../../simulation/outside-world.ts"
import type { SimulatedServices } from "../../simulation/simulated-service.ts"
import { Database } from "../../engine/store/database.ts"
import { tablesOver } from "../../engine/store/sql-tables.ts"
import { inTransaction } from "../../engine/store/transaction.ts"
import { isLost, losingCommits } from "./lost-commits.ts"
import type { LostPart } from "./lost-commits.ts"
import type { ManualClock } from "./manual-clock.ts"
import { settled } from "./settled.ts"

/** Keys of a database that lives only as long as its run. */
export const SECRET_KEY = "swarm"

/** Every table but that of the migrations. No table refers to another; one without rows costs one look. */
const EMPTYING = sql.raw(`do $$
  declare name text; holds boolean;
  begin
    for name in select tablename from pg_tables where schemaname = 'public' and tablename <> 'migrations' loop
      execute format('select exists (select from %I)', name) into holds;
      if holds then execute format('delete from %I', name); end if;
    end loop;
  end $$`)

/** Leaves no rows but those of the scenario's world: its sites, and the organizations and keys of its callers. */
export async function prepareDatabase(context: Context.Context<Database>, run: RunContext): Promise<void> {
  const database = Context.get(context, Database)
  await database.orm.execute(EMPTYING)
  addCallers(run)
  const writes = [
    ...ENVIRONMENTS.flatMap((one) => run.world.sites.map((site) => writeSite(one, site))),
    ...deliverySitesOf(run.scenario).map((site) => writeDeliverySite(site)),
    ...DEMO_STORES.map((store) => writeStore(store)),
    writeCallers(run),
  ]
  await Effect.runPromise(
    Effect.provide(inTransaction(database, Effect.all(writes, { discard: true })), context),
  )
}

/** Organizations and keys as the run's store in memory has them. */
function writeCallers({ service: { host } }: RunContext): Effect.Effect<void, never, Database> {
  const [partners, keys] = [memoryRowsOf(host.store, organizations), memoryRowsOf(host.store, apiKeys)]
  const writing = Routine.flatMap(Database, (database) => {
    const tables = tablesOver(database)
    return Routine.gen(function* () {
      for (const row of partners.all()) yield* tables.of(organizations).upsert(row)
      for (const row of keys.all()) yield* tables.of(apiKeys).upsert(Struct.omit(row, "number"))
    })
  })
  return writing as Routine<void, never, Database>
}

export interface LayerParts {
  readonly scenario: Scenario
  readonly outside: OutsideWorld
  /** Linked users are read from here: scenarios let them in and shut them out. */
  readonly store: MemoryStore
  readonly options: Partial<LiveServiceOptions>
}

/** The services that the words of scenarios call, over a database. */
export function layerSwarmService({ scenario, outside, store, options }: LayerParts) {
  const service = layerLiveService({
    digestKey: SECRET_KEY,
    secretKey: SECRET_KEY,
    policy: policyOf(scenario.policy),
    pages: { secretKey: SECRET_KEY, baseUrl: "https://curbline.example" },
    courier: { fleetId: FLEET_ID, baseUrl: "https://courier.curbline.example", linkKey: "simulated" },
    payments: outside.processor.layer,
    geocoder: outside.layer,
    photos: layerPlainPhotoDecoder,
    storeDirectory: Layer.map(layerStoreDirectory, (context) =>
      Context.make(
        StoreDirectory,
        orDown(Context.get(context, StoreDirectory), () => outside.isStoreDirectoryDown),
      ),
    ),
    answersKeywords: true,
    ...options,
  })
  const users = LinkedUsers.layer.pipe(
    Layer.provide(LinkedUserRows.layer),
    Layer.provide(layerMemoryTables(store)),
  )
  const courier = Layer.mergeAll(layerCourierServices, layerRateCounter).pipe(Layer.provideMerge(users))
  const admission = layerAdmission.pipe(
    Layer.provideMerge(
      Layer.mergeAll(layerAccessRows, layerRateCounter, layerRatePolicy(rateLimitsOf(scenario.policy))),
    ),
  )
  const people = Layer.provideMerge(layerRunner, layerManagement)
  return Layer.mergeAll(courier, admission, people).pipe(
    Layer.provideMerge(service),
    Layer.provideMerge(outside.layer),
  )
}

export interface SqlService {
  readonly host: RunningHost["Type"]
  readonly runtime: Runtime.Runtime<SimulatedServices>
  readonly faults: readonly string[]
  readonly close: () => Promise<void>
}

/** The faults that the service has. */
interface ServiceFaults extends Required<
  Pick<LiveServiceOptions, "mailboxEntriesMax" | "startOf" | "withAreas">
> {
  /** The policy of the program that runs now. */
  readonly policyOf: (policy: EnvironmentPolicy) => EnvironmentPolicy
  /** What is lost of the commit that is about to be made; null: nothing. */
  readonly losesCommit: () => LostPart | null
  /** True for a fault of the host that faults of the plan explain. */
  readonly expects: (fault: EngineFault) => boolean
  /** Until when calls are held after a restore. */
  readonly heldUntilMs: EpochMs
}

interface Opening extends Omit<LayerParts, "options"> {
  readonly faults: ServiceFaults
  readonly database: Context.Context<Database>
  readonly clock: ManualClock
  readonly rehearses: boolean
  readonly nonce: () => string
}

export async function openSqlService(opening: Opening): Promise<SqlService> {
  const { database, clock, rehearses, nonce, faults: ofPlan, ...parts } = opening
  const { withAreas, mailboxEntriesMax, startOf, losesCommit, expects } = ofPlan
  const faults: string[] = []
  const losing = losingCommits(Context.get(database, Database), losesCommit)
  const layers = layerSwarmService({
    ...parts,
    options: {
      wakesUp: false,
      resultsWaitMs: 0,
      rehearses,
      nonce,
      withAreas,
      mailboxEntriesMax,
      startOf,
      policy: ofPlan.policyOf(policyOf(parts.scenario.policy)),
      mayCall: () => clock.nowMs >= ofPlan.heldUntilMs,
      onFault: (fault) =>
        Effect.sync(() => {
          if (!expects(fault)) faults.push(fault.message)
        }),
    },
  }).pipe(Layer.provideMerge(Layer.succeedContext(Context.add(database, Database, losing))))
  // Fibers wait only for promises and for the clock: the scheduler uses no host timers.
  const onClock = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    effect.pipe(
      Effect.withClock(clock),
      // A fault that matters is a finding; the rest of the log describes the receivers that the plan broke.
      Effect.locally(FiberRef.currentLoggers, HashSet.empty()),
      Effect.withScheduler(new Scheduler.MixedScheduler(Number.MAX_SAFE_INTEGER)),
    )
  const { scope, built } = await started((into) =>
    Effect.runPromiseExit(onClock(Layer.buildWithScope(layers, into))),
  )
  const runtime = await Effect.runPromise(onClock(Effect.provide(Effect.runtime<SimulatedServices>(), built)))
  const host = Context.get(built, RunningHost)
  return {
    host,
    runtime,
    faults,
    close: async () => {
      await Effect.runPromise(host.dropCalls)
      await Effect.runPromise(Scope.close(scope, Exit.void))
    },
  }
}

/** A start whose commit is lost ends the service, and its supervisor starts it again. */
async function started<A>(
  build: (scope: Scope.CloseableScope) => Promise<Exit.Exit<A, unknown>>,
): Promise<{ readonly scope: Scope.CloseableScope; readonly built: A }> {
  for (;;) {
    const scope = Effect.runSync(Scope.make())
    const exit = await build(scope)
    if (Exit.isSuccess(exit)) return { scope, built: exit.value }
    await Effect.runPromise(Scope.close(scope, exit))
    if (!isLost(exit.cause)) throw Cause.squash(exit.cause)
  }
}

export interface Moving {
  /** Another one after a restore. */
  readonly service: () => SqlService
  readonly database: Database["Type"]
  readonly clock: ManualClock
  readonly faults: {
    /** Between two steps: for crashes. */
    readonly beforeStep: () => Promise<void>
    /** How late the host takes what is due next; 0: in time. */
    readonly latenessMs: () => number
    /** When groups that met a full mailbox are tried again, which the host's own rounds would do. */
    readonly retriesFullMs: EpochMs
    readonly retryingFull: () => void
    /** The host takes nothing until then. */
    readonly heldUntilMs: EpochMs
  }
}

/**
 * Moves the clock from one due instant to the next until nothing is due, or until the bound. Mailboxes come first, and then sleepers one
 * by one, as on virtual time. Returns the bound that was passed, or null when nothing is due.
 */
export async function runUntilQuiet(
  moving: Moving,
  fiber: Fiber.RuntimeFiber<unknown, unknown>,
  untilMs: EpochMs,
): Promise<EpochMs | null> {
  const { database, clock, faults } = moving
  let late = { dueMs: Number.NaN, takenMs: 0 }
  for (;;) {
    await settled(database)
    const { host, runtime } = moving.service()
    const dueMs = (await Runtime.runPromise(runtime)(host.nextDueMs)) ?? Number.POSITIVE_INFINITY
    if (dueMs !== late.dueMs) {
      const isDue = Number.isFinite(dueMs)
      late = { dueMs, takenMs: isDue ? Math.max(dueMs, clock.nowMs) + faults.latenessMs() : dueMs }
    }
    const takenMs = Math.max(late.takenMs, faults.heldUntilMs)
    const nextMs = Math.max(clock.nowMs, Math.min(takenMs, clock.nextDueMs, faults.retriesFullMs))
    if (nextMs === Number.POSITIVE_INFINITY) break
    if (nextMs > untilMs) return nextMs
    clock.nowMs = nextMs
    await faults.beforeStep()
    if (moving.service().host !== host) continue
    if (nextMs >= faults.retriesFullMs) {
      faults.retryingFull()
      await untilKept(runtime, host.clearFullStops)
      continue
    }
    const taken = nextMs < takenMs ? 0 : await untilKept(runtime, takeWhatIsDue(host))
    if (taken === 0) clock.wakeOne()
    await settled(database)
    await untilKept(runtime, host.deferred.release)
  }
  const exit = fiber.unsafePoll()
  if (exit === null) throw new Error("an actor waits for something that never happens")
  if (Exit.isFailure(exit) && !Cause.isInterruptedOnly(exit.cause)) throw Cause.squash(exit.cause)
  return null
}

/** A round of the host, again when its commit was lost, as its own rounds do. */
async function untilKept<A>(
  runtime: Runtime.Runtime<SimulatedServices>,
  round: Effect.Effect<A>,
): Promise<A> {
  for (;;) {
    const exit = await Runtime.runPromiseExit(runtime)(round)
    if (Exit.isSuccess(exit)) return exit.value
    if (!isLost(exit.cause)) throw Cause.squash(exit.cause)
  }
}
