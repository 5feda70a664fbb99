/**
 * Accounts of operators, as administrators and the command line manage them. A new account has no password: a link, which
 * works once, lets its holder choose one. A deactivated account has no sessions and no link.
 */

import { hashOfToken, newToken } from "../../http/access/opaque-tokens.ts"
import type { OperatorRole } from "../../model/caller.ts"
import { Refused } from "../../model/values/errors.ts"
import { newUuid } from "../../model/ids.ts"
import { OPERATOR_LINK_MS } from "../../model/values/limits.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import type { OperatorNotices } from "./notices.ts"
import { OperatorAccountRows, accountLock } from "./rows.ts"
import type { OperatorAccount } from "./rows.ts"

/** An account as operators read it. */
export type OperatorRecord = Omit<OperatorAccount, "passwordHash"> & { readonly hasPassword: boolean }

export interface NewOperator {
  readonly email: string
  readonly name: string
  readonly role: OperatorRole
  readonly siteIds: readonly string[] | null
}

export interface OperatorChange {
  readonly name?: string | undefined
  readonly role?: OperatorRole | undefined
  readonly siteIds?: readonly string[] | null | undefined
  readonly isActive?: boolean | undefined
  /** True: the second factor is off, for a holder who lost it. */
  readonly forgetsFactor?: boolean | undefined
}

/** `token` is shown once, as the fragment of a link. */
export interface LinkedOperator {
  readonly operator: OperatorRecord
  readonly token: string
}

export class OperatorAccounts extends service<OperatorAccounts>()("OperatorAccounts", () => ({
  list,
  make,
  change,
  link,
})) {}

/** Accounts are made one at a time: there must not be two of one e-mail address. */
const MAKING = "operators/accounts"

/** Oldest first, deactivated ones included. */
const list = Routine.gen(function* () {
  return (yield* (yield* OperatorAccountRows).accounts).map(recordOf)
})

const make = Routine.fn(function* (wanted: NewOperator) {
  const host = yield* ActorHost
  const rows = yield* OperatorAccountRows
  const [nonce, token] = [yield* host.nonce, yield* newToken]
  return yield* host.run({
    name: "make an operator's account",
    locks: { key: MAKING },
    body: Routine.fn(function* () {
      const { nowMs } = yield* Transaction
      if ((yield* rows.accountOf(wanted.email)) !== null)
        return yield* new Refused({ code: "ALREADY_EXISTS", detail: "an account with this e-mail" })
      const account: OperatorAccount = {
        ...wanted,
        accountId: newUuid(nonce, "operator account"),
        passwordHash: null,
        factorSinceMs: null,
        createdAtMs: nowMs,
        deactivatedAtMs: null,
      }
      yield* rows.insert(account)
      return yield* linked(account, token)
    }),
  })
})

const change = Routine.fn(function* (
  accountId: string,
  { name, role, siteIds, isActive, forgetsFactor = false }: OperatorChange,
  notices: OperatorNotices["Type"] | null = null,
) {
  const host = yield* ActorHost
  const nonce = yield* host.nonce
  const rows = yield* OperatorAccountRows
  return yield* host.run({
    name: "change an operator's account",
    locks: { key: accountLock(accountId) },
    body: Routine.fn(function* () {
      const { nowMs } = yield* Transaction
      const account = yield* existing(accountId)
      const deactivatedAtMs =
        isActive === undefined
          ? account.deactivatedAtMs
          : isActive
            ? null
            : (account.deactivatedAtMs ?? nowMs)
      const changed = {
        name: name ?? account.name,
        role: role ?? account.role,
        siteIds: siteIds === undefined ? account.siteIds : siteIds,
        deactivatedAtMs,
        factorSinceMs: forgetsFactor ? null : account.factorSinceMs,
      }
      const now: OperatorAccount = { ...account, ...changed }
      yield* rows.change(accountId, changed)
      if (forgetsFactor || deactivatedAtMs !== null) {
        const reason = deactivatedAtMs === null ? "factor-off" : "deactivated"
        yield* rows.endSessions({ accountId, exceptTokenHash: null }, { reason, endedAtMs: nowMs })
      }
      if (deactivatedAtMs !== null) {
        yield* rows.removeChallenges(accountId, "password")
        yield* rows.removeChallenges(accountId, "sign-in")
      }
      if (notices !== null) yield* notices.changed({ before: account, now, nonce })
      return recordOf(now)
    }),
  })
})

/** A new link to choose a password; earlier links end. The password stays until another is chosen. */
const link = Routine.fn(function* (accountId: string) {
  const host = yield* ActorHost
  const token = yield* newToken
  return yield* host.run({
    name: "make a link for an operator's password",
    locks: { key: accountLock(accountId) },
    body: Routine.fn(function* () {
      const account = yield* existing(accountId)
      if (account.deactivatedAtMs !== null)
        return yield* new Refused({ code: "INVALID_STATE", detail: "the account is deactivated" })
      return yield* linked(account, token)
    }),
  })
})

const linked = Routine.fn(function* (account: OperatorAccount, token: string) {
  const rows = yield* OperatorAccountRows
  const { nowMs } = yield* Transaction
  const { accountId } = account
  yield* rows.removeChallenges(accountId, "password")
  yield* rows.insertChallenge({
    tokenHash: hashOfToken(token),
    kind: "password",
    accountId,
    passwordHash: null,
    triesLeft: 1,
    endsAtMs: nowMs + OPERATOR_LINK_MS,
  })
  return { operator: recordOf(account), token }
})

const existing = Routine.fn(function* (accountId: string) {
  const account = yield* (yield* OperatorAccountRows).account(accountId)
  return account ?? (yield* new Refused({ code: "NOT_FOUND", detail: "operator" }))
})

function recordOf({ passwordHash, ...account }: OperatorAccount): OperatorRecord {
  return { ...account, hasPassword: passwordHash !== null }
}
