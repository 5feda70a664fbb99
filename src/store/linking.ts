/** Linked users, clients, and codes of the built-in verification over SQL. Numbers and codes are sealed in their rows. */

import { and, asc, eq, inArray, isNotNull, isNull, lte } from "drizzle-orm"
import { Effect, Layer } from "effect"
import { ClientRows, LinkedUserRows, SmsCodeRows } from "../services/linking/rows.ts"
import type { LinkedUser } from "../services/linking/rows.ts"
import { Database } from "./database.ts"
import { allowedRedirects, connectorPause, linkedUsers, oauthClients, smsCodes } from "./linking-tables.ts"
import { SecretBox } from "./secret-box.ts"
import { sqlOver } from "./transaction.ts"
import { preparedQuery } from "./prepared-query.ts"

export const layerLinkedUserRows: Layer.Layer<LinkedUserRows, never, Database | SecretBox> = Layer.effect(
  LinkedUserRows,
  Effect.map(Effect.all([Database, SecretBox]), ([database, box]): LinkedUserRows["Type"] => {
    const { read, write, writeReturning } = sqlOver(database)
    const opened = ({ number: _, sealedPhone, ...row }: typeof linkedUsers.$inferSelect): LinkedUser => ({
      ...row,
      phone: sealedPhone === null ? null : box.open(sealedPhone),
    })
    const first = ([row]: readonly (typeof linkedUsers.$inferSelect)[]): LinkedUser | null =>
      row === undefined ? null : opened(row)
    return {
      put: ({ phone, ...user }) =>
        write("putting a linked user", (orm) => {
          const row = { ...user, sealedPhone: phone === null ? null : box.seal(phone) }
          return orm
            .insert(linkedUsers)
            .values(row)
            .onConflictDoUpdate({ target: linkedUsers.userId, set: row })
        }),
      noteLinked: (userId, atMs) =>
        write("noting that a user has linked", (orm) =>
          orm
            .update(linkedUsers)
            .set({ linkedAtMs: atMs })
            .where(and(eq(linkedUsers.userId, userId), isNull(linkedUsers.linkedAtMs))),
        ),
      user: (userId) =>
        Effect.map(
          read("reading a linked user", (orm) =>
            orm.select().from(linkedUsers).where(eq(linkedUsers.userId, userId)),
          ),
          first,
        ),
      userOf: (phoneDigest) =>
        Effect.map(
          read("reading a linked user", (orm) =>
            orm.select().from(linkedUsers).where(eq(linkedUsers.phoneDigest, phoneDigest)),
          ),
          first,
        ),
      users: Effect.map(
        read("reading linked users", (orm) =>
          orm.select().from(linkedUsers).orderBy(asc(linkedUsers.number)),
        ),
        (rows) => rows.map(opened),
      ),
      blankDisabled: ({ beforeMs, limit }) =>
        Effect.map(
          writeReturning("blanking disabled numbers", (orm) => {
            const isOld = and(
              eq(linkedUsers.isEnabled, false),
              isNotNull(linkedUsers.sealedPhone),
              lte(linkedUsers.disabledAtMs, beforeMs),
            )
            const old = orm
              .select({ id: linkedUsers.userId })
              .from(linkedUsers)
              .where(isOld)
              .orderBy(asc(linkedUsers.disabledAtMs))
              .limit(limit)
            return orm
              .update(linkedUsers)
              .set({ sealedPhone: null })
              .where(and(inArray(linkedUsers.userId, old), isOld))
              .returning({ id: linkedUsers.userId })
          }),
          ({ length }) => length,
        ),
    }
  }),
)

export const layerClientRows: Layer.Layer<ClientRows, never, Database> = Layer.effect(
  ClientRows,
  Effect.map(Database, (database): ClientRows["Type"] => {
    const { read, write, writeReturning } = sqlOver(database)
    return {
      insert: (client) => write("inserting a client", (orm) => orm.insert(oauthClients).values(client)),
      client: (clientId) =>
        Effect.map(
          read("reading a client", (orm) =>
            orm.select().from(oauthClients).where(eq(oauthClients.clientId, clientId)),
          ),
          ([row]) => row ?? null,
        ),
      noteToken: (clientId, atMs) =>
        write("noting a client's token", (orm) =>
          orm
            .update(oauthClients)
            .set({ firstTokenAtMs: atMs })
            .where(and(eq(oauthClients.clientId, clientId), isNull(oauthClients.firstTokenAtMs))),
        ),
      purgeUnused: ({ beforeMs, limit }) =>
        Effect.map(
          writeReturning("purging unused clients", (orm) => {
            const isOld = and(isNull(oauthClients.firstTokenAtMs), lte(oauthClients.createdAtMs, beforeMs))
            const old = orm
              .select({ id: oauthClients.clientId })
              .from(oauthClients)
              .where(isOld)
              .orderBy(asc(oauthClients.createdAtMs))
              .limit(limit)
            return orm
              .delete(oauthClients)
              .where(and(inArray(oauthClients.clientId, old), isOld))
              .returning({ id: oauthClients.clientId })
          }),
          ({ length }) => length,
        ),
      ...connectorOver(database),
    }
  }),
)

type ConnectorPart = "allow" | "pausedAtMs" | "redirects" | "setPaused"

function connectorOver(database: Database["Type"]): Pick<ClientRows["Type"], ConnectorPart> {
  const { read, write } = sqlOver(database)
  // Every request of the connector asks it.
  const pause = preparedQuery(database, (orm) => orm.select().from(connectorPause).prepare("pause"))
  return {
    allow: (redirect) =>
      write("allowing a redirect URI", (orm) =>
        orm.insert(allowedRedirects).values(redirect).onConflictDoNothing(),
      ),
    redirects: Effect.map(
      read("reading redirect URIs", (orm) =>
        orm.select().from(allowedRedirects).orderBy(asc(allowedRedirects.number)),
      ),
      (rows) => rows.map(({ redirectUri, allowedAtMs }) => ({ redirectUri, allowedAtMs })),
    ),
    pausedAtMs: Effect.map(
      read("reading the connector's switch", (orm) => pause(orm).execute({})),
      ([row]) => row?.pausedAtMs ?? null,
    ),
    setPaused: (pausedAtMs) =>
      write("turning the connector's switch", (orm) =>
        pausedAtMs === null
          ? orm.delete(connectorPause)
          : orm
              .insert(connectorPause)
              .values({ id: "connector", pausedAtMs })
              .onConflictDoUpdate({ target: connectorPause.id, set: { pausedAtMs } }),
      ),
  }
}

export const layerSmsCodeRows: Layer.Layer<SmsCodeRows, never, Database | SecretBox> = Layer.effect(
  SmsCodeRows,
  Effect.map(Effect.all([Database, SecretBox]), ([database, box]): SmsCodeRows["Type"] => {
    const { read, write, writeReturning } = sqlOver(database)
    return {
      put: ({ code, ...rest }) =>
        write("putting a code", (orm) => {
          const row = { ...rest, sealedCode: box.seal(code) }
          return orm
            .insert(smsCodes)
            .values(row)
            .onConflictDoUpdate({ target: smsCodes.phoneDigest, set: row })
        }),
      code: (phoneDigest) =>
        Effect.map(
          read("reading a code", (orm) =>
            orm.select().from(smsCodes).where(eq(smsCodes.phoneDigest, phoneDigest)),
          ),
          ([row]) => {
            if (row === undefined) return null
            const { sealedCode, ...rest } = row
            return { ...rest, code: box.open(sealedCode) }
          },
        ),
      delete: (phoneDigest) =>
        write("deleting a code", (orm) => orm.delete(smsCodes).where(eq(smsCodes.phoneDigest, phoneDigest))),
      purge: ({ beforeMs, limit }) =>
        Effect.map(
          writeReturning("purging codes", (orm) => {
            const old = orm
              .select({ id: smsCodes.phoneDigest })
              .from(smsCodes)
              .where(lte(smsCodes.createdAtMs, beforeMs))
              .orderBy(asc(smsCodes.createdAtMs))
              .limit(limit)
            return orm
              .delete(smsCodes)
              .where(and(inArray(smsCodes.phoneDigest, old), lte(smsCodes.createdAtMs, beforeMs)))
              .returning({ id: smsCodes.phoneDigest })
          }),
          ({ length }) => length,
        ),
    }
  }),
)
