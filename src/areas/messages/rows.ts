/**
 * Message rows: the outbox of mail and SMS. A message is written in the transaction of the command that causes it and
 * sent after the commit, so that no message is lost, and none reports something that was rolled back.
 */

import { Effect } from "effect"
import type { Environment } from "../../model/caller.ts"
import type { Channel, MessageStatus, Purpose } from "../../model/message.ts"
import { KEEP_MESSAGES_MS } from "../../model/values/limits.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { PurgeOrder } from "../../engine/services/retention/retention.ts"
import { epochMs, integer, sealed, serial, text, choice } from "../../engine/services/tables/columns.ts"
import {
  not,
  notNull,
  above,
  among,
  atLeast,
  atMost,
  below,
  descending,
  either,
  ifGiven,
  oneOf,
} from "../../engine/services/tables/conditions.ts"
import { table } from "../../engine/services/tables/table.ts"
import type { RowOf } from "../../engine/services/tables/table.ts"
import { Routine } from "../../engine/services/routine.ts"
import { repository } from "../../engine/services/service.ts"
import { purgeOf } from "../../engine/services/tables/purge.ts"
import { Tables, SealedTables } from "../../engine/services/tables/tables.ts"
import type { TableAccessOf } from "../../engine/services/tables/tables.ts"

export const messages = table("messages", {
  one: "a message",
  many: "messages",
  columns: {
    /** The same in all attempts, so that a receiver can recognize a second copy. */
    messageId: text(),
    /** Grows in the order in which messages are written. */
    number: serial(),
    channel: choice<Channel>(),
    purpose: choice<Purpose>(),
    /** Null for a message of the portal, which belongs to no environment. */
    environment: choice<Environment>().nullable(),
    organizationId: text().nullable(),
    /** An e-mail address, or a phone number in E.164. */
    to: text().named("recipient"),
    /** Only for mail. */
    subject: text().nullable(),
    /** Blanked after the message was sent, failed or expired, because it may contain a code or a link. */
    text: sealed(text(), "sealed_text"),
    status: choice<MessageStatus>(),
    attempts: integer(),
    dueAtMs: epochMs(),
    /** Why the last attempt failed or why it ended, as a word without personal data. */
    reason: text().nullable(),
    createdAtMs: epochMs(),
    endedAtMs: epochMs().nullable(),
    /** The delivery that an SMS is about; null for any other message. */
    subjectId: text().nullable(),
    /** See `keptFromMs` of `engine/services/organization-clock.ts`. */
    keptFromMs: epochMs().nullable().default(null).hidden(),
  },
  key: ["messageId"],
  retention: {
    from: "createdAtMs",
    realFrom: "keptFromMs",
    keepMs: KEEP_MESSAGES_MS,
    where: { status: not("pending") },
  },
  indexes: [
    { name: "messages_due", by: ["channel", "dueAtMs"], where: { status: "pending" } },
    { name: "messages_newest", by: ["channel", "number"] },
    { name: "messages_created", by: ["createdAtMs"] },
    { name: "messages_kept", by: ["keptFromMs"], where: { keptFromMs: notNull } },
    { name: "messages_subject", by: ["subjectId", "number"], where: { subjectId: notNull } },
  ],
})

export type Message = RowOf<typeof messages>

/** Processed inbound messages, by the provider's id. */
export const inboundMessages = table("inbound_messages", {
  one: "an inbound message",
  many: "inbound messages",
  columns: { inboundId: text(), receivedAtMs: epochMs() },
  key: ["inboundId"],
  retention: { from: "receivedAtMs", keepMs: KEEP_MESSAGES_MS },
  indexes: [{ name: "inbound_messages_received", by: ["receivedAtMs"] }],
})

/** One attempt of one message: its result is written only while it is the latest attempt. */
export interface Attempt {
  readonly messageId: string
  readonly attempt: number
}

export interface Ending extends Attempt {
  readonly status: Exclude<MessageStatus, "pending">
  readonly reason: string | null
  readonly atMs: EpochMs
}

export interface Postponement extends Attempt {
  readonly dueAtMs: EpochMs
  readonly reason: string
}

export interface MessageQuery {
  readonly channel: Channel
  readonly among?: readonly Message["environment"][]
  readonly statuses?: readonly MessageStatus[] | undefined
  /** A whole recipient, or a whole id of the message or of what it is about. */
  readonly text?: string | undefined
  readonly fromMs?: EpochMs | undefined
  readonly untilMs?: EpochMs | undefined
  /** Only messages that were written earlier. */
  readonly beforeNumber?: number | undefined
  readonly limit: number
}

interface Taking {
  readonly channel: Channel
  readonly nowMs: EpochMs
  readonly leaseMs: number
  readonly limit: number
}

interface Expiring {
  readonly purpose: Purpose
  readonly atMs: EpochMs
}

export class MessageRows extends repository<MessageRows>()(
  "MessageRows",
  Effect.map(SealedTables, (tables) => {
    const rows = tables.of(messages)
    const inbound = tables.of(inboundMessages)
    const latest = ({ messageId, attempt }: Attempt) =>
      ({ messageId, attempts: attempt, status: "pending" }) as const
    return {
      insert: rows.insert,
      /**
       * Takes pending messages that are due, those due longest first: counts an attempt of each and makes it due again at
       * the end of its lease. Concurrent takers get different messages.
       */
      take: (request: Taking) => take(rows, request),
      /** Blanks the text, except that of a suppressed message. */
      end: ({ status, reason, atMs, ...attempt }: Ending) =>
        rows.update(latest(attempt), {
          status,
          reason,
          endedAtMs: atMs,
          ...(status === "suppressed" ? {} : { text: "" }),
        }),
      postpone: ({ dueAtMs, reason, ...attempt }: Postponement) =>
        rows.update(latest(attempt), { dueAtMs, reason }),
      message: (messageId: string) => rows.get({ messageId }),
      /** Newest first; without `among`, of every organization and environment. */
      newest: (query: MessageQuery) => newest(rows, query),
      /** Makes a pending message due by then, if it is due later. */
      hasten: (messageId: string, dueAtMs: EpochMs) =>
        rows.update({ messageId, status: "pending", dueAtMs: above(dueAtMs) }, { dueAtMs }),
      /** About one delivery, oldest first. */
      about: (subjectId: string) => rows.list({ subjectId }, { order: ["number"] }),
      /**
       * Ends messages of one purpose that have been pending for too long, and blanks them. Returns how many rows it
       * found.
       */
      expire: (order: PurgeOrder, expiring: Expiring) => expire(rows, order, expiring),
      /** Deletes ended messages, by the time of their creation. */
      purge: purgeOf(messages, rows),
      /** Deletes the ids of processed inbound messages. */
      purgeInbound: purgeOf(inboundMessages, inbound),
      /** Records an inbound message; false when it was recorded before. */
      noteInbound: (inboundId: string, atMs: EpochMs) =>
        inbound.insertIfAbsent({ inboundId, receivedAtMs: atMs }),
    }
  }),
) {}

type Rows = TableAccessOf<typeof messages>

/** Conditions are joined by "and" alone, so each choice of environment and search is one of several. */
function newest(
  rows: Rows,
  {
    channel,
    among: environments,
    statuses,
    text: wanted,
    fromMs,
    untilMs,
    beforeNumber,
    limit,
  }: MessageQuery,
): Routine<readonly Message[]> {
  const all = {
    channel,
    status: statuses === undefined ? undefined : among(...statuses),
    createdAtMs: [ifGiven(fromMs ?? null, atLeast), ifGiven(untilMs ?? null, below)],
    number: ifGiven(beforeNumber ?? null, below),
  }
  const searches =
    wanted === undefined ? [{}] : [{ to: wanted }, { messageId: wanted }, { subjectId: wanted }]
  const scopes = environments === undefined ? [{}] : environments.map((environment) => ({ environment }))
  const ways = scopes.flatMap((scope) => searches.map((search) => ({ ...all, ...scope, ...search })))
  return rows.list(either(...ways), { order: [descending("number")], limit })
}

const take = Routine.fn(function* (rows: Rows, { channel, nowMs, leaseMs, limit }: Taking) {
  const due = yield* rows.list(
    { channel, status: "pending", dueAtMs: atMost(nowMs) },
    { order: ["dueAtMs", "number"], limit, lock: "skip locked" },
  )
  if (due.length === 0) return []
  const messageIds = due.map(({ messageId }) => messageId)
  yield* rows.update({ messageId: oneOf(...messageIds) }, { attempts: { plus: 1 }, dueAtMs: nowMs + leaseMs })
  return yield* rows.list({ messageId: oneOf(...messageIds) }, { order: ["number"] })
})

const expire = Routine.fn(function* (
  rows: Rows,
  { beforeMs, limit }: PurgeOrder,
  { purpose, atMs }: Expiring,
) {
  const isOld = { status: "pending", purpose, createdAtMs: atMost(beforeMs) } as const
  const old = yield* rows.list(isOld, { order: ["createdAtMs"], limit, lock: "skip locked" })
  if (old.length === 0) return 0
  const messageId = oneOf(...old.map((message: Message) => message.messageId))
  yield* rows.update({ messageId }, { status: "expired", endedAtMs: atMs, text: "" })
  return old.length
})

/** `organizationId` is empty if one list applies to all. */
const optOuts = table("opt_outs", {
  one: "an opt-out",
  many: "opt-outs",
  columns: { environment: choice<Environment>(), organizationId: text(), digest: text() },
  key: ["environment", "organizationId", "digest"],
})

/** The scope of an opt-out: production has one list, each sandbox organization its own. */
export interface OptOutScope {
  readonly environment: Environment
  /** Null in production. */
  readonly organizationId: string | null
}

/** `digest` is the keyed hash of a number; the number itself is not stored. */
export class OptOutRows extends repository<OptOutRows>()(
  "OptOutRows",
  Effect.map(Tables, (tables) => {
    const rows = tables.of(optOuts)
    const keyed = ({ environment, organizationId }: OptOutScope, digest: string) => ({
      environment,
      organizationId: organizationId ?? "",
      digest,
    })
    return {
      put: (scope: OptOutScope, digest: string) => rows.insertOrIgnore(keyed(scope, digest)),
      remove: (scope: OptOutScope, digest: string) => rows.delete(keyed(scope, digest)),
      has: (scope: OptOutScope, digest: string) =>
        Routine.map(rows.get(keyed(scope, digest)), (row) => row !== null),
    }
  }),
) {}
