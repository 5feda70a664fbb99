/** Which names a plan gives, and which of its moves are about something that has one: a scenario file has no others. */

import type { Move, Plan } from "./plan.ts"

/** The names that the world gives. */
export function namesGiven({ world: { webhooks, pickupWebhooks, delivery } }: Plan): Set<string> {
  return new Set([...webhooks, ...pickupWebhooks, ...(delivery?.vehicles ?? [])].map(({ as }) => as))
}

/** Moves about something that has a name by then. */
export function movesKept(plan: Plan): readonly Move[] {
  const known = namesGiven(plan)
  return plan.moves.filter(({ act }) => {
    if (act.for !== null && !known.has(act.for)) return false
    if (act.verb === "do" && act.as !== null) known.add(act.as)
    return true
  })
}
