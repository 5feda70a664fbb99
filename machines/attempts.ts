/**
 * Guards, actions and delays shared by the machines that count attempts of a call: whether a result belongs to the
 * current attempt, whether the attempts are used up, when the lease ends, and when the next attempt is due.
 */

import { lateMs } from "../src/model/values/time.ts"

export interface AttemptsContext {
  readonly attemptsMax: number
  readonly backoffMs: readonly number[]
  readonly leaseMs: number
  readonly attempt: number
}

/**
 * If the node that made the call stops, the same attempt is sent again, but only this many times. After that the
 * attempt's lease ends it, because the call itself may be what stops the nodes.
 */
export interface ResendsContext {
  readonly resendsMax: number
  /** How many times the current attempt was sent again. */
  readonly resends: number
}

interface At {
  readonly context: AttemptsContext
  readonly event: { readonly type: string; readonly attempt?: number }
}

export const attemptGuards = {
  "it answers the current attempt": ({ context, event }: At) => event.attempt === context.attempt,
  "it fails the last attempt": ({ context, event }: At) =>
    event.attempt === context.attempt && context.attempt >= context.attemptsMax,
  "attempts are used up": ({ context }: Pick<At, "context">) => context.attempt >= context.attemptsMax,
}

export const resendGuards = {
  "the current attempt may leave again": ({ context, event }: At & { readonly context: ResendsContext }) =>
    event.attempt === context.attempt && context.resends < context.resendsMax,
}

export const attemptDelays = {
  /** The lease begins when the call is really sent, also when the timer fired late. */
  "lease of the call": ({ context, event }: At) => context.leaseMs + lateMs(event),
  "pause before the next attempt": ({ context }: Pick<At, "context">) =>
    context.backoffMs[context.attempt - 1] ?? 0,
}

/** The reason in `ignores` for a result of an attempt that is over. */
export const STALE_RESULT =
  "The result belongs to an attempt whose lease has ended, which already counts as failed."
