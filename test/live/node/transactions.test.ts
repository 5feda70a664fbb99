/** What only a database can break in a transaction: waiting, losing, and writing outside. */

import { sql } from "drizzle-orm"
import type { SQL } from "drizzle-orm"
import { Cause, Deferred, Effect, Exit, Fiber } from "effect"
import type { Layer } from "effect"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { ActorHost, Transaction } from "../../../src/engine/services/host.ts"
import type { Locks } from "../../../src/engine/services/host.ts"
import { Routine } from "../../../src/engine/services/routine.ts"
import { ReservationRows } from "../../../src/areas/reservations/rows.ts"
import { WebhookStore } from "../../../src/areas/webhooks/store.ts"
import type { WebhookEndpoint } from "../../../src/areas/webhooks/store.ts"
import { OutsideWorld } from "../../../src/simulation/outside-world.ts"
import { Database, layerPostgres } from "../../../src/engine/store/database.ts"
import type { DatabaseFault } from "../../../src/engine/store/database.ts"
import { webhookEndpoints as declaredEndpoints } from "../../../src/areas/webhooks/store.ts"
import { declaredTable } from "../../../src/engine/store/declared-table.ts"
import { groups } from "../../../src/engine/store/schema.ts"
import { beginSavepoint, inTransaction, sqlOver } from "../../../src/engine/store/transaction.ts"
import { partner, reservations, sandboxPartner } from "../../conformance/harness.ts"
import type { CreateReservationRequest } from "../../../src/model/requests/requests.ts"
import { MINUTE_MS } from "../../../src/model/values/time.ts"
import { startPostgres } from "../../engine/store/postgres-server.ts"
import type { PostgresDatabase } from "../../engine/store/postgres-server.ts"
import { emptiedDatabase } from "./emptied-database.ts"
import { allWell, startNode } from "./nodes.ts"
import type { Node } from "./nodes.ts"
import { layerCopiedPglite } from "../../engine/store/embedded-template.ts"

const webhookEndpoints = declaredTable(declaredEndpoints)

const endpoint: WebhookEndpoint = {
  webhookId: "whk_1",
  organizationId: "org_one",
  environment: "production",
  area: "reservations",
  siteId: null,
  url: "https://hooks.partner.example/1",
  subscribedEvents: ["reservation.status_changed"],
  isActive: true,
  secret: "whsec_1",
  consecutiveFailures: 0,
  disabledAtMs: null,
  disabledReason: null,
  createdAtMs: 0,
  updatedAtMs: 0,
}

function booking(more: Partial<CreateReservationRequest> = {}): CreateReservationRequest {
  const nowMs = Date.now()
  return {
    zone_id: "zone_curb",
    retailer_id: "retailer_grocer",
    order_number: "A-1001",
    end_user_name: "Ada Example",
    end_user_phone: "+15125550100",
    arrival_window_start: nowMs + 30 * MINUTE_MS,
    arrival_window_end: nowMs + 60 * MINUTE_MS,
    open_link_url: "https://open.partner.example/doors/7",
    ...more,
  }
}

const insertEndpoint = (more: Partial<WebhookEndpoint> = {}) =>
  Effect.flatMap(WebhookStore, (store) => store.insertEndpoint({ ...endpoint, ...more }))
const changeEndpoint = (webhookId: string) =>
  Effect.flatMap(WebhookStore, (store) => store.changeEndpoint(webhookId, { updatedAtMs: 1 }))
const endpoints = Effect.flatMap(WebhookStore, (store) =>
  store.endpoints({ organizationId: "org_one", environment: "production", area: "reservations" }),
)
const transact = <A, E, R>(locks: Locks, body: Effect.Effect<A, E, R>) =>
  Effect.flatMap(ActorHost, (host) => host.run({ name: "a test", locks, body: () => Routine.from(body) }))

async function defectOf(node: Node, effect: Parameters<Node["run"]>[0]): Promise<string> {
  const exit = await node.run(Effect.exit(effect))
  if (Exit.isSuccess(exit)) return "none"
  const squashed: unknown = Cause.squash(exit.cause)
  return squashed instanceof Error ? squashed.message : String(squashed)
}

/** A group of no actors. */
function rowAt(address: string): typeof groups.$inferInsert {
  return {
    address,
    kind: address.split("/")[0] ?? "",
    revision: 1,
    instantMs: 1,
    occurredUs: 1,
    head: "0",
    actors: [],
    isSettled: true,
    stoppedBecause: null,
  }
}

let server: PostgresDatabase | null = null
let node: Node

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server?.stop())

const layers = {
  PGlite: () => layerCopiedPglite,
  PostgreSQL: () => layerPostgres(server?.url ?? ""),
} as const

/** A node for each test over one database. */
function nodesOver(layer: () => Layer.Layer<Database, DatabaseFault>): void {
  const database = emptiedDatabase(layer)
  beforeEach(async () => {
    node = await startNode(database(), new OutsideWorld(), { wakesUp: false })
  })
}

describe.each(["PGlite", "PostgreSQL"] as const)("transactions on %s", (name) => {
  nodesOver(layers[name])
  afterEach(async () => {
    await allWell(node)
    await node.crash()
  })

  test("creates that come at once fill the stalls evenly: takers of a zone wait for each other", async () => {
    const creates = Array.from({ length: 30 }, (_, at) =>
      reservations.create(partner, booking({ order_number: `A-${at}` })),
    )
    const created = await node.run(Effect.all(creates, { concurrency: "unbounded" }))
    const counts = Map.groupBy(created, ({ reservation }) => reservation.stall_id)
    expect([...counts.values()].map((some) => some.length)).toEqual([10, 10, 10])
  })

  test("V9: requests with one key that come at once make one reservation", async () => {
    const request = booking()
    const creates = Array.from({ length: 12 }, () => reservations.create(partner, request, "key-1"))
    const created = await node.run(Effect.all(creates, { concurrency: "unbounded" }))
    expect(new Set(created.map(({ reservation }) => reservation.reservation_id)).size).toBe(1)
    expect(created.filter(({ isReplay }) => !isReplay)).toHaveLength(1)
  })

  test("commands on one group come one after the other, and none is lost", async () => {
    const { reservation } = await node.run(reservations.create(partner, booking()))
    const id = reservation.reservation_id
    const reports = Array.from({ length: 20 }, () =>
      reservations.reportBot(partner, id, { status: "INBOUND" }),
    )
    await node.run(Effect.all(reports, { concurrency: "unbounded" }))
    const group = await node.run(Effect.flatMap(ActorHost, (host) => host.read(`reservation/${id}`)))
    expect(group?.revision).toBe(21)
    expect(await node.run(Effect.flatMap(ReservationRows, (rows) => rows.reports(id)))).toHaveLength(20)
  })

  test("waits that limit admission are those for the connections of transactions", async () => {
    const waits: number[] = []
    await node.run(
      Effect.gen(function* () {
        const database = yield* Database
        database.waits.onWait = (ms) => waits.push(ms)
        yield* transact({}, Effect.void)
        yield* sqlOver(database).readByKey("reading by key", (orm) => orm.execute(sql`select 1`))
        database.waits.onWait = () => undefined
      }),
    )
    // The embedded database has one connection for both; on PostgreSQL reads by key have another.
    expect(waits).toHaveLength(name === "PGlite" ? 2 : 1)
  })

  test("a rollback to a savepoint forgets the answers that were read behind it", async () => {
    const changed = Effect.gen(function* () {
      const { readOnce, write } = sqlOver(yield* Database)
      const url = readOnce("urls", "reading endpoints", (orm) =>
        orm.select({ url: webhookEndpoints.url }).from(webhookEndpoints),
      )
      const savepoint = yield* beginSavepoint("a change")
      yield* write("changing endpoints", (orm) =>
        orm.update(webhookEndpoints).set({ url: "https://changed" }),
      )
      const inside = yield* url
      yield* savepoint.rollback
      return [inside, yield* url]
    })
    await node.run(transact({}, insertEndpoint()))
    const database = await node.run(Database)
    expect(await node.run(inTransaction(database, changed))).toEqual([
      [{ url: "https://changed" }],
      [{ url: endpoint.url }],
    ])
  })

  test("a repository writes inside a transaction or not at all", async () => {
    expect(await defectOf(node, insertEndpoint() as never)).toContain("no transaction is open")
    expect(await node.run(endpoints)).toEqual([])
  })

  test("a query that fails spoils its transaction, whatever its body makes of it", async () => {
    const caught = Effect.zipRight(
      insertEndpoint(),
      Effect.catchAllDefect(insertEndpoint(), () => Effect.void),
    )
    expect(await defectOf(node, transact({}, caught))).toContain("23505")
    expect(await node.run(endpoints)).toEqual([])
  })

  test("a body that sleeps, or begins another transaction, is a fault and leaves nothing", async () => {
    const sleeping = Effect.zipRight(insertEndpoint(), Effect.sleep(1))
    expect(await defectOf(node, transact({}, sleeping))).toContain("its body waits")
    const nested = Effect.zipRight(insertEndpoint(), transact({}, Effect.void))
    expect(await defectOf(node, transact({}, nested))).toContain("another began")
    expect(await node.run(endpoints)).toEqual([])
  })

  test("a transaction is never interrupted: its caller may leave, its work is committed", async () => {
    const fibers = Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const body = Effect.zipRight(Deferred.succeed(begun, undefined), insertEndpoint())
      const fiber = yield* Effect.fork(transact({}, body))
      yield* Deferred.await(begun)
      return yield* Fiber.interrupt(fiber)
    })
    await node.run(fibers)
    expect(await node.run(endpoints)).toHaveLength(1)
  })

  test("what outlives its transaction writes nothing", async () => {
    let late: Effect.Effect<void> = Effect.void
    const leaking = Effect.gen(function* () {
      const context = yield* Effect.context<never>()
      late = Effect.provide(insertEndpoint() as never, context)
    })
    await node.run(transact({}, leaking))
    expect(await defectOf(node, late)).toContain("its transaction has ended")
    const undone = Effect.zipRight(leaking, Effect.fail("undone"))
    expect(await node.run(Effect.flip(transact({}, undone)))).toBe("undone")
    expect(await defectOf(node, late)).toContain("its transaction has ended")
  })

  test("a turn's own words come back as they were: json keeps the order of keys", async () => {
    const kept = await node.run(
      Effect.flatMap(Database, (database) =>
        inTransaction(
          database,
          sqlOver(database).writeReturning("keeping", async (orm) => {
            const actors = [
              {
                address: "a/b",
                machine: "m@1",
                value: "x",
                context: { z: 1, a: { y: 1, b: 2 } },
                status: "active" as const,
              },
            ]
            await orm.insert(groups).values({ ...rowAt("a/b"), actors })
            const [row] = await orm.select().from(groups)
            await orm.delete(groups)
            return JSON.stringify(row?.actors)
          }),
        ),
      ),
    )
    expect(kept).toBe(
      '[{"address":"a/b","machine":"m@1","value":"x","context":{"z":1,"a":{"y":1,"b":2}},"status":"active"}]',
    )
  })
})

describe("contention on PostgreSQL", () => {
  nodesOver(layers.PostgreSQL)
  afterEach(() => node.crash())

  test("a transaction that loses a deadlock runs again", async () => {
    await node.run(transact({}, Effect.zipRight(insertEndpoint(), insertEndpoint({ webhookId: "whk_2" }))))
    let runs = 0
    const crossing = Effect.gen(function* () {
      const met = [yield* Deferred.make<void>(), yield* Deferred.make<void>()] as const
      const side = (own: 0 | 1) =>
        transact(
          {},
          Effect.gen(function* () {
            runs += 1
            yield* changeEndpoint(own === 0 ? "whk_1" : "whk_2")
            // A write goes out without being waited for; a read waits for it, and for its lock.
            yield* Effect.flatMap(WebhookStore, (store) => store.endpoint("whk_1"))
            yield* Deferred.succeed(met[own], undefined)
            yield* Deferred.await(met[own === 0 ? 1 : 0])
            yield* changeEndpoint(own === 0 ? "whk_2" : "whk_1")
          }),
        )
      yield* Effect.all([side(0), side(1)], { concurrency: 2 })
    })
    await node.run(crossing)
    // Two sides and one more run: or two more, where the loser's next run takes the freed lock before the side that waits for it.
    expect(runs).toBeGreaterThanOrEqual(3)
  })

  test("V9: a request whose key another keeps too long is told that it is in progress; later it books", async () => {
    const impatient = await startNode(layerPostgres(server?.url ?? ""), new OutsideWorld(), {
      wakesUp: false,
      keyWaitMsMax: 50,
    })
    const request = booking()
    const codes = await node.run(
      Effect.gen(function* () {
        const begun = yield* Deferred.make<void>()
        const done = yield* Deferred.make<void>()
        const keeping = Effect.zipRight(Deferred.succeed(begun, undefined), Deferred.await(done))
        const key = `reservations/production/org_one/key-1`
        const keeper = yield* Effect.fork(transact({ key }, keeping))
        yield* Deferred.await(begun)
        const refused = yield* Effect.promise(() =>
          impatient.run(Effect.flip(reservations.create(partner, request, "key-1"))),
        )
        const other = yield* Effect.promise(() =>
          impatient.run(reservations.create(partner, request, "key-2")),
        )
        yield* Deferred.succeed(done, undefined)
        yield* Fiber.join(keeper)
        return { refused: refused.code, other: other.isReplay }
      }),
    )
    expect(codes).toEqual({ refused: "IDEMPOTENCY_IN_PROGRESS", other: false })
    expect((await impatient.run(reservations.create(partner, request, "key-1"))).isReplay).toBe(false)
    expect((await impatient.run(reservations.create(partner, request, "key-1"))).isReplay).toBe(true)
    await impatient.crash()
  })

  test("takers of a zone wait for those of its environment alone, whatever its id is elsewhere", async () => {
    const created = await node.run(
      Effect.gen(function* () {
        const begun = yield* Deferred.make<void>()
        const done = yield* Deferred.make<void>()
        const keeping = Effect.zipRight(Deferred.succeed(begun, undefined), Deferred.await(done))
        const keeper = yield* Effect.fork(transact({ zone: "production/zone_curb" }, keeping))
        yield* Deferred.await(begun)
        const waiting = yield* Effect.fork(reservations.create(partner, booking()))
        const sandbox = yield* reservations.create(sandboxPartner, booking())
        const isWaiting = (yield* Fiber.poll(waiting))._tag === "None"
        yield* Deferred.succeed(done, undefined)
        yield* Fiber.join(keeper)
        yield* Fiber.join(waiting)
        return { sandbox: sandbox.reservation.status, isWaiting }
      }),
    )
    expect(created).toEqual({ sandbox: "confirmed", isWaiting: true })
  })

  test("a process that is cut off in the middle of a transaction keeps its locks no longer than its connection", async () => {
    const address = "reservation/res_held"
    await node.run(
      Effect.flatMap(Database, ({ orm }) => Effect.promise(() => orm.insert(groups).values(rowAt(address)))),
    )
    const lost = await startNode(layerPostgres(server?.url ?? ""), new OutsideWorld(), { wakesUp: false })
    const begun = Promise.withResolvers<void>()
    const holding = Effect.zipRight(
      Effect.sync(() => begun.resolve()),
      Effect.never,
    )
    const held = lost.run(Effect.exit(transact({ groups: [address] }, holding)))
    await begun.promise
    // Read before others wait: then the one that is idle in a transaction is the one that holds the lock.
    const idle = sql`select pid from pg_stat_activity
                     where application_name = 'curbline' and state = 'idle in transaction' and pid <> pg_backend_pid()`
    const run = (query: SQL) =>
      node.run(Effect.flatMap(Database, ({ orm }) => Effect.promise(async () => orm.execute(query))))
    const [holder] = (await run(idle)) as readonly { readonly pid: number }[]
    const taken = node.run(transact({ groups: [address] }, Effect.succeed("taken")))
    await run(sql`select pg_terminate_backend(${holder?.pid})`)
    expect(await taken).toBe("taken")
    expect(Exit.isFailure(await held)).toBe(true)
    await node.run(Effect.flatMap(Database, ({ orm }) => Effect.promise(() => orm.delete(groups))))
    await lost.crash()
  })

  test("a second start of one address, from another transaction, fails and leaves nothing", async () => {
    const { reservation } = await node.run(reservations.create(partner, booking()))
    const address = `reservation/${reservation.reservation_id}`
    const row = sql`update groups set address = ${"webhook-delivery/taken"} where address = ${address}`
    await node.run(Effect.flatMap(Database, ({ orm }) => Effect.promise(() => orm.execute(row))))
    const start = Effect.flatMap(ActorHost, (host) =>
      host.run({
        name: "a test",
        locks: {},
        body: Routine.fn(function* () {
          const transaction = yield* Transaction
          yield* transaction.turn({
            to: "webhook-delivery/taken",
            start: {
              machine: "webhook-delivery@2",
              input: {
                endpointId: "e",
                eventId: "v",
                attemptsMax: 1,
                backoffMs: [],
                leaseMs: 1,
                resendsMax: 0,
              },
            },
            nonce: "0".repeat(32),
          })
        }),
      }),
    )
    expect(await defectOf(node, start)).toContain("an actor was started twice")
  })
})
