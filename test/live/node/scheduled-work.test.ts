/** Scheduled work: retention comes by the hour, once per database, on both databases. */

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sql } from "drizzle-orm"
import { Effect, Layer, ManagedRuntime } from "effect"
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { ScheduledWork, layerScheduledWork, stateOfWork } from "../../../src/live/host/scheduled-work.ts"
import type { ScheduledWorkState } from "../../../src/live/host/scheduled-work.ts"
import { Retention } from "../../../src/engine/services/retention/retention.ts"
import { Routine } from "../../../src/engine/services/routine.ts"
import { Database, layerPglite, layerPostgres } from "../../../src/engine/store/database.ts"
import type { DatabaseFault } from "../../../src/engine/store/database.ts"
import { copyTemplateTo } from "../../engine/store/embedded-template.ts"
import { startPostgres } from "../../engine/store/postgres-server.ts"
import type { PostgresDatabase } from "../../engine/store/postgres-server.ts"
import { until } from "./nodes.ts"

let server: PostgresDatabase | null = null
const folder = mkdtempSync(join(tmpdir(), "curbline-scheduled-"))
const stops: (() => Promise<void>)[] = []

beforeAll(async () => {
  server = await startPostgres()
  copyTemplateTo(join(folder, "data"))
})
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})
afterAll(async () => {
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
})

interface Worker {
  readonly ask: () => Promise<void>
  readonly runs: () => Promise<number>
  readonly state: () => Promise<ScheduledWorkState>
  readonly rows: (text: string) => Promise<readonly unknown[]>
}

/** Midnight of a 29th of February: tests that count runs ask for each themselves, whatever the time of day. */
const RARELY = "0 0 29 2 *"

interface Choices {
  /** What retention does at its first runs; afterwards it succeeds. */
  readonly first?: readonly Effect.Effect<never>[]
  /** RARELY unless given; null takes the service's own. */
  readonly cron?: string | null
}

/** A node that does nothing but scheduled work; each run of retention is noted. */
async function worker(
  database: Layer.Layer<Database, DatabaseFault>,
  noted: string[],
  { first = [], cron = RARELY }: Choices = {},
): Promise<Worker> {
  const left = [...first]
  const retention = Layer.succeed(Retention, {
    run: Routine.suspend(() => {
      noted.push("run")
      return left.shift() ?? Effect.succeed([])
    }),
  })
  const layer = layerScheduledWork({ askEveryMs: 20, ...(cron === null ? {} : { cron }) }).pipe(
    Layer.provide(retention),
    Layer.provideMerge(database),
  )
  const runtime = ManagedRuntime.make(layer)
  stops.push(() => runtime.dispose())
  const rows = async (text: string): Promise<readonly unknown[]> => {
    const { orm } = await runtime.runPromise(Database)
    const found: unknown = await orm.execute(sql.raw(text))
    return Array.isArray(found) ? (found as unknown[]) : (found as { rows: unknown[] }).rows
  }
  await runtime.runtime()
  await until(async () => {
    const [there] = (await rows("select to_regclass('pgboss.schedule') as it")) as { it: unknown }[]
    return there?.it !== null && (await rows("select 1 from pgboss.schedule")).length === 1
  })
  const work = await runtime.runPromise(ScheduledWork)
  return {
    ask: () => runtime.runPromise(work.ask),
    runs: () => runtime.runPromise(work.runs),
    state: () => runtime.runPromise(work.state),
    rows,
  }
}

type Kind = "PGlite" | "PostgreSQL"

/** One database of each kind for all tests of this file. */
function databaseOf(kind: Kind): Layer.Layer<Database, DatabaseFault> {
  return kind === "PGlite" ? layerPglite({ folder: join(folder, "data") }) : layerPostgres(server?.url ?? "")
}

describe.each<Kind>(["PGlite", "PostgreSQL"])("scheduled work on %s", (kind) => {
  test("retention runs once when it is asked for", async () => {
    const noted: string[] = []
    const { ask, runs } = await worker(databaseOf(kind), noted)
    await ask()
    await until(async () => (await runs()) === 1)
    expect(noted).toEqual(["run"])
  })

  test("a run that fails is tried again", async () => {
    const noted: string[] = []
    const { ask, runs } = await worker(databaseOf(kind), noted, { first: [Effect.die(new Error("no disk"))] })
    await ask()
    await until(async () => (await runs()) === 1)
    expect(noted).toEqual(["run", "run"])
  })

  test("a run that fails is noted with the last one that was completed, and forgotten once one succeeds", async () => {
    const fails = Effect.die(new Error("no disk"))
    const looked = Promise.withResolvers<void>()
    const second = Effect.zipRight(
      Effect.promise(() => looked.promise),
      fails,
    )
    const { ask, runs, state } = await worker(databaseOf(kind), [], { first: [fails, second] })
    await ask()
    await until(async () => (await state()).problem !== null)
    expect((await state()).problem).toMatch(
      /^retention cannot run: no disk; last completed: \d{4}-\d\d-\d\dT[\d:.]+Z$/,
    )
    looked.resolve()
    await until(async () => (await runs()) === 1)
    const beganMs = Date.now()
    await until(async () => Math.abs(((await state()).lastCompletedMs ?? 0) - beganMs) < 60_000)
    expect((await state()).problem).toBeNull()
  })

  test("a schedule whose jobs cannot be fetched is noted", async () => {
    const { state, rows } = await worker(databaseOf(kind), [])
    await until(async () => (await state()).lastCompletedMs !== null)
    expect((await state()).problem).toBeNull()
    await rows("alter table pgboss.job rename to job_away")
    try {
      await until(async () => (await state()).problem !== null)
      expect((await state()).problem).toContain("retention cannot run:")
    } finally {
      await rows("alter table pgboss.job_away rename to job")
    }
  })

  test("a node that stops during a run puts the job back for the next node", async () => {
    const noted: string[] = []
    const { ask } = await worker(databaseOf(kind), noted, { first: [Effect.never] })
    await ask()
    await until(() => noted.length === 1)
    for (const stop of stops.splice(0)) await stop()
    const { runs } = await worker(databaseOf(kind), noted)
    await until(async () => (await runs()) === 1)
    expect(noted).toEqual(["run", "run"])
  })
})

describe("scheduled work of two nodes", () => {
  test("a job is done by one of them", async () => {
    const noted: string[] = []
    const nodes = [
      await worker(databaseOf("PostgreSQL"), noted),
      await worker(databaseOf("PostgreSQL"), noted),
    ]
    await nodes[0]?.ask()
    const runs = async () => (await Promise.all(nodes.map((node) => node.runs()))).reduce((a, b) => a + b, 0)
    await until(async () => (await runs()) >= 1)
    const open = "select 1 from pgboss.job where name = 'retention' and state <> 'completed'"
    expect(await nodes[0]?.rows(open)).toEqual([])
    expect(noted).toEqual(["run"])
  })
})

test("retention that no node has completed for two hours is late, unless this node is younger", () => {
  const hourMs = 3_600_000
  const well = { scheduleProblem: null, runProblem: null }
  const nowMs = Date.UTC(2026, 0, 2)
  const last = { ...well, lastCompletedMs: nowMs - 3 * hourMs }
  const told = "retention cannot run: no node has run it for two hours; last completed:"
  expect(stateOfWork(last, { sinceMs: nowMs - 3 * hourMs, nowMs }).problem).toBe(
    `${told} 2026-01-01T21:00:00.000Z`,
  )
  expect(stateOfWork(last, { sinceMs: nowMs - hourMs, nowMs }).problem).toBeNull()
  const never = { ...well, lastCompletedMs: null }
  expect(stateOfWork(never, { sinceMs: nowMs - 3 * hourMs, nowMs }).problem).toBe(`${told} never`)
  const lately = { ...well, lastCompletedMs: nowMs - hourMs }
  expect(stateOfWork(lately, { sinceMs: 0, nowMs }).problem).toBeNull()
})

// Last, because at minute 17 these leave a job that no test asked for.
describe.each<Kind>(["PGlite", "PostgreSQL"])("the schedule of retention on %s", (kind) => {
  const schedule = "select name, cron from pgboss.schedule"
  const hourly = [{ name: "retention", cron: "17 * * * *" }]

  test("retention is scheduled by the hour", async () => {
    const { rows } = await worker(databaseOf(kind), [], { cron: null })
    await until(async () => (await rows(`${schedule} where cron = '${hourly[0]?.cron}'`)).length === 1)
    expect(await rows(schedule)).toEqual(hourly)
  })

  test("a service that starts again finds its schedule, and there is one", async () => {
    const { rows } = await worker(databaseOf(kind), [], { cron: null })
    expect(await rows(schedule)).toEqual(hourly)
  })
})
