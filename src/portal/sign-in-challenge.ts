/** The challenge with which a sign-in waits for its second factor. */

import { Effect } from "effect"
import { newUuid } from "../model/ids.ts"
import { SECOND_FACTOR_MS, SECOND_FACTOR_TRIES_MAX } from "../model/limits.ts"
import type { EpochMs } from "../model/time.ts"
import { hashOfToken } from "../areas/access/opaque-tokens.ts"
import { Transaction } from "../services/host.ts"
import { PortalRows } from "./rows.ts"
import type { Account, Challenge } from "./rows.ts"
import { SecondFactorRows } from "./second-factor-rows.ts"
import type { SecondFactor } from "./second-factor-rows.ts"

/** Sent back with a code. */
export interface PendingSignIn {
  readonly challenge: string
  readonly endsAtMs: EpochMs
}

/** Inside the transaction of a sign-in: the challenge of an account with a second factor; null without one. */
export const challengeOf = Effect.fnUntraced(function* (account: Account, token: string) {
  const factor = yield* (yield* SecondFactorRows).factor(account.accountId)
  if (!isOn(factor)) return null
  const rows = yield* PortalRows
  const { nowMs } = yield* Transaction
  const { email, passwordHash } = account
  const challenge: Challenge = {
    challengeId: newUuid(hashOfToken(token), "second factor"),
    kind: "second-factor",
    tokenHash: hashOfToken(token),
    email,
    codeHash: null,
    triesLeft: SECOND_FACTOR_TRIES_MAX,
    organizationId: null,
    role: null,
    // A password that is changed meanwhile ends the challenge.
    details: { passwordHash },
    createdAtMs: nowMs,
    endsAtMs: nowMs + SECOND_FACTOR_MS,
  }
  yield* rows.insertChallenge(challenge)
  return { challenge: token, endsAtMs: challenge.endsAtMs } satisfies PendingSignIn
})

/** True once a first code was given. */
export function isOn(factor: Pick<SecondFactor, "confirmedAtMs"> | null): boolean {
  return (factor?.confirmedAtMs ?? null) !== null
}
