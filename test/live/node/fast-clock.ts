/** The machine's clock, but faster: minutes of the service pass in seconds, in every process that knows the start. */

import { Clock, Duration, Effect } from "effect"
import type { EpochMs } from "../../../src/model/values/time.ts"

/** `startMs` on this clock was `hostStartMs` on the machine's; since then it runs `speed` times as fast. */
export interface FastTime {
  /** Moved forward within one process to skip waits. */
  startMs: EpochMs
  readonly hostStartMs: number
  readonly speed: number
}

export function fastClock(time: FastTime): Clock.Clock {
  const { hostStartMs, speed } = time
  const nowMs = (): number => Math.floor(time.startMs + (Date.now() - hostStartMs) * speed)
  const nowNanos = (): bigint => BigInt(nowMs()) * 1_000_000n
  return {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: nowMs,
    unsafeCurrentTimeNanos: nowNanos,
    currentTimeMillis: Effect.sync(nowMs),
    currentTimeNanos: Effect.sync(nowNanos),
    sleep: (duration) =>
      Effect.async((resume) => {
        const timer = setTimeout(() => resume(Effect.void), Duration.toMillis(duration) / speed)
        return Effect.sync(() => clearTimeout(timer))
      }),
  }
}
