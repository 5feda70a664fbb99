/**
 * Limits of calls, by a small model that is written from the contracts alone: an organization has so many calls in a minute of the
 * clock, bot reports apart from the others. Source: reservations contract, rate limits; direct delivery contract, rate limits.
 */

import { MINUTE_MS, SECOND_MS } from "../../../model/values/time.ts"
import { numberIfGiven } from "../../scenario/language/field-values.ts"
import { hasLimits } from "../callers.ts"
import { isTurnedAway } from "../invariant.ts"
import type { Answered, SwarmCheck, SwarmInvariant, Watched } from "../invariant.ts"
import type { Move, Plan } from "../plan.ts"

/** Calls with a partner's key. */
const KEYED: readonly string[] = [
  "bot.report",
  "delivery.advance",
  "delivery.cancel",
  "delivery.create",
  "delivery.quote",
  "delivery.read",
  "delivery.requote",
  "pickup_webhook.change",
  "pickup_webhook.register",
  "pickup_webhook.remove",
  "reservation.cancel",
  "reservation.create",
  "reservation.move_window",
  "reservation.read",
  "sandbox.advance",
  "webhook.change",
  "webhook.register",
]

const USUAL = { requests: 300, reports: 3_000 } as const

export const LIMIT_INVARIANTS: readonly SwarmInvariant[] = [
  {
    sentence:
      "a call is refused for its rate exactly when its minute is used up, and says when the next begins",
    holdsFor: hasLimits,
    where: "only with limits of calls in policy",
    check: limitModel,
  },
  { sentence: "a call that was turned away has changed nothing", check: () => changedNothing() },
]

interface Expected {
  readonly isOver: boolean
  readonly retryAfterSeconds: number
}

function limitModel({ plan, run }: Watched): SwarmCheck {
  const { policy } = plan.world
  const most = {
    requests: numberIfGiven(policy, "requests_per_minute") ?? USUAL.requests,
    reports: numberIfGiven(policy, "bot_reports_per_minute") ?? USUAL.reports,
  }
  const taken = new Map<string, number>()
  const expected = new Map<Move, Expected | null>()
  return {
    onCalling: (move) => {
      const account = accountOf(plan, move)
      if (account === null) {
        expected.set(move, null)
        return null
      }
      const { caller, budget } = account
      const { nowMs } = run
      const minute = Math.floor(nowMs / MINUTE_MS)
      const name = `${caller} ${budget} ${minute}`
      const count = (taken.get(name) ?? 0) + 1
      taken.set(name, count)
      const retryAfterSeconds = Math.ceil(((minute + 1) * MINUTE_MS - nowMs) / SECOND_MS)
      expected.set(move, { isOver: count > most[budget], retryAfterSeconds })
      return null
    },
    onCalled: ({ move, outcome }) => {
      if (outcome.type === "lost" || move.act.verb !== "do") return null
      const wanted = expected.get(move) ?? null
      const isRefused = outcome.type === "refused" && outcome.code === "RATE_LIMITED"
      if (isRefused !== (wanted?.isOver ?? false))
        return `${move.act.command} was ${isRefused ? "refused for its rate" : "admitted"}, and its minute ${isRefused ? "is not" : "is"} used up`
      if (!isRefused || wanted === null) return null
      const { retryAfterSeconds } = outcome.value as { readonly retryAfterSeconds: number | null }
      return retryAfterSeconds === wanted.retryAfterSeconds
        ? null
        : `${move.act.command} may come again after ${retryAfterSeconds} s, and the minute ends in ${wanted.retryAfterSeconds} s`
    },
  }
}

/** Whose calls are counted together; null for a call that no limit counts: without a key, or with one that opens nothing. */
function accountOf(
  plan: Plan,
  { act }: Move,
): { readonly caller: string; readonly budget: "reports" | "requests" } | null {
  if (act.verb !== "do" || !KEYED.includes(act.command)) return null
  const { command, by = "own" } = act
  if (plan.world.keys?.some(({ as }) => as === by) === true) return null
  return { caller: by, budget: command === "bot.report" ? "reports" : "requests" }
}

/** Entries of the journal name the request that asked for their command. */
function changedNothing(): SwarmCheck {
  const changing = new Set<string>()
  const refused = new Map<string, string>()
  return {
    onTurn: ({ entry }) => {
      const request = entry?.requester?.request
      if (request === undefined) return null
      changing.add(request)
      const command = refused.get(request)
      return command === undefined ? null : `${command} was turned away and then changed something`
    },
    onCalled: ({ move: { act }, outcome, request }: Answered) => {
      if (act.verb !== "do" || !isTurnedAway(outcome)) return null
      refused.set(request, act.command)
      return changing.has(request) ? `${act.command} was turned away and has changed something` : null
    },
  }
}
