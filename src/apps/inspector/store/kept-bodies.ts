/** Requests and bodies for the inspector over SQL. A batch of each is written in one statement. */

import { Effect, Exit, Layer } from "effect"
import { organizations } from "../../../http/access/rows.ts"
import { KEPT_BODIES_WRITTEN_MS } from "../../../model/values/limits.ts"
import { Routine } from "../../../engine/services/routine.ts"
import { oneOf } from "../../../engine/services/tables/conditions.ts"
import { purgeOf } from "../../../engine/services/tables/purge.ts"
import { Database } from "../../../engine/store/database.ts"
import { ask } from "../../../engine/store/prepared-query.ts"
import { tablesOver } from "../../../engine/store/sql-tables.ts"
import { inTransaction, sqlOver } from "../../../engine/store/transaction.ts"
import { KeptBodies, keptExchanges, keptRequests } from "../kept-bodies.ts"
import type { NewBodies, WaitingBodies } from "../kept-bodies.ts"

export const layerKeptBodies: Layer.Layer<KeptBodies, never, Database> = Layer.effect(
  KeptBodies,
  Effect.map(Database, (database): KeptBodies["Type"] => {
    const tables = tablesOver(database)
    const requests = tables.of(keptRequests)
    const exchanges = tables.of(keptExchanges)
    const named = tables.of(organizations)
    return {
      append: (added) => appending(database, added),
      request: Routine.fn(function* (environment, requestId) {
        const found = yield* requests.first({ environment, requestId })
        if (found === null) return null
        const { organizationId } = found
        if (organizationId === null) return { ...found, organization: null }
        const organization = yield* named.get({ organizationId })
        return { ...found, organization: organization?.name ?? organizationId }
      }),
      exchanges: (actors) => exchanges.list({ actor: oneOf(...actors) }, { order: ["actor", "attempt"] }),
      purgeRequests: purgeOf(keptRequests, requests),
      purgeExchanges: purgeOf(keptExchanges, exchanges),
    }
  }),
)

/** Inside of a transaction. */
function appending(database: Database["Type"], { requests, exchanges }: NewBodies): Routine<void> {
  const { write } = sqlOver(database)
  return Routine.zipRight(
    write("keeping requests", (orm) => ask(orm, KEEP_REQUESTS, [JSON.stringify(requests)])),
    write("keeping bodies of calls", (orm) =>
      ask(orm, KEEP_EXCHANGES, [JSON.stringify(latestOf(exchanges))]),
    ),
  )
}

/** The last of several rows with one key: a statement may not write a row twice. */
function latestOf(exchanges: NewBodies["exchanges"]): NewBodies["exchanges"] {
  return [...new Map(exchanges.map((one) => [`${one.actor} ${one.attempt}`, one])).values()]
}

/** Writes what waits, while the service runs and a last time at its end. */
export function layerBodyWriter(waiting: WaitingBodies): Layer.Layer<never, never, Database> {
  return Layer.scopedDiscard(
    Effect.gen(function* () {
      const database = yield* Database
      const attempt = Effect.suspend(() =>
        written(waiting, (added) => inTransaction(database, appending(database, added))),
      )
      yield* Effect.addFinalizer(() => attempt)
      const writing = Effect.forever(Effect.zipRight(Effect.sleep(KEPT_BODIES_WRITTEN_MS), attempt))
      yield* Effect.forkScoped(Effect.interruptible(writing))
    }),
  )
}

/** A batch that fails is not kept: it would fail again, and those behind it would wait with it. */
const written = Effect.fnUntraced(function* (
  waiting: WaitingBodies,
  append: (added: NewBodies) => Effect.Effect<void>,
) {
  const { leftOut, ...added } = waiting.take()
  const count = added.requests.length + added.exchanges.length
  const exit = count === 0 ? Exit.void : yield* Effect.exit(append(added))
  if (Exit.isFailure(exit))
    yield* Effect.logWarning(`${count} bodies for the inspector were not written`, exit.cause)
  if (leftOut > 0) yield* Effect.logWarning(`${leftOut} bodies for the inspector were left out`)
})

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
