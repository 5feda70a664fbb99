/**
 * The actor host on real time: commands, views, due entries and results of calls, each in its own transaction
 * (`group-transactions.ts`, `group-views.ts`). Waiting entries are in mailboxes in the database, so any node can take
 * them.
 */

import { Cause, Clock, Effect } from "effect"
import type { Scope } from "effect"
import { groupOf, kindOf } from "../../model/address.ts"
import type { GroupAddress } from "../../model/address.ts"
import type { JsonObject } from "../../model/values/json.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { EngineFault, faultOf } from "../../engine/kernel/faults.ts"
import { GROUP_ROWS } from "../../apps/composition/group-rows.ts"
import type { Program } from "../../engine/kernel/program.ts"
import type { Call } from "../../engine/kernel/turn.ts"
import { Transaction, batch, readsOf } from "../../engine/services/host.ts"
import type { ActorHost, Areas, Command, Locks, StartOf } from "../../engine/services/host.ts"
import { realNowMs } from "../../engine/services/organization-clock.ts"
import { TurnWatchers } from "../../engine/services/turn-watchers.ts"
import { traced } from "../../engine/services/tracing.ts"
import { Database, DatabaseFault } from "../../engine/store/database.ts"
import { GroupStore, isBusyKey } from "../../engine/store/group-store.ts"
import type { NextTimer, OrganizationEntries } from "../../engine/store/group-store.ts"
import { DeferredCalls } from "../../engine/store/deferred-calls.ts"
import type { DeferredCall } from "../../engine/store/deferred-calls.ts"
import { NodeRows } from "../../engine/store/node-rows.ts"
import { inTransaction } from "../../engine/store/transaction.ts"
import { noting } from "../../engine/services/command-notes.ts"
import { Routine } from "../../engine/services/routine.ts"
import type { CallThread } from "../calls/call-thread.ts"
import { DeferredQueue } from "../calls/deferred-queue.ts"
import { divideCalls } from "../calls/divided-calls.ts"
import { GroupViews } from "./group-views.ts"
import { NO_OBSERVER } from "../observation/observer.ts"
import type { LiveObserver } from "../observation/observer.ts"
import { RESENT_AT_ONCE_MAX, WAKE_UP_GROUPS_MAX } from "../configuration/bounds.ts"
import { makeOutgoingCalls } from "../calls/outgoing-calls.ts"
import type { CallEnd, Calls, OutgoingCallsOptions } from "../calls/outgoing-calls.ts"
import type { StagedGroups } from "./staged-groups.ts"
import { GroupTransactions, freshNonce } from "./group-transactions.ts"
import type { Locked, Locking } from "./group-transactions.ts"

export interface LiveHostOptions {
  readonly program: Program
  /** How long a transaction waits for its key. */
  readonly keyWaitMsMax: number
  /** For tests: the nonces of turns; by default each is fresh and cannot be guessed. */
  readonly nonce?: () => string
  /** Called for a fault outside any command: in a call's result or a mailbox entry. */
  readonly onFault: (fault: EngineFault) => Effect.Effect<void>
  readonly observer?: LiveObserver
  /** How long a result of a call waits for others; default in `bounds.ts`. */
  readonly resultsWaitMs?: number
  /** The thread that makes some of the calls; without it this host makes all. */
  readonly thread?: CallThread
  /**
   * For tests: runs each body of a transaction twice, and rolls the first run back. A test then sees bodies with
   * effects outside the transaction.
   */
  readonly rehearses?: boolean
  /** For tests: how many entries a mailbox holds now; default `MAILBOX_ENTRIES_MAX`. */
  readonly mailboxEntriesMax?: () => number
  /** By default every actor starts as it was asked for. */
  readonly startOf?: StartOf
  /** The node that this host belongs to; by default it is a node of its own. */
  readonly node?: string
  /** False while calls are held; default: always true. */
  readonly mayCall?: () => boolean
}

/** Writes the fault to the log. */
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

/**
 * Registers the node. Its row is deleted when the host stops in order, so that another node sends its remaining calls
 * at once.
 */
function registeredNode(database: Database["Type"]): Effect.Effect<string, never, Scope.Scope> {
  const rows = new NodeRows(database)
  const node = `node_${freshNonce()}`
  const registering = Effect.gen(function* () {
    // Only one process can have the embedded database, so all other nodes have stopped.
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
 * Whether lost calls of stopped nodes remain: `some` wait for free slots; `held` means that calls are held and the
 * database was not read.
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
  /** Queue of calls that could not be sent. */
  readonly deferred: DeferredQueue
  #areas: Areas["Type"] = { observers: [], performers: [] }
  #faultsInCommands = 0

  constructor(parts: LiveHostParts) {
    this.#parts = parts
    this.#store = new GroupStore(parts.program, parts.database, GROUP_ROWS, parts.mailboxEntriesMax)
    this.#nodes = new NodeRows(parts.database)
    this.observer = parts.observer ?? NO_OBSERVER
    this.#transactions = new GroupTransactions({
      ...parts,
      store: this.#store,
      observer: this.observer,
      onCommit: (groups) => this.#watchers.committed(groups),
      mayCall: () => this.#mayCall,
      areas: () => this.#areas,
      nonce: () => this.#nonce(),
      rehearses: parts.rehearses ?? false,
      startOf: parts.startOf,
    })
    this.#views = new GroupViews({
      database: parts.database,
      store: this.#store,
      takeDue: (address) =>
        this.port.run({
          name: "take what is due",
          locks: { groups: [address] },
          body: () => Routine.flatMap(Transaction, (transaction) => transaction.group(address)),
        }),
    })
    const rows = new DeferredCalls(parts.database)
    this.deferred = new DeferredQueue({
      rows,
      calls: parts.calls,
      mayCall: () => this.#mayCall,
      release: (groups) =>
        this.#takeGroups(groups, ({ locked }, turns) => {
          for (const address of locked) turns.release(address)
          return Effect.as(rows.remove(locked), locked.length)
        }),
    })
  }

  /** Attaches the areas' observers and performers. They need the port, so they are built after it. */
  attach(areas: Areas["Type"]): void {
    this.#areas = areas
    this.#parts.calls.attach(areas.performers)
  }

  /** The host as services see it. */
  readonly port: ActorHost["Type"] = {
    run: (command) => this.#runNoted(command),
    view: (groups, body) => this.#loggingFaults(this.#views.view(groups, body)),
    read: (address) => this.#views.read(address),
    watching: (group, body) => this.#watchers.watching(group, body),
    nonce: Routine.sync(() => this.#nonce()),
  }

  readonly #runNoted = noting((command) => this.#run(command))

  #run<A, E, R, Read, RRead>(
    command: Command<A, E, R, Read, RRead>,
  ): Routine<A, E, Exclude<R, Transaction> | RRead> {
    const { name, locks, body } = command
    const locking = this.#transactions.lock(locks)
    const running = this.#failingWhenBusy(
      locks,
      this.#transactions.run({ locking, ahead: readsOf(command), body }),
    )
    return traced(
      {
        name: "command",
        attributes: () => ({ "curbline.locks": lockKinds(locks), "curbline.command": name }),
      },
      this.#loggingFaults(running, name),
    )
  }

  #nonce(): string {
    return (this.#parts.nonce ?? freshNonce)()
  }

  get #mayCall(): boolean {
    return this.#parts.mayCall?.() ?? true
  }

  /**
   * Groups with due entries, those due longest first. Not more than there are free call slots, since each group may
   * make a call.
   */
  dueGroups(limit: number): Effect.Effect<readonly GroupAddress[]> {
    return Effect.gen(this, function* () {
      if (!this.#mayCall) return []
      const free = this.callsFree
      return free === 0 ? [] : yield* this.#store.due(yield* Clock.currentTimeMillis, Math.min(limit, free))
    })
  }

  /** Commands and views of this node that ended in an engine fault. */
  get faultsInCommands(): number {
    return this.#faultsInCommands
  }

  /** The real instant at which the next entry is due, or null. */
  get nextDueMs(): Effect.Effect<EpochMs | null> {
    return this.#store.nextDueMs
  }

  /** Clears the stops of groups that were stopped under an older version of the program. */
  get clearStops(): Effect.Effect<void> {
    return inTransaction(this.#parts.database, this.#store.clearStops)
  }

  /** Clears the stops of groups that met a full mailbox: they take their due entries again. */
  get clearFullStops(): Effect.Effect<void> {
    return inTransaction(this.#parts.database, this.#store.clearFullStops)
  }

  /**
   * Takes the due entries of these groups in one transaction, without groups that another transaction holds. If an
   * entry ends in a fault, only its group is stopped. Returns how many groups were taken.
   */
  takeDue(addresses: readonly GroupAddress[]): Effect.Effect<number> {
    return this.#takeGroups(addresses, ({ locked }) => Effect.succeed(locked.length))
  }

  /** The same; returns how many entries were taken. */
  takeEntries(addresses: readonly GroupAddress[]): Effect.Effect<number> {
    return this.#takeGroups(addresses, (_, { taken }) =>
      Effect.sync(() => taken.filter(({ input: { by } }) => by === "message" || by === "timer").length),
    )
  }

  /** The entries of an organization at an instant of its clock; none can be taken while calls are held. */
  entriesOf(
    organizationId: string,
    at: { readonly atMs: EpochMs; readonly countsQueued: boolean },
  ): Effect.Effect<OrganizationEntries> {
    return Effect.gen(this, function* () {
      const limit = this.#mayCall ? Math.min(this.callsFree, WAKE_UP_GROUPS_MAX) : 0
      if (limit === 0) return { due: [], waits: true, nextMs: null }
      return yield* this.#store.entriesOf(organizationId, { ...at, limit, realMs: yield* realNowMs })
    })
  }

  nextTimer(organizationId: string): Routine<NextTimer | null> {
    return this.#store.nextTimer(organizationId)
  }

  /** The sum of what `more` returns, which runs after the due entries. */
  #takeGroups(
    addresses: readonly GroupAddress[],
    more: (locked: Locked, turns: StagedGroups) => Effect.Effect<number>,
  ): Effect.Effect<number> {
    const locking: Locking = Routine.succeed(
      Routine.map(this.#store.lockFree(addresses), (loaded) => ({
        locked: loaded.map(({ address }) => address),
        loaded,
        isAheadStale: false,
      })),
    )
    const body = (_: void, turns: StagedGroups, locked: Locked): Effect.Effect<number> =>
      Effect.suspend(() => more(locked, turns))
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

  /** The id of this node, which distinguishes the leases of its calls. */
  get node(): string {
    return this.#parts.node
  }

  /** Sends the calls of stopped nodes again, as many as there are free slots. */
  get resendLost(): Effect.Effect<LostCallsLeft> {
    return Effect.gen(this, function* () {
      if (!this.#mayCall) return "held"
      const gone = yield* this.#nodes.goneHolders
      if (gone.length === 0) return "none"
      const limit = Math.min(this.callsFree, RESENT_AT_ONCE_MAX)
      if (limit === 0) return "some"
      const held = yield* this.#nodes.heldBy(gone, limit)
      yield* this.#takeGroups(held, ({ locked }, turns) => {
        for (const address of locked) turns.lost(address, gone)
        return Effect.as(this.#nodes.release(locked, gone), locked.length)
      })
      return held.length > 0 ? "some" : "none"
    })
  }

  /** Makes calls that the other thread's commits have requested. */
  makeCalls(calls: readonly Call[]): Routine<void> {
    return this.#parts.calls.begin(calls)
  }

  /** Number of free call slots. */
  get callsFree(): number {
    return this.#parts.calls.free
  }

  /** Calls in flight or waiting for a slot. */
  get callsInFlight(): number {
    return this.#parts.calls.inFlight
  }

  /** True when the webhook thread takes calls. */
  get isCallThreadReady(): boolean {
    return this.#parts.thread?.isReady ?? false
  }

  /** Waits for calls in flight, up to a bound. No call begins after it. */
  get drain(): Effect.Effect<void> {
    return this.#parts.calls.drain
  }

  /** Interrupts every call in flight, as a crash would. Returns how many were answered whose results are lost. */
  get dropCalls(): Effect.Effect<number> {
    return this.#parts.calls.drop
  }

  #observersAhead(groups: readonly GroupAddress[]): Routine<unknown> {
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
  takeResults(results: readonly CallEnd[]): Routine<void> {
    const groups = results.map(({ call }) => groupOf(call.actor))
    const taking = this.#transactions.run({
      locking: this.#transactions.lock({ groups }),
      ahead: this.#observersAhead(groups),
      body: (_, turns) =>
        Routine.suspend(() => {
          const deferred: DeferredCall[] = []
          const undeferrable: Call[] = []
          for (const { call, result, endpoint } of results) {
            // A delivery of version 1 cannot wait in the queue. Its call waits in memory: else its attempt would fail.
            if (endpoint !== undefined && !turns.accepts(call.actor, result.type)) {
              undeferrable.push(call)
              continue
            }
            const event = result as unknown as { readonly type: string } & JsonObject
            turns.result({ to: call.actor, event, cause: call.cause })
            if (endpoint !== undefined) deferred.push({ groupAddress: groupOf(call.actor), endpoint })
          }
          return Routine.as(this.deferred.add(deferred), { deferred, undeferrable })
        }),
    })
    return Routine.flatMap(taking, ({ deferred, undeferrable }) => {
      for (const { endpoint } of deferred) this.deferred.lookAt(endpoint)
      return this.#parts.calls.beginUnqueued(undeferrable)
    })
  }

  /** The caller learns only that we failed, so an engine fault inside a command or view is logged here. */
  #loggingFaults<A, E, R>(
    transaction: Effect.Effect<A, E, R>,
    command: string | null = null,
  ): Routine<A, E, R> {
    return Routine.tapCause(transaction, (cause) => {
      const fault = [...Cause.defects(cause)].find((defect) => defect instanceof EngineFault)
      if (fault === undefined) return Effect.void
      this.#faultsInCommands += 1
      return command === null ? logFault(fault) : Effect.annotateLogs(logFault(fault), { command })
    })
  }

  #failingWhenBusy<A, E, R>({ whenKeyIsBusy }: Locks<E>, transaction: Routine<A, E, R>): Routine<A, E, R> {
    if (whenKeyIsBusy === undefined) return transaction
    return Routine.catchDefect(transaction, isBusyKey, Routine.fail(whenKeyIsBusy))
  }
}

/** The kinds of locks, without their names, because a name may contain data of a caller. */
function lockKinds({ key, zone, pool, groups = [] }: Locks<unknown>): string {
  const named = Object.entries({ key, zone, pool }).filter(([, name]) => name !== undefined)
  return [...named.map(([kind]) => kind), ...groups.map(kindOf)].join(",")
}

/** True for a fault that every retry would repeat: a bug or bad data, not an outage of the database. */
function isLasting(cause: Cause.Cause<unknown>): boolean {
  return [...Cause.defects(cause)].every((defect) => {
    if (!(defect instanceof DatabaseFault)) return true
    // Classes 22 and 23: a value or a constraint. Source: PostgreSQL error codes.
    return /^2[23]/.test(defect.sqlState ?? "")
  })
}
