/** Reads of groups: a view sees its groups and rows as of one moment, and writes nothing. */

import { Clock, Context, Effect, Option } from "effect"
import type { GroupAddress } from "../model/address.ts"
import type { EpochMs } from "../model/time.ts"
import { EngineFault } from "../kernel/faults.ts"
import type { Group } from "../kernel/group.ts"
import { Transaction } from "../services/host.ts"
import { Routine } from "../services/routine.ts"
import { inTimeOf, instantOf, realNowMs } from "../services/organization-clock.ts"
import type { ClockState } from "../services/organization-clock.ts"
import type { Database } from "../store/database.ts"
import type { LoadedGroup } from "../store/group-changes.ts"
import type { GroupStore } from "../store/group-store.ts"
import { Prefetched, PrefetchMiss, SqlTransaction, inSnapshot } from "../store/transaction.ts"

export interface GroupViewsOptions {
  readonly database: Database["Type"]
  readonly store: GroupStore
  /** Takes what is due in this group, in a transaction of its own. Returns the group after that. */
  readonly takeDue: (address: GroupAddress) => Effect.Effect<Group | null>
}

export class GroupViews {
  readonly #options: GroupViewsOptions

  constructor(options: GroupViewsOptions) {
    this.#options = options
  }

  /**
   * First takes what is due in these groups, so that a node that is behind shows no outdated state; then reads one
   * snapshot.
   */
  view<A, E, R>(
    groups: readonly GroupAddress[],
    body: Effect.Effect<A, E, R>,
  ): Effect.Effect<A, E, Exclude<R, Transaction>> {
    const whole = Effect.gen(this, function* () {
      const nowMs = yield* Clock.currentTimeMillis
      return yield* Effect.provideService(body, Transaction, {
        nowMs,
        turn: ({ to }) =>
          Routine.die(
            new EngineFault({ reason: "a group is not locked", at: to, found: "a turn inside a view" }),
          ),
        group: (address) => Routine.map(this.#options.store.find(address), (found) => found?.group ?? null),
      })
    })
    const inTime = Effect.gen(this, function* () {
      let clock: ClockState | null = null
      for (const address of groups) {
        const current = yield* this.#current(address)
        clock ??= current?.clockState ?? null
      }
      const viewing = inSnapshot(this.#options.database, whole)
      return yield* clock === null ? viewing : inTimeOf(clock, viewing)
    })
    const [only] = groups
    const view = only === undefined || groups.length > 1 ? inTime : this.#viewOne(only, body, inTime)
    return view as Effect.Effect<A, E, Exclude<R, Transaction>>
  }

  /** Reads a group after taking what is due, except inside a transaction. Null when it was never started. */
  read(address: GroupAddress): Effect.Effect<Group | null> {
    return Effect.map(this.#current(address), (current) => current?.group ?? null)
  }

  /** The group after taking what is due, and its clock. */
  #current(address: GroupAddress): Effect.Effect<Pick<LoadedGroup, "clockState" | "group"> | null> {
    return Effect.gen(this, function* () {
      const found = yield* this.#options.store.find(address)
      if (found === null) return null
      const { clockState, group, messages } = found
      const nowMs = yield* nowOn(clockState)
      const isDue =
        messages.some(({ instantMs }) => instantMs <= nowMs) ||
        [...(group?.timers.values() ?? [])].some(({ dueMs }) => dueMs <= nowMs)
      if (!isDue || Option.isSome(yield* Effect.serviceOption(SqlTransaction))) return found
      return { clockState, group: yield* this.#options.takeDue(address) }
    })
  }

  /** Reads one group and its rows with one statement. A body that needs more runs over a snapshot instead. */
  #viewOne<A, E, R, R2>(
    address: GroupAddress,
    body: Effect.Effect<A, E, R>,
    otherwise: Effect.Effect<A, E, R2>,
  ): Effect.Effect<A, E, Exclude<R, Transaction> | R2> {
    return Effect.gen(this, function* () {
      const { group, rows, dueMs, clockState } = yield* this.#options.store.prefetch(address)
      const nowMs = yield* nowOn(clockState)
      if (group === null || (dueMs !== null && dueMs <= nowMs)) return yield* otherwise
      const transaction = {
        nowMs,
        turn: () => Routine.die(new PrefetchMiss({ doing: "a turn" })),
        group: (wanted: GroupAddress) =>
          wanted === address ? Routine.succeed(group) : Routine.die(new PrefetchMiss({ doing: wanted })),
      }
      // Added together, because each addition copies the whole context.
      const seen = Context.make(Transaction, transaction).pipe(Context.add(Prefetched, rows))
      const provided = Effect.provide(body, seen) as Effect.Effect<A, E, Exclude<R, Transaction>>
      const looked = clockState === null ? provided : inTimeOf(clockState, provided)
      return yield* Effect.catchSomeDefect(looked, (defect) =>
        defect instanceof PrefetchMiss ? Option.some(otherwise) : Option.none(),
      )
    })
  }
}

/** The time of a group: its clock's, else that of the caller. */
function nowOn(clock: ClockState | null): Effect.Effect<EpochMs> {
  return clock === null
    ? Clock.currentTimeMillis
    : Effect.map(realNowMs, (realMs) => instantOf(clock, realMs))
}
