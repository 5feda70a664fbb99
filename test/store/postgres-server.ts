/**
 * A private PostgreSQL for tests: a cluster of its own in a temporary folder, on a free port of the loopback, gone at
 * the end. The server's programs must be on the machine (test/store/install-postgres.sh); without them tests fail.
 */

import { execFileSync, spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { setTimeout as after } from "node:timers/promises"
import postgres from "postgres"

export interface PostgresServer {
  readonly url: string
  readonly stop: () => Promise<void>
}

const VERSION_MIN = 15
const START_TRIES_MAX = 300

export async function startPostgres(): Promise<PostgresServer> {
  const programs = programFolder()
  const user = serverUser()
  const folder = mkdtempSync(join(tmpdir(), "curbline-postgres-"))
  if ("uid" in user) chownSync(folder, user.uid, user.gid)
  const data = join(folder, "data")
  execFileSync(
    join(programs, "initdb"),
    ["-D", data, "-U", "curbline", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"],
    { ...user, stdio: ["ignore", "ignore", "inherit"] },
  )
  const port = await freePort()
  // Nothing here outlives the machine: what is tested is the program's crashes, not the disk's.
  const settings = [
    "listen_addresses=127.0.0.1",
    `unix_socket_directories=${folder}`,
    "fsync=off",
    "max_connections=200",
  ]
  const server = spawn(
    join(programs, "postgres"),
    ["-D", data, "-p", String(port), ...settings.flatMap((one) => ["-c", one])],
    { ...user, stdio: "ignore" },
  )
  const kill = (): void => void server.kill("SIGQUIT")
  process.once("exit", kill)
  const url = `postgres://curbline@127.0.0.1:${port}/postgres`
  await answering(url, server)
  return {
    url,
    stop: async () => {
      process.removeListener("exit", kill)
      const ended = new Promise((resolve) => server.once("exit", resolve))
      kill()
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function programFolder(): string {
  const onPath = (process.env["PATH"] ?? "").split(delimiter)
  const found = [...onPath, ...packaged()].find(
    (folder) => existsSync(join(folder, "initdb")) && versionIn(folder) >= VERSION_MIN,
  )
  if (found === undefined) {
    throw new Error(
      `no PostgreSQL ${VERSION_MIN} or later on this machine: run \`sh test/store/install-postgres.sh\``,
    )
  }
  return found
}

/** Where Debian and Ubuntu keep them, the newest first. */
function packaged(): readonly string[] {
  const top = "/usr/lib/postgresql"
  if (!existsSync(top)) return []
  return readdirSync(top)
    .toSorted((a, b) => Number(b) - Number(a))
    .map((version) => join(top, version, "bin"))
}

function versionIn(folder: string): number {
  const text = execFileSync(join(folder, "postgres"), ["--version"], { encoding: "utf8" })
  return Number(/\d+/.exec(text)?.[0] ?? 0)
}

/** The server refuses to run as root; the package brings a user for it. */
function serverUser(): { readonly uid: number; readonly gid: number } | Record<string, never> {
  if (process.getuid?.() !== 0) return {}
  const idOf = (what: string): number => Number(execFileSync("id", [what, "postgres"], { encoding: "utf8" }))
  return { uid: idOf("-u"), gid: idOf("-g") }
}

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => {
    probe.listen(0, "127.0.0.1", resolve)
  })
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => {
    probe.close(resolve)
  })
  return port
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
