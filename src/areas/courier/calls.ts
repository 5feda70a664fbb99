/**
 * Calls: one tool call under its idempotency key. A stored answer is replayed, a refusal is never stored, and a retry
 * waits for a call in flight. All changing calls of one user run one at a time, under a lock. Source: courier connector
 * contract, idempotency; choice 2.10.
 */

import { hmacHex } from "#digest"
import { Effect, Struct } from "effect"
import { canonicalJson } from "../../model/values/canonical-json.ts"
import type { CourierEnvelope, CourierTool } from "../../model/courier.ts"
import type { JsonObject } from "../../model/values/json.ts"
import {
  COURIER_ANSWERS_KEPT_MS,
  COURIER_CLAIM_LEASE_MS,
  COURIER_LOOK_ELSEWHERE_MS,
  COURIER_LOOK_MS,
  COURIER_WAIT_MS_MAX,
} from "../../model/values/limits.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { RateCounter } from "../../http/access/rate-limits.ts"
import { ActorHost, Transaction, batch } from "../../engine/services/host.ts"
import { DigestKey } from "../../engine/services/digest-key.ts"
import { realNowMs } from "../../engine/services/organization-clock.ts"
import { Routine } from "../../engine/services/routine.ts"
import { refusal, withFreshLink } from "./envelopes.ts"
import type { EnvelopeContext } from "./envelopes.ts"
import { errandGroup, isAsking } from "./errand.ts"
import { ErrandMemory } from "./errand-memory.ts"
import { addCall, countCall, fullFor } from "./tool-limits.ts"
import { CourierClaims } from "./rows.ts"
import type { CourierClaim } from "./rows.ts"
import { CourierSettings } from "./settings.ts"

export interface ToolCall {
  readonly userId: string
  readonly tool: CourierTool
  /** Decoded arguments, including the key. */
  readonly args: { readonly idempotency_key: string }
  /** Null for a check, which creates a delivery. */
  readonly deliveryId: string | null
}

/** The result of a call's body. */
export type Step =
  | { readonly type: "answer"; readonly envelope: CourierEnvelope }
  /** A request to the processor is in flight; `envelope` has what can be answered already. */
  | { readonly type: "awaits"; readonly envelope: CourierEnvelope | null }
  /** The data on which the locks depend has changed. */
  | { readonly type: "again" }
  /**
   * A request about this errand, the call's own or another of the user, is in flight at the processor, and the call
   * must wait for it; `hasAsked`: this call has started it.
   */
  | { readonly type: "busy"; readonly deliveryId: string; readonly hasAsked?: true }

export interface AttemptLocks<R> {
  readonly pool?: string
  readonly groups: readonly string[]
  /** Prefetches for the body, sent in the round trip of the locks. */
  readonly ahead?: Routine<unknown, never, R>
}

export interface Attempt<R> {
  /** Read again before each attempt. */
  readonly locks: Routine<AttemptLocks<R>, never, R>
  /**
   * Locks for the first attempt that need no read, if they are known: then nothing is read before the transaction, which finds a
   * used key, a full limit or a missing lock itself.
   */
  readonly knownLocks?: AttemptLocks<R>
  /**
   * `earlier`: the result that the last attempt of this call has committed. A body must not keep state: it may run more
   * than once for a commit.
   */
  readonly body: (earlier: Step | null) => Routine<Step, never, R | Transaction>
  /** The answer when the processor has declined. */
  readonly declined: Routine<CourierEnvelope, never, R>
}

export type CallNeeds = ActorHost | CourierClaims | CourierSettings | DigestKey | ErrandMemory | RateCounter

/** The answer of a call: replayed, waited for, or made now. */
export function runCall<R>(
  call: ToolCall,
  attempt: Attempt<R>,
): Effect.Effect<CourierEnvelope, never, CallNeeds | Exclude<R, Transaction>> {
  return Effect.gen(function* () {
    const host = yield* ActorHost
    const digest = yield* digestOf(call)
    const untilMs = (yield* realNowMs) + COURIER_WAIT_MS_MAX
    const answering = (nextLook: Effect.Effect<void>) =>
      Effect.gen(function* () {
        const keyed = { call, digest, untilMs, nextLook }
        if (attempt.knownLocks !== undefined) return yield* make(keyed, attempt, attempt.knownLocks)
        // A call over its limit does not wait for the locks. One that passes here is checked again under them.
        const [known, locks, fullSeconds] = yield* batch([
          earlierAnswer(keyed),
          attempt.locks,
          fullFor(call.userId, call.tool),
        ])
        return known ?? refusedAt(call, fullSeconds) ?? (yield* make(keyed, attempt, locks))
      })
    if (call.deliveryId === null) return yield* answering(Effect.sleep(COURIER_LOOK_MS))
    return yield* host.watching(errandGroup(call.deliveryId), (nextTurn) => answering(orElsewhere(nextTurn)))
  }) as Effect.Effect<CourierEnvelope, never, CallNeeds | Exclude<R, Transaction>>
}

/** Completes at the next turn of an errand, or when another node may have committed one. */
function orElsewhere(nextTurn: Effect.Effect<void>): Effect.Effect<void> {
  return Effect.race(nextTurn, Effect.sleep(COURIER_LOOK_ELSEWHERE_MS))
}

/**
 * For a call with look-ups before its transaction: claims the key first, so that a retry waits instead of repeating the
 * look-ups.
 */
export function claimed<R>(
  call: ToolCall,
  looking: Effect.Effect<CourierEnvelope, never, R>,
): Effect.Effect<CourierEnvelope, never, CallNeeds | R> {
  return Effect.gen(function* () {
    const claims = yield* CourierClaims
    const host = yield* ActorHost
    const { userId, args } = call
    const key = args.idempotency_key
    const digest = yield* digestOf(call)
    const untilMs = (yield* realNowMs) + COURIER_WAIT_MS_MAX
    const keyed = { call, digest, untilMs, nextLook: Effect.sleep(COURIER_LOOK_MS) }
    const known = yield* earlierAnswer(keyed)
    if (known !== null) return known
    const limited = yield* overLimit(call)
    if (limited !== null) return limited
    const isOurs = yield* host.run({
      name: "claim a key",
      locks: { key: userLock(userId) },
      body: Routine.fn(function* () {
        const nowMs = yield* realNowMs
        const found = yield* claims.find(userId, key)
        if (found !== null && isKept(found, nowMs)) return false
        yield* claims.put(claimOf(call, { digest, nowMs, answer: null, isDone: false }))
        return true
      }),
    })
    if (!isOurs) return (yield* earlierAnswer(keyed)) ?? inFlight(call)
    const drop = host.run({
      name: "release a key",
      locks: { key: userLock(userId) },
      body: () => claims.remove(userId, key),
    })
    const answer = yield* Effect.onError(looking, () => drop)
    if (answer.error !== undefined) yield* drop
    return answer
  })
}

/** True when the key of a call has an answer or is in flight: then the call needs no look-up of its own. */
export const isKeyUsed = Routine.fn(function* ({ userId, args }: ToolCall) {
  const claims = yield* CourierClaims
  const found = yield* claims.find(userId, args.idempotency_key)
  return found !== null && isKept(found, yield* realNowMs)
})

/** Stores the answer of a claimed call, in the transaction that made it. */
export const keepAnswer = Routine.fn(function* (call: ToolCall, answer: CourierEnvelope, deliveryId: string) {
  const claims = yield* CourierClaims
  const nowMs = yield* realNowMs
  const digest = yield* digestOf(call)
  yield* claims.put({ ...claimOf(call, { digest, nowMs, answer, isDone: true }), deliveryId })
})

/** The lock of every changing command of a user. */
export function userLock(userId: string): string {
  return `courier/${userId}`
}

/** The settings, the time and a new nonce. */
export const envelopeContext: Routine<EnvelopeContext, never, ActorHost | CourierSettings> = Routine.gen(
  function* () {
    const host = yield* ActorHost
    return {
      settings: yield* CourierSettings,
      nowMs: yield* realNowMs,
      nonce: yield* host.nonce,
    }
  },
)

interface Keyed {
  readonly call: ToolCall
  readonly digest: string
  /** In real time: a clock of the sandbox may stand still. */
  readonly untilMs: EpochMs
  /** Completes when the call should poll again. */
  readonly nextLook: Effect.Effect<void>
}

/**
 * The stored answer, or a refusal because the key is in use or belongs to another request. Null when the key was not
 * used.
 */
const earlierAnswer = Effect.fnUntraced(function* ({ call, digest, untilMs, nextLook }: Keyed) {
  const claims = yield* CourierClaims
  for (;;) {
    const nowMs = yield* realNowMs
    const found = yield* claims.find(call.userId, call.args.idempotency_key)
    if (found === null || !isKept(found, nowMs)) return null
    if (found.digest !== digest) {
      return refusal({
        code: "idempotency_conflict",
        message: "this idempotency_key was used with other arguments or for another tool",
        ...aboutOf(call),
      })
    }
    if (found.isDone && found.answer !== null) return withFreshLink(found.answer, yield* envelopeContext)
    if ((yield* realNowMs) >= untilMs) return inFlight(call)
    yield* nextLook
  }
})

/** The details of a refusal before the errand was read. */
function aboutOf({ deliveryId }: Pick<ToolCall, "deliveryId">) {
  return deliveryId === null ? {} : { deliveryId }
}

function inFlight(call: ToolCall): CourierEnvelope {
  return waitsFor(call, "a call with this idempotency_key is still in flight")
}

function waitsFor(call: ToolCall, what: string): CourierEnvelope {
  const message = `${what}; send it again with the same key`
  return refusal({ code: "internal_error", message, ...aboutOf(call) })
}

const overLimit = Routine.fn(function* (call: Omit<ToolCall, "args">) {
  return refusedAt(call, yield* countCall(call.userId, call.tool))
})

function refusedAt(call: Omit<ToolCall, "args">, retryAfterSeconds: number | null): CourierEnvelope | null {
  if (retryAfterSeconds === null) return null
  const { tool } = call
  const message = `too many calls of ${tool}; there is room again in ${retryAfterSeconds} seconds`
  return refusal({ code: "rate_limited", message, retryAfterSeconds, ...aboutOf(call) })
}

/** The same limit for the tool that has no key. */
export const refusedByLimit = overLimit

/** Retries while the processor is asked about an errand of the call, then makes the answer and stores it. */
function make<R>(keyed: Keyed, attempt: Attempt<R>, firstLocks: AttemptLocks<R>) {
  const { userId, args } = keyed.call
  return Effect.flatMap(ErrandMemory, (memory) =>
    memory.waiting({ userId, key: args.idempotency_key }, (answered) =>
      attempts(keyed, attempt, { firstLocks, answered }),
    ),
  )
}

interface First<R> extends Pick<Awaited<R>, "answered"> {
  readonly firstLocks: AttemptLocks<R>
}

function attempts<R>(
  keyed: Keyed,
  { locks, body, declined }: Attempt<R>,
  { firstLocks, answered }: First<R>,
) {
  const { call, digest, untilMs, nextLook } = keyed
  const once = Routine.fn(function* (earlier: Step | null, fullSeconds: number | null) {
    const claims = yield* CourierClaims
    const { userId, tool, args, deliveryId } = call
    const nowMs = yield* realNowMs
    const found = yield* claims.find(userId, args.idempotency_key)
    if (found !== null && isKept(found, nowMs)) return { type: "known" } as const
    // A call counts once, with its first attempt.
    if (earlier === null) {
      const refused = refusedAt(call, fullSeconds)
      if (refused !== null) return { type: "answer", envelope: refused } as const
      yield* addCall(userId, tool)
    }
    if (deliveryId !== null && (yield* isBusy(deliveryId))) return { type: "busy", deliveryId } as const
    const step = yield* body(earlier)
    if (step.type === "again" || step.type === "busy") return step
    const claim = { digest, nowMs, answer: step.envelope, isDone: step.type === "answer" }
    if (step.envelope?.error === undefined) yield* claims.put(claimOf(call, claim))
    return step
  })
  return Effect.gen(function* () {
    const host = yield* ActorHost
    const key = userLock(call.userId)
    const queued = waitsFor(call, "another call of this user is still under way")
    const claims = yield* CourierClaims
    let earlier: Step | null = null
    for (let wanted = firstLocks; ; wanted = yield* locks) {
      const { ahead = Routine.void, ...groups } = wanted
      const reads = batch([
        fullFor(call.userId, call.tool),
        claims.find(call.userId, call.args.idempotency_key),
        ahead,
      ])
      const step: Step | { readonly type: "known" } = yield* Effect.catchAll(
        host.run({
          name: call.tool,
          locks: { key, whenKeyIsBusy: queued, ...groups },
          reads,
          body: ([fullSeconds]) => once(earlier, fullSeconds),
        }),
        (envelope) => Routine.succeed({ type: "answer", envelope } as const),
      )
      if (step.type === "answer") return step.envelope
      if (step.type === "awaits") return yield* awaited(keyed, { declined, answered })
      if (step.type === "known") return (yield* earlierAnswer(keyed)) ?? inFlight(call)
      if ((yield* realNowMs) >= untilMs) {
        return waitsFor(call, "the payment processor is still being asked about a delivery of this user")
      }
      earlier = step
      if (step.type === "busy") {
        yield* step.deliveryId === call.deliveryId ? nextLook : untilAnswered(step.deliveryId, untilMs)
      }
    }
  })
}

interface Awaited<R> extends Pick<Attempt<R>, "declined"> {
  /** The answer of a commit of this process, once there is one. */
  readonly answered: () => CourierEnvelope | null
}

/** Waits for the turn of the processor's result, which has stored the answer or freed the key. */
function awaited<R>(keyed: Keyed, { declined, answered }: Awaited<R>) {
  const { call, untilMs, nextLook } = keyed
  return Effect.gen(function* () {
    const claims = yield* CourierClaims
    for (;;) {
      const known = answered()
      if (known !== null) return withFreshLink(known, yield* envelopeContext)
      const found = yield* claims.find(call.userId, call.args.idempotency_key)
      if (found === null) return yield* declined
      if (found.isDone && found.answer !== null) return withFreshLink(found.answer, yield* envelopeContext)
      if ((yield* realNowMs) >= untilMs) return inFlight(call)
      yield* nextLook
    }
  })
}

/** Waits until the processor has answered about the errand, or until the time limit of a call. */
export const untilAnswered = Effect.fnUntraced(function* (deliveryId: string, latestMs?: EpochMs) {
  const host = yield* ActorHost
  const group = errandGroup(deliveryId)
  const untilMs = latestMs ?? (yield* realNowMs) + COURIER_WAIT_MS_MAX
  yield* host.watching(group, (nextTurn) =>
    Effect.gen(function* () {
      while ((yield* realNowMs) < untilMs && isAsking(yield* host.read(group))) yield* orElsewhere(nextTurn)
    }),
  )
})

const isBusy = Routine.fn(function* (deliveryId: string) {
  const { group } = yield* Transaction
  return isAsking(yield* group(errandGroup(deliveryId)))
})

/** True for an answer of the last 48 hours, and for a call in flight until its lease ends. */
function isKept({ isDone, atMs, leaseEndsAtMs }: CourierClaim, nowMs: EpochMs): boolean {
  return isDone ? nowMs < atMs + COURIER_ANSWERS_KEPT_MS : nowMs < leaseEndsAtMs
}

function claimOf(
  { userId, tool, args, deliveryId }: ToolCall,
  more: Pick<CourierClaim, "answer" | "digest" | "isDone"> & { readonly nowMs: EpochMs },
): CourierClaim {
  const { nowMs, ...rest } = more
  const leaseEndsAtMs = nowMs + COURIER_CLAIM_LEASE_MS
  return { userId, key: args.idempotency_key, tool, deliveryId, leaseEndsAtMs, atMs: nowMs, ...rest }
}

/** A keyed digest, because arguments contain personal data. Unknown fields are not decoded, so they do not count. */
const digestOf = Routine.fn(function* ({ tool, args }: ToolCall) {
  const { key } = yield* DigestKey
  const said = Struct.omit(args, "idempotency_key") as unknown as JsonObject
  const text = canonicalJson({ tool, args: said })
  return hmacHex(key, text)
})
