/**
 * Deferred calls: calls that could not be sent. They wait in the database, in the order of their deferral. A node
 * releases some whenever a call to their endpoint ends, and polls for those that other nodes have left.
 */

import { Effect } from "effect"
import type { GroupAddress } from "../../model/address.ts"
import type { DeferredCall, DeferredCalls } from "../../engine/store/deferred-calls.ts"
import {
  DEFERRED_ENDPOINTS_AT_ONCE,
  DEFERRED_LOOK_MS,
  DEFERRED_RELEASED_MAX,
} from "../configuration/bounds.ts"
import type { Calls } from "./outgoing-calls.ts"
import type { Routine } from "../../engine/services/routine.ts"
import { repeatedFailures } from "../../engine/services/repeated-failures.ts"

export interface DeferredQueueOptions {
  readonly rows: DeferredCalls
  readonly calls: Calls
  /** False while calls are held; none is released then. */
  readonly mayCall: () => boolean
  /** In one transaction, sends `queue.released` to these groups and deletes their rows. */
  readonly release: (groups: readonly GroupAddress[]) => Effect.Effect<unknown>
}

export class DeferredQueue {
  readonly #options: DeferredQueueOptions
  /** Endpoints that may have deferred calls, as far as this node knows. */
  #endpoints: Set<string> = new Set()
  /** The endpoints to check in the next release. */
  readonly #toLookAt = new Set<string>()
  readonly #latch = Effect.unsafeMakeLatch()

  constructor(options: DeferredQueueOptions) {
    this.#options = options
  }

  /** Runs inside the transaction that defers the calls. */
  add(calls: readonly DeferredCall[]): Routine<void> {
    for (const { endpoint } of calls) this.#endpoints.add(endpoint)
    return this.#options.rows.add(calls)
  }

  /** Notes that calls to the endpoint may have room now. */
  lookAt(endpoint: string): void {
    if (!this.#endpoints.has(endpoint)) return
    this.#toLookAt.add(endpoint)
    this.#latch.unsafeOpen()
  }

  /** Releases calls until it is interrupted. A database outage is logged, and the poll goes on. */
  get run(): Effect.Effect<void> {
    const inLooks = repeatedFailures("the look for deferred calls")
    const inReleases = repeatedFailures("letting deferred calls go")
    const looking = Effect.zipRight(inLooks(this.look, undefined), Effect.sleep(DEFERRED_LOOK_MS))
    const releasing = this.#latch.await.pipe(
      Effect.zipRight(this.#latch.close),
      Effect.zipRight(inReleases(this.release, undefined)),
    )
    return Effect.all([Effect.forever(looking), Effect.forever(releasing)], {
      concurrency: "unbounded",
      discard: true,
    })
  }

  /** Reads from the database which endpoints have deferred calls. */
  get look(): Effect.Effect<void> {
    return Effect.gen(this, function* () {
      yield* this.#options.calls.forgetIdle
      this.#endpoints = new Set(yield* this.#options.rows.endpoints)
      for (const endpoint of this.#endpoints) this.lookAt(endpoint)
    })
  }

  /** Releases calls to the noted endpoints, as many as each has room for. */
  get release(): Effect.Effect<void> {
    return Effect.suspend(() => {
      const endpoints = [...this.#toLookAt]
      this.#toLookAt.clear()
      if (!this.#options.mayCall()) return Effect.void
      return Effect.forEach(endpoints, (endpoint) => this.#releaseOf(endpoint), {
        concurrency: DEFERRED_ENDPOINTS_AT_ONCE,
        discard: true,
      })
    })
  }

  #releaseOf(endpoint: string): Effect.Effect<void> {
    const { calls, rows, release } = this.#options
    return Effect.gen(function* () {
      const room = Math.min(calls.roomFor(endpoint), calls.free, DEFERRED_RELEASED_MAX)
      if (room === 0) return
      const groups = yield* rows.first(endpoint, room)
      if (groups.length === 0) return
      calls.expect(endpoint, groups)
      // Calls that have not begun by then were answered meanwhile, or another node holds them.
      yield* Effect.ensuring(
        release(groups),
        Effect.sync(() => calls.expectNoMore(groups)),
      )
    })
  }
}
