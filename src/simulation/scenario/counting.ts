/** Which expectations can still change by work in flight, and which are about the instant of a publication. */

import type { ExpectationName, FieldValues } from "./language/language.ts"

/** How long an expectation without a time waits for work in flight. */
export const USUAL_PATIENCE_MS = 10_000

/**
 * True for an exact count, "never" and "every one": more may still come. Such an expectation is decided when its
 * patience ends, or earlier when nothing is due before that.
 */
export function isCounted(fact: ExpectationName, fields: FieldValues): boolean {
  const counts = COUNTS[fact]
  if (fact === "deliveries") return SETTLED.has(fields["state"]) || fields["times"] === 0
  return counts === "always" || (counts?.some((field) => fields[field] !== undefined) ?? false)
}

/** The counts of a fact that `at_most` can bound: those of which the fact says when there are too many. */
export function boundsOf(fact: ExpectationName): readonly string[] {
  return BOUNDS[fact] ?? []
}

const BOUNDS: { readonly [fact in ExpectationName]?: readonly string[] } = {
  exception: ["times"],
  milestone: ["times"],
  webhook: ["times", "attempts"],
  pickup_webhook: ["times", "attempts"],
  open_link: ["calls"],
  texts: ["texts"],
}

/** True for facts that travel to a partner, which get the default patience when the scenario gives no time. */
export function takesTime(fact: ExpectationName): boolean {
  return TRAVELLING.has(fact)
}

/** True for facts that are published at one instant; every other fact is a lasting state. */
export function isPublishedOnce(fact: ExpectationName): boolean {
  return fact === "exception" || fact === "milestone"
}

/** The fields that make a fact a count. */
const COUNTS: { readonly [fact in ExpectationName]?: "always" | readonly string[] } = {
  exception: ["times"],
  milestone: ["times"],
  webhook: ["times", "attempts", "attempted_at"],
  pickup_webhook: ["times", "attempts", "attempted_at"],
  open_link: ["calls", "attempt_ids", "attempted_at"],
  endpoint: ["notices"],
  compartment: ["calls", "attempt_ids"],
  signature: "always",
  texts: "always",
}

/** Final states of a webhook delivery; it passes through the others. */
const SETTLED: ReadonlySet<unknown> = new Set(["delivered", "dropped", "discarded"])

const TRAVELLING: ReadonlySet<ExpectationName> = new Set([
  "believes",
  "compartment",
  "deliveries",
  "open_link",
  "order",
  "pickup_webhook",
  "webhook",
])
