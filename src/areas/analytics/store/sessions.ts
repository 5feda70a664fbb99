/** Session rows over SQL. The sums of past sessions are stored by quarter hours and read from there. */

import { and, eq, isNull, sql } from "drizzle-orm"
import type { SQL } from "drizzle-orm"
import type { PgColumn } from "drizzle-orm/pg-core"
import { Effect, Layer } from "effect"
import { cutQuartersOf, quartersOf, tallyCutQuarters } from "../quarters.ts"
import type { Quarter } from "../quarters.ts"
import { SessionRows, stallSessions as declaredSessions } from "../rows.ts"
import type { PastSession, Session, TallyQuery } from "../rows.ts"
import { NOTHING, plus, tallyOf } from "../tally.ts"
import type { Tally } from "../tally.ts"
import { Database } from "../../../engine/store/database.ts"
import type { Orm } from "../../../engine/store/database.ts"
import { declaredTable } from "../../../engine/store/declared-table.ts"
import { stallQuarters } from "../../../engine/store/schema.ts"
import { tallied } from "./sessions-tally.ts"
import type { Counted } from "./sessions-tally.ts"
import { sqlOver } from "../../../engine/store/transaction.ts"
import { ask, placesOf, preparedQuery } from "../../../engine/store/prepared-query.ts"
import { Routine } from "../../../engine/services/routine.ts"

const stallSessions = declaredTable(declaredSessions)

export const layerSessionRows: Layer.Layer<SessionRows, never, Database> = Layer.effect(
  SessionRows,
  Effect.map(Database, (database): SessionRows["Type"] => {
    const { read, write, writeReturning } = sqlOver(database)
    const beginning = preparedQuery(database, (orm) =>
      orm
        .insert(stallSessions)
        .values(placesOf(stallSessions))
        .onConflictDoNothing()
        .prepare("begin session"),
    )
    return {
      begin: (session) =>
        write("beginning a session", (orm) => beginning(orm).execute({ endsAtMs: null, ...session })),
      beginInZone: ({ environment, sessionId, zoneId, stallId, startsAtMs, source }) =>
        write("beginning a session", (orm) =>
          ask(orm, BEGIN_IN_ZONE, [environment, sessionId, stallId, startsAtMs, source, zoneId]),
        ),
      // After the insert, which may be in flight in the same transaction.
      end: (session, endsAtMs) => writeReturning("ending a session", (orm) => end(orm, session, endsAtMs)),
      add: (sessions) => writeReturning("adding sessions", (orm) => add(orm, sessions)),
      forget: (sessionId) => writeReturning("forgetting a session", (orm) => forget(orm, sessionId)),
      byId: ({ environment, sessionId }) =>
        Routine.map(
          read("reading a session", (orm) =>
            orm
              .select()
              .from(stallSessions)
              .where(and(eq(stallSessions.environment, environment), eq(stallSessions.sessionId, sessionId))),
          ),
          ([row]) => row ?? null,
        ),
      tally: (query) =>
        Routine.map(
          read("counting sessions", (orm) => tallied(orm, query, cutQuartersOf(query.cuts))),
          (counted) => spansOf(query, counted),
        ),
    }
  }),
)

/** One statement: a read of the zone before it would be a round trip of its own. */
const BEGIN_IN_ZONE = `insert into stall_sessions (environment, session_id, site_id, stall_id, starts_at_ms, source)
  select $1::text, $2::text, site_id, $3::text, $4::bigint, $5::text from zones where environment = $1 and zone_id = $6
  on conflict do nothing`

/** Three parts of the sessions: whole quarters, cut quarters, and unfinished sessions. */
function spansOf({ cuts, nowMs }: TallyQuery, { whole, cutQuarters, there }: Counted): readonly Tally[] {
  const parts = tallyCutQuarters(cutQuarters, cuts)
  const present = tallyOf(there, { cuts, nowMs })
  return cuts
    .slice(0, -1)
    .map((_, at) =>
      [whole.get(at), parts[at], present[at]].reduce<Tally>(
        (sum, part) => plus(sum, part ?? NOTHING),
        NOTHING,
      ),
    )
}

async function end(
  orm: Orm,
  { environment, sessionId }: Pick<Session, "environment" | "sessionId">,
  endsAtMs: number,
): Promise<void> {
  const ended = await orm
    .update(stallSessions)
    .set({ endsAtMs: sql`greatest(${stallSessions.startsAtMs}, ${endsAtMs}::bigint)` })
    .where(
      and(
        eq(stallSessions.environment, environment),
        eq(stallSessions.sessionId, sessionId),
        isNull(stallSessions.endsAtMs),
      ),
    )
    .returning()
  await addQuarters(orm, ended.map(past))
}

async function add(orm: Orm, sessions: readonly PastSession[]): Promise<number> {
  if (sessions.length === 0) return 0
  const added = await orm
    .insert(stallSessions)
    .select(
      sql`select * from json_to_recordset(${JSON.stringify(sessions.map(columnsOf))}::json) as sent
        (environment text, session_id text, site_id text, stall_id text,
         starts_at_ms bigint, ends_at_ms bigint, source text)`,
    )
    .onConflictDoNothing()
    .returning()
  await addQuarters(orm, added.map(past))
  return added.length
}

async function forget(orm: Orm, sessionId: string): Promise<void> {
  const gone = await orm.delete(stallSessions).where(eq(stallSessions.sessionId, sessionId)).returning()
  await addQuarters(orm, gone.filter(({ endsAtMs }) => endsAtMs !== null).map(past), -1)
}

/** In a fixed order, so that transactions that add to the same quarters cannot deadlock. */
async function addQuarters(orm: Orm, sessions: readonly PastSession[], times: 1 | -1 = 1): Promise<void> {
  const bySite = Map.groupBy(sessions, ({ environment, siteId }) => JSON.stringify([environment, siteId]))
  for (const ofSite of [...bySite.keys()].toSorted().map((key) => bySite.get(key) ?? [])) {
    const [first] = ofSite
    if (first === undefined) continue
    const { environment, siteId } = first
    const quarters = quartersOf(ofSite).map((quarter) =>
      quarterColumnsOf({ environment, siteId }, quarter, times),
    )
    await orm
      .insert(stallQuarters)
      .select(
        sql`select * from json_to_recordset(${JSON.stringify(quarters)}::json) as added
          (environment text, site_id text, quarter_ms bigint, began integer, stay_ms bigint,
           occupied_ms bigint, throughout integer)`,
      )
      .onConflictDoUpdate({
        target: [stallQuarters.environment, stallQuarters.siteId, stallQuarters.quarterMs],
        set: {
          began: plusAdded(stallQuarters.began, "began"),
          stayMs: plusAdded(stallQuarters.stayMs, "stay_ms"),
          occupiedMs: plusAdded(stallQuarters.occupiedMs, "occupied_ms"),
          throughout: plusAdded(stallQuarters.throughout, "throughout"),
        },
      })
  }
}

function plusAdded(column: PgColumn, name: string): SQL {
  return sql`${column} + ${sql.raw(`excluded.${name}`)}`
}

function columnsOf(session: PastSession): Readonly<Record<string, unknown>> {
  return {
    environment: session.environment,
    session_id: session.sessionId,
    site_id: session.siteId,
    stall_id: session.stallId,
    starts_at_ms: session.startsAtMs,
    ends_at_ms: session.endsAtMs,
    source: session.source,
  }
}

function quarterColumnsOf(
  { environment, siteId }: Pick<Session, "environment" | "siteId">,
  { quarterMs, began, stayMs, occupiedMs, throughout }: Quarter,
  times: 1 | -1,
): Readonly<Record<string, unknown>> {
  return {
    environment,
    site_id: siteId,
    quarter_ms: quarterMs,
    began: began * times,
    stay_ms: stayMs * times,
    occupied_ms: occupiedMs * times,
    throughout: throughout * times,
  }
}

function past(session: Session): PastSession {
  const { startsAtMs, endsAtMs } = session
  return { ...session, endsAtMs: endsAtMs ?? startsAtMs }
}
