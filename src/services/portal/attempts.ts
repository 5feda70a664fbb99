/**
 * Attempts: how often a password, a code or a mail may be asked for, by account and by network address. An attempt is
 * counted before it is judged, so that many at once are no way round. Accounts that do not exist are counted like others.
 */

import { hash } from "node:crypto"
import { Clock, Effect } from "effect"
import ipaddr from "ipaddr.js"
import { TooManyAttempts } from "./refusals.ts"
import { AttemptCounter } from "./rows.ts"

export interface AttemptLimit {
  /** Of what, such as `sign-in/account`. */
  readonly kind: string
  /** Whose: an e-mail address or a network. Only its hash is kept. */
  readonly of: string
  readonly windowMs: number
  readonly max: number
}

/** Fails when the window has none left. */
export const takeAttempt = Effect.fnUntraced(function* ({ kind, of, windowMs, max }: AttemptLimit) {
  const counter = yield* AttemptCounter
  const nowMs = yield* Clock.currentTimeMillis
  const startsAtMs = nowMs - (nowMs % windowMs)
  const count = yield* counter.count({ bucket: bucketOf(kind, of), startsAtMs })
  if (count <= max) return
  const retryAfterSeconds = Math.max(1, Math.ceil((startsAtMs + windowMs - nowMs) / 1000))
  return yield* new TooManyAttempts({ retryAfterSeconds })
})

/** After a success: the account's owner has been there. */
export const forgetAttempts = Effect.fnUntraced(function* (kind: string, of: string) {
  const counter = yield* AttemptCounter
  yield* counter.forget(bucketOf(kind, of))
})

/** An IPv6 customer has a whole /64: its addresses count as one. What is no address counts as one, too. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return "unknown"
  const judged = ipaddr.process(address)
  if (!(judged instanceof ipaddr.IPv6)) return judged.toString()
  return judged.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(":")
}

function bucketOf(kind: string, of: string): string {
  return `${kind}/${hash("sha256", `${kind}\n${of}`, "hex").slice(0, 40)}`
}
