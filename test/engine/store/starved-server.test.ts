/**
 * A server that is starved of the processor answers late, and one that hangs not at all. Only the second is away: its
 * connections are dropped, those of the first are kept. The server is stopped and continued by signals.
 */

import { setTimeout as after } from "node:timers/promises"
import { sql } from "drizzle-orm"
import { ManagedRuntime } from "effect"
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest"
import { Database, layerPostgres } from "../../../src/engine/store/database.ts"
import type { Orm } from "../../../src/engine/store/database.ts"
import { isOutageOf } from "../../../src/engine/store/outages.ts"
import { startServer } from "./postgres-server.ts"
import type { PostgresServer } from "./postgres-server.ts"

let server: PostgresServer
let runtime: ManagedRuntime.ManagedRuntime<Database, unknown>
let orm: Orm

beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())
beforeEach(async () => {
  runtime = ManagedRuntime.make(layerPostgres(server.url, { connectionsMax: 8 }))
  ;({ orm } = await runtime.runPromise(Database))
  // As many connections as the tests need: a stopped server accepts no more.
  await Promise.all([orm.transaction(backendOf), orm.transaction(backendOf), backendOf(orm)])
})
afterEach(async () => {
  process.kill(server.pid(), "SIGCONT")
  await runtime.dispose()
})

async function backendOf(one: Orm): Promise<number> {
  const [row] = (await one.execute(sql.raw("select pg_backend_pid() as pid"))) as { pid: number }[]
  return row?.pid ?? 0
}

/** A statement that takes so long, sent at once. */
async function sleeping(seconds: number): Promise<void> {
  await orm.execute(sql.raw(`select pg_sleep(${seconds})`))
}

/** A transaction that is open until it is released; its backend says nothing meanwhile. */
function heldTransaction(): { readonly ended: Promise<number>; readonly release: () => void } {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const ended = orm.transaction(async (open) => {
    await released
    return backendOf(open)
  })
  return { ended, release: () => release() }
}

/** No new connection gets an answer while the process that accepts them is stopped; the open ones do. */
async function refuseConnections(ms: number): Promise<void> {
  process.kill(server.pid(), "SIGSTOP")
  await after(ms)
  process.kill(server.pid(), "SIGCONT")
}

test("one slow probe beside a slow statement closes no connection: the second is answered", async () => {
  const held = heldTransaction()
  const before = await backendOf(orm)
  const slow = sleeping(5)
  // The probe comes after a second, and waits for two.
  await refuseConnections(3_500)
  held.release()
  expect(await held.ended).toBeGreaterThan(0)
  await slow
  expect(await backendOf(orm)).toBe(before)
})

test("no failed probe counts while the server answers on an open connection", async () => {
  const held = heldTransaction()
  const slow = sleeping(6)
  const refusing = refuseConnections(5_500)
  const answers: number[] = []
  await orm.transaction(async (open) => {
    for (let count = 0; count < 55; count += 1) {
      answers.push(await backendOf(open))
      await after(100)
    }
  })
  expect(new Set(answers).size).toBe(1)
  await refusing
  held.release()
  expect(await held.ended).toBeGreaterThan(0)
  await slow
})

test("a backend that is stopped for a while holds up its own statement alone, which ends when it goes on", async () => {
  const held = heldTransaction()
  const pid = await backendOf(orm)
  process.kill(pid, "SIGSTOP")
  const slow = backendOf(orm)
  await after(4_000)
  expect(await orm.transaction(backendOf)).toBeGreaterThan(0)
  process.kill(pid, "SIGCONT")
  expect(await slow).toBe(pid)
  held.release()
  expect(await held.ended).toBeGreaterThan(0)
})

test("a server all of whose processes are stopped is away within seconds", async () => {
  const pids = [await backendOf(orm), server.pid()]
  for (const pid of pids) process.kill(pid, "SIGSTOP")
  const failure = await backendOf(orm).catch((cause: unknown) => cause)
  for (const pid of pids) process.kill(pid, "SIGCONT")
  expect(isOutageOf(failure)).toBe(true)
  await expect.poll(() => backendOf(orm).catch(() => 0)).toBeGreaterThan(0)
})
