/**
 * Calls of one node: they leave as fibers after the commit that asked for them, each when a slot is free for its
 * receiver, and their results come back in batches, each a turn of its own.
 */

import { Cause, Effect, FiberSet } from "effect"
import type { Scope } from "effect"
import type { CallResult } from "../model/verbs.ts"
import { EngineFault, faultOf } from "../kernel/faults.ts"
import type { Call } from "../kernel/turn.ts"
import type { Areas } from "../services/host.ts"
import { failed } from "../services/outbound/call-results.ts"
import { Batches } from "./batches.ts"
import {
  CALLS_AT_ONCE_MAX,
  CALLS_HELD_UP_MAX,
  DRAIN_MS_MAX,
  RECEIVER_CALLS_MAX,
  RECEIVER_WAITING_MAX,
  RESULTS_PER_BATCH_MAX,
  RESULTS_WAIT_MS,
  RESULT_BATCHES_MAX,
} from "./bounds.ts"
import { CallSlots } from "./call-slots.ts"
import type { LiveObserver } from "./observer.ts"

/** The end of one attempt. */
export interface CallEnd {
  readonly call: Call
  readonly result: CallResult
}

export interface OutgoingCallsOptions {
  /** Told of a call that nobody performs, and of a result that could not be taken. */
  readonly onFault: (fault: EngineFault) => Effect.Effect<void>
  readonly observer: LiveObserver
  /** How long a result waits for others, by the host's own clock; 0: for those of the same instant. Absent: as in `bounds.ts`. */
  readonly resultsWaitMs?: number
  /** Takes results as turns, all in one transaction. */
  readonly takeResults: (results: readonly CallEnd[]) => Effect.Effect<void>
}

/** What a host asks of them. */
export type Calls = Pick<OutgoingCalls, "attach" | "begin" | "drain" | "drop" | "free" | "underWay">

/** Whoever closes the scope interrupts every call under way. */
export function makeOutgoingCalls(
  options: OutgoingCallsOptions,
): Effect.Effect<OutgoingCalls, never, Scope.Scope> {
  return Effect.map(FiberSet.make<void>(), (fibers) => new OutgoingCalls(options, fibers))
}

export class OutgoingCalls {
  readonly #options: OutgoingCallsOptions
  readonly #fibers: FiberSet.FiberSet<void>
  readonly #slots = new CallSlots({
    callsMax: CALLS_AT_ONCE_MAX,
    receiverCallsMax: RECEIVER_CALLS_MAX,
    receiverWaitingMax: RECEIVER_WAITING_MAX,
  })
  readonly #results: Batches<CallEnd>
  #performers: Areas["Type"]["performers"] = []

  constructor(options: OutgoingCallsOptions, fibers: FiberSet.FiberSet<void>) {
    this.#options = options
    this.#fibers = fibers
    this.#results = new Batches<CallEnd>(
      {
        atOnceMax: RESULT_BATCHES_MAX,
        sizeMax: RESULTS_PER_BATCH_MAX,
        company: companyFor(options.resultsWaitMs ?? RESULTS_WAIT_MS),
      },
      options.takeResults,
    )
  }

  /** Hands over who performs them. */
  attach(performers: Areas["Type"]["performers"]): void {
    this.#performers = performers
  }

  /** How many more may be begun. Calls that a receiver holds up take nothing from the others, unless there are very many. */
  get free(): Effect.Effect<number> {
    return Effect.map(FiberSet.size(this.#fibers), (size) => {
      const { heldUp } = this.#slots
      return heldUp >= CALLS_HELD_UP_MAX ? 0 : Math.max(0, CALLS_AT_ONCE_MAX - (size - heldUp))
    })
  }

  /** Under way, or waiting for their turn. */
  get underWay(): Effect.Effect<number> {
    return FiberSet.size(this.#fibers)
  }

  /** Waits for those under way, up to a bound; what is left is interrupted and returns through its lease timer. */
  get drain(): Effect.Effect<void> {
    return Effect.interruptible(FiberSet.awaitEmpty(this.#fibers)).pipe(
      Effect.timeoutOption(DRAIN_MS_MAX),
      Effect.zipRight(this.drop),
    )
  }

  /** Interrupts every one, as a crash would. Their lease timers stay. */
  get drop(): Effect.Effect<void> {
    return FiberSet.clear(this.#fibers)
  }

  /** After the commit. The calls outlive whoever committed, and may be interrupted. */
  begin(calls: readonly Call[]): Effect.Effect<void> {
    return Effect.forEach(
      calls,
      (call) => FiberSet.run(this.#fibers, Effect.interruptible(this.#make(call))),
      { discard: true },
    )
  }

  #make(call: Call): Effect.Effect<void> {
    const { onFault, observer } = this.#options
    const performer = this.#performers.find((one) => one.call === call.call)
    if (performer === undefined) {
      return onFault(new EngineFault({ reason: "a call is unknown", at: call.actor, found: call.call }))
    }
    return Effect.gen(this, function* () {
      const ready = yield* performer.turn?.prepare(call) ?? Effect.succeed(null)
      let hasWaited = ready === null
      const request = {
        receiver: ready?.receiver ?? call.call,
        waitMsMax: performer.turn?.waitMsMax ?? 0,
        onWait: () => {
          hasWaited = true
        },
      }
      const now = Effect.suspend(() =>
        ready === null || hasWaited ? performer.perform(call) : ready.perform,
      )
      const performed = yield* this.#slots.run(request, now)
      const result = performed ?? failed(call.attempt, "receiver_busy")
      observer.onCall(call.call, result)
      // When it cannot be taken, the lease timer ends the attempt.
      yield* this.#results.add({ call, result })
    }).pipe(
      Effect.catchAllCause((cause) =>
        Cause.isInterruptedOnly(cause) ? Effect.void : onFault(faultOf(cause)),
      ),
    )
  }
}

/**
 * Answers come one by one, and a transaction for each costs several times what its share of one costs. Either way the event loop
 * first comes to what else is ready: the embedded database works inside of promises alone, and a whole transaction would run
 * between two answers of the same instant.
 */
function companyFor(waitMs: number): Effect.Effect<void> {
  return Effect.async((resume) => {
    const go = (): void => resume(Effect.void)
    if (waitMs === 0) setImmediate(go)
    else setTimeout(go, waitMs)
  })
}
