/**
 * The API's benchmark: the service over HTTP against hand-written handlers that write the same rows
 * (`api-plain.ts`), on one PostgreSQL, under the same load, turn about. `npm run bench -- api`; `--quick` for a fifth.
 * Absolute numbers belong to the machine, which also runs the load and the receiver; the ratios are the claim.
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
import type { ServerOrder, ServerMessage, Template } from "./api-plain.ts"
import { printMachine } from "./machine-line.ts"

const ROUNDS = 5
const CONCURRENCY = 16
const ZONES = 16
const HOUR_MS = 3_600_000
/** A service lives for days: what is measured is code that has been compiled, in rounds. */
const WARM_UP = 2
const scale = process.argv.includes("--quick") ? 0.2 : 1
const COUNTS = { create: 1_000 * scale, report: 1_000 * scale, read: 6_000 * scale } as const
type Operation = keyof typeof COUNTS
const ALL_OPERATIONS = ["create", "report", "read"] as const
/** `--only create` measures one operation, for a profile; a report needs the reservations of a round of creates. */
const only = process.argv.includes("--only") ? process.argv[process.argv.indexOf("--only") + 1] : null
const OPERATIONS = ALL_OPERATIONS.filter((operation) => only === null || operation === only)
if (OPERATIONS.length === 0) throw new Error(`--only takes one of ${ALL_OPERATIONS.join(", ")}`)

interface Contestant {
  readonly name: "ours" | "plain"
  readonly told: ServerMessage
  readonly process: ChildProcess
  readonly agent: Agent
  /** Microseconds of CPU that its process has used so far. */
  readonly cpuUs: () => Promise<number>
  /** Booked, not yet reported; and reported. */
  booked: string[]
  arrived: string[]
}

interface Phase {
  readonly perSecond: number
  /** Of the contestant's process, for one request; the webhooks that follow are part of it. */
  readonly cpuUs: number
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
  console.log(
    `${CONCURRENCY} requests at once, ${ZONES} zones, one webhook an event; medians of ${ROUNDS} rounds\n`,
  )
  const databases = await makeDatabases()
  const order = { hookUrl: receiver.url, zones: ZONES, template: null, key: null }
  const ours = await start({ ...order, contestant: "ours", databaseUrl: databases.ours })
  const template = await makeTemplate(ours, databases.ours)
  await copyRows(databases, ours.told)
  const plain = await start({
    ...order,
    contestant: "plain",
    databaseUrl: databases.plain,
    template,
    key: ours.told.key,
  })
  const found = new Map<string, Phase[]>()
  for (const one of [ours, plain]) for (const operation of ALL_OPERATIONS) await play(one, operation, WARM_UP)
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const operation of OPERATIONS) {
      for (const one of round % 2 === 0 ? [ours, plain] : [plain, ours]) {
        if (only === "report") await play(one, "create", 1)
        const phase = await play(one, operation, 1)
        const key = `${one.name} ${operation}`
        found.set(key, [...(found.get(key) ?? []), phase])
      }
    }
  }
  show(found)
  await stop(plain)
  await showWebhooks(ours, databases.ours)
  await stop(ours)
}

async function makeDatabases(): Promise<{ readonly ours: string; readonly plain: string }> {
  const sql = postgres(server.url, { max: 1 })
  await sql`create database ours`
  await sql`create database plain`
  await sql.end()
  const at = (name: string): string => server.url.replace(/\/postgres$/, `/${name}`)
  return { ours: at("ours"), plain: at("plain") }
}

/** The hand-written handler begins with the service's own tables, catalog, keys and endpoints. */
async function copyRows({ ours, plain }: { ours: string; plain: string }, _: ServerMessage): Promise<void> {
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
  const cpuUs = async (): Promise<number> => {
    const line = nextLine()
    child.stdin.write("\n")
    return Number(await line)
  }
  const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY })
  return { name: order.contestant, told, process: child, agent, cpuUs, booked: [], arrived: [] }
}

async function stop({ process: child, agent }: Contestant): Promise<void> {
  agent.destroy()
  const ended = new Promise((resolve) => child.once("exit", resolve))
  child.stdin?.end()
  await ended
}

async function makeTemplate(ours: Contestant, url: string): Promise<Template> {
  const sql = postgres(url, { max: 1 })
  await create(ours)
  const [id = ""] = ours.booked
  const delivered = async (count: number): Promise<void> => {
    while (
      Number(
        (await sql`select count(*) from groups where kind = 'webhook-delivery' and is_settled`)[0]?.["count"],
      ) < count
    ) {
      await after(20)
    }
  }
  await delivered(1)
  const booked = await snapshotOf(sql, id)
  await report(ours)
  await delivered(2)
  const arrived = await snapshotOf(sql, id)
  const [endpoint = {}] = await sql`select * from webhook_endpoints`
  await sql.end()
  return { booked, arrived, endpoint }
}

async function play(one: Contestant, operation: Operation, part: number): Promise<Phase> {
  const run = { create, report, read }[operation]
  let left = Math.floor(COUNTS[operation] * part)
  const latenciesMs: number[] = []
  const startedUs = await one.cpuUs()
  const startedMs = performance.now()
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      const fromMs = performance.now()
      await run(one)
      latenciesMs.push(performance.now() - fromMs)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
  const perSecond = (latenciesMs.length / (performance.now() - startedMs)) * 1000
  return { perSecond, cpuUs: ((await one.cpuUs()) - startedUs) / latenciesMs.length, latenciesMs }
}

async function create(one: Contestant): Promise<void> {
  booking += 1
  const startsAtMs = Date.now() + HOUR_MS + (booking % 18) * HOUR_MS
  const body = {
    zone_id: booking % ZONES === 0 ? "zone_curb" : `zone_curb_${booking % ZONES}`,
    retailer_id: "retailer_grocer",
    order_number: `A-${booking}`,
    end_user_name: "Ada Example",
    end_user_phone: "+15125550100",
    arrival_window_start: new Date(startsAtMs).toISOString(),
    arrival_window_end: new Date(startsAtMs + HOUR_MS / 2).toISOString(),
    open_link_url: "https://open.partner.example/doors/7",
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
  console.log("                 requests/s      p50       p99     CPU   ratio by round")
  for (const operation of OPERATIONS) {
    const phases = {
      ours: found.get(`ours ${operation}`) ?? [],
      plain: found.get(`plain ${operation}`) ?? [],
    }
    const ratios = phases.ours.map(
      (phase, at) => phase.perSecond / (phases.plain[at]?.perSecond ?? Number.NaN),
    )
    for (const name of ["ours", "plain"] as const) {
      const latencies = phases[name].flatMap(({ latenciesMs }) => latenciesMs).toSorted((a, b) => a - b)
      const at = (share: number): string =>
        `${(latencies[Math.floor(latencies.length * share)] ?? 0).toFixed(1)} ms`
      const rate = median(phases[name].map(({ perSecond }) => perSecond)).toFixed(0)
      const cpu = `${median(phases[name].map(({ cpuUs }) => cpuUs)).toFixed(0)} µs`
      const tail =
        name === "ours"
          ? `${median(ratios).toFixed(2)} (${ratios.map((ratio) => ratio.toFixed(2)).join(", ")})`
          : ""
      console.log(
        `  ${operation.padEnd(7)} ${name.padEnd(6)}${rate.padStart(10)} ${at(0.5).padStart(10)} ${at(0.99).padStart(9)} ${cpu.padStart(7)}   ${tail}`,
      )
    }
  }
  console.log("  wanted: at least 0.80 on create and report, 0.90 on read")
}

/** Whether deliveries follow: how many wait when the load ends, and how long until none does. */
async function showWebhooks(ours: Contestant, url: string): Promise<void> {
  const sql = postgres(url, { max: 1 })
  await play(ours, "create", 1)
  const waiting = async (): Promise<number> =>
    Number(
      (await sql`select count(*) from groups where kind = 'webhook-delivery' and not is_settled`)[0]?.[
        "count"
      ],
    )
  const atEnd = await waiting()
  const fromMs = performance.now()
  while ((await waiting()) > 0 && performance.now() - fromMs < 60_000) await after(20)
  const [all] = await sql`select count(*) from groups where kind = 'webhook-delivery'`
  const drained =
    (await waiting()) === 0 ? `${((performance.now() - fromMs) / 1000).toFixed(2)} s` : "not in 60 s"
  console.log(
    `\nwebhooks: ${all?.["count"]} deliveries; ${atEnd} waited when the load ended, all done after ${drained}`,
  )
  await sql.end()
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
