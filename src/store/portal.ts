/** Accounts, sessions and challenges of the portal over SQL. */

import { and, asc, desc, eq, inArray, lte, or } from "drizzle-orm"
import { Effect, Layer } from "effect"
import { PortalRows } from "../services/portal/rows.ts"
import { Database } from "./database.ts"
import { portalAccounts, portalChallenges, portalSessions } from "./schema.ts"
import { sqlOver } from "./transaction.ts"

export const layerPortalRows: Layer.Layer<PortalRows, never, Database> = Layer.effect(
  PortalRows,
  Effect.map(Database, (database): PortalRows["Type"] => ({
    ...accountsOver(database),
    ...sessionsOver(database),
    ...challengesOver(database),
  })),
)

type Accounts = "account" | "accountOf" | "accounts" | "changeAccount" | "deleteAccount" | "insertAccount"

function accountsOver(database: Database["Type"]): Pick<PortalRows["Type"], Accounts> {
  const { read, write, writeReturning } = sqlOver(database)
  return {
    insertAccount: (account) =>
      write("inserting an account", (orm) => orm.insert(portalAccounts).values(account)),
    changeAccount: (id, change) =>
      write("changing an account", (orm) =>
        orm.update(portalAccounts).set(change).where(eq(portalAccounts.accountId, id)),
      ),
    deleteAccount: (id) =>
      writeReturning("deleting an account", async (orm) => {
        await orm.delete(portalSessions).where(eq(portalSessions.accountId, id))
        await orm.delete(portalAccounts).where(eq(portalAccounts.accountId, id))
      }),
    account: (id) =>
      Effect.map(
        read("reading an account", (orm) =>
          orm.select().from(portalAccounts).where(eq(portalAccounts.accountId, id)),
        ),
        firstOf,
      ),
    accountOf: (email) =>
      Effect.map(
        read("reading an account", (orm) =>
          orm.select().from(portalAccounts).where(eq(portalAccounts.email, email)),
        ),
        firstOf,
      ),
    accounts: (organizationId) =>
      Effect.map(
        read("reading accounts", (orm) =>
          orm
            .select()
            .from(portalAccounts)
            .where(eq(portalAccounts.organizationId, organizationId))
            .orderBy(asc(portalAccounts.number)),
        ),
        (rows) => rows.map(unnumbered),
      ),
  }
}

type Sessions = "changeSession" | "deleteSession" | "insertSession" | "purgeSessions" | "session" | "sessions"

function sessionsOver(database: Database["Type"]): Pick<PortalRows["Type"], Sessions> {
  const { read, write, writeReturning } = sqlOver(database)
  return {
    insertSession: (session) =>
      write("inserting a session", (orm) => orm.insert(portalSessions).values(session)),
    changeSession: (id, change) =>
      write("changing a session", (orm) =>
        orm.update(portalSessions).set(change).where(eq(portalSessions.sessionId, id)),
      ),
    deleteSession: (id) =>
      write("deleting a session", (orm) =>
        orm.delete(portalSessions).where(eq(portalSessions.sessionId, id)),
      ),
    session: (tokenHash) =>
      Effect.map(
        read("reading a session", (orm) =>
          orm
            .select({ session: portalSessions, account: portalAccounts })
            .from(portalSessions)
            .innerJoin(portalAccounts, eq(portalAccounts.accountId, portalSessions.accountId))
            .where(eq(portalSessions.tokenHash, tokenHash)),
        ),
        ([row]) => (row === undefined ? null : { session: row.session, account: unnumbered(row.account) }),
      ),
    sessions: (accountId) =>
      read("reading sessions", (orm) =>
        orm
          .select()
          .from(portalSessions)
          .where(eq(portalSessions.accountId, accountId))
          .orderBy(desc(portalSessions.seenAtMs), asc(portalSessions.sessionId)),
      ),
    purgeSessions: ({ beforeMs, limit, unusedSinceMs }) =>
      Effect.map(
        writeReturning("purging sessions", (orm) => {
          const old = orm
            .select({ id: portalSessions.sessionId })
            .from(portalSessions)
            .where(or(lte(portalSessions.endsAtMs, beforeMs), lte(portalSessions.seenAtMs, unusedSinceMs)))
            .orderBy(asc(portalSessions.endsAtMs))
            .limit(limit)
          return orm
            .delete(portalSessions)
            .where(inArray(portalSessions.sessionId, old))
            .returning({ id: portalSessions.sessionId })
        }),
        ({ length }) => length,
      ),
  }
}

type Challenges =
  | "challenge"
  | "changeChallenge"
  | "deleteChallenge"
  | "deleteChallenges"
  | "insertChallenge"
  | "invitations"
  | "purgeChallenges"

function challengesOver(database: Database["Type"]): Pick<PortalRows["Type"], Challenges> {
  const { read, write, writeReturning } = sqlOver(database)
  return {
    insertChallenge: (challenge) =>
      write("inserting a challenge", (orm) => orm.insert(portalChallenges).values(challenge)),
    changeChallenge: (id, change) =>
      write("changing a challenge", (orm) =>
        orm.update(portalChallenges).set(change).where(eq(portalChallenges.challengeId, id)),
      ),
    deleteChallenge: (id) =>
      write("deleting a challenge", (orm) =>
        orm.delete(portalChallenges).where(eq(portalChallenges.challengeId, id)),
      ),
    deleteChallenges: (kind, email) =>
      write("deleting challenges", (orm) =>
        orm
          .delete(portalChallenges)
          .where(and(eq(portalChallenges.kind, kind), eq(portalChallenges.email, email))),
      ),
    challenge: (tokenHash) =>
      Effect.map(
        read("reading a challenge", (orm) =>
          orm.select().from(portalChallenges).where(eq(portalChallenges.tokenHash, tokenHash)),
        ),
        firstOf,
      ),
    purgeChallenges: ({ beforeMs, limit }) =>
      Effect.map(
        writeReturning("purging challenges", (orm) => {
          const old = orm
            .select({ id: portalChallenges.challengeId })
            .from(portalChallenges)
            .where(lte(portalChallenges.endsAtMs, beforeMs))
            .orderBy(asc(portalChallenges.endsAtMs))
            .limit(limit)
          return orm
            .delete(portalChallenges)
            .where(inArray(portalChallenges.challengeId, old))
            .returning({ id: portalChallenges.challengeId })
        }),
        ({ length }) => length,
      ),
    invitations: (organizationId) =>
      Effect.map(
        read("reading invitations", (orm) =>
          orm
            .select()
            .from(portalChallenges)
            .where(eq(portalChallenges.organizationId, organizationId))
            .orderBy(asc(portalChallenges.number)),
        ),
        (rows) => rows.map(unnumbered),
      ),
  }
}

/** The number orders rows and is nobody's business. */
function unnumbered<Row extends { readonly number: number }>({
  number: _,
  ...row
}: Row): Omit<Row, "number"> {
  return row
}

function firstOf<Row extends { readonly number: number }>([row]: readonly Row[]): Omit<Row, "number"> | null {
  return row === undefined ? null : unnumbered(row)
}
