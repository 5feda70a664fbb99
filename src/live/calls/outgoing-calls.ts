/**
 * Calls of one node. They start as fibers after the commit that requested them, each when its receiver has a free slot.
 * Their results come back in batches; each result is a turn of its own.
 */

import { Cause, Effect, Fiber, FiberSet } from "effect"
import type { Scope } from "effect"
import type { Address } from "../../model/address.ts"
import type { CallDeferred, CallResult } from "../../model/call-result.ts"
import { isOutage } from "../../model/outage.ts"
import { EngineFault, faultOf } from "../../engine/kernel/faults.ts"
import type { Call } from "../../engine/kernel/turn.ts"
import type { Areas, Performer, ReadyCall, Receiver } from "../../engine/services/host.ts"
import { failed } from "../../engine/services/outbound/call-results.ts"
import { elapsedMs } from "../../engine/services/elapsed-time.ts"
import { inRealTime } from "../../engine/services/organization-clock.ts"
import { repeatedFailures } from "../../engine/services/repeated-failures.ts"
import { Routine } from "../../engine/services/routine.ts"
import { CurrentSpan, noteOnSpan, traced } from "../../engine/services/tracing.ts"
import { Batches } from "../concurrency/batches.ts"
import {
  BREAKER_FAILURES,
  BREAKER_IDLE_MS,
  CALLS_AT_ONCE_MAX,
  DRAIN_MS_MAX,
  ENDPOINT_CALLS_MAX,
  ENDPOINT_WAITING_MAX,
  ENVIRONMENT_WAITING_MAX,
  OPEN_LINE_MAX,
  OPEN_LINE_MS,
  ORGANIZATION_CALLS_MAX,
  ORGANIZATION_WAITING_MAX,
  ORGANIZATION_WAITING_MIN,
  ORIGIN_CALLS_MAX,
  RESULTS_PER_BATCH_MAX,
  RESULTS_WAIT_MS,
  RESULT_BATCHES_MAX,
  SANDBOX_CALLS_MAX,
  UNQUEUED_WAITING_MAX,
} from "../configuration/bounds.ts"
import { CallSlots } from "../concurrency/call-slots.ts"
import type { BreakerChange } from "../concurrency/call-slots.ts"
import type { LiveObserver } from "../observation/observer.ts"

/** The end of one attempt. */
export interface CallEnd {
  readonly call: Call
  readonly result: CallDeferred | CallResult
  /** The endpoint whose queue a deferred call waits in. */
  readonly endpoint?: string
}

export interface OutgoingCallsOptions {
  /** Called when a call has no performer, and when a result could not be taken for another reason than an outage. */
  readonly onFault: (fault: EngineFault) => Effect.Effect<void>
  readonly observer: LiveObserver
  /**
   * How long a result waits for others, by the host's clock; 0: only for those of the same instant. Default in
   * `bounds.ts`.
   */
  readonly resultsWaitMs?: number
  /** Takes results as turns, in one transaction. */
  readonly takeResults: (results: readonly CallEnd[]) => Effect.Effect<void>
  /** Called when an endpoint with a breaker has room for deferred calls again. */
  readonly onRoom: (endpoint: string) => void
}

/** The operations that a host uses. */
export type Calls = Pick<
  OutgoingCalls,
  | "attach"
  | "begin"
  | "beginUnqueued"
  | "drain"
  | "drop"
  | "expect"
  | "expectNoMore"
  | "forgetIdle"
  | "free"
  | "roomFor"
  | "inFlight"
>

/** Closing the scope interrupts every call in flight. */
export function makeOutgoingCalls(
  options: OutgoingCallsOptions,
): Effect.Effect<OutgoingCalls, never, Scope.Scope> {
  return Effect.map(FiberSet.make<void>(), (fibers) => new OutgoingCalls(options, fibers))
}

/** Calls that their transaction has prepared. */
export type ReadyCalls = ReadonlyMap<Call, ReadyCall>

const NONE_READY: ReadyCalls = new Map()

interface Beginning {
  /** False for calls that wait in memory even if their endpoint's breaker is open. */
  readonly mayDefer: boolean
  readonly ready: ReadyCalls
}

/** A call that needs a slot. */
interface InTurn {
  readonly call: Call
  readonly performer: Performer
  readonly ready: ReadyCall | null
  readonly receiver: Receiver
}

export class OutgoingCalls {
  readonly #options: OutgoingCallsOptions
  readonly #fibers: FiberSet.FiberSet<void>
  readonly #slots: CallSlots
  readonly #results: Batches<CallEnd>
  /** Endpoints of released deferred calls that have not requested a slot yet, by actor. */
  readonly #expected = new Map<Address, { readonly endpoint: string; hasBegun: boolean }>()
  readonly #whileAway = repeatedFailures("the making of outbound calls")
  #performers: Areas["Type"]["performers"] = []
  /** No call begins then: it would be sent, and sent again after the stop or the crash. */
  #ending: "crash" | "stop" | null = null

  constructor(options: OutgoingCallsOptions, fibers: FiberSet.FiberSet<void>) {
    this.#options = options
    this.#fibers = fibers
    this.#slots = new CallSlots({
      callsMax: CALLS_AT_ONCE_MAX,
      sandboxCallsMax: SANDBOX_CALLS_MAX,
      organizationCallsMax: ORGANIZATION_CALLS_MAX,
      originCallsMax: ORIGIN_CALLS_MAX,
      endpointCallsMax: ENDPOINT_CALLS_MAX,
      endpointWaitingMax: ENDPOINT_WAITING_MAX,
      environmentWaitingMax: ENVIRONMENT_WAITING_MAX,
      organizationWaitingMax: ORGANIZATION_WAITING_MAX,
      organizationWaitingMin: ORGANIZATION_WAITING_MIN,
      unqueuedWaitingMax: UNQUEUED_WAITING_MAX,
      breakerFailures: BREAKER_FAILURES,
      openLineMs: OPEN_LINE_MS,
      openLineMax: OPEN_LINE_MAX,
      idleMs: BREAKER_IDLE_MS,
    })
    this.#results = new Batches<CallEnd>(
      {
        atOnceMax: RESULT_BATCHES_MAX,
        sizeMax: RESULTS_PER_BATCH_MAX,
        company: companyFor(options.resultsWaitMs ?? RESULTS_WAIT_MS),
      },
      options.takeResults,
    )
  }

  /** Attaches the performers of calls. */
  attach(performers: Areas["Type"]["performers"]): void {
    this.#performers = performers
  }

  /** How many more calls may begin. Calls that wait for a receiver at its limit do not count: too many of them are deferred. */
  get free(): Effect.Effect<number> {
    return Effect.map(FiberSet.size(this.#fibers), (size) =>
      Math.max(0, CALLS_AT_ONCE_MAX - (size - this.#slots.heldUp)),
    )
  }

  /** How many deferred calls to the endpoint may be released now. */
  roomFor(endpoint: string): number {
    let expected = 0
    for (const one of this.#expected.values()) if (one.endpoint === endpoint) expected += 1
    return Math.max(0, this.#slots.roomFor(endpoint) - expected)
  }

  /** Reserves room for deferred calls that are about to be released. */
  expect(endpoint: string, actors: readonly Address[]): void {
    for (const actor of actors) this.#expected.set(actor, { endpoint, hasBegun: false })
  }

  /** Frees the room of those calls that have not begun. */
  expectNoMore(actors: readonly Address[]): void {
    for (const actor of actors)
      if (this.#expected.get(actor)?.hasBegun === false) this.#expected.delete(actor)
  }

  /** Removes breakers of endpoints without calls for a long time. */
  get forgetIdle(): Effect.Effect<void> {
    return Effect.flatMap(elapsedMs, (nowMs) =>
      Effect.forEach(this.#slots.forgetIdle(nowMs), (change) => this.#tellBreaker(change), { discard: true }),
    )
  }

  /** Calls in flight, or waiting for a slot. */
  get inFlight(): Effect.Effect<number> {
    return FiberSet.size(this.#fibers)
  }

  /**
   * The end of the service: waits for calls in flight, up to a bound. The rest is interrupted: another node sends it again, as the
   * next attempt of its actor or under the same ids, or the next start does. Of a call that was answered the result is taken. No
   * call begins after it.
   */
  get drain(): Effect.Effect<void> {
    return Effect.interruptible(FiberSet.awaitEmpty(this.#fibers)).pipe(
      Effect.timeoutOption(DRAIN_MS_MAX),
      Effect.zipRight(Effect.sync(() => void (this.#ending = "stop"))),
      Effect.zipRight(this.#interruptAll),
    )
  }

  /**
   * Interrupts every call, as a crash would: results that no transaction has yet begun to take are lost. Lease timers stay. Returns
   * how many results were lost.
   */
  get drop(): Effect.Effect<number> {
    const beginning = Effect.sync(() => {
      const before = this.#ending
      this.#ending = "crash"
      return before
    })
    const forgetting = Effect.sync(() => this.#results.forget())
    return Effect.acquireUseRelease(
      beginning,
      () => Effect.zipLeft(forgetting, this.#interruptAll),
      (before) => Effect.sync(() => void (this.#ending = before)),
    )
  }

  /** All at once, so that none gets the slot of another. */
  get #interruptAll(): Effect.Effect<void> {
    return Effect.suspend(() => Fiber.interruptAll(this.#fibers))
  }

  /** Runs after the commit. The calls outlive the fiber that committed, and may be interrupted. */
  begin(calls: readonly Call[], ready: ReadyCalls = NONE_READY): Routine<void> {
    if (calls.length === 0) return Routine.void
    return Routine.effect(() => this.#begin(calls, { mayDefer: true, ready }))
  }

  /** The same for calls that cannot be deferred: they wait in memory even if their endpoint's breaker is open. */
  beginUnqueued(calls: readonly Call[]): Effect.Effect<void> {
    return this.#begin(calls, { mayDefer: false, ready: NONE_READY })
  }

  #begin(calls: readonly Call[], how: Beginning): Effect.Effect<void> {
    const beginOne = (call: Call) => {
      const expected = this.#expected.get(call.actor)
      if (expected !== undefined) expected.hasBegun = true
      // Calls are made in real time, also those of an organization whose clock was moved.
      return FiberSet.run(this.#fibers, Effect.interruptible(inRealTime(this.#make(call, how))))
    }
    return Effect.suspend(() =>
      this.#ending === null ? Effect.forEach(calls, beginOne, { discard: true }) : Effect.void,
    )
  }

  #tellBreaker(change: BreakerChange): Effect.Effect<void> {
    this.#options.observer.onBreaker(change)
    const said = change.isOpen
      ? Effect.logWarning("the circuit breaker of a webhook endpoint opened: it gets one webhook at a time")
      : Effect.logInfo("the circuit breaker of a webhook endpoint closed")
    return Effect.annotateLogs(said, { endpoint: change.endpoint, open_breakers: change.openBreakers })
  }

  #make(call: Call, { mayDefer, ready: prepared }: Beginning): Effect.Effect<void> {
    const { onFault, observer } = this.#options
    const performer = this.#performers.find((one) => one.call === call.call)
    if (performer === undefined) {
      return onFault(new EngineFault({ reason: "a call is unknown", at: call.actor, found: call.call }))
    }
    // From its answer on a call cannot be interrupted: a result that is not taken would make another attempt.
    const making = Effect.uninterruptibleMask((restore) =>
      Effect.gen(this, function* () {
        const ready =
          prepared.get(call) ?? (yield* restore(performer.turn?.prepare(call) ?? Effect.succeed(null)))
        const receiver = receiverOf(call, ready, mayDefer)
        yield* this.#arrive(call, ready)
        const attributes = () => ({ "curbline.attempt": call.attempt })
        const attempt = Effect.tap(this.#perform({ call, performer, ready, receiver }), (ended) =>
          noteOnSpan(() => ({ "curbline.outcome": ended?.type ?? "not sent" })),
        )
        const performed = yield* restore(traced({ name: `call ${call.call}`, attributes }, attempt))
        const { endpoint, hasBreaker } = receiver
        if (performed === null && hasBreaker) {
          observer.onDeferred()
          const result = { type: "call.deferred", attempt: call.attempt } as const
          return yield* this.#add({ call, result, endpoint })
        }
        const result = performed ?? failed(call.attempt, "receiver_busy")
        observer.onCall(call.call, result)
        // If the result cannot be taken, the lease timer ends the attempt.
        yield* this.#add({ call, result })
      }),
    )
    return making.pipe(
      Effect.ensuring(Effect.sync(() => this.#expected.delete(call.actor))),
      Effect.catchAllCause((cause) => {
        if (Cause.isInterruptedOnly(cause)) return Effect.void
        // No fault of the program: the lease ends the attempt, and the next one follows.
        return isOutage(Cause.squash(cause)) ? Effect.failCause(cause) : onFault(faultOf(cause))
      }),
      (made) => this.#whileAway(made, undefined),
    )
  }

  /** Outside the call's trace, because its batch contains calls of other traces. */
  #add(end: CallEnd): Effect.Effect<void> {
    if (this.#ending === "crash") return Effect.interrupt
    return Effect.locally(this.#results.add(end), CurrentSpan, null)
  }

  /**
   * Frees the reserved room of a released call. A call without a receiver means that its endpoint was disabled: the
   * endpoint's breaker is removed, so that all its waiting calls are released soon, and discarded.
   */
  #arrive({ actor }: Call, ready: ReadyCall | null): Effect.Effect<void> {
    const expected = this.#expected.get(actor)
    this.#expected.delete(actor)
    if (expected === undefined || ready === null || ready.receiver !== null) return Effect.void
    const change = this.#slots.forget(expected.endpoint)
    this.#options.onRoom(expected.endpoint)
    return change === null ? Effect.void : this.#tellBreaker(change)
  }

  /**
   * Runs the call when it has its slot, and records its end for the endpoint's breaker. Null when it could not be sent.
   */
  #perform({ call, performer, ready, receiver }: InTurn): Effect.Effect<CallResult | null> {
    return Effect.gen(this, function* () {
      const leaseEndsAtMs = (yield* elapsedMs) + performer.leaseMs
      let hasWaited = ready === null
      const onWait = (): void => {
        hasWaited = true
      }
      const { endpoint, hasBreaker } = receiver
      const now = Effect.gen(this, function* () {
        const leftMs = yield* elapsedMs
        const made = ready === null || hasWaited ? performer.perform(call) : ready.perform
        const result = yield* within(made, lateOf(call, ready), leaseEndsAtMs - leftMs)
        if (hasBreaker && result.type !== "call.discarded" && result.type !== "call.lost") {
          // Recorded before the slot is free, so that no other call takes it after the failure that opens the breaker.
          const atMs = yield* elapsedMs
          const hasFailed = result.type === "call.failed"
          const change = this.#slots.ended({ endpoint, hasFailed, tookMs: atMs - leftMs, atMs })
          if (change !== null) yield* this.#tellBreaker(change)
        }
        return result
      })
      const request = { ...receiver, waitMsMax: performer.turn?.waitMsMax ?? 0, onWait }
      const result = yield* this.#slots.run(request, now)
      if (result === null || !hasBreaker) return result
      this.#options.onRoom(endpoint)
      return result
    })
  }
}

/**
 * A call that outlasts its lease is interrupted and has failed, so that it frees its slot. Disconnected, because a call
 * that cannot be interrupted would keep it.
 */
function within(
  made: Effect.Effect<CallResult>,
  late: CallResult,
  leftMs: number,
): Effect.Effect<CallResult> {
  return Effect.timeoutTo(Effect.disconnect(made), {
    duration: Math.max(0, leftMs),
    onSuccess: (result) => result,
    onTimeout: () => late,
  })
}

/** A receiver was too slow. A call without one is a payment: the processor may have done it, so it is not a refusal. */
function lateOf({ attempt }: Call, ready: ReadyCall | null): CallResult {
  return failed(attempt, (ready?.receiver ?? null) === null ? "unavailable" : "timeout")
}

/** Calls of one kind without a receiver share one line without a breaker. */
function receiverOf({ call }: Call, ready: ReadyCall | null, mayDefer: boolean): Receiver {
  const receiver = ready?.receiver ?? {
    environment: "production",
    organizationId: call,
    origin: call,
    endpoint: call,
    hasBreaker: false,
  }
  if (mayDefer || !receiver.hasBreaker) return receiver
  return { ...receiver, endpoint: `${receiver.endpoint} without a queue`, hasBreaker: false }
}

/**
 * Collects results for a batch: results arrive one at a time, and a transaction for each costs several times its share
 * of a common one. In both cases other ready work of the event loop runs first: the embedded database works only inside
 * promises, so a whole transaction would otherwise run between two answers of the same instant.
 */
function companyFor(waitMs: number): Effect.Effect<void> {
  return Effect.async((resume) => {
    const go = (): void => resume(Effect.void)
    if (waitMs === 0) setImmediate(go)
    else setTimeout(go, waitMs)
  })
}
