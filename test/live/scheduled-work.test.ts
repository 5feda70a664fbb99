/** Scheduled work: retention comes by the hour, once per database, on both databases. */

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sql } from "drizzle-orm"
import { Effect, Layer, ManagedRuntime } from "effect"
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { ScheduledWork, layerScheduledWork } from "../../src/live/scheduled-work.ts"
import { Retention } from "../../src/services/retention/retention.ts"
import { Routine } from "../../src/services/routine.ts"
import { Database, layerPglite, layerPostgres } from "../../src/store/database.ts"
import type { DatabaseFault } from "../../src/store/database.ts"
import { startPostgres } from "../store/postgres-server.ts"
import type { PostgresServer } from "../store/postgres-server.ts"
import { until } from "./nodes.ts"

let server: PostgresServer | null = null
const folder = mkdtempSync(join(tmpdir(), "curbline-scheduled-"))
const stops: (() => Promise<void>)[] = []

beforeAll(async () => {
  server = await startPostgres()
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
  readonly rows: (text: string) => Promise<readonly unknown[]>
}

/** A node that does nothing but scheduled work; each run of retention is noted, and the first ones fail. */
async function worker(
  database: Layer.Layer<Database, DatabaseFault>,
  noted: string[],
  failures = 0,
): Promise<Worker> {
  let left = failures
  const retention = Layer.succeed(Retention, {
    run: Routine.suspend(() => {
      noted.push("run")
      left -= 1
      return left >= 0 ? Effect.die(new Error("no disk")) : Effect.succeed([])
    }),
  })
  const layer = layerScheduledWork({ askEveryMs: 20 }).pipe(
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
  return { ask: () => runtime.runPromise(work.ask), runs: () => runtime.runPromise(work.runs), rows }
}

describe.each(["PGlite", "PostgreSQL"] as const)("scheduled work on %s", (name) => {
  const layer = () =>
    name === "PGlite" ? layerPglite({ folder: join(folder, "data") }) : layerPostgres(server?.url ?? "")

  test("retention is scheduled by the hour, and runs once when it is asked for", async () => {
    const noted: string[] = []
    const { ask, runs, rows } = await worker(layer(), noted)
    expect(await rows("select name, cron from pgboss.schedule")).toEqual([
      { name: "retention", cron: "17 * * * *" },
    ])
    await ask()
    await until(async () => (await runs()) === 1)
    expect(noted).toEqual(["run"])
  })

  test("a run that fails is tried again", async () => {
    const noted: string[] = []
    const { ask, runs } = await worker(layer(), noted, 1)
    await ask()
    await until(async () => (await runs()) === 1)
    expect(noted).toEqual(["run", "run"])
  })

  test("a service that starts again finds its schedule, and there is one", async () => {
    const { rows } = await worker(layer(), [])
    expect(await rows("select name from pgboss.schedule")).toHaveLength(1)
  })
})

describe("scheduled work of two nodes", () => {
  test("a job is done by one of them", async () => {
    const noted: string[] = []
    const nodes = [
      await worker(layerPostgres(server?.url ?? ""), noted),
      await worker(layerPostgres(server?.url ?? ""), noted),
    ]
    await nodes[0]?.ask()
    const runs = async () => (await Promise.all(nodes.map((node) => node.runs()))).reduce((a, b) => a + b, 0)
    await until(async () => (await runs()) >= 1)
    const open = "select 1 from pgboss.job where name = 'retention' and state <> 'completed'"
    expect(await nodes[0]?.rows(open)).toEqual([])
    expect(noted).toEqual(["run"])
  })
})
