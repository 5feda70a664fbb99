/** Budgets: how many requests an organization may make in one environment in one minute. */

import { Context, Layer } from "effect"
import type { Environment, Permission } from "../../model/caller.ts"
import {
  ANALYTICS_REQUESTS_PER_MINUTE,
  BOT_REPORTS_PER_MINUTE,
  REQUESTS_PER_MINUTE,
} from "../../model/values/limits.ts"
import { MINUTE_MS } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { readWindow, takeOne } from "../../engine/services/rate-limits/window-counter.ts"
import type {
  RateLimit,
  WindowCounter,
  WindowState,
} from "../../engine/services/rate-limits/window-counter.ts"
import { Routine } from "../../engine/services/routine.ts"
import type { KeyHolder } from "./rows.ts"

/**
 * Bot reports have a budget of their own because moving bots report often; analytics has one because its answers cost
 * more.
 */
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

/** A request with a key, with everything needed to count it. */
export interface KeyedRequest {
  /** Hash of the key. */
  readonly hash: string
  readonly environment: Environment
  readonly permissions: readonly Permission[]
  readonly isForFleetPartners: boolean
  readonly budget: BudgetName
  readonly nowMs: EpochMs
}

interface RequestCounter extends WindowCounter {
  /**
   * Reads the key's holder and counts the request if it will be admitted. `count` is null when it was not counted.
   * Optional: saves a round trip.
   */
  readonly countKeyed?: (
    request: KeyedRequest,
  ) => Routine<{ readonly holder: KeyHolder; readonly count: number | null } | null>
}

/** Counts requests of organizations, and tool calls of users. */
export class RateCounter extends Context.Tag("RateCounter")<RateCounter, RequestCounter>() {}

/** An organization in one environment. */
export interface BudgetHolder {
  readonly organizationId: string
  readonly environment: Environment
  readonly budget: BudgetName
}

/** A budget as responses show it. */
export interface Budget {
  readonly limit: number
  readonly remaining: number
  /** Time until the window ends; at least 1. */
  readonly resetSeconds: number
}

/** Takes one request from the budget, unless it was counted already; `isSpent` when the budget was empty. */
export const takeFromBudget = Routine.fn(function* (holder: BudgetHolder, known: number | null) {
  const limit = yield* limitOf(holder)
  const taken = yield* takeOne(yield* RateCounter, limit, known)
  return { budget: budgetOf(limit, taken), isSpent: taken.isExceeded }
})

/** Reads the budget without taking from it. */
export const readBudget = Routine.fn(function* (holder: BudgetHolder) {
  const limit = yield* limitOf(holder)
  return budgetOf(limit, yield* readWindow(yield* RateCounter, limit))
})

const limitOf = Routine.fn(function* ({ organizationId, environment, budget }: BudgetHolder) {
  const { perMinute } = yield* RatePolicy
  const bucket = `${environment}/${organizationId}/${budget}`
  return { bucket, windowMs: MINUTE_MS, max: perMinute[budget] } satisfies RateLimit
})

function budgetOf({ max }: RateLimit, { count, resetSeconds }: WindowState): Budget {
  return { limit: max, remaining: Math.max(0, max - count), resetSeconds }
}
