/**
 * Replications made by workers on other machines: jobs go to the shared database, and results are gathered from it.
 * Equal requests share one job, and recent results are kept.
 */

import { setImmediate as nextTurnOfTheLoop, setTimeout as after } from "node:timers/promises"
import { Data } from "effect"
import { FLEET_ALIVE_MS, FLEET_LEASE_SECONDS, FLEET_LOOK_MS } from "../../../model/values/limits.ts"
import { MINUTE_MS } from "../../../model/values/time.ts"
import { counted } from "../../../simulation/scenario/language/counted.ts"
import type { Replication } from "../../../simulation/fleet/world/replication.ts"
import type { Replicate } from "../../../simulation/fleet/search/evaluate.ts"
import { FLEET_SCHEMA, openShared } from "./shared-database.ts"
import type { SharedDatabase, SharedOptions } from "./shared-database.ts"
import { identityOf, modelText, taskData } from "./task-text.ts"
import type { ModelText, TaskData } from "./task-text.ts"

/** A replication failed where it was made, or each worker that took it up left it undone. */
class ReplicationFault extends Data.TaggedError("ReplicationFault")<{ readonly found: string }> {
  override get message(): string {
    return this.found
  }
}

export interface Gathering {
  readonly replicate: Replicate
  /** Closes the connection; replications that are not made yet stay in the queue. */
  readonly close: () => Promise<void>
}

interface Wanted {
  readonly id: string
  readonly data: TaskData
  readonly model: ModelText
  readonly answers: ((made: Replication) => void)[]
  readonly fails: ((cause: unknown) => void)[]
  /** When it was last queued; 0 if never. */
  sentMs: number
}

/** Jobs in one statement. */
const BATCH = 500
/** Waiting jobs are queued again at this interval, because an operator may have emptied the queue. */
const SENT_AGAIN_MS = MINUTE_MS

export async function startGathering(options: SharedOptions): Promise<Gathering> {
  const shared = await openShared(options)
  const wanted = new Map<string, Wanted>()
  const models = new WeakMap<object, ModelText>()
  const state = { isClosed: false }
  let looking: Promise<void> | null = null
  const look = async (): Promise<void> => {
    const workers = new Workers(shared, options.tell)
    try {
      // Requests of one turn of the event loop form a batch.
      await nextTurnOfTheLoop()
      while (!state.isClosed && wanted.size > 0) {
        await shared.patiently(() => send(shared, wanted))
        await shared.patiently(() => collect(shared, wanted))
        if (wanted.size === 0) break
        await shared.patiently(() => workers.look())
        await after(FLEET_LOOK_MS)
      }
    } catch (cause) {
      for (const { fails } of wanted.values()) for (const fail of fails) fail(cause)
      wanted.clear()
    } finally {
      looking = null
    }
  }
  return {
    replicate: (task) =>
      new Promise((resolve, reject) => {
        const model = models.get(task.model) ?? modelText(task.model)
        models.set(task.model, model)
        const data = taskData(task, model.key)
        const id = identityOf(data, shared.program)
        const one = wanted.get(id) ?? { id, data, model, answers: [], fails: [], sentMs: 0 }
        one.answers.push(resolve)
        one.fails.push(reject)
        wanted.set(id, one)
        looking ??= look()
      }),
    close: async () => {
      state.isClosed = true
      await looking
      await shared.close()
    },
  }
}

/** Queues jobs that are neither done nor queued. A job that failed for an earlier caller is tried again. */
async function send(shared: SharedDatabase, wanted: ReadonlyMap<string, Wanted>): Promise<void> {
  const nowMs = performance.now()
  const due = [...wanted.values()].filter(({ sentMs }) => sentMs === 0 || nowMs - sentMs > SENT_AGAIN_MS)
  for (let from = 0; from < due.length; from += BATCH) {
    const batch = due.slice(from, from + BATCH)
    const ids = batch.map(({ id }) => id)
    const first = batch.filter(({ sentMs }) => sentMs === 0).map(({ id }) => id)
    await shared.rows(
      `delete from ${FLEET_SCHEMA}.fleet_replications where id = any($1) and fault is not null`,
      [first],
    )
    const made = await shared.rows<{ id: string }>(
      `update ${FLEET_SCHEMA}.fleet_replications set used_at = now() where id = any($1) returning id`,
      [ids],
    )
    const known = new Set(made.map(({ id }) => id))
    const missing = batch.filter(({ id }) => !known.has(id))
    await sendMissing(shared, missing)
    for (const one of batch) one.sentMs = nowMs
  }
}

async function sendMissing(shared: SharedDatabase, missing: readonly Wanted[]): Promise<void> {
  if (missing.length === 0) return
  const { boss, queue } = shared
  for (const { key, text } of new Map(missing.map(({ model }) => [model.key, model])).values()) {
    await shared.rows(
      `insert into ${FLEET_SCHEMA}.fleet_models (key, text) values ($1, $2)
       on conflict (key) do update set used_at = now()`,
      [key, text],
    )
  }
  const over = await shared.rows<{ id: string }>(
    `select id from ${FLEET_SCHEMA}.job where name = $1 and id = any($2) and state in ('completed', 'cancelled', 'failed')`,
    [queue, missing.map(({ id }) => id)],
  )
  if (over.length > 0)
    await boss.deleteJob(
      queue,
      over.map(({ id }) => id),
    )
  // An existing job stays as it is.
  await boss.insert(
    queue,
    missing.map(({ id, data }) => ({ id, data })),
  )
}

interface Made {
  readonly id: string
  readonly made: string | null
  readonly fault: string | null
}

async function collect(shared: SharedDatabase, wanted: Map<string, Wanted>): Promise<void> {
  const ids = [...wanted.keys()]
  const found = await shared.rows<Made>(
    `select id, made, fault from ${FLEET_SCHEMA}.fleet_replications where id = any($1) limit ${BATCH}`,
    [ids],
  )
  for (const { id, made, fault } of found) {
    const one = wanted.get(id)
    wanted.delete(id)
    if (made !== null) {
      // Each caller gets an object of its own.
      for (const answer of one?.answers ?? []) answer(JSON.parse(made) as Replication)
    } else {
      const cause = new ReplicationFault({ found: fault ?? "" })
      for (const fail of one?.fails ?? []) fail(cause)
    }
  }
  const lost = await shared.rows<{ id: string; tries: number }>(
    `select id, retry_count + 1 as tries from ${FLEET_SCHEMA}.job
     where name = $1 and id = any($2) and state in ('cancelled', 'failed')`,
    [shared.queue, [...wanted.keys()]],
  )
  for (const { id, tries } of lost) {
    const one = wanted.get(id)
    wanted.delete(id)
    const cause = new ReplicationFault({ found: `${counted(tries, "worker")} took it up and left it undone` })
    for (const fail of one?.fails ?? []) fail(cause)
  }
}

/** Prints which workers run, once and at every change, so that a command without workers does not look busy. */
class Workers {
  readonly #shared: SharedDatabase
  readonly #tell: (line: string) => void
  #said = ""
  #lookedMs = Number.NEGATIVE_INFINITY

  constructor(shared: SharedDatabase, tell: (line: string) => void) {
    this.#shared = shared
    this.#tell = tell
  }

  async look(): Promise<void> {
    if (performance.now() - this.#lookedMs < FLEET_ALIVE_MS) return
    this.#lookedMs = performance.now()
    const found = await this.#shared.rows<{ program: string; count: number }>(
      `select program, count(*)::int as count from ${FLEET_SCHEMA}.fleet_workers
       where seen_at > now() - interval '${FLEET_LEASE_SECONDS} seconds' group by program`,
      [],
    )
    const count = (isOwn: boolean): number =>
      found.reduce((sum, one) => sum + ((one.program === this.#shared.program) === isOwn ? one.count : 0), 0)
    const line = waitingLine(count(true), count(false))
    if (line !== this.#said) this.#tell(line)
    this.#said = line
  }
}

function waitingLine(own: number, others: number): string {
  if (own > 0) return `${counted(own, "worker")} at work`
  const start = "no worker yet: start `npx curbline fleet work --database URL` on any machine"
  return others === 0 ? start : `${start}; ${counted(others, "worker")} there of another program`
}
