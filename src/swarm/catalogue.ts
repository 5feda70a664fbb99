/** Every invariant of the swarm: those of all scenarios, and its own. */

import { INVARIANTS } from "../simulation/scenario/invariants.ts"
import type { SwarmInvariant } from "./invariant.ts"
import { CONTRACT_INVARIANTS } from "./invariants/contracts.ts"
import { DELIVERY_SWARM_INVARIANTS } from "./invariants/deliveries.ts"
import { ERRAND_INVARIANTS } from "./invariants/errands.ts"
import { JOURNAL_INVARIANTS } from "./invariants/journal.ts"
import { RESERVATION_INVARIANTS } from "./invariants/reservations.ts"
import { ROW_INVARIANTS } from "./invariants/rows.ts"
import { WEBHOOK_INVARIANTS } from "./invariants/webhooks.ts"
import type { Plan } from "./plan.ts"

/** Sentences with a time that a late timer misses. */
const ON_TIME: readonly string[] = ["every accepted reservation ends by its window's end plus grace"]

const isOnTime = ({ faults }: Plan): boolean => faults.lateTimers === 0

const OF_SCENARIOS: readonly SwarmInvariant[] = INVARIANTS.map(({ sentence, check }): SwarmInvariant => ({
  sentence,
  ...(ON_TIME.includes(sentence) ? { holdsFor: isOnTime } : {}),
  check: ({ run }) => check(run.service),
}))

export const CATALOGUE: readonly SwarmInvariant[] = [
  ...OF_SCENARIOS,
  ...JOURNAL_INVARIANTS,
  ...ROW_INVARIANTS,
  ...RESERVATION_INVARIANTS,
  ...DELIVERY_SWARM_INVARIANTS,
  ...ERRAND_INVARIANTS,
  ...WEBHOOK_INVARIANTS,
  ...CONTRACT_INVARIANTS,
]
