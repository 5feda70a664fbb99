/**
 * What machines that count attempts of a call share: is a result the current attempt's, are attempts used up, when does
 * the lease end, when is the next attempt due.
 */

import { lateMs } from "../src/model/time.ts"

export interface AttemptsContext {
  readonly attemptsMax: number
  readonly backoffMs: readonly number[]
  readonly leaseMs: number
  readonly attempt: number
}

/** An attempt whose node is gone leaves again so many times; then its lease ends it, in case it is what ends the nodes. */
export interface ResendsContext {
  readonly resendsMax: number
  /** How often the current attempt has left again. */
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
  /** Counted from when the call really leaves, also behind a late timer. */
  "lease of the call": ({ context, event }: At) => context.leaseMs + lateMs(event),
  "pause before the next attempt": ({ context }: Pick<At, "context">) =>
    context.backoffMs[context.attempt - 1] ?? 0,
}

/** Why a result is ignored whose attempt is over. */
export const STALE_RESULT =
  "The result belongs to an attempt whose lease has ended, which already counts as failed."
