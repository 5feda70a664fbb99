/**
 * Scheduled work: hourly retention, once for each database however many nodes run. pg-boss keeps the schedule and the
 * jobs in a schema of its own in the same database; the node that fetches a job runs it. It starts beside the service:
 * if the schedule fails, the service still serves, and logs the failure until the schedule works again.
 */

import { sql } from "drizzle-orm"
import { Cause, Clock, Context, Effect, Exit, Fiber, FiberSet, Layer } from "effect"
import type { Scope } from "effect"
import { PgBoss, fromPglite } from "pg-boss"
import { HOUR_MS, SECOND_MS } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { sentenceOf } from "../start/start-fault.ts"
import { Retention } from "../../engine/services/retention/retention.ts"
import { Database } from "../../engine/store/database.ts"
import type { JobsPlace } from "../../engine/store/database.ts"
import { sqlOver } from "../../engine/store/transaction.ts"

export interface ScheduledWorkOptions {
  /** How often a node polls for a job. */
  readonly askEveryMs: number
  /** When retention runs: a cron expression in UTC; by default at minute 17 of each hour. */
  readonly cron?: string
}

/** The schedule. `ask` queues a job now, in addition to the schedule, once the schedule exists. */
export class ScheduledWork extends Context.Tag("ScheduledWork")<
  ScheduledWork,
  {
    readonly ask: Effect.Effect<void>
    /** Retention runs that this node has completed. */
    readonly runs: Effect.Effect<number>
    readonly state: Effect.Effect<ScheduledWorkState>
  }
>() {}

export interface ScheduledWorkState {
  /** Why scheduled work cannot run, or has not for too long; null when it is in order. */
  readonly problem: string | null
  /** When a node last completed retention on this database; null before the first time, and while it is unknown. */
  readonly lastCompletedMs: EpochMs | null
}

const QUEUE = "retention"

/** At minute 17 of each hour, away from the full hour at which operators' own jobs usually run. */
const HOURLY = "17 * * * *"

/** How often a failed run is retried, and after how long the job of a stopped node goes to another node. */
const RETRIES_MAX = 3
const JOB_SECONDS_MAX = 15 * 60

const USUAL: ScheduledWorkOptions = { askEveryMs: 60 * SECOND_MS }

/** Retention that no node has completed for so long is late. */
const LATE_MS = 2 * HOUR_MS

/** Pause after a failure of the schedule itself. */
const AGAIN_AFTER_MS = 60 * SECOND_MS

export function layerScheduledWork({ askEveryMs, cron = HOURLY }: ScheduledWorkOptions = USUAL): Layer.Layer<
  ScheduledWork,
  never,
  Database | Retention
> {
  return Layer.scoped(
    ScheduledWork,
    Effect.gen(function* () {
      const database = yield* Database
      const retention = yield* Retention
      const state: Working = {
        boss: null,
        runs: 0,
        scheduleProblem: null,
        runProblem: null,
        lastCompletedMs: null,
      }
      const sinceMs = yield* Clock.currentTimeMillis
      const working = Effect.scoped(
        Effect.gen(function* () {
          const boss = yield* started(database.jobs, cron, state)
          state.boss = boss
          const round = Effect.gen(function* () {
            yield* workOff(boss, retention, state)
            state.lastCompletedMs = yield* readLastCompleted(database)
            state.scheduleProblem = null
          })
          return yield* Effect.forever(Effect.zipRight(round, Effect.sleep(askEveryMs)))
        }),
      )
      const surviving = Effect.catchAllCause(working, (cause) => {
        if (Cause.isInterruptedOnly(cause)) return Effect.void
        state.scheduleProblem = sentenceOf(Cause.squash(cause))
        return Effect.zipRight(Effect.logError("scheduled work failed", cause), Effect.sleep(AGAIN_AFTER_MS))
      })
      yield* Effect.acquireRelease(
        Effect.forkDaemon(Effect.interruptible(Effect.forever(surviving))),
        Fiber.interrupt,
      )
      return {
        ask: Effect.gen(function* () {
          while (state.boss === null) yield* Effect.sleep(askEveryMs)
          yield* send(state.boss)
        }),
        runs: Effect.sync(() => state.runs),
        state: Effect.map(Clock.currentTimeMillis, (nowMs) => stateOfWork(state, { sinceMs, nowMs })),
      }
    }),
  )
}

interface Working extends FoundState {
  /** Null until it has started. */
  boss: PgBoss | null
  runs: number
}

interface FoundState {
  /** Why jobs cannot be fetched; null once they were. */
  scheduleProblem: string | null
  /** Why the last run failed; null once one has succeeded. */
  runProblem: string | null
  lastCompletedMs: EpochMs | null
}

interface Span {
  /** When this node started. */
  readonly sinceMs: EpochMs
  readonly nowMs: EpochMs
}

/** A node that has just started knows nothing about runs that should have been before. */
export function stateOfWork(found: FoundState, { sinceMs, nowMs }: Span): ScheduledWorkState {
  const { scheduleProblem, runProblem, lastCompletedMs } = found
  const isLate = nowMs - Math.max(sinceMs, lastCompletedMs ?? 0) > LATE_MS
  const last = lastCompletedMs === null ? "never" : new Date(lastCompletedMs).toISOString()
  const reason = scheduleProblem ?? runProblem ?? (isLate ? "no node has run it for two hours" : null)
  return {
    problem: reason === null ? null : `retention cannot run: ${reason}; last completed: ${last}`,
    lastCompletedMs,
  }
}

/** Of all nodes, by the database's clock. */
function readLastCompleted(database: Database["Type"]): Effect.Effect<EpochMs | null> {
  return Effect.map(
    sqlOver(database).read("reading when retention was completed", (orm) =>
      orm
        .select({ ms: sql<string | null>`floor(extract(epoch from max(completed_on)) * 1000)::bigint` })
        .from(sql`pgboss.job`)
        .where(sql`name = ${QUEUE} and state = 'completed'`),
    ),
    ([row]) => (typeof row?.ms === "undefined" || row.ms === null ? null : Number(row.ms)),
  )
}

function send(boss: PgBoss): Effect.Effect<void> {
  return Effect.promise(() => boss.send(QUEUE, {}))
}

/** Runs the waiting jobs one after the other. */
function workOff(boss: PgBoss, retention: Retention["Type"], state: Working): Effect.Effect<void> {
  return Effect.acquireUseRelease(
    Effect.promise(() => boss.fetch(QUEUE)),
    ([job]) =>
      job === undefined
        ? Effect.succeed(false)
        : Effect.as(retentionOf(boss, job.id, retention, state), true),
    // A node that stops in the middle puts its job back, so that another node need not wait until the job expires.
    ([job], exit) =>
      job !== undefined && Exit.isInterrupted(exit)
        ? Effect.promise(() => boss.fail(QUEUE, job.id, { message: "the node stopped" }))
        : Effect.void,
  ).pipe(Effect.repeat({ while: (more) => more }), Effect.asVoid)
}

/** One run for the job. A failed run is put back for a retry. */
function retentionOf(
  boss: PgBoss,
  job: string,
  retention: Retention["Type"],
  state: Working,
): Effect.Effect<void> {
  return Effect.gen(function* () {
    const run = yield* Effect.exit(retention.run)
    if (Exit.isFailure(run)) {
      state.runProblem = sentenceOf(Cause.squash(run.cause))
      yield* Effect.logError("retention failed", run.cause)
      yield* Effect.promise(() => boss.fail(QUEUE, job, { message: Cause.pretty(run.cause) }))
      return
    }
    yield* Effect.promise(() => boss.complete(QUEUE, job))
    state.runs += 1
    state.runProblem = null
    const found = run.value.filter(({ rows }) => rows > 0).map(({ name, rows }) => [name, String(rows)])
    yield* Effect.annotateLogs(Effect.logInfo("retention has run"), Object.fromEntries(found))
  })
}

function started(jobs: JobsPlace, cron: string, state: Working): Effect.Effect<PgBoss, never, Scope.Scope> {
  return Effect.acquireRelease(
    Effect.gen(function* () {
      const log = yield* FiberSet.makeRuntime()
      const boss = new PgBoss({
        ...("client" in jobs
          ? { db: embedded(jobs), backend: "pglite" as const, reindex: false }
          : { connectionString: jobs.url(), max: 2, application_name: "curbline jobs" }),
        // The database's clock schedules the jobs; ours only decides when to poll.
        monitorVacuum: false,
      })
      boss.on("error", (error) => {
        state.scheduleProblem = sentenceOf(error)
        // As a cause, of which the log shows name, sentence and place: the error of a client has the client in it.
        log(Effect.logError("scheduled work: the schedule ran into an error", Cause.die(error)))
      })
      yield* Effect.promise(() => boss.start())
      yield* Effect.promise(() =>
        boss.createQueue(QUEUE, {
          policy: "singleton",
          retryLimit: RETRIES_MAX,
          expireInSeconds: JOB_SECONDS_MAX,
        }),
      )
      yield* Effect.promise(() => boss.schedule(QUEUE, cron))
      return boss
    }),
    (boss) => Effect.promise(() => boss.stop({ graceful: false, close: true })),
  )
}

/**
 * PGlite has one connection. After a failed block of statements the transaction stays broken until the adapter's own
 * rollback runs, and a statement in between would fail. Therefore each block runs inside a transaction of PGlite, which
 * rolls back before any other statement runs.
 */
function embedded({ client }: EmbeddedPlace): ReturnType<typeof fromPglite> {
  return fromPglite({
    query: (text, values) => client().query(text, values),
    exec: (text) =>
      /^\s*begin/i.test(text)
        ? client().transaction((transaction) => transaction.exec(text))
        : client().exec(text),
  })
}

type EmbeddedPlace = Extract<JobsPlace, { readonly client: unknown }>
