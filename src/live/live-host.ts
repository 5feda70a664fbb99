/**
 * The actor host on real time: commands, views, due entries and results of calls, each in its own transaction
 * (`group-transactions.ts`, `group-views.ts`). Whatever waits is in the mailbox, so any node over the same database can take it.
 */

import { Cause, Clock, Effect } from "effect"
import type { Scope } from "effect"
import { groupOf, kindOf } from "../model/address.ts"
import type { GroupAddress } from "../model/address.ts"
import type { JsonObject } from "../model/json.ts"
import type { EpochMs } from "../model/time.ts"
import { EngineFault, faultOf } from "../kernel/faults.ts"
import type { Program } from "../kernel/program.ts"
import type { Call } from "../kernel/turn.ts"
import { Transaction, batch } from "../services/host.ts"
import type { ActorHost, Areas, Locks } from "../services/host.ts"
import { TurnWatchers } from "../services/turn-watchers.ts"
import { traced } from "../services/tracing.ts"
import { Database, DatabaseFault } from "../store/database.ts"
import { GroupStore, isBusyKey } from "../store/group-store.ts"
import { DeferredCalls } from "../store/deferred-calls.ts"
import type { DeferredCall } from "../store/deferred-calls.ts"
import { NodeRows } from "../store/node-rows.ts"
import { inTransaction } from "../store/transaction.ts"
import type { CallThread } from "./call-thread.ts"
import { DeferredQueue } from "./deferred-queue.ts"
import { divideCalls } from "./divided-calls.ts"
import { GroupViews } from "./group-views.ts"
import { NO_OBSERVER } from "./observer.ts"
import type { LiveObserver } from "./observer.ts"
import { RESENT_AT_ONCE_MAX } from "./bounds.ts"
import { makeOutgoingCalls } from "./outgoing-calls.ts"
import type { CallEnd, Calls, OutgoingCallsOptions } from "./outgoing-calls.ts"
import type { StagedGroups } from "./staged-groups.ts"
import { GroupTransactions, freshNonce } from "./group-transactions.ts"
import type { Locked, Locking } from "./group-transactions.ts"

export interface LiveHostOptions {
  readonly program: Program
  /** How long a transaction waits for its key. */
  readonly keyWaitMsMax: number
  /** Called for a fault outside any command: of a call's result or a mailbox entry. */
  readonly onFault: (fault: EngineFault) => Effect.Effect<void>
  readonly observer?: LiveObserver
  /** How long a result of a call waits for others; absent: as in `bounds.ts`. */
  readonly resultsWaitMs?: number
  /** Makes some of the calls; absent: all are made here. */
  readonly thread?: CallThread
  /** For tests: runs each body of a transaction once before, and rolls that run back. A body with effects outside it shows. */
  readonly rehearses?: boolean
  /** The node that this host is a part of; absent: it is a node of its own. */
  readonly node?: string
  /** Whether calls may leave now; absent: always. */
  readonly mayCall?: () => boolean
}

/** Says it in the log. */
export function logFault(fault: EngineFault): Effect.Effect<void> {
  return Effect.annotateLogs(Effect.logError(fault.message), { reason: fault.reason, at: fault.at })
}

export function makeLiveHost(
  options: LiveHostOptions,
): Effect.Effect<LiveHost, never, Database | Scope.Scope> {
  return Effect.gen(function* () {
    const database = yield* Database
    const { observer = NO_OBSERVER, onFault, resultsWaitMs, thread } = options
    const node = options.node ?? (yield* registeredNode(database))
    const calling: OutgoingCallsOptions = {
      observer,
      onFault,
      ...(resultsWaitMs === undefined ? {} : { resultsWaitMs }),
      takeResults: (results) => host.takeResults(results),
      onRoom: (endpoint) => host.deferred.lookAt(endpoint),
    }
    const own = yield* makeOutgoingCalls(calling)
    const calls = thread === undefined ? own : yield* divideCalls(own, thread, { ...calling, node })
    const host: LiveHost = new LiveHost({ ...options, database, calls, node })
    return host
  })
}

/** Its row goes when the host has stopped in order: what it still had to send is then sent by another node at once. */
function registeredNode(database: Database["Type"]): Effect.Effect<string, never, Scope.Scope> {
  const rows = new NodeRows(database)
  const node = `node_${freshNonce()}`
  const registering = Effect.gen(function* () {
    // One process holds the embedded database: every other is gone.
    const others = database.type === "pglite" ? yield* rows.all : []
    for (const { nodeId } of others) yield* rows.remove(nodeId)
    yield* rows.register(node, yield* Clock.currentTimeMillis)
    return node
  })
  return Effect.acquireRelease(registering, () =>
    Effect.catchAllCause(rows.remove(node), (cause) => Effect.logError("the node's row stays", cause)),
  )
}

/**
 * Whether lost calls of gone nodes are left: `some` may leave as soon as there are calls free, `held` says that calls are
 * held, so the database was not asked.
 */
export type LostCallsLeft = "held" | "none" | "some"

interface LiveHostParts extends LiveHostOptions {
  readonly database: Database["Type"]
  readonly calls: Calls
  readonly node: string
}

export class LiveHost {
  readonly #parts: LiveHostParts
  readonly #store: GroupStore
  readonly #transactions: GroupTransactions
  readonly #views: GroupViews
  readonly #nodes: NodeRows
  readonly #watchers = new TurnWatchers()
  readonly observer: LiveObserver
  /** Calls that could not leave. */
  readonly deferred: DeferredQueue
  #areas: Areas["Type"] = { observers: [], performers: [] }
  #faultsInCommands = 0

  constructor(parts: LiveHostParts) {
    this.#parts = parts
    this.#store = new GroupStore(parts.program, parts.database)
    this.#nodes = new NodeRows(parts.database)
    this.observer = parts.observer ?? NO_OBSERVER
    this.#transactions = new GroupTransactions({
      ...parts,
      store: this.#store,
      observer: this.observer,
      onCommit: (groups) => this.#watchers.committed(groups),
      mayCall: () => this.#mayCall,
      observers: () => this.#areas.observers,
      rehearses: parts.rehearses ?? false,
    })
    this.#views = new GroupViews({
      database: parts.database,
      store: this.#store,
      takeDue: (address) =>
        this.port.transact(
          { groups: [address] },
          Effect.flatMap(Transaction, (transaction) => transaction.group(address)),
        ),
    })
    const rows = new DeferredCalls(parts.database)
    this.deferred = new DeferredQueue({
      rows,
      calls: parts.calls,
      mayCall: () => this.#mayCall,
      release: (groups) =>
        this.#takeGroups(groups, ({ locked }, turns) => {
          for (const address of locked) turns.release(address)
          return rows.remove(locked)
        }),
    })
  }

  /** Hands over the areas' observers and performers; they need the port, so they come after it. */
  attach(areas: Areas["Type"]): void {
    this.#areas = areas
    this.#parts.calls.attach(areas.performers)
  }

  /** The port that services see. */
  readonly port: ActorHost["Type"] = {
    transact: (locks, body) => this.#transact(locks, Effect.void, () => body),
    transactAhead: (locks, ahead, body) => this.#transact(locks, ahead, body),
    view: (groups, body) => this.#loggingFaults(this.#views.view(groups, body)),
    read: (address) => this.#views.read(address),
    watching: (group, body) => this.#watchers.watching(group, body),
    nonce: Effect.sync(freshNonce),
  }

  #transact<A, E, R, Ahead, RAhead>(
    locks: Locks<E>,
    ahead: Effect.Effect<Ahead, never, RAhead>,
    body: (prefetched: Ahead) => Effect.Effect<A, E, R>,
  ): Effect.Effect<A, E, Exclude<R, Transaction> | RAhead> {
    const locking = this.#transactions.lock(locks)
    return traced(
      { name: "command", attributes: () => ({ "curbline.locks": lockKinds(locks) }) },
      this.#loggingFaults(this.#failingWhenBusy(locks, this.#transactions.run({ locking, ahead, body }))),
    )
  }

  get #mayCall(): boolean {
    return this.#parts.mayCall?.() ?? true
  }

  /** Groups with due entries, the longest due first: no more than there are calls free, since each may make one. */
  dueGroups(limit: number): Effect.Effect<readonly GroupAddress[]> {
    return Effect.gen(this, function* () {
      if (!this.#mayCall) return []
      const free = yield* this.callsFree
      return free === 0 ? [] : yield* this.#store.due(yield* Clock.currentTimeMillis, Math.min(limit, free))
    })
  }

  /** Commands and views that ended in a fault of the engine since this node began. */
  get faultsInCommands(): number {
    return this.#faultsInCommands
  }

  get nextDueMs(): Effect.Effect<EpochMs | null> {
    return this.#store.nextDueMs
  }

  /** Lets groups that stopped under an older program try again. */
  get clearStops(): Effect.Effect<void> {
    return inTransaction(this.#parts.database, this.#store.clearStops)
  }

  /**
   * Takes the due entries of these groups in one transaction, leaving out groups that another transaction holds. A
   * group whose entry ends in a fault is stopped, alone. How many groups were taken.
   */
  takeDue(addresses: readonly GroupAddress[]): Effect.Effect<number> {
    return this.#takeGroups(addresses, () => Effect.void)
  }

  #takeGroups(
    addresses: readonly GroupAddress[],
    more: (locked: Locked, turns: StagedGroups) => Effect.Effect<void>,
  ): Effect.Effect<number> {
    const locking: Locking = Effect.succeed(
      Effect.map(this.#store.lockFree(addresses), (loaded) => ({
        locked: loaded.map(({ address }) => address),
        loaded,
        isAheadStale: false,
      })),
    )
    const body = (_: void, turns: StagedGroups, locked: Locked): Effect.Effect<number> =>
      Effect.as(
        Effect.suspend(() => more(locked, turns)),
        locked.locked.length,
      )
    return this.#transactions.run({ locking, ahead: Effect.void, body }).pipe(
      Effect.catchAllCause((cause) => {
        if (!isLasting(cause)) return Effect.failCause(cause)
        const [first] = addresses
        if (first === undefined || addresses.length > 1) {
          return Effect.map(
            Effect.forEach(addresses, (address) => this.#takeGroups([address], more)),
            (taken) => taken.reduce((sum, count) => sum + count, 0),
          )
        }
        const fault = faultOf(cause)
        return Effect.as(
          Effect.zipRight(
            inTransaction(this.#parts.database, this.#store.stop(first, fault.message)),
            this.#parts.onFault(fault),
          ),
          0,
        )
      }),
    )
  }

  /** Tells the leases of this node's calls from those of others. */
  get node(): string {
    return this.#parts.node
  }

  /** Makes the calls of gone nodes again, as many as there are calls free. */
  get resendLost(): Effect.Effect<LostCallsLeft> {
    return Effect.gen(this, function* () {
      if (!this.#mayCall) return "held"
      const gone = yield* this.#nodes.goneHolders
      if (gone.length === 0) return "none"
      const limit = Math.min(yield* this.callsFree, RESENT_AT_ONCE_MAX)
      if (limit === 0) return "some"
      const held = yield* this.#nodes.heldBy(gone, limit)
      yield* this.#takeGroups(held, ({ locked }, turns) => {
        for (const address of locked) turns.lost(address, gone)
        return this.#nodes.release(locked, gone)
      })
      return held.length > 0 ? "some" : "none"
    })
  }

  /** Makes calls that another thread's commit has asked for. */
  makeCalls(calls: readonly Call[]): Effect.Effect<void> {
    return this.#parts.calls.begin(calls)
  }

  /** How many more may be begun. */
  get callsFree(): Effect.Effect<number> {
    return this.#parts.calls.free
  }

  /** Calls under way or waiting for their turn. */
  get callsInFlight(): Effect.Effect<number> {
    return this.#parts.calls.inFlight
  }

  /** Whether a thread beside this one makes calls. */
  get isCallThreadReady(): boolean {
    return this.#parts.thread?.isReady ?? false
  }

  /** Waits for calls under way, up to a bound. */
  get drain(): Effect.Effect<void> {
    return this.#parts.calls.drain
  }

  /** Interrupts every call under way, as a crash would. */
  get dropCalls(): Effect.Effect<void> {
    return this.#parts.calls.drop
  }

  #observersAhead(groups: readonly GroupAddress[]): Effect.Effect<unknown> {
    const { observers } = this.#areas
    return batch(
      groups.flatMap((group) =>
        observers.flatMap(({ kind, ahead }) =>
          ahead !== undefined && kind === kindOf(group) ? [ahead(group)] : [],
        ),
      ),
    )
  }

  /** Takes results of calls, each as a turn, in one transaction. */
  takeResults(results: readonly CallEnd[]): Effect.Effect<void> {
    const groups = results.map(({ call }) => groupOf(call.actor))
    const taking = this.#transactions.run({
      locking: this.#transactions.lock({ groups }),
      ahead: this.#observersAhead(groups),
      body: (_, turns) =>
        Effect.suspend(() => {
          const deferred: DeferredCall[] = []
          const undeferrable: Call[] = []
          for (const { call, result, endpoint } of results) {
            // Version 1 of a delivery cannot wait in the queue: its attempt would count as failed.
            if (endpoint !== undefined && !turns.accepts(call.actor, result.type)) {
              undeferrable.push(call)
              continue
            }
            const event = result as unknown as { readonly type: string } & JsonObject
            turns.result({ to: call.actor, event, cause: call.cause })
            if (endpoint !== undefined) deferred.push({ groupAddress: groupOf(call.actor), endpoint })
          }
          return Effect.as(this.deferred.add(deferred), { deferred, undeferrable })
        }),
    })
    return Effect.flatMap(taking, ({ deferred, undeferrable }) => {
      for (const { endpoint } of deferred) this.deferred.lookAt(endpoint)
      return this.#parts.calls.beginUnqueued(undeferrable)
    })
  }

  /** A fault of the engine inside a command is answered as our failure, and must not pass unseen here. */
  #loggingFaults<A, E, R>(transaction: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.tapErrorCause(transaction, (cause) => {
      const fault = [...Cause.defects(cause)].find((defect) => defect instanceof EngineFault)
      if (fault === undefined) return Effect.void
      this.#faultsInCommands += 1
      return logFault(fault)
    })
  }

  #failingWhenBusy<A, E, R>(
    { whenKeyIsBusy }: Locks<E>,
    transaction: Effect.Effect<A, E, R>,
  ): Effect.Effect<A, E, R> {
    if (whenKeyIsBusy === undefined) return transaction
    return Effect.catchAllCause(transaction, (cause) =>
      isBusyKey(cause) ? Effect.fail(whenKeyIsBusy) : Effect.failCause(cause),
    )
  }
}

/** Which kinds of locks, without their names: a name may hold what a caller sent. */
function lockKinds({ key, zone, pool, groups = [] }: Locks<unknown>): string {
  const named = Object.entries({ key, zone, pool }).filter(([, name]) => name !== undefined)
  return [...named.map(([kind]) => kind), ...groups.map(kindOf)].join(",")
}

/** True for a fault that will come back at every try: of the program or its data, not of the database's day. */
function isLasting(cause: Cause.Cause<unknown>): boolean {
  return [...Cause.defects(cause)].every((defect) => {
    if (!(defect instanceof DatabaseFault)) return true
    // Classes 22 and 23: a value or a constraint. Source: PostgreSQL error codes.
    return /^2[23]/.test(defect.sqlState ?? "")
  })
}
