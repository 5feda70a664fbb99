/** The challenge with which a sign-in waits for its second factor. */

import { newUuid } from "../../../model/ids.ts"
import { SECOND_FACTOR_MS, SECOND_FACTOR_TRIES_MAX } from "../../../model/values/limits.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import { hashOfToken } from "../../../http/access/opaque-tokens.ts"
import { Transaction } from "../../../engine/services/host.ts"
import { Routine } from "../../../engine/services/routine.ts"
import { PortalRows } from "../rows.ts"
import type { Account, Challenge } from "../rows.ts"
import { SecondFactorRows } from "./second-factor-rows.ts"
import type { SecondFactor } from "./second-factor-rows.ts"

export type SecondFactorMethod = "application" | "passkey" | "recovery-code"

/** Sent back with a code or the signature of a passkey. */
export interface PendingSignIn {
  readonly challenge: string
  /** What the account has. */
  readonly methods: readonly SecondFactorMethod[]
  readonly endsAtMs: EpochMs
}

/** Inside the transaction of a sign-in: the challenge of an account with a second factor; null without one. */
export const challengeOf = Routine.fn(function* (account: Account, token: string) {
  const methods = yield* methodsOf(account.accountId)
  if (methods.length === 0) return null
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
  return { challenge: token, methods, endsAtMs: challenge.endsAtMs } satisfies PendingSignIn
})

/** Empty while the second factor is off. */
const methodsOf = Routine.fn(function* (accountId: string) {
  const rows = yield* SecondFactorRows
  const hasApplication = isOn(yield* rows.factor(accountId))
  const hasPasskey = (yield* rows.passkeys(accountId)).length > 0
  const hasCodes = (hasApplication || hasPasskey) && (yield* rows.codes(accountId)).length > 0
  const methods: readonly (readonly [SecondFactorMethod, boolean])[] = [
    ["application", hasApplication],
    ["passkey", hasPasskey],
    ["recovery-code", hasCodes],
  ]
  return methods.flatMap(([method, isThere]) => (isThere ? [method] : []))
})

/** True once a first code of the application was given. */
export function isOn(factor: Pick<SecondFactor, "confirmedAtMs"> | null): boolean {
  return (factor?.confirmedAtMs ?? null) !== null
}
