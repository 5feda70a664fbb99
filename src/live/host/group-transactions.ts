/**
 * Transactions over groups: each is one SQL transaction and one unit of work. It takes its locks, takes what is due in
 * the locked groups, runs its body, shows every turn to the observers and writes the changes. After the commit the
 * calls of its turns begin. A transaction that was aborted by a conflict runs again. When the body fails, the due
 * entries are committed without it.
 */

import { randomBytes } from "node:crypto"
import { Cause, Exit, Option } from "effect"
import type { Effect } from "effect"
import { kindOf } from "../../model/address.ts"
import type { GroupAddress } from "../../model/address.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { EngineFault } from "../../engine/kernel/faults.ts"
import type { Program } from "../../engine/kernel/program.ts"
import type { Call, TurnResult } from "../../engine/kernel/turn.ts"
import { Transaction } from "../../engine/services/host.ts"
import type { Areas, Locks, ReadyCall, StartOf } from "../../engine/services/host.ts"
import {
  inTimeOf,
  instantOf,
  newerOf,
  realClockOf,
  stateIn,
} from "../../engine/services/organization-clock.ts"
import type { ClockState } from "../../engine/services/organization-clock.ts"
import { keepCommand, requireCaller } from "../../engine/services/presence.ts"
import { CurrentRequester } from "../../engine/services/requester.ts"
import { noteOnSpan } from "../../engine/services/tracing.ts"
import type { SpanAttributes } from "../../engine/services/tracing.ts"
import { Routine } from "../../engine/services/routine.ts"
import type { Database } from "../../engine/store/database.ts"
import { LOCK_WAIT_MS_MAX } from "../../engine/store/bounds.ts"
import { engineFaultIn } from "../../engine/store/group-store.ts"
import type { GroupStore } from "../../engine/store/group-store.ts"
import type { LoadedGroup } from "../../engine/store/group-changes.ts"
import {
  SqlTransaction,
  beginSavepoint,
  forgetPrefetched,
  inTransaction,
  isContention,
} from "../../engine/store/transaction.ts"
import { TRANSACTION_RUNS_MAX } from "../configuration/bounds.ts"
import { countedTurn } from "../observation/observer.ts"
import type { LiveObserver } from "../observation/observer.ts"
import type { Calls, ReadyCalls } from "../calls/outgoing-calls.ts"
import { StagedGroups } from "./staged-groups.ts"
import { withoutWaiting } from "../concurrency/without-waiting.ts"

export interface GroupTransactionsOptions {
  readonly program: Program
  readonly database: Database["Type"]
  readonly store: GroupStore
  readonly observer: LiveObserver
  /** The node that makes the calls. */
  readonly node: string
  readonly calls: Pick<Calls, "begin">
  /** Called with the groups that a commit has changed. */
  readonly onCommit: (groups: Iterable<GroupAddress>) => void
  /** False while calls are held. */
  readonly mayCall: () => boolean
  /** How long a transaction waits for its key. */
  readonly keyWaitMsMax: number
  /** The observers of turns, and the performers of calls. A function, because they are known only after the host was built. */
  readonly areas: () => Areas["Type"]
  readonly nonce: () => string
  /** For tests: runs each transaction twice, and rolls the first run back. */
  readonly rehearses: boolean
  readonly startOf: StartOf | undefined
}

export interface Locked {
  /** Groups of the locks, whether they have rows or not. */
  readonly locked: readonly GroupAddress[]
  /** Those of them that have rows. */
  readonly loaded: readonly LoadedGroup[]
  /** True when the prefetched rows may be older than the locks, because a group was locked only after the prefetch. */
  readonly isAheadStale: boolean
}

/** Sends the lock statements; the inner effect waits for them. */
export type Locking = Routine<Routine<Locked>>

/** One transaction. */
export interface GroupWork<A, E, R, Ahead, RAhead> {
  readonly locking: Locking
  /** Prefetched reads, sent with the locks. Sent again when a due entry or a late lock may have changed the rows. */
  readonly ahead: Effect.Effect<Ahead, never, RAhead>
  readonly body: (ahead: Ahead, turns: StagedGroups, locked: Locked) => Effect.Effect<A, E, R>
}

export class GroupTransactions {
  readonly #options: GroupTransactionsOptions

  constructor(options: GroupTransactionsOptions) {
    this.#options = options
  }

  /**
   * Sends the locks inside the transaction, always in one order: key, zone, pool, then groups by address. The inner
   * effect waits for them. A group that was never started has no row to lock, so its name is locked; it may have a row
   * after that.
   */
  lock({ key, zone, pool, groups = [] }: Locks<unknown>): Locking {
    const { store, keyWaitMsMax } = this.#options
    // The server keeps the time limit for the key, so each lock after it sets the usual limit again.
    const usual = key === undefined ? null : LOCK_WAIT_MS_MAX
    const names = [
      ...(key === undefined ? [] : [{ rank: "key", name: key, waitMsMax: keyWaitMsMax } as const]),
      ...(zone === undefined ? [] : [{ rank: "zone", name: zone, waitMsMax: usual } as const]),
      ...(pool === undefined ? [] : [{ rank: "pool", name: pool, waitMsMax: usual } as const]),
    ]
    const locked = [...new Set(groups)].toSorted()
    return Routine.map(store.beginLocking(names, locked), (answer) =>
      Routine.gen(function* () {
        const loaded = yield* answer
        const missing = locked.filter((address) => loaded.every((one) => one.address !== address))
        if (missing.length === 0) return { locked, loaded, isAheadStale: false }
        const missingNames = missing.map((name) => ({ rank: "group", name, waitMsMax: usual }) as const)
        const started = yield* yield* store.beginLocking(missingNames, missing)
        return { locked, loaded: [...loaded, ...started], isAheadStale: started.length > 0 }
      }),
    )
  }

  /** Runs one transaction. A transaction inside another one dies. Never interrupted. */
  run<A, E, R, Ahead, RAhead>(
    work: GroupWork<A, E, R, Ahead, RAhead>,
  ): Routine<A, E, Exclude<R, Transaction> | RAhead> {
    const { calls, database, mayCall, observer, onCommit, rehearses } = this.#options
    const whole = this.#whole(work)
    const once = rehearses
      ? Routine.zipRight(rehearsed(database, whole), inTransaction(database, whole))
      : inTransaction(database, whole)
    const running = Routine.gen(function* () {
      yield* requireNone
      for (let runsLeft = TRANSACTION_RUNS_MAX; ; runsLeft -= 1) {
        const ran = yield* Routine.exit(once)
        if (Exit.isFailure(ran)) {
          if (runsLeft > 1 && isContention(ran.cause)) {
            observer.onRetry()
            continue
          }
          observer.onUndo()
          return yield* Routine.from<never, E, never>(Exit.failCause(faultIn(ran.cause)))
        }
        const { exit, turns, ready } = ran.value
        yield* keepCommand
        yield* noteOnSpan(() => attributesOf(turns))
        observer.onCommit(turns.taken.map(({ result }) => countedTurn(result)))
        turns.runAfterCommit()
        onCommit(turns.changed.keys())
        const made = callsOf(turns)
        // A held call is retried after its lease, once calls are allowed again.
        if (made.length > 0 && mayCall()) yield* calls.begin(made, ready)
        return yield* Routine.from(exit)
      }
    })
    return Routine.uninterruptible(running)
  }

  /**
   * Everything inside the SQL transaction, in order. The exit fails when the body failed after turns of due entries,
   * which are kept.
   */
  #whole<A, E, R, Ahead, RAhead>({
    locking,
    ahead,
    body,
  }: GroupWork<A, E, R, Ahead, RAhead>): Routine<Ended<A, E>, E, Exclude<R, Transaction> | RAhead> {
    const { program, node, nonce, startOf, store } = this.#options
    const observing = (turns: StagedGroups) => this.#observer(turns)
    const handle = (turns: StagedGroups, nowMs: EpochMs) => this.#handle(turns, nowMs)
    const readying = (turns: StagedGroups) => this.#readying(turns)
    const whole = Routine.gen(function* () {
      // The transaction may have waited long for its connection, and its client may have disconnected.
      yield* requireCaller
      const locksSent = yield* locking
      const early = yield* Routine.from(ahead)
      const locks = yield* locksSent
      const { realMs, clocks, clock } = yield* timesOf(locks.loaded)
      const nowMs = clock === null ? realMs : instantOf(clock, realMs)
      const requester = yield* Routine.ref(CurrentRequester)
      const times = { nowMs, realMs, clocks }
      const turns = new StagedGroups({ program, node, nonce, startOf, requester, ...times, ...locks })
      const observe = observing(turns)
      const inside = Routine.gen(function* () {
        for (const address of locks.locked) while (turns.takeDue(address)) yield* observe
        const isFresh = turns.taken.length === 0 && !locks.isAheadStale
        const prefetched = isFresh ? early : yield* prefetchedAnew(ahead)
        const running = Routine.zipLeft(
          Routine.suspend(() => body(prefetched, turns, locks)),
          observe,
        )
        // Without due entries there is nothing to keep: the transaction fails with its body.
        return turns.taken.length === 0 ? Exit.succeed(yield* running) : yield* keepingDue(turns, running)
      })
      const ending = Routine.flatMap(inside, (exit) =>
        Routine.map(readying(turns), (ready) => ({ exit, turns, ready })),
      )
      const ended = yield* inTimeOf(clock, Routine.provideService(ending, Transaction, handle(turns, nowMs)))
      turns.close()
      yield* store.write(turns.changes())
      return ended
    })
    return withoutWaiting(whole)
  }

  #handle(turns: StagedGroups, nowMs: EpochMs): Transaction["Type"] {
    return {
      nowMs,
      turn: (request) => Routine.sync(() => turns.commandOf(request)),
      group: (address) => {
        if (turns.holds(address)) return Routine.succeed(turns.group(address))
        return Routine.map(this.#options.store.find(address), (found) => found?.group ?? null)
      },
      afterCommit: (action) => Routine.sync(() => turns.afterCommit(action)),
    }
  }

  /** Shows the observers every turn that they have not seen yet, also turns that they cause. */
  #observer(turns: StagedGroups): Routine<void, never, Transaction> {
    const { observers } = this.#options.areas()
    const inTime = (next: TurnResult, observing: Routine<void, never, Transaction>) =>
      this.#inTimeOfGroup(turns, next, observing)
    return Routine.gen(function* () {
      for (let next = turns.nextUnobserved(); next !== null; next = turns.nextUnobserved()) {
        const kind = kindOf(next.group.address)
        for (const observer of observers)
          if (observer.kind === kind) yield* inTime(next, observer.observe(next))
      }
    })
  }

  /** Prepares the calls of its turns that the areas can prepare in the transaction. */
  #readying(turns: StagedGroups): Routine<ReadyCalls, never, Transaction> {
    const { performers } = this.#options.areas()
    return Routine.gen(function* () {
      const ready = new Map<Call, ReadyCall>()
      for (const call of callsOf(turns)) {
        const performer = performers.find((one) => one.call === call.call)
        if (performer?.ready !== undefined) ready.set(call, yield* performer.ready(call))
      }
      return ready
    })
  }

  /** A transaction may take groups of several organizations: an observer sees the time of the turn's group. */
  #inTimeOfGroup(
    turns: StagedGroups,
    { group: { address } }: TurnResult,
    observing: Routine<void, never, Transaction>,
  ): Routine<void, never, Transaction> {
    const nowMs = turns.nowOf(address)
    if (nowMs === turns.nowMs) return observing
    return inTimeOf(
      turns.clockOf(address),
      Routine.provideService(observing, Transaction, this.#handle(turns, nowMs)),
    )
  }
}

/** Dies inside another transaction. */
const requireNone: Routine<void> = Routine.map(Routine.optional(SqlTransaction), (open) => {
  if (open === undefined) return
  throw new EngineFault({
    reason: "a transaction suspended",
    at: null,
    found: "another began before it ended",
  })
})

/** The failure with a fault of the engine in place of the statement's that shows it. */
function faultIn<E>(cause: Cause.Cause<E>): Cause.Cause<E> {
  for (const defect of Cause.defects(cause)) {
    const fault = engineFaultIn(defect)
    if (fault !== null) return Cause.die(fault)
  }
  return cause
}

function attributesOf({ taken }: StagedGroups): SpanAttributes {
  const kinds = new Set(taken.map(({ result }) => kindOf(result.group.address)))
  return { "curbline.turns": taken.length, "curbline.machines": [...kinds].join(",") }
}

/** Prefetches again, without the rows that earlier reads of the transaction have cached. */
function prefetchedAnew<Ahead, R>(ahead: Effect.Effect<Ahead, never, R>): Routine<Ahead, never, R> {
  return Routine.zipRight(forgetPrefetched, ahead)
}

interface Times {
  readonly realMs: EpochMs
  /** The clocks of organizations that differ from real time, by organization. */
  readonly clocks: ReadonlyMap<string, ClockState>
  /** The clock of the body: the request's, else that of the first locked group with one. */
  readonly clock: ClockState | null
}

/** The times of a transaction. Its locks were taken after the request's clock was read, so their states may be newer. */
function timesOf(loaded: readonly LoadedGroup[]): Routine<Times> {
  return Routine.clockWith((current) => {
    const realMs = realClockOf(current).unsafeCurrentTimeMillis()
    const requested = stateIn(current)
    const states = loaded.flatMap(({ clockState }) => (clockState === null ? [] : [clockState]))
    if (requested === null && states.length === 0) return { realMs, clocks: NO_CLOCKS, clock: null }
    const clocks = new Map<string, ClockState>()
    for (const state of requested === null ? states : [requested, ...states])
      clocks.set(state.organizationId, newerOf(clocks.get(state.organizationId), state))
    const first = requested ?? states[0]
    const clock = first === undefined ? null : (clocks.get(first.organizationId) ?? null)
    return { realMs, clocks, clock }
  })
}

const NO_CLOCKS: ReadonlyMap<string, ClockState> = new Map()

interface Ended<A, E> {
  readonly exit: Exit.Exit<A, E>
  readonly turns: StagedGroups
  readonly ready: ReadyCalls
}

/** The calls that its turns request. */
function callsOf({ taken }: StagedGroups): readonly Call[] {
  return taken.flatMap(({ result }) => result.calls)
}

/**
 * Runs a body after turns of due entries. When the body fails, its turns and rows are dropped, and those of the due
 * entries are kept.
 */
function keepingDue<A, E, R>(turns: StagedGroups, running: Routine<A, E, R>): Routine<Exit.Exit<A, E>, E, R> {
  return Routine.gen(function* () {
    turns.keepDue()
    const savepoint = yield* beginSavepoint("what was due")
    const exit = yield* Routine.exit(running)
    if (Exit.isSuccess(exit)) return exit
    // A fault of the engine or of the database ends the whole transaction.
    if (Option.isNone(Cause.failureOption(exit.cause)))
      return yield* Routine.from<never, E, never>(Exit.failCause(exit.cause))
    yield* savepoint.rollback
    turns.dropCommand()
    return exit
  })
}

/** Runs the transaction once and rolls it back, as after a conflict. That result is ignored. */
function rehearsed<A, E, R>(
  database: Database["Type"],
  whole: Routine<A, E, R>,
): Routine<void, never, Exclude<R, SqlTransaction>> {
  return Routine.asVoid(Routine.exit(inTransaction(database, Routine.zipRight(whole, Routine.fail(null)))))
}

/** 128 bits as 32 hex digits. */
export function freshNonce(): string {
  return randomBytes(16).toString("hex")
}
