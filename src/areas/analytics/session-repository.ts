/** Sessions over their declared table, counted one by one; `./store` keeps sums of quarters of an hour. */

import { Effect, Layer } from "effect"
import { ENVIRONMENTS } from "../../model/caller.ts"
import { zones } from "../catalog/rows.ts"
import { Tables } from "../../engine/services/tables/tables.ts"
import { Routine } from "../../engine/services/routine.ts"
import { SessionRows, stallSessions } from "./rows.ts"
import { tallyOf } from "./tally.ts"

/** Cost of `tally`: reads every session of the site for every span. */
export const layerPlainSessionRows: Layer.Layer<SessionRows, never, Tables> = Layer.effect(
  SessionRows,
  Effect.map(Tables, (tables): SessionRows["Type"] => {
    const sessions = tables.of(stallSessions)
    const allZones = tables.of(zones)
    return {
      begin: (session) => sessions.insertOrIgnore({ ...session, endsAtMs: null }),
      beginInZone: Routine.fn(function* ({ zoneId, ...session }) {
        const zone = yield* allZones.get({ environment: session.environment, zoneId })
        if (zone !== null) yield* sessions.insertOrIgnore({ ...session, siteId: zone.siteId, endsAtMs: null })
      }),
      end: Routine.fn(function* ({ environment, sessionId }, endsAtMs) {
        const known = yield* sessions.get({ environment, sessionId })
        if (known === null || known.endsAtMs !== null) return
        yield* sessions.update({ environment, sessionId }, { endsAtMs: Math.max(known.startsAtMs, endsAtMs) })
      }),
      add: (added) =>
        Routine.map(
          Routine.forEach(added, (session) => sessions.insertIfAbsent(session)),
          (areNew) => areNew.filter(Boolean).length,
        ),
      forget: (sessionId) =>
        Routine.forEach(ENVIRONMENTS, (environment) => sessions.delete({ environment, sessionId }), {
          discard: true,
        }),
      byId: ({ environment, sessionId }) => sessions.get({ environment, sessionId }),
      tally: ({ environment, siteId, cuts, nowMs }) =>
        Routine.map(sessions.list({ environment, siteId }, { order: "any" }), (stays) =>
          tallyOf(stays, { cuts, nowMs }),
        ),
    }
  }),
)
