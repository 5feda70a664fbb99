/**
 * Rows of operators' accounts: the accounts, links and challenges, second factors, sessions. They share nothing with the
 * accounts of partners. Tokens, passwords and codes are stored as hashes, the secret of a second factor sealed.
 */

import { Effect } from "effect"
import type { Environment, OperatorRole } from "../../model/caller.ts"
import { SESSION_END_KNOWN_MS } from "../../model/values/limits.ts"
import { endedSessions } from "../portal/people/ended-sessions.ts"
import type { EndedSession } from "../portal/people/ended-sessions.ts"
import { factorColumns, factorRowsOver, recoveryCodeColumns } from "../portal/people/second-factor-rows.ts"
import { choice, epochMs, integer, json, serial, text } from "../../engine/services/tables/columns.ts"
import { purgeOf } from "../../engine/services/tables/purge.ts"
import { table } from "../../engine/services/tables/table.ts"
import type { RowOf } from "../../engine/services/tables/table.ts"
import { SealedTables, Tables } from "../../engine/services/tables/tables.ts"
import { Routine } from "../../engine/services/routine.ts"
import { repository } from "../../engine/services/service.ts"

export const operatorAccounts = table("operator_accounts", {
  one: "an operator's account",
  many: "operators' accounts",
  columns: {
    accountId: text(),
    number: serial().hidden(),
    /** In lower case; no two accounts share one. */
    email: text(),
    name: text(),
    role: choice<OperatorRole>(),
    /** Null: all sites. */
    siteIds: json<readonly string[]>().nullable(),
    /** Argon2id in the PHC string format; null until a password is chosen. */
    passwordHash: text().nullable(),
    /** Since when the second factor is on; null: it is off. */
    factorSinceMs: epochMs().nullable(),
    createdAtMs: epochMs(),
    deactivatedAtMs: epochMs().nullable(),
  },
  key: ["accountId"],
  indexes: [{ name: "operator_accounts_email_key", by: ["email"] }],
})

export type OperatorAccount = RowOf<typeof operatorAccounts>

const operatorSecondFactors = table("operator_second_factors", {
  one: "an operator's second factor",
  many: "operators' second factors",
  columns: factorColumns,
  key: ["accountId"],
})

const operatorRecoveryCodes = table("operator_recovery_codes", {
  one: "an operator's recovery code",
  many: "operators' recovery codes",
  columns: recoveryCodeColumns,
  key: ["accountId", "codeHash"],
})

/** `password`: a link to choose one. `sign-in`: a sign-in that waits for its second factor. */
export type OperatorChallengeKind = "password" | "sign-in"

export const operatorChallenges = table("operator_challenges", {
  one: "a link or challenge of an operator",
  many: "links and challenges of operators",
  columns: {
    /** SHA-256 of its token. */
    tokenHash: text(),
    kind: choice<OperatorChallengeKind>(),
    accountId: text(),
    /** Of a sign-in: a password that is changed meanwhile ends it. */
    passwordHash: text().nullable(),
    triesLeft: integer(),
    endsAtMs: epochMs(),
  },
  key: ["tokenHash"],
  retention: { from: "endsAtMs", keepMs: 0 },
  indexes: [
    { name: "operator_challenges_account", by: ["accountId", "kind"] },
    { name: "operator_challenges_age", by: ["endsAtMs"] },
  ],
})

export type OperatorChallenge = RowOf<typeof operatorChallenges>

/** A session of an account on the host of one environment. */
export const operatorAccountSessions = table("operator_account_sessions", {
  one: "a session of an operator's account",
  many: "sessions of operators' accounts",
  columns: {
    /** SHA-256 of the session's value. */
    tokenHash: text(),
    environment: choice<Environment>(),
    accountId: text(),
    createdAtMs: epochMs(),
    endsAtMs: epochMs(),
  },
  key: ["tokenHash"],
  retention: { from: "endsAtMs", keepMs: SESSION_END_KNOWN_MS },
  indexes: [
    { name: "operator_account_sessions_account", by: ["accountId"] },
    { name: "operator_account_sessions_age", by: ["endsAtMs"] },
  ],
})

/** The lock of every command on one account, so that a sign-in and a deactivation run one after the other. */
export function accountLock(accountId: string): string {
  return `operators/account/${accountId}`
}

export class OperatorAccountRows extends repository<OperatorAccountRows>()(
  "OperatorAccountRows",
  Effect.map(Tables, (tables) => {
    const accounts = tables.of(operatorAccounts)
    const challenges = tables.of(operatorChallenges)
    const sessions = tables.of(operatorAccountSessions)
    const ended = tables.of(endedSessions)
    return {
      insert: accounts.insert,
      change: (accountId: string, change: Partial<Omit<OperatorAccount, "accountId" | "createdAtMs">>) =>
        accounts.update({ accountId }, change),
      account: (accountId: string) => accounts.get({ accountId }),
      accountOf: (email: string) => accounts.first({ email }),
      /** Oldest first. */
      accounts: accounts.list({}, { order: ["number"] }),
      insertChallenge: challenges.insert,
      challenge: (tokenHash: string) => challenges.get({ tokenHash }),
      changeChallenge: (tokenHash: string, change: Pick<OperatorChallenge, "triesLeft">) =>
        challenges.update({ tokenHash }, change),
      removeChallenges: (accountId: string, kind: OperatorChallengeKind) =>
        challenges.delete({ accountId, kind }),
      insertSession: sessions.insert,
      session: (tokenHash: string) => sessions.get({ tokenHash }),
      removeSession: (tokenHash: string) => sessions.delete({ tokenHash }),
      /** All of an account but one; the reason is noted for the sign-in page. */
      endSessions: Routine.fn(function* (
        {
          accountId,
          exceptTokenHash,
        }: { readonly accountId: string; readonly exceptTokenHash: string | null },
        end: Pick<EndedSession, "endedAtMs" | "reason">,
      ) {
        for (const { tokenHash, endsAtMs } of yield* sessions.list({ accountId }, { order: ["tokenHash"] })) {
          if (tokenHash === exceptTokenHash) continue
          const reason = end.endedAtMs >= endsAtMs ? "over" : end.reason
          yield* ended.upsert({ tokenHash, reason, endedAtMs: end.endedAtMs })
          yield* sessions.delete({ tokenHash })
        }
      }),
      /** Null for a session that never was, that is not deleted, or that its operator ended. */
      sessionEnd: (tokenHash: string) => ended.get({ tokenHash }),
      purgeChallenges: purgeOf(operatorChallenges, challenges),
      purgeSessions: purgeOf(operatorAccountSessions, sessions),
    }
  }),
) {}

export class OperatorFactorRows extends repository<OperatorFactorRows>()(
  "OperatorFactorRows",
  Effect.map(Effect.all([Tables, SealedTables]), ([tables, sealedTables]) =>
    factorRowsOver(sealedTables.of(operatorSecondFactors), tables.of(operatorRecoveryCodes)),
  ),
) {}
