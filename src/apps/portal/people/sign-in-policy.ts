/**
 * Counts the passwords and codes tried for an account, at the portal and at `/ops`, so that guesses by others do not lock
 * its owner out. The browsers in which the owner has signed in share counts of their own. What an unknown browser tries
 * counts for its network and for all unknown browsers together; what a signed-in person gives counts for the session.
 * Source: OWASP, Blocking Brute Force Attacks, device cookies.
 */

import { hmacBase64Url } from "#digest"
import { Context } from "effect"
import {
  SIGN_INS_OF_STRANGERS_MAX,
  SIGN_INS_PER_ACCOUNT_MAX,
  SIGN_INS_PER_ADDRESS_MAX,
  SIGN_IN_WINDOW_MS,
} from "../../../model/values/limits.ts"
import { writeMail } from "../../../areas/messages/outbox.ts"
import { isSame } from "../../../engine/services/constant-time.ts"
import { forgetAttempts, takeAttempt } from "../../../engine/services/rate-limits/attempts.ts"
import { networkOf } from "../../../engine/services/rate-limits/network.ts"
import { Routine } from "../../../engine/services/routine.ts"
import { failedCodesText } from "../texts.ts"

export class DeviceKey extends Context.Tag("DeviceKey")<DeviceKey, { readonly key: string }>() {}

/** Where people sign in. No count and no device token of one door is good at the other. */
export interface Door {
  /** Begins the names of its counts. */
  readonly counts: string
  /** Begins the text that a device token signs. */
  readonly device: string
  /** What a person does whose password another knows. */
  readonly remedy: string
}

/** An account as the policy knows it. */
export interface Holder {
  readonly accountId: string
  readonly email: string
  /** Null until a password is chosen. */
  readonly passwordHash: string | null
}

/** From where something is tried. */
export interface From {
  /** The network address of the connection. */
  readonly address: string
  /** The device token in the browser, if any. */
  readonly device: string | null
}

/** What a signed-in person gives again. */
export type OwnProof = "code" | "password"

export function signInPolicy(door: Door) {
  const take = (name: string, of: string, max: number = SIGN_INS_PER_ACCOUNT_MAX) =>
    takeAttempt({ kind: `${door.counts}/${name}`, of, windowMs: SIGN_IN_WINDOW_MS, max })
  const forget = (name: string, of: string) => forgetAttempts(`${door.counts}/${name}`, of)

  const { deviceTokenOf, isOwnDevice } = devicesOf(door)

  /** Counts passwords, codes and links tried from one network. */
  const takeNetwork = ({ address }: Pick<From, "address">) =>
    take("address", networkOf(address), SIGN_INS_PER_ADDRESS_MAX)

  /** Counts one step of a sign-in. True in a browser of the owner, which the strangers of its network do not limit. */
  const takeStep = Routine.fn(function* (account: Holder | null, from: From) {
    if (account !== null && (yield* isOwnDevice(account, from))) {
      yield* take("own-device-steps", account.email, SIGN_INS_PER_ADDRESS_MAX)
      return true
    }
    yield* takeNetwork(from)
    return false
  })

  /** Counts one password before it is compared. Addresses without an account are counted in the same way. */
  const takePassword = Routine.fn(function* (email: string, account: Holder | null, from: From) {
    if (yield* takeStep(account, from)) {
      yield* take("own-device", email)
      return
    }
    yield* take("account-from-network", fromNetwork(email, from))
    yield* take("account-strangers", email, SIGN_INS_OF_STRANGERS_MAX)
  })

  /** Resets the counts after a success, except that of all unknown browsers together. */
  const forgetPasswords = Routine.fn(function* (email: string, from: Pick<From, "address">) {
    yield* forget("own-device", email)
    yield* forget("account-from-network", fromNetwork(email, from))
  })

  /** Counts one code behind a right password. The last one of its window warns the owner if it is wrong. */
  const takeCode = Routine.fn(function* (account: Holder, from: From) {
    const name = (yield* takeStep(account, from)) ? "own-device-codes" : "codes"
    const { left } = yield* take(name, account.accountId)
    return { isLast: left === 0, forget: forget(name, account.accountId) }
  })

  /** Inside the transaction that commits the wrong code. */
  const warn = (
    { email, organizationId }: { readonly email: string; readonly organizationId: string | null },
    nonce: string,
  ) => writeMail({ ...failedCodesText(door.remedy), to: email, organizationId }, nonce)

  return {
    takeNetwork,
    takeStep,
    takePassword,
    forgetPasswords,
    takeCode,
    warn,
    deviceTokenOf,
    isOwnDevice,
    /** Counts what a signed-in person gives again. A stranger has no session, so cannot use this limit up. */
    takeOwn: (proof: OwnProof, sessionId: string) => take(`own-${proof}`, sessionId),
    forgetOwn: (proof: OwnProof, sessionId: string) => forget(`own-${proof}`, sessionId),
  }
}

function devicesOf(door: Door) {
  /**
   * The token of browsers that have signed in: 43 characters, the same for all browsers of an account. It proves no
   * identity. A new password changes it.
   */
  const deviceTokenOf = Routine.fn(function* (account: Omit<Holder, "email">) {
    const { key } = yield* DeviceKey
    return hmacBase64Url(key, `${door.device} ${account.accountId}\n${account.passwordHash ?? ""}`)
  })

  const isOwnDevice = Routine.fn(function* (account: Holder | null, { device }: From) {
    if (device === null || account === null || account.passwordHash === null) return false
    return isSame(yield* deviceTokenOf(account), device)
  })

  return { deviceTokenOf, isOwnDevice }
}

function fromNetwork(email: string, { address }: Pick<From, "address">): string {
  return `${email}\n${networkOf(address)}`
}

export const portalPolicy = signInPolicy({
  counts: "sign-in",
  device: "device",
  remedy: "ask for a new password at once: POST /portal/api/password/forgotten.",
})
