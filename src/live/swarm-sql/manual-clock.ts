/** A clock that only its owner moves. Between moves, promises of the host may run, such as database queries. */

import { Clock, Duration, Effect } from "effect"
import type { EpochMs } from "../../model/values/time.ts"

interface Sleeper {
  readonly dueMs: EpochMs
  readonly sequence: number
  readonly wake: () => void
}

export class ManualClock implements Clock.Clock {
  readonly [Clock.ClockTypeId]: Clock.ClockTypeId = Clock.ClockTypeId
  nowMs: EpochMs
  #sequence = 0
  readonly #sleepers = new Set<Sleeper>()
  readonly currentTimeMillis = Effect.sync(() => this.nowMs)
  readonly currentTimeNanos = Effect.sync(() => this.unsafeCurrentTimeNanos())

  constructor(startMs: EpochMs) {
    this.nowMs = startMs
  }

  unsafeCurrentTimeMillis(): number {
    return this.nowMs
  }

  unsafeCurrentTimeNanos(): bigint {
    return BigInt(this.nowMs) * 1_000_000n
  }

  sleep(duration: Duration.Duration): Effect.Effect<void> {
    return Effect.async((resume) => {
      this.#sequence += 1
      const sleeper = {
        dueMs: this.nowMs + Math.ceil(Duration.toMillis(duration)),
        sequence: this.#sequence,
        wake: () => resume(Effect.void),
      }
      this.#sleepers.add(sleeper)
      return Effect.sync(() => this.#sleepers.delete(sleeper))
    })
  }

  /** When the next sleeper wants to be woken. */
  get nextDueMs(): EpochMs {
    return this.#first()?.dueMs ?? Number.POSITIVE_INFINITY
  }

  /** Wakes the first sleeper that is due; false when none is. */
  wakeOne(): boolean {
    const first = this.#first()
    if (first === undefined || first.dueMs > this.nowMs) return false
    this.#sleepers.delete(first)
    first.wake()
    return true
  }

  #first(): Sleeper | undefined {
    return [...this.#sleepers].toSorted((a, b) => a.dueMs - b.dueMs || a.sequence - b.sequence)[0]
  }
}
