/** Message rows over SQL. Texts are sealed: a copy of the database shows no code and no link. */

import { and, asc, desc, eq, inArray, isNull, lte, ne, or, sql } from "drizzle-orm"
import type { SQL } from "drizzle-orm"
import { Effect, Layer } from "effect"
import { MessageRows } from "../services/messages/rows.ts"
import type { Attempt, Message } from "../services/messages/rows.ts"
import { Database } from "./database.ts"
import type { Orm } from "./database.ts"
import { inboundMessages, messages } from "./schema.ts"
import { SecretBox } from "./secret-box.ts"
import { sqlOver } from "./transaction.ts"

type Row = typeof messages.$inferSelect

export const layerMessageRows: Layer.Layer<MessageRows, never, Database | SecretBox> = Layer.effect(
  MessageRows,
  Effect.map(Effect.all([Database, SecretBox]), ([database, box]): MessageRows["Type"] => {
    const { write, writeReturning } = sqlOver(database)
    const nothing = box.seal("")
    const opened = ({ number: _, recipient, sealedText, ...row }: Row): Message => ({
      ...row,
      to: recipient,
      text: box.open(sealedText),
    })
    const latest = ({ messageId, attempt }: Attempt) =>
      and(eq(messages.messageId, messageId), eq(messages.attempts, attempt), eq(messages.status, "pending"))
    return {
      insert: ({ to, text, ...message }) =>
        write("writing a message", (orm) =>
          orm.insert(messages).values({ ...message, recipient: to, sealedText: box.seal(text) }),
        ),
      take: ({ channel, nowMs, leaseMs, limit }) =>
        Effect.map(
          writeReturning("taking messages", (orm) => {
            const due = orm
              .select({ id: messages.messageId })
              .from(messages)
              .where(
                and(
                  eq(messages.channel, channel),
                  // Written out, not a parameter: so the partial index of pending messages serves prepared plans too.
                  sql`${messages.status} = 'pending'`,
                  lte(messages.dueAtMs, nowMs),
                ),
              )
              .orderBy(asc(messages.dueAtMs), asc(messages.number))
              .limit(limit)
              .for("update", { skipLocked: true })
            return orm
              .update(messages)
              .set({ attempts: sql`${messages.attempts} + 1`, dueAtMs: nowMs + leaseMs })
              .where(inArray(messages.messageId, due))
              .returning()
          }),
          (rows) => rows.toSorted((a, b) => a.number - b.number).map(opened),
        ),
      end: ({ status, reason, atMs, ...attempt }) =>
        write("ending a message", (orm) =>
          orm
            .update(messages)
            .set({
              status,
              reason,
              endedAtMs: atMs,
              ...(status === "suppressed" ? {} : { sealedText: nothing }),
            })
            .where(latest(attempt)),
        ),
      postpone: ({ dueAtMs, reason, ...attempt }) =>
        write("putting a message off", (orm) =>
          orm.update(messages).set({ dueAtMs, reason }).where(latest(attempt)),
        ),
      ...readingOver(database, opened),
      ...housekeepingOver(database, nothing),
    }
  }),
)

function readingOver(
  database: Database["Type"],
  opened: (row: Row) => Message,
): Pick<MessageRows["Type"], "message" | "newest"> {
  const { read } = sqlOver(database)
  return {
    message: (id) =>
      Effect.map(
        read("reading a message", (orm) => orm.select().from(messages).where(eq(messages.messageId, id))),
        ([row]) => (row === undefined ? null : opened(row)),
      ),
    newest: ({ channel, among, limit }) =>
      Effect.map(
        read("reading messages", (orm) =>
          orm
            .select()
            .from(messages)
            .where(and(eq(messages.channel, channel), among === undefined ? undefined : isAmong(among)))
            .orderBy(desc(messages.number))
            .limit(limit),
        ),
        (rows) => rows.map(opened),
      ),
  }
}

/** `nothing` is an empty text, sealed. */
function housekeepingOver(
  database: Database["Type"],
  nothing: string,
): Pick<MessageRows["Type"], "expire" | "noteInbound" | "purge" | "purgeInbound"> {
  const { writeReturning } = sqlOver(database)
  return {
    expire: ({ beforeMs, limit }, { purpose, atMs }) =>
      Effect.map(
        writeReturning("expiring messages", (orm) => {
          const isOld = and(
            eq(messages.status, "pending"),
            eq(messages.purpose, purpose),
            lte(messages.createdAtMs, beforeMs),
          )
          return orm
            .update(messages)
            .set({ status: "expired", endedAtMs: atMs, sealedText: nothing })
            .where(and(inArray(messages.messageId, oldest(orm, isOld, limit)), isOld))
            .returning({ id: messages.messageId })
        }),
        ({ length }) => length,
      ),
    purge: ({ beforeMs, limit }) =>
      Effect.map(
        writeReturning("purging messages", (orm) => {
          const isOld = and(ne(messages.status, "pending"), lte(messages.createdAtMs, beforeMs))
          return orm
            .delete(messages)
            .where(inArray(messages.messageId, oldest(orm, isOld, limit)))
            .returning({ id: messages.messageId })
        }),
        ({ length }) => length,
      ),
    purgeInbound: ({ beforeMs, limit }) =>
      Effect.map(
        writeReturning("purging inbound messages", (orm) => {
          const old = orm
            .select({ id: inboundMessages.inboundId })
            .from(inboundMessages)
            .where(lte(inboundMessages.receivedAtMs, beforeMs))
            .orderBy(asc(inboundMessages.receivedAtMs))
            .limit(limit)
          return orm
            .delete(inboundMessages)
            .where(inArray(inboundMessages.inboundId, old))
            .returning({ id: inboundMessages.inboundId })
        }),
        ({ length }) => length,
      ),
    noteInbound: (inboundId, atMs) =>
      Effect.map(
        writeReturning("noting an inbound message", (orm) =>
          orm
            .insert(inboundMessages)
            .values({ inboundId, receivedAtMs: atMs })
            .onConflictDoNothing()
            .returning({ inboundId: inboundMessages.inboundId }),
        ),
        (noted) => noted.length > 0,
      ),
  }
}

function isAmong(environments: readonly Message["environment"][]): SQL | undefined {
  return or(
    inArray(
      messages.environment,
      environments.filter((one) => one !== null),
    ),
    environments.includes(null) ? isNull(messages.environment) : undefined,
  )
}

function oldest(orm: Orm, which: SQL | undefined, limit: number) {
  return orm
    .select({ id: messages.messageId })
    .from(messages)
    .where(which)
    .orderBy(asc(messages.createdAtMs))
    .limit(limit)
}
