/** How the mailboxes of all groups stand, in five figures; nothing in them names a group. */

import { sql } from "drizzle-orm"
import { Clock, Effect } from "effect"
import { Database } from "./database.ts"
import { deferredCalls, groups, mailbox } from "./schema.ts"
import { sqlOver } from "./transaction.ts"

export interface MailboxFigures {
  /** Events due now or later, those of stopped groups left out. */
  readonly entries: number
  readonly dueEntries: number
  /** How long the oldest due entry has waited; 0 when none is due. */
  readonly latenessMs: number
  /** Calls that could not leave and wait for room at their endpoint. */
  readonly deferredCalls: number
  /** Groups that wait although they have entries, because one of these ended in a fault. */
  readonly stoppedGroups: number
}

/** Cost: one pass over the mailbox. Dies when the database fails. */
export const mailboxFigures: Effect.Effect<MailboxFigures, never, Database> = Effect.gen(function* () {
  const database = yield* Database
  const nowMs = yield* Clock.currentTimeMillis
  const runs = sql`${groups.stoppedBecause} is null`
  const [row] = yield* sqlOver(database).read("counting mailbox entries", (orm) =>
    orm
      .select({
        entries: sql<number>`count(*) filter (where ${runs})`.mapWith(Number),
        dueEntries: sql<number>`count(*) filter (where ${runs} and ${mailbox.dueMs} <= ${nowMs})`.mapWith(
          Number,
        ),
        // No due entry and one that fell due this very millisecond have waited equally long.
        oldestMs: sql<number>`coalesce(min(${mailbox.dueMs}) filter (where ${runs}), ${nowMs})`.mapWith(
          Number,
        ),
        deferredCalls: sql<number>`(select count(*) from ${deferredCalls})`.mapWith(Number),
        stoppedGroups: sql<number>`count(distinct ${groups.address}) filter (where not (${runs}))`.mapWith(
          Number,
        ),
      })
      .from(mailbox)
      .innerJoin(groups, sql`${groups.address} = ${mailbox.groupAddress}`),
  )
  const { oldestMs = nowMs, ...counts } = row ?? {
    entries: 0,
    dueEntries: 0,
    deferredCalls: 0,
    stoppedGroups: 0,
  }
  return { ...counts, latenessMs: Math.max(0, nowMs - oldestMs) }
})
