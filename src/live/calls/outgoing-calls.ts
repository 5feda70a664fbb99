/**
 * Calls of one node. They start after the commit that requested them, each when its receiver has a free slot, as promises: fibers
 * would cost more than the calls. Their results come back in batches; each result is a turn of its own.
 */

import { Cause, Effect } from "effect"
import type { Scope } from "effect"
import type { Address } from "../../model/address.ts"
import type { CallDeferred, CallResult } from "../../model/call-result.ts"
import { isOutage } from "../../model/outage.ts"
import { EngineFault, faultOf } from "../../engine/kernel/faults.ts"
import type { Call } from "../../engine/kernel/turn.ts"
import type { Areas, Performer, ReadyCall, Receiver } from "../../engine/services/host.ts"
import { failed } from "../../engine/services/outbound/call-results.ts"
import { elapsedMsBy } from "../../engine/services/elapsed-time.ts"
import { answeringHere, answerTo } from "../../engine/services/answering.ts"
import type { Answering } from "../../engine/services/answering.ts"
import { Routine } from "../../engine/services/routine.ts"
import { realClockOf } from "../../engine/services/organization-clock.ts"
import { repeatedFailures } from "../../engine/services/repeated-failures.ts"
import { noteOnSpan, traced } from "../../engine/services/tracing.ts"
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
import { Deadlines } from "../concurrency/deadlines.ts"
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
  return Effect.acquireRelease(
    Effect.map(answeringHere, (at) => new OutgoingCalls(options, at)),
    (calls) => calls.end,
  )
}

/** Calls that their transaction has prepared. */
export type ReadyCalls = ReadonlyMap<Call, ReadyCall>

const NONE_READY: ReadyCalls = new Map()

interface Beginning {
  /** False for calls that wait in memory even if their endpoint's breaker is open. */
  readonly mayDefer: boolean
  readonly ready: ReadyCalls
}

/** A call that has begun. */
interface Begun {
  readonly call: Call
  readonly abort: AbortController
  /** From its answer on it is not interrupted: a result that is not taken would make another attempt. */
  isAnswered: boolean
}

/** A call that needs a slot. */
interface InTurn {
  readonly begun: Begun
  readonly performer: Performer
  readonly ready: ReadyCall | null
  readonly receiver: Receiver
}

export class OutgoingCalls {
  readonly #options: OutgoingCallsOptions
  readonly #begun = new Set<Begun>()
  /** Called when no call is left. */
  #onEmpty: (() => void)[] = []
  readonly #slots: CallSlots
  readonly #deadlines: Deadlines
  readonly #results: Batches<CallEnd>
  /** Endpoints of released deferred calls that have not requested a slot yet, by actor. */
  readonly #expected = new Map<Address, { readonly endpoint: string; hasBegun: boolean }>()
  readonly #whileAway = repeatedFailures("the making of outbound calls")
  /** True from a result that met an outage until one was taken. */
  #isAway = false
  #performers: Areas["Type"]["performers"] = []
  /** No call begins then: it would be sent, and sent again after the stop or the crash. */
  #ending: "crash" | "stop" | null = null

  constructor(options: OutgoingCallsOptions, at: Answering) {
    this.#options = options
    this.#deadlines = new Deadlines(at)
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
        company: () => companyFor(options.resultsWaitMs ?? RESULTS_WAIT_MS),
      },
      // Outside the traces of its calls: a batch contains calls of several.
      async (ends) => answerTo(options.takeResults(ends), at),
    )
  }

  /** Attaches the performers of calls. */
  attach(performers: Areas["Type"]["performers"]): void {
    this.#performers = performers
  }

  /** How many more calls may begin. Calls that wait for a receiver at its limit do not count: too many of them are deferred. */
  get free(): number {
    return Math.max(0, CALLS_AT_ONCE_MAX - (this.#begun.size - this.#slots.heldUp))
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
    return Effect.flatMap(answeringHere, ({ clock }) =>
      Effect.forEach(this.#slots.forgetIdle(elapsedMsBy(clock)), (change) => this.#tellBreaker(change), {
        discard: true,
      }),
    )
  }

  /** Calls in flight, or waiting for a slot. */
  get inFlight(): number {
    return this.#begun.size
  }

  /**
   * The end of the service: waits for calls in flight, up to a bound. The rest is interrupted: another node sends it again, as the
   * next attempt of its actor or under the same ids, or the next start does. Of a call that was answered the result is taken. No
   * call begins after it.
   */
  get drain(): Effect.Effect<void> {
    return Effect.interruptible(this.#none).pipe(
      Effect.timeoutOption(DRAIN_MS_MAX),
      Effect.zipRight(this.end),
    )
  }

  /** Interrupts calls in flight, and waits for those that were answered. No call begins after it. */
  get end(): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.#ending = "stop"
      this.#interruptAll()
      return this.#none
    })
  }

  /**
   * Interrupts every call, as a crash would: results that no transaction has yet begun to take are lost. Lease timers stay. Returns
   * how many results were lost.
   */
  get drop(): Effect.Effect<number> {
    return Effect.suspend(() => {
      const before = this.#ending
      this.#ending = "crash"
      const forgotten = this.#results.forget()
      this.#interruptAll()
      return this.#none.pipe(
        Effect.ensuring(Effect.sync(() => void (this.#ending = before))),
        Effect.as(forgotten),
      )
    })
  }

  get #none(): Effect.Effect<void> {
    return Effect.async((resume) => {
      if (this.#begun.size === 0) return resume(Effect.void)
      this.#onEmpty.push(() => resume(Effect.void))
    })
  }

  /** Does not wait for what cannot be interrupted. A call whose turn comes by it does not begin: it is interrupted too. */
  #interruptAll(): void {
    const interrupted = [...this.#begun].filter(({ isAnswered }) => !isAnswered)
    for (const { abort } of interrupted) abort.abort()
    for (const begun of interrupted) this.#ended(begun)
  }

  #ended(begun: Begun): void {
    if (!this.#begun.delete(begun)) return
    this.#expected.delete(begun.call.actor)
    if (this.#begun.size === 0) for (const tell of this.#onEmpty.splice(0)) tell()
  }

  /** Runs after the commit. The calls outlive the work that committed, and may be interrupted. */
  begin(calls: readonly Call[], ready: ReadyCalls = NONE_READY): Routine<void> {
    return this.#begin(calls, { mayDefer: true, ready })
  }

  /** The same for calls that cannot be deferred: they wait in memory even if their endpoint's breaker is open. */
  beginUnqueued(calls: readonly Call[]): Routine<void> {
    return this.#begin(calls, { mayDefer: false, ready: NONE_READY })
  }

  #begin(calls: readonly Call[], how: Beginning): Routine<void> {
    if (calls.length === 0) return Routine.void
    const beginAll = (at: Answering): void => {
      if (this.#ending !== null) return
      // Calls are made in real time, also those of an organization whose clock was moved.
      const inRealTime = { ...at, clock: realClockOf(at.clock), signal: undefined }
      for (const call of calls) void this.#beginOne(call, how, inRealTime)
    }
    return Routine.answeredBy(beginAll)
  }

  async #beginOne(call: Call, how: Beginning, at: Answering): Promise<void> {
    const begun: Begun = { call, abort: new AbortController(), isAnswered: false }
    this.#begun.add(begun)
    const expected = this.#expected.get(call.actor)
    if (expected !== undefined) expected.hasBegun = true
    // What has committed goes on first.
    await Promise.resolve()
    try {
      await this.#make(begun, how, at)
      if (this.#isAway) await this.#tellOutage(Effect.void, at)
    } catch (thrown) {
      await this.#failed(thrown, at)
    } finally {
      this.#ended(begun)
    }
  }

  async #failed(thrown: unknown, at: Answering): Promise<void> {
    if (thrown instanceof Cause.InterruptedException) return
    // No fault of the program: the lease ends the attempt, and the next one follows.
    if (isOutage(thrown)) return this.#tellOutage(Effect.die(thrown), at)
    await answerTo(this.#options.onFault(faultOf(Cause.die(thrown))), at)
  }

  async #tellOutage(round: Effect.Effect<void>, at: Answering): Promise<void> {
    this.#isAway = round !== Effect.void
    await answerTo(this.#whileAway(round, undefined), at)
  }

  #tellBreaker(change: BreakerChange): Effect.Effect<void> {
    this.#options.observer.onBreaker(change)
    const said = change.isOpen
      ? Effect.logWarning("the circuit breaker of a webhook endpoint opened: it gets one webhook at a time")
      : Effect.logInfo("the circuit breaker of a webhook endpoint closed")
    return Effect.annotateLogs(said, { endpoint: change.endpoint, open_breakers: change.openBreakers })
  }

  async #make(begun: Begun, { mayDefer, ready: prepared }: Beginning, at: Answering): Promise<void> {
    const { observer } = this.#options
    const { call } = begun
    const performer = this.#performers.find((one) => one.call === call.call)
    if (performer === undefined)
      throw new EngineFault({ reason: "a call is unknown", at: call.actor, found: call.call })
    const ready =
      prepared.get(call) ??
      (performer.turn === undefined
        ? null
        : await answerTo(performer.turn.prepare(call), { ...at, signal: begun.abort.signal }))
    requireWanted(begun)
    const receiver = receiverOf(call, ready, mayDefer)
    await this.#arrive(call, ready, at)
    const attributes = () => ({ "curbline.attempt": call.attempt })
    const attempt = Routine.tap(this.#perform({ begun, performer, ready, receiver }), (ended) =>
      noteOnSpan(() => ({ "curbline.outcome": ended?.type ?? "not sent" })),
    )
    const performed = await answerTo(traced({ name: `call ${call.call}`, attributes }, attempt), at)
    const { endpoint, hasBreaker } = receiver
    requireWanted(begun)
    begun.isAnswered = true
    if (performed === null && hasBreaker) {
      observer.onDeferred()
      const result = { type: "call.deferred", attempt: call.attempt } as const
      return this.#add({ call, result, endpoint })
    }
    const result = performed ?? failed(call.attempt, "receiver_busy")
    observer.onCall(call.call, result)
    // If the result cannot be taken, the lease timer ends the attempt.
    await this.#add({ call, result })
  }

  async #add(end: CallEnd): Promise<void> {
    if (this.#ending === "crash") throw new Cause.InterruptedException()
    await this.#results.add(end)
  }

  /**
   * Frees the reserved room of a released call. A call without a receiver means that its endpoint was disabled: the
   * endpoint's breaker is removed, so that all its waiting calls are released soon, and discarded.
   */
  async #arrive({ actor }: Call, ready: ReadyCall | null, at: Answering): Promise<void> {
    const expected = this.#expected.get(actor)
    this.#expected.delete(actor)
    if (expected === undefined || ready === null || ready.receiver !== null) return
    const change = this.#slots.forget(expected.endpoint)
    this.#options.onRoom(expected.endpoint)
    if (change !== null) await answerTo(this.#tellBreaker(change), at)
  }

  /**
   * Runs the call when it has its slot, and records its end for the endpoint's breaker. Null when it could not be sent.
   */
  #perform({ begun, performer, ready, receiver }: InTurn): Routine<CallResult | null> {
    const { call, abort } = begun
    const { endpoint, hasBreaker } = receiver
    const now = async (at: Answering, leaseEndsAtMs: number, hasWaited: boolean): Promise<CallResult> => {
      const beganMs = elapsedMsBy(at.clock)
      const made = ready === null || hasWaited ? performer.perform(call) : ready.perform
      const late = lateOf(call, ready)
      const interruptible = { ...at, signal: abort.signal }
      const result = await this.#within(made, { late, ms: leaseEndsAtMs - beganMs }, interruptible)
      requireWanted(begun)
      begun.isAnswered = true
      if (hasBreaker && result.type !== "call.discarded" && result.type !== "call.lost") {
        // Recorded before the slot is free, so that no other call takes it after the failure that opens the breaker.
        const atMs = elapsedMsBy(at.clock)
        const hasFailed = result.type === "call.failed"
        const change = this.#slots.ended({ endpoint, hasFailed, tookMs: atMs - beganMs, atMs })
        if (change !== null) await answerTo(this.#tellBreaker(change), at)
      }
      // Ends what a late call still does.
      if (result === late) abort.abort()
      return result
    }
    const perform = async (at: Answering): Promise<CallResult | null> => {
      const leaseEndsAtMs = elapsedMsBy(at.clock) + performer.leaseMs
      let hasWaited = false
      const onWait = (): void => void (hasWaited = true)
      const request = { ...receiver, waitMsMax: performer.turn?.waitMsMax ?? 0, onWait }
      const wait = { deadlines: this.#deadlines, signal: abort.signal }
      const result = await this.#slots.run(request, () => now(at, leaseEndsAtMs, hasWaited), wait)
      if (result !== null && hasBreaker) this.#options.onRoom(endpoint)
      return result
    }
    return Routine.answeredBy(perform)
  }

  /**
   * A call that outlasts its lease has failed, so that it frees its slot, also one that cannot be interrupted.
   */
  #within(
    made: Effect.Effect<CallResult>,
    { late, ms }: { readonly late: CallResult; readonly ms: number },
    at: Answering,
  ): Promise<CallResult> {
    return new Promise((resolve, reject) => {
      const wake = this.#deadlines.wakingAfter(ms, () => resolve(late))
      const ends = async (): Promise<CallResult> => answerTo(made, at)
      void ends().then(resolve, reject).finally(wake)
    })
  }
}

/** Ends a call that was interrupted before its answer. */
function requireWanted({ abort, isAnswered }: Begun): void {
  if (abort.signal.aborted && !isAnswered) throw new Cause.InterruptedException()
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
function companyFor(waitMs: number): Promise<void> {
  return new Promise((resolve) => {
    if (waitMs === 0) setImmediate(resolve)
    else setTimeout(resolve, waitMs)
  })
}
