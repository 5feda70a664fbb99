/** Who calls in a plan: the plan's own partner and users, people of the site, or strangers. */

import type { Act, Plan } from "./plan.ts"

export type CallerKind = "own" | "person" | "stranger"

/** `own`: neither a person of the site nor another key. */
export function callerKindOf({ world: { runners = [], operators = [] } }: Plan, act: Act): CallerKind {
  if (act.verb !== "do" || act.by === undefined) return "own"
  const { by } = act
  return [...runners, ...operators].some(({ as }) => as === by) ? "person" : "stranger"
}

/** Whether the world has limits of calls. All keyed calls then pass the admission of the APIs. */
export function hasLimits({ world: { policy } }: Plan): boolean {
  return policy["requests_per_minute"] !== undefined || policy["bot_reports_per_minute"] !== undefined
}
