/**
 * Scheduled work: hourly retention, once for each database however many nodes run. pg-boss keeps the schedule and the
 * jobs in a schema of its own in the same database; the node that fetches a job runs it. It starts beside the service:
 * if the schedule fails, the service still serves, and logs the failure until the schedule works again.
 */

import { Cause, Context, Effect, Exit, Fiber, FiberSet, Layer } from "effect"
import type { Scope } from "effect"
import { PgBoss, fromPglite } from "pg-boss"
import { SECOND_MS } from "../../model/values/time.ts"
import { Retention } from "../../engine/services/retention/retention.ts"
import { Database } from "../../engine/store/database.ts"
import type { JobsPlace } from "../../engine/store/database.ts"

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
  }
>() {}

const QUEUE = "retention"

/** At minute 17 of each hour, away from the full hour at which operators' own jobs usually run. */
const HOURLY = "17 * * * *"

/** How often a failed run is retried, and after how long the job of a stopped node goes to another node. */
const RETRIES_MAX = 3
const JOB_SECONDS_MAX = 15 * 60

const USUAL: ScheduledWorkOptions = { askEveryMs: 60 * SECOND_MS }

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
      const { jobs } = yield* Database
      const retention = yield* Retention
      const state: Working = { boss: null, runs: 0 }
      const working = Effect.scoped(
        Effect.gen(function* () {
          const boss = yield* started(jobs, cron)
          state.boss = boss
          return yield* Effect.forever(
            Effect.zipRight(workOff(boss, retention, state), Effect.sleep(askEveryMs)),
          )
        }),
      )
      const surviving = Effect.catchAllCause(working, (cause) =>
        Cause.isInterruptedOnly(cause)
          ? Effect.void
          : Effect.zipRight(Effect.logError("scheduled work failed", cause), Effect.sleep(AGAIN_AFTER_MS)),
      )
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
      }
    }),
  )
}

interface Working {
  /** Null until it has started. */
  boss: PgBoss | null
  runs: number
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
      yield* Effect.logError("retention failed", run.cause)
      yield* Effect.promise(() => boss.fail(QUEUE, job, { message: Cause.pretty(run.cause) }))
      return
    }
    yield* Effect.promise(() => boss.complete(QUEUE, job))
    state.runs += 1
    const found = run.value.filter(({ rows }) => rows > 0).map(({ name, rows }) => [name, String(rows)])
    yield* Effect.annotateLogs(Effect.logInfo("retention has run"), Object.fromEntries(found))
  })
}

function started(jobs: JobsPlace, cron: string): Effect.Effect<PgBoss, never, Scope.Scope> {
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
