/**
 * What the service's memory does under steady load with bad receivers: `npm run bench -- soak`, on the embedded database, or with
 * `--postgres` on a PostgreSQL of its own; `--seconds N` for another length, 180 if absent. Bookings and bot reports go over HTTP to a
 * process of its own; four webhook endpoints take their events: one never answers, one answers 500, one resets the connection,
 * one answers megabytes slowly. The load ends after two thirds of the time, so that the last third shows what stays. It says
 * what it found and fails only when the service does.
 */

import { readdirSync, rmSync, statSync } from "node:fs"
import { createServer } from "node:http"
import type { RequestListener } from "node:http"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { setTimeout as after } from "node:timers/promises"
import { booking, call, dataFolder, startProcess, startReceiver } from "../serve/service-process.ts"
import type { Access, ServiceProcess } from "../serve/service-process.ts"
import { EVENT_TYPES } from "../../src/model/webhook.ts"
import { startServer } from "../engine/store/postgres-server.ts"
import { printMachine } from "./machine-line.ts"

const SECONDS = numberAfter("--seconds", 180)
const SAMPLES = 18
const WORKERS = 8
const REPORTS = ["INBOUND", "ARRIVED", "READY_FOR_HANDOFF", "SECURED", "DEPARTED"] as const
const MIB = 1_048_576

/** Columns of the table, and the figure of `/metrics` behind each. */
const FIGURES = {
  rss: "process_resident_memory_bytes",
  heapTotal: "nodejs_heap_size_total_bytes",
  heapUsed: "nodejs_heap_size_used_bytes",
  external: "nodejs_external_memory_bytes",
  arrayBuffers: "curbline_array_buffers_bytes",
  embedded: "curbline_embedded_memory_bytes",
} as const
const SOCKETS = 'nodejs_active_resources{type="TCPSocketWrap"}'

export async function benchSoak(): Promise<void> {
  printMachine()
  const database = process.argv.includes("--postgres") ? await startServer() : null
  const data = dataFolder()
  const receivers = await Promise.all(BAD.map(startBad))
  const openLinks = await startReceiver()
  const service = await startProcess(data, undefined, {
    env: {
      CURBLINE_LOG_LEVEL: "error",
      CURBLINE_REQUESTS_PER_MINUTE: "1000000",
      CURBLINE_BOT_REPORTS_PER_MINUTE: "1000000",
      ...(database === null ? {} : { DATABASE_URL: database.url, CURBLINE_SECRET: "s".repeat(40) }),
    },
    words: database === null ? [] : ["--demo"],
  })
  try {
    for (const { url } of receivers) await register(service.access.sandbox, url)
    await soak(service, openLinks.url)
  } finally {
    await service.stop()
    for (const { close } of receivers) close()
    await openLinks.close()
    await database?.stop()
    rmSync(data, { recursive: true, force: true })
  }
}

async function register(access: Access, url: string): Promise<void> {
  const { status, body } = await call(access, "POST", "/rs/v1/webhooks", {
    url,
    subscribed_events: EVENT_TYPES,
  })
  if (status !== 201)
    throw new Error(`the endpoint ${url} was answered with ${status}: ${JSON.stringify(body)}`)
}

async function soak({ access, data, urls }: ServiceProcess, openLinkUrl: string): Promise<void> {
  const { sandbox } = access
  const counts = { bookings: 0, reports: 0, others: 0 }
  const columns = ["s", "bookings", "reports", ...Object.keys(FIGURES), "wal", "sockets"]
  console.log(`\nMiB of memory; wal: MiB of the embedded database's write-ahead log\n${row(columns)}`)
  const beganMs = performance.now()
  const elapsed = (): number => (performance.now() - beganMs) / 1_000
  const work = async (): Promise<void> => {
    while (elapsed() < (2 * SECONDS) / 3) await visit(sandbox, openLinkUrl, counts)
  }
  const working = Array.from({ length: WORKERS }, work)
  const rss: number[] = []
  for (let sample = 0; sample <= SAMPLES; sample += 1) {
    await after(Math.max(0, (sample * SECONDS) / SAMPLES - elapsed()) * 1_000)
    const text = await (await fetch(`${urls.sandbox}/metrics`)).text()
    const figures = Object.values(FIGURES).map((name) => valueIn(text, name) / MIB)
    rss.push(figures[0] ?? Number.NaN)
    const shown = [elapsed(), counts.bookings, counts.reports, ...figures, walBytes(data) / MIB]
    console.log(row([...shown.map((value) => value.toFixed(0)), String(valueIn(text, SOCKETS))]))
  }
  await Promise.all(working)
  const [first = Number.NaN] = rss
  const peak = Math.max(...rss)
  console.log(
    `\nresident: peak ${(peak / first).toFixed(2)} times the start, end ${((rss.at(-1) ?? Number.NaN) / first).toFixed(2)} times; ` +
      `${counts.others} answers other than 2xx`,
  )
}

interface Counts {
  bookings: number
  reports: number
  others: number
}

/** A booking and its bot's way, as fast as answers come. */
async function visit(access: Access, openLinkUrl: string, counts: Counts): Promise<void> {
  const made = await call(access, "POST", "/rs/v1/reservations", booking(access, openLinkUrl))
  if (made.status !== 201) {
    counts.others += 1
    await after(100)
    return
  }
  counts.bookings += 1
  const path = `/rs/v1/reservations/${made.body.data.reservation.reservation_id}/bot`
  for (const status of REPORTS) {
    const told = await call(access, "POST", path, { status })
    if (told.status === 200) counts.reports += 1
    else counts.others += 1
  }
}

/** Receivers of webhooks, as partners' servers fail. */
const BAD: readonly RequestListener[] = [
  () => undefined,
  (_, response) => void response.writeHead(500).end("no"),
  ({ socket }) => void socket.resetAndDestroy(),
  (_, response) => {
    response.writeHead(200)
    let parts = 0
    const timer = setInterval(() => {
      parts += 1
      response.write(Buffer.alloc(65_536))
      if (parts === 64) response.end()
    }, 100)
    response.once("close", () => clearInterval(timer))
  },
]

async function startBad(
  listener: RequestListener,
): Promise<{ readonly url: string; readonly close: () => void }> {
  const server = createServer(listener).listen(0, "127.0.0.1")
  await once(server, "listening")
  const close = (): void => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, close }
}

/** NaN for a figure that is not there. */
function valueIn(metrics: string, name: string): number {
  const line = metrics.split("\n").find((one) => one.startsWith(`${name} `))
  return line === undefined ? Number.NaN : Number(line.slice(name.length + 1))
}

function walBytes(data: string): number {
  const folder = join(data, "database", "pg_wal")
  try {
    return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
  } catch {
    return Number.NaN
  }
}

function row(cells: readonly string[]): string {
  return cells.map((cell) => cell.padStart(12)).join(" ")
}

function numberAfter(flag: string, usual: number): number {
  const at = process.argv.indexOf(flag)
  return at < 0 ? usual : Number(process.argv[at + 1])
}
