/** The request log over its declared tables. */

import { Effect, Layer } from "effect"
import { above, among, descending } from "../../engine/services/tables/conditions.ts"
import { purgeOf } from "../../engine/services/tables/purge.ts"
import { Tables } from "../../engine/services/tables/tables.ts"
import { Routine } from "../../engine/services/routine.ts"
import { CallRows, loggedBodies, loggedCalls } from "./call-rows.ts"

type Rows = CallRows["Type"]

/** Statements that a host may tune. */
export type CallWrites = Pick<Rows, "append" | "cut">

export function callRowsOver(tables: Tables["Type"], writes: CallWrites): Rows {
  const calls = tables.of(loggedCalls)
  const bodies = tables.of(loggedBodies)
  const newest = [descending("number")] as const
  return {
    ...writes,
    newest: ({ organizationId, environment }, limit, behind = 0) =>
      calls.list({ organizationId, environment, number: above(behind) }, { order: newest, limit }),
    byRequest: ({ organizationId, environment }, requestId) =>
      calls.first({ organizationId, environment, requestId }, newest),
    bodies: (callId) => bodies.get({ callId }),
    purge: purgeOf(loggedCalls, calls),
    purgeBodies: purgeOf(loggedBodies, bodies),
  }
}

/** One row after the other; `./store` writes a batch in two statements. */
function plainCallWrites(tables: Tables["Type"]): CallWrites {
  const calls = tables.of(loggedCalls)
  const bodies = tables.of(loggedBodies)
  return {
    append: (added) =>
      Routine.forEach(
        added,
        ({ sent, answered, isCut, ...call }) =>
          Routine.zipRight(
            calls.insert(call),
            bodies.insert({ callId: call.callId, atMs: call.atMs, sent, answered, isCut }),
          ),
        { discard: true },
      ),
    cut: Routine.fn(function* ({ organizationId, environment }, keep) {
      const all = yield* calls.list({ organizationId, environment }, { order: [descending("number")] })
      const ids = all.slice(keep).map(({ callId }) => callId)
      yield* calls.delete({ callId: among(...ids) })
      yield* bodies.delete({ callId: among(...ids) })
    }),
  }
}

export const layerPlainCallRows: Layer.Layer<CallRows, never, Tables> = Layer.effect(
  CallRows,
  Effect.map(Tables, (tables) => callRowsOver(tables, plainCallWrites(tables))),
)
