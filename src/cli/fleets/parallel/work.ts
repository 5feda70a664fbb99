/**
 * A worker: takes replications from the shared database, makes them on threads, and stores the results. Its main thread
 * only talks to the database, so that it can renew its lease however long a replication takes.
 */

import { randomUUID } from "node:crypto"
import { setTimeout as after } from "node:timers/promises"
import { Data } from "effect"
import { FLEET_ALIVE_MS, FLEET_LOOK_MS } from "../../../model/values/limits.ts"
import type { FleetModel } from "../../../simulation/fleet/language/model.ts"
import type { Replication } from "../../../simulation/fleet/world/replication.ts"
import type { Replicate } from "../../../simulation/fleet/search/evaluate.ts"
import { FLEET_SCHEMA, openShared, programOf } from "./shared-database.ts"
import type { SharedDatabase, SharedOptions } from "./shared-database.ts"
import { recent } from "./sent-parts.ts"
import { modelOf } from "./task-text.ts"
import type { TaskData } from "./task-text.ts"

/** The queue has only jobs of another version of the program, whose bytes this one would not reproduce. */
export class OtherProgram extends Data.TaggedError("OtherProgram")<{
  readonly program: string
  readonly asked: string
  readonly jobs: number
}> {
  override get message(): string {
    const { program, asked, jobs } = this
    return `${jobs} replications wait for the program ${asked}, and this is ${program}: nothing is taken; bring both machines to the same commit`
  }
}

export interface WorkOptions extends SharedOptions {
  readonly replicate: Replicate
  /** Replications at once. */
  readonly atOnce: number
  readonly onDone: (made: Replication) => void
  /** Stops the worker; its unfinished jobs go back to the queue. */
  readonly stopped: AbortSignal
}

interface Job {
  readonly id: string
  readonly retryCount: number
  readonly data: TaskData
}

interface Working {
  readonly shared: SharedDatabase
  readonly options: WorkOptions
  readonly taken: Map<string, Job>
  /** The last ones by their keys, because the threads read the same object once. */
  readonly models: Map<string, FleetModel>
}

/** Works until it is stopped. Fails with OtherProgram when the queue has jobs, but only of another version. */
export async function work(options: WorkOptions): Promise<void> {
  const shared = await openShared(options)
  const id = randomUUID()
  const taken = new Map<string, Job>()
  const alive = setInterval(() => {
    // A failure shows at the next fetch; if the lease ends meanwhile, another worker takes the jobs.
    tellAlive(shared, id, taken).catch(() => {})
  }, FLEET_ALIVE_MS)
  const { stopped } = options
  const stop = new Promise<void>((resolve) => {
    stopped.addEventListener("abort", () => resolve(), { once: true })
  })
  try {
    await tellAlive(shared, id, taken)
    await Promise.race([stop, takeTurns({ shared, options, taken, models: new Map() })])
  } finally {
    clearInterval(alive)
    await leave(shared, id, taken).catch(() => {})
    await shared.close()
  }
}

/** Takes as many jobs as there are free threads, and polls again when one is done or after a pause. */
async function takeTurns(working: Working): Promise<void> {
  const { shared, options, taken } = working
  const { boss, queue } = shared
  const broken: unknown[] = []
  let wake = (): void => {}
  while (!options.stopped.aborted) {
    if (broken.length > 0) throw broken[0]
    const woken = new Promise<void>((resolve) => {
      wake = resolve
    })
    const room = options.atOnce - taken.size
    const jobs =
      room === 0
        ? []
        : await shared.patiently(() =>
            boss.fetch<TaskData>(queue, { batchSize: room, includeMetadata: true }),
          )
    for (const job of jobs) {
      taken.set(job.id, job)
      make(job, working)
        .then(() => taken.delete(job.id))
        .catch((cause: unknown) => broken.push(cause))
        .finally(() => wake())
    }
    if (jobs.length === room && room > 0) continue
    const other = taken.size === 0 ? await shared.patiently(() => otherProgram(shared)) : null
    if (other !== null) throw other
    await (room === 0 ? woken : Promise.race([woken, after(FLEET_LOOK_MS)]))
  }
}

async function make(job: Job, { shared, options, models }: Working): Promise<void> {
  const { boss, queue } = shared
  const { model: key, seed, hasCourse, isRepeat } = job.data
  const [found] = await shared.patiently(() =>
    shared.rows<{ text: string }>(`select text from ${FLEET_SCHEMA}.fleet_models where key = $1`, [key]),
  )
  if (found === undefined) {
    // The model was deleted: a caller that still waits sends both again.
    await shared.patiently(() => boss.deleteJob(queue, job.id))
    return
  }
  const model = recent(models, key, () => modelOf(found.text))
  const made = await options.replicate({ model, seed, hasCourse, isRepeat }).then(
    (replication) => ({ replication }),
    (cause: unknown) => ({ fault: cause instanceof Error ? cause.message : String(cause) }),
  )
  // The threads were ended because the worker stops; the model did not fail.
  if (options.stopped.aborted) return
  const [text, fault] = "fault" in made ? [null, made.fault] : [JSON.stringify(made.replication), null]
  // The result is stored first: if the worker is lost in between, the job is made again, with the same bytes.
  await shared.patiently(() =>
    shared.rows(
      `insert into ${FLEET_SCHEMA}.fleet_replications (id, made, fault) values ($1, $2, $3) on conflict (id) do nothing`,
      [job.id, text, fault],
    ),
  )
  await shared.patiently(() => boss.complete(queue, { id: job.id, retryCount: job.retryCount }))
  if ("replication" in made) options.onDone(made.replication)
  else options.tell(`seed ${seed}: ${made.fault}`)
}

/** Which other program has waiting jobs, when there are none for this one. */
async function otherProgram(shared: SharedDatabase): Promise<OtherProgram | null> {
  const found = await shared.rows<{ name: string; count: number; own: number }>(
    `select name, count(*)::int as count from ${FLEET_SCHEMA}.job
     where name like 'replications-%' and state < 'completed' group by name order by name`,
    [],
  )
  const [other] = found
  if (other === undefined || found.some(({ name }) => name === shared.queue)) return null
  const { program } = shared
  return new OtherProgram({ program, asked: programOf(other.name), jobs: other.count })
}

async function tellAlive(shared: SharedDatabase, id: string, taken: ReadonlyMap<string, Job>): Promise<void> {
  const { boss, queue, program } = shared
  await shared.rows(
    `insert into ${FLEET_SCHEMA}.fleet_workers (id, program) values ($1, $2)
     on conflict (id) do update set seen_at = now()`,
    [id, program],
  )
  if (taken.size > 0) await boss.touch(queue, attemptsOf(taken))
}

/** Gives jobs back, so that another worker need not wait for the lease. */
async function leave(shared: SharedDatabase, id: string, taken: ReadonlyMap<string, Job>): Promise<void> {
  if (taken.size > 0) await shared.boss.fail(shared.queue, attemptsOf(taken))
  await shared.rows(`delete from ${FLEET_SCHEMA}.fleet_workers where id = $1`, [id])
}

function attemptsOf(taken: ReadonlyMap<string, Job>): { id: string; retryCount: number }[] {
  return [...taken.values()].map(({ id, retryCount }) => ({ id, retryCount }))
}
