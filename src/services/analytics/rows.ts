/**
 * Session rows: stays of vehicles at stalls, one row a stay. A stay is written where it happens, in the transaction of
 * the turn that began or ended it, or comes with imported history.
 */

import { Context } from "effect"
import type { Effect } from "effect"
import type { Environment } from "../../model/caller.ts"
import type { EpochMs } from "../../model/time.ts"
import type { Transaction } from "../host.ts"
import type { Tally } from "./tally.ts"

export type SessionSource = "delivery" | "import" | "reservation"

export interface Session {
  /** The address of the group that it is a stay of; of an imported one, its site and external id. */
  readonly sessionId: string
  readonly environment: Environment
  readonly siteId: string
  /** Null where a vehicle stands at the store and at no stall in particular. */
  readonly stallId: string | null
  readonly startsAtMs: EpochMs
  /** Null while the vehicle is there. */
  readonly endsAtMs: EpochMs | null
  readonly source: SessionSource
}

/** A session that begins; its site follows from the zone. */
export type SessionInZone = Omit<Session, "endsAtMs" | "siteId"> & { readonly zoneId: string }

/** A session that is over. */
export type PastSession = Session & { readonly endsAtMs: EpochMs }

/** What is asked of a site's sessions. */
export interface TallyQuery {
  readonly environment: Environment
  readonly siteId: string
  /** At least two instants, each after the one before it, none after now; every two neighbours are one span. */
  readonly cuts: readonly EpochMs[]
  /** Until when a vehicle that is still there has been there. */
  readonly nowMs: EpochMs
}

export class SessionRows extends Context.Tag("SessionRows")<
  SessionRows,
  {
    /** Begins a session. One that is known already stays as it is. */
    readonly begin: (session: Omit<Session, "endsAtMs">) => Effect.Effect<void, never, Transaction>
    /** The same at the site that the zone belongs to. A zone that is not known has no site, and no session begins. */
    readonly beginInZone: (session: SessionInZone) => Effect.Effect<void, never, Transaction>
    /** Ends a session, not before it began. None, or one that is over, stays as it is. */
    readonly end: (
      session: Pick<Session, "environment" | "sessionId">,
      endsAtMs: EpochMs,
    ) => Effect.Effect<void, never, Transaction>
    /** Adds sessions of one site; those that are known stay as they are. How many were not. */
    readonly add: (sessions: readonly PastSession[]) => Effect.Effect<number, never, Transaction>
    /** Drops a session as if it had never been; only a host that keeps no record asks for it. */
    readonly forget: (sessionId: string) => Effect.Effect<void, never, Transaction>
    readonly byId: (session: Pick<Session, "environment" | "sessionId">) => Effect.Effect<Session | null>
    /** One tally a span, as `tallyOf` counts over all sessions of the site. */
    readonly tally: (query: TallyQuery) => Effect.Effect<readonly Tally[]>
  }
>() {}
