/**
 * Requests that wait for the next entry of a list. A waiting request looks again now and then, holds no place in the
 * admission queue, and ends with what there is when its time is over or the host stops (src/DECISIONS.md §223). Its key
 * is checked again before its answer, because it may have been revoked meanwhile.
 */

import { setTimeout as after } from "node:timers/promises"
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { TurnedAway } from "../model/values/errors.ts"
import { FOLLOWERS_MAX, FOLLOW_POLL_MS, FOLLOW_SECONDS_MAX } from "../model/values/limits.ts"
import { SECOND_MS } from "../model/values/time.ts"
import { hasLeft, leave } from "./admission.ts"
import { whenDraining } from "./draining.ts"
import type { Answer, Endpoint, Query } from "./endpoint.ts"
import { callerOf } from "./gate.ts"

type WaitsWith = NonNullable<Endpoint<unknown>["waitsWith"]>

/** `ask` answers one look with its query. */
type LongPoll = (
  request: FastifyRequest,
  reply: FastifyReply,
  ask: (query: Query) => Promise<Answer>,
) => Promise<Answer>

interface LongPolls {
  readonly waitsWith: WaitsWith
  /** Rejects when the request's key is no longer admitted. */
  readonly check: (request: FastifyRequest, reply: FastifyReply) => Promise<void>
}

/** For one route of an app, whose requests have an admitted caller and whose first answer checks `wait`. */
export function longPolls(app: FastifyInstance, { waitsWith, check }: LongPolls): LongPoll {
  const waiting = new Map<string, number>()
  const ending = new AbortController()
  whenDraining(app, () => ending.abort())
  app.addHook("onClose", async () => ending.abort())
  return async (request, reply, ask) => {
    const query = request.query as Query
    const untilMs = performance.now() + Number(query["wait"] ?? 0) * SECOND_MS
    let answer = await ask(query)
    let next = waitsWith(answer, query)
    if (next === null || performance.now() >= untilMs) return answer
    const { organizationId } = callerOf(request)
    const others = waiting.get(organizationId) ?? 0
    if (others >= FOLLOWERS_MAX) {
      reply.header("Retry-After", String(FOLLOW_SECONDS_MAX))
      throw new TurnedAway({ code: "RATE_LIMITED" })
    }
    waiting.set(organizationId, others + 1)
    try {
      leave(request)
      while (next !== null && !ending.signal.aborted && !hasLeft(request)) {
        const restMs = untilMs - performance.now()
        if (restMs <= 0) break
        await after(Math.min(restMs, FOLLOW_POLL_MS))
        answer = await ask(next)
        next = waitsWith(answer, next)
      }
      await check(request, reply)
      return answer
    } finally {
      const rest = (waiting.get(organizationId) ?? 1) - 1
      if (rest === 0) waiting.delete(organizationId)
      else waiting.set(organizationId, rest)
    }
  }
}
