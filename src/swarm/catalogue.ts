/** Every invariant of the swarm: those of all scenarios, and its own. */

import { INVARIANTS } from "../simulation/scenario/invariants.ts"
import type { SwarmInvariant } from "./invariant.ts"
import type { Plan } from "./plan.ts"

/** Sentences with a time that a late timer misses. */
const ON_TIME: readonly string[] = ["every accepted reservation ends by its window's end plus grace"]

const isOnTime = ({ faults }: Plan): boolean => faults.lateTimers === 0

export const CATALOGUE: readonly SwarmInvariant[] = [
  ...INVARIANTS.map(({ sentence, check }): SwarmInvariant => ({
    sentence,
    ...(ON_TIME.includes(sentence) ? { holdsFor: isOnTime } : {}),
    check: ({ run }) => check(run.service),
  })),
]
