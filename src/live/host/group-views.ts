/** Reads of groups: a view sees its groups and rows as of one moment, and writes nothing. */

import type { Effect } from "effect"
import type { GroupAddress } from "../../model/address.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { EngineFault } from "../../engine/kernel/faults.ts"
import type { Group } from "../../engine/kernel/group.ts"
import { Transaction } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { inTimeOf, instantOf, realNowMs } from "../../engine/services/organization-clock.ts"
import type { ClockState } from "../../engine/services/organization-clock.ts"
import type { Database } from "../../engine/store/database.ts"
import type { LoadedGroup } from "../../engine/store/group-changes.ts"
import type { GroupStore } from "../../engine/store/group-store.ts"
import { Prefetched, PrefetchMiss, SqlTransaction, inSnapshot } from "../../engine/store/transaction.ts"

export interface GroupViewsOptions {
  readonly database: Database["Type"]
  readonly store: GroupStore
  /** Takes what is due in this group, in a transaction of its own. Returns the group after that. */
  readonly takeDue: (address: GroupAddress) => Routine<Group | null>
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
  ): Routine<A, E, Exclude<R, Transaction>> {
    const { database, store } = this.#options
    const current = (address: GroupAddress) => this.#current(address)
    const whole = Routine.flatMap(Routine.nowMs, (nowMs) =>
      Routine.provideService(body, Transaction, {
        nowMs,
        turn: ({ to }) =>
          Routine.die(
            new EngineFault({ reason: "a group is not locked", at: to, found: "a turn inside a view" }),
          ),
        group: (address) => Routine.map(store.find(address), (found) => found?.group ?? null),
        afterCommit: () => COMMITS_NOTHING,
      }),
    )
    const inTime = Routine.gen(function* () {
      let clock: ClockState | null = null
      for (const address of groups) clock ??= (yield* current(address))?.clockState ?? null
      const viewing = inSnapshot(database, whole)
      return yield* clock === null ? viewing : inTimeOf(clock, viewing)
    })
    const [only] = groups
    const view = only === undefined || groups.length > 1 ? inTime : this.#viewOne(only, body, inTime)
    return view as Routine<A, E, Exclude<R, Transaction>>
  }

  /** Reads a group after taking what is due, except inside a transaction. Null when it was never started. */
  read(address: GroupAddress): Routine<Group | null> {
    return Routine.map(this.#current(address), (current) => current?.group ?? null)
  }

  /** The group after taking what is due, and its clock. */
  #current(address: GroupAddress): Routine<Pick<LoadedGroup, "clockState" | "group"> | null> {
    const { store, takeDue } = this.#options
    return Routine.gen(function* () {
      const found = yield* store.find(address)
      if (found === null) return null
      const { clockState, group, messages } = found
      const nowMs = yield* nowOn(clockState)
      const isDue =
        messages.some(({ instantMs }) => instantMs <= nowMs) ||
        [...(group?.timers.values() ?? [])].some(({ dueMs }) => dueMs <= nowMs)
      if (!isDue || (yield* isInTransaction)) return found
      return { clockState, group: yield* takeDue(address) }
    })
  }

  /** Reads one group and its rows with one statement. A body that needs more runs over a snapshot instead. */
  #viewOne<A, E, R, R2>(
    address: GroupAddress,
    body: Effect.Effect<A, E, R>,
    otherwise: Routine<A, E, R2>,
  ): Routine<A, E, Exclude<R, Transaction> | R2> {
    const { store } = this.#options
    return Routine.gen(function* () {
      const { group, rows, dueMs, clockState } = yield* store.prefetch(address)
      const nowMs = yield* nowOn(clockState)
      if (group === null || (dueMs !== null && dueMs <= nowMs)) return yield* otherwise
      const transaction = {
        nowMs,
        turn: () => Routine.die(new PrefetchMiss({ doing: "a turn" })),
        group: (wanted: GroupAddress) =>
          wanted === address ? Routine.succeed(group) : Routine.die(new PrefetchMiss({ doing: wanted })),
        afterCommit: () => COMMITS_NOTHING,
      }
      const provided = Routine.provideService(
        Routine.provideService(body, Transaction, transaction),
        Prefetched,
        rows,
      )
      const looked = clockState === null ? provided : inTimeOf(clockState, provided)
      return yield* Routine.catchDefect(looked, (defect) => defect instanceof PrefetchMiss, otherwise)
    })
  }
}

const COMMITS_NOTHING: Routine<never> = Routine.dieMessage("a view commits nothing")

const isInTransaction: Routine<boolean> = Routine.map(
  Routine.optional(SqlTransaction),
  (open) => open !== undefined,
)

/** The time of a group: its clock's, else that of the caller. */
function nowOn(clock: ClockState | null): Routine<EpochMs> {
  return clock === null ? Routine.nowMs : Routine.map(realNowMs, (realMs) => instantOf(clock, realMs))
}
