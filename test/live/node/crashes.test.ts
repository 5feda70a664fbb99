/**
 * Nodes killed at random instants under load of both APIs. Every answer to a caller is true after every start, every
 * webhook arrives with the same bytes under a stable delivery id, no timer is lost, and the journal replays.
 */

import { spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { createHmac } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as after } from "node:timers/promises"
import { eq, sql } from "drizzle-orm"
import { Clock, Effect, Layer, ManagedRuntime } from "effect"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { Streams } from "../../../src/engine/kernel/random.ts"
import { exportJournal } from "../../../src/live/records/journal-export.ts"
import { RunningHost, layerLiveService } from "../../../src/live/services/live-service.ts"
import { PICKUP_EVENT_TYPES } from "../../../src/model/webhook.ts"
import { Vehicles } from "../../../src/areas/dispatch/vehicles.ts"
import { ReservationRows } from "../../../src/areas/reservations/rows.ts"
import { PickupWebhooks } from "../../../src/areas/webhooks/webhooks.ts"
import { program } from "../../../src/apps/composition/program.ts"
import { replayRecord } from "../../../src/simulation/replay.ts"
import { Database } from "../../../src/engine/store/database.ts"
import { webhookDeliveries as declaredDeliveries } from "../../../src/areas/webhooks/store.ts"
import { declaredTable } from "../../../src/engine/store/declared-table.ts"
import { groups } from "../../../src/engine/store/schema.ts"
import { HOOK, partner, sandboxPartner, webhooks } from "../../conformance/harness.ts"
import { emptied } from "../../conformance/live.ts"
import { copyTemplateTo } from "../../engine/store/embedded-template.ts"
import { startPostgres } from "../../engine/store/postgres-server.ts"
import type { PostgresDatabase } from "../../engine/store/postgres-server.ts"
import { isLong } from "../../long-tests.ts"
import { SHORT_LIVED } from "../../serve/service-process.ts"
import { CRASH_POLICY, crashDatabase, isTrue, layerReceiver } from "./crashing-node.ts"
import type { CrashingNodeOptions, Told } from "./crashing-node.ts"
import { fastClock } from "./fast-clock.ts"
import type { FastTime } from "./fast-clock.ts"
import { until } from "./nodes.ts"

const webhookDeliveries = declaredTable(declaredDeliveries)

const SEED = 20_260_601

/**
 * How often nodes are killed: of two nodes one after it has worked, and one at any moment. `npm run test:long` kills more often: it takes
 * four minutes instead of one.
 */
const KILLS = isLong ? { postgres: 40, pglite: 10 } : { postgres: 2, pglite: 1 }

/**
 * Five attempts of a direct delivery's webhook take seven minutes and their leases as many again: longer than the kills on
 * this clock. On a faster one every attempt may be killed, which is no failure of the service.
 */
const SPEED = 10

/** Enough for every client's run: what is walked half the way stays with its vehicle. */
const VEHICLES = 60

/** A new node checks this many of the last answers: in the end all are checked. */
const LOOKED_AT_AGAIN = 40

/** Kinds of groups that rest and never settle; a delivery waits for its next step. */
const RESTING = sql`('vehicle', 'webhook-endpoint', 'delivery')`

const pickupWebhooks = Effect.serviceFunctions(PickupWebhooks)
const vehicles = Effect.serviceFunctions(Vehicles)

interface ReceivedWebhook {
  readonly deliveryId: string
  readonly body: string
  /** Only for a direct delivery's event. */
  readonly signature: string | null
}

let server: PostgresDatabase | null = null
let receiver: Server
let received: ReceivedWebhook[] = []
/** While it is on, requests get no answer. */
let isHolding = false
let folder = ""
const compiled = mkdtempSync(join(tmpdir(), "curbline-compiled-"))
let time: FastTime
const children = new Set<ChildProcess>()

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(async () => {
  await server?.stop()
  rmSync(compiled, { recursive: true, force: true })
})

beforeEach(async () => {
  received = []
  isHolding = false
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
  test(`PostgreSQL: two nodes share the work while one of them is killed, ${KILLS.postgres} times`, async () => {
    const kills = KILLS.postgres
    const left = await killAndLook({ database: { url: server?.url ?? "" }, nodes: 2, kills })
    // Before every other kill the nodes are let book and deliver once; the other kills come at any moment.
    expect(left.booked).toBeGreaterThanOrEqual(kills / 2)
    expect(left.delivered).toBeGreaterThanOrEqual(kills / 2)
    expect(left).toMatchObject(ALL_WELL)
  })

  test(`PGlite: the one node is killed ${KILLS.pglite} times`, async () => {
    const kills = KILLS.pglite
    const left = await killAndLook({ database: embedded(), nodes: 1, kills })
    // Before each kill the node is let book and deliver once, under keys of its own.
    expect(left.booked).toBeGreaterThanOrEqual(kills)
    expect(left.delivered).toBeGreaterThanOrEqual(kills)
    expect(left).toMatchObject(ALL_WELL)
  })
})

describe("a node that is killed with webhooks in flight", () => {
  test("PostgreSQL: another node sends the same attempts again, and none is used up", async () => {
    const left = await killInFlight({ url: server?.url ?? "" })
    expect(left).toEqual(left.map(() => SENT_AGAIN))
  })

  test("PGlite: the next process sends the same attempts again, and none is used up", async () => {
    const left = await killInFlight(embedded())
    expect(left).toEqual(left.map(() => SENT_AGAIN))
  })
})

/** A new embedded database in the folder of the test. */
function embedded(): CrashingNodeOptions["database"] {
  const data = join(folder, "data")
  copyTemplateTo(data)
  return { folder: data }
}

const SENT_AGAIN = { isSameBody: true, attempt: 1, resends: 1 }

/**
 * The results of all webhooks in flight, at least three. On the machine's own clock: the leases are longer than the
 * test.
 */
async function killInFlight(database: CrashingNodeOptions["database"]): Promise<readonly unknown[]> {
  time = { ...time, speed: 1 }
  await withNode(database, false, async (run) => {
    await run(Effect.flatMap(Effect.context<Database>(), (context) => Effect.promise(() => emptied(context))))
    await run(webhooks.register(partner, { url: HOOK, subscribed_events: ["reservation.status_changed"] }))
  })
  isHolding = true
  const child = await crashingNode({ database, name: "node1", told: [], untrue: [] })
  await until(() => received.length > 2)
  await killed(child)
  const before = received.map(({ deliveryId, body }) => ({ deliveryId, body }))
  isHolding = false
  return withNode(database, true, async (run) => {
    const { orm } = await run(Database)
    const again = () => received.slice(before.length)
    await until(() => before.every(({ deliveryId }) => again().some((one) => one.deliveryId === deliveryId)))
    return Promise.all(
      before.map(async ({ deliveryId, body }) => {
        const [row] = await orm
          .select({ actors: groups.actors })
          .from(groups)
          .where(eq(groups.address, `webhook-delivery/${deliveryId}`))
        const { attempt, resends } = row?.actors[0]?.context ?? {}
        const copy = again().find((one) => one.deliveryId === deliveryId)
        return { isSameBody: copy?.body === body, attempt, resends }
      }),
    )
  })
}

interface Ordeal {
  readonly database: CrashingNodeOptions["database"]
  readonly nodes: number
  readonly kills: number
}

async function killAndLook({ database, nodes, kills }: Ordeal): Promise<Left> {
  const chance = new Streams(SEED)
  const told: Told[] = []
  const untrue: string[] = []
  let secret = ""
  await withNode(database, false, async (run) => {
    await run(Effect.flatMap(Effect.context<Database>(), (context) => Effect.promise(() => emptied(context))))
    await run(webhooks.register(partner, { url: HOOK, subscribed_events: ["reservation.status_changed"] }))
    const request = { url: HOOK, events: PICKUP_EVENT_TYPES }
    secret = (await run(pickupWebhooks.register(sandboxPartner, request))).secret
    for (let count = 1; count <= VEHICLES; count += 1) {
      const vehicle = { vehicleId: `veh_${count}`, fleetId: "fleet_sandbox", environment: "sandbox" } as const
      await run(vehicles.register({ ...vehicle, label: String(count), isSynthetic: true, isOnline: true }))
    }
  })
  let started = 0
  const start = async (): Promise<ChildProcess> => {
    started += 1
    return crashingNode({ database, name: `node${started}`, told, untrue })
  }
  // The others go on while a node that takes the place of a killed one starts.
  const alive = Array.from({ length: nodes }, start)
  await Promise.all(alive)
  for (let kill = 0; kill < kills; kill += 1) {
    // A single node is given time to work: killed earlier, there would be nothing to check.
    const known = told.length
    const heard = received.length
    if (nodes === 1 || kill % 2 === 0)
      await until(() => hasBoth(told.slice(known)) && received.length > heard + 2)
    await after(chance.between("pause", { from: 20, to: 500 }))
    const at = chance.between("victim", { from: 0, to: nodes - 1 })
    await killed(await alive[at])
    alive[at] = start()
  }
  for (const child of alive) await killed(await child)
  return withNode(database, true, (run) => look(run, { told, untrue, secret }))
}

/** News of both APIs. */
function hasBoth(told: readonly Told[]): boolean {
  return told.some(({ type }) => type === "booked") && told.some(({ type }) => type === "delivered")
}

type Run = ReturnType<typeof runtimeOf>["runPromise"]

/** A node in this process without bookings: it finishes the work of the others. */
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

/** The state after the crashes, once everything has settled. */
interface Left {
  readonly booked: number
  readonly delivered: number
  /** Answers that were not true when a node started, or in the end. */
  readonly untrue: readonly string[]
  readonly waitingGroups: readonly string[]
  /** Booked, but not closed by its window's end. */
  readonly openReservations: readonly string[]
  readonly missedWebhooks: readonly string[]
  readonly changedBodies: readonly string[]
  readonly badSignatures: readonly string[]
  readonly difference: unknown
}

const ALL_WELL: Omit<Left, "booked" | "delivered"> = {
  untrue: [],
  waitingGroups: [],
  openReservations: [],
  missedWebhooks: [],
  changedBodies: [],
  badSignatures: [],
  difference: null,
}

interface Heard {
  readonly told: Told[]
  readonly untrue: string[]
}

/** Counts mailbox entries and deferred calls. One statement, because a released call gets a mailbox entry. */
const WAITING = sql`
  select count(*)::int as count
  from (select group_address from mailbox union all select group_address from deferred_calls) as waiting
  left join groups on groups.address = waiting.group_address
  where groups.stopped_because is null`

async function isAnythingWaiting({ orm }: Database["Type"]): Promise<boolean> {
  const found: unknown = await orm.execute(WAITING)
  const rows: unknown = Array.isArray(found) ? found : (found as { readonly rows: unknown }).rows
  return (rows as readonly { readonly count: number }[])[0]?.count !== 0
}

/** Lets time leap to what is due next, whenever no call is in flight, until no entry is due and no call is deferred. */
async function settled(run: Run): Promise<void> {
  const host = await run(RunningHost)
  const database = await run(Database)
  await until(async () => {
    const dueMs = await run(host.nextDueMs)
    if (host.callsInFlight > 0) return false
    const aheadMs = (dueMs ?? 0) - (await run(Clock.currentTimeMillis))
    if (aheadMs > 0) time.startMs += aheadMs
    return dueMs === null && !(await isAnythingWaiting(database))
  })
}

async function look(run: Run, { told, untrue, secret }: Heard & { readonly secret: string }): Promise<Left> {
  const { orm } = await run(Database)
  for (const one of told) if (!(await run(isTrue(one)))) untrue.push(`in the end ${JSON.stringify(one)}`)
  await settled(run)
  const waiting = await orm
    .select({ address: groups.address })
    .from(groups)
    .where(sql`kind not in ${RESTING} and not is_settled or stopped_because is not null`)
  const booked = told.filter(({ type }) => type === "booked")
  const openReservations: string[] = []
  for (const { key } of booked) {
    const row = await run(Effect.flatMap(ReservationRows, (rows) => rows.byKey({ ...partner, key })))
    if (row?.status !== "canceled") openReservations.push(key)
  }
  const deliveries = await orm.select().from(webhookDeliveries)
  const copies = Map.groupBy(received, ({ deliveryId }) => deliveryId)
  const bodiesOf = (id: string) => new Set((copies.get(id) ?? []).map(({ body }) => body))
  const texts: string[] = []
  const write = (text: string) => Effect.sync(() => void texts.push(text))
  await run(exportJournal({ build: "test", charts: {}, write }))
  return {
    booked: booked.length,
    delivered: new Set(told.flatMap(({ type, key }) => (type === "delivered" ? [key] : []))).size,
    untrue,
    waitingGroups: waiting.map(({ address }) => address),
    openReservations,
    missedWebhooks: deliveries.map(({ deliveryId }) => deliveryId).filter((id) => bodiesOf(id).size === 0),
    changedBodies: [...copies.keys()].filter((id) => bodiesOf(id).size > 1),
    badSignatures: received.flatMap(({ deliveryId, body, signature }) => {
      const isGood =
        signature === null || signature === createHmac("sha256", secret).update(body).digest("hex")
      return isGood ? [] : [deliveryId]
    }),
    difference: replayRecord(texts.join(""), program).difference,
  }
}

async function crashingNode(
  options: Pick<CrashingNodeOptions, "database" | "name"> & Heard,
): Promise<ChildProcess> {
  const { told, untrue, ...more } = options
  const news = { receiver: receiverUrl(), time, clients: 3, told: told.slice(-LOOKED_AT_AGAIN) }
  const whole: CrashingNodeOptions = { ...more, ...news }
  const script = join(import.meta.dirname, "crashing-node.ts")
  const child = spawn(process.execPath, [...SHORT_LIVED, script, JSON.stringify(whole)], {
    stdio: ["ignore", "pipe", "inherit"],
    // Most of a node's life here is its start, so nodes share the compile cache.
    env: { ...process.env, NODE_COMPILE_CACHE: compiled },
  })
  children.add(child)
  const lines = createInterface({ input: child.stdout })
  await new Promise<void>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`${options.name} ended with ${code}`)))
    lines.on("line", (line) => {
      const [word = "", text = ""] = line.split(/ (.*)/)
      if (word === "ready") resolve()
      if (word === "told") told.push(JSON.parse(text) as Told)
      if (word === "untrue") untrue.push(`${options.name} finds ${text}`)
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
      const { headers } = request
      const signature =
        headers["x-service-event"] === undefined ? null : String(headers["x-service-signature"])
      received.push({ deliveryId: String(headers["x-service-delivery-id"]), body, signature })
      const drawn = chance.between("answer", { from: 1, to: 10 })
      if (isHolding) return
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
