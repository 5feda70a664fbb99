/** Requests and bodies for the inspector over SQL. A batch of each is written in one statement. */

import { Effect, Exit, Layer } from "effect"
import { organizations } from "../../areas/access/rows.ts"
import { KEPT_BODIES_WRITTEN_MS } from "../../model/limits.ts"
import { Routine } from "../../services/routine.ts"
import { oneOf } from "../../services/tables/conditions.ts"
import { purgeOf } from "../../services/tables/purge.ts"
import { Database } from "../../store/database.ts"
import { ask } from "../../store/prepared-query.ts"
import { tablesOver } from "../../store/sql-tables.ts"
import { inTransaction, sqlOver } from "../../store/transaction.ts"
import { KeptBodies, keptExchanges, keptRequests } from "../kept-bodies.ts"
import type { WaitingBodies } from "../kept-bodies.ts"

export const layerKeptBodies: Layer.Layer<KeptBodies, never, Database> = Layer.effect(
  KeptBodies,
  Effect.map(Database, (database): KeptBodies["Type"] => {
    const tables = tablesOver(database)
    const requests = tables.of(keptRequests)
    const exchanges = tables.of(keptExchanges)
    const named = tables.of(organizations)
    return {
      request: Routine.fn(function* (environment, requestId) {
        const found = yield* requests.first({ environment, requestId })
        if (found === null) return null
        const organization = yield* named.get({ organizationId: found.organizationId })
        return { ...found, organization: organization?.name ?? found.organizationId }
      }),
      exchanges: (actors) => exchanges.list({ actor: oneOf(...actors) }, { order: ["actor", "attempt"] }),
      purgeRequests: purgeOf(keptRequests, requests),
      purgeExchanges: purgeOf(keptExchanges, exchanges),
    }
  }),
)

/** Writes what waits. Returns how many were lost since the last time: left out, or in a batch that failed. */
export const writeBodies = Effect.fnUntraced(function* (waiting: WaitingBodies) {
  const database = yield* Database
  const { write } = sqlOver(database)
  const { requests, exchanges, leftOut } = waiting.take()
  if (requests.length + exchanges.length === 0) return leftOut
  // The last of several rows with one key: a statement may not write a row twice.
  const latest = new Map(exchanges.map((one) => [`${one.actor} ${one.attempt}`, one]))
  const writing = Routine.zipRight(
    write("keeping requests", (orm) => ask(orm, KEEP_REQUESTS, [JSON.stringify(requests)])),
    write("keeping bodies of calls", (orm) =>
      ask(orm, KEEP_EXCHANGES, [JSON.stringify([...latest.values()])]),
    ),
  )
  const exit = yield* Effect.exit(inTransaction(database, writing))
  if (Exit.isSuccess(exit)) return leftOut
  // Not kept: the batch would fail again, and those behind it would wait with it.
  yield* Effect.logWarning("bodies for the inspector were not written", exit.cause)
  return leftOut + requests.length + exchanges.length
})

/** Writes while the service runs, and a last time at its end. */
export function layerBodyWriter(waiting: WaitingBodies): Layer.Layer<never, never, Database> {
  return Layer.scopedDiscard(
    Effect.gen(function* () {
      const database = yield* Database
      const attempt = Effect.provideService(writeBodies(waiting), Database, database).pipe(
        Effect.flatMap((count) =>
          count === 0 ? Effect.void : Effect.logWarning(`${count} bodies were left out for the inspector`),
        ),
      )
      yield* Effect.addFinalizer(() => attempt)
      const writing = Effect.forever(Effect.zipRight(Effect.sleep(KEPT_BODIES_WRITTEN_MS), attempt))
      yield* Effect.forkScoped(Effect.interruptible(writing))
    }),
  )
}

const KEEP_REQUESTS = `
  insert into kept_requests (request_id, environment, organization_id, at_ms, method, route, status, code, key_id,
    last_four, sent_id, sent, answered, is_cut)
  select "requestId", environment, "organizationId", "atMs", method, route, status, code, "keyId", "lastFour", "sentId",
    sent, answered, "isCut"
  from json_to_recordset($1::text::json) as kept ("requestId" text, environment text, "organizationId" text,
    "atMs" bigint, method text, route text, status integer, code text, "keyId" text, "lastFour" text, "sentId" text,
    sent text, answered text, "isCut" boolean)
  on conflict do nothing`

const KEEP_EXCHANGES = `
  insert into kept_exchanges (actor, attempt, at_ms, status, sent, answered, is_cut)
  select actor, attempt, "atMs", status, sent, answered, "isCut"
  from json_to_recordset($1::text::json) as kept (actor text, attempt integer, "atMs" bigint, status integer,
    sent text, answered text, "isCut" boolean)
  on conflict (actor, attempt) do update set at_ms = excluded.at_ms, status = excluded.status, sent = excluded.sent,
    answered = excluded.answered, is_cut = excluded.is_cut`
