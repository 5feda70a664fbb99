/** Callers with a key that may not reach what the plan's partner has. */

import type { Answered, SwarmCheck, SwarmInvariant, Watched } from "../invariant.ts"

/** What a partner reads about things of another: they are not there; nor is a retailer for one that may deliver for none. */
const NOT_THERE: readonly string[] = [
  "DELIVERY_NOT_FOUND",
  "NOT_FOUND",
  "QUOTE_NOT_FOUND",
  "RETAILER_NOT_FOUND",
]

export const STRANGER_INVARIANTS: readonly SwarmInvariant[] = [
  {
    sentence: "no partner reaches another partner's reservation or delivery",
    check: ({ plan }) => {
      const partners = new Set(plan.world.partners?.map(({ as }) => as))
      return checkOf((by) => partners.has(by), NOT_THERE)
    },
  },
  {
    sentence: "a key that is revoked, expired or unknown opens nothing",
    check: ({ plan }: Watched) => {
      const keys = new Set(plan.world.keys?.map(({ as }) => as))
      return checkOf((by) => keys.has(by), ["INVALID_API_KEY"])
    },
  },
]

function checkOf(isMeant: (by: string) => boolean, allowed: readonly string[]): SwarmCheck {
  return {
    onStranger: ({ move: { act }, outcome }: Answered) => {
      if (act.verb !== "do" || act.by === undefined || !isMeant(act.by) || outcome.type === "lost")
        return null
      const code = outcome.type === "taken" ? "taken" : outcome.code
      if (allowed.includes(code)) return null
      return `${act.command} of ${act.for ?? "nothing"} by ${act.by} was answered ${code}`
    },
  }
}
