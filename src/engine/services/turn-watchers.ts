/**
 * Waits for turns of a group that this host commits. Both hosts use it, so that a result wakes the request that waits
 * for it.
 */

import { Effect } from "effect"
import type { GroupAddress } from "../../model/address.ts"

interface Watcher {
  hasNews: boolean
  /** Resumes the waiting fiber; null without one. */
  resume: (() => void) | null
}

export class TurnWatchers {
  readonly #byGroup = new Map<GroupAddress, Set<Watcher>>()

  /** `nextTurn` completes when a turn of the group was committed since the body began, or since it last completed. */
  watching<A, E, R>(
    group: GroupAddress,
    body: (nextTurn: Effect.Effect<void>) => Effect.Effect<A, E, R>,
  ): Effect.Effect<A, E, R> {
    return Effect.acquireUseRelease(
      Effect.sync(() => this.#add(group)),
      (watcher) => body(nextTurn(watcher)),
      (watcher) => Effect.sync(() => this.#remove(group, watcher)),
    )
  }

  /** Wakes the watchers of these groups. */
  committed(groups: Iterable<GroupAddress>): void {
    if (this.#byGroup.size === 0) return
    for (const group of groups) {
      for (const watcher of this.#byGroup.get(group) ?? []) {
        watcher.hasNews = true
        watcher.resume?.()
      }
    }
  }

  #add(group: GroupAddress): Watcher {
    const watcher: Watcher = { hasNews: false, resume: null }
    const known = this.#byGroup.get(group)
    if (known === undefined) this.#byGroup.set(group, new Set([watcher]))
    else known.add(watcher)
    return watcher
  }

  #remove(group: GroupAddress, watcher: Watcher): void {
    const watchers = this.#byGroup.get(group)
    watchers?.delete(watcher)
    if (watchers?.size === 0) this.#byGroup.delete(group)
  }
}

function nextTurn(watcher: Watcher): Effect.Effect<void> {
  return Effect.async<void>((end) => {
    const take = (): void => {
      watcher.hasNews = false
      watcher.resume = null
      end(Effect.void)
    }
    if (watcher.hasNews) return take()
    watcher.resume = take
    return Effect.sync(() => {
      watcher.resume = null
    })
  })
}
