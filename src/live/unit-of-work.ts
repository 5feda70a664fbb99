/**
 * Units of work: each is one SQL transaction. It takes its locks, takes what is due in the locked groups, runs its body,
 * shows every turn to the areas and writes the turns, which were staged in memory. After the commit the calls of its turns
 * begin. A transaction that lost against another one is run again.
 */

import { randomBytes } from "node:crypto"
import { Clock, Effect, Option } from "effect"
import { kindOf } from "../model/address.ts"
import type { GroupAddress } from "../model/address.ts"
import { EngineFault } from "../kernel/faults.ts"
import type { Program } from "../kernel/program.ts"
import { Transaction } from "../services/host.ts"
import type { Areas, Locks } from "../services/host.ts"
import { keepCommand, requireCaller } from "../services/presence.ts"
import { noteOnSpan } from "../services/tracing.ts"
import type { Database } from "../store/database.ts"
import { LOCK_WAIT_MS_MAX } from "../store/bounds.ts"
import { startedTwice } from "../store/group-store.ts"
import type { GroupStore } from "../store/group-store.ts"
import type { LoadedGroup } from "../store/group-changes.ts"
import { SqlTransaction, inTransaction, isContention } from "../store/transaction.ts"
import { TRANSACTION_RUNS_MAX } from "./bounds.ts"
import { countedTurn } from "./observer.ts"
import type { LiveObserver } from "./observer.ts"
import type { Calls } from "./outgoing-calls.ts"
import { StagedTurns } from "./staged-turns.ts"
import { withoutWaiting } from "./without-waiting.ts"

export interface UnitsOfWorkOptions {
  readonly program: Program
  readonly database: Database["Type"]
  readonly store: GroupStore
  readonly observer: LiveObserver
  /** The node that makes the calls. */
  readonly node: string
  readonly calls: Pick<Calls, "begin">
  /** Whether calls may leave now. */
  readonly mayCall: () => boolean
  /** How long a transaction waits for its key. */
  readonly keyWaitMsMax: number
  /** The observers of turns: they are known only after the host was built. */
  readonly observers: () => Areas["Type"]["observers"]
  /** For tests: runs each transaction once before, and rolls that run back. */
  readonly rehearses: boolean
}

export interface Locked {
  /** Groups of the locks, found or not. */
  readonly locked: readonly GroupAddress[]
  /** Those of them that have rows. */
  readonly loaded: readonly LoadedGroup[]
}

export class UnitsOfWork {
  readonly #options: UnitsOfWorkOptions

  constructor(options: UnitsOfWorkOptions) {
    this.#options = options
  }

  /** Takes locks inside the transaction, always in one order: key, zone, pool, then groups by address. */
  lock({ key, zone, pool, groups = [] }: Locks<unknown>): Effect.Effect<Locked> {
    const { store, keyWaitMsMax } = this.#options
    return Effect.gen(function* () {
      if (key !== undefined) yield* store.lockName("key", key, keyWaitMsMax)
      // The bound for the key stays set on the server, so each lock after it sets the usual bound again.
      const usual = key === undefined ? null : LOCK_WAIT_MS_MAX
      if (zone !== undefined) yield* store.lockName("zone", zone, usual)
      if (pool !== undefined) yield* store.lockName("pool", pool, usual)
      const locked = [...new Set(groups)].toSorted()
      const loaded = yield* store.lock(locked, "wait")
      const missing = locked.filter((address) => loaded.every((one) => one.address !== address))
      // A group that was never started has no row to lock. After the wait for its name it may have one.
      for (const address of missing) yield* store.lockName("group", address, usual)
      return { locked, loaded: [...loaded, ...(yield* store.lock(missing, "wait"))] }
    })
  }

  /** Runs one unit of work; `locking` is the first that it does. A unit of work inside another one dies. */
  run<A, E, R>(
    locking: Effect.Effect<Locked>,
    body: (locked: Locked, turns: StagedTurns) => Effect.Effect<A, E, R>,
  ): Effect.Effect<A, E, Exclude<R, Transaction>> {
    const { calls, database, mayCall, observer, rehearses } = this.#options
    const runs = (runsLeft: number): ReturnType<typeof once> =>
      Effect.catchAllCause(once(), (cause) =>
        runsLeft > 1 && isContention(cause)
          ? Effect.zipRight(Effect.sync(observer.onRetry), runs(runsLeft - 1))
          : Effect.zipRight(Effect.sync(observer.onUndo), Effect.failCause(cause)),
      )
    const whole = this.#whole(locking, body)
    const rehearsal = rehearses ? rehearsed(database, whole) : Effect.void
    const once = () =>
      Effect.catchSomeDefect(Effect.zipRight(rehearsal, inTransaction(database, whole)), (defect) =>
        Option.map(Option.fromNullable(startedTwice(defect)), Effect.die),
      )
    return Effect.serviceOption(SqlTransaction).pipe(
      Effect.flatMap((open) =>
        Option.isSome(open)
          ? Effect.die(
              new EngineFault({
                reason: "a transaction suspended",
                at: null,
                found: "another began before it ended",
              }),
            )
          : runs(TRANSACTION_RUNS_MAX),
      ),
      Effect.tap(keepCommand),
      Effect.tap(({ turns }) =>
        noteOnSpan(() => ({
          "curbline.turns": turns.taken.length,
          "curbline.machines": [...new Set(turns.taken.map(({ group }) => kindOf(group.address)))].join(","),
        })),
      ),
      Effect.tap(({ turns }) => Effect.sync(() => observer.onCommit(turns.taken.map(countedTurn)))),
      Effect.flatMap(({ value, turns }) =>
        Effect.as(
          // A held call returns through its lease timer, which the wake-up takes once calls leave again.
          mayCall() ? calls.begin(turns.taken.flatMap((turn) => turn.calls)) : Effect.void,
          value,
        ),
      ),
      Effect.uninterruptible,
    )
  }

  /** Everything inside the SQL transaction, in order. */
  #whole<A, E, R>(
    locking: Effect.Effect<Locked>,
    body: (locked: Locked, turns: StagedTurns) => Effect.Effect<A, E, R>,
  ): Effect.Effect<{ readonly value: A; readonly turns: StagedTurns }, E, Exclude<R, Transaction>> {
    const whole = Effect.gen(this, function* () {
      // The transaction may have waited long for its connection, and its caller may have left.
      yield* requireCaller
      const locks = yield* locking
      const nowMs = yield* Clock.currentTimeMillis
      const { program, node, store } = this.#options
      const turns = new StagedTurns({ program, node, nonce: freshNonce, nowMs, ...locks })
      const observe = this.#observer(turns)
      const inside = Effect.gen(function* () {
        for (const address of locks.locked) while (turns.takeDue(address)) yield* observe
        const value = yield* body(locks, turns)
        yield* observe
        return value
      })
      const value = yield* Effect.provideService(inside, Transaction, this.#handle(turns))
      turns.close()
      yield* store.write(turns.changes())
      return { value, turns }
    })
    return withoutWaiting(whole)
  }

  #handle(turns: StagedTurns): Transaction["Type"] {
    return {
      nowMs: turns.nowMs,
      turn: (request) => Effect.sync(() => turns.command(request)),
      group: (address) => {
        const staged = turns.get(address)
        if (staged !== undefined) return Effect.succeed(staged)
        return Effect.map(this.#options.store.find(address), (found) => found?.group ?? null)
      },
    }
  }

  /** Shows the areas every turn that they have not seen yet, also turns that they cause. */
  #observer(turns: StagedTurns): Effect.Effect<void, never, Transaction> {
    let seen = 0
    return Effect.gen(this, function* () {
      for (let next = turns.taken[seen]; next !== undefined; next = turns.taken[seen]) {
        seen += 1
        if (next.entry === null) continue
        const kind = kindOf(next.group.address)
        for (const observer of this.#options.observers())
          if (observer.kind === kind) yield* observer.observe(next)
      }
    })
  }
}

/** Runs the transaction and rolls it back, as one that lost against another. Its result is ignored. */
function rehearsed<A, E, R>(
  database: Database["Type"],
  whole: Effect.Effect<A, E, R>,
): Effect.Effect<void, never, Exclude<R, SqlTransaction>> {
  return Effect.asVoid(Effect.exit(inTransaction(database, Effect.zipRight(whole, Effect.fail(null)))))
}

/** 128 bits as 32 hex digits. */
export function freshNonce(): string {
  return randomBytes(16).toString("hex")
}
