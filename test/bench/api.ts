/**
 * The API's benchmark: the service as `curbline serve` runs it against hand-written handlers that write the same rows
 * (`api-plain.ts`), on one PostgreSQL, under the same load, turn about: throughput, and processor time a request by thread,
 * with the webhooks that it caused. `npm run bench -- api`; `--quick` for a fifth; `--rounds N`; `--pace N` for so many
 * requests a second instead of as many as possible; `--only create` for one operation. Absolute numbers belong to the
 * machine, which also runs the load and the receiver; the ratios are the claim.
 */

import { spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { Agent, request } from "node:http"
import { createInterface } from "node:readline"
import { setTimeout as after } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import postgres from "postgres"
import { YOUNG_HEAP } from "../../src/cli/kit/memory-settings.ts"
import { startReceiver } from "../attacks/receiver.ts"
import { startServer } from "../engine/store/postgres-server.ts"
import { snapshotOf } from "./api-plain.ts"
import type { CpuTimes, ServerOrder, ServerMessage, Template } from "./api-plain.ts"
import { printMachine } from "./machine-line.ts"

const flag = (name: string): string | null =>
  process.argv.includes(name) ? (process.argv[process.argv.indexOf(name) + 1] ?? null) : null
const ROUNDS = Number(flag("--rounds") ?? 5)
/** Requests a second; null for as many as possible. */
const pace = flag("--pace") === null ? null : Number(flag("--pace"))
const CONCURRENCY = 16
const ZONES = 16
const HOUR_MS = 3_600_000
const PACE_TICK_MS = 5
/** A service lives for days: what is measured is code that has been compiled. */
const WARM_UP = { create: 2_000, report: 2_000, read: 1_000 } as const
const scale = process.argv.includes("--quick") ? 0.2 : 1
const COUNTS = { create: 1_000 * scale, report: 1_000 * scale, read: 4_000 * scale } as const
type Operation = keyof typeof COUNTS
const ALL_OPERATIONS = ["create", "report", "read"] as const
/** A report needs the reservations of a round of creates. */
const only = flag("--only")
const THREADS = ["all", "main", "calls", "helpers"] as const
type Thread = (typeof THREADS)[number]
const OPERATIONS = ALL_OPERATIONS.filter((operation) => only === null || operation === only)
if (OPERATIONS.length === 0) throw new Error(`--only takes one of ${ALL_OPERATIONS.join(", ")}`)

interface Contestant {
  readonly name: ServerOrder["contestant"]
  readonly told: ServerMessage
  readonly process: ChildProcess
  readonly agent: Agent
  readonly cpuTimes: () => Promise<CpuTimes>
  /** Webhooks that wait or are on their way. */
  readonly waiting: () => Promise<number>
  readonly end: () => Promise<void>
  /** Booked, not yet reported; and reported. */
  booked: string[]
  arrived: string[]
}

interface Phase {
  readonly perSecond: number
  /** Microseconds of processor time of one request; the webhooks that follow are part of it. */
  readonly cpuUs: Readonly<Record<Thread, number>>
  readonly latenciesMs: readonly number[]
}

/** Bookings so far: they take turns in zones and hours. */
let booking = 0

const server = await startServer()
const receiver = await startReceiver()
const children: ChildProcess[] = []
try {
  await race()
} finally {
  for (const child of children) child.kill("SIGKILL")
  await receiver.close()
  await server.stop()
}

async function race(): Promise<void> {
  printMachine()
  const load = pace === null ? `${CONCURRENCY} requests at once` : `${pace} requests a second`
  console.log(`${load}, ${ZONES} zones, one webhook an event; medians of ${ROUNDS} rounds\n`)
  const order = { hookUrl: receiver.url, zones: ZONES, template: null, told: null }
  const ours = await start({ ...order, contestant: "ours", databaseUrl: await makeDatabase("ours") })
  const template = await makeTemplate(ours)
  const all = [ours]
  for (const contestant of ["plain", "fair"] as const) {
    const databaseUrl = await makeDatabase(contestant)
    await copyRows(urlOf("ours"), databaseUrl)
    all.push(await start({ ...order, contestant, databaseUrl, template, told: ours.told }))
  }
  const found = new Map<string, Phase[]>()
  for (const one of all)
    for (const operation of ALL_OPERATIONS) await play(one, operation, WARM_UP[operation])
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const operation of OPERATIONS) {
      for (const one of round % 2 === 0 ? all : all.toReversed()) {
        if (only === "report") await play(one, "create", COUNTS.create)
        const phase = await play(one, operation, COUNTS[operation])
        const key = `${one.name} ${operation}`
        found.set(key, [...(found.get(key) ?? []), phase])
      }
    }
  }
  show(found)
  for (const one of all) await stop(one)
}

function urlOf(name: string): string {
  return server.url.replace(/\/postgres$/, `/${name}`)
}

async function makeDatabase(name: ServerOrder["contestant"]): Promise<string> {
  const sql = postgres(server.url, { max: 1 })
  await sql`create database ${sql(name)}`
  await sql.end()
  return urlOf(name)
}

/** The hand-written handler begins with the service's own tables, catalog, keys and endpoints. */
async function copyRows(ours: string, plain: string): Promise<void> {
  const { layerPostgres } = await import("../../src/engine/store/database.ts")
  const { Effect, Layer } = await import("effect")
  await Effect.runPromise(Effect.scoped(Layer.build(layerPostgres(plain))))
  const [from, to] = [postgres(ours, { max: 1 }), postgres(plain, { max: 1 })]
  for (const table of [
    "zones",
    "stalls",
    "grants",
    "zone_retailers",
    "organizations",
    "api_keys",
    "webhook_endpoints",
  ]) {
    const rows = await from`select * from ${from(table)}`
    if (rows.length > 0) await to`insert into ${to(table)} ${to(rows as never)}`
  }
  await from.end()
  await to.end()
}

async function start(order: ServerOrder): Promise<Contestant> {
  const script = fileURLToPath(new URL("api-server.ts", import.meta.url))
  const profile = process.argv.includes("--profile") && order.contestant === "ours"
  const profiling = profile ? ["--cpu-prof", "--cpu-prof-dir=profiles"] : []
  // Both contestants have the heap with which `curbline serve` runs.
  const args = [YOUNG_HEAP, ...profiling, script, JSON.stringify(order)]
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] })
  children.push(child)
  const lines = createInterface({ input: child.stdout })
  const nextLine = (): Promise<string> => new Promise((resolve) => lines.once("line", resolve))
  const told = await new Promise<ServerMessage>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`${order.contestant} ended with ${code}`)))
    void nextLine().then((line) => resolve(JSON.parse(line) as ServerMessage))
  })
  const cpuTimes = async (): Promise<CpuTimes> => {
    const line = nextLine()
    child.stdin.write("\n")
    return JSON.parse(await line) as CpuTimes
  }
  const sql = postgres(order.databaseUrl, { max: 1 })
  const waiting = async (): Promise<number> => {
    const [row] =
      await sql`select count(*)::int from groups where kind = 'webhook-delivery' and not is_settled`
    return Number(row?.["count"])
  }
  const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY })
  const { contestant: name } = order
  const end = (): Promise<void> => sql.end()
  return { name, told, process: child, agent, cpuTimes, waiting, end, booked: [], arrived: [] }
}

async function stop({ process: child, agent, end }: Contestant): Promise<void> {
  agent.destroy()
  await end()
  const ended = new Promise((resolve) => child.once("exit", resolve))
  child.stdin?.end()
  await ended
}

async function makeTemplate(ours: Contestant): Promise<Template> {
  const sql = postgres(urlOf("ours"), { max: 1 })
  await create(ours)
  const [id = ""] = ours.booked
  await delivered(ours)
  const booked = await snapshotOf(sql, id)
  await report(ours)
  await delivered(ours)
  const arrived = await snapshotOf(sql, id)
  const [endpoint = {}] = await sql`select * from webhook_endpoints`
  await sql.end()
  return { booked, arrived, endpoint }
}

/** The rows of an event are committed with its answer, so none is missed. */
async function delivered(one: Contestant): Promise<void> {
  while ((await one.waiting()) > 0) await after(50)
}

async function play(one: Contestant, operation: Operation, count: number): Promise<Phase> {
  const run = { create, report, read }[operation]
  const latenciesMs: number[] = []
  const before = await one.cpuTimes()
  const startedMs = performance.now()
  const send = async (): Promise<void> => {
    const fromMs = performance.now()
    await run(one)
    latenciesMs.push(performance.now() - fromMs)
  }
  await (pace === null ? atOnce(send, count) : paced(send, count, pace))
  const perSecond = (count / (performance.now() - startedMs)) * 1000
  await delivered(one)
  return { perSecond, cpuUs: perRequest(before, await one.cpuTimes(), count), latenciesMs }
}

async function atOnce(send: () => Promise<void>, count: number): Promise<void> {
  let left = count
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      await send()
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
}

async function paced(send: () => Promise<void>, count: number, perSecond: number): Promise<void> {
  const startedMs = performance.now()
  const open: Promise<void>[] = []
  for (let sent = 0; sent < count; sent += 1) {
    const dueMs = startedMs + (sent / perSecond) * 1000
    while (performance.now() < dueMs) await after(PACE_TICK_MS)
    open.push(send())
  }
  await Promise.all(open)
}

function perRequest(before: CpuTimes, now: CpuTimes, count: number): Phase["cpuUs"] {
  const [all, main, calls] = (["all", "main", "calls"] as const).map(
    (thread) => (now[thread] - before[thread]) / count,
  ) as [number, number, number]
  return { all, main, calls, helpers: all - main - calls }
}

async function create(one: Contestant): Promise<void> {
  booking += 1
  const startsAtMs = Date.now() + HOUR_MS + (booking % 18) * HOUR_MS
  const body = {
    zone_id: one.told.zones[booking % ZONES],
    retailer_id: one.told.retailerId,
    order_number: `A-${booking}`,
    end_user_name: "Ada Example",
    end_user_phone: "+15125550100",
    arrival_window_start: new Date(startsAtMs).toISOString(),
    arrival_window_end: new Date(startsAtMs + HOUR_MS / 2).toISOString(),
    // The machine knows this name, so that no name server is asked.
    open_link_url: "http://localhost:9/doors/7",
  }
  const answer = await ask(one, { method: "POST", path: "/rs/v1/reservations", body, status: 201 })
  const { data } = JSON.parse(answer) as { data: { reservation: { reservation_id: string } } }
  one.booked.push(data.reservation.reservation_id)
}

async function report(one: Contestant): Promise<void> {
  const id = one.booked.pop() ?? ""
  const body = { status: "ARRIVED", label: "Blue 7" }
  await ask(one, { method: "POST", path: `/rs/v1/reservations/${id}/bot`, body, status: 200 })
  one.arrived.push(id)
}

async function read(one: Contestant): Promise<void> {
  const id = one.arrived[Math.floor(Math.random() * one.arrived.length)] ?? ""
  await ask(one, { method: "GET", path: `/rs/v1/reservations/${id}`, status: 200 })
}

interface Asked {
  readonly method: string
  readonly path: string
  readonly body?: object
  readonly status: number
}

function ask({ told, agent, name }: Contestant, { method, path, body, status }: Asked): Promise<string> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? "" : JSON.stringify(body)
    const headers = {
      authorization: `Bearer ${told.key}`,
      ...(body === undefined
        ? {}
        : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
    }
    const outgoing = request(
      { agent, host: "127.0.0.1", port: told.port, method, path, headers },
      (response) => {
        let answer = ""
        response.setEncoding("utf8").on("data", (chunk: string) => (answer += chunk))
        response.on("end", () => {
          if (response.statusCode === status) resolve(answer)
          else reject(new Error(`${name}: ${method} ${path} answered ${response.statusCode}: ${answer}`))
        })
      },
    )
    outgoing.on("error", reject)
    outgoing.end(text)
  })
}

function show(found: ReadonlyMap<string, readonly Phase[]>): void {
  console.log(
    `                 requests/s     p50      p99 ${THREADS.map((one) => one.padStart(8)).join("")}`,
  )
  for (const operation of OPERATIONS) {
    const phasesOf = (name: string): readonly Phase[] => found.get(`${name} ${operation}`) ?? []
    for (const name of ["ours", "fair", "plain"]) {
      const phases = phasesOf(name)
      const latencies = phases.flatMap(({ latenciesMs }) => latenciesMs).toSorted((a, b) => a - b)
      const at = (share: number): string =>
        `${(latencies[Math.floor(latencies.length * share)] ?? 0).toFixed(1)} ms`
      const rate = median(phases.map(({ perSecond }) => perSecond)).toFixed(0)
      const times = THREADS.map((thread) => median(phases.map(({ cpuUs }) => cpuUs[thread])).toFixed(0))
      console.log(
        `  ${operation.padEnd(7)} ${name.padEnd(6)}${rate.padStart(10)} ${at(0.5).padStart(8)} ${at(0.99).padStart(8)}` +
          times.map((time) => time.padStart(8)).join(""),
      )
    }
    const ours = phasesOf("ours")
    for (const thread of ["all", "main"] as const) {
      const ratios = phasesOf("fair").map((phase, at) => phase.cpuUs[thread] / (ours[at]?.cpuUs[thread] ?? 0))
      const rounds = ratios.map((ratio) => ratio.toFixed(2)).join(", ")
      console.log(`  ${operation.padEnd(7)} fair / ours, ${thread}: ${median(ratios).toFixed(2)} (${rounds})`)
    }
  }
  console.log(
    "  processor time of one request in µs; wanted, fair / ours: 0.60 of all, 0.85 of main; read 0.75",
  )
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
