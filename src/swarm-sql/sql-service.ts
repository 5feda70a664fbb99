/**
 * The live service over a database, on a clock that only the swarm moves: what runs in production, except that the swarm takes what is
 * due when it moves the clock, and that the outside world is the simulated one.
 */

import { setImmediate } from "node:timers/promises"
import { sql } from "drizzle-orm"
import { Cause, Context, Effect, Exit, FiberRef, HashSet, Layer, Runtime, Scheduler, Scope } from "effect"
import type { Fiber } from "effect"
import { DEMO_STORES } from "../areas/courier/demo-stores.ts"
import { writeStore } from "../areas/courier/store/stored-directory.ts"
import type { Admission } from "../areas/access/admission.ts"
import type { ApiKeys } from "../areas/access/api-keys.ts"
import type { OperatorTokens } from "../areas/access/operator-tokens.ts"
import type { RunnerCalls } from "../areas/runner-phones/runner-calls.ts"
import type { RunnerPhones } from "../areas/runner-phones/runner-phones.ts"
import type { OperatorActions } from "../operators/actions.ts"
import type { OperatorSessions } from "../operators/operator-sessions.ts"
import type { PhoneTasks } from "../runner/phone-tasks.ts"
import type { AccessRows } from "../areas/access/rows.ts"
import { layerRateCounter } from "../areas/access/store/access-rows.ts"
import { deliverySiteOf, FLEET_ID } from "../areas/direct-delivery/scenario/world.ts"
import { writeDeliverySite } from "../areas/direct-delivery/store/delivery-rows.ts"
import { writeSite } from "../areas/catalog/store/bookable-catalog.ts"
import { layerLinkedUserRows } from "../areas/linking/linking-repository.ts"
import { layerLinkedUsers } from "../areas/linking/linked-users.ts"
import { layerCourierServices } from "../live/courier.ts"
import { RunningHost, layerLiveService } from "../live/live-service.ts"
import type { LiveServiceOptions } from "../live/live-service.ts"
import { takeWhatIsDue } from "../live/wake-up.ts"
import { ENVIRONMENTS } from "../model/caller.ts"
import type { EpochMs } from "../model/time.ts"
import { policyOf } from "../simulation/scenario/given-policy.ts"
import type { Scenario } from "../simulation/scenario/language.ts"
import type { World } from "../simulation/scenario/worlds.ts"
import { layerMemoryTables } from "../simulation/memory-tables.ts"
import type { MemoryStore } from "../simulation/memory-store.ts"
import type { OutsideWorld } from "../simulation/outside-world.ts"
import type { SimulatedServices } from "../simulation/simulated-service.ts"
import { Database } from "../store/database.ts"
import { inTransaction } from "../store/transaction.ts"
import type { ManualClock } from "./manual-clock.ts"

/** Keys of a database that lives only as long as its run. */
export const SECRET_KEY = "swarm"

/** Every table but that of the migrations. No table refers to another. */
const EMPTYING = sql.raw(`do $$
  declare name text;
  begin
    for name in select tablename from pg_tables where schemaname = 'public' and tablename <> 'migrations' loop
      execute format('delete from %I', name);
    end loop;
  end $$`)

/** Leaves no rows but those of the scenario's world. */
export async function prepareDatabase(
  context: Context.Context<Database>,
  { delivery, environment }: Scenario,
  { sites }: World,
): Promise<void> {
  const database = Context.get(context, Database)
  await database.orm.execute(EMPTYING)
  const writes = [
    ...ENVIRONMENTS.flatMap((one) => sites.map((site) => writeSite(one, site))),
    ...(delivery === null ? [] : [writeDeliverySite(deliverySiteOf(delivery, environment))]),
    ...DEMO_STORES.map((store) => writeStore(store)),
  ]
  await Effect.runPromise(
    Effect.provide(inTransaction(database, Effect.all(writes, { discard: true })), context),
  )
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
    answersKeywords: true,
    ...options,
  })
  const users = layerLinkedUsers.pipe(
    Layer.provide(layerLinkedUserRows),
    Layer.provide(layerMemoryTables(store)),
  )
  const courier = Layer.mergeAll(layerCourierServices, layerRateCounter).pipe(Layer.provideMerge(users))
  return Layer.provideMerge(courier, service).pipe(Layer.provideMerge(outside.layer))
}

/** The swarm's callers have no keys and do not sign in, so what checks them is not built. */
type WithoutCallers = Exclude<
  SimulatedServices,
  | AccessRows
  | Admission
  | ApiKeys
  | OperatorActions
  | OperatorSessions
  | OperatorTokens
  | PhoneTasks
  | RunnerCalls
  | RunnerPhones
>

export interface SqlService {
  readonly host: RunningHost["Type"]
  readonly runtime: Runtime.Runtime<SimulatedServices>
  readonly faults: readonly string[]
  readonly close: () => Promise<void>
}

interface Opening extends Omit<LayerParts, "options"> {
  readonly database: Context.Context<Database>
  readonly clock: ManualClock
  readonly rehearses: boolean
  readonly nonce: () => string
}

export async function openSqlService(opening: Opening): Promise<SqlService> {
  const { database, clock, rehearses, nonce, ...parts } = opening
  const faults: string[] = []
  const layers = layerSwarmService({
    ...parts,
    options: {
      wakesUp: false,
      resultsWaitMs: 0,
      rehearses,
      nonce,
      onFault: (fault) => Effect.sync(() => void faults.push(fault.message)),
    },
  }).pipe(Layer.provideMerge(Layer.succeedContext(database)))
  // Fibers wait only for promises and for the clock: the scheduler uses no host timers.
  const onClock = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    effect.pipe(
      Effect.withClock(clock),
      // A fault that matters is a finding; the rest of the log describes the receivers that the plan broke.
      Effect.locally(FiberRef.currentLoggers, HashSet.empty()),
      Effect.withScheduler(new Scheduler.MixedScheduler(Number.MAX_SAFE_INTEGER)),
    )
  const scope = Effect.runSync(Scope.make())
  const built = await Effect.runPromise(onClock(Layer.buildWithScope(layers, scope)))
  const runtime = await Effect.runPromise(onClock(Effect.provide(Effect.runtime<WithoutCallers>(), built)))
  const host = Context.get(built, RunningHost)
  return {
    host,
    runtime: runtime as Runtime.Runtime<SimulatedServices>,
    faults,
    close: async () => {
      await Effect.runPromise(host.dropCalls)
      await Effect.runPromise(Scope.close(scope, Exit.void))
    },
  }
}

export interface Moving {
  readonly service: SqlService
  readonly database: Database["Type"]
  readonly clock: ManualClock
  /** Between two steps: for crashes. */
  readonly beforeStep: () => Promise<void>
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
  const { service, database, clock, beforeStep } = moving
  const { host, runtime } = service
  for (;;) {
    await settle(database)
    const dueMs = await Runtime.runPromise(runtime)(host.nextDueMs)
    const nextMs = Math.max(clock.nowMs, Math.min(dueMs ?? Number.POSITIVE_INFINITY, clock.nextDueMs))
    if (nextMs === Number.POSITIVE_INFINITY) break
    if (nextMs > untilMs) return nextMs
    clock.nowMs = nextMs
    await beforeStep()
    const taken = await Runtime.runPromise(runtime)(takeWhatIsDue(host))
    if (taken === 0) clock.wakeOne()
    await settle(database)
    await Runtime.runPromise(runtime)(host.deferred.release)
  }
  const exit = fiber.unsafePoll()
  if (exit === null) throw new Error("an actor waits for something that never happens")
  if (Exit.isFailure(exit) && !Cause.isInterruptedOnly(exit.cause)) throw Cause.squash(exit.cause)
  return null
}

/** Everything that can happen at this instant has happened: what still waits, waits for the clock. */
async function settle(database: Database["Type"]): Promise<void> {
  for (let calm = 0; calm < 3;) {
    await setImmediate()
    calm = database.inFlight.count === 0 ? calm + 1 : 0
  }
}
