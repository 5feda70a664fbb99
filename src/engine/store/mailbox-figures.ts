/** Five figures about the mailboxes of all groups, without names of groups. */

import { sql } from "drizzle-orm"
import { Database } from "./database.ts"
import { deferredCalls, groups, mailbox } from "./schema.ts"
import { sqlOver } from "./transaction.ts"
import { Routine } from "../services/routine.ts"

export interface MailboxFigures {
  /** Entries due now or later, without those of stopped groups. */
  readonly entries: number
  readonly dueEntries: number
  /** How long the oldest due entry has waited; 0 when none is due. */
  readonly latenessMs: number
  /** Calls that could not be sent and wait for their endpoint. */
  readonly deferredCalls: number
  /** Groups that are stopped because an entry ended in a fault. */
  readonly stoppedGroups: number
}

const CLOCKS = sql`sandbox_clocks c`

/** The real instant at which an entry is due; null on a clock that stands still. */
const DUE_IN_REAL_TIME = sql`case
  when c.organization_id is null then ${mailbox.dueMs}
  when ${mailbox.leaseUntilMs} is not null then ${mailbox.leaseUntilMs}
  when c.stands_at_ms is null then ${mailbox.dueMs} - c.offset_ms
end`

/** Cost: one pass over the mailbox. Dies when the database fails. */
export const mailboxFigures: Routine<MailboxFigures, never, Database> = Routine.gen(function* () {
  const database = yield* Database
  const nowMs = yield* Routine.nowMs
  const runs = sql`${groups.stoppedBecause} is null`
  const [row] = yield* sqlOver(database).read("counting mailbox entries", (orm) =>
    orm
      .select({
        entries: sql<number>`count(*) filter (where ${runs})`.mapWith(Number),
        dueEntries: sql<number>`count(*) filter (where ${runs} and ${DUE_IN_REAL_TIME} <= ${nowMs})`.mapWith(
          Number,
        ),
        // For the lateness, an entry that is due at this very millisecond is like none.
        oldestMs: sql<number>`coalesce(min(${DUE_IN_REAL_TIME}) filter (where ${runs}), ${nowMs})`.mapWith(
          Number,
        ),
        deferredCalls: sql<number>`(select count(*) from ${deferredCalls})`.mapWith(Number),
        stoppedGroups: sql<number>`count(distinct ${groups.address}) filter (where not (${runs}))`.mapWith(
          Number,
        ),
      })
      .from(mailbox)
      .innerJoin(groups, sql`${groups.address} = ${mailbox.groupAddress}`)
      .leftJoin(CLOCKS, sql`c.organization_id = ${mailbox.clock}`),
  )
  const { oldestMs = nowMs, ...counts } = row ?? {
    entries: 0,
    dueEntries: 0,
    deferredCalls: 0,
    stoppedGroups: 0,
  }
  return { ...counts, latenessMs: Math.max(0, nowMs - oldestMs) }
})
