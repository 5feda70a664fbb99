/** A manual clock that may also be set, as operators or time servers set a machine's: instants jump, and no time passes. */

import { Effect } from "effect"
import type { EpochMs } from "../../../src/model/values/time.ts"
import { ManualClock } from "../../../src/live/swarm-sql/manual-clock.ts"

export class SteppedClock extends ManualClock {
  #stepMs = 0
  override readonly currentTimeMillis = Effect.sync(() => this.unsafeCurrentTimeMillis())

  /** Forward; back when negative. */
  step(ms: number): void {
    this.#stepMs += ms
  }

  override unsafeCurrentTimeMillis(): EpochMs {
    return this.nowMs + this.#stepMs
  }
}
