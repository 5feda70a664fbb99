/**
 * The rate limiter: how often something may happen in one window of the clock. Windows begin at multiples of their length, so that
 * several nodes agree on them without communicating. Limits in which any span counts, wherever it begins, are in `areas/linking/attempt-limits.ts`.
 */

import type { EpochMs } from "../../../model/values/time.ts"
import type { Transaction } from "../host.ts"
import type { Purge } from "../retention/retention.ts"
import { realNowMs } from "../organization-clock.ts"
import { Routine } from "../routine.ts"

/**
 * One window of one bucket. A bucket has one count, that of its latest window: a new window begins it again. Clocks of nodes
 * differ, so a node may still count for the window before; it counts in the latest one. A window further ahead was begun by a
 * wrong clock, and is replaced (src/DECISIONS.md §371).
 */
export interface RateWindow {
  readonly bucket: string
  readonly startsAtMs: EpochMs
  readonly lengthMs: number
}

/** Counts outside of transactions: a refused command is counted too. */
export interface WindowCounter {
  /** Counts one more and returns the count, this one included. */
  readonly count: (window: RateWindow) => Routine<number>
  readonly counted: (window: RateWindow) => Routine<number>
  /** Counts one more with the commit of the open transaction. Saves a round trip where the transaction excludes other counts. */
  readonly add: (window: RateWindow) => Routine<void, never, Transaction>
  readonly forget: (bucket: string) => Routine<void>
  /** Deletes counts of windows that began by then. */
  readonly purge: Purge
}

export interface RateLimit {
  readonly bucket: string
  readonly windowMs: number
  readonly max: number
}

/** The current window of a limit. */
export interface WindowState {
  /** Beyond `max` after a refusal. */
  readonly count: number
  readonly isExceeded: boolean
  /** Until the window ends; at least 1. */
  readonly resetSeconds: number
}

/** Counts one in the current window; `known` is its count where a store has counted it already. */
export const takeOne = Routine.fn(function* (
  counter: WindowCounter,
  limit: RateLimit,
  known: number | null = null,
) {
  const nowMs = yield* realNowMs
  const window = windowAt(limit, nowMs)
  return stateOf(limit, { count: known ?? (yield* counter.count(window)), window, nowMs })
})

/** The current window without counting. */
export const readWindow = Routine.fn(function* (counter: WindowCounter, limit: RateLimit) {
  const nowMs = yield* realNowMs
  const window = windowAt(limit, nowMs)
  return stateOf(limit, { count: yield* counter.counted(window), window, nowMs })
})

/** The beginning of the window that contains the instant. */
export function windowStart(nowMs: EpochMs, windowMs: number): EpochMs {
  return nowMs - (nowMs % windowMs)
}

/** Counts one in the current window, with the commit of the open transaction. */
export const addOne = Routine.fn(function* (counter: WindowCounter, limit: RateLimit) {
  yield* counter.add(windowAt(limit, yield* realNowMs))
})

function windowAt({ bucket, windowMs }: Pick<RateLimit, "bucket" | "windowMs">, nowMs: EpochMs): RateWindow {
  return { bucket, startsAtMs: windowStart(nowMs, windowMs), lengthMs: windowMs }
}

interface Counted {
  readonly count: number
  readonly window: RateWindow
  readonly nowMs: EpochMs
}

function stateOf({ windowMs, max }: RateLimit, { count, window, nowMs }: Counted): WindowState {
  const resetSeconds = Math.max(1, Math.ceil((window.startsAtMs + windowMs - nowMs) / 1000))
  return { count, isExceeded: count > max, resetSeconds }
}
