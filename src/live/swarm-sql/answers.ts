/** Sentences about answers to callers and calls to the outside, which the journal does not have. */

import type { SwarmInvariant } from "../../simulation/swarm/invariant.ts"

/** About answers and calls alone: over a database they are checked as these come and go. */
export const ABOUT_ANSWERS: ReadonlySet<string> = new Set([
  "a call is refused for its rate exactly when its minute is used up, and says when the next begins",
  "a call to runners belongs to the first who answers, and to no other",
  "a key that is revoked, expired or unknown opens nothing",
  "an operator does what the role allows, at the sites of the operator, and nothing else",
  "no partner reaches another partner's reservation or delivery",
  "nothing leaves while calls are held after a restore",
  "people on their shift are not asked to sign in",
  "people reach what is at their sites, and nothing of another site",
  "people outside of their shift do nothing, and are asked to sign in",
])

export function isAboutAnswers({ sentence }: Pick<SwarmInvariant, "sentence">): boolean {
  return ABOUT_ANSWERS.has(sentence)
}

/** About answers and what the rows that they name keep until the end: over a database they are checked with the final rows. */
export const ABOUT_KEPT_ROWS: ReadonlySet<string> = new Set([
  "a booking is kept at the site that it names",
  "every webhook is accepted, or uses up its attempts, or its endpoint was switched off",
])

/** About answers and the entries that name their requests: over a database they are checked once all entries are known. */
export const ABOUT_REQUESTS: ReadonlySet<string> = new Set([
  "a call that was turned away has changed nothing",
  "every accepted command has its entry, its own or that of the call that it repeats",
])
