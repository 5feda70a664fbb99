/**
 * Counts the passwords tried for an account, so that guesses by others do not lock its owner out. The browsers in which
 * the owner has signed in share one count. A password from an unknown browser counts for its network and for all
 * unknown browsers together. Source: OWASP, Blocking Brute Force Attacks, device cookies.
 */

import { createHmac } from "node:crypto"
import { Context } from "effect"
import {
  SIGN_INS_OF_STRANGERS_MAX,
  SIGN_INS_PER_ACCOUNT_MAX,
  SIGN_IN_WINDOW_MS,
} from "../../../model/values/limits.ts"
import { networkOf } from "../../../engine/services/rate-limits/network.ts"
import { forgetAttempts, takeAttempt } from "../../../engine/services/rate-limits/attempts.ts"
import { Routine } from "../../../engine/services/routine.ts"
import type { Account } from "../rows.ts"
import { isSame } from "../../../engine/services/constant-time.ts"

export class DeviceKey extends Context.Tag("DeviceKey")<DeviceKey, { readonly key: string }>() {}

/** An attempt to give a password. */
export interface Trying {
  readonly email: string
  /** Null when the address has no account. */
  readonly account: Pick<Account, "accountId" | "passwordHash"> | null
  /** The network address of the connection. */
  readonly address: string
  /** The device token in the browser, if any. */
  readonly device: string | null
}

/**
 * The token of browsers that have signed in: 43 characters, the same for all browsers of an account. It proves no
 * identity. A new password changes it.
 */
export const deviceTokenOf = Routine.fn(function* (account: Pick<Account, "accountId" | "passwordHash">) {
  const { key } = yield* DeviceKey
  return createHmac("sha256", key)
    .update(`device ${account.accountId}\n${account.passwordHash}`)
    .digest("base64url")
})

/** Counts one password before it is compared. Addresses without an account are counted in the same way. */
export const takePassword = Routine.fn(function* (trying: Trying) {
  const windowMs = SIGN_IN_WINDOW_MS
  if (yield* isOwnDevice(trying)) {
    const own = { kind: OWN_DEVICE, of: trying.email, windowMs, max: SIGN_INS_PER_ACCOUNT_MAX }
    return yield* takeAttempt(own)
  }
  yield* takeAttempt({ kind: FROM_NETWORK, of: fromNetwork(trying), windowMs, max: SIGN_INS_PER_ACCOUNT_MAX })
  yield* takeAttempt({ kind: STRANGERS, of: trying.email, windowMs, max: SIGN_INS_OF_STRANGERS_MAX })
})

/** Resets the counts after a success, except that of all unknown browsers together. */
export const forgetPasswords = Routine.fn(function* (trying: Pick<Trying, "address" | "email">) {
  yield* forgetAttempts(OWN_DEVICE, trying.email)
  yield* forgetAttempts(FROM_NETWORK, fromNetwork(trying))
})

const OWN_DEVICE = "sign-in/own-device"
const FROM_NETWORK = "sign-in/account-from-network"
const STRANGERS = "sign-in/account-strangers"

function fromNetwork({ email, address }: Pick<Trying, "address" | "email">): string {
  return `${email}\n${networkOf(address)}`
}

const isOwnDevice = Routine.fn(function* ({ account, device }: Trying) {
  if (account === null || device === null) return false
  return isSame(yield* deviceTokenOf(account), device)
})
