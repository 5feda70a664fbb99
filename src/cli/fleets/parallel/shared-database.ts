/**
 * The PostgreSQL database through which machines share replications: a schema of its own, created on first use, with
 * pg-boss's jobs and three tables. Each version of the program has a queue of its own, so that its jobs do not mix with
 * those of another version.
 */

import { setTimeout as after } from "node:timers/promises"
import { Data } from "effect"
import { PgBoss } from "pg-boss"
import {
  FLEET_DATABASE_AWAY_MS_MAX,
  FLEET_LEASE_LOOK_SECONDS,
  FLEET_LEASE_SECONDS,
  FLEET_LOST_MAX,
  FLEET_RESULTS_KEPT_HOURS,
} from "../../../model/values/limits.ts"
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../model/values/time.ts"

/** The schema, in the service's database or in a separate one. */
export const FLEET_SCHEMA = "curbline_fleet"

/** The database cannot be reached, or has been away for too long. */
export class FleetDatabaseFault extends Data.TaggedError("FleetDatabaseFault")<{
  readonly doing: string
  readonly found: string
}> {
  override get message(): string {
    return `${this.doing}: ${this.found}`
  }
}

export interface SharedOptions {
  /** May contain a password, so it is never part of a message. */
  readonly url: string
  /** Identifies the program: the same program makes the same bytes from the same model and seed. */
  readonly program: string
  /** Called once when the database is unreachable, and once more when it is back. */
  readonly tell: (line: string) => void
}

export interface SharedDatabase {
  readonly boss: PgBoss
  readonly queue: string
  readonly program: string
  /** A query outside pg-boss's own. */
  readonly rows: <R>(text: string, values: readonly unknown[]) => Promise<readonly R[]>
  /** Retries the action for some minutes while the database is unreachable. */
  readonly patiently: <A>(act: () => Promise<A>) => Promise<A>
  readonly close: () => Promise<void>
}

const AGAIN_AFTER_MS = SECOND_MS
/** A finished job has no information that its result does not have. */
const DONE_JOBS_KEPT_MS = HOUR_MS

export async function openShared({ url, program, tell }: SharedOptions): Promise<SharedDatabase> {
  const boss = new PgBoss({
    connectionString: url,
    schema: FLEET_SCHEMA,
    max: 4,
    application_name: "curbline fleet",
    schedule: false,
    monitorVacuum: false,
    superviseIntervalSeconds: FLEET_LEASE_LOOK_SECONDS,
    monitorIntervalSeconds: FLEET_LEASE_LOOK_SECONDS,
  })
  const patience = { isAway: false, tell }
  // Errors of idle connections are ignored: the next query reports them.
  boss.on("error", () => {})
  const queue = queueOf(program)
  try {
    await boss.start()
    await boss.getDb().executeSql(TABLES)
    await boss.getDb().executeSql(FORGET)
    await boss.createQueue(queue, {
      retryLimit: FLEET_LOST_MAX,
      heartbeatSeconds: FLEET_LEASE_SECONDS,
      // The lease detects a lost worker; this limit only has to be longer than any replication.
      expireInSeconds: (DAY_MS - MINUTE_MS) / SECOND_MS,
      retentionSeconds: (FLEET_RESULTS_KEPT_HOURS * HOUR_MS) / SECOND_MS,
      deleteAfterSeconds: DONE_JOBS_KEPT_MS / SECOND_MS,
    })
  } catch (cause) {
    await boss.stop({ graceful: false, close: true }).catch(() => {})
    throw new FleetDatabaseFault({ doing: `reaching the database ${placeOf(url)}`, found: reasonOf(cause) })
  }
  return {
    boss,
    queue,
    program,
    rows: async (text, values) => (await boss.getDb().executeSql(text, [...values])).rows,
    patiently: (act) => patiently(act, patience),
    close: () => boss.stop({ graceful: false, close: true }),
  }
}

function queueOf(program: string): string {
  return `replications-${program}`
}

/** The program that the queue belongs to. */
export function programOf(queue: string): string {
  return queue.replace(/^replications-/, "")
}

/** Host, port and name of the database: the parts of its URL that may be printed. */
export function placeOf(url: string): string {
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}

/** May run twice and concurrently: the script is one transaction, and a lock admits one at a time. */
const TABLES = `
  select pg_advisory_xact_lock(hashtextextended('${FLEET_SCHEMA}', 0));
  create table if not exists ${FLEET_SCHEMA}.fleet_models (
    key text primary key,
    text text not null,
    used_at timestamptz not null default now()
  );
  create table if not exists ${FLEET_SCHEMA}.fleet_replications (
    id uuid primary key,
    made text,
    fault text,
    used_at timestamptz not null default now(),
    check ((made is null) <> (fault is null))
  );
  create table if not exists ${FLEET_SCHEMA}.fleet_workers (
    id uuid primary key,
    program text not null,
    seen_at timestamptz not null default now()
  );
`

const FORGET = `
  delete from ${FLEET_SCHEMA}.fleet_replications where used_at < now() - interval '${FLEET_RESULTS_KEPT_HOURS} hours';
  delete from ${FLEET_SCHEMA}.fleet_models where used_at < now() - interval '${2 * FLEET_RESULTS_KEPT_HOURS} hours';
  delete from ${FLEET_SCHEMA}.fleet_workers where seen_at < now() - interval '1 hour';
`

async function patiently<A>(
  act: () => Promise<A>,
  state: { isAway: boolean; readonly tell: (line: string) => void },
): Promise<A> {
  const startedMs = performance.now()
  for (;;) {
    try {
      const answer = await act()
      if (state.isAway) state.tell("the database answers again")
      state.isAway = false
      return answer
    } catch (cause) {
      if (!isAway(cause)) throw cause
      const found = reasonOf(cause)
      if (performance.now() - startedMs > FLEET_DATABASE_AWAY_MS_MAX) {
        throw new FleetDatabaseFault({ doing: "waiting for the database", found })
      }
      if (!state.isAway) state.tell(`the database does not answer (${found}); trying again`)
      state.isAway = true
      await after(AGAIN_AFTER_MS)
    }
  }
}

/**
 * True for a lost connection, or a server that starts, stops or is full; a wrong statement is not retried. Every error
 * of the server or of a socket has a code. The driver (pg 8) throws plain errors without one when a connection ends or
 * cannot be made in time.
 */
function isAway(cause: unknown): boolean {
  const code = codeOf(cause)
  if (code === null) return cause instanceof Error && cause.constructor === Error
  return /^(08|53|57)...$/.test(code) || /^E(AI_AGAIN|CONN|HOST|NET|NOTFOUND|PIPE|TIMEDOUT)/.test(code)
}

function codeOf(cause: unknown): string | null {
  const code = (cause as { readonly code?: unknown } | null | undefined)?.code
  return typeof code === "string" ? code : null
}

/** A refused connection to a name with two addresses gives an error without a message. */
function reasonOf(cause: unknown): string {
  const said = cause instanceof Error ? cause.message : String(cause)
  return said === "" ? (codeOf(cause) ?? "no answer") : said
}
