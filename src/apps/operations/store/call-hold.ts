/** Whether outbound calls are held in this database, as after a restore. Stored in one row. */

import { and, eq, like, or, sql } from "drizzle-orm"
import { Clock, Effect } from "effect"
import type { EpochMs } from "../../../model/values/time.ts"
import { operatorAudit as declaredAudit } from "../../inspector/audit.ts"
import { messages as declaredMessages } from "../../../areas/messages/rows.ts"
import type { CallHolder, CallHoldStatus } from "../../../engine/services/outbound/call-hold.ts"
import { databaseFault } from "../../../engine/store/database.ts"
import type { Database, DatabaseFault, Orm } from "../../../engine/store/database.ts"
import { declaredTable } from "../../../engine/store/declared-table.ts"
import { callHold, mailbox } from "../../../engine/store/schema.ts"

const messages = declaredTable(declaredMessages)
const operatorAudit = declaredTable(declaredAudit)

/** Since when calls are held; null when they are allowed. */
export function heldSinceMs(database: Database["Type"]): Effect.Effect<EpochMs | null, DatabaseFault> {
  return asked(database, "reading whether calls are held", async (orm) => {
    const [row] = await orm.select().from(callHold)
    return row?.sinceMs ?? null
  })
}

/**
 * The delays of machines that make calls are named "lease of …" and "pause before …": each of their timers is a waiting
 * call.
 */
const WAITING_CALLS = and(
  eq(mailbox.kind, "timer"),
  or(like(mailbox.key, "%xstate.after.lease of %"), like(mailbox.key, "%xstate.after.pause before %")),
)

/** The hold, and what is waiting. Cost: one pass over the mailbox. */
export function callHoldStatus(database: Database["Type"]): Effect.Effect<CallHoldStatus, DatabaseFault> {
  return asked(database, "reading the hold on calls", async (orm) => {
    const [row] = await orm.select().from(callHold)
    const callsWaiting = await orm.$count(mailbox, WAITING_CALLS)
    const messagesWaiting = await orm.$count(messages, sql`${messages.status} = 'pending'`)
    return { heldSinceMs: row?.sinceMs ?? null, heldBy: row?.heldBy ?? null, callsWaiting, messagesWaiting }
  })
}

/** A repeat changes nothing and keeps the first instant. */
export function holdCalls(
  database: Database["Type"],
  heldBy: CallHolder,
): Effect.Effect<void, DatabaseFault> {
  return Effect.flatMap(Clock.currentTimeMillis, (sinceMs) =>
    asked(database, "holding calls", async (orm) => {
      await orm.insert(callHold).values({ sinceMs, heldBy }).onConflictDoNothing()
    }),
  )
}

/** The operator in the audit for a command on this machine, which uses no token. */
const COMMAND_LINE = "command line"

/** Returns true when calls were held; the audit then records the operator, or the command line if there is no token. */
export function resumeCalls(
  database: Database["Type"],
  operatorTokenId: string = COMMAND_LINE,
): Effect.Effect<boolean, DatabaseFault> {
  return Effect.flatMap(Clock.currentTimeMillis, (atMs) =>
    asked(database, "letting calls leave again", (orm) =>
      orm.transaction(async (transaction) => {
        const ended = await transaction.delete(callHold).returning()
        if (ended.length === 0) return false
        await transaction.insert(operatorAudit).values({
          environment: "production",
          atMs,
          operatorTokenId,
          actor: "calls",
          eventType: "calls.released",
          outcome: "taken",
        })
        return true
      }),
    ),
  )
}

function asked<A>(
  { orm }: Database["Type"],
  doing: string,
  ask: (orm: Orm) => Promise<A>,
): Effect.Effect<A, DatabaseFault> {
  return Effect.tryPromise({ try: () => ask(orm), catch: (cause) => databaseFault(doing, cause) })
}
