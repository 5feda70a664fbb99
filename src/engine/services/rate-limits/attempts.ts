/**
 * Attempts: how often a password, a code or a mail may be requested, by account and by network. An attempt is counted before it
 * is checked, so that concurrent attempts cannot exceed the limit. Accounts that do not exist are counted like others.
 */

import { sha256Hex } from "#digest"
import { Context, Data } from "effect"
import { takeOne } from "./window-counter.ts"
import type { WindowCounter } from "./window-counter.ts"
import { Routine } from "../routine.ts"

/** Counts attempts durably; counts of requests may be lost in a crash of the database. */
export class AttemptCounter extends Context.Tag("AttemptCounter")<AttemptCounter, WindowCounter>() {}

/** HTTP answers `RATE_LIMITED` with `Retry-After`. */
export class TooManyAttempts extends Data.TaggedError("TooManyAttempts")<{
  readonly retryAfterSeconds: number
}> {
  override get message(): string {
    return `too many attempts; again in ${this.retryAfterSeconds} s`
  }
}

export interface AttemptLimit {
  /** Of what, such as `sign-in/account`. */
  readonly kind: string
  /** An e-mail address, an account or a network. Only its hash is stored. */
  readonly of: string
  readonly windowMs: number
  readonly max: number
}

/** Fails when the window has none left; returns how many are left after this one. */
export const takeAttempt = Routine.fn(function* ({ kind, of, windowMs, max }: AttemptLimit) {
  const counter = yield* AttemptCounter
  const { count, isExceeded, resetSeconds } = yield* takeOne(counter, {
    bucket: bucketOf(kind, of),
    windowMs,
    max,
  })
  if (isExceeded) return yield* new TooManyAttempts({ retryAfterSeconds: resetSeconds })
  return { left: max - count }
})

/** Resets the count after a success. */
export const forgetAttempts = Routine.fn(function* (kind: string, of: string) {
  const counter = yield* AttemptCounter
  yield* counter.forget(bucketOf(kind, of))
})

function bucketOf(kind: string, of: string): string {
  return `${kind}/${sha256Hex(`${kind}\n${of}`).slice(0, 40)}`
}
