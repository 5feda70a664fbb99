/** The request log over SQL: a batch is written in two statements, and a log is cut in one. */

import { Effect, Layer } from "effect"
import { callRowsOver } from "../call-repository.ts"
import { CallRows } from "../call-rows.ts"
import type { NewCall } from "../call-rows.ts"
import { Database } from "../../../engine/store/database.ts"
import { ask } from "../../../engine/store/prepared-query.ts"
import { tablesOver } from "../../../engine/store/sql-tables.ts"
import { sqlOver } from "../../../engine/store/transaction.ts"
import { Routine } from "../../../engine/services/routine.ts"

export const layerCallRows: Layer.Layer<CallRows, never, Database> = Layer.effect(
  CallRows,
  Effect.map(Database, (database) => {
    const { write } = sqlOver(database)
    return callRowsOver(tablesOver(database), {
      append: (calls) =>
        Routine.zipRight(
          write("writing logged calls", (orm) => ask(orm, APPEND_CALLS, [JSON.stringify(calls.map(rowOf))])),
          write("writing logged bodies", (orm) =>
            ask(orm, APPEND_BODIES, [JSON.stringify(calls.map(rowOf))]),
          ),
        ),
      cut: ({ organizationId, environment }, keep) =>
        write("cutting a request log", (orm) => ask(orm, CUT, [organizationId, environment, keep])),
    })
  }),
)

function rowOf(call: NewCall): object {
  return {
    call_id: call.callId,
    organization_id: call.organizationId,
    environment: call.environment,
    at_ms: call.atMs,
    method: call.method,
    route: call.route,
    path: call.path,
    status: call.status,
    code: call.code,
    ms: call.ms,
    request_id: call.requestId,
    key_id: call.keyId,
    last_four: call.lastFour,
    sent: call.sent,
    answered: call.answered,
    is_cut: call.isCut,
  }
}

/** The serial numbers follow the order of the list. */
const APPEND_CALLS = `
  insert into logged_calls (call_id, organization_id, environment, at_ms, method, route, path, status, code, ms,
    request_id, key_id, last_four)
  select call_id, organization_id, environment, at_ms, method, route, path, status, code, ms, request_id, key_id, last_four
  from rows from (json_to_recordset($1::text::json) as (call_id text, organization_id text, environment text,
    at_ms bigint, method text, route text, path text, status integer, code text, ms integer, request_id text,
    key_id text, last_four text)) with ordinality as sent (call_id, organization_id, environment, at_ms, method, route,
    path, status, code, ms, request_id, key_id, last_four, place)
  order by place`

const APPEND_BODIES = `
  insert into logged_bodies (call_id, at_ms, sent, answered, is_cut)
  select call_id, at_ms, sent, answered, is_cut
  from json_to_recordset($1::text::json) as sent (call_id text, at_ms bigint, sent text, answered text, is_cut boolean)`

/** $1 organization, $2 environment, $3 how many stay. */
const CUT = `
  with gone as (
    delete from logged_calls
    where organization_id = $1 and environment = $2 and number <= (
      select number from logged_calls where organization_id = $1 and environment = $2
      order by number desc offset $3::integer limit 1)
    returning call_id)
  delete from logged_bodies using gone where logged_bodies.call_id = gone.call_id`
