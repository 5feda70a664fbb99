/**
 * Time limits of many calls by one clock. One fiber sleeps until the first of them; a fiber for each would cost more than the call's
 * own work.
 */

import type { Clock } from "effect"
import { Duration, Exit } from "effect"
import { elapsedMsBy } from "../../engine/services/elapsed-time.ts"
import type { Answering } from "../../engine/services/answering.ts"

interface Deadline {
  readonly atMs: number
  readonly run: () => void
}

export class Deadlines {
  readonly #at: Answering
  readonly #clock: Clock.Clock
  readonly #open = new Set<Deadline>()
  #sleep: { readonly untilMs: number; readonly abort: AbortController } | null = null

  constructor(at: Answering) {
    this.#at = at
    this.#clock = at.clock
  }

  /** Calls `run` once: after so many ms, or when the returned function is called earlier. */
  wakingAfter(ms: number, run: () => void): () => void {
    const deadline = { atMs: elapsedMsBy(this.#clock) + Math.max(0, ms), run }
    this.#open.add(deadline)
    if (this.#sleep === null || deadline.atMs < this.#sleep.untilMs) void this.#sleepUntil(deadline.atMs)
    return () => this.#end(deadline)
  }

  #end(deadline: Deadline): void {
    if (!this.#open.delete(deadline)) return
    if (this.#open.size === 0) this.#wake()
    deadline.run()
  }

  #wake(): void {
    this.#sleep?.abort.abort()
    this.#sleep = null
  }

  async #sleepUntil(untilMs: number): Promise<void> {
    this.#wake()
    if (untilMs === Number.POSITIVE_INFINITY) return
    const abort = new AbortController()
    const sleep = { untilMs, abort }
    this.#sleep = sleep
    const sleeping = this.#clock.sleep(Duration.millis(untilMs - elapsedMsBy(this.#clock)))
    const exit = await this.#at.run(sleeping, { ...this.#at, signal: abort.signal })
    if (Exit.isSuccess(exit) && this.#sleep === sleep) this.#endDue()
  }

  #endDue(): void {
    this.#sleep = null
    const nowMs = elapsedMsBy(this.#clock)
    for (const deadline of this.#open) if (deadline.atMs <= nowMs) this.#end(deadline)
    const nextMs = Math.min(...[...this.#open].map(({ atMs }) => atMs))
    if (this.#open.size > 0 && this.#sleep === null) void this.#sleepUntil(nextMs)
  }
}
