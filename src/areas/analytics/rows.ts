/**
 * Session rows: stays of vehicles at stalls, one row for each stay. A stay is written in the transaction of the turn
 * that began or ended it, or imported.
 */

import { Context } from "effect"
import type { Environment } from "../../model/caller.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Transaction } from "../../engine/services/host.ts"
import { choice, epochMs, text } from "../../engine/services/tables/columns.ts"
import { table } from "../../engine/services/tables/table.ts"
import type { RowOf } from "../../engine/services/tables/table.ts"
import type { Routine } from "../../engine/services/routine.ts"
import type { Tally } from "./tally.ts"

export type SessionSource = "delivery" | "import" | "reservation"

export const stallSessions = table("stall_sessions", {
  one: "a session",
  many: "sessions",
  columns: {
    environment: choice<Environment>(),
    /** The address of the group that the stay belongs to; for an imported stay, its site and external id. */
    sessionId: text(),
    siteId: text(),
    /** Null when the vehicle stands at the store but not at a particular stall. */
    stallId: text().nullable(),
    startsAtMs: epochMs(),
    /** Null while the vehicle is there. */
    endsAtMs: epochMs().nullable(),
    source: choice<SessionSource>(),
  },
  key: ["environment", "sessionId"],
  indexes: [{ name: null, by: ["environment", "siteId"] }],
})

export type Session = RowOf<typeof stallSessions>

/** A session that begins; its site follows from the zone. */
export type SessionInZone = Omit<Session, "endsAtMs" | "siteId"> & { readonly zoneId: string }

/** A completed session. */
export type PastSession = Session & { readonly endsAtMs: EpochMs }

/** A query for the sums of a site's sessions. */
export interface TallyQuery {
  readonly environment: Environment
  readonly siteId: string
  /** At least two ascending instants, none after now; each pair of neighbours is one span. */
  readonly cuts: readonly EpochMs[]
  /** The end of unfinished sessions for the sums. */
  readonly nowMs: EpochMs
}

export class SessionRows extends Context.Tag("SessionRows")<
  SessionRows,
  {
    /** Begins a session. An existing one is not changed. */
    readonly begin: (session: Omit<Session, "endsAtMs">) => Routine<void, never, Transaction>
    /** The same at the site that the zone belongs to. A zone that is not known has no site, and no session begins. */
    readonly beginInZone: (session: SessionInZone) => Routine<void, never, Transaction>
    /** Ends a session, but not before it began. A missing or completed one is not changed. */
    readonly end: (
      session: Pick<Session, "environment" | "sessionId">,
      endsAtMs: EpochMs,
    ) => Routine<void, never, Transaction>
    /** Adds sessions of one site; existing ones are not changed. Returns how many were added. */
    readonly add: (sessions: readonly PastSession[]) => Routine<number, never, Transaction>
    /** Deletes a session; only a host without recording uses it. */
    readonly forget: (sessionId: string) => Routine<void, never, Transaction>
    readonly byId: (session: Pick<Session, "environment" | "sessionId">) => Routine<Session | null>
    /** One tally for each span, equal to `tallyOf` over all sessions of the site. */
    readonly tally: (query: TallyQuery) => Routine<readonly Tally[]>
  }
>() {}
