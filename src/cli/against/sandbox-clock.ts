/** The clock of an organization in the sandbox, as a run against it uses it: it stands still, and is moved to each instant. */

import { setTimeout as after } from "node:timers/promises"
import { isoMs } from "../../model/time.ts"
import type { EpochMs } from "../../model/time.ts"
import { accepted } from "./sandbox-host.ts"
import type { Ask } from "./sandbox-host.ts"

const PATH = "/sandbox/v1/clock"
/** ms, real time between two looks at a move that is still running. */
const LOOK_MS = 50
/** Real time that one move may take. */
const MOVE_MS_MAX = 300_000
/** So far may one move go; a longer way takes several. */
const STRIDE_MS = 20 * 86_400_000

export class StandingClock {
  readonly #ask: Ask
  nowMs: EpochMs

  private constructor(ask: Ask, nowMs: EpochMs) {
    this.#ask = ask
    this.nowMs = nowMs
  }

  /** Stops the clock. */
  static async freeze(ask: Ask): Promise<StandingClock> {
    const { clock } = await accepted(ask, { method: "POST", path: `${PATH}/freeze` })
    return new StandingClock(ask, Date.parse(clock.now as string))
  }

  async resume(): Promise<void> {
    await accepted(this.#ask, { method: "POST", path: `${PATH}/resume` })
  }

  /** The instant that is shown, also while the clock is moved. */
  async instant(): Promise<EpochMs> {
    const { clock } = await accepted(this.#ask, { path: PATH })
    return Date.parse(clock.now as string)
  }

  /** When the next timer is due; null: nothing waits. */
  async nextDue(): Promise<EpochMs | null> {
    const { clock } = await accepted(this.#ask, { path: PATH })
    return clock.next_timer === null ? null : Date.parse(clock.next_timer.at as string)
  }

  /** Moves the clock; what is due on the way has happened, and no call is in flight, when it returns. */
  async advance(untilMs: EpochMs): Promise<void> {
    while (this.nowMs < untilMs) {
      const to = Math.min(untilMs, this.nowMs + STRIDE_MS)
      const call = { path: `${PATH}/advance`, body: { to: isoMs(to) } }
      let { move } = await accepted(this.#ask, call)
      const giveUpAt = Date.now() + MOVE_MS_MAX
      while (move.status === "running") {
        if (Date.now() > giveUpAt)
          throw new Error(`the move of the sandbox's clock to ${isoMs(to)} does not end`)
        await after(LOOK_MS)
        ;({ move } = await accepted(this.#ask, { path: `${PATH}/moves/${move.id}` }))
      }
      this.nowMs = Date.parse(move.reached as string)
    }
  }
}
