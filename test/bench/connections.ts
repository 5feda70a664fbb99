/**
 * Transactions while the server ends connections at random: on the driver's own pool and on the store's connections
 * (src/DECISIONS.md §140). `npm run bench -- connections`. Says how the transactions of 12 seconds ended, and how many errors no
 * promise carried: each of those would end the process.
 */

import { setTimeout as after } from "node:timers/promises"
import { sql } from "drizzle-orm"
import { Effect, ManagedRuntime } from "effect"
import postgres from "postgres"
import { SECOND_MS } from "../../src/model/values/time.ts"
import { Database, layerPostgres } from "../../src/engine/store/database.ts"
import { inTransaction, sqlOver } from "../../src/engine/store/transaction.ts"
import { startServer } from "../engine/store/postgres-server.ts"
import { printMachine } from "./machine-line.ts"

const CONNECTIONS = 8
const WORKERS = 24
const RUN_MS = 12 * SECOND_MS
const END_EVERY_MS = 40
/** A transaction without an answer for this long never gets one: no lock or other wait is as long. */
const UNANSWERED_MS = 6 * SECOND_MS

const ENDING = `select pg_terminate_backend(pid) from pg_stat_activity
  where pid <> pg_backend_pid() and datname = current_database() and random() < 0.3`

/** Inserts two marks in one transaction. */
type Inserting = (first: string, second: string) => Promise<unknown>

export async function benchConnections(): Promise<void> {
  printMachine()
  console.log("")
  await measure("store's connections", async (url) => {
    const runtime = ManagedRuntime.make(layerPostgres(url, { connectionsMax: CONNECTIONS }))
    const database = await runtime.runPromise(Database)
    const { writeReturning } = sqlOver(database)
    const insert = (id: string) =>
      writeReturning("inserting a mark", (orm) => orm.execute(sql`insert into marks values (${id})`))
    return (first, second) =>
      runtime.runPromise(inTransaction(database, Effect.zipRight(insert(first), insert(second))))
  })
  await measure("driver's own pool", async (url) => {
    const pool = postgres(url, { max: CONNECTIONS, fetch_types: false, onnotice: () => undefined })
    return (first, second) =>
      pool.begin(async (inside) => {
        await inside.unsafe("insert into marks values ($1)", [first])
        await inside.unsafe("insert into marks values ($1)", [second])
      })
  })
  // Transactions that are never answered would hold the process open.
  process.exit(0)
}

async function measure(name: string, connect: (url: string) => Promise<Inserting>): Promise<void> {
  const server = await startServer()
  if (server === null) throw new Error("there is no PostgreSQL to measure on")
  const admin = postgres(server.url, { max: 1, fetch_types: false, onnotice: () => undefined })
  await admin.unsafe("create table marks (id text primary key)")
  let uncaught = 0
  const onUncaught = (): void => void (uncaught += 1)
  process.on("uncaughtException", onUncaught)
  process.on("unhandledRejection", onUncaught)
  const inserting = await connect(server.url)
  const ending = setInterval(() => void admin.unsafe(ENDING).catch(() => undefined), END_EVERY_MS)
  const ends = { committed: 0, failed: 0, unanswered: 0 }
  const committed: string[] = []
  const untilMs = performance.now() + RUN_MS
  let count = 0
  const work = async (): Promise<void> => {
    while (performance.now() < untilMs) {
      const id = String((count += 1))
      const end = await Promise.race([
        inserting(`${id} a`, `${id} b`).then(
          () => "committed" as const,
          () => "failed" as const,
        ),
        after(UNANSWERED_MS, "unanswered" as const, { ref: false }),
      ])
      ends[end] += 1
      if (end === "committed") committed.push(id)
    }
  }
  await Promise.all(Array.from({ length: WORKERS }, work))
  clearInterval(ending)
  const known = new Set((await admin.unsafe("select id from marks")).map((row) => String(row["id"])))
  const torn = Array.from({ length: count }, (_, at) => String(at + 1)).filter(
    (id) => known.has(`${id} a`) !== known.has(`${id} b`),
  ).length
  const lost = committed.filter((id) => !known.has(`${id} a`)).length
  console.log(`${name}: ${JSON.stringify({ ...ends, torn, lost, uncaught })}`)
  await admin.end({ timeout: 1 })
  await server.stop()
}
