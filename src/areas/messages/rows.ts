/**
 * Message rows: the outbox of mail and SMS. A message is written in the transaction of the command that causes it and
 * sent after the commit, so that no message is lost, and none reports something that was rolled back.
 */

import { Context } from "effect"
import type { Environment } from "../../model/caller.ts"
import type { Channel, MessageStatus, Purpose } from "../../model/message.ts"
import { KEEP_MESSAGES_MS } from "../../model/values/limits.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Transaction } from "../../engine/services/host.ts"
import type { Purge, PurgeOrder } from "../../engine/services/retention/retention.ts"
import { epochMs, integer, sealed, serial, text, choice } from "../../engine/services/tables/columns.ts"
import { not, notNull } from "../../engine/services/tables/conditions.ts"
import { table } from "../../engine/services/tables/table.ts"
import type { NewRowOf, RowOf } from "../../engine/services/tables/table.ts"
import type { Routine } from "../../engine/services/routine.ts"

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

export class MessageRows extends Context.Tag("MessageRows")<
  MessageRows,
  {
    readonly insert: (message: NewRowOf<typeof messages>) => Routine<void, never, Transaction>
    /**
     * Takes pending messages that are due, those due longest first: counts an attempt of each and makes it due again at
     * the end of its lease. Concurrent takers get different messages.
     */
    readonly take: (request: {
      readonly channel: Channel
      readonly nowMs: EpochMs
      readonly leaseMs: number
      readonly limit: number
    }) => Routine<readonly Message[], never, Transaction>
    /** Blanks the text, except that of a suppressed message. */
    readonly end: (ending: Ending) => Routine<void, never, Transaction>
    readonly postpone: (request: Postponement) => Routine<void, never, Transaction>
    readonly message: (messageId: string) => Routine<Message | null>
    /** Newest first; without `among`, of every organization and environment. */
    readonly newest: (query: MessageQuery) => Routine<readonly Message[]>
    /** Makes a pending message due by then, if it is due later. */
    readonly hasten: (messageId: string, dueAtMs: EpochMs) => Routine<void, never, Transaction>
    /** About one delivery, oldest first. */
    readonly about: (subjectId: string) => Routine<readonly Message[]>
    /**
     * Ends messages of one purpose that have been pending for too long, and blanks them. Returns how many rows it
     * found.
     */
    readonly expire: (
      order: PurgeOrder,
      expiring: { readonly purpose: Purpose; readonly atMs: EpochMs },
    ) => Routine<number, never, Transaction>
    /** Deletes ended messages, by the time of their creation. */
    readonly purge: Purge
    /** Deletes the ids of processed inbound messages. */
    readonly purgeInbound: Purge
    /** Records an inbound message; false when it was recorded before. */
    readonly noteInbound: (inboundId: string, atMs: EpochMs) => Routine<boolean, never, Transaction>
  }
>() {}

/** `organizationId` is empty if one list applies to all. */
export const optOuts = table("opt_outs", {
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

export class OptOutRows extends Context.Tag("OptOutRows")<
  OptOutRows,
  {
    /** `digest` is the keyed hash of a number; the number itself is not stored. */
    readonly put: (scope: OptOutScope, digest: string) => Routine<void, never, Transaction>
    readonly remove: (scope: OptOutScope, digest: string) => Routine<void, never, Transaction>
    readonly has: (scope: OptOutScope, digest: string) => Routine<boolean>
  }
>() {}
