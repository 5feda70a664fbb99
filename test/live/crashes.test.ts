/**
 * Nodes killed at random instants under load. What was accepted is there, every webhook arrives with the same bytes
 * under a stable delivery id, no timer is lost, and the journal replays.
 */

import { spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as after } from "node:timers/promises"
import { sql } from "drizzle-orm"
import { Effect, Layer, ManagedRuntime } from "effect"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { Streams } from "../../src/kernel/random.ts"
import { exportJournal } from "../../src/live/journal-export.ts"
import { layerLiveService } from "../../src/live/live-service.ts"
import { ReservationRows } from "../../src/services/reservations/rows.ts"
import { program } from "../../src/simulation/program.ts"
import { replayRecord } from "../../src/simulation/replay.ts"
import { Database } from "../../src/store/database.ts"
import { groups, mailbox, webhookDeliveries } from "../../src/store/schema.ts"
import { HOOK, partner, webhooks } from "../conformance/harness.ts"
import { emptied } from "../conformance/live.ts"
import { startPostgres } from "../store/postgres-server.ts"
import type { PostgresServer } from "../store/postgres-server.ts"
import { CRASH_POLICY, crashDatabase, layerReceiver } from "./crashing-node.ts"
import type { CrashingNodeOptions } from "./crashing-node.ts"
import { fastClock } from "./fast-clock.ts"
import type { FastTime } from "./fast-clock.ts"
import { until } from "./nodes.ts"

const SEED = 20_260_601
const SPEED = 60

interface ReceivedWebhook {
  readonly deliveryId: string
  readonly body: string
}

let server: PostgresServer | null = null
let receiver: Server
let received: ReceivedWebhook[] = []
let folder = ""
let time: FastTime
const children = new Set<ChildProcess>()

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server?.stop())

beforeEach(async () => {
  received = []
  folder = mkdtempSync(join(tmpdir(), "curbline-crashes-"))
  time = { startMs: Date.parse("2026-06-01T15:00:00Z"), hostStartMs: Date.now(), speed: SPEED }
  receiver = await listening()
})
afterEach(async () => {
  for (const child of children) child.kill("SIGKILL")
  receiver.closeAllConnections()
  await new Promise((resolve) => {
    receiver.close(resolve)
  })
  rmSync(folder, { recursive: true, force: true })
})

describe("nodes that are killed", () => {
  test(
    "PostgreSQL: three nodes share the work while one of them is killed, 40 times",
    { timeout: 600_000 },
    async () => {
      const left = await killAndLook({ database: { url: server?.url ?? "" }, nodes: 3, kills: 40 })
      expect(left.accepted).toBeGreaterThan(40)
      expect(left).toMatchObject(ALL_WELL)
    },
  )

  test("PGlite: the one node is killed 10 times", { timeout: 600_000 }, async () => {
    const left = await killAndLook({ database: { folder: join(folder, "data") }, nodes: 1, kills: 10 })
    expect(left.accepted).toBeGreaterThan(10)
    expect(left).toMatchObject(ALL_WELL)
  })
})

interface Ordeal {
  readonly database: CrashingNodeOptions["database"]
  readonly nodes: number
  readonly kills: number
}

async function killAndLook({ database, nodes, kills }: Ordeal): Promise<Left> {
  const chance = new Streams(SEED)
  const accepted = new Map<string, string>()
  await withNode(database, false, async (run) => {
    await run(Effect.flatMap(Effect.context<Database>(), (context) => Effect.promise(() => emptied(context))))
    await run(webhooks.register(partner, { url: HOOK, subscribed_events: ["reservation.status_changed"] }))
  })
  let started = 0
  const start = async (): Promise<ChildProcess> => {
    started += 1
    return crashingNode({ database, name: `node${started}`, accepted })
  }
  // The others go on while a node that takes the place of a killed one starts.
  const alive = Array.from({ length: nodes }, start)
  await Promise.all(alive)
  for (let kill = 0; kill < kills; kill += 1) {
    // A node alone is let come to work: killed sooner, it would leave nothing to look at.
    const known = accepted.size
    if (nodes === 1) await until(() => accepted.size > known)
    await after(chance.between("pause", { from: 20, to: 500 }))
    const at = chance.between("victim", { from: 0, to: nodes - 1 })
    await killed(await alive[at])
    alive[at] = start()
  }
  for (const child of alive) await killed(await child)
  return withNode(database, true, (run) => look(run, accepted))
}

type Run = ReturnType<typeof runtimeOf>["runPromise"]

/** A node in this process, which books nothing: it brings to an end what the others left. */
async function withNode<A>(
  database: CrashingNodeOptions["database"],
  wakesUp: boolean,
  use: (run: Run) => Promise<A>,
): Promise<A> {
  const runtime = runtimeOf(database, wakesUp)
  try {
    return await use(runtime.runPromise)
  } finally {
    await runtime.dispose()
  }
}

function runtimeOf(database: CrashingNodeOptions["database"], wakesUp: boolean) {
  return ManagedRuntime.make(
    Layer.provideMerge(
      layerLiveService({ digestKey: "crash", secretKey: "crash", policy: CRASH_POLICY, wakesUp }),
      Layer.merge(layerReceiver(receiverUrl()), crashDatabase(database)),
    ).pipe(Layer.provide(Layer.setClock(fastClock(time)))),
  )
}

/** What the crashes left, once everything has settled. */
interface Left {
  readonly accepted: number
  readonly waitingGroups: readonly string[]
  /** Accepted, but not there under its key, or not closed by its window's end. */
  readonly wrongReservations: readonly string[]
  readonly missedWebhooks: readonly string[]
  readonly changedBodies: readonly string[]
  readonly difference: unknown
}

const ALL_WELL: Omit<Left, "accepted"> = {
  waitingGroups: [],
  wrongReservations: [],
  missedWebhooks: [],
  changedBodies: [],
  difference: null,
}

async function look(run: Run, accepted: ReadonlyMap<string, string>): Promise<Left> {
  const { orm } = await run(Database)
  await until(async () => (await orm.select().from(mailbox).limit(1)).length === 0)
  const waiting = await orm
    .select({ address: groups.address })
    .from(groups)
    .where(sql`not is_settled or stopped_because is not null`)
  const wrongReservations: string[] = []
  for (const [key, id] of accepted) {
    const row = await run(Effect.flatMap(ReservationRows, (rows) => rows.byKey({ ...partner, key })))
    if (row?.reservationId !== id || row.status !== "canceled") wrongReservations.push(key)
  }
  const deliveries = await orm.select().from(webhookDeliveries)
  const copies = Map.groupBy(received, ({ deliveryId }) => deliveryId)
  const bodiesOf = (id: string) => new Set((copies.get(id) ?? []).map(({ body }) => body))
  const texts: string[] = []
  const write = (text: string) => Effect.sync(() => void texts.push(text))
  await run(exportJournal({ build: "test", charts: {}, write }))
  return {
    accepted: accepted.size,
    waitingGroups: waiting.map(({ address }) => address),
    wrongReservations,
    missedWebhooks: deliveries.map(({ deliveryId }) => deliveryId).filter((id) => bodiesOf(id).size === 0),
    changedBodies: [...copies.keys()].filter((id) => bodiesOf(id).size > 1),
    difference: replayRecord(texts.join(""), program).difference,
  }
}

async function crashingNode(
  options: Pick<CrashingNodeOptions, "database" | "name"> & { readonly accepted: Map<string, string> },
): Promise<ChildProcess> {
  const { accepted, ...more } = options
  const whole: CrashingNodeOptions = { ...more, receiver: receiverUrl(), time, clients: 6 }
  const script = join(import.meta.dirname, "crashing-node.ts")
  const child = spawn(process.execPath, [script, JSON.stringify(whole)], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  children.add(child)
  const lines = createInterface({ input: child.stdout })
  await new Promise<void>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`${options.name} ended with ${code}`)))
    lines.on("line", (line) => {
      const [word, id = "", key = ""] = line.split(" ")
      if (word === "ready") resolve()
      if (word === "accepted") accepted.set(key, id)
    })
  })
  return child
}

async function killed(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null) throw new Error("a node ended by itself")
  const ended = new Promise((resolve) => child.once("close", resolve))
  child.kill("SIGKILL")
  await ended
  children.delete(child)
}

/** A partner's endpoint: most answers are good, some are errors, some come late. */
async function listening(): Promise<Server> {
  const chance = new Streams(SEED)
  const made = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8")
    request.on("data", (text: string) => (body += text))
    request.on("end", () => {
      received.push({ deliveryId: String(request.headers["x-service-delivery-id"]), body })
      const drawn = chance.between("answer", { from: 1, to: 10 })
      setTimeout(() => response.writeHead(drawn === 1 ? 500 : 200).end(), drawn === 2 ? 200 : 1)
    })
  })
  await new Promise<void>((resolve) => {
    made.listen(0, "127.0.0.1", resolve)
  })
  return made
}

function receiverUrl(): string {
  return `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
}
