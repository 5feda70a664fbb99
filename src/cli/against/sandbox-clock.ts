/** The clocks of the organizations of a run in the sandbox: they stand still, and are moved together to each instant. */

import { setTimeout as after } from "node:timers/promises"
import { isoMs } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { accepted } from "./sandbox-host.ts"
import type { Ask } from "./sandbox-host.ts"

const PATH = "/sandbox/v1/clock"
/** ms, real time between two looks at a move that is still running. */
const LOOK_MS = 50
/** Real time that one move may take. */
const MOVE_MS_MAX = 300_000
/** So far may one move go; a longer way takes several. */
const STRIDE_MS = 20 * 86_400_000

interface OrganizationClock {
  readonly ask: Ask
  nowMs: EpochMs
}

export class StandingClock {
  readonly #clocks: readonly OrganizationClock[]
  readonly #signal: AbortSignal | undefined
  nowMs: EpochMs

  private constructor(clocks: readonly OrganizationClock[], signal: AbortSignal | undefined) {
    this.#clocks = clocks
    this.#signal = signal
    this.nowMs = Math.max(...clocks.map((clock) => clock.nowMs))
  }

  /** Stops the clock of each key's organization. No move begins once the signal has aborted. */
  static async freeze(keys: readonly Ask[], signal?: AbortSignal): Promise<StandingClock> {
    const clocks = await Promise.all(
      keys.map(async (ask) => {
        const { clock } = await accepted(ask, { method: "POST", path: `${PATH}/freeze` })
        return { ask, nowMs: Date.parse(clock.now as string) }
      }),
    )
    return new StandingClock(clocks, signal)
  }

  async resume(): Promise<void> {
    await Promise.all(
      this.#clocks.map(({ ask }) => accepted(ask, { method: "POST", path: `${PATH}/resume` })),
    )
  }

  /** The instant that is shown, also while the clock is moved. */
  async instant(): Promise<EpochMs> {
    const shown = await Promise.all(this.#clocks.map(({ ask }) => accepted(ask, { path: PATH })))
    return Math.max(...shown.map(({ clock }) => Date.parse(clock.now as string)))
  }

  /** When the next timer is due; null: nothing waits. */
  async nextDue(): Promise<EpochMs | null> {
    const shown = await Promise.all(this.#clocks.map(({ ask }) => accepted(ask, { path: PATH })))
    const due = shown.flatMap(({ clock }) =>
      clock.next_timer === null ? [] : [Date.parse(clock.next_timer.at as string)],
    )
    return due.length === 0 ? null : Math.min(...due)
  }

  /** Moves the clock; what is due on the way has happened, and no call is in flight, when it returns. */
  async advance(untilMs: EpochMs): Promise<void> {
    while (this.nowMs < untilMs) {
      this.#signal?.throwIfAborted()
      const toMs = Math.min(untilMs, this.nowMs + STRIDE_MS, await this.#togetherUntil())
      for (const clock of this.#clocks) if (clock.nowMs < toMs) clock.nowMs = await moved(clock.ask, toMs)
      this.nowMs = Math.min(...this.#clocks.map((clock) => clock.nowMs))
    }
  }

  /** Of several organizations, none goes past an instant at which something is due in another: they share stalls. */
  async #togetherUntil(): Promise<EpochMs> {
    if (this.#clocks.length === 1) return Number.POSITIVE_INFINITY
    const due = await this.nextDue()
    return due === null || due <= this.nowMs ? Number.POSITIVE_INFINITY : due
  }
}

/** Moves one organization's clock, and returns the instant that it has reached. */
async function moved(ask: Ask, toMs: EpochMs): Promise<EpochMs> {
  let { move } = await accepted(ask, { path: `${PATH}/advance`, body: { to: isoMs(toMs) } })
  const giveUpAt = Date.now() + MOVE_MS_MAX
  while (move.status === "running") {
    if (Date.now() > giveUpAt)
      throw new Error(`the move of the sandbox's clock to ${isoMs(toMs)} does not end`)
    await after(LOOK_MS)
    ;({ move } = await accepted(ask, { path: `${PATH}/moves/${move.id}` }))
  }
  return Date.parse(move.reached as string)
}
