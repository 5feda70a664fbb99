/**
 * Rate limits: how many requests an organization may make in one environment in one minute. Windows are whole minutes
 * of the clock, so that several nodes agree on them without talking.
 */

import { Clock, Context, Effect, Layer } from "effect"
import type { Purge } from "../retention/retention.ts"
import type { Environment, Permission } from "../../model/caller.ts"
import {
  ANALYTICS_REQUESTS_PER_MINUTE,
  BOT_REPORTS_PER_MINUTE,
  REQUESTS_PER_MINUTE,
} from "../../model/limits.ts"
import { MINUTE_MS } from "../../model/time.ts"
import type { EpochMs } from "../../model/time.ts"
import type { KeyHolder } from "./rows.ts"

/** Bot reports have a budget of their own: a moving bot speaks often. So has analytics: its answers cost more. */
export type BudgetName = "analytics" | "bot-reports" | "requests"

export interface RateLimits {
  /** Requests a minute, by budget. */
  readonly perMinute: Readonly<Record<BudgetName, number>>
}

export const DEFAULT_RATE_LIMITS: RateLimits = {
  perMinute: {
    analytics: ANALYTICS_REQUESTS_PER_MINUTE,
    "bot-reports": BOT_REPORTS_PER_MINUTE,
    requests: REQUESTS_PER_MINUTE,
  },
}

export class RatePolicy extends Context.Tag("RatePolicy")<RatePolicy, RateLimits>() {}

export function layerRatePolicy(limits: RateLimits = DEFAULT_RATE_LIMITS): Layer.Layer<RatePolicy> {
  return Layer.succeed(RatePolicy, limits)
}

/** One bucket's window. What was counted in earlier windows may be forgotten. */
export interface RateWindow {
  readonly bucket: string
  readonly startsAtMs: EpochMs
}

/** A request with a key, as far as counting it needs to know. */
export interface KeyedRequest {
  /** Of the key that was sent. */
  readonly hash: string
  readonly environment: Environment
  readonly permissions: readonly Permission[]
  readonly isForFleetPartners: boolean
  readonly budget: BudgetName
  readonly nowMs: EpochMs
}

/** Counts requests. Counting is never part of a command's transaction: a refused command was a request too. */
export class RateCounter extends Context.Tag("RateCounter")<
  RateCounter,
  {
    /** Counts one more and gives the count, this one included. */
    readonly count: (window: RateWindow) => Effect.Effect<number>
    readonly counted: (window: RateWindow) => Effect.Effect<number>
    /**
     * Reads who holds the key and, if the request is to be admitted, counts it too: one way to the database instead of two.
     * `count` is null when it was not counted. Absent where a way costs nothing.
     */
    readonly countKeyed?: (
      request: KeyedRequest,
    ) => Effect.Effect<{ readonly holder: KeyHolder; readonly count: number | null } | null>
    /** Drops counts of windows that began by then. */
    readonly purge: Purge
  }
>() {}

/** Whose budget. */
export interface BudgetHolder {
  readonly organizationId: string
  readonly environment: Environment
  readonly budget: BudgetName
}

/** A budget as its holder is told of it. */
export interface Budget {
  readonly limit: number
  readonly remaining: number
  /** Until the window ends; at least 1. */
  readonly resetSeconds: number
}

/** Takes one request from the budget, unless it was counted already; `isSpent` when there was none left. */
export const takeFromBudget = Effect.fnUntraced(function* (holder: BudgetHolder, known: number | null) {
  const counter = yield* RateCounter
  const { window, nowMs, limit } = yield* windowOf(holder)
  const count = known ?? (yield* counter.count(window))
  return { budget: budgetOf({ limit, count, window, nowMs }), isSpent: count > limit }
})

/** The budget as it stands; takes nothing. */
export const readBudget = Effect.fnUntraced(function* (holder: BudgetHolder) {
  const counter = yield* RateCounter
  const { window, nowMs, limit } = yield* windowOf(holder)
  return budgetOf({ limit, count: yield* counter.counted(window), window, nowMs })
})

const windowOf = Effect.fnUntraced(function* ({ organizationId, environment, budget }: BudgetHolder) {
  const { perMinute } = yield* RatePolicy
  const nowMs = yield* Clock.currentTimeMillis
  const window: RateWindow = {
    bucket: `${environment}/${organizationId}/${budget}`,
    startsAtMs: windowStart(nowMs),
  }
  return { window, nowMs, limit: perMinute[budget] }
})

/** Of the window that holds the instant. */
export function windowStart(nowMs: EpochMs): EpochMs {
  return nowMs - (nowMs % MINUTE_MS)
}

interface Counted {
  readonly limit: number
  readonly count: number
  readonly window: RateWindow
  readonly nowMs: EpochMs
}

function budgetOf({ limit, count, window, nowMs }: Counted): Budget {
  return {
    limit,
    remaining: Math.max(0, limit - count),
    resetSeconds: Math.max(1, Math.ceil((window.startsAtMs + MINUTE_MS - nowMs) / 1000)),
  }
}
