/** Every invariant of the swarm: those of all scenarios, and its own. */

import { INVARIANTS } from "../scenario/invariants.ts"
import type { SwarmSentence, SwarmSubject } from "../scenario/language/invariant-words.ts"
import type { SwarmInvariant } from "./invariant.ts"
import { COMMAND_INVARIANTS } from "./invariants/commands.ts"
import { CONTRACT_INVARIANTS } from "./invariants/contracts.ts"
import { DELIVERY_SWARM_INVARIANTS } from "./invariants/deliveries.ts"
import { ERRAND_INVARIANTS, hasProcessor } from "./invariants/errands.ts"
import { JOURNAL_INVARIANTS } from "./invariants/journal.ts"
import { LIMIT_INVARIANTS } from "./invariants/limits.ts"
import { MACHINE_INVARIANTS } from "./invariants/machines.ts"
import { PEOPLE_INVARIANTS } from "./invariants/people.ts"
import { RESERVATION_INVARIANTS } from "./invariants/reservations.ts"
import { ROW_INVARIANTS } from "./invariants/rows.ts"
import { SITE_INVARIANTS } from "./invariants/sites.ts"
import { STRANGER_INVARIANTS } from "./invariants/strangers.ts"
import { WEBHOOK_INVARIANTS } from "./invariants/webhooks.ts"
import type { Plan } from "./plan.ts"
import { EVERYTHING_ENDS, NO_ENGINE_FAULT } from "./run.ts"

/** Sentences with a time that a late timer misses. */
const ON_TIME: readonly string[] = ["every accepted reservation ends by its window's end plus grace"]

const isOnTime = ({ faults }: Plan): boolean =>
  faults.lateTimers === 0 && faults.mailboxEntriesMax === null && faults.restoresAtMs === null

/** Sentences that count on a processor that answers within the day in which fees are given back. */
const WITH_PROCESSOR: readonly string[] = [
  "whatever an errand paid that ends before its collection goes back",
  "the processor keeps one fee of a booked errand and none of any other",
]

const OF_SCENARIOS: readonly SwarmInvariant[] = INVARIANTS.map(({ sentence, check }): SwarmInvariant => ({
  sentence,
  ...(ON_TIME.includes(sentence)
    ? { holdsFor: isOnTime, where: "not with late timers, small mailboxes or a restored backup" }
    : {}),
  ...(WITH_PROCESSOR.includes(sentence)
    ? { holdsFor: hasProcessor, where: "not where the payment processor fails for a day" }
    : {}),
  check: ({ run }) => check(run.service),
}))

/**
 * Sentences about what outsiders saw, which a restored backup does not know: answers to callers, attempts at receivers, and fees at
 * the processor, which operators compare by hand (src/OPERATIONS.md, "Restore").
 */
const NOT_AFTER_RESTORE: readonly string[] = [
  "every answer about a reservation is one that its contract allows",
  "every answer about a delivery is one that its contract allows",
  "every answer about an errand is one that its contract allows",
  "a call under one key has one answer",
  "a call to runners belongs to the first who answers, and to no other",
  "every accepted command has its entry, its own or that of the call that it repeats",
  "a call is refused for its rate exactly when its minute is used up, and says when the next begins",
  "attempts of a webhook are as far apart as the contract says",
  "the processor keeps one fee of a booked errand and none of any other",
  "an errand has at most one fee authorized or taken",
  "a fee that the processor did not give back is known as owed",
  "no fee is taken before the errand's order was reported",
  "what was authorized is captured, given back or still open, and nothing else",
]

const isKnown = ({ faults }: Plan): boolean => faults.restoresAtMs === null

function withoutRestores(invariant: SwarmInvariant): SwarmInvariant {
  if (!NOT_AFTER_RESTORE.includes(invariant.sentence)) return invariant
  const { holdsFor, where } = invariant
  return {
    ...invariant,
    holdsFor: (plan) => isKnown(plan) && (holdsFor?.(plan) ?? true),
    where: [...(where === undefined ? [] : [where]), "not where a backup is restored"].join("; "),
  }
}

/** Invariants of the swarm alone that are about the same. */
interface Part {
  readonly about: SwarmSubject
  readonly invariants: readonly SwarmInvariant[]
}

const PARTS: readonly Part[] = [
  { about: "the journal", invariants: JOURNAL_INVARIANTS },
  { about: "the journal", invariants: COMMAND_INVARIANTS },
  { about: "rows in the database", invariants: ROW_INVARIANTS },
  { about: "reservations", invariants: RESERVATION_INVARIANTS },
  { about: "deliveries", invariants: DELIVERY_SWARM_INVARIANTS },
  { about: "errands", invariants: ERRAND_INVARIANTS },
  { about: "webhooks", invariants: WEBHOOK_INVARIANTS },
  { about: "answers of calls", invariants: CONTRACT_INVARIANTS },
  { about: "mailboxes, restores and versions of machines", invariants: MACHINE_INVARIANTS },
  { about: "callers with a wrong key", invariants: STRANGER_INVARIANTS },
  { about: "limits of calls", invariants: LIMIT_INVARIANTS },
  { about: "runners and operators", invariants: PEOPLE_INVARIANTS },
  { about: "sites", invariants: SITE_INVARIANTS },
]

export const CATALOGUE: readonly SwarmInvariant[] = [
  ...OF_SCENARIOS,
  ...PARTS.flatMap(({ invariants }) => invariants),
].map(withoutRestores)

/** The invariants of the swarm alone, as `curbline words` describes them. */
export function swarmSentences(): readonly SwarmSentence[] {
  return [
    ...PARTS.flatMap(({ about, invariants }) =>
      invariants
        .map(withoutRestores)
        .map(({ sentence, where = null }): SwarmSentence => ({ sentence, about, where })),
    ),
    { sentence: EVERYTHING_ENDS, about: "the end of a run", where: null },
    { sentence: NO_ENGINE_FAULT, about: "the engine", where: null },
  ]
}
