/** The portal's rows over their declared tables. */

import { among, atMost, descending, either } from "../../engine/services/tables/conditions.ts"
import { purgeOf } from "../../engine/services/tables/purge.ts"
import type { Tables } from "../../engine/services/tables/tables.ts"
import { Routine } from "../../engine/services/routine.ts"
import { endedSessions } from "./people/ended-sessions.ts"
import { portalAccounts, portalChallenges, portalMemberships, portalSessions } from "./rows.ts"
import type { PortalRows } from "./rows.ts"

type Rows = PortalRows["Type"]

/** `session`: the query that reads a session with its account. */
export function portalRowsOver(tables: Tables["Type"], session: Rows["session"]): Rows {
  return { session, ...accountsOver(tables), ...sessionsOver(tables), ...challengesOver(tables) }
}

/** Reads one table after the other; `./store` uses a join. */
export function plainSession(tables: Tables["Type"]): Rows["session"] {
  const accounts = tables.of(portalAccounts)
  const sessions = tables.of(portalSessions)
  return Routine.fn(function* (tokenHash) {
    const session = yield* sessions.first({ tokenHash })
    const account = session === null ? null : yield* accounts.get({ accountId: session.accountId })
    return session === null || account === null ? null : { session, account }
  })
}

function accountsOver(
  tables: Tables["Type"],
): Pick<
  Rows,
  | "account"
  | "accountOf"
  | "accounts"
  | "changeAccount"
  | "changeMembership"
  | "deleteAccount"
  | "deleteMembership"
  | "insertAccount"
  | "insertMembership"
  | "memberships"
> {
  const accounts = tables.of(portalAccounts)
  const memberships = tables.of(portalMemberships)
  const sessions = tables.of(portalSessions)
  return {
    insertAccount: accounts.insert,
    changeAccount: (accountId, change) => accounts.update({ accountId }, change),
    deleteAccount: (accountId) =>
      Routine.inTurn(
        sessions.delete({ accountId }),
        memberships.delete({ accountId }),
        accounts.delete({ accountId }),
      ),
    account: (accountId) => accounts.get({ accountId }),
    accountOf: (email) => accounts.first({ email }),
    accounts: Routine.fn(function* (organizationId) {
      const own = yield* accounts.list({ organizationId }, { order: ["number"] })
      const others = yield* memberships.list({ organizationId }, { order: ["number"] })
      if (others.length === 0) return own
      const ids = others.map(({ accountId }) => accountId)
      const found = yield* accounts.list({ accountId: among(...ids) }, { order: "any" })
      const byId = new Map(found.map((account) => [account.accountId, account]))
      const joined = others.flatMap(({ accountId, role, createdAtMs }) => {
        const account = byId.get(accountId)
        return account === undefined ? [] : [{ ...account, organizationId, role, createdAtMs }]
      })
      return [...own, ...joined]
    }),
    insertMembership: memberships.insert,
    changeMembership: ({ accountId, organizationId }, change) =>
      memberships.update({ accountId, organizationId }, change),
    deleteMembership: ({ accountId, organizationId }) => memberships.delete({ accountId, organizationId }),
    memberships: (accountId) => memberships.list({ accountId }, { order: ["number"] }),
  }
}

function sessionsOver(
  tables: Tables["Type"],
): Pick<
  Rows,
  | "changeSession"
  | "deleteSession"
  | "insertSession"
  | "noteSessionEnd"
  | "purgeSessionEnds"
  | "purgeSessions"
  | "sessionEnd"
  | "sessions"
> {
  const sessions = tables.of(portalSessions)
  const ended = tables.of(endedSessions)
  return {
    insertSession: sessions.insert,
    changeSession: (sessionId, change) => sessions.update({ sessionId }, change),
    deleteSession: (sessionId) => sessions.delete({ sessionId }),
    noteSessionEnd: ended.upsert,
    sessionEnd: (tokenHash) => ended.get({ tokenHash }),
    purgeSessionEnds: purgeOf(endedSessions, ended),
    sessions: (accountId) => sessions.list({ accountId }, { order: [descending("seenAtMs"), "sessionId"] }),
    purgeSessions: ({ beforeMs, limit, unusedSinceMs }) =>
      sessions.deleteFirst(either({ endsAtMs: atMost(beforeMs) }, { seenAtMs: atMost(unusedSinceMs) }), {
        order: ["endsAtMs"],
        limit,
      }),
  }
}

function challengesOver(
  tables: Tables["Type"],
): Pick<
  Rows,
  | "challenge"
  | "changeChallenge"
  | "deleteChallenge"
  | "deleteChallenges"
  | "insertChallenge"
  | "invitations"
  | "purgeChallenges"
> {
  const challenges = tables.of(portalChallenges)
  return {
    insertChallenge: challenges.insert,
    changeChallenge: (challengeId, change) => challenges.update({ challengeId }, change),
    deleteChallenge: (challengeId) => challenges.delete({ challengeId }),
    deleteChallenges: (kind, email) => challenges.delete({ kind, email }),
    challenge: (tokenHash) => challenges.first({ tokenHash }),
    invitations: (organizationId) => challenges.list({ organizationId }, { order: ["number"] }),
    purgeChallenges: purgeOf(portalChallenges, challenges),
  }
}
